"""link and bounds of every estimator."""

import json

import numpy as np
import pandas as pd
import pytest
from helpers.estimators import ALGORITHMS, make_estimator
from sklearn.model_selection import cross_val_predict

from fruler import FuzzyRuleRegressor, load_model
from fruler.rules import Output

RNG = np.random.default_rng(0)
ROWS = RNG.uniform(0.0, 10.0, (500, 3))
LOGS = 3.0 + 0.15 * ROWS[:, 0] - 0.3 * np.where(ROWS[:, 2] > 5.0, ROWS[:, 1], 0.0)
TARGET = np.exp(LOGS + RNG.normal(0.0, 0.2, 500))


@pytest.fixture(scope="module")
def grown():
    return FuzzyRuleRegressor(random_state=0, link="log").fit(ROWS, TARGET)


@pytest.fixture(scope="module", params=ALGORITHMS)
def either(request):
    made = make_estimator(request.param, random_state=0, max_evaluations=300, link="log", bounds=(0.1, 120.0))
    return made.fit(ROWS, np.minimum(TARGET, 120.0))


def test_every_estimator_learns_logarithms_and_keeps_bounds(either):
    y = np.minimum(TARGET, 120.0)
    assert either.rule_base_.output == Output("log", (0.1, 120.0))
    found = either.predict(ROWS)
    assert found.max() <= 120.0
    assert either.score(ROWS, y) > 0.5
    plain = make_estimator(either.algorithm.name, random_state=0, max_evaluations=300).fit(ROWS, np.log(y))
    np.testing.assert_allclose(found, np.clip(np.exp(plain.predict(ROWS)), 0.1, 120.0), rtol=1e-9)
    # Errors, and what labels stand for, are of the target.
    own = ["rmse", "rmse alone", *(["output"] if "output" in plain.rules_ else [])]
    assert either.rules_.drop(columns=own).equals(plain.rules_.drop(columns=own))


def test_errors_are_of_the_target(either):
    y = np.minimum(TARGET, 120.0)
    error = np.sqrt(np.mean((either.predict(ROWS) - y) ** 2))
    assert either.rule_base_.training.rmse == pytest.approx(error)
    chosen = either.pareto_[either.pareto_["rules"] == either.n_rules_].iloc[0]
    assert chosen["rmse"] == pytest.approx(error)
    assert chosen["error"] == pytest.approx(error**2 / 2.0)
    for n_rules in either.pareto_["rules"].tolist()[:2]:
        smaller = either.with_rules(n_rules)
        point = either.pareto_[either.pareto_["rules"] == n_rules].iloc[0]
        assert smaller.rule_base_.training.rmse == pytest.approx(point["rmse"])


def test_models_are_kept_with_their_output(either, tmp_path):
    either.save(tmp_path / "m.json")
    again = load_model(tmp_path / "m.json")
    assert again.rule_base_ == either.rule_base_
    assert (again.link, again.bounds) == ("log", (0.1, 120.0))
    np.testing.assert_array_equal(again.predict(ROWS), either.predict(ROWS))
    assert json.loads((tmp_path / "m.json").read_text())["rule_bases"][0]["output"]["link"] == "log"


def test_the_cross_validated_error_is_of_the_target(grown):
    """About that of another cross-validation; the noise is skewed, so that the sign of an error matters."""
    y = np.exp(LOGS + 0.5 * np.random.default_rng(2).exponential(size=len(LOGS)))
    model = FuzzyRuleRegressor(random_state=0, link="log", max_rules=3, max_curves=0).fit(ROWS, y)
    found = cross_val_predict(model, ROWS, y, cv=4)
    assert model.rule_base_.training.cv_rmse == pytest.approx(np.sqrt(np.mean((found - y) ** 2)), rel=0.1)
    chosen = grown.pareto_["cv_rmse"].iloc[grown.n_rules_ - 1]
    assert grown.rule_base_.training.cv_rmse == pytest.approx(chosen)
    assert grown.truth_.together == pytest.approx(0.2, rel=0.3)
    assert grown.truth_.held_out


