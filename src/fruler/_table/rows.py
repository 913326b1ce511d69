"""Rows of standardised data, laid out for searches and kernels; rare rows, and samples of rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Self

import numpy as np
import numpy.typing as npt

from fruler._arrays import Floats


@dataclass(frozen=True)
class Standardization:
    """Centre and spread of the columns of a table (or of one column).

    Attributes
    ----------
    centre, spread : ndarray of shape (n_columns,) or ()
        Mean and standard deviation; the spread of a constant column is 1.
    """

    centre: Floats
    spread: Floats

    def apply(self, values: Floats) -> Floats:
        """Return the values with mean 0 and standard deviation 1."""
        return np.asarray((values - self.centre) / self.spread)


def measure_scale(values: Floats, weight: Floats | None = None) -> Standardization:
    """Measure the mean and the standard deviation of each column; rows may have weights.

    A constant column has spread 1, even where rounding would leave a tiny standard deviation.

    Examples
    --------
    >>> import numpy as np
    >>> scale = measure_scale(np.array([[1.0, 7.0], [3.0, 7.0]]))
    >>> scale.centre.tolist(), scale.spread.tolist()
    ([2.0, 7.0], [1.0, 1.0])

    A weight of three counts as three rows:

    >>> float(measure_scale(np.array([0.0, 4.0]), np.array([1.0, 3.0])).centre)
    3.0
    """
    low, high = values.min(axis=0), values.max(axis=0)
    largest = np.maximum(np.abs(low), np.abs(high))
    unit = np.where(largest > 0.0, largest, 1.0)
    scaled = values / unit
    centre = np.average(scaled, axis=0, weights=weight)
    spread = np.sqrt(np.average(np.square(scaled - centre), axis=0, weights=weight))
    # A spread near the smallest double has no inverse.
    constant = (low == high) | (spread * unit < 1e-300)
    return Standardization(
        centre=np.asarray(np.where(constant, low, centre * unit)),
        spread=np.asarray(np.where(constant, 1.0, spread * unit)),
    )


def in_data_units(coefficients: Floats, inputs: Standardization, output: Standardization) -> Floats:
    """Convert coefficients of standardised data (intercept first) to the data's units."""
    slopes = coefficients[:, 1:] * output.spread / inputs.spread
    # A sum of rounded terms, not a matrix product: inputs that a rule does not use must not shift it by rounding.
    offset = (slopes * inputs.centre).sum(axis=1)
    intercepts = coefficients[:, 0] * output.spread + output.centre - offset
    return np.column_stack([intercepts, slopes])


def spread_evenly(n_rows: int, max_rows: int) -> npt.NDArray[np.intp]:
    """Return the numbers of at most `max_rows` rows, spread evenly over a table from the first row to the last.

    Examples
    --------
    >>> spread_evenly(9, 3).tolist(), spread_evenly(2, 3).tolist()
    ([0, 4, 8], [0, 1])
    """
    return np.linspace(0, n_rows - 1, min(n_rows, max_rows)).astype(np.intp)


# More rows than this no weights stand for.
_MOST_ROWS = 1e9
# Weights are numbers of rows if they are whole multiples of the smallest weight, or of a half, a third or a quarter of
# it.
_MAX_PARTS, _WHOLE = 4, 1e-9


def row_numbers(weights: npt.NDArray[np.floating], max_rows: float) -> npt.NDArray[np.intp] | None:
    """Return how many rows each weight stands for, as few as possible; None if weights are not numbers of rows."""
    # The smallest weight may be zero, or tiny next to a huge one.
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


def row_weights(weights: Floats) -> Floats:
    """Return weights as numbers of rows if that is what they are, else with a mean of one: their unit does not matter.

    Examples
    --------
    >>> import numpy as np
    >>> row_weights(np.array([0.1, 0.1, 0.3])).tolist(), row_weights(np.array([1.0, np.e, np.pi])).round(2).tolist()
    ([1.0, 1.0, 3.0], [0.44, 1.19, 1.37])
    """
    numbers = row_numbers(weights, _MOST_ROWS)
    return weights / weights.mean() if numbers is None else numbers.astype(np.float64)


# The part of the rows that counts as an end of a column, the multiple of the distance from the median to it beyond
# which values are far from all others, and the least number of distinct values of a column that has such ends.
_END, _FAR, _MIN_DISTINCT = 0.02, 3.0, 20
# More values than this beyond a fence are not far from all others, but a region of their own.
_MAX_BEYOND, _MAX_SHARE_BEYOND = 12, 1e-3


