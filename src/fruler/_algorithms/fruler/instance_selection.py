"""Stage 1: keep the rows that represent the others (class-conditional nearest neighbours)."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from fruler._algorithms.fruler.reading import CALIBRATED, Reading
from fruler._arrays import Floats, Indices
from fruler._kernels import nearest
from fruler.selectors._selector import (
    InstanceSelector,
    NearestSelected,
    Selection,
    class_conditional_scores,
    nearest_rows,
    output_classes,
    subset_degrees,
    thin_out_within,
)

CoreError = Literal["mse", "rmse"]
CORE_ERRORS: tuple[CoreError, ...] = ("mse", "rmse")
Improvement = Literal["previous", "best"]


def select_instances(
    X: Floats,
    y: Floats,
    *,
    core_error: CoreError = "mse",
    improvement: Improvement = "previous",
    reading: Reading = CALIBRATED,
    unit: float = 1.0,
) -> Selection:
    """Select representative rows; the estimator `ClassConditionalSelector` documents the parameters.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Inputs on comparable scales: distances are Euclidean.
    y : ndarray of shape (n_samples,)
        The output, in any unit.
    core_error, improvement
        As in `ClassConditionalSelector`.
    reading : Reading
        Its `core_unit`, `isolation`, `thin_out_tolerance` and `thin_out_floor`.
    unit : float, default=1.0
        The given unit of the output, as a multiple of that of `y`.

    Returns
    -------
    Selection
        The selected rows, classes, scores and errors.
    """
    n = len(y)
    columns = np.ascontiguousarray(X.T)
    classes, borders = output_classes(y)
    distances, neighbours = nearest.class_neighbours(X, columns, classes, len(borders) + 1)
    error_all = float(np.square(y - y[nearest_rows(distances, neighbours)]).mean())

    scores = class_conditional_scores(neighbours)
    order = np.argsort(-scores, kind="stable")
    share = _missed_share(y, error_all, core_error, 1.0 / unit if reading.core_unit == "given" else float(y.std()))
    # At least two: each is then predicted by another.
    n_core = min(n, max(len(borders) + 1, math.ceil(share * n), 2))
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

    def degrees(rows: Indices) -> tuple[Indices, Indices]:
        within, between = subset_degrees(X, classes, rows)
        # The within graph tells only which rows are not isolated.
        return within * (reading.isolation == "either"), between

    selected, error, thinned = thin_out_within(
        reading.thin_out_tolerance if len(borders) else None,
        NearestSelected(columns, y),
        degrees,
        order[:size],
        error,
        # With fewer rows, the consequent of even a single linear rule would be undetermined.
        min_rows=X.shape[1] + 1 if reading.thin_out_floor else 2,
    )
    return Selection(np.sort(selected), borders, scores, error_all, error, error_all, error, thinned)


def _missed_share(y: Floats, error_all: float, core_error: CoreError, deviation: float) -> float:
    """Return the share of the rows in the first core: an error divided by the output's range."""
    spread = float(y.max() - y.min())
    # A spread near the smallest double is none: its square would be zero.
    if not spread > 1e-150:
        return 0.0
    if core_error == "rmse":
        return math.sqrt(error_all) / spread
    # A squared error has another unit than a range, so it is that of the output over a deviation.
    return error_all / (deviation * spread)


class ClassConditionalSelector(InstanceSelector):
    """Select the rows of a regression table that represent the others.

    Outputs are grouped into classes at the minima of their density. Every row points to its nearest neighbour in
    its own class and to its nearest neighbour in any other class. The rows that most rows of their own class point to
    are selected first, until predicting every row from its nearest selected row gets no better. This is the first
    stage of FRULER, an adaptation of class-conditional instance selection to regression.

    Parameters
    ----------
    core_error : {"mse", "rmse"}, default="mse"
        The error that decides how many rows are selected at once. Their share is the error of predicting each row from
        its nearest other row, divided by the range of the output. "mse" is the mean squared error of the standardised
        output, which comes closest to the paper's reductions. "rmse" is its square root, which does not depend on the
        unit of the output; it selects more rows if the error is small.
    improvement : {"previous", "best"}, default="previous"
        The set that a larger one is compared with: the set before the last row was added, as in the paper, or the
        best set so far. The latter stops earlier and keeps fewer rows.
    thin_out_tolerance : float or None, default=0.1
        After the selection, the rows far from every border between classes are dropped if the error grows by at most
        this share and more rows than inputs are left. `None` skips the thin-out.

    Attributes
    ----------
    sample_indices_ : ndarray of shape (n_selected,)
        The selected rows, in increasing order.
    scores_ : ndarray of shape (n_samples,)
        How well each row represents its class.
    class_borders_ : ndarray of shape (n_classes - 1,)
        The outputs that separate the classes.
    error_all_ : float
        Mean squared error of predicting each row from its nearest other row.
    error_selected_ : float
        Mean squared error of predicting each row from its nearest other selected row.
    thinned_ : bool
        Whether the thin-out was accepted and dropped rows.
    reduction_ : float
        The share of the rows that were not selected.
    n_features_in_ : int
        Number of inputs.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the inputs, if `X` has string column names.

    See Also
    --------
    FRULERRegressor : The whole algorithm.
    MultiGranularityDiscretizer : Its second stage.
    fruler.selectors.CCISSelector : The original method, for classification.

    Notes
    -----
    Inputs are standardised before distances are computed. The graphs come from one k-d tree per class, and a selected
    row costs one pass over the table: O(n) memory, O(n · selected) time. Nothing is random: of equally good rows
    the first in the table is selected.

    The paper's thin-out cannot add a row once the first layer is taken, and then loses most of the accuracy on some
    data. Here a row counts as not isolated if any other row of its layer points to it. The thinned set is kept only
    within `thin_out_tolerance`, and only if it has at least as many rows as a linear rule has coefficients.

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
        "core_error": [StrOptions(set(CORE_ERRORS))],
        "improvement": [StrOptions({"previous", "best"})],
        "thin_out_tolerance": [Interval(Real, 0, None, closed="left"), None],
    }

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

    def _select(self, X: Floats, y: Floats) -> Selection:
        return select_instances(
            X,
            y,
            core_error=self.core_error,
            improvement=self.improvement,
            reading=Reading(thin_out_tolerance=self.thin_out_tolerance),
        )
