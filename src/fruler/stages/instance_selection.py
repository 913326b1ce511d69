"""Stage 1: keep the rows that represent the others (class-conditional nearest neighbours)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils import Tags, _safe_indexing
from sklearn.utils._param_validation import Interval, StrOptions

from fruler._typing import Floats
from fruler.kernels import nearest
from fruler.table.scaling import measure_scale
from fruler.table.validation import check_training_table

Integers = npt.NDArray[np.intp]
CoreError = Literal["mse", "rmse"]
Improvement = Literal["previous", "best"]

# Grid points a bandwidth of the density: fine enough that no minimum that a person would see falls between two.
_GRID_POINTS = 32
# Bandwidths after which a Gaussian counts as zero.
_KERNEL_REACH = 8.0
# Share of the highest density below which a step of the grid counts as level.
_FLAT = 1e-9


@dataclass(frozen=True)
class Selection:
    """What instance selection found.

    Attributes
    ----------
    indices : ndarray
        The selected rows, in the order of the table.
    class_borders : ndarray
        The outputs at which one class ends and the next begins.
    scores : ndarray of shape (n_samples,)
        How well a row represents its class; rows are taken in decreasing order.
    error_all, error_selected : float
        Mean squared error of predicting every row's output from its nearest other row: among all rows, and among
        the selected ones.
    thinned : bool
        Whether the set was thinned out.
    """

    indices: Integers
    class_borders: Floats
    scores: Floats
    error_all: float
    error_selected: float
    thinned: bool


class NearestSelected:
    """What every row of a table knows of a selected set, kept up to date as the set grows."""

    def __init__(self, columns: Floats, y: Floats) -> None:
        n = len(y)
        self.columns, self.y = columns, y
        self.distance = np.full(n, np.inf)
        self.neighbour = np.full(n, -1, dtype=np.intp)
        self.squared_error = np.zeros(n)

    def add(self, rows: Integers) -> None:
        """Add rows to the set: one pass over the table for each."""
        nearest.extend_selection(self.columns, self.y, rows, self.distance, self.neighbour, self.squared_error)

    @property
    def error(self) -> float:
        """Mean squared error of predicting each row from the nearest selected row other than itself."""
        return math.inf if (self.neighbour < 0).any() else float(self.squared_error.mean())


def output_classes(y: Floats) -> tuple[Integers, Floats]:
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
    # Each output is shared out between the two grid points beside it; the sum of kernels is then one convolution.
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
    # Ripples of rounding are no minima.
    slope = np.sign(np.where(np.abs(steps) > _FLAT * density.max(), steps, 0.0))
    moving = np.flatnonzero(slope)
    turns = np.flatnonzero((slope[moving[:-1]] < 0) & (slope[moving[1:]] > 0))
    # A fall over the step before grid point k+1, a rise over the step after grid point m.
    return (moving[turns] + 1 + moving[turns + 1]) / 2.0


def class_conditional_scores(neighbours: Integers) -> Floats:
    """Score each row by how often it is the nearest of its own class, against how often of another.

    The score is the row's part of the K-divergence between the two distributions: high inside a class, low at its
    border. With one class only there is no between graph, and what is left counts the within edges.
    """
    n = neighbours.shape[1]
    within, between = (_in_degree(edges, n) for edges in neighbours)
    p_within, p_between = (degree / max(int(degree.sum()), 1) for degree in (within, between))
    middle = (p_within + p_between) / 2.0
    return _x_log_ratio(p_within, middle) - _x_log_ratio(p_between, middle)


def _in_degree(edges: Integers, n: int) -> Integers:
    return np.bincount(edges[edges >= 0], minlength=n)


def _x_log_ratio(x: Floats, reference: Floats) -> Floats:
    positive = x > 0.0
    ratio = np.divide(x, reference, out=np.ones_like(x), where=positive)
    return np.asarray(x * np.log(ratio))


def select_instances(
    X: Floats,
    y: Floats,
    *,
    core_error: CoreError = "mse",
    improvement: Improvement = "previous",
    thin_out_tolerance: float | None = 0.1,
) -> Selection:
    """Select representative rows; the estimator `ClassConditionalSelector` documents the parameters.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Inputs on comparable scales: distances are Euclidean.
    y : ndarray of shape (n_samples,)
        The output, in any unit.
    core_error, improvement, thin_out_tolerance
        As in `ClassConditionalSelector`.

    Returns
    -------
    Selection
        The rows and what was learned on the way.
    """
    n = len(y)
    columns = np.ascontiguousarray(X.T)
    classes, borders = output_classes(y)
    distances, neighbours = nearest.class_neighbours(X, columns, classes, len(borders) + 1)
    own_is_nearest = (distances[0] < distances[1]) | ((distances[0] == distances[1]) & (neighbours[0] < neighbours[1]))
    nearest_row = np.where(own_is_nearest | (neighbours[1] < 0), neighbours[0], neighbours[1])
    error_all = float(np.square(y - y[nearest_row]).mean())

    scores = class_conditional_scores(neighbours)
    order = np.argsort(-scores, kind="stable")
    # Two at the least: each is then predicted by another.
    n_core = min(n, max(len(borders) + 1, math.ceil(_missed_share(y, error_all, core_error) * n), 2))
    running = NearestSelected(columns, y)
    running.add(order[:n_core])
    size, error = nearest.grow_selection(
        columns,
        y,
        order,
        n_core,
        running.distance,
        running.neighbour,
        running.squared_error,
        improvement == "best",
    )
    selected, thinned = order[:size], False
    if thin_out_tolerance is not None and len(borders) > 0:
        thin, thin_error = thin_out(X, columns, y, classes, selected)
        if thin_error <= (1.0 + thin_out_tolerance) * error:
            selected, error, thinned = thin, thin_error, len(thin) < len(selected)
    return Selection(np.sort(selected), borders, scores, error_all, error, thinned)


def _missed_share(y: Floats, error_all: float, core_error: CoreError) -> float:
    """Return the share of the rows that count as not predicted by the others: an error over the output's range."""
    spread = float(y.max() - y.min())
    if not spread > 0.0:
        return 0.0
    # A squared error has another unit than a range: the output is standardised for it, whatever it comes in.
    return math.sqrt(error_all) / spread if core_error == "rmse" else error_all / (float(y.std()) * spread)


