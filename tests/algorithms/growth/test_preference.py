"""Which of several divisions is made."""

import numpy as np
import pytest

from fruler import FuzzyRuleRegressor
from fruler.algorithms.growth import preference
from fruler.algorithms.growth.preference import Contender, Preference
from fruler.table.rows import Rows

N = 100


@pytest.fixture
def chooser():
    """One of three inputs: the second goes with the target most closely, then the third."""
    rng = np.random.default_rng(0)
    y = rng.normal(size=N)
    noise = rng.normal(size=(N, 3))
    return Preference(Rows.from_arrays(np.column_stack([noise[:, 0], y, y + noise[:, 2]]), y))


def contender(input, criterion, squares=None):
    """Return one whose errors are the same on average as those of the others, but on other rows."""
    shuffled = np.random.default_rng(input).permutation(np.linspace(0.5, 1.5, N)) if squares is None else squares
    return Contender(input, criterion, shuffled)


def test_of_equals_the_input_that_goes_with_the_target_most_closely_is_taken(chooser):
    contenders = [contender(0, -10.0), contender(2, -9.9), contender(1, -9.8)]
    assert chooser.choose(contenders, divided=[], before=0.0) == 2


def test_of_equals_an_input_in_use_comes_first(chooser):
    contenders = [contender(1, -10.0), contender(2, -9.9), contender(0, -9.8)]
    assert chooser.choose(contenders, divided=np.array([0, 0]), before=0.0) == 2


def test_a_difference_beyond_chance_counts(chooser):
    noise = np.sqrt(np.square(contender(0, 0.0).squares - contender(1, 0.0).squares).sum())
    assert noise < 8.0
    assert chooser.choose([contender(0, 0.0), contender(1, 0.9 * noise)], divided=[], before=100.0) == 1
    assert chooser.choose([contender(0, 0.0), contender(1, 1.1 * noise)], divided=[], before=100.0) == 0


def test_a_difference_that_is_decisive_counts_whatever_chance_could_do(chooser):
    far = contender(1, 0.0).squares * np.where(np.arange(N) < 5, 40.0, 0.1)
    far *= contender(0, 0.0).squares.sum() / far.sum()
    assert chooser.choose([contender(0, 0.0), contender(1, 9.9, far)], divided=[], before=100.0) == 1
    assert chooser.choose([contender(0, 0.0), contender(1, 10.1, far)], divided=[], before=100.0) == 0


def test_an_input_that_gains_less_than_half_as_much_is_not_preferred(chooser):
    contenders = [contender(0, -2.0), contender(1, -0.9)]
    assert chooser.choose(contenders, divided=[], before=0.0) == 0
    assert chooser.choose(contenders, divided=[], before=0.3) == 1
    assert chooser.choose(contenders, divided=[], before=-3.0) == 0


def test_where_all_rows_agree_there_is_no_chance(chooser):
    ones = np.ones(N)
    assert chooser.choose([contender(0, 0.0, ones), contender(1, 0.01, 1.01 * ones)], divided=[], before=0.0) == 0


def test_two_divisions_of_one_input_are_told_apart_by_the_criterion(chooser):
    assert chooser.choose([contender(1, -9.9), contender(1, -10.0)], divided=[1], before=0.0) == 1


def test_exact_fits_and_constant_inputs_are_no_trouble():
    rows = Rows.from_arrays(np.column_stack([np.ones(N), np.arange(N)]), np.arange(N))
    zero = np.zeros(N)
    assert Preference(rows).choose([contender(1, -5.0, zero), contender(0, -5.0, zero)], divided=[], before=0.0) == 0


def test_weights_stand_for_repeated_rows():
    rng = np.random.default_rng(1)
    X, y, weight = rng.normal(size=(N, 2)), rng.normal(size=N), rng.integers(1, 4, N)
    weighted = Preference(Rows.from_arrays(X, y, weight.astype(float)))
    repeated = Preference(Rows.from_arrays(np.repeat(X, weight, axis=0), np.repeat(y, weight)))
    assert np.array_equal(weighted.correlations, repeated.correlations)


def first_splits(n_samples):
    """Return which inputs rules are split by on samples of rows that two inputs know nearly the same of."""
    rng = np.random.default_rng(0)
    hidden = rng.uniform(-1.0, 1.0, 600)
    X = np.column_stack([hidden + 0.06 * rng.normal(size=600), hidden + 0.05 * rng.normal(size=600)])
    y = np.where(hidden > 0.0, 2.0 * hidden, 0.0) + 0.2 * rng.normal(size=600)
    found = []
    for sample in range(n_samples):
        taken = np.random.default_rng(sample).permutation(600)[:300]
        rules = FuzzyRuleRegressor(max_rules=2, max_curves=0, random_state=0).fit(X[taken], y[taken]).rule_base_
        found += [name for rule in rules.rules for name in rule.antecedent]
    return found


def test_samples_agree_on_the_input_to_split(monkeypatch):
    preferred = first_splits(10)
    monkeypatch.setattr(preference, "_STANDARD_ERRORS", 0.0)
    by_chance = first_splits(10)
    assert preferred.count("x1") > by_chance.count("x1")
    assert preferred.count("x0") < by_chance.count("x0")
