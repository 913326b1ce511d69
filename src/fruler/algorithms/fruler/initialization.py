"""The first population."""

from __future__ import annotations

import numpy as np

from fruler.algorithms.fruler.chromosome import Chromosome, make_chromosome
from fruler.algorithms.fruler.problem import Granularities, SearchSpace


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
        population.append(make_chromosome(space, limit_cells(space, granularities.astype(np.intc), rng), nowhere))
    return population


def limit_cells(space: SearchSpace, granularities: Granularities, rng: np.random.Generator) -> Granularities:
    """Take random inputs out of the antecedents until there are no more cells than allowed at the start."""
    granularities = granularities.copy()
    # As logarithms: the product of 200 granularities is no number.
    while np.log(granularities).sum() > np.log(space.max_initial_cells) + 1e-9:
        granularities[rng.choice(np.flatnonzero(granularities > 1))] = 1
    return granularities
