"""Values that look like faults: far from all others of their column, and not supported by the target."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fruler._arrays import Floats
from fruler._table.gaps import learn_moments
from fruler._table.rows import fences, measure_scale
from fruler._wording import counted, readable_number

# A value is believed if the target supports it by more standard deviations of the residuals than this.
_SUPPORTED = 0.5
# A value is named in the warning if the target contradicts it by more standard deviations of the residuals than this.
_CONTRADICTED = 3.0
# The ridge of the regression, in rows.
_RIDGE = 1.0
# The number of faults that the warning names.
_N_NAMED = 3


class FarValues(NamedTuple):
    """Values that are far from all others of their columns.

    Attributes
    ----------
    doubted : ndarray of bool, shape (n_rows, n_inputs)
        Those that the target does not support.
    refuted : ndarray of bool, shape (n_rows, n_inputs)
        Those that the target clearly speaks against.
    """

    doubted: npt.NDArray[np.bool_]
    refuted: npt.NDArray[np.bool_]


def far_values(values: Floats, y: Floats, weight: Floats | None = None) -> FarValues:
    """Return which values look like faults.

    A value that is far from all others of its column, such as one in another unit, is believed if the target supports
    it: if a linear regression predicts the row better with the value than with an estimate from the other inputs. One
    such row could otherwise decide the slope of an input for all rows.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_inputs)
        Inputs, NaN where there is a gap.
    y, weight : ndarray of shape (n_rows,)
        The target, and the row weights.

    Examples
    --------
    >>> import numpy as np
    >>> size = np.linspace(1.0, 2.0, 200)
    >>> wrong = size.copy()
    >>> wrong[7] *= 100.0
    >>> np.argwhere(far_values(wrong[:, None], 5.0 * size).refuted).tolist()
    [[7, 0]]
    >>> np.argwhere(far_values(wrong[:, None], 5.0 * wrong).doubted).tolist()
    []
    """
    nothing = np.zeros(values.shape, dtype=np.bool_)
    known = np.where(np.isnan(values), np.nanmedian(values, axis=0), values)
    low, high = fences(known)
    far = (known < low) | (known > high)
    rows = np.flatnonzero(far.any(axis=1))
    if not len(rows):
        return FarValues(nothing, nothing)
    others = np.where(far, np.nan, values)
    filled = learn_moments(others, weight).gaps(np.arange(values.shape[1])).filled(others)
    scale = measure_scale(filled)
    usual = np.setdiff1d(np.arange(len(values)), rows)
    root = np.ones(len(y)) if weight is None else np.sqrt(weight / weight.mean())

    def design(X: Floats) -> Floats:
        return np.column_stack([np.ones(len(X)), scale.apply(X)])

    A, b = design(filled[usual]) * root[usual, None], y[usual] * root[usual]
    slopes = np.linalg.solve(A.T @ A + _RIDGE * np.eye(A.shape[1]), A.T @ b)
    noise = float(np.sqrt(np.mean(np.square(b - A @ slopes))))
    given = np.where(np.isnan(values[rows]), filled[rows], values[rows])
    # A relation that levels off contradicts the line, but not the value: its fence may be right.
    believed = np.minimum(*(np.abs(y[rows] - design(X) @ slopes) for X in (given, np.clip(given, low, high))))
    estimated = np.abs(y[rows] - design(filled[rows]) @ slopes)
    doubted, refuted = nothing.copy(), nothing.copy()
    doubted[rows] = far[rows] & (estimated <= believed + _SUPPORTED * noise)[:, None]
    refuted[rows] = far[rows] & (estimated + _CONTRADICTED * noise < believed)[:, None]
    return FarValues(doubted, refuted)


class FaultyValuesWarning(UserWarning):
    """Values of the training table look like faults and count as missing.

    Parameters
    ----------
    faults : sequence of (str, float, int)
        The column, the value and the row of each.
    """

    def __init__(self, faults: Sequence[tuple[str, float, int]]) -> None:
        super().__init__(faults)
        self.faults = faults

    def __str__(self) -> str:
        return self.text()

    def text(self, first_row: int | None = 0) -> str:
        """Write what happened, with rows counted from `first_row`, or without rows."""
        named = [
            f"{name} = {readable_number(value, 6)}{'' if first_row is None else f' (row {row + first_row:,})'}"
            for name, value, row in self.faults[:_N_NAMED]
        ]
        more = f", and {counted(len(self.faults) - _N_NAMED, 'other')}" if len(self.faults) > _N_NAMED else ""
        them, they_count = ("it", "it counts") if len(self.faults) == 1 else ("them", "they count")
        return (
            f"{', '.join(named)}{more}: far from all other values, and the target speaks against {them}, so "
            f"{they_count} as missing. If that is wrong, transform the column, for example by a logarithm."
        )


def warn_of_faults(refuted: npt.NDArray[np.bool_], values: Floats, names: Sequence[str]) -> None:
    """Warn of values that the target speaks against."""
    faults = [(names[j], float(values[i, j]), int(i)) for i, j in np.argwhere(refuted)]
    if faults:
        warnings.warn(FaultyValuesWarning(faults), stacklevel=2)
