"""Marks of axes that show dates: at round moments, from many marks to few."""

from __future__ import annotations

import datetime
import itertools
import math
from collections.abc import Callable, Iterator

from fruler.table.date_words import MONTH_STARTS, day_text, month_text

# Places on an axis, each with its text.
Ticks = list[tuple[float, str]]

_HOURS = (0.25, 0.5, 1.0, 2.0, 3.0, 6.0, 12.0)
_DAYS = (1, 2, 5, 10)
_MONTHS = (1, 2, 3, 6)
_YEARS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_DAY = datetime.timedelta(days=1)
# More marks than this are never wanted, and would take time to write.
_MAX_TICKS = 60
# An axis with more than these is crowded, however wide.
_MAX_SHOWN = 9


def day_ticks(start: float, low: float, high: float, written: Callable[[float], str]) -> Iterator[Ticks]:
    """Yield marks for the days of a year: on days, and on the first of months.

    Parameters
    ----------
    start : float
        Where the year is cut, in days since 1 January.
    low, high : float
        The ends of the axis, in days since the start.
    written : callable
        Writes the day of a number.

    Examples
    --------
    >>> list(day_ticks(0.0, 0.0, 365.0, lambda day: f"day {day:.0f}"))[-2]
    [(0.0, 'day 0'), (91.0, 'day 91'), (182.0, 'day 182'), (274.0, 'day 274')]
    """
    for step in _DAYS:
        days = (
            [float(day) for day in range(math.ceil(low), math.floor(high) + 1, step)] if _few(high - low, step) else []
        )
        if len(days) > 1:
            yield [(day, written(day)) for day in days]
    period = 366.0
    firsts = sorted(
        month - start + turn * period
        for month in MONTH_STARTS
        for turn in (-1, 0, 1, 2)
        if low <= month - start + turn * period <= high
    )
    for step in _MONTHS:
        if len(firsts) > step:
            yield [(first, written(first)) for first in firsts[::step]]


def hour_ticks(start: float, low: float, high: float, written: Callable[[float], str]) -> Iterator[Ticks]:
    """Yield marks for the hours of a day; the parameters are those of `day_ticks`, in hours since midnight.

    Examples
    --------
    >>> list(hour_ticks(22.0, 0.0, 24.0, lambda hour: f"{(hour + 22) % 24:.0f}:00"))[-2]
    [(2.0, '0:00'), (8.0, '6:00'), (14.0, '12:00'), (20.0, '18:00')]
    """
    for step in _HOURS:
        places = range(math.ceil((low + start) / step), math.floor((high + start) / step) + 1)
        if 1 < len(places) <= _MAX_TICKS:
            yield [(place * step - start, written(place * step - start)) for place in places]


def time_ticks(first: datetime.datetime, last: datetime.datetime) -> Iterator[list[tuple[datetime.datetime, str]]]:
    """Yield marks for a stretch of time: at hours, on days, on the first of months, and at the beginning of years.

    A text has no more than tells it from the one before: of two days in one year, the second has no year.

    Examples
    --------
    >>> first, last = datetime.datetime(2019, 3, 1), datetime.datetime(2020, 5, 1)
    >>> [[text for _, text in ticks] for ticks in time_ticks(first, last)][-2:]
    [['Apr 2019', 'Jul', 'Oct', 'Jan 2020', 'Apr'], ['Jul 2019', 'Jan 2020']]
    """
    span = (last - first) / _DAY
    for hours in _HOURS:
        if _few(24.0 * span, hours):
            yield from _if_several(_clock_texts(_hours(first, last, hours)))
    for days in _DAYS:
        if _few(span, days):
            moments = _days(first, last, days)
            yield from _if_several(_with_years(moments, [day_text(moment) for moment in moments]))
    if _few(span, 30.0):
        for months in _MONTHS:
            moments = _months(first, last, months)
            yield from _if_several(_with_years(moments, [month_text(moment) for moment in moments]))
    for years in _YEARS:
        if _few(span, 365.0 * years):
            yield from _if_several([(moment, str(moment.year)) for moment in _years(first, last, years)])


def _few(extent: float, step: float) -> bool:
    return extent / step < _MAX_TICKS


def _if_several(ticks: list[tuple[datetime.datetime, str]]) -> Iterator[list[tuple[datetime.datetime, str]]]:
    if len(ticks) > 1:
        yield ticks


def _midnight(moment: datetime.datetime) -> datetime.datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _hours(first: datetime.datetime, last: datetime.datetime, step: float) -> list[datetime.datetime]:
    begin, apart = _midnight(first), datetime.timedelta(hours=step)
    places = range(math.ceil((first - begin) / apart), math.floor((last - begin) / apart) + 1)
    return [begin + place * apart for place in places]


def _days(first: datetime.datetime, last: datetime.datetime, step: int) -> list[datetime.datetime]:
    begin = _midnight(first)
    places = range(math.ceil((first - begin) / _DAY), math.floor((last - begin) / _DAY) + 1, step)
    return [begin + place * _DAY for place in places]


def _months(first: datetime.datetime, last: datetime.datetime, step: int) -> list[datetime.datetime]:
    count = range(math.ceil((12 * first.year + first.month - 1) / step) * step, 12 * last.year + last.month, step)
    moments = [datetime.datetime(month // 12, month % 12 + 1, 1) for month in count]
    return [moment for moment in moments if first <= moment <= last]


def _years(first: datetime.datetime, last: datetime.datetime, step: int) -> list[datetime.datetime]:
    count = range(max(math.ceil(first.year / step) * step, 1), last.year + 1, step)
    return [moment for year in count if first <= (moment := datetime.datetime(year, 1, 1)) <= last]


def _with_years(moments: list[datetime.datetime], texts: list[str]) -> list[tuple[datetime.datetime, str]]:
    """Add the year to the first text of every year."""
    years = [None, *(moment.year for moment in moments)]
    return [
        (moment, text if moment.year == before else f"{text} {moment.year}")
        for moment, text, before in zip(moments, texts, years, strict=False)
    ]


def _clock_texts(moments: list[datetime.datetime]) -> list[tuple[datetime.datetime, str]]:
    """Write times; at midnight, and where the marks begin, also the day."""
    texts = [day_text(moment) if moment == _midnight(moment) else f"{moment:%H:%M}" for moment in moments]
    if moments and moments[0] != _midnight(moments[0]):
        texts[0] = f"{day_text(moments[0])}, {texts[0]}"
    return list(zip(moments, texts, strict=True))


def first_that_fits(choices: Iterator[Ticks], low: float, high: float, room: Callable[[str], float]) -> Ticks:
    """Return the first of several ways to mark an axis whose texts do not touch; else the last of them.

    Parameters
    ----------
    choices : iterator of list of (float, str)
        The ways, from many marks to few.
    low, high : float
        The ends of the axis.
    room : callable
        Returns the share of the axis that a text takes, with the gap to the next.

    Examples
    --------
    >>> ways = iter([[(0.0, "zero"), (1.0, "one"), (2.0, "two")], [(0.0, "zero"), (2.0, "two")]])
    >>> first_that_fits(ways, 0.0, 2.0, lambda text: 0.2 * len(text))
    [(0.0, 'zero'), (2.0, 'two')]
    """
    found: Ticks = []
    for ticks in choices:
        found = ticks
        pairs = itertools.pairwise(ticks)
        if len(ticks) <= _MAX_SHOWN and all(
            (right - left) / (high - low) >= (room(one) + room(other)) / 2.0 for (left, one), (right, other) in pairs
        ):
            break
    return found
