"""Which inputs of a wide table are grown on."""

import numpy as np
import pytest
from helpers.structures import standardised

from fruler.algorithms.growth import screening
from fruler.algorithms.growth.candidates import between
from fruler.algorithms.growth.growth import Growth
from fruler.algorithms.growth.options import GrowthOptions
from fruler.algorithms.growth.screening import MAX_INPUTS, screened_inputs
from fruler.table.rows import Rows


def wide(n_inputs=200, n_rows=300, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_rows, n_inputs)), 0.1 * rng.normal(size=n_rows)


def screened(X, y, max_inputs=MAX_INPUTS, always=()):
    rows, _ = standardised(X, y)
    return screened_inputs(rows, np.isin(np.arange(X.shape[1]), always), max_inputs).tolist()


@pytest.mark.parametrize("n_rows", [1, 2, 5, 9, 20, 300])
def test_bins_are_those_of_one_input_at_a_time(n_rows, monkeypatch):
    monkeypatch.setattr(screening, "_INPUTS_A_SLICE", 4)
    rng = np.random.default_rng(n_rows)
    X = rng.normal(size=(n_rows, 10))
    X[:, :3] = np.round(X[:, :3])
    X[:, 3:6] = np.round(3.0 * X[:, 3:6])
    X[:, 6] = 1.0
    X[: n_rows // 2, 7] = X[:, 7].min()
    (bin_of, centres), (first, places, reaches, _) = screening._binned(Rows.from_arrays(X, np.zeros(n_rows)))
    for j, column in enumerate(X.T):
        edges = between(np.sort(column), 7)
        own = slice(first[j], first[j + 1])
        assert places[own].tolist() == edges.tolist()
        assert reaches[own].tolist() == [max(0.1 * np.ptp(column), 1e-9)] * len(edges)
        assert bin_of[j].tolist() == np.searchsorted(edges, column, side="right").tolist()
        for number in set(bin_of[j].tolist()):
            assert centres[j, number] == pytest.approx(column[bin_of[j] == number].mean())


def test_few_inputs_are_all_taken():
    X, y = wide(48)
    assert screened(X, y) == list(range(48))
    X, y = wide(49)
    assert len(screened(X, y)) == 48


@pytest.mark.parametrize("seed", range(3))
def test_an_input_that_only_turns_another_s_slope_is_kept(seed):
    X, noise = wide(seed=seed)
    found = screened(X, np.where(X[:, 150] > 0.0, 2.0, -2.0) * X[:, 30] + 3.0 * X[:, 30] + noise)
    assert {30, 150} <= set(found)
    assert len(found) == MAX_INPUTS
    assert found == sorted(set(found))


@pytest.mark.parametrize("shape", [np.abs, np.sign, lambda x: x, lambda x: np.maximum(x - 1.0, 0.0)])
def test_inputs_that_matter_by_themselves_are_kept(shape):
    X, noise = wide()
    some = [7, 80, 199]
    assert set(some) <= set(screened(X, shape(X[:, some]).sum(axis=1) + noise, 12))


def test_a_weak_input_beside_strong_ones_is_found_in_a_later_round():
    X, noise = wide()
    y = 10.0 * X[:, :6].sum(axis=1) + np.abs(X[:, 100]) + noise
    assert {*range(6), 100} <= set(screened(X, y, 24))


def test_some_inputs_are_always_taken():
    X, noise = wide()
    found = screened(X, X[:, 0] + noise, 12, always=[5, 190])
    assert {0, 5, 190} <= set(found)
    assert len(found) == 14


def test_constant_and_doubled_inputs_do_no_harm():
    X, noise = wide()
    X[:, 10:20], X[:, 20] = 1.0, X[:, 0]
    assert 0 in screened(X, X[:, 0] + noise, 12)


def test_a_growth_is_over_the_inputs_that_are_kept():
    X, noise = wide(120)
    y = np.abs(X[:, 3]) + np.where(X[:, 100] > 0.0, 1.0, -1.0) * X[:, 50] + noise
    rows, domains = standardised(X, y)
    known = [np.empty(0)] * 120
    known[119] = np.array([0.0])
    growth = Growth(rows, domains, known, GrowthOptions(max_rules=2), max_size=2)
    growth.run()
    assert len(growth.inputs) == len(growth.rows.columns) == MAX_INPUTS + 1
    assert {3, 50, 100, 119} <= set(growth.inputs.tolist())
    np.testing.assert_array_equal(growth.rows.columns, rows.columns[growth.inputs])
    structure = growth.path[-1].structure
    used = {int(growth.inputs[j]) for j in [*structure.splits.inputs, *structure.bends.inputs]}
    assert used == {3, 100}
