"""Who watches a fit is told of all of it, may end it, and changes nothing else."""

import math
import pickle
import re
import subprocess
import sys
import threading
from dataclasses import replace
from io import StringIO

import numpy as np
import pytest
from helpers.estimators import ALGORITHMS, make_estimator
from rich.console import Console
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from fruler import FuzzyRuleRegressor, callbacks
from fruler.callbacks import Callback, Progress, ProgressBar
from fruler.data import make_friedman


@pytest.fixture(scope="module")
def friedman():
    data = make_friedman(200, random_state=1)
    return data.data.to_numpy(), data.target.to_numpy()


@pytest.fixture(params=ALGORITHMS)
def algorithm(request):
    return request.param


@pytest.fixture(scope="module")
def n_evaluations(friedman):
    """How many evaluations either search makes when it is left alone."""
    return {
        algorithm: quick(algorithm, max_evaluations=None).fit(*friedman).n_evaluations_
        for algorithm in ("growth", "fruler")
    }


class Recorder(Callback):
    """Notes what it is told, and stops when a function of the progress says so."""

    def __init__(self, stop=lambda progress: None):
        self.told, self.stop, self.threads = [], stop, set()

    def on_start(self, estimator):
        self.told.append("start")
        assert estimator.n_features_in_ > 0
        assert not hasattr(estimator, "rule_base_")

    def on_generation(self, progress):
        self.told.append(progress)
        self.threads.add(threading.get_ident())
        return self.stop(progress)

    def on_end(self, estimator):
        self.told.append("end")
        assert estimator.rule_base_.n_rules > 0

    def stages(self):
        return [progress.stage for progress in self.told[1:-1]]

    def of(self, stage):
        return [progress for progress in self.told[1:-1] if progress.stage == stage]


def quick(algorithm="growth", **changes):
    return make_estimator(algorithm, **{"random_state": 0, "max_evaluations": 600} | changes)


def test_every_rule_every_part_and_every_model_is_told_of(friedman):
    X, y = friedman
    recorder = Recorder()
    model = quick(max_evaluations=None, callbacks=[recorder]).fit(X, y)
    assert recorder.told[0] == "start"
    assert recorder.told[-1] == "end"
    grown, parts, fitted = (recorder.of(stage) for stage in ("growth", "cross-validation", "fit"))
    assert recorder.stages() == ["growth"] * len(grown) + ["cross-validation"] * len(parts) + ["fit"] * len(fitted)
    assert [progress.n_rules for progress in grown] == model.history_.n_rules.tolist()
    assert [progress.generation for progress in grown] == list(range(len(grown)))
    assert [progress.n_evaluations for progress in grown] == model.history_.evaluations.tolist()
    np.testing.assert_allclose([progress.error for progress in grown], model.history_.best_error)
    # Some of the five parts do, if these agree.
    assert [progress.generation for progress in parts] == list(range(1, len(parts) + 1))
    assert 2 <= len(parts) <= 5
    # Growing has a tuned model of another size, perhaps; that which is chosen has no less error.
    chosen = model.pareto_.set_index("rules").loc[model.n_rules_]
    assert parts[-1].error <= chosen.cv_error * (1.0 + 1e-9)
    assert parts[-1].seconds_left == 0.0
    assert parts[0].seconds_left > 0.0
    assert len(fitted) == len(model.pareto_)
    assert {(progress.n_rules, progress.error) for progress in fitted} == {(model.n_rules_, chosen.error)}
    assert fitted[-1].n_evaluations == model.n_evaluations_


def test_every_generation_is_told_of(friedman):
    X, y = friedman
    recorder = Recorder()
    model = quick("fruler", callbacks=recorder).fit(X, y)
    generations = recorder.of("evolution")
    assert recorder.stages()[:2] == ["selection", "discretization"]
    assert recorder.stages()[-1] == "fit"
    assert [progress.generation for progress in generations] == model.history_.generation.tolist()
    assert [progress.n_evaluations for progress in generations] == model.history_.evaluations.tolist()
    assert [progress.error for progress in generations] == model.history_.best_error.tolist()
    assert [progress.n_rules for progress in generations] == model.history_.n_rules.tolist()
    assert math.isnan(recorder.told[1].error)
    assert recorder.told[1].n_rules == 0
    seconds = [progress.seconds for progress in recorder.told[1:-1]]
    assert seconds == sorted(seconds)
    assert generations[-1].seconds_left == 0.0
    assert all(progress.seconds_left > 0.0 for progress in generations[:-1])


