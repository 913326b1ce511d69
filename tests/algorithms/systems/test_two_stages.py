"""Learners of two stages: how they are told of, ended, and resumed."""

from dataclasses import replace

import numpy as np
import pytest

from fruler import AMETSKRegressor, FSMOGFSRegressor, LMETSKRegressor
from fruler._algorithms.systems.evaluation import RatedChromosome
from fruler._algorithms.systems.tuning import TunedChromosome, TuningSpace
from fruler._algorithms.systems.two_stages import check_tuned
from fruler.callbacks import Callback
from fruler.data import make_friedman

SETTINGS = {"random_state": 0, "max_evaluations": 500, "population_size": 20}


@pytest.fixture(scope="module")
def friedman():
    data = make_friedman(200, random_state=1)
    return data.data.to_numpy(), data.target.to_numpy()


@pytest.fixture(scope="module", params=[FSMOGFSRegressor, AMETSKRegressor])
def estimator(request):
    return request.param


@pytest.fixture(scope="module")
def whole(friedman, estimator):
    return estimator(**SETTINGS).fit(*friedman)


class Watcher(Callback):
    """Ends the search in a generation of a stage."""

    def __init__(self, stage=None, generation=0):
        self.stage, self.generation, self.told = stage, generation, []

    def on_generation(self, progress):
        self.told.append(progress)
        return progress.stage == self.stage and progress.generation >= self.generation


def assert_same_model(one, other):
    """Compare two fits to the last bit."""
    assert one.rule_base_ == other.rule_base_
    assert one.pareto_.equals(other.pareto_)
    assert one.n_evaluations_ == other.n_evaluations_
    assert one.history_.drop(columns="seconds").equals(other.history_.drop(columns="seconds"))


def half_mse(model, X, y):
    return np.square(model.predict(X) - y).mean() / 2.0


def test_both_stages_are_told_of_by_name(friedman, estimator, whole):
    watcher = Watcher()
    model = estimator(**SETTINGS, callbacks=watcher).fit(*friedman)
    stages = [progress.stage for progress in watcher.told]
    assert list(dict.fromkeys(stages)) == ["grid", "tuning", "fit"] == [*model.stage_seconds_, "fit"]
    assert stages == sorted(stages, key=["grid", "tuning", "fit"].index)
    generations = [progress for progress in watcher.told if progress.stage != "fit"]
    assert [progress.n_evaluations for progress in generations] == model.history_.evaluations.tolist()
    assert [progress.generation for progress in generations] == model.history_.generation.tolist()
    assert [progress.stage == "tuning" for progress in generations] == (model.history_.stage == 2).tolist()
    np.testing.assert_allclose([progress.error for progress in generations], model.history_.best_error)
    assert watcher.told[-1].n_evaluations == model.n_evaluations_ <= 1_000
    assert_same_model(model, whole)


def test_the_history_goes_down_and_ends_with_the_model(friedman, whole):
    history = whole.history_
    for stage in (1, 2):
        assert history[history.stage == stage].best_error.is_monotonic_decreasing
    assert history.evaluations.is_monotonic_increasing
    assert history.seconds.is_monotonic_increasing
    assert history.best_error.iloc[-1] == pytest.approx(half_mse(whole, *friedman), rel=1e-8)


def test_the_front_is_a_trade_off_with_errors_on_all_rows(friedman, whole):
    front = whole.pareto_
    assert len(front) > 3
    assert front.rules.is_monotonic_increasing
    assert front.rules.is_unique
    assert (np.diff(front.error) < 0.0).all()
    assert whole.n_rules_ == front.rules.iloc[-1]
    for size, error in zip(front.rules, front.error, strict=True):
        assert half_mse(whole.with_rules(size), *friedman) == pytest.approx(error, rel=1e-8)


def test_the_first_stage_of_a_is_l(friedman):
    tuned, first = AMETSKRegressor(**SETTINGS).fit(*friedman), LMETSKRegressor(**SETTINGS).fit(*friedman)
    stage = tuned.history_[tuned.history_.stage == 1]
    columns = ["generation", "evaluations", "best_error", "n_rules", "threshold"]
    assert stage[columns].equals(first.history_[columns])
    assert tuned.n_rules_ <= first.n_rules_


def test_tuning_is_no_worse_than_the_grid(whole):
    errors = whole.history_.groupby("stage").best_error.last()
    assert errors[2] < errors[1]


@pytest.mark.slow
@pytest.mark.parametrize(("stage", "generation"), [("grid", 0), ("grid", 3), ("tuning", 0), ("tuning", 4)])
def test_one_that_is_ended_has_a_model_and_resumes_to_the_same(friedman, estimator, whole, tmp_path, stage, generation):
    watcher = Watcher(stage, generation)
    ended = estimator(**SETTINGS, checkpoint=tmp_path, callbacks=watcher).fit(*friedman)
    assert ended.ended_early_
    assert ended.n_evaluations_ < whole.n_evaluations_
    if stage == "grid":
        # The rules as they were found, and their consequents as the second stage has them.
        assert (ended.history_.stage == 2).sum() == 1
        assert len(ended.pareto_) == 1
    assert half_mse(ended, *friedman) == pytest.approx(ended.pareto_.error.iloc[-1], rel=1e-8)
    again = estimator(**SETTINGS, checkpoint=tmp_path).fit(*friedman)
    assert again.resumed_ > 0
    assert_same_model(again, whole)


