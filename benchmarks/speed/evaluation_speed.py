"""The time of an evaluation, compared with the floor: a pass that fires the rules for all rows and sums errors.

    python benchmarks/speed/evaluation_speed.py --data FOLDER [--sets friedman,wankara]

First FRULER on chromosomes of the paper's size (within half of Table 4's number of rules), then on chromosomes from
the later part of a search: the steps of coordinate descent, and a whole evaluation with gradient descent, on one core.
Then L-METSK, and the second stages of A-METSK and FS_MOGFS, with the number of rules of Table 4. Last, whole searches
with one and with two threads.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import fruler._algorithms.fruler.learner
from fruler import FRULERRegressor, load_keel
from fruler._algorithms.fruler.chromosome import Chromosome, make_chromosome
from fruler._algorithms.fruler.elastic_net import ElasticNetSettings
from fruler._algorithms.fruler.fitness import FitnessEvaluator, run_kernel
from fruler._algorithms.systems.evaluation import NO_LIMIT
from fruler._algorithms.systems.grid_search import GridStage
from fruler._algorithms.systems.metsk import AMETSKLearner, LMETSKLearner
from fruler._algorithms.systems.mogfs import FSMOGFSLearner
from fruler._algorithms.systems.options import AMETSKOptions, FSMOGFSOptions, LMETSKOptions
from fruler._algorithms.systems.tuning import TunedChromosome, drawn
from fruler._kernels import tuned_mamdani
from fruler._kernels.evaluation import evaluate, profile
from fruler.bench.paper import paper_tables
from fruler.estimators.registry import find_estimator
from fruler.learning._control import RunControl
from fruler.learning._training_table import LocalTable
from fruler.learning.algorithm import Search

SETS = "friedman,wankara,stock,california,ailerons"
REPEATS = 3
PROFILED = 200


class RecordingEvaluator(FitnessEvaluator):
    """An evaluator that records the new chromosomes in their order."""

    latest: RecordingEvaluator

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.asked: list[Chromosome] = []
        RecordingEvaluator.latest = self

    def __call__(self, chromosomes: Any, **options: Any) -> Any:
        """Record new chromosomes, and evaluate."""
        self.asked += [c for c in chromosomes if c.key not in self.known]
        return super().__call__(chromosomes, **options)


def record_search(X: np.ndarray, y: np.ndarray, evaluations: int, **options: Any) -> RecordingEvaluator:
    fruler._algorithms.fruler.learner.FitnessEvaluator = RecordingEvaluator
    FRULERRegressor(max_evaluations=evaluations, random_state=0, **options).fit(X, y)
    fruler._algorithms.fruler.learner.FitnessEvaluator = FitnessEvaluator
    return RecordingEvaluator.latest


def of_paper_size(evaluator: FitnessEvaluator, n_rules: float) -> list[Chromosome]:
    """Draw chromosomes until enough of them have about as many rules as the paper's model."""
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


def print_steps(name: str, evaluator: FitnessEvaluator, descent: ElasticNetSettings, chosen: list[Chromosome]) -> None:
    """Time the steps of coordinate descent and whole gradient descent, compared with the same floor."""
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
    whole = [_microseconds(run_kernel, task, descent, chosen) / len(chosen) for _ in range(REPEATS)]
    print(
        f"{'':10} {'gradient descent':14} {'':42} {min(whole):9.0f}  {np.median(whole) / best[3]:6.1f} "
        f"({min(whole) / best[3]:.1f} to {max(whole) / best[3]:.1f})"
    )


def print_grid(name: str, X: np.ndarray, y: np.ndarray) -> None:
    """Time the search of L-METSK on random grids with about as many rules as the paper's model."""
    table = LocalTable.from_arrays(X, y, None, [f"x{j}" for j in range(X.shape[1])], None)
    search = Search(LMETSKOptions(), table, np.random.default_rng(0), RunControl())
    problem = LMETSKLearner(search).stage.search.problem
    wanted, rng = paper_tables().l_metsk_rules[name], np.random.default_rng(0)
    drawn_grids = problem.initial(20_000, rng)
    n_rules = problem.evaluate(drawn_grids, problem.take_sample(np.arange(2)), NO_LIMIT)[:, 1]
    near = np.flatnonzero(np.abs(n_rules - wanted) <= 0.5 * wanted)[:PROFILED]
    chosen = [drawn_grids[k] for k in near]
    totals, ratios = [], []
    for _ in range(REPEATS):
        total = _microseconds(problem.evaluate, chosen, None, NO_LIMIT) / len(chosen)
        # Rules are always made from all rows, so scoring only two rows leaves out the pass.
        rules = _microseconds(problem.evaluate, chosen, problem.take_sample(np.arange(2)), NO_LIMIT) / len(chosen)
        totals.append((total, total - rules))
        ratios.append(total / (total - rules))
    best = min(totals)
    print(
        f"{name:10} {'l-metsk':9} {len(y):6} {n_rules[near].mean():6.0f}  {best[0]:9.0f} {best[1]:9.0f}  "
        f"{np.median(ratios):6.1f} ({min(ratios):.1f} to {max(ratios):.1f})"
    )


