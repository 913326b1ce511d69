"""Learners of two stages: the search for a grid, and the tuning of its most accurate solution."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, Generic, Protocol

import numpy as np
import pandas as pd

from fruler.algorithms.genetic.evaluation import Worth
from fruler.algorithms.genetic.run import check_limits, run_watched
from fruler.algorithms.genetic.sampling import RowSampler
from fruler.algorithms.genetic.spea2 import Spea2, Spea2Settings
from fruler.algorithms.genetic.state import Generation
from fruler.algorithms.genetic.workers import Workers
from fruler.algorithms.grids import stage as grid_stage
from fruler.algorithms.grids.chromosome import GridChromosome
from fruler.algorithms.grids.grid import Consequent
from fruler.algorithms.grids.solution import GridSolution
from fruler.algorithms.grids.stage import GridOptions, GridSnapshot, GridStage
from fruler.algorithms.tuning.chromosome import TunedChromosome
from fruler.algorithms.tuning.problem import Sample, TuningProblem
from fruler.algorithms.tuning.space import TuningSpace
from fruler.algorithms.tuning.state import STAGE, TunedSnapshot, TwoStageState
from fruler.algorithms.tuning.variation import Crossover
from fruler.learning.algorithm import Search
from fruler.learning.checkpoint.values import damaged
from fruler.learning.control import never
from fruler.learning.learned import FrontPoint, Learned
from fruler.learning.training_table import LocalTable

# How much of the time the search for a grid may take.
_SHARE_OF_GRID = 1.0 / 3.0


class TuningOptions(GridOptions, Protocol):
    """The options of both stages."""

    @property
    def crossover(self) -> Crossover:
        """How points of triangles are crossed."""


class TwoStageLearner(ABC, Generic[Sample]):
    """Searches for a grid, and tunes its most accurate solution; what is tuned is left to subclasses.

    Parameters
    ----------
    search : Search
        Options, rows, and the state to resume from.
    consequent : {"nearest_row", "mean", "output_label"}
        What the rules of the grid say.
    """

    def __init__(self, search: Search[Any, LocalTable, TwoStageState], consequent: Consequent) -> None:
        self.options: TuningOptions = search.options
        self.table, self.control = search.table, search.control
        self.state = TwoStageState() if search.state is None else search.state
        self.grid = GridStage(search, consequent)
        self._pool = search.pool, search.n_jobs
        # A generator of its own: what is tuned depends on the grid alone, and not on how long the search for it took.
        [self._rng] = search.rng.spawn(1)

    @abstractmethod
    def _problem(self, solution: GridSolution) -> TuningProblem[Sample]:
        """Return what is tuned, given the rules on the grid."""

    def learn(self) -> Learned:
        """Run both stages, and build the models of the front."""
        clock = [time.perf_counter()]
        solution, in_time = self._find_grid()
        clock.append(time.perf_counter())
        problem = self._problem(solution)
        search = self._tune(problem, solution.chromosome.key, in_time)
        points: list[FrontPoint] = []
        # The most accurate first: for the others there may be no time.
        for chromosome, worth in reversed(search.front):
            if points and self.control.over():
                break
            points.append(self._finish(problem, chromosome, worth))
            n_rules, error = points[0].rule_base.n_rules, points[0].error
            self.control.report("fit", len(points), search.evaluator.n_asked, n_rules, error)
        points.reverse()
        clock.append(time.perf_counter())
        return Learned(
            tuple(points),
            len(points) - 1,
            search.evaluator.n_asked,
            self._history(search, problem.error_unit),
            np.arange(self.table.n_rows),
            dict(zip((grid_stage.STAGE, STAGE), np.diff(clock).tolist(), strict=True)),
            in_time and not self.control.over(),
        )

    def _find_grid(self) -> tuple[GridSolution, bool]:
        """Return the most accurate grid with its rules, and whether there was time enough to find it."""
        workers, state = self.grid.search.evaluator.workers, self.state
        workers.deadline = self.control.deadline(_SHARE_OF_GRID)
        ended = state.tuning is not None and state.max_evaluations == self.options.max_evaluations
        if ended:
            # At most a generation that the number of evaluations cut short: without it, tuning could not resume.
            workers.deadline, workers.stopped = np.inf, never

        def keep(snapshot: GridSnapshot) -> None:
            self._keep(replace(self.state, grid=snapshot))

        self.grid.run(keep, state.grid)
        return self.grid.solution(self._best_grid()), ended or not workers.out_of_time

    def _best_grid(self) -> GridChromosome:
        """Return the most accurate grid whose rules look at something, if there is one: others have nothing to tune."""
        n_inputs, best_by_rules = self.grid.grid.n_inputs, self.grid.search.evaluator.front.values()
        looking = [(one, worth) for one, worth in best_by_rules if (one.granularities[:n_inputs] > 1).any()]
        best, _ = min(looking or best_by_rules, key=lambda found: found[1])
        return best

    def _tune(self, problem: TuningProblem[Sample], base: bytes, in_time: bool) -> Spea2[TunedChromosome, Sample]:
        options, control = self.options, self.control
        n_asked = self.grid.search.evaluator.n_asked
        limit = None if options.max_evaluations is None else n_asked + options.max_evaluations
        settings = Spea2Settings(options.population_size, limit, options.mutation_probability)
        workers = Workers(*self._pool, control.deadline(), control.is_stopped)
        sampler = RowSampler.for_table(self.table.target, options.subset)
        search = Spea2(problem, settings, self._rng, workers, sampler=sampler)
        # Evaluations are counted over both stages.
        search.evaluator.n_asked = n_asked
        # Another grid, found with more evaluations, is tuned from the start.
        snapshot = self.state.tuning if self.state.base == base else None
        if snapshot is not None:
            check_limits({"max_evaluations": (search.max_evaluations, snapshot.n_asked)})
            check_tuned(problem.space, snapshot)

        def keep(snapshot: TunedSnapshot) -> None:
            # A search for a grid that time has cut short goes on when it is resumed, and what was tuned is void.
            if in_time:
                self._keep(replace(self.state, tuning=snapshot, base=base, max_evaluations=options.max_evaluations))

        run_watched(search, control, keep, snapshot, stage=STAGE, error_unit=problem.error_unit)
        return search

    def _keep(self, state: TwoStageState) -> None:
        self.state = state
        self.control.keep(state)

    def _finish(self, problem: TuningProblem[Sample], chromosome: TunedChromosome, worth: Worth) -> FrontPoint:
        rule_base = problem.build(chromosome)
        support, n_uncovered = self.table.coverage(rule_base)
        error = worth.error * problem.error_unit
        return FrontPoint(
            replace(rule_base, support=support), error, error, np.nan, problem.regularization, n_uncovered
        )

    def _history(self, tuning: Spea2[TunedChromosome, Sample], error_unit: float) -> pd.DataFrame:
        """Return one row per generation of both stages; generations are counted anew in the second."""
        first = pd.DataFrame(self.grid.search.history, columns=Generation._fields)
        second = pd.DataFrame(tuning.history, columns=Generation._fields)
        first[["best_fitness", "best_error"]] *= self.table.error_unit
        second[["best_fitness", "best_error"]] *= error_unit
        second["seconds"] += first["seconds"].iloc[-1]
        return pd.concat([first.assign(stage=1), second.assign(stage=2)], ignore_index=True)


def check_tuned(space: TuningSpace, snapshot: TunedSnapshot) -> None:
    """Refuse chromosomes that are none of a space, as those of a damaged checkpoint are.

    Raises
    ------
    ValueError
        If there is one.
    """
    chromosomes = [*(one.chromosome for one in snapshot.archive), *(one for one, _ in snapshot.front.values())]
    for one in chromosomes:
        fits = one.genes.shape == (space.n_genes,) and one.selected.shape == (space.n_rules,)
        if not fits or not ((one.genes >= 0.0) & (one.genes <= 1.0)).all():
            raise damaged("it has rules that are impossible for this table")
