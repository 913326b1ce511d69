"""Other regressors to compare with, each with a small adapter that imports its package only when it is run.

An adapter builds an estimator from settings and a seed, and returns the size of the fitted model: the number of rules
(leaves, terms), of their non-zero slopes, and the mean number of conditions per rule; None if a measure does not apply
to a method. Settings are the packages' defaults except for those given here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pkgutil import resolve_name
from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

_Build = Callable[[Mapping[str, Any], int], Any]


class ModelSize(NamedTuple):
    """The size of a model, as a reader sees it."""

    rules: int | None
    coefficients: int | None
    conditions: float | None


class Peer(NamedTuple):
    """One adapter.

    Attributes
    ----------
    title : str
        The name in tables and pictures.
    package : str
        The distribution of the package.
    build : callable
        A function of settings and seed that returns an estimator; it raises ImportError if the package is missing.
    size : callable
        A function of the fitted estimator that returns its size.
    settings : mapping
        The parameters that differ from the package's defaults.
    seeded : bool
        Whether the result depends on the seed.
    has_rules : bool
        Whether the number of rules is comparable with ours; that of one formula, of curves or of hundreds of trees is
        not.
    """

    title: str
    package: str
    build: _Build
    size: Callable[[Any], ModelSize]
    settings: Mapping[str, Any] = {}
    seeded: bool = False
    has_rules: bool = True


def _estimator(path: str, **fixed: Any) -> _Build:
    """Return a builder of estimators of a class, "module:name", with a parameter `random_state`."""
    return lambda settings, seed: resolve_name(path)(**settings, **fixed, random_state=seed)


def _standardised(path: str) -> _Build:
    """Return a builder of estimators of a class without a seed that needs standardised inputs."""
    return lambda settings, seed: make_pipeline(StandardScaler(), resolve_name(path)(**settings))


def _with_fit(path: str, fit: Callable[[Any, Any, Any, int], Any]) -> _Build:
    """Return a builder of estimators of a class whose `fit` is replaced by a function that takes the seed."""

    def build(settings: Mapping[str, Any], seed: int) -> Any:
        class Adapted(resolve_name(path)):  # type: ignore[misc]
            def fit(self, X: Any, y: Any) -> Any:
                return fit(super(), X, y, seed)

        return Adapted(**settings)

    return build


def _rule_size(conditions: Sequence[float], coefficients: int = 0) -> ModelSize:
    """Return the size of a model of rules, from the number of conditions of each rule."""
    return ModelSize(len(conditions), coefficients, float(np.mean(conditions)) if len(conditions) else 0.0)


def _size_linear(model: Any) -> ModelSize:
    return ModelSize(1, int(np.count_nonzero(model[-1].coef_)), 0.0)


def _size_trees(model: Any) -> ModelSize:
    trees = [member.tree_ for member in getattr(model, "estimators_", [model])]
    # scikit-learn counts the depth of a root as 1.
    depths = [tree.compute_node_depths()[tree.children_left < 0] - 1.0 for tree in trees]
    return _rule_size(np.concatenate(depths).tolist())


def _size_pilot(model: Any) -> ModelSize:
    """Return the number of leaves and of non-zero slopes in their formulas, which are sums along the path to a leaf."""
    depths: list[float] = []
    n_slopes = 0
    pending: list[dict[int, float]] = [{}]
    # A node comes before its children, and its left child before its right one.
    for node in model.tree_summary().itertuples():
        slopes = pending.pop()
        if node.node_type == "con":
            depths.append(node.depth)
            n_slopes += sum(slope != 0.0 for slope in slopes.values())
        else:
            feature = int(node.feature_index)
            # A linear node has no right child.
            added = [node.slope_left] if node.node_type == "lin" else [node.slope_right, node.slope_left]
            pending += [{**slopes, feature: slopes.get(feature, 0.0) + slope} for slope in added]
    return _rule_size(depths, n_slopes)


def _size_cubist(model: Any) -> ModelSize:
    terms = model.coeffs_.drop(columns=["(Intercept)", "committee", "rule"])
    n_rules = len(model.coeffs_)
    n_splits = 0 if model.splits_ is None else len(model.splits_)
    return ModelSize(n_rules, int((terms.fillna(0.0) != 0.0).to_numpy().sum()), n_splits / n_rules)


def _size_ebm(model: Any) -> ModelSize:
    return ModelSize(len(model.term_names_), None, None)


def _size_aplr(model: Any) -> ModelSize:
    # Terms of the same inputs add up to one curve or surface.
    return ModelSize(len(model.get_unique_term_affiliations()), None, None)


def _build_pygam(settings: Mapping[str, Any], seed: int) -> Any:
    from pygam import LinearGAM

    class Searched:
        """A GAM whose smoothing penalty is chosen by the package's grid search; its own `fit` keeps it at 0.6."""

        def fit(self, X: Any, y: Any) -> Any:
            self.gam = LinearGAM().gridsearch(X, y, progress=False, **settings)
            return self

        def predict(self, X: Any) -> Any:
            return self.gam.predict(X)

    return Searched()


def _size_pygam(model: Any) -> ModelSize:
    return ModelSize(sum(not term.isintercept for term in model.gam.terms), None, None)


