"""One file of C99 with ``double fruler_predict(const double *x)``; it needs nothing but math.h."""

from __future__ import annotations

import math

from fruler._wording import counted_rules, name_with_unit
from fruler.export.c_inputs import declared_functions, input_lines, input_parts
from fruler.export.c_literals import comment, string
from fruler.export.expressions import curve_expression, linear
from fruler.export.input_plan import InputPlan, make_input_plan
from fruler.export.links import OutputPlan
from fruler.export.names import Identifiers, rule_title
from fruler.export.plan import Condition, CurvePlan, Plan, SplitPoint, make_plan
from fruler.rules.rule_base import RuleBase
from fruler.rules.triangle_partition import Triangle

_SHARE_ABOVE = """
/* How far x lies above the split point between two labels: from 0 (below it) to 1 (above it). */
static double share_above(double x, double start, double low, double width, double high)
{
    if (x >= high)
        return 1.0;
    return x > start ? (x - low) / width : 0.0;
}
"""

_AWAY = """
/* How many labels a place is away from a range of labels. */
static double away(double first, double last, double place)
{
    return fmax(fmax(first - place, place - last), 0.0);
}
"""

_TRIANGLE = """
/* The degree of x in a triangle: 1 at b, 0 from a down and from c up; an infinite end keeps it at 1. */
static double triangle(double x, double a, double b, double c)
{
    if (x < b && a > -INFINITY)
        return x > a ? (x - a) / (b - a) : 0.0;
    if (x > b && c < INFINITY)
        return x < c ? (c - x) / (c - b) : 0.0;
    return 1.0;
}
"""

_FROM_MIDDLE = """
/* How far x is from the middle of a triangle, as a share of a width; beyond an infinite end it is not. */
static double from_middle(double x, double a, double b, double c, double width)
{
    if ((x < b && a == -INFINITY) || (x > b && c == INFINITY))
        return 0.0;
    return fabs(x - b) / width;
}
"""

_CENTRE = """
/* The centre of a triangle that is cut off at a height; the skew is its right side less its left. */
static double centre(double height, double middle, double skew)
{
    const double rest = 1.0 - height;
    return middle + skew * ((1.0 + rest + rest * rest) / (3.0 * (1.0 + rest)));
}
"""

_OUTPUT = """
/* The prediction for what the rules say together. */
static double linked(double raw)
{{
{lines}}}
"""

_INTERVAL = """
/* Return the prediction for one row, as fruler_predict_interval does. */
double fruler_predict(const double *x)
{
    double lower, upper;
    return fruler_predict_interval(x, &lower, &upper);
}
"""

_PREDICT = "double fruler_predict(const double *x)"
_PREDICT_INTERVAL = "double fruler_predict_interval(const double *x, double *lower, double *upper)"


def export(rule_base: RuleBase, *, interval: float | None = None) -> str:
    r"""Write a rule base as one file of C99.

    Parameters
    ----------
    rule_base : RuleBase
        The model.
    interval : float, optional
        The coverage of prediction intervals, such as 0.9. Then there is also ``fruler_predict_interval``, which writes
        the ends of the interval to where two pointers point, and returns the prediction.

    Returns
    -------
    str
        The source. ``fruler_predict`` takes the numbers of one row in the order of ``fruler_inputs``, the columns of
        the table, and returns the prediction. A category is a number too: a constant has its code, and
        ``fruler_code(column, text)`` finds it. A date is the seconds from the start of 1970 to what the clock shows,
        in the zone that the model was learned in. NAN is a gap; it is filled in as `RuleBase.predict` does, and so is
        an unknown code. Where the rules do not know how, and where a number that they need is infinite, the prediction
        is NAN.

    See Also
    --------
    fruler.export.export_model : The same for any target.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> temperature = Variable("temperature", FuzzyPartition([10.0], (-10.0, 30.0)))
    >>> rules = RuleBase([temperature], [[[0, 0]], [[1, 1]]], [[25.0, -1.0], [5.25, 0.0]], target_name="heating")
    >>> print("\n".join(export(rules).splitlines()[-13:]))
        weight[0] = 1.0 - temperature_above_low;
        output[0] = 25.0 - 1.0 * x_temperature;
        total += weight[0];
    <BLANKLINE>
        /* Rule 2: if temperature is high */
        weight[1] = temperature_above_low;
        output[1] = 5.25;
        total += weight[1];
    <BLANKLINE>
        for (int rule = 0; rule < 2; ++rule)
            sum += weight[rule] * output[rule];
        return sum / total;
    }
    """
    plan = make_plan(rule_base, interval)
    return _Writer(rule_base, plan, make_input_plan(rule_base, plan)).file()


