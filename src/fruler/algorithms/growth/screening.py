"""Which inputs of a wide table are worth growing on."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats, Indices
from fruler.kernels import growth_candidates
from fruler.table.rows import Rows

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

    The edges of an input are those of `fruler.algorithms.growth.candidates.between`, here of many inputs at once.
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
