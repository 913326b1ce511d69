"""The points of triangles that tuning may move, and how far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats, Indices


@dataclass(frozen=True, eq=False)
class TuningSpace:
    """Where the points of triangles may lie: one gene from 0 to 1 for each that can move, its place in its interval.

    Attributes
    ----------
    triangles : ndarray of shape (n_triangles, 3)
        The triangles as they are before tuning; infinite where a label holds for everything beyond its middle.
    moved : ndarray of shape (n_genes,)
        The places of the finite points in the flattened triangles.
    low, high : ndarray of shape (n_genes,)
        The interval of each point.
    n_rules : int
        The number of rules that are selected from.

    Examples
    --------
    >>> import numpy as np
    >>> space = TuningSpace.around(np.array([[0.0, 1.0, 2.0]]), np.array([[True, False]]), n_rules=4)
    >>> space.low.tolist(), space.high.tolist()
    ([0.5, 1.5], [1.5, 2.5])
    >>> space.decoded(np.array([0.25, 0.5])).tolist()
    [[-inf, 0.75, 2.0]]
    """

    triangles: Floats
    moved: Indices
    low: Floats
    high: Floats
    n_rules: int

    @classmethod
    def around(cls, triangles: Floats, shoulders: npt.NDArray[np.bool_], n_rules: int) -> Self:
        """Build the space of triangles whose points move by at most half of the side next to them.

        So their order can't change: two neighbouring points meet in the middle at most.

        Parameters
        ----------
        triangles : ndarray of shape (n_triangles, 3)
            Whole triangles with finite points, their sides equally long.
        shoulders : ndarray of bool, shape (n_triangles, 2)
            Whether a label holds for everything below, or above, its middle: then that side is no side.
        n_rules : int
            The number of rules.
        """
        left, right = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 1]
        middles = (triangles[:, :-1] + triangles[:, 1:]) / 2.0
        # Where two intervals meet they have the same number, or rounding could let the points pass each other.
        low = np.column_stack([triangles[:, 0] - left / 2.0, middles])
        high = np.column_stack([middles, triangles[:, 2] + right / 2.0])
        shaped = triangles.copy()
        shaped[shoulders[:, 0], 0] = -np.inf
        shaped[shoulders[:, 1], 2] = np.inf
        moved = np.flatnonzero(np.isfinite(shaped.ravel()))
        return cls(shaped, moved, low.ravel()[moved], high.ravel()[moved], n_rules)

    @property
    def n_genes(self) -> int:
        """The number of points that can move."""
        return len(self.moved)

    @property
    def start(self) -> Floats:
        """The genes of the triangles before tuning: all in the middle, since sides are equally long."""
        return np.full(self.n_genes, 0.5)

    def decoded(self, genes: Floats) -> Floats:
        """Return the triangles that genes stand for."""
        points = self.triangles.ravel().copy()
        # Rounding must not take a point out of its interval.
        placed = np.minimum(self.low + genes * (self.high - self.low), self.high)
        # What has not been moved is where it was, to the last bit.
        points[self.moved] = np.where(genes == 0.5, points[self.moved], placed)
        return points.reshape(-1, 3)
