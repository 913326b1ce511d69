"""Folds of one's own: which rows each fold of the cross-validation is fitted to, and which it holds out."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from numbers import Integral
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from fruler._arrays import Indices
from fruler._table.reading import equal_rows

N_FOLDS = 5
LATER = "later rows"
# The side of a row in a fold; 0: the fold does without it.
_FITTED, _HELD_OUT = 1, 2


class Split(NamedTuple):
    """One fold: the rows that it holds out, and those that it is fitted to; None: all others."""

    held_out: Indices
    fitted: Indices | None = None

    def others(self, n_rows: int) -> Indices:
        """Return the rows that the fold is fitted to, of all rows."""
        return np.setdiff1d(np.arange(n_rows), self.held_out) if self.fitted is None else self.fitted


@dataclass(frozen=True, eq=False)
class Folds:
    """The folds that a user asked for.

    Attributes
    ----------
    sides : ndarray of int8, shape (n_rows, n_folds)
        The side of each row in each fold.
    told : str
        How sentences name the rows that are held out: in groups, later ones, or just held-out rows.
    """

    sides: npt.NDArray[np.int8]
    told: str = "held-out rows"

    def __post_init__(self) -> None:
        for side, told in ((_FITTED, "to learn from"), (_HELD_OUT, "to hold out")):
            there = (self.sides == side).any(axis=0)
            if not there.all():
                number = int(np.argmin(there)) + 1
                raise ValueError(f"Fold {number} of {len(there)} has no rows {told}; give other folds.")

    @property
    def alike(self) -> Indices:
        """The number of each row's kind: rows of one kind are on the same side in every fold."""
        return np.unique(self.sides, axis=0, return_inverse=True)[1].reshape(-1)

    @property
    def splits(self) -> list[Split]:
        """The rows of each fold."""
        return [Split(np.flatnonzero(own == _HELD_OUT), np.flatnonzero(own == _FITTED)) for own in self.sides.T]

    def take(self, rows: Indices) -> Self:
        """Return the folds of some of the rows."""
        return replace(self, sides=self.sides[rows])


def group_numbers(groups: Any, n_rows: int) -> Indices:
    """Return the number of each row's group, whatever the groups are called; it does not depend on the order of rows.

    Raises
    ------
    ValueError
        If a row has no group, or there are not as many groups as rows.

    Examples
    --------
    >>> group_numbers(["b", "a", "b"], 3).tolist()
    [1, 0, 1]
    """
    values = np.asarray(groups)
    if values.shape != (n_rows,):
        raise ValueError(f"groups must have one value for each of the {n_rows:,} rows; its shape is {values.shape}.")
    numbers, names = pd.factorize(pd.Series(values))
    if (numbers < 0).any():
        raise ValueError(f"groups has no value in row {int(np.argmax(numbers < 0))}; fill it in, or leave out the row.")
    return np.asarray(np.argsort(np.argsort(np.asarray(names).astype(str), kind="stable"))[numbers], dtype=np.intp)


def own_folds(cv: Any, X: Any, y: Any, groups: Any, random_state: Any) -> Folds | None:
    """Return the folds that a user asked for; None: the search draws its own, in which equal rows are a group.

    Parameters
    ----------
    cv : None, int, splitter or iterable
        The number of folds, a splitter of scikit-learn, or pairs of the rows to learn from and those to hold out.
    X, y, groups
        The rows as passed to `fit`.
    random_state : int, RandomState or None
        The seed for drawing groups.

    Raises
    ------
    ValueError
        If there are too few groups or rows, or the folds are not valid.
    """
    if cv is None and groups is None:
        return None
    n_rows = len(np.asarray(y).reshape(-1))
    numbers = None if groups is None else group_numbers(groups, n_rows)
    if cv is None or isinstance(cv, Integral):
        sides = _drawn(equal_rows(X, y) if numbers is None else numbers, cv, random_state)
    else:
        sides = _of_pairs(cv.split(X, y, groups) if hasattr(cv, "split") else cv, n_rows)
        _refuse_divided(sides, numbers, groups)
    return Folds(sides, _told(sides, groups))


def fold_seed(random_state: Any, n: int) -> np.random.Generator:
    """Return the generator that draws `n` rows or groups: its seed is `random_state` if that is an integer, else 0.

    Another generator would draw other rows in each call, and a search could not be resumed.
    """
    return np.random.default_rng([int(random_state) if isinstance(random_state, int | np.integer) else 0, n])


