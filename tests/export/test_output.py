"""Exported models have the link and the bounds of the rule base, for predictions and intervals."""

import math
from dataclasses import replace

import numpy as np
import pytest
from helpers.exported import INTERVAL_ENGINES, session_of

from fruler.export import export_model
from fruler.rules import FuzzyPartition, Output, RuleBase, Variable

from .test_intervals import ready


def with_output(rule_base, rows, link, bounded):
    """Give a rule base a link, bounds that some predictions lie beyond, training data and intervals."""
    free = replace(rule_base, output=Output(link), training=None, intervals=None, extrapolation="linear")
    low, high = np.quantile(free.predict(rows(rule_base, 60)), [0.2, 0.8]).tolist()
    if not bounded or not low < high:
        return ready(free, rows, "linear")
    return replace(ready(free, rows, "linear"), output=Output(link, (low, high)))


@pytest.mark.parametrize(("link", "bounded"), [("log", True), ("log", False), ("identity", True)])
@pytest.mark.parametrize("engine", INTERVAL_ENGINES)
def test_every_target_gives_the_same_predictions_and_ends(some_kinds, rows, tmp_path, engine, link, bounded):
    models = {name: with_output(rules, rows, link, bounded) for name, rules in some_kinds.items()}
    tables = [rows(rules, 80) for rules in models.values()]
    answers = INTERVAL_ENGINES[engine](models.values(), tables, tmp_path)
    for (name, rules), X, found in zip(models.items(), tables, answers, strict=True):
        lower, upper, _ = rules.predict_interval(X, 0.9)
        expected = np.column_stack([rules.predict(X), lower, upper])
        raw = np.abs(rules.raw_predictions(X)) + np.abs(rules.intervals.radii(0.9)).max()
        unit = (np.abs(X) @ np.abs(rules.slopes.T)).max(axis=1) + raw + 1.0
        for curve in rules.curves:
            unit += np.abs(X[:, curve.input]) * np.abs(curve.coefficients[:, 1]).sum()
        assert found.shape == expected.shape
        transform = rules.output.transform
        # A small error on the scale of the rules is that share of a large target.
        apart = np.abs(transform.raw(found) - transform.raw(expected))
        assert (apart <= 1e-9 * unit[:, None]).all(), name
        assert (found >= rules.output.low).all()
        assert (found <= rules.output.high).all()


@pytest.mark.parametrize("engine", INTERVAL_ENGINES)
def test_no_target_overflows_and_what_is_no_number_stays_none(make_rules, rows, tmp_path, engine):
    x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
    steep = RuleBase([x], [[[0, 0]], [[1, 1]]], [[0.0, -1e6], [0.0, 1e6]], output=Output("log"))
    steep = steep.with_training([[0.2], [0.8]], [1.0, 2.0]).with_intervals([[0.2], [0.8], [0.9]], [1.0, 2.0, 3.0])
    steep = replace(steep, intervals=replace(steep.intervals, coverages=[0.5, 0.9, 0.95]))
    X = np.array([[0.0], [0.1], [0.9], [5.0]])
    mixed = with_output(make_rules("mixed fuzziness"), rows, "log", bounded=True)
    spoiled = np.array([[np.nan, 3.0, 0.5], [0.1, -np.inf, 0.5], [0.1, 3.0, 0.5]])
    # Python and JavaScript refuse such rows.
    spoiled = spoiled[2:] if engine in ("python", "js") else spoiled
    found, missing = INTERVAL_ENGINES[engine]([steep, mixed], [X, spoiled], tmp_path)
    lower, upper, _ = steep.predict_interval(X, 0.9)
    assert np.isfinite(found).all()
    assert (found > 0.0).all()
    np.testing.assert_allclose(found, np.column_stack([steep.predict(X), lower, upper]), rtol=1e-9)
    assert np.isnan(missing[:-1]).all()
    assert np.isfinite(missing[-1]).all()


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
    with pytest.raises(ValueError, match="FML cannot express a link or bounds of predictions"):
        export_model(rules, "fml")


def test_without_link_and_bounds_nothing_is_said_of_them(make_rules):
    rules = make_rules("grown on weather")
    for target in ("python", "c", "sql"):
        text = export_model(rules, target)
        assert "_output" not in text
        assert "linked" not in text
        assert "exp(" not in text.lower()
