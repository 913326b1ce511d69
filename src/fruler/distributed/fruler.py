"""FRULER on a cluster: stages 1 and 2 by blocks, the population on the client, evaluated by the workers."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from fruler._typing import Floats, Indices
from fruler.algorithms.fruler.chromosome import Chromosome
from fruler.algorithms.fruler.learner import FRULERLearner, LearnedRules, fit_on_rows
from fruler.algorithms.fruler.options import FRULEROptions
from fruler.algorithms.fruler.problem import SearchSpace, Task
from fruler.algorithms.fruler.state import EvolutionState
from fruler.consequents.elastic_net import ElasticNetSettings
from fruler.distributed.bins import Bins, bin_block, merge_bins, splits_of_bins
from fruler.distributed.descriptions import Cover, add_covers, cover_block
from fruler.distributed.evaluation import RemoteEvaluator
from fruler.distributed.passes import Job
from fruler.distributed.remote_table import RemoteTable
from fruler.distributed.selection import select_rows
from fruler.learning.algorithm import Search
from fruler.rules.rule_base import RuleBase
from fruler.stages.discretization import NestedSplits
from fruler.table.rows import Rows

# Gradient descent goes through rows one by one, which takes one machine: the most that it gets there.
MAX_DESCENT_ROWS = 50_000
_SEED_OF_SAMPLE = 0


class RemoteFRULERLearner(FRULERLearner):
    """A `FRULERLearner` of a table whose rows are with the workers."""

    table: RemoteTable
    _remote: RemoteEvaluator

    def __init__(self, search: Search[FRULEROptions, RemoteTable, EvolutionState]) -> None:
        if search.options.solver == "sgd" and search.options.fit_rows == "all":
            raise ValueError(
                "solver='sgd' goes through the rows one by one, which takes one machine; on a cluster use "
                "fit_rows='selected', or solver='coordinate_descent'."
            )
        super().__init__(search)

    def _selected_rows(self) -> Indices:
        # Drawn apart: a search that resumes from here has the same numbers before it.
        drawn = self.rng.spawn(1)[0]
        return select_rows(
            self.table, drawn, select=self.options.instance_selection, core_error=self.options.core_error
        )

    def _nested_splits(self) -> list[NestedSplits]:
        table = self.table
        low, high = table.summary.low[:-1], table.summary.high[:-1]
        bins = Bins.from_sketches(table.sketches, low, high, table.standard, self.options.splits)
        jobs = [Job(bin_block, part, merge_bins, splits_of_bins) for part in bins.parted()]
        return [splits for nested in table.blocks.reduce(jobs) for splits in nested]

    def _task(self, space: SearchSpace, indices: Indices) -> Task:
        examples = self.table.take(indices)
        # The other rows are with the workers.
        return Task(space, examples, examples, None, self._max_rules(space))

    def _evaluator(self, task: Task, settings: ElasticNetSettings) -> RemoteEvaluator:
        self._remote = RemoteEvaluator(
            task,
            self.table,
            settings,
            self.options.criterion,
            fit_all=self.options.fit_rows == "all",
            deadline=self.control.deadline(),
            stopped=self.control.is_stopped,
        )
        return self._remote

    def _fit_on_all(
        self, chromosome: Chromosome, task: Task, settings: ElasticNetSettings, error: float
    ) -> LearnedRules:
        if settings.solver == "coordinate_descent":
            return self._remote.fit_exactly(chromosome, settings)
        learned = fit_on_rows(chromosome, task, settings, error, self._descent_rows)
        if self.table.n_rows <= MAX_DESCENT_ROWS:
            return learned
        return (*learned[:3], self._remote.scored(chromosome, learned))

    @cached_property
    def _descent_rows(self) -> Rows:
        """The rows that gradient descent goes through at the end, one by one: all of them, or a sample."""
        n_rows = self.table.n_rows
        if n_rows <= MAX_DESCENT_ROWS:
            return self.table.take(np.arange(n_rows))
        # Drawn by a seed of their own: a search that resumes after its last generation has the same rows.
        drawn = np.random.default_rng(_SEED_OF_SAMPLE).choice(n_rows, MAX_DESCENT_ROWS, replace=False)
        return self.table.take(np.sort(drawn))

    def _cover_all(self, rule_base: RuleBase) -> tuple[Floats, int]:
        job = Job(cover_block, (rule_base, self.table.standard.mean_weight), add_covers)
        cover: Cover = self.table.blocks.reduce([job])[0]
        return cover.support / cover.weight, cover.n_uncovered
