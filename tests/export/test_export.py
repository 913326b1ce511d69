import io
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from fruler.export import TARGETS, export_model
from fruler.export._plan import make_model_plan, split_points_of
from fruler.rules import FuzzyPartition, RuleBase, Variable


def test_an_unknown_target_names_the_known_ones(make_rules):
    with pytest.raises(
        ValueError, match="no export to 'fortran'; the targets are onnx, fml, pmml, python, c, js, sql, xlsx, latex"
    ):
        export_model(make_rules("crisp"), "fortran")


def test_an_unknown_option_names_the_known_ones(make_rules):
    with pytest.raises(ValueError, match="sql has no option 'tabel'; it has table, keep, prediction"):
        export_model(make_rules("crisp"), "sql", tabel="x")
    with pytest.raises(ValueError, match="it has none"):
        export_model(make_rules("crisp"), "fml", tabel="x")


def sheets_of(content):
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return {name: file.read(name) for name in file.namelist() if name.startswith("xl/")}


@pytest.mark.parametrize("target", TARGETS)
def test_the_same_model_gives_the_same_text(make_rules, target):
    first, second = (export_model(make_rules("nominal"), target) for _ in range(2))
    if target == "xlsx":
        # A workbook has the time at which it was made.
        first, second = (sheets_of(content) for content in (first, second))
    assert first == second
    assert isinstance(export_model(make_rules("nominal"), target), bytes if target in ("onnx", "xlsx") else str)


def test_the_plan_names_all_that_the_output_depends_on(kinds, rows):
    for rule_base in kinds.values():
        X = rows(rule_base, 200)
        used = make_model_plan(rule_base).used
        for j in range(X.shape[1]):
            moved = X.copy()
            moved[:, j] = np.roll(moved[:, j], 1)
            changes = (rule_base.predict(moved) != rule_base.predict(X)).any()
            assert changes <= (j in used)


@pytest.mark.parametrize("target", ["fml", "python", "c", "sql"])
def test_every_number_is_written_to_the_last_bit(make_rules, target):
    rule_base = make_rules("mixed fuzziness")
    text = export_model(rule_base, target)
    for value in rule_base.consequents.coefficients[:, :3].ravel():
        assert repr(abs(float(value))) in text
    plan = make_model_plan(rule_base)
    for split_point in plan.split_points:
        assert repr(split_point.high) in text


@pytest.mark.parametrize("target", ["python", "c", "sql"])
def test_every_number_of_a_curve_is_written_to_the_last_bit(make_rules, target):
    rule_base = make_rules("two curves")
    text = export_model(rule_base, target)
    for curve in rule_base.curves:
        for value in curve.steps.ravel().tolist():
            assert repr(abs(value)) in text
    for split_point in make_model_plan(rule_base).curve_split_points:
        assert repr(split_point.high) in text


def test_the_split_points_of_curves_are_apart_from_those_of_labels(make_rules):
    plan, plain = make_model_plan(make_rules("two curves")), make_model_plan(make_rules("mixed fuzziness"))
    assert plan.split_points == plain.split_points
    assert [split_point.input for split_point in plan.curve_split_points] == [0, 0, 0, 0, 2]
    assert [curve.split_points for curve in plan.curves] == [(0, 1, 2, 3), (4,)]
    assert plain.used == (0, 1)
    assert plan.used == (0, 1, 2)


def test_no_heavy_library_is_loaded_before_it_is_asked_for():
    code = "import sys, fruler.export; assert not {'onnx', 'skl2onnx', 'fruler.export.onnx'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_rule_base_is_covered_if_and_only_if_every_combination_of_labels_has_a_rule():
    rng = np.random.default_rng(0)
    found = []
    for _ in range(300):
        sizes = rng.integers(1, 4, 3)
        variables = [
            Variable(str(j), FuzzyPartition(np.arange(1.0, size), (0.0, float(size)))) for j, size in enumerate(sizes)
        ]
        antecedents = np.sort(rng.integers(0, sizes[None, :, None], (rng.integers(1, 12), 3, 2)), axis=2)
        rule_base = RuleBase(variables, antecedents, np.zeros((len(antecedents), 4)))
        cells = np.argwhere(np.ones(sizes))
        accepted = (antecedents[None, :, :, 0] <= cells[:, None]) & (cells[:, None] <= antecedents[None, :, :, 1])
        expected = accepted.all(axis=2).any(axis=1).all()
        assert rule_base.antecedents.covers_everything() == expected
        found.append(expected)
    assert 30 < sum(found) < 270


def test_an_unknown_category_is_covered_only_by_a_rule_that_does_not_look(make_rules):
    rule_base = make_rules("nominal")
    every = np.array([[[0, 3], [0, 0]], [[0, 1], [1, 2]], [[2, 3], [1, 2]]])
    assert not RuleBase(rule_base.variables, every, np.zeros((3, 3))).antecedents.covers_everything()
    every[1, 0] = (0, 3)
    assert RuleBase(rule_base.variables, every, np.zeros((3, 3))).antecedents.covers_everything()


def partitions():
    rng = np.random.default_rng(0)
    for _ in range(200):
        splits = np.sort(rng.uniform(-1, 1, rng.integers(1, 5))) * 10.0 ** rng.integers(-3, 6)
        shares = rng.choice([0.0, 0.3, 1.0], len(splits))
        yield FuzzyPartition(splits, (splits[0] - 1.0, splits[-1] + 1.0), shares)
    # Where the zone ends floats are denser than where it begins: some quotients round to more than one.
    for _ in range(500):
        yield FuzzyPartition([rng.uniform(-1e3, -1.0)], (-5e3, 0.0), 0.7)


def test_split_points_give_the_degrees_of_the_partition_to_the_last_bit():
    rng = np.random.default_rng(0)
    for partition in partitions():
        splits, half = np.array(partition.split_points), partition.half_widths
        ends = np.concatenate([splits, splits - half, splits + half])
        near = [ends, np.nextafter(ends, -np.inf), np.nextafter(ends, np.inf)]
        x = np.concatenate([*near, rng.uniform(*partition.domain, 50)])
        split_points = split_points_of(partition, 0)
        shares = [np.where(x >= b.high, 1.0, np.where(x > b.start, (x - b.low) / b.width, 0.0)) for b in split_points]
        above = np.array([np.ones(len(x)), *shares]).T
        below = np.array([*shares, np.zeros(len(x))]).T
        np.testing.assert_array_equal(above - below, partition.degrees(x))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"table": []}, r"The name of a table or column '\[\]' is not text"),
        ({"prediction": (0, 1)}, r"column '\(0, 1\)' is not text"),
        ({"keep": [1]}, "column '1' is not text"),
        ({"gaps": 3}, "gaps must be True, False or a list of columns; got 3"),
        ({"interval": "x"}, "coverage must be between 0 and 1, as in 0.9; got 'x'"),
    ],
)
def test_options_of_the_wrong_type_are_refused_in_one_sentence(make_rules, options, message):
    with pytest.raises(ValueError, match=message):
        export_model(make_rules("grown on weather"), "sql", **options)


def test_something_else_than_rules_is_refused():
    with pytest.raises(ValueError, match=r"export_model needs a RuleBase, such as model.rule_base_; got None"):
        export_model(None, "sql")
