"""Units and label names: where they come from, and what keeps them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError

from fruler import FuzzyRuleRegressor, load_model
from fruler.data import load_example

WEATHER = load_example("weather")
INPUT, TARGET = "max_temperature_before", WEATHER.target_name
UNITS = {INPUT: "°C", TARGET: "°C", "nothing": "m"}


@pytest.fixture(scope="module")
def table():
    table = WEATHER.data.assign(**{TARGET: WEATHER.target})[::4]
    table.attrs["units"] = UNITS
    return table


@pytest.fixture(scope="module")
def fitted(table):
    return FuzzyRuleRegressor(random_state=0, max_rules=3).fit(table.drop(columns=TARGET), table[TARGET])


def units_of(model):
    rules = model.rule_base_
    return rules.variables[rules.names.index(INPUT)].unit, rules.target_unit


def test_a_frame_knows_its_units(table, fitted):
    assert units_of(fitted) == ("°C", "°C")
    assert [one.unit for one in fitted.rule_base_.variables if one.name != INPUT] == [""] * 7
    # The target's own, where the inputs know nothing of it.
    X, y = table[[INPUT]], table[TARGET]
    X.attrs, y.attrs = {}, {"units": {TARGET: "K"}}
    assert units_of(FuzzyRuleRegressor(max_rules=1).fit(X, y)) == ("", "K")


@pytest.mark.parametrize("units", ["metric", {1: "m"}, {INPUT: 3}, None])
def test_what_is_no_unit_is_left_alone(table, units):
    X, y = table[[INPUT]].copy(), table[TARGET].copy()
    X.attrs, y.attrs = {"units": units}, {}
    assert units_of(FuzzyRuleRegressor(max_rules=1).fit(X, y)) == ("", "")


def test_columns_of_dates_and_categories_have_no_unit():
    X = pd.DataFrame({"kind": list("ab") * 20, "day": pd.date_range("2024-01-01", periods=40)})
    X.attrs["units"] = {"kind": "m", "day": "m"}
    model = FuzzyRuleRegressor(max_rules=2).fit(X, np.arange(40.0))
    assert "m" not in [one.unit for one in model.rule_base_.variables]


def test_a_method_gives_names_and_leaves_the_model_as_it_was(table, fitted):
    rules = fitted.rule_base_
    divided = rules.names[rules.antecedent_inputs[0]]
    first = rules.variables[rules.antecedent_inputs[0]].partition.labels[0]
    named = fitted.with_names(units={INPUT: "K"}, labels={divided: {first: "cold"}})
    assert units_of(named) == ("K", "°C")
    assert "cold" in named.rules_[f"if {divided}"].iloc[0]
    assert fitted.rule_base_ is rules
    X = table.drop(columns=TARGET)
    np.testing.assert_array_equal(named.predict(X), fitted.predict(X))
    with pytest.raises(ValueError, match="There is no input 'wind'"):
        fitted.with_names(units={"wind": "m/s"})
    with pytest.raises(ValueError, match="There is no label 'lukewarm'"):
        fitted.with_names(labels={divided: {"lukewarm": "x"}})
    with pytest.raises(NotFittedError):
        FuzzyRuleRegressor().with_names()


def test_names_survive_other_sizes_files_and_a_warm_start(table, fitted, tmp_path):
    rules = fitted.rule_base_
    divided = rules.names[rules.antecedent_inputs[0]]
    place = rules.antecedent_inputs[0]
    first = rules.variables[place].partition.labels[0]
    X, y = table.drop(columns=TARGET), table[TARGET]
    X.attrs, y.attrs = {}, {}
    model = FuzzyRuleRegressor(random_state=0, max_rules=3, warm_start=True).fit(X, y)
    assert units_of(model) == ("", "")
    named = model.with_names(units={INPUT: "K", TARGET: "K"}, labels={divided: {first: "cold"}})
    named.save(tmp_path / "m.json")
    for other in (named.with_rules(2), load_model(tmp_path / "m.json"), named.set_params(max_rules=4).fit(X, y)):
        assert units_of(other) == ("K", "K")
        partition = other.rule_base_.variables[place].partition
        assert partition.n_labels == 1 or "cold" in partition.labels
    # Without it a fit starts afresh.
    assert units_of(named.set_params(warm_start=False).fit(X, y)) == ("", "")


def test_categories_called_like_labels_keep_their_own_names():
    rng = np.random.default_rng(0)
    quality = rng.choice(["low", "medium", "high"], 300)
    x = rng.uniform(0, 1, 300)
    y = np.select([quality == "low", quality == "medium"], [5 * x, 5 * x + 0.5], -5 * x) + rng.normal(0, 0.2, 300)
    model = FuzzyRuleRegressor(random_state=0).fit(pd.DataFrame({"quality": quality, "x": x}), y)
    for size in model.pareto_["rules"]:
        other = model.with_rules(size)
        plain = FuzzyRuleRegressor(random_state=0).fit(pd.DataFrame({"quality": quality, "x": x}), y)
        plain._take(next(point for point in plain._front if point.rule_base.n_rules == size), plain._sample)
        assert other.rule_base_.variables[0].partition == plain.rule_base_.variables[0].partition


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_columns_that_the_model_does_not_know_are_ignored(table, fitted, kind):
    X = table.drop(columns=TARGET)
    expected = fitted.predict(X)
    more = X.assign(note="x")
    more.insert(0, "id", np.arange(len(X)))
    if kind == "arrow":
        pa = pytest.importorskip("pyarrow")
        given = pa.Table.from_pandas(more, preserve_index=False)
    else:
        given = pl.DataFrame(more.to_dict("list")) if kind == "polars" else more
    np.testing.assert_array_equal(fitted.predict(given), expected)
    assert len(fitted.explain(given)) == len(X)
    if kind == "pandas":
        np.testing.assert_array_equal(fitted.predict(more.assign(sold=pd.Timestamp("2024-01-01"))), expected)
        with pytest.raises(ValueError, match=f"yet now missing:\n- {INPUT}"):
            fitted.predict(more.drop(columns=INPUT))
        with pytest.raises(ValueError, match="same order"):
            fitted.predict(more[more.columns[::-1]])


def test_unknown_columns_beside_categories(tmp_path):
    X = pd.DataFrame({"kind": list("ab") * 20, "x": np.arange(40.0)})
    model = FuzzyRuleRegressor(max_rules=2).fit(X, X["x"] + (X["kind"] == "a"))
    model.save(tmp_path / "m.json")
    for one in (model, load_model(tmp_path / "m.json")):
        np.testing.assert_array_equal(one.predict(X.assign(note="z")), model.predict(X))
