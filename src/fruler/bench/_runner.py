"""Running an experiment, each run in a separate process, on this machine or on a cluster.

As a program (``python -m fruler.bench._runner PARENT_ID``) this module reads a task from standard input and writes the
result to standard output. Runs on a Dask cluster use it, because a worker cannot start processes with
`multiprocessing`.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import ModuleType
from typing import Any

from joblib import Parallel, delayed

from fruler._wording import install_advice
from fruler.bench._results import COMMON_MEASURES, Line

# One thread for everything that multiplies matrices or grows trees, so that seconds can be compared.
_ONE_THREAD = {
    f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR", "VECLIB_MAXIMUM")
}
# Loaded once by the process from which all runs are forked, so that a run starts within milliseconds.
_PRELOAD = ["fruler.bench._methods", "sklearn.linear_model", "sklearn.ensemble"]
_CONNECT_SECONDS = 10.0
_MAX_MESSAGE = 300


@dataclass(frozen=True)
class RunTask:
    """Everything that a process needs for one run."""

    method: str
    settings: str
    set: str
    fold: int
    seed: int
    data: str
    parameters: dict[str, Any]
    package: str

    @property
    def key(self) -> tuple[str, str, int, int]:
        """The key of the run: method, set, fold, seed."""
        return self.method, self.set, self.fold, self.seed


def package_version(package: str) -> str | None:
    """Return the version of an installed distribution, or None."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def execute(task: RunTask) -> Line:
    """Execute a run in this process and return its line; if the method fails, the line has the error message."""
    from fruler import load_keel
    from fruler.bench._methods import find_method, finite_or_none

    try:
        train, test = load_keel(Path(task.data) / task.set, fold=task.fold)
        measured = find_method(task.method).measure(task.parameters, train, test, task.seed)
    except ImportError as error:
        return _blank_line(task, "missing", f"{error}; pip install {task.package}")
    except Exception as error:  # noqa: BLE001  a peer may fail in any way; the other runs continue
        return _blank_line(task, "failed", f"{type(error).__name__}: {error}")
    measures = {name: finite_or_none(value) for name, value in measured.items()}
    line = _blank_line(task, "ok", measures.pop("message", None))
    line |= {"rows": len(train.target), "inputs": int(train.data.shape[1])}
    for name, value in measures.items():
        is_time = name.endswith(("seconds", "_s")) and value is not None
        line[name] = round(value, 6) if is_time else value
    if line["error"] is None and "reduction" not in line:
        line |= {"status": "failed", "message": "its predictions are not finite numbers"}
    return line


def _blank_line(task: RunTask, status: str, message: str | None, seconds: float | None = None) -> Line:
    """Return the line of a run without measures."""
    place = {"method": task.method, "settings": task.settings, "set": task.set, "fold": task.fold, "seed": task.seed}
    text = None if message is None else " ".join(message.split())[:_MAX_MESSAGE]
    measures = {**dict.fromkeys(COMMON_MEASURES), "seconds": seconds}
    return {**place, "status": status, "message": text, **measures, "version": package_version(task.package)}


def _describe_exit(code: int | None) -> str:
    """Describe how a process without a result ended."""
    if code is not None and code < 0:
        name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
        return f"its process was ended by {name}" + (" (out of memory?)" if name == "SIGKILL" else "")
    return f"its process ended with code {code}"


