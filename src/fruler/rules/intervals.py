"""How far predictions may be off: quantiles of held-out errors, and how much each rule errs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats, Indices
from fruler.rules.arrays import frozen
from fruler.table.validation import LARGEST_VALUE

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
class Intervals:
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
        for name in ("coverages", "scores", "spreads"):
            object.__setattr__(self, name, frozen(getattr(self, name), np.float64))
        object.__setattr__(self, "n_rows", int(self.n_rows))
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

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Intervals):
            return NotImplemented
        return (self.n_rows, self.method) == (other.n_rows, other.method) and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in ("coverages", "scores", "spreads")
        )

    def __hash__(self) -> int:
        return hash((self.n_rows, self.method, self.scores.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor: a copy is frozen like its original.
        return Intervals, tuple(getattr(self, field.name) for field in fields(self))


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
