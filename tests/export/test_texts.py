"""Blank text, white space and truth values: every engine reads a table as `predict` does."""

import sqlite3
import sys

import numpy as np
import pandas as pd
import pytest
from helpers.engines import ENGINES, with_duckdb, with_postgres, with_python, with_sqlite
from helpers.mixed_tables import assert_same

from fruler import FuzzyRuleRegressor
from fruler._table.date_sources import TrendSource
from fruler._table.dates import MONTHS
from fruler._table.gaps import Gaps
from fruler._table.sources import GapSource, LevelSource, NumberSource
from fruler._table.texts import WHITE_SPACE
from fruler.export import export_model
from fruler.rules import Curve, FuzzyPartition, RuleBase, Variable

every_engine = pytest.mark.parametrize(
    "engine",
    [*ENGINES.values(), pytest.param(with_postgres, marks=pytest.mark.process)],
    ids=[*ENGINES, "postgres"],
)
every_database = pytest.mark.parametrize(
    "engine",
    [with_sqlite, with_duckdb, pytest.param(with_postgres, marks=pytest.mark.process)],
    ids=["sqlite", "duckdb", "postgres"],
)


def rules_over(*sources):
    """One rule that adds up inputs, which tells them and their gaps apart."""
    variables = [Variable(f"v{j}", FuzzyPartition([], (0.0, 9.0)), source=one) for j, one in enumerate(sources)]
    used = range(len(sources))
    gaps = Gaps(used, [0.25] * len(sources), np.zeros((len(sources), len(sources))))
    return RuleBase(variables, [[[0, 0]] * len(sources)], [[1.0, *(10.0**j for j in used)]], gaps=gaps)


def category_rules():
    return rules_over(LevelSource("g", ["c", "d e"], [2.0, 3.0]), GapSource("g"))


def truth_rules():
    return rules_over(LevelSource("b", ["False", "True"], [2.0, 3.0]), GapSource("b"))


@every_engine
def test_blank_categories_are_missing(engine, tmp_path):
    frame = pd.DataFrame({"g": ["c", "", " ", "\t\n", None, "zzz"]}, dtype=object)
    expected = category_rules().predict(frame)
    assert_same(expected, [3.0, 11.25, 11.25, 11.25, 11.25, 1.25])
    assert_same(engine(category_rules(), frame, tmp_path), expected)


@every_engine
def test_white_space_around_categories_does_not_count(engine, tmp_path):
    decorated = [f"{sign}{level}{sign}" for sign in WHITE_SPACE for level in ("c", "d e")]
    frame = pd.DataFrame({"g": ["c", "c\r\n", "\td e", *decorated]})
    expected = category_rules().predict(frame)
    assert_same(expected, [3.0, 3.0, 4.0, *[3.0, 4.0] * len(WHITE_SPACE)])
    assert_same(engine(category_rules(), frame, tmp_path), expected)


@every_engine
@pytest.mark.parametrize(
    "values",
    [
        pd.Series([True, False, True]),
        pd.Series([True, False, None], dtype="boolean"),
        pd.Series([1, 0, 1]),
        pd.Series([1.0, 0.0, None]),
        pd.Series(["1", "0", None], dtype=object),
        pd.Series(["TRUE", " false", "tRuE"]),
    ],
    ids=["bool", "boolean", "int", "float", "text of digits", "text"],
)
def test_truth_values_are_the_same_in_every_form(engine, values, tmp_path):
    frame = values.to_frame("b")
    expected = truth_rules().predict(frame)
    assert_same(expected[:2], [4.0, 3.0])
    assert_same(engine(truth_rules(), frame, tmp_path), expected)


@every_engine
def test_a_column_that_was_always_true_holds_truth_values(engine, tmp_path):
    rules = rules_over(LevelSource("b", ["True"], [2.0]))
    frame = pd.DataFrame({"b": ["True", "TRUE", "1", "false"]})
    assert_same(rules.predict(frame), [3.0, 3.0, 3.0, 1.25])
    assert_same(engine(rules, frame, tmp_path), rules.predict(frame))


@every_database
def test_blank_dates_are_missing(engine, tmp_path):
    start = pd.Timestamp("2020-01-01").to_pydatetime()
    rules = rules_over(TrendSource("d", start, "days"), GapSource("d"))
    frame = pd.DataFrame({"d": ["2020-01-03", "", " \t", None, "\n2020-01-04\r"]}, dtype=object)
    assert_same(rules.predict(frame), [3.0, 11.25, 11.25, 11.25, 4.0])
    assert_same(engine(rules, frame, tmp_path), rules.predict(frame))


