"""The first stage of FS_MOGFS and METSK: the multi-objective search for a grid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from fruler._typing import Floats
from fruler.algorithms.genetic.run import check_limits, run_watched
from fruler.algorithms.genetic.sampling import RowSampler, Subset
from fruler.algorithms.genetic.spea2 import Spea2, Spea2Settings
from fruler.algorithms.genetic.state import Snapshot
from fruler.algorithms.genetic.workers import Workers
from fruler.algorithms.grids.chromosome import GridChromosome, check_chromosomes
from fruler.algorithms.grids.grid import Consequent, Crop, Grid
from fruler.algorithms.grids.problem import GridProblem
from fruler.algorithms.grids.solution import GridSolution
from fruler.learning.algorithm import Search
from fruler.learning.training_table import LocalTable
from fruler.rules.antecedents import TNorm
from fruler.table.rows import Rows

GridSnapshot = Snapshot[GridChromosome]

STAGE = "grid"
# The labels of an input whose values differ by less than so many roundings could not be told apart.
_MIN_ROUNDINGS = 64.0


class GridOptions(Protocol):
    """The options of the first stage; every algorithm that has it has these among its own."""

    @property
    def max_rules(self) -> int:
        """The most rules."""

    @property
    def max_labels(self) -> int:
        """The most labels of a variable."""

    @property
    def displacement(self) -> float:
        """By which share of their distance labels may be moved."""

    @property
    def crop(self) -> Crop:
        """What happens to candidates with too many rules."""

    @property
    def t_norm(self) -> TNorm:
        """How the parts of an antecedent are joined."""

    @property
    def population_size(self) -> int:
        """Individuals of the population and of the archive."""

    @property
    def max_evaluations(self) -> int | None:
        """The most candidates; None: until nothing better is found."""

    @property
    def mutation_probability(self) -> float:
        """The share of the children that is mutated."""

    @property
    def subset(self) -> Subset:
        """Whether children are judged on a sample first."""


class GridStage:
    """The search for a grid on a table.

    Parameters
    ----------
    search : Search
        Options, rows, threads and chance, as a learner is given them.
    consequent : {"nearest_row", "mean", "output_label"}
        What rules say.
    """

    def __init__(self, search: Search[Any, LocalTable, Any], consequent: Consequent) -> None:
        options: GridOptions = search.options
        self.table, self.control, self.options = search.table, search.control, options
        self.grid = make_grid(self.table, options, consequent)
        settings = Spea2Settings(options.population_size, options.max_evaluations, options.mutation_probability)
        workers = Workers(search.pool, search.n_jobs, self.control.deadline(), self.control.is_stopped)
        self.search: Spea2[GridChromosome, Rows] = Spea2(
            GridProblem(self.grid, self.table.rows),
            settings,
            search.rng,
            workers,
            sampler=RowSampler.for_table(self.table.target, options.subset),
        )

    def run(self, keep: Callable[[GridSnapshot], None], snapshot: GridSnapshot | None = None) -> None:
        """Search from the start or from a snapshot, keeping and reporting every generation."""
        if snapshot is not None:
            # A first population of which nothing can be used takes one evaluation more than was allowed.
            check_limits({"max_evaluations": (self.search.max_evaluations + 1, snapshot.n_asked)})
            individuals = [*(one.chromosome for one in snapshot.archive), *(one for one, _ in snapshot.front.values())]
            check_chromosomes(self.grid, individuals)
        run_watched(self.search, self.control, keep, snapshot, stage=STAGE, error_unit=self.table.error_unit)

    def best(self) -> GridSolution:
        """Return the most accurate grid that was found, with its rules; of equals the smallest."""
        return self.solution(self.search.front[-1][0])

    def solution(self, chromosome: GridChromosome) -> GridSolution:
        """Return a grid with its rules."""
        return GridSolution.of(self.grid, chromosome, self.table)


def make_grid(table: LocalTable, options: GridOptions, consequent: Consequent) -> Grid:
    """Return the grids that the inputs of a table can have."""
    ends = (np.array([table.target.min(), table.target.max()]) - table.target_scale.centre) / table.target_scale.spread
    centre, spread = table.scale.centre[:, None], table.scale.spread[:, None]
    inputs = np.where(_has_room(table.domains), (table.domains - centre) / spread, 0.0)
    return Grid.from_domains(
        inputs,
        ends,
        max_labels=options.max_labels,
        max_rules=options.max_rules,
        displacement=options.displacement,
        t_norm=options.t_norm,
        consequent=consequent,
        crop=options.crop,
    )


def _has_room(domains: Floats) -> Any:
    """Return whether the values of an input differ by enough to be told apart, as a column."""
    rounding = np.spacing(np.abs(domains).max(axis=1))
    return (np.ptp(domains, axis=1) > _MIN_ROUNDINGS * rounding)[:, None]
