"""Measuring the training summary of a rule base: histograms, errors, contributions, and where each rule applies."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from fruler._arrays import Floats, Indices, row_blocks
from fruler._table.rows import row_marks, spread_evenly
from fruler.rules._background import MAX_VALUES, N_BINS, TrainingSummary, bins_of
from fruler.rules._features import category_features
from fruler.rules._inference import parts_from
from fruler.rules._output import Output
from fruler.rules.intervals import quantiles_of
from fruler.rules.truth import Truth, TruthSums

if TYPE_CHECKING:
    from fruler.rules._rule_base import RuleBase

# A rule has seen the values of the rows of whose prediction it has at least this share.
_SEEN = 0.1
# The precision of centres and spreads, as a share of an input's range or of a spread: nobody reads more digits.
_EXACTNESS = 1e-5
# Values that come less often, on average, are not taken for all that there are.
_COMES_AGAIN = 5.0
# Rounding may leave this much variance of equal numbers between 0 and 1.
_NOTHING = 1e-14


class RulePlaces(NamedTuple):
    """The location of the rows of each rule.

    Attributes
    ----------
    centres, spreads : ndarray of shape (n_rules, n_inputs)
        Mean and standard deviation of each input.
    curve_means : ndarray of shape (n_curves, n_rules) or None
        The mean of each curve, if there are curves. It may differ from the curve at the mean of its input: a summer
        lies between two winters.
    level_rows : tuple of ndarray of shape (n_rules, n_levels), or None
        The number of rows of each category in each rule, for each feature with categories.
    seen : ndarray of int, shape (n_rules, n_inputs)
        The bins of each input in which a rule has seen rows, see `TrainingSummary`.
    """

    centres: Floats
    spreads: Floats
    curve_means: Floats | None
    level_rows: tuple[Floats, ...] | None
    seen: npt.NDArray[np.int64]


class PlaceSums(NamedTuple):
    """Sums over rows for `RulePlaces`; each row counts by the rule's weight in its prediction.

    Attributes
    ----------
    total : ndarray of shape (n_rules,)
        The weights of the rows.
    first, second : ndarray of shape (n_rules, n_inputs)
        The inputs and their squares, as shares of the inputs' ranges: squares of large numbers would overflow.
    curves : ndarray of shape (n_curves, n_rules)
        The heights of the curves, as shares of the largest height of each curve.
    levels : ndarray of shape (n_levels, n_rules)
        The weights of the rows with each category, of all features with categories one after the other.
    seen : ndarray of int, shape (n_rules, n_inputs)
        The bins of each input in which a rule has seen rows.
    """

    total: Floats
    first: Floats
    second: Floats
    curves: Floats
    levels: Floats
    seen: npt.NDArray[np.int64]

    @classmethod
    def over_rows(cls, rule_base: RuleBase, values: Floats, weight: Floats, low: Floats, high: Floats) -> PlaceSums:
        """Sum over rows; `rule_places` describes the arguments."""
        activations = rule_base.inference.activations(values)[0]
        counts = activations * weight[:, None]
        shares = np.clip((values / 2.0 - low / 2.0) / _half_width(low, high), 0.0, 1.0)
        curves = np.empty((len(rule_base.curves), rule_base.n_rules))
        for c, (curve, size) in enumerate(zip(rule_base.curves, _curve_sizes(rule_base, low, high), strict=True)):
            curves[c] = curve.values(values[:, curve.input]) / size @ counts
        levels = [np.zeros((0, rule_base.n_rules))]
        for feature in category_features(rule_base.features):
            of_row = np.eye(len(feature.options))[feature.options_of(values)]
            levels.append(of_row.T @ counts)
        bits = np.int64(1) << bins_of(values, low, high)
        seen = np.array([np.bitwise_or.reduce(bits[of_rule >= _SEEN], axis=0) for of_rule in activations.T])
        return cls(
            counts.sum(axis=0), counts.T @ shares, counts.T @ np.square(shares), curves, np.concatenate(levels), seen
        )

    def plus(self, other: PlaceSums) -> PlaceSums:
        """Return the sums over both sets of rows."""
        both = zip(self[:-1], other[:-1], strict=True)
        total, first, second, curves, levels = (mine + theirs for mine, theirs in both)
        return PlaceSums(total, first, second, curves, levels, self.seen | other.seen)

    def places(self, rule_base: RuleBase, low: Floats, high: Floats) -> RulePlaces:
        """Return the location of the rows, for inputs of these ranges."""
        total, first, second, curves, levels = (np.array(sums) for sums in self[:-1])
        # A rule that applies to no row gets the means over the rows of all rules.
        nowhere = total <= 0.0
        total[nowhere], first[nowhere], second[nowhere] = total.sum() or 1.0, first.sum(axis=0), second.sum(axis=0)
        curves[:, nowhere] = curves.sum(axis=1, keepdims=True)
        means = np.clip(first / total[:, None], 0.0, 1.0)
        variances = second / total[:, None] - np.square(means)
        width = 2.0 * _half_width(low, high)
        spreads = width * np.sqrt(np.where(variances > _NOTHING, variances, 0.0))
        centres = _rounded(low * (1.0 - means) + high * means, np.broadcast_to(_EXACTNESS * width, means.shape))
        sizes = _curve_sizes(rule_base, low, high)[:, None]
        added = _rounded(curves / total * sizes, np.broadcast_to(_EXACTNESS * sizes, curves.shape))
        spreads = _rounded(spreads, _EXACTNESS * spreads)
        n_levels = [len(feature.options) for feature in category_features(rule_base.features)]
        level_rows = np.split(np.round(levels, 1).T, np.cumsum(n_levels)[:-1], axis=1) if n_levels else []
        ordered = np.array([variable.levels is None for variable in rule_base.variables])
        seen = np.where(ordered, _without_holes(self.seen), self.seen)
        of_levels = tuple(level_rows) or None
        return RulePlaces(np.clip(centres, low, high), spreads, added if len(added) else None, of_levels, seen)


def rule_places(rule_base: RuleBase, values: Floats, weight: Floats, low: Floats, high: Floats) -> RulePlaces:
    """Measure the location of each rule's rows; every row counts by the rule's weight in its prediction.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    values : ndarray of shape (n_samples, n_inputs)
        The rows.
    weight : ndarray of shape (n_samples,)
        The weight of each row.
    low, high : ndarray of shape (n_inputs,)
        The range of each input.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([5.0], (0.0, 10.0), 0.0))
    >>> rules = RuleBase([x], [[[0, 0]], [[1, 1]]], [[0.0, 0.0], [2.0, 0.0]])
    >>> rows = np.array([[0.0], [4.0], [9.0]])
    >>> centres, spreads, *_, seen = rule_places(rules, rows, np.ones(3), rows.min(axis=0), rows.max(axis=0))
    >>> centres.tolist(), spreads.tolist()
    ([[2.0], [9.0]], [[2.0], [0.0]])
    >>> [f"{bins:024b}" for bins in seen.ravel()]
    ['000000000000011111111111', '100000000000000000000000']
    """
    sums = no_rows(rule_base)
    for part in row_blocks(len(values)):
        sums = sums.plus(PlaceSums.over_rows(rule_base, values[part], weight[part], low, high))
    return sums.places(rule_base, low, high)


def no_rows(rule_base: RuleBase) -> PlaceSums:
    """Return the sums over no rows."""
    shape = (rule_base.n_rules, len(rule_base.variables))
    curves = np.zeros((len(rule_base.curves), rule_base.n_rules))
    n_levels = sum(len(feature.options) for feature in category_features(rule_base.features))
    levels, seen = np.zeros((n_levels, shape[0])), np.zeros(shape, dtype=np.int64)
    return PlaceSums(np.zeros(shape[0]), np.zeros(shape), np.zeros(shape), curves, levels, seen)


def _without_holes(bins: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the bins from the first to the last."""
    below, above = bins.copy(), bins.copy()
    for step in (1, 2, 4, 8, 16):
        below |= below >> step
        above |= above << step
    return below & above


