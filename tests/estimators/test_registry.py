"""An algorithm that is added to the registry has everything that the others have."""

import dataclasses
import inspect
import json
import pickle

import numpy as np
import pytest
from helpers.constant_model import ConstantRegressor
from helpers.estimators import make_estimator, make_quick_estimator
from sklearn.base import clone
from sklearn.utils import Bunch
from sklearn.utils.estimator_checks import check_estimator

from fruler import load_model
from fruler.bench._methods import find_method, own_methods, title_of
from fruler.data import load_example, make_friedman
from fruler.estimators import registry
from fruler.estimators.base import BaseRuleRegressor
from fruler.estimators.registry import algorithm_names, find_estimator
from fruler.explain.plots import RuleBaseDisplay

WEATHER = load_example("weather")
X, y = WEATHER.data[::5], WEATHER.target[::5]
# The algorithms of this package.
WITHIN = algorithm_names()


@pytest.fixture
def _empty_registry(monkeypatch):
    monkeypatch.setattr(registry, "_registered", {})


@pytest.fixture
def _constant(_empty_registry):
    registry.register(ConstantRegressor)


@pytest.fixture(scope="module", params=WITHIN)
def fitted(request):
    return make_quick_estimator(request.param, 150).fit(X, y)


@pytest.mark.parametrize("name", WITHIN)
def test_every_option_is_a_parameter_with_the_same_default(name):
    estimator = find_estimator(name)
    assert issubclass(estimator, BaseRuleRegressor)
    assert estimator.algorithm.name == name
    signature = inspect.signature(estimator.__init__).parameters
    options = {field.name: field.default for field in dataclasses.fields(estimator.algorithm.options)}
    assert {name: signature[name].default for name in options} == options
    # Whatever decides on the model is an option; the rest is how a search is run.
    shared = set(inspect.signature(BaseRuleRegressor.__init__).parameters)
    assert set(signature) - shared - {"split_points", "cv"} == set(options)
    assert set(estimator.algorithm.limits) <= set(options)


@pytest.mark.parametrize("name", WITHIN)
def test_every_parameter_is_documented_and_checked(name):
    estimator = find_estimator(name)
    for parameter in estimator().get_params():
        assert f"\n    {parameter} : " in estimator.__doc__
        assert parameter in estimator._parameter_constraints
    assert "{shared" not in estimator.__doc__


@pytest.mark.usefixtures("_empty_registry")
def test_an_algorithm_of_another_package_is_found_by_its_entry_point(tmp_path, monkeypatch):
    info = tmp_path / "mypackage-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: mypackage\nVersion: 1.0\n")
    place = f"{ConstantRegressor.__module__}:ConstantRegressor"
    (info / "entry_points.txt").write_text(f"[fruler.algorithms]\nconstant = {place}\n")
    with pytest.raises(ValueError, match=r"no algorithm 'constant'.*from another package"):
        find_estimator("constant")
    monkeypatch.syspath_prepend(tmp_path)
    assert find_estimator("constant") is ConstantRegressor


CHANGES = {
    "growth": {
        "loss": "absolute_error",
        "max_rules": 2,
        "max_curves": 0,
        "max_terms": 2,
        "locality": 0.5,
        "regularization": 0.5,
        "fuzziness": 0.2,
        "split_points": {0: [0.3]},
        "cv": 3,
        "monotonic_constraints": {0: -1},
        "interaction_constraints": "no_interactions",
        "max_evaluations": 100,
        "early_stopping": 1,
        "quantile": 0.9,
        "power": 2.0,
    },
    "fruler": {
        "reading": "printed",
        "instance_selection": False,
        "core_error": "rmse",
        "splits": "gain",
        "fit_rows": "selected",
        "split_points": {0: [0.3]},
        "fuzziness": 0.2,
        "t_norm": "minimum",
        "criterion": "error",
        "solver": "sgd",
        "l1_ratio": 0.1,
        "shrink_intercepts": False,
        "regularization": 0.5,
        "max_rules": 2,
        "population_size": 20,
        "max_evaluations": 100,
        "mutation_probability": 1.0,
        "n_local_search": 0,
        "n_restarts": 0,
        "early_stopping": 1,
    },
    "l-metsk": {
        "max_rules": 5,
        "max_labels": 3,
        "displacement": 0.0,
        "consequent": "mean",
        "crop": "truncate",
        "t_norm": "product",
        "population_size": 20,
        "max_evaluations": 100,
        "mutation_probability": 1.0,
        "subset": None,
    },
}
CHANGES["fs-mogfs"] = CHANGES["l-metsk"] | {"crossover": "pcblx"}
del CHANGES["fs-mogfs"]["consequent"]
CHANGES["a-metsk"] = CHANGES["l-metsk"] | {
    "kappa": 1.0,
    "estimation": "local",
    "terms": "all",
    "crossover": "pcblx",
}
# Parameters that belong to a value of another one.
TOGETHER = {"quantile": {"loss": "quantile", "quantile": 0.5}, "power": {"loss": "tweedie"}}
# A small population converges soon enough to restart.
SETTINGS = {
    "fruler": {"population_size": 10, "max_evaluations": 3_000},
    "l-metsk": {"population_size": 10, "max_evaluations": 600},
    "fs-mogfs": {"population_size": 10, "max_evaluations": 300},
    "a-metsk": {"population_size": 10, "max_evaluations": 300, "max_rules": 30},
}
# Of smaller tables the three take all rows, and the core of the selection is as large by either error.
ROWS = {"fruler": 300, "fs-mogfs": 2_100, "l-metsk": 2_100, "a-metsk": 2_100}


