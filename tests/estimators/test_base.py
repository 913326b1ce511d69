import hashlib
import json
import pickle
import subprocess
import sys
import warnings
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from helpers.estimators import ALGORITHMS, make_estimator, n_stages, takes_split_points
from helpers.mixed_tables import mixed_table
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from fruler import AMETSKRegressor, FRULERRegressor, FSMOGFSRegressor, FuzzyRuleRegressor, LMETSKRegressor
from fruler.data import load_example, make_friedman
from fruler.estimators.registry import algorithm_names
from fruler.rules import Curve, FuzzyPartition
from fruler.rules._json.document import rule_base_to_json
from fruler.rules._measurement import measure_truth
from fruler.rules._tables import curves_table


@pytest.fixture(scope="module")
def friedman():
    data = make_friedman(400, random_state=1)
    return data.data.to_numpy(), data.target.to_numpy()


@pytest.fixture(scope="module", params=ALGORITHMS)
def algorithm(request):
    return request.param


@pytest.fixture(params=[name for name in algorithm_names() if takes_split_points(name)])
def with_split_points(request):
    return request.param


@pytest.fixture(scope="module", params=["growth", "fruler"])
def sloped(request):
    """An algorithm whose rules have slopes, so that a few of them are better than a line."""
    return request.param


@pytest.fixture(scope="module")
def fitted(friedman, algorithm):
    return make_estimator(algorithm, random_state=0, max_evaluations=1_500).fit(*friedman)


def quick(algorithm="growth", **changes):
    return make_estimator(algorithm, **{"random_state": 0, "max_evaluations": 400} | changes)


def evolved(**changes):
    return quick("fruler", **changes)


def fingerprint(model):
    return hashlib.sha256(json.dumps(rule_base_to_json(model.rule_base_)).encode()).hexdigest()


def test_it_learns_what_a_line_cannot(friedman, sloped):
    fitted = make_estimator(sloped, random_state=0, max_evaluations=1_500).fit(*friedman)
    test = make_friedman(1_000, random_state=2)
    X, y = test.data.to_numpy(), test.target.to_numpy()
    linear = LinearRegression().fit(*[make_friedman(400, random_state=1)[key].to_numpy() for key in ("data", "target")])
    ours = np.square(fitted.predict(X) - y).mean()
    assert ours < 0.3 * np.square(linear.predict(X) - y).mean()
    assert fitted.n_rules_ <= 16


def test_fitted_attributes(friedman, fitted):
    X = friedman[0]
    assert fitted.n_rules_ == fitted.rule_base_.n_rules == len(fitted.rules_)
    assert fitted.n_features_in_ == 5
    assert fitted.granularities_.shape == (5,)
    assert fitted.n_uncovered_ == (~fitted.rule_base_.activations(X)[1]).sum()
    assert min(fitted.stage_seconds_.values()) > 0.0
    assert fitted.rule_base_.support.sum() == pytest.approx(1.0)
    assert 0 < fitted.n_evaluations_ <= n_stages(fitted.algorithm.name) * 1_500


def test_the_history_of_an_evolution(friedman):
    X, y = friedman
    model = evolved(max_evaluations=1_500).fit(X, y)
    assert model.n_evaluations_ == 1_500
    assert 0 < len(model.sample_indices_) < 400
    assert list(model.stage_seconds_) == ["selection", "discretization", "evolution"]
    history = model.history_
    assert list(history.columns[:4]) == ["generation", "evaluations", "best_fitness", "best_error"]
    assert history.generation.tolist() == list(range(len(history)))
    assert history.best_fitness.is_monotonic_decreasing
    assert history.evaluations.iloc[-1] == 1_500
    assert history.best_error.iloc[-1] == pytest.approx(np.square(model.predict(X) - y).mean() / 2, rel=0.05)


def test_the_history_of_a_growth(friedman):
    X, y = friedman
    model = quick(max_evaluations=None).fit(X, y)
    assert model.sample_indices_.tolist() == list(range(400))
    assert list(model.stage_seconds_) == ["growth", "cross-validation", "fit"]
    history = model.history_
    # Each step is another rule, or another piece of a curve.
    assert set(np.diff(history.n_rules)) == {0, 1}
    assert history.n_rules[0] == 1
    assert history.n_curves[0] == 0 < history.n_curves.max()
    assert history.evaluations.is_monotonic_increasing
    assert history.best_error.min() == pytest.approx(np.square(model.predict(X) - y).mean() / 2, rel=0.2)


