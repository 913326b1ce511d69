"""Common parts of instance selectors: the estimator, classes of the output, neighbour graphs, and selected sets."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils import Tags, _safe_indexing

from fruler._arrays import Floats, Indices
from fruler._kernels import nearest
from fruler._table.reading import check_training_table
from fruler._table.rows import Standardization, measure_scale

# Grid points per bandwidth of the density: fine enough for every minimum that a person would see.
_GRID_POINTS = 32
# Bandwidths after which a Gaussian counts as zero.
_KERNEL_REACH = 8.0
# Share of the highest density below which a step of the grid counts as flat.
_FLAT = 1e-9


@dataclass(frozen=True)
class Selection:
    """The result of instance selection.

    Attributes
    ----------
    indices : ndarray
        The selected rows, in the order of the table.
    class_borders : ndarray
        The outputs that separate the classes.
    scores : ndarray of shape (n_samples,)
        How well a row represents its class; rows are taken in decreasing order.
    error_all, error_selected : float
        Mean squared error of predicting every row's output from its nearest other row: among all rows, and among
        the selected ones.
    criterion_all, criterion_selected : float
        The error that decided on the selection, where it is not the one above: of all rows, and of the selected ones.
    thinned : bool
        Whether the set was thinned out.
    """

    indices: Indices
    class_borders: Floats
    scores: Floats
    error_all: float
    error_selected: float
    criterion_all: float
    criterion_selected: float
    thinned: bool


class InstanceSelector(ABC, BaseEstimator):  # type: ignore[misc]
    """An estimator that selects the rows of a regression table that represent the others.

    A subclass defines its parameters and `_select`.
    """

    n_features_in_: int
    feature_names_in_: npt.NDArray[np.object_]
    sample_indices_: Indices
    scores_: Floats
    class_borders_: Floats
    error_all_: float
    error_selected_: float
    thinned_: bool
    reduction_: float

    @abstractmethod
    def _select(self, X: Floats, y: Floats) -> Selection:
        """Select rows of standardised inputs and output."""

    def _keep_criterion(self, selection: Selection, unit: float) -> None:
        """Set the attributes of the error that decided on the selection, if the selector has any.

        Parameters
        ----------
        selection : Selection
            The selection for the standardised output.
        unit : float
            The output's standard deviation.
        """

    def fit(self, X: Any, y: Any) -> Self:
        """Select the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The inputs.
        y : array-like of shape (n_samples,)
            The target.

        Returns
        -------
        self
            The fitted selector.

        Examples
        --------
        >>> from sklearn.datasets import load_diabetes
        >>> from fruler import ClassConditionalSelector
        >>> X, y = load_diabetes(return_X_y=True)
        >>> ClassConditionalSelector().fit(X, y).sample_indices_.shape
        (106,)
        """
        self._validate_params()
        X_checked, y_checked, _ = check_training_table(self, X, y)
        scaled = measure_scale(X_checked).apply(X_checked)
        # The unit of the output does not matter to the selection, but its square must not overflow.
        scale = measure_scale(y_checked)
        self._keep(self._select(scaled, scale.apply(y_checked)), scale)
        return self

    def _keep(self, selection: Selection, scale: Standardization) -> None:
        unit = float(scale.spread)
        self.sample_indices_ = selection.indices
        self.scores_ = selection.scores
        self.class_borders_ = selection.class_borders * unit + float(scale.centre)
        self.error_all_ = float(selection.error_all * unit * unit)
        self.error_selected_ = float(selection.error_selected * unit * unit)
        self.thinned_ = selection.thinned
        self.reduction_ = 1.0 - len(selection.indices) / len(selection.scores)
        self._keep_criterion(selection, unit)

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Select the rows and return them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The inputs.
        y : array-like of shape (n_samples,)
            The target.

        Returns
        -------
        X_selected : array-like or data frame
            The selected rows, in their order and in the container that was given.
        y_selected : array-like or series
            Their target.
        """
        self.fit(X, y)
        return _safe_indexing(X, self.sample_indices_), _safe_indexing(y, self.sample_indices_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def output_classes(y: Floats) -> tuple[Indices, Floats]:
    """Cut the output's range where its density has a local minimum.

    The density is a Gaussian kernel estimate with Scott's bandwidth.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        The outputs.

    Returns
    -------
    classes : ndarray of shape (n_samples,)
        The class of each row, from 0 for the lowest outputs; no class is empty.
    borders : ndarray
        The outputs that separate the classes; a row on a border belongs to the class above it.

    Examples
    --------
    >>> import numpy as np
    >>> classes, borders = output_classes(np.r_[np.linspace(0, 1, 50), np.linspace(9, 10, 50)])
    >>> classes[[0, -1]].tolist(), borders.round(1).tolist()
    ([0, 1], [5.0])
    """
    low, high = float(y.min()), float(y.max())
    bandwidth = float(y.std(ddof=1)) * len(y) ** -0.2 if len(y) > 1 else 0.0
    if not bandwidth > 0.0:
        return np.zeros(len(y), dtype=np.intp), np.empty(0)
    n_grid = max(2, math.ceil((high - low) / bandwidth * _GRID_POINTS) + 1)
    step = (high - low) / (n_grid - 1)
    # Each output is split between its two neighbouring grid points; the sum of kernels is then one convolution.
    place = (y - low) / step
    left = np.minimum(place.astype(np.intp), n_grid - 2)
    share = place - left
    mass = np.bincount(left, 1.0 - share, n_grid) + np.bincount(left + 1, share, n_grid)
    reach = math.ceil(_KERNEL_REACH * bandwidth / step)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) * step / bandwidth) ** 2)
    density = np.convolve(mass, kernel)[reach : reach + n_grid]
    borders = low + step * _local_minima(density)
    occupied, classes = np.unique(np.searchsorted(borders, y, side="right"), return_inverse=True)
    return classes.astype(np.intp, copy=False), borders[occupied[1:] - 1]


