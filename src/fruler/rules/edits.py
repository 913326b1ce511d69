"""Edits of a rule base by a person: what changes, in the names, numbers and units of the reader."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import pandas as pd

from fruler._arrays import LARGEST_VALUE, Floats, FrozenValue
from fruler._table.sources import LevelSource
from fruler._wording import counted, quoted, readable_number, require_printable, suggest
from fruler.rules._consequents import LinearConsequents
from fruler.rules._curves import Curve
from fruler.rules._inputs import Variable
from fruler.rules._partitions import FuzzyPartition, half_widths
from fruler.rules._rule_base import RuleBase

# A split point is named by a number near it, as it is printed: it differs by at most this share of the input's range.
_NEAR = 0.02
# Numbers that differ by less than this share of the largest are the same but for rounding.
SAME = 1e-9


class Edit(FrozenValue, ABC):
    """A change of a model by a person. This is the interface of all edits.

    Rules are numbered from 1, as printed; values are in the units of the data.

    Attributes
    ----------
    kind : str
        The name of the edit in model files.
    also_fixes : bool
        Whether refits keep the number that the edit sets. In any case they keep split points and bring no term back.

    See Also
    --------
    fruler.FuzzyRuleRegressor.edited : Returns a model with edits.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> from fruler.rules.edits import MoveSplit
    >>> x = Variable("x", FuzzyPartition([1.2], (0.0, 4.0)))
    >>> rules = RuleBase([x], [[[0, 0]], [[1, 1]]], [[1.0, 2.0], [5.0, 0.0]])
    >>> move = MoveSplit("x", 1.2, 2.0)
    >>> move.applied(rules).variables[0].partition.split_points, str(move)
    ((2.0,), "the split point 1.2 of 'x' moved to 2")
    """

    kind: ClassVar[str]
    also_fixes: ClassVar[bool] = False

    def __post_init__(self) -> None:
        self._set(**{name: _CHECKED[name](name, value) for name, value in given_by(self).items()})

    @abstractmethod
    def applied(self, rules: RuleBase) -> RuleBase:
        """Return the rule base with this change; everything else stays as it is.

        Parameters
        ----------
        rules : RuleBase
            The rules.

        Returns
        -------
        RuleBase
            The rules after the change.

        Raises
        ------
        ValueError
            If there is nothing to change: no such input, rule, term, split point or label.
        """

    @abstractmethod
    def __str__(self) -> str:
        """Return what changes, in words."""


@dataclass(frozen=True)
class MoveSplit(Edit):
    """Move a split point of an input, where labels meet or a curve bends.

    The overlap of the labels stays as wide as it was, as far as there is room.

    Parameters
    ----------
    input : str
        The name of the input.
    split : float or str
        The split point, as printed: the nearest one is meant. A date is written as in the table.
    to : float or str
        Its new place, between the neighbouring split points.

    See Also
    --------
    Edit : The interface of all edits.

    Examples
    --------
    >>> str(MoveSplit("rain", 303, 250))
    "the split point 303 of 'rain' moved to 250"
    """

    kind: ClassVar[str] = "move split"
    input: str
    split: float | str
    to: float | str

    def __str__(self) -> str:
        return f"the split point {_text(self.split)} of {quoted(self.input)} moved to {_text(self.to)}"

    def applied(self, rules: RuleBase) -> RuleBase:
        """Return the rule base with the split point at its new place.

        Raises
        ------
        ValueError
            If there is no such split point, or it would pass its neighbours.
        """
        j = _input_of(rules, self.input)
        variable = rules.variables[j]
        at, to = _number(variable, self.split), _number(variable, self.to)
        in_curve, number = _nearest_split(rules, j, at)
        known = {(one.in_curve, one.number): one for one in split_points_of(rules) if one.input == j}
        low, high = known[in_curve, number][-2:]
        if not low < to < high:
            told = [variable.written(end) or readable_number(end, 6) for end in (low, high)]
            raise ValueError(
                f"The split point {_text(self.split)} of {quoted(self.input)} can only move between {told[0]} and "
                f"{told[1]}; got {_text(self.to)}."
            )
        return with_split(rules, j, in_curve, number, to)


@dataclass(frozen=True)
class FixSlope(Edit):
    """Fix the slope of an input in one rule, or in all rules; refits keep it.

    In all rules, it also replaces the curve of the input, if there is one.

    Parameters
    ----------
    input : str
        The name of the input.
    value : float
        The slope: the change of the target per unit of the input; with ``link="log"``, that of its logarithm.
    rule : int, optional
        The number of the rule, which must have a slope of the input; without it, all rules.

    See Also
    --------
    Edit : The interface of all edits.
    DropTerm : A slope of zero.

    Examples
    --------
    >>> str(FixSlope("rain", 0.3, rule=2)), str(FixSlope("rain", 0.3))
    ("the slope of 'rain' in rule 2 fixed at 0.3", "the slope of 'rain' in all rules fixed at 0.3")
    """

    kind: ClassVar[str] = "fix slope"
    also_fixes: ClassVar[bool] = True
    input: str
    value: float
    rule: int | None = None

    def __str__(self) -> str:
        return f"the slope of {quoted(self.input)} in {_where(self.rule)} fixed at {_text(self.value)}"

    def applied(self, rules: RuleBase) -> RuleBase:
        """Return the rule base with this slope."""
        j = _term_of(rules, self.input, self.rule)
        coefficients = lines_of(rules)
        coefficients[slice(None) if self.rule is None else self.rule - 1, 1 + j] = self.value
        curves = [one for one in rules.curves if self.rule is not None or one.input != j]
        return changed(rules, consequents=LinearConsequents(coefficients), curves=curves)


@dataclass(frozen=True)
class DropTerm(Edit):
    """Drop an input from the output of one rule, or of all rules with its curve; refits do not bring it back.

    Conditions on the input stay.

    Parameters
    ----------
    input : str
        The name of the input.
    rule : int, optional
        The number of the rule, which must have a slope of the input; without it, all rules.

    See Also
    --------
    Edit : The interface of all edits.

    Examples
    --------
    >>> str(DropTerm("rain", rule=2)), str(DropTerm("rain"))
    ("the slope of 'rain' dropped from rule 2", "the slopes and the curve of 'rain' dropped from all rules")
    """

    kind: ClassVar[str] = "drop term"
    input: str
    rule: int | None = None

    def __str__(self) -> str:
        what = "slopes and the curve" if self.rule is None else "slope"
        return f"the {what} of {quoted(self.input)} dropped from {_where(self.rule)}"

    def applied(self, rules: RuleBase) -> RuleBase:
        """Return the rule base without the term."""
        return FixSlope(self.input, 0.0, self.rule).applied(rules)


@dataclass(frozen=True)
class FixLevel(Edit):
    """Fix the level of a rule, its output at some values of the inputs and without curves; refits keep it.

    Parameters
    ----------
    rule : int
        The number of the rule.
    value : float
        The level; with ``link="log"``, that of the logarithm of the target.
    at : mapping of str to float or str, optional
        The values of inputs with slopes; a category or a date is written as in the table. Other inputs have their mean
        in the rule's rows. With 0 for all of them, the level is the intercept.

    See Also
    --------
    Edit : The interface of all edits.

    Examples
    --------
    >>> str(FixLevel(2, 17.5, at={"rain": 300.0}))
    "the level of rule 2 fixed at 17.5, where 'rain' is 300"
    """

    kind: ClassVar[str] = "fix level"
    also_fixes: ClassVar[bool] = True
    rule: int
    value: float
    at: Mapping[str, float | str] | None = None

    def __str__(self) -> str:
        where = ", ".join(f"{quoted(name)} is {_text(value)}" for name, value in (self.at or {}).items())
        return f"the level of rule {self.rule} fixed at {_text(self.value)}" + (f", where {where}" if where else "")

    def applied(self, rules: RuleBase) -> RuleBase:
        """Return the rule base with this level."""
        k, place = _rule_of(rules, self.rule), place_of(self, rules)
        coefficients = lines_of(rules)
        coefficients[k, 0] = self.value - coefficients[k, 1:] @ place
        return changed(rules, consequents=LinearConsequents(coefficients))


@dataclass(frozen=True)
class FixAmount(Edit):
    """Fix the amount that a category adds; refits keep it.

    Parameters
    ----------
    input : str
        The name of the column of categories.
    category : str
        The category.
    value : float
        The amount that is added for it; with ``link="log"``, to the logarithm of the target.
    against : str, optional
        The category that the amount is compared with, as printed; without it, the amount is that in `rules_`.

    See Also
    --------
    Edit : The interface of all edits.

    Examples
    --------
    >>> str(FixAmount("soil", "peat", -0.5, against="clay"))
    "the amount of 'peat' of 'soil' fixed at -0.5 against 'clay'"
    """

    kind: ClassVar[str] = "fix amount"
    also_fixes: ClassVar[bool] = True
    input: str
    category: str
    value: float
    against: str | None = None

    def __str__(self) -> str:
        said = f"the amount of {quoted(self.category)} of {quoted(self.input)} fixed at {_text(self.value)}"
        return said if self.against is None else f"{said} against {quoted(self.against)}"

    def applied(self, rules: RuleBase) -> RuleBase:
        """Return the rule base with this amount.

        Raises
        ------
        ValueError
            If there is no such category, or it would change sides in a condition.
        """
        j, slope = slope_of(self, rules)
        variable = rules.variables[j]
        levels = variable.levels
        assert levels is not None
        known = dict(levels.choices)
        before, number = known[self.category], known.get(self.against or "", 0.0) + self.value / slope
        numbers = {**known, self.category: number}
        labels = variable.partition.degrees([before, number]).argmax(axis=1)
        if labels[0] != labels[1]:
            raise ValueError(
                f"With this amount, {quoted(self.category)} would change sides in the conditions on "
                f"{quoted(self.input)}; choose an amount nearer to the present one."
            )
        source = LevelSource(levels.column, list(numbers), list(numbers.values()))
        return changed(rules, variables=_with(rules.variables, j, replace(variable, source=source)))


@dataclass(frozen=True)
class SetFlat(Edit):
    """Set the curve of an input flat outside a range; refits keep it flat there.

    An input with the same slope in all rules gets a curve, which is straight inside the range.

    Parameters
    ----------
    input : str
        The name of the input.
    below : float or str, optional
        The curve is flat below this value.
    above : float or str, optional
        The curve is flat above this value.

    See Also
    --------
    Edit : The interface of all edits.

    Examples
    --------
    >>> str(SetFlat("rain", above=300))
    "the curve of 'rain' set flat above 300"
    """

    kind: ClassVar[str] = "set flat"
    input: str
    below: float | str | None = None
    above: float | str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.below is None and self.above is None:
            raise ValueError("SetFlat needs a value below or above which the curve is flat.")

    def __str__(self) -> str:
        ends = [
            f"{side} {_text(end)}" for side, end in (("below", self.below), ("above", self.above)) if end is not None
        ]
        return f"the curve of {quoted(self.input)} set flat {' and '.join(ends)}"

    def applied(self, rules: RuleBase) -> RuleBase:
        """Return the rule base with the flat curve.

        Raises
        ------
        ValueError
            If no curve can be flat there.
        """
        j = _term_of(rules, self.input, None)
        variable, curve, slopes = rules.variables[j], rules.curve_of(j), rules.slopes[:, j]
        if not variable.partition.ordered or variable.levels is not None:
            raise ValueError(f"{quoted(self.input)} has categories, which have no curve.")
        if np.ptp(slopes) > SAME * np.abs(slopes).max() or (curve is not None and slopes.any()):
            raise ValueError(
                f"Rules differ in the slope of {quoted(self.input)}, so no single curve can be flat; drop the slopes "
                "of single rules first."
            )
        low, high = rules.background.ranges[j].tolist() if curve is None else curve.partition.domain
        ends = [low if end is None else _number(variable, end) for end in (self.below, self.above)]
        below, above = ends[0] if self.below is not None else None, ends[1] if self.above is not None else None
        inside = [end for end in (below, above) if end is not None]
        if not all(low < end < high for end in inside) or (below is not None and above is not None and below >= above):
            told = [variable.written(end) or readable_number(end, 6) for end in (low, high)]
            raise ValueError(
                f"The ends of the flat parts of {quoted(self.input)} must increase, from {told[0]} to {told[1]}."
            )
        if curve is None:
            curve = Curve(j, FuzzyPartition([], (low, high)), [[-slopes[0] * rules.background.typical[j], slopes[0]]])
        intercepts = lines_of(rules)
        intercepts[:, 0] += slopes[0] * rules.background.typical[j]
        intercepts[:, 1 + j] = 0.0
        flat = _flattened(curve, below, above)
        return changed(rules, consequents=LinearConsequents(intercepts), curves=_with_curve(rules, flat))


@dataclass(frozen=True)
class RenameLabel(Edit):
    """Give a label another name.

    Parameters
    ----------
    input : str
        The name of the input.
    label : str
        The name of the label.
    name : str
        Its new name.

    See Also
    --------
    Edit : The interface of all edits.
    fruler.FuzzyRuleRegressor.with_names : Other units and names, which is not recorded as an edit.

    Examples
    --------
    >>> str(RenameLabel("rain", "low", "dry"))
    "the label 'low' of 'rain' renamed to 'dry'"
    """

    kind: ClassVar[str] = "rename label"
    input: str
    label: str
    name: str

    def __str__(self) -> str:
        return f"the label {quoted(self.label)} of {quoted(self.input)} renamed to {quoted(self.name)}"

    def applied(self, rules: RuleBase) -> RuleBase:
        """Return the rule base with the new name."""
        return rules.with_labels({self.input: {self.label: self.name}})


@dataclass(frozen=True)
class Change:
    """A change of a fitted model: edits, a fit of its outputs to rows, or both.

    Parameters
    ----------
    edits : tuple of Edit
        The edits, in their order.
    fit : {"", "refit", "update"}
        Whether all other numbers were fitted again: to these rows alone, or to these and all earlier ones.
    n_rows : int
        The number of these rows.
    when : str
        The date and time, in UTC.
    by : str
        Who made the change; empty if that was not given.

    See Also
    --------
    Edit : A single edit.
    fruler.FuzzyRuleRegressor.edited : Returns a model with edits.

    Examples
    --------
    >>> print(Change((DropTerm("rain", 2),), "refit", 365, "2026-03-01T12:00:00+00:00", "Ann"))
    2026-03-01 12:00, Ann: the slope of 'rain' dropped from rule 2; refitted to 365 rows
    """

    edits: tuple[Edit, ...] = ()
    fit: Literal["", "refit", "update"] = ""
    n_rows: int = 0
    when: str = ""
    by: str = ""

    def __str__(self) -> str:
        head = ", ".join(part for part in (self.when[:16].replace("T", " "), self.by) if part)
        rows = counted(self.n_rows, "row")
        done = {"": [], "refit": [f"refitted to {rows}"], "update": [f"updated with {rows}"]}[self.fit]
        return f"{head}: " + "; ".join([*map(str, self.edits), *done])


EDITS: tuple[type[Edit], ...] = (MoveSplit, FixSlope, DropTerm, FixLevel, FixAmount, SetFlat, RenameLabel)


def given_by(edit: Edit) -> dict[str, Any]:
    """Return the parameters of an edit that are set, by name."""
    values = {one.name: getattr(edit, one.name) for one in fields(edit)}  # type: ignore[arg-type]
    return {name: value for name, value in values.items() if value is not None}


def require_known(edit: Edit, rules: RuleBase) -> None:
    """Raise an error if an edit names an input or a rule that there is not."""
    given = given_by(edit)
    for name in (*([given["input"]] if "input" in given else []), *given.get("at", {})):
        if f"{name}={given.get('category')}" not in rules.names:
            _input_of(rules, name)
    _rule_of(rules, given.get("rule", 1))


def place_of(edit: FixLevel, rules: RuleBase) -> Floats:
    """Return the values of all inputs at which a fixed level holds."""
    places = rules.background.places
    place = np.array(rules.background.typical if places is None else places[0][_rule_of(rules, edit.rule)])
    for name, value in (edit.at or {}).items():
        j = _input_of(rules, name)
        place[j] = _number(rules.variables[j], value)
    return place


def settled(edit: FixLevel, rules: RuleBase) -> FixLevel:
    """Return the edit with the values of all inputs with slopes, which stay the same when rows are added."""
    place, own = place_of(edit, rules), rules.slopes[edit.rule - 1]
    inside = {rules.names[j]: float(place[j]) for j in np.flatnonzero(own)}
    return replace(edit, at={**inside, **(edit.at or {})})


def slope_of(edit: FixAmount, rules: RuleBase) -> tuple[int, float]:
    """Return the number of the input of a fixed amount, and the slope that all rules have.

    Raises
    ------
    ValueError
        If there is no such category, or rules differ in its amount.
    """
    indicator = f"{edit.input}={edit.category}"
    if indicator in rules.names:
        raise ValueError(f"The amount of {quoted(edit.category)} is the slope of {quoted(indicator)}; use FixSlope.")
    j = _term_of(rules, edit.input, None)
    levels, slopes = rules.variables[j].levels, rules.slopes[:, j]
    if levels is None or not rules.variables[j].partition.ordered:
        raise ValueError(f"{quoted(edit.input)} has no categories with amounts; use FixSlope.")
    for name in filter(None, (edit.category, edit.against)):
        if name not in levels.levels:
            known = ", ".join(levels.levels)
            raise ValueError(f"{quoted(edit.input)} has no category {quoted(name)}; it has {known}.")
    if edit.category == edit.against:
        raise ValueError(f"{quoted(edit.category)} can't be compared with itself.")
    if np.ptp(slopes) > SAME * np.abs(slopes).max():
        raise ValueError(f"Rules differ in the amounts of {quoted(edit.input)}, so no single one can be fixed.")
    return j, float(slopes[0])


def changed(rules: RuleBase, **parts: Any) -> RuleBase:
    """Return a rule base with other parts, whose errors and means over rows are not known."""
    training = None if rules.training is None else replace(rules.training, curve_means=None)
    return replace(rules, **{"training": training, "intervals": None, **parts})


def _with(variables: Sequence[Variable], j: int, variable: Variable) -> list[Variable]:
    return [*variables[:j], variable, *variables[j + 1 :]]


def _with_curve(rules: RuleBase, curve: Curve) -> list[Curve]:
    return [*(one for one in rules.curves if one.input != curve.input), curve]


def _input_of(rules: RuleBase, name: str) -> int:
    if name not in rules.names:
        raise ValueError(f"There is no input {quoted(name)}; {suggest(name, rules.names)}.")
    return rules.names.index(name)


def _rule_of(rules: RuleBase, number: int) -> int:
    if number > rules.n_rules:
        raise ValueError(f"There is no rule {number}; the model has {counted(rules.n_rules, 'rule')}.")
    return number - 1


def _term_of(rules: RuleBase, name: str, rule: int | None) -> int:
    """Return the number of an input that has a slope in a rule, or a slope or a curve in any."""
    j, slopes = _input_of(rules, name), lines_of(rules)[:, 1:]
    curved = rules.curve_of(j) is not None
    if rule is None and not curved and not slopes[:, j].any():
        raise ValueError(f"No rule has a slope of {quoted(name)}, and it has no curve.")
    if rule is not None and slopes[_rule_of(rules, rule), j] == 0.0:
        why = "; its curve is part of all rules and can only change in all of them" if curved else ""
        raise ValueError(f"Rule {rule} has no slope of {quoted(name)}{why}.")
    return j


def lines_of(rules: RuleBase) -> Floats:
    """Return a copy of intercepts and slopes."""
    if not isinstance(rules.consequents, LinearConsequents):
        raise ValueError("The outputs of these rules are labels, which have no terms to edit or to refit.")
    return np.array(rules.consequents.coefficients)


class SplitPoint(NamedTuple):
    """A split point: its input, whether it is in the input's curve, its number, its place, and its neighbours."""

    input: int
    in_curve: bool
    number: int
    place: float
    low: float
    high: float


