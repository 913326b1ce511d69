"""What each category adds to the target, beside the numbers of a table: shrunk the more, the less it is known."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

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
# Parts of the rows that are held out in turn; and by how many standard errors effects must show on them.
_N_FOLDS = 5
_SHOWS = 2.0
# Where shrinkage leaves so much of the effects of a column, on average, they are taken as they are.
_WELL_KNOWN = 0.9


class Effects(NamedTuple):
    """What the categories of a column add to the target.

    Attributes
    ----------
    levels : ndarray of shape (n_levels,)
        By category, in the target's unit; their mean over the rows is zero. All are zero where the column says nothing.
    held_out : ndarray of shape (n_rows,)
        By row, from rows that it is not among where that matters: what is fitted to these does not take the rows' own
        noise for effects.
    """

    levels: Floats
    held_out: Floats


def level_effects(codes: Sequence[Codes], sizes: Sequence[int], X: Floats, y: Floats, weight: Floats) -> list[Effects]:
    """Return what each category of some columns adds to y, where the numbers in X add what they can.

    The effects of a column are taken to be drawn around zero; how far they lie apart, and so how much they are shrunk,
    is estimated from the rows. A column whose effects do not show on rows that are held out has none.

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

    Examples
    --------
    >>> import numpy as np
    >>> codes = np.repeat([0, 1], 50)
    >>> y = 3.0 * codes + np.sin(np.arange(100.0))
    >>> [effects] = level_effects([codes], [2], np.empty((100, 0)), y, np.ones(100))
    >>> effects.levels.round(1).tolist()
    [-1.5, 1.5]
    """
    y = y - np.average(y, weights=weight)
    spread = X.std(axis=0)
    Z = np.column_stack([np.ones(len(y)), (X - X.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)])
    starts = np.cumsum([Z.shape[1], *sizes])
    blocks = [slice(a, b) for a, b in pairwise(starts)]
    # Rows that follow each other may be alike: folds are drawn, always in the same way.
    folds = np.array_split(np.random.default_rng(0).permutation(len(y)), _N_FOLDS)
    parts = [
        _normal_equations([code[fold] for code in codes], sizes, starts, Z[fold], y[fold], weight[fold])
        for fold in folds
    ]
    gram, moment = (np.sum([part[k] for part in parts], axis=0) for k in range(2))
    beta, ridge = _shrunk(gram, moment, float(weight @ np.square(y)), float(weight.sum()), blocks)
    held_out = [np.zeros(len(y)) for _ in codes]
    left = y - Z @ beta[: Z.shape[1]]
    for fold, (own_gram, own_moment) in zip(folds, parts, strict=True):
        without = np.linalg.solve(gram - own_gram + np.diag(ridge), moment - own_moment)
        for values, code, block in zip(held_out, codes, blocks, strict=True):
            values[fold] = np.append(without[block], 0.0)[code[fold]]
    counts = np.diag(gram)
    effects = []
    for column, block in enumerate(blocks):
        values, own = held_out[column], beta[block]
        others = sum((one for k, one in enumerate(held_out) if k != column), start=np.zeros(len(y)))
        if not _shows(values, left - others, weight):
            effects.append(Effects(np.zeros(len(own)), np.zeros(len(y))))
            continue
        known = counts[block]
        mean = float(known @ own) / max(float(known.sum()), 1e-300)
        if float((known / (known + ridge[block])).mean()) >= _WELL_KNOWN:
            # A row's own share in an effect is next to nothing, and effects that differ by fold would be noise.
            values = np.append(own, 0.0)[codes[column]]
        effects.append(Effects(own - mean, np.where(codes[column] >= 0, values - mean, np.nan)))
    return effects


def _shrunk(gram: Floats, moment: Floats, square: float, total: float, blocks: list[slice]) -> tuple[Floats, Floats]:
    """Return coefficients, and the ridge on each: of effects what their own spread and the noise ask for."""
    q = blocks[0].start
    ridge = np.full(len(moment), 1.0)
    ridge[:q] = _SLOPE_RIDGE * total
    beta: Floats = np.zeros(len(moment))
    for _ in range(_N_ROUNDS):
        solved = np.linalg.solve(gram + np.diag(ridge), np.column_stack([moment, np.eye(len(ridge))]))
        beta, inverse = np.asarray(solved[:, 0], dtype=np.float64), solved[:, 1:]
        freedom = max(total - float(np.einsum("ij,ji->", inverse, gram)), 1.0)
        noise = max(float(square - 2.0 * beta @ moment + beta @ gram @ beta) / freedom, 0.0)
        for block in blocks:
            # The mean square of effects, and what is not known of them.
            apart = float((np.square(beta[block]) + noise * np.diag(inverse)[block]).mean())
            share = noise / apart if apart > 0.0 else np.inf
            ridge[block] = np.clip(share, _LEAST_RIDGE, _LARGEST_RIDGE)
    return beta, ridge


def _shows(values: Floats, left: Floats, weight: Floats) -> bool:
    """Say whether effects that were found without the rows explain more of what is left than chance would."""
    size = float(weight @ np.square(values))
    if size <= 0.0:
        return False
    slope = float(weight @ (values * left)) / size
    noise = float(weight @ np.square(left - slope * values)) / max(float(weight.sum()), 1.0)
    return bool(slope * np.sqrt(size) > _SHOWS * np.sqrt(noise))


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
