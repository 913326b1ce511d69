"""Prediction intervals from held-out errors, and values outside the range of the training data."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from fruler._table.validation import LARGEST_VALUE
from fruler._typing import Floats, FrozenValue, Indices, frozen
from fruler._wording import counted, readable_number

if TYPE_CHECKING:
    from fruler.rules._rule_base import RuleBase

Method = Literal["cross-validation", "calibration"]
METHODS: tuple[Method, ...] = get_args(Method)
# The coverages that are kept where there are many rows: all half per cents, and more of them near one.
_KEPT = np.concatenate([np.arange(1, 199) / 200.0, [0.992, 0.994, 0.995, 0.996, 0.998, 0.999, 0.9995]])
# In errors of a rule the errors of all rules count for so many rows: few rows say little.
_PRIOR_ROWS = 20.0
# A rule is taken to err by no less than this share of what all do: its rows may have been easy by chance.
_LEAST_SHARE = 0.05
# A coverage such as 0.9 is not exact, nor is 9/10.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Intervals(FrozenValue):
    """What prediction intervals are made of: quantiles of held-out errors, and the typical error of each rule.

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
        Where the held-out rows come from: the folds of a cross-validation, each predicted by a model of its own, or
        rows that were kept from learning.

    See Also
    --------
    PredictionIntervals : The intervals of rows.
    fruler.FuzzyRuleRegressor.predict_interval : Computes them.

    Examples
    --------
    >>> intervals = Intervals([0.25, 0.5, 0.75], [0.8, 1.0, 2.0], [1.0, 3.0], 3, "calibration")
    >>> intervals.score(0.5), intervals.score(0.6)
    (1.0, 2.0)
    >>> intervals.radii(0.7).tolist()
    [2.0, 6.0]
    >>> intervals.score(0.9)
    Traceback (most recent call last):
    ValueError: coverage=0.9 needs more held-out rows than the 3 of this model; at most 0.75 is possible.
    """

    coverages: Floats
    scores: Floats
    spreads: Floats
    n_rows: int
    method: Method

    def __post_init__(self) -> None:
        lists = {name: frozen(getattr(self, name), np.float64) for name in ("coverages", "scores", "spreads")}
        self._set(**lists, n_rows=int(self.n_rows))
        shape = self.coverages.shape
        if len(shape) != 1 or not shape[0] or self.scores.shape != shape or self.spreads.ndim != 1:
            raise ValueError("Intervals need a score for each coverage, and a spread for each rule.")
        if not all(np.isfinite(values).all() for values in (self.coverages, self.scores, self.spreads)):
            raise ValueError("The numbers of intervals must be finite.")
        if self.coverages[0] <= 0.0 or self.coverages[-1] >= 1.0 or (np.diff(self.coverages) <= 0.0).any():
            raise ValueError("The coverages of intervals must increase, between 0 and 1.")
        if self.scores[0] < 0.0 or (np.diff(self.scores) < 0.0).any() or (self.spreads < 0.0).any():
            raise ValueError("Scores and spreads of intervals can't be negative, and scores can't fall.")
        if max(self.scores[-1], self.spreads.max(initial=0.0)) > LARGEST_VALUE:
            raise ValueError(f"Scores and spreads of intervals must not be beyond {LARGEST_VALUE:g}.")
        if self.n_rows < 1 or self.method not in METHODS:
            raise ValueError(f"Intervals come from held-out rows, by one of {', '.join(METHODS)}.")

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
            If it is not between 0 and 1, or larger than the held-out rows can tell.
        """
        if not 0.0 < coverage < 1.0:
            raise ValueError(f"coverage must be between 0 and 1, as in 0.9; got {coverage!r}.")
        place = int(np.searchsorted(self.coverages, coverage - _ROUNDING))
        if place == len(self.coverages):
            raise ValueError(
                f"coverage={coverage:g} needs more held-out rows than the {self.n_rows:,} of this model; "
                f"at most {np.floor(self.coverages[-1] * 1e4) / 1e4:g} is possible."
            )
        return float(self.scores[place])

    def radii(self, coverage: float) -> Floats:
        """Return the half-width of intervals where one rule alone applies, for each rule.

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
        Which rows lie outside the training data. Their intervals are wider, and no share of such rows is promised to be
        covered.

    See Also
    --------
    fruler.FuzzyRuleRegressor.predict_interval : Computes them.

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
    """Errors of rows by a model that was fitted without them.

    Attributes
    ----------
    errors : ndarray of shape (n_rows,)
        How far its predictions are off.
    activations : ndarray of shape (n_rows, n_rules)
        The weights of the rules in the rows.
    weight : ndarray of shape (n_rows,)
        How much each row counts.
    """

    errors: Floats
    activations: Floats
    weight: Floats

    def spread_sums(self) -> Floats:
        """Return for each rule the sums of absolute errors and of weights, shape (2, n_rules)."""
        weight = self.weight[:, None] * self.activations
        return np.array([np.abs(self.errors) @ weight, weight.sum(axis=0)])


def cross_validated_intervals(folds: Sequence[HeldOutErrors]) -> Intervals | None:
    """Return the intervals that folds of a cross-validation say; None where they say nothing.

    The errors of each fold are compared with the spreads of rules in the other folds, as those of a new row are.

    Parameters
    ----------
    folds : sequence of HeldOutErrors
        The errors on the rows that each fold held out; the activations are those of the model.

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
    weight = np.concatenate([fold.weight for fold in folds])
    return intervals_from(np.concatenate(scores), weight, spreads_from(*total), "cross-validation")


