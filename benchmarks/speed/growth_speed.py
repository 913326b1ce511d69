"""The speed of the growth: compared with other regressors, by number of rows, by number of inputs, and a profile.

    python benchmarks/speed/growth_speed.py sets --data FOLDER [--first FOLDER]   the 20 small KEEL sets, fold 1
    python benchmarks/speed/growth_speed.py rows [--largest 1e6]                  1e3 rows and more
    python benchmarks/speed/growth_speed.py inputs                                10 to 5,000 inputs
    python benchmarks/speed/growth_speed.py profile --data FOLDER [--set concrete]

Seconds are processor time of one core; compared methods run in turns in one process. `--first` is a folder with an
installation of another version of fruler, which runs in a separate process.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import os
import pstats
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

# fmt: off
SMALL = [
    "ele-1", "plastic", "quake", "ele-2", "friedman", "autoMPG6", "delta_ail", "dee", "delta_elv", "ANACALT",
    "autoMPG8", "abalone", "concrete", "stock", "wankara", "wizmir", "forestFires", "mortgage", "treasury",
    "baseball",
]
# fmt: on


def seconds_of(job: Callable[[], Any]) -> tuple[float, Any]:
    """Return the processor time and the result of a job."""
    start = time.process_time()
    result = job()
    return time.process_time() - start, result


def fold(data: Path, name: str, number: int = 1) -> tuple[Any, Any, Any, Any]:
    """Return training and test rows of a KEEL set."""
    from fruler import load_keel

    train, test = load_keel(data / name, fold=number)
    return train.data, train.target, test.data, test.target


def growth() -> Any:
    from fruler import FuzzyRuleRegressor

    return FuzzyRuleRegressor(random_state=0)


def forest() -> Any:
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(100, random_state=0, n_jobs=1)


def on_sets(arguments: argparse.Namespace) -> None:
    """Compare the total times of fold 1 of the small sets."""
    totals: dict[str, float] = defaultdict(float)
    for name in arguments.sets or SMALL:
        X, y, _X_test, _ = fold(arguments.data, name)
        row = {}
        row["growth"], model = seconds_of(lambda X=X, y=y: growth().fit(X, y))
        row["forest"], _ = seconds_of(lambda X=X, y=y: forest().fit(X, y))
        if arguments.first:
            row["first growth"] = seconds_of_first(arguments, name)
        for method, seconds in row.items():
            totals[method] += seconds
        told = "  ".join(f"{method} {seconds:6.2f}" for method, seconds in row.items())
        print(f"{name:12} {len(y):6} rows  {told}  {model.n_rules_} rules", flush=True)
    told = "  ".join(f"{method} {seconds:6.2f}" for method, seconds in totals.items())
    ratios = "  ".join(
        f"{totals['growth'] / totals[method]:.2f} of {method}" for method in totals if method != "growth"
    )
    print(f"sum  {told}  | growth: {ratios}")


def seconds_of_first(arguments: argparse.Namespace, name: str) -> float:
    """Return the processor time of a fit of another version, in a separate process."""
    code = (
        "import sys, time, json\n"
        "from fruler import FuzzyRuleRegressor, load_keel\n"
        f"train, _ = load_keel({str(arguments.data / name)!r}, fold=1)\n"
        "start = time.process_time()\n"
        "FuzzyRuleRegressor(random_state=0).fit(train.data, train.target)\n"
        "print(json.dumps(time.process_time() - start))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(arguments.first)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    return float(json.loads(done.stdout))


def made_up(n_rows: int, n_inputs: int, seed: int = 0) -> tuple[Any, Any]:
    """Return rows with two pieces, a curve and noise; inputs after the fifth are irrelevant."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_inputs))
    y = np.where(X[:, 0] > 0.3, 2.0 * X[:, 1], -X[:, 2]) + np.abs(X[:, 3]) + 0.5 * X[:, 4]
    return X, y + 0.3 * rng.normal(size=n_rows)


def with_rows(arguments: argparse.Namespace) -> None:
    """Show how the time grows with the number of rows."""
    n_rows = 1_000
    while n_rows <= arguments.largest:
        X, y = made_up(n_rows, 10)
        seconds, model = seconds_of(lambda X=X, y=y: growth().fit(X, y))
        predicting, _ = seconds_of(lambda X=X, model=model: model.predict(X))
        X_new, y_new = made_up(10_000, 10, seed=1)
        stages = "  ".join(f"{stage} {value:.2f}" for stage, value in model.stage_seconds_.items())
        print(
            f"{n_rows:10,} rows: {seconds:7.2f} s ({1e6 * seconds / n_rows:8.2f} µs per row; {stages}), predicting "
            f"{1e9 * predicting / n_rows:5.0f} ns per row, R² {model.score(X_new, y_new):.4f}, {model.n_rules_} rules",
            flush=True,
        )
        n_rows *= 10


def with_inputs(arguments: argparse.Namespace) -> None:
    """Show how the time grows with the number of inputs."""
    for n_inputs in (10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000):
        X, y = made_up(2_000, n_inputs)
        seconds, model = seconds_of(lambda X=X, y=y: growth().fit(X, y))
        X_new, y_new = made_up(2_000, n_inputs, seed=1)
        print(
            f"{n_inputs:6,} inputs, 2,000 rows: {seconds:6.2f} s, R² {model.score(X_new, y_new):.4f}, "
            f"{model.n_rules_} rules",
            flush=True,
        )


def profile(arguments: argparse.Namespace) -> None:
    """Print a profile of one fit, and the floor: one pass over the rows per candidate."""
    from fruler._algorithms.growth.structure import Structure
    from fruler._algorithms.growth.sums import Sums, degrees_of
    from fruler.learning._training_table import LocalTable

    X, y, _, _ = fold(arguments.data, arguments.set)
    profiler = cProfile.Profile()
    profiler.enable()
    model = growth().fit(X, y)
    profiler.disable()
    pstats.Stats(profiler).sort_stats("tottime").print_stats(25)
    values, target = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    table = LocalTable.from_arrays(values, target, None, [str(j) for j in range(values.shape[1])], None)
    structure = Structure.undivided(values.shape[1])
    pass_seconds = min(
        seconds_of(lambda: Sums.over(table.rows, degrees_of(structure, table.rows)))[0] for _ in range(20)
    )
    floor = model.n_evaluations_ * pass_seconds * 0.8
    print(
        f"{model.n_evaluations_:,} candidates; one pass over the rows with one rule takes {1e3 * pass_seconds:.3f} ms;"
    )
    print(f"so the least for forming the normal equations of all on four fifths of the rows is {floor:.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("sets", "rows", "inputs", "profile"))
    parser.add_argument("--data", type=Path, help="the folder of the KEEL sets")
    parser.add_argument("--sets", nargs="*", help="names of sets; all small ones by default")
    parser.add_argument("--set", default="concrete", help="the set to profile")
    parser.add_argument("--first", type=Path, help="a folder with an installation of another version")
    parser.add_argument("--largest", type=float, default=1e6, help="maximum number of rows")
    arguments = parser.parse_args()
    if arguments.what in ("sets", "profile") and arguments.data is None:
        parser.error("name the folder of the KEEL sets: --data FOLDER")
    {"sets": on_sets, "rows": with_rows, "inputs": with_inputs, "profile": profile}[arguments.what](arguments)


if __name__ == "__main__":
    main()