def test_every_point_of_the_front_is_a_model(friedman, fitted):
    X, y = friedman
    front = fitted.pareto_
    errors = ["criterion", "error", "cv_error", "rmse", "cv_rmse", "truth"]
    assert list(front.columns) == ["rules", "curves", "coefficients", "terms", "numbers", *errors]
    assert front.rules.is_monotonic_increasing
    assert front.rules.is_unique
    assert fitted.n_rules_ in front.rules.to_numpy()
    for row in front.itertuples():
        model = fitted.with_rules(row.rules)
        assert model.n_rules_ == model.rule_base_.n_rules == row.rules
        assert model.rule_base_.n_coefficients == row.coefficients
        assert model.rule_base_.n_curves == row.curves
        assert model.rule_base_.numbers_to_read == row.numbers
        assert model.rule_base_.n_terms == row.terms
        assert row.error == pytest.approx(np.square(model.predict(X) - y).mean() / 2, rel=1e-6)
        assert row.rmse == pytest.approx(np.sqrt(np.square(model.predict(X) - y).mean()), rel=1e-6)
        assert row.cv_rmse == pytest.approx(model.rule_base_.training.cv_rmse, nan_ok=True)
    assert fitted.with_rules(fitted.n_rules_).rule_base_ == fitted.rule_base_
    assert fitted.with_rules(10_000).n_rules_ == front.rules.max()
    with pytest.raises(ValueError, match="the smallest has"):
        fitted.with_rules(0)
    with pytest.raises(TypeError, match="n_rules must be an integer; got 'a'"):
        fitted.with_rules("a")
    with pytest.raises(NotFittedError):
        quick().with_rules(2)


def test_the_truth_of_every_model_of_the_front(friedman, fitted, algorithm):
    X, y = friedman
    for row in fitted.pareto_.itertuples():
        model = fitted.with_rules(row.rules)
        truth = model.truth_
        assert truth is model.rule_base_.training.truth
        assert len(truth.rule_alone) == row.rules
        if algorithm == "growth":
            assert truth.held_out
            assert truth.ratio == row.truth
            assert truth.together == pytest.approx(np.sqrt(2 * row.cv_error))
        else:
            # This search holds no rows out, so that all that is known is of the training rows.
            assert truth == measure_truth(model.rule_base_, X, y, held_out=False)
            assert truth.together == pytest.approx(np.sqrt(2 * row.error))
            assert np.isnan(row.truth)
    with pytest.raises(NotFittedError):
        quick().truth_  # noqa: B018


def test_more_locality_makes_rules_truer(friedman):
    ratios = [quick(max_evaluations=None, locality=locality).fit(*friedman).truth_.ratio for locality in (0.0, 0.5)]
    assert ratios[0] < ratios[1] <= 1.05


def test_rows_of_more_weight_count_more_for_the_truth(friedman):
    X, y = friedman
    weight = np.where(X[:, 0] > 0.5, 3.0, 1.0)
    model = evolved().fit(X, y, sample_weight=weight)
    assert model.truth_ == measure_truth(model.rule_base_, X, y, weight / weight.mean(), held_out=False)
    assert model.truth_ != measure_truth(model.rule_base_, X, y, held_out=False)


def test_the_rules_are_a_table(fitted):
    table = fitted.rules_
    rules = fitted.rule_base_
    conditions = [f"if {rules.names[j]}" for j in rules.antecedent_inputs]
    if rules.target is None:
        said = ["intercept", *(f"coef x{j}" for j in range(5))]
        np.testing.assert_array_equal(table[said], rules.consequents)
    else:
        said = ["then y", "output"]
        assert set(table["then y"]) <= set(rules.target.partition.labels)
    assert list(table.columns) == [*conditions, "support", "rmse", "rmse alone", *said]
    assert list(table.index) == list(range(1, fitted.n_rules_ + 1))
    np.testing.assert_array_equal(table["rmse"], fitted.truth_.rule_together)
    np.testing.assert_array_equal(table["rmse alone"], fitted.truth_.rule_alone)


