"""The double coding of a uniform grid: how many labels each variable has, and by how much they are moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler.algorithms.genetic.codec import ChromosomeCodec
from fruler.algorithms.genetic.granularities import Granularities
from fruler.algorithms.grids.grid import Grid
from fruler.learning.algorithm import Arrays
from fruler.learning.checkpoint.values import checked_floats, damaged

# Displacements are multiples of this, so that searches meet fewer chromosomes that differ in nothing.
_STEP = 1e-6


@dataclass(frozen=True, eq=False)
class GridChromosome:
    """One candidate grid.

    Attributes
    ----------
    granularities : ndarray of shape (n_variables,)
        The number of labels of each variable; an input with one label is in no antecedent.
    displacements : ndarray of shape (n_variables,)
        By which share of the distance of two labels those of a variable are moved; zero where there is one label.
    """

    granularities: Granularities
    displacements: Floats

    @cached_property
    def structure(self) -> bytes:
        """The granularities as a key."""
        return self.granularities.tobytes()

    @cached_property
    def key(self) -> bytes:
        """The whole chromosome as a short key: equal chromosomes have equal keys."""
        return blake2b(self.structure + self.displacements.tobytes(), digest_size=16).digest()


def make_chromosome(grid: Grid, granularities: Granularities, displacements: Floats) -> GridChromosome:
    """Build a valid chromosome: displacements within their limits, and none where there is one label."""
    limit = grid.displacement
    moved = np.maximum(np.minimum(displacements, limit), -limit) * (granularities > 1)
    # Adding zero turns a negative zero into a positive one, which has the same key.
    return GridChromosome(granularities.astype(np.intc), np.rint(moved / _STEP) * _STEP + 0.0)


def _pack(chromosomes: Sequence[GridChromosome]) -> dict[str, npt.NDArray[Any]]:
    return {
        "granularities": np.array([one.granularities for one in chromosomes]),
        "displacements": np.array([one.displacements for one in chromosomes]),
    }


def _unpack(arrays: Arrays) -> list[GridChromosome]:
    displacements = checked_floats(arrays["displacements"], (None, None), "displacements")
    granularities = arrays["granularities"]
    if granularities.dtype.kind != "i" or granularities.shape != displacements.shape:
        raise ValueError("granularities are no whole numbers, or not as many as displacements")
    return [GridChromosome(row.astype(np.intc), moved) for row, moved in zip(granularities, displacements, strict=True)]


GRID_CHROMOSOMES = ChromosomeCodec(_pack, _unpack)


def check_chromosomes(grid: Grid, chromosomes: Sequence[GridChromosome]) -> None:
    """Refuse chromosomes that are none of a grid, as those of a damaged checkpoint are.

    Raises
    ------
    ValueError
        If there is one.
    """
    for one in chromosomes:
        fits = one.granularities.shape == grid.largest.shape
        if fits:
            within = (grid.least <= one.granularities) & (one.granularities <= grid.largest)
            fits = bool(within.all() and (np.abs(one.displacements) <= grid.displacement + _STEP).all())
        if not fits:
            raise damaged("it has grids that are impossible for this table")
