"""The fired rules of rows against plain NumPy."""

import numpy as np
import pytest
from helpers.tuned_rules import WIDTHS, degrees, draw_problem, nearest
from hypothesis import given
from hypothesis import strategies as st

from fruler._kernels.tuned_firing import fire

T_NORMS = ("product", "minimum")


@pytest.mark.parametrize("t_norm", T_NORMS)
@given(seed=st.integers(0, 2**32 - 1), n_rules=st.integers(1, 140), n_values=st.sampled_from([None, 4]))
def test_degrees_are_those_of_numpy(t_norm, seed, n_rules, n_values):
    rng = np.random.default_rng(seed)
    triangles, _, X, _, _ = draw_problem(rng, 70, n_rules, n_inputs=int(rng.integers(1, 4)), n_values=n_values)
    selected = rng.uniform(size=n_rules) < 0.6
    selected[rng.integers(n_rules)] = True
    found, n_uncovered = fire(
        triangles, selected.astype(np.uint8), np.ascontiguousarray(X.T), WIDTHS, T_NORMS.index(t_norm)
    )
    expected, n_expected = degrees(triangles[selected], X, t_norm, nearest)
    np.testing.assert_allclose(found[:, selected], expected, rtol=1e-12, atol=1e-15)
    assert not found[:, ~selected].any()
    assert n_uncovered == n_expected


def test_a_vertical_side_belongs_to_the_triangle():
    triangles = np.array([[[0.5, 0.5, 1.0]], [[0.0, 0.5, 0.5]]])
    found, n_uncovered = fire(triangles, np.ones(2, dtype=np.uint8), np.array([[0.25, 0.5, 0.75, 2.0]]), WIDTHS, 1)
    np.testing.assert_allclose(found, [[0.0, 0.5], [1.0, 1.0], [0.5, 0.0], [1.0, 0.0]])
    assert n_uncovered == 1


def test_a_side_that_begins_at_infinity_is_one_all_along():
    triangles = np.array([[[-np.inf, 0.5, 1.0]], [[0.0, 0.5, np.inf]]])
    found, _ = fire(triangles, np.ones(2, dtype=np.uint8), np.array([[-1e6, 0.25, 0.5, 0.75, 1e6]]), WIDTHS, 1)
    np.testing.assert_allclose(found, [[1, 0], [1, 0.5], [1, 1], [0.5, 1], [0, 1]])


def test_rules_that_look_at_nothing_always_fire():
    found, n_uncovered = fire(np.empty((2, 0, 3)), np.ones(2, dtype=np.uint8), np.empty((0, 3)), WIDTHS, 1)
    assert found.tolist() == [[1.0, 1.0]] * 3
    assert n_uncovered == 0
