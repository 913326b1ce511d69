"""Files of every schema as they were first written. They must load for ever: none is changed, only added."""

import hashlib
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from fruler import FRULERRegressor, FuzzyRuleRegressor, load_model
from fruler._model_file.file import read_model
from fruler.rules import NominalPartition
from fruler.rules.intervals import Intervals
from fruler.rules.truth import Truth

GOLDEN = Path(__file__).parent / "golden"
# A new schema gets new files; these stay.
HASHES = {
    "curves-1.expected.json": "4c85c799386c0894",
    "curves-1.json": "0f053d5f9245e5fa",
    "edited-4.expected.json": "c954d3a49d137a5d",
    "edited-4.json": "27a110159510c513",
    "evolution-1.expected.json": "3cfe8bb96dbff20a",
    "evolution-1.json": "87e648fb29d1ed2b",
    "fruler-1.expected.json": "503d7a2af2a5d00d",
    "fruler-1.json": "0748201ae4c84400",
    "hand-1.expected.json": "7534b717dabde537",
    "hand-1.json": "98e8f0bd5ce1be19",
    "intervals-1.expected.json": "6c774c77f219652d",
    "intervals-1.json": "3237d5f5f0dc6303",
    "limits-1.expected.json": "101ff69f30fd3108",
    "limits-1.json": "e6ed0068f439a900",
    "mamdani-3.expected.json": "f592226f97d5c4f3",
    "mamdani-3.json": "944c6364e1a0f840",
    "model-1.expected.json": "5918448e9f57442b",
    "model-1.json": "5f9d3f427c9887c2",
    "output-2.expected.json": "f4af659f9478ff06",
    "output-2.json": "9c7a164a56352724",
    "own-3.expected.json": "ce0c2a0e02099626",
    "own-3.json": "5a2d10eaef0285a6",
    "paper-1.expected.json": "503d7a2af2a5d00d",
    "paper-1.json": "83a9c3ad6f266006",
    "small-1.expected.json": "f9959fdc3bcfa16e",
    "small-1.json": "e0e81cf5e6ccfe47",
    "table-2.expected.json": "75c94119bd5269c0",
    "table-2.json": "b8b730ca9ac61386",
    "truth-1.expected.json": "b5f1b194928d3eca",
    "truth-1.json": "8f6a90d5b66e2d60",
}
NAMES = sorted({name.partition(".")[0] for name in HASHES})
# Files that name a search are of the time before every algorithm had an estimator.
CLASSES = {
    "model-1": FuzzyRuleRegressor,
    "small-1": FuzzyRuleRegressor,
    "limits-1": FuzzyRuleRegressor,
    "hand-1": FuzzyRuleRegressor,
    "curves-1": FuzzyRuleRegressor,
    "truth-1": FuzzyRuleRegressor,
    "intervals-1": FuzzyRuleRegressor,
    "output-2": FuzzyRuleRegressor,
    "table-2": FuzzyRuleRegressor,
    "edited-4": FuzzyRuleRegressor,
    "mamdani-3": FuzzyRuleRegressor,
    "own-3": FuzzyRuleRegressor,
    "paper-1": FRULERRegressor,
    "evolution-1": FRULERRegressor,
    "fruler-1": FRULERRegressor,
}


@pytest.mark.parametrize("name", sorted(HASHES))
def test_a_golden_file_is_never_changed(name):
    assert hashlib.sha256((GOLDEN / name).read_bytes()).hexdigest()[:16] == HASHES[name]


def test_every_golden_file_is_guarded():
    assert sorted(path.name for path in GOLDEN.iterdir()) == sorted(HASHES)


@pytest.mark.parametrize("name", NAMES)
def test_a_golden_file_predicts_and_explains_as_on_its_first_day(name):
    model = load_model(GOLDEN / f"{name}.json")
    expected = json.loads((GOLDEN / f"{name}.expected.json").read_text(encoding="utf-8"))
    # An array has the inputs themselves, whatever column of a table they come from.
    rules, rows = model.rule_base_, np.array(expected["rows"], dtype=float)
    np.testing.assert_allclose(rules.predict(rows), expected["predictions"], rtol=1e-12, atol=0)
    np.testing.assert_allclose(rules.explain(rows).contributions, expected["contributions"], rtol=1e-9, atol=1e-9)


# The columns of a table, which these have, are part of the inputs since schema 2.
WITH_COLUMNS = ("hand-1", "small-1")


