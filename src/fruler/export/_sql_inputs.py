"""The inputs of the rules in SQL, from the columns of a table; dates are parsed, gaps are filled in.

Each database has its own functions for dates, but all cast a date to text like 2024-12-31 18:30:00. Year, month and
day are parsed from that text; the rest is arithmetic. Divisions of integers have no remainder, since some databases
return an integer and others a fraction.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from fruler._arrays import LARGEST_VALUE
from fruler._table.date_sources import SECONDS, CycleSource, TrendSource, WeekdaySource
from fruler._table.dates import AS_WRITTEN, MONTH_STARTS, Order
from fruler._table.sources import GapSource, LevelSource, NumberSource, Source
from fruler._table.texts import WHITE_SPACE, spellings
from fruler.export._phrases import linear
from fruler.export._plan import ColumnPlan, Filling, InputPlan, unknown_source

# The days from 1 January of year 1 to 1 January 1970.
_DAYS_BEFORE_1970 = 719_162


def identifier(name: str) -> str:
    """Return a name as an identifier.

    Examples
    --------
    >>> print(identifier('a "big" one'))
    "a ""big"" one"
    """
    return _between('"', name)


def literal(text: str) -> str:
    """Return a text as a string.

    Examples
    --------
    >>> print(literal("it's"))
    'it''s'
    """
    return _between("'", text)


def real(value: float) -> str:
    """Return a literal with an exponent; without one, some databases would read it as a decimal number."""
    text = repr(value)
    return text if "e" in text else f"{text}e0"


def _between(sign: str, text: str) -> str:
    if "\0" in text:
        raise ValueError(f"SQL text cannot contain a null character; got {text!r}.")
    return sign + text.replace(sign, sign * 2) + sign


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


def is_usable(name: str) -> str:
    """Return the condition that a number is not NULL, NaN or infinite.

    Some databases sort NaN above all numbers, but none sorts it below.
    """
    return f"ABS({name}) <= {real(LARGEST_VALUE)}"


# A column that no step reads: since it may change, PostgreSQL does not merge the expressions of two steps, which would
# grow beyond its memory.
FENCE = "RANDOM() AS fence"


def fence(n_columns: int) -> str:
    """Return a union with no rows, which keeps SQLite from merging the expressions of two steps."""
    return f"\n  UNION ALL SELECT {', '.join(['NULL'] * n_columns)} WHERE 1 = 0"


def input_columns(plan: InputPlan) -> list[str]:
    """Return a column x1, x2, ... for each needed input, from the table t."""
    return [f"{_input(plan.sources[j], plan.column_of(j), plan.place_of(j) + 1)} AS x{j + 1}" for j in plan.needed]


def _input(source: Source, column: ColumnPlan, place: int) -> str:
    """Return the input that a source computes from a column; the columns with parts of its dates end in `place`."""
    name, seconds = f"t.{identifier(column.name)}", f"t.fruler_s{place}"
    match source:
        case NumberSource():
            return _number(name)
        case GapSource() if column.holds_numbers:
            return _is_gap(_number(name), column)
        case GapSource():
            return _is_gap(seconds if column.dates is not None else _text(name), column)
        case TrendSource():
            return f"(({_days(place)}) * 864e2 + {seconds} - {real(source.start_seconds)}) / {SECONDS[source.unit]!r}e0"
        case CycleSource(cycle="hour"):
            return _within(f"{seconds} / 36e2", source.start, 24.0)
        case CycleSource():
            return _within(f"{_day_of_year(place)} + {seconds} / 864e2", source.start, 366.0)
        case WeekdaySource():
            # 1 January of year 1 was a Monday.
            days = f"({_days(place)} + {_DAYS_BEFORE_1970}) % 7"
            known = ((code, number) for code, number in enumerate(source.week) if number is not None)
            return f"CASE {days} {' '.join(f'WHEN {code} THEN {real(number)}' for code, number in known)} END"
        case LevelSource():
            text = f"LOWER({_text(name)})" if column.holds_truth else _text(name)
            spelled = ((text, value) for level, value in source.choices for text in spellings(level, source.levels))
            return f"CASE {text} {' '.join(f'WHEN {literal(text)} THEN {real(value)}' for text, value in spelled)} END"
    raise unknown_source(source)


def _text(name: str) -> str:
    """Return a column as text without white space around it; blank text is NULL."""
    return f"NULLIF(TRIM(CAST({name} AS VARCHAR), {literal(WHITE_SPACE)}), '')"


def _number(name: str) -> str:
    """Return a column as numbers.

    SQLite would read other text as the number that it begins with, or as 0. Such text equals no number, so it becomes
    NULL; in other databases it is an error. Large integers equal no float in SQLite.
    """
    value = f"CAST({name} AS DOUBLE PRECISION)"
    return case({f"{name} = {value}": value, f"{name} = CAST({name} AS BIGINT)": value}, None)


def _is_gap(name: str, column: ColumnPlan) -> str:
    """Return 1 if the value is NULL or NaN, else 0; infinity is a value."""
    if not column.holds_numbers:
        return case({f"{name} IS NULL": "1e0"}, "0e0")
    # Only infinity and numbers close to it have an inverse near zero.
    return case({is_usable(name): "0e0", f"ABS(1e0 / {name}) < 1e0": "0e0"}, "1e0")


def _day_of_year(place: int) -> str:
    """Return the days from 1 January to a date, with a 29 February in every year."""
    months = " ".join(f"WHEN {number} THEN {days}" for number, days in enumerate(MONTH_STARTS, 1))
    return f"(CASE t.fruler_m{place} {months} END + t.fruler_d{place} - 1)"


def _days(place: int) -> str:
    """Return the days from the start of 1970 to a date."""
    year, before = f"t.fruler_y{place}", f"(t.fruler_y{place} - 1)"
    leap_days = " ".join(
        f"{sign} ({before} - {before} % {years}) / {years}" for sign, years in (("+", 4), ("-", 100), ("+", 400))
    )
    no_leap_year = f"{year} % 4 <> 0 OR ({year} % 100 = 0 AND {year} % 400 <> 0)"
    missing_day = f"CASE WHEN t.fruler_m{place} > 2 AND ({no_leap_year}) THEN 1 ELSE 0 END"
    return f"365 * {before} {leap_days} - {_DAYS_BEFORE_1970} + {_day_of_year(place)} - {missing_day}"


def _within(place: str, start: float, period: float) -> str:
    """Return a position in a cycle, counted from its start."""
    if math.isclose(start, 0.0):
        return place
    return f"{place} - {real(start)} + CASE WHEN {place} < {real(start)} THEN {real(period)} ELSE 0e0 END"


def source_table(plan: InputPlan, table: str) -> str:
    """Return the source table t of the inputs, with columns for the parts of its dates."""
    columns, name = [], identifier(table)
    needed: dict[str, int] = {}
    for place in sorted({plan.place_of(j) for j in plan.needed}):
        column = plan.columns[place]
        other = plan.columns[needed.setdefault(column.name.lower(), place)]
        if other != column:
            raise ValueError(
                f"The columns {other.name!r} and {column.name!r} differ only by case, which databases ignore; to "
                "export to SQL, rename one and fit again."
            )
        if column.dates is None:
            continue
        if column.dates.zone not in ("", AS_WRITTEN):
            raise ValueError(
                f"The dates of {column.name!r} have a time zone, which each database writes differently; to export to "
                "SQL, fit the model on dates without a time zone."
            )
        columns += _date_part_columns(f"t.{identifier(column.name)}", column.dates.order, place + 1)
    return f"(SELECT t.*, {', '.join([*columns, FENCE])} FROM {name} AS t) AS t" if columns else f"{name} AS t"


def _date_part_columns(name: str, order: Order, place: int) -> list[str]:
    """Return columns with the parts of a date: year, month, day and seconds of the day.

    Parameters
    ----------
    name : str
        The column of dates, or of dates as text.
    order : {"ymd", "dmy", "mdy"}
        The order of year, month and day in text; text that begins with the year is always read in the order "ymd".
    place : int
        The number of the column, for the names of its parts.
    """
    text = _text(name)
    year_first = f"{text} LIKE '____-__-__%'"
    ways = {year_first: (1, 6, 9)}
    if order != "ymd":
        year_last = " OR ".join(f"{text} LIKE '__{sign}__{sign}____%'" for sign in "./-")
        ways[year_last] = (7, 4, 1) if order == "dmy" else (7, 1, 4)
    seconds = " + ".join(
        f"{scale} * COALESCE(CAST(NULLIF(SUBSTR({text}, {start}, {length}), '') AS DOUBLE PRECISION), 0e0)"
        for scale, start, length in (("36e2", 12, 2), ("6e1", 15, 2), ("1e0", 18, 2))
    )
    parts = {"y": (0, 4), "m": (1, 2), "d": (2, 2)}
    columns = []
    for letter, (part, length) in parts.items():
        cases = " ".join(
            f"WHEN {way} THEN CAST(SUBSTR({text}, {starts[part]}, {length}) AS INTEGER)" for way, starts in ways.items()
        )
        columns.append(f"CASE {cases} END AS fruler_{letter}{place}")
    return [*columns, f"CASE WHEN {' OR '.join(ways)} THEN {seconds} END AS fruler_s{place}"]


def filled_tables(plan: InputPlan, filling: Filling, inner: str, kept: Sequence[str], prefix: str) -> tuple[str, str]:
    """Return a WITH clause whose tables fill in gaps step by step, and the name of the last table.

    Each step is a separate table, because it needs the results of all steps before it, and nested steps would be too
    deep for some parsers.
    """
    inputs = [f"x{j + 1}" for j in filling.inputs]
    flags = {j: f"m{place}" for place, group in enumerate(filling.groups, 1) for j in group}
    firsts = [group[0] for group in filling.groups]
    missing = [f"{_is_gap(f'x{j + 1}', plan.column_of(j))} AS {flags[j]}" for j in firsts]
    carried = [*kept, *dict.fromkeys(flags.values())]
    begun = {j: real(mean) for j, mean in filling.means.items()}
    steps = [[*kept, *inputs, *missing], _filled(inputs, carried, begun, flags)]
    for step in list(filling.steps) * filling.n_rounds:
        taken = {
            j: linear(intercept, {f"x{k + 1}": slope for k, slope in slopes.items()}, real)
            for j, intercept, slopes in zip(step.inputs, step.intercepts, step.slopes, strict=True)
        }
        steps.append(_filled(inputs, carried, taken, flags))
    names = [f"{prefix}_inputs", f"{prefix}_found", *(f"{prefix}_{number}" for number in range(len(steps) - 1))]
    tables = [f"{names[0]} AS (\n  {inner}\n)"]
    for before, name, columns in zip(names, names[1:], steps, strict=False):
        listed = [*columns, FENCE]
        tables.append(f"{name} AS (\n  SELECT {', '.join(listed)}\n  FROM {before}{fence(len(listed))}\n)")
    return "WITH " + ",\n".join(tables), names[-1]


def _filled(inputs: Sequence[str], carried: Sequence[str], taken: dict[int, str], flags: dict[int, str]) -> list[str]:
    """Return the columns of a table in which missing values of some inputs are replaced."""
    new = {f"x{j + 1}": f"CASE WHEN {flags[j]} = 1e0 THEN {value} ELSE x{j + 1} END" for j, value in taken.items()}
    columns = [f"{new[name]} AS {name}" if name in new else name for name in inputs]
    return [*carried, *columns]
