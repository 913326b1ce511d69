"""The first population."""

from __future__ import annotations

import numpy as np

from fruler.algorithms.fruler.chromosome import Chromosome, make_chromosome
from fruler.algorithms.fruler.problem import SearchSpace
from fruler.algorithms.genetic.granularities import limit_cells


def initial_population(space: SearchSpace, size: int, rng: np.random.Generator) -> list[Chromosome]:
    """Make individuals without displacements.

    One half has the same random granularity for all inputs (as far as each can be cut), the other a random one for
    each input.
    """
    nowhere = np.zeros((space.n_inputs, space.stride))
    population = []
    for i in range(size):
        if i < size // 2:
            granularities = np.minimum(rng.integers(1, space.largest.max(), endpoint=True), space.largest)
        else:
            granularities = rng.integers(1, space.largest, endpoint=True)
        cells = limit_cells(granularities.astype(np.intc), space.max_initial_cells, rng)
        population.append(make_chromosome(space, cells, nowhere))
    return population