def test_a_time_limit_bounds_the_time_left(friedman, algorithm, clock):
    recorder = Recorder()
    clock.tick = 0.01
    quick(algorithm, time_limit=50.0, callbacks=recorder).fit(*friedman)
    for progress in recorder.told[1:-1]:
        assert 0.0 <= progress.seconds_left <= 50.0 - progress.seconds + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_watching_changes_nothing_and_stays_in_the_thread(friedman, algorithm, n_jobs):
    recorder = Recorder()
    watched = quick(algorithm, max_evaluations=1_000, callbacks=[recorder], n_jobs=n_jobs).fit(*friedman)
    alone = quick(algorithm, max_evaluations=1_000).fit(*friedman)
    assert watched.rule_base_ == alone.rule_base_
    assert watched.pareto_.equals(alone.pareto_)
    assert recorder.threads == {threading.get_ident()}


@pytest.mark.parametrize("stage", ["growth", "cross-validation", "fit", "selection", "discretization", "evolution"])
def test_a_callback_can_end_the_search_at_any_stage(friedman, n_evaluations, stage):
    X, y = friedman
    algorithm = "growth" if stage in ("growth", "cross-validation", "fit") else "fruler"
    recorder = Recorder(lambda progress: progress.stage == stage and progress.generation >= 1)
    model = quick(algorithm, max_evaluations=None, callbacks=recorder).fit(X, y)
    last = recorder.of(stage)[-1]
    assert last.generation == 1
    later = recorder.stages()[recorder.stages().index(stage) + 1 :]
    # What there is is still fitted on all rows, and nothing else begun.
    assert set(later) <= {stage, "discretization", "evolution", "fit"}
    assert len(model.pareto_) == 1
    assert np.isfinite(model.predict(X)).all()
    assert model.score(X, y) > 0.6
    assert model.n_evaluations_ < n_evaluations[algorithm] or stage == "fit"


def test_a_validation_that_is_ended_counts_as_far_as_it_went(friedman):
    recorder = Recorder(lambda progress: progress.stage == "cross-validation" and progress.generation == 1)
    model = quick(max_evaluations=None, callbacks=recorder).fit(*friedman)
    assert len(recorder.of("cross-validation")) == 1
    assert model.n_rules_ == recorder.of("cross-validation")[-1].n_rules
    assert model.pareto_.cv_error.notna().all()


class Failing(Callback):
    def __init__(self, where):
        self.where, self.ended = where, False

    def on_start(self, estimator):
        self.fail("start")

    def on_generation(self, progress):
        self.fail(progress.stage)

    def on_end(self, estimator):
        self.ended = True
        self.fail("end")

    def fail(self, where):
        if where == self.where:
            raise KeyError(f"in {where}")


@pytest.mark.parametrize("where", ["start", "growth", "cross-validation", "fit", "end"])
def test_an_exception_in_a_callback_leaves_the_estimator_as_it_was(friedman, where):
    X, y = friedman
    failing, other = Failing(where), Failing("nowhere")
    model = quick(max_evaluations=1_000, callbacks=[other, failing])
    with pytest.raises(KeyError, match=f"in {where}"):
        model.fit(X, y)
    assert other.ended
    assert failing.ended
    with pytest.raises(NotFittedError):
        model.predict(X)
    assert not hasattr(model, "n_features_in_")
    fitted = quick().fit(X, y)
    before = fitted.rule_base_
    fitted.set_params(callbacks=[failing], max_evaluations=1_000)
    with pytest.raises(KeyError):
        fitted.fit(X[:, :3], y)
    assert fitted.rule_base_ is before
    assert fitted.n_features_in_ == 5


@pytest.mark.parametrize("bad", [[print], [Callback], (None,)])
def test_other_things_than_callbacks_are_refused(friedman, bad):
    with pytest.raises(ValueError, match=r"callbacks must be instances of fruler.callbacks.Callback; got"):
        quick(callbacks=bad).fit(*friedman)
    with pytest.raises(ValueError, match="'callbacks' parameter"):
        quick(callbacks="bar").fit(*friedman)


def test_early_stopping_of_the_evolution(friedman):
    X, y = friedman
    settings = {"max_evaluations": 20_000, "n_restarts": 0}
    model = quick("fruler", early_stopping=5, **settings).fit(X, y)
    best = model.history_.best_fitness.to_numpy()
    assert len(best) < len(quick("fruler", **settings).fit(X, y).history_)
    assert best[-6] == best[-1]
    waits = np.diff(np.flatnonzero(np.r_[True, np.diff(best) < 0.0]))
    assert waits.max(initial=0) <= 5
    assert best[-7] > best[-1]


def test_early_stopping_of_the_growth(friedman):
    X, y = friedman
    one, four = (quick(early_stopping=n, max_evaluations=None).fit(X, y).history_ for n in (1, 4))
    default = quick(max_evaluations=None).fit(X, y).history_
    assert default.n_rules.equals(quick(early_stopping=3, max_evaluations=None).fit(X, y).history_.n_rules)
    assert len(one) < len(default) < len(four)