def test_curves_are_a_table_too(fitted):
    pd.testing.assert_frame_equal(fitted.curves_, curves_table(fitted.rule_base_))
    curved = deepcopy(fitted)
    unknown = replace(fitted.rule_base_.training, curve_means=None)
    curved.rule_base_ = replace(fitted.rule_base_, curves=[], training=unknown)
    assert curved.curves_.shape == (0, 3)
    curve = Curve(1, FuzzyPartition([0.5], (0.0, 1.0), 0.5), [[0.0, 1.0], [2.0, 0.0]])
    if fitted.rule_base_.target is not None:
        return
    curved.rule_base_ = replace(fitted.rule_base_, curves=[curve], training=unknown)
    pd.testing.assert_frame_equal(curved.curves_, curves_table(curved.rule_base_))
    assert set(curved.curves_["input"]) == {"x1"}
    pd.testing.assert_frame_equal(curved.rules_, fitted.rules_)
    with pytest.raises(NotFittedError):
        _ = quick().curves_


def test_inputs_may_be_called_like_the_table_s_own_columns():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 2)), columns=["support", "intercept"])
    table = quick(max_evaluations=50).fit(X, X["support"]).rules_
    assert {"support", "intercept", "coef support", "coef intercept"} <= set(table.columns)


def test_about_4000_evaluations_an_input(friedman):
    X, y = friedman
    model = FRULERRegressor(solver="coordinate_descent", random_state=0).fit(X[:, :2], y)
    assert model.n_evaluations_ == pytest.approx(8_000, rel=0.25)


def test_a_failed_fit_leaves_no_half_model(friedman):
    X, y = friedman
    model = quick(n_jobs=0)
    with pytest.raises(ValueError, match="n_jobs"):
        model.fit(X, y)
    model.set_params(n_jobs=1, split_points={"age": [1.0]})
    with pytest.raises(ValueError, match="age"):
        model.fit(X, y)
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_selected_rows_are_rows_of_the_table_that_was_given(friedman):
    X, y = friedman
    weight = np.r_[np.zeros(100), np.ones(300)]
    model = quick(max_evaluations=50).fit(X, y, sample_weight=weight)
    assert model.sample_indices_.min() >= 100
    assert model.sample_indices_.max() < 400


@pytest.mark.parametrize("unit", [1e-100, 1e100])
def test_the_unit_of_weights_does_not_matter(friedman, unit):
    X, y = friedman
    plain = quick(max_evaluations=60).fit(X, y, sample_weight=np.ones(400))
    other = quick(max_evaluations=60).fit(X, y, sample_weight=np.full(400, unit))
    np.testing.assert_allclose(plain.predict(X), other.predict(X), rtol=1e-6)


def test_one_heavy_row_does_not_spoil_the_descent(friedman):
    X, y = friedman
    weight = np.ones(400)
    weight[7] = 1_000.0
    assert FRULERRegressor(max_evaluations=100, random_state=0).fit(X, y, sample_weight=weight).score(X, y) > 0.8


def test_support_counts_weights(friedman, algorithm):
    X, y = friedman
    weight = np.where(X[:, 0] < 0.5, 3.0, 1.0)
    model = quick(algorithm).fit(X, y, sample_weight=weight)
    activations, _ = model.rule_base_.activations(X)
    np.testing.assert_allclose(model.rule_base_.support, np.average(activations, axis=0, weights=weight))


def test_regularization_is_searched_without_instance_selection(friedman):
    tuned = evolved(instance_selection=False, fit_rows="selected", max_evaluations=40).fit(*friedman)
    assert tuned.sample_indices_.tolist() == list(range(400))
    noise = np.random.default_rng(0).normal(size=400)
    heavy = evolved(instance_selection=False, fit_rows="selected", max_evaluations=40).fit(friedman[0], noise)
    assert heavy.regularization_ > tuned.regularization_


def test_coefficients_are_in_the_data_s_units(friedman, algorithm):
    X, y = friedman
    plain = quick(algorithm).fit(X, y)
    units = np.array([1e-9, 1e3, 1.0, 1e12, 7.0])
    other = quick(algorithm).fit(X * units + 3.0, y * 1e6 - 5.0)
    np.testing.assert_allclose(other.predict(X * units + 3.0), plain.predict(X) * 1e6 - 5.0, rtol=1e-4)
    # Where few rows fire a rule, the seven digits that are left of the first input hardly determine its slopes.
    rtol = 1e-2 if algorithm == "a-metsk" else 1e-4
    np.testing.assert_allclose(other.rule_base_.slopes * units / 1e6, plain.rule_base_.slopes, rtol=rtol, atol=1e-12)


