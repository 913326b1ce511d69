"""CCIS: class-conditional instance selection for classification, on classes of the output."""

from __future__ import annotations

import math
from functools import partial
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from fruler._arrays import Floats, Indices
from fruler._kernels import nearest
from fruler.selectors._selector import (
    InstanceSelector,
    NearestSelected,
    Selection,
    at_least_two,
    divergence_scores,
    grow_while_better,
    nearest_rows,
    output_classes,
    thin_out_within,
)

Pair = tuple[int, int]


class NearestClasses(NearestSelected):
    """The nearest selected row of every row; the error is the number of misclassified rows.

    Parameters
    ----------
    columns, y
        As for `NearestSelected`.
    classes : ndarray of shape (n_samples,)
        The class of each row.
    """

    def __init__(self, columns: Floats, y: Floats, classes: Indices) -> None:
        super().__init__(columns, y)
        self.classes = classes

    @property
    def error(self) -> float:
        """The number of rows whose nearest selected row, other than themselves, has another class or does not exist."""
        # Rows without a neighbour (-1) are compared with the last row, so they are marked apart.
        missed = (self.classes[self.neighbour] != self.classes) | (self.neighbour < 0)
        return float(np.count_nonzero(missed))


def degrees_by_class(neighbours: Indices, classes: Indices) -> Indices:
    """Count the rows of each class to which a row is nearest.

    Parameters
    ----------
    neighbours : ndarray of shape (n_classes, n_samples)
        For each class the nearest row of every row; -1 where there is none.
    classes : ndarray of shape (n_samples,)
        The class of each row.

    Returns
    -------
    ndarray of shape (n_classes, n_samples)
        The number of rows of each class that point to a row as the nearest of its class. For its own class, that is
        the row's in-degree in the within graph; for another class, in the between graph of the two classes.

    Examples
    --------
    >>> import numpy as np
    >>> degrees_by_class(np.array([[1, 0, 1], [2, 2, -1]]), np.array([0, 0, 1])).tolist()
    [[1, 1, 2], [0, 1, 0]]
    """
    n_classes, n = neighbours.shape
    flat = (classes * n + neighbours)[neighbours >= 0]
    return np.bincount(flat, minlength=n_classes * n).reshape(n_classes, n)


def class_pairs(degrees: Indices, classes: Indices) -> list[Pair]:
    """Pair each class with the class that is hardest to tell from it.

    This is the class whose graphs with it are most alike: the sum of |within - between| over the rows of both, over
    the number of rows of the smaller one, is smallest.

    Parameters
    ----------
    degrees : ndarray of shape (n_classes, n_samples)
        The result of `degrees_by_class`.
    classes : ndarray of shape (n_samples,)
        The class of each row.

    Returns
    -------
    list of (int, int)
        Every pair once, the lower class first, in the order of the classes; empty for one class.
    """
    n_classes = len(degrees)
    if n_classes < 2:
        return []
    sizes = np.bincount(classes, minlength=n_classes)
    within = degrees[classes, np.arange(len(classes))]
    # One sided: over the rows of one class (columns), against the edges from another (rows).
    apart = np.array([np.bincount(classes, np.abs(within - other), n_classes) for other in degrees])
    distance = (apart + apart.T) / np.minimum(sizes[:, None], sizes)
    np.fill_diagonal(distance, np.inf)
    hardest = distance.argmin(axis=1)
    return list(dict.fromkeys((min(c, int(d)), max(c, int(d))) for c, d in enumerate(hardest)))


def pair_scores(degrees: Indices, classes: Indices, pair: Pair) -> tuple[Indices, Floats]:
    """Score the rows of two classes by the graphs of these two.

    Returns
    -------
    rows : ndarray
        The rows of both classes, in the order of the table.
    scores : ndarray
        Their scores.
    """
    first, second = pair
    rows = np.flatnonzero((classes == first) | (classes == second))
    own = classes[rows]
    return rows, divergence_scores(degrees[own, rows], degrees[first + second - own, rows])


def paired_degrees(X: Floats, classes: Indices, pairs: list[Pair], rows: Indices) -> tuple[Indices, Indices]:
    """Return the in-degrees of rows in the within graph and in the between graphs of pairs, of these rows alone."""
    points = np.ascontiguousarray(X[rows])
    present, compact = np.unique(classes[rows], return_inverse=True)
    compact = compact.astype(np.intp, copy=False)
    _, neighbours = nearest.neighbours_in_each_class(points, np.ascontiguousarray(points.T), compact, len(present))
    degrees = degrees_by_class(neighbours, compact)
    known = set(pairs)
    paired = np.array([[(min(c, d), max(c, d)) in known for d in present.tolist()] for c in present.tolist()])
    between = np.where(paired[:, compact], degrees, 0).sum(axis=0)
    return degrees[compact, np.arange(len(rows))], between


def select_by_pairs(
    columns: Floats, y: Floats, classes: Indices, degrees: Indices, missed_by_all: int
) -> tuple[Indices, Floats]:
    """Select rows by pairs of classes, best scores first.

    Parameters
    ----------
    columns : ndarray of shape (n_features, n_samples)
        The inputs on comparable scales.
    y, classes : ndarray of shape (n_samples,)
        The output, and the class of each row.
    degrees : ndarray of shape (n_classes, n_samples)
        The result of `degrees_by_class`.
    missed_by_all : int
        The number of rows whose nearest other row has another class.

    Returns
    -------
    rows : ndarray
        At least two rows, in the order of the table.
    scores : ndarray of shape (n_samples,)
        The best score of each row in any pair.
    """
    n_core = max(len(degrees), math.ceil(missed_by_all / 2))
    pairs = class_pairs(degrees, classes)
    # With one class the within graph is all there is.
    scores = np.full(len(y), -np.inf) if pairs else divergence_scores(degrees[0], np.zeros_like(degrees[0]))
    running, selected = NearestClasses(columns, y, classes), np.empty(0, dtype=np.intp)
    for pair in pairs:
        rows, own_scores = pair_scores(degrees, classes, pair)
        scores[rows] = np.maximum(scores[rows], own_scores)
        best_first = np.argsort(-own_scores, kind="stable")
        candidates = rows[best_first[own_scores[best_first] >= 0.0]]
        running.add(candidates[:n_core])
        running, n_added = grow_while_better(running, candidates[n_core:], enough=missed_by_all)
        selected = np.union1d(selected, candidates[: n_core + n_added])
    return at_least_two(selected, scores), scores


