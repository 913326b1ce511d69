"""Class-conditional neighbour graphs: the nearest of a row's own class and of another, and what rows score by them."""

from __future__ import annotations

import numpy as np

from fruler._typing import Floats, Indices
from fruler.kernels import nearest


def nearest_rows(distances: Floats, neighbours: Indices) -> Indices:
    """Return every row's nearest other row, given its nearest in each of several groups that hold all others.

    Parameters
    ----------
    distances, neighbours : ndarray of shape (n_groups, n_samples)
        Squared distances and row numbers; infinite and -1 where a group has no other row.

    Returns
    -------
    ndarray of shape (n_samples,)
        Row numbers; of equally near rows the lowest.

    Examples
    --------
    >>> import numpy as np
    >>> nearest_rows(np.array([[1.0, 1.0, np.inf], [4.0, 1.0, 4.0]]), np.array([[1, 2, -1], [2, 0, 0]])).tolist()
    [1, 0, 0]
    """
    n = neighbours.shape[1]
    as_near = (distances == distances.min(axis=0)) & (neighbours >= 0)
    return np.asarray(np.where(as_near, neighbours, n).min(axis=0))


def in_degrees(edges: Indices, n: int) -> Indices:
    """Return how many of the edges point to each of n rows; edges to -1 do not exist."""
    return np.bincount(edges[edges >= 0], minlength=n)


def divergence_scores(within: Indices, between: Indices) -> Floats:
    """Score rows by their in-degrees in the within graph, against those in the between graph.

    The score is the row's part of the K-divergence between the two distributions: high inside a class, low at its
    border, and negative just where the between graph has the larger share.

    Examples
    --------
    >>> import numpy as np
    >>> divergence_scores(np.array([2, 1, 1]), np.array([0, 1, 1])).round(3).tolist()
    [0.347, -0.245, -0.245]
    """
    p_within, p_between = (degree / max(int(degree.sum()), 1) for degree in (within, between))
    middle = (p_within + p_between) / 2.0
    return _x_log_ratio(p_within, middle) - _x_log_ratio(p_between, middle)


def _x_log_ratio(x: Floats, reference: Floats) -> Floats:
    positive = x > 0.0
    ratio = np.divide(x, reference, out=np.ones_like(x), where=positive)
    return np.asarray(x * np.log(ratio))


def class_conditional_scores(neighbours: Indices) -> Floats:
    """Score each row by how often it is the nearest of its own class, against how often of another.

    With one class only there is no between graph, and what is left counts the within edges.

    Parameters
    ----------
    neighbours : ndarray of shape (2, n_samples)
        The nearest row of each row's own class, and the nearest of any other; -1 where there is none.
    """
    within, between = (in_degrees(edges, neighbours.shape[1]) for edges in neighbours)
    return divergence_scores(within, between)


def subset_degrees(X: Floats, classes: Indices, rows: Indices) -> tuple[Indices, Indices]:
    """Return the in-degrees of rows in the within and between graphs of these rows alone."""
    points = np.ascontiguousarray(X[rows])
    present, compact = np.unique(classes[rows], return_inverse=True)
    _, neighbours = nearest.class_neighbours(
        points, np.ascontiguousarray(points.T), compact.astype(np.intp, copy=False), len(present)
    )
    return in_degrees(neighbours[0], len(rows)), in_degrees(neighbours[1], len(rows))
