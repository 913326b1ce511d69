"""Other regressors to compare with, each behind one small adapter that imports its package only when it is run.

An adapter builds an estimator from settings and a seed, and tells the size of the fitted model: how many rules (leaves,
terms) it has, how many slopes in them are not zero, and how many conditions a rule has on average; None where a
method has no such thing. Settings are the packages' defaults unless they are named here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np


class Size(NamedTuple):
    """How much there is to read in a model."""

    rules: int | None
    coefficients: int | None
    conditions: float | None


class Peer(NamedTuple):
    """One adapter.

    Attributes
    ----------
    package : str
        The distribution that it comes from.
    seeded : bool
        Whether its result depends on the seed.
    settings : mapping
        The parameters that differ from the package's defaults.
    build : callable
        Takes settings and seed, returns an estimator; raises ImportError where the package is missing.
    size : callable
        Takes the fitted estimator.
    about : str
        What it is, in a few words.
    """

    package: str
    seeded: bool
    settings: Mapping[str, Any]
    build: Callable[[Mapping[str, Any], int], Any]
    size: Callable[[Any], Size]
    about: str


def _build_linear(settings: Mapping[str, Any], seed: int) -> Any:
    from sklearn.linear_model import LinearRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), LinearRegression(**settings))


def _build_elastic_net(settings: Mapping[str, Any], seed: int) -> Any:
    from sklearn.linear_model import ElasticNetCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), ElasticNetCV(**settings))


def _size_linear(model: Any) -> Size:
    return Size(1, int(np.count_nonzero(model[-1].coef_)), 0.0)


def _build_tree(settings: Mapping[str, Any], seed: int) -> Any:
    from sklearn.tree import DecisionTreeRegressor

    return DecisionTreeRegressor(**settings, random_state=seed)


def _build_forest(settings: Mapping[str, Any], seed: int) -> Any:
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(**settings, n_jobs=1, random_state=seed)


def _leaf_depths(tree: Any) -> list[int]:
    depths, open_nodes = [], [(0, 0)]
    while open_nodes:
        node, depth = open_nodes.pop()
        if tree.children_left[node] < 0:
            depths.append(depth)
        else:
            open_nodes += [(tree.children_left[node], depth + 1), (tree.children_right[node], depth + 1)]
    return depths


def _size_trees(model: Any) -> Size:
    depths = [depth for tree in getattr(model, "estimators_", [model]) for depth in _leaf_depths(tree.tree_)]
    return Size(len(depths), 0, float(np.mean(depths)))


def _build_pilot(settings: Mapping[str, Any], seed: int) -> Any:
    from pilot import PILOT

    class Tree(PILOT):  # type: ignore[misc]
        """Has `fit`, which the package calls `train`."""

        def fit(self, X: Any, y: Any) -> Any:
            return self.train(X, y)

    return Tree(**settings)


def _size_pilot(model: Any) -> Size:
    """Return how many leaves there are, and the slopes in their formulas: each is the sum of those on the way to it."""
    depths: list[float] = []
    n_slopes = 0
    pending: list[dict[int, float]] = [{}]
    # A node comes before those below it, and its left side before its right.
    for node in model.tree_summary().itertuples():
        slopes = pending.pop()
        if node.node_type == "con":
            depths.append(node.depth)
            n_slopes += sum(slope != 0.0 for slope in slopes.values())
        else:
            feature = int(node.feature_index)
            # A linear node has no right side.
            added = [node.slope_left] if node.node_type == "lin" else [node.slope_right, node.slope_left]
            pending += [{**slopes, feature: slopes.get(feature, 0.0) + slope} for slope in added]
    return Size(len(depths), n_slopes, float(np.mean(depths)))


def _build_cubist(settings: Mapping[str, Any], seed: int) -> Any:
    from cubist import Cubist

    return Cubist(**settings, random_state=seed)


def _size_cubist(model: Any) -> Size:
    terms = model.coeffs_.drop(columns=["(Intercept)", "committee", "rule"])
    n_rules = len(model.coeffs_)
    n_splits = 0 if model.splits_ is None else len(model.splits_)
    return Size(n_rules, int((terms.fillna(0.0) != 0.0).to_numpy().sum()), n_splits / n_rules)


def _build_ebm(settings: Mapping[str, Any], seed: int) -> Any:
    from interpret.glassbox import ExplainableBoostingRegressor

    return ExplainableBoostingRegressor(**settings, n_jobs=1, random_state=seed)


def _size_ebm(model: Any) -> Size:
    return Size(len(model.term_names_), None, None)


def _build_pygam(settings: Mapping[str, Any], seed: int) -> Any:
    from pygam import LinearGAM

    class Searched:
        """Fits by the package's grid search for one smoothing penalty; its own `fit` leaves that penalty at 0.6."""

        def fit(self, X: Any, y: Any) -> Any:
            self.gam = LinearGAM().gridsearch(X, y, progress=False, **settings)
            return self

        def predict(self, X: Any) -> Any:
            return self.gam.predict(X)

    return Searched()


def _size_pygam(model: Any) -> Size:
    return Size(sum(not term.isintercept for term in model.gam.terms), None, None)


