"""Rules on a uniform grid, in the data's own units: what tuning starts from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats, Indices
from fruler.algorithms.grids.solution import GridSolution
from fruler.rules.triangle_partition import TrianglePartition


@dataclass(frozen=True, eq=False)
class GridRules:
    """The antecedents that a first stage has found.

    Attributes
    ----------
    inputs : ndarray of shape (n_used,)
        The inputs in antecedents.
    points : tuple of ndarray of shape (n_labels, 3)
        The labels of each of these as whole triangles, those at the ends reaching beyond the domain.
    labels : ndarray of shape (n_rules, n_used)
        The label that each rule has of each of these inputs.
    """

    inputs: Indices
    points: tuple[Floats, ...]
    labels: Indices

    @classmethod
    def of(cls, solution: GridSolution, domains: Floats) -> GridRules:
        """Take the antecedents of a grid, with the domains of all inputs."""
        granularities, displacements = solution.chromosome.granularities, solution.chromosome.displacements
        points = [uniform_points(domains[j], int(granularities[j]), float(displacements[j])) for j in solution.inputs]
        return cls(solution.inputs, tuple(points), solution.cells)

    @property
    def n_rules(self) -> int:
        """The number of rules."""
        return len(self.labels)

    @property
    def triangles(self) -> Floats:
        """The whole triangles of the rules, shape (n_rules, n_used, 3)."""
        if not len(self.inputs):
            return np.empty((self.n_rules, 0, 3))
        return np.stack([points[self.labels[:, k]] for k, points in enumerate(self.points)], axis=1)

    @property
    def shoulders(self) -> npt.NDArray[np.bool_]:
        """Whether a rule's label is the lowest, and whether it is the highest, shape (n_rules, n_used, 2)."""
        highest = np.array([len(points) - 1 for points in self.points], dtype=np.intp)
        return np.stack([self.labels == 0, self.labels == highest], axis=2)


def uniform_points(domain: Floats | tuple[float, float], n_labels: int, displacement: float) -> Floats:
    """Return equal triangles over a domain, shape (n_labels, 3); those at its ends reach beyond it."""
    low, high = (float(end) for end in domain)
    return TrianglePartition.uniform((low, high), n_labels, displacement, shoulders=False).triangles