@pytest.mark.slow
def test_one_seed_one_model(friedman, algorithm):
    prints = {fingerprint(quick(algorithm, n_jobs=n_jobs).fit(*friedman)) for n_jobs in (None, 1, 2, 4, 2)}
    assert len(prints) == 1
    assert algorithm == "growth" or fingerprint(evolved(random_state=1).fit(*friedman)) not in prints
    code = (
        "import sys; sys.path[:0] = sys.argv[3:]\n"
        "from test_base import fingerprint, quick\n"
        "from fruler.data import make_friedman\n"
        "data = make_friedman(400, random_state=1)\n"
        "model = quick(sys.argv[1], n_jobs=int(sys.argv[2]))\n"
        "print(fingerprint(model.fit(data.data.to_numpy(), data.target.to_numpy())))\n"
    )
    folders = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
    command = [sys.executable, "-c", code, algorithm, "2", *folders]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout.strip() in prints


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["coordinate_descent", "sgd"])
@pytest.mark.parametrize("t_norm", ["product", "minimum"])
@pytest.mark.parametrize("fit_rows", ["all", "selected"])
@pytest.mark.parametrize("criterion", ["bic", "error"])
def test_every_combination_learns(friedman, solver, t_norm, fit_rows, criterion):
    X, y = friedman
    model = evolved(solver=solver, t_norm=t_norm, fit_rows=fit_rows, criterion=criterion, max_evaluations=120)
    assert model.fit(X, y).score(X, y) > 0.7


def test_the_defaults_of_fruler_are_the_paper_s(friedman):
    assert FRULERRegressor(max_evaluations=2_000, random_state=0).fit(*friedman).score(*friedman) > 0.9
    paper = {
        "instance_selection": True,
        "fit_rows": "selected",
        "t_norm": "minimum",
        "criterion": "error",
        "solver": "sgd",
        "l1_ratio": 0.05,
        "population_size": 61,
        "max_evaluations": 100_000,
        "mutation_probability": 0.2,
        "n_local_search": 5,
        "n_restarts": 1,
    }
    assert paper.items() <= FRULERRegressor().get_params().items()


def test_a_descent_that_runs_away_on_all_rows_is_tamed(friedman, monkeypatch):
    X, y = friedman

    def too_fast(trial, settings, *_, **__):
        return replace(settings, regularization=1e-3, rate=5.0), 0

    monkeypatch.setattr("fruler._algorithms.fruler.learner.choose_regularization", too_fast)
    model = FRULERRegressor(max_evaluations=80, random_state=0).fit(X, y)
    # Nearly as good as a rate that is chosen, with 0.95.
    assert model.score(X, y) > 0.9


def test_data_frames_keep_their_names():
    weather = load_example("weather")
    model = quick().fit(weather.data, weather.target)
    assert [variable.name for variable in model.rule_base_.variables] == list(weather.data.columns)
    assert model.rule_base_.target_name == "mean_temperature"
    frame = pl.from_pandas(weather.data)
    same = quick().fit(frame, pl.Series("mean_temperature", weather.target.to_numpy()))
    assert fingerprint(model) == fingerprint(same)
    np.testing.assert_array_equal(model.predict(weather.data), same.predict(frame))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(weather.data[weather.data.columns[::-1]])
    with pytest.raises(ValueError, match="feature names"):
        model.predict(weather.data.iloc[:, :3])


def test_another_number_of_columns_is_refused(friedman, fitted):
    with pytest.raises(ValueError, match=r"X has 3 features, but \w+Regressor is expecting 5"):
        fitted.predict(friedman[0][:, :3])


def test_known_split_points_are_kept(with_split_points):
    weather = load_example("weather")
    X, y = weather.data[::3], weather.target[::3]
    known = {"dew_point": [0.0, 8.5], "wind_speed": [12.0]}
    model = quick(with_split_points, split_points=known).fit(X, y)
    for variable in model.rule_base_.variables:
        if variable.name in known and variable.partition.n_labels > 1:
            assert list(variable.partition.split_points) == known[variable.name]
    by_number = quick(with_split_points, split_points={2: [0.0, 8.5], 5: [12.0]}).fit(X, y)
    assert fingerprint(by_number) == fingerprint(model)


def test_known_split_points_outside_the_data_are_kept(friedman, with_split_points):
    model = quick(with_split_points, split_points={0: [-4.0, 0.5, 9.0], 1: [0.3]}).fit(*friedman)
    partition = model.rule_base_.variables[0].partition
    assert partition.split_points in ((), (-4.0, 0.5, 9.0))
    assert np.isfinite(model.predict([[100.0] * 5, [-100.0] * 5])).all()


