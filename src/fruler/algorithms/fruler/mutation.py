"""Mutation of one input's granularity."""

from __future__ import annotations

import numpy as np

from fruler.algorithms.fruler.chromosome import Chromosome, inherit_displacements, make_chromosome
from fruler.algorithms.fruler.problem import SearchSpace


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
    decrease = rng.random() < 0.5
    if granularity == 1:
        decrease = False
    elif granularity == largest:
        decrease = True
    if space.fixed[feature]:
        new = 1 if decrease else largest
    else:
        new = granularity - 1 if decrease else int(rng.integers(granularity + 1, largest, endpoint=True))
    granularities = parent.granularities.copy()
    granularities[feature] = new
    displacements = parent.displacements.copy()
    displacements[feature] = inherit_displacements(space, parent, feature, new)
    return make_chromosome(space, granularities, displacements)