def _build_figs(settings: Mapping[str, Any], seed: int) -> Any:
    from imodels import FIGSRegressor

    class Seeded(FIGSRegressor):  # type: ignore[misc]
        """Draws from NumPy's own state, whatever its `random_state`."""

        def fit(self, X: Any, y: Any) -> Any:
            np.random.seed(seed)  # noqa: NPY002
            return super().fit(X, y)

    return Seeded(**settings)


def _size_figs(model: Any) -> Size:
    depths, open_nodes = [], [(root, 0) for root in model.trees_]
    while open_nodes:
        node, depth = open_nodes.pop()
        if node.left is None and node.right is None:
            depths.append(depth)
        else:
            open_nodes += [(node.left, depth + 1), (node.right, depth + 1)]
    return Size(len(depths), 0, float(np.mean(depths)))


def _build_rulefit(settings: Mapping[str, Any], seed: int) -> Any:
    from imodels import RuleFitRegressor

    return RuleFitRegressor(**settings, random_state=seed)


def _size_rulefit(model: Any) -> Size:
    slopes = np.asarray(model.coef)[: model.n_features_]
    conditions = [str(rule).count(" and ") + 1 for rule in model.rules_]
    return Size(len(conditions), int(np.count_nonzero(slopes)), float(np.mean(conditions)) if conditions else 0.0)


def _build_lightgbm(settings: Mapping[str, Any], seed: int) -> Any:
    from lightgbm import LGBMRegressor

    return LGBMRegressor(**settings, n_jobs=1, verbose=-1, random_state=seed)


def _size_lightgbm(model: Any) -> Size:
    return Size(sum(tree["num_leaves"] for tree in model.booster_.dump_model()["tree_info"]), 0, None)


def _build_ex_fuzzy(settings: Mapping[str, Any], seed: int) -> Any:
    from ex_fuzzy.evolutionary_fit_regression import BaseFuzzyRulesRegressor

    class Seeded(BaseFuzzyRulesRegressor):  # type: ignore[misc]
        """Takes the seed where scikit-learn has it; the package wants it in `fit`."""

        def fit(self, X: Any, y: Any) -> Any:
            return super().fit(X, y, random_state=seed)

    return Seeded(**settings)


def _size_ex_fuzzy(model: Any) -> Size:
    # A rule without conditions never fires.
    conditions = [n for rule in model.rule_base.rules if (n := int((np.asarray(rule.antecedents) >= 0).sum()))]
    return Size(len(conditions), 0, float(np.mean(conditions)) if conditions else 0.0)


def _build_highfis(settings: Mapping[str, Any], seed: int) -> Any:
    import torch
    from highfis import HTSKRegressor
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    torch.set_num_threads(1)
    # Its gradient descent needs inputs and target of one scale.
    learner = make_pipeline(StandardScaler(), HTSKRegressor(**settings, random_state=seed))
    return TransformedTargetRegressor(learner, transformer=StandardScaler())


def _size_highfis(model: Any) -> Size:
    slopes = model.regressor_[-1].get_consequent_weights()
    # Every rule has one fuzzy set of every input.
    return Size(len(slopes), int(np.count_nonzero(slopes)), float(slopes.shape[1]))


PEERS = {
    "linear": Peer("scikit-learn", False, {}, _build_linear, _size_linear, "least squares"),
    "elastic_net": Peer(
        "scikit-learn",
        False,
        {"l1_ratio": [0.1, 0.5, 0.9, 1.0], "cv": 5},
        _build_elastic_net,
        _size_linear,
        "Elastic Net on standardised inputs, both penalties by cross-validation",
    ),
    # Sixteen leaves at most: a tree that still fits on a page.
    "tree": Peer("scikit-learn", False, {"max_depth": 4}, _build_tree, _size_trees, "regression tree of depth 4"),
    "pilot": Peer("fast-model-trees", False, {}, _build_pilot, _size_pilot, "tree with linear models (PILOT)"),
    "cubist": Peer(
        "cubist", False, {"n_committees": 1}, _build_cubist, _size_cubist, "rules with linear models, one committee"
    ),
    "cubist-10": Peer(
        "cubist", False, {"n_committees": 10}, _build_cubist, _size_cubist, "rules with linear models, ten committees"
    ),
    "ebm": Peer("interpret-core", True, {}, _build_ebm, _size_ebm, "explainable boosting machine"),
    "ebm-main": Peer(
        "interpret-core",
        True,
        {"interactions": 0},
        _build_ebm,
        _size_ebm,
        "explainable boosting machine without interactions",
    ),
    "pygam": Peer(
        "pygam",
        False,
        {"objective": "GCV"},
        _build_pygam,
        _size_pygam,
        "sum of splines, their penalty by generalized cross-validation",
    ),
    "figs": Peer("imodels", True, {}, _build_figs, _size_figs, "sum of small trees, twelve splits"),
    "rulefit": Peer("imodels", True, {}, _build_rulefit, _size_rulefit, "lasso over the rules of boosted trees"),
    "lightgbm": Peer("lightgbm", False, {}, _build_lightgbm, _size_lightgbm, "boosted trees"),
    "forest": Peer("scikit-learn", True, {}, _build_forest, _size_trees, "random forest"),
    "ex_fuzzy": Peer("ex-fuzzy", True, {}, _build_ex_fuzzy, _size_ex_fuzzy, "genetic fuzzy rules with constants"),
    "highfis": Peer("highfis", True, {}, _build_highfis, _size_highfis, "TSK rules by gradient descent (HTSK)"),
}
