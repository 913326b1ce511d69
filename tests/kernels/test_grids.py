"""Rules on uniform grids, held against plain NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fruler._kernels import grids
from fruler._table.rows import Rows

NEAREST_ROW, MEAN, OUTPUT_LABEL = range(3)
PRODUCT, MINIMUM = range(2)


def triangles(x, low, high, g, alpha):
    """The textbook's formula; the outer labels go on."""
    step = (high - low) / (g - 1)
    centres = low + (np.arange(g) + alpha) * step
    degrees = np.maximum(0.0, 1.0 - np.abs(x[:, None] - centres[None, :]) / step)
    degrees[x <= centres[0], 0] = 1.0
    degrees[x >= centres[-1], -1] = 1.0
    return degrees, centres


def brute_force(granularities, displacements, domains, X, y, weight, consequent, t_norm):
    used = [j for j in range(X.shape[1]) if granularities[j] > 1]
    tables = [triangles(X[:, j], *domains[j], granularities[j], displacements[j])[0] for j in used]
    if not used:
        tables, used = [np.ones((len(y), 1))], []
    best = np.column_stack([table.argmax(axis=1) for table in tables])
    degree = np.prod([table.max(axis=1) for table in tables], axis=0)
    cells = {tuple(cell): None for cell in best.tolist()}
    output = np.zeros(len(y), dtype=int)
    said = y
    if consequent == OUTPUT_LABEL:
        table, centres = triangles(y, *domains[-1], granularities[-1], displacements[-1])
        output = table.argmax(axis=1)
        degree = degree * table.max(axis=1)
        said = centres[output]
    values, labels, rows = [], [], []
    for cell in sorted(cells):
        inside = np.flatnonzero((best == cell).all(axis=1))
        first = inside[degree[inside].argmax()]
        rows.append(first)
        labels.append(output[first])
        mean = consequent == MEAN or (not used and consequent == NEAREST_ROW)
        share = degree[inside] * weight[inside]
        values.append((share * y[inside]).sum() / share.sum() if mean else said[first])
    join = np.multiply if t_norm == PRODUCT else np.minimum
    fired = np.ones((len(y), len(cells)))
    steps = np.zeros_like(fired)
    for table, wanted in zip(tables, np.array(sorted(cells)).T, strict=True):
        fired = join(fired, table[:, wanted])
        steps += np.abs((table @ np.arange(table.shape[1]))[:, None] - wanted[None, :])
    silent = fired.sum(axis=1) == 0
    fired[silent] = np.eye(len(cells))[steps[silent].argmin(axis=1)]
    predicted = fired @ np.array(values) / fired.sum(axis=1)
    return sorted(cells), np.array(values), rows, labels, predicted, int(silent.sum())


def make_case(seed, consequent):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(1, 60)), int(rng.integers(1, 5))
    # Some inputs have few values, so that equal rows come up. No value is in the middle of two labels, where rounding
    # would decide; that is worked out by hand below.
    X = np.where(rng.random(p) < 0.5, rng.integers(0, 5, (n, p)) / 4.0, rng.random((n, p)))
    y = np.round(rng.normal(size=n), 1)
    weight = rng.integers(1, 4, n).astype(float)
    domains = np.column_stack([X.min(axis=0) - 0.0131, X.max(axis=0) + 0.0372])
    granularities = rng.integers(1, 6, p)
    displacements = np.where(rng.random(p) < 0.5, rng.uniform(-0.1, 0.1, p), 0.0)
    if consequent == OUTPUT_LABEL:
        domains = np.vstack([domains, [y.min() - 0.0131, y.max() + 0.0372]])
        granularities = np.append(granularities, rng.integers(2, 6))
        displacements = np.append(displacements, rng.uniform(-0.1, 0.1))
    return granularities.astype(np.intc), displacements, domains, X, y, weight


@given(
    st.integers(0, 100_000),
    st.sampled_from([NEAREST_ROW, MEAN, OUTPUT_LABEL]),
    st.sampled_from([PRODUCT, MINIMUM]),
)
def test_rules_and_errors_are_those_of_the_definition(seed, consequent, t_norm):
    granularities, displacements, domains, X, y, weight = make_case(seed, consequent)
    expected = brute_force(granularities, displacements, domains, X, y, weight, consequent, t_norm)
    cells, values, rows, labels, predicted, n_silent = expected
    grid = domains, t_norm, consequent, False, 7
    table = Rows.from_arrays(X, y, weight)
    inputs, found, outputs, from_rows, output_labels, error, n_uncovered = grids.learn(
        granularities, displacements, grid, table.arrays, 1_000
    )
    assert inputs.tolist() == [j for j in range(X.shape[1]) if granularities[j] > 1]
    assert len(found) == len(cells)
    if len(inputs):
        assert found.tolist() == [list(cell) for cell in cells]
    assert outputs == pytest.approx(values, rel=1e-9, abs=1e-12)
    if consequent != MEAN and len(inputs):
        assert from_rows.tolist() == rows
    if consequent == OUTPUT_LABEL:
        assert output_labels.tolist() == labels
    mse = np.average(np.square(predicted - y), weights=weight)
    assert error == pytest.approx(mse, rel=1e-9, abs=1e-12)
    assert n_uncovered == n_silent
    batch = granularities[None], displacements[None], grid, table.arrays
    assert grids.evaluate(*batch, None, 1_000, np.inf, 0).tolist() == [[error, len(cells)]]
    some = table.take(np.arange(0, len(y), 2))
    [[sampled, _]] = grids.evaluate(*batch, some.arrays, 1_000, np.inf, 0)
    part = np.average(np.square(predicted - y)[::2], weights=weight[::2])
    assert sampled == pytest.approx(part, rel=1e-9, abs=1e-12)


