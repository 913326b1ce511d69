"""The search space of FRULER, and the double coding of one data base in it.

A chromosome has the number of labels of each input, and the displacements of their split points.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from fruler._algorithms.fruler.discretization import NestedSplits
from fruler._algorithms.genetic import Granularities, LabelGenes
from fruler._arrays import Floats
from fruler._table.constraints import MAX_LABELS
from fruler._table.rows import Rows, Standardization
from fruler.learning._checkpoint import damaged
from fruler.rules._antecedents import T_NORMS, TNorm
from fruler.rules._partitions import LARGEST_DISPLACEMENT


@dataclass(frozen=True, eq=False)
class SearchSpace:
    """The partitions that a chromosome may choose from, in standardised units.

    Attributes
    ----------
    largest : ndarray of shape (n_inputs,)
        The largest granularity of each input.
    splits : ndarray of shape (n_inputs, stride + 1, stride)
        ``splits[j, g - 1, : g - 1]`` are the increasing split points of input j at granularity g.
    domains : ndarray of shape (n_inputs, 2)
        Smallest and largest value of each input.
    fuzziness : float
        Overlap of neighbouring labels.
    t_norm : {"product", "minimum"}
        How the conditions of an antecedent are combined.
    fixed : ndarray of shape (n_inputs,)
        Which inputs have known split points: these are taken all or none, and never moved.
    """

    largest: Granularities
    splits: Floats
    domains: Floats
    fuzziness: float
    t_norm: TNorm
    fixed: npt.NDArray[np.bool_]

    @classmethod
    def from_splits(
        cls,
        nested: list[NestedSplits],
        domains: Floats,
        scale: Standardization,
        *,
        fuzziness: float,
        t_norm: TNorm,
        fixed: npt.NDArray[np.bool_] | None = None,
    ) -> Self:
        """Build the space from split points and domains in the data's own units."""
        largest = np.array([min(splits.granularity, MAX_LABELS) for splits in nested], dtype=np.intc)
        stride = max(1, int(largest.max()) - 1)
        table = np.zeros((len(nested), stride + 1, stride))
        for j, splits in enumerate(nested):
            for granularity in range(2, int(largest[j]) + 1):
                points = (splits.at(granularity) - scale.centre[j]) / scale.spread[j]
                table[j, granularity - 1, : granularity - 1] = points
        scaled = (domains - scale.centre[:, None]) / scale.spread[:, None]
        kept = np.zeros(len(nested), dtype=np.bool_) if fixed is None else fixed
        return cls(largest, table, np.ascontiguousarray(scaled), fuzziness, t_norm, kept)

    @property
    def n_inputs(self) -> int:
        """The number of inputs."""
        return len(self.largest)

    @property
    def stride(self) -> int:
        """The maximum number of split points of an input."""
        return int(self.splits.shape[2])

    @property
    def arrays(self) -> tuple[Floats, Floats, float, int]:
        """The arguments of the kernels: split points, domains, fuzziness, and the code of the t-norm."""
        return self.splits, self.domains, self.fuzziness, T_NORMS.index(self.t_norm)

    @property
    def max_initial_cells(self) -> int:
        """The maximum number of cells of labels, and so of rules, in the first population."""
        return int(self.n_inputs * self.largest.max())


@dataclass(frozen=True, eq=False)
class Task:
    """The rows and the search space that chromosomes are evaluated on.

    Attributes
    ----------
    space : SearchSpace
        The partitions to choose from.
    examples : Rows
        The rows whose cells become rules.
    fitted : Rows
        The rows on which consequents are fitted.
    scored : Rows or None
        The rows on which the error is measured; None: those of `fitted`.
    max_rules : int
        Candidates with more rules are not evaluated.
    """

    space: SearchSpace
    examples: Rows
    fitted: Rows
    scored: Rows | None
    max_rules: int


class Chromosome(LabelGenes):
    """One candidate data base.

    Attributes
    ----------
    granularities : ndarray of shape (n_inputs,)
        The first part, C1: the number of labels of each input; with one label an input is in no antecedent.
    displacements : ndarray of shape (n_inputs, stride)
        The second part, C2: the displacement of each split point as a share of a gap. An input with g labels uses the
        first g - 1 values of its row; the others are zero.
    """

    @property
    def genes(self) -> Floats:
        """The displacements in use, in one row: C2 as the paper writes it."""
        return self.displacements[used_genes(self.granularities, self.displacements.shape[1])]


def used_genes(granularities: Granularities, stride: int) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Return which entries of a displacement table of this width belong to a split point."""
    return np.arange(stride)[None, :] < granularities[:, None] - 1


def make_chromosome(space: SearchSpace, granularities: Granularities, displacements: Floats) -> Chromosome:
    """Build a valid chromosome.

    Displacements are clipped to their limits, and are zero if there is no split point or it is known. Known split
    points are taken all or none.
    """
    granularities = np.array(granularities, dtype=np.intc)
    movable = used_genes(granularities, space.stride)
    if space.fixed.any():
        known = space.fixed & (granularities > 1)
        granularities[known] = space.largest[known]
        movable[space.fixed] = False
    # Plain ufuncs: this is called for every child, and `np.clip` alone would take as long as all the rest.
    clipped = np.maximum(np.minimum(displacements, LARGEST_DISPLACEMENT), -LARGEST_DISPLACEMENT)
    return Chromosome(granularities, clipped * movable)


def linear_rule(space: SearchSpace) -> Chromosome:
    """Return the chromosome of a single linear rule: every input has one label."""
    return make_chromosome(space, np.ones_like(space.largest), np.zeros((space.n_inputs, space.stride)))


def check_chromosomes(space: SearchSpace, chromosomes: Iterable[Chromosome]) -> None:
    """Check that chromosomes of a checkpoint belong to a search space.

    Raises
    ------
    ValueError
        If one does not.
    """
    for one in chromosomes:
        fits = one.granularities.shape == space.largest.shape and one.displacements.shape[1] == space.stride
        if not fits or not _is_made(space, one):
            raise damaged("it has data bases that are impossible for this table")


def _is_made(space: SearchSpace, one: Chromosome) -> bool:
    """Return whether `make_chromosome` would leave the chromosome as it is."""
    if ((one.granularities < 1) | (one.granularities > space.largest)).any():
        return False
    return make_chromosome(space, one.granularities, one.displacements).key == one.key


def inherit_displacements(space: SearchSpace, parent: Chromosome, feature: int, granularity: int) -> Floats:
    """Carry the displacements of one input over to another granularity.

    A split point of both granularities keeps its displacement. A new one gets the distance-weighted mean of its two old
    neighbours; the ends of the domain are neighbours that never move.
    """
    old = int(parent.granularities[feature])
    low, high = space.domains[feature]
    positions = np.concatenate([[low], space.splits[feature, old - 1, : old - 1], [high]])
    moves = np.concatenate([[0.0], parent.displacements[feature, : old - 1], [0.0]])
    row = np.zeros(space.stride)
    # Linear interpolation is the distance-weighted mean, and leaves the displacement of a kept split point unchanged.
    row[: granularity - 1] = np.interp(space.splits[feature, granularity - 1, : granularity - 1], positions, moves)
    return row
