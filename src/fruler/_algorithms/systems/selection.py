"""The selection of SPEA2: the fitness of individuals, the next archive, and the parents."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fruler._arrays import Floats, Indices


def scaled(objectives: Floats) -> Floats:
    """Return objectives scaled to [0, 1], each over all individuals; a constant objective becomes zero.

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

    An individual dominates another if it is not worse in any objective and better in one; less is better.
    """
    no_worse = np.ones((len(objectives), len(objectives)), dtype=np.bool_)
    better = ~no_worse
    for column in objectives.T:
        no_worse &= column[:, None] <= column[None, :]
        better |= column[:, None] < column[None, :]
    return no_worse & better


def raw_fitness(dominates: npt.NDArray[np.bool_]) -> Floats:
    """Return the sum of the strengths of an individual's dominators; the strength is the number of dominated ones.

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
    # One objective after the other: the sum is then rounded the same on every processor.
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
        The number k of the neighbour, from 1; if there are fewer, the farthest.
    """
    # The first of the sorted distances is that of an individual to itself.
    nearest = np.sort(apart, axis=1)[:, min(neighbour, len(apart) - 1)]
    return np.asarray(1.0 / (nearest + 2.0))


def spea2_fitness(objectives: Floats, neighbour: int | None = None) -> Floats:
    """Return the SPEA2 fitness of every individual: less is better, and non-dominated individuals are below 1.

    Parameters
    ----------
    objectives : ndarray of shape (n, 2)
        Scaled objectives.
    neighbour : int, optional
        The number of the neighbour that measures the density; by default the square root of n.
    """
    k = int(np.sqrt(len(objectives))) if neighbour is None else neighbour
    return raw_fitness(dominance(objectives)) + densities(distances(objectives), k)


def select_archive(objectives: Floats, size: int) -> tuple[Indices, Floats]:
    """Choose the individuals of the next archive as SPEA2 does.

    Of individuals with the same objectives only the first takes part. All non-dominated individuals are taken. If they
    are too few, the fittest others are added; if they are too many, those in the densest places are removed, but never
    the most accurate one.

    Parameters
    ----------
    objectives : ndarray of shape (n, 2)
        Error and number of rules, all finite.
    size : int
        The maximum size of the archive.

    Returns
    -------
    indices : ndarray
        The individuals of the archive, in increasing order.
    fitness : ndarray
        Their fitness among all individuals.

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

    The most crowded individual has the nearest neighbour; ties are broken by the second nearest, and so on. Of equals
    the last is removed. The most accurate individual, the smallest in the first objective, always stays.

    Parameters
    ----------
    places : ndarray of shape (n, 2)
        Distinct scaled objectives.
    size : int
        The number of individuals that are left.
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
    """Return the share of the archive, the most accurate first, that may become parents, by the progress of a cycle.

    The share falls from one to one half: exploration at first, exploitation at the end.

    Examples
    --------
    >>> mating_share(0.0), mating_share(1.0)
    (1.0, 0.5)
    """
    return 1.0 - 0.5 * min(max(progress, 0.0), 1.0)


def tournaments(
    errors: Floats, fitness: Floats, share: float, n_pairs: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    """Choose pairs of parents by binary tournaments on the fitness, among the most accurate share of the archive.

    Parameters
    ----------
    errors, fitness : ndarray of shape (n,)
        The errors and the fitness of the archive.
    share : float
        The most accurate share that takes part; at least two individuals do, if there are two.
    n_pairs : int
        The number of pairs.
    rng : numpy Generator
        The random number generator.
    """
    pool = np.argsort(errors, kind="stable")[: max(2, int(np.ceil(share * len(errors))))]
    drawn = pool[rng.integers(len(pool), size=(n_pairs, 2, 2))]
    won = np.where(fitness[drawn[:, :, 1]] < fitness[drawn[:, :, 0]], drawn[:, :, 1], drawn[:, :, 0])
    return [(int(first), int(second)) for first, second in won]
