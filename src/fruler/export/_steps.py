"""The prediction of one row as named formulas, each of earlier ones: for targets such as sheets, without functions.

A `Formula` is free of syntax; a target writes it. `ModelSteps` has the formulas of a model, from the columns of a table
to the prediction.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from fruler._table.date_sources import SECONDS, CycleSource, DateSource, TrendSource, WeekdaySource
from fruler._table.sources import GapSource, LevelSource, NumberSource
from fruler._wording import printable
from fruler.export._phrases import accepted_text, rule_title
from fruler.export._plan import ColumnPlan, ConditionPlan, Filling, ModelPlan, SplitPoint, unknown_source
from fruler.rules._partitions import Triangle
from fruler.rules._rule_base import RuleBase

_DAY = 86_400.0
# 1 January 1970 was a Thursday; the calendar repeats itself after 400 years, counted from a 1 March.
_FIRST_WEEKDAY, _DAYS_FROM_MARCH, _CALENDAR = 3.0, 719_468.0, 146_097.0
# A formula of more terms is split, since spreadsheets limit the length of a formula.
_MOST_TERMS = 100


@dataclass(frozen=True)
class Formula:
    """A function of formulas and numbers.

    Attributes
    ----------
    function : str
        An operator (``+ - * / < <= > >= =``), "if" (with an optional third argument), "and", "or", "min", "max",
        "floor", "exp", "is missing", or a function of the target; or "name" (of a step) or "missing".
    arguments : tuple
        The arguments: formulas and numbers; for "name" a text.

    Examples
    --------
    >>> name("x") * 2.0 + 1.0
    Formula('+', Formula('*', Formula('name', 'x'), 2.0), 1.0)
    """

    function: str
    arguments: tuple[Argument, ...] = ()

    def __repr__(self) -> str:
        return f"Formula({', '.join(map(repr, (self.function, *self.arguments)))})"

    def __add__(self, other: Term) -> Formula:
        return Formula("+", (self, other))

    def __sub__(self, other: Term) -> Formula:
        return Formula("-", (self, other))

    def __mul__(self, other: Term) -> Formula:
        return Formula("*", (self, other))

    def __truediv__(self, other: Term) -> Formula:
        return Formula("/", (self, other))

    def __lt__(self, other: Term) -> Formula:
        return Formula("<", (self, other))

    def __le__(self, other: Term) -> Formula:
        return Formula("<=", (self, other))

    def __gt__(self, other: Term) -> Formula:
        return Formula(">", (self, other))

    def __ge__(self, other: Term) -> Formula:
        return Formula(">=", (self, other))


Term: TypeAlias = Formula | float
Argument: TypeAlias = Formula | float | str
MISSING = Formula("missing")


def name(step: str) -> Formula:
    """Return the value of a step."""
    return Formula("name", (step,))


def call(function: str, *arguments: Argument) -> Formula:
    """Return the value of a function.

    Examples
    --------
    >>> call("max", name("x"), 0.0)
    Formula('max', Formula('name', 'x'), 0.0)
    """
    return Formula(function, arguments)


def when(condition: Term, value: Term, otherwise: Term | None = None) -> Formula:
    """Return a value under a condition; without `otherwise` it is missing elsewhere."""
    return call("if", condition, value, *(() if otherwise is None else (otherwise,)))


def is_missing(value: Term) -> Formula:
    """Return whether a value is missing."""
    return call("is missing", value)


def linear_formula(intercept: float, slopes: Mapping[int, float], inputs: Mapping[int, Formula]) -> list[Term]:
    """Return the terms of a linear function of inputs."""
    return [intercept, *(inputs[j] * slope for j, slope in slopes.items())]


@dataclass(frozen=True)
class Step:
    """A named formula.

    Attributes
    ----------
    name, title : str
        The short name, and what the step computes, in words.
    formula : Formula
        The formula.
    """

    name: str
    title: str
    formula: Formula


class ModelSteps(ABC):
    """The steps from the columns of a table to the prediction; a subclass reads columns, and writes the formulas.

    Parameters
    ----------
    rule_base : RuleBase
        The model.
    plan : ModelPlan
        The plan of its computation.

    Attributes
    ----------
    steps : dict of str to Step
        The steps by name, in the order in which they are computed.
    columns : dict of int to ColumnPlan
        The columns that are needed, by their places in the table.
    inputs : dict of int to Formula
        The inputs of the rules.
    conditions, weights, shares, outputs, added, curves : list of Formula
        How well the row matches each condition; each rule's weight, share in the prediction, output, and product of
        share and output; and the values of the curves. Products and curves add up to the output of all rules.
    answers : list of Formula
        The prediction, and the ends of its interval if requested.
    """

    def __init__(self, rule_base: RuleBase, plan: ModelPlan) -> None:
        self.rule_base, self.plan = rule_base, plan
        places = sorted({plan.inputs.place_of(j) for j in plan.inputs.needed})
        self.columns = {place: plan.inputs.columns[place] for place in places}
        self.steps: dict[str, Step] = {}
        self.inputs: dict[int, Formula] = {}
        self.conditions: list[Formula] = []
        self.added: list[Formula] = []
        self.shares: list[Formula] = []
        self.curves: list[Formula] = []
        self.answers: list[Formula] = []

    def add_steps(self) -> None:
        """Add all steps."""
        for place, column in self.columns.items():
            self.read(place, column)
        for j in self.plan.inputs.needed:
            self.inputs[j] = self.add(f"input_{j + 1}", self.rule_base.names[j], self._input(j))
        if self.plan.inputs.filling is not None:
            self.fill(self.plan.inputs.filling)
        self._add_model()

    @abstractmethod
    def read(self, place: int, column: ColumnPlan) -> None:
        """Add the steps that read a column, and "read_PLACE" if it has dates."""

    @abstractmethod
    def number(self, place: int) -> Formula:
        """Return the value of a column of numbers."""

    @abstractmethod
    def gap(self, place: int) -> Formula:
        """Return 1 if the value of a column is missing, else 0."""

    @abstractmethod
    def level(self, place: int, source: LevelSource) -> Formula:
        """Return the number of a category."""

    @abstractmethod
    def fill(self, filling: Filling) -> None:
        """Add the steps that fill in gaps, and put their results in the place of the inputs."""

    def _input(self, feature: int) -> Formula:
        """Return an input of the rules."""
        source, place = self.plan.inputs.sources[feature], self.plan.inputs.place_of(feature)
        match source:
            case NumberSource():
                return self.number(place)
            case GapSource():
                return self.gap(place)
            case DateSource():
                return self._of_date(source, name(f"read_{place}"), place)
            case LevelSource():
                return self.level(place, source)
        raise unknown_source(source)

    def add(self, step: str, title: str, formula: Term) -> Formula:
        """Add a step, unless there is one of this name, and return its value."""
        own = formula if isinstance(formula, Formula) else call("+", formula)
        self.steps.setdefault(step, Step(step, title, own))
        return name(step)

    def add_sum(self, step: str, title: str, terms: Sequence[Term]) -> Formula:
        """Add a step that is a sum, and if there are many terms, steps for its parts."""
        own, part = list(terms), 0
        while len(own) > _MOST_TERMS:
            part += 1
            own[:_MOST_TERMS] = [self.add(f"{step}_part{part}", f"{title}, part", call("+", *own[:_MOST_TERMS]))]
        return self.add(step, title, call("+", *own))

    def _of_date(self, source: DateSource, seconds: Formula, place: int) -> Formula:
        """Return an input that a source computes from a date, in seconds since the start of 1970."""
        days = self.add(f"days_{place}", f"days from 1970 to {source.column}", call("floor", seconds / _DAY))
        match source:
            case TrendSource():
                value = (seconds - source.start_seconds) / SECONDS[source.unit]
            case CycleSource(cycle="hour"):
                value = _cycle((seconds - days * _DAY) / SECONDS["hours"], source)
            case CycleSource():
                time = (seconds - days * _DAY) / _DAY
                value = _cycle(self._day_of_year(days, place, source.column) + time, source)
            case WeekdaySource():
                day = _remainder(days + _FIRST_WEEKDAY, 7.0)
                weekday = self.add(f"weekday_{place}", f"weekday of {source.column}, from 0 for Monday", day)
                value = MISSING
                for code, number in enumerate(source.week):
                    if number is not None:
                        value = when(call("=", weekday, float(code)), number, value)
            case _:
                raise unknown_source(source)
        return when(is_missing(seconds), MISSING, value)

    def _day_of_year(self, days: Formula, place: int, column: str) -> Formula:
        """Return the days since 1 January, with a 29 February in every year."""
        day = self.add(
            f"calendar_{place}", f"day of {column} in 400 years", _remainder(days + _DAYS_FROM_MARCH, _CALENDAR)
        )
        leap_days = [call("floor", day / length) for length in (1_460.0, 36_524.0, 146_096.0)]
        passed = call("floor", (day - leap_days[0] + leap_days[1] - leap_days[2]) / 365.0)
        year = self.add(f"year_{place}", f"year of {column} in 400 years", passed)
        start = year * 365.0 + call("floor", year / 4.0) - call("floor", year / 100.0)
        return self.add(f"day_{place}", f"day of the year of {column}", _remainder(day - start + 60.0, 366.0))

    def _add_model(self) -> None:
        """Add all steps after the inputs."""
        beyond = self._outside()
        above = [self._share_above("above", *pair) for pair in enumerate(self.plan.split_points, 1)]
        inside = {
            j: self.add(f"inside_{j + 1}", f"{self.rule_base.names[j]}, clipped", _between(self.inputs[j], low, high))
            for j, (low, high) in self.plan.limits.items()
        }
        for number, condition in enumerate(self.plan.conditions, 1):
            degree = self._degree(condition, above, inside)
            self.conditions.append(self.add(f"match_{number}", self.condition_title(number - 1), degree))
        titles = [rule_title(self.rule_base, rule) for rule in range(self.rule_base.n_rules)]
        self.weights = [self.add(f"weight_{k}", own, self._weight(k - 1)) for k, own in enumerate(titles, 1)]
        self.outputs = [self._output(rule) for rule in range(self.rule_base.n_rules)]
        self._share(self._nearest(above, inside))
        self._add_curves()
        raw = self.add_sum("raw", "output of all rules", [*self.added, *self.curves])
        self._answer(raw, beyond)

    def condition_title(self, number: int) -> str:
        """Return a condition in words."""
        condition = self.plan.conditions[number]
        rule = next(rule for rule, own in enumerate(self.plan.rules) if number in own)
        accepted = accepted_text(self.rule_base, rule, condition.input)
        return printable(f"{self.rule_base.names[condition.input]} is {accepted}")

    def _outside(self) -> Formula | None:
        """Add the distance from the training data, if intervals need it, and clip inputs."""
        beyond = None
        if self.plan.interval is not None:
            parts: list[Term] = [
                call("max", call("-", low, self.inputs[j]), self.inputs[j] - high, 0.0) / (high - low)
                for j, (low, high) in self.plan.interval.ranges.items()
            ]
            beyond = self.add_sum("beyond", "distance from the training data, in ranges", [*parts, 0.0])
        for j, (low, high) in self.plan.clips.items():
            held = when(is_missing(self.inputs[j]), MISSING, _between(self.inputs[j], low, high))
            self.inputs[j] = self.add(f"held_{j + 1}", f"{self.rule_base.names[j]}, within the training data", held)
        return beyond

    def _share_above(self, kind: str, number: int, split_point: SplitPoint) -> Formula:
        x = self.inputs[split_point.input]
        part = when(x > split_point.start, (x - split_point.low) / split_point.width, 0.0)
        share = when(x >= split_point.high, 1.0, 0.0 if split_point.crisp else part)
        title = f"share of {self.rule_base.names[split_point.input]} above {split_point.high:g}"
        return self.add(f"{kind}_{number}", title, share)

    def _degree(self, condition: ConditionPlan, above: Sequence[Formula], inside: Mapping[int, Formula]) -> Term:
        if condition.codes is not None:
            equal = [call("=", self.inputs[condition.input], code) for code in condition.codes]
            return when(equal[0] if len(equal) == 1 else call("or", *equal), 1.0, 0.0)
        if condition.triangle is not None:
            return _triangle(inside[condition.input], condition.triangle)
        below = 1.0 if condition.below is None else above[condition.below]
        return below if condition.above is None else call("-", below, above[condition.above])

    def _weight(self, rule: int) -> Term:
        degrees = [self.conditions[number] for number in self.plan.rules[rule]]
        if len(degrees) < 2:
            return degrees[0] if degrees else 1.0
        return call("*" if self.rule_base.t_norm == "product" else "min", *degrees)

    def _output(self, rule: int) -> Formula:
        title = f"output of rule {rule + 1}"
        if self.plan.said:
            said = self.plan.said[rule]
            rest = call("-", 1.0, self.weights[rule])
            lean = (rest + 1.0 + rest * rest) / ((rest + 1.0) * 3.0)
            return self.add(f"output_{rule + 1}", title, lean * said.skew + said.middle)
        intercept = float(self.rule_base.consequents.intercepts[rule])
        terms = linear_formula(intercept, self.rule_base.consequents.terms(rule), self.inputs)
        return self.add_sum(f"output_{rule + 1}", title, terms)

    def _nearest(self, above: Sequence[Formula], inside: Mapping[int, Formula]) -> Formula | None:
        """Add the number of the nearest rule, the first one in case of ties; None if it is never needed."""
        if self.plan.covered:
            return None
        least: Term = math.inf
        nearest: Term = 1.0
        for rule, numbers in enumerate(self.plan.rules, 1):
            away = [self._away(number, above, inside) for number in numbers]
            distance = self.add_sum(f"distance_{rule}", f"distance from rule {rule}", away or [0.0])
            if rule > 1:
                nearest = self.add(
                    f"nearest_{rule}", "nearest rule so far", when(distance < least, float(rule), nearest)
                )
                least = self.add(f"least_{rule}", "smallest distance so far", call("min", least, distance))
            else:
                least = distance
        return nearest if isinstance(nearest, Formula) else self.add("nearest_1", "nearest rule", nearest)

    def _away(self, number: int, above: Sequence[Formula], inside: Mapping[int, Formula]) -> Term:
        """Return the distance of the row from a condition."""
        condition = self.plan.conditions[number]
        if condition.codes is not None:
            return call("-", 1.0, self.conditions[number])
        if condition.triangle is not None:
            (a, b, c), x = condition.triangle, inside[condition.input]
            sides: list[Term] = [call("-", b, x)] if math.isfinite(a) else []
            sides += [x - b] if math.isfinite(c) else []
            return call("max", *sides, 0.0) / condition.width
        place = call("+", *(above[own] for own in self.plan.split_points_of(condition.input)), 0.0)
        return call("max", call("-", float(condition.first), place), place - float(condition.last), 0.0)

    def _share(self, nearest: Formula | None) -> None:
        """Add the share of each rule in the prediction, and what it adds."""
        total = self.add_sum("total", "sum of the weights", self.weights)
        alone = [None if nearest is None else call("=", nearest, float(k)) for k in range(1, len(self.weights) + 1)]
        for k, (weight, only) in enumerate(zip(self.weights, alone, strict=True), 1):
            share = weight / total if only is None else when(total > 0.0, weight / total, when(only, 1.0, 0.0))
            self.shares.append(self.add(f"share_{k}", f"share of rule {k}", share))
        for k, (share, output) in enumerate(zip(self.shares, self.outputs, strict=True), 1):
            if self.plan.said and nearest is not None:
                # A rule that does not fire but is the nearest has its whole label as output.
                output = when(total > 0.0, output, self.plan.said[k - 1].whole)
            self.added.append(self.add(f"adds_{k}", f"what rule {k} adds", share * output))

    def _add_curves(self) -> None:
        above = [self._share_above("bend", *pair) for pair in enumerate(self.plan.curve_split_points, 1)]
        for number, curve in enumerate(self.plan.curves, 1):
            x = self.inputs[curve.input]
            first, *others = [x * slope + start if slope else start for start, slope in curve.lines]
            terms = [first, *(above[own] * line for own, line in zip(curve.split_points, others, strict=True))]
            self.curves.append(self.add_sum(f"curve_{number}", f"curve of {self.rule_base.names[curve.input]}", terms))

    def _answer(self, raw: Formula, beyond: Formula | None) -> None:
        """Add the prediction and the ends of its interval; missing where an input is."""
        filled = {} if self.plan.inputs.filling is None else self.plan.inputs.filling.means
        sources = self.plan.inputs.sources
        can_miss = [j for j in self.plan.used if j not in filled and not sources[j].tells_gaps]
        raws = {"prediction": raw}
        if self.plan.interval is not None and beyond is not None:
            radii = [share * radius for share, radius in zip(self.shares, self.plan.interval.radii, strict=True)]
            radius = self.add_sum("radius", "mean radius of the rules", radii)
            reach = self.add("reach", "radius of the interval", radius * (beyond + 1.0))
            raws |= {"lower": raw - reach, "upper": raw + reach}
        for end, value in raws.items():
            linked = self._linked(value if end == "prediction" else self.add(f"raw_{end}", f"{end} end", value))
            if can_miss:
                absent = [is_missing(self.inputs[j]) for j in can_miss]
                linked = when(absent[0] if len(absent) == 1 else call("or", *absent), MISSING, linked)
            self.answers.append(self.add(end, end, linked))

    def _linked(self, raw: Formula) -> Formula:
        """Return the prediction for an output of the rules."""
        output = self.plan.output
        if output is None:
            return raw
        linked = call("exp", raw) if output.code["onnx"] else raw
        for function, end in zip((Formula.__le__, Formula.__ge__), output.ends, strict=True):
            linked = linked if end is None else when(function(raw, end.raw), end.target, linked)
        return linked


def _between(value: Formula, low: float, high: float) -> Formula:
    return call("min", call("max", value, low), high)


def _triangle(x: Formula, triangle: Triangle) -> Term:
    """Return the degree of a value in a triangle; towards an infinite end it is 1."""
    a, b, c = triangle
    sides: list[Formula] = []
    if math.isfinite(a):
        sides.append(when(x >= b, 1.0, when(x > a, (x - a) / (b - a), 0.0) if a < b else 0.0))
    if math.isfinite(c):
        sides.append(when(x <= b, 1.0, when(x < c, call("-", c, x) / (c - b), 0.0) if b < c else 0.0))
    return call("min", *sides) if len(sides) == 2 else sides[0] if sides else 1.0


def _remainder(value: Formula, divisor: float) -> Formula:
    return value - call("floor", value / divisor) * divisor


def _cycle(place: Formula, source: CycleSource) -> Formula:
    """Return a position in a cycle, counted from its start."""
    return _remainder(place - source.start, source.period)
