"""Consequents of tuned rules against plain NumPy, and against the Kalman filter that they stand for."""

import numpy as np
import pytest
from helpers.tuned_rules import WIDTHS, degrees, design, draw_problem, kalman, nearest
from hypothesis import given
from hypothesis import strategies as st

from fruler._kernels.tuned_linear import consequents, evaluate

T_NORMS = ("product", "minimum")
KAPPA = 100.0


def table_of(X, y, weight):
    return np.ascontiguousarray(X.T), WIDTHS, np.column_stack([np.ones(len(X)), X]), y, weight


def start_of(constants, n_inputs):
    return np.column_stack([constants, np.zeros((len(constants), n_inputs))]).ravel()


# Fewer rows than coefficients (36), and more: the two Gram matrices.
SIZES = st.sampled_from([1, 20, 35, 36, 37, 200])


@pytest.mark.parametrize("t_norm", T_NORMS)
@given(seed=st.integers(0, 2**32 - 1), n_rows=SIZES)
def test_together_they_are_the_ridge_solution_around_the_start(t_norm, seed, n_rows):
    triangles, constants, X, y, weight = draw_problem(np.random.default_rng(seed), n_rows)
    found = consequents(triangles, constants, table_of(X, y, weight), T_NORMS.index(t_norm), (False, 1.0 / KAPPA))
    h, _ = degrees(triangles, X, t_norm, nearest)
    A, start = design(h, X), start_of(constants, X.shape[1])
    gram = A.T @ (weight[:, None] * A) + np.eye(A.shape[1]) / KAPPA
    expected = start + np.linalg.solve(gram, A.T @ (weight * (y - A @ start)))
    np.testing.assert_allclose(found.ravel(), expected, rtol=1e-8, atol=1e-8)


@given(seed=st.integers(0, 2**32 - 1), n_rows=SIZES)
def test_one_pass_of_the_kalman_filter_gives_the_same(seed, n_rows):
    triangles, constants, X, y, weight = draw_problem(np.random.default_rng(seed), n_rows)
    found = consequents(triangles, constants, table_of(X, y, weight), 1, (False, 1.0 / KAPPA))
    h, _ = degrees(triangles, X, "minimum", nearest)
    expected = kalman(design(h, X), y, weight, start_of(constants, X.shape[1]), KAPPA)
    np.testing.assert_allclose(found.ravel(), expected, rtol=1e-8, atol=1e-8)


@given(seed=st.integers(0, 2**32 - 1), n_rows=SIZES)
def test_one_by_one_each_is_a_weighted_ridge_solution(seed, n_rows):
    triangles, constants, X, y, weight = draw_problem(np.random.default_rng(seed), n_rows)
    found = consequents(triangles, constants, table_of(X, y, weight), 1, (True, 1.0 / KAPPA))
    h, _ = degrees(triangles, X, "minimum", nearest)
    shares, terms = h / h.sum(axis=1, keepdims=True), np.column_stack([np.ones(len(X)), X])
    for k, constant in enumerate(constants):
        w = weight * shares[:, k]
        gram = terms.T @ (w[:, None] * terms) + np.eye(terms.shape[1]) / KAPPA
        expected = np.linalg.solve(gram, terms.T @ (w * (y - constant)))
        expected[0] += constant
        np.testing.assert_allclose(found[k], expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("is_local", [False, True])
@given(seed=st.integers(0, 2**32 - 1), n_rows=SIZES)
def test_errors_are_those_of_the_consequents(is_local, seed, n_rows):
    rng = np.random.default_rng(seed)
    triangles, constants, X, y, weight = draw_problem(rng, n_rows)
    selected = rng.uniform(size=len(triangles)) < 0.7
    selected[1] = True
    table, settings = table_of(X, y, weight), (is_local, 1.0 / KAPPA)
    [[found, n_uncovered]] = evaluate(
        triangles[None], selected[None].astype(np.uint8), constants, table, 1, settings, np.array([np.inf])
    )
    beta = consequents(triangles[selected], constants[selected], table, 1, settings)
    h, n_expected = degrees(triangles[selected], X, "minimum", nearest)
    residual = y - design(h, X) @ beta.ravel()
    assert found == pytest.approx(weight @ np.square(residual), rel=1e-8, abs=1e-12)
    assert n_uncovered == n_expected


def test_a_sum_above_the_limit_is_given_up():
    triangles, constants, X, y, weight = draw_problem(np.random.default_rng(0), 300)
    batch = np.repeat(triangles[None], 2, axis=0), np.ones((2, len(triangles)), dtype=np.uint8), constants
    rest = table_of(X, y, weight), 1, (False, 0.01)
    free = evaluate(*batch, *rest, np.full(2, np.inf))[0, 0]
    found = evaluate(*batch, *rest, np.array([free * 0.999, free * 1.001]))
    assert found[:, 0].tolist() == [np.inf, free]


def test_without_rules_the_error_is_infinite():
    triangles, constants, X, y, weight = draw_problem(np.random.default_rng(0))
    none = np.zeros((1, len(triangles)), dtype=np.uint8)
    rest = table_of(X, y, weight), 1, (False, 0.01), np.array([np.inf])
    assert evaluate(triangles[None], none, constants, *rest)[0, 0] == np.inf


def test_rows_of_a_higher_weight_count_as_so_many():
    triangles, constants, X, y, _ = draw_problem(np.random.default_rng(3), 50)
    weight = np.random.default_rng(3).integers(1, 4, 50).astype(float)
    copies = np.repeat(np.arange(50), weight.astype(int))
    found = consequents(triangles, constants, table_of(X, y, weight), 1, (False, 0.01))
    expected = consequents(triangles, constants, table_of(X[copies], y[copies], np.ones(len(copies))), 1, (False, 0.01))
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)
