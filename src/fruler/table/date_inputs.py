"""What a column of dates gives to rules: of time, season, weekday and hour what varies."""

from __future__ import annotations

import datetime
from functools import partial

import numpy as np
import pandas as pd

from fruler._typing import Floats
from fruler.table.columns import MIN_ROWS_A_LEVEL
from fruler.table.date_formats import DateFormat
from fruler.table.date_sources import (
    DAY,
    PERIODS,
    WEEKDAYS,
    Cycle,
    CycleSource,
    TrendSource,
    Unit,
    WeekdaySource,
    cycle_places,
    weekday_codes,
)
from fruler.table.parts import Categories, Numbers, Places

# So many days dates must span for each: a season that has not come back tells no more than the time that has passed.
_SEASONS, _TWO_WEEKS, _TWO_DAYS = 548.0, 14.0, 2.0
# So many that time is counted in years.
_TWO_YEARS = 730.0
# In days and in quarters of an hour.
_BINS: dict[Cycle, int] = {"day of year": 366, "hour": 96}


def date_parts(values: pd.Series) -> dict[str, Numbers | Places | Categories]:
    """Return what varies of the dates of a column, by name; the time that has passed has the name "".

    Examples
    --------
    >>> import pandas as pd
    >>> list(date_parts(pd.Series(pd.date_range("2020-01-01", periods=800))))
    ['', 'day of year', 'weekday']
    >>> list(date_parts(pd.Series(pd.date_range("2020-01-01", periods=800, freq="h"))))
    ['', 'weekday', 'hour']
    """
    column, dates = str(values.name), DateFormat.of(values)
    seconds = dates.seconds(values)
    known = seconds[np.isfinite(seconds)]
    span = float(np.ptp(known)) / DAY
    trend = _trend(column, dates, float(known.min()), span)
    parts: dict[str, Numbers | Places | Categories] = {"": Numbers(trend, trend.numbers(values))}
    if span >= _SEASONS:
        parts["day of year"] = _places(column, "day of year", dates, seconds)
    codes = weekday_codes(seconds)
    found = np.unique(codes[codes >= 0])
    # The weekday of the first of a month says nothing of the month.
    monthly = (
        known.astype("datetime64[s]").astype("datetime64[M]").astype("datetime64[s]").astype(float) == known
    ).all()
    if not monthly and span >= _TWO_WEEKS and len(found) > 1 and len(known) >= MIN_ROWS_A_LEVEL * len(found):
        levels = tuple(WEEKDAYS[code] for code in found)
        places = np.append(np.where(np.isin(range(len(WEEKDAYS)), found), np.searchsorted(found, range(7)), -1), -1)
        source = partial(WeekdaySource, column, levels, dates=dates)
        parts["weekday"] = Categories(source, levels, places[codes])
    if span >= _TWO_DAYS and np.ptp(np.mod(known, DAY)) > 0.0:
        parts["hour"] = _places(column, "hour", dates, seconds)
    return parts


def _places(column: str, cycle: Cycle, dates: DateFormat, seconds: Floats) -> Places:
    source = partial(CycleSource, column, cycle, dates=dates)
    return Places(source, cycle_places(seconds, cycle), PERIODS[cycle], _BINS[cycle])


def _trend(column: str, dates: DateFormat, first: float, span: float) -> TrendSource:
    unit: Unit = "years" if span >= _TWO_YEARS else "days" if span >= _TWO_DAYS else "hours"
    start = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=first)
    if unit == "years":
        start = start.replace(month=1, day=1)
    hour = start.hour if unit == "hours" else 0
    return TrendSource(column, start.replace(hour=hour, minute=0, second=0, microsecond=0), unit, dates)
