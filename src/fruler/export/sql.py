"""A SELECT over a table, in the common SQL of SQLite, DuckDB and other databases."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from fruler._wording import counted_rules, name_with_unit, printable, require_printable
from fruler.export._phrases import curve_expression, linear, rule_title
from fruler.export._plan import (
    ConditionPlan,
    CurvePlan,
    ModelPlan,
    OutputPlan,
    SplitPoint,
    make_model_plan,
)
from fruler.export._sql_inputs import (
    FENCE,
    case,
    fence,
    filled_tables,
    identifier,
    input_columns,
    is_usable,
    real,
    source_table,
)
from fruler.rules._partitions import Triangle
from fruler.rules._rule_base import RuleBase

_ENDS = ("lower", "upper")


def export(
    rule_base: RuleBase,
    *,
    table: str = "data",
    keep: Sequence[str] = (),
    prediction: str = "prediction",
    gaps: bool | Collection[str] = True,
    interval: float | None = None,
) -> str:
    """Write a rule base as a SELECT that predicts every row of a table.

    The table must have columns with the names of those that the rules use. Categories are text or truth values; dates
    are dates, timestamps, or text such as 2024-12-31 18:30:00. NULL, NaN and unknown categories are missing values,
    which are filled in as in `RuleBase.predict`. The prediction is NULL if the model has no estimates for missing
    values, or if a number is infinite.

    Parameters
    ----------
    rule_base : RuleBase
        The model.
    table : str, default="data"
        The name of the table; it is quoted, so any name works.
    keep : sequence of str, default=()
        Columns of the table to put before the prediction, such as its key.
    prediction : str, default="prediction"
        The name of the column of predictions.
    gaps : bool or collection of str, default=True
        Whether to fill in gaps; or the columns whose gaps to fill in. Without it the query is much shorter, and the
        prediction is NULL if a column that it needs has a gap.
    interval : float, optional
        The coverage of prediction intervals, such as 0.9. It adds two columns, ``lower`` and ``upper``.

    Returns
    -------
    str
        One query, without a semicolon: it can be run, made a view, or used as a subquery.

    Raises
    ------
    ValueError
        If two columns of the result have the same name, or dates have a time zone.

    See Also
    --------
    fruler.export.export_model : The same for any target.

    Examples
    --------
    >>> import sqlite3
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> temperature = Variable("temperature", FuzzyPartition([10.0], (-10.0, 30.0)))
    >>> rules = RuleBase([temperature], [[[0, 0]], [[1, 1]]], [[25.0, -1.0], [5.25, 0.0]], target_name="heating")
    >>> database = sqlite3.connect(":memory:")
    >>> _ = database.execute("create table days as select 1 as id, 10.0 as temperature")
    >>> database.execute(export(rules, table="days", keep=["id"])).fetchall()
    [(1, 10.125)]
    """
    if isinstance(keep, str):
        keep = (keep,)
    require_printable((table, prediction, *keep), "name of a table or column")
    names = [*keep, prediction, *([] if interval is None else _ENDS)]
    if len(set(names)) < len(names):
        raise ValueError(f"The columns of the result must have distinct names; got {', '.join(names)}.")
    return _SQLWriter(rule_base, make_model_plan(rule_base, interval, gaps), tuple(keep)).query(table, prediction)


class _SQLWriter:
    """A writer of the query, from the inside out; every column inside it has a short name.

    x: inputs, m: whether they are missing, k: columns kept, b: shares above split points, c: degrees of conditions,
    a: distances from conditions, w: weights of rules, y: outputs of rules, s: distances from rules, t: the sum of the
    weights, v: curves, z: inputs clipped to their limits, o: distance from the training data, r: the output of all
    rules and the ends of its interval.
    """

    def __init__(self, rule_base: RuleBase, plan: ModelPlan, keep: tuple[str, ...]) -> None:
        self.rule_base, self.plan, self.keep = rule_base, plan, keep
        self.inputs = [f"x{j + 1}" for j in plan.used]
        self.kept = [f"k{number}" for number in range(1, len(keep) + 1)]
        self.rules = range(1, rule_base.n_rules + 1)
        self.seeks = not plan.covered
        self.curves = list(enumerate(plan.curves, 1))

    def query(self, table: str, prediction: str) -> str:
        target = name_with_unit(self.rule_base.target_name, self.rule_base.target_unit)
        before, inner = self.source(table)
        inner = self.outside(inner)
        inner = self.layer(inner, self.inside(), "values clipped to the range of the input", 0)
        inner = self.layer(inner, self.split_points(), "the share of each row above each split point, from 0 to 1", 1)
        inner = self.layer(
            inner, self.conditions(), "how well each row matches each condition, from 0 to 1", 2, fenced=self.seeks
        )
        # The output of a rule whose consequent is a label has the rule's weight in it several times.
        inner = self.layer(inner, self.rule_columns(), "the rules", 3, fenced=self.seeks or bool(self.plan.said))
        between = ",\n  " if self.plan.said else ", "
        rules = between.join(", ".join(self.carried(rule)) for rule in self.rules)
        total = f"{' + '.join(f'w{rule}' for rule in self.rules)} AS t"
        curves = [f"-- {self.curve_title(curve)}\n  {self.curve(curve)} AS v{n}" for n, curve in self.curves]
        inner = self.layer(inner, [rules, total, *curves], "the sum of the degrees of all rules", 4)
        said = [self.answer()]
        if self.plan.interval is not None:
            reach = self.reach(self.plan.interval.radii)
            said += [f"{said[0]} {sign} {reach}" for sign in "-+"]
        if self.plan.output is not None:
            raw = [*self.kept, *(f"{own} AS r{place}" for place, own in enumerate(said)), FENCE]
            inner = select(inner, raw, "the output of all rules", "said") + fence(len(raw))
            said = [self.prediction_of(self.plan.output, f"r{place}") for place in range(len(said))]
        last = [f"{name} AS {identifier(column)}" for column, name in zip(self.keep, self.kept, strict=True)]
        ends = [prediction, *_ENDS][: len(said)]
        last += [f"{own} AS {identifier(end)}" for own, end in zip(said, ends, strict=True)]
        columns = ",\n       ".join(last)
        count = counted_rules(self.rule_base.n_rules, self.rule_base.n_curves)
        return (
            f"-- {count} for {printable(target)}, learned and written by fruler.\n"
            f"{before}SELECT {columns}\nFROM (\n{inner}\n) AS totals\n"
        )

    def prediction_of(self, plan: OutputPlan, raw: str) -> str:
        """Return the prediction for an output of the rules."""
        function = plan.code["sql"].format(raw)
        ends = zip(("<=", ">="), plan.ends, strict=True)
        return case({f"{raw} {sign} {real(end.raw)}": real(end.target) for sign, end in ends if end}, function)

    def source(self, table: str) -> tuple[str, str]:
        """Return the text before the query, and its innermost SELECT of the inputs and the columns kept.

        Columns are qualified with their table, because SQLite takes an unknown quoted name for a string.
        """
        columns = input_columns(self.plan.inputs)
        columns += [f"t.{identifier(column)} AS {name}" for column, name in zip(self.keep, self.kept, strict=True)]
        inner = f"SELECT {', '.join(columns or ['1 AS no_input'])} FROM {source_table(self.plan.inputs, table)}"
        if self.plan.inputs.filling is None:
            return "", inner
        prefix = "gaps"
        while table.lower().startswith(prefix):
            prefix += "_"
        tables, last = filled_tables(self.plan.inputs, self.plan.inputs.filling, inner, self.kept, prefix)
        note = f"-- {prefix}_...: fill in missing values. A table without gaps does not need this (gaps=False)."
        return f"{note}\n{tables}\n", f"SELECT {', '.join([*self.kept, *self.inputs]) or '1 AS no_input'} FROM {last}"

    def layer(self, inner: str, new: Sequence[str], what: str, place: int, *, fenced: bool = False) -> str:
        """Wrap a query in a SELECT with new columns, the inputs, the columns kept, and the distance for intervals.

        It does not use WITH, since some databases would materialise all rows of a step before the next one. SQLite, on
        the other hand, merges the expressions of all steps into one, which becomes huge if distances from rules are
        compared; a fence, a union with no rows, prevents that and costs other databases nothing.
        """
        if not new:
            return inner
        carried = [*self.kept, *self.inputs, *([] if self.plan.interval is None else ["o"])]
        columns = [*([", ".join(carried)] if carried else []), *new, *([FENCE] if fenced else [])]
        return select(inner, columns, what, f"layer_{place}") + (fence(len(carried) + len(new) + 1) if fenced else "")

    def outside(self, inner: str) -> str:
        """Wrap a query in a SELECT with the distance of rows from the training data, and clipped values."""
        interval, clips = self.plan.interval, self.plan.clips
        if interval is None and not clips:
            return inner
        columns = [*self.kept, *(self.clipped(j) if j in clips else f"x{j + 1}" for j in self.plan.used)]
        if interval is not None:
            parts = [
                outside(f"x{j + 1}", low, high, f" / {real(high - low)}") for j, (low, high) in interval.ranges.items()
            ]
            columns.append("\n  + ".join(parts or ["0e0"]) + " AS o")
        return select(inner, columns, "values outside the training data", "given")

    def clipped(self, feature: int) -> str:
        name, (low, high) = f"x{feature + 1}", self.plan.clips[feature]
        return f"{within(name, low, high, f'{is_usable(name)} AND ')} AS {name}"

    def reach(self, radii: Sequence[float]) -> str:
        """Return the radius of the interval."""
        mean = (
            f"({' + '.join(f'w{rule} * {real(radius)}' for rule, radius in zip(self.rules, radii, strict=True))}) / t"
        )
        if self.seeks:
            mean = self.or_nearest(mean, [real(radius) for radius in radii])
        return f"({mean}) * (1e0 + o)"

    def inside(self) -> list[str]:
        return [f"{within(f'x{j + 1}', low, high)} AS z{j + 1}" for j, (low, high) in self.plan.limits.items()]

    def split_points(self) -> list[str]:
        return [f"{share_above(own)} AS b{number}" for number, own in enumerate(self.plan.split_points, 1)]

    def conditions(self) -> list[str]:
        columns = []
        for number, condition in enumerate(self.plan.conditions, 1):
            columns.append(f"{self.degree(condition)} AS c{number}")
            if self.seeks and condition.triangle is None:
                columns.append(f"{self.away(condition)} AS a{number}")
        # Rules may have so many triangles that a second column for each would exceed the limits of databases.
        return [*columns, *(f"z{j + 1}" for j in self.plan.limits if self.seeks)]

    def degree(self, condition: ConditionPlan) -> str:
        if condition.codes is not None:
            return case({f"x{condition.input + 1} IN ({', '.join(map(real, condition.codes))})": "1e0"}, "0e0")
        if condition.triangle is not None:
            return triangle_degree(f"z{condition.input + 1}", condition.triangle)
        below = "1e0" if condition.below is None else f"b{condition.below + 1}"
        return below if condition.above is None else f"{below} - b{condition.above + 1}"

    def away(self, condition: ConditionPlan) -> str:
        if condition.codes is not None:
            return f"1e0 - {self.degree(condition)}"
        if condition.triangle is not None:
            return from_middle(f"z{condition.input + 1}", condition.triangle, condition.width)
        place = " + ".join(f"b{number + 1}" for number in self.plan.split_points_of(condition.input))
        return outside(place, float(condition.first), float(condition.last))

    def carried(self, rule: int) -> list[str]:
        """Return the columns of a rule in the step that sums the weights."""
        said = f"{self.centre(rule)} AS y{rule}" if self.plan.said else f"y{rule}"
        return [f"w{rule}", said, *([f"s{rule}"] if self.seeks else [])]

    def centre(self, rule: int) -> str:
        said, rest = self.plan.said[rule - 1], f"(1e0 - w{rule})"
        lean = f"(1e0 + {rest} + {rest} * {rest}) / (3e0 * (1e0 + {rest}))"
        return f"{real(said.middle)} + {real(said.skew)} * ({lean})"

    def rule_columns(self) -> list[str]:
        columns = []
        for rule in self.rules:
            numbers = [number + 1 for number in self.plan.rules[rule - 1]]
            columns.append(f"-- {rule_title(self.rule_base, rule - 1)}\n  {self.weight(numbers)} AS w{rule}")
            if not self.plan.said:
                columns.append(f"{self.output(rule - 1)} AS y{rule}")
            if self.seeks:
                columns.append(f"{' + '.join(map(self.steps, numbers)) or '0e0'} AS s{rule}")
        return columns

    def steps(self, number: int) -> str:
        """Return the distance of a row from a condition."""
        condition = self.plan.conditions[number - 1]
        return f"a{number}" if condition.triangle is None else self.away(condition)

    def weight(self, numbers: Sequence[int]) -> str:
        degrees = [f"c{number}" for number in numbers]
        if self.rule_base.t_norm == "product" or len(degrees) < 2:
            return " * ".join(degrees) or "1e0"
        # No function for the minimum of several columns exists in all databases.
        return case(
            {
                " AND ".join(f"{degree} <= {other}" for other in degrees[place:]): degree
                for place, degree in enumerate(degrees[:-1], 1)
            },
            degrees[-1],
        )

    def output(self, rule: int) -> str:
        slopes = self.rule_base.consequents.terms(rule)
        intercept = float(self.rule_base.consequents.intercepts[rule])
        return linear(intercept, {f"x{j + 1}": slope for j, slope in slopes.items()}, real)

    def curve_title(self, curve: CurvePlan) -> str:
        return printable(f"The curve of {self.rule_base.names[curve.input]}, added to the output of every rule")

    def curve(self, curve: CurvePlan) -> str:
        shares = [f"\n    {share_above(self.plan.curve_split_points[number])}" for number in curve.split_points]
        return curve_expression(curve, f"x{curve.input + 1}", shares, real)

    def alone(self, rule: int) -> str:
        """Return the output of a rule that does not fire but is the nearest."""
        return real(self.plan.said[rule - 1].whole) if self.plan.said else f"y{rule}"

    def answer(self) -> str:
        mean = f"({' + '.join(f'w{rule} * y{rule}' for rule in self.rules)}) / t"
        if self.seeks:
            mean = self.or_nearest(mean, [self.alone(rule) for rule in self.rules])
        if not self.inputs:
            return mean
        added = "".join(f" + v{place}" for place, _ in self.curves)
        return f"CASE WHEN {' AND '.join(map(is_usable, self.inputs))}\n       THEN {mean}{added} END"

    def or_nearest(self, mean: str, alone: Sequence[str]) -> str:
        """Return a mean over the fired rules, or if none fires the value of the nearest rule."""
        cases = [f"WHEN t > 0e0 THEN {mean}"]
        # The nearest rule is the first one that is at least as near as all later rules.
        for rule in self.rules[:-1]:
            nearest = " AND ".join(f"s{rule} <= s{other}" for other in range(rule + 1, self.rules[-1] + 1))
            cases.append(f"WHEN {nearest} THEN {alone[rule - 1]}")
        cases.append(f"ELSE {alone[-1]} END")
        return "CASE " + "\n         ".join(cases)


def select(inner: str, columns: Sequence[str], what: str, name: str) -> str:
    """Wrap a query in a SELECT, below a comment."""
    listed = ",\n  ".join(columns)
    return f"  -- {what}\n  SELECT\n  {listed}\n  FROM (\n{inner}\n  ) AS {name}"


def share_above(split_point: SplitPoint) -> str:
    """Return the share of a row above a split point."""
    name = f"x{split_point.input + 1}"
    cases = {f"{name} >= {real(split_point.high)}": "1e0"}
    if not split_point.crisp:
        share = f"({name} - {real(split_point.low)}) / {real(split_point.width)}"
        cases[f"{name} > {real(split_point.start)}"] = share
    return case(cases, "0e0")


def triangle_degree(z: str, triangle: Triangle) -> str:
    """Return the degree of a value in a triangle; a side whose end is infinite needs no case."""
    (a, b, c), cases = triangle, {}
    if a == b:
        cases[f"{z} < {real(b)}"] = "0e0"
    elif not math.isinf(a):
        cases |= {f"{z} <= {real(a)}": "0e0", f"{z} < {real(b)}": f"({z} - {real(a)}) / {real(b - a)}"}
    if b == c:
        cases[f"{z} > {real(b)}"] = "0e0"
    elif not math.isinf(c):
        cases |= {f"{z} >= {real(c)}": "0e0", f"{z} > {real(b)}": f"({real(c)} - {z}) / {real(c - b)}"}
    return case(cases, "1e0")


def from_middle(z: str, triangle: Triangle, width: float) -> str:
    """Return the distance of a value from the middle of a triangle; towards an infinite end it is zero."""
    (a, b, c), cases = triangle, {}
    if not math.isinf(a):
        cases[f"{z} < {real(b)}"] = f"({real(b)} - {z}) / {real(width)}"
    if not math.isinf(c):
        cases[f"{z} > {real(b)}"] = f"({z} - {real(b)}) / {real(width)}"
    return case(cases, "0e0")


def within(name: str, low: float, high: float, where: str = "") -> str:
    """Return a value clipped to two ends, if the optional condition `where` holds."""
    ends = {f"{where}{name} < {real(low)}": real(low), f"{where}{name} > {real(high)}": real(high)}
    return case(ends, name)


def outside(place: str, low: float, high: float, divided: str = "") -> str:
    """Return the distance of a position from a range, optionally divided by a number."""
    least, most = real(low), real(high)
    under, over = f"{least} - ({place})", f"{place} - {most}"
    if divided:
        under, over = f"({least} - {place}){divided}", f"({over}){divided}"
    return case({f"{place} < {least}": under, f"{place} > {most}": over}, "0e0")
