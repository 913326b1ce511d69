"""Exported models have the link and the bounds of the rule base, for predictions and intervals."""

import math
from dataclasses import replace

import numpy as np
import pytest

from fruler.export import export_model
from fruler.rules import FuzzyPartition, Output, RuleBase, Variable

from .test_intervals import in_c, in_duck, in_onnx, in_python, in_sql, ready
from .test_onnx import session_of

RUNS = (in_python, in_c, in_sql, in_duck, in_onnx)
# The step is the same whatever comes before it.
SOME = ["grown on weather", "gaps", "constant", "formula", "nasty names with curves", "mamdani, product"]


def with_output(rule_base, rows, link, bounded):
    """Give a rule base a link, bounds that some predictions lie beyond, training data and intervals."""
    free = replace(rule_base, output=Output(link), training=None, intervals=None, extrapolation="linear")
    low, high = np.quantile(free.predict(rows(rule_base, 60)), [0.2, 0.8]).tolist()
    if not bounded or not low < high:
        return ready(free, rows, "linear")
    return replace(ready(free, rows, "linear"), output=Output(link, (low, high)))


@pytest.mark.parametrize(("link", "bounded"), [("log", True), ("log", False), ("identity", True)])
@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("name", SOME)
def test_every_target_gives_the_same_predictions_and_ends(make_rules, rows, tmp_path, name, run, link, bounded):
    rules = with_output(make_rules(name), rows, link, bounded)
    X = rows(rules, 80)
    found = run(rules, X, tmp_path)
    lower, upper, _ = rules.predict_interval(X, 0.9)
    expected = np.column_stack([rules.predict(X), lower, upper])
    raw = np.abs(rules.raw_predictions(X)) + np.abs(rules.intervals.radii(0.9)).max()
    unit = (np.abs(X) @ np.abs(rules.slopes.T)).max(axis=1) + raw + 1.0
    for curve in rules.curves:
        unit += np.abs(X[:, curve.input]) * np.abs(curve.coefficients[:, 1]).sum()
    assert found.shape == expected.shape
    transform = rules.output.transform
    # What is off by a little on the scale of the rules is off by that share of a large target.
    apart = np.abs(transform.raw(found) - transform.raw(expected))
    assert (apart <= 1e-9 * unit[:, None]).all()
    assert (found >= rules.output.low).all()
    assert (found <= rules.output.high).all()


@pytest.mark.parametrize("run", RUNS)
def test_no_target_overflows(tmp_path, run):
    x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
    steep = RuleBase([x], [[[0, 0]], [[1, 1]]], [[0.0, -1e6], [0.0, 1e6]], output=Output("log"))
    rules = steep.with_training([[0.2], [0.8]], [1.0, 2.0]).with_intervals([[0.2], [0.8], [0.9]], [1.0, 2.0, 3.0])
    rules = replace(rules, intervals=replace(rules.intervals, coverages=[0.5, 0.9, 0.95]))
    X = np.array([[0.0], [0.1], [0.9], [5.0]])
    found = run(rules, X, tmp_path)
    lower, upper, _ = rules.predict_interval(X, 0.9)
    assert np.isfinite(found).all()
    assert (found > 0.0).all()
    np.testing.assert_allclose(found, np.column_stack([rules.predict(X), lower, upper]), rtol=1e-9)


@pytest.mark.parametrize("run", [in_c, in_duck, in_onnx])
def test_what_is_no_number_stays_none(make_rules, rows, tmp_path, run):
    rules = with_output(make_rules("mixed fuzziness"), rows, "log", bounded=True)
    X = np.array([[np.nan, 3.0, 0.5], [0.1, -np.inf, 0.5], [0.1, 3.0, 0.5]])
    found = np.array(run(rules, X, tmp_path), dtype=float)
    assert np.isnan(found[:2]).all()
    assert np.isfinite(found[2]).all()


def test_numbers_of_32_bits_do_not_overflow():
    x = Variable("x", FuzzyPartition([], (0.0, 1.0)))
    rules = RuleBase([x], [[[0, 0]]], [[0.0, 200.0]], output=Output("log"))
    session = session_of(export_model(rules, "onnx", float32=True))
    found = session.run(["prediction"], {"X": np.array([[0.01], [0.9], [-0.9]], dtype=np.float32)})[0].ravel()
    assert np.isfinite(found).all()
    assert found[0] == pytest.approx(math.exp(2.0), rel=1e-5)
    assert found[1] > 1e37


def test_fml_says_that_it_can_not(make_rules):
    rules = replace(make_rules("crisp"), output=Output(bounds=(0, None)))
    with pytest.raises(ValueError, match="FML cannot say the link or the bounds of a prediction"):
        export_model(rules, "fml")


def test_without_link_and_bounds_nothing_is_said_of_them(make_rules):
    rules = make_rules("grown on weather")
    for target in ("python", "c", "sql"):
        text = export_model(rules, target)
        assert "_output" not in text
        assert "linked" not in text
        assert "exp(" not in text.lower()
