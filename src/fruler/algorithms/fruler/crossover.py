"""Crossover of two parents."""

from __future__ import annotations

import numpy as np

from fruler.algorithms.fruler.chromosome import Chromosome, make_chromosome
from fruler.algorithms.fruler.problem import SearchSpace


def cross(
    space: SearchSpace, first: Chromosome, second: Chromosome, threshold: float, rng: np.random.Generator
) -> tuple[Chromosome, Chromosome]:
    """Cross two parents: their granularities if these differ, otherwise their displacements.

    Parents with the same granularities whose displacements are nearer to each other than the threshold are not
    crossed (incest prevention) and come back as they are.
    """
    if first.structure != second.structure:
        return cross_at_one_point(space, first, second, rng)
    if np.linalg.norm(first.genes - second.genes) < threshold:
        return first, second
    return cross_displacements(space, first, second, rng)


def cross_at_one_point(
    space: SearchSpace, first: Chromosome, second: Chromosome, rng: np.random.Generator
) -> tuple[Chromosome, Chromosome]:
    """Exchange the inputs behind a random one, granularities and displacements together."""
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
    space: SearchSpace, first: Chromosome, second: Chromosome, rng: np.random.Generator
) -> tuple[Chromosome, Chromosome]:
    """Parent-centric BLX: each child around one parent, as far as the parents are apart."""
    a, b = first.displacements, second.displacements
    apart = np.abs(a - b)
    return (
        make_chromosome(space, first.granularities, rng.uniform(a - apart, a + apart)),
        make_chromosome(space, first.granularities, rng.uniform(b - apart, b + apart)),
    )
