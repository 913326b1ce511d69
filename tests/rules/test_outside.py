"""Values outside the range of the training data."""

import warnings

import numpy as np
import pandas as pd
from helpers.dated_rules import dated_rules
from hypothesis import given
from hypothesis import strategies as st

from fruler.rules import FuzzyPartition, RuleBase, Variable
from fruler.rules._background import outside_training, said_of_outside, warn_of_outside


def test_the_ends_are_inside_and_gaps_too():
    x, z = (Variable(name, FuzzyPartition([], (0.0, 9.0))) for name in "xz")
    rules = RuleBase([x, z], [[[0, 0], [0, 0]]], [[1.0, 2.0, 0.0]])
    values = np.array([[2.0, 4.0], [1.9, 4.1], [np.nan, 0.0]])
    assert not outside_training(rules, values).any()
    trained = rules.with_training([[2.0, 0.0], [5.0, 4.0]], [5.0, 9.0])
    assert outside_training(trained, values).tolist() == [[False, False], [True, True], [False, False]]


def test_a_year_goes_around():
    rules = dated_rules()
    days = pd.date_range("2019-01-01", "2019-12-31")
    rows = pd.DataFrame({"sold": days.strftime("%Y-%m-%d %H:%M:%S"), "origin": "usa", "fuel": "gas", "size": 1.0})
    trained = rules.with_training(rows, np.arange(len(rows), dtype=float))
    values = trained.numbers_of(rows.iloc[:1])
    values[:, trained.names.index("day of year")] += 1000.0
    assert not outside_training(trained, values)[0, trained.names.index("day of year")]
    values[:, trained.names.index("sold")] += 1000.0
    assert outside_training(trained, values)[0, trained.names.index("sold")]


@given(st.integers(1, 200), st.integers(0, 2**31), st.sampled_from([None, np.nan, -0.1, 1.1]), st.integers(0, 1))
def test_a_warning_comes_for_one_value_outside_wherever_it_is(n_rows, seed, odd, column):
    rules = RuleBase(
        [Variable(name, FuzzyPartition([], (0.0, 1.0))) for name in "ab"], [[[0, 0], [0, 0]]], [[1.0, 2.0, 0.0]]
    ).with_training([[0.0, 0.0], [1.0, 1.0]], [1.0, 3.0])
    rng = np.random.default_rng(seed)
    values = rng.uniform(0.0, 1.0, (n_rows, 2))
    if odd is not None:
        values[rng.integers(n_rows), column] = odd
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of_outside(rules, values)
    # No rule uses the second input, and a gap lies nowhere.
    assert len(caught) == (odd in (-0.1, 1.1) and column == 0)
    assert bool(caught) == bool(said_of_outside(rules, values))


def test_no_rows_give_no_warning():
    rules = RuleBase([Variable("a", FuzzyPartition([], (0.0, 1.0)))], [[[0, 0]]], [[1.0, 2.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_outside(rules, np.empty((0, 1)))
        warn_of_outside(rules, np.full((100, 1), 9.0))
