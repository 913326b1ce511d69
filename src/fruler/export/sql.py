"""A SELECT over a table, in the SQL of a database."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from fruler._wording import counted_rules, name_with_unit, printable, require_printable, suggest
from fruler.export._dbt import relation, schema, without_templates
from fruler.export._phrases import curve_expression, linear, rule_title
from fruler.export._plan import (
    ConditionPlan,
    CurvePlan,
    ModelPlan,
    OutputPlan,
    SplitPoint,
    make_model_plan,
)
from fruler.export._sql_dialects import DIALECTS, Dialect
from fruler.export._sql_inputs import Steps, add_inputs, case, real
from fruler.rules._partitions import Triangle
from fruler.rules._rule_base import RuleBase

_ENDS = ("lower", "upper")


def export(
    rule_base: RuleBase,
    *,
    table: str = "data",
    keep: Sequence[str] = (),
    prediction: str = "prediction",
    gaps: bool | Collection[str] | None = None,
    interval: float | None = None,
    dialect: str = "ansi",
    dbt: bool = False,
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
    gaps : bool or collection of str, optional
        Whether to fill in gaps of all columns; or the columns whose gaps to fill in. By default these are the columns
        that had gaps in the training table. The fewer, the shorter is the query; the prediction is NULL if another
        column that it needs has a gap or an unknown category.
    interval : float, optional
        The coverage of prediction intervals, such as 0.9. It adds two columns, ``lower`` and ``upper``.
    dialect : {"ansi", "postgres", "mysql", "sqlite", "duckdb", "bigquery", "snowflake", "spark", "tsql", "oracle"}, \
            default="ansi"
        The SQL to write. The default is what SQLite, DuckDB and PostgreSQL have in common; with the name of a
        database, the query can be shorter and faster, and use what only this database has.
    dbt : bool, default=False
        Whether to write a model of dbt: `table` is then the name of another model, or a source and one of its tables
        such as ``"shop.houses"``. `dbt_schema` describes the model.

    Returns
    -------
    str
        One query, without a semicolon: it can be run, made a view, or used as a subquery (not in T-SQL).

    Raises
    ------
    ValueError
        If there is no such dialect, two columns of the result have the same name, or dates have a time zone.

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
    keep = (keep,) if isinstance(keep, str) else tuple(keep)
    require_printable((table, prediction, *keep), "name of a table or column")
    _require_distinct(_columns_of_result(keep, prediction, interval))
    if dialect not in DIALECTS:
        raise ValueError(f"There is no SQL dialect {dialect!r}; {suggest(dialect, DIALECTS)}.")
    plan = make_model_plan(rule_base, interval, gaps)
    writer = _SQLWriter(rule_base, plan, keep, DIALECTS[dialect])
    if not dbt:
        return writer.query(DIALECTS[dialect].identifier(table), table, prediction)
    # No name has a null character.
    return without_templates(writer.query("\0", table, prediction)).replace("\0", relation(table))


def dbt_schema(
    rule_base: RuleBase,
    name: str,
    *,
    keep: Sequence[str] = (),
    prediction: str = "prediction",
    interval: float | None = None,
) -> str:
    """Write the YAML file that describes a dbt model: its columns, and that no prediction may be NULL.

    Parameters
    ----------
    rule_base : RuleBase
        The model.
    name : str
        The name of the dbt model, which is the name of its file without ``.sql``.
    keep : sequence of str, default=()
        The columns of the table before the prediction.
    prediction : str, default="prediction"
        The name of the column of predictions.
    interval : float, optional
        The coverage of prediction intervals.

    Returns
    -------
    str
        The text of the file.

    See Also
    --------
    fruler.export.sql.export : The model itself, with ``dbt=True``.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> temperature = Variable("temperature", FuzzyPartition([10.0], (-10.0, 30.0)))
    >>> rules = RuleBase([temperature], [[[0, 0]], [[1, 1]]], [[25.0, -1.0], [5.25, 0.0]], target_name="heating")
    >>> print(dbt_schema(rules, "heating_costs", keep=["id"]))
    version: 2
    models:
      - name: "heating_costs"
        description: "Predictions of heating by 2 rules, written by fruler."
        columns:
          - name: "id"
            description: "A column of the table that the model reads."
          - name: "prediction"
            description: "The predicted heating."
            data_tests: [not_null]
    <BLANKLINE>
    """
    keep = (keep,) if isinstance(keep, str) else tuple(keep)
    count = counted_rules(rule_base.n_rules, rule_base.n_curves)
    target = name_with_unit(rule_base.target_name, rule_base.target_unit)
    share = "" if interval is None else f"{100 * interval:g}%"
    said = [f"The predicted {target}.", *(f"The {end} end of the {share} prediction interval." for end in _ENDS)]
    columns = _columns_of_result(keep, prediction, interval)
    _require_distinct(columns)
    described = dict.fromkeys(keep, "A column of the table that the model reads.")
    described |= dict(zip(columns[len(keep) :], said, strict=False))
    return schema(name, f"Predictions of {target} by {count}, written by fruler.", described, columns[len(keep) :])


def _columns_of_result(keep: Sequence[str], prediction: str, interval: float | None) -> list[str]:
    return [*keep, prediction, *([] if interval is None else _ENDS)]


def _require_distinct(names: Sequence[str]) -> None:
    if len(set(names)) < len(names):
        raise ValueError(f"The columns of the result must have distinct names; got {', '.join(names)}.")


class _SQLWriter:
    """A writer of the query, step by step; every column inside it has a short name.

    c: columns of the table, x: inputs, m: whether they are missing, e: what their estimates take from inputs that are
    never missing, n: new estimates, k: columns kept, b: shares above split points, d: degrees of conditions, a:
    distances from conditions, w: weights of rules and their sum, y: outputs of rules, s: distances from rules, v:
    curves, z: inputs clipped to their limits, o: distance from the training data, p: the output of all rules, q: the
    radius of its interval.
    """

    def __init__(self, rule_base: RuleBase, plan: ModelPlan, keep: tuple[str, ...], dialect: Dialect) -> None:
        self.rule_base, self.plan, self.dialect = rule_base, plan, dialect
        self.inputs = [f"x{j + 1}" for j in plan.used]
        self.kept = {f"k{number}": column for number, column in enumerate(keep, 1)}
        self.rules = range(1, rule_base.n_rules + 1)
        self.seeks = not plan.covered
        self.curves = list(enumerate(plan.curves, 1))

    def query(self, source: str, table: str, prediction: str) -> str:
        steps = Steps(self.dialect, source, table)
        add_inputs(steps, self.plan.inputs, self.kept)
        self.add(steps, "given", self.outside(), "values outside the training data", whole=True)
        self.add(steps, "inside", self.inside(), "values clipped to the range of the input")
        self.add(steps, "shares", self.split_points(), "the share of each row above each split point, from 0 to 1")
        degrees = "how well each row matches each condition, from 0 to 1"
        self.add(steps, "degrees", self.conditions(), degrees, fenced=self.seeks)
        # The output of a rule whose consequent is a label has the rule's weight in it several times.
        self.add(steps, "rules", self.rule_columns(), "the rules", fenced=self.seeks or bool(self.plan.said))
        total = f"{' + '.join(f'w{rule}' for rule in self.rules)} AS w"
        curves = [f"-- {self.curve_title(curve)}\n    {self.curve(curve)} AS v{n}" for n, curve in self.curves]
        carried = [", ".join(self.carried(rule)) for rule in self.rules]
        self.add(steps, "totals", [*carried, total, *curves], "the sum of the degrees of all rules")
        said = [self.answer()]
        if self.plan.interval is not None or self.plan.output is not None:
            radius = [] if self.plan.interval is None else [f"{self.reach(self.plan.interval.radii)} AS q"]
            steps.add("answer", [*self.kept, f"{said[0]} AS p", *radius], "the output of all rules", fenced=True)
            said = ["p"] if self.plan.interval is None else ["p", "p - q", "p + q"]
        if self.plan.output is not None:
            said = [self.prediction_of(self.plan.output, raw) for raw in said]
        last = [f"{name} AS {self.dialect.identifier(column)}" for name, column in self.kept.items()]
        ends = [prediction, *_ENDS][: len(said)]
        last += [f"{own} AS {self.dialect.identifier(end)}" for own, end in zip(said, ends, strict=True)]
        count = counted_rules(self.rule_base.n_rules, self.rule_base.n_curves)
        target = printable(name_with_unit(self.rule_base.target_name, self.rule_base.target_unit))
        return f"-- {count} for {target}, learned and written by fruler.\n{steps.query(last)}"

    def add(
        self, steps: Steps, name: str, new: Sequence[str], what: str, *, fenced: bool = False, whole: bool = False
    ) -> None:
        """Add a step with new columns, the inputs, the columns kept, and the distance for intervals.

        With `whole` the new columns are all that there are but those kept.
        """
        if new:
            carried = [*self.kept, *self.inputs, *([] if self.plan.interval is None else ["o"])]
            own = [*self.kept] if whole else carried
            steps.add(name, [*([", ".join(own)] if own else []), *new], what, fenced=fenced)

    def prediction_of(self, plan: OutputPlan, raw: str) -> str:
        """Return the prediction for an output of the rules."""
        function = plan.code["sql"].format(raw)
        ends = zip(("<=", ">="), plan.ends, strict=True)
        return case({f"{raw} {sign} {real(end.raw)}": real(end.target) for sign, end in ends if end}, function)

    def outside(self) -> list[str]:
        """Return clipped inputs, and the distance of rows from the training data; nothing if there is neither."""
        interval, clips = self.plan.interval, self.plan.clips
        if interval is None and not clips:
            return []
        columns = [self.clipped(j) if j in clips else f"x{j + 1}" for j in self.plan.used]
        if interval is not None:
            parts = [
                outside(f"x{j + 1}", low, high, f" / {real(high - low)}") for j, (low, high) in interval.ranges.items()
            ]
            columns.append("\n    + ".join(parts or ["0e0"]) + " AS o")
        return columns

    def clipped(self, feature: int) -> str:
        name, (low, high) = f"x{feature + 1}", self.plan.clips[feature]
        return f"{within(name, low, high, f'{self.dialect.is_usable(name)} AND ')} AS {name}"

    def reach(self, radii: Sequence[float]) -> str:
        """Return the radius of the interval."""
        mean = (
            f"({' + '.join(f'w{rule} * {real(radius)}' for rule, radius in zip(self.rules, radii, strict=True))}) / w"
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
            columns.append(f"{self.degree(condition)} AS d{number}")
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
        degrees = [f"d{number}" for number in numbers]
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
        mean = f"({' + '.join(f'w{rule} * y{rule}' for rule in self.rules)}) / w"
        if self.seeks:
            mean = self.or_nearest(mean, [self.alone(rule) for rule in self.rules])
        if not self.inputs:
            return mean
        added = "".join(f" + v{place}" for place, _ in self.curves)
        return f"CASE WHEN {' AND '.join(map(self.dialect.is_usable, self.inputs))}\n       THEN {mean}{added} END"

    def or_nearest(self, mean: str, alone: Sequence[str]) -> str:
        """Return a mean over the fired rules, or if none fires the value of the nearest rule."""
        cases = [f"WHEN w > 0e0 THEN {mean}"]
        # The nearest rule is the first one that is at least as near as all later rules.
        for rule in self.rules[:-1]:
            nearest = " AND ".join(f"s{rule} <= s{other}" for other in range(rule + 1, self.rules[-1] + 1))
            cases.append(f"WHEN {nearest} THEN {alone[rule - 1]}")
        cases.append(f"ELSE {alone[-1]} END")
        return "CASE " + "\n         ".join(cases)


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
