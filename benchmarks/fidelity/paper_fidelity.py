"""FRULERRegressor compared with the paper's Tables 4 and 9.

    python benchmarks/fidelity/paper_fidelity.py --data FOLDER [--sets dee,stock] [--seeds 2] [--folds 5] [--jobs 2]
                                                 [--reading printed] [--reading keep_copies=true,min_gain=1e-4]
                                                 [--solver sgd] [--l1-ratio 0.05] [--out FILE]

A reading is "printed", or what it changes in the first calibrated reading, `BASE`; without --reading it is the default
of `FRULERRegressor`. --sets also takes "small", "large", "choices" (the sets on which readings are chosen) and
"others". Runs go seed by seed. Every finished run is a line of the results file and is not repeated, so an interrupted
benchmark resumes where it was. Without --data only the summary of the file is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import delayed
from kept_runs import finished_runs

from fruler import FRULERRegressor, Reading, load_keel
from fruler.bench.paper import LARGE_SETS, paper_tables

# The sets on which readings are chosen; the others only report.
CHOICES = (
    *("concrete", "stock", "friedman", "autoMPG8", "dee", "ele-1", "wankara", "mortgage", "ANACALT", "delta_ail"),
    *("california", "compactiv", "elevators", "mv"),
)
# The calibrated reading of the first record, and today's default as what it changes there.
BASE = Reading(keep_copies=False, threshold_per_input=24.0, pcblx="clipped")
DEFAULT = "keep_copies=true,threshold_per_input=26.0,pcblx=truncated"
RESULTS = Path(__file__).parents[1] / "results" / "paper_fidelity.jsonl"
KEY = ["set", "fold", "seed", "reading", "solver", "l1_ratio"]


def reading_of(text: str) -> Reading | str:
    """Return the reading of a line.

    Examples
    --------
    >>> reading_of("keep_copies=true,min_gain=1e-4")
    Reading(threshold_per_input=24.0, pcblx='clipped', min_gain=0.0001)
    """
    if text == "printed":
        return text
    changes = dict(one.split("=") for one in text.split(",") if one)
    return replace(BASE, **{name: _value(value) for name, value in changes.items()})


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def run(folder: Path, fold: int, seed: int, changes: dict[str, Any]) -> dict[str, Any]:
    train, test = load_keel(folder, fold=fold)
    start = time.process_time()
    model = FRULERRegressor(
        **changes | {"reading": reading_of(changes["reading"])}, random_state=seed, warn_outside=False
    )
    model.fit(train.data, train.target)
    seconds = time.process_time() - start
    return {
        "set": folder.name,
        "fold": fold,
        "seed": seed,
        "reading": changes["reading"],
        "solver": model.solver,
        "l1_ratio": model.l1_ratio,
        "error": float(np.square(model.predict(test.data) - test.target).mean() / 2.0),
        "rules": model.n_rules_,
        "evaluations": model.n_evaluations_,
        "coefficients": int(np.count_nonzero(model.rules_.filter(regex="^coef "))),
        "regularization": model.regularization_,
        "selected": len(model.sample_indices_),
        "seconds": round(seconds, 3),
    }


def summarize(lines: pd.DataFrame) -> None:
    paper = paper_tables()
    for (reading, solver, l1_ratio), group in lines.groupby(["reading", "solver", "l1_ratio"]):
        means = group.groupby("set")[["error", "rules", "evaluations", "coefficients", "seconds"]].mean()
        runs = group.groupby("set").size()
        table = means.join(paper).loc[[name for name in paper.index if name in means.index]]
        table["error_ratio"] = table.error / table.fruler_test
        table["rules_ratio"] = table.rules / table.fruler_rules
        table["evaluations_ratio"] = table.evaluations / table.fruler_evaluations
        table["speed"] = table.fruler_run_s / table.seconds
        print(f"\nreading {reading or 'of the first record'}, {solver}, l1_ratio {l1_ratio}")
        print(
            "set        runs      error      paper  ratio   rules  paper  ratio   evals.  paper  ratio  seconds  speed"
        )
        for name, row in table.iterrows():
            print(
                f"{name:10} {runs[name]:4} {row.error:10.4g} {row.fruler_test:10.4g} {row.error_ratio:6.2f}  "
                f"{row.rules:6.1f} {row.fruler_rules:6.1f} {row.rules_ratio:6.2f}  {row.evaluations:7.0f} "
                f"{row.fruler_evaluations:6.0f} {row.evaluations_ratio:6.2f}  {row.seconds:7.2f} {row.speed:6.0f}"
            )
        for size, factor in (("small", 1.6), ("large", 2.0)):
            for half in ("choices", "others", "all"):
                names = [name for name in sets_of(size) if name in table.index and name in sets_of(half)]
                if names:
                    print(f"{len(names)} {size}, {half}: {_compared(table.loc[names], factor)}")
        print(
            f"the paper's seconds to ours on one core, geometric mean over all {len(table)} sets: "
            f"{np.exp(np.log(table.speed).mean()):.0f}"
        )


def _compared(table: pd.DataFrame, factor: float) -> str:
    texts = []
    for what in ("error", "rules"):
        logs = np.log(table[f"{what}_ratio"])
        texts.append(
            f"{what} typical factor {np.exp(logs.abs().mean()):.3f}, geometric mean {np.exp(logs.mean()):.3f}, "
            f"{np.exp(logs.min()):.2f} to {np.exp(logs.max()):.2f}"
        )
    within = table.rules_ratio.between(1.0 / factor, factor).sum()
    near = table.evaluations_ratio.between(0.75, 1.25).sum()
    return f"{'; '.join(texts)}; rules within a factor {factor:g} on {within}; evaluations within 25 % on {near}"


def sets_of(text: str) -> list[str]:
    """Return the sets of a comma-separated list, which may have names of groups of sets."""
    every = list(paper_tables().index)
    groups = {
        "all": every,
        "small": [name for name in every if name not in LARGE_SETS],
        "large": [name for name in every if name in LARGE_SETS],
        "choices": [name for name in every if name in CHOICES],
        "others": [name for name in every if name not in CHOICES],
    }
    return [name for part in text.split(",") for name in groups.get(part, [part])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("FRULER_KEEL"), help="folder of the KEEL sets")
    parser.add_argument("--sets", default="all")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--reading", action="append")
    parser.add_argument("--solver", default=FRULERRegressor().solver)
    parser.add_argument("--l1-ratio", type=float, default=FRULERRegressor().l1_ratio)
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    plan = {}
    for seed in range(arguments.seeds if arguments.data else 0):
        for reading in arguments.reading or [DEFAULT]:
            changes = {"reading": reading, "solver": arguments.solver, "l1_ratio": arguments.l1_ratio}
            plan |= {
                (name, fold, seed, *changes.values()): delayed(run)(Path(arguments.data) / name, fold, seed, changes)
                for name in sets_of(arguments.sets)
                for fold in range(1, arguments.folds + 1)
            }
    summarize(finished_runs(arguments.out, KEY, plan, arguments.jobs))


if __name__ == "__main__":
    main()
