"""Exported models give the prediction intervals of the rule base, and clip where it does."""

from dataclasses import replace

import numpy as np
import pytest
from helpers.exported import INTERVAL_ENGINES, quoted

from fruler.export import export_model
from fruler.export._plan import make_model_plan
from fruler.rules import FuzzyPartition, RuleBase, Variable
from fruler.rules.intervals import Intervals


def ready(rule_base, rows, extrapolation):
    """Give a rule base training data from half of its domain, and intervals."""
    X = rows(rule_base, 60)
    for j, variable in enumerate(rule_base.variables):
        if variable.partition.ordered:
            low, high = variable.partition.range
            X[:, j] = np.clip(X[:, j], low, (low + high) / 2.0)
    y = rule_base.predict(X)
    spreads = np.random.default_rng(0).uniform(0.5, 2.0, rule_base.n_rules)
    intervals = Intervals([0.5, 0.9], [1.0, 2.5], spreads, 9, "calibration")
    trained = rule_base.with_training(X, y)
    if extrapolation != "limits":
        return replace(trained, intervals=intervals, extrapolation=extrapolation)
    # Every other input has limits of its own.
    ends = trained.background.ranges
    variables = [
        replace(one, limits=ends[j]) if one.partition.ordered and j % 2 == 0 else one
        for j, one in enumerate(trained.variables)
    ]
    return replace(trained, intervals=intervals, variables=variables)


@pytest.mark.parametrize("extrapolation", ["clip", "linear", "limits"])
@pytest.mark.parametrize("engine", INTERVAL_ENGINES)
def test_every_target_gives_the_same_intervals(some_kinds, rows, tmp_path, engine, extrapolation):
    models = {name: ready(rules, rows, extrapolation) for name, rules in some_kinds.items()}
    tables = [rows(rules, 80) for rules in models.values()]
    answers = INTERVAL_ENGINES[engine](models.values(), tables, tmp_path)
    for (name, rules), X, found in zip(models.items(), tables, answers, strict=True):
        lower, upper, _ = rules.predict_interval(X, 0.9)
        expected = np.column_stack([rules.predict(X), lower, upper])
        taken = rules.inference.clipped(X)
        unit = (np.abs(taken) @ np.abs(rules.slopes.T)).max(axis=1) + np.abs(expected).max(axis=1) + 1.0
        for curve in rules.curves:
            unit += np.abs(taken[:, curve.input]) * np.abs(curve.coefficients[:, 1]).sum()
        assert found.shape == expected.shape
        assert (np.abs(found - expected) <= 1e-9 * unit[:, None]).all(), name


@pytest.mark.parametrize("engine", ["c", "duckdb", "onnx"])
def test_infinity_stays_no_number_where_values_are_clipped(make_rules, rows, tmp_path, engine):
    rules = ready(make_rules("mixed fuzziness"), rows, "clip")
    X = np.array([[np.inf, 3.0, 0.5], [0.1, -np.inf, 0.5], [0.1, 3.0, 0.5]])
    (found,) = INTERVAL_ENGINES[engine]([rules], [X], tmp_path)
    assert np.isnan(found[:2]).all()
    assert np.isfinite(found[2]).all()


def test_without_intervals_nothing_is_said_of_them(make_rules):
    for target in ("python", "c", "sql"):
        text = export_model(make_rules("grown on weather"), target)
        assert "interval" not in text
        assert "beyond" not in text
    with pytest.raises(ValueError, match=r"calibration=0\.2"):
        export_model(make_rules("crisp"), "python", interval=0.9)


def test_a_column_with_the_name_of_an_end_is_refused(make_rules, rows):
    rules = ready(make_rules("crisp"), rows, "linear")
    with pytest.raises(ValueError, match="distinct names"):
        export_model(rules, "sql", keep=["lower"], interval=0.9)


def test_the_plan_of_one_rule_has_the_inputs_of_its_ranges():
    inputs = [Variable(name, FuzzyPartition([1.0], (0.0, 2.0))) for name in "ab"]
    rules = RuleBase(inputs, [[[0, 0], [0, 1]]], [[1.0, 0.0, 1.0]]).with_training([[0.0, 0.0], [1.0, 2.0]], [1.0, 2.0])
    calibrated = rules.with_intervals([[0.0, 0.0], [1.0, 2.0]], [1.0, 2.0])
    assert make_model_plan(calibrated).used == (1,)
    assert make_model_plan(calibrated, 0.5).used == (0, 1)
    assert make_model_plan(calibrated, 0.5).interval.ranges == {0: (0.0, 1.0), 1: (0.0, 2.0)}


def test_names_are_quoted_in_the_query(make_rules, rows):
    rules = ready(make_rules("nasty names"), rows, "clip")
    assert quoted("upper") in export_model(rules, "sql", interval=0.9)