def print_tuned(name: str, X: np.ndarray, y: np.ndarray) -> None:
    """Time the second stage on random points, with as many rules as the paper's models."""
    table = LocalTable.from_arrays(X, y, None, [f"x{j}" for j in range(X.shape[1])], None)
    for title, learner, options in (
        ("a-metsk", AMETSKLearner, AMETSKOptions(max_evaluations=2_000)),
        ("fs-mogfs", FSMOGFSLearner, FSMOGFSOptions(max_evaluations=2_000)),
    ):
        made = learner(Search(options, table, np.random.default_rng(0), RunControl()))
        stage: GridStage = made.grid
        stage.run(lambda _: None)
        problem = made._problem(stage.best())
        column = {"a-metsk": "a_metsk_rules", "fs-mogfs": "fsmogfs_tun_rules"}[title]
        n_rules, rng = round(paper_tables()[column][name]), np.random.default_rng(0)
        chosen = []
        for one in drawn(problem.space, 40, rng):
            selected = np.zeros(problem.space.n_rules, dtype=bool)
            selected[rng.permutation(problem.space.n_rules)[:n_rules]] = True
            chosen.append(TunedChromosome(one.genes, selected))
        microseconds, floors = [], []
        for _ in range(REPEATS):
            microseconds.append(_microseconds(problem.evaluate, chosen, None, NO_LIMIT) / len(chosen))
            floors.append(_microseconds(_floor, problem, chosen) / len(chosen))
        ratios = np.array(microseconds) / np.array(floors)
        print(
            f"{name:10} {title:9} {len(y):6} {chosen[0].n_rules:6}  {min(microseconds):9.0f} {min(floors):9.0f}  "
            f"{np.median(ratios):6.1f} ({ratios.min():.1f} to {ratios.max():.1f})"
        )


def _microseconds(work: Callable[..., Any], *arguments: Any) -> float:
    with threadpool_limits(1):
        start = time.process_time()
        work(*arguments)
        return (time.process_time() - start) * 1e6


def _floor(problem: Any, chosen: list[TunedChromosome]) -> None:
    """Fire the rules for all rows and sum errors, with the same output for all rules."""
    rows, m, q = problem.rows, problem.space.n_rules, len(problem.start.inputs)
    labels = [problem.space.decoded(one.genes) for one in chosen]
    shaped = [triangles if len(triangles) == m * q else triangles[problem._antecedents] for triangles in labels]
    tuned_mamdani.evaluate(
        np.array(shaped).reshape(len(chosen), m, q, 3),
        np.tile([-1.0, 0.0, 1.0], (len(chosen), m, 1)),
        np.array([one.selected for one in chosen]).view(np.uint8),
        (rows.columns, rows.widths, rows.y, rows.weight),
        1,
        np.full(len(chosen), np.inf),
    )


def print_tuned_threads(name: str, X: np.ndarray, y: np.ndarray, algorithm: str) -> None:
    ratios = []
    for _ in range(REPEATS):
        seconds = []
        for n_jobs in (1, 2):
            model = find_estimator(algorithm)(max_evaluations=1_000, random_state=0, n_jobs=n_jobs)
            start = time.perf_counter()
            model.fit(X, y)
            seconds.append(time.perf_counter() - start)
        ratios.append(seconds[0] / seconds[1])
    print(
        f"{name:10} {algorithm:18} two threads are {np.median(ratios):.2f} times as fast as one ({min(ratios):.2f} to "
        f"{max(ratios):.2f}); last: {seconds[0]:.1f} s and {seconds[1]:.1f} s"
    )


def print_threads(name: str, X: np.ndarray, y: np.ndarray, solver: str) -> None:
    # Enough evaluations for some seconds: in short runs the start counts for more than the search.
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
    parser.add_argument("--sets", default=SETS)
    known = os.environ.get("FRULER_KEEL")
    parser.add_argument("--data", type=Path, default=known, required=not known, help="folder of the KEEL sets")
    arguments = parser.parse_args()
    names = arguments.sets.split(",")
    tables = {name: load_keel(arguments.data / name, fold=1)[0] for name in names}
    searches = {
        name: record_search(
            table.data, table.target, 3_000 if len(table.target) < 5_000 else 100, solver="coordinate_descent"
        )
        for name, table in tables.items()
    }
    descents = {
        name: record_search(
            table.data, table.target, 50, solver="sgd", regularization=searches[name].settings.regularization
        ).settings
        for name, table in tables.items()
    }
    header = "set        fitted scored  rules     rules     Gram   solver  fitness     total  floors"
    print(f"microseconds per evaluation, chromosomes of the paper's size\n{header}")
    for name in names:
        alike = of_paper_size(searches[name], paper_tables().fruler_rules[name])
        print_steps(name, searches[name], descents[name], alike)
    print(f"\nmicroseconds per evaluation, chromosomes from a search\n{header}")
    for name in names:
        print_steps(name, searches[name], descents[name], searches[name].asked[-PROFILED:])
    print("\nmicroseconds per evaluation, L-METSK and the second stages of the others")
    print("set        algorithm   rows  rules      total     floor  floors")
    for name, table in tables.items():
        print_grid(name, np.asarray(table.data, dtype=float), np.asarray(table.target, dtype=float))
        print_tuned(name, np.asarray(table.data, dtype=float), np.asarray(table.target, dtype=float))
    print()
    for name, table in tables.items():
        for algorithm in ("l-metsk", "a-metsk", "fs-mogfs"):
            print_tuned_threads(name, table.data, table.target, algorithm)
        for solver in ("coordinate_descent", "sgd"):
            print_threads(name, table.data, table.target, solver)


if __name__ == "__main__":
    main()
