"""The kernels of the growth against dense algebra and brute force."""

import numpy as np
import pytest
from helpers.examples import examples
from helpers.structures import grow_at_random
from hypothesis import example, given
from hypothesis import strategies as st

from fruler.kernels import growth
from fruler.rules.partitions import FuzzyPartition
from fruler.rules.rule_base import RuleBase
from fruler.rules.variables import Variable
from fruler.table.rows import Rows

seeds = st.integers(0, 2**32 - 1)
few = examples(0.4)


def random_rules(rng, n_rows, n_inputs, n_steps, fuzziness=None):
    X = rng.normal(size=(n_rows, n_inputs))
    rows = Rows.from_arrays(X, rng.normal(size=n_rows), rng.uniform(0.1, 2.0, n_rows))
    domains = np.column_stack([X.min(axis=0), X.max(axis=0)])
    return rows, domains, grow_at_random(rng, domains, n_steps, fuzziness)[-1]


def weights_of(structure, rows, domains):
    return growth.rule_weights(rows.columns, *structure.ramps(domains), structure.ranges)


def design(rows, weights):
    """The terms of all rules, side by side."""
    return (weights[:, :, None] * rows.rows[:, None, :]).reshape(len(rows), -1)


@few
@given(seeds, st.integers(1, 4), st.integers(0, 9))
def test_weights_are_the_rule_base_s_activations(seed, n_inputs, n_steps):
    rows, domains, structure = random_rules(np.random.default_rng(seed), 40, n_inputs, n_steps)
    parts = zip(structure.splits, domains, structure.fuzziness, strict=True)
    variables = [Variable(f"x{j}", FuzzyPartition(*part)) for j, part in enumerate(parts)]
    rules = RuleBase(variables, structure.ranges, np.zeros((structure.n_rules, n_inputs + 1)))
    weights = weights_of(structure, rows, domains)
    np.testing.assert_allclose(weights, rules.activations(rows.rows[:, 1:])[0], atol=1e-6)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, rtol=1e-12)


def test_weights_of_a_ramp_are_what_one_draws_by_hand():
    columns = np.array([[-1.0, 0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0]])
    ranges = np.array([[[0, 0]], [[1, 1]], [[2, 2]]], dtype=np.intc)
    starts, slopes = np.array([[0.0, 3.0]]), np.array([[0.5, 1.0]])
    weights = growth.rule_weights(columns, np.array([2], dtype=np.intc), starts, slopes, ranges)
    np.testing.assert_array_equal(weights[:, 0], [1, 1, 0.75, 0.5, 0, 0, 0, 0])
    np.testing.assert_array_equal(weights[:, 1], [0, 0, 0.25, 0.5, 1, 1, 0, 0])
    np.testing.assert_array_equal(weights[:, 2], [0, 0, 0, 0, 0, 0, 1, 1])


@few
@given(seeds, st.integers(1, 4), st.integers(0, 7))
def test_normal_equations_are_those_of_the_design_matrix(seed, n_inputs, n_steps):
    rows, domains, structure = random_rules(np.random.default_rng(seed), 30, n_inputs, n_steps)
    weights = weights_of(structure, rows, domains)
    gram, moment, square = growth.normal_equations(rows.rows, weights, rows.y, rows.weight)
    terms, total = design(rows, weights), rows.weight.sum()
    np.testing.assert_allclose(gram, (terms.T * rows.weight) @ terms / total, atol=1e-12)
    np.testing.assert_allclose(moment, terms.T @ (rows.weight * rows.y) / total, atol=1e-12)
    assert square == pytest.approx(rows.weight @ np.square(rows.y) / total)


def penalised(gram, moment, square, penalties, support):
    """Solve for some terms; return their coefficients and the penalised error."""
    beta = np.linalg.solve(gram[np.ix_(support, support)] + np.diag(penalties[support]), moment[support])
    return beta, square - beta @ moment[support]