@pytest.mark.parametrize("name", [name for name in NAMES if name not in WITH_COLUMNS])
def test_a_golden_file_is_written_as_it_was(name, tmp_path):
    old = (GOLDEN / f"{name}.json").read_text(encoding="utf-8")
    load_model(GOLDEN / f"{name}.json").save(tmp_path / "again.json")
    new = (tmp_path / "again.json").read_text(encoding="utf-8")
    # The settings of a later version may be others, and its name is.
    ends = (' "written_by"', ' "learning"')
    assert [line for line in new.split(ends[1])[0].splitlines() if not line.startswith(ends[0])] == [
        line for line in old.split(ends[1])[0].splitlines() if not line.startswith(ends[0])
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_golden_file_that_is_written_again_says_the_same(name, tmp_path):
    old = load_model(GOLDEN / f"{name}.json")
    old.save(tmp_path / "again.json")
    schema = 2 if name in WITH_COLUMNS else int(name[-1])
    assert json.loads((tmp_path / "again.json").read_text(encoding="utf-8"))["schema"] == schema
    again = load_model(tmp_path / "again.json")
    assert again.rule_base_ == old.rule_base_
    assert again.rule_base_.columns == old.rule_base_.columns


def test_a_golden_file_has_its_changes_and_its_sums(tmp_path):
    old = load_model(GOLDEN / "edited-4.json")
    assert [(len(change.edits), change.fit, change.n_rows, change.by) for change in old.changes_] == [
        (4, "refit", 100, "Ann Example"),
        (0, "update", 50, ""),
        (1, "", 0, ""),
    ]
    assert str(old.changes_[2]) == "2026-03-03 12:00: the slope of 'dose' in rule 2 fixed at 1.25"
    old.save(tmp_path / "again.json")
    again = load_model(tmp_path / "again.json")
    assert again.changes_ == old.changes_
    assert again._sums == old._sums
    rows = pd.DataFrame({"rain": [100.0], "warmth": 20.0, "dose": 3.0, "soil": "loam"})
    assert again.updated(rows, [8.0]).rule_base_.training.n_rows == 151


def test_a_golden_file_predicts_a_table_with_categories_and_gaps():
    model = load_model(GOLDEN / "table-2.json")
    expected = json.loads((GOLDEN / "table-2.expected.json").read_text(encoding="utf-8"))
    table = pd.DataFrame(expected["table"])
    assert table["weight"].isna().any()
    assert "mars" in table["origin"].tolist()
    np.testing.assert_allclose(model.predict(table), expected["predictions"], rtol=1e-12, atol=0)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("hand-1", "curves-1", "mamdani-3", "own-3")])
def test_the_front_of_a_golden_file_is_written_as_it_was(name, tmp_path):
    load_model(GOLDEN / f"{name}.json").save(tmp_path / "again.json")
    new, old = (
        json.loads(path.read_text(encoding="utf-8"))["learning"]["front"]
        for path in (tmp_path / "again.json", GOLDEN / f"{name}.json")
    )
    assert new == old


@pytest.mark.parametrize("name", NAMES)
def test_a_golden_file_is_of_the_class_that_learned_it(name):
    model = load_model(GOLDEN / f"{name}.json")
    assert type(model) is CLASSES[name]
    settings = (read_model(GOLDEN / f"{name}.json").learning or SimpleNamespace(settings={})).settings
    parameters = model.get_params()
    for setting in set(settings) & set(parameters):
        default = type(model)().get_params()[setting]
        assert parameters[setting] == (default if settings[setting] is None else settings[setting])


def test_settings_of_the_paper_s_algorithm_come_back():
    paper, evolved = (load_model(GOLDEN / f"{name}-1.json").get_params() for name in ("paper", "evolution"))
    assert (paper["solver"], paper["t_norm"], paper["max_evaluations"]) == ("sgd", "minimum", 300)
    assert (evolved["solver"], evolved["l1_ratio"], evolved["early_stopping"]) == ("coordinate_descent", 0.5, 9)
    limits = load_model(GOLDEN / "limits-1.json").get_params()
    assert (limits["early_stopping"], limits["max_rules"], limits["time_limit"], limits["n_jobs"]) == (2, 3, 1000.0, 2)


def test_the_golden_model_has_what_was_learned():
    model = load_model(GOLDEN / "model-1.json")
    assert type(model) is FuzzyRuleRegressor
    assert (model.random_state, model.max_rules) == (0, 5)
    assert model.split_points == {"humidity": [60.0, 80.0], 7: [100.0, 200.0]}
    assert model.pareto_["rules"].tolist() == [1, 2, 3, 4, 5]
    assert model.n_rules_ == 5
    assert model.rule_base_.target_name == "mean_temperature"