def thin_out(X: Floats, columns: Floats, y: Floats, classes: Integers, selected: Integers) -> tuple[Integers, float]:
    """Keep of a selected set the rows near the borders between classes, layer by layer while that pays.

    Returns
    -------
    rows : ndarray
        A subset of `selected`.
    error : float
        The error of predicting every row of the table from it; infinite where nothing is left.
    """
    within, between = _graph_degrees(X, classes, selected)
    final, rest = selected[between > 0], selected[between == 0]
    connected = (within + between)[between == 0] > 0
    running = NearestSelected(columns, y)
    running.add(final)
    error = running.error
    while len(rest):
        within, between = _graph_degrees(X, classes, rest)
        layer = (between > 0) & connected
        running.add(rest[layer])
        if not running.error < error:
            break
        error = running.error
        final = np.concatenate([final, rest[layer]])
        rest, connected = rest[~layer], ((within + between) > 0)[~layer]
    return final, error


def _graph_degrees(X: Floats, classes: Integers, rows: Integers) -> tuple[Integers, Integers]:
    """In-degrees of the rows in the within and between graphs of these rows alone."""
    points = np.ascontiguousarray(X[rows])
    present, compact = np.unique(classes[rows], return_inverse=True)
    _, neighbours = nearest.class_neighbours(
        points, np.ascontiguousarray(points.T), compact.astype(np.intp, copy=False), len(present)
    )
    return _in_degree(neighbours[0], len(rows)), _in_degree(neighbours[1], len(rows))


