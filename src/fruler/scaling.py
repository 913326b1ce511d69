"""One way of putting columns on a common scale, used by every stage."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


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
        # Halves are exact, and the difference of the two largest doubles is then one too.
        return np.asarray((values / 2.0 - self.centre / 2.0) / (self.spread / 2.0))


def measure_scale(values: Floats) -> Scale:
    """Measure the mean and the standard deviation of each column.

    Values near the largest double are brought down before they are squared, so nothing overflows; a column that
    holds one value only has spread 1, even where rounding would leave a tiny standard deviation.

    Examples
    --------
    >>> import numpy as np
    >>> scale = measure_scale(np.array([[1.0, 7.0], [3.0, 7.0]]))
    >>> scale.centre.tolist(), scale.spread.tolist()
    ([2.0, 7.0], [1.0, 1.0])
    """
    low, high = values.min(axis=0), values.max(axis=0)
    largest = np.maximum(np.abs(low), np.abs(high))
    unit = np.where(largest > 0.0, largest, 1.0)
    scaled = values / unit
    centre = scaled.mean(axis=0)
    spread = np.sqrt(np.square(scaled - centre).mean(axis=0))
    constant = (low == high) | (spread == 0.0)
    return Scale(
        centre=np.asarray(np.where(constant, low, centre * unit)),
        spread=np.asarray(np.where(constant, 1.0, spread * unit)),
    )
