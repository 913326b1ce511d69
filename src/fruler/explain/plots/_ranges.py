"""The values of a feature in a plot, the number of rows with each value, and the predictions at each value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fruler._arrays import Floats, Indices
from fruler._table.rows import spread_evenly
from fruler.explain._dependence import Histogram, effect_grid, option_counts
from fruler.rules._background import N_BINS
from fruler.rules._features import Feature, Option, feature_with
from fruler.rules._inputs import Variable
from fruler.rules._partitions import Partition
from fruler.rules._rule_base import RuleBase

_GRID = 101
_MAX_ROWS = 500


@dataclass(frozen=True, eq=False)
class Range:
    """The values of a feature from end to end, or the categories of a column.

    Attributes
    ----------
    feature : Feature
        The feature: a number, or a choice among categories.
    variable : Variable
        The input of the feature; the first one if there is one input per category.
    values : ndarray of shape (n_points, n_inputs)
        The values of the feature's inputs.
    histogram : (ndarray, ndarray) or None
        Edges and counts of the histogram of a numeric feature, if they are known.
    counts : ndarray of shape (n_points,) or None
        The number of rows of each category, if it is known.
    """

    feature: Feature
    variable: Variable
    values: Floats
    histogram: Histogram | None = None
    counts: Floats | None = None

    @property
    def is_line(self) -> bool:
        """Whether the feature is numeric, so that it is drawn as a line."""
        return not self.feature.options

    @property
    def grid(self) -> Floats:
        """The values of a numeric feature, or the places of categories, from 0."""
        return self.values[:, 0] if self.is_line else np.arange(float(len(self.values)))

    @property
    def names(self) -> list[str]:
        """The names of categories."""
        return [option.text for option in self.feature.options]

    @property
    def title(self) -> str:
        """The name of the feature, with its unit."""
        return self.variable.title if len(self.feature.inputs) == 1 else self.feature.name

    def order(self, predictions: Floats) -> Indices:
        """Return the order of the values in a plot: categories are sorted by their predictions, the lowest first."""
        return np.arange(len(self.values)) if self.is_line else np.argsort(predictions, kind="stable")

    def at(self, places: Indices) -> Range:
        """Return a range with only some of the categories."""
        options = tuple(self.feature.options[k] for k in places)
        return replace(self, feature=replace(self.feature, options=options), values=self.values[places], counts=None)

    def moved(self, rows: Floats) -> Floats:
        """Return each row with all values in turn: first all copies of row 0, then those of row 1, and so on."""
        found = np.repeat(rows, len(self.values), axis=0)
        found[:, self.feature.index] = np.tile(self.values, (len(rows), 1))
        return found

    def nearest(self, rows: Floats) -> Indices:
        """Return the index of the value that is nearest to each row."""
        apart = np.abs(rows[:, None, self.feature.index] - self.values).sum(axis=2)
        return np.asarray(apart.argmin(axis=1), dtype=np.intp)


def range_of(rule_base: RuleBase, feature: int | str, rows: Floats | None) -> Range:
    """Return the range of an input, or of a column of categories by its name.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    feature : int or str
        The input, by its name or its number; or a column of categories by its name.
    rows : ndarray of shape (n_samples, n_inputs), optional
        The rows to count; the training rows by default.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> from fruler._table.sources import LevelSource
    >>> fuels = [Variable(f"fuel={name}", FuzzyPartition([], (0.0, 1.0))) for name in ("gas", "oil")]
    >>> fuels = [one.of(LevelSource.indicator("fuel", ["gas", "oil", "sun"], one.name[5:])) for one in fuels]
    >>> found = range_of(RuleBase(fuels, [[[0, 0]] * 2], [[1.0, 2.0, 3.0]]), "fuel", None)
    >>> found.names, found.values.tolist()
    (['gas', 'oil', 'sun'], [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    """
    for one in rule_base.features:
        if one.name == feature and (len(one.inputs) > 1 or feature not in rule_base.names):
            return feature_range(rule_base, one, rows)
    j = input_number(rule_base.names, feature)
    variable = rule_base.variables[j]
    if variable.is_indicator:
        options = tuple(Option(text, (number,)) for text, number in variable.choices)
        return feature_range(rule_base, Feature(variable.name, variable.column, (j,), options), rows)
    return feature_range(rule_base, feature_with(rule_base.features, j), rows)


def feature_range(rule_base: RuleBase, feature: Feature, rows: Floats | None) -> Range:
    """Return the range of a feature."""
    j = feature.inputs[0]
    variable = rule_base.variables[j]
    if feature.options:
        values = np.array([option.values for option in feature.options])
        return Range(feature, variable, values, counts=option_counts(rule_base, feature, rows))
    histogram = histogram_of(rule_base, j, rows)
    low, high = drawn_range(rule_base.antecedents.condition_inputs[j].partition, histogram)
    grid = effect_grid(rule_base, j, low, high, _GRID)
    return Range(feature, variable, grid[:, None], histogram)


def ranges_of(rule_base: RuleBase, rows: Floats | None) -> list[Range]:
    """Return the ranges of all features that the rules use."""
    used = [feature for feature in rule_base.features if rule_base.uses[feature.index].any()]
    return [feature_range(rule_base, feature, rows) for feature in used]


def rows_to_move(rule_base: RuleBase, X: Any) -> tuple[Floats, Floats | None]:
    """Return the rows to move, and the rows to count: some and all rows of a table, or the typical row and None.

    Raises
    ------
    ValueError
        If there is neither a table nor a typical row.
    """
    if X is not None:
        rows = rule_base.inputs_of(X)
        return rows[spread_evenly(len(rows), _MAX_ROWS)], rows
    if not rule_base.background.known:
        raise ValueError(
            "These rules have no training data, and hence no typical values of the other inputs; give rows X, or use "
            "rule_base.with_training(X, y)."
        )
    return rule_base.background.typical[None, :], None


def predicted_over(rule_base: RuleBase, rows: Floats, along: Range) -> Floats:
    """Return the prediction of each row at each value of a range, shape (n_rows, n_points)."""
    return rule_base.predict(along.moved(rows)).reshape(len(rows), len(along.values))


def input_number(names: tuple[str, ...] | list[str], feature: int | str) -> int:
    """Return the number of an input that is given by its name or its number."""
    if isinstance(feature, str) and feature in names:
        return names.index(feature)
    if not isinstance(feature, str | bool) and feature in range(len(names)):
        return int(feature)
    raise ValueError(f"There is no input {feature!r}; the inputs are 0 to {len(names) - 1}: {', '.join(names)}.")


def drawn_range(partition: Partition, histogram: Histogram | None) -> tuple[float, float]:
    """Return the range of an axis, which covers the partition and the data and is never empty."""
    low, high = partition.range
    if histogram is not None:
        low, high = min(low, float(histogram[0][0])), max(high, float(histogram[0][-1]))
    if low < high:
        return low, high
    room = max(abs(low) * 0.05, 0.5)
    return low - room, high + room


def histogram_of(rule_base: RuleBase, feature: int, rows: Floats | None) -> Histogram | None:
    """Return the histogram of an input over the given rows, or over the training rows if they are known.

    If rows are given, an input with named values, such as categories, has one bar per value.
    """
    if rows is not None:
        choices = rule_base.variables[feature].choices
        counts, edges = np.histogram(rows[:, feature], bins=_edges_between(choices) if choices else N_BINS)
        return edges, counts.astype(np.float64)
    return rule_base.background.histogram(feature)


def _edges_between(choices: tuple[Any, ...]) -> Floats:
    numbers = np.unique([number for _, number in choices])
    return np.concatenate([[numbers[0] - 0.5], (numbers[1:] + numbers[:-1]) / 2.0, [numbers[-1] + 0.5]])