def _curve_sizes(rule_base: RuleBase, low: Floats, high: Floats) -> Floats:
    """Return the largest absolute height of each curve within these ranges, or 1 if it is zero."""
    ends = [(float(low[curve.input]), float(high[curve.input])) for curve in rule_base.curves]
    most = [np.abs(curve.outline(*end)[1]).max() for curve, end in zip(rule_base.curves, ends, strict=True)]
    return np.array([size or 1.0 for size in most], dtype=np.float64)


def _half_width(low: Floats, high: Floats) -> Floats:
    # Halves, since the difference of the ends may overflow.
    return np.where(high > low, high / 2.0 - low / 2.0, 1.0)


def _rounded(values: Floats, steps: Floats) -> Floats:
    """Return numbers rounded to few digits, within the steps: files stay short, and last bits do not matter."""
    pairs = zip(values.ravel().tolist(), steps.ravel().tolist(), strict=True)
    return np.array([_with_few_digits(*pair) for pair in pairs]).reshape(values.shape)


def _with_few_digits(value: float, step: float) -> float:
    if abs(value) <= step / 2.0 or step == 0.0:
        return 0.0 if abs(value) <= step / 2.0 else value
    return float(f"{value:.{min(max(math.ceil(math.log10(abs(value)) - math.log10(step)), 0) + 1, 17)}g}")


