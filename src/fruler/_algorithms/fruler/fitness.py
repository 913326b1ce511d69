"""What chromosomes are worth: evaluated in batches over threads, and never twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fruler._algorithms import genetic
from fruler._algorithms.fruler.chromosome import Chromosome, Task
from fruler._algorithms.fruler.elastic_net import ElasticNetSettings
from fruler._algorithms.fruler.options import Criterion
from fruler._algorithms.genetic import Workers
from fruler._kernels import evaluation
from fruler._typing import Floats


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
    """

    fitness: float
    error: float
    n_rules: int
    n_coefficients: int


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


class Evaluator(genetic.Evaluator[Chromosome, Evaluation]):
    """Evaluates chromosomes on a task, and keeps what it knows.

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
    workers : Workers, optional
        On which threads, and how long.

    Attributes
    ----------
    best : (Chromosome, Evaluation) or None
        The best of all that was evaluated, even in a batch that ended at the deadline.
    """

    def __init__(
        self,
        task: Task,
        settings: ElasticNetSettings,
        criterion: Criterion,
        n_rows: float,
        workers: Workers | None = None,
    ) -> None:
        super().__init__(workers)
        self.task, self.settings, self.criterion, self.n_rows = task, settings, criterion, n_rows
        self.best: tuple[Chromosome, Evaluation] | None = None

    def _evaluate(self, chromosomes: Sequence[Chromosome]) -> Floats:
        return run_kernel(self.task, self.settings, chromosomes)

    def _values(self, found: Floats) -> list[Evaluation]:
        values = criterion_values(self.criterion, found, self.n_rows)
        return [
            Evaluation(float(value), float(row[0]), int(row[1]), int(row[2]))
            for value, row in zip(values, found, strict=True)
        ]

    def _remember(self, chromosome: Chromosome, value: Evaluation) -> None:
        super()._remember(chromosome, value)
        if self.best is None or value.fitness < self.best[1].fitness:
            self.best = chromosome, value
