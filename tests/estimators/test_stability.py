"""What comes back when a model is learned from parts of its rows."""

import os
import signal
import threading

import numpy as np
import pandas as pd
import pytest
from helpers.estimators import ALGORITHMS, make_estimator
from sklearn.exceptions import NotFittedError

from fruler import FuzzyRuleRegressor, load_model
from fruler.callbacks import Callback
from fruler.estimators import _refits as refits
from fruler.estimators._refits import _draws, _groups


def stepped(n_rows=300, noise=0.1, seed=0):
    """One sharp step at 0.4 of the first input, two slopes, and an input of noise."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.random((n_rows, 3)), columns=["step", "slope", "nothing"])
    y = np.where(X["step"] < 0.4, 2.0 + 3.0 * X["slope"], 6.0 - 2.0 * X["slope"])
    return X, pd.Series(y + noise * rng.standard_normal(n_rows), name="target")


@pytest.fixture(scope="module")
def sharp():
    X, y = stepped()
    model = FuzzyRuleRegressor(random_state=0).fit(X, y)
    return model, model.stability(X, y)


def same(one, other):
    return (
        one.splits.equals(other.splits)
        and one.rules.equals(other.rules)
        and one.inputs.equals(other.inputs)
        and np.array_equal(one.rmse, other.rmse)
        and all(np.array_equal(a.refits, b.refits) for a, b in zip(one.effects, other.effects, strict=True))
    )


def test_a_sharp_split_comes_back_in_every_refit(sharp):
    _, stability = sharp
    splits = stability.splits.set_index("input")
    assert stability.n_refits == 20
    assert splits.loc["step", "came_back"] == 20
    assert splits.loc["step", ["place", "lower_quartile", "upper_quartile"]].tolist() == pytest.approx(
        [0.4] * 3, abs=0.02
    )
    assert splits.loc["step", "rows_below"] == pytest.approx(0.4, abs=0.06)
    assert "The split of step at 0.4" in str(stability)
    assert "came back in 20 of 20 refits" in str(stability)


def test_its_rules_come_back_with_it(sharp):
    _, stability = sharp
    assert stability.rule_share == 1.0
    assert (stability.rules["overlap"] > 0.9).all()
    inputs = stability.inputs.set_index("input")
    assert inputs.loc["step", "refits_in_conditions"] == 20
    assert inputs.loc["slope", "refits_with_effect"] == 20
    assert inputs.loc["nothing", "refits_in_conditions"] < 10


def test_splits_of_noise_seldom_come_back():
    rng = np.random.default_rng(0)
    X, y = rng.random((200, 6)), rng.standard_normal(200)
    # Cross-validation would choose a single rule.
    model = FuzzyRuleRegressor(random_state=0, max_curves=0, regularization=0.0).fit(X, y).with_rules(4)
    stability = model.stability(X, y, 8)
    assert len(stability.splits) > 1
    assert stability.split_share < 0.5
    assert stability.rule_share < 0.5


def test_bands_contain_the_effect_of_a_stable_model(sharp):
    _, stability = sharp
    by_name = {effect.curve.feature.name: effect for effect in stability.effects}
    for name in ("step", "slope"):
        effect = by_name[name]
        assert effect.refits.shape == (20, len(effect.curve.values))
        lower, upper = effect.band()
        # By a tenth of the noise, for a refit may leave out a slope that is next to nothing.
        room = 0.01
        assert (lower - room <= effect.curve.predictions).all()
        assert (effect.curve.predictions <= upper + room).all()
        assert (upper - lower).mean() < 0.15
        wide = effect.band(1.0)
        assert (wide[0] <= lower).all()
        assert (upper <= wide[1]).all()
    assert by_name["slope"].band()[0].shape == by_name["slope"].curve.values.shape


def test_held_out_errors_are_those_of_rows_that_a_refit_did_not_see(sharp):
    model, stability = sharp
    assert np.median(stability.rmse) == pytest.approx(0.1, abs=0.03)
    X, y = stepped()
    drawn = _draws(_groups(X.to_numpy(), y.to_numpy()), 20, 0.8, 0)[0]
    assert (len(drawn), stability.n_drawn) == (240, 240)
    refit = FuzzyRuleRegressor(random_state=0).fit(X.iloc[drawn], y.iloc[drawn])
    left = np.setdiff1d(np.arange(300), drawn)
    refit.set_params(warn_outside=False)
    assert stability.rmse[0] == np.sqrt(np.mean((refit.predict(X.iloc[left]) - y.iloc[left]) ** 2))
    assert stability.refits[0] == refit.rule_base_
    assert model.rule_base_ is stability.rule_base


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_estimator_has_it_and_threads_do_not_change_it(algorithm):
    X, y = stepped(120)
    model = make_estimator(algorithm, random_state=0, max_evaluations=60).fit(X, y)
    one, two = (model.stability(X, y, 3, n_jobs=n_jobs) for n_jobs in (None, 2))
    assert same(one, two)
    assert len(one.rules) == model.n_rules_
    assert (one.n_rules > 0).all()
    assert str(one) == str(two)


def test_another_seed_draws_other_rows(sharp):
    model, stability = sharp
    X, y = stepped()
    again, other = (model.stability(X, y, 3, random_state=seed) for seed in (0, 1))
    assert np.array_equal(again.rmse, stability.rmse[:3])
    assert not (again.rmse == other.rmse).any()


def test_the_order_of_rows_does_not_matter(sharp, rng):
    model, stability = sharp
    X, y = stepped()
    order = rng.permutation(len(X))
    assert np.allclose(model.stability(X.iloc[order], y.iloc[order], 3).rmse, stability.rmse[:3])


def test_equal_rows_stay_together(rng):
    X, y = np.repeat(rng.random((40, 2)), 3, axis=0), np.repeat(rng.random(40), 3)
    for drawn in _draws(_groups(X, y), 5, 0.5, 0):
        assert len(drawn) == 60
        assert set(np.bincount(drawn // 3)[np.unique(drawn // 3)]) == {3}
    gaps = np.where(rng.random((40, 2)) < 0.5, np.nan, 1.0)
    assert len(np.unique(_groups(gaps, np.zeros(40)))) == 4


def test_rows_of_weight_zero_do_not_count(sharp):
    X, y = stepped(150)
    weight = np.tile([1.0, 2.0, 0.0], 50)
    model = FuzzyRuleRegressor(random_state=0).fit(X, y, weight)
    whole = model.stability(X, y, 3, sample_weight=weight)
    part = model.stability(X[weight > 0], y[weight > 0], 3, sample_weight=weight[weight > 0])
    assert whole.n_rows == 100
    assert same(whole, part)


def test_refits_have_the_parameters_of_the_model_but_leave_its_callbacks_and_checkpoint_alone(tmp_path):
    class Told(Callback):
        starts = 0

        def on_start(self, estimator):
            self.starts += 1

    X, y = stepped(100)
    told = Told()
    model = FuzzyRuleRegressor(random_state=0, max_rules=1, max_curves=0, callbacks=told, checkpoint=tmp_path)
    stability = model.fit(X, y).stability(X, y, 3)
    assert told.starts == 1
    assert stability.n_rules.tolist() == [1, 1, 1]


def test_a_model_that_was_cut_down_is_compared_with_refits_that_are(tmp_path):
    X, y = stepped()
    model = FuzzyRuleRegressor(random_state=0).fit(X, y)
    small = model.with_rules(1)
    assert small.stability(X, y, 3).n_rules.tolist() == [1, 1, 1]
    small.save(tmp_path / "small.json")
    assert load_model(tmp_path / "small.json").stability(X, y, 3).n_rules.tolist() == [1, 1, 1]
    assert model.stability(X, y, 3).n_rules.min() > 1
    assert small.fit(X, y).stability(X, y, 3).n_rules.min() > 1


def test_a_model_from_a_file_can_be_refitted(sharp, tmp_path):
    model, stability = sharp
    X, y = stepped()
    model.save(tmp_path / "m.json")
    again = load_model(tmp_path / "m.json").stability(X, y, 3)
    assert np.array_equal(again.rmse, stability.rmse[:3])


def test_rules_that_nobody_learned_cannot_be(sharp, tmp_path):
    from fruler._model_file.file import Model, write_model

    X, y = stepped()
    write_model(tmp_path / "m.json", Model(sharp[0].rule_base_))
    with pytest.raises(ValueError, match="the rules of this one were written by hand"):
        load_model(tmp_path / "m.json").stability(X, y)


def test_tables_with_categories_gaps_and_dates():
    rng = np.random.default_rng(0)
    n = 240
    kind = rng.choice(list("abcd"), n)
    X = pd.DataFrame(
        {
            "kind": pd.Categorical(kind),
            "size": np.where(rng.random(n) < 0.2, np.nan, rng.random(n)),
            "sold": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 1500, n), unit="D"),
        }
    )
    y = np.where(np.isin(kind, ["a", "b"]), 1.0, 5.0) + X["size"].fillna(0.5) + 0.05 * rng.standard_normal(n)
    stability = FuzzyRuleRegressor(random_state=0).fit(X, y).stability(X, y, 4)
    effect = {one.curve.feature.name: one for one in stability.effects}["kind"]
    names = [option.text for option in effect.curve.feature.options]
    means = dict(zip(names, effect.refits.mean(axis=0), strict=True))
    assert means["a"] == pytest.approx(means["b"], abs=0.3)
    assert means["c"] - means["a"] == pytest.approx(4.0, abs=0.5)
    assert stability.inputs.set_index("input").loc["kind", "refits_with_effect"] == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 1}, "n, the number of refits, must be at least 2; got 1"),
        ({"n": 2.5}, "n, the number of refits, must be an integer"),
        ({"subsample": 1.0}, "subsample must be a share of the rows between 0 and 1"),
        ({"subsample": "half"}, "subsample must be a share"),
        ({"n_jobs": 0}, "n_jobs must not be 0"),
        ({"time_limit": 0}, "time_limit must be a number of seconds above 0"),
        ({"time_limit": float("nan")}, "time_limit must be a number of seconds above 0"),
        ({"callbacks": [print]}, "callbacks must be instances"),
    ],
)
def test_wrong_arguments_are_named(sharp, arguments, message):
    X, y = stepped()
    with pytest.raises(ValueError, match=message):
        sharp[0].stability(X, y, **arguments)


def test_wrong_rows_are_named(sharp):
    model, X, y = sharp[0], *stepped()
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.stability(X, y[:-1])
    with pytest.raises(ValueError, match="needs at least 4 rows"):
        model.stability(X[:3], y[:3])
    with pytest.raises(ValueError, match="at least 3 different rows; got 1"):
        model.stability(pd.concat([X[:1]] * 9), pd.concat([y[:1]] * 9))
    with pytest.raises(ValueError, match="slope"):
        model.stability(X.drop(columns="slope"), y)
    with pytest.raises(ValueError, match="NaN"):
        model.stability(X, y.where(y.index > 3))
    with pytest.raises(NotFittedError):
        FuzzyRuleRegressor().stability(X, y)


class Counting(Callback):
    def __init__(self, end_after=None, then=None):
        self.told, self.end_after, self.then = [], end_after, then

    def on_generation(self, progress):
        self.told.append(progress)
        if self.then is not None and len(self.told) == self.end_after:
            self.then()
            return False
        return len(self.told) == self.end_after


def test_callbacks_are_told_of_every_refit(sharp):
    X, y = stepped()
    told = Counting()
    stability = sharp[0].stability(X, y, 4, callbacks=told)
    assert [(one.stage, one.generation) for one in told.told] == [("refits", k) for k in (1, 2, 3, 4)]
    assert [one.n_rules for one in told.told] == stability.n_rules.tolist()
    assert [np.sqrt(2.0 * one.error) for one in told.told] == pytest.approx(stability.rmse)
    assert told.told[-1].seconds_left == 0.0


def test_a_callback_can_end_it(sharp):
    model, whole = sharp
    X, y = stepped()
    with pytest.warns(RuntimeWarning, match="The run ended after 3 of 20 refits"):
        stability = model.stability(X, y, callbacks=Counting(3))
    assert stability.n_refits == 3
    assert stability.rmse.tolist() == whole.rmse[:3].tolist()


def test_too_few_refits_are_no_answer(sharp):
    X, y = stepped()
    with pytest.raises(ValueError, match="Only 1 refit of 20 finished before the run ended"):
        sharp[0].stability(X, y, callbacks=Counting(1))
    with pytest.raises(ValueError, match="Only 0 refits of 20 finished"):
        sharp[0].stability(X, y, time_limit=1e-9)


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is another thing there")
def test_ctrl_c_ends_it_with_what_there_is(sharp):
    X, y = stepped()
    before = threading.active_count()
    # Of what runs in the background a shell may have said that Ctrl-C is ignored.
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.warns(RuntimeWarning, match="Ctrl-C ended the run after 2 of 20 refits"):
            stability = sharp[0].stability(X, y, callbacks=Counting(2, lambda: signal.raise_signal(signal.SIGINT)))
    finally:
        signal.signal(signal.SIGINT, previous)
    assert stability.n_refits == 2
    assert threading.active_count() == before


def test_refits_that_are_done_after_the_end_do_not_count(sharp, monkeypatch):
    X, y = stepped()
    made, all_made, refit = [], threading.Event(), refits._refit

    def watched(*arguments):
        made.append(refit(*arguments))
        if len(made) == 5:
            all_made.set()
        return made[-1]

    monkeypatch.setattr(refits, "_refit", watched)
    with pytest.warns(RuntimeWarning, match="The run ended after 2 of 5 refits"):
        stability = sharp[0].stability(X, y, 5, callbacks=Waiting(2, all_made))
    assert (stability.n_refits, len(made)) == (2, 5)


class Waiting(Callback):
    def __init__(self, end_after, event):
        self.end_after, self.event = end_after, event

    def on_generation(self, progress):
        return progress.generation == self.end_after and self.event.wait(60.0)


def test_a_refit_that_fails_ends_it(sharp, monkeypatch):
    X, y = stepped()

    def fail(self, *arguments):
        raise ValueError("the table is upside down")

    monkeypatch.setattr(FuzzyRuleRegressor, "_training_table", fail)
    before = threading.active_count()
    with pytest.raises(ValueError, match="upside down"):
        sharp[0].stability(X, y)
    assert threading.active_count() == before
