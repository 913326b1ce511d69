"""The values of chromosomes, evaluated in batches over threads, and never twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fruler._algorithms import genetic
from fruler._algorithms.fruler.chromosome import Chromosome, Task
from fruler._algorithms.fruler.elastic_net import ElasticNetSettings
from fruler._algorithms.fruler.options import Criterion
from fruler._algorithms.genetic import Workers
from fruler._arrays import Floats
from fruler._kernels import evaluation


@dataclass(frozen=True)
class Evaluation:
    """The value of one chromosome.

    Attributes
    ----------
    fitness : float
        The minimised criterion.
    error : float
        Mean squared error of the standardised output.
    n_rules, n_coefficients : int
        The number of rules, and of nonzero slopes in their consequents.
    """

    fitness: float
    error: float
    n_rules: int
    n_coefficients: int


def criterion_values(criterion: Criterion, results: Floats, n_rows: float) -> Floats:
    """Turn the kernel's results into the minimised criterion.

    ``"error"`` is half the mean squared error, as in the paper; ``"bic"`` charges log n for every nonzero coefficient,
    intercepts included.
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


class FitnessEvaluator(genetic.Evaluator[Chromosome, Evaluation]):
    """Evaluates chromosomes on a task, and remembers their values.

    Parameters
    ----------
    task : Task
        The rows and the search space.
    settings : ElasticNetSettings
        How consequents are fitted.
    criterion : {"error", "bic"}
        The minimised criterion.
    n_rows : float
        The number of rows in the BIC.
    workers : Workers, optional
        The threads, and their budget.

    Attributes
    ----------
    best : (Chromosome, Evaluation) or None
        The best chromosome so far, including those of a batch that ended at the deadline.
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
