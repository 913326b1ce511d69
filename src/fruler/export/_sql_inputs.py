"""The inputs of rules in SQL: from the columns of a table, with dates read and gaps filled in.

Databases have functions for dates, but each its own. All of them write a date as text in one way, 2024-12-31 18:30:00,
of which year, month and day are numbers; the rest is arithmetic. Divisions have no remainder, since some databases
divide whole numbers into whole numbers and others into fractions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from fruler._table.date_sources import SECONDS, CycleSource, TrendSource, WeekdaySource
from fruler._table.dates import AS_WRITTEN, MONTH_STARTS, Order
from fruler._table.sources import GapSource, LevelSource, NumberSource, Source
from fruler._table.validation import LARGEST_VALUE
from fruler.export._phrases import linear
from fruler.export._plan import ColumnPlan, Filling, InputPlan, unknown_source

# From the first of January of year 1 to that of 1970.
_DAYS_BEFORE_1970 = 719_162
# What SQLite and others without truth values have instead of them.
_TRUTH_NUMBERS = {"False": "0", "True": "1"}


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
    """Return a literal with an exponent: without one it would be a decimal number to some databases."""
    text = repr(value)
    return text if "e" in text else f"{text}e0"


def _between(sign: str, text: str) -> str:
    if "\0" in text:
        raise ValueError(f"A name with a null character cannot be written in SQL: {text!r}.")
    return sign + text.replace(sign, sign * 2) + sign


def case(cases: Mapping[str, str], otherwise: str | None) -> str:
    """Return an expression of several cases, the first that holds; NULL where none does and there is nothing else.

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
    """Return the condition that a number is one to calculate with; NULL, NaN and infinity are not.

    A database may sort NaN above every number; it never sorts it below one.
    """
    return f"ABS({name}) <= {real(LARGEST_VALUE)}"


def fence(n_columns: int) -> str:
    """Return a union with no rows, which keeps SQLite from putting the expressions of two steps into one."""
    return f"\n  UNION ALL SELECT {', '.join(['NULL'] * n_columns)} WHERE 1 = 0"


def input_columns(plan: InputPlan) -> list[str]:
    """Return a column x1, x2, ... for each input that is needed, from the table t."""
    return [f"{_input(plan.sources[j], plan.column_of(j), plan.place_of(j) + 1)} AS x{j + 1}" for j in plan.needed]


def _input(source: Source, column: ColumnPlan, place: int) -> str:
    """Return the input that a source makes of a column, the parts of whose dates have a place in their names."""
    name, seconds = f"t.{identifier(column.name)}", f"t.fruler_s{place}"
    match source:
        case NumberSource():
            return _as_real(name)
        case GapSource():
            return _is_gap(_as_real(name) if column.holds_numbers else name, column)
        case TrendSource():
            return f"(({_days(place)}) * 864e2 + {seconds} - {real(source.start_seconds)}) / {SECONDS[source.unit]!r}e0"
        case CycleSource(cycle="hour"):
            return _within(f"{seconds} / 36e2", source.start, 24.0)
        case CycleSource():
            return _within(f"{_day_of_year(place)} + {seconds} / 864e2", source.start, 366.0)
        case WeekdaySource():
            # Year 1 began on a Monday.
            days = f"({_days(place)} + {_DAYS_BEFORE_1970}) % 7"
            known = ((code, number) for code, number in enumerate(source.week) if number is not None)
            return f"CASE {days} {' '.join(f'WHEN {code} THEN {real(number)}' for code, number in known)} END"
        case LevelSource():
            return _level(source, f"TRIM(CAST({name} AS VARCHAR))", column.holds_truth)
    raise unknown_source(source)


def _level(source: LevelSource, text: str, truth: bool) -> str:
    """Return the number of a category; truth values are known in any case of their letters, and as numbers."""
    spelled: dict[float, list[str]] = {}
    for level, value in zip(source.levels, source.values, strict=True):
        own = [level.lower(), _TRUTH_NUMBERS[level]] if truth else _spellings(level, source.levels)
        spelled.setdefault(value, []).extend(map(literal, own))
    text = f"LOWER({text})" if truth else text
    return case(
        {
            f"{text} = {texts[0]}" if len(texts) == 1 else f"{text} IN ({', '.join(texts)})": real(value)
            for value, texts in spelled.items()
        },
        None,
    )


def _as_real(name: str) -> str:
    return f"CAST({name} AS DOUBLE PRECISION)"


def _is_gap(name: str, column: ColumnPlan) -> str:
    """Return 1 where there is no value and 0 where there is one; NaN is none, infinity is one."""
    if not column.holds_numbers:
        return case({f"{name} IS NULL": "1e0"}, "0e0")
    # Only of infinity, and of what comes near it, is the inverse next to nothing.
    return case({is_usable(name): "0e0", f"ABS(1e0 / {name}) < 1e0": "0e0"}, "1e0")


def _spellings(level: str, levels: Sequence[str]) -> list[str]:
    """Return how a database writes a category: one that is a number may come from a column of real numbers."""
    try:
        value = float(level)
    except ValueError:
        return [level]
    if not math.isfinite(value) or f"{value:.15g}" != level or repr(value) in levels:
        return [level]
    return [level, repr(value)]


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
    """Return where a place in a cycle lies, counted from its start."""
    if math.isclose(start, 0.0):
        return place
    return f"{place} - {real(start)} + CASE WHEN {place} < {real(start)} THEN {real(period)} ELSE 0e0 END"


def source_table(plan: InputPlan, table: str) -> str:
    """Return the table t that the inputs come from: with dates that are read, where there are any."""
    columns, name = [], identifier(table)
    for place in sorted({plan.place_of(j) for j in plan.needed if plan.sources[j].of_dates}):
        column = plan.columns[place]
        assert column.dates is not None
        if column.dates.zone not in ("", AS_WRITTEN):
            raise ValueError(
                f"The dates of {column.name!r} have a time zone, which databases write in ways of their own; to export "
                "to SQL, learn from dates without one."
            )
        columns += _date_part_columns(f"t.{identifier(column.name)}", column.dates.order, place + 1)
    return f"(SELECT t.*, {', '.join(columns)} FROM {name} AS t) AS t" if columns else f"{name} AS t"


def _date_part_columns(name: str, order: Order, place: int) -> list[str]:
    """Return the columns that a date is read into: year, month, days since the month began, seconds of the day.

    Parameters
    ----------
    name : str
        The column of dates, or of text that is written like one.
    order : {"ymd", "dmy", "mdy"}
        Of year, month and day in text; one that begins with the year is always read as such.
    place : int
        A number of its own, for the names of the columns.
    """
    text = f"TRIM(CAST({name} AS VARCHAR))"
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
    """Return the tables of a WITH in which gaps are filled in one after the other, and the name of the last.

    Each step is a table of its own: it needs the results of all steps before, and inside one another they would be
    nested deeper than some parsers go.
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
        tables.append(f"{name} AS (\n  SELECT {', '.join(columns)}\n  FROM {before}{fence(len(columns))}\n)")
    return "WITH " + ",\n".join(tables), names[-1]


def _filled(inputs: Sequence[str], carried: Sequence[str], taken: dict[int, str], flags: dict[int, str]) -> list[str]:
    """Return the columns of a table in which some inputs are replaced where they are missing."""
    new = {f"x{j + 1}": f"CASE WHEN {flags[j]} = 1e0 THEN {value} ELSE x{j + 1} END" for j, value in taken.items()}
    columns = [f"{new[name]} AS {name}" if name in new else name for name in inputs]
    return [*carried, *columns]
