"""The choice of terms, and rows left out one by one, against brute force."""

import numpy as np
import pytest
from helpers.examples import examples
from helpers.structures import dense_curves, dense_weights, grow_at_random, mixed_problem, random_rows
from hypothesis import example, given
from hypothesis import strategies as st

from fruler._kernels import growth_terms

seeds = st.integers(0, 2**32 - 1)
few = examples(0.4)
N_ROWS = 60


def penalised(gram, moment, square, ridge, support):
    """Solve for some terms; return their coefficients and the penalised error."""
    beta = np.linalg.solve(gram[np.ix_(support, support)] + np.diag(ridge[support]), moment[support])
    return beta, square - beta @ moment[support]


def brute_force(gram, moment, square, ridge, price, start=None):
    """Leave out terms one by one, by solving for every candidate anew; return the supports on the way."""
    support = list(range(len(moment))) if start is None else list(start)

    def criterion(some):
        return N_ROWS * np.log(penalised(gram, moment, square, ridge, some)[1]) + price * len(some)

    path = [support]
    while True:
        fewer = [[t for t in path[-1] if t != term] for term in path[-1] if term]
        best = min(fewer, key=criterion, default=None)
        if best is None or criterion(best) > criterion(path[-1]):
            return path
        path.append(best)


def regression(seed, n_terms, noise=1.0):
    rng = np.random.default_rng(seed)
    terms = np.column_stack([np.ones(N_ROWS), rng.normal(size=(N_ROWS, n_terms - 1))])
    # Terms that lean on each other: what is left out changes what is worth keeping.
    terms[:, 1:] += 0.5 * rng.normal(size=(N_ROWS, 1))
    y = terms @ (rng.normal(size=n_terms) * rng.integers(0, 2, n_terms)) + noise * rng.normal(size=N_ROWS)
    y = (y - y.mean()) / y.std() + 0.5  # not centred: no intercept is zero by chance
    return np.ascontiguousarray(terms.T @ terms / N_ROWS), terms.T @ y / N_ROWS, float(y @ y / N_ROWS)


def ridge_on(n_terms, size):
    return np.where(np.arange(n_terms) == 0, 1e-9, size)


def fitted(equations, ridge, price, start=None):
    terms = np.arange(len(ridge)) if start is None else np.asarray(start)
    return growth_terms.fit_terms(*equations, terms, ridge, float(N_ROWS), price)


@few
@given(seeds, st.integers(1, 12), st.sampled_from([1e-4, 1e-2, 1.0]))
def test_without_a_price_it_is_ridge_regression(seed, n_terms, size):
    gram, moment, square = regression(seed, n_terms)
    ridge = ridge_on(n_terms, size)
    beta, error, kept, inverse = fitted((gram, moment, square), ridge, 0.0)
    np.testing.assert_allclose(beta, np.linalg.solve(gram + np.diag(ridge), moment), rtol=1e-6, atol=1e-8)
    assert error == pytest.approx(square - 2 * beta @ moment + beta @ gram @ beta + ridge @ np.square(beta))
    assert kept.tolist() == list(range(n_terms))
    assert inverse.shape == (0, 0)


@few
@given(seeds, st.integers(1, 12), st.sampled_from([1e-3, 1e-1]), st.sampled_from([1e-6, 1.0, 4.0, 20.0]))
def test_terms_are_left_out_as_brute_force_does(seed, n_terms, size, price):
    equations, ridge = regression(seed, n_terms), ridge_on(n_terms, size)
    beta, error, kept, inverse = fitted(equations, ridge, price)
    support = brute_force(*equations, ridge, price)[-1]
    refitted, expected = penalised(*equations, ridge, support)
    assert np.sort(kept).tolist() == support == np.flatnonzero(beta).tolist()
    np.testing.assert_allclose(beta[support], refitted, rtol=1e-6, atol=1e-8)
    assert error == pytest.approx(expected)
    # The terms that are left may be in another order; the inverse is in theirs.
    regular = equations[0][np.ix_(kept, kept)] + np.diag(ridge[kept])
    np.testing.assert_allclose(inverse @ regular, np.eye(len(kept)), atol=1e-7)


@few
@given(seeds, st.sampled_from([0.0, 2.0]))
def test_it_begins_with_some_of_the_terms(seed, price):
    equations, ridge, start = regression(seed, 8), ridge_on(8, 1e-3), [0, 2, 3, 7]
    beta, error, kept, _ = fitted(equations, ridge, price, start)
    support = brute_force(*equations, ridge, price, start)[-1] if price else start
    assert np.sort(kept).tolist() == support
    np.testing.assert_allclose(beta[support], penalised(*equations, ridge, support)[0], rtol=1e-6, atol=1e-8)
    assert not np.delete(beta, support).any()
    assert error == pytest.approx(penalised(*equations, ridge, support)[1])


def test_every_step_leaves_out_the_term_that_is_missed_least():
    equations, ridge = regression(3, 13), ridge_on(13, 1e-3)
    path = brute_force(*equations, ridge, 1e9)
    assert len(path) == 13
    met = set()
    for price in np.geomspace(1e-3, 1e3, 400):
        _, _, kept, _ = fitted(equations, ridge, price)
        assert np.sort(kept).tolist() in path
        met.add(len(kept))
    assert len(met) > 5


