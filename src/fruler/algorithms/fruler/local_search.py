"""Local search: simpler relatives of an individual, with other split points."""

from __future__ import annotations

import numpy as np

from fruler.algorithms.fruler.chromosome import Chromosome, make_chromosome
from fruler.algorithms.fruler.problem import SearchSpace
from fruler.rules.partitions import LARGEST_DISPLACEMENT


def relatives(space: SearchSpace, parent: Chromosome, count: int, rng: np.random.Generator) -> list[Chromosome]:
    """Make relatives whose every input has as many labels as the parent's or, as likely, fewer.

    Displacements are drawn evenly from all that are possible.
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
