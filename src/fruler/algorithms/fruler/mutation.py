"""Mutation of one input's granularity."""

from __future__ import annotations

import numpy as np

from fruler.algorithms.fruler.chromosome import Chromosome, inherit_displacements, make_chromosome
from fruler.algorithms.fruler.problem import SearchSpace
from fruler.algorithms.genetic.granularities import falls, mutate_granularity


def mutate(space: SearchSpace, parent: Chromosome, rng: np.random.Generator) -> Chromosome:
    """Give one random input a label less, or, as likely, any larger number of labels.

    Where only one of the two is possible, that is done; known split points come and go together. Displacements are
    inherited.
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
