"""A model beside one whose inputs have other numbers."""

import numpy as np
import pytest

from fruler._table.date_sources import CycleSource
from fruler._table.sources import LevelSource
from fruler.explain._refit_comparison import Original
from fruler.explain.stability import stability_of
from fruler.rules import FuzzyPartition, RuleBase, Variable

LEVELS = ["a", "b", "c", "d"]


def of_numbers(split, slope=0.0, domain=(0.0, 100.0)):
    x = Variable("x", FuzzyPartition([split], domain, 0.0))
    return RuleBase([x], [[[0, 0]], [[1, 1]]], [[0.0, slope], [10.0, slope]])


def of_levels(numbers, split):
    x = Variable("x", FuzzyPartition([split], (min(numbers), max(numbers)), 0.0)).of(LevelSource("x", LEVELS, numbers))
    return RuleBase([x], [[[0, 0]], [[1, 1]]], [[0.0, 0.0], [10.0, 0.0]])


def test_a_model_has_all_in_common_with_itself():
    rules, values = of_numbers(40.0, 0.1), np.arange(100.0)[:, None]
    original = Original.of(rules, values, np.ones(100))
    found = original.compare(rules, values)
    assert (found.splits.tolist(), found.places.tolist(), found.rules.tolist()) == ([0], [40.0], [0, 1])
    assert found.overlaps.tolist() == [1.0, 1.0]
    assert np.array_equal(found.effects[0], original.effects()[0])


def test_categories_may_have_other_numbers():
    codes = np.arange(100) % 4
    one, other = of_levels([0.0, 1.0, 2.0, 3.0], 1.5), of_levels([5.0, 4.0, -3.0, -2.0], 3.0)
    original = Original.of(one, np.array([0.0, 1.0, 2.0, 3.0])[codes][:, None], np.ones(100))
    found = original.compare(other, np.array([5.0, 4.0, -3.0, -2.0])[codes][:, None])
    # The groups are the same, and what was the lower one is now the higher one.
    assert (found.splits.tolist(), found.rules.tolist()) == ([0], [1, 0])
    assert np.isnan(found.places).all()
    assert original.effects()[0].tolist() == [0.0, 0.0, 10.0, 10.0]
    assert found.effects[0].tolist() == [10.0, 10.0, 0.0, 0.0]


def test_categories_may_have_an_input_each_in_one_of_the_models():
    codes = np.arange(100) % 4
    one = of_levels([0.0, 1.0, 2.0, 3.0], 2.5)
    inputs = [
        Variable(f"x={level}", FuzzyPartition([0.5], (0.0, 1.0), 0.0)).of(LevelSource.indicator("x", LEVELS, level))
        for level in "cd"
    ]
    other = RuleBase(inputs, [[[0, 1], [0, 0]], [[0, 1], [1, 1]]], [[1.0, 0.0, 0.0], [9.0, 0.0, 0.0]])
    original = Original.of(one, codes[:, None].astype(float), np.ones(100))
    found = original.compare(other, np.column_stack([codes == 2, codes == 3]).astype(float))
    assert (found.splits.tolist(), found.rules.tolist()) == ([0], [0, 1])
    assert found.effects[0].tolist() == [1.0, 1.0, 1.0, 9.0]


def test_dates_may_be_counted_from_another_day():
    def of_days(start, split):
        source = CycleSource("day", "day of year", start)
        x = Variable("season", FuzzyPartition([split], (0.0, 366.0), 0.0)).of(source)
        return RuleBase([x], [[[0, 0]], [[1, 1]]], [[0.0, 0.0], [10.0, 0.0]])

    days = np.arange(300.0)
    original = Original.of(of_days(0.0, 120.0), days[:, None], np.ones(300))
    found = original.compare(of_days(350.0, 130.0), ((days - 350.0) % 366.0)[:, None])
    assert found.splits.tolist() == [0]
    assert found.places[0] == pytest.approx(114.0, abs=0.51)


def test_an_input_that_the_other_does_not_know_has_no_effect_there():
    original = Original.of(of_numbers(40.0, 1.0), np.arange(100.0)[:, None], np.ones(100))
    z = Variable("z", FuzzyPartition([], (0.0, 1.0)))
    found = original.compare(RuleBase([z], [[[0, 0]]], [[3.0, 0.0]]), np.zeros((100, 1)))
    assert (found.splits.tolist(), found.rules.tolist()) == ([-1], [-1, -1])
    assert set(found.effects[0].tolist()) == {3.0}
    assert not found.uses["z"].at_all
    stability = stability_of(original, [found, found], [1.0, 1.0], 80)
    assert stability.inputs.set_index("input").loc["x", "refits_with_effect"] == 0
    assert "The split of x at 40 came back in none of 2 refits." in str(stability)


def test_rules_without_splits_are_told():
    x = Variable("x", FuzzyPartition([], (0.0, 1.0)))
    rules, values = RuleBase([x], [[[0, 0]]], [[3.0, 2.0]]), np.linspace(0.0, 1.0, 50)[:, None]
    original = Original.of(rules, values, np.ones(50))
    stability = stability_of(original, [original.compare(rules, values)] * 2, [0.0, 0.0], 40)
    assert np.isnan(stability.split_share)
    assert stability.splits.empty
    assert "Splits" not in str(stability)
    assert "Rule 1 came back in 2 of 2 refits." in str(stability)


def test_a_notebook_shows_tables():
    x = Variable("<b>x</b>", FuzzyPartition([40.0], (0.0, 100.0), 0.0))
    rules = RuleBase([x], [[[0, 0]], [[1, 1]]], [[0.0, 0.0], [10.0, 0.0]], target_unit="<i>")
    original = Original.of(rules, np.arange(100.0)[:, None], np.ones(100))
    shown = stability_of(original, [original.compare(rules, original.values)] * 2, [1.0, 2.0], 80)._repr_html_()
    assert shown.count("<table") == 3
    assert "&lt;b&gt;x&lt;/b&gt;" in shown
    assert "<b>" not in shown
    assert "<i>" not in shown
    assert repr(stability_of(original, [original.compare(rules, original.values)] * 2, [1.0, 2.0], 80)) == (
        "<Stability: 2 rules, 2 refits on 80 rows each>"
    )