def test_intervals_cover_what_they_say(grown):
    rng = np.random.default_rng(1)
    new = rng.uniform(0.0, 10.0, (2_000, 3))
    answers = 3.0 + 0.15 * new[:, 0] - 0.3 * np.where(new[:, 2] > 5.0, new[:, 1], 0.0)
    answers = np.exp(answers + rng.normal(0.0, 0.2, 2_000))
    for model in (grown, FuzzyRuleRegressor(random_state=0, link="log", calibration=0.3).fit(ROWS, TARGET)):
        lower, upper, _ = model.predict_interval(new, 0.9)
        assert np.mean((lower <= answers) & (answers <= upper)) == pytest.approx(0.9, abs=0.06)
        assert lower.min() > 0.0


def test_bounds_alone_only_clip():
    y = TARGET - TARGET.min()
    free = FuzzyRuleRegressor(random_state=0).fit(ROWS, y)
    bounded = FuzzyRuleRegressor(random_state=0, bounds=(0, None)).fit(ROWS, y)
    assert free.predict(ROWS).min() < 0.0
    np.testing.assert_array_equal(bounded.predict(ROWS), np.maximum(free.predict(ROWS), 0.0))
    assert bounded.predict_interval(ROWS, 0.9).lower.min() == 0.0
    assert bounded.rule_base_.training.cv_rmse <= free.rule_base_.training.cv_rmse
    assert bounded.rule_base_.training.rmse < free.rule_base_.training.rmse
    assert bounded.truth_.together == pytest.approx(bounded.rule_base_.training.cv_rmse)


def test_categories_have_numbers_of_the_logarithm():
    frame = pd.DataFrame({"size": ROWS[:, 0], "kind": np.where(ROWS[:, 2] > 5.0, "old", "new")})
    y = pd.Series(np.exp(1.0 + 0.1 * ROWS[:, 0] + np.where(ROWS[:, 2] > 5.0, 2.0, 0.0)), name="price")
    model = FuzzyRuleRegressor(random_state=0, link="log").fit(frame, y)
    assert model.score(frame, y) > 0.999
    assert model.rule_base_.target_name == "price"


def test_weights_count_in_errors():
    weight = np.where(ROWS[:, 0] > 5.0, 2.0, 1.0)
    weight[:50] = 0.0
    model = FuzzyRuleRegressor(random_state=0, link="log").fit(ROWS, TARGET, weight)
    error = np.sqrt(np.average((model.predict(ROWS) - TARGET) ** 2, weights=weight))
    assert model.pareto_["rmse"].iloc[model.n_rules_ - 1] == pytest.approx(error)
    assert model.rule_base_.training.rmse == pytest.approx(error)


@pytest.mark.parametrize(
    ("parameters", "y", "said"),
    [
        ({"link": "log"}, TARGET - 5.0, "targets above 0, but row"),
        ({"bounds": (0, 50)}, TARGET, "must hold for all targets, but row"),
        ({"bounds": (0, 50, 60)}, TARGET, "as in"),
        ({"link": "log", "bounds": (None, 0)}, TARGET, "must be above 0"),
        ({"link": "exp"}, TARGET, "link"),
        ({"link": "log", "calibration": 0.2}, np.where(np.arange(500) == 7, -1.0, TARGET), "targets above 0"),
    ],
)
def test_what_can_not_be_is_refused_in_one_sentence(parameters, y, said):
    with pytest.raises(ValueError, match=said) as error:
        FuzzyRuleRegressor(random_state=0, **parameters).fit(ROWS, y)
    assert "\n" not in str(error.value)


def test_a_checkpoint_is_of_one_output(tmp_path):
    first = FuzzyRuleRegressor(random_state=0, link="log", checkpoint=tmp_path / "a").fit(ROWS, TARGET)
    again = FuzzyRuleRegressor(random_state=0, link="log", checkpoint=tmp_path / "a").fit(ROWS, TARGET)
    assert again.resumed_ > 0
    assert again.rule_base_ == first.rule_base_
    pd.testing.assert_frame_equal(again.pareto_, first.pareto_)
    for other in ({}, {"link": "log", "bounds": (0, None)}):
        with pytest.raises(ValueError, match=r"(link|bounds) was .* and is now"):
            FuzzyRuleRegressor(random_state=0, checkpoint=tmp_path / "a", **other).fit(ROWS, TARGET)


def test_a_file_with_settings_that_are_none_is_refused(grown, tmp_path):
    grown.save(tmp_path / "m.json")
    text = (tmp_path / "m.json").read_text()
    (tmp_path / "m.json").write_text(text.replace('"link": "log",', '"link": "root",', 1))
    with pytest.raises(ValueError, match="link"):
        load_model(tmp_path / "m.json")
