"""Models of random mixed tables: what must be equal is equal, in every engine, file, container and repetition.

    python tests/fuzz/fuzz_models.py [N] [--first NUMBER]

Each case is a table of numbers, categories, truth values, dates and gaps with odd names, and a model of it. Its
predictions for rows with gaps, blanks, white space, unknown categories and values outside the training data must be
the same from a saved model, from every export (Python, C, JavaScript, SQLite, DuckDB, ONNX and, where they are
installed, PostgreSQL, MariaDB, LibreOffice and JPMML-Evaluator), and from the same rows in another container. Intervals
are compared in the engines that have them, and the parts of explanations must add up. A second fit, in which nothing
that matters has changed, must find the same model. A case is made from its number.
"""

from __future__ import annotations

import io
import random
import sys
import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from _pytest.outcomes import Skipped

sys.path.insert(0, str(Path(__file__).parents[1]))
from fuzzing import main
from helpers.engines import ENGINES, with_mariadb, with_postgres
from helpers.mariadb import MariaDB
from helpers.pmml import backend, with_pmml
from helpers.postgres import Postgres
from helpers.spreadsheet import office, with_xlsx

from fruler import FRULERRegressor, FuzzyRuleRegressor, load_model
from fruler._table.sources import NumberSource
from fruler.data import read_table
from fruler.export import export_model

NAMES = (
    "size",
    "a b",
    "it's",
    'x "y"',
    "class",
    "null",
    "größe",
    "100%",
    "back\\slash",
    "t",
    "select",
    "a=b",
    "%s",
    "日",
)
LEVELS = ("usa", "it's", 'a "b"', "new land", "é", "10", "2.5", "NULL", "-", "x;y", "a,b", "Nan island", "o'", "\\")
COVERAGE = 0.8
TOLERANCE = 1e-9


@dataclass
class Case:
    """A table, how to learn from it, and rows to predict."""

    frame: pd.DataFrame
    y: Any
    model: Any
    rows: pd.DataFrame
    kinds: dict[str, str]


def make_case(number: int, *, quick: bool = False) -> Case:
    """Return a case by its number; with `quick` a small one."""
    draw, rng = random.Random(number), np.random.default_rng(number)
    n = draw.randint(50, 80) if quick else draw.randint(50, 160)
    names = draw.sample(NAMES, draw.randint(1, 3 if quick else 5))
    kinds = {
        name: draw.choice(["number", "number", "count", "category", "truth", "date", "date text"]) for name in names
    }
    columns, y = {}, rng.normal(size=n) * draw.choice([0.0, 0.1, 1.0])
    for name, kind in kinds.items():
        columns[name], effect = COLUMNS[kind](draw, rng, n)
        y = y + draw.choice([0.0, 1.0, 3.0]) * effect
        if draw.random() < 0.4:
            gaps = rng.random(n) < draw.choice([0.1, 0.3])
            columns[name] = (
                columns[name].astype(object if columns[name].dtype == bool else columns[name].dtype).mask(gaps)
            )
            y = y + draw.choice([0.0, 0.0, 5.0]) * gaps
    frame = pd.DataFrame(columns)
    frame = frame.loc[:, [column.notna().sum() > 20 for _, column in frame.items()]]
    if frame.empty:
        frame = pd.DataFrame({"size": rng.normal(size=n)})
        kinds = {"size": "number"}
    settings: dict[str, Any] = {"random_state": draw.randrange(5), "warn_outside": False}
    if draw.random() < 0.2:
        y, settings["link"] = np.exp(y / (1.0 + np.abs(y).max())), "log"
    if draw.random() < 0.15:
        settings["bounds"] = (float(np.quantile(y, 0.1)), None)
        y = np.maximum(y, settings["bounds"][0])
    if draw.random() < 0.2:
        settings["extrapolation"] = "clip"
    if draw.random() < 0.2:
        settings["calibration"] = 0.3
    if draw.random() < 0.12:
        estimator = FRULERRegressor(max_evaluations=60, **settings)
    else:
        settings |= {"interaction_constraints": draw.choice([None, None, None, "pairwise", "no_interactions"])}
        estimator = FuzzyRuleRegressor(max_rules=draw.randint(1, 5), **settings)
    y = pd.Series(y, name=draw.choice(["y", "the target", "größe (€)", "it's"]))
    return Case(frame, y, estimator, new_rows(draw, rng, frame, kinds), kinds)


def _number(draw: random.Random, rng: Any, n: int) -> tuple[pd.Series, Any]:
    z = rng.normal(size=n)
    x = draw.choice([z, np.exp(z), 1e6 + 1e3 * z, 1e-6 * z, np.round(z, 1)])
    return pd.Series(x), draw.choice([z, np.abs(z), 1.0 * (z > 0.3)])


