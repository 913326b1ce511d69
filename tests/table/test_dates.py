"""Dates: how they are written, what they give to rules, and where their cycles are cut."""

import datetime

import numpy as np
import pandas as pd
import pytest

from fruler._table.date_sources import WEEKDAYS, CycleSource, TrendSource, WeekdaySource, cycle_places
from fruler._table.dates import DateFormat, UnreadDate, look_like_dates
from fruler._table.encoding import cycle_start, date_parts, learn_inputs
from fruler._table.sources import UnfitValue

DAYS = pd.date_range("2019-01-01", "2024-12-31 12:00", freq="31h").to_series().reset_index(drop=True)


def seconds(values):
    return DateFormat.of(values).seconds(values)


@pytest.mark.parametrize(
    "hold",
    [
        lambda values: values,
        lambda values: values.astype("datetime64[s]"),
        lambda values: values.astype("datetime64[ns]"),
        lambda values: values.astype(str),
        lambda values: values.dt.strftime("%Y-%m-%dT%H:%M:%S"),
        lambda values: values.dt.strftime("%Y/%m/%d %H:%M"),
        lambda values: values.dt.strftime("%d.%m.%Y %H:%M"),
        lambda values: values.dt.strftime("%m/%d/%Y %H:%M"),
        lambda values: values.dt.strftime("%d/%m/%Y %H:%M:%S.250"),
        lambda values: values.map(pd.Timestamp.to_pydatetime).astype(object),
        lambda values: values.dt.tz_localize("UTC"),
        lambda values: values.dt.tz_localize("UTC").astype(object),
        lambda values: values.dt.strftime("%Y-%m-%dT%H:%M:%SZ"),
        lambda values: values.dt.tz_localize("Etc/GMT-2").dt.strftime("%Y-%m-%d %H:%M%z"),
        lambda values: values.dt.tz_localize("Etc/GMT-2").astype(str),
    ],
)
def test_dates_are_the_same_however_they_are_written(hold):
    expected = (DAYS - pd.Timestamp("1970-01-01")).dt.total_seconds().to_numpy()
    held = hold(DAYS)
    np.testing.assert_allclose(seconds(held), expected, atol=0.5)
    held = held.copy()
    held[3] = None
    assert np.flatnonzero(np.isnan(seconds(held))).tolist() == [3]


def test_days_and_months_without_a_time_are_dates():
    expected = [0.0, 86_400.0 * 31]
    for written in (["1970-01-01", "1970-02-01"], ["1970-01", "1970-02"], ["1.1.1970", "01.02.1970"]):
        assert seconds(pd.Series(written)).tolist() == expected
    assert seconds(pd.Series([datetime.date(1970, 1, 1), datetime.date(1970, 2, 1)])).tolist() == expected
    assert seconds(pd.Series(pd.period_range("1970-01", periods=2, freq="M"))).tolist() == expected
    assert look_like_dates(pd.Series(["1970-01-01", "soon"])).tolist() == [True, False]


def test_dates_show_the_clock_of_their_zone():
    berlin = pd.Series(pd.to_datetime(["2024-07-01 22:30"], utc=True)).dt.tz_convert("Europe/Berlin")
    format = DateFormat.of(berlin)
    assert format.zone == "Europe/Berlin"
    clock = pd.Timestamp("2024-07-02 00:30").timestamp()
    assert format.seconds(berlin).tolist() == [clock]
    assert format.seconds(berlin.dt.tz_convert("UTC")).tolist() == [clock]


def test_a_zone_on_one_side_only_is_refused():
    naive, aware = pd.Series(pd.to_datetime(["2024-07-01"])), pd.Series(pd.to_datetime(["2024-07-01"], utc=True))
    with pytest.raises(UnreadDate, match=r"with a time zone, .* fitted on dates without one; remove the zone"):
        DateFormat.of(naive).seconds(aware)
    with pytest.raises(UnreadDate, match=r"without a time zone, .* fitted on dates with one; add it, such as U"):
        DateFormat.of(aware).seconds(naive)
    mixed = pd.Series([naive[0].to_pydatetime(), aware[0].to_pydatetime()], dtype=object)
    with pytest.raises(UnreadDate, match=r"Row 1 has .* with a time zone among dates without one; write all"):
        DateFormat.of(mixed)
    with pytest.raises(ValueError, match="'Atlantis' is not a time zone"):
        DateFormat("Atlantis")


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("2021-13-01", "that is not in the calendar"),
        ("2021-02-29", "that is not in the calendar"),
        ("soon", "that cannot be read"),
        ("31.12.21", "that cannot be read"),
        ("31.12.2021", "with its year last, but the model was fitted on dates with the year first"),
        ("2021-01-02T10:00Z", "with a time zone among dates without one"),
    ],
)
def test_a_date_that_cannot_be_read_is_refused_with_its_row(value, problem):
    source = CycleSource("sold", "hour", 0.0)
    with pytest.raises(UnfitValue, match=rf"'sold', row 1 .*is '{value}', a date {problem}; write"):
        source.numbers(pd.Series(["2021-01-01", value]))
    with pytest.raises(UnfitValue, match="is 7, but the model was fitted on dates; write one such as 2024-12-31"):
        source.numbers(pd.Series([7]))