@few
@given(seeds, st.integers(1, 10))
def test_at_a_huge_price_only_the_intercept_is_left(seed, n_terms):
    equations = regression(seed, n_terms)
    beta, _, kept, _ = fitted(equations, ridge_on(n_terms, 1e-3), 1e9)
    assert kept.tolist() == [0]
    assert beta[0] == pytest.approx(equations[1][0])


@few
@example(607362766, 0.0, 0.0)
@given(seeds, st.sampled_from([0.0, 1e-5]), st.sampled_from([0.0, 1e-6, 4.0]))
def test_columns_that_are_there_twice_do_no_harm(seed, size, price):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_ROWS, 2))
    terms = np.column_stack([np.ones(N_ROWS), X, X, X @ [1.0, 1.0]])
    y = X[:, 0] + 0.1 * rng.normal(size=N_ROWS)
    equations = np.ascontiguousarray(terms.T @ terms / N_ROWS), terms.T @ y / N_ROWS, float(y @ y / N_ROWS)
    beta, error, _, _ = fitted(equations, ridge_on(6, size), price)
    assert np.isfinite(beta).all()
    left = np.mean(np.square(y - terms @ beta))
    least = np.mean(np.square(y - terms[:, :3] @ np.linalg.lstsq(terms[:, :3], y, rcond=None)[0]))
    assert left < least * 1.2
    assert error == pytest.approx(left, rel=0.05)


@pytest.mark.parametrize("price", [0.0, 1.0])
def test_nothing_to_fit_gives_nothing(price):
    beta, error, kept, _ = fitted((np.zeros((6, 6)), np.zeros(6), 0.0), np.zeros(6), price)
    assert not beta.any()
    assert 0.0 < error < 1e-6
    assert kept.tolist() == ([0] if price else list(range(6)))


@pytest.mark.parametrize("bad", [-1e9, np.nan])
@pytest.mark.parametrize("price", [0.0, 1.0])
def test_what_is_no_gram_matrix_is_refused_and_not_tried_for_ever(bad, price):
    with pytest.raises(ValueError, match="not finite"):
        fitted((np.diag([1.0, bad, 1.0]), np.ones(3), 1.0), ridge_on(3, 1e-3), price)


@few
@given(seeds, st.integers(1, 3), st.integers(0, 3), st.integers(0, 2), st.sampled_from([1e-6, 1.0, 8.0]))
def test_rows_left_out_are_missed_by_as_much_as_if_they_were_left_out_one_by_one(
    seed, n_inputs, n_splits, n_bends, price
):
    rng = np.random.default_rng(seed)
    rows, domains = random_rows(rng, N_ROWS, n_inputs)
    structure = grow_at_random(rng, domains, n_splits, n_bends)[-1]
    problem = mixed_problem(structure, rows, 0.0)
    ridge = ridge_on(structure.n_terms, 0.01)
    square = float(rows.weight @ np.square(rows.y)) / problem.total
    beta, _, kept, inverse = fitted((np.ascontiguousarray(problem.gram), problem.moment, square), ridge, price)
    X = rows.rows[:, 1:]
    squares, left_out = growth_terms.squares_left_out(
        (rows.rows, rows.y, rows.weight),
        np.ascontiguousarray((dense_weights(structure, X) @ structure.blocks).T),
        np.ascontiguousarray(dense_curves(structure, X).T),
        structure.terms(kept),
        beta[kept],
        inverse,
        problem.total,
        1.0 - 1e-12,
    )
    assert squares == pytest.approx(problem.error(beta) * problem.total, rel=1e-8)
    terms, total = problem.terms[: len(rows), kept], 0.0
    for i in range(len(rows)):
        others = np.delete(np.arange(len(rows)), i)
        gram = terms[others].T @ terms[others] + problem.total * np.diag(ridge[kept])
        without = np.linalg.solve(gram, terms[others].T @ problem.goal[others])
        total += (problem.goal[i] - terms[i] @ without) ** 2
    assert left_out == pytest.approx(total, rel=1e-6)


def test_no_row_speaks_for_itself_by_more_than_is_allowed():
    # One row has a term of its own: left out, nothing would be known of it.
    y, ones = np.array([1.0, 2.0, 4.0]), np.ones((3, 1))
    own = np.array([[0.0, 0.0, 1.0]])
    terms = np.column_stack([ones, own[0]])
    inverse = np.linalg.inv(terms.T @ terms / 3.0 + 1e-9 * np.eye(2))
    # Not the least squares: otherwise that row would have no error.
    beta = np.array([1.5, 1.5])
    numbers = np.array([0, -1], dtype=np.intc), np.array([0, 0], dtype=np.intc), np.zeros(2)
    table = ones, y, np.ones(3)
    squares, left_out = growth_terms.squares_left_out(table, ones.T.copy(), own, numbers, beta, inverse, 3.0, 0.9)
    assert squares == pytest.approx(0.25 + 0.25 + 1.0)
    # The others share one term between the two of them.
    assert left_out == pytest.approx(2 * 0.25 / 0.5**2 + 1.0 / 0.1**2)
