"""Digests of the models of the five estimators, to check that a refactoring did not change them.

    python benchmarks/fingerprints.py --data FOLDER --out before.json      # before the change
    python benchmarks/fingerprints.py --data FOLDER --compare before.json  # after it

Fits the five estimators, and FRULERRegressor with coordinate descent on all rows, on fold 1 of twelve KEEL sets
(`--sets quake,dee` chooses some of them), and on a generated table with a date, categories and gaps: plain, with a
link, with bounds, with held-out rows for intervals, and for the growth with constraints and known split points. A
digest covers the content of the model file and the public attributes to the last bit: rules, the Pareto front,
predictions, evaluations, regularization and uncovered rows. `--compare` lists the models that differ, and the parts in
which they differ, and exits with 1. Compare on one machine only: linear algebra rounds differently on other processors.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.utils import Bunch

from fruler import AMETSKRegressor, FRULERRegressor, FSMOGFSRegressor, FuzzyRuleRegressor, LMETSKRegressor, load_keel

SETS = "plastic,quake,ele-1,ele-2,friedman,dee,autoMPG6,baseball,stock,concrete,wankara,forestFires"
EVALUATIONS = 800
MODELS: dict[str, Any] = {
    "growth": FuzzyRuleRegressor(random_state=0),
    "fruler": FRULERRegressor(max_evaluations=EVALUATIONS, random_state=0),
    "fruler-coordinate-descent": FRULERRegressor(
        fit_rows="all",
        t_norm="product",
        criterion="bic",
        solver="coordinate_descent",
        l1_ratio=0.5,
        max_evaluations=EVALUATIONS,
        random_state=0,
    ),
    "fs-mogfs": FSMOGFSRegressor(max_evaluations=EVALUATIONS, random_state=0),
    "l-metsk": LMETSKRegressor(max_evaluations=EVALUATIONS, random_state=0),
    "a-metsk": AMETSKRegressor(max_evaluations=EVALUATIONS, random_state=0),
}
# The parameters of the fits on the generated table. Only the growth has constraints.
WISHES: dict[str, dict[str, Any]] = {
    "": {},
    "link": {"link": "log"},
    "bounds": {"bounds": (0.0, 20.0), "extrapolation": "clip"},
    "calibration": {"calibration": 0.2},
}
GROWTH_WISHES: dict[str, dict[str, Any]] = {
    "monotonic": {"monotonic_constraints": {"size": 1}},
    "interaction": {"interaction_constraints": [["size", "fuel"], ["sold", "origin"]]},
    "split points": {"split_points": {"size": [4.0, 7.5]}},
}

# The digest of each part of a model.
Digests = dict[str, str]


def digest(*values: Any) -> str:
    """Return a digest of numbers, to the last bit, and texts."""
    found = hashlib.sha256()
    for value in values:
        array = np.asarray(value)
        is_text = array.dtype.kind in "OU"
        content = json.dumps(array.tolist()).encode() if is_text else array.astype(np.float64).tobytes()
        found.update(f"{'text' if is_text else 'numbers'} {array.shape} ".encode() + content)
    return found.hexdigest()[:16]


def table_digest(table: pd.DataFrame) -> str:
    return digest(list(table.columns), *(table[name].to_numpy() for name in table.columns))


def file_digests(model: Any) -> Digests:
    """Return a digest for each part of a model's file: inputs, rules, curves, training and so on."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save(path)
        document = json.loads(path.read_text(encoding="utf-8"))
    parts = {f"file: {name}": part for name, part in document["rule_bases"][0].items()}
    parts["file: learning"] = document["learning"]
    return {name: hashlib.sha256(json.dumps(part).encode()).hexdigest()[:16] for name, part in parts.items()}


