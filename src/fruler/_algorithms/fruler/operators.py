"""The operators of FRULER's search: the first population, crossover, mutation and local search."""

from __future__ import annotations

import numpy as np

from fruler._algorithms.fruler.chromosome import Chromosome, SearchSpace, inherit_displacements, make_chromosome
from fruler._algorithms.genetic import falls, limit_cells, mutate_granularity, pcblx
from fruler.rules._partitions import LARGEST_DISPLACEMENT


def initial_population(space: SearchSpace, size: int, rng: np.random.Generator) -> list[Chromosome]:
    """Return chromosomes without displacements.

    One half has the same random granularity for all inputs (at most the largest of each input), the other half a random
    granularity for each input.
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


def cross(
    space: SearchSpace,
    first: Chromosome,
    second: Chromosome,
    threshold: float,
    rng: np.random.Generator,
    limit: float = np.inf,
) -> tuple[Chromosome, Chromosome]:
    """Cross two parents: their granularities if these differ, otherwise their displacements.

    Parents with the same granularities whose displacements are closer than the threshold are not crossed (incest
    prevention) and are returned as they are.
    """
    if first.structure != second.structure:
        return cross_at_one_point(space, first, second, rng)
    if np.linalg.norm(first.genes - second.genes) < threshold:
        return first, second
    return cross_displacements(space, first, second, rng, limit)


def cross_at_one_point(
    space: SearchSpace, first: Chromosome, second: Chromosome, rng: np.random.Generator
) -> tuple[Chromosome, Chromosome]:
    """Exchange the inputs after a random cut, granularities and displacements together."""
    if space.n_inputs == 1:
        return second, first
    cut = int(rng.integers(1, space.n_inputs))

    def join(head: Chromosome, tail: Chromosome) -> Chromosome:
        # Whole inputs of valid parents: nothing needs to be checked again.
        return Chromosome(
            np.concatenate([head.granularities[:cut], tail.granularities[cut:]]),
            np.concatenate([head.displacements[:cut], tail.displacements[cut:]]),
        )

    return join(first, second), join(second, first)


def cross_displacements(
    space: SearchSpace, first: Chromosome, second: Chromosome, rng: np.random.Generator, limit: float = np.inf
) -> tuple[Chromosome, Chromosome]:
    """Cross the displacements of two parents by parent-centric BLX; beyond the limit nothing is drawn."""
    one, other = pcblx(first.displacements, second.displacements, rng, limit)
    return make_chromosome(space, first.granularities, one), make_chromosome(space, first.granularities, other)


def mutate(space: SearchSpace, parent: Chromosome, rng: np.random.Generator) -> Chromosome:
    """Give one random input one label less or, equally likely, any larger number of labels.

    If only one of the two is possible, that is done. Known split points are added and removed together. Displacements
    are inherited.
    """
    mutable = np.flatnonzero(space.largest > 1)
    if len(mutable) == 0:
        return parent
    feature = int(rng.choice(mutable))
    granularity, largest = int(parent.granularities[feature]), int(space.largest[feature])
    if space.fixed[feature]:
        new = 1 if falls(granularity, 1, largest, rng) else largest
    else:
        new = mutate_granularity(granularity, 1, largest, rng)
    granularities = parent.granularities.copy()
    granularities[feature] = new
    displacements = parent.displacements.copy()
    displacements[feature] = inherit_displacements(space, parent, feature, new)
    return make_chromosome(space, granularities, displacements)


def relatives(space: SearchSpace, parent: Chromosome, count: int, rng: np.random.Generator) -> list[Chromosome]:
    """Return relatives in which every input has as many labels as in the parent or, equally likely, fewer.

    Displacements are drawn uniformly from their whole range.
    """
    made = []
    for _ in range(count):
        fewer = (rng.random(space.n_inputs) < 0.5) & (parent.granularities > 1)
        lower = rng.integers(1, np.maximum(parent.granularities, 2))
        granularities = np.where(fewer, lower, parent.granularities).astype(np.intc)
        shape = (space.n_inputs, space.stride)
        displacements = rng.uniform(-LARGEST_DISPLACEMENT, LARGEST_DISPLACEMENT, shape)
        made.append(make_chromosome(space, granularities, displacements))
    return made
