"""How rare the rows of a table are, by where they lie on each column."""

from __future__ import annotations

from itertools import chain

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats

# The parts of equal width that the range of every column is cut into.
N_PARTS = 32

Counts = npt.NDArray[np.int64]


def _parts(column: Floats, low: float, high: float) -> npt.NDArray[np.intp]:
    width = high / N_PARTS - low / N_PARTS
    if width <= 0.0:
        return np.zeros(len(column), dtype=np.intp)
    return np.clip((column / width - low / width).astype(np.intp), 0, N_PARTS - 1)


def part_counts(values: Floats, target: Floats, ends: Floats) -> Counts:
    """Return how many rows lie in each part of each column, shape (n_inputs + 1, N_PARTS); the output is the last.

    Parameters
    ----------
    values, target : ndarray of shape (n_rows, n_inputs) and (n_rows,)
        The rows.
    ends : ndarray of shape (n_inputs + 1, 2)
        Least and greatest value of each column, over all rows there are.
    """
    counts = [
        np.bincount(_parts(column, *end), minlength=N_PARTS)
        for column, end in zip(chain(values.T, [target]), ends, strict=True)
    ]
    return np.array(counts, dtype=np.int64)


def rows_alike(values: Floats, target: Floats, ends: Floats, counts: Counts) -> Counts:
    """Return for each row how many there are like it: those in its part of the column where they are fewest.

    Parameters
    ----------
    values, target, ends
        As for `part_counts`.
    counts : ndarray of shape (n_inputs + 1, N_PARTS)
        How many of all rows lie in each part.

    Examples
    --------
    >>> import numpy as np
    >>> values, target = np.array([[0.0], [0.1], [0.2], [32.0]]), np.array([5.0, 9.0, 5.0, 5.0])
    >>> ends = np.array([[0.0, 32.0], [5.0, 9.0]])
    >>> rows_alike(values, target, ends, part_counts(values, target, ends)).tolist()
    [3, 1, 3, 1]
    """
    fewest = np.full(len(values), np.iinfo(np.int64).max)
    for column, end, own in zip(chain(values.T, [target]), ends, counts, strict=True):
        np.minimum(fewest, own[_parts(column, *end)], out=fewest)
    return fewest