GROWTH = Progress("growth", 3, 12_345, 1, error=4.5, seconds=130.0)


def shown_by(console, *steps, title="learning [1]"):
    bar = ProgressBar(console, title=title)
    bar.on_start(None)
    for step in steps:
        assert not bar.on_generation(step)
    bar.on_end(None)
    return console.file.getvalue()


def plain_console():
    return Console(file=StringIO(), width=200)


def test_plain_lines_where_there_is_no_terminal(monkeypatch):
    assert shown_by(plain_console(), *3 * [GROWTH]) == ""
    monkeypatch.setattr(callbacks, "_SECONDS_IN_A_LOG", 0.0)
    assert shown_by(plain_console(), *3 * [GROWTH]) == 3 * "learning [1]: RMSE 3, 1 rule, 2 min\n"


def test_without_a_title_the_stage_is_told_and_the_last_line_stays(monkeypatch):
    last = replace(GROWTH, seconds_left=10.0)
    assert shown_by(plain_console(), GROWTH, last, title=None) == "growth: RMSE 3, 1 rule, 2 min\n"
    on_a_terminal = Console(file=StringIO(), force_terminal=True, width=120)
    assert shown_by(on_a_terminal, GROWTH, last, title=None).endswith("growth: RMSE 3, 1 rule, 2 min\n")


def test_no_more_than_a_line_every_five_seconds(clock):
    console = plain_console()
    bar = ProgressBar(console)
    bar.on_start(None)
    for _ in range(101):
        clock.now += 0.1
        bar.on_generation(replace(GROWTH, seconds=clock.now))
    bar.on_end(None)
    assert len(console.file.getvalue().splitlines()) == 3


def test_one_line_that_changes_on_a_terminal(monkeypatch):
    monkeypatch.setattr(callbacks, "_SECONDS_ON_A_TERMINAL", 0.0)
    shown = shown_by(Console(file=StringIO(), force_terminal=True, width=200), *3 * [GROWTH])
    assert "learning [1]" in shown
    assert shown.endswith("\x1b[?25h\r\x1b[1A\x1b[2K")  # the cursor is back, the line is gone


def test_a_search_tells_its_progress(monkeypatch, capfd):
    monkeypatch.setattr(callbacks, "_SECONDS_IN_A_LOG", 0.0)
    X = [[float(i)] for i in range(50)]
    FuzzyRuleRegressor(callbacks=ProgressBar(title="learning"), random_state=0).fit(X, [x[0] ** 2 for x in X])
    # The first model of a growth can't say how much is left; the others do.
    first, *others = [line for line in capfd.readouterr().err.splitlines() if "RMSE" in line]
    assert re.fullmatch(r"learning: RMSE [\d.]+, 1 rule, \d+ s", first)
    shares = [int(re.fullmatch(r"learning: (\d+)%, RMSE \S+, \d+ rules?, \d+ s left", line)[1]) for line in others]
    assert len(shares) > 3
    assert shares == sorted(shares)
    assert shares[-1] == 99


class Terminal:
    """A terminal of some width that remembers what it showed."""

    is_terminal = True

    def __init__(self, width):
        self.width, self.file = width, StringIO()

    def status(self, text):
        return self

    def start(self):
        pass

    def stop(self):
        pass

    def update(self, text):
        self.file.write(f"{text}\n")


@pytest.mark.parametrize("title", ["measuring the error (1 of 2)", "learning the rules (2 of 2)"])
@pytest.mark.parametrize("error", [0.5e-7, 0.5 * 1234567.8**2, 0.5e-40, 0.5e40])
def test_the_line_fits_eighty_columns(title, error, monkeypatch):
    monkeypatch.setattr(callbacks, "_SECONDS_ON_A_TERMINAL", 0.0)
    long = Progress("cross-validation", 1234, 10**9, 100, error, 5_999.0, 5_999.0)
    line = shown_by(Terminal(80), long, title=title).rstrip("\n")
    # A spinner and a blank stand before it.
    assert len(line) <= 77
    assert line.startswith(f"{title}: 50%, RMSE ")
    assert line.endswith(", 100 rules, 100 min left")
    line = shown_by(Terminal(40), long, title=title).rstrip("\n")
    assert len(line) == 37
    assert line.endswith("…")


def test_percent_does_not_go_back_and_the_end_is_not_foretold(monkeypatch):
    monkeypatch.setattr(callbacks, "_SECONDS_ON_A_TERMINAL", 0.0)
    times = [(1.0, 3.0), (2.0, 8.0), (9.0, 1.0), (10.0, 0.0), (11.0, None)]
    steps = [replace(GROWTH, seconds=seconds, seconds_left=left) for seconds, left in times]
    shown = shown_by(Terminal(80), *steps, title="learning").splitlines()
    assert [line.split()[1] for line in shown] == ["25%,", "25%,", "90%,", "99%,", "RMSE"]
    assert shown[1] == "learning: 25%, RMSE 3, 1 rule, 8 s left"


