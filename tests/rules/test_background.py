"""Answers about the data behind rules, with a training summary and without one."""

from dataclasses import replace

import numpy as np
import pytest

from fruler.rules import (
    Curve,
    FuzzyPartition,
    LabelConsequents,
    LabelTriangles,
    NominalPartition,
    Output,
    RuleBase,
    TrianglePartition,
    Variable,
)

ROWS = np.array([[0.0, 1.0], [1.0, 2.0], [1.0, 3.0], [1.0, 6.0]])


@pytest.fixture(scope="module")
def rules():
    """Rules over an input that the rows below have as 0 or 1, and one that they have as a number."""
    garden = Variable("garden", FuzzyPartition([0.5], (0.0, 1.0), 0.0))
    size = Variable("size", FuzzyPartition([], (0.0, 8.0)))
    curve = Curve(1, FuzzyPartition([], (0.0, 8.0)), [[0.0, 1.0]])
    ranges = [[[0, 0], [0, 0]], [[1, 1], [0, 0]]]
    return RuleBase([garden, size], ranges, [[1.0, 0.0, 2.0], [3.0, 0.0, 2.0]], curves=[curve])


@pytest.fixture(scope="module")
def trained(rules):
    return rules.with_training(ROWS, rules.predict(ROWS) + np.array([0.5, -0.5, 0.5, -0.5]))


def test_a_summary_answers(trained):
    background, summary = trained.background, trained.training
    assert background.known
    assert background.required() is summary
    assert background.n_rows == 4
    assert background.ranges.tolist() == [[0.0, 1.0], [1.0, 6.0]]
    assert background.limits.tolist() == [[0.0, 1.0], [1.0, 6.0]]
    assert background.typical.tolist() == [1.0, 2.0]
    assert background.base == summary.base
    assert background.target_mean == summary.target_mean
    assert background.spread == background.target_spread == summary.target_spread
    assert background.target_range == (summary.target_low, summary.target_high)
    assert background.error == background.rmse == pytest.approx(0.5)
    assert np.isnan(background.cv_rmse)
    assert background.truth is summary.truth is not None
    assert [background.is_binary(j) for j in range(2)] == [True, False]
    assert background.curve_means is summary.curve_means is not None
    np.testing.assert_allclose(background.shares, [0.25, 0.75])
    edges, counts = background.histogram(1)
    assert (edges[0], edges[-1], counts.sum()) == (1.0, 6.0, 4.0)


def test_rules_answer_without_a_summary(rules):
    background = rules.background
    assert not background.known
    assert background.n_rows == 0
    assert background.ranges.tolist() == [[0.0, 1.0], [0.0, 8.0]]
    assert np.isinf(background.limits).all()
    assert background.typical.tolist() == [0.5, 4.0]
    assert background.base == background.target_mean == rules.predict([[0.5, 4.0]])[0]
    # From 1 to 19 by the rules, and 8 more by the curve: a quarter of it.
    assert background.spread == background.target_spread == pytest.approx((18.0 + 8.0) / 4.0)
    assert background.target_range is background.truth is background.histograms is background.histogram(0) is None
    assert np.isnan([background.rmse, background.cv_rmse, background.error]).all()
    assert not background.offsets.any()
    assert not background.input_importance.any()
    assert not background.rule_importance.any()
    assert not background.is_binary(0)
    np.testing.assert_allclose(background.shares, [0.5, 0.5])
    assert background.curve_means is background.places is None
    assert background.widths.tolist() == [[1.0, 8.0], [1.0, 8.0]]


def test_a_missing_summary_is_named(rules):
    with pytest.raises(ValueError, match=r"no training data to compare a row with; add them with rule_base\.with_tra"):
        rules.background.required("to compare a row with")


def test_centres_may_be_unknown(trained):
    # As in files of the time before summaries had them.
    old = replace(trained, training=replace(trained.training, centres=None, spreads=None, curve_means=None))
    assert old.background.places is None
    assert old.background.widths.tolist() == [[1.0, 5.0], [1.0, 5.0]]
    assert trained.background.widths[0].tolist() == [0.0, 0.0]


def test_categories_have_a_typical_one():
    fuel = Variable("fuel", NominalPartition([[1.0], [0.0, 2.0]], ["gas", "other"]))
    rules = RuleBase([fuel], [[[0, 0]], [[1, 1]]], [[1.0, 0.0], [2.0, 0.0]])
    assert rules.background.typical[0] in (0.0, 1.0, 2.0)


def test_a_link_changes_the_spread_of_the_target():
    x = Variable("x", FuzzyPartition([], (0.0, 4.0)))
    rules = RuleBase([x], [[[0, 0]]], [[0.0, 1.0]], output=Output("log"))
    assert rules.background.spread == 1.0
    assert rules.background.target_spread == pytest.approx(np.exp(2.5) - np.exp(1.5))
    assert rules.background.target_mean == pytest.approx(np.exp(2.0))


def test_the_spread_of_labels_is_that_of_the_output():
    x = Variable("x", TrianglePartition.uniform((0.0, 1.0), 2))
    said = LabelConsequents([0, 1], TrianglePartition.uniform((0.0, 8.0), 2, shoulders=False))
    assert RuleBase([x], LabelTriangles([[0], [1]], [x]), said).background.spread == pytest.approx(
        np.ptp(said.partition.range) / 4.0
    )
