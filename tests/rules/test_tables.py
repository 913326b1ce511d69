"""Rules and curves as tables, with dates and categories in words."""

import numpy as np
import pandas as pd
import pytest
from helpers.dated_rules import ORIGINS, dated_rules

from fruler._table.sources import LevelSource
from fruler.rules import FuzzyPartition, RuleBase, Variable
from fruler.rules._tables import curves_table, rules_table

RULES = dated_rules()
TABLE = rules_table(RULES)


def test_conditions_are_in_words():
    conditions = TABLE[[name for name in TABLE if name.startswith("if ")]].rename(columns=lambda name: name[3:])
    assert conditions.iloc[0].to_dict() == {
        "day of year": "1 Nov to 20 Feb",
        "weekday": "Monday, Thursday, Wednesday, Tuesday, Saturday or Friday",
        "origin": "europe or japan",
        "fuel=gas": "yes",
        "size": "low",
        "size is missing": "no",
    }
    assert conditions.iloc[1, :4].tolist() == ["20 Feb to 1 Nov", "Sunday", "usa", "no"]


def test_a_rule_that_looks_at_nothing_accepts_anything():
    kind = Variable("kind", FuzzyPartition([0.5], (0.0, 1.0), 0.0)).of(LevelSource("kind", "ab", [0.0, 1.0]))
    rules = RuleBase([kind], [[[0, 1]], [[1, 1]]], [[1.0, 2.0], [3.0, -2.0]])
    table = rules_table(rules)
    assert table["if kind"].tolist() == ["any", "b"]
    assert table["coef kind=a"].tolist()[0] == 0.0
    assert not np.signbit(table["coef kind=a"].iloc[0])


def test_every_category_has_what_it_adds():
    numbers = dict(zip(ORIGINS, [0.5, 1.0, -1.0], strict=True))
    expected = {"europe": [1.0, np.nan], "japan": [2.0, np.nan], "usa": [np.nan, -3.0]}
    for origin in numbers:
        np.testing.assert_array_equal(TABLE[f"coef origin={origin}"], expected[origin])
    assert "coef origin" not in TABLE
    # Inputs of 0 and 1 have one coefficient for their category.
    assert TABLE["coef fuel=gas"].tolist() == [-1.0, 1.5]


def test_slopes_of_dates_say_what_they_count():
    assert TABLE["coef day of year (days since 1 Nov)"].tolist() == [0.02, -0.01]
    assert TABLE["coef sold (years since 2015)"].tolist() == [0.5, 0.5]
    assert "coef size" in TABLE


def test_a_rule_says_what_its_columns_say():
    """The intercept and the coefficients of a row are its output."""
    row = pd.DataFrame(
        {"sold": ["2019-12-24 10:00:00"], "origin": ["japan"], "fuel": ["gas"], "size": [2.0]}
    )  # a Tuesday
    values = RULES.inputs_of(row)[0]
    own = TABLE.iloc[0]
    told = own["intercept"] + own["coef weekday=Tuesday"] + own["coef origin=japan"] + own["coef fuel=gas"]
    told += own["coef sold (years since 2015)"] * values[0] + own["coef day of year (days since 1 Nov)"] * values[1]
    told += own["coef size"] * 2.0
    assert told == pytest.approx(RULES.slopes[0] @ values + RULES.consequents.intercepts[0])


def test_bends_of_dates_are_dates():
    table = curves_table(RULES)
    assert table["value"].tolist() == ["22:00", "02:00", "06:00", "10:00", "22:00"]
    assert table["adds"].dtype == np.float64
