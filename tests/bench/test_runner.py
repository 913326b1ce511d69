"""Runs in processes of their own: ended ones, slow ones, killed benchmarks, a cluster."""

import json
import multiprocessing
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import asdict
from pathlib import Path

import joblib
import pandas as pd
import psutil
import pytest

from fruler.bench import _runner as runner
from fruler.bench._experiment import plan_experiment
from fruler.bench._results import PLACE, read_lines
from fruler.bench._runner import execute_in_child, run_here, run_on_dask
from fruler.bench.command import RunTimes

pytestmark = pytest.mark.process


def without_times(lines):
    """The lines, in no order, without what differs from run to run."""
    kept = [{k: v for k, v in line.items() if not k.endswith(("seconds", "_s"))} for line in lines]
    return sorted(kept, key=lambda line: [str(line[name]) for name in PLACE])


def n_lines(out):
    path = out / "runs.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


@pytest.fixture(scope="module")
def slow_tasks(small_sets):
    """Runs that take minutes, unless they are ended."""
    return plan_experiment(small_sets, sets="slow", seeds=1, folds="2", methods="fruler", preprocessing=False).tasks


def slow_command(bench_command, out):
    command = bench_command(out, "--methods", "fruler", "--no-preprocessing", "--max-evaluations", "100000")
    command[command.index("--sets") + 1] = "slow"
    return command


def children_once_running(process):
    """The processes of a benchmark, once a run is among them beside the server and the tracker."""
    children = []
    while len(children) < 3:
        assert process.poll() is None
        time.sleep(0.05)
        children = psutil.Process(process.pid).children(recursive=True)
    return children


def deaf_from_the_start(process):
    """Whether a process has Ctrl-C blocked, which it has from its start, and does not merely ignore it by now.

    Taken to be so where that can't be looked up, and of Python's own tracker of resources, which ignores it.
    """
    status = Path(f"/proc/{process.pid}/status")
    if not status.exists() or "resource_tracker" in " ".join(process.cmdline()):
        return True
    blocked = int(re.search(r"^SigBlk:\s*(\w+)$", status.read_text(), re.MULTILINE)[1], 16)
    return bool(blocked >> (signal.SIGINT - 1) & 1)


def test_killed_again_and_again_it_comes_to_the_same(bench, bench_command, tmp_path):
    options = {"methods": "growth,fruler", "peers": "tree", "folds": "2", "jobs": 2}
    bench(tmp_path / "clean", **options)
    expected = read_lines(tmp_path / "clean" / "runs.jsonl")
    assert len(expected) == 4 * 2 * 2
    assert all(line["status"] == "ok" for line in expected)

    out, draw, kills = tmp_path / "killed", random.Random(0), 0
    command = bench_command(out, *(f"--{name}={value}" for name, value in options.items()))
    for _ in range(2):
        before = n_lines(out)
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None and n_lines(out) == before:
                time.sleep(0.01)
            time.sleep(draw.uniform(0.0, 0.2))
            kills += process.poll() is None
            children = psutil.Process(process.pid).children(recursive=True)
            process.kill()
        assert not psutil.wait_procs(children, timeout=60)[1]
    assert kills == 2
    with (out / "runs.jsonl").open("ab") as file:  # and once in the middle of a line
        file.write(b'{"method": "fruler-cap')
    assert "was incomplete" in bench(out, **options)
    assert without_times(read_lines(out / "runs.jsonl")) == without_times(expected)
    assert "16 runs, 16 of them done before" in bench(out, **options)
    assert n_lines(out) == 16
    for path in sorted((tmp_path / "clean").glob("*.csv")):
        assert_same_but_times(path, out / path.name)


def assert_same_but_times(path, other):
    """Two tables are the same but for what is measured in seconds."""
    if path.stem not in ("table9", "summary"):
        first, second = (pd.read_csv(file).filter(regex=r"^(?!.*_s(_sd)?$)") for file in (path, other))
        pd.testing.assert_frame_equal(first, second)


def test_interrupted_it_ends_its_runs_and_says_how_to_go_on(bench_command, tmp_path):
    command = slow_command(bench_command, tmp_path)
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0
    ) as process:
        children = children_once_running(process)
        deaf = list(map(deaf_from_the_start, children))
        os.killpg(process.pid, signal.SIGINT)  # to all of them, as a terminal does
        _, stderr = process.communicate(timeout=120)
    assert all(deaf)
    assert process.returncode == 130
    assert stderr.count("\n") == 1
    assert "repeat the command" in stderr
    assert not psutil.wait_procs(children, timeout=60)[1]


def test_a_run_ends_with_its_parent(slow_tasks):
    with runner._environment_of_runs():
        run = runner._Running.start(multiprocessing.get_context("forkserver"), slow_tasks[0])
        assert run.connection.poll(timeout=60)
    # What the end of the parent does, however it comes.
    run.connection.close()
    run.process.join(timeout=60)
    assert run.process.exitcode == 1


