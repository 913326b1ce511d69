"""Workers and schedulers that are lost on the way."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from distributed import Client, LocalCluster
from distributed.comm.core import CommClosedError
from helpers.blocks import in_chunks

from fruler.callbacks import Callback
from fruler.distributed import ClusterLost, DaskFuzzyRuleRegressor
from fruler.distributed._cluster import check_workers
from fruler.learning import _sampled_table

QUICK = {"max_evaluations": 500, "random_state": 0}


class Kill(threading.Thread):
    """Kills a worker process, by its own number, while it sums up a block."""

    def __init__(self, scheduler, pids):
        super().__init__(daemon=True)
        self.scheduler, self.pids, self.killed = scheduler, pids, None

    def run(self):
        end = time.monotonic() + 60
        while self.killed is None and time.monotonic() < end:
            for address, worker in list(self.scheduler.workers.items()):
                if address in self.pids and any("sum_rows" in str(task.key) for task in list(worker.processing)):
                    os.kill(self.pids[address], signal.SIGKILL)
                    self.killed = address
                    return
            time.sleep(0.001)


@pytest.fixture
def small_sample(monkeypatch):
    """The client gets only some of the rows, so that workers sum up the others."""
    monkeypatch.setattr(_sampled_table, "MAX_SAMPLE_ROWS", 400)


def test_a_worker_killed_in_the_middle_of_a_pass_changes_nothing(cluster, client, friedman, small_sample):
    chunks = in_chunks(*friedman, 100)
    whole = DaskFuzzyRuleRegressor(client, **QUICK).fit(*chunks)
    kill = Kill(cluster.scheduler, client.run(os.getpid))
    kill.start()
    survived = DaskFuzzyRuleRegressor(client, **QUICK).fit(*chunks)
    kill.join()
    assert kill.killed is not None
    assert survived.rule_base_ == whole.rule_base_  # to the last bit
    client.wait_for_workers(2, timeout=60)  # the other tests have both again


class At(Callback):
    """Does something once, after some step of the growth."""

    def __init__(self, generation, action):
        self.generation, self.action = generation, action

    def on_generation(self, progress):
        if progress.stage == "growth" and progress.generation == self.generation:
            self.action()


def test_without_any_worker_there_is_an_error_and_no_waiting_for_ever(friedman, small_sample):
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        callback = At(1, lambda: cluster.scale(0))
        model = DaskFuzzyRuleRegressor(client, timeout=1.0, callbacks=[callback], **QUICK)
        with pytest.raises(ClusterLost, match="All workers are lost, and none came back within 1 seconds"):
            model.fit(*in_chunks(*friedman, 300))
        assert not hasattr(model, "rule_base_")
        with pytest.raises(ClusterLost, match="No worker connected within 1 seconds"):
            model.fit(*in_chunks(*friedman, 300))


@pytest.fixture
def own_scheduler(tmp_path):
    """A scheduler and a worker in processes of their own; yields the scheduler's process and its address."""
    file = tmp_path / "scheduler.json"
    start = [sys.executable, "-m", "dask"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    options = ["--no-dashboard", "--scheduler-file", str(file)]
    scheduler = subprocess.Popen([*start, "scheduler", "--port", "0", "--host", "127.0.0.1", *options], **quiet)
    worker = subprocess.Popen([*start, "worker", "--nthreads", "1", "--no-nanny", *options], **quiet)
    yield scheduler, file
    for process in (worker, scheduler):
        process.kill()
        process.wait()


def test_without_the_scheduler_there_is_an_error_and_a_checkpoint_to_go_on_from(
    own_scheduler, client, friedman, tmp_path, small_sample
):
    process, file = own_scheduler
    chunks, folder = in_chunks(*friedman, 300), tmp_path / "checkpoint"
    with Client(scheduler_file=str(file), set_as_default=False, timeout=60) as lost:
        model = DaskFuzzyRuleRegressor(lost, checkpoint=folder, callbacks=[At(3, process.kill)], **QUICK)
        with pytest.raises(ClusterLost, match=r"The Dask scheduler at tcp://.* is lost.*checkpoint=FOLDER"):
            model.fit(*chunks)
    resumed = DaskFuzzyRuleRegressor(client, checkpoint=folder, **QUICK).fit(*chunks)
    assert 0 < resumed.resumed_ < resumed.n_evaluations_
    whole = DaskFuzzyRuleRegressor(client, **QUICK).fit(*chunks)
    np.testing.assert_array_equal(resumed.rule_base_.consequents, whole.rule_base_.consequents)


class DyingWorkers:
    """A client whose workers die, are listed for a while, and come back."""

    status = "running"

    def __init__(self, answers):
        self.answers, self.scheduler = list(answers), type("Scheduler", (), {"address": "tcp://here"})

    def wait_for_workers(self, n_workers, timeout):
        if isinstance(self.answers[0], TimeoutError):
            raise self.answers[0]

    def run(self, function, on_error):
        answer = self.answers[0] if len(self.answers) == 1 else self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return {address: function() if said is None else said for address, said in answer.items()}


@pytest.mark.parametrize("loss", [CommClosedError("lost"), OSError("lost"), TimeoutError("lost")])
def test_a_worker_that_is_lost_at_the_start_is_not_waited_for(loss):
    workers = DyingWorkers([{"a": None, "b": loss}, {}, {"a": None}])
    check_workers(workers, 30.0)
    assert len(workers.answers) == 1, "they were not asked again"


def test_workers_that_never_answer_are_an_error_after_the_timeout_only():
    start = time.monotonic()
    with pytest.raises(ClusterLost, match=r"Worker b has not answered for 0.3 seconds: CommClosedError"):
        check_workers(DyingWorkers([{"a": None, "b": CommClosedError("lost")}]), 0.3)
    assert time.monotonic() - start > 0.3
    with pytest.raises(ClusterLost, match="No worker connected within 5 seconds"):
        check_workers(DyingWorkers([TimeoutError()]), 5.0)


def test_a_scheduler_that_is_lost_at_the_start_is_named(own_scheduler, friedman, small_sample):
    process, file = own_scheduler
    with Client(scheduler_file=str(file), set_as_default=False, timeout=60) as lost:

        class Loss(Callback):
            def on_start(self, estimator):
                process.kill()
                process.wait()

        model = DaskFuzzyRuleRegressor(lost, timeout=3.0, callbacks=[Loss()], **QUICK)
        with pytest.raises(
            ClusterLost, match=r"The Dask scheduler at tcp://.* is lost|No worker connected within 3 seconds"
        ):
            model.fit(*in_chunks(*friedman, 300))
