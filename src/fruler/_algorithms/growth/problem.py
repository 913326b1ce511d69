"""The problem of a growth: the rows that rules are grown on, and constraints on the inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from fruler._algorithms.growth.options import GrowthOptions
from fruler._algorithms.growth.structure import Structure
from fruler._algorithms.growth.terms import Bools, TermLimits
from fruler._arrays import Floats, Indices
from fruler._kernels import growth_candidates, growth_limits
from fruler._table.constraints import InputConstraints
from fruler._table.rows import Rows, row_numbers
from fruler.learning._folds import Folds
from fruler.rules._losses import SQUARED, Loss

# A label between two split points has at least this share of the rows: nobody believes a sliver.
MIN_LABEL = 0.05
# With _ENOUGH_ROWS of all rows a label is not a sliver, whatever their share; to judge it, it needs _MIN_GROWN_ON of
# the grown rows.
_ENOUGH_ROWS, _MIN_GROWN_ON = 500, 60


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Constraints on the inputs of a growth.

    An input of known direction is in no antecedent, so that the weights of rules do not depend on it. The slope of the
    prediction along this input is then a mean of the rules' slopes, and has the right sign if each of these has. These
    conditions are linear inequalities in the terms.

    Two inputs interact if one is in the antecedent of a rule and the other is in the same antecedent, or in a term that
    this antecedent brings. The terms that all rules share, and the curves, are sums of functions of one input each.

    Attributes
    ----------
    signs : ndarray of int, shape (n_inputs,)
        Whether the output rises (1) or falls (-1) with each input; 0 if its direction is free.
    groups : ndarray of bool, shape (n_groups, n_inputs), or None
        The groups of inputs that may interact with each other; None: all may.
    """

    signs: npt.NDArray[np.intc]
    groups: Bools | None = None

    @classmethod
    def from_options(cls, options: GrowthOptions, names: Sequence[str]) -> Self | None:
        """Return the constraints in the options of a growth, for inputs with these names; None if there are none."""
        signs, groups = options.monotonic_constraints, options.interaction_constraints
        if signs is None and groups is None:
            return None
        known = InputConstraints(
            None if signs is None else dict(signs), None if groups is None else [list(group) for group in groups]
        )
        return cls(known.signs(names), known.groups(names))

    def over(self, inputs: Indices) -> Knowledge:
        """Return the constraints on some of the inputs."""
        return Knowledge(self.signs[inputs], None if self.groups is None else np.unique(self.groups[:, inputs], axis=0))

    @property
    def may_split(self) -> Bools:
        """Which inputs may be in antecedents."""
        return np.asarray(self.signs == 0)

    def partners(self, together: Bools) -> Bools:
        """Return the inputs that may interact with all of `together` at once; none if these may not interact."""
        if self.groups is None:
            return np.ones(len(self.signs), dtype=np.bool_)
        having = (self.groups | ~together).all(axis=1)
        return np.asarray(self.groups[having].any(axis=0))

    def limits(self, structure: Structure) -> TermLimits:
        """Return the limits on the terms of a structure."""
        sides = growth_limits.slope_sides(structure.blocks, self.signs, *structure.bends.arrays)
        return TermLimits(None if self.groups is None else self._allowed(structure), sides)

    def _allowed(self, structure: Structure) -> Bools:
        """Return which terms have an input that may interact with the inputs of their block's antecedent."""
        n, q = structure.n_rules, structure.n_inputs + 1
        allowed = np.ones(structure.n_terms, dtype=np.bool_)
        bounded = structure.bounds >= 0
        for block in range(1, n):
            # The rules of a block together are a box; it is bounded where all of them are.
            ends = np.asarray(bounded[structure.blocks[:, block] > 0.0].all(axis=0))
            own = np.asarray(ends.any(axis=1))
            allowed[block * q + 1 : (block + 1) * q] = self.partners(own)
        return allowed