def split_points_of(rules: RuleBase) -> list[SplitPoint]:
    """Return the split points of numbers and dates, in labels and in curves."""
    plain = [(j, False, one.partition) for j, one in enumerate(rules.variables) if one.levels is None]
    found = []
    for j, in_curve, partition in [*plain, *((curve.input, True, curve.partition) for curve in rules.curves)]:
        if isinstance(partition, FuzzyPartition):
            ends = [partition.domain[0], *partition.split_points, partition.domain[1]]
            near = zip(partition.split_points, ends, ends[2:], strict=False)
            found += [SplitPoint(j, in_curve, number, *places) for number, places in enumerate(near)]
    return found


def with_split(rules: RuleBase, input: int, in_curve: bool, number: int, to: float) -> RuleBase:
    """Return rules with a split point at another place."""
    variable, curve = rules.variables[input], rules.curve_of(input)
    partition = curve.partition if in_curve and curve is not None else variable.partition
    assert isinstance(partition, FuzzyPartition)
    splits = [*partition.split_points[:number], float(to), *partition.split_points[number + 1 :]]
    moved = _with_widths(partition, splits, partition.half_widths)
    if in_curve and curve is not None:
        lines = np.array(curve.coefficients)
        # All slopes and steps stay: the lines above the split point move up or down as a whole.
        lines[number + 1 :, 0] -= curve.steps[number + 1, 1] * (to - partition.split_points[number])
        return changed(rules, curves=_with_curve(rules, Curve(input, moved, lines)))
    # Labels of dates are named by their values.
    return changed(
        rules, variables=_with(rules.variables, input, replace(variable, partition=moved).of(variable.source))
    )


