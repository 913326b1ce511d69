from functools import partial

import numpy as np
import pytest

from fruler.selectors._selector import (
    NearestSelected,
    at_least_two,
    grow_while_better,
    subset_degrees,
    thin_out,
    thin_out_within,
)


class Listed:
    """A set whose error is looked up by its size."""

    def __init__(self, errors, rows=()):
        self.errors, self.rows = errors, list(rows)

    def add(self, rows):
        self.rows += rows.tolist()

    def copy(self):
        return Listed(self.errors, self.rows)

    @property
    def error(self):
        return self.errors[len(self.rows)]


@pytest.mark.parametrize(
    ("errors", "enough", "n_added"),
    [
        ([9, 7, 5, 5, 1], -np.inf, 2),  # the first that is no better ends it
        ([9, 7, 8, 1, 0], -np.inf, 1),
        ([9, 7, 5, 3, 1], -np.inf, 4),
        ([9, 7, 5, 3, 1], 5, 2),  # good enough
        ([9, 7, 5, 3, 1], 9, 0),
        ([9, 9, 0, 0, 0], -np.inf, 0),
    ],
)
def test_a_set_grows_until_the_first_row_that_does_not_help(errors, enough, n_added):
    start = Listed(errors)
    grown, count = grow_while_better(start, np.array([7, 3, 5, 1]), enough)
    assert count == n_added
    assert grown.rows == [7, 3, 5, 1][:n_added]
    assert start.rows == []


def nearest_error(columns, y, rows):
    selected = NearestSelected(columns, y)
    selected.add(np.asarray(rows))
    return selected.error


def test_a_copy_grows_by_itself():
    X = np.array([[0.0, 1.0, 2.0, 4.0, 5.0]])
    y = X[0]
    first = NearestSelected(X, y)
    first.add(np.array([0, 1]))
    error = first.error
    second = first.copy()
    second.add(np.array([3]))
    assert first.error == error == nearest_error(X, y, np.array([0, 1]))
    assert second.error == nearest_error(X, y, np.array([0, 1, 3])) < error


def line_of_two_classes():
    """Two classes on a line: the nearest of the other class are always the two rows beside the gap."""
    X = np.array([[0.0], [1.0], [2.0], [3.0], [10.0], [11.0], [12.0], [13.0]])
    y = np.repeat([0.0, 5.0], 4)
    return NearestSelected(np.ascontiguousarray(X.T), y), partial(subset_degrees, X, np.repeat([0, 1], 4)), y


def test_thin_out_keeps_the_rows_at_the_border():
    empty, degrees, y = line_of_two_classes()
    rows, error = thin_out(empty, degrees, np.arange(8))
    # Row 3 alone would be predicted from row 4: the next layer, rows 2 and 5, helps both. Nothing helps more.
    assert sorted(rows) == [2, 3, 4, 5]
    assert error == nearest_error(empty.columns, y, rows) == 0.0


def test_layers_are_taken_only_while_they_help():
    # The first layer is rows 2 and 3, the second 1 and 4, the third 0 and 5; the third does not help.
    degrees = {6: [0, 0, 1, 1, 0, 0], 4: [0, 1, 1, 0], 2: [1, 1]}

    def graph(rows):
        return np.ones(len(rows), dtype=int), np.array(degrees[len(rows)])

    rows, error = thin_out(Listed([np.inf, 0, 8, 0, 6, 0, 6]), graph, np.arange(6))
    assert rows.tolist() == [2, 3, 1, 4]
    assert error == 6


def test_isolated_rows_are_left_out_of_a_layer():
    # Row 1 is at the border of the second layer, but nothing pointed to it in the graphs before.
    degrees = {6: ([1, 0, 1, 1, 1, 1], [0, 0, 1, 1, 0, 0]), 4: ([1, 1, 1, 1], [0, 1, 1, 0]), 3: ([1, 1, 1], [0, 0, 0])}

    def graph(rows):
        return tuple(np.array(degree) for degree in degrees[len(rows)])

    rows, _ = thin_out(Listed([np.inf, 0, 8, 6, 0, 0, 0]), graph, np.arange(6))
    assert rows.tolist() == [2, 3, 4]


@pytest.mark.parametrize(
    ("tolerance", "error", "accepted"),
    [(None, 1.0, False), (0.0, 1.0, False), (0.5, 2.0, False), (1.0, 3.0, True), (np.inf, 0.0, True)],
)
def test_a_thinned_set_is_taken_within_the_tolerance(tolerance, error, accepted):
    # Two rows are left, with an error of 6.
    def graph(rows):
        return np.ones(len(rows), dtype=int), np.array([1, 1, 0, 0])[: len(rows)] * (len(rows) == 4)

    rows, left, thinned = thin_out_within(tolerance, Listed([np.inf, 9, 6, 9, 9]), graph, np.arange(4), error)
    assert thinned == accepted
    assert (rows.tolist(), left) == (([0, 1], 6) if accepted else ([0, 1, 2, 3], error))


def test_one_row_is_no_thinned_set():
    def graph(rows):
        return np.ones(len(rows), dtype=int), np.arange(len(rows)) == 0 if len(rows) == 4 else np.zeros(3, dtype=int)

    rows, _, thinned = thin_out_within(np.inf, Listed([9, 9, 9, 9, 9]), graph, np.arange(4), 1.0)
    assert len(rows) == 4
    assert not thinned


def test_a_set_of_fewer_than_two_rows_is_filled_up():
    scores = np.array([0.5, 2.0, 3.0])
    assert at_least_two(np.array([], dtype=int), scores).tolist() == [1, 2]
    assert at_least_two(np.array([2]), scores).tolist() == [1, 2]
    assert at_least_two(np.array([2, 0]), scores).tolist() == [0, 2]