@pytest.mark.slow
@pytest.mark.parametrize("name", WITHIN)
def test_every_parameter_has_an_effect(name):
    data = make_friedman(ROWS.get(name, 150), random_state=0)
    options = {field.name for field in dataclasses.fields(find_estimator(name).algorithm.options)}
    assert set(CHANGES[name]) == options | ({"split_points", "cv"} & set(find_estimator(name).parameter_names()))
    settings = {"random_state": 0} | SETTINGS.get(name, {})
    plain = make_estimator(name, **settings).fit(data.data, data.target)
    for parameter, value in CHANGES[name].items():
        both = settings | TOGETHER.get(parameter, {})
        if parameter in TOGETHER:
            plain = make_estimator(name, **both).fit(data.data, data.target)
        other = make_estimator(name, **both | {parameter: value}).fit(data.data, data.target)
        same_search = other.n_evaluations_ == plain.n_evaluations_
        assert not (same_search and other.pareto_.equals(plain.pareto_)), parameter


@pytest.mark.parametrize("name", WITHIN)
def test_what_is_loaded_copied_and_cloned_is_of_the_same_class(name, tmp_path):
    model = make_quick_estimator(name, 60).fit(X, y)
    model.save(tmp_path / "m.json")
    smallest = model.with_rules(model.pareto_["rules"].iloc[0])
    for again in (load_model(tmp_path / "m.json"), pickle.loads(pickle.dumps(model)), smallest):
        assert type(again) is type(model)
        assert again.get_params() == model.get_params()
    assert clone(model).fit(X, y).rule_base_ == model.rule_base_
    assert json.loads((tmp_path / "m.json").read_text())["learning"]["settings"]["algorithm"] == name


def test_with_rules_keeps_units_and_label_names(fitted):
    model = clone(fitted).fit(X, y)
    target, rules = WEATHER.target_name, model.rule_base_
    used = rules.names[next(iter(rules.antecedent_inputs), 0)]
    name = rules.variables[rules.names.index(used)].partition.labels[0]
    model.rule_base_ = rules.with_units({used: "°C", target: "°F"}).with_labels({used: {name: "cold"}})
    for size in model.pareto_["rules"]:
        rules = model.with_rules(size).rule_base_
        variable = rules.variables[rules.names.index(used)]
        assert (variable.unit, rules.target_unit) == ("°C", "°F")
        assert name not in variable.partition.labels
        assert name not in variable.partition.default_labels or "cold" in variable.partition.labels
    assert model.with_rules(model.n_rules_).rule_base_ == model.rule_base_


class Louder(find_estimator("growth")):
    """Overrides steps of the template."""

    def _fit(self, X, y, sample_weight, groups, control):
        super()._fit(X, y, sample_weight, groups, control)
        self.fitted_by_ = "Louder"

    def _training_table(self, X, y, sample_weight, groups):
        return super()._training_table(X, 2.0 * np.asarray(y), sample_weight, groups)


def test_a_subclass_may_override_what_it_needs():
    plain = make_quick_estimator("growth", 60).fit(X, y)
    louder = Louder(max_evaluations=60, random_state=0).fit(X, y)
    np.testing.assert_allclose(louder.predict(X), 2.0 * plain.predict(X), rtol=1e-6)
    assert louder.fitted_by_ == "Louder"