def _local_minima(density: Floats) -> Floats:
    """Return the places, in grid steps, where a fall is followed by a rise; the middle of a flat stretch."""
    steps = np.diff(density)
    # Ripples from rounding are not minima.
    slope = np.sign(np.where(np.abs(steps) > _FLAT * density.max(), steps, 0.0))
    moving = np.flatnonzero(slope)
    turns = np.flatnonzero((slope[moving[:-1]] < 0) & (slope[moving[1:]] > 0))
    # A fall over the step before grid point k+1, a rise over the step after grid point m.
    return (moving[turns] + 1 + moving[turns + 1]) / 2.0


def nearest_rows(distances: Floats, neighbours: Indices) -> Indices:
    """Return the nearest other row of each row, given its nearest in each of the groups that make up the table.

    Parameters
    ----------
    distances, neighbours : ndarray of shape (n_groups, n_samples)
        Squared distances and row numbers; infinite and -1 where a group has no other row.

    Returns
    -------
    ndarray of shape (n_samples,)
        Row numbers; of equally near rows, the lowest.

    Examples
    --------
    >>> import numpy as np
    >>> nearest_rows(np.array([[1.0, 1.0, np.inf], [4.0, 1.0, 4.0]]), np.array([[1, 2, -1], [2, 0, 0]])).tolist()
    [1, 0, 0]
    """
    n = neighbours.shape[1]
    as_near = (distances == distances.min(axis=0)) & (neighbours >= 0)
    return np.asarray(np.where(as_near, neighbours, n).min(axis=0))


def in_degrees(edges: Indices, n: int) -> Indices:
    """Count the edges that point to each of n rows; edges to -1 do not exist."""
    return np.bincount(edges[edges >= 0], minlength=n)


def divergence_scores(within: Indices, between: Indices) -> Floats:
    """Score rows by their in-degrees in the within graph, compared with those in the between graph.

    The score is the row's part of the K-divergence between the two distributions: high inside a class, low at its
    border, and negative exactly where the between graph has the larger share.

    Examples
    --------
    >>> import numpy as np
    >>> divergence_scores(np.array([2, 1, 1]), np.array([0, 1, 1])).round(3).tolist()
    [0.347, -0.245, -0.245]
    """
    p_within, p_between = (degree / max(int(degree.sum()), 1) for degree in (within, between))
    middle = (p_within + p_between) / 2.0
    return _x_log_ratio(p_within, middle) - _x_log_ratio(p_between, middle)


def _x_log_ratio(x: Floats, reference: Floats) -> Floats:
    positive = x > 0.0
    ratio = np.divide(x, reference, out=np.ones_like(x), where=positive)
    return np.asarray(x * np.log(ratio))


