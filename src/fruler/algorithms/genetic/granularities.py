"""Numbers of labels as genes: what the searches for partitions share."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Granularities = npt.NDArray[np.intc]


def limit_cells(granularities: Granularities, max_cells: int, rng: np.random.Generator) -> Granularities:
    """Take random inputs out of the antecedents until the labels make no more cells than allowed.

    Examples
    --------
    >>> import numpy as np
    >>> int(limit_cells(np.array([3, 3, 3], dtype=np.intc), 9, np.random.default_rng(0)).prod())
    9
    """
    granularities = granularities.copy()
    # As logarithms: the product of 200 granularities is no number.
    while np.log(granularities).sum() > np.log(max_cells) + 1e-9:
        granularities[rng.choice(np.flatnonzero(granularities > 1))] = 1
    return granularities


def falls(granularity: int, least: int, largest: int, rng: np.random.Generator) -> bool:
    """Draw whether a granularity falls or rises: either is as likely, where both are possible."""
    fall = bool(rng.random() < 0.5)
    if granularity == least:
        return False
    return fall or granularity == largest


def mutate_granularity(granularity: int, least: int, largest: int, rng: np.random.Generator) -> int:
    """Return a label less or, as likely, any larger number of labels."""
    if falls(granularity, least, largest, rng):
        return granularity - 1
    return int(rng.integers(granularity + 1, largest, endpoint=True))
