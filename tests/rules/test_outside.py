"""Values outside the range of the training data."""

import warnings

import numpy as np
import pandas as pd
from helpers.dated_rules import dated_rules
from hypothesis import given
from hypothesis import strategies as st

from fruler import FuzzyRuleRegressor, load_model
from fruler._table.sources import LevelSource
from fruler.rules import FuzzyPartition, RuleBase, Variable
from fruler.rules._background import outside_training, said_of_outside, said_of_unseen, unseen_by_rules, warn_of_outside


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


def split_rules(slope=1.0, source=None):
    """Two rules by x; the output of both depends on z."""
    x, z = (Variable(name, FuzzyPartition([5.0], (0.0, 10.0), 0.0)) for name in "xz")
    z = z if source is None else z.of(source)
    return RuleBase([x, z], [[[0, 0], [0, 1]], [[1, 1], [0, 1]]], [[0.0, 0.0, slope], [2.0, 0.0, slope]])


def unseen(rules, rows):
    values = np.asarray(rows, dtype=float)
    return unseen_by_rules(rules, values, rules.inference.activations(values)[0])[:, 1].tolist()


def test_a_value_that_only_other_rules_have_seen_is_told():
    rows = [[1.0, 0.0], [4.0, 3.0], [6.0, 2.5], [9.0, 9.6]]
    rules = split_rules().with_training(rows, [0.0, 3.0, 8.0, 11.0])
    new = [[1.0, 2.9], [1.0, 8.0], [9.0, 0.1], [9.0, 6.0], [9.0, 2.6]]
    # Between the rows of a rule there are no gaps; beyond them, but in the same twenty-fourth of the range, neither.
    assert unseen(rules, new) == [False, True, True, False, False]
    assert unseen(split_rules(slope=0.0).with_training(rows, [0.0, 0.0, 2.0, 2.0]), new) == [False] * 5
    assert unseen(split_rules(), new) == [False] * 5
    intervals = rules.with_intervals(rows * 5, [0.1, 3.0, 8.0, 11.0] * 5)
    assert intervals.predict_interval(new, 0.5).outside.tolist() == [False, True, True, False, False]
    why = rules.explain(new)
    assert why.unseen[:, 1].tolist() == [False, True, True, False, False]
    assert not why.outside.any()
    assert "rule 1 has seen no such value of z" in why[1].notes()
    assert not any("seen" in note for note in why[0].notes())
    assert why.to_frame()["unseen"].tolist() == ["", "z", "z", "", ""]
    told = "2 of 5 rows have values that the rules for them have not seen: 'z'"
    assert said_of_unseen(rules, why.unseen) == told
    assert said_of_unseen(rules, why.unseen[:1]) == ""


def test_a_category_that_only_other_rules_have_seen_is_told():
    source = LevelSource("z", ["a", "b", "c"], [0.0, 4.0, 10.0])
    rows = pd.DataFrame({"x": [1.0, 2.0, 3.0, 9.0, 8.0], "z": ["a", "c", "a", "b", "c"]})
    rules = split_rules(source=source).with_training(rows, np.arange(5.0))
    new = pd.DataFrame({"x": [1.0, 1.0, 9.0, 9.0], "z": ["b", "c", "a", "b"]})
    assert rules.explain(new).unseen[:, 1].tolist() == [True, False, True, False]
    # What a gap is filled with is not a category.
    assert unseen(rules, [[1.0, 5.0], [1.0, 4.0]]) == [False, True]


def test_training_rows_are_seen_and_files_remember(tmp_path):
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=400), rng.uniform(0.0, 6.0, 400)
    # Where x is large, no row has a large z.
    z[x > 0.5] /= 3.0
    table = pd.DataFrame({"x": x, "g": rng.choice(list("abcdef"), 400), "z": z})
    y = np.where(x > 0.5, 4.0 * z, x + z) + 2.0 * (table.g == "b") + rng.normal(0, 0.1, 400)
    model = FuzzyRuleRegressor(random_state=0).fit(table, y)
    assert model.n_rules_ > 1
    assert not model.predict_interval(table).outside.any()
    rows = pd.DataFrame({"x": [1.5, -0.5], "g": ["a", "a"], "z": [5.0, 5.0]})
    model.save(tmp_path / "m.json")
    for one in (model, load_model(tmp_path / "m.json")):
        assert one.explain(rows).unseen.any(axis=1).tolist() == [True, False]
    assert load_model(tmp_path / "m.json").rule_base_ == model.rule_base_