def _nearest_split(rules: RuleBase, j: int, at: float) -> tuple[bool, int]:
    """Return whether the split point of an input nearest to a value is that of its curve, and its number."""
    variable, curve = rules.variables[j], rules.curve_of(j)
    found = [one for one in split_points_of(rules) if one.input == j]
    if not found:
        raise ValueError(f"{quoted(variable.name)} has no split points that can move.")
    nearest = min(found, key=lambda one: abs(one.place - at))
    low, high = variable.partition.range if curve is None else curve.partition.range
    if abs(nearest.place - at) > _NEAR * (high - low):
        known = ", ".join(variable.written(one.place) or readable_number(one.place, 6) for one in found)
        raise ValueError(f"{quoted(variable.name)} has no split point near {_text(at)}; it has {known}.")
    return nearest.in_curve, nearest.number


def _with_widths(
    partition: FuzzyPartition, splits: Sequence[float], widths: Sequence[float] | Floats
) -> FuzzyPartition:
    """Return a partition with other split points, whose overlaps have these half-widths as far as there is room."""
    room = half_widths(np.array(splits), partition.domain, 1.0)
    labels = partition.labels if len(splits) == len(partition.split_points) else None
    return FuzzyPartition(splits, partition.domain, np.clip(np.asarray(widths) / room, 0.0, 1.0), labels)


