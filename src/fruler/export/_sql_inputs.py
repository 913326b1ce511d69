"""The inputs of the rules in SQL, from the columns of a table; dates are parsed, gaps are filled in.

Each database has its own functions for dates, but all write a date as text like 2024-12-31 18:30:00. Year, month and
day are parsed from that text; the rest is arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from fruler._table.date_sources import SECONDS, CycleSource, TrendSource, WeekdaySource
from fruler._table.dates import AS_WRITTEN, MONTH_STARTS, Order
from fruler._table.sources import GapSource, LevelSource, NumberSource, Source
from fruler._table.texts import WHITE_SPACE, spellings
from fruler.export._phrases import linear, linear_terms
from fruler.export._plan import ColumnPlan, Filling, InputPlan, unknown_source
from fruler.export._sql_dialects import Dialect

# The days from 1 January of year 1 to 1 January 1970.
_DAYS_BEFORE_1970 = 719_162


def real(value: float) -> str:
    """Return a literal with an exponent; without one, some databases would read it as a decimal number."""
    text = repr(value)
    return text if "e" in text else f"{text}e0"


def case(cases: Mapping[str, str], otherwise: str | None) -> str:
    """Return a CASE expression; without `otherwise` it is NULL if no case holds.

    Examples
    --------
    >>> case({"x > 1e0": "1e0"}, "0e0"), case({}, "0e0")
    ('CASE WHEN x > 1e0 THEN 1e0 ELSE 0e0 END', '0e0')
    """
    if not cases and otherwise is not None:
        return otherwise
    last = "" if otherwise is None else f" ELSE {otherwise}"
    return f"CASE {' '.join(f'WHEN {condition} THEN {value}' for condition, value in cases.items())}{last} END"


class Steps:
    """The steps of a query, each a table that is made from the table before.

    Parameters
    ----------
    dialect : Dialect
        The SQL to write.
    source : str
        The first table, as written in the query.
    taken : str
        The name of the first table; the names of steps begin otherwise.
    """

    def __init__(self, dialect: Dialect, source: str, taken: str) -> None:
        self.dialect, self._source = dialect, source
        self._prefix = "fruler"
        while taken.lower().startswith(self._prefix):
            self._prefix += "_"
        self._steps: list[tuple[str, str, str]] = []

    def add(self, name: str, columns: Sequence[str], what: str = "", *, fenced: bool = False) -> None:
        """Add a step with a name, its columns, and a comment.

        SQLite, PostgreSQL and MariaDB merge the expressions of several steps into one, which can become huge; a fence
        prevents that.
        """
        comment = f"  -- {what}\n" if what else ""
        listed = ",\n    ".join(columns or ["1 AS no_input"])
        fence = f"\n  {self.dialect.fence}" if fenced and self.dialect.fence else ""
        self._steps.append((f"{self._prefix}_{name}", f"{comment}  SELECT\n    {listed}\n  FROM ", fence))

    def query(self, columns: Sequence[str]) -> str:
        """Return the query, which selects columns of the last step."""
        last, tables = self._source, []
        for name, text, fence in self._steps:
            whole = f"(\n{text}{last} t{fence}\n)"
            if self.dialect.nests:
                last = whole
            else:
                tables.append(f"{name} AS {whole}")
                last = name
        before = f"WITH {', '.join(tables)}\n" if tables else ""
        listed = ",\n  ".join(columns)
        return f"{before}SELECT\n  {listed}\nFROM {last} t\n"


def add_inputs(steps: Steps, plan: InputPlan, keep: Mapping[str, str]) -> None:
    """Add the steps that make columns x1, x2, ... for the inputs, NULL or NaN where a value is missing.

    Parameters
    ----------
    steps : Steps
        The steps of the query.
    plan : InputPlan
        How columns become inputs.
    keep : mapping of str to str
        Columns to keep, by their names in the steps.
    """
    dialect, places = steps.dialect, _columns_read(plan)
    # Columns are qualified with their table, because SQLite takes an unknown quoted name for a string.
    columns = [f"t.{dialect.identifier(column)} AS {name}" for name, column in keep.items()]
    columns += [f"{_value(plan.columns[place], dialect)} AS c{place + 1}" for place in places]
    steps.add("columns", columns)
    dated = [place for place in places if plan.columns[place].dates is not None]
    if dated:
        columns = [*keep, *(f"c{place + 1}" for place in places if place not in dated)]
        columns += [part for place in dated for part in _date_parts(plan.columns[place], place + 1, dialect)]
        steps.add("dates", columns, "year, month, day and seconds of the day", fenced=True)
    inputs = [
        f"{_input(plan.sources[j], plan.column_of(j), plan.place_of(j) + 1, dialect)} AS x{j + 1}" for j in plan.needed
    ]
    steps.add("inputs", [*keep, *inputs])
    if plan.filling is not None:
        _add_filled(steps, plan, plan.filling, list(keep))


def _columns_read(plan: InputPlan) -> list[int]:
    """Return the columns that are read, after checking that a database can tell them apart and has their dates."""
    needed: dict[str, int] = {}
    places = sorted({plan.place_of(j) for j in plan.needed})
    for place in places:
        column = plan.columns[place]
        other = plan.columns[needed.setdefault(column.name.lower(), place)]
        if other != column:
            raise ValueError(
                f"The columns {other.name!r} and {column.name!r} differ only by case, which databases ignore; to "
                "export to SQL, rename one and fit again."
            )
        if column.dates is not None and column.dates.zone not in ("", AS_WRITTEN):
            raise ValueError(
                f"The dates of {column.name!r} have a time zone, which each database writes differently; to export to "
                "SQL, fit the model on dates without a time zone."
            )
    return places


def _value(column: ColumnPlan, dialect: Dialect) -> str:
    """Return a column as a number, or as text without white space around it."""
    name = f"t.{dialect.identifier(column.name)}"
    if column.holds_numbers:
        return dialect.number.format(name)
    text = dialect.text if column.dates is None else dialect.date_text or dialect.text
    return dialect.stripped(text.format(name), WHITE_SPACE)


def _date_parts(column: ColumnPlan, place: int, dialect: Dialect) -> list[str]:
    """Return columns with the parts of a date: year, month, day and seconds of the day.

    Text that begins with the year is always read as year, month and day, whatever the order of other text.
    """
    text = f"c{place}"
    order: Order = "ymd" if column.dates is None else column.dates.order
    ways = {f"{text} LIKE '____-__-__%'": (1, 6, 9)}
    if order != "ymd":
        year_last = " OR ".join(f"{text} LIKE '__{sign}__{sign}____%'" for sign in "./-")
        ways[year_last] = (7, 4, 1) if order == "dmy" else (7, 1, 4)

    def piece(start: int, length: int) -> str:
        return f"{dialect.piece}({text}, {start}, {length})"

    blank = dialect.literal("")
    seconds = " + ".join(
        f"{scale} * COALESCE({dialect.parsed.format(f'NULLIF({piece(start, 2)}, {blank})')}, 0e0)"
        for scale, start in (("36e2", 12), ("6e1", 15), ("1e0", 18))
    )
    columns = []
    for letter, part, length in (("y", 0, 4), ("m", 1, 2), ("d", 2, 2)):
        cases = {way: dialect.whole.format(piece(starts[part], length)) for way, starts in ways.items()}
        columns.append(f"{case(cases, None)} AS {letter}{place}")
    return [*columns, f"{case({' OR '.join(ways): seconds}, None)} AS s{place}"]


def _input(source: Source, column: ColumnPlan, place: int, dialect: Dialect) -> str:
    """Return the input that a source computes from a column; the columns with parts of its dates end in `place`."""
    name, seconds = f"c{place}", f"s{place}"
    match source:
        case NumberSource():
            return name
        case GapSource():
            return _is_gap(seconds if column.dates is not None else name, column, dialect)
        case TrendSource():
            days = _days(place, dialect)
            return f"(({days}) * 864e2 + {seconds} - {real(source.start_seconds)}) / {SECONDS[source.unit]!r}e0"
        case CycleSource(cycle="hour"):
            return _within(f"{seconds} / 36e2", source.start, 24.0)
        case CycleSource():
            return _within(f"{_day_of_year(place)} + {seconds} / 864e2", source.start, 366.0)
        case WeekdaySource():
            # 1 January of year 1 was a Monday.
            days = dialect.remainder.format(f"({_days(place, dialect)} + {_DAYS_BEFORE_1970})", 7)
            known = ((code, number) for code, number in enumerate(source.week) if number is not None)
            return f"CASE {days} {' '.join(f'WHEN {code} THEN {real(number)}' for code, number in known)} END"
        case LevelSource():
            text = f"LOWER({name})" if column.holds_truth else name
            spelled = ((text, value) for level, value in source.choices for text in spellings(level, source.levels))
            cases = (f"WHEN {dialect.literal(text)} THEN {real(value)}" for text, value in spelled)
            return f"CASE {text} {' '.join(cases)} END"
    raise unknown_source(source)


def _is_gap(name: str, column: ColumnPlan, dialect: Dialect) -> str:
    """Return 1 if the value is NULL or NaN, else 0; infinity is a value."""
    if not column.holds_numbers:
        return case({f"{name} IS NULL": "1e0"}, "0e0")
    # Only infinity and numbers close to it have an inverse near zero.
    return case({dialect.is_usable(name): "0e0", f"ABS(1e0 / {name}) < 1e0": "0e0"}, "1e0")


def _day_of_year(place: int) -> str:
    """Return the days from 1 January to a date, with a 29 February in every year."""
    months = " ".join(f"WHEN {number} THEN {days}" for number, days in enumerate(MONTH_STARTS, 1))
    return f"(CASE m{place} {months} END + d{place} - 1)"


def _days(place: int, dialect: Dialect) -> str:
    """Return the days from the start of 1970 to a date."""
    year, before = f"y{place}", f"(y{place} - 1)"
    leap_days = " ".join(
        f"{sign} {dialect.quotient.format(before, years)}" for sign, years in (("+", 4), ("-", 100), ("+", 400))
    )
    rest = {years: dialect.remainder.format(year, years) for years in (4, 100, 400)}
    no_leap_year = f"{rest[4]} <> 0 OR ({rest[100]} = 0 AND {rest[400]} <> 0)"
    missing_day = f"CASE WHEN m{place} > 2 AND ({no_leap_year}) THEN 1 ELSE 0 END"
    return f"365 * {before} {leap_days} - {_DAYS_BEFORE_1970} + {_day_of_year(place)} - {missing_day}"


def _within(place: str, start: float, period: float) -> str:
    """Return a position in a cycle, counted from its start."""
    if math.isclose(start, 0.0):
        return place
    return f"{place} - {real(start)} + CASE WHEN {place} < {real(start)} THEN {real(period)} ELSE 0e0 END"


def _add_filled(steps: Steps, plan: InputPlan, filling: Filling, kept: list[str]) -> None:
    """Add the steps that fill in gaps.

    The part of an estimate that comes from inputs without gaps is the same in all rounds, so it is computed once.
    Within a round, a step adds the new estimates of its inputs as columns such as n3; the last step puts all in place.
    """
    flags = {j: f"m{place}" for place, group in enumerate(filling.groups, 1) for j in group}
    missing = [
        f"{_is_gap(f'x{first + 1}', plan.column_of(first), steps.dialect)} AS {flags[first]}"
        for first, *_ in filling.groups
    ]
    steps.add("missing", ["t.*", *missing], "missing values; a table without gaps does not need these steps")
    inputs = {j: f"x{j + 1}" for j in filling.inputs}
    begun = {j: _unless(flags[j], real(filling.means[j]), name) for j, name in inputs.items() if j in flags}
    fixed = {
        f"e{j + 1}": linear(intercept, {inputs[k]: slope for k, slope in slopes.items() if k not in flags}, real)
        for step in filling.steps
        for j, intercept, slopes in zip(step.inputs, step.intercepts, step.slopes, strict=True)
    }
    carried = list(dict.fromkeys(flags.values())) if fixed else []
    estimates = [f"{value} AS {name}" for name, value in fixed.items()]
    first = [*kept, *_renamed(inputs, begun), *carried, *estimates]
    steps.add("begun", first, "they start at their means", fenced=True)
    for number in range(filling.n_rounds):
        now = dict(inputs)
        for place, step in enumerate(filling.steps, 1):
            found = {}
            for j, slopes in zip(step.inputs, step.slopes, strict=True):
                terms = linear_terms({now[k]: slope for k, slope in slopes.items() if k in flags}, real)
                found[j] = _unless(flags[j], f"e{j + 1}{terms}", inputs[j])
            if place < len(filling.steps):
                columns = ["t.*", *(f"{value} AS n{j + 1}" for j, value in found.items())]
                now |= {j: f"n{j + 1}" for j in found}
            else:
                others = [*carried, *fixed] if number + 1 < filling.n_rounds else []
                columns = [*kept, *_renamed(inputs, now | found), *others]
            steps.add(f"{number + 1}_{place}", columns, fenced=True)


def _unless(flag: str, estimate: str, value: str) -> str:
    """Return a value, or its estimate where it is missing."""
    return f"CASE WHEN {flag} = 1e0 THEN {estimate} ELSE {value} END"


def _renamed(inputs: Mapping[int, str], values: Mapping[int, str]) -> list[str]:
    """Return the inputs as columns, some with other values."""
    return [name if values.get(j, name) == name else f"{values[j]} AS {name}" for j, name in inputs.items()]