def test_what_lies_in_the_current_folder_is_not_imported(bench_command, tmp_path):
    trap = tmp_path / "trap"
    (trap / "fruler").mkdir(parents=True)
    (trap / "fruler" / "__init__.py").write_text("raise SystemExit('another fruler')")
    (trap / "pandas.py").write_text("raise SystemExit('another pandas')")
    # As the installed command does, but for the guard: a process that runs this again would start processes, too.
    (tmp_path / "start.py").write_text("from fruler._cli import main\nmain()\n")
    _, _, _, *options = bench_command(tmp_path / "out", "--methods=none", "--peers=tree", "--folds=1", "--sets=plain")
    command = [sys.executable, str(tmp_path / "start.py"), *options]
    result = subprocess.run(command, cwd=trap, capture_output=True, text=True, timeout=300, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    assert [line["status"] for line in read_lines(tmp_path / "out" / "runs.jsonl")] == ["ok"]


def test_a_cluster_s_runs_import_the_same(slow_tasks, small_sets, tmp_path, monkeypatch):
    (tmp_path / "fruler.py").write_text("raise SystemExit('another fruler')")
    monkeypatch.chdir(tmp_path)
    (quick,) = plan_experiment(small_sets, sets="plain", folds="1", methods="none", preprocessing=True).tasks
    assert execute_in_child(quick, 300.0)["status"] == "ok"
    assert execute_in_child(slow_tasks[0], 0.2)["status"] == "timeout"


def own_children():
    """Return the processes that a runner started; a cluster of other tests may have some, too."""
    return [child for child in multiprocessing.active_children() if not child.name.startswith("Dask")]


def test_processes_that_cannot_start_are_no_failures_of_the_methods(slow_tasks, monkeypatch):
    monkeypatch.setattr(runner, "_serve", os._exit)  # which takes other arguments
    with pytest.raises(ChildProcessError, match=r"cannot start a process.*code 1"):
        next(run_here(slow_tasks, 2, 60.0))
    assert not own_children()


def test_a_run_over_its_limit_is_ended(slow_tasks):
    lines = [line for _, line in run_here(slow_tasks, 2, 0.5)]
    assert [line["status"] for line in lines] == ["timeout", "timeout"]
    assert lines[0]["message"] == "stopped after 0.5 s"
    assert not own_children()


def test_a_run_that_dies_stops_nothing(slow_tasks, small_sets):
    quick = plan_experiment(small_sets, sets="plain", seeds=1, folds="1", methods="none", preprocessing=True).tasks

    def kill():
        while not own_children():
            time.sleep(0.01)
        os.kill(own_children()[0].pid, signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    lines = [line for _, line in run_here([slow_tasks[0], *quick], 1, 300.0)]
    thread.join()
    assert [line["status"] for line in lines] == ["failed", "ok"]
    assert "SIGKILL" in lines[0]["message"]


def test_runs_have_one_thread(small_sets, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    with runner._environment_of_runs():
        assert os.environ["OMP_NUM_THREADS"] == "1"
    assert os.environ["OMP_NUM_THREADS"] == "7"


def test_closing_ends_what_runs(slow_tasks):
    lines = run_here(slow_tasks, 1, 0.5)
    assert next(lines)[1]["status"] == "timeout"
    lines.close()
    assert not own_children()


def test_a_cluster_gives_the_same(bench, small_sets, tmp_path, slow_tasks):
    distributed = pytest.importorskip("distributed")
    options = {"sets": "plain", "folds": "1", "peers": "tree"}
    bench(tmp_path / "here", **options)
    with distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=True, dashboard_address=":0") as cluster:
        bench(tmp_path / "there", **options, dask=cluster.scheduler_address)
        late = [line["status"] for _, line in run_on_dask(slow_tasks[:1], cluster.scheduler_address, 0.5)]
        with distributed.Client(cluster), joblib.parallel_config("dask"):
            bench(tmp_path / "by_joblib", **options, joblib=True)
    here, there, by_joblib = (read_lines(tmp_path / name / "runs.jsonl") for name in ("here", "there", "by_joblib"))
    assert len(here) == 3
    assert without_times(here) == without_times(there) == without_times(by_joblib)
    assert late == ["timeout"]


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://x", "127.0.0.1"])
def test_a_cluster_that_does_not_answer(slow_tasks, monkeypatch, address):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(runner, "_CONNECT_SECONDS", 1.0)
    with pytest.raises(ValueError, match="no Dask scheduler answers"):
        next(run_on_dask(slow_tasks, address, 1.0))
    with pytest.raises(ValueError, match="No global client"):
        distributed.get_client()


@pytest.mark.skipif(sys.platform == "win32", reason="parents do not change there")
def test_a_run_ends_with_the_worker_that_waits_for_it(slow_tasks):
    waiting = (
        "import json, sys; from fruler.bench._runner import RunTask, execute_in_child; "
        "execute_in_child(RunTask(**json.loads(sys.argv[1])), 600.0)"
    )
    worker = psutil.Popen([sys.executable, "-c", waiting, json.dumps(asdict(slow_tasks[0]))])
    while not worker.children():
        assert worker.poll() is None
        time.sleep(0.05)
    (child,) = worker.children()
    worker.kill()
    worker.wait()
    _, alive = psutil.wait_procs([child], timeout=60)
    assert not alive


def test_time_left_asks_the_best_witness(slow_tasks):
    line = {"method": "fruler", "set": "slow", "status": "ok", "seconds": 9.9}
    assert RunTimes([]).left(slow_tasks, 1) is None
    assert RunTimes([line]).left(slow_tasks, 2) == pytest.approx(10.0)
    other = {**line, "set": "plain", "seconds": 0.9}
    assert RunTimes([line, other]).left(slow_tasks, 1) == pytest.approx(20.0)
    assert RunTimes([other]).left(slow_tasks, 1) == pytest.approx(2.0)
    assert RunTimes([{**line, "status": "failed"}]).left(slow_tasks, 1) is None
