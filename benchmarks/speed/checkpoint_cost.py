"""The cost of checkpoints: their share of the time of a fit.

    python benchmarks/speed/checkpoint_cost.py --data FOLDER [--sets concrete california] [--repeats 3]
                                               [--evaluations 20000]

Both times are from the same fit, so that a busy machine slows both. Checkpoints include digests of the data, the states
recorded after every generation, writing them every few seconds and at the end, and the folder with its lock.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from fruler import load_keel
from fruler._algorithms.fruler.evolution import Evolution
from fruler.estimators.registry import algorithm_names, find_estimator
from fruler.learning._checkpoint import CheckpointFolder, Identity

# Coordinate descent on all rows, as in docs/long_runs.md: many generations in a short time.
QUICK = {"solver": "coordinate_descent", "fit_rows": "all", "criterion": "bic", "t_norm": "product", "l1_ratio": 0.5}


class Spent:
    """The total time spent in some methods."""

    def __init__(self) -> None:
        self.seconds, self.n_writings, self.depth = 0.0, 0, 0

    def watch(self, owner: type, name: str) -> None:
        """Measure the time in a method from now on."""
        method: Callable[..., Any] = getattr(owner, name)

        def timed(*arguments: Any, **options: Any) -> Any:
            self.n_writings += name == "write"
            # If one method calls another, only the outer one counts.
            self.depth += 1
            start = time.perf_counter()
            try:
                return method(*arguments, **options)
            finally:
                self.depth -= 1
                self.seconds += (time.perf_counter() - start) * (self.depth == 0)

        setattr(owner, name, timed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the KEEL data sets")
    parser.add_argument("--sets", nargs="+", default=["concrete", "california"])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--evaluations", type=int, default=20_000, help="not for the growth")
    arguments = parser.parse_args()
    spent = Spent()
    for owner, name in [
        (CheckpointFolder, "__enter__"),
        (CheckpointFolder, "__exit__"),
        (CheckpointFolder, "offer"),
        (CheckpointFolder, "write"),
        (Evolution, "snapshot"),
    ]:
        spent.watch(owner, name)
    identify = Identity.of

    def timed_identity(*arguments: Any, **options: Any) -> Identity:
        start = time.perf_counter()
        found = identify(*arguments, **options)
        spent.seconds += time.perf_counter() - start
        return found

    Identity.of = timed_identity  # type: ignore[assignment, method-assign]
    print(
        f"{'set':<12} {'algorithm':<10} {'seconds':>8} {'writings':>8} {'ms each':>8}   share of the time, each repeat"
    )
    for name in arguments.sets:
        train, _ = load_keel(arguments.data / name, fold=1)
        for algorithm in algorithm_names():
            settings: dict[str, Any] = QUICK if algorithm == "fruler" else {}
            if algorithm != "growth":
                settings = settings | {"max_evaluations": arguments.evaluations}
            shares, totals, each = [], [], []
            for seed in range(arguments.repeats):
                spent.seconds, spent.n_writings = 0.0, 0
                with tempfile.TemporaryDirectory() as folder:
                    start = time.perf_counter()
                    model = find_estimator(algorithm)(random_state=seed, checkpoint=folder, **settings)
                    model.fit(train.data, train.target)
                    totals.append(time.perf_counter() - start)
                shares.append(spent.seconds / totals[-1])
                each.append(1e3 * spent.seconds / spent.n_writings)
            listed = "  ".join(f"{100.0 * share:.2f} %" for share in shares)
            print(
                f"{name:<12} {algorithm:<10} {np.mean(totals):8.1f} {spent.n_writings:8} {np.mean(each):8.1f}   "
                f"{listed}",
                flush=True,
            )


if __name__ == "__main__":
    main()