@pytest.mark.parametrize(
    ("split_points", "message"),
    [
        ({"age": [7, 28]}, "'age', which X does not have; it has x0, x1"),
        ({7: [0.5]}, "the input 7"),
        ({0: [0.5, 0.2]}, "increase strictly"),
        ({0: []}, "increase strictly"),
        ({0: ["low"]}, "must be numbers"),
        ({0: [np.nan]}, "finite"),
        ({0: range(300)}, "at most 200 labels"),
    ],
)
def test_bad_split_points_are_refused(friedman, split_points, message):
    with pytest.raises(ValueError, match=message):
        quick(split_points=split_points).fit(*friedman)


def test_max_rules_holds(friedman, algorithm):
    for limit in (1, 3, 6):
        model = quick(algorithm, max_rules=limit).fit(*friedman)
        assert model.n_rules_ <= limit
    line = evolved(max_rules=1, regularization=0.0).fit(*friedman)
    np.testing.assert_allclose(
        line.predict(friedman[0]), LinearRegression().fit(*friedman).predict(friedman[0]), rtol=1e-6
    )


@pytest.mark.parametrize("make", [evolved, lambda **changes: FRULERRegressor(t_norm="product", **changes)])
def test_no_condition_is_shared_by_all_rules(friedman, make):
    for seed in range(4):
        model = make(max_evaluations=150, random_state=seed).fit(*friedman)
        first = model.rule_base_.antecedents.ranges[:, :, 0]
        shared = (np.ptp(first, axis=0) == 0) & (model.rule_base_.granularities > 1)
        assert not shared.any()
        np.testing.assert_array_equal(model.granularities_, model.rule_base_.granularities)


def test_a_given_regularization_is_used(friedman):
    assert quick(regularization=0.05).fit(*friedman).regularization_ == 0.05
    assert evolved(regularization=0.05).fit(*friedman).regularization_ == 0.05
    assert evolved(regularization=0.05, solver="sgd", max_evaluations=50).fit(*friedman).regularization_ == 0.05
    heavy = evolved(regularization=1e6, l1_ratio=1.0).fit(*friedman)
    assert not heavy.rule_base_.consequents.slopes.any()


def test_time_limit(friedman, clock):
    X, y = friedman
    clock.tick, start = 0.01, clock.now
    model = FRULERRegressor(time_limit=1.0, random_state=0).fit(X, y)
    assert 1.0 < clock.now - start < 1.5
    assert model.score(X, y) > 0.5
    assert model.ended_early_


def test_a_search_that_had_time_enough_is_not_ended_early(friedman, algorithm, clock):
    assert not quick(algorithm, time_limit=600.0).fit(*friedman).ended_early_


def test_weights_count(friedman, sloped):
    X, y = friedman
    weight = np.where(X[:, 0] < 0.5, 1.0, 1e-6)
    model = quick(sloped).fit(X, y + 10 * (X[:, 0] >= 0.5), sample_weight=weight)
    errors = np.square(model.predict(X) - y)
    assert errors[weight == 1.0].mean() < 3.0


def test_rows_of_weight_zero_do_not_count(friedman, algorithm):
    X, y = friedman
    kept = X[:, 0] < 0.5
    np.testing.assert_allclose(
        quick(algorithm).fit(X, y, sample_weight=np.where(kept, 2.0, 0.0)).predict(X),
        quick(algorithm).fit(X[kept], y[kept]).predict(X),
    )


def test_it_works_with_scikit_learn_s_tools(friedman):
    X, y = friedman
    pipeline = make_pipeline(StandardScaler(), quick(max_evaluations=100))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.7
    grid = GridSearchCV(evolved(max_evaluations=80), {"t_norm": ["product", "minimum"], "max_rules": [2, 8]}, cv=2)
    assert grid.fit(X, y).best_params_["max_rules"] == 8
    copy = clone(evolved(l1_ratio=0.3))
    assert copy.l1_ratio == 0.3
    assert "FRULERRegressor" in copy._repr_html_()