def test_a_bar_on_a_terminal(friedman, algorithm):
    console = Console(file=StringIO(), force_terminal=True, width=120)
    quick(algorithm, callbacks=[ProgressBar(console)]).fit(*friedman)
    shown = console.file.getvalue()
    assert "\x1b[?25h" in shown
    assert re.fullmatch(r"fit: RMSE [\d.]+, \d+ rules?, \d+ s", shown.splitlines()[-1].rpartition("\x1b[2K")[2])


def test_a_bar_is_taken_down_after_a_failure(friedman):
    console = Console(file=StringIO(), force_terminal=True, width=120)
    with pytest.raises(KeyError):
        quick(callbacks=[ProgressBar(console), Failing("growth")]).fit(*friedman)
    # The cursor is back.
    assert console.file.getvalue().rindex("\x1b[?25h") > console.file.getvalue().rindex("\x1b[?25l")


def test_verbose_tells_on_standard_error(friedman, algorithm, capfd):
    quick(algorithm, verbose=1).fit(*friedman)
    told = capfd.readouterr()
    assert told.out == ""
    assert "RMSE" in told.err
    quick(algorithm).fit(*friedman)
    assert capfd.readouterr().err == ""


def test_a_regressor_with_callbacks_is_cloned_and_pickled(friedman):
    model = quick(callbacks=[ProgressBar(), Callback()], verbose=1)
    copy = pickle.loads(pickle.dumps(clone(model).fit(*friedman)))
    assert [type(callback) for callback in copy.callbacks] == [ProgressBar, Callback]


class Watcher:
    """A callback as scikit-learn 1.9 has them."""

    def __init__(self, most=10**9):
        self.calls, self.most = [], most

    def setup(self, estimator, context):
        self.calls.append("setup")

    def teardown(self, estimator, context):
        self.calls.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.calls.append(("begin", context.task_name))

    def on_fit_task_end(self, estimator, context, *, X=None, fitted_estimator=None):
        self.calls.append(("end", context.task_name))
        assert len(X) == 200
        if context.task_name == "fit" and context.max_subtasks is None:
            self.score = fitted_estimator.predict(X)
        return len(self.calls) > self.most


def test_scikit_learn_s_own_callbacks(friedman, algorithm):
    pytest.importorskip("sklearn.callback")
    X, y = friedman
    watcher, recorder = Watcher(), Recorder()
    model = quick(algorithm, callbacks=recorder)
    assert model.set_callbacks(watcher) is model
    model.fit(X, y)
    begun = [call[1] for call in watcher.calls if call[0] == "begin"]
    assert begun == ["fit", *recorder.stages()]
    assert watcher.calls[:2] == ["setup", ("begin", "fit")]
    assert watcher.calls[-2:] == [("end", "fit"), "teardown"]
    np.testing.assert_array_equal(watcher.score, model.predict(X))
    stopped = quick(algorithm, max_evaluations=None).set_callbacks(Watcher(8)).fit(X, y)
    assert stopped.n_evaluations_ < model.n_evaluations_


def test_scikit_learn_s_callbacks_are_torn_down_after_a_failure(friedman):
    pytest.importorskip("sklearn.callback")
    watcher = Watcher()
    model = quick(callbacks=[Failing("growth")]).set_callbacks(watcher)
    with pytest.raises(KeyError):
        model.fit(*friedman)
    assert watcher.calls[-1] == "teardown"
    assert ("end", "fit") not in watcher.calls


def test_scikit_learn_s_progress_bar(friedman, algorithm, capsys):
    callback = pytest.importorskip("sklearn.callback")
    quick(algorithm).set_callbacks(callback.ProgressBar()).fit(*friedman)
    assert "Regressor - fit" in capsys.readouterr().out
    make_pipeline(quick(algorithm)).set_callbacks(callback.ProgressBar()).fit(*friedman)
    assert "Regressor - fit" in capsys.readouterr().out


def test_without_scikit_learn_s_callbacks_everything_else_is_there():
    code = (
        "import sys\n"
        "sys.modules['sklearn.callback'] = None\n"
        "from fruler import FuzzyRuleRegressor\n"
        "from fruler.data import make_friedman\n"
        "data = make_friedman(60, random_state=1)\n"
        "model = FuzzyRuleRegressor(random_state=0, max_evaluations=50, verbose=1)\n"
        "assert not hasattr(model, 'set_callbacks')\n"
        "print(model.fit(data.data, data.target).n_rules_)\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(result.stdout) >= 1
    assert "RMSE" in result.stderr
