"""Means and covariances of inputs, of rows with gaps: from these gaps are filled in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats, Indices
from fruler.table.gaps import RIDGE, Gaps

# Of the estimate from an incomplete table: rounds, and rows.
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
        From which others (columns) each input (row) may be filled in; None: from all.
    """

    means: Floats
    covariance: Floats
    fillers: npt.NDArray[np.bool_] | None = None

    def gaps(self, inputs: Indices) -> Gaps:
        """Return how gaps of some of the inputs are filled in from one another."""
        own = np.ix_(inputs, inputs)
        fillers = None if self.fillers is None else self.fillers[own]
        return Gaps.from_moments(inputs.tolist(), self.means[inputs], self.covariance[own], fillers)


def learn_moments(values: Floats) -> Moments:
    """Estimate means and covariances from rows with gaps: by expectation and maximisation, as if they were normal.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_inputs)
        Rows, NaN where there is a gap; no column is without a value.

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
    missing = np.isnan(values)
    means = np.nanmean(values, axis=0)
    spread = np.nanstd(values, axis=0)
    unit = np.where(spread > 0.0, spread, 1.0)
    scaled = (values - means) / unit
    if not missing.any():
        covariance = scaled.T @ scaled / len(values)
        return Moments(means, covariance * np.outer(unit, unit))
    some = np.linspace(0, len(values) - 1, min(len(values), _MAX_ROWS)).astype(np.intp)
    scaled, missing = scaled[some], missing[some]
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
            # What is not known of the gaps is part of their variance.
            extra[np.ix_(absent, absent)] += len(rows) * (covariance[np.ix_(absent, absent)] - slopes @ across.T)
        centre = filled.mean(axis=0)
        apart = filled - centre
        covariance = (apart.T @ apart + extra) / len(filled)
    return Moments(means + centre * unit, covariance * np.outer(unit, unit))
