"""Rows as the growth reads them: rounded, in an order that is not the table's, and in groups of equal ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats, Indices
from fruler.table.rows import Rows

# Standardised numbers are rounded to multiples of this: other units, or the order in which a mean is summed up, change
# the last bits of a number, and a tie between two candidates would be decided by these.
GRID = 2.0**-30
# Weights are taken for numbers of rows if they are whole multiples of the least of them, or of this part of it.
_MAX_PARTS, _WHOLE = 4, 1e-9


class RowGroups(NamedTuple):
    """Rows in groups of equal ones.

    Attributes
    ----------
    rows : Rows
        The rows, group by group.
    starts : ndarray of shape (n_groups + 1,)
        Where each group begins; the last entry is the number of rows.
    """

    rows: Rows
    starts: Indices

    @property
    def n_groups(self) -> int:
        """The number of groups."""
        return len(self.starts) - 1

    def rows_of(self, groups: Indices) -> Indices:
        """Return the numbers of the rows of some groups."""
        chosen = np.zeros(self.n_groups, dtype=np.bool_)
        chosen[groups] = True
        return np.flatnonzero(np.repeat(chosen, np.diff(self.starts)))


def on_grid(values: Floats) -> Floats:
    """Round standardised numbers; a negative zero becomes a positive one."""
    return np.asarray(np.rint(values / GRID) * GRID + 0.0)


def grouped_rows(rows: Rows, max_rows: int) -> RowGroups:
    """Round rows and put equal ones together, in an order that depends on nothing but what they are.

    A row with a weight of two becomes two rows, if all weights are like that. So the same model comes of a table in any
    order, and of rows that are repeated or have a weight instead.

    Parameters
    ----------
    rows : Rows
        Standardised data.
    max_rows : int
        The most rows that weights may be turned into, if there are fewer rows than that.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[2.0], [1.0], [2.0]]), np.array([5.0, 3.0, 5.0])
    >>> repeated = grouped_rows(Rows.from_arrays(X, y), 100)
    >>> weighted = grouped_rows(Rows.from_arrays(X[[1, 0]], y[[1, 0]], np.array([0.1, 0.2])), 100)
    >>> repeated.rows.y.tolist() == weighted.rows.y.tolist(), repeated.n_groups, weighted.rows.weight.tolist()
    (True, 2, [1.0, 1.0, 1.0])
    """
    columns, terms, y = on_grid(rows.columns), on_grid(rows.rows), on_grid(rows.y)
    whole = np.ascontiguousarray(np.column_stack([y, columns.T, terms]))
    # As strings of bytes, whose order is as good as any other.
    keys = whole.view(np.dtype((np.void, whole.itemsize * whole.shape[1]))).ravel()
    _, first, own = np.unique(keys, return_index=True, return_inverse=True)
    own = own.ravel()
    numbers = _row_numbers(rows.weight, max(max_rows, len(rows)))
    if numbers is None:
        order, weight, counts = np.lexsort([rows.weight, own]), rows.weight, np.bincount(own)
    else:
        counts = np.zeros(len(first), dtype=np.intp)
        np.add.at(counts, own, numbers)
        # What is there twice throughout might as well be there once.
        counts //= np.gcd.reduce(counts)
        order, weight = np.repeat(first, counts), np.ones(len(rows))
    grouped = Rows(np.ascontiguousarray(columns[:, order]), terms[order], y[order], weight[order])
    return RowGroups(grouped, np.concatenate([[0], np.cumsum(counts)]))


def _row_numbers(weights: npt.NDArray[np.floating], max_rows: int) -> Indices | None:
    """Return how many rows weights stand for, as few as may be; None where they don't."""
    # The least of them may be zero, next to a huge one.
    if weights.max() > max_rows * weights.min():
        return None
    for parts in range(1, _MAX_PARTS + 1):
        multiples = weights * (parts / weights.min())
        numbers = np.rint(multiples)
        if numbers.sum() > max_rows:
            return None
        if (np.abs(multiples - numbers) <= _WHOLE * multiples).all():
            return np.asarray(numbers, dtype=np.intp)
    return None
