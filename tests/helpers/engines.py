"""Engines that predict the rows of a user's table with exported rules: numbers, texts, truth values, dates and gaps.

Each takes a rule base, a frame with its columns, and a folder for files, and returns one prediction per row.
"""

import math
import sqlite3
from functools import partial

import numpy as np
import pandas as pd
import pytest

from fruler.export import export_model
from fruler.export._plan import make_model_plan
from helpers.exported import compiled, quoted, run_js, session_of
from helpers.mariadb import MariaDB
from helpers.postgres import Postgres
from helpers.spark_sql import spark_session


def columns_of(rules):
    return make_model_plan(rules).inputs.columns


def cells(frame):
    """Return rows of plain Python values, None where a value is missing."""
    return [[None if _is_missing(value) else _plain(value) for value in row] for row in frame.itertuples(index=False)]


def _is_missing(value):
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and math.isnan(value))


def _plain(value):
    if isinstance(value, pd.Timestamp):
        return value.to_pydatetime()
    return value.item() if isinstance(value, np.generic) else value


def with_python(rules, frame, folder=None, **options):
    own = {}
    exec(export_model(rules, "python", **options), own)  # noqa: S102
    function = own["predict_interval" if options else "predict"]
    return np.array([function(row) for row in cells(frame[list(own["INPUTS"])])])


def with_c(rules, frame, folder, **options):
    library = compiled([export_model(rules, "c", **options)], folder, "-O0")[0]
    columns = columns_of(rules)
    assert library.inputs(len(columns)) == [column.name for column in columns]
    numbers = [_c_numbers(library, place, column, frame[column.name]) for place, column in enumerate(columns)]
    return np.asarray((library.predict_interval if options else library.predict)(np.column_stack(numbers)))


def _c_numbers(library, place, column, values):
    if column.dates is not None:
        return column.dates.seconds(values)
    if column.levels is None:
        return pd.to_numeric(values.map(lambda value: value.strip() or None if isinstance(value, str) else value))
    texts = (None if value is None else _c_text(value) for (value,) in cells(values.to_frame()))
    return [library.code(place, text) for text in texts]


def _c_text(value):
    return (f"{value:.15g}" if isinstance(value, float) else str(value)).encode()


def with_js(rules, frame, folder, **options):
    """Rows in turn as arrays in the order of the columns, and as objects."""
    names = list(rules.columns)
    values = [[_json_cell(value) for value in row] for row in cells(frame[names])]
    rows = [row if k % 2 else dict(zip(names, row, strict=True)) for k, row in enumerate(values)]
    function = "predictInterval" if options else "predict"
    call = f"[model.INPUTS, rows.map(model.{function}), rows.map(model.explain)]"
    inputs, found, explained = run_js([export_model(rules, "js", **options)], [rows], folder, call)[0]
    assert inputs == names
    if rules.background.known:
        _require_explanations(rules, frame, explained)
    return np.array(found, dtype=float)


def _json_cell(value):
    return value.isoformat() if hasattr(value, "year") else value


def _require_explanations(rules, frame, explained):
    why = rules.explain(frame)
    tolerance = 1e-9 * max(rules.background.spread, np.abs(why.predictions).max())
    # Columns that the model does not need are not read.
    needed = rules.uses if rules.gaps is None else np.isin(range(len(rules.names)), rules.gaps.inputs)
    missing, outside = why.missing & needed, why.outside & needed
    parts = {one.name: why.contributions[:, one.index].sum(axis=1) for one in rules.features}
    for k, own in enumerate(explained):
        assert abs(own["base"] - why.base) <= tolerance
        assert own["fired"] == why.fired[k]
        found = {part["input"]: part["contribution"] for part in own["contributions"]}
        assert found.keys() == parts.keys()
        assert all(abs(found[name] - parts[name][k]) <= tolerance for name in found)
        weights = {part["rule"] - 1: part["weight"] for part in own["rules"]}
        assert all(abs(weights.get(r, 0.0) - weight) <= 1e-9 for r, weight in enumerate(why.activations[k]))
        assert set(own["missing"]) == {one.name for one in rules.features if missing[k][one.index].any()}
        assert set(own["outside"]) == {one.name for one in rules.features if outside[k][one.index].any()}


def with_sqlite(rules, frame, folder=None, *, dialect="sqlite", **options):
    database = sqlite3.connect(":memory:")
    kinds = {"number": "REAL", "truth": "", "text": "TEXT", "date": "TEXT"}
    names = ", ".join(f"{quoted(name)} {kinds[kind]}" for name, kind in _kinds(rules, frame).items())
    database.execute(f"CREATE TABLE rows (key INTEGER, {names})")
    rows = [[key, *(_sqlite_cell(value) for value in row)] for key, row in enumerate(cells(frame))]
    database.executemany(f"INSERT INTO rows VALUES ({', '.join('?' * (len(frame.columns) + 1))})", rows)
    return _sorted(database.execute(_query(rules, dialect, options)).fetchall())