@pytest.mark.parametrize("changes", [{"subset": None}, {"crossover": "pcblx", "t_norm": "product"}])
def test_other_settings_resume_too(estimator, tmp_path, changes):
    data = make_friedman(2_100, random_state=1)
    settings = SETTINGS | {"max_evaluations": 120, "max_rules": 20} | changes
    alone = estimator(**settings).fit(data.data, data.target)
    estimator(**settings, checkpoint=tmp_path, callbacks=Watcher("tuning", 2)).fit(data.data, data.target)
    again = estimator(**settings, checkpoint=tmp_path, n_jobs=2).fit(data.data, data.target)
    assert_same_model(again, alone)


def test_more_evaluations_give_what_they_give_from_the_start(friedman, estimator):
    model = estimator(**SETTINGS | {"max_evaluations": 200}, warm_start=True).fit(*friedman)
    more = model.set_params(max_evaluations=400).fit(*friedman)
    assert more.resumed_ > 0
    assert_same_model(more, estimator(**SETTINGS | {"max_evaluations": 400}).fit(*friedman))


def test_a_grid_that_was_found_to_the_end_is_tuned_on(friedman, estimator):
    # With two labels and one input there is little to search for: the first stage converges by itself.
    X, y = friedman[0][:, :1], friedman[1]
    settings = SETTINGS | {"max_labels": 2, "displacement": 0.0, "max_rules": 4}
    short = estimator(**settings | {"max_evaluations": 2_000}, warm_start=True).fit(X, y)
    n_grid = short.history_[short.history_.stage == 1].evaluations.iloc[-1]
    assert n_grid < 2_000
    more = short.set_params(max_evaluations=2_500).fit(X, y)
    assert more.resumed_ > n_grid
    assert_same_model(more, estimator(**settings | {"max_evaluations": 2_500}).fit(X, y))


def test_fewer_evaluations_than_were_made_are_refused(friedman, estimator):
    model = estimator(**SETTINGS, warm_start=True).fit(*friedman)
    with pytest.raises(ValueError, match="max_evaluations is too small to resume"):
        model.set_params(max_evaluations=100).fit(*friedman)


def test_a_grid_that_time_cut_short_is_searched_on(friedman, estimator, whole, tmp_path, clock):
    clock.tick = 0.01
    ended = estimator(**SETTINGS, checkpoint=tmp_path, time_limit=3.0).fit(*friedman)
    assert ended.ended_early_
    assert (ended.history_.stage == 2).any()
    n_grid = (ended.history_.stage == 1).sum()
    assert n_grid < (whole.history_.stage == 1).sum()
    # The limit is that of every call, and a third of it that of the first stage.
    again = estimator(**SETTINGS, checkpoint=tmp_path, time_limit=0.1).fit(*friedman)
    assert again.ended_early_
    assert (again.history_.stage == 1).sum() <= n_grid + 1
    clock.tick = 0.0
    assert_same_model(estimator(**SETTINGS, checkpoint=tmp_path).fit(*friedman), whole)


def test_what_was_tuned_is_there_even_if_there_is_no_time_left(friedman, estimator, tmp_path, clock):
    watcher = Watcher("tuning", 4)
    ended = estimator(**SETTINGS, checkpoint=tmp_path, callbacks=watcher).fit(*friedman)
    clock.tick = 1.0
    again = estimator(**SETTINGS, checkpoint=tmp_path, time_limit=1e-3).fit(*friedman)
    assert again.rule_base_ == ended.rule_base_
    # The last generation of the first stage, which the number of evaluations cut short, is made again.
    assert (again.history_.stage == 1).sum() == (ended.history_.stage == 1).sum()
    assert again.n_evaluations_ == again.resumed_ == ended.n_evaluations_


def test_a_sample_changes_the_search_but_not_what_errors_are(estimator):
    data = make_friedman(2_100, random_state=2)
    X, y = data.data.to_numpy(), data.target.to_numpy()
    settings = SETTINGS | {"max_evaluations": 150, "max_rules": 20}
    models = [estimator(**settings, subset=subset).fit(X, y) for subset in ("auto", None)]
    for model in models:
        assert half_mse(model, X, y) == pytest.approx(model.pareto_.error.iloc[-1], rel=1e-8)
    assert not models[0].pareto_.equals(models[1].pareto_)


@pytest.mark.parametrize(
    "damaged",
    [
        TunedChromosome(np.full(3, 0.5), np.ones(2, dtype=bool)),
        TunedChromosome(np.full(2, 0.5), np.ones(3, dtype=bool)),
        TunedChromosome(np.array([0.5, 0.5, 1.5]), np.ones(3, dtype=bool)),
    ],
)
def test_chromosomes_of_another_space_are_refused(friedman, damaged):
    kept = AMETSKRegressor(**SETTINGS, warm_start=True).fit(*friedman)._kept.state.tuning
    space = TuningSpace.around(np.array([[0.0, 1.0, 2.0]]), np.zeros((1, 2), dtype=bool), n_rules=3)
    snapshot = replace(kept, archive=[RatedChromosome(damaged, kept.archive[0].worth, 0.0)], best_by_rules={})
    with pytest.raises(ValueError, match="the checkpoint is damaged"):
        check_tuned(space, snapshot)


def test_rules_that_look_at_something_are_tuned(estimator):
    # Noise: one constant is the most accurate of what the first stage meets, but has nothing to tune.
    rng = np.random.default_rng(0)
    X, y = rng.uniform(size=(1_500, 3)), rng.normal(size=1_500)
    y[0] = y[1:].mean()
    settings = SETTINGS | {"max_rules": 3}
    assert not LMETSKRegressor(**settings).fit(X, y).rule_base_.looks_at.any()
    assert estimator(**settings).fit(X, y).rule_base_.looks_at.any()