class _Writer:
    def __init__(self, rule_base: RuleBase, plan: Plan, input_plan: InputPlan) -> None:
        self.rule_base, self.plan, self.input_plan = rule_base, plan, input_plan
        # With a prefix no name can be a word of the language, a macro or one of the names below.
        names = Identifiers(["x"])
        variables = rule_base.variables
        self.inputs = [names.new(f"x_{variable.name}", f"x{j + 1}") for j, variable in enumerate(variables)]
        self.split_points = []
        for split_point in plan.split_points:
            label = variables[split_point.input].partition.labels[split_point.number]
            self.split_points.append(names.new(f"{self.inputs[split_point.input][2:]} above {label}", "above"))
        self.curve_split_points = [
            names.new(f"{self.inputs[split_point.input]} curve {split_point.number + 1}", "curve")
            for split_point in plan.curve_split_points
        ]
        self.inside = {j: names.new(f"{self.inputs[j]} inside", "x inside") for j in plan.limits}
        self.sets = {
            number: names.new(f"{self.inputs[condition.input]} is {self.label(condition)}", "x set")
            for number, condition in enumerate(plan.conditions)
            if condition.triangle is not None
        }
        # A name of its own: all others begin with an x or hold "above".
        self.with_curves = " + curves" if plan.curves else ""

    def file(self) -> str:
        rule_base = self.rule_base
        n_columns, count = len(rule_base.columns), counted_rules(rule_base.n_rules, rule_base.n_curves)
        target = name_with_unit(rule_base.target_name, rule_base.target_unit)
        lines = [
            comment(f"{count} for {target}, learned and written by fruler."),
            *([comment(self.input_plan.date_note)] if self.input_plan.date_note else []),
            "#include <math.h>",
            *([] if self.input_plan.numeric else ["#include <string.h>"]),
            "",
            f"extern const char *const fruler_inputs[{n_columns}];",
            "extern const char *const fruler_target;",
            f"{_PREDICT};",
            *([] if self.plan.interval is None else [f"{_PREDICT_INTERVAL};"]),
            *declared_functions(self.input_plan),
            "",
            f"const char *const fruler_inputs[{n_columns}] = {{",
            *(f"    {string(column)}," for column in rule_base.columns),
            "};",
            f"const char *const fruler_target = {string(rule_base.target_name)};",
        ]
        text = "\n".join(lines) + "\n" + "".join(input_parts(self.input_plan))
        text += _SHARE_ABOVE if self.split_points or self.curve_split_points else ""
        if not self.plan.covered and any(condition.counts_labels for condition in self.plan.conditions):
            text += _AWAY
        text += _TRIANGLE if self.plan.limits else ""
        text += _FROM_MIDDLE if self.plan.limits and not self.plan.covered else ""
        text += _CENTRE if self.plan.said else ""
        text += "" if self.plan.output is None else _OUTPUT.format(lines=_output_lines(self.plan.output))
        text += _INTERVAL if self.plan.interval is not None else ""
        return text + "\n" + "\n".join(self.function()) + "\n"

    def function(self) -> list[str]:
        n_rules, n_columns = self.rule_base.n_rules, len(self.rule_base.columns)
        interval = self.plan.interval
        ends = "" if interval is None else f" and the ends of its interval ({interval.coverage:.10g} of rows lie in it)"
        lines = [
            f"/* Return the prediction for one row{ends}: {n_columns} numbers in the order of fruler_inputs. */",
            _PREDICT if interval is None else _PREDICT_INTERVAL,
            "{",
        ]
        plain = self.input_plan.plain
        if not plain and self.input_plan.needed:
            lines += input_lines(self.input_plan)
        for j in self.plan.used:
            variable = self.rule_base.variables[j]
            note = comment(name_with_unit(variable.name, variable.unit))
            value = f"x[{j}]" if plain else f"values[{self.input_plan.needed.index(j)}]"
            kind = "double" if j in self.plan.clips else "const double"
            lines.append(f"    {kind} {self.inputs[j]} = {value}; {note}")
        lines += [f"    double weight[{n_rules}], output[{n_rules}], total = 0.0, sum = 0.0;", ""]
        if self.plan.used:
            finite = " && ".join(f"isfinite({self.inputs[j]})" for j in self.plan.used)
            nothing = "return NAN;" if interval is None else "return *lower = *upper = NAN;"
            lines += [f"    if (!({finite}))", f"        {nothing}", ""]
        elif plain or not self.input_plan.needed:
            lines += ["    (void)x;", ""]
        lines += self.outside()
        lines += [self.share_above(*pair) for pair in zip(self.split_points, self.plan.split_points, strict=True)]
        for j, (low, high) in self.plan.limits.items():
            lines.append(f"    const double {self.inside[j]} = fmin(fmax({self.inputs[j]}, {low!r}), {high!r});")
        for number, name in self.sets.items():
            condition = self.plan.conditions[number]
            lines.append(f"    const double {name} = {self.degree(condition)};")
        for rule in range(n_rules):
            lines += [
                "",
                f"    {comment(rule_title(self.rule_base, rule))}",
                f"    weight[{rule}] = {self.weight(rule)};",
                f"    output[{rule}] = {self.output(rule)};",
                f"    total += weight[{rule}];",
            ]
        lines += self.curves()
        lines += [] if self.plan.covered else ["", *self.nearest()]
        return [
            *lines,
            "",
            *self.reach(),
            f"    for (int rule = 0; rule < {n_rules}; ++rule)",
            "        sum += weight[rule] * output[rule];",
            *self.answer(f"sum / total{self.with_curves}", "reach / total"),
            "}",
        ]

    def outside(self) -> list[str]:
        """Return the lines for rows outside the training data."""
        lines = []
        if self.plan.interval is not None:
            radii = ", ".join(map(repr, self.plan.interval.radii))
            lines += [
                "    /* How far intervals reach where each rule alone answers. */",
                f"    static const double radii[{self.rule_base.n_rules}] = {{{radii}}};",
                "    /* How far the row lies outside the training data, as a share of their range. */",
                "    double beyond = 0.0;",
            ]
            for j, (low, high) in self.plan.interval.ranges.items():
                name = self.inputs[j]
                distance = f"fmax(fmax({low!r} - {name}, {name} - {high!r}), 0.0)"
                lines.append(f"    beyond += {distance} / {high - low!r};")
            lines.append("")
        for j, (low, high) in self.plan.clips.items():
            lines.append(f"    {self.inputs[j]} = fmin(fmax({self.inputs[j]}, {low!r}), {high!r});")
        return lines

    def reach(self) -> list[str]:
        if self.plan.interval is None:
            return []
        return [
            "    double reach = 0.0;",
            f"    for (int rule = 0; rule < {self.rule_base.n_rules}; ++rule)",
            "        reach += weight[rule] * radii[rule];",
        ]

    def answer(self, prediction: str, reach: str) -> list[str]:
        """Return the last lines, with expressions for the prediction and how far its interval reaches."""
        linked = "{}" if self.plan.output is None else "linked({})"
        if self.plan.interval is None:
            return [f"    return {linked.format(prediction)};"]
        ends = [linked.format(f"prediction {sign} {reach} * (1.0 + beyond)") for sign in "-+"]
        return [
            f"    const double prediction = {prediction};",
            f"    *lower = {ends[0]};",
            f"    *upper = {ends[1]};",
            f"    return {linked.format('prediction')};",
        ]

    def label(self, condition: Condition) -> str:
        return self.rule_base.antecedents.condition_inputs[condition.input].partition.labels[condition.first]

    def share_above(self, name: str, split_point: SplitPoint) -> str:
        numbers = f"{split_point.start!r}, {split_point.low!r}, {split_point.width!r}, {split_point.high!r}"
        return f"    const double {name} = share_above({self.inputs[split_point.input]}, {numbers});"

    def curves(self) -> list[str]:
        if not self.plan.curves:
            return []
        lines = ["", "    /* What single inputs add, whichever rules fit. */"]
        lines += [
            self.share_above(*pair) for pair in zip(self.curve_split_points, self.plan.curve_split_points, strict=True)
        ]
        *first, last = [self.curve(curve) for curve in self.plan.curves]
        return [*lines, "    const double curves =", *(f"        {curve} +" for curve in first), f"        {last};"]

    def curve(self, curve: CurvePlan) -> str:
        shares = [self.curve_split_points[number] for number in curve.split_points]
        return curve_expression(curve, self.inputs[curve.input], shares)

    def degree(self, condition: Condition) -> str:
        if condition.codes is not None:
            name = self.inputs[condition.input]
            return "(" + " || ".join(f"{name} == {code!r}" for code in condition.codes) + " ? 1.0 : 0.0)"
        if condition.triangle is not None:
            return f"triangle({self.inside[condition.input]}, {_points(condition.triangle)})"
        below = "1.0" if condition.below is None else self.split_points[condition.below]
        return below if condition.above is None else f"({below} - {self.split_points[condition.above]})"

    def weight(self, rule: int) -> str:
        numbers = self.plan.rules[rule]
        degrees = [self.sets.get(number) or self.degree(self.plan.conditions[number]) for number in numbers]
        if len(degrees) == 1:
            return degrees[0].removeprefix("(").removesuffix(")")
        if self.rule_base.t_norm == "product":
            return " * ".join(degrees) or "1.0"
        least = degrees[0] if degrees else "1.0"
        for degree in degrees[1:]:
            least = f"fmin({least}, {degree})"
        return least

    def output(self, rule: int) -> str:
        if self.plan.said:
            said = self.plan.said[rule]
            return f"centre(weight[{rule}], {said.middle!r}, {said.skew!r})"
        slopes = self.rule_base.consequents.terms(rule)
        intercept = float(self.rule_base.consequents.intercepts[rule])
        return linear(intercept, {self.inputs[j]: slope for j, slope in slopes.items()})

    def nearest(self) -> list[str]:
        lines = [
            "    /* No rule fits: the one whose labels are nearest answers. */",
            "    if (!(total > 0.0)) {",
            f"        double steps[{self.rule_base.n_rules}];",
            "        int best = 0;",
        ]
        answer = "output"
        if self.plan.said:
            whole = ", ".join(repr(said.whole) for said in self.plan.said)
            lines.insert(2, f"        static const double whole[{self.rule_base.n_rules}] = {{{whole}}};")
            answer = "whole"
        for rule, numbers in enumerate(self.plan.rules):
            away = [self.away(self.plan.conditions[number]) for number in numbers]
            lines.append(f"        steps[{rule}] = {' + '.join(away) or '0.0'};")
        return [
            *lines,
            f"        for (int rule = 1; rule < {self.rule_base.n_rules}; ++rule)",
            "            if (steps[rule] < steps[best])",
            "                best = rule;",
            *(f"    {line}" for line in self.answer(f"{answer}[best]{self.with_curves}", "radii[best]")),
            "    }",
        ]

    def away(self, condition: Condition) -> str:
        if condition.codes is not None:
            return f"(1.0 - {self.degree(condition)})"
        if condition.triangle is not None:
            points = _points(condition.triangle)
            return f"from_middle({self.inside[condition.input]}, {points}, {condition.width!r})"
        place = " + ".join(self.split_points[number] for number in self.plan.split_points_of(condition.input))
        return f"away({condition.first}.0, {condition.last}.0, {place})"


def _output_lines(plan: OutputPlan) -> str:
    """Write the body of the function that makes predictions of what the rules say."""
    lines = ""
    for sign, end in (("<=", plan.lowest), (">=", plan.highest)):
        lines += "" if end is None else f"    if (raw {sign} {end.raw!r})\n        return {end.target!r};\n"
    return f"{lines}    return {plan.code.c.format('raw')};\n"


def _points(triangle: Triangle) -> str:
    """Write the points of a triangle."""
    a, b, c = triangle
    return f"{'-INFINITY' if math.isinf(a) else repr(a)}, {b!r}, {'INFINITY' if math.isinf(c) else repr(c)}"
