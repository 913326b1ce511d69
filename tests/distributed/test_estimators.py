"""The estimator on a real cluster: the model of one machine, from rows that never come to the client whole."""

import pickle
from itertools import pairwise

import dask.array as da
import dask.dataframe as dd
import joblib
import numpy as np
import pandas as pd
import pytest
from helpers.blocks import in_chunks
from helpers.same_models import same_model
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from fruler import FuzzyRuleRegressor, load_model
from fruler._algorithms.growth import learner
from fruler.distributed import DaskFuzzyRuleRegressor

QUICK = {"max_evaluations": 500, "random_state": 0}


@pytest.fixture(scope="module")
def local(friedman):
    return FuzzyRuleRegressor(**QUICK).fit(*friedman)


@pytest.fixture(scope="module")
def table(friedman, tmp_path_factory):
    """The table in Parquet files, one of which is empty; sizes and divisions are unknown to Dask."""
    folder = tmp_path_factory.mktemp("table")
    frame = pd.DataFrame(friedman[0], columns=list("abcde")).assign(target=friedman[1])
    cuts = [0, 200, 200, 450, 700]
    for k, (first, last) in enumerate(pairwise(cuts)):
        frame[first:last].to_parquet(folder / f"{k}.parquet", index=False)
    return dd.read_parquet(folder)


@pytest.mark.parametrize("keep_rows", [True, False, None])
def test_growth_learns_the_model_of_one_machine_from_files(client, table, local, keep_rows, friedman):
    model = DaskFuzzyRuleRegressor(client, keep_rows=keep_rows, **QUICK).fit(table[list("abcde")], table["target"])
    named = pd.DataFrame(friedman[0], columns=list("abcde"))
    same_model(model, FuzzyRuleRegressor(**QUICK).fit(named, friedman[1]))
    assert model.feature_names_in_.tolist() == list("abcde")
    assert model.rule_base_.target_name == "target"
    predictions = model.predict(table[list("abcde")])
    assert isinstance(predictions, dd.Series)
    np.testing.assert_allclose(client.compute(predictions).result(), local.predict(friedman[0]), rtol=1e-9)
    assert model.score(table[list("abcde")], table["target"]) == pytest.approx(local.score(*friedman))


def test_growth_fetches_the_same_rows_as_one_machine(client, monkeypatch, rng):
    monkeypatch.setattr(learner, "MAX_GROWN_ROWS", 400)
    X = rng.uniform(size=(5000, 2))
    y = np.abs(X[:, 0] - 0.4) + X[:, 1]
    model = DaskFuzzyRuleRegressor(client, max_rules=3, **QUICK).fit(*in_chunks(X, y, 1300))
    same_model(model, FuzzyRuleRegressor(max_rules=3, **QUICK).fit(X, y))
    assert len(model.sample_indices_) == 400
    assert model.sample_indices_[-1] > 4000


def test_weights_count_as_on_one_machine(client, friedman, rng):
    X, y = friedman
    weight = rng.integers(0, 3, len(y)).astype(float)
    weights = da.from_array(weight, chunks=300)
    model = DaskFuzzyRuleRegressor(client, **QUICK).fit(*in_chunks(X, y, 300), weights)
    same_model(model, FuzzyRuleRegressor(**QUICK).fit(X, y, weight))


def test_predictions_of_arrays_are_lazy_and_by_block(client, local, friedman):
    model = DaskFuzzyRuleRegressor(client, **QUICK).fit(*in_chunks(*friedman, 300))
    X = da.from_array(friedman[0], chunks=(100, 2))
    predictions = model.predict(X)
    assert isinstance(predictions, da.Array)
    assert predictions.chunks == ((100,) * 7,)
    np.testing.assert_allclose(client.compute(predictions).result(), local.predict(friedman[0]), rtol=1e-9)
    np.testing.assert_allclose(model.predict(friedman[0]), local.predict(friedman[0]), rtol=1e-9)
    unknown = X[X[:, 0] > 0.5]
    assert len(client.compute(model.predict(unknown)).result()) == (friedman[0][:, 0] > 0.5).sum()
    named = model.with_rules(2)
    assert isinstance(named.predict(X), da.Array)
    assert named.n_rules_ == 2


def test_the_local_model_needs_no_cluster(client, friedman, tmp_path):
    model = DaskFuzzyRuleRegressor(client, **QUICK).fit(*in_chunks(*friedman, 300))
    local = model.to_local()
    assert type(local) is FuzzyRuleRegressor
    assert local.get_params() == FuzzyRuleRegressor(**QUICK).get_params()
    model.save(tmp_path / "m.json")
    for other in (local, load_model(tmp_path / "m.json"), pickle.loads(pickle.dumps(model))):
        assert np.array_equal(other.predict(friedman[0]), model.predict(friedman[0]))
    assert pickle.loads(pickle.dumps(model)).client is None


def test_parameters_are_those_of_the_local_regressor_and_a_few_more(client):
    model = DaskFuzzyRuleRegressor(client, max_rules=5, timeout=9.0)
    assert set(model.get_params()) == {*FuzzyRuleRegressor().get_params(), "client", "keep_rows", "timeout"}
    copy = clone(model.set_params(fuzziness=0.5))
    assert copy.get_params() == model.get_params()
    assert copy.client is client
    with pytest.raises(TypeError, match="max_rulez"):
        DaskFuzzyRuleRegressor(max_rulez=5)


def test_a_grid_search_runs_on_the_cluster(client, friedman):
    X, y = friedman[0][:200], friedman[1][:200]
    grid = {"max_rules": [1, 3]}
    search = GridSearchCV(FuzzyRuleRegressor(max_curves=0, max_evaluations=60, random_state=0), grid, cv=2, n_jobs=-1)
    with client.as_current(), joblib.parallel_config("dask"):
        search.fit(X, y)
    here = clone(search).set_params(n_jobs=1).fit(X, y)
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], here.cv_results_["mean_test_score"])
    assert search.best_params_ == {"max_rules": 3}


def test_a_checkpoint_gives_a_finished_fit_at_once(client, friedman, tmp_path):
    chunks = in_chunks(*friedman, 300)
    model = DaskFuzzyRuleRegressor(client, checkpoint=tmp_path, **QUICK).fit(*chunks)
    again = DaskFuzzyRuleRegressor(client, checkpoint=tmp_path, **QUICK).fit(*chunks)
    assert again.resumed_ == model.n_evaluations_ > 0
    same_model(again, model)
    with pytest.raises(ValueError, match="X has changed"):
        DaskFuzzyRuleRegressor(client, checkpoint=tmp_path, **QUICK).fit(chunks[0] + 1.0, chunks[1])
