"""The time of an evaluation with gradient descent, compared with other builds of fruler.

    python benchmarks/speed/descent_speed.py --data FOLDER [--sets california,elevators,ailerons] [--turns 5]
                                             [--others FOLDER_OF_ANOTHER_INSTALLATION ...]

A short search of this installation records chromosomes. The kernels of every installation evaluate them in turns, each
in a separate process on one core. The script prints microseconds of processor time per evaluation and per epoch of the
descent (the minimum of the turns), and their ratios to this installation (median and range of the turns). To install
another version next to this one:

    git worktree add ../before COMMIT
    pip install --no-deps --target ../before/site ../before
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from evaluation_speed import record_search

from fruler import load_keel
from fruler._algorithms.fruler.fitness import run_kernel

SETS = "california,elevators,ailerons"
N_EVALUATED = 150

# Runs with the kernels of another version, so it uses only functions that all versions have.
TURN = """
import json, pickle, sys, time
from pathlib import Path
from fruler._algorithms.fruler.elastic_net import ElasticNetSettings
from fruler._kernels.evaluation import evaluate
batch, settings = pickle.loads(Path(sys.argv[1]).read_bytes())
numbers = ElasticNetSettings(**settings).numbers
results = evaluate(*batch[:-1], numbers, batch[-1])
start = time.process_time()
results = evaluate(*batch[:-1], numbers, batch[-1])
seconds = time.process_time() - start
errors = sorted(results[:, 0].tolist())
print(json.dumps([seconds, float(results[:, 4].sum()), errors[len(errors) // 2]]))
"""


def write_batch(folder: Path, path: Path) -> tuple[int, int, float]:
    """Write the arguments of the kernels; return the numbers of fitted and scored rows and the mean number of rules."""
    train, _ = load_keel(folder, fold=1)
    # The last chromosomes: those of the first generations have other sizes than most of a search.
    evaluator = record_search(train.data, train.target, 1_000, solver="sgd")
    chosen, task, settings = evaluator.asked[-N_EVALUATED:], evaluator.task, evaluator.settings
    batch = (
        np.stack([one.granularities for one in chosen]),
        np.stack([one.displacements for one in chosen]),
        task.space.arrays,
        task.examples.arrays,
        task.fitted.arrays,
        task.scored.arrays,
        task.max_rules,
    )
    given = ("regularization", "l1_ratio", "solver", "rate", "seed", "max_rounds")
    path.write_bytes(pickle.dumps((batch, {name: getattr(settings, name) for name in given})))
    n_rules = run_kernel(task, settings, chosen)[:, 1].mean()
    return len(task.fitted), len(task.scored), float(n_rules)


def run_turn(site: Path | None, path: Path) -> list[float]:
    """Return the seconds, the epochs and the median error of an installation."""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"} | ({"PYTHONPATH": str(site)} if site else {})
    command = [sys.executable, "-c", TURN, str(path)]
    return json.loads(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


def compare(name: str, path: Path, sites: list[Path | None], turns: int) -> None:
    """Print the times of all installations for one batch."""
    runs = np.array([[run_turn(site, path) for site in sites] for _ in range(turns)])
    evaluations = runs[:, :, 0] * 1e6 / N_EVALUATED
    epochs = runs[:, :, 0] * 1e6 / runs[:, :, 1]
    for k, site in enumerate(sites):
        ratios = [times[:, k] / times[:, 0] for times in (evaluations, epochs)]
        compared = "  ".join(f"{np.median(r):5.2f} ({r.min():.2f} to {r.max():.2f})" for r in ratios)
        print(
            f"{name:10} {evaluations[:, k].min():9.0f} {epochs[:, k].min():9.1f} {runs[0, k, 2]:9.5f}  {compared}  "
            f"{site or 'this installation'}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--others", type=Path, nargs="*", default=[], help="folders of other installations")
    known = os.environ.get("FRULER_KEEL")
    parser.add_argument("--data", type=Path, default=known, required=not known, help="folder of the KEEL sets")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.sets.split(","):
            path = Path(folder) / name
            fitted, scored, n_rules = write_batch(arguments.data / name, path)
            print(f"{name}: {fitted} rows fitted, {scored} scored, {n_rules:.1f} rules on average")
            print("set         us/eval.  us/epoch     error  ratio of evaluations   ratio of epochs")
            compare(name, path, [None, *arguments.others], arguments.turns)


if __name__ == "__main__":
    main()