def class_conditional_scores(neighbours: Indices) -> Floats:
    """Score each row by how often it is the nearest row within its class, compared with rows of other classes.

    With a single class there is no between graph, and the score counts the within edges.

    Parameters
    ----------
    neighbours : ndarray of shape (2, n_samples)
        The nearest row of each row's own class, and the nearest of any other; -1 where there is none.
    """
    within, between = (in_degrees(edges, neighbours.shape[1]) for edges in neighbours)
    return divergence_scores(within, between)


def subset_degrees(X: Floats, classes: Indices, rows: Indices) -> tuple[Indices, Indices]:
    """Return the in-degrees of rows in the within and between graphs of these rows alone."""
    points = np.ascontiguousarray(X[rows])
    present, compact = np.unique(classes[rows], return_inverse=True)
    _, neighbours = nearest.class_neighbours(
        points, np.ascontiguousarray(points.T), compact.astype(np.intp, copy=False), len(present)
    )
    return in_degrees(neighbours[0], len(rows)), in_degrees(neighbours[1], len(rows))


class SelectedSet(ABC):
    """A set of selected rows, with the error of predicting all rows from it."""

    # The attributes that change when rows are added; copies share all others.
    _changing: ClassVar[tuple[str, ...]]

    @abstractmethod
    def add(self, rows: Indices) -> None:
        """Add rows to the set."""

    @property
    @abstractmethod
    def error(self) -> float:
        """The error of predicting all rows of the table from the set."""

    def copy(self) -> Self:
        """Return an independent copy of the set."""
        other = copy(self)
        for name in self._changing:
            setattr(other, name, getattr(self, name).copy())
        return other


Set = TypeVar("Set", bound=SelectedSet)


class NearestSelected(SelectedSet):
    """The nearest selected row of every row of a table, updated as the selected set grows.

    Parameters
    ----------
    columns : ndarray of shape (n_features, n_samples)
        The inputs on comparable scales.
    y : ndarray of shape (n_samples,)
        The output.
    """

    _changing = ("distance", "neighbour", "squared_error")

    def __init__(self, columns: Floats, y: Floats) -> None:
        n = len(y)
        self.columns, self.y = columns, y
        self.distance = np.full(n, np.inf)
        self.neighbour = np.full(n, -1, dtype=np.intp)
        self.squared_error = np.zeros(n)

    def add(self, rows: Indices) -> None:
        """Add rows to the set, with one pass over the table for each."""
        nearest.extend_selection(self.columns, self.y, rows, self.distance, self.neighbour, self.squared_error)

    @property
    def mean_squared_error(self) -> float:
        """Mean squared error of predicting each row from the nearest selected row other than itself."""
        return math.inf if (self.neighbour < 0).any() else float(self.squared_error.mean())

    @property
    def error(self) -> float:
        """The error that decides on the selection: here the mean squared error."""
        return self.mean_squared_error


def grow_while_better(selected: Set, order: Indices, enough: float = -math.inf) -> tuple[Set, int]:
    """Add rows one by one until one does not reduce the error.

    Parameters
    ----------
    selected : SelectedSet
        The set to start from; it is not changed.
    order : ndarray
        The rows to add, in this order.
    enough : float, default=-inf
        The error at which to stop.

    Returns
    -------
    selected : SelectedSet
        The set with the added rows.
    n_added : int
        The number of added rows, which are the first of `order`.
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
    """Keep the selected rows near the borders between classes, layer by layer while that reduces the error.

    Parameters
    ----------
    thinned : SelectedSet
        An empty set, to which the kept rows are added (and perhaps a layer that did not reduce the error).
    degrees : callable
        Given rows, returns their in-degrees in the within and between graphs of these rows alone.
    selected : ndarray
        The rows to thin out.

    Returns
    -------
    rows : ndarray
        A subset of `selected`.
    error : float
        The error of predicting every row of the table from the subset.
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
    """Thin out selected rows if the error does not grow too much and enough rows are left.

    Parameters
    ----------
    tolerance : float or None
        The share by which the error may grow; infinity allows any error, and None skips the thin-out.
    empty, degrees, selected
        As for `thin_out`.
    error : float
        The error of `selected`.
    min_rows : int, default=2
        The number of rows that must be left; a single row cannot be predicted from another one.

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
    """Return selected rows in the order of the table; if they are fewer than two, with the best others."""
    if len(selected) < 2:
        others = np.setdiff1d(np.argsort(-scores, kind="stable"), selected, assume_unique=True)
        selected = np.concatenate([selected, others[: 2 - len(selected)]])
    return np.sort(selected)