def spreads_from(sums: Floats, weights: Floats) -> Floats:
    """Return the spread of each rule from the sum of its rows' absolute errors, and of their weights.

    Examples
    --------
    A rule with few rows is taken to err much like all others:

    >>> spreads_from(np.array([900.0, 1.0]), np.array([1000.0, 10.0])).round(3).tolist()
    [0.9, 0.628]
    """
    mean = float(sums.sum() / weights.sum()) if weights.sum() > 0.0 else 0.0
    if not mean > 0.0:
        return np.ones(len(sums))
    return np.maximum((sums + _PRIOR_ROWS * mean) / (weights + _PRIOR_ROWS), _LEAST_SHARE * mean)


def scores_of(errors: Floats, spreads: Floats) -> Floats:
    """Return the errors of rows over the spreads that are expected there."""
    return np.asarray(np.abs(errors) / spreads)


def intervals_from(scores: Floats, weight: Floats, spreads: Floats, method: Method) -> Intervals | None:
    """Return the intervals of scores; None where not one coverage can be told.

    Parameters
    ----------
    scores, weight : ndarray of shape (n_rows,)
        The scores of held-out rows, and how much each counts.
    spreads : ndarray of shape (n_rules,)
        What they were divided by, rule by rule.
    method : {"cross-validation", "calibration"}
        Where the rows come from.

    Examples
    --------
    Of three rows each score is the bound of one more quarter of all rows to come, and nothing bounds the last:

    >>> intervals_from(np.array([3.0, 1.0, 2.0]), np.ones(3), np.ones(1), "calibration").coverages.tolist()
    [0.25, 0.5, 0.75]
    """
    known = np.flatnonzero((weight > 0.0) & np.isfinite(scores))
    if not len(known):
        return None
    order = known[np.argsort(scores[known], kind="stable")]
    counts = np.cumsum(weight[order] / weight[order].mean())
    # A row to come counts as one, and may be worse than all that were held out.
    coverages = counts / (len(order) + 1.0)
    places = np.arange(len(order)) if len(order) <= len(_KEPT) else _places(coverages)
    first = np.flatnonzero(np.diff(coverages[places], prepend=0.0) > 0.0)
    kept = places[first]
    return Intervals(coverages[kept], scores[order][kept], spreads, len(order), method)


def _places(coverages: Floats) -> Indices:
    """Return which of many coverages are kept: the least that are not below some that everyone asks for."""
    wanted = np.searchsorted(coverages, _KEPT - _ROUNDING)
    return np.unique(np.append(wanted[wanted < len(coverages)], len(coverages) - 1))


# Of inputs with values outside the training data, so many are named.
_INPUTS_SHOWN = 5
_ROWS_IN_BLOCK = 64


def outside_training(rule_base: RuleBase, values: Floats) -> npt.NDArray[np.bool_]:
    """Return which values lie outside the range of the training data; nothing does where that is not known.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    values : ndarray of shape (n_rows, n_inputs)
        The inputs of rows; what is missing (NaN) does not lie outside.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> rules = RuleBase([Variable("x", FuzzyPartition([], (0.0, 9.0)))], [[[0, 0]]], [[1.0, 2.0]])
    >>> trained = rules.with_training([[2.0], [4.0]], [5.0, 9.0])
    >>> outside_training(trained, np.array([[1.0], [3.0], [np.nan]])).ravel().tolist()
    [True, False, False]
    """
    low, high = rule_base.background.limits
    return np.asarray((values < low) | (values > high))


def beyond_training(rule_base: RuleBase, values: Floats) -> Floats:
    """Return how far rows lie outside the training data: the sum over inputs that rules use, shape (n_rows,).

    An input counts by its distance from the nearest value of the training data, as a share of their range. One of which
    they have a single value does not count: it has no range.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> rules = RuleBase([Variable("x", FuzzyPartition([], (0.0, 9.0)))], [[[0, 0]]], [[1.0, 2.0]])
    >>> trained = rules.with_training([[2.0], [4.0]], [5.0, 9.0])
    >>> beyond_training(trained, np.array([[1.0], [3.0], [8.0]])).tolist()
    [0.5, 0.0, 2.0]
    """
    beyond = np.zeros(len(values))
    for j, (low, high) in training_ranges(rule_base).items():
        column = values[:, j]
        beyond += np.maximum(np.maximum(low - column, column - high), 0.0) / (high - low)
    return beyond


