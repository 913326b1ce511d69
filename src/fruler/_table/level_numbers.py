"""Numbers for categories: by their effects on the target, or on the slope of another input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt
from scipy.stats import chi2

from fruler._arrays import Floats

Codes = npt.NDArray[np.intp]

# Categories with fewer rows count as one.
MIN_ROWS = 12
# Rounds in which the effects and their variance are estimated in turn.
_N_ROUNDS = 8
# The limits of the ridge on effects, in rows.
_LEAST_RIDGE, _LARGEST_RIDGE = 0.5, 1e4
# The ridge on the slopes of numbers, as a share of the rows: enough for columns that repeat each other.
_SLOPE_RIDGE = 1e-6
# The number of folds, and the standard errors by which effects must show on held-out rows.
_N_FOLDS = 5
_SHOWS = 2.0
# If shrinkage keeps this share of the effects of a column, on average, held-out effects are not needed.
_WELL_KNOWN = 0.9
# The chance that equal slopes seem to differ between categories, over all tests of a table.
_CHANCE = 0.001
# The number of categories of another column, the most frequent ones, that may change what categories add.
_N_PARTNERS = 8


@dataclass(frozen=True, eq=False)
class Levels:
    """The categories of a column, in groups: rare ones count as one.

    Attributes
    ----------
    codes : ndarray of int, shape (n_rows,)
        The number of each row's category; -1 where it is missing.
    group_of : ndarray of int, shape (n_levels,)
        The group of each category; -1 if all rare categories together are too few for a group.
    weights : ndarray of shape (n_groups,)
        The number of rows of each group.
    """

    codes: Codes
    group_of: Codes
    weights: Floats

    @classmethod
    def counted(cls, codes: Codes, n_levels: int, weight: Floats) -> Self:
        """Put categories of few rows together."""
        known = codes >= 0
        counts = np.bincount(codes[known], weights=weight[known], minlength=n_levels)
        # Two categories are told apart in any case.
        rare = counts < (MIN_ROWS if n_levels > 2 else 0)
        group_of, weights = np.cumsum(~rare) - 1, counts[~rare].astype(np.float64)
        together = float(counts[rare].sum())
        group_of[rare] = len(weights) if together >= MIN_ROWS else -1
        return cls(codes, group_of, np.append(weights, together) if together >= MIN_ROWS else weights)

    @property
    def n_groups(self) -> int:
        """The number of groups."""
        return len(self.weights)

    @property
    def groups(self) -> Codes:
        """The group of each row's category; -1 where there is none."""
        return np.append(self.group_of, -1)[self.codes]

    def numbering(self, numbers: Floats, held_out: Floats | None = None, by: int | None = None) -> Numbering:
        """Return a numbering of the categories, given the number of each group; the mean becomes zero."""
        mean = float(self.weights @ numbers) / float(self.weights.sum())
        levels = np.append(numbers - mean, 0.0)[self.group_of]
        own = np.append(levels, np.nan)[self.codes] if held_out is None else held_out - mean
        return Numbering(levels, np.where(self.codes >= 0, own, np.nan), by)


class Numbering(NamedTuple):
    """Numbers for the categories of a column.

    Attributes
    ----------
    levels : ndarray of shape (n_levels,)
        The number of each category, with a mean of zero over the rows. All are zero if nothing tells categories apart.
    held_out : ndarray of shape (n_rows,)
        The number for each row, estimated from other rows where that matters: slopes that are fitted to these numbers
        do not mistake a row's own noise for an effect. NaN where the category is missing.
    by : int or None
        The input whose slope the numbers change; None if they are effects on the target.
    """

    levels: Floats
    held_out: Floats
    by: int | None = None