# Means over more rows than this would be the same in all digits that anyone reads.
MAX_ROWS_EXPLAINED = 1_000


def training_summary(
    rule_base: RuleBase,
    values: Floats,
    target: Floats,
    weight: Floats | None = None,
    *,
    cv_error: float = float("nan"),
    truth: Truth | None = None,
) -> TrainingSummary:
    """Measure the summary of the training data of a rule base.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    values : ndarray of shape (n_samples, n_inputs)
        The training rows.
    target : ndarray of shape (n_samples,)
        Their targets.
    weight : ndarray of shape (n_samples,), optional
        The weight of each row.
    cv_error : float, optional
        Half the mean squared error on held-out rows, if it is known.
    truth : Truth, optional
        How true the rules are one by one on held-out rows, if it is known; else it is measured on these rows.
    """
    weight = np.ones(len(target)) if weight is None else weight
    low, high = values.min(axis=0), values.max(axis=0)
    raw, output = rule_base.inference.raw_predictions(values), rule_base.output
    predictions = output.of(raw)
    base = float(np.average(raw, weights=weight))
    typical = np.quantile(values, 0.5, axis=0, method="inverted_cdf")
    some = spread_evenly(len(values), MAX_ROWS_EXPLAINED)
    sample = np.ascontiguousarray(values[some])
    return TrainingSummary(
        n_rows=len(target),
        low=low,
        high=high,
        typical=typical,
        histograms=np.array([histogram(values[:, j], weight, low[j], high[j]) for j in range(values.shape[1])]),
        target_low=float(target.min()),
        target_high=float(target.max()),
        target_mean=float(np.average(target, weights=weight)),
        target_spread=_spread(target, weight),
        base=base,
        **mean_contributions(rule_base, sample, weight[some], typical, base)._asdict(),
        rmse=float(np.sqrt(np.average(np.square(predictions - target), weights=weight))),
        cv_rmse=float("nan") if output.loss.reweighted else float(np.sqrt(2.0 * cv_error)),
        truth=measure_truth(rule_base, values, target, weight, held_out=False) if truth is None else truth,
        **rule_places(rule_base, values, weight, low, high)._asdict(),
        raw_spread=None if output.transform.keeps_units else _raw_spread(output, raw, target, weight),
        misses=None
        if output.loss.of_log_mean
        else quantiles_of(np.abs(output.raw_of(target) - output.bounded(raw)), weight),
        values=tuple(few_values(values[:, j]) for j in range(values.shape[1])),
        whole=(values == np.floor(values)).all(axis=0),
    )


def marks_of(rule_base: RuleBase, given: Floats, target: Floats) -> Floats:
    """Return the marks of rows, by which training rows are recognised; `given` has the inputs, NaN for gaps."""
    # The inputs for gaps repeat what other inputs say.
    asked = [not variable.tells_gaps for variable in rule_base.variables]
    return row_marks(given[:, asked], target)


def few_values(column: Floats) -> Floats:
    """Return the distinct values of an input, or no values if there are many or they hardly come again.

    Examples
    --------
    >>> few_values(np.repeat([60.0, 36.0], 5)).tolist(), few_values(np.arange(100.0)).tolist()
    ([36.0, 60.0], [])
    """
    found = np.unique(column)
    return found if len(found) <= min(MAX_VALUES, len(column) / _COMES_AGAIN) else found[:0]


def _raw_spread(output: Output, raw: Floats, target: Floats, weight: Floats) -> float:
    if not output.loss.of_log_mean:
        return _spread(output.raw_of(target), weight)
    # A target of zero has no logarithm. Predictions spread less than targets, but they show which numbers matter.
    return _spread(raw, weight) or _spread(target, weight) / float(np.average(target, weights=weight))


def _spread(target: Floats, weight: Floats) -> float:
    mean = np.average(target, weights=weight)
    return float(np.sqrt(np.average(np.square(target - mean), weights=weight)))


