"""A selection like CCISR: rows selected by the error of a small fuzzy system, which grows with its examples."""

from __future__ import annotations

import math
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from fruler._arrays import Floats, Indices
from fruler._kernels import nearest
from fruler.selectors._selector import (
    InstanceSelector,
    NearestSelected,
    SelectedSet,
    Selection,
    class_conditional_scores,
    grow_while_better,
    nearest_rows,
    subset_degrees,
    thin_out_within,
)

# Places that differ only by rounding are the same: whole numbers often lie halfway between two labels.
_DECIMALS = 12


def label_places(values: Floats, n_labels: int) -> Floats:
    """Place values in uniform fuzzy partitions of their ranges: 0 at the lowest label's centre, 1 at the next one's.

    Parameters
    ----------
    values : ndarray of shape (n_samples,) or (n_samples, n_columns)
        The values; no column is constant.
    n_labels : int
        The number of triangular labels of each range, at least two.

    Returns
    -------
    ndarray of the same shape
        From 0 to ``n_labels - 1``. The degree of a label is one minus the distance to it, or zero.

    Examples
    --------
    >>> import numpy as np
    >>> label_places(np.array([10.0, 12.5, 20.0]), 3).tolist()
    [0.0, 0.5, 2.0]
    """
    low, high = values.min(axis=0), values.max(axis=0)
    return np.asarray(((values - low) / (high - low) * (n_labels - 1)).round(_DECIMALS))


def best_labels(places: Floats) -> Indices:
    """Return the labels that fit best; of two equally good ones, the lower.

    Examples
    --------
    >>> import numpy as np
    >>> best_labels(np.array([0.0, 0.5, 0.6, 1.5, 2.0])).tolist()
    [0, 0, 1, 1, 2]
    """
    return np.maximum(np.ceil(places - 0.5), 0.0).astype(np.intp)


class RunningSystem(SelectedSet):
    """TSK-0 rules from a set of examples, and what they predict for every row of a table.

    Every cell of labels that holds an example is a rule. Its constant is the output of the example that fits the cell
    best (by the product of the degrees; of equally good examples, the first in the table). A row's prediction is the
    mean of the constants, weighted by the minimum of the degrees. If no rule fires, the rule whose labels are the
    fewest steps away predicts; of several, the one with the lower labels.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_inputs)
        The inputs of the rules; none is constant.
    y : ndarray of shape (n_samples,)
        The output.
    granularity : int
        The number of labels of each input.

    Examples
    --------
    >>> import numpy as np
    >>> system = RunningSystem(np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 6.0]), 2)
    >>> system.add(np.array([0, 2]))
    >>> system.predict().tolist(), round(system.error, 3)
    ([0.0, 3.0, 6.0], 1.333)
    """

    _changing = ("examples", "weighted", "weight", "steps", "nearest_cell")

    def __init__(self, X: Floats, y: Floats, granularity: int) -> None:
        n = len(y)
        self.y, self.granularity = y, granularity
        self.places = np.ascontiguousarray(label_places(X, granularity).T)
        labels = best_labels(self.places)
        self.cells = np.zeros(n, dtype=np.intp)
        for own in labels:
            self.cells = self.cells * granularity + own
        self.fit = (1.0 - np.abs(self.places - labels)).prod(axis=0).round(_DECIMALS)
        self.examples: dict[int, int] = {}
        self.weighted = np.zeros(n)
        self.weight = np.zeros(n)
        self.steps = np.full(n, np.inf)
        self.nearest_cell = np.full(n, -1, dtype=np.intp)

    def add(self, rows: Indices) -> None:
        """Add examples: one pass over the table for every rule that is new or has a new constant."""
        before = self.examples.copy()
        for row in np.asarray(rows).tolist():
            cell = int(self.cells[row])
            held = self.examples.get(cell, row)
            self.examples[cell] = min(held, row, key=lambda example: (-self.fit[example], example))
        for cell, row in self.examples.items():
            if cell not in before:
                self._add_rule(cell, self.y[row])
            elif before[cell] != row:
                self.weighted += self._firing(self._gaps(cell)) * (self.y[row] - self.y[before[cell]])

    def _gaps(self, cell: int) -> Floats:
        """Return the steps from every row's place to a cell's labels, input by input."""
        powers = self.granularity ** np.arange(len(self.places))[::-1]
        labels = cell // powers % self.granularity
        return np.asarray(np.abs(self.places - labels[:, None]))

    @staticmethod
    def _firing(gaps: Floats) -> Floats:
        return np.asarray(np.maximum(1.0 - gaps.max(axis=0, initial=0.0), 0.0))

    def _add_rule(self, cell: int, constant: float) -> None:
        gaps = self._gaps(cell)
        firing = self._firing(gaps)
        self.weighted += firing * constant
        self.weight += firing
        steps = gaps.sum(axis=0).round(_DECIMALS)
        nearer = (steps < self.steps) | ((steps == self.steps) & (cell < self.nearest_cell))
        self.steps[nearer] = steps[nearer]
        self.nearest_cell[nearer] = cell

    def predict(self) -> Floats:
        """Return the prediction of every row of the table; there must be an example."""
        silent = self.weight == 0.0
        predictions = np.divide(self.weighted, self.weight, out=np.zeros_like(self.weight), where=~silent)
        if silent.any():
            cells, place = np.unique(self.nearest_cell[silent], return_inverse=True)
            predictions[silent] = self.y[[self.examples[cell] for cell in cells.tolist()]][place]
        return predictions

    @property
    def error(self) -> float:
        """Mean squared error over all rows of the table; infinite without examples.

        Rounded to 12 digits: whether one error is smaller than another must not depend on the order of sums.
        """
        if not self.examples:
            return math.inf
        return float(f"{np.square(self.y - self.predict()).mean():.11e}")