def fences(values: Floats) -> Floats:
    """Return the ends of each column beyond which a value is far from all others, shape (2, n_columns).

    Between the fences are nearly all values of most distributions, however skewed; beyond them are faults, such as
    another unit, and single rows that no line should depend on.

    Examples
    --------
    >>> import numpy as np
    >>> column = np.append(np.linspace(0.0, 1.0, 99), 30.0)
    >>> fences(column[:, None]).round(1).tolist()
    [[-0.9], [2.0]]
    """
    result = np.repeat([[-np.inf], [np.inf]], values.shape[1], axis=1)
    for j, column in enumerate(values.T):
        distinct, counts = np.unique(column, return_counts=True)
        if len(distinct) < _MIN_DISTINCT:
            continue
        # Where most rows have one value, such as zero, the others have ends of their own.
        common = distinct[np.argmax(counts)] if counts.max() > len(column) / 2 else np.nan
        ordered = np.sort(column[column != common])
        middle = float(np.median(ordered))
        for side, share in ((0, _END), (1, 1.0 - _END)):
            end = float(np.quantile(ordered, share))
            if end != middle:
                fence = middle + _FAR * (end - middle)
                fence = fence if np.isnan(common) else (min, max)[side](fence, common)
                n_beyond = np.count_nonzero(column < fence if side == 0 else column > fence)
                if n_beyond <= max(_MAX_BEYOND, _MAX_SHARE_BEYOND * len(column)):
                    result[side, j] = fence
    return result


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of standardised data, laid out as the kernels read them.

    Attributes
    ----------
    columns : ndarray of shape (n_inputs, n_rows)
        The inputs, column by column.
    rows : ndarray of shape (n_rows, n_inputs + 1)
        The terms that slopes are fitted to, row by row, after a leading one: the inputs, except that categories have
        their held-out numbers (see `fruler._table.encoding`).
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
        """The arrays that the kernels read: columns, rows, output and weight."""
        return self.columns, self.rows, self.y, self.weight

    def __len__(self) -> int:
        return len(self.y)

    def take(self, some: npt.NDArray[np.intp] | slice) -> Rows:
        """Return some of the rows."""
        return Rows(np.ascontiguousarray(self.columns[:, some]), self.rows[some], self.y[some], self.weight[some])

    def with_inputs(self, inputs: npt.NDArray[np.intp]) -> Rows:
        """Return the rows with only some of the inputs, given in increasing order."""
        if len(inputs) == len(self.columns):
            return self
        return Rows(
            self.columns[inputs],
            np.ascontiguousarray(self.rows[:, np.concatenate([[0], inputs + 1])]),
            self.y,
            self.weight,
        )


# The number of parts of equal width into which the range of each column is cut.
N_PARTS = 32

Counts = npt.NDArray[np.int64]


def _parts(column: Floats, low: float, high: float) -> npt.NDArray[np.intp]:
    width = high / N_PARTS - low / N_PARTS
    if width <= 0.0:
        return np.zeros(len(column), dtype=np.intp)
    return np.clip((column / width - low / width).astype(np.intp), 0, N_PARTS - 1)


def part_counts(values: Floats, target: Floats, ends: Floats) -> Counts:
    """Count the rows in each part of each column, shape (n_inputs + 1, N_PARTS); the output comes last.

    Parameters
    ----------
    values, target : ndarray of shape (n_rows, n_inputs) and (n_rows,)
        The rows.
    ends : ndarray of shape (n_inputs + 1, 2)
        Minimum and maximum of each column over all rows.
    """
    counts = [
        np.bincount(_parts(column, *end), minlength=N_PARTS)
        for column, end in zip(chain(values.T, [target]), ends, strict=True)
    ]
    return np.array(counts, dtype=np.int64)


def rows_alike(values: Floats, target: Floats, ends: Floats, counts: Counts) -> Counts:
    """Return for each row the number of rows like it: the smallest count among its parts of all columns.

    Parameters
    ----------
    values, target, ends
        As for `part_counts`.
    counts : ndarray of shape (n_inputs + 1, N_PARTS)
        The number of rows in each part, over all rows.

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


# Odd numbers whose bits are spread: products with them mix bits.
_MIXERS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9))
_MARKS_KEPT = 256


def row_marks(values: Floats, target: Floats) -> Floats:
    """Return a whole number below 2**32 for each row: equal rows have the same, others hardly ever.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_columns)
        The inputs as they were given, NaN where a value is missing.
    target : ndarray of shape (n_rows,)
        The target.

    Examples
    --------
    >>> marks = row_marks(np.array([[1.0, np.nan], [1.0, 0.0], [1.0, np.nan]]), np.zeros(3))
    >>> bool(marks[0] == marks[2] != marks[1])
    True
    """
    mixed = np.zeros(len(target), dtype=np.uint64)
    for column in (*values.T, target):
        # All zeros are one number, and so are all gaps.
        plain = np.where(np.isnan(column), np.nan, column + 0.0)
        mixed = (mixed ^ plain.view(np.uint64)) * _MIXERS[0]
        mixed = (mixed ^ (mixed >> np.uint64(29))) * _MIXERS[1]
    return (mixed >> np.uint64(32)).astype(np.float64)


def kept_marks(marks: Floats) -> Floats:
    """Return the smallest 256 marks of a table: enough to find out which share of other rows are rows of the table."""
    return np.unique(marks)[:_MARKS_KEPT]


def known_share(marks: Floats, kept: Floats) -> float:
    """Estimate the share of rows that are rows of a table; NaN if too few can be told.

    Parameters
    ----------
    marks : ndarray of shape (n_rows,)
        The marks of the rows.
    kept : ndarray of shape (n_marks,)
        The smallest marks of the table, or all of them.

    Examples
    --------
    >>> table = row_marks(np.arange(1000.0)[:, None], np.zeros(1000))
    >>> others = row_marks(np.arange(1000.0)[:, None], np.ones(1000))
    >>> known_share(table, kept_marks(table)), known_share(others, kept_marks(table))
    (1.0, 0.0)
    """
    told = marks if len(kept) < _MARKS_KEPT else marks[marks <= kept[-1]]
    return float(np.isin(told, kept).mean()) if len(told) else float("nan")
