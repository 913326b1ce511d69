"""All instance selectors compared with the paper's Table 2: the share of rows they leave out, and the cost in error.

    python benchmarks/fidelity/selector_tables.py --data FOLDER [--sets dee,friedman] [--out FILE]

There are five folds per set; sets of more than 5,000 rows use the first fold only. The error increase is defined as in
the paper: the mean squared error of predicting each training row from its nearest selected row, divided by that from
its nearest row of all. The paper prints neither CCIS nor CCISR. Every finished run is a line of the results file and is
not repeated. Without --data only the summary of the file is printed.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import delayed
from kept_runs import finished_runs
from preprocessing_tables import folds_of

from fruler import ClassConditionalSelector, load_keel
from fruler.bench.paper import paper_tables
from fruler.selectors import CCISRLikeSelector, CCISSelector

RESULTS = Path(__file__).parents[1] / "results" / "selectors.jsonl"
SELECTORS = {
    "FRULER": ClassConditionalSelector(),
    "CCIS": CCISSelector(),
    "CCIS, not thinned": CCISSelector(thin_out_tolerance=None),
    "CCISR-like": CCISRLikeSelector(),
    "CCISR-like, not thinned": CCISRLikeSelector(thin_out_tolerance=None),
}
KEY = ["set", "fold", "selector"]


def run(folder: Path, fold: int, name: str) -> dict[str, Any]:
    train, _ = load_keel(folder, fold=fold)
    start = time.process_time()
    selector = SELECTORS[name].fit(train.data, train.target)
    seconds = time.process_time() - start
    return {
        "set": folder.name,
        "fold": fold,
        "selector": name,
        "rows": len(train.target),
        "classes": len(selector.class_borders_) + 1,
        "selected": len(selector.sample_indices_),
        "reduction": 100.0 * selector.reduction_,
        "increase": selector.error_selected_ / selector.error_all_,
        "thinned": selector.thinned_,
        "seconds": round(seconds, 3),
    }


def print_sets(means: pd.DataFrame, paper: pd.DataFrame) -> None:
    print("| set | " + " | ".join(["paper", *SELECTORS]) + " |")
    print("|---" * (len(SELECTORS) + 2) + "|")
    for name, printed in paper.iterrows():
        cells = [f"{printed.is_reduction_pct:.1f}, {printed.is_error_increase:.2f}"]
        for selector in SELECTORS:
            found = (name, selector) in means.index
            row = means.loc[name, selector] if found else None
            cells.append("" if row is None else f"{row.reduction:.1f}, {row.increase:.2f}")
        print(f"| {name} | " + " | ".join(cells) + " |")


def print_summary(means: pd.DataFrame, paper: pd.DataFrame) -> None:
    print("\nmean reduction, geometric mean of the error increase, largest, seconds of the slowest set")
    printed = paper.is_error_increase
    increase = np.exp(np.log(printed).mean())
    print(f"{'paper':24} {paper.is_reduction_pct.mean():5.1f} {increase:6.2f} {printed.max():7.1f}")
    for selector in SELECTORS:
        rows = means.xs(selector, level="selector")
        increase = np.exp(np.log(rows.increase).mean())
        print(
            f"{selector:24} {rows.reduction.mean():5.1f} {increase:6.2f} {rows.increase.max():7.1f} "
            f"{rows.seconds.max():6.1f}   ({len(rows)} sets)"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("FRULER_KEEL"), help="folder of the KEEL sets")
    parser.add_argument("--sets", default=",".join(paper_tables().index))
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    plan = {}
    if arguments.data:
        plan = {
            (name, fold, selector): delayed(run)(Path(arguments.data) / name, fold, selector)
            for name in arguments.sets.split(",")
            for fold in folds_of(name)
            for selector in SELECTORS
        }
    done = finished_runs(arguments.out, KEY, plan)
    paper = paper_tables()
    means = done.groupby(["set", "selector"])[["reduction", "increase", "classes", "seconds"]].mean()
    shown = paper.loc[[name for name in paper.index if name in means.index.get_level_values("set")]]
    print_sets(means, shown)
    print_summary(means, shown)


if __name__ == "__main__":
    main()
