"""What a growth is given: options, what is known of the inputs, and the rows that rules are grown on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from fruler._algorithms.growth.structure import Structure
from fruler._algorithms.growth.terms import Bools, TermLimits
from fruler._kernels import growth_limits
from fruler._table.constraints import InputConstraints
from fruler._table.rows import Rows
from fruler._typing import Floats, Indices

# A label between two split points has at least this share of the rows: nobody believes a sliver.
MIN_LABEL = 0.05
# So many rows are no sliver, whatever their share; but so many of those that are grown on must be there to judge it by.
_ENOUGH_ROWS, _MIN_GROWN_ON = 500, 60


@dataclass(frozen=True)
class GrowthOptions:
    """The parameters of `FuzzyRuleRegressor` that decide on the model; documented there.

    Constraints are those of inputs, by name, as `table.constraints` makes them of columns.
    """

    max_rules: int = 20
    max_curves: int = 4
    locality: float | None = None
    fuzziness: float = 1.0
    regularization: float | None = None
    max_evaluations: int | None = None
    early_stopping: int = 3
    monotonic_constraints: Mapping[str, int] | None = None
    interaction_constraints: Sequence[Sequence[str]] | None = None


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


@dataclass(frozen=True, eq=False)
class Problem:
    """The rows that rules are grown on, and what is given beforehand.

    Attributes
    ----------
    rows : Rows
        Standardised data.
    domains : ndarray of shape (n_inputs, 2)
        Least and greatest value of each input.
    known : sequence of ndarray
        Known split points, by input; empty where they are to be found.
    options : GrowthOptions
        Parameters.
    min_label : float
        The least share of the rows that a label has.
    nominal : ndarray of bool, shape (n_inputs,), or None
        The inputs that stand for categories: their split points, which are known, do not overlap. None: there are none.
    knowledge : Knowledge or None
        Constraints on the inputs; None: there are none.
    """

    rows: Rows
    domains: Floats
    known: Sequence[Floats]
    options: GrowthOptions
    min_label: float = MIN_LABEL
    nominal: Bools | None = None
    knowledge: Knowledge | None = None

    @property
    def fixed(self) -> Bools:
        """Which inputs have known split points."""
        return np.array([len(points) > 0 for points in self.known])

    def of(self, rows: Rows) -> Problem:
        """Return the same problem for other rows."""
        return replace(self, rows=rows)

    def over(self, inputs: Indices) -> Problem:
        """Return the problem with some of the inputs."""
        return replace(
            self,
            rows=self.rows.with_inputs(inputs),
            domains=np.ascontiguousarray(self.domains[inputs]),
            known=[self.known[j] for j in inputs],
            nominal=None if self.nominal is None else self.nominal[inputs],
            knowledge=None if self.knowledge is None else self.knowledge.over(inputs),
        )


def least_label(n_rows: int, n_grown_on: int) -> float:
    """Return the least share of the rows that a label has, if rules are grown on some of all rows.

    Examples
    --------
    >>> least_label(900, 900), least_label(20_000, 10_000), least_label(1_000_000, 10_000)
    (0.05, 0.025, 0.006)
    """
    if n_rows == n_grown_on:
        return MIN_LABEL
    return min(MIN_LABEL, max(_ENOUGH_ROWS / n_rows, _MIN_GROWN_ON / n_grown_on))
