"""FRULERRegressor compared with the paper's Tables 4 and 9.

    python benchmarks/fidelity/paper_fidelity.py --data FOLDER [--sets dee,stock] [--seeds 2] [--folds 5] [--jobs 2]
                                                 [--solver sgd] [--l1-ratio 0.05] [--out FILE]

Every finished run is a line of the results file and is not repeated, so an interrupted benchmark resumes where it was.
Without --data only the summary of the file is printed.
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

from fruler import FRULERRegressor, load_keel
from fruler.bench.paper import paper_tables

LARGE = ("elevators", "california", "mv", "compactiv", "pole", "ailerons", "house", "puma32h")
RESULTS = Path(__file__).parents[1] / "results" / "paper_fidelity.jsonl"
KEY = ["set", "fold", "seed", "solver", "l1_ratio"]


def run(folder: Path, fold: int, seed: int, changes: dict[str, Any]) -> dict[str, Any]:
    train, test = load_keel(folder, fold=fold)
    start = time.process_time()
    model = FRULERRegressor(**changes, random_state=seed).fit(train.data, train.target)
    seconds = time.process_time() - start
    return {
        "set": folder.name,
        "fold": fold,
        "seed": seed,
        "solver": model.solver,
        "l1_ratio": model.l1_ratio,
        "error": float(np.square(model.predict(test.data) - test.target).mean() / 2.0),
        "rules": model.n_rules_,
        "evaluations": model.n_evaluations_,
        "coefficients": int(np.count_nonzero(model.rules_.filter(regex="^coef "))),
        "regularization": model.regularization_,
        "seconds": round(seconds, 3),
    }


def summarize(lines: pd.DataFrame) -> None:
    paper = paper_tables()
    for (solver, l1_ratio), group in lines.groupby(["solver", "l1_ratio"]):
        means = group.groupby("set")[["error", "rules", "evaluations", "coefficients", "seconds"]].mean()
        runs = group.groupby("set").size()
        table = means.join(paper).loc[[name for name in paper.index if name in means.index]]
        table["error_ratio"] = table.error / table.fruler_test
        table["rules_ratio"] = table.rules / table.fruler_rules
        table["evaluations_ratio"] = table.evaluations / table.fruler_evaluations
        table["speed"] = table.fruler_run_s / table.seconds
        print(f"\n{solver}, l1_ratio {l1_ratio}")
        print(
            "set        runs      error      paper  ratio   rules  paper  ratio   evals.  paper  ratio  seconds  speed"
        )
        for name, row in table.iterrows():
            print(
                f"{name:10} {runs[name]:4} {row.error:10.4g} {row.fruler_test:10.4g} {row.error_ratio:6.2f}  "
                f"{row.rules:6.1f} {row.fruler_rules:6.1f} {row.rules_ratio:6.2f}  {row.evaluations:7.0f} "
                f"{row.fruler_evaluations:6.0f} {row.evaluations_ratio:6.2f}  {row.seconds:7.2f} {row.speed:6.0f}"
            )
        small = [name for name in table.index if name not in LARGE]
        for what, names, factor in (("small", small, 1.6), ("large", [*set(table.index) - set(small)], 2.0)):
            if names:
                print(f"{len(names)} {what} sets: {_compared(table.loc[names], factor)}")
        print(
            f"the paper's seconds to ours on one core, geometric mean over all {len(table)} sets: "
            f"{np.exp(np.log(table.speed).mean()):.0f}"
        )


def _compared(table: pd.DataFrame, factor: float) -> str:
    error, rules = (np.exp(np.log(table[name]).mean()) for name in ("error_ratio", "rules_ratio"))
    within = table.rules_ratio.between(1.0 / factor, factor).sum()
    return (
        f"errors {error:.3f} times the paper's in the geometric mean, largest {table.error_ratio.max():.2f}; "
        f"rules {rules:.3f}, within a factor {factor:g} on {within}; evaluations within 25 % on "
        f"{table.evaluations_ratio.between(0.75, 1.25).sum()}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("FRULER_KEEL"), help="folder of the KEEL sets")
    parser.add_argument("--sets", default=",".join(paper_tables().index))
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--solver", default=FRULERRegressor().solver)
    parser.add_argument("--l1-ratio", type=float, default=FRULERRegressor().l1_ratio)
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    changes = {"solver": arguments.solver, "l1_ratio": arguments.l1_ratio}
    plan = {}
    if arguments.data:
        plan = {
            (name, fold, seed, *changes.values()): delayed(run)(Path(arguments.data) / name, fold, seed, changes)
            for seed in range(arguments.seeds)
            for fold in range(1, arguments.folds + 1)
            for name in arguments.sets.split(",")
        }
    summarize(finished_runs(arguments.out, KEY, plan, arguments.jobs))


if __name__ == "__main__":
    main()
