import numpy as np
import pytest
from helpers.constant_rules import grid_tables, rule_base_of
from hypothesis import given
from hypothesis import strategies as st

from fruler.selectors._ccisr import RunningSystem, best_labels, label_places


@given(grid_tables(), st.sampled_from([2, 3, 5]), st.data())
def test_predictions_are_those_of_the_rule_base(table, granularity, data):
    X, y = table
    rows = np.array(data.draw(st.lists(st.integers(0, len(y) - 1), min_size=1, unique=True)))
    cut = data.draw(st.integers(0, len(rows)))
    system = RunningSystem(X, y, granularity)
    system.add(rows[:cut])
    grown = system.copy()
    grown.add(rows[cut:])
    expected = rule_base_of(X, y, rows.tolist(), granularity).predict(X)
    np.testing.assert_allclose(grown.predict(), expected, rtol=1e-12, atol=1e-12)
    assert grown.error == pytest.approx(np.square(y - expected).mean(), rel=1e-11, abs=1e-14)
    if cut:
        # The copy has not changed the system that it was made of.
        np.testing.assert_allclose(
            system.predict(), rule_base_of(X, y, rows[:cut].tolist(), granularity).predict(X), rtol=1e-12, atol=1e-12
        )


def test_a_small_system_by_hand():
    # Labels at 0, 1 and 2; rows 1 and 2 are in the middle cell, row 2 fits it better, row 3 is halfway: the lower one.
    X, y = np.array([[0.0], [0.6], [0.9], [0.5], [2.0]]), np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    system = RunningSystem(X, y, 3)
    assert system.error == np.inf
    assert system.cells.tolist() == [0, 1, 1, 0, 2]
    system.add(np.array([1]))
    # One rule: it answers everywhere, also at 0 and 2, where it does not fire.
    assert system.predict().tolist() == [2.0] * 5
    system.add(np.array([2]))
    assert system.predict().tolist() == pytest.approx([3.0] * 5)
    assert system.error == pytest.approx((4 + 1 + 0 + 1 + 4) / 5)
    system.add(np.array([0]))
    assert system.predict().tolist() == pytest.approx([1.0, 0.4 + 0.6 * 3, 0.1 + 0.9 * 3, 2.0, 3.0])
    # An example that fits no cell better changes nothing.
    before = system.error
    system.add(np.array([1, 3]))
    assert system.error == before


def test_of_examples_that_fit_equally_well_the_first_in_the_table_counts():
    X, y = np.array([[0.0], [1.0], [1.0], [2.0]]), np.array([0.0, 3.0, 7.0, 0.0])
    for rows in ([1, 2], [2, 1]):
        system = RunningSystem(X, y, 3)
        system.add(np.array(rows))
        assert system.predict()[1] == 3.0


def test_without_inputs_there_is_one_rule():
    system = RunningSystem(np.empty((3, 0)), np.array([1.0, 2.0, 6.0]), 3)
    system.add(np.array([2, 1]))
    assert system.predict().tolist() == [2.0, 2.0, 2.0]


@given(st.integers(2, 9), st.integers(1, 50), st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_halfway_between_labels_the_lower_one_fits(n_labels, n_values, shift, unit):
    """Whatever the unit: a shifted and scaled number is seldom halfway to the last bit."""
    values = np.arange(2 * (n_labels - 1) * n_values + 1)
    exact = -(-(values - n_values) // (2 * n_values))
    np.testing.assert_array_equal(best_labels(label_places(values * unit + shift * unit / 1e3, n_labels)), exact)
