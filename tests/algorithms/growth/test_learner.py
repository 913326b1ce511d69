"""The learner: the front, the rows it works on, and its limits of time and evaluations."""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

from fruler import FuzzyRuleRegressor
from fruler.algorithms.growth import learner, split_search


def table(n_rows=300, seed=0):
    X, y = make_friedman1(n_rows, 5, noise=1.0, random_state=seed)
    return X * [1.0, 10.0, 1e3, 1e-3, 1.0] + [0.0, 5.0, -1e3, 0.0, 7.0], 100.0 + 5.0 * y


@pytest.fixture(scope="module")
def fitted():
    X, y = table()
    return FuzzyRuleRegressor(random_state=0).fit(X, y), X, y


def half_error(model, X, y):
    return np.mean(np.square(y - model.predict(X))) / 2.0


def test_the_front_has_every_size_and_the_chosen_one_among_them(fitted):
    model, _, _ = fitted
    rules = model.pareto_["rules"]
    assert rules.tolist() == list(range(1, len(rules) + 1))
    assert model.n_rules_ in rules.tolist()
    assert model.n_rules_ > 1
    assert model.with_rules(model.n_rules_).rule_base_ == model.rule_base_
    assert model.history_["n_rules"].tolist() == rules.tolist()


def test_errors_of_the_front_are_those_of_its_models(fitted):
    model, X, y = fitted
    for _, point in model.pareto_.iterrows():
        smaller = model.with_rules(int(point["rules"]))
        assert smaller.n_rules_ == point["rules"]
        assert half_error(smaller, X, y) == pytest.approx(point["error"], rel=1e-6)
        assert smaller.rule_base_.n_coefficients == point["coefficients"]
        assert smaller.rule_base_.support.sum() == pytest.approx(1.0)
        np.testing.assert_allclose(
            smaller.rule_base_.support, smaller.rule_base_.activations(X)[0].mean(axis=0), atol=1e-9
        )
    # Validation is on rows that were left out.
    assert (model.pareto_["cv_error"] > model.pareto_["error"]).all()


def test_no_larger_size_than_the_best_by_validation_is_chosen(fitted):
    model, _, _ = fitted
    errors = model.pareto_.set_index("rules")["cv_error"]
    assert model.n_rules_ <= errors.idxmin()
    assert errors[model.n_rules_] <= 1.05 * errors.min()


def test_weights_count_in_the_errors_of_the_front():
    X, y = table()
    weight = np.random.default_rng(0).integers(0, 4, len(y)).astype(float)
    model = FuzzyRuleRegressor(random_state=0, max_rules=4).fit(X, y, sample_weight=weight)
    for _, point in model.pareto_.iterrows():
        left = y - model.with_rules(int(point["rules"])).predict(X)
        assert weight @ np.square(left) / weight.sum() / 2.0 == pytest.approx(point["error"], rel=1e-6)
    assert set(model.sample_indices_) == set(np.flatnonzero(weight))


def test_with_few_evaluations_the_criterion_chooses():
    X, y = table()
    model = FuzzyRuleRegressor(random_state=0, max_evaluations=100).fit(X, y)
    assert model.pareto_["cv_error"].isna().all()
    assert model.n_evaluations_ <= 100
    chosen = model.history_["best_fitness"].argmin() + 1
    assert model.n_rules_ == chosen
    assert model.regularization_ == split_search.DEFAULT_RIDGE


def test_with_more_evaluations_rows_are_parted_once():
    X, y = table()
    model = FuzzyRuleRegressor(random_state=0, max_evaluations=150).fit(X, y)
    assert model.pareto_["cv_error"].notna().all()


@pytest.mark.parametrize("most", [1, 30, 400, 2_000])
def test_evaluations_are_never_exceeded(most):
    X, y = table()
    assert FuzzyRuleRegressor(random_state=0, max_evaluations=most).fit(X, y).n_evaluations_ <= most


def test_a_regularization_that_is_given_is_used():
    X, y = table()
    model = FuzzyRuleRegressor(random_state=0, regularization=0.3, max_rules=3).fit(X, y)
    assert {model.with_rules(n).regularization_ for n in (1, 2, 3)} == {0.3}


def test_rules_are_grown_on_some_rows_and_fitted_on_all():
    X, y = table(9_000)
    model = FuzzyRuleRegressor(random_state=0, max_rules=3).fit(X, y)
    assert len(model.sample_indices_) == learner.MAX_GROWN_ROWS
    assert (np.diff(model.sample_indices_) > 0).all()
    error = model.pareto_.set_index("rules")["error"][model.n_rules_]
    assert half_error(model, X, y) == pytest.approx(error, rel=1e-6)
    np.testing.assert_allclose(model.rule_base_.support, model.rule_base_.activations(X)[0].mean(axis=0), atol=1e-9)
    # Consequents of all rows: where no slope was left out, no intercept can be bettered on them.
    activations, _ = model.rule_base_.activations(X)
    gradient = activations.T @ (y - model.predict(X)) / len(y)
    np.testing.assert_allclose(gradient, 0.0, atol=1e-5 * y.std())


@pytest.mark.parametrize(("n_rows", "limit"), [(300, 0.1), (300, 0.5), (9_000, 0.5)])
def test_a_time_limit_is_kept(clock, n_rows, limit):
    X, y = table(n_rows)
    clock.tick, start = 0.0005, clock.now
    model = FuzzyRuleRegressor(random_state=0, time_limit=limit).fit(X, y)
    # Afterwards every part of the validation still asks for the time, and begins nothing. How far real time goes over
    # the limit is measured by benchmarks/anytime.py.
    assert 0.5 * limit < clock.now - start < limit + 200 * clock.tick
    assert model.ended_early_
    assert model.score(X, y) > 0.6


def test_threads_change_nothing():
    X, y = table()
    one, two = (FuzzyRuleRegressor(random_state=0, max_rules=4, n_jobs=n).fit(X, y) for n in (1, 2))
    assert one.rule_base_ == two.rule_base_
    assert one.pareto_.equals(two.pareto_)


@pytest.mark.parametrize("weight", [np.eye(60)[3], np.where(np.arange(60) == 3, 1e140, 1e-200)], ids=["one", "huge"])
def test_one_row_that_counts_is_enough(weight):
    X, y = table(60)
    model = FuzzyRuleRegressor(random_state=0).fit(X, y, sample_weight=weight)
    assert model.predict(X)[3] == pytest.approx(y[3])
    assert model.pareto_["cv_error"].isna().all()


@pytest.mark.parametrize("n_values", [2, 3, 200])
def test_an_input_without_floats_between_its_values_is_not_split(n_values):
    rng = np.random.default_rng(0)
    step = np.arange(200) % n_values
    X = np.column_stack([1.0 + step * np.spacing(1.0), rng.normal(size=200)])
    y = np.sin(6.0 * step / n_values) + np.abs(X[:, 1])
    model = FuzzyRuleRegressor(random_state=0).fit(X, y)
    assert model.granularities_[0] == 1
    assert model.granularities_[1] > 1


@pytest.mark.parametrize("rounded", [False, True])
def test_crisp_borders_part_the_same_rows_in_training_and_prediction(rounded):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    X = np.round(6.0 * X) if rounded else X
    y = np.sin(3.0 * X[:, 0] / X[:, 0].std()) + X[:, 2]
    model = FuzzyRuleRegressor(random_state=0, fuzziness=0.0, max_rules=6).fit(X, y)
    assert model.n_rules_ > 2
    for _, point in model.pareto_.iterrows():
        assert half_error(model.with_rules(int(point["rules"])), X, y) == pytest.approx(point["error"], rel=1e-6)
