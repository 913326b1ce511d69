"""Each adapter fits, predicts and tells the size of its model."""

import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

from fruler import load_keel
from fruler.bench._experiment import plan_experiment
from fruler.bench._peers import PEERS
from fruler.bench._runner import execute

pytestmark = pytest.mark.peers

MODULES = {
    "interpret-core": "interpret",
    "scikit-learn": "sklearn",
    "ex-fuzzy": "ex_fuzzy",
    "fast-model-trees": "pilot",
}
SMALL = ("linear", "elastic_net", "tree", "pilot", "cubist", "cubist-10", "figs", "highfis")


def skip_without(peer):
    package = PEERS[peer].package
    if find_spec(MODULES.get(package, package)) is None:
        pytest.skip(f"{package} is not installed: pip install 'fruler[peers]'")


def measure(small_sets, peer):
    (task,) = plan_experiment(
        small_sets, sets="folded", seeds=1, folds="2,", methods="none", peers=peer, preprocessing=False
    ).tasks
    return execute(task)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("peer", PEERS)
def test_every_peer_fits(small_sets, peer):
    skip_without(peer)
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


def fit_peer(small_sets, peer, seed=0):
    """Return the fitted estimator of a peer, and the data it has seen."""
    skip_without(peer)
    train, _ = load_keel(small_sets / "folded", fold=2)
    return PEERS[peer].build(PEERS[peer].settings, seed).fit(train.data, train.target), train


def test_every_peer_has_a_place_in_the_documentation():
    page = Path(__file__).parents[2] / "docs" / "benchmark.md"
    rows = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    told = {row.split("`")[1]: row.split("|")[-2].strip() for row in rows}
    assert {name: told.get(name) for name in PEERS} == {name: peer.package for name, peer in PEERS.items()}


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("peer", [name for name, peer in PEERS.items() if not peer.seeded])
def test_a_peer_without_seed_is_the_same_for_every_seed(small_sets, peer):
    first, train = fit_peer(small_sets, peer, seed=0)
    second, _ = fit_peer(small_sets, peer, seed=1)
    np.testing.assert_allclose(first.predict(train.data), second.predict(train.data), rtol=1e-12)


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


class TestPilot:
    def test_slopes_on_the_way_to_a_leaf_are_added(self):
        # Linear in x0, then split at x1 with a slope on the right only. On the left x0 cancels.
        nodes = pd.DataFrame(
            [
                (0, "lin", 0, 2.0, np.nan),
                (0, "plin", 1, 0.0, 3.0),
                (1, "lin", 0, -2.0, np.nan),
                (1, "con", np.nan, np.nan, np.nan),
                (1, "pcon", 2, 0.0, 0.0),
                (2, "con", np.nan, np.nan, np.nan),
                (2, "plin", 2, 5.0, 0.0),
                (3, "con", np.nan, np.nan, np.nan),
                (3, "con", np.nan, np.nan, np.nan),
            ],
            columns=["depth", "node_type", "feature_index", "slope_left", "slope_right"],
        )
        # None; x0 and x1; x0, x1 and x2; x0 and x1.
        assert PEERS["pilot"].size(SimpleNamespace(tree_summary=lambda: nodes)) == (4, 0 + 2 + 3 + 2, 9 / 4)

    def test_an_answer_is_the_sum_on_the_way_to_its_leaf(self, small_sets):
        model, train = fit_peer(small_sets, "pilot")
        nodes = model.tree_summary()
        assert PEERS["pilot"].size(model).rules == (nodes["node_type"] == "con").sum() > 1

        def answer(row):
            node, total = nodes.iloc[0], 0.0
            while node["node_type"] != "con":
                value = row[int(node["feature_index"])]
                right = node["node_type"] != "lin" and value > node["split_value"]
                side = "right" if right else "left"
                total += node[f"intercept_{side}"] + node[f"slope_{side}"] * value
                # Answers stay in the range of the training rows.
                total = np.clip(total, train.target.min(), train.target.max())
                # The left side comes first.
                node = nodes[nodes["parent_node_id"] == node["node_id"]].iloc[int(right)]
            return total + node["intercept_left"]

        np.testing.assert_allclose([answer(row) for row in train.data], model.predict(train.data), rtol=1e-9)


def test_committees_have_rules_of_their_own(small_sets):
    (one, _), (ten, _) = (fit_peer(small_sets, peer) for peer in ("cubist", "cubist-10"))
    rules = ten.coeffs_.groupby("committee").size()
    assert len(rules) == 10
    assert PEERS["cubist-10"].size(ten).rules == rules.sum() > PEERS["cubist"].size(one).rules


@pytest.mark.filterwarnings("default")
def test_terms_of_an_ebm_with_and_without_interactions(small_sets):
    (whole, _), (main, _) = (fit_peer(small_sets, peer) for peer in ("ebm", "ebm-main"))
    assert PEERS["ebm-main"].size(main) == (3, None, None)
    assert PEERS["ebm"].size(whole).rules > 3


@pytest.mark.filterwarnings("default")
def test_pygam_searches_its_penalty(small_sets):
    model, train = fit_peer(small_sets, "pygam")
    assert PEERS["pygam"].size(model) == (3, None, None)
    penalties = {penalty for (penalty,) in model.gam.lam}
    assert len(penalties) == 1
    # The package's own fit, without the search, has 0.6.
    assert penalties != {0.6}
    searched = type(model.gam)().gridsearch(train.data, train.target, objective="GCV", progress=False)
    np.testing.assert_array_equal(model.predict(train.data), searched.predict(train.data))


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