def test_dates_with_offsets_show_their_own_clock():
    written = pd.Series(["2024-07-01 12:00:00+02:00", "2024-12-01 12:00:00+01:00"])
    aware = pd.Series(pd.to_datetime(written, utc=True)).dt.tz_convert("Europe/Berlin")
    assert cycle_places(seconds(written), "hour").tolist() == [12.0, 12.0]
    assert DateFormat.of(written).seconds(aware).tolist() == seconds(aware).tolist() == seconds(written).tolist()


def test_a_moment_is_written_as_its_own_day_and_a_border_as_the_nearest_midnight():
    trend = TrendSource("sold", datetime.datetime(2024, 1, 1), "days")
    numbers = trend.numbers(pd.Series(["2024-04-05 23:59", "2024-04-05", "2024-04-06"]))
    assert [trend.written(number) for number in numbers] == ["5 Apr 2024", "5 Apr 2024", "6 Apr 2024"]
    assert trend.between(None, numbers[0]) == "before 6 Apr 2024"
    season = CycleSource("sold", "day of year", 200.0)
    numbers = season.numbers(pd.Series(["2024-04-05 23:59", "2024-04-05", "2024-04-06"]))
    assert [season.written(number) for number in numbers] == ["5 Apr", "5 Apr", "6 Apr"]


def test_the_weekday_of_months_is_not_offered():
    assert list(date_parts(pd.Series(pd.date_range("2010-01-01", periods=60, freq="MS"), name="d"))) == [
        "",
        "day of year",
    ]


def test_the_day_of_the_year_is_the_same_in_all_years():
    dates = pd.Series(["2023-01-01", "2023-03-01", "2024-03-01", "2024-02-29", "2023-12-31 12:00"])
    assert cycle_places(seconds(dates), "day of year").tolist() == [0.0, 60.0, 60.0, 59.0, 365.5]
    assert cycle_places(seconds(dates), "hour").tolist() == [0.0, 0.0, 0.0, 0.0, 12.0]


def test_sources_agree_with_pandas():
    weekdays = WeekdaySource("sold", WEEKDAYS, range(7))
    assert weekdays.numbers(DAYS).tolist() == DAYS.dt.day_of_week.tolist()
    assert WeekdaySource("sold", WEEKDAYS[:5], range(5)).unknown(DAYS) == ["Sunday", "Saturday"]
    hours = CycleSource("sold", "hour", 22.0).numbers(DAYS)
    np.testing.assert_allclose(hours, (DAYS.dt.hour - 22) % 24)
    years = TrendSource("sold", datetime.datetime(2019, 1, 1), "years").numbers(DAYS)
    np.testing.assert_allclose(years, (DAYS - DAYS[0]).dt.total_seconds() / 86_400 / 365.2425)


def test_numbers_and_ranges_are_written_as_dates():
    season = CycleSource("sold", "day of year", 305.0)
    assert season.between(None, 111.0) == "1 Nov to 20 Feb"
    assert season.between(111.0, 200.2) == "20 Feb to 19 May"
    assert season.written(0.9) == "1 Nov"
    night = CycleSource("sold", "hour", 22.0)
    assert (night.between(None, 8.25), night.counts) == ("22:00 to 06:15", "hours since 22:00")
    trend = TrendSource("sold", datetime.datetime(2019, 5, 2), "days")
    assert (trend.between(None, 30.0), trend.between(30.0, None)) == ("before 1 Jun 2019", "after 1 Jun 2019")
    assert (trend.between(0.0, 30.0), trend.counts) == ("from 2 May 2019 to 1 Jun 2019", "days since 2 May 2019")
    hours = TrendSource("sold", datetime.datetime(2019, 5, 2, 14), "hours")
    assert (hours.written(1.5), hours.counts) == ("2 May 2019, 15:30", "hours since 2 May 2019, 14:00")
    assert trend.written(1e12) == "1e+12 days"


