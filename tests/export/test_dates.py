"""Rules over dates: every engine reads them as `predict` does."""

import datetime
import math
import sqlite3

import numpy as np
import pandas as pd
import pytest
from helpers.calculated import calculated_rows
from helpers.exported import compiled, session_of

from fruler._table.date_sources import WEEKDAYS, CycleSource, TrendSource, WeekdaySource
from fruler._table.dates import DateFormat
from fruler._table.gaps import Gaps
from fruler._table.sources import GapSource
from fruler.export import export_model
from fruler.rules import Curve, FuzzyPartition, RuleBase, Variable

START = datetime.datetime(1995, 1, 1)


def date_rules(*, gaps=True, dates=None, known_days=WEEKDAYS, unit="years"):
    """Make rules that look at everything that dates give."""
    dates = DateFormat() if dates is None else dates
    effects = np.linspace(-1.0, 1.0, 7)[[3, 0, 5, 1, 6, 2, 4]][: len(known_days)]
    last = {"years": 60.0, "days": 20_000.0, "hours": 500_000.0}[unit]
    parts = {
        "sold": (TrendSource("sold", START, unit, dates), [last / 2], (-last, last)),
        "day of year": (CycleSource("sold", "day of year", 305.0, dates), [40.0, 111.0], (0.0, 366.0)),
        "weekday": (WeekdaySource("sold", known_days, effects.tolist(), dates), [0.2], (-1.0, 1.0)),
        "hour": (CycleSource("sold", "hour", 22.0, dates), [8.0], (0.0, 24.0)),
        "sold is missing": (GapSource("sold"), [0.5], (0.0, 1.0)),
    }
    variables = [
        Variable(name, FuzzyPartition(splits, domain, 0.0 if name == "weekday" else 0.5)).of(source)
        for name, (source, splits, domain) in parts.items()
    ]
    rng = np.random.default_rng(3)
    n_labels = [variable.partition.n_labels for variable in variables]
    antecedents = [[[0, n - 1] for n in n_labels] for _ in range(6)]
    for rule, (feature, label) in enumerate([(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (3, 1)]):
        antecedents[rule][feature] = [label, label]
    consequents = rng.normal(size=(6, 6)) * np.array([1.0, 10.0 / last, 0.01, 1.0, 0.1, 2.0])
    curve = Curve(3, FuzzyPartition([4.0, 12.0], (0.0, 24.0)), [[0.0, 0.1], [2.0, -0.1], [1.0, 0.0]])
    slopes = rng.normal(size=(5, 5)) * 0.01
    np.fill_diagonal(slopes, 0.0)
    filling = Gaps(range(5), [0.4 * last, 100.0, 0.1, 11.0, 0.1], slopes) if gaps else None
    return RuleBase(variables, antecedents, consequents, curves=[curve], gaps=filling, target_name="price")


def moments():
    """Make dates at the corners of calendars, and any others."""
    rng = np.random.default_rng(0)
    corners = ["1900-02-28", "1900-03-01", "1969-12-31 23:59:59", "1970-01-01", "2000-02-29", "2000-12-31 21:59:59"]
    corners += ["2000-12-31 22:00:00", "2023-11-01", "2023-10-31 23:59", "2024-02-29 12:30", "2100-02-28", "2100-03-01"]
    seconds = rng.integers(-2_000_000_000, 4_000_000_000, 300)
    any_time = pd.Timestamp("1970-01-01") + pd.to_timedelta(seconds, unit="s")
    return pd.Series([*map(pd.Timestamp, corners), *any_time, pd.NaT]).astype("datetime64[us]")


def expected(rules, values):
    return rules.predict(pd.DataFrame({"sold": values}))


VARIANTS = {
    "years": {},
    "days": {"unit": "days"},
    "hours": {"unit": "hours"},
    "workdays": {"known_days": WEEKDAYS[:5]},
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_python_predicts_the_same(variant):
    rules = date_rules(**VARIANTS[variant])
    own = {}
    exec(export_model(rules, "python"), own)  # noqa: S102
    values = moments()
    answers = [own["predict"]([None if pd.isna(value) else value.to_pydatetime()]) for value in values]
    np.testing.assert_allclose(answers, expected(rules, values), rtol=1e-9)
    texts = [own["predict"]([None if pd.isna(value) else str(value)]) for value in values]
    np.testing.assert_allclose(texts, answers, rtol=1e-12)


def test_python_reads_text_and_zones_as_predict_does():
    values = pd.Series(["31.12.2023 18:30", "1.3.2024", None])
    rules = date_rules(dates=DateFormat(order="dmy"))
    own = {}
    exec(export_model(rules, "python"), own)  # noqa: S102
    np.testing.assert_allclose([own["predict"]([value]) for value in values], expected(rules, values), rtol=1e-12)
    with pytest.raises(ValueError, match="written like 2024-12-31"):
        own["predict"](["soon"])
    with pytest.raises(ValueError, match="expected a date; got 5"):
        own["predict"]([5])
    year_first = {}
    exec(export_model(date_rules(), "python"), year_first)  # noqa: S102
    with pytest.raises(ValueError, match="written like 2024-12-31"):
        year_first["predict"](["05.04.2024"])
    rules = date_rules(dates=DateFormat("Europe/Berlin"))
    exec(export_model(rules, "python"), own)  # noqa: S102
    values = pd.Series(pd.to_datetime(["2024-07-01 23:30", "2024-01-01 23:30"], utc=True))
    answers = [own["predict"]([value]) for value in values]
    np.testing.assert_allclose(answers, expected(rules, values), rtol=1e-12)
    with pytest.raises(ValueError, match="must have a time zone"):
        own["predict"](["2024-07-01"])


@pytest.mark.parametrize("unit", ["years", "days", "hours"])
def test_steps_predict_the_same(unit):
    rules, values = date_rules(unit=unit, gaps=False), moments().dropna()
    found = [row["prediction"] for row in calculated_rows(rules, DateFormat().seconds(values)[:, None])]
    np.testing.assert_allclose(found, expected(rules, values), rtol=1e-9)


def test_c_predicts_the_same(tmp_path):
    variants, values = [date_rules(**options) for options in VARIANTS.values()], moments()
    libraries = compiled([export_model(rules, "c") for rules in variants], tmp_path)
    for rules, library in zip(variants, libraries, strict=True):
        answers = library.predict(DateFormat().seconds(values)[:, None])
        np.testing.assert_allclose(answers, expected(rules, values), rtol=1e-9)


@pytest.mark.parametrize("variant", VARIANTS)
def test_onnx_predicts_the_same(variant):
    rules = date_rules(**VARIANTS[variant])
    session = session_of(export_model(rules, "onnx"))
    values = moments()
    answers = session.run(None, {"X": DateFormat().seconds(values)[:, None]})[0][:, 0]
    np.testing.assert_allclose(answers, expected(rules, values), rtol=1e-9)
    with pytest.raises(ValueError, match="Dates need 64-bit numbers"):
        export_model(rules, "onnx", float32=True)


def in_sqlite(values, query):
    database = sqlite3.connect(":memory:")
    database.execute('create table data ("sold" text)')
    written = [(None if pd.isna(value) else str(value),) for value in values]
    database.executemany("insert into data values (?)", written)
    return [math.nan if answer is None else answer for (answer,) in database.execute(query)]


def in_duckdb(values, query):
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.execute('create table data ("sold" timestamp)')
    written = [(None if pd.isna(value) else value.to_pydatetime(),) for value in values]
    connection.executemany("insert into data values (?)", written)
    return [math.nan if answer is None else answer for (answer,) in connection.execute(query).fetchall()]


@pytest.mark.parametrize(("variant", "gaps"), [*((variant, True) for variant in VARIANTS), ("years", False)])
@pytest.mark.parametrize("run", [in_sqlite, in_duckdb])
def test_databases_predict_the_same(variant, run, gaps):
    rules = date_rules(**VARIANTS[variant], gaps=gaps)
    values = moments() if gaps else moments()[:-1]
    np.testing.assert_allclose(run(values, export_model(rules, "sql")), expected(rules, values), rtol=1e-9)


@pytest.mark.parametrize(("order", "written"), [("dmy", "%d.%m.%Y %H:%M:%S"), ("mdy", "%m/%d/%Y %H:%M")])
def test_databases_read_dates_that_end_with_the_year(order, written):
    rules = date_rules(dates=DateFormat(order=order))
    values = moments()[:40]
    database = sqlite3.connect(":memory:")
    database.execute("create table data (sold text)")
    database.executemany("insert into data values (?)", [(text,) for text in values.dt.strftime(written)])
    answers = [answer for (answer,) in database.execute(export_model(rules, "sql"))]
    np.testing.assert_allclose(answers, expected(rules, values.dt.strftime(written)), rtol=1e-9)
    np.testing.assert_allclose(
        in_duckdb(values.dt.floor("min"), export_model(rules, "sql")),
        expected(rules, values.dt.floor("min")),
        rtol=1e-9,
    )


def test_columns_of_days_are_read_by_databases_too():
    duckdb = pytest.importorskip("duckdb")
    rules = date_rules()
    connection = duckdb.connect()
    connection.execute("create table data as select date '2024-02-29' as sold")
    answer = connection.execute(export_model(rules, "sql")).fetchall()[0][0]
    assert answer == pytest.approx(expected(rules, pd.Series([pd.Timestamp("2024-02-29")]))[0], rel=1e-9)


def test_text_that_is_no_date_is_missing_in_sqlite():
    answers = in_sqlite(["soon", pd.NaT, "2024-02-29"], export_model(date_rules(gaps=False), "sql"))
    assert np.isnan(answers).tolist() == [True, True, False]


def test_c_and_onnx_say_which_clock_dates_go_by():
    onnx = pytest.importorskip("onnx")
    note = "Dates ('sold') are seconds since the start of 1970, in the local time of Europe/Berlin."
    rules = date_rules(dates=DateFormat("Europe/Berlin"))
    assert note in export_model(rules, "c")
    assert onnx.load_from_string(export_model(rules, "onnx")).doc_string == note


def test_dates_with_clocks_of_their_own_are_read_by_sqlite():
    rules = date_rules(dates=DateFormat("as written"))
    written = ["2024-07-01 12:00:00+02:00", "2024-12-01T08:30:00Z"]
    np.testing.assert_allclose(in_sqlite(written, export_model(rules, "sql")), expected(rules, pd.Series(written)))


def test_dates_with_a_zone_are_refused_in_sql():
    with pytest.raises(ValueError, match="'sold' have a time zone"):
        export_model(date_rules(dates=DateFormat("UTC")), "sql")
