"""Columns of categories, truth values and gaps in SQL: databases read the same table as `predict`."""

import math
import sqlite3
from dataclasses import replace
from itertools import product

import duckdb
import numpy as np
import pandas as pd
import pytest
from helpers.mixed_tables import MIXED_MODELS, assert_same, complete, mixed_model, mixed_rows, without_gaps

from fruler import FuzzyRuleRegressor
from fruler._table.gaps import Gaps
from fruler._table.sources import LevelSource, NumberSource
from fruler.export import export_model
from fruler.rules import FuzzyPartition, RuleBase, Variable


def in_sqlite(rows, query):
    with sqlite3.connect(":memory:") as database:
        rows.to_sql("rows", database, index=False)
        return database.execute(query).fetchall()


def in_duckdb(rows, query):
    with duckdb.connect() as database:
        # Otherwise a column of truth values and gaps would be one of text.
        database.register("given", rows.astype({"sold": "boolean"}) if "sold" in rows else rows)
        database.execute("CREATE TABLE rows AS SELECT * FROM given")
        return database.execute(query).fetchall()


def predicted(run, rule_base, rows, **options):
    rows = rows.assign(id=np.arange(len(rows)))
    found = run(rows, export_model(rule_base, "sql", **{"table": "rows", "keep": ["id"], "gaps": True} | options))
    assert sorted(row for row, _ in found) == list(range(len(rows)))
    return np.array([prediction for _, prediction in sorted(found)], dtype=float)


both = pytest.mark.parametrize("run", [in_sqlite, in_duckdb])


@both
@pytest.mark.parametrize("kind", MIXED_MODELS)
def test_a_database_predicts_the_same_from_the_columns_of_the_user(run, kind):
    rows = mixed_rows()
    assert_same(predicted(run, mixed_model(kind), rows), mixed_model(kind).predict(rows))


@both
@pytest.mark.parametrize("kind", ["growth", "one-hot"])
@pytest.mark.parametrize("gaps", [False, ["origin"], ["size", "grade"], []])
def test_only_the_gaps_that_are_asked_for_are_filled_in(run, kind, gaps):
    rows = mixed_rows()
    others = [name for name in rows if not gaps or name not in gaps]
    usable = complete(rows, others)
    found = predicted(run, mixed_model(kind), rows, gaps=gaps)
    assert np.isnan(found[~usable]).all()
    assert_same(found[usable], mixed_model(kind).predict(rows[usable]))


@both
@pytest.mark.parametrize("kind", ["growth", "one-hot"])
def test_rules_that_cannot_fill_in_gaps_give_null(run, kind):
    rows, rule_base = mixed_rows(), without_gaps(mixed_model(kind))
    found = predicted(run, rule_base, rows)
    np.testing.assert_array_equal(np.isnan(found), ~complete(rows))
    assert_same(found[complete(rows)], rule_base.predict(rows[complete(rows)]))


def test_nan_is_a_gap_in_a_database_that_has_it():
    rule_base, rows = mixed_model("growth"), mixed_rows()
    query = export_model(rule_base, "sql", table="rows", gaps=True)
    with duckdb.connect() as database:
        database.register("given", rows.assign(size=rows["size"].fillna(-77.0), sold="tRuE "))
        database.execute("CREATE TABLE rows AS SELECT * FROM given")
        database.execute("UPDATE rows SET size = 'nan'::DOUBLE WHERE size = -77.0")
        assert database.execute("SELECT COUNT(*) FROM rows WHERE isnan(size)").fetchone()[0] > 0
        found = np.array(database.execute(query).fetchall(), dtype=float)
    assert_same(found, rule_base.predict(rows.assign(sold=True)))


@both
@pytest.mark.parametrize("number", [math.inf, -math.inf])
@pytest.mark.parametrize("kind", ["growth", "one-hot"])
def test_infinity_gives_null(run, number, kind):
    rows = mixed_rows().iloc[::7].copy()
    rows.loc[rows.index[::2], "size"] = number
    found = predicted(run, mixed_model(kind), rows)
    np.testing.assert_array_equal(np.isnan(found), np.arange(len(rows)) % 2 == 0)


@both
def test_one_gap_needs_no_rounds(run):
    rule_base = RuleBase(
        [Variable("a", FuzzyPartition([], (0.0, 1.0)))], [[[0, 0]]], [[1.0, 2.0]], gaps=Gaps([0], [0.5], [[0.0]])
    )
    rows = pd.DataFrame({"a": [1.0, None]})
    np.testing.assert_array_equal(predicted(run, rule_base, rows), [3.0, 2.0])
    assert "fruler_1_1" not in export_model(rule_base, "sql")


@both
@pytest.mark.parametrize("kind", ["growth", "one-hot"])
def test_gaps_are_filled_in_where_the_training_table_had_some(run, kind):
    learned, rows = mixed_model(kind), mixed_rows()
    gaps = learned.gaps
    own = [learned.variables[j].source.column for j in gaps.inputs]
    assert {name for name, share in zip(own, gaps.shares, strict=True) if share} == {"size", "origin"}
    usable = complete(rows, [name for name in rows if name not in ("size", "origin")])
    assert 0 < usable.sum() < len(rows)
    found = predicted(run, learned, rows, gaps=None)
    assert np.isnan(found[~usable]).all()
    assert_same(found[usable], learned.predict(rows[usable]))
    # A model of an older version may not know where there were gaps.
    unknown = replace(learned, gaps=Gaps(gaps.inputs, gaps.means, gaps.slopes))
    assert_same(predicted(run, unknown, rows, gaps=None), learned.predict(rows))


