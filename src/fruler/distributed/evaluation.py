"""What chromosomes are worth, from sums over all rows: a batch goes out once, and figures of each come back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from distributed import Future

from fruler._typing import Floats
from fruler.algorithms.fruler.chromosome import Chromosome, used_genes
from fruler.algorithms.fruler.fitness import Evaluator
from fruler.algorithms.fruler.learner import LearnedRules
from fruler.algorithms.fruler.options import Criterion
from fruler.algorithms.fruler.problem import SearchSpace, Task
from fruler.algorithms.genetic.granularities import Granularities
from fruler.consequents.elastic_net import ElasticNetSettings
from fruler.distributed.blocks import Block, Standard
from fruler.distributed.passes import Job
from fruler.distributed.remote_table import RemoteTable
from fruler.kernels import evaluation, partial_sums
from fruler.learning.control import never
from fruler.table.rows import Rows

# Numbers that the sums of one batch may have; a larger one goes out in several, at the same time.
_MAX_NUMBERS = 4_000_000
# Groups of chromosomes whose consequents are fitted to the selected rows, each by one worker.
_N_FITTED_TOGETHER = 8


Integers = npt.NDArray[np.intp]


class Shared(NamedTuple):
    """What every evaluation needs, sent once."""

    space: SearchSpace
    examples: Rows
    standard: Standard
    max_rules: int
    settings: ElasticNetSettings


class Coded(NamedTuple):
    """A chromosome as it is sent: its granularities, the displacements in use, and an example of each of its rules."""

    granularities: Granularities
    genes: Floats
    examples: Integers

    def displacements(self, space: SearchSpace) -> Floats:
        """Return the table of displacements."""
        table = np.zeros((space.n_inputs, space.stride))
        table[used_genes(self.granularities, space.stride)] = self.genes
        return table


class Batch(NamedTuple):
    """Chromosomes to be evaluated together, and perhaps other settings than the shared ones for their fit."""

    chromosomes: tuple[Coded, ...]
    settings: ElasticNetSettings | None = None


class Scoring(NamedTuple):
    """Chromosomes whose consequents are fitted: their coefficients, and what an evaluation would return of the fit."""

    chromosomes: tuple[Coded, ...]
    coefficients: tuple[Floats, ...]
    results: Floats


def gram_sums(block: Block, batch: Batch, shared: Shared) -> list[Floats]:
    """Return the sums of every chromosome over the rows of a block."""
    space = shared.space
    totals = [np.zeros(partial_sums.n_sums(len(one.examples), space.n_inputs)) for one in batch.chromosomes]
    tables = [(one.displacements(space), shared.examples.take(one.examples)) for one in batch.chromosomes]
    for part in block.slices():
        rows = shared.standard.rows(part)
        for one, (displacements, examples), total in zip(batch.chromosomes, tables, totals, strict=True):
            genes = one.granularities, displacements
            partial_sums.add_sums(*genes, space.arrays, examples.arrays, rows.arrays, shared.max_rules, total)
    return totals


def add_arrays(first: list[Floats], second: list[Floats]) -> list[Floats]:
    """Add up arrays, one by one."""
    return [one + other for one, other in zip(first, second, strict=True)]


def solve_batch(totals: list[Floats], batch: Batch, shared: Shared) -> tuple[Floats, list[Floats]]:
    """Fit the consequents of every chromosome to sums over all rows; return what an evaluation does, and coefficients.

    The coefficients stay here unless the batch has settings of its own, as a final fit has.
    """
    settings = batch.settings or shared.settings
    found = [
        partial_sums.solve_sums(total, len(one.examples), shared.space.n_inputs, settings.numbers)
        for one, total in zip(batch.chromosomes, totals, strict=True)
    ]
    coefficients = [pair[0] for pair in found] if batch.settings is not None else []
    return np.array([pair[1] for pair in found]), coefficients


def fit_group(chromosomes: tuple[Coded, ...], shared: Shared) -> Scoring:
    """Fit the consequents of some chromosomes to the rows that rules are made from."""
    space, fits = shared.space, []
    for one in chromosomes:
        genes = one.granularities, one.displacements(space)
        table, max_rules = shared.examples.arrays, shared.max_rules
        fits.append(evaluation.learn(*genes, space.arrays, table, table, shared.settings.numbers, max_rules)[2:])
    return Scoring(chromosomes, tuple(fit[0] for fit in fits), np.array([fit[1] for fit in fits]))


def join_groups(groups: list[Scoring]) -> Scoring:
    """Put groups below each other."""
    return Scoring(
        tuple(one for group in groups for one in group.chromosomes),
        tuple(table for group in groups for table in group.coefficients),
        np.concatenate([group.results for group in groups]),
    )


def score_block(block: Block, scoring: Scoring, shared: Shared) -> list[Floats]:
    """Return the sums of squared errors of every chromosome, the rows that it does not cover, and the weights."""
    totals = np.zeros((3, len(scoring.chromosomes)))
    for part in block.slices():
        rows = shared.standard.rows(part)
        totals[2] += rows.weight.sum()
        for k, (one, table) in enumerate(zip(scoring.chromosomes, scoring.coefficients, strict=True)):
            examples, genes = shared.examples.take(one.examples), (one.granularities, one.displacements(shared.space))
            found = partial_sums.score_sums(
                *genes, shared.space.arrays, examples.arrays, rows.arrays, shared.max_rules, table
            )
            totals[:2, k] += found
    return [totals]


def scored_results(totals: list[Floats], scoring: Scoring, shared: Shared) -> tuple[Floats, list[Floats]]:
    """Return what an evaluation does, with the errors on all rows."""
    errors, uncovered, weight = totals[0]
    results = scoring.results.copy()
    results[:, 0], results[:, 3] = errors / weight, uncovered
    return results, []


class RemoteEvaluator(Evaluator):
    """An `Evaluator` of a table that is with the workers.

    Parameters
    ----------
    task : Task
        The search space and the rows that rules are made from, which are here.
    table : RemoteTable
        All rows.
    settings, criterion, deadline, stopped
        As for `Evaluator`.
    fit_all : bool
        Whether consequents are fitted on all rows, or on those that rules are made from.
    """

    def __init__(
        self,
        task: Task,
        table: RemoteTable,
        settings: ElasticNetSettings,
        criterion: Criterion,
        *,
        fit_all: bool,
        deadline: float = np.inf,
        stopped: Callable[[], bool] = never,
    ) -> None:
        super().__init__(task, settings, criterion, table.n_rows, deadline=deadline, stopped=stopped)
        self.table, self.fit_all = table, fit_all
        shared = Shared(task.space, task.examples, table.standard, task.max_rules, settings)
        self.shared: Future = table.blocks.send(shared)

    def _share_out(self, waiting: list[Chromosome]) -> None:
        self._keep(waiting, self._evaluate(waiting, self.workers.deadline))

    def _evaluate(self, chromosomes: Sequence[Chromosome], deadline: float = np.inf) -> Floats:
        results = np.zeros((len(chromosomes), 5))
        results[:, 0] = np.inf
        rules = [self._rules(chromosome) for chromosome in chromosomes]
        allowed = [k for k, found in enumerate(rules) if found is not None]
        coded = [
            Coded(chromosomes[k].granularities, chromosomes[k].genes, found[2])
            for k, found in enumerate(rules)
            if found is not None
        ]
        if coded:
            send = self._fitted_on_all if self.fit_all else self._fitted_on_selected
            results[allowed] = send(coded, deadline)
        return results

    def _rules(self, chromosome: Chromosome) -> tuple[Integers, Integers, Integers] | None:
        genes, task = (chromosome.granularities, chromosome.displacements), self.task
        return partial_sums.rules_of(*genes, task.space.arrays, task.examples.arrays, task.max_rules)

    def _fitted_on_all(self, coded: list[Coded], deadline: float) -> Floats:
        jobs = [
            Job(gram_sums, Batch(tuple(part)), add_arrays, solve_batch, self.shared)
            for part in in_parts(coded, self.task.space.n_inputs)
        ]
        return np.concatenate([results for results, _ in self.table.blocks.reduce(jobs, deadline)])

    def _fitted_on_selected(self, coded: list[Coded], deadline: float) -> Floats:
        blocks = self.table.blocks
        size = -(-len(coded) // _N_FITTED_TOGETHER)
        groups = [tuple(coded[k : k + size]) for k in range(0, len(coded), size)]
        fits = [blocks.submit(fit_group, group, self.shared) for group in groups]
        job = Job(score_block, blocks.submit(join_groups, fits), add_arrays, scored_results, self.shared)
        [(results, _)] = blocks.reduce([job], deadline)
        return np.asarray(results)

    def fit_exactly(self, chromosome: Chromosome, settings: ElasticNetSettings) -> LearnedRules:
        """Fit the consequents of one chromosome on all rows, by coordinate descent."""
        found = self._rules(chromosome)
        if found is None:
            raise ValueError(f"the chromosome has more than {self.task.max_rules} rules")
        inputs, labels, examples = found
        coded = Coded(chromosome.granularities, chromosome.genes, examples)
        batch = Batch((coded,), replace(settings, solver="coordinate_descent"))
        job = Job(gram_sums, batch, add_arrays, solve_batch, self.shared)
        [(results, [coefficients])] = self.table.blocks.reduce([job])
        return inputs, labels, coefficients, results[0]

    def scored(self, chromosome: Chromosome, learned: LearnedRules) -> Floats:
        """Return what an evaluation does of consequents that are fitted already, with the errors on all rows."""
        found = self._rules(chromosome)
        if found is None:
            raise ValueError(f"the chromosome has more than {self.task.max_rules} rules")
        coded = Coded(chromosome.granularities, chromosome.genes, found[2])
        scoring = Scoring((coded,), (learned[2],), np.array([learned[3]]))
        [(results, _)] = self.table.blocks.reduce([Job(score_block, scoring, add_arrays, scored_results, self.shared)])
        return np.asarray(results[0])


def in_parts(coded: Sequence[Coded], n_inputs: int) -> list[list[Coded]]:
    """Part chromosomes so that the sums of each part are not too many."""
    parts: list[list[Coded]] = []
    room = 0
    for one in coded:
        size = partial_sums.n_sums(len(one.examples), n_inputs)
        if not parts or size > room:
            parts.append([])
            room = _MAX_NUMBERS
        parts[-1].append(one)
        room -= size
    return parts
