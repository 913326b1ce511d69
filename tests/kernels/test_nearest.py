"""Neighbours by class and running neighbours against brute force."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fruler._kernels import nearest


@st.composite
def tables(draw, max_rows=90):
    """Small tables; few distinct values make ties and duplicates common, many rows make the trees deep."""
    n, p = draw(st.integers(2, max_rows)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_values = draw(st.sampled_from([2, 5, 1000]))
    X = rng.integers(0, n_values, (n, p)).astype(float) / 7.0
    classes = np.unique(rng.integers(0, draw(st.integers(1, 4)), n), return_inverse=True)[1].astype(np.intp)
    return X, classes, rng.normal(size=n)


def squared_distances(X):
    # Input by input, as the kernel does: other orders round differently, and ties would break.
    total = np.zeros((len(X), len(X)))
    for column in X.T:
        total += np.square(column[None, :] - column[:, None])
    return total


def brute_force_neighbours(X, classes):
    distances = np.full((2, len(X)), np.inf)
    rows = np.full((2, len(X)), -1)
    everything = squared_distances(X)
    np.fill_diagonal(everything, np.inf)
    for graph, allowed in enumerate([classes[:, None] == classes, classes[:, None] != classes]):
        table = np.where(allowed, everything, np.inf)
        distances[graph] = table.min(axis=1)
        rows[graph] = np.where(np.isfinite(distances[graph]), table.argmin(axis=1), -1)
    return distances, rows


@given(tables())
def test_class_neighbours_equal_brute_force(table):
    X, classes, _ = table
    distances, rows = nearest.class_neighbours(X, np.ascontiguousarray(X.T), classes, classes.max() + 1)
    expected_distances, expected_rows = brute_force_neighbours(X, classes)
    np.testing.assert_array_equal(distances, expected_distances)
    np.testing.assert_array_equal(rows, expected_rows)


def test_class_neighbours_in_deep_trees():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2000, 4))
    classes = (X[:, 0] > 0.5).astype(np.intp)
    distances, rows = nearest.class_neighbours(X, np.ascontiguousarray(X.T), classes, 2)
    expected_distances, expected_rows = brute_force_neighbours(X, classes)
    np.testing.assert_array_equal(rows, expected_rows)
    np.testing.assert_array_equal(distances, expected_distances)


@given(tables())
def test_neighbours_in_each_class_equal_brute_force(table):
    X, classes, _ = table
    n_classes = classes.max() + 1
    distances, rows = nearest.neighbours_in_each_class(X, np.ascontiguousarray(X.T), classes, n_classes)
    everything = squared_distances(X)
    np.fill_diagonal(everything, np.inf)
    for c in range(n_classes):
        own = np.where(classes == c, everything, np.inf)
        np.testing.assert_array_equal(distances[c], own.min(axis=1))
        np.testing.assert_array_equal(rows[c], np.where(np.isfinite(distances[c]), own.argmin(axis=1), -1))


def test_a_class_of_one_has_no_neighbour_within():
    X = np.array([[0.0], [1.0], [5.0]])
    distances, rows = nearest.class_neighbours(X, np.ascontiguousarray(X.T), np.array([0, 0, 1]), 2)
    assert rows.tolist() == [[1, 0, -1], [2, 2, 1]]
    assert distances[0, 2] == np.inf
    distances, rows = nearest.neighbours_in_each_class(X, np.ascontiguousarray(X.T), np.array([0, 0, 1]), 2)
    assert rows.tolist() == [[1, 0, 1], [2, 2, -1]]
    assert distances.tolist() == [[1.0, 1.0, 16.0], [25.0, 16.0, np.inf]]


def running_arrays(n):
    return np.full(n, np.inf), np.full(n, -1, dtype=np.intp), np.zeros(n)


def brute_force_error(X, y, selected):
    """Squared error of each row, predicted from the nearest selected row but itself; the first selected wins ties."""
    table = squared_distances(X)
    np.fill_diagonal(table, np.inf)
    neighbour = np.asarray(selected)[table[:, selected].argmin(axis=1)]
    return np.square(y - y[neighbour])


@given(tables(), st.data())
def test_incremental_error_equals_brute_force(table, data):
    X, _, y = table
    order = np.array(data.draw(st.permutations(range(len(X)))), dtype=np.intp)
    size = data.draw(st.integers(2, len(X)))
    distance, neighbour, error = running_arrays(len(X))
    columns = np.ascontiguousarray(X.T)
    first = data.draw(st.integers(1, size))
    nearest.extend_selection(columns, y, order[:first], distance, neighbour, error)
    nearest.extend_selection(columns, y, order[first:size], distance, neighbour, error)
    np.testing.assert_array_equal(error, brute_force_error(X, y, order[:size]))


@pytest.mark.parametrize("against_best", [False, True])
@given(table=tables(), data=st.data())
def test_growing_follows_the_pseudocode(against_best, table, data):
    X, _, y = table
    n = len(X)
    order = np.array(data.draw(st.permutations(range(n))), dtype=np.intp)
    n_core = data.draw(st.integers(2, n))
    distance, neighbour, error = running_arrays(n)
    columns = np.ascontiguousarray(X.T)
    nearest.extend_selection(columns, y, order[:n_core], distance, neighbour, error)
    size, mean = nearest.grow_selection(columns, y, order, n_core, distance, neighbour, error, against_best)

    errors = {k: brute_force_error(X, y, order[:k]).sum() for k in range(n_core, n + 1)}
    best, idle, reference, selected = n_core, 0, errors[n_core], n_core
    # Sums in another order round differently; what is no real change must not count as one.
    slack = 1e-12 * max(errors.values())
    while selected < n:
        selected += 1
        if errors[selected] < reference - slack:
            best, idle = selected, 0
            reference = errors[selected]
        else:
            idle += 1
            reference = reference if against_best else errors[selected]
        if idle > np.sqrt(n / selected):
            break
    assert size == best
    assert mean == pytest.approx(errors[best] / n, rel=1e-12)
