"""Native categories compared with one-hot inputs: error and size of the same learner.

    python benchmarks/trials/categories.py --data FOLDER [--sets concrete stock] [--folds 1 2]

Every second numeric input of a KEEL set is cut into 3 to 12 parts of equal size with names in random order, so that the
learner does not see the order of the categories.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pandas as pd

from fruler import FuzzyRuleRegressor, load_keel

SETS = ["concrete", "stock", "friedman", "autoMPG8", "dee", "wankara", "abalone", "ele-2", "baseball", "treasury"]
# Inputs with at most this number of values stay numeric.
MIN_VALUES = 12


def with_categories(train: Any, test: Any) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """Return two tables with some inputs cut into categories, and the names of these inputs."""
    rng = np.random.default_rng(0)
    X, Z = (pd.DataFrame(np.asarray(table)).add_prefix("x") for table in (train, test))
    cut = [name for name in X.columns if X[name].nunique() > MIN_VALUES][::2]
    for name in cut:
        parts = int(rng.integers(3, 13))
        edges = np.unique(np.quantile(X[name], np.linspace(0.0, 1.0, parts + 1)[1:-1]))
        names = np.array([f"kind {number}" for number in rng.permutation(len(edges) + 1)])
        for table in (X, Z):
            table[name] = names[np.searchsorted(edges, table[name])]
    return X, Z, cut


def measured(X: pd.DataFrame, y: Any, Z: pd.DataFrame, answers: Any) -> tuple[float, int, float]:
    """Return the error on test rows, the number of coefficients, and the processor time of a fit."""
    start = time.process_time()
    model = FuzzyRuleRegressor(random_state=0).fit(X, y)
    seconds = time.process_time() - start
    return float(np.square(model.predict(Z) - answers).mean()), model.rule_base_.n_coefficients, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the KEEL sets")
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--folds", nargs="*", type=int, default=[1, 2])
    arguments = parser.parse_args()
    ratios, sizes = [], []
    for name in arguments.sets:
        for fold in arguments.folds:
            train, test = load_keel(arguments.data / name, fold=fold)
            X, Z, cut = with_categories(train.data, test.data)
            split_up = pd.get_dummies(X, columns=cut, dtype=float)
            same = pd.get_dummies(Z, columns=cut, dtype=float).reindex(columns=split_up.columns, fill_value=0.0)
            own = measured(X, train.target, Z, test.target)
            other = measured(split_up, train.target, same, test.target)
            ratios.append(own[0] / other[0])
            sizes.append((own[1], other[1]))
            print(
                f"{name:<10} fold {fold}  error {ratios[-1]:.3f} of one-hot's  coefficients {own[1]} and {other[1]}  "
                f"{own[2]:.2f} s and {other[2]:.2f} s",
                flush=True,
            )
    means = np.mean(sizes, axis=0)
    print(f"geometric mean {np.exp(np.mean(np.log(ratios))):.3f}, coefficients {means[0]:.0f} and {means[1]:.0f}")


if __name__ == "__main__":
    main()