@every_database
def test_a_date_that_cannot_be_read_is_missing(engine, tmp_path):
    start = pd.Timestamp("2020-01-01").to_pydatetime()
    rules = rules_over(TrendSource("d", start, "days"), GapSource("d"))
    frame = pd.DataFrame({"d": ["soon", "2020-01-03"]})
    assert_same(engine(rules, frame, tmp_path), [11.25, 3.0])


@pytest.mark.parametrize("affinity", ["REAL", "TEXT", "", "NUMERIC", "INTEGER"])
def test_text_in_a_number_column_of_sqlite_is_missing(affinity):
    rules = rules_over(NumberSource("x"), GapSource("x"))
    texts = ["", " ", "\t", "abc", "12abc", "-", ".", "1-2", "2024-01-05", "0x1A", "inf", b"12"]
    numbers = [0, 5, 2.5, " 7 ", "1e1", 2**60 + 1, 0.1]
    database = sqlite3.connect(":memory:")
    database.execute(f"CREATE TABLE data (x {affinity})")
    database.executemany("INSERT INTO data VALUES (?)", [(value,) for value in [*texts, *numbers, None]])
    found = [answer for (answer,) in database.execute(export_model(rules, "sql"))]
    assert found == [11.25] * len(texts) + [1.0, 6.0, 3.5, 8.0, 11.0, 2.0**60 + 1.0, 1.1, 11.25]


@every_database
def test_numbers_of_any_type_stay_as_they_are(engine, tmp_path):
    rules = rules_over(NumberSource("x"), GapSource("x"))
    frame = pd.DataFrame({"x": [0.1, -3.0, None, 1e100]})
    assert_same(engine(rules, frame, tmp_path), rules.predict(frame))


@every_engine
def test_a_model_without_inputs_predicts_every_row(engine, tmp_path):
    variables = [Variable(name, FuzzyPartition([], (0.0, 1.0))) for name in "ab"]
    rules = RuleBase(variables, [[[0, 0], [0, 0]]], [[42.0, 0.0, 0.0]])
    frame = pd.DataFrame({"a": [1.0, None], "b": [None, 2.0]})
    assert_same(engine(rules, frame, tmp_path), rules.predict(frame))
    assert rules.predict(frame).tolist() == [42.0, 42.0]


@every_engine
def test_a_gap_in_a_column_that_no_rule_uses_does_not_matter(engine, tmp_path):
    variables = [Variable(name, FuzzyPartition([], (0.0, 1.0))) for name in "ab"]
    rules = RuleBase(variables, [[[0, 0], [0, 0]]], [[42.0, 0.0, 2.0]])
    frame = pd.DataFrame({"a": [1.0, None], "b": [1.0, 2.0]})
    assert_same(engine(rules, frame, tmp_path), rules.predict(frame))


def test_names_that_differ_by_case_alone_are_refused_in_sql():
    rules = rules_over(NumberSource("NULL"), NumberSource("null"))
    with pytest.raises(ValueError, match="'NULL' and 'null' differ only by case"):
        export_model(rules, "sql")


def test_white_space_is_what_python_strips():
    assert set(WHITE_SPACE) == {sign for sign in map(chr, range(sys.maxunicode + 1)) if not sign.strip()}


def test_latex_writes_dates_of_every_month():
    x = TrendSource("d", pd.Timestamp("2019-01-01").to_pydatetime(), "days")
    split_points = [15.0 + 30.4 * month for month in range(12)]
    partition = FuzzyPartition(split_points, (0.0, 365.0), 0.0)
    curve = Curve(0, partition, np.random.default_rng(0).normal(size=(13, 2)))
    variable = Variable("d", FuzzyPartition([], (0.0, 365.0))).of(x)
    found = export_model(RuleBase([variable], [[[0, 0]]], [[1.0, 1e-9]], curves=[curve]), "latex")
    for month in MONTHS:
        assert f"~{month}~2019 " in found


def test_names_of_another_type_of_text_are_plain_in_exported_python():
    dates = pd.Series(pd.date_range("2020-02-15", periods=60)).dt.tz_localize("UTC")
    frame = pd.DataFrame({np.str_("d"): dates.dt.tz_convert(np.str_("Europe/Madrid"))})
    y = pd.Series(np.abs(np.arange(60) - 30.0), name=np.str_("the target"))
    model = FuzzyRuleRegressor(random_state=0).fit(frame, y)
    assert "np.str_" not in export_model(model.rule_base_, "python")
    assert_same(with_python(model.rule_base_, frame), model.predict(frame))