def run_here(tasks: Sequence[RunTask], jobs: int, limit: float) -> Generator[tuple[RunTask, Line], None, None]:
    """Execute runs on this machine, each in a separate process with one thread.

    Parameters
    ----------
    tasks : sequence of RunTask
        The runs, in the order in which they start.
    jobs : int
        The number of runs at a time.
    limit : float
        The number of seconds after which a run is stopped.

    Yields
    ------
    task, line
        The runs and their results, in the order in which they end. Closing the generator kills unfinished runs.

    Raises
    ------
    ChildProcessError
        If the first process ends before it starts its run, since no other would start either.
    """
    waiting = list(reversed(tasks))
    running: list[_Running] = []
    begun = False
    with _environment_of_runs():
        context = multiprocessing.get_context("forkserver" if os.name == "posix" else "spawn")
        if os.name == "posix":
            context.set_forkserver_preload(_PRELOAD)
        try:
            while waiting or running:
                while waiting and len(running) < jobs:
                    running.append(_Running.start(context, waiting.pop()))
                first = min(run.started for run in running)
                wait([run.connection for run in running], timeout=max(0.0, first + limit - time.monotonic()))
                for run in list(running):
                    line = run.collect(limit)
                    begun = begun or run.begun
                    if line is not None:
                        # A signal comes from outside and may hit only this process.
                        if not begun and run.process.exitcode > 0:
                            raise ChildProcessError(f"cannot start a process for the runs: {line['message']}")
                        running.remove(run)
                        yield run.task, line
        finally:
            for run in running:
                run.kill()


@dataclass
class _Running:
    task: RunTask
    process: Any
    connection: Connection
    started: float
    begun: bool = False

    @classmethod
    def start(cls, context: Any, task: RunTask) -> _Running:
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, task), daemon=True)
        with _without_main(), _without_ctrl_c():
            process.start()
        theirs.close()
        return cls(task, process, ours, time.monotonic())

    def collect(self, limit: float) -> Line | None:
        """Return the line of the run if it has ended or its time is up, else None."""
        line: Line | None = None
        if self.connection.poll():
            try:
                line = self.connection.recv()
                # The first message is None: the process has started its run.
                self.begun = True
            except (EOFError, OSError):
                self.process.join()
                line = _blank_line(self.task, "failed", _describe_exit(self.process.exitcode))
        elif time.monotonic() - self.started >= limit:
            line = _blank_line(self.task, "timeout", f"stopped after {limit:g} s", limit)
        if line is not None:
            self.kill()
        return line

    def kill(self) -> None:
        """Kill the process and wait until it is gone."""
        self.process.kill()
        self.process.join()
        self.connection.close()


def _serve(connection: Connection, task: RunTask) -> None:
    """Execute a run in this process and send its line."""
    # For systems on which signals cannot be blocked; on others Ctrl-C has been blocked from the start.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _silence()
    threading.Thread(target=_end_with_connection, args=(connection,), daemon=True).start()
    connection.send(None)
    connection.send(execute(task))


def _end_with_connection(connection: Connection) -> None:
    """End this process when the parent is gone, so that a killed benchmark leaves nothing running."""
    try:
        connection.recv()
    except (EOFError, OSError):
        os._exit(1)


def _silence() -> int:
    """Discard the output of methods, and return a descriptor of the former standard output."""
    kept = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    return kept


def _child_environment() -> dict[str, str]:
    """Return environment variables that make a new Python process use one thread and import the same modules as this.

    Python started with ``-c`` or ``-m`` looks for modules in the current folder first. A folder ``fruler`` or a file
    ``pandas.py`` there would replace the package of the parent.
    """
    here = os.getcwd()
    path = os.pathsep.join(dict.fromkeys(os.path.join(here, entry) for entry in sys.path))
    return {**_ONE_THREAD, "PYTHONSAFEPATH": "1", "PYTHONPATH": path}


@contextmanager
def _environment_of_runs() -> Iterator[None]:
    """Set the variables of `_child_environment` for processes that start in this context."""
    ours = _child_environment()
    before = {name: os.environ.get(name) for name in ours}
    os.environ.update(ours)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _without_ctrl_c() -> Iterator[None]:
    """Start processes that Ctrl-C does not interrupt.

    Ctrl-C reaches all processes of a terminal, and the parent decides which of them to end. If a process ignored it
    only once its code runs, Ctrl-C could hit it before and make it print a traceback. Blocked signals stay blocked in
    child processes; in this process, Ctrl-C takes effect at the end of the context.
    """
    if os.name != "posix":
        yield
        return
    # Starting the resource tracker unblocks the signal, so it must be started before.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _without_main() -> Iterator[None]:
    """Start processes that do not run the main module again, which is the command or a user's script."""
    main_module = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main_module


