"""Rule bases of FROG: a made-up file everywhere, and the authors' own where they are at hand."""

import contextlib

import numpy as np
import pandas as pd
import pytest
from helpers.frog_files import FROG_TEXT, frog_prediction

from fruler import load_keel, load_model
from fruler._model_file.file import Model, write_model
from fruler.data import _frog as frog
from fruler.data import load_frog
from fruler.explain.text import rules_text
from fruler.export import TARGETS, export_model


@pytest.fixture
def made_up(tmp_path):
    (tmp_path / "made_up.yml").write_text(FROG_TEXT)
    return tmp_path / "made_up.yml"


def half_mse(rules, X, y):
    return float(np.square(rules.predict(X) - y).mean() / 2)


def test_the_rules_are_read(made_up):
    rules = load_frog(made_up)
    assert rules.names == ("load", "speed", "wear")
    assert (rules.target_name, rules.t_norm, rules.n_rules) == ("heat", "minimum", 3)
    load, speed, wear = (variable.partition for variable in rules.variables)
    assert (load.domain, load.split_points) == ((0.0, 10.0), (2.0, 6.0))
    # Half widths of 1 and 2, where there is room for 2 and 2.
    assert load.fuzziness == (0.5, 1.0)
    assert (speed.n_labels, wear.split_points, wear.fuzziness) == (1, (0.25,), (1.0,))
    assert [rule.antecedent for rule in rules.rules] == [
        {"load": ("low",), "wear": ("low",)},
        {"load": ("medium",), "wear": ("high",)},
        {"load": ("high",), "wear": ("high",)},
    ]


def test_predictions_are_those_of_frog(made_up, rng):
    X = np.column_stack([rng.uniform(0, 10, 500), rng.uniform(-1, 9, 500), rng.uniform(0, 1, 500)])
    X[:4] = [[0, -1, 0], [10, 9, 1], [2, 0, 0.25], [6, 3, 0.5]]
    expected = np.array([frog_prediction(row) for row in X])
    fired = np.isfinite(expected)
    assert 300 < fired.sum() < 500
    rules = load_frog(made_up)
    np.testing.assert_allclose(rules.predict(X)[fired], expected[fired], rtol=1e-12)
    np.testing.assert_array_equal(rules.activations(X)[1], fired)


def test_the_rules_do_what_others_do(made_up, tmp_path, rng):
    X = rng.uniform([0, -1, 0], [10, 9, 1], (50, 3))
    rules = load_frog(made_up)
    assert "if load is low (under 2) and wear is low (under 0.25)" in rules_text(rules, width=80, table=False)
    explained = rules.with_training(X, rules.predict(X)).explain(X[:1])
    assert explained.predictions[0] == pytest.approx(rules.predict(X[:1])[0])
    write_model(tmp_path / "model.json", Model(rules))
    assert load_model(tmp_path / "model.json").rule_base_ == rules
    for target in TARGETS:
        assert export_model(rules, target)


