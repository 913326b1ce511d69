"""What an evaluation of FRULERRegressor costs, with coordinate descent, beside the floor: the fitness pass alone.

    python benchmarks/evaluation_speed.py --data FOLDER [--sets friedman,wankara]

First on chromosomes of the paper's size (within half of Table 4's number of rules), then on those that a search meets
when it has run for a while; steps are timed on one core. Last, whole searches with one and with two threads, for both
solvers.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import fruler.algorithms.fruler.learner
from fruler import FRULERRegressor, load_keel
from fruler.algorithms.fruler.chromosome import Chromosome, make_chromosome
from fruler.algorithms.fruler.fitness import Evaluator
from fruler.bench.paper import paper_tables
from fruler.kernels.evaluation import evaluate, profile

SETS = "friedman,wankara,stock,california,ailerons"
REPEATS = 3
PROFILED = 200


class RecordingEvaluator(Evaluator):
    """Remembers itself and the new chromosomes that it is asked for, in their order."""

    latest: RecordingEvaluator

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.asked: list[Chromosome] = []
        RecordingEvaluator.latest = self

    def __call__(self, chromosomes: Any, **options: Any) -> Any:
        """Note what is new, and evaluate."""
        self.asked += [c for c in chromosomes if c.key not in self.known]
        return super().__call__(chromosomes, **options)


def record_search(X: np.ndarray, y: np.ndarray, evaluations: int) -> RecordingEvaluator:
    fruler.algorithms.fruler.learner.Evaluator = RecordingEvaluator
    FRULERRegressor(max_evaluations=evaluations, solver="coordinate_descent", random_state=0).fit(X, y)
    fruler.algorithms.fruler.learner.Evaluator = Evaluator
    return RecordingEvaluator.latest


def of_paper_size(evaluator: Evaluator, n_rules: float) -> list[Chromosome]:
    """Draw chromosomes until enough of them have about as many rules as the paper's models."""
    task, rng = evaluator.task, np.random.default_rng(0)
    space, found = task.space, []
    for _ in range(200_000):
        granularities = np.ones(space.n_inputs, dtype=np.intc)
        used = rng.choice(space.n_inputs, min(space.n_inputs, int(rng.integers(1, 6))), replace=False)
        granularities[used] = rng.integers(1, space.largest[used], endpoint=True)
        if not 0.5 * n_rules <= np.prod(granularities) <= 4 * n_rules:
            continue
        one = make_chromosome(space, granularities, rng.uniform(-0.5, 0.5, (space.n_inputs, space.stride)))
        few = task.fitted.take(np.arange(2))
        [result] = evaluate(
            one.granularities[None],
            one.displacements[None],
            space.arrays,
            task.examples.arrays,
            few.arrays,
            few.arrays,
            evaluator.settings.numbers,
            task.max_rules,
        )
        if 0.5 * n_rules <= result[1] <= 1.5 * n_rules:
            found.append(one)
        if len(found) == PROFILED:
            break
    return found


def print_steps(name: str, evaluator: Evaluator, chosen: list[Chromosome]) -> None:
    task = evaluator.task
    genes = np.stack([c.granularities for c in chosen]), np.stack([c.displacements for c in chosen])
    rows = task.examples.arrays, task.fitted.arrays, task.scored.arrays
    with threadpool_limits(1):
        results = evaluate(*genes, task.space.arrays, *rows, evaluator.settings.numbers, task.max_rules)
        runs = np.array(
            [
                profile(*genes, task.space.arrays, *rows, evaluator.settings.numbers, task.max_rules)
                for _ in range(REPEATS)
            ]
        )
    runs *= 1e6 / len(chosen)
    floors = runs.sum(axis=1) / runs[:, 3]
    best = runs[runs.sum(axis=1).argmin()]
    print(
        f"{name:10} {len(task.fitted):6} {len(task.scored):6} {results[:, 1].mean():6.1f}  {best[0]:8.0f} "
        f"{best[1]:8.0f} {best[2]:8.0f} {best[3]:8.0f} {best.sum():9.0f}  {np.median(floors):6.1f} "
        f"({floors.min():.1f} to {floors.max():.1f})"
    )


def print_threads(name: str, X: np.ndarray, y: np.ndarray, solver: str) -> None:
    # As many evaluations as take some seconds: short runs say more about their beginning than about the search.
    evaluations = 8_000 if len(y) < 5_000 else 100
    ratios = []
    for _ in range(REPEATS):
        seconds = []
        for n_jobs in (1, 2):
            model = FRULERRegressor(max_evaluations=evaluations, solver=solver, random_state=0, n_jobs=n_jobs)
            start = time.perf_counter()
            model.fit(X, y)
            seconds.append(time.perf_counter() - start)
        ratios.append(seconds[0] / seconds[1])
    print(
        f"{name:10} {solver:18} two threads are {np.median(ratios):.2f} times as fast as one ({min(ratios):.2f} to "
        f"{max(ratios):.2f}); last: {seconds[0]:.1f} s and {seconds[1]:.1f} s"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=os.environ.get("FRULER_KEEL"), help="folder of the KEEL sets")
    parser.add_argument("--sets", default=SETS)
    arguments = parser.parse_args()
    if not arguments.data or not Path(arguments.data).is_dir():
        parser.error("--data must name the folder of the KEEL data sets (or set FRULER_KEEL)")
    names = arguments.sets.split(",")
    tables = {name: load_keel(Path(arguments.data) / name, fold=1)[0] for name in names}
    searches = {
        name: record_search(table.data, table.target, 3_000 if len(table.target) < 5_000 else 100)
        for name, table in tables.items()
    }
    header = "set        fitted scored  rules     rules     Gram   solver  fitness     total  floors"
    print(f"microseconds an evaluation, chromosomes of the paper's size\n{header}")
    for name in names:
        print_steps(name, searches[name], of_paper_size(searches[name], paper_tables().fruler_rules[name]))
    print(f"\nmicroseconds an evaluation, chromosomes met in a search\n{header}")
    for name in names:
        print_steps(name, searches[name], searches[name].asked[-PROFILED:])
    print()
    for name, table in tables.items():
        for solver in ("coordinate_descent", "sgd"):
            print_threads(name, table.data, table.target, solver)


if __name__ == "__main__":
    main()