def level_numbers(
    codes: Sequence[Codes], sizes: Sequence[int], X: Floats, y: Floats, weight: Floats
) -> list[list[Numbering]]:
    """Return numbers for the categories of some columns, so that a split between two numbers tells categories apart.

    Two categories need no estimate. More are numbered by their effects on the target, next to linear effects of the
    numbers in X; and, if the slope of an input clearly differs between them in another order, by these slopes as well.

    Parameters
    ----------
    codes : sequence of ndarray of int, shape (n_rows,)
        For each column the number of each row's category; -1 where it is missing.
    sizes : sequence of int
        The number of categories of each column.
    X : ndarray of shape (n_rows, n_numbers)
        Numbers without gaps.
    y, weight : ndarray of shape (n_rows,)
        The target, and for how many rows each row counts.

    Returns
    -------
    list of list of Numbering
        One or two for each column; `by` counts the columns of X, and then the columns of categories.

    Examples
    --------
    Three categories that change the target, and three that change the slope of a number:

    >>> import numpy as np
    >>> codes, x = np.tile([0, 1, 2], 100), np.repeat(np.linspace(-1.0, 1.0, 100), 3)
    >>> noise = 0.1 * np.sin(np.arange(300.0) ** 2)
    >>> [[effects]] = level_numbers([codes], [3], x[:, None], 3.0 * codes + noise, np.ones(300))
    >>> (effects.levels.round(1) + 0.0).tolist()
    [-3.0, 0.0, 3.0]
    >>> [[slopes]] = level_numbers([codes], [3], x[:, None], 2.0 * (codes - 1) * x + noise, np.ones(300))
    >>> slopes.by, np.argsort(slopes.levels).tolist()
    (0, [0, 1, 2])
    """
    columns = [Levels.counted(*one, weight) for one in zip(codes, sizes, strict=True)]
    nothing = np.zeros(len(y))
    found = {k: [Numbering(np.zeros(size), nothing)] for k, size in enumerate(sizes)}
    found |= {k: [one.numbering(np.arange(2.0))] for k, one in enumerate(columns) if one.n_groups == 2}
    several = [k for k, one in enumerate(columns) if one.n_groups > 2]
    if several:
        both = [np.nan_to_num(found[k][0].held_out) for k, one in enumerate(columns) if one.n_groups == 2]
        effects, left = _effects([columns[k] for k in several], np.column_stack([X, *both]), y, weight)
        partners = [*enumerate(X.T), *_partners(columns, X.shape[1])]
        for k, own in zip(several, effects, strict=True):
            others = [(j, values) for j, values in partners if j != X.shape[1] + k]
            slopes = _slopes(columns[k], others, left, weight, _CHANCE / (len(several) * max(len(others), 1)))
            found[k] = [one for one in (own, slopes) if one is not None and one.levels.any()] or [own]
            if len(found[k]) == 2 and _in_one_order(own.levels, found[k][1].levels):
                found[k].pop()
    return list(found.values())


def _partners(columns: Sequence[Levels], n_numbers: int) -> list[tuple[int, Floats]]:
    """Return inputs of 0 and 1 for the most frequent categories of each column, with the number of the column."""
    frequent = [np.argsort(-one.weights, kind="stable")[:_N_PARTNERS] for one in columns]
    return [
        (n_numbers + k, (one.groups == group).astype(np.float64))
        for k, one in enumerate(columns)
        # Of two groups, one says it all.
        for group in (frequent[k][:1] if one.n_groups == 2 else frequent[k])
    ]


def _in_one_order(first: Floats, second: Floats) -> bool:
    """Return whether two numberings have the categories in the same order, or one in the opposite order."""
    order = np.diff(second[np.argsort(first, kind="stable")])
    return bool((order >= 0.0).all() or (order <= 0.0).all())