@pytest.mark.usefixtures("_constant")
def test_an_added_algorithm_fits_saves_loads_reports_and_checkpoints(tmp_path):
    assert algorithm_names() == (*WITHIN, "constant")
    model = ConstantRegressor(shift=1.0, checkpoint=tmp_path / "kept").fit(X, y)
    np.testing.assert_allclose(model.predict(X), np.mean(y) + 1.0)
    assert model.resumed_ == 0
    again = ConstantRegressor(shift=1.0, checkpoint=tmp_path / "kept").fit(X, y)
    assert again.resumed_ == 1
    assert again.rule_base_ == model.rule_base_
    with pytest.raises(ValueError, match=r"shift was 1\.0 and is now 2\.0"):
        ConstantRegressor(shift=2.0, checkpoint=tmp_path / "kept").fit(X, y)
    model.save(tmp_path / "m.json")
    loaded = load_model(tmp_path / "m.json")
    assert type(loaded) is ConstantRegressor
    assert loaded.shift == 1.0
    assert loaded.rule_base_ == model.rule_base_ == model.with_rules(1).rule_base_
    pytest.importorskip("jinja2")
    assert "1 rule for mean_temperature" in model.report(X, y)
    assert len(model.explain(X[:2]).predictions) == 2
    assert RuleBaseDisplay.from_estimator(model).figure_ is not None


@pytest.mark.usefixtures("_constant")
def test_an_added_algorithm_is_on_the_command_line_and_in_the_benchmark(tmp_path, capsys):
    from fruler._cli.fit import learn_rules
    from fruler._cli.options import FitOptions

    X.assign(t=y).to_csv(tmp_path / "t.csv", index=False)
    learn_rules(FitOptions(data=[str(tmp_path / "t.csv")], target="t", algorithm="constant", model=tmp_path / "m.json"))
    assert "t: 1 rule" in capsys.readouterr().out
    assert type(load_model(tmp_path / "m.json")) is ConstantRegressor
    with pytest.raises(ValueError, match="--max-rules: the algorithm constant has no such limit"):
        learn_rules(FitOptions(data=[str(tmp_path / "t.csv")], target="t", algorithm="constant", max_rules=3))
    assert find_method("constant").settings == {"shift": 0.0, "time_limit": None}
    assert title_of("constant-capped") == "Constant, capped"
    with pytest.raises(ValueError, match="--max-evaluations: the algorithm constant does not count evaluations"):
        own_methods(["growth", "constant"], 100)
    rows = Bunch(data=X.to_numpy(), target=y.to_numpy())
    measured = find_method("constant").measure({"shift": 0.0}, rows, rows, 0)
    assert (measured["rules"], measured["coefficients"]) == (1, 0)
    assert measured["error"] == pytest.approx(np.var(y) / 2.0)
    with pytest.raises(ValueError, match="no algorithm 'constnt'; did you mean 'constant'"):
        own_methods(["constnt"], None)


@pytest.mark.usefixtures("_constant")
def test_an_added_algorithm_is_documented_and_checked_like_the_others():
    test_every_option_is_a_parameter_with_the_same_default("constant")
    test_every_parameter_is_documented_and_checked("constant")
    with pytest.raises(ValueError, match="'shift' parameter of ConstantRegressor must be"):
        ConstantRegressor(shift="up").fit(X, y)


@pytest.mark.usefixtures("_constant")
def test_an_added_algorithm_keeps_scikit_learn_s_contract():
    expected = {"check_regressors_train": "the mean explains nothing"}
    results = check_estimator(ConstantRegressor(), on_skip=None, expected_failed_checks=expected)
    assert sum(result["status"] == "passed" for result in results) > 40


@pytest.mark.usefixtures("_constant")
def test_a_name_that_is_taken_is_refused():
    class Other(ConstantRegressor):
        pass

    with pytest.raises(ValueError, match="there already is an algorithm 'constant'"):
        registry.register(Other)
    with pytest.raises(ValueError, match="BaseRuleRegressor has no attribute algorithm"):
        registry.register(BaseRuleRegressor)
    Other.algorithm = dataclasses.replace(find_estimator("fruler").algorithm, name="other")
    with pytest.raises(
        ValueError, match=r"constructor of Other lacks options of its algorithm: .*'instance_selection'"
    ):
        registry.register(Other)
    assert registry.register(ConstantRegressor) is ConstantRegressor
