"""A model beside one that was learned from other rows: which of its splits and rules the other has, and its effects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler.explain.background import MAX_ROWS
from fruler.explain.effect_curves import effect_settings, mean_predictions
from fruler.explain.effects import input_ranges
from fruler.explain.features import Feature, features_of
from fruler.explain.parts import inputs_by_subject
from fruler.explain.stability.matches import matched_rules, matched_splits, rule_overlaps
from fruler.explain.stability.splits import Split, splits_of
from fruler.rules.rule_base import RuleBase
from fruler.table.rows import spread_evenly


class Use(NamedTuple):
    """How rules use an input: in a condition, by a curve, and at all, which is with a slope too."""

    in_conditions: bool
    with_curve: bool
    at_all: bool


@dataclass(frozen=True, eq=False)
class Comparison:
    """What a model has in common with another one.

    Attributes
    ----------
    rule_base : RuleBase
        The rules of the other.
    splits : ndarray of int, shape (n_splits,)
        For each split of the model the number of the other's split that it is; -1 where there is none.
    places : ndarray of shape (n_splits,)
        Where that one lies, in the model's own numbers; NaN where there is none, and for categories.
    rules : ndarray of int, shape (n_rules,)
        For each rule of the model the number of the other's rule that it is; -1 where there is none.
    overlaps : ndarray of shape (n_rules,)
        How far each rule overlaps with the nearest one of the other, from 0 to 1.
    uses : dict of str to Use
        How the other uses its inputs.
    effects : tuple of ndarray of shape (n_points,)
        For each effect of the model, what the other predicts at the same values and in the same rows.
    """

    rule_base: RuleBase
    splits: npt.NDArray[np.intp]
    places: Floats
    rules: npt.NDArray[np.intp]
    overlaps: Floats
    uses: dict[str, Use]
    effects: tuple[Floats, ...]


class Grid(NamedTuple):
    """The values that a feature takes for its effect.

    Attributes
    ----------
    feature : Feature
        The feature.
    values : ndarray of shape (n_points,)
        Its values; of options their numbers, counted from 0.
    settings : ndarray of shape (n_points, n_feature_inputs)
        The numbers of its inputs at each of them.
    """

    feature: Feature
    values: Floats
    settings: Floats


@dataclass(frozen=True, eq=False)
class Original:
    """A model and the rows that it was learned from, to be compared with others.

    Attributes
    ----------
    rule_base : RuleBase
        Its rules.
    values : ndarray of shape (n_rows, n_inputs)
        The inputs of the rows, as the rules take them (`RuleBase.inputs_of`).
    weight : ndarray of shape (n_rows,)
        How much each row counts.
    splits : list of Split
        The splits that the rules use.
    activations : ndarray of shape (n_rows, n_rules)
        The weight of each rule in each row.
    grids : list of Grid
        The values at which effects are compared, for each feature that the rules use.
    """

    rule_base: RuleBase
    values: Floats
    weight: Floats
    splits: list[Split]
    activations: Floats
    grids: list[Grid]

    @classmethod
    def of(cls, rule_base: RuleBase, values: Floats, weight: Floats) -> Self:
        """Return a model made ready for comparisons; the attributes say what the parameters are."""
        ranges = input_ranges(rule_base)
        used = [feature for feature in features_of(rule_base) if rule_base.uses[feature.columns].any()]
        grids = [
            Grid(feature, *effect_settings(rule_base, feature, *ranges[feature.inputs[0]].tolist())) for feature in used
        ]
        activations = rule_base.antecedents.activations(values, rule_base.t_norm)[0]
        return cls(rule_base, values, weight, splits_of(rule_base, values), activations, grids)

    def effects(self) -> tuple[Floats, ...]:
        """Return the mean prediction at each value of each grid."""
        rows = self.values[self._background()]
        return tuple(mean_predictions(self.rule_base, grid.feature.inputs, grid.settings, rows) for grid in self.grids)

    def compare(self, rule_base: RuleBase, values: Floats) -> Comparison:
        """Return what the model has in common with another one.

        Parameters
        ----------
        rule_base : RuleBase
            The rules of the other. They may take other numbers for categories and dates.
        values : ndarray of shape (n_rows, n_other_inputs)
            The inputs of the same rows, as the rules of the other take them.
        """
        others = splits_of(rule_base, values)
        splits = matched_splits(self.splits, others, self.weight)
        overlaps = rule_overlaps(
            self.activations, rule_base.antecedents.activations(values, rule_base.t_norm)[0], self.weight
        )
        inputs = inputs_by_subject(rule_base)
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
            uses_of(rule_base),
            tuple(self._effect(grid, rule_base, values, inputs.get(self._subject(grid), ())) for grid in self.grids),
        )

    def _background(self) -> npt.NDArray[np.intp]:
        """Return the rows that effects are means over."""
        return spread_evenly(len(self.values), MAX_ROWS)

    def _subject(self, grid: Grid) -> str:
        return self.rule_base.variables[grid.feature.inputs[0]].subject

    def _place(self, subject: str, place: float, column: Floats) -> float:
        """Return a place on an input of another model in the model's own numbers."""
        own = self.values[:, inputs_by_subject(self.rule_base)[subject][0]]
        if np.isnan(place) or np.array_equal(own, column):
            return place
        # Dates may be counted from another day: the place lies between the same rows.
        above = column >= place
        below, after = own[np.argmax(np.where(above, -np.inf, column))], own[np.argmin(np.where(above, column, np.inf))]
        return float(below / 2.0 + after / 2.0)

    def _effect(self, grid: Grid, rule_base: RuleBase, values: Floats, inputs: tuple[int, ...]) -> Floats:
        """Return the mean predictions of another model at the values of a grid."""
        rows = values[self._background()]
        if not inputs or not rule_base.uses[list(inputs)].any():
            return np.full(len(grid.values), rule_base.predict(rows).mean())
        own, theirs = self.values[:, grid.feature.columns], values[:, list(inputs)]
        if np.array_equal(own, theirs):
            settings = grid.settings
        else:
            # Categories and dates may have other numbers: those of a row that has the value, or the nearest to it.
            settings = theirs[[int(np.abs(own - setting).sum(axis=1).argmin()) for setting in grid.settings]]
        return mean_predictions(rule_base, inputs, settings, rows)


def uses_of(rule_base: RuleBase) -> dict[str, Use]:
    """Return how the rules use each input; inputs that stand for one category each are one.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> a, b = (Variable(name, FuzzyPartition(splits, (0.0, 9.0))) for name, splits in (("a", [5.0]), ("b", [])))
    >>> uses = uses_of(RuleBase([a, b], [[[0, 0], [0, 0]], [[1, 1], [0, 0]]], [[1.0, 0.0, 2.0], [1.0, 0.0, 0.0]]))
    >>> [(name, *use) for name, use in uses.items()]
    [('a', True, False, True), ('b', False, False, True)]
    """
    looked_at = np.asarray(rule_base.looks_at.any(axis=0))
    curved = [curve.input for curve in rule_base.curves]
    return {
        subject: Use(
            bool(looked_at[list(own)].any()), any(j in curved for j in own), bool(rule_base.uses[list(own)].any())
        )
        for subject, own in inputs_by_subject(rule_base).items()
    }