def _flattened(curve: Curve, below: float | None, above: float | None) -> Curve:
    """Return a curve that stays at its height at a value for all values below or above it."""
    least, most = -math.inf if below is None else below, math.inf if above is None else above
    kept = [k for k, split in enumerate(curve.partition.split_points) if least < split < most]
    splits, widths = [curve.partition.split_points[k] for k in kept], [curve.partition.half_widths[k] for k in kept]
    first = sum(split <= least for split in curve.partition.split_points)
    lines = [tuple(line) for line in curve.coefficients[first : first + len(kept) + 1].tolist()]
    if below is not None:
        splits, widths, lines = [below, *splits], [0.0, *widths], [(lines[0][0] + lines[0][1] * below, 0.0), *lines]
    if above is not None:
        splits, widths, lines = [*splits, above], [*widths, 0.0], [*lines, (lines[-1][0] + lines[-1][1] * above, 0.0)]
    return Curve(curve.input, _with_widths(curve.partition, splits, widths), lines)


def _number(variable: Variable, value: float | str) -> float:
    """Return the number that stands for a value, which may be a date in a text."""
    if not isinstance(value, str):
        return value
    number = float(variable.source.numbers(pd.Series([value]))[0])
    if not math.isfinite(number):
        raise ValueError(f"{quoted(value)} is not a value of {quoted(variable.name)}.")
    return number


