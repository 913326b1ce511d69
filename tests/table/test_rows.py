"""How many rows are like each row."""

import numpy as np
import pytest

from fruler._table.rows import N_PARTS, part_counts, rows_alike


def ends_of(values, target):
    columns = np.column_stack([values, target])
    return np.column_stack([columns.min(axis=0), columns.max(axis=0)])


def test_rows_count_in_the_part_where_they_are_fewest(rng):
    values, target = rng.normal(size=(500, 3)), rng.exponential(size=500)
    ends = ends_of(values, target)
    counts = part_counts(values, target, ends)
    assert counts.shape == (4, N_PARTS)
    np.testing.assert_array_equal(counts.sum(axis=1), 500)
    columns = np.column_stack([values, target])
    widths = (ends[:, 1] - ends[:, 0]) / N_PARTS
    parts = np.minimum(((columns - ends[:, 0]) / widths).astype(int), N_PARTS - 1)
    expected = [min((parts[:, j] == parts[i, j]).sum() for j in range(4)) for i in range(500)]
    np.testing.assert_array_equal(rows_alike(values, target, ends, counts), expected)


def test_counts_of_two_tables_add_up(rng):
    values, target = rng.normal(size=(50, 2)), rng.normal(size=50)
    ends = ends_of(values, target)
    both = part_counts(values[:20], target[:20], ends) + part_counts(values[20:], target[20:], ends)
    np.testing.assert_array_equal(both, part_counts(values, target, ends))


@pytest.mark.parametrize("size", [1e308, 1e-308])
def test_columns_without_width_or_beyond_measure(size):
    values, target = np.array([[3.0, -size], [3.0, size], [3.0, size]]), np.zeros(3)
    ends = ends_of(values, target)
    np.testing.assert_array_equal(rows_alike(values, target, ends, part_counts(values, target, ends)), [1, 2, 2])
