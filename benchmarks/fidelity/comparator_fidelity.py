"""The paper's other systems compared with its Table 4.

    python benchmarks/fidelity/comparator_fidelity.py --data FOLDER [--algorithm l-metsk] [--sets dee,stock] [--seeds 2]
                                                      [--folds 5] [--jobs 1] [--set NAME=VALUE ...] [--out FILE]

Every finished run is a line of the results file and is not repeated, so an interrupted benchmark resumes where it was.
`--set` changes a parameter of the estimator (its value is parsed as Python) and is part of the key of a run. Without
--data only the summary of the file is printed. Seconds are processor time.
"""

from __future__ import annotations

import argparse
import ast
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import delayed
from kept_runs import finished_runs

from fruler import load_keel
from fruler.bench.paper import paper_tables
from fruler.estimators.registry import find_estimator

LARGE = ("elevators", "california", "mv", "compactiv", "pole", "ailerons", "house", "puma32h")
# The column of each algorithm in Table 4, and the factor within which the geometric mean of its errors should be.
PUBLISHED = {"l-metsk": ("l_metsk", 1.1), "a-metsk": ("a_metsk", 1.15), "fs-mogfs": ("fsmogfs_tun", 1.1)}
# Plausible ranges of the error and the number of rules of each re-implementation.
BANDS = {
    "l-metsk": {
        "ele-1": (1.8e5, 2.15e5, 12, 20),
        "dee": (0.085, 0.105, 88, 100),
        "friedman": (2.7, 3.5, 85, 100),
    },
    "a-metsk": {
        "ele-1": (1.8e5, 2.2e5, 8, 16),
        "dee": (0.085, 0.115, 40, 70),
        "friedman": (1.6, 2.3, 50, 80),
    },
    "fs-mogfs": {
        "ele-1": (1.8e5, 2.1e5, 6, 13),
        "dee": (0.085, 0.105, 12, 30),
        "friedman": (2.7, 3.7, 16, 35),
    },
}
RESULTS = Path(__file__).parents[1] / "results" / "comparator_fidelity.jsonl"
KEY = ["algorithm", "changes", "set", "fold", "seed"]


def run(algorithm: str, changes: dict[str, Any], folder: Path, fold: int, seed: int) -> dict[str, Any]:
    train, test = load_keel(folder, fold=fold)
    start = time.process_time()
    model = find_estimator(algorithm)(**changes, random_state=seed).fit(train.data, train.target)
    seconds = time.process_time() - start
    return {
        "algorithm": algorithm,
        "changes": described(changes),
        "set": folder.name,
        "fold": fold,
        "seed": seed,
        "error": float(np.square(model.predict(test.data) - test.target).mean() / 2.0),
        "train_error": float(model.pareto_.error.iloc[-1]),
        "rules": model.n_rules_,
        "evaluations": model.n_evaluations_,
        "uncovered": model.n_uncovered_,
        "seconds": round(seconds, 3),
    }


def described(changes: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in sorted(changes.items()))


def summarize(lines: pd.DataFrame) -> None:
    paper = paper_tables()
    for (algorithm, changes), group in lines.groupby(["algorithm", "changes"]):
        column, factor = PUBLISHED[algorithm]
        means = group.groupby("set")[["error", "train_error", "rules", "evaluations", "seconds"]].mean()
        runs = group.groupby("set").size()
        table = means.join(paper).loc[[name for name in paper.index if name in means.index]]
        table["error_ratio"] = table.error / table[f"{column}_test"]
        table["rules_ratio"] = table.rules / table[f"{column}_rules"]
        print(f"\n{algorithm}, {changes or 'defaults'}")
        print("set         runs      error  published  ratio  training   rules  publ.  ratio   evals.  seconds")
        for name, row in table.iterrows():
            print(
                f"{name:11} {runs[name]:4} {row.error:10.4g} {row[f'{column}_test']:10.4g} {row.error_ratio:6.2f} "
                f"{row.train_error:9.3g}  {row.rules:6.1f} {row[f'{column}_rules']:6.1f} {row.rules_ratio:6.2f}  "
                f"{row.evaluations:7.0f} {row.seconds:8.2f}{_band(algorithm, str(name), row)}"
            )
        small = [name for name in table.index if name not in LARGE]
        for what, names in (("small", small), ("large", [name for name in table.index if name in LARGE])):
            if names:
                print(f"{len(names)} {what} sets: {_compared(table.loc[names], factor)}")


def _band(algorithm: str, name: str, row: pd.Series) -> str:
    if name not in BANDS[algorithm]:
        return ""
    low, high, fewest, most = BANDS[algorithm][name]
    within = low <= row.error <= high and fewest <= row.rules <= most
    return "  within its band" if within else "  outside its band"


def _compared(table: pd.DataFrame, factor: float) -> str:
    error, rules = (np.exp(np.log(table[name]).mean()) for name in ("error_ratio", "rules_ratio"))
    return (
        f"errors {error:.3f} times the published in the geometric mean (median {table.error_ratio.median():.3f}, aim "
        f"within a factor {factor:g}); rules {rules:.3f}, within a factor 1.5 on "
        f"{table.rules_ratio.between(1.0 / 1.5, 1.5).sum()}; slowest {table.seconds.max():.1f} s per fold"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("FRULER_KEEL"), help="folder of the KEEL sets")
    parser.add_argument("--algorithm", default="l-metsk", choices=list(PUBLISHED))
    parser.add_argument("--sets", default=",".join(name for name in paper_tables().index if name not in LARGE))
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", dest="changes")
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    plan = {}
    if arguments.data:
        pairs = (change.split("=", 1) for change in arguments.changes)
        changes = {name: ast.literal_eval(value) for name, value in pairs}
        plan = {
            (arguments.algorithm, described(changes), name, fold, seed): delayed(run)(
                arguments.algorithm, changes, Path(arguments.data) / name, fold, seed
            )
            for seed in range(arguments.seeds)
            for fold in range(1, arguments.folds + 1)
            for name in arguments.sets.split(",")
        }
    summarize(finished_runs(arguments.out, KEY, plan, arguments.jobs))


if __name__ == "__main__":
    main()
