"""The rows and inputs that rules are grown on: some rows of a large table, equal ones together, and some inputs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fruler._kernels import growth_candidates
from fruler._table.rows import Rows
from fruler._typing import Floats, Indices

# Standardised numbers are rounded to multiples of this: other units, or the order in which a mean is summed up, change
# the last bits of a number, and a tie between two candidates would be decided by these.
GRID = 2.0**-30
# Weights are taken for numbers of rows if they are whole multiples of the least of them, or of this part of it.
_MAX_PARTS, _WHOLE = 4, 1e-9
# So many of the rows that are like each other are drawn, if there are as many, however rare they are.
_SEEN = 100
# The largest share of the rows that may be drawn for being rare.
_MAX_RARE = 0.2
# The most inputs that rules are grown on: the cost of normal equations rises with their square.
MAX_INPUTS = 48
# Inputs are chosen in so many rounds, each by what the ones before leave unexplained.
_N_ROUNDS = 3
_N_BINS = 8
# Inputs that are put into bins at a time.
_INPUTS_A_SLICE = 256
# How many inputs have slopes that may change where another one bends.
_N_STRONGEST = 5
# In rows: enough to keep collinear inputs apart.
_RIDGE = 1.0


class RowGroups(NamedTuple):
    """Rows in groups of equal ones.

    Attributes
    ----------
    rows : Rows
        The rows, group by group.
    starts : ndarray of shape (n_groups + 1,)
        Where each group begins; the last entry is the number of rows.
    """

    rows: Rows
    starts: Indices

    @property
    def n_groups(self) -> int:
        """The number of groups."""
        return len(self.starts) - 1

    def rows_of(self, groups: Indices) -> Indices:
        """Return the numbers of the rows of some groups."""
        chosen = np.zeros(self.n_groups, dtype=np.bool_)
        chosen[groups] = True
        return np.flatnonzero(np.repeat(chosen, np.diff(self.starts)))


def on_grid(values: Floats) -> Floats:
    """Round standardised numbers; a negative zero becomes a positive one."""
    return np.asarray(np.rint(values / GRID) * GRID + 0.0)


def grouped_rows(rows: Rows, max_rows: int) -> RowGroups:
    """Round rows and put equal ones together, in an order that depends on nothing but what they are.

    A row with a weight of two becomes two rows, if all weights are like that. So the same model comes of a table in any
    order, and of rows that are repeated or have a weight instead.

    Parameters
    ----------
    rows : Rows
        Standardised data.
    max_rows : int
        The most rows that weights may be turned into, if there are fewer rows than that.

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
    whole = np.ascontiguousarray(np.column_stack([y, columns.T, terms]))
    # As strings of bytes, whose order is as good as any other.
    keys = whole.view(np.dtype((np.void, whole.itemsize * whole.shape[1]))).ravel()
    _, first, own = np.unique(keys, return_index=True, return_inverse=True)
    own = own.ravel()
    numbers = _row_numbers(rows.weight, max(max_rows, len(rows)))
    if numbers is None:
        order, weight, counts = np.lexsort([rows.weight, own]), rows.weight, np.bincount(own)
    else:
        counts = np.zeros(len(first), dtype=np.intp)
        np.add.at(counts, own, numbers)
        # What is there twice throughout might as well be there once.
        counts //= np.gcd.reduce(counts)
        order, weight = np.repeat(first, counts), np.ones(len(rows))
    grouped = Rows(np.ascontiguousarray(columns[:, order]), terms[order], y[order], weight[order])
    return RowGroups(grouped, np.concatenate([[0], np.cumsum(counts)]))


def _row_numbers(weights: npt.NDArray[np.floating], max_rows: int) -> Indices | None:
    """Return how many rows weights stand for, as few as may be; None where they don't."""
    # The least of them may be zero, next to a huge one.
    if weights.max() > max_rows * weights.min():
        return None
    for parts in range(1, _MAX_PARTS + 1):
        multiples = weights * (parts / weights.min())
        numbers = np.rint(multiples)
        if numbers.sum() > max_rows:
            return None
        if (np.abs(multiples - numbers) <= _WHOLE * multiples).all():
            return np.asarray(numbers, dtype=np.intp)
    return None


class Drawn(NamedTuple):
    """Rows that were drawn: their numbers, increasing, and how many of all rows each stands for, one on average."""

    numbers: Indices
    weight: Floats


