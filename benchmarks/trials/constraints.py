"""The cost of constraints: error and processor time of the growth with and without them.

    python benchmarks/trials/constraints.py --data FOLDER [--folds 2]

For KEEL sets with known directions of some columns, fits FuzzyRuleRegressor and scikit-learn's gradient boosting with
and without the constraint. Prints the root mean squared error on test rows, the processor time of a fit and per
evaluated candidate, and the largest step in the wrong direction between random pairs of rows, in percent of the range
of predictions. Times are the minimum of three fits.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor

from fruler import FuzzyRuleRegressor, load_keel

# The directions of columns by index, for each set.
KNOWN: dict[str, list[dict[int, int]]] = {
    "friedman": [{3: 1}, {3: 1, 4: 1}],
    "concrete": [{7: 1}, {0: 1}, {0: 1, 7: 1}],
    "autoMPG6": [{2: -1}, {2: -1, 4: 1}],
    "abalone": [{7: 1}, {5: -1, 7: 1}],
    "ele-2": [{0: 1}, {0: 1, 1: 1, 2: 1, 3: 1}],
}
N_PAIRS = 20_000
REPEATS = 3


def largest_violation(model: Any, X: Any, known: dict[int, int]) -> float:
    """Return the largest step against a direction, as a share of the range of predictions; 0 if there is none."""
    rng, p = np.random.default_rng(0), X.shape[1]
    low, high = X.min(axis=0), X.max(axis=0)
    worst, said = 0.0, model.predict(X)
    for j, sign in known.items():
        below = rng.uniform(low - 0.3 * (high - low), high + 0.3 * (high - low), size=(N_PAIRS, p))
        above = below.copy()
        above[:, j] += (high[j] - low[j]) * 10.0 ** rng.uniform(-6.0, 0.0, N_PAIRS)
        worst = max(worst, float((sign * (model.predict(below) - model.predict(above))).max()))
    return worst / float(np.ptp(said))


def seconds_of(model: Any, X: Any, y: Any) -> float:
    start = time.process_time()
    model.fit(X, y)
    return time.process_time() - start


def fitted(model: Any, train: Any, test: Any, repeats: int = 1) -> tuple[Any, float, float]:
    """Return the fitted model, its error on the test rows, and its processor time."""
    X, y = np.asarray(train.data, dtype=float), np.asarray(train.target, dtype=float)
    seconds = min(seconds_of(model, X, y) for _ in range(repeats))
    missed = model.predict(np.asarray(test.data, dtype=float)) - np.asarray(test.target, dtype=float)
    return model, float(np.sqrt(np.square(missed).mean())), seconds


def compare(folder: Path, fold: int, known: dict[int, int]) -> list[float]:
    """Return errors and ratios with and without a constraint, for the growth and for boosting, sizes and violations."""
    train, test = load_keel(folder, fold=fold)
    signs = [known.get(j, 0) for j in range(np.asarray(train.data).shape[1])]
    plain = {"random_state": 0, "warn_outside": False}
    free, error, seconds = fitted(FuzzyRuleRegressor(**plain), train, test, REPEATS)
    known_too = FuzzyRuleRegressor(**plain, monotonic_constraints=signs)
    held, held_error, held_seconds = fitted(known_too, train, test, REPEATS)
    _, trees, _ = fitted(HistGradientBoostingRegressor(random_state=0), train, test)
    _, held_trees, _ = fitted(HistGradientBoostingRegressor(random_state=0, monotonic_cst=signs), train, test)
    X = np.asarray(train.data, dtype=float)
    return [
        error,
        held_error / error,
        trees,
        held_trees / trees,
        held_seconds / seconds,
        held_seconds / held.n_evaluations_ / (seconds / free.n_evaluations_),
        free.n_rules_,
        held.n_rules_,
        100.0 * largest_violation(free, X, known),
        100.0 * largest_violation(held, X, known),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path, help="folder of the KEEL sets")
    parser.add_argument("--folds", type=int, default=2)
    parser.add_argument("--sets", default=",".join(KNOWN))
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    heads = ["error", "x held", "boosting", "x held", "x time", "x each", "rules", "held", "viol.%", "held"]
    print(f"{'set and columns':28}" + "".join(f"{head:>10}" for head in heads))
    for name in arguments.sets.split(","):
        for known in KNOWN[name]:
            found = np.mean([compare(arguments.data / name, k + 1, known) for k in range(arguments.folds)], axis=0)
            told = f"{name} " + " ".join(f"{j + 1}{'+' if sign > 0 else '-'}" for j, sign in known.items())
            print(f"{told:28}" + "".join(f"{value:10.3f}" for value in found), flush=True)


if __name__ == "__main__":
    main()