def _fit_figs(base: Any, X: Any, y: Any, seed: int) -> Any:
    # FIGS draws from NumPy's global state, whatever its `random_state`.
    np.random.seed(seed)  # noqa: NPY002
    return base.fit(X, y)


def _size_figs(model: Any) -> ModelSize:
    depths, open_nodes = [], [(root, 0) for root in model.trees_]
    while open_nodes:
        node, depth = open_nodes.pop()
        if node.left is None and node.right is None:
            depths.append(depth)
        else:
            open_nodes += [(node.left, depth + 1), (node.right, depth + 1)]
    return _rule_size(depths)


def _size_rulefit(model: Any) -> ModelSize:
    slopes = np.asarray(model.coef)[: model.n_features_]
    conditions = [str(rule).count(" and ") + 1 for rule in model.rules_]
    return _rule_size(conditions, int(np.count_nonzero(slopes)))


def _size_lightgbm(model: Any) -> ModelSize:
    return ModelSize(sum(tree["num_leaves"] for tree in model.booster_.dump_model()["tree_info"]), 0, None)


def _size_ex_fuzzy(model: Any) -> ModelSize:
    # A rule without conditions never fires.
    conditions = [n for rule in model.rule_base.rules if (n := int((np.asarray(rule.antecedents) >= 0).sum()))]
    return _rule_size(conditions)


def _build_highfis(settings: Mapping[str, Any], seed: int) -> Any:
    import torch
    from highfis import HTSKRegressor
    from sklearn.compose import TransformedTargetRegressor

    torch.set_num_threads(1)
    # Gradient descent needs standardised inputs and target.
    learner = make_pipeline(StandardScaler(), HTSKRegressor(**settings, random_state=seed))
    return TransformedTargetRegressor(learner, transformer=StandardScaler())


def _size_highfis(model: Any) -> ModelSize:
    slopes = model.regressor_[-1].get_consequent_weights()
    # Every rule has one fuzzy set per input.
    return ModelSize(len(slopes), int(np.count_nonzero(slopes)), float(slopes.shape[1]))


_TREE, _FOREST = "sklearn.tree:DecisionTreeRegressor", "sklearn.ensemble:RandomForestRegressor"
_LINEAR, _ELASTIC_NET = "sklearn.linear_model:LinearRegression", "sklearn.linear_model:ElasticNetCV"
_pilot = _with_fit("pilot:PILOT", lambda base, X, y, seed: base.train(X, y))
_figs = _with_fit("imodels:FIGSRegressor", _fit_figs)
_ex_fuzzy = _with_fit(
    "ex_fuzzy.evolutionary_fit_regression:BaseFuzzyRulesRegressor",
    lambda base, X, y, seed: base.fit(X, y, random_state=seed),
)
_cubist = _estimator("cubist:Cubist")
_ebm = _estimator("interpret.glassbox:ExplainableBoostingRegressor", n_jobs=1)
_aplr = _estimator("aplr:APLRRegressor", n_jobs=1)
_rulefit = _estimator("imodels:RuleFitRegressor")
_lightgbm = _estimator("lightgbm:LGBMRegressor", n_jobs=1, verbose=-1)
_PENALTIES = {"l1_ratio": [0.1, 0.5, 0.9, 1.0], "cv": 5}
_SKLEARN, _INTERPRET = "scikit-learn", "interpret-core"
PEERS = {
    "linear": Peer("Linear regression", _SKLEARN, _standardised(_LINEAR), _size_linear, has_rules=False),
    "elastic_net": Peer(
        "Elastic Net", _SKLEARN, _standardised(_ELASTIC_NET), _size_linear, _PENALTIES, has_rules=False
    ),
    # At most sixteen leaves: a tree that still fits on a page.
    "tree": Peer("Regression tree", _SKLEARN, _estimator(_TREE), _size_trees, {"max_depth": 4}),
    "pilot": Peer("PILOT", "fast-model-trees", _pilot, _size_pilot),
    "cubist": Peer("Cubist", "cubist", _cubist, _size_cubist, {"n_committees": 1}),
    "cubist-10": Peer("Cubist, 10 committees", "cubist", _cubist, _size_cubist, {"n_committees": 10}),
    "ebm": Peer("EBM", _INTERPRET, _ebm, _size_ebm, seeded=True, has_rules=False),
    "ebm-main": Peer("EBM, no interactions", _INTERPRET, _ebm, _size_ebm, {"interactions": 0}, True, has_rules=False),
    "aplr": Peer("APLR", "aplr", _aplr, _size_aplr, seeded=True, has_rules=False),
    "pygam": Peer("pyGAM", "pygam", _build_pygam, _size_pygam, {"objective": "GCV"}, has_rules=False),
    "figs": Peer("FIGS", "imodels", _figs, _size_figs, seeded=True),
    "rulefit": Peer("RuleFit", "imodels", _rulefit, _size_rulefit, seeded=True),
    "lightgbm": Peer("LightGBM", "lightgbm", _lightgbm, _size_lightgbm, has_rules=False),
    "forest": Peer("Random forest", _SKLEARN, _estimator(_FOREST, n_jobs=1), _size_trees, seeded=True, has_rules=False),
    "ex_fuzzy": Peer("ex-fuzzy", "ex-fuzzy", _ex_fuzzy, _size_ex_fuzzy, seeded=True),
    "highfis": Peer("highFIS", "highfis", _build_highfis, _size_highfis, seeded=True),
}