class ClassConditionalSelector(BaseEstimator):  # type: ignore[misc]
    """Select the rows of a regression table that represent the others.

    Outputs are grouped into classes at the minima of their density. Every row points to its nearest neighbour in
    its own class and to the nearest in any other; rows that many of their own class point to are taken first, until
    predicting the whole table from the selected rows by their nearest neighbour gets no better. This is the first
    stage of FRULER, an adaptation of class-conditional instance selection to regression.

    Parameters
    ----------
    core_error : {"mse", "rmse"}, default="mse"
        Which error decides how many rows are taken at once: their share is the error of predicting each row from its
        nearest other row, over the range of the output. "mse" is the mean squared error of the standardised output,
        which comes nearest to the paper's reductions; "rmse" is its root, of which the ratio to a range needs no
        standardising. It takes more rows where the error is small.
    improvement : {"previous", "best"}, default="previous"
        With which set a larger one is compared: with the set before the last row was added, as in the paper, or
        with the best set so far. The latter stops earlier and keeps fewer rows.
    thin_out_tolerance : float or None, default=0.1
        After the selection the rows far from every border between classes are dropped, if the error grows by no
        more than this share. `None` leaves the thin-out away.

    Attributes
    ----------
    sample_indices_ : ndarray of shape (n_selected,)
        The selected rows, in increasing order.
    scores_ : ndarray of shape (n_samples,)
        How well each row represents its class.
    class_borders_ : ndarray of shape (n_classes - 1,)
        The outputs that separate the classes.
    error_all_, error_selected_ : float
        Mean squared error of predicting each row from its nearest other row: of all rows, of the selected ones.
    thinned_ : bool
        Whether the thin-out was accepted and dropped rows.
    reduction_ : float
        The share of the rows that was left out.
    n_features_in_ : int
        Number of inputs.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the inputs, if `X` has string column names.

    Notes
    -----
    Inputs are standardised before distances are taken. The graphs come from one k-d tree a class, and a selected
    row costs one pass over the table: O(n) memory, O(n · selected) time. Nothing is random: of equally good rows
    the first in the table is taken.

    The paper's thin-out cannot add a row once the first layer is taken and then loses most of the accuracy on some
    data; here a row counts as not isolated when any other of its layer points to it, and the thinned set is kept
    only within `thin_out_tolerance`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from fruler import ClassConditionalSelector
    >>> X, y = load_diabetes(return_X_y=True)
    >>> selector = ClassConditionalSelector()
    >>> X_selected, y_selected = selector.fit_resample(X, y)
    >>> X.shape, X_selected.shape
    ((442, 10), (106, 10))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "core_error": [StrOptions({"mse", "rmse"})],
        "improvement": [StrOptions({"previous", "best"})],
        "thin_out_tolerance": [Interval(Real, 0, None, closed="left"), None],
    }

    sample_indices_: Integers
    scores_: Floats
    class_borders_: Floats
    error_all_: float
    error_selected_: float
    thinned_: bool
    reduction_: float

    def __init__(
        self,
        *,
        core_error: CoreError = "mse",
        improvement: Improvement = "previous",
        thin_out_tolerance: float | None = 0.1,
    ) -> None:
        self.core_error = core_error
        self.improvement = improvement
        self.thin_out_tolerance = thin_out_tolerance

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
        """
        self._validate_params()
        X_checked, y_checked, _ = check_training_table(self, X, y)
        scaled = measure_scale(X_checked).apply(X_checked)
        # The unit of the output does not matter to the selection, but its square must not overflow.
        scale = measure_scale(y_checked)
        selection = select_instances(
            scaled,
            scale.apply(y_checked),
            core_error=self.core_error,
            improvement=self.improvement,
            thin_out_tolerance=self.thin_out_tolerance,
        )
        unit = float(scale.spread)
        self.sample_indices_ = selection.indices
        self.scores_ = selection.scores
        self.class_borders_ = selection.class_borders * unit + float(scale.centre)
        self.error_all_ = selection.error_all * unit * unit
        self.error_selected_ = selection.error_selected * unit * unit
        self.thinned_ = selection.thinned
        self.reduction_ = 1.0 - len(selection.indices) / len(y_checked)
        return self

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
        X_selected, y_selected
            The selected rows, in their order and in the containers that were given.
        """
        self.fit(X, y)
        return _safe_indexing(X, self.sample_indices_), _safe_indexing(y, self.sample_indices_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
