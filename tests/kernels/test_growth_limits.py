"""Limits on terms, against brute force: slopes by differences, and fits by a general solver."""

import numpy as np
import pytest
from scipy.optimize import nnls

from fruler._kernels import growth_limits, growth_terms


def random_structure(rng, n_rules, n_inputs, n_bends):
    """Return blocks as splits make them, and bends whose reaches do not meet."""
    blocks = np.ones((1, 1))
    for _ in range(n_rules - 1):
        n, rule = len(blocks), rng.integers(len(blocks))
        grown = np.zeros((n + 1, n + 1))
        grown[:n, :n], grown[n, :n], grown[n, n] = blocks, blocks[rule], 1.0
        blocks = grown
    inputs = rng.integers(n_inputs, size=n_bends).astype(np.intc)
    places = rng.permutation(np.arange(n_bends) * 1.0)
    return blocks, inputs, places, rng.uniform(0.05, 0.45, n_bends)


def curve(x, places, reaches, coefficients):
    """Return what a curve adds: pieces that fade in, each a step and a slope."""
    total = np.zeros_like(x)
    for place, reach, (step, slope) in zip(places, reaches, coefficients.reshape(-1, 2), strict=True):
        ramp = np.clip((x - place + reach) / (2.0 * reach), 0.0, 1.0)
        total += ramp * (step + slope * (x - place))
    return total


@pytest.mark.parametrize("seed", range(8))
def test_the_least_side_has_the_sign_of_the_least_slope(seed):
    rng = np.random.default_rng(seed)
    n_rules, n_inputs, n_bends = 3, 3, 5
    blocks, inputs, places, reaches = random_structure(rng, n_rules, n_inputs, n_bends)
    signs = np.array([0, 1, -1], dtype=np.intc)
    sides = growth_limits.slope_sides(blocks, signs, inputs, places, reaches)
    q = n_inputs + 1
    assert sides.shape[1] == n_rules * q + 2 * n_bends
    grid = np.linspace(-2.0, n_bends + 1.0, 60_001)
    for _ in range(20):
        coefficients = rng.normal(size=sides.shape[1])
        # Many slopes are to be of the right sign, or all would be broken somewhere.
        coefficients[1 : n_rules * q : q][:] = 0.0
        coefficients[2 : n_rules * q : q] += 3.0
        coefficients[3 : n_rules * q : q] -= 3.0
        at = 0
        for j in (1, 2):
            own = np.flatnonzero(inputs == j)
            terms = (n_rules * q + 2 * own[:, None] + [0, 1]).ravel()
            added = curve(grid, places[own], reaches[own], coefficients[terms])
            slopes = np.diff(added) / np.diff(grid)
            for rule in range(n_rules):
                line = blocks[rule] @ coefficients[1 + j : n_rules * q : q]
                least = (signs[j] * (line + slopes)).min()
                own_sides = sides[at : at + 1 + 3 * len(own)] @ coefficients
                at += len(own_sides)
                # The grid may miss the very end of a zone, but not by more than its step.
                assert abs(least) < 2e-2 or (own_sides.min() < 0.0) == (least < 0.0)
        assert at == len(sides)


def test_inputs_without_a_direction_have_no_sides():
    blocks, nothing = np.ones((1, 1)), np.empty(0)
    sides = growth_limits.slope_sides(blocks, np.zeros(2, dtype=np.intc), np.empty(0, dtype=np.intc), nothing, nothing)
    assert sides.shape == (0, 3)


@pytest.mark.parametrize("seed", range(5))
def test_a_negative_sum_is_seen(seed):
    rng = np.random.default_rng(seed)
    sides, coefficients = rng.normal(size=(3, 4)), rng.normal(size=4)
    assert growth_limits.any_negative(sides, coefficients) == bool((sides @ coefficients < 0.0).any())
    sides *= np.sign(sides @ coefficients)[:, None]
    assert not growth_limits.any_negative(sides, coefficients)
    assert growth_limits.any_negative(np.vstack([sides, -sides[:1]]), coefficients)
    assert not growth_limits.any_negative(np.empty((0, 4)), coefficients)


def nearest(gram, moment, sides):
    """Return the coefficients by which sides hold, from the weights with which they push: a problem for NNLS."""
    factor = np.linalg.cholesky(gram)
    free = np.linalg.solve(factor, moment)
    normals = np.linalg.solve(factor, sides.T)
    pushes, _ = nnls(normals, -free)
    return np.linalg.solve(factor.T, free + normals @ pushes), pushes


@pytest.mark.parametrize("seed", range(40))
def test_a_fit_within_limits_is_the_best_there_is(seed):
    rng = np.random.default_rng(seed)
    n_terms, n_sides = int(rng.integers(2, 12)), int(rng.integers(1, 25))
    X = rng.normal(size=(60, n_terms))
    y = X @ rng.normal(size=n_terms) + rng.normal(size=60)
    gram, moment, square = X.T @ X / 60, X.T @ y / 60, float(y @ y / 60)
    ridge = np.full(n_terms, 0.01)
    sides = rng.integers(-1, 2, size=(n_sides, n_terms)) * 1.0
    sides[0] = 0.0
    sides = np.vstack([sides, sides[-1:], 2.0 * sides[-1:]])
    terms = np.sort(rng.choice(n_terms, size=max(1, n_terms - 2), replace=False)).astype(np.intp)
    coefficients, error, idle, inverse = growth_terms.fit_within(gram, moment, square, terms, ridge, sides)
    some = np.ix_(terms, terms)
    ridged = gram[some] + np.diag(ridge[terms])
    used = sides[:, terms][sides[:, terms].any(axis=1)]
    expected, _ = nearest(ridged, moment[terms], used) if len(used) else (np.linalg.solve(ridged, moment[terms]), None)
    np.testing.assert_allclose(coefficients[terms], expected, atol=1e-8)
    assert not np.delete(coefficients, terms).any()
    assert (sides @ coefficients).min() > -1e-9
    assert not coefficients[terms[idle]].any()
    own = coefficients[terms]
    assert error == pytest.approx(square - 2.0 * own @ moment[terms] + own @ ridged @ own)
    # In what is left free the inverse is one, and elsewhere nothing.
    np.testing.assert_allclose(inverse @ ridged @ inverse, inverse, atol=1e-8)
    met = used[np.abs(used @ own) < 1e-9]
    rank = np.linalg.matrix_rank(met) if len(met) else 0
    assert np.linalg.matrix_rank(inverse, tol=1e-8) >= len(terms) - rank


def test_without_a_broken_side_it_is_the_ridge_regression():
    gram, moment, ridge = np.eye(3), np.array([1.0, 2.0, 3.0]), np.full(3, 0.5)
    coefficients, error, idle, inverse = growth_terms.fit_within(
        gram, moment, 20.0, np.arange(3), ridge, np.array([[0.0, 1.0, -0.5]])
    )
    np.testing.assert_allclose(coefficients, moment / 1.5)
    np.testing.assert_allclose(inverse, np.eye(3) / 1.5)
    assert not idle.any()
    assert error == pytest.approx(20.0 - 14.0 / 1.5)