def hand_table():
    X = np.array([[0.0], [0.1], [0.5], [0.9], [1.0], [0.1], [1.0]])
    return Rows.from_arrays(X, np.array([1.0, 9.0, 3.0, 5.0, 7.0, 2.0, 8.0]))


def test_the_best_fitting_row_gives_the_constant_and_of_equals_the_first():
    grid = np.array([[0.0, 1.0]]), MINIMUM, NEAREST_ROW, False, 7
    genes = np.array([2], dtype=np.intc), np.zeros(1)
    _, cells, outputs, rows, _, _, _ = grids.learn(*genes, grid, hand_table().arrays, 10)
    # The value in the middle belongs to the lower label, where the first row fits it wholly.
    assert cells.tolist() == [[0], [1]]
    assert outputs.tolist() == [1.0, 7.0]
    assert rows.tolist() == [0, 4]


def test_the_output_label_of_wang_and_mendel_by_hand():
    # Output labels of 1..9 at 1, 5 and 9. Low: 1 * 1 for y = 1 beats 0.9 * 1 for y = 9. High: 0.9 * 1 for y = 5 beats
    # 1 * 0.5 for y = 7 (lower of two equal labels) and 1 * 0.75 for y = 8.
    grid = np.array([[0.0, 1.0], [1.0, 9.0]]), MINIMUM, OUTPUT_LABEL, False, 7
    genes = np.array([2, 3], dtype=np.intc), np.zeros(2)
    _, _, outputs, rows, labels, _, _ = grids.learn(*genes, grid, hand_table().arrays, 10)
    assert outputs.tolist() == [1.0, 5.0]
    assert rows.tolist() == [0, 3]
    assert labels.tolist() == [0, 1]


def test_too_many_cells_are_no_candidate_or_the_last_are_left_out():
    X = np.linspace(0.0, 1.0, 5)[:, None]
    table = Rows.from_arrays(X, np.arange(5.0))
    genes = np.array([[5]], dtype=np.intc), np.zeros((1, 1))
    grid = np.array([[0.0, 1.0]]), MINIMUM, NEAREST_ROW, False, 7
    assert grids.evaluate(*genes, grid, table.arrays, None, 5, np.inf, 0).tolist() == [[0.0, 5.0]]
    assert grids.evaluate(*genes, grid, table.arrays, None, 4, np.inf, 0).tolist() == [[np.inf, 5.0]]
    with pytest.raises(ValueError, match="more than 4"):
        grids.learn(genes[0][0], genes[1][0], grid, table.arrays, 4)
    truncating = (*grid[:3], True, 7)
    # The last row fires no rule that is left; the nearest says 3.
    assert grids.evaluate(*genes, truncating, table.arrays, None, 4, np.inf, 0).tolist() == [[0.2, 4.0]]
    assert grids.learn(genes[0][0], genes[1][0], truncating, table.arrays, 4)[-1] == 1


def test_a_limit_is_infinite_exactly_beyond_it():
    rng = np.random.default_rng(0)
    X, y = rng.random((900, 3)), rng.random(900)
    table = Rows.from_arrays(X, y)
    granularities = rng.integers(2, 5, (20, 3)).astype(np.intc)
    grid = np.column_stack([X.min(axis=0), X.max(axis=0)]), MINIMUM, NEAREST_ROW, False, 7
    batch = granularities, rng.uniform(-0.1, 0.1, (20, 3)), grid, table.arrays
    errors, n_rules = grids.evaluate(*batch, None, 100, np.inf, 0).T
    limit, size = float(np.sort(errors)[9]), float(np.median(n_rules))
    limited, same = grids.evaluate(*batch, None, 100, limit, int(size)).T
    assert same.tolist() == n_rules.tolist()
    beyond = (errors > limit) & (n_rules >= int(size))
    assert 0 < beyond.sum() < 20
    assert limited.tolist() == np.where(beyond, np.inf, errors).tolist()


@pytest.mark.parametrize("consequent", [NEAREST_ROW, MEAN])
def test_more_cells_than_numbers(consequent):
    rng = np.random.default_rng(0)
    # Of 2^60 cells not every number is a double; these rows differ in the last input alone.
    X = np.repeat(rng.integers(0, 2, (20, 60)) * 1.0, 2, axis=0)
    X[1::2, -1] = 1.0 - X[::2, -1]
    y, weight = rng.random(40), np.ones(40)
    genes = np.full(60, 2, dtype=np.intc), np.zeros(60)
    domains = np.tile([0.0, 1.0], (60, 1))
    cells, values, *_ = brute_force(*genes, domains, X, y, weight, consequent, MINIMUM)
    table = Rows.from_arrays(X, y, weight)
    _, found, outputs, *_ = grids.learn(*genes, (domains, MINIMUM, consequent, False, 7), table.arrays, 100)
    assert found.tolist() == [list(cell) for cell in cells]
    assert len(cells) == 40
    assert outputs == pytest.approx(values)