@pytest.mark.parametrize(
    ("dates", "parts"),
    [
        (pd.date_range("2020-01-01", periods=800), ["", "day of year", "weekday"]),
        (pd.date_range("2020-01-06", periods=300, freq="7D"), ["", "day of year"]),
        (pd.date_range("2020-01-01", periods=60), ["", "weekday"]),
        (pd.date_range("2020-01-01", periods=60, freq="h"), ["", "hour"]),
        (pd.date_range("2020-01-01", periods=60, freq="min"), [""]),
        ([pd.Timestamp("2020-01-01")] * 5, [""]),
    ],
)
def test_only_what_varies_is_offered(dates, parts):
    assert list(date_parts(pd.Series(dates, name="d"))) == parts


@pytest.mark.parametrize(("begins", "ends"), [(305, 51), (20, 90), (350, 10)])
def test_a_cycle_is_cut_where_a_season_begins_or_ends(begins, ends):
    rng = np.random.default_rng(0)
    places = rng.uniform(0, 366, 3000)
    inside = (places >= begins) & (places < ends) if begins < ends else (places >= begins) | (places < ends)
    start = cycle_start(places, 366.0, 366, np.where(inside, 3.0, 0.0) + rng.normal(size=3000), np.ones(3000))
    assert min(abs(start - begins), abs(start - ends)) <= 1.0


def test_a_wave_is_cut_where_it_is_lowest_or_highest():
    places = np.linspace(0, 24, 2000, endpoint=False)
    y = np.cos(2 * np.pi * (places - 15.0) / 24.0)
    start = cycle_start(places, 24.0, 96, y, np.ones(2000))
    assert min(abs(start - 15.0), abs(start - 3.0)) <= 0.5


def test_a_cycle_without_effect_begins_at_its_beginning():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        places, y = rng.uniform(0, 366, 500), rng.normal(size=500)
        places[::7] = np.nan
        assert cycle_start(places, 366.0, 366, y, np.ones(500)) == 0.0


def test_a_cycle_of_one_place_begins_at_its_beginning():
    assert cycle_start(np.full(9, 3.0), 24.0, 96, np.arange(9.0), np.ones(9)) == 0.0


def test_weights_decide_where_a_cycle_is_cut():
    rng = np.random.default_rng(0)
    places = rng.uniform(0, 24, 4000)
    first = rng.random(4000) < 0.5
    y = np.where(first, np.where(places > 18.0, 5.0, 0.0), np.where(places < 10.0, 5.0, 0.0))
    assert cycle_start(places, 24.0, 96, y, np.where(first, 1.0, 1e-6)) in (18.0, 0.0)
    assert cycle_start(places, 24.0, 96, y, np.where(first, 1e-6, 1.0)) in (10.0, 0.0)


def test_inputs_have_the_names_of_their_parts_unless_these_are_taken():
    y = np.random.default_rng(0).normal(size=len(DAYS))
    one = learn_inputs(pd.DataFrame({"sold": DAYS}), y)
    assert one.names == ["sold", "day of year", "weekday", "hour"]
    taken = learn_inputs(pd.DataFrame({"hour": np.arange(len(DAYS)), "sold": DAYS}), y)
    assert taken.names == ["hour", "sold", "day of year", "weekday", "hour of sold"]
    two = learn_inputs(pd.DataFrame({"built": DAYS, "sold": DAYS[::-1].to_numpy()}), y)
    assert two.names[:4] == ["built", "day of year of built", "weekday of built", "hour of built"]
    hot = learn_inputs(pd.DataFrame({"sold": DAYS}), y, one_hot=True)
    assert hot.names[2:9] == [f"weekday={day}" for day in WEEKDAYS]
    np.testing.assert_array_equal(hot.values[:, 2:9].argmax(axis=1), DAYS.dt.day_of_week)


def test_a_cycle_that_was_seen_around_has_no_outside():
    season = CycleSource("sold", "day of year", 305.0)
    assert season.goes_around(1.0, 364.0)
    assert not season.goes_around(60.0, 300.0)
    assert not TrendSource("sold", datetime.datetime(2015, 1, 1), "days").goes_around(0.0, 1e9)


def test_dates_that_each_need_a_zone_are_asked_for_with_an_example():
    with pytest.raises(UnreadDate, match=r"without a time zone, .* one; add it, as in 2024-12-31 18:30\+01:00"):
        DateFormat("as written").seconds(pd.Series(["2024-12-31 18:30"]))
