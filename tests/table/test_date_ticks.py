"""Marks of axes stand at round dates, as far apart as their texts are long."""

import datetime
import itertools

import pytest

from fruler._table.date_sources import CycleSource, TrendSource, WeekdaySource
from fruler.rules import FuzzyPartition, Variable


def room(text):
    return 0.02 * len(text) + 0.02


def marks(source, low, high):
    variable = Variable("x", FuzzyPartition([], (low, high)), source=source)
    ticks = variable.ticks(low, high, room)
    for (left, one), (right, other) in itertools.pairwise(ticks):
        assert (right - left) / (high - low) >= (room(one) + room(other)) / 2
    return [text for _, text in ticks], [place for place, _ in ticks]


def test_a_year_is_marked_by_months_from_where_it_is_cut():
    season = CycleSource("sold", "day of year", 305.0)
    texts, places = marks(season, 0.0, 366.0)
    assert texts == ["1 Nov", "1 Jan", "1 Mar", "1 May", "1 Jul", "1 Sep", "1 Nov"]
    assert [season.written(place) for place in places] == texts
    assert marks(season, 50.0, 90.0)[0] == ["21 Dec", "31 Dec", "10 Jan", "20 Jan", "30 Jan"]


def test_a_day_is_marked_by_hours():
    texts, places = marks(CycleSource("sold", "hour", 22.25), 0.0, 24.0)
    assert texts == ["00:00", "03:00", "06:00", "09:00", "12:00", "15:00", "18:00", "21:00"]
    assert places[0] == 1.75


@pytest.mark.parametrize(
    ("start", "unit", "high", "expected"),
    [
        ("2015-01-01", "years", 6.0, ["2015", "2016", "2017", "2018", "2019", "2020"]),
        ("2015-01-01", "years", 60.0, ["2020", "2030", "2040", "2050", "2060", "2070"]),
        ("2019-03-03", "days", 500.0, ["Apr 2019", "Jul", "Oct", "Jan 2020", "Apr", "Jul"]),
        ("2019-12-20", "days", 40.0, ["20 Dec 2019", "30 Dec", "9 Jan 2020", "19 Jan", "29 Jan"]),
        ("2019-12-20T22:00", "hours", 30.0, ["21 Dec", "06:00", "12:00", "18:00", "22 Dec"]),
        ("2019-12-20T22:10", "hours", 0.01, ["20 Dec 2019, 22:10"]),
        ("2015-01-01", "years", 1e9, ["5e+08 years"]),
    ],
)
def test_time_is_marked_by_years_months_days_or_hours(start, unit, high, expected):
    trend = TrendSource("sold", datetime.datetime.fromisoformat(start), unit)
    texts, places = marks(trend, 0.0, high)
    assert texts == expected
    assert all(0.0 <= place <= high for place in places)


def test_numbers_and_categories_have_none():
    assert marks(None, 0.0, 1.0) == ([], [])
    assert marks(WeekdaySource("sold", ["Saturday", "Sunday"], [0.0, 1.0]), 0.0, 1.0) == ([], [])
