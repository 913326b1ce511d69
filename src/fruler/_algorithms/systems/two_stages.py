"""Learners of two stages: the search for a grid, and the tuning of its most accurate solution."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from fruler._algorithms.genetic import Workers, check_limits, run_watched
from fruler._algorithms.systems.evaluation import RowSampler
from fruler._algorithms.systems.grid import Consequent, GridChromosome, GridSolution
from fruler._algorithms.systems.grid_search import GRID_STAGE, GridSnapshot, GridStage
from fruler._algorithms.systems.options import AMETSKOptions, FSMOGFSOptions
from fruler._algorithms.systems.spea2 import Spea2, Spea2Snapshot
from fruler._algorithms.systems.tuning import TunedChromosome, TuningProblem, TuningRows, TuningSpace
from fruler.learning._checkpoint import damaged
from fruler.learning._control import UNLIMITED
from fruler.learning._training_table import LocalTable
from fruler.learning.algorithm import Search
from fruler.learning.learned import Learned

TUNING_STAGE = "tuning"
TunedSnapshot = Spea2Snapshot[TunedChromosome]


@dataclass(frozen=True, eq=False)
class TwoStageState:
    """The state of both stages; None for a stage that has not begun.

    Attributes
    ----------
    grid : Spea2Snapshot
        The first stage.
    tuning : Spea2Snapshot
        The second stage.
    base : bytes
        The key of the grid that the second stage tunes.
    max_evaluations : int or None
        The limit of each stage when the second began.
    """

    grid: GridSnapshot | None = None
    tuning: TunedSnapshot | None = None
    base: bytes = b""
    max_evaluations: int | None = None

    @property
    def n_evaluations(self) -> int:
        """The number of candidates evaluated in both stages."""
        latest = self.grid if self.tuning is None else self.tuning
        return 0 if latest is None else latest.n_asked


# The share of the time that the search for a grid may take.
_SHARE_OF_GRID = 1.0 / 3.0


class TwoStageLearner:
    """Searches for a grid, and tunes its most accurate solution; subclasses define the tuning problem.

    Parameters
    ----------
    search : Search
        Options, rows, and the state to resume from.
    consequent : {"nearest_row", "mean", "output_label"}
        The kind of consequents of the grid's rules.
    """

    # Returns the tuning problem of the rules on the grid.
    tuning: Callable[..., TuningProblem]

    def __init__(self, search: Search[Any, LocalTable, TwoStageState], consequent: Consequent) -> None:
        self.options: AMETSKOptions | FSMOGFSOptions = search.options
        self.table, self.control, self.keeper = search.table, search.control, search.keeper
        self.state = TwoStageState() if search.state is None else search.state
        self.grid = GridStage(search, consequent)
        self._pool = search.pool, search.n_jobs
        # A generator of its own: tuning depends on the grid alone, and not on how long the search for it took.
        [self._rng] = search.rng.spawn(1)

    def _problem(self, solution: GridSolution) -> TuningProblem:
        return self.tuning(solution, self.table, self.options)

    def learn(self) -> Learned:
        """Run both stages, and build the models of the front."""
        clock = [time.perf_counter()]
        solution, in_time = self._find_grid()
        clock.append(time.perf_counter())
        problem = self._problem(solution)
        search = self._tune(problem, solution.chromosome.key, in_time)
        points = search.models(self.table, self.control)
        clock.append(time.perf_counter())
        return Learned(
            points,
            len(points) - 1,
            search.evaluator.n_asked,
            self._history(search),
            np.arange(self.table.n_rows),
            dict(zip((GRID_STAGE, TUNING_STAGE), np.diff(clock).tolist(), strict=True)),
            in_time and not self.control.over(),
        )

    def _find_grid(self) -> tuple[GridSolution, bool]:
        """Return the most accurate grid with its rules, and whether there was enough time to find it."""
        workers, state = self.grid.search.evaluator.workers, self.state
        workers.budget = self.control.budget(_SHARE_OF_GRID)
        ended = state.tuning is not None and state.max_evaluations == self.options.max_evaluations
        if ended:
            # Only a generation that `max_evaluations` cut short may be left; without it, tuning could not resume.
            workers.budget = UNLIMITED

        def keep(snapshot: GridSnapshot) -> None:
            self._keep(replace(self.state, grid=snapshot))

        self.grid.run(keep, state.grid)
        return self.grid.solution(self._best_grid()), ended or not workers.out_of_time

    def _best_grid(self) -> GridChromosome:
        """Return the most accurate grid, if possible one with antecedents: other grids have nothing to tune."""
        n_inputs, best_by_rules = self.grid.grid.n_inputs, self.grid.search.evaluator.best_by_rules.values()
        looking = [(one, worth) for one, worth in best_by_rules if (one.granularities[:n_inputs] > 1).any()]
        best, _ = min(looking or best_by_rules, key=lambda found: found[1])
        return best

    def _tune(self, problem: TuningProblem, base: bytes, in_time: bool) -> Spea2[TunedChromosome, TuningRows]:
        options, control = self.options, self.control
        n_asked = self.grid.search.evaluator.n_asked
        limit = None if options.max_evaluations is None else n_asked + options.max_evaluations
        workers = Workers(*self._pool, control.budget())
        sampler = RowSampler.for_table(self.table.target, options.subset)
        search = Spea2(problem, replace(options, max_evaluations=limit), self._rng, workers, sampler=sampler)
        # Evaluations are counted over both stages.
        search.evaluator.n_asked = n_asked
        # Another grid, found with more evaluations, is tuned from the start.
        snapshot = self.state.tuning if self.state.base == base else None
        if snapshot is not None:
            check_limits({"max_evaluations": (search.max_evaluations, snapshot.n_asked)})
            check_tuned(problem.space, snapshot)

        def keep(snapshot: TunedSnapshot) -> None:
            # If time cut the search for a grid short, it continues when resumed, and this tuning becomes void.
            if in_time:
                self._keep(replace(self.state, tuning=snapshot, base=base, max_evaluations=options.max_evaluations))

        run_watched(search, control, keep, snapshot, stage=TUNING_STAGE, error_unit=problem.error_unit)
        self.keeper.end_stage()
        return search

    def _keep(self, state: TwoStageState) -> None:
        self.state = state
        self.keeper.keep(state)

    def _history(self, tuning: Spea2[TunedChromosome, TuningRows]) -> pd.DataFrame:
        """Return one row per generation of both stages; the second stage counts generations from 0 again."""
        first, second = self.grid.search.history_table(), tuning.history_table()
        second["seconds"] += first["seconds"].iloc[-1]
        return pd.concat([first.assign(stage=1), second.assign(stage=2)], ignore_index=True)


def check_tuned(space: TuningSpace, snapshot: TunedSnapshot) -> None:
    """Check that chromosomes of a checkpoint belong to a search space.

    Raises
    ------
    ValueError
        If one does not.
    """
    for one, _ in snapshot.valued:
        fits = one.genes.shape == (space.n_genes,) and one.selected.shape == (space.n_rules,)
        if not fits or not ((one.genes >= 0.0) & (one.genes <= 1.0)).all() or not one.selected.any():
            raise damaged("it has rules that are impossible for this table")
