"""The double coding of a data base: how many labels each input has, and where its split points are moved to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import numpy as np

from fruler._typing import Floats
from fruler.algorithms.fruler.problem import SearchSpace
from fruler.algorithms.genetic.granularities import Granularities
from fruler.learning.checkpoint.values import damaged
from fruler.rules.partitions import LARGEST_DISPLACEMENT


@dataclass(frozen=True, eq=False)
class Chromosome:
    """One candidate data base.

    Attributes
    ----------
    granularities : ndarray of shape (n_inputs,)
        The first part, C1: the number of labels of each input; with one label an input is in no antecedent.
    displacements : ndarray of shape (n_inputs, stride)
        The second part, C2: by which share of a gap each split is moved. An input with g labels uses the first g - 1
        values of its row; the others are zero.
    """

    granularities: Granularities
    displacements: Floats

    @cached_property
    def structure(self) -> bytes:
        """C1 as a key."""
        return self.granularities.tobytes()

    @cached_property
    def key(self) -> bytes:
        """The whole chromosome as a short key: equal chromosomes have equal keys."""
        # A digest, since a search remembers every key. Adding zero turns a negative zero into a positive one.
        return blake2b(self.structure + (self.displacements + 0.0).tobytes(), digest_size=16).digest()

    @property
    def genes(self) -> Floats:
        """The displacements in use, in one row: C2 as the paper writes it."""
        return self.displacements[used_genes(self.granularities, self.displacements.shape[1])]


def used_genes(granularities: Granularities, stride: int) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Return which places of a displacement table of this width belong to a split."""
    return np.arange(stride)[None, :] < granularities[:, None] - 1


def make_chromosome(space: SearchSpace, granularities: Granularities, displacements: Floats) -> Chromosome:
    """Build a valid chromosome.

    Displacements are brought within their limits, and are zero where there is no split or it is known; known split
    points are taken all or none.
    """
    granularities = np.array(granularities, dtype=np.intc)
    movable = used_genes(granularities, space.stride)
    if space.fixed.any():
        known = space.fixed & (granularities > 1)
        granularities[known] = space.largest[known]
        movable[space.fixed] = False
    # Plain ufuncs: this is called for every offspring, and `np.clip` alone would take as long as all of it.
    clipped = np.maximum(np.minimum(displacements, LARGEST_DISPLACEMENT), -LARGEST_DISPLACEMENT)
    return Chromosome(granularities, clipped * movable)


def check_chromosomes(space: SearchSpace, chromosomes: Iterable[Chromosome]) -> None:
    """Refuse chromosomes that are none of a search space, as those of a damaged checkpoint are.

    Raises
    ------
    ValueError
        If there is one.
    """
    for one in chromosomes:
        fits = one.granularities.shape == space.largest.shape and one.displacements.shape[1] == space.stride
        if not fits or not _is_made(space, one):
            raise damaged("it has data bases that are impossible for this table")


def _is_made(space: SearchSpace, one: Chromosome) -> bool:
    """Return whether `make_chromosome` would leave it as it is."""
    if ((one.granularities < 1) | (one.granularities > space.largest)).any():
        return False
    return make_chromosome(space, one.granularities, one.displacements).key == one.key


def inherit_displacements(space: SearchSpace, parent: Chromosome, feature: int, granularity: int) -> Floats:
    """Carry the displacements of one input over to another granularity.

    A split that both granularities have keeps its displacement. A new one gets the mean of its two neighbours'
    among the old ones, the nearer counting more; the ends of the domain are neighbours that never move.
    """
    old = int(parent.granularities[feature])
    low, high = space.domains[feature]
    positions = np.concatenate([[low], space.splits[feature, old - 1, : old - 1], [high]])
    moves = np.concatenate([[0.0], parent.displacements[feature, : old - 1], [0.0]])
    row = np.zeros(space.stride)
    # Linear interpolation is the distance-weighted mean, and gives a kept split back what it had.
    row[: granularity - 1] = np.interp(space.splits[feature, granularity - 1, : granularity - 1], positions, moves)
    return row
