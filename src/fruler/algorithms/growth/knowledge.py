"""What is known of the inputs before a growth: which way the output goes with them, and which may interact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from fruler._typing import Indices
from fruler.algorithms.growth.options import GrowthOptions
from fruler.algorithms.growth.structure import Structure
from fruler.consequents.limits import Bools, TermLimits
from fruler.kernels import growth_limits
from fruler.table.input_constraints import InputConstraints


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Constraints on the inputs of a growth.

    An input of known direction is in no antecedent, so that the weights of rules do not depend on it: then the slope of
    the prediction along it is a mean of the rules' slopes, and of the right sign if each of these is. That is a set of
    inequalities that are linear in the terms.

    Two inputs interact where one is in the antecedent of a rule and the other in it too, or in a term that this
    antecedent brings. What all rules share, and curves, are sums of functions of one input each.

    Attributes
    ----------
    signs : ndarray of int, shape (n_inputs,)
        Whether the output rises (1) or falls (-1) with each input; 0 where that is open.
    groups : ndarray of bool, shape (n_groups, n_inputs), or None
        The inputs that may interact with each other; None: all may.
    """

    signs: npt.NDArray[np.intc]
    groups: Bools | None = None

    @classmethod
    def from_options(cls, options: GrowthOptions, names: Sequence[str]) -> Self | None:
        """Return what the options of a growth say of inputs with some names; None where they say nothing."""
        signs, groups = options.monotonic_constraints, options.interaction_constraints
        if signs is None and groups is None:
            return None
        known = InputConstraints(
            None if signs is None else dict(signs), None if groups is None else [list(group) for group in groups]
        )
        return cls(known.signs(names), known.groups(names))

    def over(self, inputs: Indices) -> Knowledge:
        """Return what is known of some of the inputs."""
        return Knowledge(self.signs[inputs], None if self.groups is None else np.unique(self.groups[:, inputs], axis=0))

    @property
    def may_split(self) -> Bools:
        """Which inputs may be in antecedents."""
        return np.asarray(self.signs == 0)

    def partners(self, together: Bools) -> Bools:
        """Return the inputs that may interact with some others, all at once; none where these may not interact."""
        if self.groups is None:
            return np.ones(len(self.signs), dtype=np.bool_)
        having = (self.groups | ~together).all(axis=1)
        return np.asarray(self.groups[having].any(axis=0))

    def obeyed_by(self, structure: Structure) -> bool:
        """Say whether the antecedents of a structure are allowed."""
        looks_at = np.asarray((structure.bounds >= 0).any(axis=2))
        alone = structure.n_rules == 1
        known = not (looks_at & ~self.may_split).any()
        return known and (alone or all(self.partners(own)[own].all() for own in looks_at))

    def limits(self, structure: Structure) -> TermLimits:
        """Return what is demanded of the terms of a structure."""
        sides = growth_limits.slope_sides(structure.blocks, self.signs, *structure.bends.arrays)
        return TermLimits(None if self.groups is None else self._allowed(structure), sides)

    def _allowed(self, structure: Structure) -> Bools:
        """Return the terms whose input may interact with those that their block depends on."""
        n, q = structure.n_rules, structure.n_inputs + 1
        allowed = np.ones(structure.n_terms, dtype=np.bool_)
        bounded = structure.bounds >= 0
        for block in range(1, n):
            # The rules of a block are together a box, which ends where all of them do.
            ends = np.asarray(bounded[structure.blocks[:, block] > 0.0].all(axis=0))
            own = np.asarray(ends.any(axis=1))
            allowed[block * q + 1 : (block + 1) * q] = self.partners(own)
        return allowed
