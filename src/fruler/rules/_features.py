"""Features: the inputs of rules as readers see them; a column of categories is one feature, with one input or more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fruler._arrays import Floats
from fruler.rules._inputs import Variable


class Option(NamedTuple):
    """A value that can be chosen by name, and the numbers that it sets the inputs to."""

    text: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class Feature:
    """A quantity that varies from row to row: a number, a part of a date, or a choice among categories.

    Attributes
    ----------
    name : str
        The name of its input, or of the column whose categories its inputs stand for.
    column : str
        The column of the table; several features can come from one column, such as the parts of a date.
    inputs : tuple of int
        The numbers of its inputs.
    options : tuple of Option
        The values, if there are only a few; empty for a number.
    has_levels : bool
        Whether the options are the categories of a column.
    """

    name: str
    column: str
    inputs: tuple[int, ...]
    options: tuple[Option, ...] = ()
    has_levels: bool = False

    @property
    def index(self) -> npt.NDArray[np.intp]:
        """The inputs as an index array."""
        return np.array(self.inputs, dtype=np.intp)

    def options_of(self, rows: Floats) -> npt.NDArray[np.intp]:
        """Return the number of the option nearest to each row."""
        values = np.array([option.values for option in self.options])
        distances = np.abs(rows[:, None, self.index] - values[None]).sum(axis=2)
        return np.asarray(distances.argmin(axis=1), dtype=np.intp)


def features_of(variables: Sequence[Variable]) -> tuple[Feature, ...]:
    """Return the features of some inputs, in the order of their first inputs.

    All inputs that number the categories of a column, such as its one-hot inputs, are one feature.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition
    >>> from fruler._table.sources import LevelSource
    >>> inputs = [Variable("size", FuzzyPartition([], (0.0, 9.0)))]
    >>> for level in ("gas", "oil"):
    ...     source = LevelSource.indicator("fuel", ["gas", "oil", "sun"], level)
    ...     inputs.append(Variable(f"fuel={level}", FuzzyPartition([], (0.0, 1.0)), source=source))
    >>> for feature in features_of(inputs):
    ...     print(feature.name, feature.inputs, [(text, values) for text, values in feature.options])
    size (0,) []
    fuel (1, 2) [('gas', (1.0, 0.0)), ('oil', (0.0, 1.0)), ('sun', (0.0, 0.0))]
    """
    groups: dict[tuple[str, frozenset[str] | None], list[int]] = {}
    for j, variable in enumerate(variables):
        levels = variable.levels
        key = (variable.name, None) if levels is None else (levels.column, frozenset(levels.levels))
        groups.setdefault(key, []).append(j)
    return tuple(_feature(variables, own) for own in groups.values())


def category_features(features: Iterable[Feature]) -> list[Feature]:
    """Return the features with categories."""
    return [feature for feature in features if feature.has_levels]


def feature_with(features: Iterable[Feature], j: int) -> Feature:
    """Return the feature that an input belongs to."""
    return next(feature for feature in features if j in feature.inputs)


def _feature(variables: Sequence[Variable], inputs: list[int]) -> Feature:
    first = variables[inputs[0]]
    if first.levels is not None:
        numbers = [dict(levels.choices) for j in inputs if (levels := variables[j].levels) is not None]
        options = [Option(level, tuple(own[level] for own in numbers)) for level in first.levels.levels]
    elif first.choices:
        options = [Option(text, (number,)) for text, number in first.choices]
    else:
        options = _labels(first)
    return Feature(first.subject, first.column, tuple(inputs), tuple(options), first.levels is not None)


def _labels(variable: Variable) -> list[Option]:
    """Return the labels of a nominal input as options, by their codes; empty if the labels have an order."""
    partition = variable.partition
    if partition.ordered:
        return []
    return [
        Option(label if len(group) == 1 else f"{label} ({code:g})", (float(code),))
        for label, group in zip(partition.labels, partition.groups, strict=True)
        for code in group
    ]
