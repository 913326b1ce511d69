"""Inputs that stand for categories: where they are split, and what becomes of their offsets."""

import numpy as np
import pandas as pd
import pytest
from helpers.levels import level_offsets

from fruler import FuzzyRuleRegressor
from fruler.explain._effects import accepted_levels

NAMES = ["a", "b", "c", "d", "e"]
OFFSETS = dict(zip(NAMES, [0.0, 1.0, 4.0, 6.0, 9.0], strict=True))


@pytest.fixture(scope="module")
def table():
    """Two of five categories turn the slope of a number round."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"kind": rng.choice(NAMES, 600), "size": rng.uniform(-1.0, 1.0, 600)})
    turned = table["kind"].isin(["d", "e"])
    y = table["kind"].map(OFFSETS) + np.where(turned, -3.0, 3.0) * table["size"] + 0.1 * rng.normal(size=600)
    return table, y


@pytest.fixture(scope="module")
def model(table):
    return FuzzyRuleRegressor(random_state=0).fit(*table)


def kind_of(rules):
    return next(feature for feature in rules.features if feature.name == "kind")


def test_a_rule_holds_for_a_set_of_categories(model):
    rules = model.rule_base_
    assert rules.n_rules == 2
    sets = [accepted_levels(rules, rule, kind_of(rules)) for rule in range(2)]
    assert sorted(map(sorted, sets)) == [["a", "b", "c"], ["d", "e"]]
    assert "if kind is d or e" in str(rules)


def test_categories_do_not_overlap_and_have_no_curve(model):
    [kind] = [variable for variable in model.rule_base_.variables if variable.name == "kind"]
    assert kind.partition.fuzziness == (0.0,)
    numbers = sorted(kind.source.values)
    [split] = kind.partition.split_points
    below = sum(number < split for number in numbers)
    assert split == pytest.approx((numbers[below - 1] + numbers[below]) / 2.0)
    assert "kind" not in [model.rule_base_.names[curve.input] for curve in model.rule_base_.curves]


def test_each_category_has_its_offset(model, table):
    X, y = table
    said = {}
    for rule in range(2):
        offsets = level_offsets(model.rule_base_, rule, kind_of(model.rule_base_))
        intercept = model.rule_base_.consequents.intercepts[rule]
        said |= {level: intercept + offset for level, offset in offsets.items()}
    assert said == {level: pytest.approx(offset, abs=0.15) for level, offset in OFFSETS.items()}
    assert np.sqrt(np.mean((model.predict(X) - y) ** 2)) < 0.13


def test_a_rule_of_one_category_has_its_offset_in_the_intercept():
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"kind": rng.choice(["u", "v"], 300), "size": rng.uniform(-1.0, 1.0, 300)})
    y = np.where(table["kind"] == "u", 2.0 + table["size"], 5.0 - table["size"]) + 0.05 * rng.normal(size=300)
    rules = FuzzyRuleRegressor(random_state=0).fit(table, y).rule_base_
    assert rules.n_rules == 2
    number = rules.names.index("kind")
    assert not rules.consequents.slopes[:, number].any()
    assert sorted(rules.consequents.intercepts) == pytest.approx([2.0, 5.0], abs=0.05)


def test_a_category_that_says_nothing_is_left_out():
    rng = np.random.default_rng(2)
    table = pd.DataFrame({"kind": rng.choice([f"k{k}" for k in range(40)], 400), "size": rng.uniform(size=400)})
    y = 3.0 * table["size"] + rng.normal(size=400)
    model = FuzzyRuleRegressor(random_state=0).fit(table, y)
    assert not model.rule_base_.looks_at.any()
    # What is left of noise is small beside it.
    offsets = level_offsets(model.rule_base_, 0, kind_of(model.rule_base_))
    assert np.std(list(offsets.values()) or [0.0]) < 0.25
