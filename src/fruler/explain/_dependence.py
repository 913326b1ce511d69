"""Partial dependence of predictions on features, and interactions between pairs of features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from fruler._arrays import Floats, Indices
from fruler._table.rows import spread_evenly
from fruler.rules._features import Feature
from fruler.rules._rule_base import RuleBase

# The edges of a histogram, and the number of rows in each of its bars.
Histogram = tuple[Floats, Floats]

# Means over more rows would look the same.
MAX_ROWS = 200
# Grid points from end to end; the bends of labels and curves are added, unless there are too many of them.
_GRID, _MAX_BENDS = 33, 64
# An interaction is described at values that are these quantiles.
_QUANTILES = (0.1, 0.5, 0.9)
_MAX_OPTIONS = 6
# Strengths are rounded to this share of the largest prediction, so that the order is the same on every machine;
# smaller strengths are rounding errors.
_EXACTNESS = 1e-9


def background_rows(rule_base: RuleBase, values: Floats | None = None) -> Floats:
    """Return at most 200 rows to average over.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    values : ndarray of shape (n_samples, n_inputs), optional
        Rows to choose from, evenly spaced. By default rows are generated: each rule gets rows in proportion to its
        support, whose inputs are normally distributed with the mean and the spread of the rule's training rows.
        Without a training summary the inputs are uniform over their ranges.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
    >>> rules = RuleBase([x], [[[0, 0]], [[1, 1]]], [[5.0, 1.0], [1.0, 0.0]])
    >>> background_rows(rules).shape, background_rows(rules, [[0.5]]).shape
    ((200, 1), (1, 1))
    """
    if values is not None:
        given = np.asarray(values, dtype=np.float64)
        return np.array(given[spread_evenly(len(given), MAX_ROWS)])
    rng = np.random.default_rng(0)
    background = rule_base.background
    low, high = background.ranges.T
    if background.places is None:
        rows = rng.uniform(low, high, (MAX_ROWS, len(low)))
    else:
        centres, spreads = background.places
        share = background.shares
        # Each row belongs to the rule whose interval of the cumulated shares contains the row's middle.
        rule = np.searchsorted(np.cumsum(share), (np.arange(MAX_ROWS) + 0.5) / MAX_ROWS).clip(max=len(share) - 1)
        drawn = centres[rule] + spreads[rule] * rng.standard_normal((MAX_ROWS, len(low)))
        rows = np.clip(drawn, low, high)
    for feature in rule_base.features:
        if feature.options:
            chosen = feature.options_of(rows)
            rows[:, feature.index] = np.array([option.values for option in feature.options])[chosen]
    return np.asarray(rows)


@dataclass(frozen=True, eq=False)
class EffectCurve:
    """The mean prediction for each value of a feature (its partial dependence).

    Attributes
    ----------
    feature : Feature
        The feature.
    values : ndarray of shape (n_points,)
        The values of the feature; for options, their numbers, counted from 0.
    predictions : ndarray of shape (n_points,)
        The mean prediction at each value.
    """

    feature: Feature
    values: Floats
    predictions: Floats

    @property
    def extent(self) -> float:
        """The difference between the highest and the lowest mean prediction."""
        return float(np.ptp(self.predictions))


def effect_curve(rule_base: RuleBase, feature: Feature, rows: Floats, low: float, high: float) -> EffectCurve:
    """Return the effect of a feature.

    Parameters
    ----------
        rule_base : RuleBase
            The rules.
        feature : Feature
            The feature.
        rows : ndarray of shape (n_samples, n_inputs)
            Rows to average over; in each row the feature is set to all values in turn.
        low, high : float
            The range of the values, for a numeric feature.

    Examples
    --------
        >>> import numpy as np
        >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
        >>> a, b = (Variable(name, FuzzyPartition([], (0.0, 9.0))) for name in "ab")
        >>> line = RuleBase([a, b], [[[0, 0], [0, 0]]], [[1.0, 2.0, -3.0]])
        >>> curve = effect_curve(line, line.features[0], np.array([[0.0, 1.0], [0.0, 2.0]]), 0.0, 9.0)
        >>> curve.predictions[[0, -1]].tolist(), curve.extent
        ([-3.5, 14.5], 18.0)
    """
    values, settings = effect_settings(rule_base, feature, low, high)
    return EffectCurve(feature, values, mean_predictions(rule_base, feature.inputs, settings, rows))


def effect_settings(rule_base: RuleBase, feature: Feature, low: float, high: float) -> tuple[Floats, Floats]:
    """Return the values at which the effect of a feature is computed, and the inputs at each value.

    Parameters
    ----------
    rule_base, feature, low, high
        As for `effect_curve`.

    Returns
    -------
    values : ndarray of shape (n_points,)
        The values; for options, their numbers, counted from 0.
    settings : ndarray of shape (n_points, n_feature_inputs)
        The feature's inputs at each value.
    """
    if feature.options:
        return np.arange(float(len(feature.options))), np.array([option.values for option in feature.options])
    # Between the few values of an input, such as 0 and 1, there are no rows.
    few = rule_base.background.values(feature.inputs[0])
    values = few if len(few) > 1 else effect_grid(rule_base, feature.inputs[0], low, high)
    return values, values[:, None]


def mean_predictions(rule_base: RuleBase, inputs: Sequence[int], settings: Floats, rows: Floats) -> Floats:
    """Return the mean prediction over rows for each setting of some inputs."""
    moved = np.repeat(rows[None], len(settings), axis=0)
    moved[:, :, np.array(inputs, dtype=np.intp)] = settings[:, None, :]
    predictions = rule_base.predict(moved.reshape(-1, rows.shape[1])).reshape(len(settings), len(rows))
    return np.asarray(predictions.mean(axis=1))


def effect_grid(rule_base: RuleBase, j: int, low: float, high: float, n_points: int = _GRID) -> Floats:
    """Return evenly spaced values of an input, and the values where its labels or its curve bend."""
    partition, curve = rule_base.antecedents.condition_inputs[j].partition, rule_base.curve_of(j)
    splits, halves = np.asarray(partition.split_points), partition.half_widths
    points = partition.triangles.ravel()
    parts = [splits - halves, splits, splits + halves, points[np.isfinite(points)]]
    if curve is not None:
        ends = np.concatenate([curve.bends()[0], curve.partition.split_points])
        # Also just below each jump, so that it is drawn as a jump.
        parts += [ends, np.nextafter(ends, -np.inf)]
    bends = np.unique(np.concatenate(parts))
    # Also just below each crisp split.
    bends = np.unique(np.concatenate([bends, np.nextafter(splits[halves == 0.0], -np.inf)]))
    bends = bends[(low < bends) & (bends < high)]
    if len(bends) > _MAX_BENDS:
        bends = bends[:0]
    return np.unique(np.concatenate([np.linspace(low, high, n_points), bends]))


@dataclass(frozen=True)
class Interaction:
    """An interaction: the joint effect of two features differs from the sum of their effects.

    Attributes
    ----------
    moved, held : Feature
        The pair. `held` is the feature in the conditions of more rules, so it decides on the effect of `moved`.
    strength : float
        The mean size of the interaction over pairs of rows, in the unit of the raw predictions. For each pair it is the
        absolute difference between the change when both features go from the values of one row to those of the other,
        and the sum of the changes when only one of them does.
    start, end : tuple of float
        Two values of `moved`, one number per input.
    low, high : tuple of float
        Two values of `held`.
    change_low, change_high : float
        The mean change of the raw prediction when `moved` goes from start to end, where `held` is low or high.
    """

    moved: Feature
    held: Feature
    strength: float
    start: tuple[float, ...]
    end: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    change_low: float
    change_high: float


def ranked_interactions(
    rule_base: RuleBase,
    rows: Floats,
    *,
    features: Sequence[Feature] | None = None,
    least: float = 0.0,
    most: int | None = None,
) -> list[Interaction]:
    """Return the pairs of features that interact, the strongest first.

    Parameters
    ----------
        rule_base : RuleBase
            The rules.
        rows : ndarray of shape (n_samples, n_inputs)
            Rows to average over. Each row is paired with another one at random, with a fixed seed.
        features : sequence of Feature, optional
            The features to pair; all by default.
        least : float, default=0.0
            Weaker pairs are left out, and so are pairs that do not interact at all.
        most : int, optional
            The maximum number of pairs.

    Examples
    --------
        The slope of z is three times as large where x is high:

        >>> import numpy as np
        >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
        >>> x, z = (Variable(name, FuzzyPartition([0.5], (0.0, 1.0), 0.0)) for name in "xz")
        >>> rules = RuleBase([x, z], [[[0, 0], [0, 1]], [[1, 1], [0, 1]]], [[0.0, 0.0, 1.0], [0.0, 0.0, 3.0]])
        >>> rows = np.array([[0.2, 0.1], [0.8, 0.3], [0.3, 0.9], [0.9, 0.5]])
        >>> (pair,) = ranked_interactions(rules, rows)
        >>> pair.moved.name, pair.held.name, round(pair.strength, 2)
        ('z', 'x', 0.3)
        >>> round((pair.change_high - pair.change_low) / (pair.end[0] - pair.start[0]), 2)
        2.0
    """
    features = rule_base.features if features is None else features
    pairs = [(one, other) for one, other in combinations(features, 2) if _can_interact(rule_base, one, other)]
    if not pairs or len(rows) < 2:
        return []
    strengths = _strengths(rule_base, pairs, rows)
    unit = _EXACTNESS * float(np.abs(rule_base.raw_predictions(rows)).max()) or 1.0
    order = np.argsort(-np.round(strengths / unit), kind="stable")
    kept = [k for k in order.tolist() if strengths[k] > max(least, unit)]
    return [_told(rule_base, pairs[k], float(strengths[k]), rows) for k in kept[:most]]


def _can_interact(rule_base: RuleBase, one: Feature, other: Feature) -> bool:
    """Return whether two features can interact: the rules use both, and at least one of them in a condition."""
    used = all(rule_base.uses[feature.index].any() for feature in (one, other))
    looked_at = rule_base.looks_at[:, [*one.inputs, *other.inputs]]
    return used and bool(looked_at.any())


def _strengths(rule_base: RuleBase, pairs: Sequence[tuple[Feature, Feature]], rows: Floats) -> Floats:
    # At random, because rows at a fixed distance in a table are often alike, such as those of the same season.
    order = np.random.default_rng(0).permutation(len(rows))
    partners = np.empty_like(rows)
    partners[order] = rows[np.roll(order, 1)]
    start = rule_base.raw_predictions(rows)
    alone: dict[Feature, Floats] = {}

    def with_partners(*moved: Feature) -> Floats:
        mixed = rows.copy()
        for feature in moved:
            mixed[:, feature.index] = partners[:, feature.index]
        return rule_base.raw_predictions(mixed)

    strengths = []
    for pair in pairs:
        for feature in pair:
            if feature not in alone:
                alone[feature] = with_partners(feature)
        together = with_partners(*pair)
        strengths.append(float(np.abs(together - alone[pair[0]] - alone[pair[1]] + start).mean()))
    return np.array(strengths)


def _told(rule_base: RuleBase, pair: tuple[Feature, Feature], strength: float, rows: Floats) -> Interaction:
    """Return an interaction with the values at which it is largest."""
    lookers = [int(rule_base.looks_at[:, feature.index].any(axis=1).sum()) for feature in pair]
    moved, held = pair[::-1] if lookers[0] > lookers[1] else pair
    moves, holds = _values(moved, rows), _values(held, rows)
    means = np.empty((len(holds), len(moves)))
    for a, hold in enumerate(holds):
        for b, move in enumerate(moves):
            mixed = rows.copy()
            mixed[:, held.index] = hold
            mixed[:, moved.index] = move
            means[a, b] = rule_base.raw_predictions(mixed).mean()
    best, size = (0, len(holds) - 1, 0, len(moves) - 1), -1.0
    for a, c in combinations(range(len(holds)), 2):
        for b, d in combinations(range(len(moves)), 2):
            contrast = abs(means[c, d] - means[c, b] - means[a, d] + means[a, b])
            if contrast > size * (1.0 + _EXACTNESS):
                best, size = (a, c, b, d), float(contrast)
    a, c, b, d = best
    return Interaction(
        moved,
        held,
        strength,
        start=moves[b],
        end=moves[d],
        low=holds[a],
        high=holds[c],
        change_low=float(means[a, d] - means[a, b]),
        change_high=float(means[c, d] - means[c, b]),
    )


def _values(feature: Feature, rows: Floats) -> list[tuple[float, ...]]:
    """Return some values of a feature in ascending order: its most common options, or quantiles of the rows."""
    if feature.options:
        counts = np.bincount(feature.options_of(rows), minlength=len(feature.options))
        common = np.argsort(-counts, kind="stable")[:_MAX_OPTIONS]
        return [feature.options[k].values for k in sorted(common.tolist())]
    column = rows[:, feature.inputs[0]]
    found = np.unique(np.quantile(column, _QUANTILES, method="inverted_cdf"))
    if len(found) == 1:
        found = np.unique([column.min(), column.max()])
    return [(float(value),) for value in found]


def option_counts(rule_base: RuleBase, feature: Feature, rows: Floats | None = None) -> Floats | None:
    """Return the number of rows with each option of a feature, given or training rows; None if it is not known."""
    values, own = np.array([option.values for option in feature.options]), list(feature.inputs)
    if len(np.unique(values, axis=0)) < len(values):
        return None
    if rows is not None:
        return np.bincount(feature.options_of(rows), minlength=len(values)).astype(np.float64)
    background = rule_base.background
    if len(own) == 1:
        return rows_with(values[:, 0], background.histogram(own[0]))
    if background.histograms is None:
        return None
    # The last bar of an indicator's histogram has the rows of its category; the category without an input has the rest.
    ones = np.where(background.ranges[own, 1] == 1.0, background.histograms[own, -1], 0.0)
    counts = values @ ones
    counts[~values.any(axis=1)] = max(float(background.histograms[own[0]].sum() - ones.sum()), 0.0)
    return np.asarray(counts)


def rows_with(numbers: npt.ArrayLike, histogram: Histogram | None) -> Floats | None:
    """Return the number of rows with each number, from a histogram; None if two numbers share a bar.

    Examples
    --------
    >>> edges, counts = np.array([0.0, 1.0, 2.0, 3.0]), np.array([4.0, 2.0, 7.0])
    >>> rows_with([0.0, 3.0], (edges, counts)), rows_with([0.1, 0.2], (edges, counts))
    (array([4., 7.]), None)
    """
    if histogram is None:
        return None
    bars, inside = bars_of(np.asarray(numbers), histogram)
    return np.where(inside, histogram[1][bars], 0.0) if len(np.unique(bars)) == len(bars) else None


def bars_of(numbers: Floats, histogram: Histogram) -> tuple[Indices, npt.NDArray[np.bool_]]:
    """Return the bar of each number (the nearest bar for a number outside), and whether the number lies inside."""
    edges, counts = histogram
    bars = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, len(counts) - 1)
    return bars, (edges[0] <= numbers) & (numbers <= edges[-1])