def brute_force(gram, moment, square, q, penalties, n_rows, price):
    """Leave out terms one by one, by solving for every candidate anew; return the supports on the way."""
    support = list(range(len(moment)))
    path, now = (
        [support],
        n_rows * np.log(penalised(gram, moment, square, penalties, support)[1]) + price * len(support),
    )
    while True:
        candidates = [[t for t in support if t != slope] for slope in support if slope % q]
        if not candidates:
            return path
        errors = [penalised(gram, moment, square, penalties, candidate)[1] for candidate in candidates]
        best = int(np.argmin(errors))
        then = n_rows * np.log(errors[best]) + price * len(candidates[best])
        if then > now:
            return path
        support, now = candidates[best], then
        path.append(support)


def regression(rng, n_rules, n_inputs, noise=1.0):
    n = 60
    rows = Rows.from_arrays(rng.normal(size=(n, n_inputs)), np.zeros(n))
    weights = rng.dirichlet(np.ones(n_rules), size=n)
    terms = design(rows, weights)
    y = terms @ (rng.normal(size=terms.shape[1]) * rng.integers(0, 2, terms.shape[1])) + noise * rng.normal(size=n)
    y = (y - y.mean()) / y.std() + 0.5  # not centred: no intercept is zero by chance
    return np.ascontiguousarray(terms.T @ terms / n), terms.T @ y / n, float(y @ y / n), n_inputs + 1


def penalties_of(size, q, ridge, intercept_ridge=1e-9):
    return np.where(np.arange(size) % q == 0, intercept_ridge, ridge)


@few
@given(seeds, st.integers(1, 4), st.integers(1, 5), st.sampled_from([1e-4, 1e-2, 1.0]))
def test_without_choice_it_is_ridge_regression(seed, n_rules, n_inputs, ridge):
    gram, moment, square, q = regression(np.random.default_rng(seed), n_rules, n_inputs)
    # A price below zero: every term pays.
    beta, error, n_terms = growth.choose_terms(gram, moment, square, q, ridge, 1e-9, 60.0, -1e9)
    penalties = penalties_of(len(moment), q, ridge)
    np.testing.assert_allclose(beta, np.linalg.solve(gram + np.diag(penalties), moment), rtol=1e-5, atol=1e-7)
    assert error == pytest.approx(square - 2 * beta @ moment + beta @ gram @ beta + penalties @ np.square(beta))
    assert n_terms == len(moment)


@few
@given(
    seeds, st.integers(1, 4), st.integers(1, 5), st.sampled_from([1e-3, 1e-1]), st.sampled_from([0.0, 1.0, 4.0, 20.0])
)
def test_terms_are_left_out_as_brute_force_does(seed, n_rules, n_inputs, ridge, price):
    gram, moment, square, q = regression(np.random.default_rng(seed), n_rules, n_inputs)
    beta, error, n_terms = growth.choose_terms(gram, moment, square, q, ridge, 1e-9, 60.0, price)
    penalties = penalties_of(len(moment), q, ridge)
    support = brute_force(gram, moment, square, q, penalties, 60.0, price)[-1]
    refitted, expected = penalised(gram, moment, square, penalties, support)
    assert np.flatnonzero(beta).tolist() == support
    assert n_terms == len(support)
    np.testing.assert_allclose(beta[support], refitted, rtol=1e-6, atol=1e-8)
    assert error == pytest.approx(expected)


def test_every_step_leaves_out_the_term_that_is_missed_least():
    gram, moment, square, q = regression(np.random.default_rng(3), 3, 4)
    penalties = penalties_of(len(moment), q, 1e-3)
    path = brute_force(gram, moment, square, q, penalties, 60.0, 1e9)
    assert len(path) == 3 * 4 + 1
    met = set()
    for price in np.geomspace(1e-3, 1e3, 400):
        beta, _, _ = growth.choose_terms(gram, moment, square, q, 1e-3, 1e-9, 60.0, price)
        assert np.flatnonzero(beta).tolist() in path
        met.add(np.count_nonzero(beta))
    assert len(met) > 5


@few
@given(seeds, st.integers(1, 4), st.integers(1, 4))
def test_at_a_huge_price_only_intercepts_are_left(seed, n_rules, n_inputs):
    gram, moment, square, q = regression(np.random.default_rng(seed), n_rules, n_inputs)
    beta, _, n_terms = growth.choose_terms(gram, moment, square, q, 1e-3, 1e-9, 60.0, 1e9)
    assert np.flatnonzero(beta).tolist() == list(range(0, len(moment), q))
    assert n_terms == n_rules


