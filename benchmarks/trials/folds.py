"""Made tables with rows in groups or in order of time: the typical error beside that of new groups, and of later rows.

    python benchmarks/trials/folds.py --seeds 20
    python benchmarks/trials/folds.py

Every table is fitted twice: with folds that hold out whole groups or later rows, and with the default's random ones.
The typical error that a fit tells (`rule_base_.background.cv_rmse`) is divided by the error on rows of new groups, or
on the rows after the last one; the table shows geometric means. Every fit adds a line to benchmarks/results/folds.jsonl
and is not repeated; without --seeds only the table is written.

- offsets: 40 groups of 25 rows with levels of their own; two inputs belong to the row, two to the group.
- sizes: the same with groups of 2 to 120 rows.
- sites: 40 groups with levels of their own, each from one of six sites, which is a column of text.
- sleep: 18 people on 10 days each, with levels and slopes of their own, like R's sleepstudy, and their age.
- series: 600 rows in order of time, with autoregressive errors (0.95), a season and the time itself as an input.
- walk: 600 rows whose inputs and errors are autoregressive (0.9).
- panel: 30 shops on 40 days each, with autoregressive errors of the day (0.9); folds and test take whole days.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fruler import FuzzyRuleRegressor
from fruler.learning._folds import forward_folds

RESULTS = Path(__file__).parents[1] / "results" / "folds.jsonl"
N_NEW_GROUPS = 1_000
KEY = ["table", "seed", "folds"]
Made = tuple[pd.DataFrame, np.ndarray, np.ndarray]


def autoregressive(rng: np.random.Generator, n: int, memory: float) -> np.ndarray:
    values = rng.normal(size=n)
    for t in range(1, n):
        values[t] = memory * values[t - 1] + np.sqrt(1.0 - memory**2) * values[t]
    return values


def offsets(rng: np.random.Generator, sizes: np.ndarray) -> Made:
    group = np.repeat(np.arange(len(sizes)), sizes)
    n = len(group)
    X = pd.DataFrame({"a": rng.uniform(-1, 1, n), "b": rng.normal(size=n)})
    X["age"], X["size"] = rng.uniform(20, 80, len(sizes))[group], rng.lognormal(size=len(sizes))[group]
    y = 2.0 * np.abs(X.a) + np.where(X.b > 0, X.b, 0.0) + 0.02 * X.age + rng.normal(size=len(sizes))[group]
    return X, (y + 0.5 * rng.normal(size=n)).to_numpy(), group


def sites(rng: np.random.Generator, sizes: np.ndarray) -> Made:
    X, y, group = offsets(rng, sizes)
    site = rng.integers(0, 6, len(sizes))[group]
    return X.assign(site=np.array(list("NESWCR"))[site]), y + np.array([0.0, 0.5, 1.0, 1.5, -0.5, -1.0])[site], group


def sleep(rng: np.random.Generator, sizes: np.ndarray) -> Made:
    group = np.repeat(np.arange(len(sizes)), sizes)
    X = pd.DataFrame({"days": np.tile(np.arange(10.0), len(sizes)), "age": rng.uniform(20, 60, len(sizes))[group]})
    level, slope = 25.0 * rng.normal(size=len(sizes))[group], 6.0 * rng.normal(size=len(sizes))[group]
    return X, (250.0 + level + (10.0 + slope) * X.days + 25.0 * rng.normal(size=len(group))).to_numpy(), group


def series(rng: np.random.Generator, n: int) -> Made:
    t = np.arange(n)
    X = pd.DataFrame({"t": t * 1.0, "season": np.sin(t / 12.0), "load": rng.normal(size=n)})
    return X, (X.season + 0.5 * np.abs(X.load) + autoregressive(rng, n, 0.95) + 0.2 * rng.normal(size=n)).to_numpy(), t


def walk(rng: np.random.Generator, n: int) -> Made:
    X = pd.DataFrame({name: autoregressive(rng, n, 0.9) for name in "abcd"})
    return X, (X.a + np.abs(X.b) + autoregressive(rng, n, 0.9) + 0.2 * rng.normal(size=n)).to_numpy(), np.arange(n)


def panel(rng: np.random.Generator, n: int) -> Made:
    days, day = n // 30, np.repeat(np.arange(n // 30), 30)
    X = pd.DataFrame({"price": rng.uniform(size=n), "heat": autoregressive(rng, days, 0.9)[day], "day": day * 1.0})
    y = 2.0 * np.maximum(X.price - 0.5, 0.0) + 0.5 * X.heat + autoregressive(rng, days, 0.9)[day]
    return X, (y + 0.5 * rng.normal(size=n)).to_numpy(), day


GROUPED: dict[str, tuple[Callable[..., Made], Callable[[np.random.Generator], np.ndarray], int]] = {
    "offsets": (offsets, lambda rng: np.full(40, 25), 25),
    "sizes": (offsets, lambda rng: rng.integers(2, 121, 40), 25),
    "sites": (sites, lambda rng: np.full(40, 25), 25),
    "sleep": (sleep, lambda rng: np.full(18, 10), 10),
}
ORDERED: dict[str, tuple[Callable[..., Made], int]] = {
    "series": (series, 600),
    "walk": (walk, 600),
    "panel": (panel, 1200),
}


def rows_of(table: str, seed: int) -> tuple[Made, Made]:
    """Return the rows to learn from, and rows of new groups or after the last row."""
    rng = np.random.default_rng([seed, [*GROUPED, *ORDERED].index(table)])
    if table in GROUPED:
        make, sizes, n_each = GROUPED[table]
        given = sizes(rng)
        X, y, group = make(rng, np.append(given, np.full(N_NEW_GROUPS, n_each)))
        old = group < len(given)
    else:
        make, n = ORDERED[table]
        X, y, group = make(rng, n + n // 10)
        old = np.arange(len(y)) < n
    return (X[old], y[old], group[old]), (X[~old], y[~old], group[~old])


def run(table: str, seed: int, folds: str) -> dict[str, Any]:
    (X, y, group), (X_new, y_new, _) = rows_of(table, seed)
    own = folds == "own"
    ordered = {"cv": forward_folds(group)} if own and table in ORDERED else {}
    start = time.process_time()
    model = FuzzyRuleRegressor(random_state=0, warn_outside=False, **ordered)
    model.fit(X, y, groups=group if own and table in GROUPED else None)
    lower, upper, _ = model.predict_interval(X_new, 0.9)
    return {
        "table": table,
        "seed": seed,
        "folds": folds,
        "rules": model.n_rules_,
        "curves": len(model.rule_base_.curves),
        "told": model.rule_base_.background.cv_rmse,
        "error": float(np.sqrt(np.mean(np.square(y_new - model.predict(X_new))))),
        "covered": float(np.mean((lower <= y_new) & (y_new <= upper))),
        "seconds": round(time.process_time() - start, 2),
    }


def write_table(lines: pd.DataFrame) -> None:
    lines = lines.assign(ratio=np.log(lines.told / lines.error), log_error=np.log(lines.error))
    one = lines.pivot_table(index="table", columns="folds", sort=False)
    print("| table | seeds | told / error, own folds | default | covered, own folds | default | error, own / default |")
    print("|:--|--:|--:|--:|--:|--:|--:|")
    for table, row in one.iterrows():
        ratio, covered, error = np.exp(row["ratio"]), row["covered"], np.exp(row["log_error"])
        n = lines[lines.table == table].seed.nunique()
        print(
            f"| {table} | {n} | {ratio['own']:.2f} | {ratio['default']:.2f} | {covered['own']:.0%} | "
            f"{covered['default']:.0%} | {error['own'] / error['default']:.2f} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=0, help="tables of each kind")
    parser.add_argument("--tables", default=",".join([*GROUPED, *ORDERED]), help="kinds of tables, separated by commas")
    parser.add_argument("--results", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    known = (
        [json.loads(line) for line in arguments.results.read_text().splitlines()] if arguments.results.exists() else []
    )
    done = {tuple(line[name] for name in KEY) for line in known}
    for seed in range(arguments.seeds):
        for table in arguments.tables.split(","):
            for folds in ("own", "default"):
                if (table, seed, folds) not in done:
                    line = run(table, seed, folds)
                    known.append(line)
                    with arguments.results.open("a") as file:
                        file.write(json.dumps(line) + "\n")
    write_table(pd.DataFrame(known))


if __name__ == "__main__":
    main()
