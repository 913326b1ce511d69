"""The SQL of each database: queries run where a database can be started, and are parsed as its dialect elsewhere."""

from itertools import product

import duckdb
import numpy as np
import pandas as pd
import pytest
import sqlglot
from helpers.engines import with_duckdb, with_mariadb, with_postgres, with_spark, with_sqlite
from helpers.mixed_tables import MIXED_MODELS, assert_same, mixed_model, mixed_rows
from helpers.spark_sql import spark_session
from sqlglot import exp

from fruler._arrays import LARGEST_VALUE
from fruler._table.date_sources import CycleSource, TrendSource, WeekdaySource
from fruler._table.sources import LevelSource
from fruler.export import export_model
from fruler.export._sql_dialects import DIALECTS
from fruler.export.sql import dbt_schema
from fruler.rules import FuzzyPartition, RuleBase, Variable

NAMES = ('a"b', "it's", "back\\slash\\", "a`b", "[a]b]", "line\nbreak", "{{ x }} {% raw %} {#", "größe 日", "--", "*/")
START = pd.Timestamp("2015-03-01").to_pydatetime()


def rules_with(names=NAMES, levels=NAMES):
    """Return rules over columns of categories, all with the same odd names."""
    effects = np.linspace(-3.0, 5.0, len(levels)).tolist()
    inputs = [
        Variable(name, FuzzyPartition([0.2], (-3.0, 5.0)), source=LevelSource(name, list(levels), effects))
        for name in names
    ]
    labels = [[[k, k], *([[0, 1]] * (len(names) - 1))] for k in (0, 1)]
    consequents = np.arange(2.0 * len(names) + 2.0).reshape(2, -1)
    return RuleBase(inputs, labels, consequents, target_name="the */ -- target\n{{ y }}")


def dated_rules():
    sources = [TrendSource("d", START, "days"), CycleSource("d", "day of year", 100.0), CycleSource("d", "hour", 5.0)]
    sources.append(WeekdaySource("d", ("Monday", "Tuesday", "Wednesday"), [0.0, 1.0, 2.0]))
    inputs = [Variable(f"v{j}", FuzzyPartition([], (0.0, 1.0))).of(source) for j, source in enumerate(sources)]
    return RuleBase(inputs, [[[0, 0]] * 4], [[1.0, 0.001, 0.1, 1.0, 10.0]])


@pytest.fixture(scope="module")
def many(some_kinds):
    """Rules of all kinds: numbers, categories, gaps, dates, links and bounds."""
    mixed = {kind: mixed_model(kind) for kind in MIXED_MODELS}
    return {**some_kinds, **mixed, "odd names": rules_with(), "dates": dated_rules()}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_queries_are_parsed_in_their_dialect(many, dialect):
    own = {"ansi": "duckdb"}.get(dialect, dialect)
    for rules in many.values():
        interval = None if rules.intervals is None else 0.9
        query = export_model(rules, "sql", table="the table", keep=["key"], interval=interval, dialect=dialect)
        (parsed,) = sqlglot.parse(query, read=own, error_level=sqlglot.ErrorLevel.RAISE)
        assert isinstance(parsed, exp.Select)
        assert [column.alias for column in parsed.selects][:2] == ["key", "prediction"]
        assert "the table" in {table.name for table in parsed.find_all(exp.Table)}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_names_and_categories_are_quoted_so_that_the_database_reads_them_back(dialect):
    levels = [name for name in NAMES if "\n" not in name]
    query = export_model(rules_with(NAMES, levels), "sql", table="a`b\"c]d'e", keep=["k\\"], dialect=dialect)
    parsed = sqlglot.parse_one(query, read={"ansi": "duckdb"}.get(dialect, dialect))
    names = {column.name for column in parsed.find_all(exp.Column) if column.table == "t"}
    texts = {text.name for text in parsed.find_all(exp.Literal) if text.is_string}
    texts |= {text.name for text in parsed.find_all(exp.National)}
    assert names == {*NAMES, "k\\"}
    assert set(levels) <= texts
    assert "a`b\"c]d'e" in {table.name for table in parsed.find_all(exp.Table)}


@pytest.mark.parametrize("dialect", ["bigquery", "snowflake", "spark", "postgres", "sqlite"])
@pytest.mark.parametrize("kind", MIXED_MODELS)
def test_queries_translated_to_duckdb_predict_the_same(dialect, kind):
    """This tests the structure, and what the dialect's own functions mean to the translator."""
    rules, rows = mixed_model(kind), mixed_rows()
    query = export_model(rules, "sql", table="rows", keep=["key"], gaps=True, dialect=dialect)
    (translated,) = sqlglot.transpile(query, read=dialect, write="duckdb")
    with duckdb.connect() as database:
        given = rows.astype({"sold": "boolean"}) if "sold" in rows else rows
        database.register("given", given.assign(key=np.arange(len(rows))))
        database.execute("CREATE TABLE rows AS SELECT * FROM given")
        found = np.array(sorted(database.execute(translated).fetchall()), dtype=float)
    assert_same(found[:, 1], rules.predict(rows))


@pytest.mark.parametrize("dialect", ["bigquery", "snowflake", "spark"])
def test_dates_translated_to_duckdb_are_read_the_same(dialect):
    frame = pd.DataFrame({"d": DATES})
    query = export_model(dated_rules(), "sql", table="rows", dialect=dialect)
    with duckdb.connect() as database:
        database.register("rows", frame)
        found = database.execute(sqlglot.transpile(query, read=dialect, write="duckdb")[0]).fetchall()
    np.testing.assert_allclose(np.ravel(np.array(found, dtype=float)), dated_predictions(frame))