def label_classes(y: Floats, n_labels: int) -> tuple[Indices, Floats]:
    """Group outputs by their best label in a uniform fuzzy partition of their range.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        The outputs.
    n_labels : int
        The number of labels of their range, at least two.

    Returns
    -------
    classes : ndarray of shape (n_samples,)
        The class of each row, from 0 for the lowest outputs; no class is empty.
    borders : ndarray
        The outputs that separate the classes; a row on a border belongs to the class below it.

    Examples
    --------
    >>> import numpy as np
    >>> classes, borders = label_classes(np.array([0.0, 2.0, 5.0, 10.0]), 3)
    >>> classes.tolist(), borders.tolist()
    ([0, 0, 1, 2], [2.5, 7.5])
    """
    low, high = float(y.min()), float(y.max())
    if not high > low:
        return np.zeros(len(y), dtype=np.intp), np.empty(0)
    occupied, classes = np.unique(best_labels(label_places(y, n_labels)), return_inverse=True)
    borders = low + (high - low) * (occupied[1:] - 0.5) / (n_labels - 1)
    return classes.astype(np.intp, copy=False), borders


def most_correlated(X: Floats, y: Floats, max_inputs: int) -> Indices:
    """Return the inputs that correlate most with the output, by number; constant ones are left out.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The inputs on comparable scales.
    y : ndarray of shape (n_samples,)
        The output.
    max_inputs : int
        The maximum number of inputs; of equally good inputs, the first are taken.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 5.0, 1.0], [1.0, 5.0, 0.0], [2.0, 5.0, 1.0], [3.0, 5.0, 1.0]])
    >>> most_correlated(X, np.array([0.0, 1.0, 2.0, 3.0]), 1).tolist()
    [0]
    """
    usable = np.flatnonzero(X.min(axis=0) < X.max(axis=0))
    if len(usable) <= max_inputs:
        return usable
    centred = X[:, usable] - X[:, usable].mean(axis=0)
    sizes = np.abs((centred * (y - y.mean())[:, None]).mean(axis=0)) / centred.std(axis=0)
    # Which of two equal inputs is the first must not depend on how their sums are rounded.
    relative = (sizes / (sizes.max() or 1.0)).round(9)
    return np.sort(usable[np.argsort(-relative, kind="stable")[:max_inputs]])


def select_by_system(
    X: Floats,
    y: Floats,
    *,
    n_labels: int = 5,
    granularity: int = 3,
    max_inputs: int = 5,
    thin_out_tolerance: float | None = math.inf,
) -> Selection:
    """Select rows by the error of a fuzzy system; the estimator `CCISRLikeSelector` documents the parameters.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Inputs on comparable scales: distances are Euclidean.
    y : ndarray of shape (n_samples,)
        The output, in any unit.
    n_labels, granularity, max_inputs, thin_out_tolerance
        As in `CCISRLikeSelector`.

    Returns
    -------
    Selection
        The result; the criterion is the mean squared error of the fuzzy system.
    """
    n, columns = len(y), np.ascontiguousarray(X.T)
    classes, borders = label_classes(y, n_labels)
    distances, neighbours = nearest.class_neighbours(X, columns, classes, len(borders) + 1)
    scores = class_conditional_scores(neighbours)
    order = np.argsort(-scores, kind="stable")
    empty = RunningSystem(X[:, most_correlated(X, y, max_inputs)], y, granularity)
    whole, core = empty.copy(), empty.copy()
    whole.add(np.arange(n))
    n_core = min(n, max(len(borders) + 1, math.isqrt(n - 1) + 1))
    core.add(order[:n_core])
    system, n_added = grow_while_better(core, order[n_core:])
    selected, criterion, thinned = thin_out_within(
        thin_out_tolerance if len(borders) else None,
        empty,
        partial(subset_degrees, X, classes),
        order[: n_core + n_added],
        system.error,
    )
    found = NearestSelected(columns, y)
    found.add(np.sort(selected))
    return Selection(
        indices=np.sort(selected),
        class_borders=borders,
        scores=scores,
        error_all=float(np.square(y - y[nearest_rows(distances, neighbours)]).mean()),
        error_selected=found.mean_squared_error,
        criterion_all=whole.error,
        criterion_selected=criterion,
        thinned=thinned,
    )


