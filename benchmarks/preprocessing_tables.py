"""The paper's Table 2 (instance selection) and Table 3 (discretization) beside ours, for its 28 data sets.

    python benchmarks/preprocessing_tables.py --data FOLDER [--sets dee,friedman]

Five folds a set; the first one only for sets of more than 5,000 rows.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np
import pandas as pd

from fruler import ClassConditionalSelector, MultiGranularityDiscretizer, load_keel
from fruler.bench.paper import paper_tables

LARGE = 5_000


def measure_fold(folder: Path, fold: int) -> dict[str, float]:
    train, _ = load_keel(folder, fold=fold)
    start = time.perf_counter()
    selector = ClassConditionalSelector().fit(train.data, train.target)
    selected = time.perf_counter()
    granularities = MultiGranularityDiscretizer().fit(train.data, train.target).granularities_
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
    differences = (rows.reduction - rows.is_reduction_pct).abs()
    within = (rows.increase <= 1.5 * rows.is_error_increase).sum()
    print(f"median absolute difference of the reduction: {differences.median():.2f} points (at most 5 wanted)")
    print(f"error increase at most 1.5 times the paper's: {within} of {len(rows)} sets (20 of 28 wanted)")


def print_discretization(rows: pd.DataFrame) -> None:
    print("\nTable 3: granularities (ratio: average to the paper's)")
    print("set          average  paper  ratio     max  paper   unused  paper  seconds")
    for name, row in rows.iterrows():
        ratio = row.average / row.disc_avg_granularity
        flag = "" if 1 / 3 <= ratio <= 2 else "  *"
        print(
            f"{name:12} {row.average:7.2f} {row.disc_avg_granularity:6.2f} {ratio:6.2f}   {row.largest:5.1f} "
            f"{row.disc_max_granularity:6.1f}   {row.unused:6.1f} {row.disc_not_used:6.1f}  "
            f"{row.discretization_s:7.4f}{flag}"
        )
    ratios = rows.average / rows.disc_avg_granularity
    outside = [str(name) for name, ratio in ratios.items() if not 1 / 3 <= ratio <= 2]
    print(f"geometric mean of the ratios: {np.exp(np.log(ratios).mean()):.2f}")
    print(f"* outside a third to twice the paper's: {', '.join(outside) or 'none'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("FRULER_KEEL"), help="folder of the KEEL sets")
    parser.add_argument("--sets", help="comma-separated names; all 28 by default")
    arguments = parser.parse_args()
    if not arguments.data or not Path(arguments.data).is_dir():
        parser.error("--data must name the folder of the KEEL data sets (or set FRULER_KEEL)")
    paper = paper_tables()
    names = arguments.sets.split(",") if arguments.sets else list(paper.index)
    unknown = sorted(set(names) - set(paper.index))
    if unknown:
        parser.error(f"unknown set {unknown[0]!r}; the sets are {', '.join(paper.index)}")
    measured = {}
    for name in names:
        folds = range(1, 2 if paper.cases[name] > LARGE else 6)
        measured[name] = pd.DataFrame([measure_fold(Path(arguments.data) / name, fold) for fold in folds]).mean()
    rows = pd.DataFrame(measured).T.join(paper)
    print_selection(rows)
    print_discretization(rows)


if __name__ == "__main__":
    main()
