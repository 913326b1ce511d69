"""The printed rules are the model: a reader who computes from the text alone gets its predictions."""

import re

import numpy as np
import pandas as pd
import pytest
from helpers.pencil_reader import Reader, readable_rows

from fruler import FuzzyRuleRegressor
from fruler.data import load_example
from fruler.explain._story import story_of
from fruler.explain._told import told
from fruler.explain.text import rules_text
from fruler.rules import Curve, FuzzyPartition, RuleBase, Variable


def mixed(seed=0, n_rows=1500):
    """Return a table with a jump, a bend, categories that act more strongly in one half, a count and a switch."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.uniform(18.0, 80.0, n_rows),
            "size": rng.gamma(4.0, 25.0, n_rows).round(1),
            "colour": rng.choice(["red", "green", "blue", "grey"], n_rows),
            "rooms": rng.integers(1, 9, n_rows),
            "garden": rng.integers(0, 2, n_rows),
            "noise": rng.normal(size=n_rows),
        }
    )
    colours = frame["colour"].map({"red": 0.0, "green": 4.0, "blue": 9.0, "grey": -3.0})
    old = frame["age"] > 45.0
    y = 30.0 + 0.2 * frame["size"] + np.where(old, 3.0, 1.0) * colours + 2.0 * frame["garden"] + 1.5 * frame["rooms"]
    y += np.where(old, 20.0 - 0.5 * (frame["age"] - 45.0), 0.6 * (frame["age"] - 45.0)) + rng.normal(0.0, 3.0, n_rows)
    return frame, y.rename("price")


def in_percent(seed=0):
    frame, y = mixed(seed)
    return frame, np.exp(y / 40.0).rename("price")


TABLES = {
    "mixed": lambda: (*mixed(), {}),
    "mixed in percent": lambda: (*in_percent(), {"link": "log"}),
    "clipped": lambda: (*mixed(1), {"extrapolation": "clip"}),
    "weather": lambda: (load_example("weather").data, load_example("weather").target, {}),
    "mv": lambda: (load_example("mv").data, load_example("mv").target, {}),
}


@pytest.fixture(scope="module", params=TABLES)
def fitted(request):
    X, y, options = TABLES[request.param]()
    return FuzzyRuleRegressor(random_state=0, **options).fit(X, y).rule_base_, X


def test_a_reader_with_a_pencil_gets_the_predictions(fitted):
    rules, X = fitted
    values = rules.inputs_of(X[:400])
    reader = Reader(rules_text(rules, width=100, table=False))
    rows = readable_rows(rules, values)
    weights = rules.inference.activations(values)[0]
    np.testing.assert_allclose([reader.weights(row) for row in rows], weights, atol=0.03)
    found = np.array([reader.predict(row) for row in rows])
    typical = max(rules.background.misses[0], 0.02 * rules.background.spread)
    missed = np.abs((np.log(found) if reader.is_log else found) - rules.inference.raw_predictions(values)) / typical
    alone = weights.max(axis=1) > 0.999
    assert np.quantile(missed[alone], 0.9) < 0.1
    assert missed[alone].max() < 0.5
    assert missed.max() < 0.5


def test_no_effect_is_told_twice(fitted):
    rules, _ = fitted
    lines = [line for line in rules_text(rules, width=10_000, table=False).splitlines() if re.match(r"  \S+: ", line)]
    assert len(set(lines)) == len(lines)


def test_the_table_has_the_cells_of_the_list(fitted):
    rules, _ = fitted
    page = told(rules)
    if page.is_formula:
        return
    table = rules_text(rules, width=10_000, table=True).replace("\xa0", " ")
    for effect in page.own:
        assert effect.is_list or effect.head.replace("\xa0", " ") in table
    assert all(f"{head}: {text}".replace("\xa0", " ") in table for head, text in page.lists.items())


def test_slope_and_curve_are_one_effect():
    x = Variable("x", FuzzyPartition([], (0.0, 10.0)))
    bend = Curve(0, FuzzyPartition([5.0], (0.0, 10.0), 0.0), [[0.0, 3.0], [15.0, 0.0]])
    rules = RuleBase([x], [[[0, 0]]], [[1.0, -1.0]], curves=[bend])
    (effect,) = told(rules).effects
    assert effect.cells[0].replace("\xa0", " ") in ("0 at 0 · +10 at 5 · +5 at 10", "-10 at 0 · 0 at 5 · -5 at 10")


def test_only_categories_with_rows_are_told():
    X, y = mixed()
    X = X[(X["colour"] != "grey") | (X["age"] > 60.0)]
    rules = FuzzyRuleRegressor(random_state=0).fit(X, y[X.index]).rule_base_
    rows = rules.background.level_rows(next(feature for feature in rules.features if feature.has_levels))
    assert rows.sum() == pytest.approx(len(X), rel=0.01)
    for effect in told(rules).effects:
        for rule, cell in enumerate(effect.cells):
            if effect.name == "colour" and not effect.is_shared and "grey" in cell:
                assert rows[rule, [text for text, _ in rules.features[2].options].index("grey")] > 0.5


def test_small_effects_are_named_once_with_their_size():
    rng = np.random.default_rng(0)
    X = rng.uniform(0.0, 1.0, (400, 3))
    inputs = [Variable(name, FuzzyPartition([], (0.0, 1.0))) for name in "abc"]
    line = RuleBase(inputs, [[[0, 0]] * 3], [[1.0, 10.0, 0.01, -0.02]])
    page = told(line.with_training(X, line.predict(X) + rng.normal(0.0, 1.0, 400)))
    assert [effect.name for effect in page.effects] == ["a"]
    assert any(note.startswith("Small in every rule (at most 0.0") and note.endswith(": b, c") for note in page.notes)


def test_values_are_told_by_values():
    X, y = mixed()
    y = y + np.where(X["rooms"] >= 5, 30.0 - 8.0 * X["garden"] * X["rooms"], 0.0)
    text = rules_text(FuzzyRuleRegressor(random_state=0).fit(X, y).rule_base_, width=200, table=False)
    assert "rooms 1 to 4" in text or "rooms 5 to 8" in text or "garden = " in text
    assert "garden is low" not in text
    assert "e+" not in text


def test_the_story_names_what_matters_and_what_differs(fitted):
    rules, _ = fitted
    first = story_of(rules)[0]
    assert re.search(r" matters? most: on average, \S+ (rises|falls) by ", first)


def test_printing_a_fitted_estimator_prints_its_rules():
    X, y = mixed()
    model = FuzzyRuleRegressor(random_state=0, max_rules=2)
    assert str(model) == repr(model)
    model.fit(X, y)
    assert str(model) == str(model.rule_base_)
    assert repr(model).startswith("FuzzyRuleRegressor(")
