"""What is known of the inputs before a growth: which way the output goes with them, and which may interact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats, Indices
from fruler.algorithms.growth.options import GrowthOptions
from fruler.algorithms.growth.structure import Ramps, Structure
from fruler.consequents.limits import Bools, TermLimits
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
        return Knowledge(self.signs[inputs], None if self.groups is None else self.groups[:, inputs])

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
        parts = [self._inequalities(structure, int(j)) for j in np.flatnonzero(self.signs)]
        inequalities = np.concatenate(parts) if parts else np.empty((0, structure.n_terms))
        return TermLimits(None if self.groups is None else self._allowed(structure), inequalities)

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

    def _inequalities(self, structure: Structure, input: int) -> Floats:
        """Return the slopes along one input, in its direction, of every rule where it is least or greatest."""
        n, q = structure.n_rules, structure.n_inputs + 1
        own = structure.bends.of(input)
        slopes = curve_slopes(structure.bends.take(own))
        terms = (n * q + 2 * own[:, None] + [0, 1]).ravel()
        rows = np.zeros((n, len(slopes), structure.n_terms))
        rows[:, :, 1 + input : n * q : q] = structure.blocks[:, None, :] * slopes[:, :1]
        rows[:, :, terms] = slopes[:, 1:]
        return np.asarray(self.signs[input] * rows.reshape(-1, structure.n_terms))


def curve_slopes(bends: Ramps) -> Floats:
    """Return the slopes of a line with a curve on it, wherever they are extreme, up to a positive factor.

    A piece that begins at the place s with a reach r adds, with t = x - s, a step p and a slope q: (t + r) / (2 r) ·
    (p + q t) while |t| < r, and p + q t beyond. Its slope is linear in the zone, from (p - r q) / (2 r) to
    (p + 3 r q) / (2 r), and q beyond it; zones do not overlap, so that no slope is less than the least of these.

    Parameters
    ----------
    bends : Ramps
        The pieces of the curve, from low to high.

    Returns
    -------
    ndarray of shape (1 + 3 n_pieces, 1 + 2 n_pieces)
        Each row gives a slope of the coefficients: that of the line, then step and slope of each piece.

    Examples
    --------
    >>> import numpy as np
    >>> bend = Ramps(np.zeros(1, dtype=np.intc), np.zeros(1), np.array([0.5]))
    >>> curve_slopes(bend).tolist()
    [[1.0, 0.0, 0.0], [1.0, 1.0, -0.5], [1.0, 1.0, 1.5], [1.0, 0.0, 1.0]]
    """
    n = len(bends)
    slopes = np.zeros((1 + 3 * n, 1 + 2 * n))
    slopes[0, 0] = 1.0
    for k, reach in enumerate(bends.reaches.tolist()):
        below = slopes[3 * k]
        start, end, beyond = slopes[1 + 3 * k : 4 + 3 * k]
        start[:] = end[:] = 2.0 * reach * below
        beyond[:] = below
        start[1 + 2 * k] = end[1 + 2 * k] = 1.0
        start[2 + 2 * k], end[2 + 2 * k], beyond[2 + 2 * k] = -reach, 3.0 * reach, 1.0
    return slopes
