"""Readings of the paper's instance selection and discretization compared with its Tables 2 and 3, half by half.

    python benchmarks/fidelity/preprocessing_readings.py --data FOLDER [--stage selection] [--grid]

Prints one line for the default reading and one for each reading that differs from it in one point; with --grid, all
combinations, the nearest on the development half first. The halves are those of `preprocessing_tables.py`. There are
five folds per set; sets of more than 5,000 rows use the first fold only. The discretization is implemented here in
NumPy, with every open point as an argument; the kernel in the package has the two readings worth having.
"""

from __future__ import annotations

import argparse
import itertools
import math
import os
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from preprocessing_tables import development_half, discretization_summary, folds_of, halves, selection_summary

from fruler import load_keel
from fruler._kernels import nearest
from fruler.bench.paper import paper_tables
from fruler.selectors._selector import (
    NearestSelected,
    class_conditional_scores,
    output_classes,
    subset_degrees,
    thin_out,
)

MIN_ROWS = 30
DISCRETIZATION = {
    "candidates": ("on values", "between values"),
    "ends": ("left out", "kept"),
    "next": ("least mean error", "least error", "most gain"),
    "error": ("plain", "weighted twice"),
    "bic": ("mean over rows inside", "sum over rows inside", "sum of means"),
    "first split": ("free", "charged"),
}
SELECTION = {
    "core": ("mse / range, standardised", "rmse / range", "mse of y within 0 and 1", "classes only"),
    "metric": ("standard deviations", "ranges"),
    "ties": ("first row first", "last row first"),
    "against": ("previous", "best"),
    "thin-out": ("within 0.1", "none", "within 1", "whatever the error"),
    "rows left": ("more than inputs", "one"),
}


class Cells(NamedTuple):
    """The rows of an input by its distinct values: their number, x, and the sums to fit lines to."""

    rows: np.ndarray
    x: np.ndarray
    sums: np.ndarray