def dated_predictions(frame):
    return dated_rules().inputs.numbers(frame) @ [0.001, 0.1, 1.0, 10.0] + 1.0


def test_the_largest_number_is_that_of_the_rules():
    assert float(DIALECTS["ansi"].largest) == LARGEST_VALUE
    # A decimal number of Oracle ends at 1e126.
    assert float(DIALECTS["oracle"].largest) == 1e125


def test_an_unknown_dialect_is_refused():
    with pytest.raises(ValueError, match="no SQL dialect 'postgresql'; did you mean 'postgres'"):
        export_model(dated_rules(), "sql", dialect="postgresql")


DATES = pd.to_datetime(
    ["2015-03-01", "2016-02-29 12:30:15", "1999-12-31 23:59:59", "2015-03-02 04:59:59", "2400-03-01", None],
    format="ISO8601",
).astype("datetime64[us]")


RUN = [
    pytest.param(with_sqlite, id="sqlite"),
    pytest.param(with_duckdb, id="duckdb"),
    pytest.param(with_postgres, id="postgres", marks=pytest.mark.process),
    pytest.param(with_mariadb, id="mariadb", marks=pytest.mark.process),
    pytest.param(with_spark, id="spark", marks=pytest.mark.engines),
]


@pytest.fixture(scope="module", autouse=True)
def _stopped_spark():
    yield
    if spark_session.cache_info().currsize:
        # Another session in this process has settings of its own.
        spark_session().stop()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("run", RUN)
def test_every_database_predicts_the_same_in_its_dialect(run):
    for kind in MIXED_MODELS:
        rules, rows = mixed_model(kind), mixed_rows().iloc[::3].reset_index(drop=True)
        # Spark takes long to plan many steps.
        gaps = True if run is not with_spark else None
        found, expected = run(rules, rows[list(rules.columns)], gaps=gaps), rules.predict(rows)
        filled = np.isfinite(found)
        assert filled.all() or gaps is None
        assert_same(found[filled], expected[filled])
    # Monday to Wednesday only: other days are unknown.
    frame = pd.DataFrame({"d": DATES})
    np.testing.assert_allclose(run(dated_rules(), frame), dated_predictions(frame))
    texts = pd.DataFrame(product(NAMES, [*reversed(NAMES), "IT'S", " ", "it's \u3000"]), columns=["a`b", "it's"])
    rules = rules_with(["a`b", "it's"])
    found = run(rules, texts)
    known = texts.isin([*NAMES, "it's \u3000"]).all(axis=1)
    np.testing.assert_array_equal(np.isnan(found), ~known)
    np.testing.assert_allclose(found[known], rules.predict(texts[known]))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("run", "readable"),
    [
        (with_duckdb, True),
        (with_sqlite, True),
        pytest.param(with_mariadb, True, marks=pytest.mark.process),
        pytest.param(with_spark, True, marks=pytest.mark.engines),
    ],
)
def test_text_that_is_not_a_number_is_missing(run, readable):
    rules = RuleBase([Variable("n", FuzzyPartition([], (0.0, 1.0)))], [[[0, 0]]], [[1.0, 2.0]])
    texts = ["1.5", " 2 ", "-3e-1", "", "  ", "3 apples", "x", "-", "1e", "."]
    found = run(rules, pd.DataFrame({"n": texts}))
    np.testing.assert_array_equal(np.isnan(found), np.arange(len(texts)) >= 3)
    np.testing.assert_allclose(found[:3], [4.0, 5.0, 0.4])


def rendered(text, **tables):
    """Return a dbt model as dbt would send it to the database."""
    jinja2 = pytest.importorskip("jinja2")
    functions = {"ref": lambda name: tables[name], "source": lambda source, name: tables[f"{source}.{name}"]}
    return jinja2.Template(text, undefined=jinja2.StrictUndefined).render(**functions)


@pytest.mark.parametrize("table", ["houses", "shop.the houses"])
def test_a_dbt_model_reads_a_model_or_a_source(table):
    levels = [*NAMES, "{{{%", "{# no comment #}", "{{ 1 }}"]
    rules = rules_with(["a"], levels)
    query = export_model(rules, "sql", table=table, dialect="duckdb", dbt=True)
    assert ("{{ ref('houses') }}" if table == "houses" else "{{ source('shop', 'the houses') }}") in query
    rows = pd.DataFrame({"a": levels})
    with duckdb.connect() as database:
        database.register("given", rows)
        found = database.execute(rendered(query, **{table: "given"})).fetchall()
    assert_same(np.ravel(found), rules.predict(rows))


def test_the_file_beside_a_dbt_model_describes_its_columns():
    yaml = pytest.importorskip("yaml")
    rules = rules_with(["a"])
    written = yaml.safe_load(dbt_schema(rules, "prices", keep=["id"], prediction="price {{", interval=0.9))
    (model,) = written["models"]
    assert model["name"] == "prices"
    assert rendered(model["description"]).startswith("Predictions of the */ -- target")
    assert [column["name"] for column in model["columns"]] == ["id", "price {{", "lower", "upper"]
    assert [column.get("data_tests") for column in model["columns"]] == [None, *[["not_null"]] * 3]
    assert rendered(model["columns"][2]["description"]) == "The lower end of the 90% prediction interval."
    with pytest.raises(ValueError, match="distinct names"):
        dbt_schema(rules, "prices", keep=["prediction"])
