"""Makes the runs of a plan, on this machine or on a cluster, and hands out their lines as they come."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from types import ModuleType
from typing import Any

from joblib import Parallel, delayed

from fruler._wording import install_advice
from fruler.bench.execution import (
    Task,
    blank_line,
    child_environment,
    describe_exit,
    execute,
    execute_in_child,
    silence,
)
from fruler.bench.lines import Line

# Loaded once by the process that all runs are forked from; a run then starts within milliseconds.
_PRELOAD = ["fruler.bench.methods", "sklearn.linear_model", "sklearn.ensemble"]
_CONNECT_SECONDS = 10.0


def run_here(tasks: Sequence[Task], jobs: int, limit: float) -> Generator[tuple[Task, Line], None, None]:
    """Make runs on this machine, each in a process of its own with one thread.

    Parameters
    ----------
    tasks : sequence of Task
        The runs, in the order in which they start.
    jobs : int
        How many run at a time.
    limit : float
        Seconds after which a run is ended.

    Yields
    ------
    task, line
        In the order in which they end. Closing the generator ends what still runs.

    Raises
    ------
    ChildProcessError
        If not even the first process gets as far as its run: then none would.
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
                        # A signal comes from outside, and may hit one process only.
                        if not begun and run.process.exitcode > 0:
                            raise ChildProcessError(f"no process can be started for the runs: {line['message']}")
                        running.remove(run)
                        yield run.task, line
        finally:
            for run in running:
                run.kill()


def run_by_joblib(tasks: Sequence[Task], limit: float) -> Generator[tuple[Task, Line], None, None]:
    """Make runs on the workers of the joblib backend of the moment (`joblib.parallel_config`): Dask's, Ray's, Spark's.

    They must have this package, the peers and the data folder.

    Parameters
    ----------
    tasks : sequence of Task
        The runs.
    limit : float
        Seconds after which a run is ended.

    Yields
    ------
    task, line
        In the order in which they end.
    """
    # One run is long enough to be sent alone; all wait on the cluster, so that no worker ever waits for us.
    parallel = Parallel(n_jobs=-1, return_as="generator_unordered", batch_size=1, pre_dispatch="all")
    lines = parallel(delayed(_numbered)(number, task, limit) for number, task in enumerate(tasks))
    try:
        for number, line in lines:
            yield tasks[number], line
    finally:
        with warnings.catch_warnings():
            # Of runs that were given up, which is what closing asks for.
            warnings.simplefilter("ignore")
            lines.close()


def run_on_dask(tasks: Sequence[Task], address: str, limit: float) -> Generator[tuple[Task, Line], None, None]:
    """Make runs on the Dask cluster whose scheduler has an address; otherwise as `run_by_joblib`.

    It has futures of its own: they can be cancelled at any moment, and a worker that dies costs one run, not all.
    """
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise ValueError(f"--dask needs Dask; {install_advice('dask')}") from error
    try:
        # Not as the default: one that never connects would stay it.
        client = distributed.Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise ValueError(f"no Dask scheduler answers at {address!r} within {_CONNECT_SECONDS:g} s; check it") from error
    with client:
        try:
            client.wait_for_workers(1, timeout=_CONNECT_SECONDS)
        except TimeoutError as error:
            raise ValueError(f"the Dask cluster at {address!r} has no workers; start some") from error
        # The order of submission is that of the plan; a run whose worker dies thrice is given up.
        futures = [client.submit(execute_in_child, task, limit, pure=False, retries=0) for task in tasks]
        by_key = {future.key: task for future, task in zip(futures, tasks, strict=True)}
        try:
            for future in distributed.as_completed(futures, loop=client.loop):
                task = by_key[future.key]
                trouble = future.exception()
                line = future.result() if trouble is None else blank_line(task, "failed", f"on the cluster: {trouble}")
                future.release()
                yield task, line
        finally:
            client.cancel(futures)


def _numbered(number: int, task: Task, limit: float) -> tuple[int, Line]:
    return number, execute_in_child(task, limit)


@dataclass
class _Running:
    task: Task
    process: Any
    connection: Connection
    started: float
    begun: bool = False

    @classmethod
    def start(cls, context: Any, task: Task) -> _Running:
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, task), daemon=True)
        with _without_main(), _without_ctrl_c():
            process.start()
        theirs.close()
        return cls(task, process, ours, time.monotonic())

    def collect(self, limit: float) -> Line | None:
        """Return the run's line if it has ended, or must end now."""
        line: Line | None = None
        if self.connection.poll():
            try:
                line = self.connection.recv()
                # The first message says that the process has come as far as its run, and is no line.
                self.begun = True
            except (EOFError, OSError):
                self.process.join()
                line = blank_line(self.task, "failed", describe_exit(self.process.exitcode))
        elif time.monotonic() - self.started >= limit:
            line = blank_line(self.task, "timeout", f"stopped after {limit:g} s", limit)
        if line is not None:
            self.kill()
        return line

    def kill(self) -> None:
        """End the process, whatever it does, and wait until it is gone."""
        self.process.kill()
        self.process.join()
        self.connection.close()


def _serve(connection: Connection, task: Task) -> None:
    """Make one run in this process and send its line."""
    # Where signals can't be blocked; elsewhere the process has been deaf to Ctrl-C from its start.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    silence()
    threading.Thread(target=_end_with_parent, args=(connection,), daemon=True).start()
    connection.send(None)
    connection.send(execute(task))


def _end_with_parent(connection: Connection) -> None:
    """End this process when the parent is gone, so that a killed benchmark leaves nothing running."""
    try:
        connection.recv()
    except (EOFError, OSError):
        os._exit(1)


@contextmanager
def _environment_of_runs() -> Iterator[None]:
    """Let processes that start meanwhile use one thread, and import what this one does."""
    ours = child_environment()
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
    """Let processes that start meanwhile never be interrupted.

    Ctrl-C reaches all processes of a terminal; the parent decides what ends. A process that ignored it only once its
    code runs could be hit before, and would print a traceback. Signals that a process blocks stay blocked in those that
    it starts; in this one, Ctrl-C takes effect at the end of the block.
    """
    if os.name != "posix":
        yield
        return
    # It unblocks the signal once it has started its own process, so it must have done so.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _without_main() -> Iterator[None]:
    """Let processes that start meanwhile not run the main module again: it is the command or someone's script."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