@dataclass(frozen=True, eq=False)
class GrowthProblem:
    """The rows that rules are grown on, with domains, known split points and constraints.

    Attributes
    ----------
    rows : Rows
        Standardised data.
    domains : ndarray of shape (n_inputs, 2)
        Smallest and largest value of each input.
    known : sequence of ndarray
        Known split points, by input; empty if they are to be found.
    options : GrowthOptions
        Parameters.
    min_label : float
        The minimum share of the rows in a label.
    nominal : ndarray of bool, shape (n_inputs,), or None
        The inputs that stand for categories: their split points are known, and labels do not overlap. None: there are
        none.
    knowledge : Knowledge or None
        Constraints on the inputs; None: there are none.
    loss : Loss
        The loss to minimise, for standardised targets.
    """

    rows: Rows
    domains: Floats
    known: Sequence[Floats]
    options: GrowthOptions
    min_label: float = MIN_LABEL
    nominal: Bools | None = None
    knowledge: Knowledge | None = None
    loss: Loss = SQUARED

    @property
    def fixed(self) -> Bools:
        """Which inputs have known split points."""
        return np.array([len(points) > 0 for points in self.known])

    def of(self, rows: Rows) -> GrowthProblem:
        """Return the same problem for other rows."""
        return replace(self, rows=rows)

    def over(self, inputs: Indices) -> GrowthProblem:
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
    """Return the minimum share of the rows in a label, if rules are grown on some of all rows.

    Examples
    --------
    >>> least_label(900, 900), least_label(20_000, 10_000), least_label(1_000_000, 10_000)
    (0.05, 0.025, 0.006)
    """
    if n_rows == n_grown_on:
        return MIN_LABEL
    return min(MIN_LABEL, max(_ENOUGH_ROWS / n_rows, _MIN_GROWN_ON / n_grown_on))


# Standardised numbers are rounded to multiples of this: other units, or the order in which a mean is summed up, change
# the last bits of a number, which would decide a tie between two candidates.
GRID = 2.0**-30
# Of rows like each other about this many are drawn, or all if there are fewer, however rare they are.
_SEEN = 100
# The largest share of the rows that may be drawn for being rare.
_MAX_RARE = 0.2
# The maximum number of inputs that rules are grown on: the cost of normal equations rises with its square.
MAX_INPUTS = 48
# Inputs are chosen in this many rounds, each on the residuals of the round before.
_N_ROUNDS = 3
_N_BINS = 8
# The number of inputs whose slopes may change where another input bends.
_N_STRONGEST = 5
# The ridge, in rows: enough to keep collinear inputs apart.
_RIDGE = 1.0


def distinct_inputs(rows: Rows, always: Bools) -> Indices:
    """Return the inputs that tell rows apart, each once: neither constants nor copies of an earlier input.

    So a column that says nothing new changes nothing.

    Parameters
    ----------
    rows : Rows
        Standardised data.
    always : ndarray of bool, shape (n_inputs,)
        The inputs to keep in any case.
    """
    kept, seen = [], set()
    for j, column in enumerate(on_grid(rows.columns)):
        if not always[j]:
            first = column[np.argmax(column != 0.0)]
            # The same column with the opposite sign says the same.
            key = (np.copysign(1.0, first) * np.stack([column, on_grid(rows.rows[:, j + 1])]) + 0.0).tobytes()
            if column.min() == column.max() or key in seen:
                continue
            seen.add(key)
        kept.append(j)
    return np.array(kept or [0], dtype=np.intp)


class RowGroups(NamedTuple):
    """Rows in groups of equal rows.

    Attributes
    ----------
    rows : Rows
        The rows, group by group.
    starts : ndarray of shape (n_groups + 1,)
        Where each group begins; the last entry is the number of rows.
    folds : Folds, optional
        The folds of these rows that a user asked for.
    """

    rows: Rows
    starts: Indices
    folds: Folds | None = None

    @property
    def n_groups(self) -> int:
        """The number of groups."""
        return len(self.starts) - 1

    def rows_of(self, groups: Indices) -> Indices:
        """Return the indices of the rows of some groups."""
        chosen = np.zeros(self.n_groups, dtype=np.bool_)
        chosen[groups] = True
        return np.flatnonzero(np.repeat(chosen, np.diff(self.starts)))


def on_grid(values: Floats) -> Floats:
    """Round standardised numbers; a negative zero becomes a positive one."""
    return np.asarray(np.rint(values / GRID) * GRID + 0.0)


