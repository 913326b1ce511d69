"""Plain Python without any dependency: a module with ``predict(row)``."""

from __future__ import annotations

import builtins
import keyword
import math

from fruler._wording import counted_rules, name_with_unit
from fruler.export.expressions import curve_expression, linear
from fruler.export.input_plan import InputPlan, make_input_plan
from fruler.export.links import OutputPlan
from fruler.export.names import Identifiers, one_line, rule_title
from fruler.export.plan import Condition, CurvePlan, Plan, SplitPoint, make_plan
from fruler.export.python_dates import date_modules
from fruler.export.python_inputs import input_lines, input_parts
from fruler.rules.rule_base import RuleBase
from fruler.rules.triangle_partition import Triangle

_OWN_NAMES = (
    *("math", "datetime", "re", "zoneinfo"),
    *("predict", "row", "values", "rules", "steps", "total", "weight", "output", "curves"),
    *("predict_interval", "prediction", "beyond", "reach", "radius", "nearest"),
    *("INPUTS", "TARGET", "MEANS", "SLOPES", "COVERAGE", "RADII"),
)

_SHARE_ABOVE = '''

def _share_above(x, start, low, width, high):
    """How far x lies above the split point between two labels: from 0 (below it) to 1 (above it)."""
    if x >= high:
        return 1.0
    if x > start:
        return (x - low) / width
    return 0.0
'''

_AWAY = '''

def _away(first, last, place):
    """How many labels a place is away from a range of labels."""
    return max(first - place, place - last, 0.0)
'''

_TRIANGLE = '''

def _triangle(x, a, b, c):
    """The degree of x in a triangle: 1 at b, 0 from a down and from c up; an infinite end keeps it at 1."""
    if x < b and a > -math.inf:
        return (x - a) / (b - a) if x > a else 0.0
    if x > b and c < math.inf:
        return (c - x) / (c - b) if x < c else 0.0
    return 1.0
'''

_FROM_MIDDLE = '''

def _from_middle(x, a, b, c, width):
    """How far x is from the middle of a triangle, as a share of a width; beyond an infinite end it is not."""
    inside = (x < b and a == -math.inf) or (x > b and c == math.inf)
    return 0.0 if inside else abs(x - b) / width
'''

_CENTRE = '''

def _centre(height, middle, skew):
    """The centre of a triangle that is cut off at a height; the skew is its right side less its left."""
    rest = 1.0 - height
    return middle + skew * ((1.0 + rest + rest * rest) / (3.0 * (1.0 + rest)))
'''


_OUTPUT = '''

def _output(raw):
    """The prediction for what the rules say together."""
{lines}'''


_INTERVAL = '''

def predict(row):
    """Return the prediction for one row, as predict_interval does."""
    return predict_interval(row)[0]
'''


def export(rule_base: RuleBase, *, interval: float | None = None) -> str:
    """Write a rule base as a Python module.

    Parameters
    ----------
    rule_base : RuleBase
        The model.
    interval : float, optional
        The coverage of prediction intervals, such as 0.9. Then there is also ``predict_interval(row)``, which returns
        the prediction and the two ends of its interval.

    Returns
    -------
    str
        The source: ``predict(row)`` takes the values of one row in the order of ``INPUTS``, the columns of the table,
        and returns the prediction. Categories are text, and dates are dates or text. A gap is None or NaN; it is filled
        in as `RuleBase.predict` does, and so is an unknown category. Where the rules do not know how, it is a
        ``ValueError``, and so is a number that is infinite.

    See Also
    --------
    fruler.export.export_model : The same for any target.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> temperature = Variable("temperature", FuzzyPartition([10.0], (-10.0, 30.0)))
    >>> rules = RuleBase([temperature], [[[0, 0]], [[1, 1]]], [[25.0, -1.0], [5.25, 0.0]], target_name="heating")
    >>> print(export(rules).splitlines()[-1].strip())
    return sum(weight * output for weight, output in rules) / total
    """
    plan = make_plan(rule_base, interval)
    return _Writer(rule_base, plan, make_input_plan(rule_base, plan)).module()