def draw_rows(n_alike: npt.NDArray[np.int64], n_drawn: int, rng: np.random.Generator) -> Drawn:
    """Draw rows, the rare ones more often than others; their weights make up for that.

    Parameters
    ----------
    n_alike : ndarray of shape (n_rows,)
        For each row, how many there are like it.
    n_drawn : int
        How many to draw; fewer than there are.
    rng : Generator
        Where chance comes from.

    Examples
    --------
    Of a million rows 500 are like no other. Of 10,000 that are drawn they would be five; so they are about 100:

    >>> import numpy as np
    >>> n_alike = np.where(np.arange(1_000_000) % 2000 == 0, 500, 999_500)
    >>> drawn = draw_rows(n_alike, 10_000, np.random.default_rng(0))
    >>> rare = drawn.numbers % 2000 == 0
    >>> len(drawn.numbers), bool(80 < rare.sum() < 120)
    (10000, True)

    Each stands for five, the others for about a hundred:

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
    # Along all rows in random order, one is drawn whenever their chances have added up to one more.
    order = rng.permutation(len(n_alike))
    edges = np.cumsum(chances[order])
    steps = (rng.uniform() + np.arange(n_drawn)) * (edges[-1] / n_drawn)
    numbers = np.sort(order[np.searchsorted(edges, steps, side="right")])
    weight = 1.0 / chances[numbers]
    return Drawn(numbers, weight / weight.mean())


def screened_inputs(rows: Rows, always: npt.NDArray[np.bool_], max_inputs: int = MAX_INPUTS) -> Indices:
    """Return the numbers of the inputs to grow on: all of them, unless there are many.

    An input is worth what a regression explains whose line over it bends once, and whose slopes over the strongest
    inputs so far change there; of the output at first, and in later rounds of what a linear regression on the inputs
    chosen before leaves of it.

    Parameters
    ----------
    rows : Rows
        Standardised data.
    always : ndarray of bool, shape (n_inputs,)
        The inputs to take in any case.
    max_inputs : int
        The most inputs, but for these.
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
    n_inputs = len(rows.columns)
    parts = [_bins_of(rows.columns[start : start + _INPUTS_A_SLICE]) for start in range(0, n_inputs, _INPUTS_A_SLICE)]
    bin_of, centres, counts, places, reaches = (np.concatenate(part) for part in zip(*parts, strict=True))
    first = np.zeros(n_inputs + 1, dtype=np.intc)
    np.cumsum(counts, out=first[1:])
    return (bin_of, centres), (first, places, reaches, np.ones(len(places), dtype=np.uint8))


def _bins_of(columns: Floats) -> tuple[_Bytes, Floats, Indices, Floats, Floats]:
    """Return of some inputs the bin of each row, the mean of each bin, the number of edges, these and their reaches.

    The edges of an input are those of `fruler._algorithms.growth.candidates.between`, here of many inputs at once.
    """
    n_inputs, n_rows = columns.shape
    values = np.sort(columns, axis=1)
    is_step = values[:, 1:] > values[:, :-1]
    n_steps = is_step.sum(axis=1)
    many = np.flatnonzero(n_steps > _N_BINS - 1)
    is_edge = is_step.copy()
    if len(many):
        at = np.where(is_step[many], np.arange(n_rows - 1), n_rows)
        following = np.minimum.accumulate(at[:, ::-1], axis=1)[:, ::-1]
        last = np.where(is_step[many], at, -1).max(axis=1)
        ranks = np.arange(1, _N_BINS) * n_rows // _N_BINS
        is_edge[many] = False
        # The step at or after each rank, or the last one.
        is_edge[many[:, None], np.minimum(following[:, ranks - 1], last[:, None])] = True
    inputs, steps = np.nonzero(is_edge)
    edges = (values[inputs, steps] + values[inputs, steps + 1]) / 2.0
    counts = is_edge.sum(axis=1)
    numbers = np.arange(len(edges)) - np.repeat(np.cumsum(counts) - counts, counts)
    bins = np.zeros((n_inputs, n_rows), dtype=np.intp)
    for number in range(_N_BINS - 1):
        own = numbers == number
        bins[inputs[own]] += columns[inputs[own]] >= edges[own, None]
    flat = (np.arange(n_inputs)[:, None] * _N_BINS + bins).ravel()
    sums = np.bincount(flat, weights=columns.ravel(), minlength=n_inputs * _N_BINS)
    centres = sums / np.maximum(np.bincount(flat, minlength=n_inputs * _N_BINS), 1)
    reaches = np.maximum(0.1 * (values[:, -1] - values[:, 0]), 1e-9)
    return bins.astype(np.uint8), centres.reshape(n_inputs, _N_BINS), counts, edges, np.repeat(reaches, counts)


def _regression(rows: Rows, inputs: Indices) -> tuple[Floats, npt.NDArray[np.intc]]:
    """Return what a linear regression on some inputs leaves of the output, and its strongest terms and the constant."""
    terms = rows.rows[:, np.concatenate([[0], inputs + 1])]
    weighted = terms * rows.weight[:, None]
    gram = terms.T @ weighted
    gram[np.diag_indices(len(gram))] += _RIDGE
    coefficients = np.linalg.solve(gram, weighted.T @ rows.y)
    strongest = inputs[np.argsort(-np.abs(coefficients[1:]), kind="stable")[:_N_STRONGEST]]
    return rows.y - terms @ coefficients, np.concatenate([[0], np.sort(strongest) + 1]).astype(np.intc)