def grouped_rows(rows: Rows, max_rows: int, folds: Folds | None = None) -> RowGroups:
    """Round rows and put equal ones together, in an order that depends on their values only.

    Rows on different sides of a fold that a user asked for are not equal.

    A row with a weight of two becomes two rows, if all weights are whole numbers of rows. So the model depends neither
    on the order of the table nor on whether rows are repeated or weighted.

    Parameters
    ----------
    rows : Rows
        Standardised data.
    max_rows : int
        The maximum number of rows that weights are turned into, or the number of rows if that is larger.
    folds : Folds, optional
        The folds of the rows that a user asked for.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[2.0], [1.0], [2.0]]), np.array([5.0, 3.0, 5.0])
    >>> repeated = grouped_rows(Rows.from_arrays(X, y), 100)
    >>> weighted = grouped_rows(Rows.from_arrays(X[[1, 0]], y[[1, 0]], np.array([0.1, 0.2])), 100)
    >>> repeated.rows.y.tolist() == weighted.rows.y.tolist(), repeated.n_groups, weighted.rows.weight.tolist()
    (True, 2, [1.0, 1.0, 1.0])
    """
    columns, terms, y = on_grid(rows.columns), on_grid(rows.rows), on_grid(rows.y)
    kinds = [] if folds is None else [folds.alike]
    whole = np.ascontiguousarray(np.column_stack([y, columns.T, terms, *kinds]))
    # Rows as strings of bytes: any fixed order will do.
    keys = whole.view(np.dtype((np.void, whole.itemsize * whole.shape[1]))).ravel()
    _, first, own = np.unique(keys, return_index=True, return_inverse=True)
    own = own.ravel()
    numbers = row_numbers(rows.weight, max(max_rows, len(rows)))
    if numbers is None:
        order, weight, counts = np.lexsort([rows.weight, own]), rows.weight, np.bincount(own)
    else:
        counts = np.zeros(len(first), dtype=np.intp)
        np.add.at(counts, own, numbers)
        # If all groups are there twice, once is enough.
        counts //= np.gcd.reduce(counts)
        order, weight = np.repeat(first, counts), np.ones(len(rows))
    grouped = Rows(np.ascontiguousarray(columns[:, order]), terms[order], y[order], weight[order])
    starts = np.concatenate([[0], np.cumsum(counts)])
    return RowGroups(grouped, starts, None if folds is None else folds.take(order))


class Drawn(NamedTuple):
    """Drawn rows: their indices, increasing, and their weights, one on average, for the rows they stand for."""

    numbers: Indices
    weight: Floats


def draw_rows(n_alike: npt.NDArray[np.int64], n_drawn: int, rng: np.random.Generator) -> Drawn:
    """Draw rows, rare ones more often than others; their weights make up for that.

    Parameters
    ----------
    n_alike : ndarray of shape (n_rows,)
        For each row, the number of rows like it.
    n_drawn : int
        The number of rows to draw; fewer than there are.
    rng : Generator
        The random number generator.

    Examples
    --------
    Of a million rows, 500 differ from all others. A simple sample of 10,000 would have five of them; this one has
    about 100:

    >>> import numpy as np
    >>> n_alike = np.where(np.arange(1_000_000) % 2000 == 0, 500, 999_500)
    >>> drawn = draw_rows(n_alike, 10_000, np.random.default_rng(0))
    >>> rare = drawn.numbers % 2000 == 0
    >>> len(drawn.numbers), bool(80 < rare.sum() < 120)
    (10000, True)

    Each of these stands for five rows, each of the others for about a hundred:

    >>> float(round(drawn.weight[~rare].mean() / drawn.weight[rare].mean(), 1))
    20.2
    """
    common, seen = n_drawn / len(n_alike), float(_SEEN)
    wanted = np.minimum(seen / n_alike, 1.0)
    while (extra := float(np.maximum(wanted - common, 0.0).sum())) > _MAX_RARE * n_drawn:
        seen /= 2.0
        wanted = np.minimum(seen / n_alike, 1.0)
    n_common = np.count_nonzero(wanted <= common)
    if extra > 0.0 and n_common:
        common -= extra / n_common
    chances = np.maximum(wanted, common)
    # Systematic sampling: along all rows in random order, one is drawn whenever the chances add up to one more.
    order = rng.permutation(len(n_alike))
    edges = np.cumsum(chances[order])
    steps = (rng.uniform() + np.arange(n_drawn)) * (edges[-1] / n_drawn)
    numbers = np.sort(order[np.searchsorted(edges, steps, side="right")])
    weight = 1.0 / chances[numbers]
    return Drawn(numbers, weight / weight.mean())


