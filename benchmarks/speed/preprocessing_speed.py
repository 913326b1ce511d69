"""Speed and memory of the two preprocessing stages, as ratios to a reference measured in the same run.

    python benchmarks/speed/preprocessing_speed.py --data FOLDER

Stage 1 on mv, one core: compared with scikit-learn's k-d tree, which finds the nearest neighbour of each row among the
same rows; the time per row and selected row; peak memory in a separate process.
Stage 2 on each set: compared with sorting its columns, the best time of each. Every ratio is repeated; its range is
printed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.neighbors import KDTree

from fruler import MultiGranularityDiscretizer, load_keel
from fruler._algorithms.fruler.discretization import nested_splits
from fruler._algorithms.fruler.instance_selection import select_instances
from fruler._table.rows import measure_scale
from fruler.bench.paper import paper_tables

REPEATS = 7


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def standardised(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    train, _ = load_keel(folder, fold=1)
    return measure_scale(train.data).apply(train.data), train.target


def selection_against_tree(X: np.ndarray, y: np.ndarray) -> None:
    ratios = []
    for _ in range(REPEATS):
        ours = seconds(lambda: select_instances(X, y))
        theirs = seconds(lambda: KDTree(X).query(X, k=2))
        ratios.append(ours / theirs)
    print(
        f"stage 1 on mv {X.shape}: {np.median(ratios):.2f} times a k-d tree's 1-NN query (spread {min(ratios):.2f} to "
        f"{max(ratios):.2f}; at most 5 wanted); last: {ours:.2f} s against {theirs:.2f} s"
    )


def selection_growth(X: np.ndarray, y: np.ndarray) -> None:
    print("stage 1, growth on mv (nanoseconds per row and selected row; must not rise):")
    order = np.random.default_rng(0).permutation(len(y))
    for n in (len(y) // 8, len(y) // 4, len(y) // 2, len(y)):
        rows = np.sort(order[:n])
        X_part, y_part = np.ascontiguousarray(X[rows]), y[rows]
        times = [seconds(lambda X=X_part, y=y_part: select_instances(X, y)) for _ in range(REPEATS)]
        kept = len(select_instances(X_part, y_part).indices)
        print(
            f"  n = {n:6}, selected = {kept:5}: {np.median(times):6.3f} s, {1e9 * np.median(times) / (n * kept):6.2f} "
            f"ns (spread {1e9 * min(times) / (n * kept):.2f} to {1e9 * max(times) / (n * kept):.2f})"
        )


MEMORY_PROBE = """
import re, sys
from pathlib import Path
import numpy as np
from fruler._algorithms.fruler.instance_selection import select_instances

def peak():
    # Linux only: getrusage would include the memory of the parent when it started this process.
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024

table = np.load(sys.argv[1])
X, y = np.ascontiguousarray(table[:, :-1]), table[:, -1].copy()
before = peak()
select_instances(X, y)
print(before, peak())
"""


def selection_memory(X: np.ndarray, y: np.ndarray) -> None:
    """Print the peak memory in a process that only has the table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.npy"
        np.save(path, np.column_stack([X, y]))
        command = [sys.executable, "-c", MEMORY_PROBE, str(path)]
        before, peak = map(float, subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())
    size = (X.nbytes + y.nbytes) / 2**20
    print(
        f"stage 1, peak memory on mv: {peak:.0f} MB for the whole process, {peak - before:.0f} MB above what it held "
        f"before; the data take {size:.1f} MB, and 4 times the data plus 200 MB is {4 * size + 200:.0f} MB"
    )


def discretization_against_sorting(name: str, X: np.ndarray, y: np.ndarray) -> None:
    # Small sets take microseconds: loops make the resolution of the clock irrelevant.
    loops = range(max(1, 200_000 // X.size))
    sort, stage, estimator = [], [], []
    for _ in range(REPEATS):
        sort.append(seconds(lambda: [np.sort(X[:, j]) for _ in loops for j in range(X.shape[1])]))
        stage.append(seconds(lambda: [nested_splits(X, y) for _ in loops]))
        estimator.append(seconds(lambda: [MultiGranularityDiscretizer().fit(X, y) for _ in loops]))
    ratios = np.array(stage) / sort
    print(
        f"  {name:12} {X.shape!s:12} {min(stage) / min(sort):5.1f} (spread {ratios.min():5.1f} to "
        f"{ratios.max():5.1f})   estimator {min(estimator) / min(sort):5.1f}, "
        f"{1e3 * min(estimator) / len(loops):.2f} ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known = os.environ.get("FRULER_KEEL")
    parser.add_argument("--data", type=Path, default=known, required=not known, help="folder of the KEEL sets")
    arguments = parser.parse_args()
    data = arguments.data
    X, y = standardised(data / "mv")
    selection_against_tree(X, y)
    selection_growth(X, y)
    selection_memory(X, y)
    print("stage 2, in sorts of all columns (at most 20 wanted): the stage, and the estimator with its checks")
    for name in paper_tables().index:
        train, _ = load_keel(data / name, fold=1)
        discretization_against_sorting(name, train.data, train.target)


if __name__ == "__main__":
    main()
