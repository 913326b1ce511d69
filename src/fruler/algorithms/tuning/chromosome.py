"""The double coding of tuned rules: where the points of triangles are, and which rules there are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats

Selection = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class TunedChromosome:
    """One candidate.

    Attributes
    ----------
    genes : ndarray of shape (n_genes,)
        The first part, C_T: where points lie in their intervals, from 0 to 1.
    selected : ndarray of bool, shape (n_rules,)
        The second part, C_S: which rules are selected.
    """

    genes: Floats
    selected: Selection

    @cached_property
    def key(self) -> bytes:
        """The chromosome as a short key: equal chromosomes have equal keys."""
        # Adding zero turns a negative zero into a positive one.
        content = (self.genes + 0.0).tobytes() + self.selected.tobytes()
        return blake2b(content, digest_size=16).digest()

    @property
    def n_rules(self) -> int:
        """The number of rules that are selected."""
        return int(np.count_nonzero(self.selected))