def gather(x: np.ndarray, y: np.ndarray) -> Cells:
    values, place, rows = np.unique(x, return_inverse=True, return_counts=True)
    z = (values - values[len(values) // 2]) / max(np.ptp(values), 1e-300)
    own = z[place]
    terms = (np.ones_like(y), own, y, own * own, own * y, y * y)
    return Cells(rows, z, np.array([np.bincount(place, weights=term) for term in terms]))


def line_errors(sums: np.ndarray) -> np.ndarray:
    """Return the squared errors of least squares lines through rows with these sums."""
    n, x, y, xx, xy, yy = sums
    n = np.maximum(n, 1.0)
    sxx, sxy, syy = xx - x * x / n, xy - x * y / n, yy - y * y / n
    explained = np.divide(sxy * sxy, sxx, out=np.zeros_like(sxx), where=sxx > 1e-12)
    return np.maximum(syy - explained, 0.0)


class Interval(NamedTuple):
    """A range of neighbouring cells: the error of its line, and its best split."""

    first: int
    last: int
    rows: float
    error: float
    split: int
    merit: float


def examine(cells: Cells, first: int, last: int, reading: dict[str, str]) -> Interval:
    on_values = reading["candidates"] == "on values"
    sums = cells.sums[:, first:last]
    if last - first < 4:
        total = sums.sum(axis=1)[:, None]
        return Interval(first, last, total[0, 0], float(line_errors(total)[0]), -1, -math.inf)
    below = np.cumsum(sums, axis=1)
    total = below[:, -1:]
    left = below[:, 1:-1]  # the sums of the cells before the candidates 2, 3, ...
    right = total - (below[:, 2:] if on_values else left)
    n_left, n_right = left[0], right[0]
    k = np.arange(2, last - first)
    allowed = (n_left >= MIN_ROWS) & (n_right >= MIN_ROWS) & (k + on_values < last - first - 1)
    e_left, e_right = line_errors(left), line_errors(right)
    plain = e_left + e_right
    criterion = plain if reading["error"] == "plain" else e_left * n_left + e_right * n_right
    own, rows = float(line_errors(total)[0]), float(total[0, 0])
    if not allowed.any():
        return Interval(first, last, rows, own, -1, -math.inf)
    best = int(np.argmin(np.where(allowed, criterion, np.inf)))
    merit = {
        "least mean error": -criterion[best] / rows,
        "least error": -criterion[best],
        "most gain": own - plain[best],
    }
    return Interval(first, last, rows, own, first + int(k[best]), float(merit[reading["next"]]))


def granularity(cells: Cells, reading: dict[str, str]) -> int:
    """Return the largest granularity that a reading gives an input."""
    on_values, ends = reading["candidates"] == "on values", int(reading["ends"] == "left out")
    n = int(cells.rows.sum())
    floor = 1e-12 * n

    def bic(error: float, size: int) -> float:
        charged = size if reading["first split"] == "charged" else max(size - 1, 1)
        return n * math.log(max(error, floor / n)) + charged * 2.0 * math.log(n)

    least = bic(float(line_errors(cells.sums.sum(axis=1)[:, None])[0]) / n, 1)
    intervals = [examine(cells, ends, max(len(cells.x) - ends, ends), reading)]
    best, idle = 1, 0
    while idle <= math.sqrt(n / MIN_ROWS / best):
        place = max(range(len(intervals)), key=lambda i: intervals[i].merit)
        old = intervals[place]
        if old.split < 0:
            break
        intervals[place] = examine(cells, old.first, old.split, reading)
        intervals.append(examine(cells, old.split + on_values, old.last, reading))
        error, rows = sum(one.error for one in intervals), sum(one.rows for one in intervals)
        means = sum(one.error / one.rows for one in intervals)
        measure = {"mean over rows inside": error / rows, "sum over rows inside": error / n, "sum of means": means}
        value = bic(measure[reading["bic"]], len(intervals))
        idle += 1
        if value < least:
            least, best, idle = value, len(intervals), 0
    return best


def discretize(fold: tuple[np.ndarray, np.ndarray], reading: dict[str, str]) -> dict[str, float]:
    X, y = fold
    z = (y - y.mean()) / y.std()
    found = np.array([granularity(gather(column, z), reading) for column in X.T])
    return {"average": found.mean(), "largest": found.max(), "unused": (found == 1).sum()}


def select(fold: tuple[np.ndarray, np.ndarray], reading: dict[str, str]) -> dict[str, float]:
    X, y = fold
    y = (y - y.mean()) / y.std()
    spread = X.std(axis=0) if reading["metric"] == "standard deviations" else np.ptp(X, axis=0)
    X = np.ascontiguousarray((X - X.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0))
    columns, n = np.ascontiguousarray(X.T), len(y)
    classes, borders = output_classes(y)
    distances, neighbours = nearest.class_neighbours(X, columns, classes, len(borders) + 1)
    own = (distances[0] < distances[1]) | ((distances[0] == distances[1]) & (neighbours[0] < neighbours[1]))
    error_all = float(np.square(y - y[np.where(own | (neighbours[1] < 0), *neighbours)]).mean())
    scores = class_conditional_scores(neighbours)
    order = np.argsort(-scores, kind="stable")
    if reading["ties"] == "last row first":
        order = np.ascontiguousarray(np.argsort(scores, kind="stable")[::-1])
    shares = (error_all / np.ptp(y), math.sqrt(error_all) / np.ptp(y), error_all / np.ptp(y) ** 2, 0.0)
    share = shares[SELECTION["core"].index(reading["core"])]
    n_core = min(n, max(len(borders) + 1, math.ceil(share * n), 2))
    known = NearestSelected(columns, y)
    known.add(order[:n_core])
    size, error = nearest.grow_selection(
        columns,
        y,
        order,
        n_core,
        known.distance,
        known.neighbour,
        known.squared_error,
        reading["against"] == "best",
    )
    tolerance = {"within 0.1": 0.1, "none": -1.0, "within 1": 1.0, "whatever the error": math.inf}[reading["thin-out"]]
    fewest = X.shape[1] + 1 if reading["rows left"] == "more than inputs" else 1
    if len(borders) and tolerance >= 0.0:
        thin, thin_error = thin_out(NearestSelected(columns, y), partial(subset_degrees, X, classes), order[:size])
        if len(thin) >= fewest and thin_error <= (1.0 + tolerance) * error:
            size, error = len(thin), thin_error
    return {"reduction": 100.0 * (1.0 - size / n), "increase": error / error_all}


def readings_of(choices: dict[str, tuple[str, ...]], grid: bool) -> list[dict[str, str]]:
    if grid:
        return [dict(zip(choices, values, strict=True)) for values in itertools.product(*choices.values())]
    default = {name: values[0] for name, values in choices.items()}
    return [default, *({**default, name: other} for name, values in choices.items() for other in values[1:])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stage", choices=["selection", "discretization"])
    parser.add_argument("--grid", action="store_true", help="all combinations, on the development half")
    known = os.environ.get("FRULER_KEEL")
    parser.add_argument("--data", type=Path, default=known, required=not known, help="folder of the KEEL sets")
    arguments = parser.parse_args()
    paper = paper_tables()
    names = development_half(list(paper.index)) if arguments.grid else list(paper.index)
    data = {}
    for name in names:
        trains = [load_keel(arguments.data / name, fold=fold)[0] for fold in folds_of(name)]
        data[name] = [(train.data, train.target) for train in trains]
    stages = {
        "selection": (select, SELECTION, selection_summary),
        "discretization": (discretize, DISCRETIZATION, discretization_summary),
    }
    for stage, (measure, choices, summary) in stages.items():
        if arguments.stage not in (None, stage):
            continue
        found = []
        for reading in readings_of(choices, arguments.grid):
            rows = {name: pd.DataFrame([measure(fold, reading) for fold in data[name]]).mean() for name in names}
            table = pd.DataFrame(rows).T.join(paper)
            if stage == "selection":
                off = float((table.reduction - table.is_reduction_pct).abs().median())
            else:
                off = float(np.log(table.average / table.disc_avg_granularity).abs().mean())
            found.append((off, reading, table))
            if not arguments.grid:
                changed = {name: value for name, value in reading.items() if value != choices[name][0]}
                print(f"\n{stage}: {changed or 'the default'}")
                for half, part in halves(table).items():
                    print(f"  {half}: {summary(part)}", flush=True)
        if arguments.grid:
            print(f"\n{stage}: {len(found)} readings; the nearest on the development half")
            for _, reading, table in sorted(found, key=lambda one: one[0])[:10]:
                print(f"  {', '.join(reading.values())}\n    {summary(table)}")


if __name__ == "__main__":
    main()
