"""Prediction intervals of a rule base: of rows, and from rows that it was not learned from."""

from __future__ import annotations

from typing import Any

import numpy as np

from fruler._typing import Floats
from fruler.rules.intervals import Intervals, PredictionIntervals, intervals_from, scores_of, spreads_from
from fruler.rules.outside import beyond_training, outside_training
from fruler.rules.rule_base import RuleBase


def prediction_intervals(rule_base: RuleBase, X: Any, coverage: float) -> PredictionIntervals:
    """Return the interval of each row; outside the training data it is wider, the farther the wider.

    It reaches as far to both sides of what the rules say, and its ends become targets as predictions do. That keeps
    the order of targets, so that an end covers a target there if it covers what stands for it here.

    Parameters
    ----------
    rule_base : RuleBase
        The rules, with intervals.
    X : array-like of shape (n_samples, n_inputs)
        The rows.
    coverage : float
        The share of rows whose target lies in their interval.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
    >>> rules = RuleBase([x], [[[0, 0]], [[1, 1]]], [[0.0, 0.0], [2.0, 0.0]])
    >>> trained = rules.with_training([[0.0], [1.0]], [0.0, 2.0])
    >>> calibrated = trained.with_intervals([[0.0], [0.5], [1.0]], [0.1, 1.2, 1.7])
    >>> lower, upper, outside = prediction_intervals(calibrated, [[0.5], [2.0]], 0.5)
    >>> (upper - lower).round(3).tolist(), outside.tolist()
    ([0.4, 0.8], [False, True])
    """
    radii = require_intervals(rule_base).radii(coverage)
    values = rule_base.filled(rule_base.numbers_of(X))
    raw, output = rule_base.raw_predictions(values), rule_base.output
    reach = (rule_base.activations(values)[0] @ radii) * (1.0 + beyond_training(rule_base, values))
    outside = np.asarray((outside_training(rule_base, values) & rule_base.uses).any(axis=1))
    return PredictionIntervals(output.of(raw - reach), output.of(raw + reach), outside)


def require_intervals(rule_base: RuleBase) -> Intervals:
    """Return what the prediction intervals of rules are made of.

    Raises
    ------
    ValueError
        If that is not known.
    """
    if rule_base.intervals is None:
        raise ValueError(
            "These rules know no errors on held-out rows, which prediction intervals are made of; fit with "
            "calibration=0.2, or give such rows to with_intervals(X, y)."
        )
    return rule_base.intervals


def calibrated_intervals(rule_base: RuleBase, values: Floats, y: Any, sample_weight: Any = None) -> Intervals:
    """Return the intervals that rows say which the rules were not learned from.

    The spreads of the rules are their errors in training, so that nothing of these rows is in them.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    values : ndarray of shape (n_rows, n_inputs)
        The inputs of the rows.
    y : array-like of shape (n_rows,)
        Their target.
    sample_weight : array-like of shape (n_rows,), optional
        How much each row counts.
    """
    target = np.asarray(y, dtype=np.float64).reshape(-1)
    if len(target) != len(values) or not np.isfinite(target).all():
        raise ValueError(f"y must have a finite number for each of the {len(values):,} rows of X.")
    weight = np.ones(len(target)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != target.shape or not np.isfinite(weight).all() or (weight < 0.0).any():
        raise ValueError(f"sample_weight must have a number, not negative, for each of the {len(values):,} rows.")
    spreads = trained_spreads(rule_base)
    errors = rule_base.output.raw_of(target) - rule_base.raw_predictions(values)
    scores = scores_of(errors, rule_base.activations(values)[0] @ spreads)
    found = intervals_from(scores, weight, spreads, "calibration")
    if found is None:
        raise ValueError("Prediction intervals need at least one row that counts; give more rows.")
    return found


def trained_spreads(rule_base: RuleBase) -> Floats:
    """Return how much each rule errs by the summary of the training data; the same of all where that is not known."""
    training, support = rule_base.training, rule_base.support
    if training is None or training.truth is None or support is None:
        return np.ones(rule_base.n_rules)
    errors = training.truth.rule_together
    rows = np.where(np.isnan(errors), 0.0, support * training.n_rows)
    return spreads_from(np.where(rows > 0.0, errors, 0.0) * rows, rows)