def screened_inputs(rows: Rows, always: npt.NDArray[np.bool_], max_inputs: int = MAX_INPUTS) -> Indices:
    """Return the indices of the inputs to grow on: all of them, unless there are many.

    The worth of an input is the gain of a regression whose line over this input bends once, and whose slopes over the
    strongest inputs so far change there. The first round explains the output, later rounds the residuals of a linear
    regression on the inputs chosen before.

    Parameters
    ----------
    rows : Rows
        Standardised data.
    always : ndarray of bool, shape (n_inputs,)
        The inputs to take in any case.
    max_inputs : int
        The maximum number of other inputs.
    """
    n_inputs = len(rows.columns)
    if n_inputs <= max_inputs:
        return np.arange(n_inputs)
    chosen = always.copy()
    bins, places = _binned(rows)
    everywhere = np.ones(len(rows)), np.repeat([[-np.inf, np.inf]], n_inputs, axis=0)
    left, strongest = rows.y - np.average(rows.y, weights=rows.weight), np.zeros(1, dtype=np.intc)
    for number in range(_N_ROUNDS):
        gains, _ = growth_candidates.split_gains(
            (rows.rows, rows.weight),
            (everywhere[0], left, everywhere[1]),
            bins,
            places,
            strongest,
            0.0,
            float(rows.weight.sum()),
            _RIDGE / len(rows),
            0.0,
            _N_BINS,
        )
        gains[chosen] = -np.inf
        n_new = max_inputs * (number + 1) // _N_ROUNDS - max_inputs * number // _N_ROUNDS
        best = np.argsort(-gains, kind="stable")[:n_new]
        chosen[best[gains[best] > -np.inf]] = True
        left, strongest = _regression(rows, np.flatnonzero(chosen))
    return np.flatnonzero(chosen)


_Bytes = npt.NDArray[np.uint8]


def _binned(rows: Rows) -> tuple[tuple[_Bytes, Floats], tuple[npt.NDArray[np.intc], Floats, Floats, _Bytes]]:
    """Put every input's rows into a few bins; return the bins, and the places between them where a line may bend."""
    parts = [binned(column, np.sort(column), _N_BINS) for column in rows.columns]
    bins = np.array([bin_of for bin_of, _, _ in parts]), np.array([centres for _, centres, _ in parts])
    counts = [len(edges) for _, _, edges in parts]
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.intc)
    reaches = np.repeat(np.maximum(0.1 * np.ptp(rows.columns, axis=1), 1e-9), counts)
    places = np.concatenate([edges for _, _, edges in parts])
    return bins, (first, places, reaches, np.ones(len(places), dtype=np.uint8))


def binned(column: Floats, values: Floats, n_bins: int) -> tuple[_Bytes, Floats, Floats]:
    """Put a column's rows into bins; return the bin of each row, the mean of each bin, and the edges between bins.

    Parameters
    ----------
    column, values : ndarray of shape (n_rows,)
        The column, and its values in increasing order.
    n_bins : int
        The maximum number of bins.
    """
    edges = between(values, n_bins - 1)
    bins = np.searchsorted(edges, column, side="right")
    counts = np.bincount(bins, minlength=n_bins)
    sums = np.bincount(bins, weights=column, minlength=n_bins)
    # Bins without rows lie above all others.
    centres = np.where(counts > 0, sums / np.maximum(counts, 1), values[-1])
    return bins.astype(np.uint8), centres, edges


def between(values: Floats, max_points: int) -> Floats:
    """Return points midway between increasing values that split them into groups of about equal size.

    Examples
    --------
    >>> import numpy as np
    >>> between(np.array([0.0, 0.0, 1.0, 3.0]), 7).tolist()
    [0.5, 2.0]
    """
    steps = np.flatnonzero(values[1:] > values[:-1])
    if len(steps) > max_points:
        ranks = (np.arange(1, max_points + 1) * len(values)) // (max_points + 1)
        # The step at or after each rank; ranks within a run of equal values share one.
        nearest = np.searchsorted(steps, ranks - 1)
        steps = steps[np.unique(np.minimum(nearest, len(steps) - 1))]
    return np.asarray((values[steps] + values[steps + 1]) / 2.0)


def _regression(rows: Rows, inputs: Indices) -> tuple[Floats, npt.NDArray[np.intc]]:
    """Return the residuals of a linear regression on some inputs, and its constant and strongest terms."""
    terms = rows.rows[:, np.concatenate([[0], inputs + 1])]
    weighted = terms * rows.weight[:, None]
    gram = terms.T @ weighted
    gram[np.diag_indices(len(gram))] += _RIDGE
    coefficients = np.linalg.solve(gram, weighted.T @ rows.y)
    strongest = inputs[np.argsort(-np.abs(coefficients[1:]), kind="stable")[:_N_STRONGEST]]
    return rows.y - terms @ coefficients, np.concatenate([[0], np.sort(strongest) + 1]).astype(np.intc)