def select_by_class(X: Floats, y: Floats, *, thin_out_tolerance: float | None = math.inf) -> Selection:
    """Select rows by CCIS; the estimator `CCISSelector` documents the parameters.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Inputs on comparable scales: distances are Euclidean.
    y : ndarray of shape (n_samples,)
        The output, in any unit.
    thin_out_tolerance
        As in `CCISSelector`.

    Returns
    -------
    Selection
        The result; the criterion is the share of misclassified rows.
    """
    n, columns = len(y), np.ascontiguousarray(X.T)
    classes, borders = output_classes(y)
    distances, neighbours = nearest.neighbours_in_each_class(X, columns, classes, len(borders) + 1)
    nearest_row = nearest_rows(distances, neighbours)
    missed_by_all = int(np.count_nonzero(classes[nearest_row] != classes))
    degrees = degrees_by_class(neighbours, classes)
    selected, scores = select_by_pairs(columns, y, classes, degrees, missed_by_all)
    whole = NearestClasses(columns, y, classes)
    whole.add(selected)
    selected, _, thinned = thin_out_within(
        thin_out_tolerance if len(borders) else None,
        NearestClasses(columns, y, classes),
        partial(paired_degrees, X, classes, class_pairs(degrees, classes)),
        selected,
        whole.error,
    )
    # Rebuilt in the order of the table: of equally near rows the first counts, not the one that was added first.
    found = NearestClasses(columns, y, classes)
    found.add(np.sort(selected))
    return Selection(
        indices=np.sort(selected),
        class_borders=borders,
        scores=scores,
        error_all=float(np.square(y - y[nearest_row]).mean()),
        error_selected=found.mean_squared_error,
        criterion_all=missed_by_all / n,
        criterion_selected=found.error / n,
        thinned=thinned,
    )


class CCISSelector(InstanceSelector):
    """Select rows by CCIS, a method for classification, on classes of the output.

    Outputs are grouped into classes at the minima of their density, as `ClassConditionalSelector` does, and from then
    on only the class of a row counts. Each class is paired with the class that is hardest to tell from it. From each
    pair, rows that are often the nearest of their own class and seldom of the other are taken first, until another
    row no longer reduces the number of misclassified rows, or until that number is as small as with all rows. The set
    is then thinned out to rows near the borders between paired classes.

    Parameters
    ----------
    thin_out_tolerance : float or None, default=inf
        The thinned set is taken if the number of misclassified rows grows by at most this share. By default it is
        always taken, as in CCIS. `None` skips the thin-out.

    Attributes
    ----------
    sample_indices_ : ndarray of shape (n_selected,)
        The selected rows, in increasing order.
    scores_ : ndarray of shape (n_samples,)
        How well each row represents its class; the best score, if its class is in several pairs.
    class_borders_ : ndarray of shape (n_classes - 1,)
        The outputs that separate the classes.
    missed_all_, missed_selected_ : float
        The share of misclassified rows, whose nearest other row has another class: among all rows, and among the
        selected ones.
        This is the error that decides on the selection.
    error_all_ : float
        Mean squared error of predicting each row from its nearest other row.
    error_selected_ : float
        The same with the nearest other row among the selected ones.
    thinned_ : bool
        Whether the thin-out was accepted and dropped rows.
    reduction_ : float
        The share of the rows that were left out.
    n_features_in_ : int
        Number of inputs.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the inputs, if `X` has string column names.

    See Also
    --------
    ClassConditionalSelector : The adaptation to regression that FRULER uses; the better choice for regression.
    CCISRLikeSelector : Selects rows by the error of a small fuzzy system.

    Notes
    -----
    CCIS is by E. Marchiori, *Class conditional nearest neighbor for large margin instance selection* (2010). This is
    a re-implementation from the paper's abstract and from the behaviour of KEEL's program. It corrects three errors of
    that program: thinned sets are built from their own rows, duplicates count as neighbours, and the thinned set is
    the result. Inputs are standardised; KEEL scales them to ranges.

    The method does not look at outputs within a class. If all outputs fall into one class, as in many tables, every
    row has the right class, and two rows are selected.

    Time grows with n · selected and with n · classes, memory with n · classes. Nothing is random: of equally good
    rows, the first in the table is taken.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from fruler.selectors import CCISSelector
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = CCISSelector()
    >>> X_selected, y_selected = selector.fit_resample(X, y)
    >>> X.shape, X_selected.shape
    ((178, 13), (7, 13))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "thin_out_tolerance": [Interval(Real, 0, None, closed="both"), None],
    }

    missed_all_: float
    missed_selected_: float

    def __init__(self, *, thin_out_tolerance: float | None = math.inf) -> None:
        self.thin_out_tolerance = thin_out_tolerance

    def _select(self, X: Floats, y: Floats) -> Selection:
        return select_by_class(X, y, thin_out_tolerance=self.thin_out_tolerance)

    def _keep_criterion(self, selection: Selection, unit: float) -> None:
        self.missed_all_, self.missed_selected_ = selection.criterion_all, selection.criterion_selected