@few
@example(607362766, 0.0, -1e9)  # definite by rounding alone
@given(seeds, st.sampled_from([0.0, 1e-5]), st.sampled_from([-1e9, 0.0, 4.0]))
def test_columns_that_are_there_twice_do_no_harm(seed, ridge, price):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(50, 2))
    terms = np.column_stack([np.ones(50), X, X, X @ [1.0, 1.0]])
    y = X[:, 0] + 0.1 * rng.normal(size=50)
    gram, moment = np.ascontiguousarray(terms.T @ terms / 50), terms.T @ y / 50
    square = float(y @ y / 50)
    beta, error, _ = growth.choose_terms(gram, moment, square, 6, ridge, 1e-9, 50.0, price)
    assert np.isfinite(beta).all()
    left = np.mean(np.square(y - terms @ beta))
    least = np.mean(np.square(y - terms[:, :3] @ np.linalg.lstsq(terms[:, :3], y, rcond=None)[0]))
    assert left < least * 1.2
    assert error == pytest.approx(left, rel=0.05)


def test_nothing_to_fit_gives_nothing():
    beta, error, n_terms = growth.choose_terms(np.zeros((6, 6)), np.zeros(6), 0.0, 3, 0.0, 0.0, 10.0, 1.0)
    assert not beta.any()
    assert 0.0 < error < 1e-6
    assert n_terms == 2


def direct_gain(rows, terms, residual, rule_weight, feature, start, slope, ridge):
    risen = np.clip((rows.columns[feature] - start) * slope, 0.0, 1.0)
    pair = np.column_stack([rule_weight * (1.0 - risen), rule_weight * risen])
    X = (pair[:, :, None] * rows.rows[:, None, terms]).reshape(len(rows), -1)
    total = rows.weight.sum()
    moment = X.T @ (rows.weight * residual) / total
    gram = (X.T * rows.weight) @ X / total + ridge * np.eye(X.shape[1])
    return moment @ np.linalg.solve(gram, moment), rows.weight @ pair


@few
@given(seeds, st.integers(1, 5))
def test_the_promise_of_a_split_is_what_the_pair_of_rules_would_explain(seed, n_inputs):
    rng = np.random.default_rng(seed)
    rows, domains, structure = random_rules(rng, 50, n_inputs, 2)
    weight = np.ascontiguousarray(weights_of(structure, rows, domains)[:, 0])
    terms = np.flatnonzero(rng.integers(0, 2, n_inputs + 1) | (np.arange(n_inputs + 1) == 0)).astype(np.intc)
    feature, residual = int(rng.integers(n_inputs)), rng.normal(size=50)
    reach = rng.uniform(1e-3, 1.0, 6)
    starts, slopes = rng.uniform(-2.0, 1.5, 6), 0.5 / reach
    gains = growth.score_splits(
        (rows.columns, rows.rows, residual, rows.weight),
        terms,
        weight,
        feature,
        (starts, slopes),
        rows.weight.sum(),
        1e-3,
        4.0,
    )
    for gain, start, slope in zip(gains, starts, slopes, strict=True):
        expected, pair = direct_gain(rows, terms, residual, weight, feature, start, slope, 1e-3)
        if pair.min() < 4.0:
            assert gain == -1.0
        else:
            assert gain == pytest.approx(expected, rel=1e-8)


def test_a_split_that_leaves_too_few_rows_on_either_side_promises_nothing():
    X = np.linspace(0.0, 1.0, 21)[:, None]
    rows = Rows.from_arrays(X, X[:, 0])
    starts = np.array([0.12, 0.5, 0.87])
    gains = growth.score_splits(
        rows.arrays, np.array([0, 1], dtype=np.intc), rows.weight, 0, (starts, np.full(3, 1e6)), 21.0, 1e-3, 5.0
    )
    assert gains[0] == gains[2] == -1.0
    assert gains[1] > 0.0


def test_what_is_no_gram_matrix_is_refused_and_not_tried_for_ever():
    gram = np.diag([1.0, -1e9, 1.0])
    with pytest.raises(ValueError, match="not finite"):
        growth.choose_terms(gram, np.ones(3), 1.0, 3, 1e-3, 1e-9, 10.0, 1.0)
