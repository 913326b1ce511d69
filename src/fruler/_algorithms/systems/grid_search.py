"""The first stage of FS_MOGFS and METSK: the multi-objective search for a grid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fruler._algorithms.genetic import (
    Granularities,
    Workers,
    check_limits,
    falls,
    limit_cells,
    mutate_granularity,
    pcblx,
    run_watched,
)
from fruler._algorithms.systems.evaluation import Limit, RowSampler
from fruler._algorithms.systems.genes import BITS, cut_point, gray_distance
from fruler._algorithms.systems.grid import (
    Consequent,
    Grid,
    GridChromosome,
    GridSolution,
    check_grid_chromosomes,
    make_grid_chromosome,
)
from fruler._algorithms.systems.options import GridOptions
from fruler._algorithms.systems.spea2 import Spea2, Spea2Snapshot
from fruler._arrays import Floats, Indices
from fruler._kernels import grids
from fruler._table.rows import Rows
from fruler.learning._training_table import LocalTable
from fruler.learning.algorithm import Search
from fruler.rules._rule_base import RuleBase

# Errors are rounded, so that the order of summation does not make equal errors, such as zeros, differ.
_DECIMALS = 12


class GridProblem:
    """Search for granularities and displacements, by the error and the number of their rules.

    Parameters
    ----------
    grid : Grid
        The grids to choose from.
    table : LocalTable
        The rows.
    """

    # Consequents are constants, and are not fitted.
    regularization = 0.0

    def __init__(self, grid: Grid, table: LocalTable) -> None:
        self.grid, self.table, self.rows = grid, table, table.rows
        self.error_unit = table.error_unit
        self._inputs = np.flatnonzero(grid.largest[: grid.n_inputs] > 1)
        self._mutable = np.flatnonzero(grid.largest > grid.least)

    @property
    def initial_threshold(self) -> float:
        """A quarter of the bits of all displacements."""
        return BITS * self.grid.n_variables / 4.0

    def initial(self, size: int, rng: np.random.Generator) -> list[GridChromosome]:
        """Return grids without displacements.

        One half has the same random granularity for all inputs, the other half a random one for each. Random inputs
        are taken out until there are at most as many cells as allowed rules.
        """
        grid, made = self.grid, []
        for k in range(size):
            granularities = rng.integers(grid.least, grid.largest, endpoint=True).astype(np.intc)
            if k < size // 2:
                inputs = slice(grid.n_inputs)
                same = rng.integers(1, int(grid.largest.max()), endpoint=True)
                granularities[inputs] = np.minimum(same, grid.largest[inputs])
            granularities = self._looking(granularities, rng)
            granularities[: grid.n_inputs] = limit_cells(granularities[: grid.n_inputs], grid.options.max_rules, rng)
            made.append(make_grid_chromosome(grid, granularities, np.zeros(grid.n_variables)))
        return made

    def simplest(self) -> GridChromosome:
        """Return the grid of one rule with an empty antecedent."""
        return make_grid_chromosome(self.grid, self.grid.least, np.zeros(self.grid.n_variables))

    def cross(
        self, first: GridChromosome, second: GridChromosome, threshold: float, rng: np.random.Generator
    ) -> tuple[GridChromosome, GridChromosome] | None:
        """Cross granularities and displacements at one point if granularities differ, otherwise only displacements.

        Only parents with the same granularities can be too similar.
        """
        grid, limit = self.grid, self.grid.options.displacement
        if first.structure != second.structure:
            cut = cut_point(grid.n_variables, rng)
            return self._joined(first, second, cut, rng), self._joined(second, first, cut, rng)
        if gray_distance(first.displacements, second.displacements, -limit, limit) / 2.0 <= threshold:
            return None
        one, other = pcblx(first.displacements, second.displacements, rng)
        return make_grid_chromosome(grid, first.granularities, one), make_grid_chromosome(
            grid, first.granularities, other
        )

    def mutate(self, chromosome: GridChromosome, rng: np.random.Generator) -> GridChromosome:
        """Give one random variable one label less or, equally likely, any larger number, and a new displacement.

        If only one of the two is possible, that is done.
        """
        if not len(self._mutable):
            return chromosome
        variable = int(rng.choice(self._mutable))
        granularity = mutate_granularity(*self._range(chromosome, variable), rng)
        return self._changed(chromosome, variable, granularity, rng)

    def restart(self, best: GridChromosome, size: int, rng: np.random.Generator) -> list[GridChromosome]:
        """Return one half of new grids, and one half with one label more or less of one variable than the best."""
        near = [self._neighbour(best, rng) for _ in range(size // 2)]
        return near + self.initial(size - len(near), rng)

    def take_sample(self, rows: Indices) -> Rows:
        """Return some rows to measure errors on."""
        return self.rows.take(rows)

    def evaluate(self, chromosomes: Sequence[GridChromosome], sample: Rows | None, limit: Limit) -> Floats:
        """Return the mean squared error of standardised outputs, and the number of rules, of every chromosome."""
        found = grids.evaluate(
            np.array([one.granularities for one in chromosomes]),
            np.array([one.displacements for one in chromosomes]),
            self.grid.arrays,
            self.rows.arrays,
            None if sample is None else sample.arrays,
            self.grid.options.max_rules,
            limit.error + 10.0**-_DECIMALS,
            limit.min_rules,
        )
        errors, n_rules = np.round(found[:, 0], _DECIMALS), found[:, 1]
        beyond = (errors > limit.error) & (n_rules >= limit.min_rules)
        return np.column_stack([np.where(beyond, np.inf, errors), n_rules])

    def build(self, chromosome: GridChromosome) -> RuleBase:
        """Return the rule base of a chromosome."""
        return GridSolution.of(self.grid, chromosome, self.table).rule_base(self.table)

    def _neighbour(self, chromosome: GridChromosome, rng: np.random.Generator) -> GridChromosome:
        if not len(self._mutable):
            return chromosome
        variable = int(rng.choice(self._mutable))
        there, least, largest = self._range(chromosome, variable)
        granularity = there - 1 if falls(there, least, largest, rng) else there + 1
        return self._changed(chromosome, variable, granularity, rng)

    def _range(self, chromosome: GridChromosome, variable: int) -> tuple[int, int, int]:
        """Return the number of labels of a variable, and the smallest and largest number that it can have."""
        least, largest = self.grid.least[variable], self.grid.largest[variable]
        return int(chromosome.granularities[variable]), int(least), int(largest)

    def _changed(
        self, chromosome: GridChromosome, variable: int, granularity: int, rng: np.random.Generator
    ) -> GridChromosome:
        limit = self.grid.options.displacement
        granularities, displacements = chromosome.granularities.copy(), chromosome.displacements.copy()
        granularities[variable] = granularity
        displacements[variable] = rng.uniform(-limit, limit)
        return make_grid_chromosome(self.grid, self._looking(granularities, rng), displacements)

    def _joined(self, head: GridChromosome, tail: GridChromosome, cut: int, rng: np.random.Generator) -> GridChromosome:
        granularities = np.concatenate([head.granularities[:cut], tail.granularities[cut:]])
        displacements = np.concatenate([head.displacements[:cut], tail.displacements[cut:]])
        return make_grid_chromosome(self.grid, self._looking(granularities, rng), displacements)

    def _looking(self, granularities: Granularities, rng: np.random.Generator) -> Granularities:
        """Make sure that antecedents are not empty: if no input has two labels, a random one gets some."""
        if len(self._inputs) and self.grid.options.max_rules > 1 and not (granularities[self._inputs] > 1).any():
            granularities = granularities.copy()
            chosen = int(rng.choice(self._inputs))
            granularities[chosen] = rng.integers(2, int(self.grid.largest[chosen]), endpoint=True)
        return granularities


GridSnapshot = Spea2Snapshot[GridChromosome]

GRID_STAGE = "grid"
# An input whose values differ by fewer roundings than this is not split: its labels would coincide.
_MIN_ROUNDINGS = 64.0


class GridStage:
    """The search for a grid on a table.

    Parameters
    ----------
    search : Search
        The options, rows, threads and random number generator of a learner.
    consequent : {"nearest_row", "mean", "output_label"}
        The kind of consequents.
    """

    def __init__(self, search: Search[Any, LocalTable, Any], consequent: Consequent) -> None:
        options: GridOptions = search.options
        self.table, self.control, self.keeper = search.table, search.control, search.keeper
        self.grid = make_grid(self.table, options, consequent)
        self.search: Spea2[GridChromosome, Rows] = Spea2(
            GridProblem(self.grid, self.table),
            options,
            search.rng,
            Workers(search.pool, search.n_jobs, self.control.budget()),
            sampler=RowSampler.for_table(self.table.target, options.subset),
        )

    def run(self, keep: Callable[[GridSnapshot], None], snapshot: GridSnapshot | None = None) -> None:
        """Search from the start or from a snapshot; keep and report every generation."""
        if snapshot is not None:
            # If nothing of the first population can be used, one more evaluation than allowed is made.
            check_limits({"max_evaluations": (self.search.max_evaluations + 1, snapshot.n_asked)})
            check_grid_chromosomes(self.grid, (one for one, _ in snapshot.valued))
        run_watched(self.search, self.control, keep, snapshot, stage=GRID_STAGE, error_unit=self.table.error_unit)
        self.keeper.end_stage()

    def solution(self, chromosome: GridChromosome) -> GridSolution:
        """Return a grid with its rules."""
        return GridSolution.of(self.grid, chromosome, self.table)


def make_grid(table: LocalTable, options: GridOptions, consequent: Consequent) -> Grid:
    """Return the search space of grids for a table."""
    ends = (np.array([table.target.min(), table.target.max()]) - table.target_scale.centre) / table.target_scale.spread
    centre, spread = table.scale.centre[:, None], table.scale.spread[:, None]
    inputs = np.where(_has_room(table.domains), (table.domains - centre) / spread, 0.0)
    return Grid.from_domains(inputs, ends, consequent, options)


def _has_room(domains: Floats) -> Any:
    """Return whether the values of each input differ enough for labels, as a column."""
    rounding = np.spacing(np.abs(domains).max(axis=1))
    return (np.ptp(domains, axis=1) > _MIN_ROUNDINGS * rounding)[:, None]
