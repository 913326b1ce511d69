"""The prediction of one row as a function: the steps that imperative languages share, without their syntax."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal

from fruler._table.date_sources import SECONDS, CycleSource, DateSource, TrendSource, WeekdaySource
from fruler._table.sources import GapSource, LevelSource, NumberSource
from fruler._wording import counted_rules, name_with_unit
from fruler.export._phrases import Identifiers, curve_expression, linear, rule_title
from fruler.export._plan import ConditionPlan, CurvePlan, ModelPlan, SplitPoint, unknown_source
from fruler.rules._partitions import Triangle
from fruler.rules._rule_base import RuleBase

# The kinds of names that a line may declare.
Declared = Literal["constant", "variable", "whole number"]


class CodeWriter(ABC):
    """A writer of a rule base in one language; a subclass has the syntax of the language, and how it reads columns.

    Parameters
    ----------
    rule_base : RuleBase
        The model.
    plan : ModelPlan
        The plan of its computation.

    Attributes
    ----------
    inputs : list of str
        The identifier of each input.
    values : list of str
        Expressions for the needed inputs, in terms of the columns of a row.
    tables, functions : list of str
        Constants and functions of the file other than the prediction; `require` adds functions.
    """

    # Functions with loops over the rules.
    MEAN: ClassVar[str]
    NEAREST_RULE: ClassVar[str]
    # A prefix of the identifiers of inputs, so that none is a word of the language.
    INPUT_PREFIX: ClassVar[str] = ""
    BLANK_LINES: ClassVar[int]
    # The key in the code of a link, the name of the row, and the lines for the sum of the weights.
    LANGUAGE: ClassVar[str]
    ROW: ClassVar[str]
    TOTAL: ClassVar[tuple[str, ...]]

    def __init__(self, rule_base: RuleBase, plan: ModelPlan) -> None:
        self.rule_base, self.plan = rule_base, plan
        names, prefix = self.new_identifiers(), self.INPUT_PREFIX
        self.inputs = [names.new(prefix + own.name, f"x{j + 1}") for j, own in enumerate(rule_base.variables)]
        self.split_points = [
            names.new(f"{self.inputs[own.input].removeprefix(prefix)} above {self.split_label(own)}", "above")
            for own in plan.split_points
        ]
        self.curve_split_points = [
            names.new(f"{self.inputs[own.input]} curve {own.number + 1}", "curve") for own in plan.curve_split_points
        ]
        self.inside = {j: names.new(f"{self.inputs[j]} inside", "x inside") for j in plan.limits}
        self.sets = {
            number: names.new(f"{self.inputs[own.input]} is {self.label(own)}", "x set")
            for number, own in enumerate(plan.conditions)
            if own.triangle is not None
        }
        self.tables: list[str] = []
        self.functions: list[str] = []
        self.values = [] if plan.inputs.plain else [self.value(j) for j in plan.inputs.needed]

    def value(self, feature: int) -> str:
        """Return an input as an expression of the row, and add the functions and tables that it needs."""
        inputs = self.plan.inputs
        source, value = inputs.sources[feature], f"{self.ROW}[{inputs.place_of(feature)}]"
        match source:
            case NumberSource():
                return self.number(value)
            case GapSource():
                return self.gap(value)
            case TrendSource():
                return f"({self.seconds(source, value)} - {source.start_seconds!r}) / {SECONDS[source.unit]!r}"
            case CycleSource():
                return self.cycle(source, self.seconds(source, value))
            case WeekdaySource():
                return self.weekday(source, self.seconds(source, value), feature)
            case LevelSource():
                return self.level(source, value, feature)
        raise unknown_source(source)

    def number(self, value: str) -> str:
        """Return a value of the row as a number."""
        return value

    def require(self, *functions: str) -> None:
        """Add functions to the file, each once."""
        self.functions += [function for function in functions if function not in self.functions]

    def text(self) -> str:
        """Return the whole file."""
        interval, plan = self.plan.interval, self.plan
        if interval is not None:
            self.tables.append(self.table("RADII", interval.radii, "The radius of prediction intervals of each rule."))
        if plan.said and not plan.covered:
            whole = [said.whole for said in plan.said]
            self.tables.append(self.table("WHOLE", whole, "The output of each rule if it fires fully."))
        top = "\n\n".join([self.head(), *self.tables])
        parts = [top, *self.functions, *self.helpers(), *self.predictions()]
        return ("\n" * (1 + self.BLANK_LINES)).join(part.strip("\n") for part in parts) + "\n"

    def title(self) -> str:
        """Return the first comment of the file."""
        rule_base = self.rule_base
        target = name_with_unit(rule_base.target_name, rule_base.target_unit)
        return self.comment(
            f"{counted_rules(rule_base.n_rules, rule_base.n_curves)} for {target}, learned and written by fruler."
        )

    def helpers(self) -> Iterator[str]:
        """Yield the functions called by the steps."""
        plan = self.plan
        triangles = [condition.triangle for condition in plan.conditions if condition.triangle is not None]
        if plan.split_points or plan.curve_split_points:
            about = "The share of x above the split point between two labels: from 0 (below it) to 1 (above it)."
            lines = self.slope("x >= high", "x > start", "(x - low) / width")
            yield self.function("share_above", ("x", "start", "low", "width", "high"), about, lines)
        if any(math.isfinite(a) for a, _, _ in triangles):
            about = "The degree of x on the left side of a triangle: from 0 (at its start) to 1 (from its middle on)."
            lines = self.slope("x >= middle", "x > start", "(x - start) / (middle - start)")
            yield self.function("rising", ("x", "start", "middle"), about, lines)
        if any(math.isfinite(c) for _, _, c in triangles):
            about = "The degree of x on the right side of a triangle: from 1 (up to its middle) to 0 (at its end)."
            lines = self.slope("x <= middle", "x < end", "(end - x) / (end - middle)")
            yield self.function("falling", ("x", "middle", "end"), about, lines)
        if plan.said:
            about = "The centre of a triangle that is cut off at a height; skew: the right side minus the left side."
            lines = [self.line("rest = 1.0 - height", "constant")]
            lines += self.returned("middle + skew * ((1.0 + rest + rest * rest) / (3.0 * (1.0 + rest)))")
            yield self.function("centre", ("height", "middle", "skew"), about, lines)
        yield self.MEAN
        if not plan.covered:
            if any(condition.counts_labels for condition in plan.conditions):
                distance = self.greatest(["first - place", "place - last", "0.0"])
                about = "The distance of a position from a range of labels, in labels."
                yield self.function("away", ("first", "last", "place"), about, self.returned(distance))
            yield self.NEAREST_RULE
        if plan.output is not None:
            lines = []
            for sign, end in zip(("<=", ">="), plan.output.ends, strict=True):
                if end is not None:
                    lines += self.if_block(f"raw {sign} {end.raw!r}", self.returned(repr(end.target)))
            lines += self.returned(plan.output.code[self.LANGUAGE].format("raw"))
            yield self.function("linked", ("raw",), "The prediction for the sum of rules and curves.", lines)

    def slope(self, whole: str, part: str, share: str) -> list[str]:
        """Return the lines of a function that is 1 under one condition, a share under another, and 0 otherwise."""
        lines = [*self.if_block(whole, self.returned("1.0")), *self.if_block(part, self.returned(share))]
        return [*lines, *self.returned("0.0")]

    def steps(self) -> list[str]:
        """Return the lines from the inputs to the prediction."""
        plan = self.plan
        lines = self.outside()
        if plan.split_points:
            lines += ["", self.comment("The shares of the row above the split points between labels.")]
        lines += [self.share_above(*pair) for pair in zip(self.split_points, plan.split_points, strict=True)]
        if plan.limits:
            lines += ["", self.comment("The degrees of labels, with values clipped to the range of the input.")]
        for j, (low, high) in plan.limits.items():
            lines.append(self.line(f"{self.inside[j]} = {self.between(self.inputs[j], low, high)}", "constant"))
        for number, name in self.sets.items():
            lines.append(self.line(f"{name} = {self.degree(plan.conditions[number])}", "constant"))
        lines += ["", self.comment("The degree to which each rule fires, and its output.")]
        lines.append(self.arrays("weight", "output"))
        for rule in range(self.rule_base.n_rules):
            lines += ["", self.comment(rule_title(self.rule_base, rule))]
            lines.append(self.line(f"weight[{rule}] = {self.weight(rule)}"))
            lines.append(self.line(f"output[{rule}] = {self.output(rule)}"))
        lines += [*self.curves(), "", *self.TOTAL]
        mean, radius = (self.call("mean", "weight", own, "total") for own in ("output", "RADII"))
        answer = self.answer(mean, radius)
        return [*lines, *answer] if plan.covered else [*lines, *self.if_block("total > 0.0", answer), *self.nearest()]

    def outside(self) -> list[str]:
        """Return the lines for rows outside the training data."""
        lines = []
        if self.plan.interval is not None:
            lines += ["", self.comment("The distance of the row from the training data, as a share of their range.")]
            lines.append(self.line("beyond = 0.0", "variable"))
            for j, (low, high) in self.plan.interval.ranges.items():
                distance = self.greatest([f"{low!r} - {self.inputs[j]}", f"{self.inputs[j]} - {high!r}", "0.0"])
                lines.append(self.line(f"beyond += {distance} / {high - low!r}"))
        if self.plan.clips:
            lines += ["", self.comment("Values outside the training data are clipped to their range.")]
        for j, (low, high) in self.plan.clips.items():
            lines.append(self.line(f"{self.inputs[j]} = {self.between(self.inputs[j], low, high)}"))
        return lines

    def share_above(self, name: str, split_point: SplitPoint) -> str:
        """Return the line for the share of the row above a split point."""
        numbers = map(repr, (split_point.start, split_point.low, split_point.width, split_point.high))
        return self.line(f"{name} = {self.call('share_above', self.inputs[split_point.input], *numbers)}", "constant")

    def curves(self) -> list[str]:
        """Return the lines for the sum of the curves."""
        if not self.plan.curves:
            return []
        lines = ["", self.comment("Curves of single inputs, added to the output of every rule.")]
        lines += [
            self.share_above(*pair) for pair in zip(self.curve_split_points, self.plan.curve_split_points, strict=True)
        ]
        first, *others = [self.curve(curve) for curve in self.plan.curves]
        return [*lines, self.line(f"curves = {first}", "variable"), *(self.line(f"curves += {own}") for own in others)]

    def curve(self, curve: CurvePlan) -> str:
        """Return the expression of one curve."""
        shares = [self.curve_split_points[number] for number in curve.split_points]
        return curve_expression(curve, self.inputs[curve.input], shares)

    def answer(self, prediction: str, radius: str) -> list[str]:
        """Return the last lines, from expressions for the output of the rules and the radius of the interval."""
        prediction += " + curves" if self.plan.curves else ""
        if self.plan.interval is None:
            return self.returned(self.linked(prediction))
        lines = [f"said = {prediction}", f"reach = {radius} * (1.0 + beyond)"]
        ends = map(self.linked, ("said", "said - reach", "said + reach"))
        return [*(self.line(line, "constant") for line in lines), *self.returned(*ends)]

    def linked(self, raw: str) -> str:
        """Return the prediction for an output of the rules."""
        return raw if self.plan.output is None else self.call("linked", raw)

    def nearest(self) -> list[str]:
        """Return the lines for rows in which no rule fires."""
        lines = ["", self.comment("No rule fires: take the rule whose labels are nearest."), self.arrays("steps")]
        for rule, numbers in enumerate(self.plan.rules):
            away = [self.away(self.plan.conditions[number]) for number in numbers]
            lines.append(self.line(f"steps[{rule}] = {' + '.join(away) or '0.0'}"))
        lines.append(self.line(f"nearest = {self.call('nearest_rule', 'steps')}", "whole number"))
        return [*lines, *self.answer("WHOLE[nearest]" if self.plan.said else "output[nearest]", "RADII[nearest]")]

    def away(self, condition: ConditionPlan) -> str:
        """Return the distance of the row from a condition."""
        if condition.codes is not None:
            return f"(1.0 - {self.degree(condition)})"
        if condition.triangle is not None:
            (a, b, c), x = condition.triangle, self.inside[condition.input]
            # Towards an infinite end the distance is zero.
            sides = [f"{b!r} - {x}" if math.isfinite(a) else "0.0", f"{x} - {b!r}" if math.isfinite(c) else "0.0"]
            return f"{self.greatest(sides)} / {condition.width!r}"
        place = " + ".join(self.split_points[number] for number in self.plan.split_points_of(condition.input))
        return self.call("away", str(condition.first), str(condition.last), place)

    def degree(self, condition: ConditionPlan, *, factor: bool = False) -> str:
        """Return the degree of a condition, with parentheses if it is a factor and needs them."""
        if condition.codes is not None:
            return self.one_of(self.inputs[condition.input], condition.codes)
        if condition.triangle is not None:
            return self.triangle(condition.triangle, self.inside[condition.input])
        below = "1.0" if condition.below is None else self.split_points[condition.below]
        if condition.above is None:
            return below
        difference = f"{below} - {self.split_points[condition.above]}"
        return f"({difference})" if factor else difference

    def triangle(self, triangle: Triangle, x: str) -> str:
        """Return the degree of a value in a triangle; towards an infinite end it is 1."""
        a, b, c = triangle
        sides = [self.call("rising", x, repr(a), repr(b))] if math.isfinite(a) else []
        sides += [self.call("falling", x, repr(b), repr(c))] if math.isfinite(c) else []
        return self.least(sides) if len(sides) == 2 else sides[0] if sides else "1.0"

    def weight(self, rule: int) -> str:
        """Return the degree to which a rule fires."""
        numbers = self.plan.rules[rule]
        factors = len(numbers) > 1 and self.rule_base.t_norm == "product"
        degrees = [
            self.sets.get(number) or self.degree(self.plan.conditions[number], factor=factors) for number in numbers
        ]
        if factors or len(degrees) < 2:
            return " * ".join(degrees) or "1.0"
        return self.least(degrees)

    def output(self, rule: int) -> str:
        """Return the output of a rule."""
        if self.plan.said:
            said = self.plan.said[rule]
            return self.call("centre", f"weight[{rule}]", repr(said.middle), repr(said.skew))
        slopes = self.rule_base.consequents.terms(rule)
        intercept = float(self.rule_base.consequents.intercepts[rule])
        return linear(intercept, {self.inputs[j]: slope for j, slope in slopes.items()})

    def label(self, condition: ConditionPlan) -> str:
        """Return the name of a condition's only label."""
        return self.rule_base.antecedents.condition_inputs[condition.input].partition.labels[condition.first]

    def split_label(self, split_point: SplitPoint) -> str:
        """Return the name of the label below a split point."""
        return self.rule_base.variables[split_point.input].partition.labels[split_point.number]

    def between(self, name: str, low: float, high: float) -> str:
        """Return a value clipped to two ends."""
        return self.least([self.greatest([name, repr(low)]), repr(high)])

    @abstractmethod
    def new_identifiers(self) -> Identifiers:
        """Return identifiers that exclude reserved words and names."""

    @abstractmethod
    def gap(self, value: str) -> str:
        """Return 1 if a value of the row is missing, else 0."""

    @abstractmethod
    def level(self, source: LevelSource, value: str, feature: int) -> str:
        """Return the number of a category."""

    @abstractmethod
    def seconds(self, source: DateSource, value: str) -> str:
        """Return the seconds from the start of 1970 to a date."""

    @abstractmethod
    def cycle(self, source: CycleSource, seconds: str) -> str:
        """Return the position in a cycle."""

    @abstractmethod
    def weekday(self, source: WeekdaySource, seconds: str, feature: int) -> str:
        """Return the number of a weekday."""

    @abstractmethod
    def head(self) -> str:
        """Return the beginning of the file."""

    @abstractmethod
    def predictions(self) -> list[str]:
        """Return the functions that users call."""

    @abstractmethod
    def function(self, name: str, arguments: Sequence[str], description: str, lines: Sequence[str]) -> str:
        """Return a function of numbers that returns a number."""

    @abstractmethod
    def table(self, name: str, numbers: Sequence[float], description: str) -> str:
        """Return a constant with one number per rule."""

    @abstractmethod
    def comment(self, text: str) -> str:
        """Return a comment on a line of its own."""

    @abstractmethod
    def line(self, assignment: str, declares: Declared | None = None) -> str:
        """Return an assignment as a line; the first assignment to a name declares it."""

    @abstractmethod
    def arrays(self, *names: str) -> str:
        """Return the line for arrays with one number per rule."""

    @abstractmethod
    def if_block(self, condition: str, lines: Sequence[str]) -> list[str]:
        """Return lines that are executed under a condition."""

    @abstractmethod
    def returned(self, prediction: str, *ends: str) -> list[str]:
        """Return the lines that return a prediction, and the ends of its interval."""

    @abstractmethod
    def call(self, function: str, *arguments: str) -> str:
        """Return the call of one of the file's own functions."""

    @abstractmethod
    def one_of(self, name: str, codes: Sequence[float]) -> str:
        """Return 1 if a value is one of some codes, else 0."""

    @abstractmethod
    def least(self, values: Sequence[str]) -> str:
        """Return the minimum of values."""

    @abstractmethod
    def greatest(self, values: Sequence[str]) -> str:
        """Return the maximum of values."""


def indented(lines: Sequence[str]) -> list[str]:
    """Return lines one level deeper."""
    return [f"    {line}" if line else "" for line in lines]
