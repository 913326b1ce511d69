"""Prediction intervals and what is done outside the training data, of every estimator."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from helpers.estimators import ALGORITHMS, make_estimator
from sklearn.datasets import make_friedman1

from fruler import FuzzyRuleRegressor, load_model
from fruler.estimators.base import split_rows
from fruler.rules._background import OutsideTrainingWarning

ROWS, TARGET = make_friedman1(600, 5, noise=1.0, random_state=0)
NEW, ANSWERS = make_friedman1(2_000, 5, noise=1.0, random_state=1)


@pytest.fixture(scope="module")
def grown():
    return FuzzyRuleRegressor(random_state=0).fit(ROWS, TARGET)


@pytest.fixture(scope="module", params=ALGORITHMS)
def calibrated(request):
    return make_estimator(request.param, random_state=0, max_evaluations=300, calibration=0.3).fit(ROWS, TARGET)


def share_covered(model, coverage):
    lower, upper, _ = model.predict_interval(NEW, coverage)
    return np.mean((lower <= ANSWERS) & (upper >= ANSWERS))


@pytest.mark.parametrize("coverage", [0.5, 0.8, 0.9, 0.95])
def test_intervals_of_cross_validation_cover_what_they_say(grown, coverage):
    assert grown.rule_base_.intervals.method == "cross-validation"
    assert share_covered(grown, coverage) == pytest.approx(coverage, abs=0.05)


@pytest.mark.parametrize("coverage", [0.5, 0.8, 0.9])
def test_intervals_of_calibration_cover_what_they_say(calibrated, coverage):
    intervals = calibrated.rule_base_.intervals
    assert (intervals.method, intervals.n_rows) == ("calibration", 180)
    assert share_covered(calibrated, coverage) == pytest.approx(coverage, abs=0.08)


def test_rows_that_are_kept_are_not_learned_from(calibrated):
    (X, y, *_), kept = split_rows(ROWS, TARGET, None, None, 0.3, 0)
    assert calibrated.rule_base_.training.n_rows == len(X) == 420
    assert set(calibrated.sample_indices_) <= set(kept.others)
    other = make_estimator(calibrated.algorithm.name, random_state=0, max_evaluations=300).fit(X, y)
    np.testing.assert_array_equal(other.predict(X), calibrated.predict(X))
    assert other.with_intervals(kept.X, kept.y).rule_base_ == calibrated.rule_base_


def test_without_held_out_rows_there_are_no_intervals():
    model = make_estimator("l-metsk", random_state=0, max_evaluations=100).fit(ROWS, TARGET)
    with pytest.raises(ValueError, match=r"fit with calibration=0\.2, or give held-out rows to with_intervals"):
        model.predict_interval(NEW)
    with pytest.raises(ValueError, match=r"fit with calibration=0\.2"):
        FuzzyRuleRegressor(random_state=0, max_evaluations=30).fit(ROWS, TARGET).predict_interval(NEW)


def test_a_loaded_model_gives_the_same_intervals(grown, calibrated, tmp_path):
    for model in (grown, calibrated):
        model.save(tmp_path / "m.json")
        again = load_model(tmp_path / "m.json")
        for mine, yours in zip(model.predict_interval(NEW), again.predict_interval(NEW), strict=True):
            np.testing.assert_array_equal(mine, yours)
    newer = again.with_intervals(NEW, ANSWERS)
    assert newer.rule_base_.intervals.n_rows == len(NEW)
    assert again.rule_base_.intervals.n_rows == 180


def test_every_size_has_its_own_intervals(grown):
    one, few = grown.with_rules(1), grown.with_rules(3)
    assert len(one.rule_base_.intervals.spreads) == one.n_rules_ == 1
    width = [np.mean(np.diff(model.predict_interval(NEW)[:2], axis=0)) for model in (one, few, grown)]
    assert len(set(width)) == 3
    assert width[0] > max(width[1:])
    model = FuzzyRuleRegressor(random_state=0, calibration=0.3).fit(ROWS, TARGET).with_rules(1)
    assert model.rule_base_.intervals.n_rows == 180


def test_intervals_are_those_of_the_model_s_own_rules(grown):
    """The spreads of the rules are the errors where they apply: twice the noise gives twice the width there."""
    X = np.random.default_rng(0).uniform(-1.0, 1.0, (1_000, 2))
    noise = np.random.default_rng(1).normal(size=1_000) * np.where(X[:, 0] > 0.0, 1.0, 0.1)
    y = np.where(X[:, 0] > 0.0, 20.0 + 5.0 * X[:, 1], -5.0 * X[:, 1]) + noise
    model = FuzzyRuleRegressor(random_state=0).fit(X, y)
    lower, upper, _ = model.predict_interval(np.array([[-0.9, 0.0], [0.9, 0.0]]))
    quiet, loud = upper - lower
    assert loud > 5.0 * quiet
    assert 2 * 1.645 * 0.7 < loud < 2 * 1.645 * 1.6


def test_scale_and_weights(grown):
    scaled = FuzzyRuleRegressor(random_state=0).fit(ROWS, 1_000.0 * TARGET)
    np.testing.assert_allclose(
        np.diff(scaled.predict_interval(NEW)[:2], axis=0),
        1_000.0 * np.diff(grown.predict_interval(NEW)[:2], axis=0),
        rtol=1e-3,
    )
    weight = np.where(ROWS[:, 0] > 0.5, 1.0, 0.0)
    half = FuzzyRuleRegressor(random_state=0, calibration=0.4).fit(ROWS, TARGET, weight)
    kept = split_rows(ROWS, TARGET, weight, None, 0.4, 0)[1]
    assert half.rule_base_.intervals.n_rows == kept.sample_weight.sum()
    assert set(half.sample_indices_) <= set(np.flatnonzero(weight)) & set(kept.others)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, list, np.asarray])
def test_any_table_is_split(kind):
    names = [f"x{j}" for j in range(5)]
    table = {pd.DataFrame: lambda: pd.DataFrame(ROWS, columns=names), pl.DataFrame: lambda: pl.DataFrame(ROWS, names)}
    X = table.get(kind, lambda: kind(ROWS.tolist()))()
    y = pd.Series(TARGET, name="target") if kind is pd.DataFrame else TARGET.tolist() if kind is list else TARGET
    model = FuzzyRuleRegressor(random_state=0, max_evaluations=300, calibration=0.3).fit(X, y)
    assert model.rule_base_.intervals.n_rows == 180
    assert model.rule_base_.target_name == ("target" if kind is pd.DataFrame else "y")


def test_too_few_rows_to_keep_any_are_refused():
    with pytest.raises(ValueError, match=r"calibration=0\.9 leaves none of the 3 rows to learn from; give more rows"):
        FuzzyRuleRegressor(calibration=0.9).fit(ROWS[:3], TARGET[:3])
    with pytest.raises(ValueError, match="'calibration' parameter"):
        FuzzyRuleRegressor(calibration=1.0).fit(ROWS, TARGET)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        FuzzyRuleRegressor(calibration=0.5).fit(ROWS, TARGET[:3])


def test_a_fit_without_calibration_forgets_the_rows_of_the_last():
    model = FuzzyRuleRegressor(random_state=0, max_evaluations=300, calibration=0.3).fit(ROWS, TARGET)
    model.set_params(calibration=None).fit(ROWS, TARGET)
    assert model.rule_base_.intervals.method == "cross-validation"
    assert model._calibration is None


def test_predict_warns_of_rows_outside_the_training_data(grown):
    outside = ROWS[:3].copy()
    outside[1, 0] = 7.0
    message = (
        r"1 of 3 rows lies outside the training data: 'x0' in 1 row \(learned from .*\)\. The rules are extrapolated"
    )
    with pytest.warns(OutsideTrainingWarning, match=message) as caught:
        grown.predict(outside)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        grown.predict(ROWS)
        FuzzyRuleRegressor(random_state=0, max_evaluations=100, warn_outside=False).fit(ROWS, TARGET).predict(outside)
        flag = grown.predict_interval(outside).outside
    assert flag.tolist() == [False, True, False]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_clipped_models_answer_outside_as_at_the_edge(algorithm, tmp_path):
    model = make_estimator(algorithm, random_state=0, max_evaluations=200, extrapolation="clip", warn_outside=False)
    model.fit(ROWS, TARGET)
    far = ROWS[:50] + np.where(np.arange(5) % 2, 100.0, -100.0)
    edge = np.clip(far, ROWS.min(axis=0), ROWS.max(axis=0))
    np.testing.assert_array_equal(model.predict(far), model.predict(edge))
    model.save(tmp_path / "m.json")
    again = load_model(tmp_path / "m.json")
    assert (again.extrapolation, again.warn_outside, again.rule_base_.extrapolation) == ("clip", False, "clip")
    np.testing.assert_array_equal(again.predict(far), model.predict(edge))
    linear = make_estimator(algorithm, random_state=0, max_evaluations=200).fit(ROWS, TARGET)
    np.testing.assert_array_equal(linear.predict(ROWS), model.predict(ROWS))


def test_the_warning_of_a_clipped_model_says_so():
    model = FuzzyRuleRegressor(random_state=0, max_evaluations=100, extrapolation="clip").fit(ROWS, TARGET)
    with pytest.warns(OutsideTrainingWarning, match="Their values are clipped; warn_outside=False turns"):
        model.predict(ROWS[:2] + 100.0)


def test_a_resumed_fit_has_the_same_intervals(tmp_path):
    whole = FuzzyRuleRegressor(random_state=0).fit(ROWS, TARGET)

    class Stop(Exception):
        pass

    from fruler.callbacks import Callback

    class After(Callback):
        def __init__(self, folds):
            self.folds = folds

        def on_generation(self, progress):
            if progress.stage == "cross-validation" and progress.generation >= self.folds:
                raise Stop

    with pytest.raises(Stop):
        FuzzyRuleRegressor(random_state=0, checkpoint=tmp_path, callbacks=After(1)).fit(ROWS, TARGET)
    resumed = FuzzyRuleRegressor(random_state=0, checkpoint=tmp_path).fit(ROWS, TARGET)
    assert resumed.resumed_ > 0
    assert resumed.rule_base_ == whole.rule_base_
    again = FuzzyRuleRegressor(random_state=0, checkpoint=tmp_path).fit(ROWS, TARGET)
    assert again.rule_base_ == whole.rule_base_


def copied_rows(n_groups, seed, copies=5):
    rng = np.random.default_rng(seed)
    X = np.repeat(rng.normal(size=(n_groups, 2)), copies, axis=0)
    return X, X[:, 0] + np.repeat(rng.normal(size=n_groups), copies)


@pytest.mark.parametrize("kind", ["array", "mixed"])
def test_equal_rows_stay_together_in_calibration(kind):
    X, y = copied_rows(20, 0)
    table = X if kind == "array" else pd.DataFrame({"a": X[:, 0], "g": np.where(X[:, 1] > 0, "u", "v")})
    model = FuzzyRuleRegressor(calibration=0.3, random_state=0).fit(table, y)
    groups = np.arange(100) // 5
    learned = np.unique(groups[model.sample_indices_])
    held_out = np.setdiff1d(groups, learned)
    assert len(held_out) == 6
    assert len(model._calibration.others) == 5 * 14
    assert model.rule_base_.intervals.n_rows == 6
    with pytest.raises(ValueError, match=r"held-out rows than the 6 of this model \(no copies\); at most 0\.857"):
        model.predict_interval(table, 0.9)


def test_intervals_of_copied_rows_cover_what_they_promise():
    covered = []
    for seed in range(12):
        model = FuzzyRuleRegressor(calibration=0.3, random_state=0).fit(*copied_rows(8, seed))
        coverage = float(model.rule_base_.intervals.coverages[-1])
        X, y = copied_rows(400, seed + 100, 1)
        lower, upper, _ = model.predict_interval(X, coverage)
        covered.append(np.mean((lower <= y) & (y <= upper)) - coverage)
    # Twelve draws of three groups: the mean varies by 0.06.
    assert np.mean(covered) > -0.15


def test_rows_that_are_all_equal_cannot_be_held_out_in_part():
    with pytest.raises(ValueError, match="leaves none of the 10 rows to learn from"):
        FuzzyRuleRegressor(calibration=0.3).fit([[1.0]] * 10, [2.0] * 10)