def _count(draw: random.Random, rng: Any, n: int) -> tuple[pd.Series, Any]:
    x = rng.integers(0, draw.choice([2, 4, 100]), n)
    return pd.Series(x.astype(float)), x / max(x.max(), 1)


def _category(draw: random.Random, rng: Any, n: int) -> tuple[pd.Series, Any]:
    levels = draw.sample(LEVELS[:5], 1) + draw.sample(LEVELS[5:], draw.randint(1, 4))
    codes = rng.integers(0, len(levels), n)
    return pd.Series([levels[code] for code in codes], dtype=object), rng.normal(size=len(levels))[codes]


def _truth(draw: random.Random, rng: Any, n: int) -> tuple[pd.Series, Any]:
    b = rng.random(n) < draw.choice([0.1, 0.5])
    return pd.Series(b), 1.0 * b


def _date(draw: random.Random, rng: Any, n: int) -> tuple[pd.Series, Any]:
    start = pd.Timestamp("2015-01-01") + pd.Timedelta(days=draw.randrange(3_000), hours=draw.randrange(24))
    span = draw.choice([3.0, 40.0, 900.0])
    share = np.sort(rng.random(n))
    return pd.Series(start + pd.to_timedelta(np.round(share * span * 1_440), unit="min")).astype(
        "datetime64[us]"
    ), share


def _date_text(draw: random.Random, rng: Any, n: int) -> tuple[pd.Series, Any]:
    dates, share = _date(draw, rng, n)
    form = draw.choice(["%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%d.%m.%Y"])
    return dates.dt.strftime(form).astype(object), share


COLUMNS: dict[str, Callable[..., tuple[pd.Series, Any]]] = {
    "number": _number,
    "count": _count,
    "category": _category,
    "truth": _truth,
    "date": _date,
    "date text": _date_text,
}


def new_rows(draw: random.Random, rng: Any, frame: pd.DataFrame, kinds: dict[str, str]) -> pd.DataFrame:
    """Return rows like those of a table, some with odd values, and values of another form that mean the same."""
    rows = frame.iloc[rng.integers(0, len(frame), 30)].reset_index(drop=True)
    for name in rows:
        column = rows[name]
        if kinds[name] in ("number", "count"):
            odd = column.max() + (1.0 + column.max() - column.min()) * rng.normal(size=30) * 2.0
            rows[name] = column.where(rng.random(30) < 0.7, odd)
        elif kinds[name] in ("category", "truth", "date text"):
            if kinds[name] == "truth":
                forms = (lambda b: b, lambda b: "TRUE" if b else "false", lambda b: "1" if b else "0", lambda b: int(b))
                column = column.map(draw.choice(forms), na_action="ignore")
            if column.map(lambda value: isinstance(value, str)).any():
                around = draw.choice(["", " ", "\t", "\r\n", "\xa0", "\u3000"])
                column = column.map(lambda text, around=around: f"{around}{text}{around}", na_action="ignore")
                blank = ["", " \t"] if kinds[name] != "category" else ["", " \t", "unknown", "Usa", "10.0", "nan"]
                column = column.where(rng.random(30) < 0.8, rng.choice(blank, 30))
            rows[name] = column.astype(object)
        rows[name] = rows[name].mask(rng.random(30) < draw.choice([0.0, 0.2]))
    return rows


def use(case: Case, number: int, *, engines: dict[str, Any] | None = None, refits: bool = True) -> str:
    """Fit a case and compare everything with everything; return its kind, and raise what differs."""
    draw = random.Random(-number - 1)
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as name:
        warnings.simplefilter("ignore")
        try:
            model = case.model.fit(case.frame, case.y)
        except ValueError as error:
            # A random table may be refused, but in one sentence.
            if not str(error) or "\n" in str(error):
                raise
            return "refused"
        folder, expected = Path(name), model.predict(case.rows)
        unit = float(np.std(np.append(case.y, expected)))
        assert np.isfinite(expected).all()
        model.save(folder / "m.json")
        np.testing.assert_array_equal(load_model(folder / "m.json").predict(case.rows), expected)
        _compare_engines(model, case, folder, expected, unit, ENGINES if engines is None else engines)
        for target in ("latex", "markdown", "fml"):
            try:
                assert export_model(model.rule_base_, target)
            except ValueError as error:
                if target != "fml" or "choose another format" not in str(error):
                    raise
        assert str(model.rule_base_)
        _compare_containers(model, case)
        explained = model.explain(case.rows)
        parts = explained.base + explained.contributions.sum(axis=1)
        if case.model.link == "identity" and case.model.bounds is None:
            np.testing.assert_allclose(parts, expected, atol=1e-9 * unit, rtol=1e-9)
        if refits:
            _compare_refit(draw, model, case, expected, unit)
    return type(case.model).__name__


