"""Prediction intervals from held-out errors, and values outside the range of the training data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from fruler._arrays import LARGEST_VALUE, Floats, FrozenValue, Indices, frozen
from fruler.rules._background import beyond_training, outside_training, unseen_by_rules

if TYPE_CHECKING:
    from fruler.rules._rule_base import RuleBase

Method = Literal["cross-validation", "calibration"]
METHODS: tuple[Method, ...] = get_args(Method)
# The coverages that are kept if there are many rows: every half per cent, and more of them near one.
_KEPT = np.concatenate([np.arange(1, 199) / 200.0, [0.992, 0.994, 0.995, 0.996, 0.998, 0.999, 0.9995]])
# The mean error of all rules counts for this many rows in the error of each rule: a few rows are not reliable.
_PRIOR_ROWS = 20.0
# The error of a rule is at least this share of the mean error: its rows may have been easy by chance.
_LEAST_SHARE = 0.05
# Neither 0.9 nor 9/10 is exact in floating point.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Intervals(FrozenValue):
    """The basis of prediction intervals: quantiles of held-out errors, and the typical error of each rule.

    The half-width of an interval is the mean of the spreads of the rules, weighted by their weights in the row, times
    the score of the coverage. Scores are absolute errors on held-out rows, each divided by such a mean.

    Parameters
    ----------
    coverages : array-like of shape (n_scores,)
        Shares of rows, increasing, between 0 and 1.
    scores : array-like of shape (n_scores,)
        The score of each coverage, not decreasing.
    spreads : array-like of shape (n_rules,)
        The mean absolute error of each rule's rows, up to a factor that all rules share.
    n_rows : int
        The number of held-out rows.
    method : {"cross-validation", "calibration"}
        Where the held-out rows come from: the folds of a cross-validation, each predicted by its own model, or rows
        that were not used for learning.
    misses : (float, float), optional
        Half of the predictions on the held-out rows miss the target by at most the first number, and nine of ten by at
        most the second.

    See Also
    --------
    PredictionIntervals : The intervals of rows.
    fruler.FuzzyRuleRegressor.predict_interval : Computes prediction intervals.

    Examples
    --------
    >>> intervals = Intervals([0.25, 0.5, 0.75], [0.8, 1.0, 2.0], [1.0, 3.0], 3, "calibration")
    >>> intervals.score(0.5), intervals.score(0.6)
    (1.0, 2.0)
    >>> intervals.radii(0.7).tolist()
    [2.0, 6.0]
    >>> intervals.score(0.9)
    Traceback (most recent call last):
    ValueError: coverage=0.9 needs more held-out rows than the 3 of this model (no copies); at most 0.75 is possible.
    """

    coverages: Floats
    scores: Floats
    spreads: Floats
    n_rows: int
    method: Method
    misses: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        lists = {name: frozen(getattr(self, name), np.float64) for name in ("coverages", "scores", "spreads")}
        self._set(**lists, n_rows=int(self.n_rows))
        shape = self.coverages.shape
        if len(shape) != 1 or not shape[0] or self.scores.shape != shape or self.spreads.ndim != 1:
            raise ValueError("Intervals need a score for each coverage, and a spread for each rule.")
        if not all(np.isfinite(values).all() for values in (self.coverages, self.scores, self.spreads)):
            raise ValueError("The numbers of intervals must be finite.")
        if self.coverages[0] <= 0.0 or self.coverages[-1] >= 1.0 or (np.diff(self.coverages) <= 0.0).any():
            raise ValueError("The coverages of intervals must increase and lie between 0 and 1.")
        if self.scores[0] < 0.0 or (np.diff(self.scores) < 0.0).any() or (self.spreads < 0.0).any():
            raise ValueError("Scores and spreads of intervals can't be negative, and scores can't decrease.")
        if max(self.scores[-1], self.spreads.max(initial=0.0)) > LARGEST_VALUE:
            raise ValueError(f"Scores and spreads of intervals must not exceed {LARGEST_VALUE:g}.")
        if self.misses is not None and not (0.0 <= self.misses[0] <= self.misses[1] <= LARGEST_VALUE):
            raise ValueError("misses of intervals must be two non-negative numbers that increase.")
        if self.n_rows < 1 or self.method not in METHODS:
            raise ValueError(f"Intervals need at least one held-out row, and one of the methods {', '.join(METHODS)}.")

    def score(self, coverage: float) -> float:
        """Return the smallest score that is known to cover a share of the rows.

        Parameters
        ----------
        coverage : float
            The share, between 0 and 1.

        Returns
        -------
        float
            The score.

        Raises
        ------
        ValueError
            If the coverage is not between 0 and 1, or there are too few held-out rows for it.
        """
        if not isinstance(coverage, int | float | np.number) or not 0.0 < coverage < 1.0:
            raise ValueError(f"coverage must be between 0 and 1, as in 0.9; got {coverage!r}.")
        place = int(np.searchsorted(self.coverages, coverage - _ROUNDING))
        if place == len(self.coverages):
            raise ValueError(
                f"coverage={coverage:g} needs more held-out rows than the {self.n_rows:,} of this model (no copies); "
                f"at most {np.floor(self.coverages[-1] * 1e4) / 1e4:g} is possible."
            )
        return float(self.scores[place])

    def radii(self, coverage: float) -> Floats:
        """Return the half-width of the interval where only one rule applies, for each rule.

        Parameters
        ----------
        coverage : float
            The share of rows to cover, between 0 and 1.

        Returns
        -------
        ndarray of shape (n_rules,)
            The half-widths.
        """
        return np.asarray(self.score(coverage) * self.spreads)


class PredictionIntervals(NamedTuple):
    """Prediction intervals of rows.

    Parameters
    ----------
    lower : ndarray of shape (n_samples,)
        The lower ends.
    upper : ndarray of shape (n_samples,)
        The upper ends.
    outside : ndarray of bool, shape (n_samples,)
        Which rows lie outside the training data, where intervals are wider, or have values that the rules which make
        most of their prediction have not seen. The coverage of these rows is not guaranteed.

    See Also
    --------
    fruler.FuzzyRuleRegressor.predict_interval : Computes prediction intervals.

    Examples
    --------
    >>> intervals = PredictionIntervals(np.array([1.0]), np.array([3.0]), np.array([False]))
    >>> lower, upper, outside = intervals
    >>> (upper - lower).tolist()
    [2.0]
    """

    lower: Floats
    upper: Floats
    outside: npt.NDArray[np.bool_]


class HeldOutErrors(NamedTuple):
    """Errors of a model on rows that it was not fitted to.

    Attributes
    ----------
    errors : ndarray of shape (n_rows,)
        The errors of the predictions.
    activations : ndarray of shape (n_rows, n_rules)
        The weights of the rules in the rows.
    weight : ndarray of shape (n_rows,)
        The weight of each row.
    """

    errors: Floats
    activations: Floats
    weight: Floats

    def spread_sums(self) -> Floats:
        """Return for each rule the sums of absolute errors and of weights, shape (2, n_rules)."""
        weight = self.weight[:, None] * self.activations
        return np.array([np.abs(self.errors) @ weight, weight.sum(axis=0)])


def cross_validated_intervals(folds: Sequence[HeldOutErrors]) -> Intervals | None:
    """Return the intervals from the folds of a cross-validation; None if no row has an error.

    The errors of each fold are divided by the spreads of the rules in the other folds, as for a new row.

    Parameters
    ----------
    folds : sequence of HeldOutErrors
        The errors on the held-out rows of each fold; the activations are those of the final model.

    Examples
    --------
    >>> errors = np.linspace(-1.0, 1.0, 500)
    >>> fold = HeldOutErrors(errors, np.ones((500, 1)), np.ones(500))
    >>> cross_validated_intervals([fold, fold]).radii(0.9).round(2).tolist()
    [0.9]
    """
    sums = [fold.spread_sums() for fold in folds]
    total = np.sum(sums, axis=0)
    others = [total - own if len(sums) > 1 else total for own in sums]
    scores = [
        scores_of(fold.errors, fold.activations @ spreads_from(*rest)) for fold, rest in zip(folds, others, strict=True)
    ]
    weight, errors = (
        np.concatenate(parts) for parts in zip(*((fold.weight, fold.errors) for fold in folds), strict=True)
    )
    return intervals_from(np.concatenate(scores), weight, spreads_from(*total), "cross-validation", errors)


def spreads_from(sums: Floats, weights: Floats) -> Floats:
    """Return the spread of each rule from the sum of its rows' absolute errors, and of their weights.

    Examples
    --------
    The spread of a rule with few rows is close to the mean of all rules:

    >>> spreads_from(np.array([900.0, 1.0]), np.array([1000.0, 10.0])).round(3).tolist()
    [0.9, 0.628]
    """
    mean = float(sums.sum() / weights.sum()) if weights.sum() > 0.0 else 0.0
    if not mean > 0.0:
        return np.ones(len(sums))
    return np.maximum((sums + _PRIOR_ROWS * mean) / (weights + _PRIOR_ROWS), _LEAST_SHARE * mean)


def scores_of(errors: Floats, spreads: Floats) -> Floats:
    """Return the absolute errors of rows, divided by the spreads expected there."""
    return np.asarray(np.abs(errors) / spreads)


def quantiles_of(sizes: Floats, weight: Floats) -> tuple[float, float]:
    """Return the sizes that half of the rows and nine of ten stay below, by their weights.

    Examples
    --------
    >>> quantiles_of(np.arange(1.0, 11.0), np.ones(10))
    (5.0, 9.0)
    """
    order = np.argsort(sizes, kind="stable")
    shares = np.cumsum(weight[order]) / weight.sum()
    half, most = (float(sizes[order[np.searchsorted(shares, share - _ROUNDING)]]) for share in (0.5, 0.9))
    return half, most


def intervals_from(
    scores: Floats, weight: Floats, spreads: Floats, method: Method, errors: Floats | None = None
) -> Intervals | None:
    """Return the intervals of scores; None if no row has a finite score and a positive weight.

    Parameters
    ----------
    scores, weight : ndarray of shape (n_rows,)
        The scores of held-out rows, and their weights.
    spreads : ndarray of shape (n_rules,)
        The spread of each rule, by which the errors were divided.
    method : {"cross-validation", "calibration"}
        Where the rows come from.
    errors : ndarray of shape (n_rows,), optional
        The errors of the rows.

    Examples
    --------
    With three rows each score bounds one more quarter of all new rows, and nothing bounds the last quarter:

    >>> intervals_from(np.array([3.0, 1.0, 2.0]), np.ones(3), np.ones(1), "calibration").coverages.tolist()
    [0.25, 0.5, 0.75]
    """
    known = np.flatnonzero((weight > 0.0) & np.isfinite(scores))
    if not len(known):
        return None
    order = known[np.argsort(scores[known], kind="stable")]
    counts = np.cumsum(weight[order] / weight[order].mean())
    # The new row counts as one more row, since its error may be larger than that of all held-out rows.
    coverages = counts / (len(order) + 1.0)
    places = np.arange(len(order)) if len(order) <= len(_KEPT) else _places(coverages)
    first = np.flatnonzero(np.diff(coverages[places], prepend=0.0) > 0.0)
    kept = places[first]
    misses = None if errors is None else quantiles_of(np.abs(errors[known]), weight[known])
    return Intervals(coverages[kept], scores[order][kept], spreads, len(order), method, misses)


def _places(coverages: Floats) -> Indices:
    """Return the indices of the coverages to keep: the smallest that reach each common coverage, and the last."""
    wanted = np.searchsorted(coverages, _KEPT - _ROUNDING)
    return np.unique(np.append(wanted[wanted < len(coverages)], len(coverages) - 1))


def prediction_intervals(rule_base: RuleBase, values: Floats, coverage: float) -> PredictionIntervals:
    """Return the interval of each row; outside the training data it grows with the distance.

    The interval is symmetric around the raw prediction, and its ends go through link and bounds like predictions. Link
    and bounds keep the order, so an interval that covers the transformed target also covers the target.

    Parameters
    ----------
    rule_base : RuleBase
        The rules, with intervals.
    values : ndarray of shape (n_samples, n_inputs)
        The inputs of the rows.
    coverage : float
        The share of rows whose target lies in their interval.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
    >>> rules = RuleBase([x], [[[0, 0]], [[1, 1]]], [[0.0, 0.0], [2.0, 0.0]])
    >>> trained = rules.with_training([[0.0], [1.0]], [0.0, 2.0])
    >>> calibrated = trained.with_intervals([[0.0], [0.5], [1.0]], [0.1, 1.2, 1.7])
    >>> lower, upper, outside = prediction_intervals(calibrated, np.array([[0.5], [2.0]]), 0.5)
    >>> (upper - lower).round(3).tolist(), outside.tolist()
    ([0.4, 0.8], [False, True])
    """
    radii = require_intervals(rule_base).radii(coverage)
    inference, output = rule_base.inference, rule_base.output
    raw = inference.raw_predictions(values)
    activations = inference.activations(values)[0]
    reach = (activations @ radii) * (1.0 + beyond_training(rule_base, values))
    outside = outside_training(rule_base, values) & rule_base.uses | unseen_by_rules(rule_base, values, activations)
    outside = np.asarray(outside.any(axis=1))
    return PredictionIntervals(output.of(raw - reach), output.of(raw + reach), outside)


def require_intervals(rule_base: RuleBase) -> Intervals:
    """Return the intervals of a rule base.

    Raises
    ------
    ValueError
        If the rule base has none.
    """
    if rule_base.intervals is None:
        _refuse_zeros(rule_base)
        raise ValueError(
            "This model has no held-out errors, so it cannot give prediction intervals; fit with calibration=0.2, or "
            "give held-out rows to with_intervals(X, y)."
        )
    return rule_base.intervals


def calibrated_intervals(rule_base: RuleBase, values: Floats, y: Any, sample_weight: Any = None) -> Intervals:
    """Return the intervals from rows that the rules were not learned from.

    The spreads of the rules are their training errors, so that they do not depend on these rows.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    values : ndarray of shape (n_rows, n_inputs)
        The inputs of the rows.
    y : array-like of shape (n_rows,)
        Their targets.
    sample_weight : array-like of shape (n_rows,), optional
        The weight of each row.
    """
    _refuse_zeros(rule_base)
    target = np.asarray(y, dtype=np.float64).reshape(-1)
    if len(target) != len(values) or not np.isfinite(target).all():
        raise ValueError(f"y must have a finite number for each of the {len(values):,} rows of X.")
    weight = np.ones(len(target)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != target.shape or not np.isfinite(weight).all() or (weight < 0.0).any():
        raise ValueError(f"sample_weight must have a non-negative number for each of the {len(values):,} rows.")
    spreads = trained_spreads(rule_base)
    errors = rule_base.output.raw_of(target) - rule_base.inference.raw_predictions(values)
    scores = scores_of(errors, rule_base.inference.activations(values)[0] @ spreads)
    # A copy of a row says nothing new about the error of another row.
    _, first, group = np.unique(np.column_stack([values, target]), axis=0, return_index=True, return_inverse=True)
    weight = np.bincount(group.ravel(), weight).astype(np.float64)
    found = intervals_from(scores[first], weight, spreads, "calibration", errors[first])
    if found is None:
        raise ValueError("Prediction intervals need at least one row with a positive weight; give more rows.")
    return found


def trained_spreads(rule_base: RuleBase) -> Floats:
    """Return the spread of each rule from its training errors; one for every rule if they are not known."""
    background, support = rule_base.background, rule_base.support
    if background.truth is None or support is None:
        return np.ones(rule_base.n_rules)
    errors = background.truth.rule_together
    rows = np.where(np.isnan(errors), 0.0, support * background.n_rows)
    return spreads_from(np.where(rows > 0.0, errors, 0.0) * rows, rows)


def _refuse_zeros(rule_base: RuleBase) -> None:
    """Refuse losses whose targets may be zero: their logarithm, the scale of intervals, would be infinite."""
    loss = rule_base.output.loss
    if not loss.has_intervals:
        raise ValueError(
            f"A model with loss={loss.name!r} has no prediction intervals, because its target may be 0; fit two models "
            "with loss='quantile', one with quantile=0.05 and one with quantile=0.95."
        )