def digests_of(model: Any, X: Any) -> Digests:
    return {
        **file_digests(model),
        "rules_": table_digest(model.rules_),
        "pareto_": table_digest(model.pareto_),
        "predictions": digest(model.predict(X)),
        "n_evaluations_": str(model.n_evaluations_),
        "regularization_": float(model.regularization_).hex(),
        "n_uncovered_": str(model.n_uncovered_),
    }


def mixed_table(n_rows: int = 400) -> tuple[pd.DataFrame, pd.Series]:
    """Return a table with a date, two columns of categories and a number with gaps, and a positive target."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "sold": pd.Timestamp("2015-03-01") + pd.to_timedelta(rng.integers(0, 3_000_000, n_rows), unit="min"),
            "origin": rng.choice(["europe", "japan", "usa"], n_rows, p=[0.2, 0.3, 0.5]),
            "fuel": rng.choice(["gas", "oil", "sun"], n_rows),
            "size": rng.uniform(0.0, 10.0, n_rows),
        }
    )
    winter, usa = table["sold"].dt.month.isin((11, 12, 1, 2)), table["origin"] == "usa"
    gas = (table["fuel"] == "gas") & (table["size"] > 5.0)
    price = 8.0 + 2.0 * usa - 3.0 * gas + 0.8 * table["size"] - 2.0 * winter + rng.normal(0.0, 0.5, n_rows)
    table.loc[rng.random(n_rows) < 0.1, "size"] = np.nan
    return table, price.rename("price")


def mixed_fits() -> Iterator[tuple[str, Any]]:
    """Yield the estimators for the generated table by name."""
    for kind, model in MODELS.items():
        for wish, parameters in WISHES.items():
            yield f"mixed {kind} {wish}".strip(), clone(model).set_params(**parameters)
    for wish, parameters in GROWTH_WISHES.items():
        yield f"mixed growth {wish}", clone(MODELS["growth"]).set_params(**parameters)


def fit_mixed(name: str, model: Any) -> tuple[str, Digests]:
    X, y = mixed_table()
    return name, digests_of(model.fit(X, y), X)


def fit(name: str, kind: str, train: Bunch, test: Bunch) -> tuple[str, Digests]:
    model = MODELS[kind].fit(train.data, train.target)
    return f"{name} {kind}", digests_of(model, test.data)


def differences(found: dict[str, Digests], expected: dict[str, Digests]) -> list[str]:
    """Return the models that differ, with the parts in which they differ."""
    lines = []
    for model, parts in found.items():
        known = expected.get(model)
        if known is None:
            lines.append(f"{model}: not in the file")
        elif known != parts:
            lines.append(f"{model}: {', '.join(part for part in parts if parts[part] != known.get(part))}")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default=SETS, help="comma-separated names")
    parser.add_argument("--jobs", type=int, default=1, help="fits at a time")
    parser.add_argument("--out", type=Path, help="file to write the digests to, as JSON")
    parser.add_argument("--compare", type=Path, help="file of digests to compare with, written by --out")
    known = os.environ.get("FRULER_KEEL")
    parser.add_argument("--data", type=Path, default=known, required=not known, help="folder of the KEEL sets")
    arguments = parser.parse_args()
    # Read before the fits, so that an unreadable file is an error at once.
    expected = None if arguments.compare is None else json.loads(arguments.compare.read_text(encoding="utf-8"))
    work = (
        delayed(fit)(name, kind, *load_keel(arguments.data / name, fold=1))
        for name in filter(None, arguments.sets.split(","))
        for kind in MODELS
    )
    work = chain(work, (delayed(fit_mixed)(name, model) for name, model in mixed_fits()))
    found: dict[str, Digests] = {}
    for model, parts in Parallel(n_jobs=arguments.jobs, return_as="generator")(work):
        found[model] = parts
        print(f"{model:40} {digest(list(parts.values()))}", flush=True)
    if arguments.out is not None:
        arguments.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if expected is not None:
        lines = differences(found, expected)
        print("\n".join(["", "DIFFERENT:", *lines]) if lines else f"\nall {len(found)} models are the same")
        sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main()
