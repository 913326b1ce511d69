"""Ridge regression with the terms that pay: where it begins, and what comes back."""

import numpy as np
import pytest
from helpers.examples import examples
from hypothesis import given
from hypothesis import strategies as st

from fruler._algorithms.growth.terms import Normal, TermLimits, choose_terms, fit_terms, ridge_of

seeds = st.integers(0, 2**32 - 1)
few = examples(0.3)
N = 80


def equations(seed=0, n_terms=8, noise=0.5):
    rng = np.random.default_rng(seed)
    terms = np.column_stack([np.ones(N), rng.normal(size=(N, n_terms - 1)) + 0.4 * rng.normal(size=(N, 1))])
    y = terms @ (rng.normal(size=n_terms) * rng.integers(0, 2, n_terms)) + noise * rng.normal(size=N)
    return Normal(np.ascontiguousarray(terms.T @ terms / N), terms.T @ y / N, float(y @ y / N), float(N)), terms, y


def criterion(fit, price):
    return N * np.log(fit.error) + price * len(fit.terms)


def test_the_ridge_is_so_many_rows_that_say_nothing():
    normal, terms, y = equations()
    fit = fit_terms(normal, 3.0)
    added = np.vstack([terms, np.sqrt(3.0) * np.eye(8)[1:]])
    expected, *_ = np.linalg.lstsq(added, np.concatenate([y, np.zeros(7)]), rcond=None)
    np.testing.assert_allclose(fit.coefficients, expected, rtol=1e-6)
    assert ridge_of(normal, 3.0)[1:].tolist() == [3.0 / N] * 7
    # The intercept is not shrunk.
    assert ridge_of(normal, 3.0)[0] < 1e-6


def test_the_intercept_is_there_wherever_one_begins():
    normal, _, _ = equations()
    start = np.zeros(8, dtype=bool)
    start[[2, 5]] = True
    fit = fit_terms(normal, 0.1, start=start)
    assert fit.terms.tolist() == [0, 2, 5]
    assert fit.kept.tolist() == [True, False, True, False, False, True, False, False]
    assert np.flatnonzero(fit.coefficients).tolist() == [0, 2, 5]


@few
@given(seeds, st.sampled_from([0.5, 3.0, 10.0]))
def test_a_second_choice_is_never_worse_than_the_first(seed, price):
    normal, _, _ = equations(seed)
    start = np.random.default_rng(seed).uniform(size=8) < 0.4
    first = fit_terms(normal, 0.1, price, N, start.copy())
    chosen = choose_terms(normal, 0.1, price, N, start.copy())
    assert criterion(chosen, price) <= criterion(first, price)


def test_a_term_that_matters_comes_back():
    rng = np.random.default_rng(0)
    terms = np.column_stack([np.ones(N), rng.normal(size=(N, 3))])
    y = terms @ [1.0, 2.0, -1.0, 0.0] + 0.1 * rng.normal(size=N)
    normal = Normal(terms.T @ terms / N, terms.T @ y / N, float(y @ y / N), float(N))
    start = np.array([True, True, False, False])
    assert fit_terms(normal, 0.1, 3.0, N, start.copy()).kept.tolist() == [True, True, False, False]
    chosen = choose_terms(normal, 0.1, 3.0, N, start)
    assert chosen.kept.tolist() == [True, True, True, False]
    np.testing.assert_allclose(chosen.coefficients, [1.0, 2.0, -1.0, 0.0], atol=0.1)
    assert criterion(chosen, 3.0) == pytest.approx(criterion(fit_terms(normal, 0.1, 3.0, N), 3.0))


@few
@given(seeds)
def test_without_a_start_all_terms_are_tried(seed):
    normal, _, _ = equations(seed)
    one, other = choose_terms(normal, 0.1, 3.0, N), fit_terms(normal, 0.1, 3.0, N)
    assert np.array_equal(one.coefficients, other.coefficients)