def test_without_gaps_in_the_training_table_a_query_is_short():
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(100, 4)), columns=list("abcd"))
    rules = FuzzyRuleRegressor(random_state=0).fit(table, table.sum(axis=1)).rule_base_
    assert export_model(rules, "sql") == export_model(rules, "sql", gaps=False)
    assert len(export_model(rules, "sql")) < len(export_model(rules, "sql", gaps=True)) / 3


@pytest.mark.parametrize("name", ["fruler", "FRULER_inputs", "fruler_1_1"])
@both
def test_a_table_may_be_called_like_a_step(run, name):
    rule_base, rows = mixed_model("growth"), mixed_rows().iloc[::5]
    query = export_model(rule_base, "sql", table=name, keep=["size"], gaps=True)
    found = run(rows, f'WITH "{name}" AS (SELECT * FROM rows) SELECT prediction FROM (\n{query})')
    assert_same(sorted(np.ravel(found)), sorted(rule_base.predict(rows)))


@pytest.mark.parametrize("kind", ["growth", "one-hot"])
@pytest.mark.parametrize("gaps", [True, False])
@both
def test_a_column_that_is_not_there_is_an_error(run, kind, gaps):
    rule_base, rows = mixed_model(kind), mixed_rows()
    query = export_model(rule_base, "sql", table="rows", gaps=gaps)
    for name in rows:
        with pytest.raises((sqlite3.OperationalError, duckdb.BinderException), match=name):
            run(rows.drop(columns=name), query)


@both
def test_categories_that_are_numbers_may_come_from_numbers(run):
    levels = LevelSource("grade", ["1", "2.5", "30"], [1.0, 10.0, 100.0])
    x = Variable("grade", FuzzyPartition([], (0.0, 100.0)), source=levels)
    rule_base = RuleBase([x], [[[0, 0]]], [[0.0, 1.0]], gaps=Gaps([0], [7.0], [[0.0]]))
    for values in ([1.0, 2.5, 30.0, 4.0, None], [1, 30, 2], ["1", " 2.5 ", "30", "", "3"]):
        rows = pd.DataFrame({"grade": values})
        assert_same(predicted(run, rule_base, rows), rule_base.predict(rows))


@both
def test_texts_that_are_the_same_number_stay_apart(run):
    levels = LevelSource("grade", ["1", "1.0"], [1.0, 10.0])
    x = Variable("grade", FuzzyPartition([], (0.0, 100.0)), source=levels)
    rows = pd.DataFrame({"grade": ["1", "1.0"]})
    np.testing.assert_array_equal(predicted(run, RuleBase([x], [[[0, 0]]], [[0.0, 1.0]]), rows), [1.0, 10.0])


def test_truth_values_of_sqlite_are_numbers():
    rows = pd.DataFrame({"sold": [1, 0]})
    assert in_sqlite(rows, export_model(truth_rules(), "sql", table="rows")) == [(5.0,), (3.0,)]


def truth_rules():
    x = Variable("sold", FuzzyPartition([], (0.0, 1.0)), source=LevelSource("sold", ["False", "True"], [3.0, 5.0]))
    return RuleBase([x], [[[0, 0]]], [[0.0, 1.0]])


@both
def test_every_pattern_of_gaps_is_filled_in_like_in_the_rule_base(run):
    rng = np.random.default_rng(0)
    for n_inputs in (2, 3, 5):
        variables = [
            Variable(f"v{j}", FuzzyPartition([], (0.0, 1.0)), source=NumberSource(f"v{j}")) for j in range(n_inputs)
        ]
        slopes = rng.normal(size=(n_inputs, n_inputs))
        np.fill_diagonal(slopes, 0.0)
        coefficients = [rng.normal(size=n_inputs + 1)]
        gaps = Gaps(range(n_inputs), rng.normal(size=n_inputs), slopes)
        rule_base = RuleBase(variables, [[[0, 0]] * n_inputs], coefficients, gaps=gaps)
        values = list(product([math.nan, 1.5], repeat=n_inputs))
        rows = pd.DataFrame(values, columns=rule_base.names)
        assert_same(predicted(run, rule_base, rows), rule_base.predict(rows))


def test_options_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match="no column 'colour'; the columns are 'size', 'origin'"):
        export_model(mixed_model("growth"), "sql", gaps=["colour"])
    with pytest.raises(ValueError, match="gaps must be True, False or a list"):
        export_model(mixed_model("growth"), "sql", gaps="size")
    with pytest.raises(ValueError, match="has no estimates for missing values"):
        export_model(without_gaps(mixed_model("growth")), "sql", gaps=["size"])
    x = Variable("a", FuzzyPartition([], (0.0, 1.0)), source=LevelSource("a", ["x\0", "y"], [3.0, 5.0]))
    with pytest.raises(ValueError, match="null character"):
        export_model(RuleBase([x], [[[0, 0]]], [[0.0, 1.0]]), "sql")