def _compare_engines(model: Any, case: Case, folder: Path, expected: Any, unit: float, engines: dict[str, Any]) -> None:
    rules = model.rule_base_
    try:
        lower, upper, _ = model.predict_interval(case.rows, COVERAGE)
    except ValueError:
        options, wanted = {}, expected
    else:
        options, wanted = {"interval": COVERAGE}, np.column_stack([expected, lower, upper])
    for engine, run in engines.items():
        found = run(rules, case.rows[list(rules.columns)], folder, **options)
        _require_same(found, wanted, unit, engine)


def _require_same(found: Any, expected: Any, unit: float, what: str) -> None:
    apart = np.abs(np.asarray(found, dtype=float) - expected)
    allowed = TOLERANCE * (unit + np.abs(expected))
    if not (apart <= allowed).all():
        row = int(np.argmax(~(apart <= allowed).reshape(len(apart), -1).all(axis=1)))
        raise AssertionError(f"{what} differs in row {row}: {np.asarray(found)[row]} instead of {expected[row]}")


def _compare_containers(model: Any, case: Case) -> None:
    """Rows of training, in other containers and files."""
    import polars
    import pyarrow

    frame = case.frame
    expected = model.predict(frame)
    table = pyarrow.Table.from_pandas(frame, preserve_index=False)
    file = io.BytesIO()
    frame.to_parquet(file)
    texts = io.BytesIO(frame.to_csv(index=False).encode())
    others = {
        "arrow": lambda: table,
        "polars": lambda: polars.from_arrow(table),
        "parquet": lambda: read_table(io.BytesIO(file.getvalue()), format="parquet").data,
        "csv": lambda: read_table(texts, format="csv", na_values="").data,
        "object": lambda: frame.astype(object),
        "nullable": lambda: frame.convert_dtypes(),
    }
    for name, other in others.items():
        if name == "csv" and not _survives_csv(frame):
            continue
        _require_same(model.predict(other()), expected, float(case.y.std()), name)


def _survives_csv(frame: pd.DataFrame) -> bool:
    """Return whether CSV can hold the values: there, texts that mark missing values or look like numbers are such."""
    texts = frame.select_dtypes(include=[object, "string"])
    return not texts.isin(["NULL", "-", "10", "2.5", "Nan island"]).any(axis=None)


def _compare_refit(draw: random.Random, model: Any, case: Case, expected: Any, unit: float) -> None:
    """Fit again where nothing that matters has changed."""
    frame, y, rows = case.frame, case.y, case.rows
    n = len(frame)
    order = np.random.default_rng(draw.randrange(2**31)).permutation(n)
    fresh = type(case.model)(**case.model.get_params())
    ways: dict[str, Callable[[], tuple[Any, Any, Any, float]]] = {
        "again": lambda: (fresh.fit(frame, y), rows, 1.0, 0.0),
        "threads": lambda: (fresh.set_params(n_jobs=2).fit(frame, y), rows, 1.0, 0.0),
        "weights of one": lambda: (fresh.fit(frame, y, sample_weight=np.ones(n)), rows, 1.0, 1e-9),
    }
    if isinstance(case.model, FuzzyRuleRegressor) and case.model.calibration is None:
        if case.model.link == "identity" and case.model.bounds is None:
            ways["unit of the target"] = lambda: (fresh.fit(frame, y * 1024.0), rows, 1024.0, 1e-9)
        sources = [one.source for one in model.rule_base_.variables]
        ways["order of rows"] = lambda: (fresh.fit(frame.iloc[order], y.iloc[order]), rows, 1.0, 1e-9)
        # Whether gaps tell something depends on how many rows there are.
        if all(isinstance(source, NumberSource) for source in sources) and frame.notna().all(axis=None):
            twice = pd.concat([frame, frame]), pd.concat([y, y])
            ways["every row twice"] = lambda: (fresh.fit(*twice), rows, 1.0, 1e-9)
    name = draw.choice(list(ways))
    other, rows, factor, tolerance = ways[name]()
    apart = np.abs(other.predict(rows) / factor - expected).max()
    assert apart <= tolerance * (unit + np.abs(expected).max()), f"{name}: another model, {apart / unit:g} sd apart"


def _used(raw: bytes, number: int) -> str:
    return use(make_case(number), number, engines=_all_engines())


@cache
def _all_engines() -> dict[str, Any]:
    """Return the engines that are installed; Spark would take minutes."""
    others = {
        "postgres": (Postgres.running, with_postgres),
        "postgres, common SQL": (Postgres.running, partial(with_postgres, dialect="ansi")),
        "mariadb": (MariaDB.running, with_mariadb),
        "xlsx": (office, with_xlsx),
        "pmml": (backend, with_pmml),
    }
    found = dict(ENGINES)
    for name, (installed, run) in others.items():
        with suppress(Skipped):
            installed()
            found[name] = run
    return found


if __name__ == "__main__":
    sys.exit(main("models", __doc__ or "", lambda rng: b"", _used, 2_000, max_megabytes=20_000, max_seconds=120))
