"""The selection of SPEA2: the fitness of individuals, which of them survive, and which become parents."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats, Indices


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


def select_archive(objectives: Floats, size: int) -> tuple[Indices, Floats]:
    """Choose the individuals of the next archive as SPEA2 does.

    Of individuals with the same objectives only the first takes part. All that are non-dominated are taken; if they are
    too few the fittest others are added, and if they are too many those in the densest places are removed, but never
    the most accurate.

    Parameters
    ----------
    objectives : ndarray of shape (n, 2)
        Error and number of rules, all finite.
    size : int
        The most that are taken.

    Returns
    -------
    indices : ndarray
        Those that are taken, in increasing order.
    fitness : ndarray
        Their fitness among all.

    Examples
    --------
    >>> import numpy as np
    >>> select_archive(np.array([[1.0, 9.0], [1.0, 9.0], [2.0, 5.0], [3.0, 6.0]]), 2)[0].tolist()
    [0, 2]
    """
    first = np.sort(np.unique(objectives, axis=0, return_index=True)[1])
    places = scaled(objectives[first])
    fitness = spea2_fitness(places)
    taken = np.flatnonzero(fitness < 1.0)
    if len(taken) < size:
        others = np.flatnonzero(fitness >= 1.0)
        fittest = others[np.argsort(fitness[others], kind="stable")]
        taken = np.sort(np.concatenate([taken, fittest[: size - len(taken)]]))
    elif len(taken) > size:
        taken = taken[truncated(places[taken], size)]
    return np.asarray(first[taken], dtype=np.intp), fitness[taken]


def truncated(places: Floats, size: int) -> Indices:
    """Return the individuals that are left when the most crowded one is removed again and again.

    The most crowded is nearest to its nearest neighbour; if several are, to its second nearest, and so on. Of equals
    the last is removed. The most accurate, the first objective's least, always stays.

    Parameters
    ----------
    places : ndarray of shape (n, 2)
        Scaled objectives, none twice.
    size : int
        How many are left.
    """
    apart = distances(places)
    np.fill_diagonal(apart, np.inf)
    left = list(range(len(places)))
    best = int(np.lexsort((places[:, 1], places[:, 0]))[0])
    while len(left) > size:
        between = apart[np.ix_(left, left)]
        nearest = between.min(axis=1)
        nearest[left.index(best)] = np.inf
        candidates = np.flatnonzero(nearest == nearest.min())
        vectors = np.sort(between[candidates], axis=1)
        crowded = min(range(len(candidates)), key=lambda k: (vectors[k].tolist(), -int(candidates[k])))
        del left[int(candidates[crowded])]
    return np.array(left, dtype=np.intp)


def mating_share(progress: float) -> float:
    """Return the most accurate share of the archive that may become parents, by the progress of a cycle.

    It falls from all to one half: exploration at first, exploitation at the end.

    Examples
    --------
    >>> mating_share(0.0), mating_share(1.0)
    (1.0, 0.5)
    """
    return 1.0 - 0.5 * min(max(progress, 0.0), 1.0)


def tournaments(
    errors: Floats, fitness: Floats, share: float, n_pairs: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    """Choose pairs of parents by binary tournaments on the fitness, among the most accurate share of all.

    Parameters
    ----------
    errors, fitness : ndarray of shape (n,)
        Of the archive.
    share : float
        The most accurate share that takes part; at least two individuals do, where there are two.
    n_pairs : int
        How many pairs.
    rng : numpy Generator
        Draws them.
    """
    pool = np.argsort(errors, kind="stable")[: max(2, int(np.ceil(share * len(errors))))]
    drawn = pool[rng.integers(len(pool), size=(n_pairs, 2, 2))]
    won = np.where(fitness[drawn[:, :, 1]] < fitness[drawn[:, :, 0]], drawn[:, :, 1], drawn[:, :, 0])
    return [(int(first), int(second)) for first, second in won]