class _Writer:
    def __init__(self, rule_base: RuleBase, plan: Plan, input_plan: InputPlan) -> None:
        self.rule_base, self.plan, self.input_plan = rule_base, plan, input_plan
        names = Identifiers((*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *_OWN_NAMES))
        variables = rule_base.variables
        self.inputs = [names.new(variable.name, f"x{j + 1}") for j, variable in enumerate(variables)]
        self.split_points = []
        for split_point in plan.split_points:
            label = variables[split_point.input].partition.labels[split_point.number]
            name = self.inputs[split_point.input]
            self.split_points.append(names.new(f"{name} above {label}", name))
        self.inside = {j: names.new(f"{self.inputs[j]} inside", "inside") for j in plan.limits}
        self.sets = {
            number: names.new(f"{self.inputs[condition.input]} is {self.label(condition)}", "set")
            for number, condition in enumerate(plan.conditions)
            if condition.triangle is not None
        }
        self.conditions = [self.sets.get(number) or self.degree(own) for number, own in enumerate(plan.conditions)]
        self.curve_split_points = [
            names.new(f"{self.inputs[split_point.input]} curve {split_point.number + 1}", "curve")
            for split_point in plan.curve_split_points
        ]

    def module(self) -> str:
        rule_base = self.rule_base
        target = one_line(name_with_unit(rule_base.target_name, rule_base.target_unit))
        count = counted_rules(rule_base.n_rules, rule_base.n_curves)
        text = f"# {count} for {target}, learned and written by fruler.\n\n"
        modules = [*date_modules([self.input_plan.sources[j] for j in self.input_plan.needed]), "math"]
        text += "".join(f"import {module}\n" for module in sorted(modules)) + "\nINPUTS = (\n"
        units = {one.column: one.unit for one in rule_base.variables if one.unit and one.written(0.0) is None}
        for column in rule_base.columns:
            unit = f"  # in {one_line(units[column])}" if column in units else ""
            text += f"    {column!r},{unit}\n"
        text += f")\nTARGET = {rule_base.target_name!r}\n"
        if self.plan.interval is not None:
            text += f"COVERAGE = {self.plan.interval.coverage!r}\n"
            text += "# How far intervals reach where each rule alone answers.\n"
            text += f"RADII = ({', '.join(map(repr, self.plan.interval.radii))},)\n"
        text += "".join(input_parts(self.input_plan))
        text += _SHARE_ABOVE if self.plan.split_points or self.plan.curve_split_points else ""
        text += _AWAY if any(condition.counts_labels for condition in self.plan.conditions) and self.seeks else ""
        text += _TRIANGLE if self.plan.limits else ""
        text += _FROM_MIDDLE if self.plan.limits and self.seeks else ""
        text += _CENTRE if self.plan.said else ""
        text += "" if self.plan.output is None else _OUTPUT.format(lines=_output_lines(self.plan.output))
        text += _INTERVAL if self.plan.interval is not None else ""
        return text + "\n\n" + "\n".join(self.function()) + "\n"

    @property
    def seeks(self) -> bool:
        """Whether the nearest rule is to be looked for."""
        return not self.plan.covered

    def function(self) -> list[str]:
        name, what = "predict", "the prediction"
        if self.plan.interval is not None:
            name, what = "predict_interval", "the prediction and the ends of its interval"
        lines = [f"def {name}(row):", *input_lines(self.input_plan, self.inputs, what), *self.outside(), ""]
        if self.plan.split_points:
            lines.append("    # How far the row lies above the split points between labels.")
        lines += [self.share_above(*pair) for pair in zip(self.split_points, self.plan.split_points, strict=True)]
        if self.plan.limits:
            lines.append("    # A value beyond the training data counts as the nearest that they have.")
        for j, (low, high) in self.plan.limits.items():
            lines.append(f"    {self.inside[j]} = min(max({self.inputs[j]}, {low!r}), {high!r})")
        for number, name in self.sets.items():
            lines.append(f"    {name} = {self.degree(self.plan.conditions[number])}")
        lines += ["", "    # For each rule: how well the row fits, and the rule's own output.", "    rules = ["]
        for rule in range(self.rule_base.n_rules):
            lines += [
                f"        # {rule_title(self.rule_base, rule)}",
                "        (",
                f"            {self.weight(rule)},",
                f"            {self.output(rule)},",
                "        ),",
            ]
        lines += ["    ]", "    total = sum(weight for weight, output in rules)", *self.curves()]
        output = "_centre(weight, *output)" if self.plan.said else "output"
        mean = f"sum(weight * {output} for weight, output in rules) / total{self.with_curves}"
        reach = "sum(rule[0] * radius for rule, radius in zip(rules, RADII)) / total"
        answer = self.answer(mean, reach)
        if not self.seeks:
            return [*lines, *answer]
        return [*lines, "    if total > 0.0:", *(f"    {line}" for line in answer), *self.nearest()]

    def outside(self) -> list[str]:
        """Return the lines for rows outside the training data."""
        lines = []
        if self.plan.interval is not None:
            ranges = self.plan.interval.ranges.items()
            parts = [
                f"max({low!r} - {self.inputs[j]}, {self.inputs[j]} - {high!r}, 0.0) / {high - low!r}"
                for j, (low, high) in ranges
            ]
            lines += [
                "    # How far the row lies outside the training data, as a share of their range.",
                "    beyond = (",
            ]
            lines += [f"        {part} +" for part in parts] + ["        0.0", "    )"]
        if self.plan.clips:
            lines.append("    # A value outside the training data counts as the nearest that they have.")
        for j, (low, high) in self.plan.clips.items():
            lines.append(f"    {self.inputs[j]} = min(max({self.inputs[j]}, {low!r}), {high!r})")
        return lines

    def answer(self, prediction: str, reach: str) -> list[str]:
        """Return the last lines, with expressions for the prediction and how far its interval reaches."""
        linked = "{}" if self.plan.output is None else "_output({})"
        if self.plan.interval is None:
            return [f"    return {linked.format(prediction)}"]
        ends = (linked.format(end) for end in ("prediction", "prediction - reach", "prediction + reach"))
        return [
            f"    prediction = {prediction}",
            f"    reach = {reach} * (1.0 + beyond)",
            f"    return {', '.join(ends)}",
        ]

    def label(self, condition: Condition) -> str:
        return self.rule_base.antecedents.condition_inputs[condition.input].partition.labels[condition.first]

    def share_above(self, name: str, split_point: SplitPoint) -> str:
        numbers = f"{split_point.start!r}, {split_point.low!r}, {split_point.width!r}, {split_point.high!r}"
        return f"    {name} = _share_above({self.inputs[split_point.input]}, {numbers})"

    def curves(self) -> list[str]:
        if not self.plan.curves:
            return []
        lines = ["", "    # What single inputs add, whichever rules fit."]
        lines += [
            self.share_above(*pair) for pair in zip(self.curve_split_points, self.plan.curve_split_points, strict=True)
        ]
        *first, last = [self.curve(curve) for curve in self.plan.curves]
        return [*lines, "    curves = (", *(f"        {curve} +" for curve in first), f"        {last}", "    )", ""]

    def curve(self, curve: CurvePlan) -> str:
        shares = [self.curve_split_points[number] for number in curve.split_points]
        return curve_expression(curve, self.inputs[curve.input], shares)

    @property
    def with_curves(self) -> str:
        return " + curves" if self.plan.curves else ""

    def degree(self, condition: Condition) -> str:
        if condition.codes is not None:
            return f"float({self.inputs[condition.input]} in {condition.codes!r})"
        if condition.triangle is not None:
            return f"_triangle({self.inside[condition.input]}, {_points(condition.triangle)})"
        below = "1.0" if condition.below is None else self.split_points[condition.below]
        return below if condition.above is None else f"({below} - {self.split_points[condition.above]})"

    def weight(self, rule: int) -> str:
        degrees = [self.conditions[number] for number in self.plan.rules[rule]]
        if self.rule_base.t_norm == "product" or len(degrees) < 2:
            return " * ".join(degrees) or "1.0"
        return f"min({', '.join(degrees)})"

    def output(self, rule: int) -> str:
        if self.plan.said:
            said = self.plan.said[rule]
            return f"({said.middle!r}, {said.skew!r})"
        slopes = self.rule_base.consequents.terms(rule)
        intercept = float(self.rule_base.consequents.intercepts[rule])
        return linear(intercept, {self.inputs[j]: slope for j, slope in slopes.items()})

    def nearest(self) -> list[str]:
        lines = ["", "    # No rule fits: the one whose labels are nearest answers.", "    steps = ["]
        for rule, numbers in enumerate(self.plan.rules):
            away = [self.away(self.plan.conditions[number]) for number in numbers]
            lines.append(f"        {' + '.join(away) or '0.0'},  # rule {rule + 1}")
        said = "rules[nearest][1]"
        if self.plan.said:
            said = f"({', '.join(repr(own.whole) for own in self.plan.said)},)[nearest]"
        answer = self.answer(f"{said}{self.with_curves}", "RADII[nearest]")
        return [*lines, "    ]", "    nearest = steps.index(min(steps))", *answer]

    def away(self, condition: Condition) -> str:
        if condition.codes is not None:
            return f"(1.0 - {self.degree(condition)})"
        if condition.triangle is not None:
            points = _points(condition.triangle)
            return f"_from_middle({self.inside[condition.input]}, {points}, {condition.width!r})"
        place = " + ".join(self.split_points[number] for number in self.plan.split_points_of(condition.input))
        return f"_away({condition.first}, {condition.last}, {place})"


def _output_lines(plan: OutputPlan) -> str:
    """Write the body of the function that makes predictions of what the rules say."""
    lines = ""
    for sign, end in (("<=", plan.lowest), (">=", plan.highest)):
        lines += "" if end is None else f"    if raw {sign} {end.raw!r}:\n        return {end.target!r}\n"
    return f"{lines}    return {plan.code.python.format('raw')}\n"


def _points(triangle: Triangle) -> str:
    """Write the points of a triangle."""
    a, b, c = triangle
    return f"{'-math.inf' if math.isinf(a) else repr(a)}, {b!r}, {'math.inf' if math.isinf(c) else repr(c)}"
