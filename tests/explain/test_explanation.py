import json

import numpy as np
import pandas as pd
import pytest

from fruler import FRULERRegressor, FuzzyRuleRegressor
from fruler.data import load_example
from fruler.explain.importance import input_importance, rule_importance
from fruler.rules import FuzzyPartition, RuleBase, Variable


@pytest.fixture(scope="module")
def weather():
    return load_example("weather")


@pytest.fixture(scope="module", params=["growth", "paper"])
def model(weather, request):
    model = FRULERRegressor(max_evaluations=60) if request.param == "paper" else FuzzyRuleRegressor()
    return model.set_params(random_state=0).fit(weather.data, weather.target)


def test_base_and_parts_sum_to_the_prediction(model, weather, rng):
    beyond = weather.data + rng.normal(size=weather.data.shape) * 3.0 * weather.data.std().to_numpy()
    for X in (weather.data, beyond):
        why = model.explain(X)
        gap = why.base + why.contributions.sum(axis=1) - model.predict(X)
        assert np.abs(gap).max() <= 1e-9 * weather.target.std()


def test_the_base_is_the_mean_prediction(model, weather):
    why = model.explain(weather.data)
    assert why.base == pytest.approx(model.predict(weather.data).mean(), rel=1e-12)
    np.testing.assert_allclose(why.contributions.mean(axis=0), 0.0, atol=1e-9)


def test_many_rows_keep_the_base(rng):
    X = rng.uniform(size=(3_000, 3))
    y = np.where(X[:, 0] < 0.5, X[:, 1], -2.0 * X[:, 1])
    model = FuzzyRuleRegressor(random_state=0).fit(X, y)
    why = model.explain(X)
    assert why.base == pytest.approx(model.predict(X).mean(), rel=1e-12)
    assert np.abs(why.base + why.contributions.sum(axis=1) - model.predict(X)).max() < 1e-9 * y.std()
    np.testing.assert_allclose(why.contributions.mean(axis=0), 0.0, atol=0.05 * y.std())


def test_weights_are_those_of_the_rules(model, weather):
    why = model.explain(weather.data)
    activations, fired = model.rule_base_.activations(weather.data)
    np.testing.assert_array_equal(why.activations, activations)
    np.testing.assert_array_equal(why.fired, fired)


def test_rows_outside_the_training_data_are_flagged(model, weather):
    row = weather.data[:2].copy()
    row.loc[1, "humidity"] = 101.0
    why = model.explain(row)
    assert why.outside.sum() == 1
    assert why.outside[1, list(weather.data.columns).index("humidity")]
    assert "outside the training data: humidity" in str(why[1])
    assert "outside" not in str(why[0])


def test_labels_are_the_ones_that_fit_best(model, weather):
    labels = model.explain(weather.data).labels()
    variables = {variable.name: variable.partition for variable in model.rule_base_.variables}
    assert list(labels.columns) == [name for name, partition in variables.items() if partition.n_labels > 1]
    for name in labels:
        degrees = variables[name].degrees(weather.data[name])
        chosen = [variables[name].labels.index(label) for label in labels[name]]
        np.testing.assert_array_equal(degrees[np.arange(len(degrees)), chosen], degrees.max(axis=1))


def test_a_row_of_its_own(model, weather):
    why = model.explain(weather.data[:4])
    assert len(why) == 4
    assert [one.predictions[0] for one in why] == why.predictions.tolist()
    assert why[-1].predictions[0] == why.predictions[3]
    with pytest.raises(IndexError, match="4 rows"):
        why[4]


def test_the_table_has_everything(model, weather):
    frame = model.explain(weather.data[:3]).to_frame()
    adds = frame[[f"{name} adds" for name in weather.data.columns]]
    np.testing.assert_allclose(frame["base"] + adds.sum(axis=1), frame["prediction"], atol=1e-9)
    weights = frame[[f"weight of rule {r + 1}" for r in range(model.n_rules_)]]
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)


def test_dictionaries_are_json(model, weather):
    [row, _] = json.loads(json.dumps(model.explain(weather.data[:2]).to_dict()))
    assert row["base"] + sum(row["adds"].values()) == pytest.approx(row["prediction"], abs=1e-9)
    assert sum(row["rules"].values()) == pytest.approx(1.0)
    sizes = [abs(part) for part in row["adds"].values()]
    assert sizes == sorted(sizes, reverse=True)


def test_the_text_adds_up():
    X = np.column_stack([np.linspace(0.0, 10.0, 11), np.tile([1.0, 3.0], 6)[:11]])
    line = RuleBase(
        [Variable("hours", FuzzyPartition([], (0, 10)), "h"), Variable("staff", FuzzyPartition([], (1, 3)))],
        [[[0, 0], [0, 0]]],
        [[1.0, 2.0, -1.0]],
        target_name="cost",
        target_unit="€",
    ).with_training(X, X @ [2.0, -1.0] + 1.0)
    assert str(line.explain([[8.0, 3.0]])) == (
        "cost = 14.00 €\n   9.09  mean prediction\n  +6.00  hours = 8 h\n  -1.09  staff = 3\n  by rule 1 (100%)"
    )


