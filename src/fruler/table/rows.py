"""Rows of standardised data, as every search and kernel reads them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats


def spread_evenly(n_rows: int, max_rows: int) -> npt.NDArray[np.intp]:
    """Return the numbers of at most `max_rows` rows, spread evenly over a table from the first row to the last.

    Examples
    --------
    >>> spread_evenly(9, 3).tolist(), spread_evenly(2, 3).tolist()
    ([0, 4, 8], [0, 1])
    """
    return np.linspace(0, n_rows - 1, min(n_rows, max_rows)).astype(np.intp)


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of standardised data, laid out as the kernels read them.

    Attributes
    ----------
    columns : ndarray of shape (n_inputs, n_rows)
        The inputs, column by column.
    rows : ndarray of shape (n_rows, n_inputs + 1)
        What slopes are fitted to, row by row, a one before each: the inputs, but for categories (see `table.effects`).
    y, weight : ndarray of shape (n_rows,)
        Output and weight.
    """

    columns: Floats
    rows: Floats
    y: Floats
    weight: Floats

    @classmethod
    def from_arrays(cls, X: Floats, y: Floats, weight: Floats | None = None, terms: Floats | None = None) -> Self:
        """Lay out a table; slopes are fitted to the inputs, unless other terms are given."""
        n, p = X.shape
        rows = np.empty((n, p + 1))
        rows[:, 0] = 1.0
        rows[:, 1:] = X if terms is None else terms
        weights = np.ones(n) if weight is None else np.ascontiguousarray(weight, dtype=np.float64)
        return cls(np.ascontiguousarray(X.T), rows, np.ascontiguousarray(y), weights)

    @cached_property
    def total_weight(self) -> float:
        """The sum of the weights."""
        return float(self.weight.sum())

    @cached_property
    def square(self) -> float:
        """The weighted sum of the squares of y."""
        return float(self.weight @ np.square(self.y))

    @property
    def arrays(self) -> tuple[Floats, Floats, Floats, Floats]:
        """What the kernels read: columns, rows, output and weight."""
        return self.columns, self.rows, self.y, self.weight

    def __len__(self) -> int:
        return len(self.y)

    def take(self, indices: npt.NDArray[np.intp]) -> Rows:
        """Return some of the rows."""
        return Rows(
            np.ascontiguousarray(self.columns[:, indices]), self.rows[indices], self.y[indices], self.weight[indices]
        )

    def slice(self, start: int, stop: int) -> Rows:
        """Return the rows from `start` to `stop`."""
        return Rows(
            np.ascontiguousarray(self.columns[:, start:stop]),
            self.rows[start:stop],
            self.y[start:stop],
            self.weight[start:stop],
        )

    def with_inputs(self, inputs: npt.NDArray[np.intp]) -> Rows:
        """Return the rows with some of the inputs only, in increasing order."""
        if len(inputs) == len(self.columns):
            return self
        return Rows(
            self.columns[inputs],
            np.ascontiguousarray(self.rows[:, np.concatenate([[0], inputs + 1])]),
            self.y,
            self.weight,
        )
