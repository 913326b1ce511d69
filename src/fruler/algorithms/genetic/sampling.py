"""Samples of the rows, on which children are judged before the full error is computed."""

from __future__ import annotations

from typing import Literal, Self

import numpy as np

from fruler._typing import Floats, Indices

Subset = Literal["auto"] | None

# Up to so many rows the full error is cheap enough; a sample has at least so many rows, and at least this share.
_MIN_TABLE, _MIN_ROWS, _SHARE = 2_000, 1_000, 0.2


class RowSampler:
    """Draws samples that are stratified by the output.

    Parameters
    ----------
    target : ndarray of shape (n_rows,)
        The outputs.
    size : int
        The rows of a sample.

    Examples
    --------
    >>> import numpy as np
    >>> drawn = RowSampler(np.arange(10.0), 5).draw(np.random.default_rng(0))
    >>> [int(row) // 2 for row in drawn]
    [0, 1, 2, 3, 4]
    """

    def __init__(self, target: Floats, size: int) -> None:
        self._order = np.argsort(target, kind="stable")
        self._edges = np.linspace(0, len(target), min(size, len(target)) + 1).astype(np.intp)

    @classmethod
    def for_table(cls, target: Floats, subset: Subset = "auto") -> Self | None:
        """Return a sampler for a table that is large enough to be sampled; None for a smaller one, or if not wanted."""
        if subset is None or len(target) <= _MIN_TABLE:
            return None
        return cls(target, max(_MIN_ROWS, int(_SHARE * len(target))))

    @property
    def n_rows(self) -> int:
        """The number of all rows."""
        return len(self._order)

    def draw(self, rng: np.random.Generator) -> Indices:
        """Draw one row of every stratum; returned in increasing order."""
        return np.sort(self._order[rng.integers(self._edges[:-1], self._edges[1:])]).astype(np.intp, copy=False)
