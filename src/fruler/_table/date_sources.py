"""Inputs from a column of dates: the elapsed time, the day of the year, the hour and the weekday."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from fruler._arrays import Floats
from fruler._table.dates import (
    LEAP_YEAR,
    MONTH_STARTS,
    DateFormat,
    Ticks,
    UnreadDate,
    day_text,
    day_ticks,
    hour_ticks,
    time_ticks,
)
from fruler._table.sources import LevelSource, Source, UnfitValue

Unit = Literal["years", "days", "hours"]
Cycle = Literal["day of year", "hour"]

DAY = 86_400.0
SECONDS: dict[Unit, float] = {"years": 365.2425 * DAY, "days": DAY, "hours": 3_600.0}
# A day of the year has the same number in every year.
PERIODS: dict[Cycle, float] = {"day of year": 366.0, "hour": 24.0}
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_EPOCH = datetime.datetime(1970, 1, 1)
# 1970 began on a Thursday.
_FIRST_WEEKDAY = 3
# If values span this share of a cycle, no place in it counts as outside.
_AROUND = 0.95
# In days: added before cutting off the time, since rounding may leave a date just before midnight.
_A_SECOND = 1e-5
# The step of a slider for times, in hours.
_QUARTER = 0.25


class DateSource(Source):
    """Base class of sources that come from a column of dates.

    Attributes
    ----------
    dates : DateFormat
        The format of the dates.
    """

    dates: DateFormat

    @property
    def of_dates(self) -> bool:
        """True: the column holds dates."""
        return True

    def seconds(self, values: pd.Series) -> Floats:
        """Return the seconds since the start of 1970 on the clock of the dates, NaN where a date is missing.

        Raises
        ------
        UnfitValue
            If a value is not a date, or is written unlike the dates of the training table.
        """
        if pd.api.types.is_numeric_dtype(values.dtype) and values.notna().any():
            row = int(np.argmax(values.notna()))
            problem = f"is {values.iloc[row]}, but the model was fitted on dates; write one such as 2024-12-31"
            raise UnfitValue(self.column, row, problem)
        try:
            return self.dates.seconds(values)
        except UnreadDate as error:
            problem = f"is {error.value!r}, a date {error.problem}; {error.remedy}"
            raise UnfitValue(self.column, error.row, problem) from None


@dataclass(frozen=True)
class TrendSource(DateSource):
    """The time since a start.

    Parameters
    ----------
    column : str
        The name of the column.
    start : datetime
        The start, on the clock of the dates.
    unit : {"years", "days", "hours"}
        The unit of the time.
    dates : DateFormat
        The format of the dates.

    Examples
    --------
    >>> import datetime, pandas as pd
    >>> sold = TrendSource("sold", datetime.datetime(2015, 1, 1), "years")
    >>> sold.numbers(pd.Series(["2015-01-01", "2020-07-02"])).round(3).tolist(), sold.counts
    ([0.0, 5.5], 'years since 2015')
    >>> sold.between(None, 5.5)
    'before 2 Jul 2020'
    """

    kind: ClassVar[str] = "time"

    start: datetime.datetime
    unit: Unit
    dates: DateFormat = field(default=DateFormat())

    @property
    def tells_hours(self) -> bool:
        """Whether hours are counted."""
        return self.unit == "hours"

    @property
    def start_seconds(self) -> float:
        """The start in seconds since the start of 1970."""
        return (self.start - _EPOCH).total_seconds()

    @property
    def counts(self) -> str:
        """The quantity that the input counts, with its start."""
        if self.unit == "years" and (self.start.month, self.start.day) == (1, 1):
            return f"years since {self.start.year}"
        return f"{self.unit} since {self.written(0.0)}"

    def numbers(self, values: pd.Series) -> Floats:
        """Return the time since the start, NaN where a date is missing."""
        return (self.seconds(values) - self.start_seconds) / SECONDS[self.unit]

    @property
    def step(self) -> float:
        """A day, or a quarter of an hour where hours are counted."""
        return _QUARTER if self.unit == "hours" else DAY / SECONDS[self.unit]

    def _moment(self, number: float) -> datetime.datetime:
        return self.start + datetime.timedelta(seconds=float(number) * SECONDS[self.unit])

    def written(self, number: float) -> str:
        """Return the date that a number stands for."""
        # Half a minute more gives the nearest minute; a second more makes up for rounding just below midnight.
        return self._text(number, 30.0 if self.unit == "hours" else 1.0)

    def _border(self, number: float) -> str:
        """Return the moment that separates two periods; for days, the nearest midnight."""
        return self._text(number, 30.0 if self.unit == "hours" else DAY / 2.0)

    def _text(self, number: float, added: float) -> str:
        try:
            moment = self._moment(number) + datetime.timedelta(seconds=added)
        except OverflowError:
            return f"{number:g} {self.unit}"
        day = f"{day_text(moment)} {moment.year}"
        return f"{day}, {moment:%H:%M}" if self.unit == "hours" else day

    def ticks(self, low: float, high: float) -> Iterator[Ticks]:
        """Yield marks at round moments, from many to few."""
        try:
            first, last = self._moment(low), self._moment(high)
        except OverflowError:
            return
        for ticks in time_ticks(first, last):
            yield [((at - self.start).total_seconds() / SECONDS[self.unit], text) for at, text in ticks]

    def between(self, low: float | None, high: float | None) -> str:
        """Describe a period of time in words."""
        if low is None and high is None:
            return "at any time"
        if low is None:
            return f"before {self._border(high or 0.0)}"
        return f"after {self._border(low)}" if high is None else f"from {self._border(low)} to {self._border(high)}"


@dataclass(frozen=True)
class CycleSource(DateSource):
    """The day of the year or the hour, counted from a start that keeps, say, winter or the night in one piece.

    Parameters
    ----------
    column : str
        The name of the column.
    cycle : {"day of year", "hour"}
        The cycle.
    start : float
        The start of the cycle: days since 1 January, or hours since midnight.
    dates : DateFormat
        The format of the dates.

    Examples
    --------
    >>> import pandas as pd
    >>> season = CycleSource("sold", "day of year", 305.0)
    >>> season.numbers(pd.Series(["2019-11-01", "2020-01-10"])).tolist(), season.counts
    ([0.0, 70.0], 'days since 1 Nov')
    >>> season.between(None, 111.0), season.between(111.0, None)
    ('1 Nov to 20 Feb', '20 Feb to 1 Nov')
    """

    kind: ClassVar[str] = "cycle"

    cycle: Cycle
    start: float
    dates: DateFormat = field(default=DateFormat())

    def goes_around(self, low: float, high: float) -> bool:
        """Return whether the range from low to high covers almost the whole cycle."""
        return high - low >= _AROUND * self.period

    @property
    def tells_hours(self) -> bool:
        """Whether the cycle is the hour."""
        return self.cycle == "hour"

    @property
    def period(self) -> float:
        """The length of the cycle."""
        return PERIODS[self.cycle]

    @property
    def counts(self) -> str:
        """The quantity that the input counts, with its start."""
        return f"{'hours' if self.cycle == 'hour' else 'days'} since {self.written(0.0)}"

    @property
    def step(self) -> float:
        """A day, or a quarter of an hour."""
        return _QUARTER if self.cycle == "hour" else 1.0

    def numbers(self, values: pd.Series) -> Floats:
        """Return the days or hours since the start of the cycle, NaN where a date is missing."""
        return np.mod(cycle_places(self.seconds(values), self.cycle) - self.start, self.period)

    def written(self, number: float) -> str:
        """Return the day or the time that a number stands for."""
        return self._text(number, _A_SECOND)

    def _border(self, number: float) -> str:
        """Return the day or the time that separates two parts of the cycle; for days, the nearest midnight."""
        return self._text(number, 0.5)

    def _text(self, number: float, added: float) -> str:
        place = (float(number) + self.start) % self.period
        if self.cycle == "hour":
            minutes = round(place * 60.0) % (24 * 60)
            return f"{minutes // 60:02d}:{minutes % 60:02d}"
        day = int(place + added) % int(self.period)
        return day_text(datetime.datetime(LEAP_YEAR, 1, 1) + datetime.timedelta(days=day))

    def ticks(self, low: float, high: float) -> Iterator[Ticks]:
        """Yield marks at round places of the cycle, from many to few."""
        return (hour_ticks if self.cycle == "hour" else day_ticks)(self.start, low, high, self.written)

    def between(self, low: float | None, high: float | None) -> str:
        """Describe a part of the cycle in words."""
        return f"{self._border(low or 0.0)} to {self._border(0.0 if high is None else high)}"


@dataclass(frozen=True, init=False)
class WeekdaySource(LevelSource, DateSource):
    """The weekday of a date; each weekday has a number, like the categories of a column.

    Parameters
    ----------
    column : str
        The name of the column.
    levels : sequence of str
        The known weekdays.
    values : sequence of float
        The number of each weekday.
    dates : DateFormat
        The format of the dates.

    Examples
    --------
    >>> import pandas as pd
    >>> WeekdaySource("sold", ["Saturday", "Sunday"], [1.0, -4.3]).numbers(pd.Series(["2024-12-29"])).tolist()
    [-4.3]
    """

    kind: ClassVar[str] = "weekday"

    dates: DateFormat

    def __init__(
        self, column: str, levels: Sequence[str], values: Sequence[float], dates: DateFormat | None = None
    ) -> None:
        super().__init__(column, levels, values)
        odd = [level for level in self.levels if level not in WEEKDAYS]
        if odd:
            raise ValueError(f"{odd[0]!r} of the column {column!r} is not a weekday.")
        self._set(dates=DateFormat() if dates is None else dates)

    def numbers(self, values: pd.Series) -> Floats:
        """Return the number of each weekday, NaN where the date is missing or its weekday is unknown."""
        numbers = np.array([*self.week, None], dtype=np.float64)
        return numbers[weekday_codes(self.seconds(values))]

    @property
    def week(self) -> tuple[float | None, ...]:
        """The number of each weekday from Monday to Sunday, None where unknown."""
        known = dict(zip(self.levels, self.values, strict=True))
        return tuple(known.get(name) for name in WEEKDAYS)

    def unknown(self, values: pd.Series) -> list[str]:
        """Return the distinct unknown weekdays."""
        codes = weekday_codes(self.seconds(values))
        found = [WEEKDAYS[code] for code in dict.fromkeys(codes.tolist()) if code >= 0]
        return [name for name in found if name not in self.levels]


def cycle_places(seconds: Floats, cycle: Cycle) -> Floats:
    """Convert seconds since the start of 1970 to days since 1 January, or to hours since midnight.

    Examples
    --------
    >>> import numpy as np
    >>> cycle_places(np.array([0.0, 86_400.0 * 59.5]), "day of year").tolist()
    [0.0, 60.5]
    >>> cycle_places(np.array([86_400.0 * 59.5]), "hour").tolist()
    [12.0]
    """
    of_day = np.mod(seconds, DAY)
    if cycle == "hour":
        return np.asarray(of_day / SECONDS["hours"])
    there = np.isfinite(seconds)
    days = np.floor(np.where(there, seconds, 0.0) / DAY).astype(np.int64).astype("datetime64[D]")
    months = days.astype("datetime64[M]")
    month = months.astype(np.int64) % 12
    places = np.array(MONTH_STARTS)[month] + (days - months.astype("datetime64[D]")).astype(np.int64) + of_day / DAY
    return np.where(there, places, np.nan)


def weekday_codes(seconds: Floats) -> npt.NDArray[np.intp]:
    """Return the position of each weekday in `WEEKDAYS`, -1 where a date is missing."""
    there = np.isfinite(seconds)
    days = np.floor(np.where(there, seconds, 0.0) / DAY).astype(np.intp)
    return np.where(there, (days + _FIRST_WEEKDAY) % len(WEEKDAYS), -1)


def date_text(seconds: float) -> str:
    """Write the day of a number of seconds since the start of 1970.

    Examples
    --------
    >>> date_text(0.0)
    '1 Jan 1970'
    """
    moment = _EPOCH + datetime.timedelta(seconds=seconds)
    return f"{day_text(moment)} {moment.year}"
