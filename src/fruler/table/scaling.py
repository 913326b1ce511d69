"""One way of putting columns on a common scale, used by every stage."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fruler._typing import Floats


@dataclass(frozen=True)
class Scale:
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


def measure_scale(values: Floats, weight: Floats | None = None) -> Scale:
    """Measure the mean and the standard deviation of each column, of rows that may have weights.

    A column that holds one value only has spread 1, even where rounding would leave a tiny standard deviation.

    Examples
    --------
    >>> import numpy as np
    >>> scale = measure_scale(np.array([[1.0, 7.0], [3.0, 7.0]]))
    >>> scale.centre.tolist(), scale.spread.tolist()
    ([2.0, 7.0], [1.0, 1.0])

    A weight of three is as good as three rows:

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
    return Scale(
        centre=np.asarray(np.where(constant, low, centre * unit)),
        spread=np.asarray(np.where(constant, 1.0, spread * unit)),
    )


def in_data_units(coefficients: Floats, inputs: Scale, output: Scale) -> Floats:
    """Turn coefficients of standardised data (intercept first) into those of the data's own units."""
    slopes = coefficients[:, 1:] * output.spread / inputs.spread
    # Sums of rounded terms, not a product: what is not in a rule must not shift it by its own rounding.
    offset = (slopes * inputs.centre).sum(axis=1)
    intercepts = coefficients[:, 0] * output.spread + output.centre - offset
    return np.column_stack([intercepts, slopes])
