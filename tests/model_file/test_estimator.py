"""A saved regressor is the same after loading, as far as a file can hold it."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from fruler import FRULERRegressor, FuzzyRuleRegressor, load_model
from fruler._model_file.file import Model, model_bytes, parse_model
from fruler.estimators._saved_model import regressor_of


@pytest.fixture
def loaded(fitted, tmp_path):
    fitted.save(tmp_path / "model.json")
    return load_model(tmp_path / "model.json")


def test_a_loaded_model_is_the_saved_one(weather, fitted, loaded):
    check_is_fitted(loaded)
    assert loaded.rule_base_ == fitted.rule_base_
    np.testing.assert_array_equal(loaded.predict(weather.data), fitted.predict(weather.data))
    mine, other = (model.explain(weather.data[:20]) for model in (fitted, loaded))
    np.testing.assert_array_equal(mine.contributions, other.contributions)
    assert str(mine) == str(other)
    assert loaded.get_params() == fitted.get_params()
    pd.testing.assert_frame_equal(loaded.pareto_, fitted.pareto_)
    pd.testing.assert_frame_equal(loaded.rules_, fitted.rules_)
    assert loaded.feature_names_in_.tolist() == list(weather.data.columns)
    assert loaded.feature_names_in_.dtype == object
    np.testing.assert_array_equal(loaded.feature_importances_, fitted.feature_importances_)
    np.testing.assert_array_equal(loaded.granularities_, fitted.granularities_)
    for name in ("n_rules_", "n_features_in_", "n_evaluations_", "regularization_", "n_uncovered_"):
        assert getattr(loaded, name) == getattr(fitted, name), name


def test_saving_again_gives_the_same_bytes(loaded, tmp_path):
    loaded.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()


def test_the_evolution_is_saved_as_well(weather, tmp_path):
    settings = {"max_evaluations": 200, "population_size": 11, "random_state": 1}
    model = FRULERRegressor(**settings).fit(weather.data[:150].to_numpy(), weather.target[:150].to_numpy())
    model.save(tmp_path / "model.json")
    again = load_model(tmp_path / "model.json")
    assert again.get_params() == model.get_params()
    assert not hasattr(again, "feature_names_in_")
    assert again.pareto_["cv_error"].isna().all()
    np.testing.assert_array_equal(again.predict(weather.data.to_numpy()), model.predict(weather.data.to_numpy()))


def test_a_perfect_fit_is_saved(tmp_path):
    x = np.arange(40.0).reshape(-1, 1)
    model = FuzzyRuleRegressor(random_state=0).fit(x, np.zeros(40))
    model.save(tmp_path / "model.json")
    np.testing.assert_array_equal(load_model(tmp_path / "model.json").predict(x), model.predict(x))


def test_other_models_of_the_front_are_not_in_a_file(fitted, loaded):
    with pytest.raises(ValueError, match="read from a file, which has no models of other sizes"):
        loaded.with_rules(2)
    assert fitted.with_rules(2).n_rules_ == 2


def test_however_many_rules_were_asked_for_the_file_can_be_read(fitted, tmp_path):
    fitted.with_rules(10**30).save(tmp_path / "model.json")
    assert load_model(tmp_path / "model.json").n_rules_ == fitted.pareto_["rules"].max()


@pytest.mark.parametrize("name", ["history_", "sample_indices_", "stage_seconds_"])
def test_what_a_file_does_not_hold_is_missing_and_says_why(fitted, loaded, name):
    assert hasattr(fitted, name)
    assert not hasattr(loaded, name)
    with pytest.raises(AttributeError, match=f"{name} is set by fit"):
        getattr(loaded, name)


def test_a_loaded_model_learns_again(weather, fitted, loaded):
    again = clone(loaded).fit(weather.data, weather.target)
    assert again.rule_base_ == fitted.rule_base_
    loaded.fit(weather.data, weather.target)
    assert loaded.rule_base_ == fitted.rule_base_
    assert loaded.with_rules(2).n_rules_ == 2
    assert hasattr(loaded, "history_")


def test_a_model_that_was_not_fitted_is_not_saved(tmp_path):
    with pytest.raises(NotFittedError):
        FuzzyRuleRegressor().save(tmp_path / "model.json")
    assert list(tmp_path.iterdir()) == []


def test_split_points_by_number_and_by_name_come_back(weather, tmp_path):
    points = {0: np.array([5.0]), "humidity": (50.0, 70.0), np.int64(2): 1.5}
    model = FuzzyRuleRegressor(random_state=0, split_points=points, max_rules=2).fit(weather.data, weather.target)
    model.save(tmp_path / "model.json")
    assert load_model(tmp_path / "model.json").split_points == {0: [5.0], "humidity": [50.0, 70.0], 2: [1.5]}


@pytest.mark.parametrize(
    ("seed", "written"),
    [(np.int32(5), 5), (None, None), (np.random.RandomState(0), None)],
    ids=["int", "none", "state"],
)
def test_the_seed_is_written_where_there_is_one(weather, tmp_path, seed, written):
    model = FuzzyRuleRegressor(random_state=seed, max_rules=2).fit(weather.data[:100], weather.target[:100])
    model.save(tmp_path / "model.json")
    assert load_model(tmp_path / "model.json").random_state == written


def test_settings_that_this_version_does_not_know_are_left_aside(fitted):
    document = json.loads(model_bytes(fitted._to_model()))
    document["learning"]["settings"]["depth"] = {"any": ["thing"]}
    again = regressor_of(parse_model(json.dumps(document).encode()))
    assert again.get_params() == fitted.get_params()


def test_a_setting_with_a_wrong_value_is_named(fitted, tmp_path):
    document = json.loads(model_bytes(fitted._to_model()))
    document["learning"]["settings"]["fuzziness"] = 7
    (tmp_path / "model.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ValueError, match=r"model\.json' can't be read as a model: learning\.settings: The 'fuzziness'"):
        load_model(tmp_path / "model.json")


def test_a_model_of_a_table_with_categories_and_gaps_comes_back(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"colour": rng.choice(["red", "green", "blue"], 200), "size": rng.uniform(size=200)})
    y = table["size"] + table["colour"].map({"red": 0.0, "green": 3.0, "blue": 5.0}) + 0.1 * rng.normal(size=200)
    table.loc[::7, "size"] = np.nan
    model = FuzzyRuleRegressor(random_state=0, max_rules=3).fit(table, y)
    model.save(tmp_path / "one.json")
    loaded = load_model(tmp_path / "one.json")
    assert loaded.rule_base_ == model.rule_base_
    assert loaded.feature_names_in_.tolist() == ["colour", "size"]
    assert loaded.n_features_in_ == 2
    np.testing.assert_array_equal(loaded.predict(table), model.predict(table))
    loaded.save(tmp_path / "two.json")
    assert (tmp_path / "two.json").read_bytes() == (tmp_path / "one.json").read_bytes()
    # Fitted on other columns it is another model.
    loaded.fit(table[["size"]].fillna(0.0), y).save(tmp_path / "three.json")
    assert load_model(tmp_path / "three.json").rule_base_.columns == ("size",)


def test_rules_by_hand_become_a_regressor_that_says_what_it_lacks(fitted, tmp_path):
    hand = replace(fitted.rule_base_, training=None, support=None)
    model = regressor_of(parse_model(model_bytes(Model(hand))))
    check_is_fitted(model)
    assert model.rule_base_ == hand
    assert model.feature_names_in_.tolist() == [variable.name for variable in hand.variables]
    with pytest.raises(AttributeError, match="pareto_ is set by fit"):
        model.pareto_  # noqa: B018
    model.save(tmp_path / "model.json")
    assert load_model(tmp_path / "model.json").rule_base_ == hand
