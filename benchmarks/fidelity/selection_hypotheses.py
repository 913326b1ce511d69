"""Further readings of the paper's instance selection compared with its Table 2, and the spread over the order of ties.

    python benchmarks/fidelity/selection_hypotheses.py --data FOLDER [--largest 1700] [--orders 6]

Prints one line for each hypothesis, over the sets of up to `--largest` rows and five folds: the mean absolute
difference of the reduction, the mean absolute log ratio of the error increase, and some sets that decide. Then, for
each set, mean and standard deviation of the reduction over random orders of rows with equal scores. All in NumPy, with
the whole matrix of distances, so that every open point is a line that can be changed.
"""

from __future__ import annotations

import argparse
import math
import os
from pathlib import Path

import numpy as np
import pandas as pd

from fruler import load_keel
from fruler.bench.paper import paper_tables
from fruler.selectors._selector import divergence_scores, in_degrees, output_classes

HYPOTHESES: dict[str, dict[str, str]] = {
    "the default": {},
    "no thin-out": {"thin-out": "none"},
    "graphs by distances over inputs and output": {"graphs": "all columns"},
    "the same, core of one row per class": {"graphs": "all columns", "core": "classes"},
    "the same, core by the root mean squared error": {"graphs": "all columns", "core": "rmse"},
    "all distances over inputs and output": {"graphs": "all columns", "errors": "all columns"},
    "a selected row has no error": {"rows": "selected have none"},
    "error over the rows that are not selected": {"rows": "not selected"},
    "mean absolute error": {"rows": "absolute"},
    "the last S, not S_best": {"result": "last"},
    "rows in turn from every class": {"order": "classes in turn"},
    "core: as many rows as 1NN misclassifies": {"core": "misclassified"},
    "half of Scott's bandwidth": {"classes": "half bandwidth"},
    "one class": {"classes": "one"},
    "Score: the within graph only": {"score": "within"},
    "Score: the sum of both parts": {"score": "sum"},
    "stop at n / s": {"stop": "ratio"},
    "stop at the root of n over the core": {"stop": "core"},
}
SHOWN = ("wizmir", "stock", "friedman", "forestFires", "dee")


def squared_distances(points: np.ndarray) -> np.ndarray:
    squares = np.square(points).sum(axis=1)
    found = squares[:, None] + squares[None, :] - 2.0 * points @ points.T
    np.fill_diagonal(found, np.inf)
    return found


def classes_of(y: np.ndarray, reading: dict[str, str]) -> np.ndarray:
    if reading.get("classes") == "one":
        return np.zeros(len(y), dtype=np.intp)
    if reading.get("classes") == "half bandwidth":
        width = y.std(ddof=1) * len(y) ** -0.2 / 2.0
        grid = np.linspace(y.min(), y.max(), 2_000)
        density = np.exp(-0.5 * np.square((grid[:, None] - y[None, :]) / width)).sum(axis=1)
        lowest = (density[1:-1] < density[:-2]) & (density[1:-1] <= density[2:])
        return np.unique(np.searchsorted(grid[1:-1][lowest], y), return_inverse=True)[1]
    return output_classes(y)[0]