def test_what_comes_back_is_worth_its_price():
    # With terms that have nothing to do with each other, one is worth its square, and enters for less than that.
    terms = np.array([[1, 1, 1], [1, -1, 1], [1, 1, -1], [1, -1, -1]] * 20, dtype=float)
    rng = np.random.default_rng(1)
    y = terms @ [0.0, 0.3, 0.0] + rng.normal(size=N)
    y -= terms @ np.linalg.lstsq(terms, y, rcond=None)[0] - terms @ [0.0, 0.3, 0.0]
    normal = Normal(terms.T @ terms / N, terms.T @ y / N, float(y @ y / N), float(N))
    without = fit_terms(normal, 0.0, start=np.array([True, False, False]))
    worth = N * np.log(without.error / fit_terms(normal, 0.0, start=np.array([True, True, False])).error)
    for price, comes in ((0.8 * worth, True), (1.2 * worth, False)):
        chosen = choose_terms(normal, 0.0, price, N, np.array([True, False, False]))
        assert chosen.kept.tolist() == [True, comes, False]


def signs_of(normal, signs):
    """Limits that give coefficients a sign; 0 for either."""
    sides = np.diag(np.asarray(signs, dtype=float))
    return TermLimits(None, sides[np.any(sides != 0.0, axis=1)])


@pytest.mark.parametrize("price", [0.0, 2.0])
@pytest.mark.parametrize("seed", range(5))
def test_coefficients_keep_within_limits(seed, price):
    normal, _, _ = equations(seed)
    free = fit_terms(normal, 0.1, price, N)
    strongest = 1 + np.argsort(-np.abs(free.coefficients[1:]))[:2]
    signs = np.zeros(8)
    signs[strongest] = -np.sign(free.coefficients[strongest])
    limits = signs_of(normal, signs)
    assert limits.broken_by(free.coefficients)
    fit = fit_terms(normal, 0.1, price, N, limits=limits)
    assert not limits.broken_by(fit.coefficients)
    assert fit.error >= free.error
    ridged = normal.gram + np.diag(ridge_of(normal, 0.1))
    own = fit.coefficients
    assert fit.error == pytest.approx(normal.square - 2.0 * own @ normal.moment + own @ ridged @ own)
    if price:
        # What limits hold at zero is no term, and the inverse is that of the others.
        assert own[fit.terms].all()
        expected = np.linalg.inv(ridged[np.ix_(fit.terms, fit.terms)])
        np.testing.assert_allclose(fit.inverse, expected, rtol=1e-6)
    else:
        assert len(fit.terms) == 8


def test_limits_that_hold_change_nothing():
    normal, _, _ = equations(1)
    free = fit_terms(normal, 0.1, 2.0, N)
    fit = fit_terms(normal, 0.1, 2.0, N, limits=signs_of(normal, np.sign(free.coefficients)))
    assert fit.coefficients.tolist() == free.coefficients.tolist()
    assert fit.inverse.tolist() == free.inverse.tolist()


def test_terms_that_are_not_allowed_are_left_out_and_do_not_come_back():
    normal, _, _ = equations(2)
    allowed = np.array([True, False, True, True, False, True, True, True])
    limits = TermLimits(allowed, np.empty((0, 8)))
    for fit in (
        fit_terms(normal, 0.1, 0.5, N, limits=limits),
        choose_terms(normal, 0.1, 0.5, N, np.ones(8, dtype=bool), limits),
        choose_terms(normal, 0.1, 0.5, N, np.arange(8) < 3, limits),
    ):
        assert not fit.coefficients[~allowed].any()
        assert allowed[fit.terms].all()


def test_terms_that_limits_keep_out_do_not_come_back():
    normal, _, _ = equations(3, noise=0.1)
    free = fit_terms(normal, 0.1, 0.0, N)
    strongest = int(np.abs(free.coefficients[1:]).argmax()) + 1
    signs = np.zeros(8)
    signs[strongest] = -np.sign(free.coefficients[strongest])
    start = np.ones(8, dtype=bool)
    start[strongest] = False
    fit = choose_terms(normal, 0.1, 1.0, N, start, signs_of(normal, signs))
    assert fit.coefficients[strongest] == 0.0
    assert strongest not in fit.terms
