"""The parts of a prediction: what each input adds to the mean prediction, all categories of a column as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler._wording import counted, either, readable_number, unit_after
from fruler.explain.effects import output_spread
from fruler.rules.rule_base import RuleBase

# Parts are rounded to this share of the target's spread; smaller ones are summed up.
PART_SHARE = 0.002
# The sum of the smaller ones is not worth a line if it is a smaller share of that.
_NOTHING = 0.05


class Part(NamedTuple):
    """What one subject adds to a prediction.

    Attributes
    ----------
    subject : str
        The name of the input; of categories the column, or what is told of it. Empty for the sum of several.
    adds : float
        What it adds to the mean prediction.
    text : str
        The subject with its value in the row: "weekday = Sunday".
    """

    subject: str
    adds: float
    text: str


def inputs_by_subject(rule_base: RuleBase) -> dict[str, tuple[int, ...]]:
    """Return the inputs that tell of each subject: several where a column of categories has more than one input.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> from fruler.table.sources import LevelSource
    >>> size, *fuels = (Variable(name, FuzzyPartition([], (0.0, 1.0))) for name in ("size", "fuel=gas", "fuel=oil"))
    >>> fuels = [one.of(LevelSource.indicator("fuel", ["gas", "oil", "sun"], one.name[5:])) for one in fuels]
    >>> inputs_by_subject(RuleBase([size, *fuels], [[[0, 0]] * 3], [[1.0, 0.0, 2.0, 3.0]]))
    {'size': (0,), 'fuel': (1, 2)}
    """
    found: dict[str, tuple[int, ...]] = {}
    for j, variable in enumerate(rule_base.variables):
        found[variable.subject] = (*found.get(variable.subject, ()), j)
    return found


def joined(rule_base: RuleBase, contributions: Floats) -> dict[str, Floats]:
    """Return what each subject adds to the prediction of each row, by its name."""
    groups = inputs_by_subject(rule_base)
    return {subject: contributions[:, own].sum(axis=1) for subject, own in groups.items()}


def part_tolerance(rule_base: RuleBase) -> float:
    """Return how far a written part may be off; a smaller part is not worth a line of its own."""
    return PART_SHARE * output_spread(rule_base)


def parts_of(
    rule_base: RuleBase,
    values: Floats,
    contributions: Floats,
    missing: npt.NDArray[np.bool_],
    labels: dict[str, str],
) -> list[Part]:
    """Return the parts of the prediction of one row, the largest first; those that are zero are left out.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    values, contributions, missing : ndarray of shape (n_inputs,)
        The row, what each input adds, and which of them were missing.
    labels : dict of str to str
        The label that fits best, of the inputs that have several.
    """
    groups = inputs_by_subject(rule_base)
    adds = by_size({subject: float(contributions[list(own)].sum()) for subject, own in groups.items()})
    return [
        Part(subject, added, _text(rule_base, subject, groups[subject], values, missing, labels))
        for subject, added in adds.items()
    ]


def by_size(adds: dict[str, float]) -> dict[str, float]:
    """Return what is added in the order of its size, the largest first, without what is zero.

    Examples
    --------
    >>> by_size({"a": 1.0, "b": 0.0, "c": -2.0})
    {'c': -2.0, 'a': 1.0}
    """
    return {name: adds[name] for name in sorted(adds, key=lambda name: -abs(adds[name])) if adds[name] != 0.0}


def shown_parts(parts: Sequence[Part], tolerance: float, max_parts: int) -> list[Part]:
    """Return the parts that are worth a line, at most so many, and the sum of the others as the last.

    Examples
    --------
    >>> parts = [Part("a", 3.0, "a = 1"), Part("b", -0.2, "b = 2"), Part("c", 0.1, "c = 3")]
    >>> [(part.text, round(part.adds, 6)) for part in shown_parts(parts, 0.5, 6)]
    [('a = 1', 3.0), ('2 other inputs', -0.1)]
    """
    telling = [part for part in parts if abs(part.adds) >= tolerance][:max_parts]
    others = parts[len(telling) :]
    rest = sum(part.adds for part in others)
    if abs(rest) < _NOTHING * tolerance or not others:
        return telling
    return [*telling, Part("", rest, counted(len(others), "other input"))]


def totals(base: float, parts: Sequence[Part]) -> Floats:
    """Return what the prediction is before the first part, and after each, shape (n_parts + 1,).

    Examples
    --------
    >>> totals(10.0, [Part("a", 3.0, "a = 1"), Part("b", -1.0, "b = 2")]).tolist()
    [10.0, 13.0, 12.0]
    """
    return np.cumsum([base, *(part.adds for part in parts)])


def _text(
    rule_base: RuleBase,
    subject: str,
    own: tuple[int, ...],
    values: Floats,
    missing: npt.NDArray[np.bool_],
    labels: dict[str, str],
) -> str:
    """Write a subject with its value: "size = 3 m (low)", "weekday = Sunday", "size is missing"."""
    variable = rule_base.variables[own[0]]
    number = float(values[own[0]])
    if variable.tells_gaps:
        return f"{variable.column} is {'missing' if number else 'there'}"
    if missing[list(own)].any():
        label = "" if variable.is_indicator else labels.get(variable.name, "")
        return f"{subject}, estimated ({label})" if label else f"{subject}, estimated"
    if variable.levels is not None:
        # Numbers between those of the categories stand for the nearest.
        return f"{subject} = {_level(rule_base, own, values) or variable.levels.written(number)}"
    plain = readable_number(number, 6, grouped=not variable.counts_years)
    value = f"{subject} = {variable.written(number) or f'{plain} {unit_after(plain, variable.unit)}'.rstrip()}"
    label = "" if variable.choices else labels.get(variable.name, "")
    return f"{value} ({label})" if label else value


def _level(rule_base: RuleBase, own: tuple[int, ...], values: Floats) -> str:
    """Return the category that a row has, told by all inputs of its column; "" where it is none."""
    fitting: list[str] | None = None
    for j in own:
        levels = rule_base.variables[j].levels
        if levels is not None:
            same = np.isclose(levels.values, values[j], rtol=1e-9, atol=1e-12)
            here = [level for level, is_same in zip(levels.levels, same, strict=True) if is_same]
            fitting = here if fitting is None else [level for level in fitting if level in here]
    return either(fitting or [])
