"""Dates: read from tables, as seconds on the clock of their zone, in words, and as tick marks of an axis."""

from __future__ import annotations

import calendar
import datetime
import itertools
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from fruler._arrays import Floats
from fruler._table.texts import column_texts

# A day of the year has the same number in every year, as if every year had a 29 February.
LEAP_YEAR = 2024
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# Days before each month of a leap year.
MONTH_STARTS = tuple(np.cumsum([0, *(calendar.monthrange(LEAP_YEAR, month)[1] for month in range(1, 12))]).tolist())


def day_text(moment: datetime.date) -> str:
    """Write the day and the month.

    Examples
    --------
    >>> day_text(datetime.date(2019, 11, 1))
    '1 Nov'
    """
    return f"{moment.day} {MONTHS[moment.month - 1]}"


# Places on an axis, each with its text.
Ticks = list[tuple[float, str]]

_HOURS = (0.25, 0.5, 1.0, 2.0, 3.0, 6.0, 12.0)
_DAYS = (1, 2, 5, 10)
_MONTHS = (1, 2, 3, 6)
_YEARS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_DAY = datetime.timedelta(days=1)
# More marks than this are never needed, and would take time to write.
_MAX_TICKS = 60
# An axis with more marks than this is crowded, however wide.
_MAX_SHOWN = 9


def day_ticks(start: float, low: float, high: float, written: Callable[[float], str]) -> Iterator[Ticks]:
    """Yield marks for the days of a year: on days, and on the first of months.

    Parameters
    ----------
    start : float
        The start of the cycle, in days since 1 January.
    low, high : float
        The ends of the axis, in days since the start.
    written : callable
        Returns the text for a number of days since the start.

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

    A text omits what it shares with the one before: the second of two days in one year has no year.

    Examples
    --------
    >>> first, last = datetime.datetime(2019, 3, 1), datetime.datetime(2020, 5, 1)
    >>> [[text for _, text in ticks] for ticks in time_ticks(first, last)][-2:]
    [['Apr 2019', 'Jul', 'Oct', 'Jan 2020', 'Apr'], ['Jul 2019', 'Jan 2020']]
    """
    span = (last - first) / _DAY
    choices = itertools.chain(
        (_clock_texts(_steps(first, last, hours / 24.0)) for hours in _HOURS if _few(24.0 * span, hours)),
        (_with_years(_steps(first, last, days), day_text) for days in _DAYS if _few(span, days)),
        (_with_years(_months(first, last, months), _month_text) for months in _MONTHS if _few(span, 30.0)),
        (
            [(moment, str(moment.year)) for moment in _months(first, last, 12 * years)]
            for years in _YEARS
            if _few(span, 365.0 * years)
        ),
    )
    yield from (ticks for ticks in choices if len(ticks) > 1)


def _few(extent: float, step: float) -> bool:
    return extent / step < _MAX_TICKS


def _month_text(moment: datetime.date) -> str:
    return MONTHS[moment.month - 1]


def _midnight(moment: datetime.datetime) -> datetime.datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _steps(first: datetime.datetime, last: datetime.datetime, days: float) -> list[datetime.datetime]:
    """Return moments some days apart, or a part of a day, counted from the first midnight."""
    begin, apart = _midnight(first), days * _DAY
    places = range(math.ceil((first - begin) / apart), math.floor((last - begin) / apart) + 1)
    return [begin + place * apart for place in places]