def test_the_golden_rules_by_hand_have_all_that_a_schema_needs_to_hold():
    model = read_model(GOLDEN / "hand-1.json")
    rules = model.rule_base
    area, year, region = rules.variables[:3]
    assert area.partition.fuzziness == (1.0, 0.35)
    assert area.unit == "m²"
    assert year.partition.fuzziness == (0.0,)
    assert isinstance(region.partition, NominalPartition)
    assert region.partition.groups == ((0.0,), (1.0, 3.0), (2.0,))
    assert region.partition.labels == ("centre", "north or south", "coast")
    assert (rules.t_norm, rules.target_unit) == ("minimum", '1000 € per "month"')
    assert rules.consequents.coefficients[1, 0] == 1e-300
    assert rules.consequents.coefficients[2, -1] == 5e-324
    assert rules.consequents.coefficients[2, 1] == 0.1 + 0.2
    assert model.learning is None
    table = pd.DataFrame({"heating": ["oil"], "lift": ["yes"], "area": [80.0], "year": [1930], "region": [3]})
    assert rules.inputs_of(table).tolist() == [[80.0, 1930.0, 3.0, 1.0, 0.0, 1.0, 0.0]]


def test_the_golden_curves_are_those_of_the_file():
    rules = read_model(GOLDEN / "curves-1.json").rule_base
    age, ratio = rules.curves
    assert (age.input, ratio.input) == (0, 1)
    assert age.partition.labels == ("fresh", "set", "aged")
    assert age.partition.fuzziness == (1.0, 0.35)
    assert age.coefficients.tolist() == [[-14.0, 2.0], [-1.0, 0.2], [9.0, 1 / 300]]
    assert ratio.partition.fuzziness == (0.0,)
    assert ratio.coefficients[1, 1] == 0.1 + 0.2
    # At 3.5 days the first line is left for the second by 2.5 of 12 days.
    assert age.values([1.0, 3.5]).tolist() == pytest.approx([-12.0, (9.5 * -7.0 + 2.5 * -0.3) / 12.0])
    assert ratio.values([0.5]).tolist() == [-5.5 + 0.5 * (0.1 + 0.2)]


def test_the_golden_truth_is_that_of_the_file():
    model = load_model(GOLDEN / "truth-1.json")
    unknown = float("nan")
    assert model.truth_ == Truth(0.1 + 0.2, 1.25, [0.4375, 0.375, unknown], [1.5, 5e-324, unknown], held_out=True)
    assert model.pareto_["curves"].tolist() == [0, 1]
    assert model.pareto_["curves"].dtype == np.int64
    np.testing.assert_array_equal(model.pareto_["truth"], [np.nan, 0.9375])


def test_a_file_of_the_time_before_truth_leaves_it_unknown():
    model = load_model(GOLDEN / "model-1.json")
    assert model.truth_ is None
    assert model.pareto_[["curves", "truth"]].isna().all(axis=None)
    assert model.rules_[["rmse", "rmse alone"]].isna().all(axis=None)
    assert "RMSE" not in str(model.rule_base_)


def test_the_golden_intervals_are_those_of_the_file():
    model = load_model(GOLDEN / "intervals-1.json")
    assert (model.extrapolation, model.rule_base_.extrapolation) == ("clip", "clip")
    spreads = [0.4375, 0.1 + 0.7, 1.5]
    intervals = Intervals([0.1 + 0.2, 0.5, 0.95], [5e-324, 1.25, 4.0], spreads, 19, "cross-validation")
    assert model.rule_base_.intervals == intervals
    expected = json.loads((GOLDEN / "intervals-1.expected.json").read_text(encoding="utf-8"))
    found = model.rule_base_.predict_interval(expected["rows"], 0.9)
    for name in ("lower", "upper", "outside"):
        np.testing.assert_allclose(getattr(found, name), expected[name], rtol=1e-12)


def test_a_file_of_the_time_before_intervals_has_none():
    model = load_model(GOLDEN / "truth-1.json")
    assert (model.rule_base_.intervals, model.rule_base_.extrapolation) == (None, "linear")
    with pytest.raises(ValueError, match="give held-out rows to with_intervals"):
        model.rule_base_.predict_interval([[0.0]])
