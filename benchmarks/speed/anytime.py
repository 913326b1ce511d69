"""The effect of a time limit: seconds taken and R² on held-out rows, for a few limits.

    python benchmarks/speed/anytime.py [--data FOLDER] [--limits 0.2 0.5 1 2 5]

Uses bundled and synthetic tables; with --data, a folder of the KEEL sets, also the first fold of each set. A limit is
kept if it is exceeded by at most a tenth or 0.2 s, whichever is more; run it on an idle machine. Limits include
everything that `fit` does. The last line of each table is a fit without a limit.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.datasets import make_friedman1
from sklearn.model_selection import train_test_split

from fruler import FuzzyRuleRegressor, load_keel
from fruler.data import load_example

LIMITS = (0.2, 0.5, 1.0, 2.0)
SLACK_SHARE, SLACK_SECONDS = 0.1, 0.2


def tables(folder: Path | None) -> Iterator[tuple[str, list[np.ndarray]]]:
    """Yield the name, the training and test inputs and the training and test targets of each table."""
    weather = load_example("weather")
    yield "weather", train_test_split(np.asarray(weather.data), weather.target, test_size=0.25, random_state=0)
    for n_rows in (800, 20_000):
        X, y = make_friedman1(n_rows + 2_000, 8, noise=1.0, random_state=0)
        yield f"friedman, {n_rows:,} x 8", [X[:n_rows], X[n_rows:], y[:n_rows], y[n_rows:]]
    if folder is not None:
        for place in sorted(path for path in folder.iterdir() if path.is_dir()):
            train, test = load_keel(place, fold=1)
            yield place.name, [train.data, test.data, train.target, test.target]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder of the KEEL data sets")
    parser.add_argument("--limits", type=float, nargs="+", default=LIMITS, help="seconds")
    arguments = parser.parse_args()
    # Imports on first use must not count for the first limit.
    X, y = make_friedman1(100, random_state=0)
    FuzzyRuleRegressor(random_state=0, max_rules=2).fit(X, y)
    n_kept = n_all = 0
    print(f"{'data':<22} {'limit':>7} {'seconds':>8} {'R2':>7} {'rules':>5}")
    for name, (X, X_test, y, y_test) in tables(arguments.data):
        for limit in [*arguments.limits, None]:
            start = time.perf_counter()
            model = FuzzyRuleRegressor(random_state=0, time_limit=limit).fit(X, y)
            seconds = time.perf_counter() - start
            kept = limit is None or seconds <= limit + max(SLACK_SHARE * limit, SLACK_SECONDS)
            if limit is not None:
                n_all, n_kept = n_all + 1, n_kept + kept
            print(
                f"{name:<22} {'none' if limit is None else f'{limit:g}':>7} {seconds:8.2f} "
                f"{model.score(X_test, y_test):7.4f} {model.n_rules_:5d}{'' if kept else '  over the limit'}"
            )
    print(f"{n_kept} of {n_all} limits kept")


if __name__ == "__main__":
    main()
