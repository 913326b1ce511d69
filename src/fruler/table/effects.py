"""What each category adds to the target, beside the numbers of a table: shrunk the more, the less it is known."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats

Codes = npt.NDArray[np.intp]

# Rounds in which effects, and how much categories differ at all, are estimated in turn.
_N_ROUNDS = 8
# In rows: what every effect is shrunk by, at the least and at the most.
_LEAST_RIDGE, _LARGEST_RIDGE = 0.5, 1e4
# On the slopes of numbers, as a share of the rows: enough for columns that repeat each other.
_SLOPE_RIDGE = 1e-6


def level_effects(codes: Sequence[Codes], sizes: Sequence[int], X: Floats, y: Floats, weight: Floats) -> list[Floats]:
    """Return what each category of some columns adds to y, where the numbers in X add what they can.

    The effects of a column are taken to be drawn around zero; how far they lie apart, and so how much they are shrunk,
    is estimated from the rows. A column that explains nothing but noise has effects near zero.

    Parameters
    ----------
    codes : sequence of ndarray of int, shape (n_rows,)
        For each column the number of each row's category; -1 where there is none.
    sizes : sequence of int
        How many categories each column has.
    X : ndarray of shape (n_rows, n_numbers)
        Numbers without gaps.
    y, weight : ndarray of shape (n_rows,)
        The target, and how much each row counts.

    Returns
    -------
    list of ndarray
        The effects of each column's categories, in the target's unit; their mean over the rows is zero.

    Examples
    --------
    >>> import numpy as np
    >>> codes = np.repeat([0, 1], 50)
    >>> y = 3.0 * codes + np.sin(np.arange(100.0))
    >>> [effects] = level_effects([codes], [2], np.empty((100, 0)), y, np.ones(100))
    >>> effects.round(1).tolist()
    [-1.5, 1.5]
    """
    n, total = len(y), float(weight.sum())
    spread = X.std(axis=0)
    Z = np.column_stack([np.ones(n), (X - X.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)])
    q, starts = Z.shape[1], np.cumsum([Z.shape[1], *sizes])
    gram, moment = _normal_equations(codes, sizes, starts, Z, y, weight)
    blocks = [slice(a, b) for a, b in pairwise(starts)]
    ridge = np.full(starts[-1], 1.0)
    ridge[:q] = _SLOPE_RIDGE * total
    square = float(weight @ np.square(y))
    counts = np.diag(gram)
    for _ in range(_N_ROUNDS):
        solved = np.linalg.solve(gram + np.diag(ridge), np.column_stack([moment, np.eye(len(ridge))]))
        beta, inverse = solved[:, 0], solved[:, 1:]
        freedom = max(total - float(np.einsum("ij,ji->", inverse, gram)), 1.0)
        noise = max(float(square - 2.0 * beta @ moment + beta @ gram @ beta) / freedom, 0.0)
        for block in blocks:
            # The mean square of effects, and what is not known of them.
            apart: float = float((np.square(beta[block]) + noise * np.diag(inverse)[block]).mean())
            share = noise / apart if apart > 0.0 else np.inf
            ridge[block] = np.clip(share, _LEAST_RIDGE, _LARGEST_RIDGE)
    effects = []
    for block in blocks:
        own, known = beta[block], counts[block]
        effects.append(own - (known @ own) / max(float(known.sum()), 1e-300))
    return effects


def _normal_equations(
    codes: Sequence[Codes], sizes: Sequence[int], starts: npt.NDArray[np.intp], Z: Floats, y: Floats, weight: Floats
) -> tuple[Floats, Floats]:
    """Return the Gram matrix of numbers and categories, and their moments, by counting rather than multiplying."""
    order, q = int(starts[-1]), Z.shape[1]
    gram, moment = np.zeros((order, order)), np.zeros(order)
    weighted = Z * weight[:, None]
    gram[:q, :q], moment[:q] = weighted.T @ Z, weighted.T @ y
    for one, (code, size) in enumerate(zip(codes, sizes, strict=True)):
        own = slice(starts[one], starts[one + 1])
        known = code >= 0
        at = code[known]
        gram[own, :q] = np.column_stack(
            [np.bincount(at, weights=column, minlength=size) for column in weighted[known].T]
        )
        gram[:q, own] = gram[own, :q].T
        moment[own] = np.bincount(at, weights=(weight * y)[known], minlength=size)
        for two in range(one + 1):
            both = known & (codes[two] >= 0)
            pairs = code[both] * sizes[two] + codes[two][both]
            counts = np.bincount(pairs, weights=weight[both], minlength=size * sizes[two]).reshape(size, sizes[two])
            other = slice(starts[two], starts[two + 1])
            gram[own, other] = counts
            gram[other, own] = counts.T
    return gram, moment
