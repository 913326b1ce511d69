"""What chromosomes are worth: evaluated in batches over threads, and never twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from fruler._typing import Floats
from fruler.algorithms.fruler.chromosome import Chromosome
from fruler.algorithms.fruler.options import Criterion
from fruler.algorithms.fruler.problem import Task
from fruler.algorithms.genetic.workers import OutOfTime, Workers
from fruler.consequents.elastic_net import ElasticNetSettings
from fruler.kernels import evaluation
from fruler.learning.control import never


@dataclass(frozen=True)
class Evaluation:
    """What one chromosome is worth.

    Attributes
    ----------
    fitness : float
        What is minimised.
    error : float
        Mean squared error, of standardised outputs.
    n_rules, n_coefficients : int
        Rules, and slopes in their consequents that are not zero.
    n_uncovered : int
        Scored rows that fire no rule; not counted (0) where the error comes from the Gram matrix alone.
    """

    fitness: float
    error: float
    n_rules: int
    n_coefficients: int
    n_uncovered: int


def criterion_values(criterion: Criterion, results: Floats, n_rows: float) -> Floats:
    """Turn the kernel's results into what is minimised.

    ``"error"`` is half the mean squared error, as in the paper; ``"bic"`` charges log n for every coefficient that
    is not zero, intercepts included.
    """
    error = results[:, 0]
    if criterion == "error":
        return error / 2.0
    with np.errstate(invalid="ignore"):
        parameters = results[:, 1] + results[:, 2]
        # The floor keeps an exact fit from being worth any number of parameters.
        return np.asarray(n_rows * np.log(np.maximum(error, 1e-12)) + np.log(n_rows) * parameters)


def run_kernel(task: Task, settings: ElasticNetSettings, chromosomes: Sequence[Chromosome]) -> Floats:
    """Return the kernel's results for a batch, in the calling thread."""
    return evaluation.evaluate(
        np.array([c.granularities for c in chromosomes]),
        np.array([c.displacements for c in chromosomes]),
        task.space.arrays,
        task.examples.arrays,
        task.fitted.arrays,
        None if task.scored is None else task.scored.arrays,
        settings.numbers,
        task.max_rules,
    )


class Evaluator:
    """Evaluates chromosomes on a task, keeps what it knows, and counts what it is asked.

    Parameters
    ----------
    task : Task
        The rows and the search space.
    settings : ElasticNetSettings
        How consequents are fitted.
    criterion : {"error", "bic"}
        What is minimised.
    n_rows : float
        The number of rows that BIC reckons with.
    pool : ThreadPoolExecutor or None
        Where batches are evaluated; None: in the calling thread.
    n_jobs : int
        The number of threads in the pool.
    deadline : float
        The value of `time.monotonic` after which nothing new is begun.
    stopped : callable, optional
        Returns whether somebody asked for the end; after it nothing new is begun either.
    """

    def __init__(
        self,
        task: Task,
        settings: ElasticNetSettings,
        criterion: Criterion,
        n_rows: float,
        *,
        pool: ThreadPoolExecutor | None = None,
        n_jobs: int = 1,
        deadline: float = np.inf,
        stopped: Callable[[], bool] = never,
    ) -> None:
        self.task = task
        self.settings = settings
        self.criterion = criterion
        self.n_rows = n_rows
        self.workers = Workers(pool, n_jobs, deadline, stopped)
        self.n_asked = 0
        self.known: dict[bytes, Evaluation] = {}
        self.best: tuple[Chromosome, Evaluation] | None = None
        self.best_by_rules: dict[int, tuple[Chromosome, Evaluation]] = {}

    @property
    def out_of_time(self) -> bool:
        """Whether the deadline has passed, or somebody asked for the end."""
        return self.workers.out_of_time

    def __call__(self, chromosomes: Sequence[Chromosome], *, at_once: bool = False) -> list[Evaluation]:
        """Evaluate a batch.

        Raises `OutOfTime` when the deadline passes before it is done, unless it must be done `at_once`; the best of
        all that was evaluated is then in `best`.
        """
        self.n_asked += len(chromosomes)
        waiting = list({c.key: c for c in chromosomes if c.key not in self.known}.values())
        if at_once:
            if waiting:
                self._keep(waiting, self._evaluate(waiting))
        elif self.out_of_time:
            raise OutOfTime
        else:
            self._share_out(waiting)
        return [self.known[c.key] for c in chromosomes]

    def _share_out(self, waiting: list[Chromosome]) -> None:
        self.workers.share_out(waiting, self._evaluate, self._keep)

    def _keep(self, chromosomes: Sequence[Chromosome], results: Floats) -> None:
        values = criterion_values(self.criterion, results, self.n_rows)
        for chromosome, value, row in zip(chromosomes, values, results, strict=True):
            found = Evaluation(float(value), float(row[0]), int(row[1]), int(row[2]), int(row[3]))
            self.known[chromosome.key] = found
            if self.best is None or found.fitness < self.best[1].fitness:
                self.best = chromosome, found
            rival = self.best_by_rules.get(found.n_rules)
            if np.isfinite(found.fitness) and (rival is None or found.fitness < rival[1].fitness):
                self.best_by_rules[found.n_rules] = chromosome, found

    def _evaluate(self, chromosomes: Sequence[Chromosome]) -> Floats:
        return run_kernel(self.task, self.settings, chromosomes)