class CCISRLikeSelector(InstanceSelector):
    """Select rows in the manner of CCISR: by the error of a small fuzzy system.

    CCISR, the predecessor of FRULER's instance selection, is not public; this is **not** that method, but one built
    from the four differences that the FRULER paper lists. All else is as in `ClassConditionalSelector`:

    - Classes of the output are the labels of a uniform fuzzy partition; each row is in the class of its best label.
    - The error of a set is that of a fuzzy system made from it, over all rows: Wang and Mendel's rules with constant
      outputs.
    - The size of the first core is the square root of the number of rows, but at least one row per class.
    - The first row that does not reduce the error ends the search.

    Parameters
    ----------
    n_labels : int, default=5
        The number of labels of the output, at least two.
    granularity : int, default=3
        The number of labels of each input of the fuzzy system, at least two.
    max_inputs : int, default=5
        Maximum number of inputs of the fuzzy system: those that correlate most with the output.
    thin_out_tolerance : float or None, default=inf
        After the selection, the rows far from every border between classes are dropped if the error of the fuzzy
        system grows by at most this share. By default they are always dropped. `None` skips the thin-out.

    Attributes
    ----------
    sample_indices_ : ndarray of shape (n_selected,)
        The selected rows, in increasing order.
    scores_ : ndarray of shape (n_samples,)
        How well each row represents its class.
    class_borders_ : ndarray of shape (n_classes - 1,)
        The outputs that separate the classes.
    system_error_all_, system_error_selected_ : float
        Mean squared error, over all rows, of the fuzzy system made from all rows, and of the system made from the
        selected ones. This is the error that decides on the selection.
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
    ClassConditionalSelector : The selector that FRULER uses instead; the better choice.
    CCISSelector : The method for classification that both descend from.

    Notes
    -----
    The partition of the output, the fuzzy system and the size of the first core are our own choices: for CCISR (I.
    Rodríguez-Fdez, M. Mucientes, A. Bugarín, 2013), only the list of differences was available. Results of this
    selector must not be reported as results of CCISR.

    Most rows that are added fall into a cell that has a rule already, and change nothing: the search ends soon after
    its first core, and thinning it out leaves few rows.

    Time grows with n · selected, memory with n. Nothing is random: of equally good rows, the first in the table is
    taken.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from fruler.selectors import CCISRLikeSelector
    >>> X, y = load_diabetes(return_X_y=True)
    >>> selector = CCISRLikeSelector()
    >>> X_selected, y_selected = selector.fit_resample(X, y)
    >>> X.shape, X_selected.shape
    ((442, 10), (20, 10))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_labels": [Interval(Integral, 2, 100, closed="both")],
        # The number of a cell must fit into 63 bits.
        "granularity": [Interval(Integral, 2, 9, closed="both")],
        "max_inputs": [Interval(Integral, 1, 15, closed="both")],
        "thin_out_tolerance": [Interval(Real, 0, None, closed="both"), None],
    }

    system_error_all_: float
    system_error_selected_: float

    def __init__(
        self,
        *,
        n_labels: int = 5,
        granularity: int = 3,
        max_inputs: int = 5,
        thin_out_tolerance: float | None = math.inf,
    ) -> None:
        self.n_labels = n_labels
        self.granularity = granularity
        self.max_inputs = max_inputs
        self.thin_out_tolerance = thin_out_tolerance

    def _select(self, X: Floats, y: Floats) -> Selection:
        return select_by_system(
            X,
            y,
            n_labels=self.n_labels,
            granularity=self.granularity,
            max_inputs=self.max_inputs,
            thin_out_tolerance=self.thin_out_tolerance,
        )

    def _keep_criterion(self, selection: Selection, unit: float) -> None:
        self.system_error_all_ = selection.criterion_all * unit * unit
        self.system_error_selected_ = selection.criterion_selected * unit * unit
