"""Which inputs of a wide table are worth growing on."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats, Indices
from fruler.algorithms.growth.candidates import between
from fruler.kernels import growth_candidates
from fruler.table.rows import Rows

# The most inputs that rules are grown on: the cost of normal equations rises with their square.
MAX_INPUTS = 48
# Inputs are chosen in so many rounds, each by what the ones before leave unexplained.
_N_ROUNDS = 3
_N_BINS = 8
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
    n_inputs, n_rows = rows.columns.shape
    bin_of, centres = np.empty((n_inputs, n_rows), dtype=np.uint8), np.zeros((n_inputs, _N_BINS))
    first, edges, reaches = np.zeros(n_inputs + 1, dtype=np.intc), [], []
    for j, column in enumerate(rows.columns):
        inner = between(np.sort(column), _N_BINS - 1)
        bins = np.searchsorted(inner, column, side="right")
        counts = np.bincount(bins, minlength=_N_BINS)
        centres[j] = np.bincount(bins, weights=column, minlength=_N_BINS) / np.maximum(counts, 1)
        bin_of[j] = bins
        first[j + 1] = first[j] + len(inner)
        edges.append(inner)
        reaches.append(np.full(len(inner), max(0.1 * float(np.ptp(column)), 1e-9)))
    places = np.concatenate(edges)
    return (bin_of, centres), (first, places, np.concatenate(reaches), np.ones(len(places), dtype=np.uint8))


def _regression(rows: Rows, inputs: Indices) -> tuple[Floats, npt.NDArray[np.intc]]:
    """Return what a linear regression on some inputs leaves of the output, and its strongest terms and the constant."""
    terms = rows.rows[:, np.concatenate([[0], inputs + 1])]
    weighted = terms * rows.weight[:, None]
    gram = terms.T @ weighted
    gram[np.diag_indices(len(gram))] += _RIDGE
    coefficients = np.linalg.solve(gram, weighted.T @ rows.y)
    strongest = inputs[np.argsort(-np.abs(coefficients[1:]), kind="stable")[:_N_STRONGEST]]
    return rows.y - terms @ coefficients, np.concatenate([[0], np.sort(strongest) + 1]).astype(np.intc)
