"""The paper's Table 2 (instance selection) and Table 3 (discretization) compared with ours, for its 28 data sets.

    python benchmarks/fidelity/preprocessing_tables.py --data FOLDER [--sets dee,friedman] [--splits gain]
                                                       [--core-error rmse]

There are five folds per set; sets of more than 5,000 rows use the first fold only. The default readings of the paper
were chosen on a development half of the sets, every other one in alphabetical order; summaries are printed for both
halves.
`preprocessing_readings.py` compares these and other readings; `selector_tables.py` compares other selectors with
Table 2.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fruler import ClassConditionalSelector, MultiGranularityDiscretizer, load_keel
from fruler.bench.paper import paper_tables

LARGE = 5_000


def development_half(names: list[str]) -> list[str]:
    """Return every other set in alphabetical order, ignoring case, starting with the first."""
    return sorted(names, key=str.lower)[::2]


def halves(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the rows of the development half of all sets, of the other half, and all rows."""
    chosen = rows.index.isin(development_half(list(paper_tables().index)))
    parts = {"development half": rows[chosen], "other half": rows[~chosen], "all": rows}
    return {name: part for name, part in parts.items() if len(part)}


def folds_of(name: str) -> range:
    return range(1, 2 if paper_tables().cases[name] > LARGE else 6)


def measure_fold(
    folder: Path, fold: int, selection: dict[str, Any], discretization: dict[str, Any]
) -> dict[str, float]:
    train, _ = load_keel(folder, fold=fold)
    start = time.perf_counter()
    selector = ClassConditionalSelector(**selection).fit(train.data, train.target)
    selected = time.perf_counter()
    granularities = MultiGranularityDiscretizer(**discretization).fit(train.data, train.target).granularities_
    return {
        "reduction": 100.0 * selector.reduction_,
        "increase": selector.error_selected_ / selector.error_all_,
        "thinned": float(selector.thinned_),
        "selection_s": selected - start,
        "average": float(granularities.mean()),
        "largest": float(granularities.max()),
        "unused": float((granularities == 1).sum()),
        "discretization_s": time.perf_counter() - selected,
    }


def selection_summary(rows: pd.DataFrame) -> str:
    differences = (rows.reduction - rows.is_reduction_pct).abs()
    increases = np.log(rows.increase / rows.is_error_increase).abs()
    within = (rows.increase <= 1.5 * rows.is_error_increase).sum()
    return (
        f"absolute difference of the reduction: median {differences.median():.2f}, mean {differences.mean():.2f}; "
        f"error increase: mean |log(ours/paper)| {increases.mean():.2f}, at most 1.5 times the paper's on {within} of "
        f"{len(rows)} sets"
    )


def discretization_summary(rows: pd.DataFrame) -> str:
    average = np.log(rows.average / rows.disc_avg_granularity)
    largest = np.log(rows.largest / rows.disc_max_granularity)
    unused = (rows.unused - rows.disc_not_used).abs().mean()
    return (
        f"mean |log(ours/paper)| of the average granularity {average.abs().mean():.3f}, of the largest "
        f"{largest.abs().mean():.3f}; unused inputs off by {unused:.2f}; geometric mean of the ratios of the average "
        f"{np.exp(average.mean()):.2f}"
    )


def print_selection(rows: pd.DataFrame) -> None:
    print("\nTable 2: instance selection (thinned: share of the folds whose set was thinned out)")
    print("set          reduction %  paper   diff   increase   paper  ratio  thinned  seconds")
    for name, row in rows.iterrows():
        difference = row.reduction - row.is_reduction_pct
        ratio = row.increase / row.is_error_increase
        print(
            f"{name:12} {row.reduction:11.1f} {row.is_reduction_pct:6.1f} {difference:6.1f}   {row.increase:8.3f} "
            f"{row.is_error_increase:7.3f} {ratio:6.2f}  {row.thinned:7.1f}  {row.selection_s:7.3f}"
        )
    print("wanted: a median absolute difference of the reduction of at most 3 points over all sets")
    for half, part in halves(rows).items():
        print(f"{half}: {selection_summary(part)}")


def print_discretization(rows: pd.DataFrame) -> None:
    print("\nTable 3: granularities (ratio: average to the paper's)")
    print("set          average  paper  ratio     max  paper   unused  paper  seconds")
    for name, row in rows.iterrows():
        ratio = row.average / row.disc_avg_granularity
        flag = "" if 1 / 2 <= ratio <= 2 else "  *"
        print(
            f"{name:12} {row.average:7.2f} {row.disc_avg_granularity:6.2f} {ratio:6.2f}   {row.largest:5.1f} "
            f"{row.disc_max_granularity:6.1f}   {row.unused:6.1f} {row.disc_not_used:6.1f}  "
            f"{row.discretization_s:7.4f}{flag}"
        )
    print("* outside half to twice the paper's; wanted: a mean |log(ours/paper)| of at most 0.25 over all sets")
    for half, part in halves(rows).items():
        print(f"{half}: {discretization_summary(part)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", help="comma-separated names; all 28 by default")
    parser.add_argument("--core-error", choices=["mse", "rmse"], default="mse")
    parser.add_argument("--improvement", choices=["previous", "best"], default="previous")
    parser.add_argument("--thin-out-tolerance", default="0.1", help="a number, or none")
    parser.add_argument("--splits", choices=["printed", "gain"], default="printed")
    parser.add_argument("--all-charged", action="store_true", help="also charge for the first split")
    known = os.environ.get("FRULER_KEEL")
    parser.add_argument("--data", type=Path, default=known, required=not known, help="folder of the KEEL sets")
    arguments = parser.parse_args()
    paper = paper_tables()
    names = arguments.sets.split(",") if arguments.sets else list(paper.index)
    unknown = sorted(set(names) - set(paper.index))
    if unknown:
        parser.error(f"unknown set {unknown[0]!r}; the sets are {', '.join(paper.index)}")
    tolerance = None if arguments.thin_out_tolerance == "none" else float(arguments.thin_out_tolerance)
    selection = {
        "core_error": arguments.core_error,
        "improvement": arguments.improvement,
        "thin_out_tolerance": tolerance,
    }
    discretization = {"splits": arguments.splits, "first_split_free": not arguments.all_charged}
    measured = {}
    for name in names:
        folder = arguments.data / name
        folds = [measure_fold(folder, fold, selection, discretization) for fold in folds_of(name)]
        measured[name] = pd.DataFrame(folds).mean()
    rows = pd.DataFrame(measured).T.join(paper)
    print_selection(rows)
    print_discretization(rows)


if __name__ == "__main__":
    main()
