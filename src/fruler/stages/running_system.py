"""A small fuzzy system of Wang and Mendel's rules with constant outputs, kept up to date as its examples grow."""

from __future__ import annotations

import math
from typing import Self

import numpy as np

from fruler._typing import Floats, Indices

# Places that differ only by rounding are one: halfway between two labels is a common place of whole numbers.
_DECIMALS = 12


def label_places(values: Floats, n_labels: int) -> Floats:
    """Place values in uniform fuzzy partitions of their ranges: 0 at the lowest label's centre, 1 at the next one's.

    Parameters
    ----------
    values : ndarray of shape (n_samples,) or (n_samples, n_columns)
        The values; no column is constant.
    n_labels : int
        How many triangular labels each range has, two at the least.

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
    """Return the labels that fit best; of two the lower one.

    Examples
    --------
    >>> import numpy as np
    >>> best_labels(np.array([0.0, 0.5, 0.6, 1.5, 2.0])).tolist()
    [0, 0, 1, 1, 2]
    """
    return np.maximum(np.ceil(places - 0.5), 0.0).astype(np.intp)


class RunningSystem:
    """TSK-0 rules from a set of examples, and what they predict for every row of a table.

    Every cell of labels that holds an example is a rule. Its constant is the output of the example that fits the cell
    best (the product of the degrees; of equally good ones the first in the table). A row's prediction is the mean of
    the constants, weighted by the minimum of the degrees; where no rule fires, the rule whose labels are fewest steps
    away answers, and of several the one with the lower labels.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_inputs)
        The inputs of the rules; none is constant.
    y : ndarray of shape (n_samples,)
        The output.
    granularity : int
        How many labels each input has.

    Examples
    --------
    >>> import numpy as np
    >>> system = RunningSystem(np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 6.0]), 2)
    >>> system.add(np.array([0, 2]))
    >>> system.predict().tolist(), round(system.error, 3)
    ([0.0, 3.0, 6.0], 1.333)
    """

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

    def copy(self) -> Self:
        """Return a system of the same examples that grows by itself."""
        other = self.__class__.__new__(self.__class__)
        other.__dict__.update(self.__dict__)
        other.examples = self.examples.copy()
        other.weighted, other.weight = self.weighted.copy(), self.weight.copy()
        other.steps, other.nearest_cell = self.steps.copy(), self.nearest_cell.copy()
        return other

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
