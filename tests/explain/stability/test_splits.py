"""The splits that rules use."""

import numpy as np
import pytest

from fruler._table.date_sources import CycleSource
from fruler._table.sources import GapSource, LevelSource
from fruler.explain._refit_comparison import splits_of
from fruler.rules import FuzzyPartition, LabelTriangles, OwnTriangles, RuleBase, TrianglePartition, Variable
from fruler.rules._partitions import NominalPartition

ROWS = np.arange(10.0)[:, None]


def told(rule_base, values=ROWS):
    return [(split.subject, split.text) for split in splits_of(rule_base, values)]


def flat(n_rules, n_inputs=1):
    return np.zeros((n_rules, n_inputs + 1))


def test_only_split_points_that_some_rule_uses_count():
    x = Variable("x", FuzzyPartition([2.0, 4.0, 7.0], (0.0, 9.0)))
    rules = RuleBase([x], [[[0, 0]], [[1, 3]], [[0, 2]]], flat(3))
    assert told(rules) == [("x", "at 2"), ("x", "at 7")]


def test_a_value_on_the_split_is_above_it():
    x = Variable("x", FuzzyPartition([4.0], (0.0, 9.0), 0.0))
    (split,) = splits_of(RuleBase([x], [[[0, 0]], [[1, 1]]], flat(2)), ROWS)
    assert (split.place, split.above.tolist()) == (4.0, [False] * 4 + [True] * 6)


def test_splits_that_divide_the_rows_alike_are_one_and_those_that_divide_none_are_none():
    x = Variable("x", FuzzyPartition([4.2, 4.6, 9.5], (0.0, 10.0)))
    rules = RuleBase([x], [[[0, 0]], [[1, 1]], [[2, 2]], [[3, 3]]], flat(4))
    assert told(rules) == [("x", "at 4.2")]


def test_places_are_written_in_the_units_of_the_input():
    season = CycleSource("day", "day of year", 0.0)
    day = Variable("season", FuzzyPartition([59.0], (0.0, 366.0))).of(season)
    size = Variable("size", FuzzyPartition([1234.0], (0.0, 2000.0)), unit="m²")
    rules = RuleBase([day, size], [[[0, 0], [0, 1]], [[1, 1], [0, 0]], [[1, 1], [1, 1]]], flat(3, 2))
    values = np.column_stack([np.linspace(0, 360, 10), np.linspace(0, 2000, 10)])
    assert told(rules, values) == [("season", "at 29 Feb"), ("size", "at 1,234 m²")]


def test_categories_are_split_into_groups():
    origin = LevelSource("origin", ["usa", "japan", "europe"], [0.0, 8.0, 5.0])
    x = Variable("origin", FuzzyPartition([3.0], (0.0, 9.0), 0.0)).of(origin)
    (split,) = splits_of(RuleBase([x], [[[0, 0]], [[1, 1]]], flat(2)), np.array([[0.0], [5.0], [8.0]]))
    assert (split.text, split.ordered) == ("into usa and europe or japan", False)
    many = LevelSource("origin", list("abcdefgh"), list(range(8)))
    x = Variable("origin", FuzzyPartition([1.5], (0.0, 7.0), 0.0)).of(many)
    rules = RuleBase([x], [[[0, 0]], [[1, 1]]], flat(2))
    assert told(rules, np.arange(8.0)[:, None]) == [("origin", "into a or b and 6 others")]


def test_an_input_of_one_category_is_a_split_of_its_column():
    fuel = LevelSource.indicator("fuel", ["gas", "oil", "sun"], "oil")
    x = Variable("fuel=oil", FuzzyPartition([0.5], (0.0, 1.0))).of(fuel)
    rules = RuleBase([x], [[[0, 0]], [[1, 1]]], flat(2))
    assert told(rules, np.array([[0.0], [1.0]])) == [("fuel", "into oil and the others")]


def test_gaps_are_split_into_no_and_yes():
    gap = Variable("size is missing", FuzzyPartition([0.5], (0.0, 1.0))).of(GapSource("size"))
    rules = RuleBase([gap], [[[0, 0]], [[1, 1]]], flat(2))
    assert told(rules, np.array([[0.0], [1.0]])) == [("size is missing", "into no and yes")]


def test_groups_of_categories_are_one_split_whichever_is_named_first():
    colour = Variable("colour", NominalPartition([[0], [1], [2]], labels=["red", "green", "blue"]))
    rules = RuleBase([colour], [[[0, 0]], [[1, 2]]], flat(2))
    assert told(rules, np.array([[0.0], [1.0], [2.0]])) == [("colour", "into red and the others")]


@pytest.mark.parametrize("own", [True, False])
def test_triangles_are_split_where_their_degree_is_half(own):
    points = [(-np.inf, 0.0, 4.0), (0.0, 4.0, np.inf)]
    if own:
        x = Variable("x", FuzzyPartition([], (0.0, 9.0)))
        antecedents = OwnTriangles(np.array(points)[:, None], [x])
    else:
        x = Variable("x", TrianglePartition(points, (0.0, 9.0)))
        antecedents = LabelTriangles([[0], [1]], [x])
    assert told(RuleBase([x], antecedents, flat(2))) == [("x", "at 2")]


def test_a_formula_has_no_split():
    x = Variable("x", FuzzyPartition([], (0.0, 9.0)))
    assert told(RuleBase([x], [[[0, 0]]], flat(1))) == []
