"""Ctrl-C: real signals to real processes."""

import signal
import subprocess
import sys
import threading

import pytest

from fruler import FuzzyRuleRegressor
from fruler.callbacks import Callback
from fruler.data import make_friedman
from fruler.learning._control import RunControl

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be sent Ctrl-C alone there")

CHILD = """
import os, signal, sys, time, warnings
from fruler.callbacks import Callback
from fruler.data import make_friedman
from fruler.estimators.registry import find_estimator

algorithm, stage, wait = sys.argv[1], sys.argv[2], float(sys.argv[3])
data = make_friedman(300, random_state=1)

class Ready(Callback):
    told, stages = False, []
    def on_generation(self, progress):
        if progress.stage == stage and not self.told and (progress.n_rules or stage == "selection"):
            self.told = True
            if wait:
                # Says when the first Ctrl-C has been taken, so that the second does not come together with it.
                ours = signal.getsignal(signal.SIGINT)
                signal.signal(signal.SIGINT, lambda *signal: (ours(*signal), print("taken", flush=True)))
            print("ready", flush=True)
            if wait:
                time.sleep(wait)
            else:
                os.kill(os.getpid(), signal.SIGINT)
        self.stages.append(progress.stage)

settings = {"max_evaluations": 10**6, "n_restarts": 1000} if algorithm == "fruler" else {}
if algorithm == "fruler":
    settings |= {"solver": "coordinate_descent", "fit_rows": "all", "criterion": "bic", "l1_ratio": 0.5}
estimator = find_estimator(algorithm)
model = estimator(**settings, random_state=0, n_jobs=int(sys.argv[4]), callbacks=[Ready()])
before = signal.getsignal(signal.SIGINT)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    try:
        model.fit(data.data, data.target)
    except KeyboardInterrupt:
        print("KeyboardInterrupt", hasattr(model, "rule_base_"), signal.getsignal(signal.SIGINT) is before)
        sys.exit()
print("model", model.score(data.data, data.target) > 0.7, signal.getsignal(signal.SIGINT) is before)
print(*Ready.stages)
print(*[f"{warning.category.__name__}: {warning.message} {warning.filename}" for warning in caught])
"""


def child(algorithm, stage, wait=0.0, n_jobs=1):
    # A process in the background of a shell has Ctrl-C ignored; here it is wanted.
    def prepare():
        signal.signal(signal.SIGINT, signal.default_int_handler)

    arguments = [sys.executable, "-c", CHILD, algorithm, stage, str(wait), str(n_jobs)]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, preexec_fn=prepare)
    assert process.stdout.readline() == "ready\n"
    return process


def end(process, timeout=120):
    output, _ = process.communicate(timeout=timeout)
    assert process.returncode == 0
    return output.splitlines()


@pytest.mark.process
@pytest.mark.parametrize(
    ("algorithm", "stage", "n_jobs"),
    [
        ("growth", "growth", 1),
        ("growth", "cross-validation", 2),
        ("fruler", "evolution", 1),
        ("fruler", "evolution", 2),
    ],
)
def test_ctrl_c_ends_the_search_with_the_best_model_so_far(algorithm, stage, n_jobs):
    # From within: what other threads do until a signal of another process comes, nobody knows.
    state, stages, warning = end(child(algorithm, stage, n_jobs=n_jobs))
    assert state == "model True True"
    last = stages.split()
    assert last[-1] == "fit"
    assert last.count("fit") == 1
    # Of the thirty folds, those are told of that the other thread had finished before.
    assert last.count(stage) <= (10 if stage == "cross-validation" else 1)
    assert warning.startswith("RuntimeWarning: Ctrl-C ended the search after")
    # Of the line that called fit.
    assert warning.endswith(" <string>")


@pytest.mark.process
def test_a_second_ctrl_c_is_an_exception():
    process = child("fruler", "evolution", wait=120.0)
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "taken\n"
    process.send_signal(signal.SIGINT)
    assert end(process) == ["KeyboardInterrupt False True"]


def test_before_there_is_a_model_ctrl_c_is_an_exception():
    process = child("fruler", "selection", wait=120.0)
    process.send_signal(signal.SIGINT)
    assert end(process) == ["KeyboardInterrupt False True"]


def test_where_ctrl_c_is_ignored_it_stays_so():
    with make_small_fit(signal.SIG_IGN) as (model, handlers):
        assert model.n_rules_ > 0
        assert handlers == [signal.SIG_IGN]


def test_a_handler_of_one_s_own_is_put_back_and_gets_the_second_ctrl_c():
    received = []

    def own(number, frame):
        received.append(number)

    class Twice(Callback):
        def on_generation(self, progress):
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)

    with make_small_fit(own, Twice()) as (model, handlers):
        assert model.n_rules_ == 1
        assert handlers[0] is not own
        assert received
        assert signal.getsignal(signal.SIGINT) is own


class make_small_fit:
    """Fit a model under a handler of SIGINT; note which handlers were there meanwhile."""

    def __init__(self, handler, *callbacks):
        self.handler, self.callbacks = handler, callbacks

    def __enter__(self):
        handlers = []

        class Note(Callback):
            def on_generation(self, progress):
                handlers[:] = [signal.getsignal(signal.SIGINT)]

        self.before = signal.signal(signal.SIGINT, self.handler)
        data = make_friedman(100, random_state=1)
        model = FuzzyRuleRegressor(random_state=0, max_evaluations=100, callbacks=[Note(), *self.callbacks])
        if self.callbacks:
            with pytest.warns(RuntimeWarning, match="Ctrl-C"):
                model.fit(data.data, data.target)
        else:
            model.fit(data.data, data.target)
        return model, handlers

    def __exit__(self, *error):
        signal.signal(signal.SIGINT, self.before)


def test_outside_of_the_main_thread_signals_are_left_alone():
    before = signal.getsignal(signal.SIGINT)
    seen = []

    def run():
        with RunControl().interruptible():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [before]