BAD = {
    "empty": ("", "it is empty"),
    "other": ("a: 1", "it is YAML but not a !!frog.rulebase.KnowledgeBase"),
    "list": ("[1, 2]", "not a !!frog.rulebase.KnowledgeBase"),
    "not yaml": ("a: [1, 2", r"it is not YAML \(line 1, column 9: "),
    "two documents": (FROG_TEXT + "--- 1\n", "it is not YAML"),
    "deep": ("[" * 5000, "nested too deeply"),
    "an object of Python": ("!!python/object/apply:os.system ['true']", "not a !!frog.rulebase.KnowledgeBase"),
    "binary": (b"\xff\xfe\x00", "byte 0 is not UTF-8"),
    "control": ("a: \x07", "it is not YAML"),
    "alias": (FROG_TEXT.replace("name: made up", "name: &a [*a]"), "with an alias"),
    "twice": (FROG_TEXT + "name: again\n", "'name' occurs twice"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_rule_base_is_refused(tmp_path, case):
    content, message = BAD[case]
    path = tmp_path / "bad.yml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ValueError, match=r"bad\.yml' can't be read as a rule base of FROG: .*" + message) as error:
        load_frog(path)
    assert error.value.__suppress_context__
    assert "\n" not in str(error.value)


WRONG = [
    ("norm_std: 2.5", "norm_std: 0", r"inputs\[0\]\.norm_std must be a positive number; got 0"),
    ("norm_mean: 4.0", "norm_mean: NaN", r"inputs\[0\]\.norm_mean must be a finite number; got 'NaN'"),
    ("    norm_mean: 4.0\n", "", r"inputs\[0\] has no 'norm_mean'"),
    ("max: 10.0", "max: -1", r"inputs\[0\]\.max must be more than the minimum, 0"),
    ("name: speed", "name: load", "distinct names"),
    ("name: speed", "name: 5", r"inputs\[1\]\.name must be text; got 5"),
    ("name: speed", "nam: speed", r"inputs\[1\] has no 'name'"),
    ("c: 1.0\n      d: 3.0", "c: 1.5\n      d: 3.0", "do not add up to one"),
    ("c: 1.0\n", "c: -1.0\n", "corners that do not increase"),
    ("height: 1.0, points: [-1.0", "height: 0.5, points: [-1.0", r"height must be 1; got 0\.5"),
    ("Rectangle {a: -1.0", "Rectangle {a: -0.5", "an end of the domain, -1.0 to 9.0, without a label"),
    ("fuzzyset.Rectangle", "fuzzyset.Singleton", "got frog.fuzzyset.Singleton"),
    ("c: 0.0, d: 0.5", "c: 0.0, d: 1.5", "do not add up to one"),
    ("max: 1.0", "max: 0.4", "overlap beyond the middle"),
    ("partition: []", "partitions: []", r"outputs\[0\] has no 'partition'"),
    ("TSKRule\n", "MamdaniRule\n", r"rulebase\[0\] must be a !!frog.rulebase.TSKRule"),
    ("LinguisticLabelProposition {label: 0", "ApproximativeLabelProposition {label: 0", "must be a !!frog.proposition"),
    ("{label: 2, var: 0}", "{label: 3, var: 0}", "one of the 3 labels"),
    ("{label: 0, var: 2}", "{label: 0, var: 3}", "of the 3"),
    ("{label: 0, var: 2}", "{label: 0, var: 0}", "each at most once"),
    ("{label: 0, var: 2}", "{label: 0.5, var: 2}", "a whole number"),
    ("[0.5, -0.25, 1.0, 0.125]", "[0.5, -0.25, 1.0]", "must have 4 numbers"),
    ("[0.5, -0.25, 1.0, 0.125]", "[0.5, -0.25, 1.0, x]", "must be a finite number; got 'x'"),
    ("[0.5, -0.25, 1.0, 0.125]", "[0.5, -0.25, 1.0, 1e999]", "must be a finite number"),
    ("- [0.5, -0.25, 1.0, 0.125]", "- [1]\n  - [2]", "one list of numbers; got 2"),
]


@pytest.mark.parametrize(("old", "new", "message"), WRONG)
def test_what_is_wrong_is_named(tmp_path, old, new, message):
    assert old in FROG_TEXT
    path = tmp_path / "bad.yml"
    path.write_text(FROG_TEXT.replace(old, new, 1))
    with pytest.raises(ValueError, match=r"can't be read as a rule base of FROG: .*" + message) as error:
        load_frog(path)
    assert error.value.__suppress_context__
    assert "\n" not in str(error.value)


def test_parts_that_are_not_there(tmp_path):
    head, _ = FROG_TEXT.split("rulebase:\n- ")
    for text, message in (
        (head + "rulebase: []\n", "it has no rules"),
        (
            FROG_TEXT.replace("  - {max: 9.0", "  - {max: 8.0, min: 0.0, name: other}\n  - {max: 9.0"),
            "it has 2 outputs",
        ),
        ("!!frog.rulebase.KnowledgeBase {database: {inputs: [], outputs: []}, rulebase: []}", "it has no inputs"),
        ("!!frog.rulebase.KnowledgeBase {rulebase: []}", "it has no 'database'"),
    ):
        path = tmp_path / "bad.yml"
        path.write_text(text)
        with pytest.raises(ValueError, match=message):
            load_frog(path)
    with pytest.raises(FileNotFoundError, match="there is no file"):
        load_frog(tmp_path / "none.yml")
    with pytest.raises(ValueError, match="is a folder"):
        load_frog(tmp_path)


def test_a_large_file_is_not_read(made_up, monkeypatch):
    monkeypatch.setattr(frog, "MAX_BYTES", 100)
    with pytest.raises(ValueError, match="more than 100 bytes"):
        load_frog(made_up)


@pytest.mark.parametrize("part", [4, 12, 30, 45])
def test_a_file_that_breaks_off_is_refused(tmp_path, part):
    lines = FROG_TEXT.splitlines(keepends=True)
    (tmp_path / "cut.yml").write_text("".join(lines[:part]))
    with pytest.raises(ValueError, match="can't be read as a rule base of FROG: "):
        load_frog(tmp_path / "cut.yml")


def test_no_line_is_read_by_chance(tmp_path):
    """Without any one of its lines a file is refused in one sentence, or has the fields that are not needed."""
    lines = FROG_TEXT.splitlines(keepends=True)
    read = []
    for k in range(len(lines)):
        (tmp_path / "cut.yml").write_text("".join(lines[:k] + lines[k + 1 :]))
        with contextlib.suppress(ValueError):
            load_frog(tmp_path / "cut.yml")
            read.append(lines[k].strip())
    assert {"name: made up", "type: TSK", "points: [-0.0025, 0.0, 1.0, 3.0]"} < set(read)
    # An antecedent may leave an input out.
    assert all("LinguisticLabelProposition" in line for line in read if not line.startswith(("name", "type", "points")))


def test_the_authors_model_of_autompg6(frog_folder, keel_folder):
    """Half the mean squared error that the authors' rules have on the fold that they were trained on."""
    rules = load_frog(frog_folder / "autoMPG6.kb.yml")
    train, test = load_keel(keel_folder / "autoMPG6", fold=1)
    assert rules.n_rules == 12
    assert list(rules.names) == train.feature_names
    assert half_mse(rules, train.data, train.target) == pytest.approx(4.173, abs=5e-4)
    assert half_mse(rules, test.data, test.target) == pytest.approx(3.744, abs=5e-4)


def test_the_authors_model_of_the_cooling_load(frog_folder):
    rules = load_frog(frog_folder / "cool_load.kb.yml")
    rows = pd.read_csv(frog_folder / "energy_efficiency.csv")
    assert (rules.n_rules, rules.target_name) == (5, "cooling_load")
    assert half_mse(rules, rows, rows["cooling_load"]) == pytest.approx(1.643, abs=5e-4)
    # FRULER's partitions, exactly: every label is as pointed as it can be.
    assert {share for variable in rules.variables for share in variable.partition.fuzziness} == {1.0}
