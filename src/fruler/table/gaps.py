"""What is taken for a missing value: its mean, given the other values of the row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats

# Rounds in which gaps of a row are filled in from each other; with one gap the first is exact.
N_SWEEPS = 8
# What the variances of inputs are raised by, so that those that repeat each other can be told apart.
RIDGE = 1e-2


@dataclass(frozen=True, init=False, eq=False)
class Gaps:
    """How missing values of inputs are filled in from those that are there.

    A missing value is its regression on the row's other inputs. Where several are missing, they begin at their means,
    and are filled in one after the other, eight times: that comes near to their mean given what is there.

    Parameters
    ----------
    inputs : sequence of int
        The inputs that can be filled in, and from which; others have no gaps, or do not matter.
    means : array-like of shape (n_inputs,)
        What is taken where nothing else is known.
    slopes : array-like of shape (n_inputs, n_inputs)
        Row j has the slopes of the regression of input j on the others; its own is zero.

    Examples
    --------
    >>> import numpy as np
    >>> gaps = Gaps([0, 1], [1.0, 10.0], [[0.0, 0.1], [8.0, 0.0]])
    >>> gaps.filled(np.array([[2.0, np.nan], [np.nan, 20.0], [np.nan, np.nan], [3.0, 4.0]])).tolist()
    [[2.0, 18.0], [2.0, 20.0], [1.0, 10.0], [3.0, 4.0]]
    """

    inputs: tuple[int, ...]
    means: Floats
    slopes: Floats

    def __init__(self, inputs: Sequence[int], means: object, slopes: object) -> None:
        object.__setattr__(self, "inputs", tuple(int(j) for j in inputs))
        for name, values in (("means", means), ("slopes", slopes)):
            array = np.array(values, dtype=np.float64, order="C")
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        n = len(self.means) if self.means.ndim == 1 else -1
        if len(set(self.inputs)) != n or min(self.inputs, default=0) < 0:
            raise ValueError("What fills gaps must be of different inputs, with a mean for each.")
        if self.slopes.shape != (n, n) or not (np.isfinite(self.means).all() and np.isfinite(self.slopes).all()):
            raise ValueError("What fills gaps must be finite: a mean for each input, and its slopes on all.")
        if np.diag(self.slopes).any():
            raise ValueError("No input can fill its own gaps.")

    @classmethod
    def from_moments(
        cls,
        inputs: Sequence[int],
        means: Floats,
        covariance: Floats,
        fillers: npt.NDArray[np.bool_] | None = None,
    ) -> Self:
        """Return the regressions of some inputs that their means and covariances give.

        Parameters
        ----------
        inputs, means, covariance
            The inputs, and what is known of them.
        fillers : ndarray of bool, shape (n_inputs, n_inputs), optional
            On which others (columns) each input (row) may be regressed; where it is not given, on all.

        Examples
        --------
        >>> import numpy as np
        >>> fillers = np.array([[False, True], [False, False]])
        >>> gaps = Gaps.from_moments([0, 1], np.zeros(2), np.array([[1.0, 0.5], [0.5, 1.0]]), fillers)
        >>> gaps.slopes.round(2).tolist()
        [[0.0, 0.5], [0.0, 0.0]]
        """
        spread = np.sqrt(np.diag(covariance))
        unit = np.where(spread > 0.0, spread, 1.0)
        correlation = covariance / np.outer(unit, unit)
        correlation[np.diag_indices(len(unit))] = 1.0 + RIDGE
        slopes = _slopes(correlation) if fillers is None else _slopes_on_some(correlation, fillers)
        slopes = slopes * np.outer(unit, 1.0 / unit)
        slopes[np.diag_indices(len(unit))] = 0.0
        return cls(inputs, means, slopes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Gaps):
            return NotImplemented
        same = np.array_equal(self.means, other.means) and np.array_equal(self.slopes, other.slopes)
        return same and self.inputs == other.inputs

    def __hash__(self) -> int:
        return hash((self.inputs, self.means.tobytes(), self.slopes.tobytes()))

    def filled(self, values: Floats) -> Floats:
        """Return rows whose gaps are filled in; the array itself where there are none.

        Parameters
        ----------
        values : ndarray of shape (n_rows, n_inputs)
            All inputs, NaN where there is a gap.
        """
        inputs = np.array(self.inputs, dtype=np.intp)
        missing = np.isnan(values[:, inputs])
        rows = np.flatnonzero(missing.any(axis=1))
        if not len(rows):
            return values
        own, given = missing[rows], values[np.ix_(rows, inputs)]
        centred = np.where(own, 0.0, given - self.means)
        columns = np.flatnonzero(own.any(axis=0))
        places = {j: np.flatnonzero(own[:, j]) for j in columns}
        for _ in range(N_SWEEPS):
            for j in columns:
                centred[places[j], j] = centred[places[j]] @ self.slopes[j]
        result = values.copy()
        result[np.ix_(rows, inputs)] = np.where(own, centred + self.means, given)
        return result


def _slopes(correlation: Floats) -> Floats:
    """Return the slopes of the regression of each input on all others; its own means nothing."""
    precision = np.linalg.inv(correlation)
    return np.asarray(-precision / np.diag(precision)[:, None])


def _slopes_on_some(correlation: Floats, fillers: npt.NDArray[np.bool_]) -> Floats:
    """Return the slopes of the regression of each input on those of the others that may fill its gaps."""
    slopes = np.zeros_like(correlation)
    masks, own = np.unique(fillers, axis=0, return_inverse=True)
    for number, mask in enumerate(masks):
        members, others = np.flatnonzero(own.reshape(-1) == number), np.flatnonzero(mask)
        among = correlation[np.ix_(others, others)]
        inside = mask[members]
        slopes[np.ix_(members[inside], others)] = _slopes(among)[np.searchsorted(others, members[inside])]
        outside = members[~inside]
        slopes[np.ix_(outside, others)] = np.linalg.solve(among, correlation[np.ix_(others, outside)]).T
    return slopes
