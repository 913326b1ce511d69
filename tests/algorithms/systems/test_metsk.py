"""L-METSK as an estimator."""

import numpy as np
import pandas as pd
import pytest

from fruler import LMETSKRegressor
from fruler._algorithms.systems.grid import GridChromosome
from fruler._algorithms.systems.metsk import L_METSK
from fruler.callbacks import Callback
from fruler.data import make_friedman
from fruler.learning._codec import pack, unpack


@pytest.fixture(scope="module")
def friedman():
    data = make_friedman(300, random_state=1)
    return data.data.to_numpy(), data.target.to_numpy()


@pytest.fixture(scope="module")
def large():
    data = make_friedman(2_600, random_state=1)
    return data.data.to_numpy(), data.target.to_numpy()


def quick(**changes):
    return LMETSKRegressor(**{"random_state": 0, "max_evaluations": 1_500} | changes)


def half_mse(rules, X, y):
    return np.square(rules.predict(X) - y).mean() / 2.0


@pytest.mark.slow
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"consequent": "mean"},
        {"t_norm": "product"},
        {"displacement": 0.0},
        {"crop": "truncate", "max_rules": 20},
        {"max_labels": 3},
    ],
    ids=str,
)
def test_the_front_is_what_its_models_do(friedman, changes):
    X, y = friedman
    model = quick(**changes).fit(X, y)
    front = model.pareto_
    assert front.rules.is_monotonic_increasing
    assert front.error.is_monotonic_decreasing
    assert front.rules.is_unique
    for n_rules, error in zip(front.rules, front.error, strict=True):
        assert half_mse(model.with_rules(int(n_rules)), X, y) == pytest.approx(error, rel=1e-9)
    assert model.n_rules_ == front.rules.iloc[-1] <= changes.get("max_rules", 100)
    assert front.rules.iloc[0] > 1
    assert model.history_.best_error.iloc[-1] == pytest.approx(front.error.iloc[-1], rel=1e-9)
    assert (model.rules_.filter(regex="^coef ") == 0.0).all(axis=None)
    assert model.granularities_.max() <= changes.get("max_labels", 7)


def test_it_learns(friedman):
    X, y = friedman
    model = quick(max_evaluations=4_000).fit(X, y)
    test = make_friedman(1_000, random_state=2)
    assert model.score(test.data.to_numpy(), test.target.to_numpy()) > 0.6
    assert model.history_.n_restarts.iloc[-1] >= 1
    assert list(model.stage_seconds_) == ["grid"]


@pytest.mark.parametrize("max_rules", [1, 2, 7])
def test_the_most_rules_are_kept(friedman, max_rules):
    assert quick(max_rules=max_rules).fit(*friedman).n_rules_ <= max_rules


def test_a_single_rule_says_the_mean(friedman):
    X, y = friedman
    model = quick(max_rules=1).fit(X, y)
    assert model.predict(X) == pytest.approx(y.mean())


def test_rules_look_at_something_even_where_the_mean_is_better():
    rng = np.random.default_rng(0)
    model = quick(max_evaluations=500).fit(rng.random((60, 2)), rng.random(60))
    assert model.n_rules_ > 1


def test_constants_are_outputs_of_rows(friedman):
    X, y = friedman
    model = quick().fit(X, y)
    assert set(model.rules_["intercept"]) <= set(y)


@pytest.mark.parametrize("subset", ["auto", None])
def test_errors_are_full_errors_with_and_without_a_sample(large, subset):
    X, y = large
    model = quick(subset=subset, max_evaluations=1_200).fit(X, y)
    for n_rules, error in zip(model.pareto_.rules, model.pareto_.error, strict=True):
        assert half_mse(model.with_rules(int(n_rules)), X, y) == pytest.approx(error, rel=1e-9)


@pytest.mark.slow
def test_a_sample_leads_to_nearly_the_same_error(large):
    X, y = large
    sampled, whole = (quick(subset=subset, max_evaluations=3_000).fit(X, y) for subset in ("auto", None))
    assert sampled.pareto_.error.iloc[-1] == pytest.approx(whole.pareto_.error.iloc[-1], rel=0.1)


@pytest.mark.parametrize("rows", ["friedman", "large"])
def test_threads_change_nothing(request, rows):
    X, y = request.getfixturevalue(rows)
    alone, together = (quick(n_jobs=n_jobs, max_evaluations=800).fit(X, y) for n_jobs in (1, 3))
    assert alone.rule_base_ == together.rule_base_
    assert alone.pareto_.equals(together.pareto_)


def test_a_search_that_converges_ends_by_itself(friedman):
    X, y = friedman
    model = quick(max_evaluations=None, max_labels=2, displacement=0.0).fit(X, y)
    assert model.history_.threshold.iloc[-1] == 0.0
    assert not model.ended_early_


def test_categories_and_gaps(friedman):
    X, y = friedman
    table = pd.DataFrame(X[:, :3], columns=["a", "b", "c"])
    table["colour"] = np.where(X[:, 3] < 0.3, "red", np.where(X[:, 3] < 0.6, "green", "blue"))
    table.loc[::7, "a"] = np.nan
    model = quick().fit(table, y)
    assert np.isfinite(model.predict(table)).all()
    assert model.score(table, y) > 0.3


@pytest.mark.parametrize(
    "X",
    [np.ones((20, 3)), np.column_stack([np.arange(20.0) % 2] * 3), np.arange(40.0).reshape(20, 2) + 1e15],
    ids=["constant", "two values", "far away"],
)
def test_degenerate_tables(X):
    y = np.arange(20.0)
    model = quick(max_evaluations=200).fit(X, y)
    assert np.isfinite(model.predict(X)).all()


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("max_rules", 0),
        ("max_labels", 1),
        ("displacement", 0.5),
        ("displacement", -0.1),
        ("consequent", "output_label"),
        ("crop", "keep"),
        ("subset", 0.2),
        ("population_size", 1),
        ("max_evaluations", 0),
    ],
)
def test_bad_parameters_are_refused(friedman, parameter, value):
    with pytest.raises(ValueError, match=parameter):
        quick(**{parameter: value}).fit(*friedman)


def test_a_larger_limit_goes_on(friedman):
    X, y = friedman
    model = quick(max_evaluations=600, warm_start=True).fit(X, y)
    longer = model.set_params(max_evaluations=1_500).fit(X, y)
    assert longer.resumed_ > 300
    assert longer.rule_base_ == quick().fit(X, y).rule_base_
    with pytest.raises(ValueError, match="max_evaluations is too small"):
        model.set_params(max_evaluations=100).fit(X, y)


class StopAt(Callback):
    def __init__(self, generation):
        self.generation = generation

    def on_generation(self, progress):
        return progress.generation >= self.generation


def test_the_state_is_packed_to_the_bit(friedman):
    model = quick(warm_start=True, callbacks=StopAt(8)).fit(*friedman)
    state = model._kept.state
    again = unpack(L_METSK.state, *pack(L_METSK.state, state))
    assert [one.chromosome.key for one in again.archive] == [one.chromosome.key for one in state.archive]
    assert isinstance(again.archive[0].chromosome, GridChromosome)
    assert again.history == state.history
    assert again.rng == state.rng
    assert again.n_evaluations == state.n_evaluations > 0
