"""Missing values, filled with their means given the other values of the row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from fruler._arrays import Floats, FrozenValue, Indices, frozen
from fruler._table.rows import spread_evenly

# Rounds in which the gaps of a row are filled from each other; with one gap, the first round is exact.
N_SWEEPS = 8
# Ridge on the variances of standardised inputs, so that regressions exist for inputs that repeat each other.
RIDGE = 1e-2


@dataclass(frozen=True, init=False, eq=False)
class Gaps(FrozenValue):
    """Regressions that fill the missing inputs of a row from the others.

    A missing value is predicted by a regression on the row's other inputs. Several missing values start at their means
    and are predicted one after the other, eight times, which comes close to their mean given the observed inputs.

    Parameters
    ----------
    inputs : sequence of int
        The inputs that are filled and that gaps are filled from; others have no gaps, or do not matter.
    means : array-like of shape (n_inputs,)
        The means of the inputs, which fill a row without any value.
    slopes : array-like of shape (n_inputs, n_inputs)
        Row j has the slopes of the regression of input j on the others; the diagonal is zero.
    shares : array-like of shape (n_inputs,), optional
        The share of training rows in which each input is missing, if known.

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
    shares: Floats | None

    def __init__(self, inputs: Sequence[int], means: object, slopes: object, shares: object = None) -> None:
        self._set(inputs=tuple(int(j) for j in inputs))
        self._set(means=frozen(means, np.float64), slopes=frozen(slopes, np.float64))
        self._set(shares=None if shares is None else frozen(shares, np.float64))
        n = len(self.means) if self.means.ndim == 1 else -1
        if len(set(self.inputs)) != n or min(self.inputs, default=0) < 0:
            raise ValueError("Gaps need distinct inputs, and a mean for each.")
        if self.slopes.shape != (n, n) or not (np.isfinite(self.means).all() and np.isfinite(self.slopes).all()):
            raise ValueError("Gaps need finite means, and finite slopes of each input on every other.")
        if np.diag(self.slopes).any():
            raise ValueError("An input cannot fill its own gaps.")
        if self.shares is not None and (
            self.shares.shape != (n,) or not ((self.shares >= 0.0) & (self.shares <= 1.0)).all()
        ):
            raise ValueError("The shares of gaps must be one number from 0 to 1 per input.")

    @classmethod
    def from_moments(
        cls,
        inputs: Sequence[int],
        means: Floats,
        covariance: Floats,
        fillers: npt.NDArray[np.bool_] | None = None,
        shares: Floats | None = None,
    ) -> Self:
        """Return the regressions that follow from means and covariances.

        Parameters
        ----------
        inputs, means, covariance
            The inputs, their means and their covariances.
        fillers : ndarray of bool, shape (n_inputs, n_inputs), optional
            The inputs (columns) on which each input (row) may be regressed. By default, all others.
        shares : ndarray of shape (n_inputs,), optional
            The share of training rows in which each input is missing.

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
        return cls(inputs, means, slopes, shares)

    def filled(self, values: Floats) -> Floats:
        """Return the rows with their gaps filled; the array itself if there are none.

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
    """Return the slopes of the regression of each input on all others; the diagonal has no meaning."""
    precision = np.linalg.inv(correlation)
    return np.asarray(-precision / np.diag(precision)[:, None])


def _slopes_on_some(correlation: Floats, fillers: npt.NDArray[np.bool_]) -> Floats:
    """Return the slopes of the regression of each input on the inputs that may fill its gaps."""
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


# The estimate from an incomplete table: the number of rounds, and the maximum number of rows.
_N_ROUNDS, _MAX_ROWS = 8, 2_000


