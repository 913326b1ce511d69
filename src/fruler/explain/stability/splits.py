"""The splits that rules use, each as a division of rows: so those of two models can be compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler._wording import counted, either
from fruler.rules.rule_base import RuleBase
from fruler.rules.variables import Variable

# Where a split lies is written to this share of the input's range.
PLACE_SHARE = 0.002
# Of more categories than these at a side only their number is told.
_MAX_LEVELS_NAMED = 3

Side = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Split:
    """A place at which some rule tells the values of an input apart.

    Attributes
    ----------
    subject : str
        The input; of inputs that stand for one category each, the column.
    place : float
        Where it lies; NaN for categories, which have no order.
    above : ndarray of bool, shape (n_rows,)
        Which of the rows lie above it; of categories, which of them are in the second group.
    text : str
        Where it lies, in words: "at -11.7 °C", "into usa and europe or japan".
    """

    subject: str
    place: float
    above: Side
    text: str

    @property
    def ordered(self) -> bool:
        """Whether it has a place."""
        return not np.isnan(self.place)


def splits_of(rule_base: RuleBase, values: Floats) -> list[Split]:
    """Return the splits that the rules use, by input and place; those that divide the rows alike are one.

    A split point of labels counts if some rule accepts the label at one side of it and not the one at the other. A
    set of a rule's own is split from the rest where its degree is half. A split with all rows at one side is none.

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
                # The groups of categories may be named in either order.
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
    """Write a place within a tolerance, with its unit or without."""
    return f"{variable.number_text(place, tolerance)} {variable.value_unit if unit else ''}".rstrip()