def _months(first: datetime.datetime, last: datetime.datetime, step: int) -> list[datetime.datetime]:
    start = max(math.ceil((12 * first.year + first.month - 1) / step) * step, 12)
    moments = (
        datetime.datetime(month // 12, month % 12 + 1, 1) for month in range(start, 12 * last.year + last.month, step)
    )
    return [moment for moment in moments if first <= moment <= last]


def _with_years(
    moments: list[datetime.datetime], written: Callable[[datetime.datetime], str]
) -> list[tuple[datetime.datetime, str]]:
    """Write moments; the first of every year with the year."""
    years = [None, *(moment.year for moment in moments)]
    return [
        (moment, written(moment) if moment.year == before else f"{written(moment)} {moment.year}")
        for moment, before in zip(moments, years, strict=False)
    ]


def _clock_texts(moments: list[datetime.datetime]) -> list[tuple[datetime.datetime, str]]:
    """Write times; at midnight, and where the marks begin, also the day."""
    texts = [day_text(moment) if moment == _midnight(moment) else f"{moment:%H:%M}" for moment in moments]
    if moments and moments[0] != _midnight(moments[0]):
        texts[0] = f"{day_text(moments[0])}, {texts[0]}"
    return list(zip(moments, texts, strict=True))


def first_that_fits(choices: Iterator[Ticks], low: float, high: float, room: Callable[[str], float]) -> Ticks:
    """Return the first choice of tick marks whose texts do not touch, or else the last choice.

    Parameters
    ----------
    choices : iterator of list of (float, str)
        The choices, from many marks to few.
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


Order = Literal["ymd", "dmy", "mdy"]
# The zone of dates that each have a UTC offset of their own: their clock counts as it is written.
AS_WRITTEN = "as written"

_TIME = r"(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?)?"
_YEAR_FIRST = re.compile(r"(\d{4})([-/.])(\d{1,2})(?:\2(\d{1,2}))?" + _TIME)
_YEAR_LAST = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})" + _TIME)
_OFFSET = re.compile(r"(?<=:\d\d)\s*(?:Z|[+-]\d{2}:?\d{2})$")
_EXAMPLE = "2024-12-31"
_N_MONTHS = 12


class UnreadDate(ValueError):
    """A value that is not a date, or is written unlike the other dates.

    Parameters
    ----------
    row : int
        The row of the value, counted from 0.
    value : str
        The value as it is written.
    problem : str
        What is wrong; follows "a date " in the message.
    remedy : str
        What to do.
    """

    def __init__(self, row: int, value: str, problem: str, remedy: str = f"write it as {_EXAMPLE}") -> None:
        super().__init__(f"Row {row} has {value!r}, a date {problem}; {remedy}.")
        self.row, self.value, self.problem, self.remedy = row, value, problem, remedy


@dataclass(frozen=True)
class DateFormat:
    """The format of the dates of a column.

    Parameters
    ----------
    zone : str
        The time zone of the dates; empty if they have none, "as written" if each has its own.
    order : {"ymd", "dmy", "mdy"}
        The order of year, month and day in text; a date that begins with the year is always read as such.

    Examples
    --------
    >>> import pandas as pd
    >>> DateFormat(order="dmy").seconds(pd.Series(["02.01.1970", None])).tolist()
    [86400.0, nan]
    """

    zone: str = ""
    order: Order = "ymd"

    def __post_init__(self) -> None:
        # A name in another type of text would be written as such in exported code.
        object.__setattr__(self, "zone", str(self.zone))
        if self.zone and self.zone != AS_WRITTEN:
            try:
                pd.Series(pd.NaT, index=[0], dtype="datetime64[us, UTC]").dt.tz_convert(self.zone)
            except (KeyError, ValueError, OSError) as error:
                raise ValueError(f"{self.zone!r} is not a time zone.") from error

    @classmethod
    def of(cls, values: pd.Series) -> DateFormat:
        """Find the format of the dates of a column.

        Raises
        ------
        UnreadDate
            If they are not all written alike, or can be read in two ways.
        """
        if isinstance(values.dtype, pd.DatetimeTZDtype):
            return cls(str(values.dtype.tz))
        if pd.api.types.is_datetime64_any_dtype(values.dtype) or isinstance(values.dtype, pd.PeriodDtype):
            return cls()
        present = values[values.notna()]
        if all(isinstance(value, datetime.date | np.datetime64) for value in present):
            return cls(AS_WRITTEN if _have_zones(values) else "")
        texts = column_texts(values)
        order = _order(texts)
        return cls(AS_WRITTEN if _texts_have_zones(texts) else "", order)

    def seconds(self, values: pd.Series) -> Floats:
        """Return the seconds since the start of 1970 on the clock of the zone; NaN where a date is missing.

        Raises
        ------
        UnreadDate
            If a value is not a date, or has a zone where the format has none, or the reverse.
        """
        stamps = self._stamps(values)
        if isinstance(stamps.dtype, pd.DatetimeTZDtype):
            own = stamps if self.zone == AS_WRITTEN else stamps.dt.tz_convert(self.zone)
            stamps = own.dt.tz_localize(None)
        counted = stamps.astype("datetime64[us]").to_numpy().astype(np.int64) / 1e6
        return np.where(stamps.isna(), np.nan, counted)

    def _stamps(self, values: pd.Series) -> pd.Series:
        if not values.notna().any():
            return pd.Series(pd.NaT, index=values.index, dtype="datetime64[us]")
        dtype = values.dtype
        if isinstance(dtype, pd.PeriodDtype):
            values = values.dt.to_timestamp()
        elif not pd.api.types.is_datetime64_any_dtype(dtype):
            return self._parsed(values)
        self._check_zone(values, isinstance(values.dtype, pd.DatetimeTZDtype))
        return values

    def _parsed(self, values: pd.Series) -> pd.Series:
        """Read dates that are Python objects or text."""
        present = values[values.notna()]
        if all(isinstance(value, datetime.date | np.datetime64) for value in present):
            self._check_zone(values, _have_zones(values))
            if self.zone == AS_WRITTEN:
                values = values.map(lambda value: value.replace(tzinfo=None), na_action="ignore")
            return pd.to_datetime(values.astype(object), utc=self.zone not in ("", AS_WRITTEN))
        texts = column_texts(values)
        self._check_texts(texts)
        self._check_zone(values, _texts_have_zones(texts))
        # Each distinct text once: the days of a table often repeat.
        codes, distinct = pd.factorize(texts, use_na_sentinel=True)
        found = pd.Series([_iso(str(text), self.order) for text in distinct], dtype=object)
        if self.zone == AS_WRITTEN:
            found = found.str.replace(_OFFSET, "", regex=True)
        utc = self.zone not in ("", AS_WRITTEN)
        read = pd.to_datetime(found, errors="coerce", format="ISO8601", utc=utc)
        unread = np.append(read.isna().to_numpy(), False)[codes]
        if unread.any():
            row = int(np.argmax(unread))
            raise UnreadDate(row, texts.iloc[row], "that is not in the calendar")
        stamps = pd.concat([read, pd.Series([pd.NaT], dtype=read.dtype)], ignore_index=True)
        return stamps.iloc[codes].set_axis(values.index)

    def _check_texts(self, texts: pd.Series) -> None:
        """Refuse text that is not a date, and dates with the year last if the format has it first."""
        for text in texts.dropna().unique():
            if _YEAR_FIRST.fullmatch(text):
                continue
            row = int(np.argmax(texts == text))
            if not _YEAR_LAST.fullmatch(text):
                raise UnreadDate(row, text, "that cannot be read")
            if self.order == "ymd":
                raise UnreadDate(row, text, "with its year last, but the model was fitted on dates with the year first")

    def _check_zone(self, values: pd.Series, has_zone: bool) -> None:
        if has_zone == bool(self.zone):
            return
        row = int(np.argmax(values.notna()))
        value = str(values.iloc[row])
        if has_zone:
            problem, remedy = "with a time zone, but the model was fitted on dates without one", "remove the zone"
        else:
            problem, remedy = (
                "without a time zone, but the model was fitted on dates with one",
                "add it, as in 2024-12-31 18:30+01:00" if self.zone == AS_WRITTEN else f"add it, such as {self.zone}",
            )
        raise UnreadDate(row, value, problem, remedy)


def look_like_dates(texts: pd.Series) -> npt.NDArray[np.bool_]:
    """Return which texts look like dates, whether or not the day exists.

    Examples
    --------
    >>> import pandas as pd
    >>> look_like_dates(pd.Series(["2024-12-31", "31.12.2024 18:30", "2024", "18:30"])).tolist()
    [True, True, False, False]
    """
    return np.array([bool(_YEAR_FIRST.fullmatch(text) or _YEAR_LAST.fullmatch(text)) for text in texts], dtype=np.bool_)


def _have_zones(values: pd.Series) -> bool:
    """Return whether dates have time zones.

    Raises
    ------
    UnreadDate
        If some have one and others have none.
    """
    zoned = [getattr(value, "tzinfo", None) is not None for value in values[values.notna()]]
    return _all_or_none(values, zoned)


def _texts_have_zones(texts: pd.Series) -> bool:
    return _all_or_none(texts, [_OFFSET.search(text) is not None for text in texts.dropna()])


def _all_or_none(values: pd.Series, zoned: list[bool]) -> bool:
    if any(zoned) and not all(zoned):
        row = int(np.flatnonzero(values.notna())[zoned.index(not zoned[0])])
        has, others = ("without", "with") if zoned[0] else ("with", "without")
        problem = f"{has} a time zone among dates {others} one"
        raise UnreadDate(row, str(values.iloc[row]), problem, "write all with a zone, or all without")
    return bool(zoned) and zoned[0]


def _order(texts: pd.Series) -> Order:
    """Return the order of year, month and day.

    Raises
    ------
    UnreadDate
        If days and months cannot be told apart.
    """
    matches: list[Any] = [_YEAR_LAST.fullmatch(text) for text in texts.dropna().unique()]
    found = [match for match in matches if match is not None]
    if not found:
        return "ymd"
    # Dots are used in German-speaking and neighbouring countries, where the day comes first.
    if all(match[2] == "." for match in found) or any(int(match[1]) > _N_MONTHS for match in found):
        return "dmy"
    if any(int(match[3]) > _N_MONTHS for match in found):
        return "mdy"
    text = found[0][0]
    row = int(np.argmax(texts == text))
    raise UnreadDate(row, text, "whose day and month cannot be told apart")


def _iso(text: str, order: Order) -> str:
    """Return a date with its year first; other text is unchanged, for the parser to refuse."""
    match = _YEAR_FIRST.fullmatch(text)
    if match is not None:
        year, month, day = match[1], match[3], match[4] or "1"
        time = match.groups()[4:]
    else:
        match = _YEAR_LAST.fullmatch(text)
        if match is None or order == "ymd":
            return text if match is None else ""
        day, month, year = (match[1], match[3], match[4]) if order == "dmy" else (match[3], match[1], match[4])
        time = match.groups()[4:]
    hour, minute, second, zone = time
    return f"{year}-{int(month):02d}-{int(day):02d}T{int(hour or 0):02d}:{minute or '00'}:{second or '00'}{zone or ''}"
