"""What a reader takes for one input: a number, or a choice among categories, however many inputs stand for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler.rules.rule_base import RuleBase
from fruler.rules.variables import Variable


class Option(NamedTuple):
    """A value that can be chosen by name, and the number of each input that it sets."""

    text: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class Feature:
    """One thing that can be different from row to row.

    Attributes
    ----------
    name : str
        Its name: that of its input, or of the column whose categories its inputs stand for.
    inputs : tuple of int
        The inputs of the rules that move with it, by their numbers.
    options : tuple of Option
        What it can be, where that is one of a few; empty for a number.
    """

    name: str
    inputs: tuple[int, ...]
    options: tuple[Option, ...] = ()

    @property
    def columns(self) -> npt.NDArray[np.intp]:
        """Its inputs, as an index."""
        return np.array(self.inputs, dtype=np.intp)

    def option_of(self, row: Floats) -> int:
        """Return the number of the option that is nearest to a row, the first of several."""
        own = row[self.columns]
        distances = [float(np.abs(np.array(option.values) - own).sum()) for option in self.options]
        return int(np.argmin(distances))

    def options_of(self, rows: Floats) -> npt.NDArray[np.intp]:
        """Return the number of the option that is nearest to each row."""
        values = np.array([option.values for option in self.options])
        distances = np.abs(rows[:, None, self.columns] - values[None]).sum(axis=2)
        return np.asarray(distances.argmin(axis=1), dtype=np.intp)


def features_of(rule_base: RuleBase, alternatives: Sequence[Sequence[str]] = ()) -> list[Feature]:
    """Return the features of a rule base, in the order of their first inputs.

    Inputs that are 1 for one category of a column each are one feature.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    alternatives : sequence of sequences of str, optional
        Inputs of which just one is 1 and the others are 0, where the rules themselves don't know it.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> from fruler.table.sources import LevelSource
    >>> inputs = [Variable("size", FuzzyPartition([], (0.0, 9.0)))]
    >>> for level in ("gas", "oil"):
    ...     source = LevelSource.indicator("fuel", ["gas", "oil", "sun"], level)
    ...     inputs.append(Variable(f"fuel={level}", FuzzyPartition([], (0.0, 1.0)), source=source))
    >>> for feature in features_of(RuleBase(inputs, [[[0, 0]] * 3], [[1.0, 2.0, 3.0, 4.0]])):
    ...     print(feature.name, feature.inputs, [(text, values) for text, values in feature.options])
    size (0,) []
    fuel (1, 2) [('gas', (1.0, 0.0)), ('oil', (0.0, 1.0)), ('sun', (0.0, 0.0))]
    """
    places = {name: j for j, name in enumerate(rule_base.names)}
    joined: dict[int, Feature] = {}
    for names in (*rule_base.alternatives, *alternatives):
        inputs = tuple(places[name] for name in names)
        if not any(j in joined for j in inputs):
            joined |= dict.fromkeys(inputs, _joined(rule_base, inputs))
    own = (joined.get(j) or _single(variable, j) for j, variable in enumerate(rule_base.variables))
    return list(dict.fromkeys(own))


def _single(variable: Variable, j: int) -> Feature:
    if variable.choices:
        return Feature(variable.name, (j,), tuple(Option(text, (number,)) for text, number in variable.choices))
    if variable.partition.ordered:
        return Feature(variable.name, (j,))
    labels = zip(variable.partition.labels, variable.partition.groups, strict=True)
    options = [
        Option(label if len(group) == 1 else f"{label} ({code:g})", (float(code),))
        for label, group in labels
        for code in group
    ]
    return Feature(variable.name, (j,), tuple(options))


def _joined(rule_base: RuleBase, inputs: tuple[int, ...]) -> Feature:
    variables = [rule_base.variables[j] for j in inputs]
    levels = variables[0].levels
    if levels is not None and all(variable.is_indicator for variable in variables):
        indicated = [None if variable.levels is None else variable.levels.indicated for variable in variables]
        options = tuple(Option(level, tuple(float(level == one) for one in indicated)) for level in levels.levels)
        return Feature(variables[0].subject, inputs, options)
    names = [variable.name for variable in variables]
    subjects = {name.partition("=")[0] for name in names}
    shared = len(subjects) == 1 and all("=" in name for name in names)
    texts = [name.partition("=")[2] for name in names] if shared else names
    ones = np.eye(len(names)).tolist()
    options = tuple(Option(text, tuple(one)) for text, one in zip(texts, ones, strict=True))
    return Feature(subjects.pop() if shared else " or ".join(names), inputs, options)