def run_by_joblib(tasks: Sequence[RunTask], limit: float) -> Generator[tuple[RunTask, Line], None, None]:
    """Execute runs on the workers of the current joblib backend (`joblib.parallel_config`): Dask, Ray, Spark.

    The workers need this package, the peers and the data folder. Lines are yielded in the order in which runs end.
    """
    # Runs are long enough to be sent one by one; all are queued on the cluster, so that no worker has to wait for us.
    parallel = Parallel(n_jobs=-1, return_as="generator_unordered", batch_size=1, pre_dispatch="all")
    lines = parallel(delayed(_numbered)(number, task, limit) for number, task in enumerate(tasks))
    try:
        for number, line in lines:
            yield tasks[number], line
    finally:
        with warnings.catch_warnings():
            # Warnings about abandoned runs, which is the purpose of closing.
            warnings.simplefilter("ignore")
            lines.close()


def run_on_dask(tasks: Sequence[RunTask], address: str, limit: float) -> Generator[tuple[RunTask, Line], None, None]:
    """Execute runs on the Dask cluster with the scheduler at an address; otherwise like `run_by_joblib`.

    It uses Dask's own futures, which can be cancelled at any time; if a worker dies, only its run is lost.
    """
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise ValueError(f"--dask needs Dask; {install_advice('dask')}") from error
    try:
        # Not as the default client: one that never connects would stay the default.
        client = distributed.Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise ValueError(
            f"no Dask scheduler answers at {address!r} within {_CONNECT_SECONDS:g} s; check the address"
        ) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=_CONNECT_SECONDS)
        except TimeoutError as error:
            raise ValueError(f"the Dask cluster at {address!r} has no workers; start some") from error
        # Dask gives up a run whose worker dies three times.
        futures = [client.submit(execute_in_child, task, limit, pure=False, retries=0) for task in tasks]
        by_key = {future.key: task for future, task in zip(futures, tasks, strict=True)}
        try:
            for future in distributed.as_completed(futures, loop=client.loop):
                task = by_key[future.key]
                trouble = future.exception()
                line = future.result() if trouble is None else _blank_line(task, "failed", f"on the cluster: {trouble}")
                future.release()
                yield task, line
        finally:
            client.cancel(futures)


def _numbered(number: int, task: RunTask, limit: float) -> tuple[int, Line]:
    return number, execute_in_child(task, limit)


def execute_in_child(task: RunTask, limit: float) -> Line:
    """Execute a run in a new Python process, and kill it after `limit` seconds."""
    try:
        child = subprocess.run(
            [sys.executable, "-m", "fruler.bench._runner", str(os.getpid())],
            input=json.dumps(asdict(task)).encode(),
            capture_output=True,
            env=os.environ | _child_environment(),
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return _blank_line(task, "timeout", f"stopped after {limit:g} s", limit)
    try:
        line: Line = json.loads(child.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        return _blank_line(task, "failed", _describe_exit(child.returncode))
    return line


def _end_with_parent(parent: int) -> None:
    """End this process when the parent is gone, since nothing would read its line or stop it at its limit."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def main() -> None:
    """Read a task from standard input and write its line to standard output."""
    # The parent passes its own process id: by now the parent may be gone, and getppid would return another.
    threading.Thread(target=_end_with_parent, args=(int(sys.argv[1]),), daemon=True).start()
    task = RunTask(**json.loads(sys.stdin.read()))
    with os.fdopen(_silence(), "w", encoding="utf-8") as output:
        output.write(json.dumps(execute(task), allow_nan=False) + "\n")


if __name__ == "__main__":
    main()