def _sqlite_cell(value):
    return str(value) if hasattr(value, "year") else value


def with_duckdb(rules, frame, folder=None, *, dialect="duckdb", **options):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as database:
        kinds = {"number": "DOUBLE", "truth": "BOOLEAN", "text": "VARCHAR", "date": "TIMESTAMP"}
        names = ", ".join(f"{quoted(name)} {kinds[kind]}" for name, kind in _kinds(rules, frame).items())
        database.execute(f"CREATE TABLE rows (key INTEGER, {names})")
        values = [value for key, row in enumerate(cells(frame)) for value in (key, *row)]
        marks = f"({', '.join('?' * (len(frame.columns) + 1))})"
        database.execute(f"INSERT INTO rows VALUES {', '.join([marks] * len(frame))}", values)
        return _sorted(database.execute(_query(rules, dialect, options)).fetchall())


def with_postgres(rules, frame, folder=None, *, dialect="postgres", **options):
    kinds = {"number": "DOUBLE PRECISION", "truth": "BOOLEAN", "text": "TEXT", "date": "TIMESTAMP"}
    types = {"key": "INTEGER"} | {name: kinds[kind] for name, kind in _kinds(rules, frame).items()}
    rows = [[key, *row] for key, row in enumerate(cells(frame))]
    return _sorted(Postgres.running().answers(types, rows, _query(rules, dialect, options)))


def with_mariadb(rules, frame, folder=None, *, dialect="mysql", **options):
    kinds = {"number": "DOUBLE", "truth": "BOOLEAN", "text": "TEXT", "date": "DATETIME"}
    types = {"key": "INTEGER"} | {name: kinds[kind] for name, kind in _kinds(rules, frame).items()}
    rows = [[key, *row] for key, row in enumerate(cells(frame))]
    return _sorted(MariaDB.running().answers(types, rows, _query(rules, dialect, options)))


def with_spark(rules, frame, folder=None, *, dialect="spark", **options):
    kinds = {"number": "DOUBLE", "truth": "BOOLEAN", "text": "STRING", "date": "TIMESTAMP_NTZ"}
    types = {"key": "INTEGER"} | {name: kinds[kind] for name, kind in _kinds(rules, frame).items()}
    schema = ", ".join(f"`{name.replace('`', '``')}` {kind}" for name, kind in types.items())
    numbers = [kind == "DOUBLE" for kind in types.values()]
    rows = [
        [
            float(value) if number and value is not None else value
            for value, number in zip((key, *row), numbers, strict=True)
        ]
        for key, row in enumerate(cells(frame))
    ]
    return _sorted(spark_session().answers(schema, rows, _query(rules, dialect, options)))


def with_onnx(rules, frame, folder=None, **options):
    session = session_of(export_model(rules, "onnx", **options))
    columns = columns_of(rules)
    given = {column.name: _onnx_column(column, frame[column.name]) for column in columns}
    if all(column.levels is None for column in columns):
        given = {"X": np.column_stack(list(given.values()))}
    found = session.run(["prediction", "lower", "upper"] if options else ["prediction"], given)
    return np.column_stack(found) if options else found[0][:, 0]


def _onnx_column(column, values):
    """ONNX has no function that strips texts: whoever calls a model does that."""
    if column.dates is not None:
        return column.dates.seconds(values).reshape(-1, 1)
    if column.levels is None:
        return values.to_numpy(dtype=float, na_value=np.nan).reshape(-1, 1)
    texts = ["" if value is None else _c_text(value).decode().strip() for (value,) in cells(values.to_frame())]
    return np.array(texts, dtype=object).reshape(-1, 1)


def _kinds(rules, frame):
    """Return the kind of each column of the frame in a database."""
    planned = {column.name: column for column in columns_of(rules)}
    kinds = {}
    for name in frame.columns:
        present = [value for (value,) in cells(frame[[name]]) if value is not None]
        if name not in planned or any(isinstance(value, str) for value in present):
            kinds[name] = "text"
        elif planned[name].dates is not None:
            kinds[name] = "date"
        elif present and all(isinstance(value, bool) for value in present):
            kinds[name] = "truth"
        else:
            kinds[name] = "number" if planned[name].levels is None or present else "text"
    return kinds


def _query(rules, dialect, options):
    return export_model(rules, "sql", **{"table": "rows", "keep": ["key"], "gaps": True, "dialect": dialect} | options)


def _sorted(answers):
    found = np.array(sorted(answers), dtype=float)[:, 1:]
    return found[:, 0] if found.shape[1] == 1 else found


ENGINES = {
    "python": with_python,
    "c": with_c,
    "js": with_js,
    "sqlite": partial(with_sqlite, dialect="ansi"),
    "duckdb": partial(with_duckdb, dialect="ansi"),
    "duckdb's dialect": with_duckdb,
    "onnx": with_onnx,
}
