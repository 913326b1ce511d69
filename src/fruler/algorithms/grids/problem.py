"""The search for a grid as a problem of the multi-objective engine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fruler._typing import Floats, Indices
from fruler.algorithms.genetic.granularities import Granularities, falls, limit_cells, mutate_granularity
from fruler.algorithms.genetic.gray_code import BITS, gray_distance
from fruler.algorithms.genetic.operators import cut_point, pcblx
from fruler.algorithms.genetic.problem import Limit
from fruler.algorithms.grids.chromosome import GridChromosome, make_chromosome
from fruler.algorithms.grids.grid import Grid
from fruler.kernels import grids
from fruler.table.rows import Rows

# Errors are rounded, so that the order of summation does not tell apart what is equal, as errors of zero are.
_DECIMALS = 12


class GridProblem:
    """Granularities and displacements, with the error of the rules that they give and the number of these.

    Parameters
    ----------
    grid : Grid
        What there is to choose from.
    rows : Rows
        All training rows, standardised.
    """

    def __init__(self, grid: Grid, rows: Rows) -> None:
        self.grid, self.rows = grid, rows
        self._inputs = np.flatnonzero(grid.largest[: grid.n_inputs] > 1)
        self._mutable = np.flatnonzero(grid.largest > grid.least)

    @property
    def initial_threshold(self) -> float:
        """A quarter of the bits of all displacements."""
        return BITS * self.grid.n_variables / 4.0

    def initial(self, size: int, rng: np.random.Generator) -> list[GridChromosome]:
        """Make grids without displacements.

        One half has the same random granularity for all inputs, the other a random one for each. Random inputs are
        taken out until there are no more cells than rules are allowed.
        """
        grid, made = self.grid, []
        for k in range(size):
            granularities = rng.integers(grid.least, grid.largest, endpoint=True).astype(np.intc)
            if k < size // 2:
                inputs = slice(grid.n_inputs)
                same = rng.integers(1, int(grid.largest.max()), endpoint=True)
                granularities[inputs] = np.minimum(same, grid.largest[inputs])
            granularities = self._looking(granularities, rng)
            granularities[: grid.n_inputs] = limit_cells(granularities[: grid.n_inputs], grid.max_rules, rng)
            made.append(make_chromosome(grid, granularities, np.zeros(grid.n_variables)))
        return made

    def simplest(self) -> GridChromosome:
        """Return the grid of one rule that looks at nothing."""
        return make_chromosome(self.grid, self.grid.least, np.zeros(self.grid.n_variables))

    def cross(
        self, first: GridChromosome, second: GridChromosome, threshold: float, rng: np.random.Generator
    ) -> tuple[GridChromosome, GridChromosome] | None:
        """Cross the granularities at one point if they differ, with their displacements; else these alone.

        Only parents that differ in nothing but displacements can be too much alike.
        """
        grid, limit = self.grid, self.grid.displacement
        if first.structure != second.structure:
            cut = cut_point(grid.n_variables, rng)
            return self._joined(first, second, cut, rng), self._joined(second, first, cut, rng)
        if gray_distance(first.displacements, second.displacements, -limit, limit) / 2.0 <= threshold:
            return None
        one, other = pcblx(first.displacements, second.displacements, -limit, limit, rng)
        return make_chromosome(grid, first.granularities, one), make_chromosome(grid, first.granularities, other)

    def mutate(self, chromosome: GridChromosome, rng: np.random.Generator) -> GridChromosome:
        """Give one random variable a label less or, as likely, any larger number of labels, and a new displacement.

        Where only one of the two is possible, that is done.
        """
        if not len(self._mutable):
            return chromosome
        variable = int(rng.choice(self._mutable))
        granularity = mutate_granularity(*self._range(chromosome, variable), rng)
        return self._changed(chromosome, variable, granularity, rng)

    def restart(self, best: GridChromosome, size: int, rng: np.random.Generator) -> list[GridChromosome]:
        """Make one half anew, the other from the best by one label more or less of one variable."""
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
            self.grid.max_rules,
            limit.error + 10.0**-_DECIMALS,
            limit.min_rules,
        )
        errors, n_rules = np.round(found[:, 0], _DECIMALS), found[:, 1]
        beyond = (errors > limit.error) & (n_rules >= limit.min_rules)
        return np.column_stack([np.where(beyond, np.inf, errors), n_rules])

    def _neighbour(self, chromosome: GridChromosome, rng: np.random.Generator) -> GridChromosome:
        if not len(self._mutable):
            return chromosome
        variable = int(rng.choice(self._mutable))
        there, least, largest = self._range(chromosome, variable)
        granularity = there - 1 if falls(there, least, largest, rng) else there + 1
        return self._changed(chromosome, variable, granularity, rng)

    def _range(self, chromosome: GridChromosome, variable: int) -> tuple[int, int, int]:
        """Return how many labels a variable has, and how many it can have."""
        least, largest = self.grid.least[variable], self.grid.largest[variable]
        return int(chromosome.granularities[variable]), int(least), int(largest)

    def _changed(
        self, chromosome: GridChromosome, variable: int, granularity: int, rng: np.random.Generator
    ) -> GridChromosome:
        limit = self.grid.displacement
        granularities, displacements = chromosome.granularities.copy(), chromosome.displacements.copy()
        granularities[variable] = granularity
        displacements[variable] = rng.uniform(-limit, limit)
        return make_chromosome(self.grid, self._looking(granularities, rng), displacements)

    def _joined(self, head: GridChromosome, tail: GridChromosome, cut: int, rng: np.random.Generator) -> GridChromosome:
        granularities = np.concatenate([head.granularities[:cut], tail.granularities[cut:]])
        displacements = np.concatenate([head.displacements[:cut], tail.displacements[cut:]])
        return make_chromosome(self.grid, self._looking(granularities, rng), displacements)

    def _looking(self, granularities: Granularities, rng: np.random.Generator) -> Granularities:
        """Make sure that rules look at something: if no input has two labels, a random one gets some."""
        if len(self._inputs) and self.grid.max_rules > 1 and not (granularities[self._inputs] > 1).any():
            granularities = granularities.copy()
            chosen = int(rng.choice(self._inputs))
            granularities[chosen] = rng.integers(2, int(self.grid.largest[chosen]), endpoint=True)
        return granularities
