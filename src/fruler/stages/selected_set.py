"""Sets of rows that stand for a table: what the table's rows know of them, how they grow, how they are thinned out."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol, Self, TypeVar

import numpy as np

from fruler._typing import Floats, Indices
from fruler.kernels import nearest


class SelectedSet(Protocol):
    """A set of selected rows, which knows how well it stands for all."""

    def add(self, rows: Indices) -> None:
        """Add rows to the set."""

    def copy(self) -> Self:
        """Return a set of the same rows that grows by itself."""

    @property
    def error(self) -> float:
        """How badly all rows of the table are predicted from the set."""


Set = TypeVar("Set", bound=SelectedSet)


class NearestSelected:
    """What every row of a table knows of a selected set, kept up to date as the set grows.

    Parameters
    ----------
    columns : ndarray of shape (n_features, n_samples)
        The inputs on comparable scales.
    y : ndarray of shape (n_samples,)
        The output.
    """

    def __init__(self, columns: Floats, y: Floats) -> None:
        n = len(y)
        self.columns, self.y = columns, y
        self.distance = np.full(n, np.inf)
        self.neighbour = np.full(n, -1, dtype=np.intp)
        self.squared_error = np.zeros(n)

    def add(self, rows: Indices) -> None:
        """Add rows to the set: one pass over the table for each."""
        nearest.extend_selection(self.columns, self.y, rows, self.distance, self.neighbour, self.squared_error)

    def copy(self) -> Self:
        """Return a set of the same rows that grows by itself."""
        other = self.__class__.__new__(self.__class__)
        other.__dict__.update(self.__dict__)
        other.distance, other.neighbour = self.distance.copy(), self.neighbour.copy()
        other.squared_error = self.squared_error.copy()
        return other

    @property
    def mean_squared_error(self) -> float:
        """Mean squared error of predicting each row from the nearest selected row other than itself."""
        return math.inf if (self.neighbour < 0).any() else float(self.squared_error.mean())

    @property
    def error(self) -> float:
        """What decides on the selection: here the mean squared error."""
        return self.mean_squared_error


def grow_while_better(selected: Set, order: Indices, enough: float = -math.inf) -> tuple[Set, int]:
    """Add rows one by one until the first that does not make the error smaller.

    Parameters
    ----------
    selected : SelectedSet
        The set to start from; it is left as it is.
    order : ndarray
        The rows to be added.
    enough : float, default=-inf
        The error at which no more rows are wanted.

    Returns
    -------
    selected : SelectedSet
        The set with the rows that made it better.
    n_added : int
        How many these are: the first of `order`.
    """
    n_added = 0
    while n_added < len(order) and selected.error > enough:
        larger = selected.copy()
        larger.add(order[n_added : n_added + 1])
        if not larger.error < selected.error:
            break
        selected, n_added = larger, n_added + 1
    return selected, n_added


def thin_out(
    thinned: SelectedSet, degrees: Callable[[Indices], tuple[Indices, Indices]], selected: Indices
) -> tuple[Indices, float]:
    """Keep of selected rows those near the borders between classes, layer by layer while that pays.

    Parameters
    ----------
    thinned : SelectedSet
        An empty set, which will hold the rows that are kept (and perhaps a layer that did not pay).
    degrees : callable
        Given rows, returns their in-degrees in the within and between graphs of these rows alone.
    selected : ndarray
        The rows to be thinned out.

    Returns
    -------
    rows : ndarray
        A subset of `selected`.
    error : float
        The error of predicting every row of the table from it.
    """
    within, between = degrees(selected)
    final, rest = selected[between > 0], selected[between == 0]
    connected = (within + between)[between == 0] > 0
    thinned.add(final)
    error = thinned.error
    while len(rest):
        within, between = degrees(rest)
        layer = (between > 0) & connected
        thinned.add(rest[layer])
        if not thinned.error < error:
            break
        error = thinned.error
        final = np.concatenate([final, rest[layer]])
        rest, connected = rest[~layer], ((within + between) > 0)[~layer]
    return final, error


def thin_out_within(
    tolerance: float | None,
    empty: SelectedSet,
    degrees: Callable[[Indices], tuple[Indices, Indices]],
    selected: Indices,
    error: float,
    min_rows: int = 2,
) -> tuple[Indices, float, bool]:
    """Thin out selected rows if the error allows it and enough of them are left.

    Parameters
    ----------
    tolerance : float or None
        By which share the error may grow; whatever the error for infinity, and no thin-out for None.
    empty, degrees, selected
        As for `thin_out`.
    error : float
        The error of `selected`.
    min_rows : int, default=2
        How many rows must be left; of one row alone nobody can say how well it is predicted.

    Returns
    -------
    rows : ndarray
        The thinned rows, or `selected`.
    error : float
        Their error.
    thinned : bool
        Whether rows were left out.
    """
    if tolerance is None:
        return selected, error, False
    thin, thin_error = thin_out(empty, degrees, selected)
    if len(thin) < min_rows or not (math.isinf(tolerance) or thin_error <= (1.0 + tolerance) * error):
        return selected, error, False
    return thin, thin_error, len(thin) < len(selected)


def at_least_two(selected: Indices, scores: Floats) -> Indices:
    """Return selected rows in the order of the table, with the best others where they are fewer than two."""
    if len(selected) < 2:
        others = np.setdiff1d(np.argsort(-scores, kind="stable"), selected, assume_unique=True)
        selected = np.concatenate([selected, others[: 2 - len(selected)]])
    return np.sort(selected)
