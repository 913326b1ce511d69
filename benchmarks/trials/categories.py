"""Native categories compared with one-hot inputs: error and size of the same learner.

    python benchmarks/trials/categories.py --data FOLDER [--sets concrete stock] [--folds 1 2]
    python benchmarks/trials/categories.py --made

Every second numeric input of a KEEL set is cut into 3 to 12 parts of equal size with names in random order, so that the
learner does not see the order of the categories. With --made, the tables are made: categories change only the slope of
a number, its slope and the target, or what categories of another column add; errors are those to the truth.
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
N_MADE = 60


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
    """Return the error on test rows, the numbers to read, and the processor time of a fit."""
    start = time.process_time()
    model = FuzzyRuleRegressor(random_state=0).fit(X, y)
    seconds = time.process_time() - start
    return float(np.square(model.predict(Z) - answers).mean()), model.rule_base_.numbers_to_read, seconds


def made_table(seed: int) -> tuple[pd.DataFrame, Any, Any]:
    """Return a table, its target, and the target without its noise."""
    rng = np.random.default_rng(seed)
    n, n_kinds, truth = int(rng.choice([200, 500, 1000])), int(rng.choice([2, 3, 4, 6])), seed % 3
    a, b = rng.normal(size=(2, n))
    g, h = rng.integers(0, n_kinds, n), rng.integers(0, 3, n)
    if truth == 0:
        exact = rng.normal(0, 2, n_kinds)[g] * a
    elif truth == 1:
        exact = rng.normal(0, 2, n_kinds)[g] * a + rng.normal(0, 1, n_kinds)[g] + b
    else:
        exact = rng.normal(0, 1.5, (n_kinds, 3))[g, h] + 0.5 * a
    table = pd.DataFrame({"a": a, "b": b, "g": np.array(list("uvwxyz"))[g], "h": np.array(list("pqr"))[h]})
    return table, exact + 0.4 * rng.normal(size=n), exact


def compare_made() -> None:
    """Print the errors of sixty made tables, each as a multiple of the error with inputs of 0 and 1."""
    ratios, sizes = [], []
    for seed in range(N_MADE):
        X, y, exact = made_table(seed)
        half = len(X) // 2
        own, other = (
            measured(table[:half], y[:half], table[half:], exact[half:])
            for table in (X, pd.get_dummies(X, dtype=float))
        )
        ratios.append(np.sqrt(own[0] / other[0]))
        sizes.append((own[1], other[1]))
    for truth, said in enumerate(("slopes", "slopes and target", "two columns together")):
        print(f"{said:<22} error {np.exp(np.mean(np.log(ratios[truth::3]))):.3f} of one-hot's")
    means = np.mean(sizes, axis=0)
    print(f"geometric mean {np.exp(np.mean(np.log(ratios))):.3f}, numbers to read {means[0]:.1f} and {means[1]:.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder of the KEEL sets")
    parser.add_argument("--made", action="store_true", help="only the made tables")
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--folds", nargs="*", type=int, default=[1, 2])
    arguments = parser.parse_args()
    if arguments.made or arguments.data is None:
        compare_made()
        return
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
                f"{name:<10} fold {fold}  error {ratios[-1]:.3f} of one-hot's  numbers {own[1]} and {other[1]}  "
                f"{own[2]:.2f} s and {other[2]:.2f} s",
                flush=True,
            )
    means = np.mean(sizes, axis=0)
    print(f"geometric mean {np.exp(np.mean(np.log(ratios))):.3f}, numbers to read {means[0]:.0f} and {means[1]:.0f}")


if __name__ == "__main__":
    main()
