"""Each adapter fits, predicts and tells the size of its model."""

import sys
from importlib.util import find_spec

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from fruler import load_keel
from fruler.bench.execution import execute
from fruler.bench.peers import PEERS
from fruler.bench.plan import make_plan

MODULES = {"interpret-core": "interpret", "scikit-learn": "sklearn", "ex-fuzzy": "ex_fuzzy"}
SMALL = ("linear", "elastic_net", "tree", "cubist", "figs", "highfis")


def measure(small_sets, peer):
    (task,) = make_plan(
        small_sets, sets="folded", seeds=1, folds="2,", methods="none", peers=peer, preprocessing=False
    ).tasks
    return execute(task)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("peer", PEERS)
def test_every_peer_fits(small_sets, peer):
    module = MODULES.get(PEERS[peer].package, PEERS[peer].package)
    if find_spec(module) is None:
        pytest.skip(f"{PEERS[peer].package} is not installed: pip install 'fruler[peers]'")
    line = measure(small_sets, peer)
    assert (line["status"], line["message"]) == ("ok", None)
    _, test = load_keel(small_sets / "folded", fold=2)
    assert 0.0 < line["error"] < np.var(test.target) / 2.0
    assert line["rules"] >= 1
    assert (line["inputs"], line["rows"]) == (3, 64)
    assert line["version"]
    assert measure(small_sets, peer)["error"] == line["error"]
    if peer in SMALL:
        assert 0 <= line["coefficients"] <= line["rules"] * 3
        assert 0 <= line["conditions"] <= 12


def test_linear_is_least_squares(small_sets):
    train, test = load_keel(small_sets / "folded", fold=2)
    predicted = LinearRegression().fit(train.data, train.target).predict(test.data)
    line = measure(small_sets, "linear")
    assert line["error"] == pytest.approx(np.square(predicted - test.target).mean() / 2.0)
    assert (line["rules"], line["coefficients"], line["conditions"]) == (1, 3, 0.0)


def test_leaves_and_conditions_of_a_tree(small_sets):
    train, _ = load_keel(small_sets / "folded", fold=2)
    model = PEERS["tree"].build(PEERS["tree"].settings, 0).fit(train.data, train.target)
    size = PEERS["tree"].size(model)
    assert size.rules == model.get_n_leaves() <= 16
    depths = {
        leaf: path.sum() - 1
        for leaf, path in zip(model.apply(train.data), model.decision_path(train.data).toarray(), strict=True)
    }
    assert size.conditions == pytest.approx(np.mean(list(depths.values())))


def test_a_missing_package_is_told(small_sets, monkeypatch):
    monkeypatch.setitem(sys.modules, "cubist", None)
    line = measure(small_sets, "cubist")
    assert line["status"] == "missing"
    assert line["message"].endswith("pip install cubist")
    assert line["error"] is None


def test_a_failing_method_is_told(small_sets, monkeypatch):
    def fail(settings, seed):
        raise RuntimeError("no\nluck")

    monkeypatch.setitem(PEERS, "tree", PEERS["tree"]._replace(build=fail))
    line = measure(small_sets, "tree")
    assert (line["status"], line["message"]) == ("failed", "RuntimeError: no luck")


def test_predictions_that_are_no_numbers(small_sets, monkeypatch):
    class Nothing:
        def fit(self, X, y):
            return self

        def predict(self, X):
            return np.full(len(X), np.nan)

    broken = PEERS["tree"]._replace(
        build=lambda settings, seed: Nothing(),
        size=lambda model: PEERS["linear"].size([LinearRegression().fit([[0.0], [1.0]], [0.0, 1.0])]),
    )
    monkeypatch.setitem(PEERS, "tree", broken)
    line = measure(small_sets, "tree")
    assert line["status"] == "failed"
    assert line["error"] is None
