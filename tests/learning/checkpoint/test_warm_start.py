"""A fit that goes on with the last one comes to the model of one longer fit."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from fruler import FRULERRegressor
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
    ("evolution", "max_evaluations", [30, 200, 777, 777, 1_500]),
    ("evolution", "n_restarts", [0, 1, 2]),
    ("evolution", "early_stopping", [1, 3, 10]),
    ("growth", "max_rules", [1, 2, 5, 5, 9]),
    ("growth", "max_evaluations", [1, 50, 400, 900, 5_000, None]),
    ("growth", "early_stopping", [1, 2, 4]),
    ("growth", "max_rules", [6, 3]),
]


def settings_of(search, name):
    settings = {"search": search, "random_state": 0}
    if search == "evolution":
        settings |= {"population_size": 20, "max_evaluations": 1_000}
        if name != "max_evaluations":
            settings |= {"max_evaluations": 10**6}
    return settings


@pytest.mark.parametrize(("search", "name", "values"), CASES)
def test_going_on_is_one_longer_fit(friedman, search, name, values):
    X, y = friedman
    X = X[:, :1] if name in ("n_restarts", "early_stopping") and search == "evolution" else X
    settings = settings_of(search, name)
    model = FRULERRegressor(**settings, warm_start=True)
    for value in values:
        model.set_params(**{name: value}).fit(X, y)
        assert same(model, FRULERRegressor(**settings | {name: value}).fit(X, y))
    assert model.resumed_ > 0


class Count(Callback):
    def __init__(self):
        self.stages = []

    def on_generation(self, progress):
        self.stages.append(progress.stage)


@pytest.mark.parametrize("search", ["growth", "evolution"])
def test_what_was_done_is_not_done_again(friedman, search):
    count = Count()
    model = FRULERRegressor(search=search, max_evaluations=2_000, random_state=0, warm_start=True, callbacks=count)
    model.fit(*friedman)
    first = count.stages.copy()
    count.stages.clear()
    model.fit(*friedman)
    assert count.stages.count(search) <= 1 < first.count(search)
    assert "selection" not in count.stages


def test_a_search_without_a_seed_goes_on_with_its_own(friedman):
    for state in (None, np.random.RandomState(3)):
        model = FRULERRegressor(search="evolution", max_evaluations=300, random_state=state, warm_start=True)
        before = model.fit(*friedman).history_
        after = model.set_params(max_evaluations=600).fit(*friedman).history_
        whole = len(before) - 1
        assert before.best_fitness[:whole].equals(after.best_fitness[:whole])
        assert model.resumed_ > 0


def test_without_warm_start_a_fit_begins_afresh(friedman):
    X, y = friedman
    model = FRULERRegressor(max_rules=2, random_state=0, warm_start=True).fit(X, y)
    assert model.set_params(warm_start=False).fit(X, y).resumed_ == 0
    assert model.set_params(warm_start=True).fit(X, y).resumed_ == 0
    assert model.fit(X, y).resumed_ > 0
    assert clone(model).fit(X, y).resumed_ == 0
    assert pickle.loads(pickle.dumps(model)).fit(X, y).resumed_ > 0


def test_other_data_or_settings_are_refused(friedman):
    X, y = friedman
    model = FRULERRegressor(max_rules=2, random_state=0, warm_start=True).fit(X, y)
    with pytest.raises(
        ValueError, match=r"goes on with the last fit, which is another: y is other data\. Give the same"
    ):
        model.fit(X, y + 1.0)
    with pytest.raises(ValueError, match=r"fuzziness is 1\.0 there and 0\.5 here"):
        model.set_params(fuzziness=0.5).fit(X, y)
    with pytest.raises(ValueError, match="random_state is 0 there and 7 here"):
        model.set_params(fuzziness=1.0, random_state=7).fit(X, y)
    assert model.set_params(random_state=0).fit(X, y).resumed_ > 0


def test_a_limit_that_is_passed_already_is_refused(friedman):
    model = FRULERRegressor(search="evolution", max_evaluations=500, random_state=0, warm_start=True).fit(*friedman)
    with pytest.raises(ValueError, match="max_evaluations is too small to go on from a search that has made"):
        model.set_params(max_evaluations=100).fit(*friedman)


@pytest.mark.parametrize(("search", "first", "second"), [("growth", 3, 7), ("evolution", 300, 900)])
def test_a_checkpoint_can_be_gone_on_with(friedman, search, first, second, tmp_path):
    name = "max_rules" if search == "growth" else "max_evaluations"
    settings = {"search": search, "random_state": 0}
    FRULERRegressor(**settings, **{name: first}, checkpoint=tmp_path).fit(*friedman)
    more = FRULERRegressor(**settings, **{name: second}, checkpoint=tmp_path)
    with pytest.raises(ValueError, match="Go on with it by warm_start=True"):
        more.fit(*friedman)
    more.set_params(warm_start=True).fit(*friedman)
    assert more.resumed_ > 0
    assert same(more, FRULERRegressor(**settings, **{name: second}).fit(*friedman))
    again = more.set_params(warm_start=False).fit(*friedman)
    assert again.resumed_ == again.n_evaluations_