def test_a_mixed_table_goes_through_pipelines_and_searches(algorithm):
    X, y = mixed_table(200)
    columns = make_column_transformer(
        (StandardScaler(), ["a b"]), (OneHotEncoder(sparse_output=False, handle_unknown="ignore"), ["origin"])
    )
    quiet = {"warn_outside": False, "max_evaluations": 60}
    pipeline = make_pipeline(columns, quick(algorithm, **quiet)).set_output(transform="pandas")
    grid = {f"{pipeline.steps[-1][0]}__max_evaluations": [20, 60]}
    found = [GridSearchCV(pipeline, grid, cv=2, n_jobs=n).fit(X, y) for n in (1, 2)]
    assert found[0].cv_results_["mean_test_score"].tolist() == found[1].cv_results_["mean_test_score"].tolist()
    model = found[0].best_estimator_[-1]
    assert model.feature_names_in_[0] == "standardscaler__a b"
    expected = found[0].predict(X)
    for other in (clone(found[0].best_estimator_).fit(X, y), pickle.loads(pickle.dumps(found[0]))):
        np.testing.assert_array_equal(other.predict(X), expected)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"t_norm": "maximum"}, "t_norm"),
        ({"criterion": "aic"}, "criterion"),
        ({"population_size": 1}, "population_size"),
        ({"max_evaluations": 0}, "max_evaluations"),
        ({"l1_ratio": 1.5}, "l1_ratio"),
        ({"time_limit": 0}, "time_limit"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"split_points": [1.0]}, "split_points"),
    ],
)
def test_bad_parameters_are_refused(friedman, parameters, message):
    with pytest.raises(ValueError, match=message):
        evolved(**parameters).fit(*friedman)


def odd_tables():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    y = X[:, 0] + np.abs(X[:, 1]) + 0.1 * rng.normal(size=120)
    scales = np.array([1e-9, 1e12, 1.0, 1e-3])
    return {
        "more inputs than rows": (rng.normal(size=(50, 80)), rng.normal(size=50)),
        "200 inputs": (rng.normal(size=(60, 200)), rng.normal(size=60)),
        "all inputs constant": (np.full((60, 3), 2.5), rng.normal(size=60)),
        "one usable input": (np.column_stack([np.ones(120), X[:, 1], np.zeros(120)]), y),
        "a target of two values": (X, (y > 1).astype(float)),
        "a constant target": (X, np.full(120, 4.2)),
        "huge and tiny scales": (X * scales, y * 1e9),
        "heavy ties": (X.round(), y.round()),
        "50 rows": (X[:50], y[:50]),
        "5 rows": (X[:5], y[:5]),
        "2 rows": (X[:2], y[:2]),
        "integers": ((X * 10).astype(int), (y * 10).astype(int)),
        "float32": (X.astype(np.float32), y.astype(np.float32)),
        "one input": (X[:, :1], y),
        "an exact line": (X, X @ [1.0, 2.0, 3.0, 4.0]),
        "booleans": (X > 0, y),
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", odd_tables())
@pytest.mark.parametrize(
    "estimator", [FuzzyRuleRegressor, FRULERRegressor, FSMOGFSRegressor, LMETSKRegressor, AMETSKRegressor]
)
def test_odd_data_give_a_useful_model(name, estimator):
    X, y = odd_tables()[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = estimator(max_evaluations=150, random_state=0).fit(X, y)
    predictions = model.predict(X)
    assert np.isfinite(predictions).all()
    if estimator is FuzzyRuleRegressor:
        # No worse than the mean, which every model contains.
        assert np.square(predictions - y).mean() <= np.var(y) * 1.001 + 1e-9
    spread = np.ptp(np.asarray(X, dtype=float), axis=0)
    far = np.asarray(X, dtype=float).max(axis=0) + 1e6 * (spread + 1.0)
    assert np.isfinite(model.predict(np.vstack([far, -far]))).all()


@pytest.mark.parametrize("limit", [1, 2, 10, 60])
def test_few_evaluations(friedman, algorithm, limit):
    model = quick(algorithm, max_evaluations=limit).fit(*friedman)
    assert model.n_evaluations_ <= n_stages(algorithm) * (limit + 1)
    assert np.isfinite(model.predict(friedman[0])).all()


def test_more_threads_than_processors(friedman, algorithm):
    models = [quick(algorithm, n_jobs=n_jobs).fit(*friedman) for n_jobs in (16, -1)]
    assert fingerprint(models[0]) == fingerprint(models[1])


def test_series_names_are_the_target_s():
    X = pd.DataFrame({"a": np.arange(40.0), "b": np.arange(40.0) % 7})
    assert quick().fit(X, pd.Series(np.arange(40.0), name="price")).rule_base_.target_name == "price"
    assert quick().fit(X, np.arange(40.0)).rule_base_.target_name == "y"