def training_ranges(rule_base: RuleBase) -> dict[int, tuple[float, float]]:
    """Return the least and the greatest training value of each input that rules use, where these are two.

    Categories have no range.
    """
    low, high = rule_base.background.limits
    ordered = np.array([variable.partition.ordered for variable in rule_base.variables])
    known = rule_base.uses & ordered & np.isfinite(low) & (low < high)
    return {int(j): (float(low[j]), float(high[j])) for j in np.flatnonzero(known)}


class OutsideTrainingWarning(UserWarning):
    """Some rows lie outside the training data, where rules are not known to hold."""


def warn_of_outside(rule_base: RuleBase, values: Floats, stacklevel: int = 3) -> None:
    """Warn of rows that lie outside the training data, once for all; nothing where none does."""
    if _surely_inside(rule_base, values):
        return
    if said := said_of_outside(rule_base, values):
        what = "Their values are clipped" if rule_base.extrapolation == "clip" else "The rules are extrapolated there"
        warnings.warn(
            f"{said}. {what}; warn_outside=False turns this warning off.", OutsideTrainingWarning, stacklevel=stacklevel
        )


def _surely_inside(rule_base: RuleBase, values: Floats) -> bool:
    """Return whether no value lies outside, seen at a glance: with gaps, or without rows, it is not."""
    low, high = rule_base.background.limits
    # Short rows are slow to go along, so that several are taken for one.
    n_blocks = len(values) // _ROWS_IN_BLOCK
    rest = values[n_blocks * _ROWS_IN_BLOCK :]
    if n_blocks:
        blocks = values[: n_blocks * _ROWS_IN_BLOCK].reshape(n_blocks, -1)
        ends = [end(blocks, axis=0).reshape(_ROWS_IN_BLOCK, -1) for end in (np.min, np.max)]
        if (ends[0] < low).any() or (ends[1] > high).any() or np.isnan(ends[0]).any():
            return False
    return bool(((rest >= low) & (rest <= high)).all())


def said_of_outside(rule_base: RuleBase, values: Floats) -> str:
    """Say how many rows lie outside the training data, and in which inputs; nothing where none does.

    Only inputs that rules use count.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> rules = RuleBase([Variable("x", FuzzyPartition([], (0.0, 9.0)))], [[[0, 0]]], [[1.0, 2.0]])
    >>> trained = rules.with_training([[2.0], [4.0]], [5.0, 9.0])
    >>> said_of_outside(trained, np.array([[1.0], [3.0]]))
    "1 of 2 rows lies outside the training data: 'x' in 1 row (learned from 2 to 4)"
    """
    outside = outside_training(rule_base, values) & rule_base.uses
    n_outside = int(outside.any(axis=1).sum())
    if not n_outside:
        return ""
    told = []
    for j in np.flatnonzero(outside.any(axis=0)):
        variable = rule_base.variables[j]
        low, high = (
            variable.written(float(end)) or readable_number(float(end), 6) for end in rule_base.background.limits[:, j]
        )
        rows = counted(int(outside[:, j].sum()), "row")
        learned = f"{low} to {high} {variable.value_unit}".rstrip()
        told.append(f"{variable.name!r} in {rows} (learned from {learned})")
    verb = "lies" if n_outside == 1 else "lie"
    more = f"; and {counted(len(told) - _INPUTS_SHOWN, 'more input')}" if len(told) > _INPUTS_SHOWN else ""
    listed = "; ".join(told[:_INPUTS_SHOWN]) + more
    return f"{n_outside:,} of {counted(len(values), 'row')} {verb} outside the training data: {listed}"


def prediction_intervals(rule_base: RuleBase, values: Floats, coverage: float) -> PredictionIntervals:
    """Return the interval of each row; outside the training data it is wider, the farther the wider.

    It reaches as far to both sides of what the rules say, and its ends become targets as predictions do. That keeps
    the order of targets, so that an end covers a target there if it covers what stands for it here.

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
    reach = (inference.activations(values)[0] @ radii) * (1.0 + beyond_training(rule_base, values))
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
    errors = rule_base.output.raw_of(target) - rule_base.inference.raw_predictions(values)
    scores = scores_of(errors, rule_base.inference.activations(values)[0] @ spreads)
    found = intervals_from(scores, weight, spreads, "calibration")
    if found is None:
        raise ValueError("Prediction intervals need at least one row that counts; give more rows.")
    return found


def trained_spreads(rule_base: RuleBase) -> Floats:
    """Return how much each rule errs by the summary of the training data; the same of all where that is not known."""
    background, support = rule_base.background, rule_base.support
    if background.truth is None or support is None:
        return np.ones(rule_base.n_rules)
    errors = background.truth.rule_together
    rows = np.where(np.isnan(errors), 0.0, support * background.n_rows)
    return spreads_from(np.where(rows > 0.0, errors, 0.0) * rows, rows)