def test_many_rows_are_not_all_printed(model, weather):
    text = str(model.explain(weather.data))
    assert text.endswith("... and 725 more rows; explanation[i] shows one")


def test_rules_without_training_data_say_so():
    line = RuleBase([Variable("x", FuzzyPartition([], (0, 1)))], [[[0, 0]]], [[1.0, 2.0]])
    with pytest.raises(ValueError, match="with_training"):
        line.explain([[1.0]])
    with pytest.raises(ValueError, match="with_training"):
        input_importance(line)
    with pytest.raises(ValueError, match="3 rows"):
        line.with_training([[1.0], [2.0], [3.0]], [1.0, np.nan, 2.0])


def test_importance_of_inputs(model, weather):
    table = input_importance(model.rule_base_)
    assert table["share"].sum() == pytest.approx(1.0)
    assert table["moves"].is_monotonic_decreasing
    parts = np.abs(model.explain(weather.data).contributions).mean(axis=0)
    expected = dict(zip(weather.data.columns, parts, strict=True))
    for name, moves in zip(table["input"], table["moves"], strict=True):
        assert moves == pytest.approx(expected[name], rel=1e-9)
    shares = dict(zip(table["input"], table["share"], strict=True))
    np.testing.assert_allclose(model.feature_importances_, [shares[name] for name in weather.data.columns])


def test_importance_of_rules_is_weighted_by_support():
    """Both rules are as far from the mean, but one fires three times as often."""
    x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0), 0.0))
    rules = RuleBase([x], [[[0, 0]], [[1, 1]]], [[0.0, 0.0], [4.0, 0.0]])
    X = np.array([[0.1], [0.2], [0.3], [0.9]])
    table = rule_importance(rules.with_training(X, rules.predict(X)))
    # The mean prediction is 1: three rows of four are 1 below, one is 3 above.
    assert dict(zip(table["rule"], table["moves"], strict=True)) == {1: pytest.approx(0.75), 2: pytest.approx(0.75)}
    np.testing.assert_allclose(rules.with_training(X, rules.predict(X)).support, [0.75, 0.25])


def test_another_model_of_the_front_explains_itself(model, weather):
    other = model.with_rules(model.pareto_["rules"].iloc[0])
    why = other.explain(weather.data)
    assert why.activations.shape[1] == other.n_rules_
    assert np.abs(why.base + why.contributions.sum(axis=1) - other.predict(weather.data)).max() < 1e-9


def test_weighted_rows_count_in_the_summary(rng):
    X, y = rng.uniform(size=(60, 2)), rng.uniform(size=60)
    weight = np.where(X[:, 0] < 0.5, 3.0, 1.0)
    training = FuzzyRuleRegressor(random_state=0, max_rules=1).fit(X, y, sample_weight=weight).rule_base_.training
    assert training.target_mean == pytest.approx(np.average(y, weights=weight))
    assert training.histograms[0, :12].sum() > 2.0 * training.histograms[0, 12:].sum()


def test_the_summary_remembers_the_data(model, weather):
    training = model.rule_base_.training
    assert training.n_rows == len(weather.data)
    np.testing.assert_array_equal(training.low, weather.data.min())
    np.testing.assert_array_equal(training.high, weather.data.max())
    np.testing.assert_array_equal(training.typical, pd.DataFrame(weather.data).quantile(0.5, interpolation="lower"))
    assert (training.histograms.sum(axis=1) == len(weather.data)).all()
    residuals = model.predict(weather.data) - weather.target
    assert training.rmse == pytest.approx(np.sqrt(np.square(residuals).mean()))
    chosen = model.pareto_[model.pareto_["rules"] == model.n_rules_]
    if chosen["cv_error"].notna().all():
        assert training.cv_rmse == pytest.approx(np.sqrt(2.0 * chosen["cv_error"].iloc[0]))


def test_a_summary_of_another_rule_base_is_refused(model):
    line = RuleBase([Variable("x", FuzzyPartition([], (0, 1)))], [[[0, 0]]], [[1.0, 2.0]])
    with pytest.raises(ValueError, match="1 inputs and 1 rules"):
        RuleBase(line.variables, line.antecedents, line.consequents, training=model.rule_base_.training)


def test_a_column_that_no_rule_uses_may_be_absent_and_lies_nowhere_outside():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.uniform(5.0, 6.0, 50), "b": rng.uniform(5.0, 6.0, 50)})
    x = Variable("a", FuzzyPartition([], (5.0, 6.0)))
    rules = RuleBase([x, Variable("b", FuzzyPartition([], (5.0, 6.0)))], [[[0, 0], [0, 0]]], [[1.0, 2.0, 0.0]])
    rules = rules.with_training(X, rules.predict(X))
    explained = rules.explain(X[["a"]][:3])
    np.testing.assert_allclose(explained.predictions, rules.predict(X[:3]))
    assert not explained.outside.any()
    assert "missing" not in str(explained)
