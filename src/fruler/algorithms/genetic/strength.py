"""The fitness of SPEA2: how many stronger ones dominate an individual, and how crowded its surroundings are."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats


def scaled(objectives: Floats) -> Floats:
    """Return objectives scaled to [0, 1], each over all individuals; one that is the same for all becomes zero.

    Examples
    --------
    >>> import numpy as np
    >>> scaled(np.array([[10.0, 3.0], [20.0, 3.0], [15.0, 3.0]])).tolist()
    [[0.0, 0.0], [1.0, 0.0], [0.5, 0.0]]
    """
    low, span = objectives.min(axis=0), np.ptp(objectives, axis=0)
    return np.asarray((objectives - low) / np.where(span > 0.0, span, 1.0))


def dominance(objectives: Floats) -> npt.NDArray[np.bool_]:
    """Return a matrix: whether the individual of the row dominates that of the column.

    It does if it is no worse in any objective, and better in one; less is better.
    """
    no_worse = np.ones((len(objectives), len(objectives)), dtype=np.bool_)
    better = ~no_worse
    for column in objectives.T:
        no_worse &= column[:, None] <= column[None, :]
        better |= column[:, None] < column[None, :]
    return no_worse & better


def raw_fitness(dominates: npt.NDArray[np.bool_]) -> Floats:
    """Return the sum of the strengths of all that dominate an individual; its strength is how many it dominates.

    Examples
    --------
    >>> import numpy as np
    >>> raw_fitness(dominance(np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [0.0, 4.0]]))).tolist()
    [0.0, 2.0, 3.0, 0.0]
    """
    strengths = dominates.sum(axis=1)
    return np.asarray((dominates * strengths[:, None]).sum(axis=0), dtype=np.float64)


def distances(objectives: Floats) -> Floats:
    """Return the Euclidean distances between all individuals."""
    square = np.zeros((len(objectives), len(objectives)))
    # One objective after the other: the sum is then rounded alike on every processor.
    for column in objectives.T:
        apart = column[:, None] - column[None, :]
        square += apart * apart
    return np.sqrt(square)


def densities(apart: Floats, neighbour: int) -> Floats:
    """Return the density around every individual: 1 / (distance to its k-th nearest neighbour + 2).

    Parameters
    ----------
    apart : ndarray of shape (n, n)
        Distances.
    neighbour : int
        Which neighbour, from 1; where there are fewer, the farthest.
    """
    # The first of the sorted distances is that to itself.
    nearest = np.sort(apart, axis=1)[:, min(neighbour, len(apart) - 1)]
    return np.asarray(1.0 / (nearest + 2.0))


def spea2_fitness(objectives: Floats, neighbour: int | None = None) -> Floats:
    """Return the fitness of SPEA2 of every individual: less is better, and below 1 it is non-dominated.

    Parameters
    ----------
    objectives : ndarray of shape (n, 2)
        Already scaled.
    neighbour : int, optional
        By which neighbour crowding is measured; by default the square root of n.
    """
    k = int(np.sqrt(len(objectives))) if neighbour is None else neighbour
    return raw_fitness(dominance(objectives)) + densities(distances(objectives), k)
