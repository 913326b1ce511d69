"""What a search is about: the partitions to choose from, and the rows that rules are made from and judged on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler.algorithms.genetic.granularities import Granularities
from fruler.rules.antecedents import T_NORMS, TNorm
from fruler.stages.discretization import NestedSplits
from fruler.table.known_splits import MAX_LABELS
from fruler.table.rows import Rows
from fruler.table.scaling import Scale


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
        Least and greatest value of each input.
    fuzziness : float
        Overlap of neighbouring labels.
    t_norm : {"product", "minimum"}
        How the parts of an antecedent are joined.
    fixed : ndarray of shape (n_inputs,)
        Which inputs have split points that are known: these are taken all or none, and never moved.
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
        scale: Scale,
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
        """The most split points that an input can have."""
        return int(self.splits.shape[2])

    @property
    def arrays(self) -> tuple[Floats, Floats, float, int]:
        """What the kernels read: split points, domains, fuzziness, and the code of the t-norm."""
        return self.splits, self.domains, self.fuzziness, T_NORMS.index(self.t_norm)

    @property
    def max_initial_cells(self) -> int:
        """How many cells of labels, and so rules, an individual may start with."""
        return int(self.n_inputs * self.largest.max())


@dataclass(frozen=True, eq=False)
class Task:
    """What chromosomes are evaluated on.

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
        More rules than this are not looked at.
    """

    space: SearchSpace
    examples: Rows
    fitted: Rows
    scored: Rows | None
    max_rules: int
