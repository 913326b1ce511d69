"""A fit that resumes the last one comes to the model of one longer fit."""

import pickle

import numpy as np
import pytest
from helpers.estimators import make_estimator
from sklearn.base import clone

from fruler import FuzzyRuleRegressor
from fruler.callbacks import Callback
from fruler.data import make_friedman


@pytest.fixture(scope="module")
def friedman():
    data = make_friedman(120, random_state=1)
    return data.data.to_numpy(), data.target.to_numpy()


def same(model, other):
    return (
        model.rule_base_ == other.rule_base_
        and model.n_evaluations_ == other.n_evaluations_
        and model.pareto_.equals(other.pareto_)
        and model.history_.drop(columns="seconds").equals(other.history_.drop(columns="seconds"))
    )


CASES = [
    ("fruler", "max_evaluations", [30, 200, 777, 777, 1_500]),
    ("fruler", "n_restarts", [0, 1, 2]),
    ("fruler", "early_stopping", [1, 3, 10]),
    ("growth", "max_rules", [1, 2, 5, 5, 9]),
    ("growth", "max_evaluations", [1, 50, 400, 900, 5_000, None]),
    ("growth", "early_stopping", [1, 2, 4]),
    ("growth", "max_rules", [6, 3]),
]


def settings_of(algorithm, name):
    settings = {"algorithm": algorithm, "random_state": 0}
    if algorithm == "fruler":
        settings |= {"population_size": 20, "max_evaluations": 1_000}
        if name != "max_evaluations":
            settings |= {"max_evaluations": 10**6}
    return settings


@pytest.mark.slow
@pytest.mark.parametrize(("algorithm", "name", "values"), CASES)
def test_resuming_is_one_longer_fit(friedman, algorithm, name, values):
    X, y = friedman
    X = X[:, :1] if name in ("n_restarts", "early_stopping") and algorithm == "fruler" else X
    settings = settings_of(algorithm, name)
    model = make_estimator(**settings, warm_start=True)
    for value in values:
        model.set_params(**{name: value}).fit(X, y)
        assert same(model, make_estimator(**settings | {name: value}).fit(X, y))
    assert model.resumed_ > 0


class Count(Callback):
    def __init__(self):
        self.stages = []

    def on_generation(self, progress):
        self.stages.append(progress.stage)


@pytest.mark.parametrize(("algorithm", "stage"), [("growth", "growth"), ("fruler", "evolution")])
def test_what_was_done_is_not_done_again(friedman, algorithm, stage):
    count = Count()
    model = make_estimator(algorithm, max_evaluations=2_000, random_state=0, warm_start=True, callbacks=count)
    model.fit(*friedman)
    first = count.stages.copy()
    count.stages.clear()
    model.fit(*friedman)
    assert count.stages.count(stage) <= 1 < first.count(stage)
    assert "selection" not in count.stages


def test_a_search_without_a_seed_resumes_with_its_own(friedman):
    for state in (None, np.random.RandomState(3)):
        model = make_estimator("fruler", max_evaluations=300, random_state=state, warm_start=True)
        before = model.fit(*friedman).history_
        after = model.set_params(max_evaluations=600).fit(*friedman).history_
        whole = len(before) - 1
        assert before.best_fitness[:whole].equals(after.best_fitness[:whole])
        assert model.resumed_ > 0


def test_without_warm_start_a_fit_begins_afresh(friedman):
    X, y = friedman
    model = FuzzyRuleRegressor(max_rules=2, random_state=0, warm_start=True).fit(X, y)
    assert model.set_params(warm_start=False).fit(X, y).resumed_ == 0
    assert model.set_params(warm_start=True).fit(X, y).resumed_ == 0
    assert model.fit(X, y).resumed_ > 0
    assert clone(model).fit(X, y).resumed_ == 0
    assert pickle.loads(pickle.dumps(model)).fit(X, y).resumed_ > 0


def test_other_data_or_settings_are_refused(friedman):
    X, y = friedman
    model = FuzzyRuleRegressor(max_rules=2, random_state=0, warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match=r"cannot resume the last fit: y has changed\. Use the same data"):
        model.fit(X, y + 1.0)
    with pytest.raises(ValueError, match=r"fuzziness was 1\.0 and is now 0\.5"):
        model.set_params(fuzziness=0.5).fit(X, y)
    with pytest.raises(ValueError, match="random_state was 0 and is now 7"):
        model.set_params(fuzziness=1.0, random_state=7).fit(X, y)
    assert model.set_params(random_state=0).fit(X, y).resumed_ > 0


def test_a_limit_that_is_passed_already_is_refused(friedman):
    model = make_estimator("fruler", max_evaluations=500, random_state=0, warm_start=True).fit(*friedman)
    with pytest.raises(ValueError, match="max_evaluations is too small to resume a search that has already used"):
        model.set_params(max_evaluations=100).fit(*friedman)


@pytest.mark.parametrize(("algorithm", "first", "second"), [("growth", 3, 7), ("fruler", 300, 900)])
def test_a_checkpoint_can_be_resumed(friedman, algorithm, first, second, tmp_path):
    name = "max_rules" if algorithm == "growth" else "max_evaluations"
    settings = {"algorithm": algorithm, "random_state": 0}
    make_estimator(**settings, **{name: first}, checkpoint=tmp_path).fit(*friedman)
    more = make_estimator(**settings, **{name: second}, checkpoint=tmp_path)
    with pytest.raises(ValueError, match="Resume it with warm_start=True"):
        more.fit(*friedman)
    more.set_params(warm_start=True).fit(*friedman)
    assert more.resumed_ > 0
    assert same(more, make_estimator(**settings, **{name: second}).fit(*friedman))
    again = more.set_params(warm_start=False).fit(*friedman)
    assert again.resumed_ == again.n_evaluations_