def _drawn(numbers: Indices, n_folds: Any, random_state: Any) -> npt.NDArray[np.int8]:
    """Draw groups for folds of about equal size."""
    sizes = np.bincount(numbers)
    if len(sizes) < max(2, n_folds or 2):
        wanted = "Folds need at least 2 groups" if n_folds is None else f"cv={n_folds} needs at least {n_folds} groups"
        raise ValueError(f"{wanted} of rows, and there {'is' if len(sizes) == 1 else 'are'} {len(sizes)}.")
    order = fold_seed(random_state, len(sizes)).permutation(len(sizes))
    folds = [(0, fold) for fold in range(min(N_FOLDS, len(sizes)) if n_folds is None else int(n_folds))]
    fold_of = np.empty(len(sizes), dtype=np.intp)
    for group in order[np.argsort(-sizes[order], kind="stable")].tolist():
        size, fold_of[group] = folds[0]
        heapq.heapreplace(folds, (size + int(sizes[group]), int(fold_of[group])))
    held_out = fold_of[numbers][:, None] == np.arange(len(folds))
    return np.where(held_out, _HELD_OUT, _FITTED).astype(np.int8)


def _of_pairs(pairs: Iterable[Any], n_rows: int) -> npt.NDArray[np.int8]:
    """Return the sides of rows in folds given as pairs of row numbers."""
    sides = []
    for number, pair in enumerate(pairs, start=1):
        try:
            fitted, held_out = (np.asarray(part) for part in pair)
        except (TypeError, ValueError):
            raise ValueError(
                f"Fold {number} of cv must be a pair: the numbers of the rows to learn from, and of those to hold out."
            ) from None
        own = np.zeros(n_rows, dtype=np.int8)
        for rows, side in ((fitted, _FITTED), (held_out, _HELD_OUT)):
            if rows.ndim != 1 or (len(rows) and rows.dtype.kind not in "iu"):
                raise ValueError(f"Fold {number} of cv must be two lists of row numbers, counted from 0.")
            if len(rows) and (rows.min() < 0 or rows.max() >= n_rows):
                wrong = rows.min() if rows.min() < 0 else rows.max()
                raise ValueError(f"Fold {number} of cv has row {wrong}; the {n_rows:,} rows are numbered from 0.")
            rows = rows.astype(np.intp)
            if (twice := rows[(own[rows] != 0) & (own[rows] != side)]).size:
                raise ValueError(f"Fold {number} of cv has row {twice[0]} on both sides; each row may be on one.")
            own[rows] = side
        sides.append(own)
    if not sides:
        raise ValueError("cv has no folds; a generator can be used only once, so pass a list of pairs.")
    return np.array(sides).T


def _refuse_divided(sides: npt.NDArray[np.int8], numbers: Indices | None, groups: Any) -> None:
    """Refuse folds that have rows of one group on both sides."""
    if numbers is None:
        return
    for number, own in enumerate(sides.T, start=1):
        both = np.intersect1d(numbers[own == _FITTED], numbers[own == _HELD_OUT])
        if len(both):
            name = np.asarray(groups)[np.argmax(numbers == both[0])]
            raise ValueError(
                f"Fold {number} of cv has rows of the group {name!s} on both sides; leave cv out, or take a splitter "
                "such as GroupKFold."
            )


def _told(sides: npt.NDArray[np.int8], groups: Any) -> str:
    """Return how sentences name the held-out rows."""
    if groups is not None:
        name = getattr(groups, "name", None)
        return f"held-out groups ({name})" if isinstance(name, str) and name else "held-out groups"
    n_rows = len(sides)
    fitted, held_out = sides == _FITTED, sides == _HELD_OUT
    forward = (n_rows - np.argmax(fitted[::-1], axis=0) <= np.argmax(held_out, axis=0)).all()
    return LATER if forward else Folds.told


def forward_folds(times: Any, n_folds: int = N_FOLDS) -> list[tuple[Indices, Indices]]:
    """Return folds in order of time: each is fitted to all rows before those that it holds out.

    The first fold is fitted to about half of the rows, so that its model is much like that of all rows. Rows of one
    time stay together.

    Parameters
    ----------
    times : array-like of shape (n_rows,)
        The time of each row.
    n_folds : int
        The maximum number of folds.

    Examples
    --------
    >>> [(len(fitted), held_out.tolist()) for fitted, held_out in forward_folds([1, 2, 3, 3, 4, 5])]
    [(4, [4]), (5, [5])]
    """
    _, numbers = np.unique(np.asarray(times), return_inverse=True)
    before = np.concatenate([[0], np.cumsum(np.bincount(numbers))])
    if len(before) < 3:
        raise ValueError(f"Folds in order of time need at least 2 times, and there is {len(before) - 1}.")
    wanted = np.linspace(len(numbers) / 2.0, len(numbers), n_folds + 1)
    edges = np.unique([*np.clip(np.searchsorted(before, wanted[:-1] - 0.5), 1, len(before) - 2), len(before) - 1])
    return [
        (np.flatnonzero(numbers < first), np.flatnonzero((numbers >= first) & (numbers < last)))
        for first, last in pairwise(edges.tolist())
    ]
