"""Coordinate descent on the Gram matrix against closed forms and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import ElasticNet

from fruler._kernels.elastic_net import elastic_net_gram


# As many as final fits have; nearly equal columns use them up, and the exact steps that follow are tested, too.
def solve(X, y, penalty, l1_ratio, *, tolerance=1e-10, max_rounds=1_000):
    n, p = X.shape
    l1, l2 = np.full(p, penalty * l1_ratio), np.full(p, penalty * (1 - l1_ratio))
    gram, moment = X.T @ X / n, X.T @ y / n
    return elastic_net_gram(np.ascontiguousarray(gram), moment, l1, l2, tolerance, max_rounds)


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, p = draw(st.integers(5, 60)), draw(st.integers(1, 25))
    X = rng.normal(size=(n, p))
    if draw(st.booleans()):
        # Nearly the same columns twice: the condition that fuzzy rules produce.
        X = np.hstack([X, X + 10.0 ** -draw(st.integers(1, 4)) * rng.normal(size=X.shape)])
    y = X @ rng.normal(size=X.shape[1]) * rng.integers(0, 2) + rng.normal(size=n)
    return X, (y - y.mean()) / y.std()


@given(problems(), st.sampled_from([1.0, 0.1, 1e-2, 1e-3]))
def test_without_l1_it_is_ridge_regression(problem, penalty):
    X, y = problem
    n, p = X.shape
    beta, _ = solve(X, y, penalty, 0.0)
    expected = np.linalg.solve(X.T @ X / n + penalty * np.eye(p), X.T @ y / n)
    # Nearly equal columns leave a direction in which the optimality conditions, met to 1e-10, determine less.
    np.testing.assert_allclose(beta, expected, rtol=1e-5, atol=1e-7)


@given(problems(), st.sampled_from([1.0, 0.1, 1e-2, 1e-3]), st.sampled_from([0.05, 0.5, 0.95, 1.0]))
def test_the_optimality_conditions_hold(problem, penalty, l1_ratio):
    assert_optimal(*problem, penalty, l1_ratio)


def assert_optimal(X, y, penalty, l1_ratio):
    """The conditions are missed by no more than the tolerance times the largest moment, and rounding."""
    n = len(y)
    beta, missed = solve(X, y, penalty, l1_ratio)
    limit = 1e-10 * np.abs(X.T @ y / n).max()
    assert missed <= limit
    gradient = X.T @ (y - X @ beta) / n - penalty * (1 - l1_ratio) * beta
    l1, rounding = penalty * l1_ratio, 1e-12
    np.testing.assert_allclose(gradient[beta != 0], l1 * np.sign(beta[beta != 0]), rtol=0, atol=limit + rounding)
    assert (np.abs(gradient[beta == 0]) <= l1 + limit + rounding).all()


@pytest.mark.parametrize("difference", [1e-1, 1e-2, 1e-3, 1e-4])
@pytest.mark.parametrize("penalty", [1e-2, 1e-3])
def test_few_rows_and_many_columns_that_nearly_repeat_each_other(penalty, difference):
    # Without l2 descent takes forever to choose between two such columns.
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(5, 16))
        X = np.hstack([X, X + difference * rng.normal(size=X.shape)])
        y = X @ rng.normal(size=32) + rng.normal(size=5)
        assert_optimal(X, (y - y.mean()) / y.std(), penalty, 1.0)


@pytest.mark.parametrize("l1_ratio", [0.05, 0.5, 0.95])
@pytest.mark.parametrize("penalty", [0.3, 0.03, 0.003])
def test_it_equals_scikit_learn(penalty, l1_ratio):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 12))
    X[:, 6:] = X[:, :6] + 0.1 * X[:, 6:]
    y = X[:, 0] - 2 * X[:, 3] + rng.normal(size=80)
    beta, _ = solve(X, y, penalty, l1_ratio)
    theirs = ElasticNet(alpha=penalty, l1_ratio=l1_ratio, fit_intercept=False, tol=1e-12, max_iter=200_000).fit(X, y)
    np.testing.assert_allclose(beta, theirs.coef_, rtol=0, atol=1e-6)
    np.testing.assert_array_equal(beta == 0, theirs.coef_ == 0)


def test_a_singular_matrix_is_solved_by_descent_alone():
    x = np.random.default_rng(0).normal(size=50)
    X = np.column_stack([x, x, np.zeros(50)])
    beta, missed = solve(X, 2 * x, 0.0, 0.0)
    np.testing.assert_allclose(X @ beta, 2 * x)
    assert beta[2] == 0.0
    assert missed < 1e-9


def test_a_penalty_that_is_large_enough_leaves_nothing():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 4)), rng.normal(size=30)
    beta, _ = solve(X, y, np.abs(X.T @ y / 30).max(), 1.0)
    assert not beta.any()