def measure_truth(
    rule_base: RuleBase, values: Floats, target: Floats, weight: Floats | None = None, *, held_out: bool
) -> Truth:
    """Measure how true rules are one by one on rows.

    Parameters
    ----------
    rule_base : RuleBase
        The rules; the output of a rule alone includes the curves.
    values : ndarray of shape (n_samples, n_inputs)
        The rows.
    target : ndarray of shape (n_samples,)
        Their targets.
    weight : ndarray of shape (n_samples,), optional
        The weight of each row.
    held_out : bool
        Whether the rules were learned without these rows.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
    >>> rules = RuleBase([x], [[[0, 0]], [[1, 1]]], [[0.0, 0.0], [2.0, 0.0]])
    >>> truth = measure_truth(rules, np.array([[0.0], [0.5], [1.0]]), np.array([0.0, 1.0, 2.0]), held_out=True)
    >>> truth.together, truth.rule_alone.round(3).tolist()
    (0.0, [0.707, 0.0])
    """
    found = [rule_errors(rule_base, values[part], target[part]) for part in row_blocks(len(target))]
    together, alone, strongest = (np.concatenate(column) for column in zip(*found, strict=True))
    # The squares of very large errors would overflow, and those of very small ones vanish.
    unit = float(np.abs([together, alone]).max()) or 1.0
    weight = np.ones(len(target)) if weight is None else weight
    loss = rule_base.output.loss
    sums = TruthSums.over_rows(
        loss.mean(together / unit), loss.mean(alone / unit), weight, strongest, rule_base.n_rules
    )
    return sums.truth(held_out=held_out, typical=loss.typical).scaled(unit)


class RuleErrors(NamedTuple):
    """The errors of all rules together and of the strongest rule alone in each row, and the strongest rule."""

    together: Floats
    alone: Floats
    strongest: Indices


def rule_errors(rule_base: RuleBase, values: Floats, target: Floats) -> RuleErrors:
    """Return the errors of rows, together and alone, in the terms of the loss; with a link those before it."""
    strongest, output = rule_base.inference.activations(values)[0].argmax(axis=1), rule_base.output
    alone = output.bounded(rule_base.inference.raw_rule_outputs(values))[np.arange(len(target)), strongest]
    wanted, together = output.learned(target), output.bounded(rule_base.inference.raw_predictions(values))
    return RuleErrors(output.loss.errors(wanted, together), output.loss.errors(wanted, alone), strongest)


class MeanContributions(NamedTuple):
    """The mean contributions of inputs and rules over the training rows; see `TrainingSummary`."""

    offsets: Floats
    input_importance: Floats
    rule_importance: Floats


def mean_contributions(
    rule_base: RuleBase, sample: Floats, weight: Floats, typical: Floats, base: float
) -> MeanContributions:
    """Return the mean contributions of inputs and rules over some rows.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    sample, weight : ndarray of shape (n_samples, n_inputs) and (n_samples,)
        A sample of the rows, and their weights.
    typical : ndarray of shape (n_inputs,)
        The median of each input.
    base : float
        The mean prediction over all rows, before link and bounds.
    """
    parts = parts_from(rule_base, sample, typical)
    offsets = np.average(parts, axis=0, weights=weight)
    # The base is the mean over all rows: its difference from the sample's mean is split among the inputs by their size.
    gap = base - float(rule_base.inference.raw_predictions(typical[None])[0]) - float(offsets.sum())
    sizes = np.abs(parts).mean(axis=0)
    offsets += gap * (sizes / sizes.sum() if sizes.sum() > 0.0 else np.full(len(sizes), 1.0 / len(sizes)))
    moves = rule_base.inference.activations(sample)[0] * np.abs(rule_base.inference.raw_rule_outputs(sample) - base)
    return MeanContributions(
        offsets=offsets,
        input_importance=np.average(np.abs(parts - offsets), axis=0, weights=weight),
        rule_importance=np.average(moves, axis=0, weights=weight),
    )


def histogram(column: Floats, weight: Floats, low: float, high: float) -> Floats:
    """Return the sums of weights in equal bins from low to high."""
    # Halves and shares, since the difference of the ends may overflow, or be tiny compared with them.
    share = np.zeros(len(column)) if low == high else (column / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0)
    place = np.minimum((share * N_BINS).astype(np.intp), N_BINS - 1)
    return np.bincount(place, weights=weight, minlength=N_BINS).astype(np.float64)