def _text(value: float | str) -> str:
    return value if isinstance(value, str) else readable_number(value, 6)


def _where(rule: int | None) -> str:
    return "all rules" if rule is None else f"rule {rule}"


def _as_text(name: str, value: Any) -> str:
    require_printable([value], name)
    if not value:
        raise ValueError(f"The {name} of an edit must not be empty.")
    return str(value)


def _as_number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise ValueError(f"The {name} of an edit must be a number; got {value!r}.")
    if not abs(float(value)) <= LARGEST_VALUE:
        raise ValueError(f"The {name} of an edit must be a finite number; got {value!r}.")
    return float(value)


def _as_value(name: str, value: Any) -> float | str:
    return _as_text(name, value) if isinstance(value, str) else _as_number(name, value)


def _as_rule(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"The {name} of an edit must be the number of a rule, from 1; got {value!r}.")
    return int(value)


def _as_place(name: str, value: Any) -> dict[str, float | str]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{name} of an edit must be a dict of values by the name of the input; got {value!r}.")
    return {_as_text("input", key): _as_value(name, one) for key, one in value.items()}


# How the parameters of edits are checked, by name.
_CHECKED: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(("input", "category", "against", "label", "name"), _as_text),
    **dict.fromkeys(("split", "to", "below", "above"), _as_value),
    "value": _as_number,
    "rule": _as_rule,
    "at": _as_place,
}