def _slopes(
    column: Levels, partners: Sequence[tuple[int, Floats]], left: Floats, weight: Floats, chance: float
) -> Numbering | None:
    """Return a numbering by the slopes of the input whose slopes differ most clearly between categories, if any do."""
    groups = column.groups
    known = groups >= 0
    groups, left, weight = groups[known], left[known], weight[known]
    noise = float(weight @ np.square(left)) / float(weight.sum())
    found: tuple[float, Floats, int] | None = None
    for j, values in partners:
        x = values[known]
        w, wx, wl, wxx, wxl = (
            np.bincount(groups, weights=weight * one, minlength=column.n_groups)
            for one in (np.ones(len(x)), x, left, x * x, x * left)
        )
        squares, products = wxx - wx * wx / w, wxl - wx * wl / w
        taught = squares > 1e-9 * wxx.sum()
        if noise <= 0.0 or np.count_nonzero(taught) < 2:
            continue
        squares, products = squares[taught], products[taught]
        common = products.sum() / squares.sum()
        gain = float((np.square(products) / squares).sum() - common * products.sum()) / noise
        n_free = len(squares) - 1
        if (by_chance := float(chi2.sf(gain, n_free))) < min(chance, 1.0 if found is None else found[0]):
            # The variance of the slopes, as far as it exceeds that of their estimates.
            variance = max(gain - n_free, 0.0) * noise / (squares.sum() - np.square(squares).sum() / squares.sum())
            numbers = np.zeros(column.n_groups)
            numbers[taught] = (products / squares - common) * variance / (variance + noise / squares)
            found = by_chance, numbers, j
    return None if found is None else column.numbering(found[1], by=found[2])


def _effects(columns: Sequence[Levels], X: Floats, y: Floats, weight: Floats) -> tuple[list[Numbering], Floats]:
    """Return numberings by effects on the target, and what effects and numbers leave of it.

    The effects of a column are random effects around zero; their variance, and so their shrinkage, is estimated from
    the rows. A column whose effects do not show on held-out rows has none.
    """
    codes, sizes = [one.groups for one in columns], [one.n_groups for one in columns]
    spread = X.std(axis=0)
    Z = np.column_stack([np.ones(len(y)), (X - X.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)])
    starts = np.cumsum([Z.shape[1], *sizes])
    blocks = [slice(a, b) for a, b in pairwise(starts)]
    # Neighbouring rows may be alike: folds are drawn at random, always with the same seed. They are drawn from rows in
    # the order of their values, so that the order in which they are given does not matter.
    order = np.lexsort((weight, *X.T, *codes, y))
    folds = np.array_split(order[np.random.default_rng(0).permutation(len(y))], _N_FOLDS)
    y = y - np.average(y, weights=weight)
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
    rest = left - np.sum(held_out, axis=0)
    effects = []
    for column, block, values in zip(columns, blocks, held_out, strict=True):
        own, known = beta[block], column.weights
        if not _shows(values, rest + values, weight):
            effects.append(Numbering(np.zeros(len(column.group_of)), np.zeros(len(y))))
        elif float((known / (known + ridge[block])).mean()) >= _WELL_KNOWN:
            # A row's own share in an effect is next to nothing, and effects that differ by fold would be noise.
            effects.append(column.numbering(own))
        else:
            effects.append(column.numbering(own, values))
    return effects, rest


def _shrunk(gram: Floats, moment: Floats, square: float, total: float, blocks: list[slice]) -> tuple[Floats, Floats]:
    """Return the coefficients and the ridge on each; for effects it follows from their variance and the noise."""
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
            # The mean square of the effects, plus their uncertainty.
            apart = float((np.square(beta[block]) + noise * np.diag(inverse)[block]).mean())
            share = noise / apart if apart > 0.0 else np.inf
            ridge[block] = np.clip(share, _LEAST_RIDGE, _LARGEST_RIDGE)
    return beta, ridge


def _shows(values: Floats, left: Floats, weight: Floats) -> bool:
    """Return whether held-out effects explain more of the residuals than chance would."""
    size = float(weight @ np.square(values))
    if size <= 0.0:
        return False
    slope = float(weight @ (values * left)) / size
    noise = float(weight @ np.square(left - slope * values)) / max(float(weight.sum()), 1.0)
    return bool(slope * np.sqrt(size) > _SHOWS * np.sqrt(noise))


def _normal_equations(
    codes: Sequence[Codes], sizes: Sequence[int], starts: Codes, Z: Floats, y: Floats, weight: Floats
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
