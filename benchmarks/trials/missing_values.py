"""Missing values: the estimator's own handling compared with imputers and boosted trees.

    python benchmarks/trials/missing_values.py --data FOLDER [--sets concrete stock] [--kinds random:0.2] [--folds 1 2]

Values are removed from the inputs of training and test rows of KEEL sets: `random:p` removes each with probability p;
`other:p` removes a value with probability 2p if another input, drawn once per input, is above its median; `own:p` with
probability 2p if the value itself is above its median. The script prints ratios of the mean squared error on the test
rows to that of LightGBM with its own handling (100 trees), as geometric means over sets and folds.
"""

from __future__ import annotations

import argparse
import os
import zlib
from collections import defaultdict
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, SimpleImputer
from sklearn.pipeline import make_pipeline

from fruler import FuzzyRuleRegressor, load_keel

# The handling was chosen on the first six sets; the others took no part.
SETS = [
    "concrete",
    "friedman",
    "autoMPG8",
    "dee",
    "wankara",
    "delta_ail",
    "stock",
    "abalone",
    "ele-2",
    "mortgage",
    "baseball",
    "wizmir",
    "treasury",
]
KINDS = ["random:0.05", "random:0.2", "random:0.4", "other:0.2", "own:0.2"]


def with_gaps(tables: list[Any], kind: str, seed: int) -> list[Any]:
    """Return the tables with values removed; medians are those of the first table."""
    rng = np.random.default_rng(seed)
    how, _, share = kind.partition(":")
    p, n_inputs = float(share), tables[0].shape[1]
    medians = np.median(tables[0], axis=0)
    others = (np.arange(n_inputs) + rng.integers(1, max(n_inputs, 2), n_inputs)) % n_inputs
    removed = []
    for table in tables:
        table = np.array(table, dtype=float)
        if how == "random":
            chances = np.full(table.shape, p)
        else:
            large = table > medians
            chances = 2.0 * p * (large if how == "own" else large[:, others])
        removed.append(np.where(rng.uniform(size=table.shape) < chances, np.nan, table))
    return removed


def ways() -> dict[str, Any]:
    """Return the regressors to compare, by name."""
    rules = FuzzyRuleRegressor(random_state=0)
    found: dict[str, Any] = {
        "own": rules,
        "means": make_pipeline(SimpleImputer(keep_empty_features=True), FuzzyRuleRegressor(random_state=0)),
        "iterative": make_pipeline(IterativeImputer(random_state=0), FuzzyRuleRegressor(random_state=0)),
    }
    try:
        from lightgbm import LGBMRegressor
    except ImportError:
        raise SystemExit('LightGBM is needed: pip install "fruler[peers]"') from None
    found["lightgbm"] = LGBMRegressor(n_estimators=100, verbose=-1, n_jobs=1)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the KEEL sets")
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--kinds", nargs="*", default=KINDS)
    parser.add_argument("--folds", nargs="*", type=int, default=[1])
    arguments = parser.parse_args()
    for kind in arguments.kinds:
        ratios: dict[str, list[float]] = defaultdict(list)
        for name in arguments.sets:
            for fold in arguments.folds:
                train, test = load_keel(arguments.data / name, fold=fold)
                seed = zlib.crc32(f"{name} {fold} {kind}".encode())
                X, Z = with_gaps([train.data, test.data], kind, seed)
                errors = {
                    way: float(np.square(model.fit(X, train.target).predict(Z) - test.target).mean())
                    for way, model in ways().items()
                }
                for way, error in errors.items():
                    ratios[way].append(error / errors["lightgbm"])
        means = "  ".join(f"{way} {np.exp(np.mean(np.log(found))):.3f}" for way, found in ratios.items())
        print(f"{kind:<12} {means}", flush=True)


if __name__ == "__main__":
    main()