def degrees_of(distances: np.ndarray, classes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the in-degrees in the within and between graphs."""
    same = classes[:, None] == classes[None, :]
    parts = np.where(same, distances, np.inf), np.where(same, np.inf, distances)
    edges = (np.where(np.isfinite(part.min(axis=1)), part.argmin(axis=1), -1) for part in parts)
    within, between = (in_degrees(one, len(classes)) for one in edges)
    return within, between


def scores_of(within: np.ndarray, between: np.ndarray, reading: dict[str, str]) -> np.ndarray:
    if reading.get("score") == "within":
        return within.astype(float)
    if reading.get("score") == "sum":
        shares = [degrees / max(int(degrees.sum()), 1) for degrees in (within, between)]
        middle = np.maximum((shares[0] + shares[1]) / 2.0, 1e-300)
        return sum(share * np.log(np.maximum(share, 1e-300) / middle) for share in shares)
    return divergence_scores(within, between)


class Selected:
    """The squared error of predicting each row from its nearest selected row other than itself."""

    def __init__(self, distances: np.ndarray, y: np.ndarray, reading: dict[str, str]) -> None:
        self.distances, self.y, self.rows = distances, y, reading.get("rows")
        self.nearest, self.errors = np.full(len(y), np.inf), np.zeros(len(y))
        self.selected = np.zeros(len(y), dtype=bool)

    def add(self, row: int) -> None:
        """Add a row to the set."""
        nearer = self.distances[:, row] < self.nearest
        self.nearest[nearer] = self.distances[nearer, row]
        self.errors[nearer] = np.square(self.y[nearer] - self.y[row])
        self.selected[row] = True

    @property
    def deciding(self) -> float:
        """The error that decides on the selection."""
        if self.rows == "selected have none":
            return float(np.where(self.selected, 0.0, self.errors).mean())
        if self.rows == "not selected":
            return float(self.errors[~self.selected].mean()) if not self.selected.all() else 0.0
        return float((np.sqrt(self.errors) if self.rows == "absolute" else self.errors).mean())


def thin_out(
    distances: np.ndarray, graph: np.ndarray, y: np.ndarray, classes: np.ndarray, rows: np.ndarray
) -> tuple[np.ndarray, float]:
    def error(chosen: np.ndarray) -> float:
        if len(chosen) < 2:
            return math.inf
        return float(np.square(y - y[chosen[distances[:, chosen].argmin(axis=1)]]).mean())

    within, between = degrees_of(graph[np.ix_(rows, rows)], classes[rows])
    final, rest, connected = rows[between > 0], rows[between == 0], (within + between)[between == 0] > 0
    least = error(final)
    while len(rest):
        within, between = degrees_of(graph[np.ix_(rest, rest)], classes[rest])
        layer = (between > 0) & connected
        larger = np.concatenate([final, rest[layer]])
        if not error(larger) < least:
            break
        final, least = larger, error(larger)
        rest, connected = rest[~layer], ((within + between) > 0)[~layer]
    return final, least


def select(inputs: np.ndarray, y: np.ndarray, reading: dict[str, str], ties: np.ndarray) -> tuple[float, float]:
    """Return the reduction in percent, and the error increase."""
    y = (y - y.mean()) / y.std()
    spread = inputs.std(axis=0)
    inputs = (inputs - inputs.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)
    distances, n = squared_distances(inputs), len(y)
    graph = squared_distances(np.column_stack([inputs, y])) if "graphs" in reading else distances
    distances = graph if "errors" in reading else distances
    classes = classes_of(y, reading)
    n_classes, nearest = int(classes.max()) + 1, distances.argmin(axis=1)
    error_all = float(np.square(y - y[nearest]).mean())
    within, between = degrees_of(graph, classes)
    order = np.lexsort((ties, -scores_of(within, between, reading)))
    if reading.get("order") == "classes in turn":
        turn = np.empty(n, dtype=np.intp)
        for k in range(n_classes):
            own = order[classes[order] == k]
            turn[own] = np.arange(len(own))
        order = order[np.argsort(turn[order], kind="stable")]
    cores = {
        "mse": math.ceil(error_all / np.ptp(y) * n),
        "rmse": math.ceil(math.sqrt(error_all) / np.ptp(y) * n),
        "classes": n_classes,
        "misclassified": int((classes != classes[nearest]).sum()),
    }
    core = size = best = min(n, max(n_classes, cores[reading.get("core", "mse")], 2))
    known = Selected(distances, y, reading)
    for row in order[:core]:
        known.add(row)
    last, idle, error = known.deciding, 0, float(known.errors.mean())
    limits = {"sqrt": lambda: math.sqrt(n / size), "ratio": lambda: n / size, "core": lambda: math.sqrt(n / core)}
    while size < n and idle <= limits[reading.get("stop", "sqrt")]():
        known.add(order[size])
        size += 1
        now = known.deciding
        idle = 0 if now < last else idle + 1
        if not idle or reading.get("result") == "last":
            best, error = size, float(known.errors.mean())
        last = now
    rows = order[:best]
    if n_classes > 1 and "thin-out" not in reading:
        thinned, thinned_error = thin_out(distances, graph, y, classes, rows)
        if len(thinned) > inputs.shape[1] and thinned_error <= 1.1 * error:
            rows, error = thinned, thinned_error
    return 100.0 * (1.0 - len(rows) / n), error / error_all if error_all > 0.0 else math.nan


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known = os.environ.get("FRULER_KEEL")
    parser.add_argument("--data", type=Path, default=known, required=not known, help="folder of the KEEL sets")
    parser.add_argument("--largest", type=int, default=1_700, help="rows of the largest set")
    parser.add_argument("--orders", type=int, default=6, help="random orders of rows with equal scores")
    arguments = parser.parse_args()
    paper = paper_tables().query(f"cases <= {arguments.largest}")
    data = {name: [load_keel(arguments.data / name, fold=fold)[0] for fold in range(1, 6)] for name in paper.index}

    def table(reading: dict[str, str], rng: np.random.Generator | None = None) -> pd.DataFrame:
        rows = {}
        for name, trains in data.items():
            ties = [np.arange(len(t.target)) if rng is None else rng.permutation(len(t.target)) for t in trains]
            pairs = [
                select(np.asarray(train.data), np.asarray(train.target), reading, order)
                for train, order in zip(trains, ties, strict=True)
            ]
            rows[name] = np.mean(pairs, axis=0)
        return pd.DataFrame(rows, index=["reduction", "increase"]).T

    for name, reading in HYPOTHESES.items():
        found = table(reading)
        off = (found["reduction"] - paper["is_reduction_pct"]).abs()
        logs = np.log(found["increase"] / paper["is_error_increase"]).abs()
        shown = ", ".join(f"{one} {found.loc[one, 'reduction']:.0f}" for one in SHOWN if one in found.index)
        print(f"{name:45} mean {off.mean():5.2f}, median {off.median():5.2f}; {logs.mean():.2f}; {shown}", flush=True)
    orders = [table({}, np.random.default_rng(seed))["reduction"] for seed in range(arguments.orders)]
    spread = pd.concat(orders, axis=1).agg(["mean", "std"], axis=1)
    spread["paper"] = paper["is_reduction_pct"]
    spread["deviations"] = (spread["paper"] - spread["mean"]) / spread["std"]
    print(f"\nreduction over {arguments.orders} random orders of rows with equal scores")
    print(spread.round(1).to_string())


if __name__ == "__main__":
    main()
