"""The inputs of rules that come from dates, in SQL that databases share.

Databases have functions for dates, but each its own. All of them write a date as text in one way, 2024-12-31 18:30:00,
of which year, month and day are numbers; the rest is arithmetic. Divisions have no remainder, since some databases
divide whole numbers into whole numbers and others into fractions.
"""

from __future__ import annotations

import math

from fruler.export.sql_literals import real
from fruler.table.date_formats import Order
from fruler.table.date_sources import SECONDS, CycleSource, DateSource, TrendSource, WeekdaySource, no_such_source
from fruler.table.date_words import MONTH_STARTS

# From the first of January of year 1 to that of 1970.
_DAYS_BEFORE_1970 = 719_162


def date_columns(name: str, order: Order, place: int) -> list[str]:
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


def date_input(source: DateSource, place: int) -> str:
    """Return the input that comes from a date, which `date_columns` has read."""
    month = " ".join(f"WHEN {number} THEN {days}" for number, days in enumerate(MONTH_STARTS, 1))
    of_year = f"(CASE t.fruler_m{place} {month} END + t.fruler_d{place} - 1)"
    of_day = f"t.fruler_s{place}"
    match source:
        case TrendSource():
            seconds = f"(({_days(of_year, place)}) * 864e2 + {of_day} - {real(source.start_seconds)})"
            return f"{seconds} / {SECONDS[source.unit]!r}e0"
        case CycleSource(cycle="hour"):
            return _within(f"{of_day} / 36e2", source.start, 24.0)
        case CycleSource():
            return _within(f"{of_year} + {of_day} / 864e2", source.start, 366.0)
        case WeekdaySource():
            # Year 1 began on a Monday.
            days = f"({_days(of_year, place)} + {_DAYS_BEFORE_1970}) % 7"
            known = ((code, number) for code, number in enumerate(source.week) if number is not None)
            return f"CASE {days} {' '.join(f'WHEN {code} THEN {real(number)}' for code, number in known)} END"
    raise no_such_source(source)


def _days(of_year: str, place: int) -> str:
    """Return the days since 1970 began."""
    year, before = f"t.fruler_y{place}", f"(t.fruler_y{place} - 1)"
    leap_days = " ".join(
        f"{sign} ({before} - {before} % {years}) / {years}" for sign, years in (("+", 4), ("-", 100), ("+", 400))
    )
    no_leap_year = f"{year} % 4 <> 0 OR ({year} % 100 = 0 AND {year} % 400 <> 0)"
    missing_day = f"CASE WHEN t.fruler_m{place} > 2 AND ({no_leap_year}) THEN 1 ELSE 0 END"
    return f"365 * {before} {leap_days} - {_DAYS_BEFORE_1970} + {of_year} - {missing_day}"


def _within(place: str, start: float, period: float) -> str:
    """Return where a place in a cycle lies, counted from its start."""
    if math.isclose(start, 0.0):
        return place
    return f"{place} - {real(start)} + CASE WHEN {place} < {real(start)} THEN {real(period)} ELSE 0e0 END"
