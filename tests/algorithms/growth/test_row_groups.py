"""Rows of the growth: rounded, in groups, and in the same order whatever that of the table."""

import itertools

import numpy as np
import pytest

from fruler import FuzzyRuleRegressor
from fruler.algorithms.growth import learner
from fruler.algorithms.growth.row_groups import GRID, grouped_rows, on_grid
from fruler.table.rows import Rows


def friedman_like(seed, n=250):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 4))
    return X, 10.0 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20.0 * (X[:, 2] - 0.5) ** 2 + rng.normal(size=n)


def grown(X, y, weight=None):
    return FuzzyRuleRegressor(random_state=0).fit(X, y, sample_weight=weight)


def test_equal_rows_are_held_out_together(monkeypatch):
    X, y = friedman_like(0, 60)
    again = np.repeat(np.arange(60), 3)
    folds = []
    cross_validation = learner.CrossValidation
    monkeypatch.setattr(
        learner, "CrossValidation", lambda *args: folds.extend([args[0], args[5]]) or cross_validation(*args)
    )
    grown(np.append(X[again], X[:1], axis=0), np.append(y[again], y[:1]))
    rows, held_out = folds
    assert len(rows) == 181
    tuples = as_tuples(rows)
    sets = [{tuples[i] for i in fold} for fold in held_out]
    assert sum(len(one) for one in sets) == len(set(tuples)) == 60


def assert_same(model, other, X, X_of_other=None):
    expected = model.predict(X)
    found = other.predict(X if X_of_other is None else X_of_other)
    assert model.n_rules_ == other.n_rules_ > 1
    assert np.abs(found - expected).max() < 1e-9 * expected.std()


def some_rows(weight=None):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (200, 2)).astype(float), rng.integers(0, 2, 200).astype(float)
    return Rows.from_arrays(X, y, weight)


def as_tuples(rows):
    return [(*x, y) for x, y in zip(rows.columns.T.tolist(), rows.y.tolist(), strict=True)]


def test_groups_are_of_equal_rows():
    rows = some_rows()
    grouped = grouped_rows(rows, 1000)
    tuples = as_tuples(grouped.rows)
    assert sorted(tuples) == sorted(as_tuples(rows))
    assert grouped.n_groups == len(set(tuples))
    found = [set(tuples[a:b]) for a, b in itertools.pairwise(grouped.starts)]
    assert [len(one) for one in found] == [1] * grouped.n_groups
    assert len(set.union(*found)) == grouped.n_groups
    numbers = grouped.rows_of(np.array([2, 0]))
    assert numbers.tolist() == [*range(grouped.starts[1]), *range(grouped.starts[2], grouped.starts[3])]


@pytest.mark.parametrize("unit", [1.0, 0.3, 1e-9])
def test_whole_weights_are_numbers_of_rows(unit):
    weight = np.random.default_rng(1).integers(2, 5, 200)
    grouped, repeated = (
        grouped_rows(some_rows(weight * unit), 1000),
        grouped_rows(some_rows().take(np.repeat(range(200), weight)), 1000),
    )
    assert as_tuples(grouped.rows) == as_tuples(repeated.rows)
    assert grouped.starts.tolist() == repeated.starts.tolist()
    assert set(grouped.rows.weight.tolist()) == {1.0}


def test_what_is_there_twice_throughout_is_there_once():
    rows = some_rows()
    plain, twice = grouped_rows(rows, 1000), grouped_rows(rows.take(np.repeat(range(200), 2)), 1000)
    assert as_tuples(plain.rows) == as_tuples(twice.rows)


def test_other_weights_stay_with_their_rows():
    weight = np.random.default_rng(1).uniform(0.5, 2.0, 200)
    rows = some_rows(weight)
    for given, max_rows in ((rows, 10_000), (some_rows(np.arange(1.0, 201.0)), 500)):
        grouped = grouped_rows(given, max_rows).rows
        pairs = [sorted(zip(as_tuples(one), one.weight.tolist(), strict=True)) for one in (given, grouped)]
        assert pairs[0] == pairs[1]


def test_rows_with_other_terms_are_others():
    X, y, terms = np.ones((2, 1)), np.ones(2), np.array([[0.25], [0.5]])
    assert grouped_rows(Rows.from_arrays(X, y, terms=terms), 10).n_groups == 2


def test_numbers_are_rounded_by_half_a_step_at_the_most():
    values = np.random.default_rng(0).normal(size=1000)
    assert np.abs(on_grid(values) - values).max() <= GRID / 2.0
    assert not np.signbit(on_grid(np.array([-0.0, -GRID / 8.0]))).any()


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_rows_does_not_matter(seed):
    X, y = friedman_like(seed)
    order = np.random.default_rng(seed).permutation(len(y))
    assert_same(grown(X, y), grown(X[order], y[order]), X)


@pytest.mark.parametrize("seed", range(3))
def test_rows_that_are_repeated_are_rows_with_weights(seed):
    X, y = friedman_like(seed)
    weight = np.random.default_rng(seed).integers(0, 4, len(y))
    again = np.repeat(np.arange(len(y)), weight)
    assert_same(grown(X, y, weight), grown(X[again], y[again]), X)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("unit", [1e6, 1.0 / 3.0, 1e-7])
def test_the_unit_of_an_input_does_not_matter(seed, unit):
    X, y = friedman_like(seed)
    # Numbers on a grid, so that ties are many.
    X = np.round(X, 2)
    assert_same(grown(X, y), grown(unit * X, y), X, unit * X)


@pytest.mark.parametrize("offset", [1e6, 1e10, 1e11, 1e12])
def test_an_input_far_from_zero_is_split(offset):
    X, y = friedman_like(0)
    model = grown(X + offset, y)
    assert max(model.granularities_) > 1
    assert model.score(X + offset, y) > 0.97 * grown(X, y).score(X, y)


def test_an_input_too_far_from_zero_is_told_of():
    X, y = friedman_like(0)
    with pytest.warns(UserWarning, match=r"Input 'x1' is not split: its values, from 100000000000000.* Subtract 1000"):
        model = grown(X + np.array([0.0, 1e14, 0.0, 0.0]), y)
    assert model.granularities_[1] == 1