@dataclass(frozen=True, eq=False)
class Moments:
    """Means and covariances of inputs.

    Attributes
    ----------
    means : ndarray of shape (n_inputs,)
        The means.
    covariance : ndarray of shape (n_inputs, n_inputs)
        The covariances.
    fillers : ndarray of bool, shape (n_inputs, n_inputs), or None
        The inputs (columns) from which each input (row) may be filled; None for all.
    shares : ndarray of shape (n_inputs,), or None
        The share of rows in which each input is missing, if known.
    """

    means: Floats
    covariance: Floats
    fillers: npt.NDArray[np.bool_] | None = None
    shares: Floats | None = None

    def gaps(self, inputs: Indices) -> Gaps:
        """Return the regressions that fill gaps of some inputs from one another."""
        own = np.ix_(inputs, inputs)
        fillers = None if self.fillers is None else self.fillers[own]
        shares = None if self.shares is None else self.shares[inputs]
        return Gaps.from_moments(inputs.tolist(), self.means[inputs], self.covariance[own], fillers, shares)


def observed_moments(values: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Return the mean and the standard deviation of the values that are not missing, by column."""
    counts = weight[:, None] * ~np.isnan(values)
    present, total = np.nan_to_num(values), counts.sum(axis=0)
    means = (counts * present).sum(axis=0) / total
    return means, np.sqrt((counts * np.square(present - means)).sum(axis=0) / total)


def learn_moments(values: Floats, weight: Floats | None = None) -> Moments:
    """Estimate means and covariances from rows with gaps, by the EM algorithm for normal data.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_inputs)
        Rows, NaN where there is a gap; every column has a value.
    weight : ndarray of shape (n_rows,), optional
        The row weights; a weight of two counts as two rows.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.arange(100.0)
    >>> values = np.column_stack([x, 2.0 * x])
    >>> values[::3, 1] = np.nan
    >>> gaps = learn_moments(values).gaps(np.arange(2))
    >>> bool(np.abs(gaps.filled(values)[:, 1] - 2.0 * x).max() < 2.0)
    True
    """
    weight = np.ones(len(values)) if weight is None else weight / weight.mean()
    missing = np.isnan(values)
    shares = missing.mean(axis=0)
    means, spread = observed_moments(values, weight)
    unit = np.where(spread > 0.0, spread, 1.0)
    if not missing.any():
        rooted = np.sqrt(weight)[:, None] * ((values - means) / unit)
        covariance = rooted.T @ rooted / weight.sum()
        return Moments(means, covariance * np.outer(unit, unit), shares=shares)
    # Rows in the order of their values: the order in which they are given does not matter.
    some = np.lexsort(values.T)[spread_evenly(len(values), _MAX_ROWS)]
    scaled, missing, weight = (values[some] - means) / unit, missing[some], weight[some]
    patterns, of_row = np.unique(missing, axis=0, return_inverse=True)
    groups = [np.flatnonzero(of_row.reshape(-1) == k) for k in range(len(patterns))]
    centre = np.zeros(len(means))
    covariance = np.eye(len(means))
    for _ in range(_N_ROUNDS):
        filled, extra = scaled.copy(), np.zeros_like(covariance)
        ridged = covariance + RIDGE * np.eye(len(means))
        for pattern, rows in zip(patterns, groups, strict=True):
            absent, present = np.flatnonzero(pattern), np.flatnonzero(~pattern)
            if not len(absent):
                continue
            across = ridged[np.ix_(absent, present)]
            slopes = np.linalg.solve(ridged[np.ix_(present, present)], across.T).T if len(present) else across
            filled[np.ix_(rows, absent)] = centre[absent] + (scaled[np.ix_(rows, present)] - centre[present]) @ slopes.T
            # The uncertainty of the filled values is part of their variance.
            extra[np.ix_(absent, absent)] += weight[rows].sum() * (
                covariance[np.ix_(absent, absent)] - slopes @ across.T
            )
        centre = (weight[:, None] * filled).sum(axis=0) / weight.sum()
        apart = np.sqrt(weight)[:, None] * (filled - centre)
        covariance = (apart.T @ apart + extra) / weight.sum()
    return Moments(means + centre * unit, covariance * np.outer(unit, unit), shares=shares)
