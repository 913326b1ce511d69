"""Comparison of a model with a refit on other rows: common splits and rules, uses of inputs, effects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from fruler._arrays import Floats
from fruler._table.rows import spread_evenly
from fruler._wording import counted, either
from fruler.explain._dependence import MAX_ROWS, effect_settings, mean_predictions
from fruler.rules._features import Feature
from fruler.rules._inputs import Variable
from fruler.rules._rule_base import RuleBase

# The place of a split is rounded to this share of the input's range.
PLACE_SHARE = 0.002
# More categories than this on one side are counted, not named.
_MAX_LEVELS_NAMED = 3

Side = npt.NDArray[np.bool_]
# Two splits match if at most this share of the rows lies between them,
MAX_BETWEEN = 0.1
# and at most this share of the rows on the smaller side of the first: two splits that cut off different few rows do not
# match.
MAX_OF_SIDE = 0.5
# Two rules match if they overlap by this much. With one half, a rule would also match the rule that remains if its last
# split is missing, whenever it is the larger one of the two rules that this split makes.
MIN_OVERLAP = 2.0 / 3.0
# The rounding error of a share.
_ROUNDING = 1e-9
Matches = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Split:
    """A place at which some rule splits the values of an input.

    Attributes
    ----------
    subject : str
        The input; for inputs that stand for one category each, the column.
    place : float
        The place of the split; NaN for categories, which have no order.
    above : ndarray of bool, shape (n_rows,)
        The rows above the split; for categories, the rows in the second group.
    text : str
        The place in words: "at -11.7 °C", "into usa and europe or japan".
    """

    subject: str
    place: float
    above: Side
    text: str

    @property
    def ordered(self) -> bool:
        """Whether the split has a place."""
        return not np.isnan(self.place)


def splits_of(rule_base: RuleBase, values: Floats) -> list[Split]:
    """Return the splits that the rules use, by input and place; splits that divide the rows equally are merged.

    A split point between labels counts if some rule accepts the label on one side and not the label on the other. The
    split of a fuzzy set that belongs to a single rule lies where its degree is one half. Splits with all rows on one
    side are left out.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    values : ndarray of shape (n_rows, n_inputs)
        The inputs of rows, as the rules take them (`RuleBase.inputs_of`).

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, Variable
    >>> x = Variable("x", FuzzyPartition([2.0, 5.0], (0.0, 10.0)), unit="m")
    >>> rules = RuleBase([x], [[[0, 0]], [[1, 2]]], [[0.0, 1.0], [2.0, 1.0]])
    >>> [(split.subject, split.text, split.above.tolist()) for split in splits_of(rules, np.array([[1.0], [4.0]]))]
    [('x', 'at 2 m', [False, True])]
    """
    found: dict[tuple[str, bytes], Split] = {}
    for j in rule_base.antecedents.inputs.tolist():
        for split in _splits_of_input(rule_base, j, values[:, j]):
            if split.above.any() and not split.above.all():
                # Groups of categories have no order, so the first row is always on the same side.
                sides = split.above if split.ordered else split.above ^ split.above[0]
                found.setdefault((split.subject, np.packbits(sides).tobytes()), split)
    return list(found.values())


def _splits_of_input(rule_base: RuleBase, j: int, column: Floats) -> list[Split]:
    variable = rule_base.antecedents.condition_inputs[j]
    rules = np.flatnonzero(rule_base.looks_at[:, j]).tolist()
    accepted = sorted({rule_base.antecedents.accepted(rule, j) for rule in rules})
    if not variable.partition.ordered:
        return [_of_groups(variable, first, last, column) for first, last in accepted]
    ends = {end for labels in accepted for end in variable.partition.half_way(*labels) if end is not None}
    low, high = variable.partition.range
    tolerance = PLACE_SHARE * (high - low)
    return [_at(variable, place, column, tolerance) for place in sorted(ends)]


def _at(variable: Variable, place: float, column: Floats, tolerance: float) -> Split:
    above = np.asarray(column >= place)
    if not variable.choices:
        return Split(variable.subject, place, above, f"at {place_text(variable, place, tolerance)}")
    numbers = sorted(variable.choices, key=lambda choice: choice[1])
    if variable.is_indicator and variable.levels is not None:
        return Split(variable.subject, np.nan, above, f"into {variable.levels.indicated} and the others")
    if variable.tells_gaps:
        return Split(variable.subject, np.nan, above, "into no and yes")
    groups = [name for name, number in numbers if number < place], [name for name, number in numbers if number >= place]
    return Split(variable.subject, np.nan, above, f"into {_named(groups[0])} and {_named(groups[1])}")


def _of_groups(variable: Variable, first: int, last: int, column: Floats) -> Split:
    codes = [code for group in variable.partition.groups[first : last + 1] for code in group]
    group = either(list(variable.partition.labels[first : last + 1]))
    return Split(variable.subject, np.nan, np.isin(column, codes), f"into {group} and the others")


def _named(levels: list[str]) -> str:
    return either(levels) if len(levels) <= _MAX_LEVELS_NAMED else f"{counted(len(levels), 'other')}"


def place_text(variable: Variable, place: float, tolerance: float, *, unit: bool = True) -> str:
    """Write a place within a tolerance, with or without its unit."""
    return f"{variable.number_text(place, tolerance)} {variable.value_unit if unit else ''}".rstrip()


def matched_splits(own: Sequence[Split], others: Sequence[Split], weight: Floats) -> Matches:
    """Return for each split of a model the number of the matching split of another model; -1 if none matches.

    Two splits match if they are of the same input and few rows lie between them: at most a tenth of all rows, and at
    most half of the rows on the smaller side of the first. Distances are counted in rows, not in units. So the result
    does not depend on the scale of an input, crisp and fuzzy splits are treated alike, and all places in a gap between
    two clusters are equal. For categories, the rows between are those whose category changes sides. Each split is
    matched only once; the nearest pairs come first.

    Parameters
    ----------
    own, others : sequence of Split
        The splits of both models, over the same rows.
    weight : ndarray of shape (n_rows,)
        The weight of each row.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.arange(100.0)
    >>> first, second = ([Split("x", at, rows >= at, "") for at in places] for places in ([20.0, 60.0], [27.0, 24.0]))
    >>> matched_splits(first, second, np.ones(100)).tolist()
    [1, -1]
    """
    between = np.full((len(own), len(others)), np.inf)
    for i, split in enumerate(own):
        side = share_of(split.above, weight)
        limit = min(MAX_BETWEEN, MAX_OF_SIDE * min(side, 1.0 - side))
        for k, other in enumerate(others):
            if other.subject == split.subject:
                share = rows_between(split, other, weight)
                between[i, k] = share if share <= limit + _ROUNDING else np.inf
    return _nearest_pairs(between)


def rows_between(one: Split, other: Split, weight: Floats) -> float:
    """Return the share of the rows that lie between two splits of one input."""
    share = share_of(one.above != other.above, weight)
    # Groups of categories have no order, so either may be the second.
    return share if one.ordered and other.ordered else min(share, 1.0 - share)


def share_of(rows: npt.NDArray[np.bool_], weight: Floats) -> float:
    """Return the weight of some rows as a share of the total weight."""
    return float(weight[rows].sum() / weight.sum())


def rule_overlaps(own: Floats, others: Floats, weight: Floats) -> Floats:
    """Return the overlaps between the rules of two models, shape (n_rules, n_other_rules), from 0 to 1.

    A rule is a fuzzy set of rows: its weight in the prediction of each row. The overlap of two rules is the sum of the
    smaller weights over the sum of the larger ones (the Jaccard index of fuzzy sets). Their outputs do not matter, nor
    do the inputs in their conditions.

    Parameters
    ----------
    own, others : ndarray of shape (n_rows, n_rules)
        The weights of the rules of both models in the same rows (`RuleBase.activations`).
    weight : ndarray of shape (n_rows,)
        The weight of each row.

    Examples
    --------
    >>> import numpy as np
    >>> one, other = np.eye(2)[[0, 0, 0, 1]], np.eye(2)[[0, 0, 1, 1]]
    >>> rule_overlaps(one, other, np.ones(4)).round(3).tolist()
    [[0.667, 0.25], [0.0, 0.5]]
    """
    overlaps = np.empty((own.shape[1], others.shape[1]))
    for i, mine in enumerate(own.T):
        shared = weight @ np.minimum(mine[:, None], others)
        both = weight @ np.maximum(mine[:, None], others)
        overlaps[i] = np.divide(shared, both, out=np.zeros(len(both)), where=both > 0.0)
    return overlaps


def matched_rules(overlaps: Floats) -> Matches:
    """Return for each rule of a model the number of the matching rule of another model; -1 if none matches.

    Two rules match if they overlap by at least two thirds, so that a rule does not match one twice as large that lacks
    its last split. Each rule is matched only once; the pairs with the largest overlap come first.

    Parameters
    ----------
    overlaps : ndarray of shape (n_rules, n_other_rules)
        From `rule_overlaps`.

    Examples
    --------
    >>> import numpy as np
    >>> matched_rules(np.array([[0.9, 0.25], [0.8, 0.7], [0.3, 0.6]])).tolist()
    [0, 1, -1]
    """
    return _nearest_pairs(np.where(overlaps >= MIN_OVERLAP - _ROUNDING, 1.0 - overlaps, np.inf))


def _nearest_pairs(distances: Floats) -> Matches:
    """Pair rows with columns, each only once, the nearest first; return the column of each row, or -1."""
    matches = np.full(len(distances), -1, dtype=np.intp)
    # Rounded, so that the last bit does not break ties; they go to the first row, then to the first column.
    pairs = np.argwhere(np.isfinite(distances))
    order = np.lexsort([pairs[:, 1], pairs[:, 0], distances[tuple(pairs.T)].round(9)])
    taken: set[int] = set()
    for i, k in pairs[order].tolist():
        if matches[i] < 0 and k not in taken:
            matches[i] = k
            taken.add(k)
    return matches


class Use(NamedTuple):
    """The uses of an input by the rules: in a condition, with a curve, and at all (a slope counts too)."""

    in_conditions: bool
    with_curve: bool
    at_all: bool


@dataclass(frozen=True, eq=False)
class Comparison:
    """The comparison of a model with another one.

    Attributes
    ----------
    rule_base : RuleBase
        The other model.
    splits : ndarray of int, shape (n_splits,)
        For each split of the model the number of the other's matching split; -1 if none matches.
    places : ndarray of shape (n_splits,)
        The place of the matching split on the model's own scale; NaN if none matches, and for categories.
    rules : ndarray of int, shape (n_rules,)
        For each rule of the model the number of the other's matching rule; -1 if none matches.
    overlaps : ndarray of shape (n_rules,)
        The overlap of each rule with the nearest rule of the other, from 0 to 1.
    uses : dict of str to Use
        The uses of the other's inputs.
    effects : tuple of ndarray of shape (n_points,)
        For each effect of the model, the mean predictions of the other at the same values and over the same rows.
    """

    rule_base: RuleBase
    splits: npt.NDArray[np.intp]
    places: Floats
    rules: npt.NDArray[np.intp]
    overlaps: Floats
    uses: dict[str, Use]
    effects: tuple[Floats, ...]


class EffectGrid(NamedTuple):
    """The values at which the effect of a feature is computed.

    Attributes
    ----------
    feature : Feature
        The feature.
    values : ndarray of shape (n_points,)
        The values of the feature; for options, their numbers, counted from 0.
    settings : ndarray of shape (n_points, n_feature_inputs)
        The feature's inputs at each value.
    """

    feature: Feature
    values: Floats
    settings: Floats


@dataclass(frozen=True, eq=False)
class Original:
    """A model and its training rows, prepared for comparisons with refits.

    Attributes
    ----------
    rule_base : RuleBase
        The model.
    values : ndarray of shape (n_rows, n_inputs)
        The inputs of the rows, as the rules take them (`RuleBase.inputs_of`).
    weight : ndarray of shape (n_rows,)
        The weight of each row.
    splits : list of Split
        The splits that the rules use.
    activations : ndarray of shape (n_rows, n_rules)
        The weight of each rule in each row.
    grids : list of EffectGrid
        The values at which effects are compared, for each feature that the rules use.
    """

    rule_base: RuleBase
    values: Floats
    weight: Floats
    splits: list[Split]
    activations: Floats
    grids: list[EffectGrid]

    @classmethod
    def of(cls, rule_base: RuleBase, values: Floats, weight: Floats) -> Self:
        """Prepare a model for comparisons; the parameters are described as attributes."""
        ranges = rule_base.background.ranges
        used = [feature for feature in rule_base.features if rule_base.uses[feature.index].any()]
        grids = [
            EffectGrid(feature, *effect_settings(rule_base, feature, *ranges[feature.inputs[0]].tolist()))
            for feature in used
        ]
        activations = rule_base.antecedents.activations(values, rule_base.t_norm)[0]
        return cls(rule_base, values, weight, splits_of(rule_base, values), activations, grids)

    def effects(self) -> tuple[Floats, ...]:
        """Return the mean prediction at each value of each grid."""
        rows = self.values[self._background()]
        return tuple(mean_predictions(self.rule_base, grid.feature.inputs, grid.settings, rows) for grid in self.grids)

    def compare(self, rule_base: RuleBase, values: Floats) -> Comparison:
        """Compare the model with another one.

        Parameters
        ----------
        rule_base : RuleBase
            The other model. It may use different numbers for categories and dates.
        values : ndarray of shape (n_rows, n_other_inputs)
            The inputs of the same rows, as the other model takes them.
        """
        others = splits_of(rule_base, values)
        splits = matched_splits(self.splits, others, self.weight)
        overlaps = rule_overlaps(
            self.activations, rule_base.antecedents.activations(values, rule_base.t_norm)[0], self.weight
        )
        inputs = _inputs(rule_base)
        places = [
            np.nan if k < 0 else self._place(split.subject, others[k].place, values[:, inputs[split.subject][0]])
            for split, k in zip(self.splits, splits.tolist(), strict=True)
        ]
        return Comparison(
            rule_base,
            splits,
            np.array(places, dtype=np.float64),
            matched_rules(overlaps),
            overlaps.max(axis=1),
            input_uses(rule_base),
            tuple(self._effect(grid, rule_base, values, inputs.get(grid.feature.name, ())) for grid in self.grids),
        )

    def _background(self) -> npt.NDArray[np.intp]:
        """Return the indices of the rows over which effects are averaged."""
        return spread_evenly(len(self.values), MAX_ROWS)

    def _place(self, subject: str, place: float, column: Floats) -> float:
        """Convert a place on an input of another model to the model's own scale."""
        own = self.values[:, _inputs(self.rule_base)[subject][0]]
        if np.isnan(place) or np.array_equal(own, column):
            return place
        # Dates may be counted from a different day: the place lies between the same rows.
        above = column >= place
        below, after = own[np.argmax(np.where(above, -np.inf, column))], own[np.argmin(np.where(above, column, np.inf))]
        return float(below / 2.0 + after / 2.0)

    def _effect(self, grid: EffectGrid, rule_base: RuleBase, values: Floats, inputs: tuple[int, ...]) -> Floats:
        """Return the mean predictions of another model at the values of a grid."""
        rows = values[self._background()]
        if not inputs or not rule_base.uses[list(inputs)].any():
            return np.full(len(grid.values), rule_base.predict(rows).mean())
        own, theirs = self.values[:, grid.feature.index], values[:, list(inputs)]
        if np.array_equal(own, theirs):
            settings = grid.settings
        else:
            # Categories and dates may have different numbers: take those of the row nearest to the value.
            settings = theirs[[int(np.abs(own - setting).sum(axis=1).argmin()) for setting in grid.settings]]
        return mean_predictions(rule_base, inputs, settings, rows)


def input_uses(rule_base: RuleBase) -> dict[str, Use]:
    """Return the uses of each input; the inputs of a column of categories count as one.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> a, b = (Variable(name, FuzzyPartition(splits, (0.0, 9.0))) for name, splits in (("a", [5.0]), ("b", [])))
    >>> uses = input_uses(RuleBase([a, b], [[[0, 0], [0, 0]], [[1, 1], [0, 0]]], [[1.0, 0.0, 2.0], [1.0, 0.0, 0.0]]))
    >>> [(name, *use) for name, use in uses.items()]
    [('a', True, False, True), ('b', False, False, True)]
    """
    looked_at = np.asarray(rule_base.looks_at.any(axis=0))
    curved = [curve.input for curve in rule_base.curves]
    return {
        feature.name: Use(
            bool(looked_at[feature.index].any()),
            any(j in curved for j in feature.inputs),
            bool(rule_base.uses[feature.index].any()),
        )
        for feature in rule_base.features
    }


def _inputs(rule_base: RuleBase) -> dict[str, tuple[int, ...]]:
    return {feature.name: feature.inputs for feature in rule_base.features}
