"""One run of the benchmark, in a process of its own.

As a program (``python -m fruler.bench.execution``, with its parent's process id) it reads a task from its input and
writes the result to its output; that is how runs on a Dask cluster are made, whose workers may not have child processes
of Python's own kind.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from fruler.bench.lines import COMMON_FIGURES, Line

# One thread for everything that multiplies matrices or grows trees, so that seconds can be compared.
ONE_THREAD = {
    f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR", "VECLIB_MAXIMUM")
}
_LONGEST_MESSAGE = 300


@dataclass(frozen=True)
class Task:
    """What a process must know to make one run."""

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
        """The run's place in the experiment: method, set, fold, seed."""
        return self.method, self.set, self.fold, self.seed


def blank_line(task: Task, status: str, message: str | None, seconds: float | None = None) -> Line:
    """Return the line of a run that gave no figures."""
    place = {"method": task.method, "settings": task.settings, "set": task.set, "fold": task.fold, "seed": task.seed}
    text = None if message is None else " ".join(message.split())[:_LONGEST_MESSAGE]
    figures = {**dict.fromkeys(COMMON_FIGURES), "seconds": seconds}
    return {**place, "status": status, "message": text, **figures, "version": package_version(task.package)}


def execute(task: Task) -> Line:
    """Make a run and return its line; what goes wrong in the method is told in the line."""
    from fruler import load_keel
    from fruler.bench.methods import find_method, finite_or_none

    try:
        train, test = load_keel(Path(task.data) / task.set, fold=task.fold)
        measured = find_method(task.method).measure(task.parameters, train, test, task.seed)
    except ImportError as error:
        return blank_line(task, "missing", f"{error}; pip install {task.package}")
    except Exception as error:  # noqa: BLE001  a peer may fail in any way, and stops nothing
        return blank_line(task, "failed", f"{type(error).__name__}: {error}")
    figures = {name: finite_or_none(value) for name, value in measured.items()}
    line = blank_line(task, "ok", figures.pop("message", None))
    line |= {"rows": len(train.target), "inputs": int(train.data.shape[1])}
    line |= {name: _shorten(value) if name.endswith(("seconds", "_s")) else value for name, value in figures.items()}
    if line["error"] is None and "reduction" not in line:
        line |= {"status": "failed", "message": "its predictions are no finite numbers"}
    return line


def child_environment() -> dict[str, str]:
    """Return what the environment of a new Python process needs for one thread, and to import what this one does.

    Python looks for modules in the current folder first when it is started with ``-c`` or ``-m``. A folder ``fruler``
    there, or a file ``pandas.py``, would stand in for the package that the parent has.
    """
    here = os.getcwd()
    path = os.pathsep.join(dict.fromkeys(os.path.join(here, entry) for entry in sys.path))
    return {**ONE_THREAD, "PYTHONSAFEPATH": "1", "PYTHONPATH": path}


def execute_in_child(task: Task, limit: float) -> Line:
    """Make a run in a new Python process, and kill it when it takes longer than its limit in seconds."""
    try:
        child = subprocess.run(
            [sys.executable, "-m", "fruler.bench.execution", str(os.getpid())],
            input=json.dumps(asdict(task)).encode(),
            capture_output=True,
            env=os.environ | child_environment(),
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return blank_line(task, "timeout", f"stopped after {limit:g} s", limit)
    try:
        line: Line = json.loads(child.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        return blank_line(task, "failed", describe_exit(child.returncode))
    return line


def describe_exit(code: int | None) -> str:
    """Say in words how a process ended that gave no result."""
    if code is not None and code < 0:
        import signal

        name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
        return f"its process was ended by {name}" + (" (out of memory?)" if name == "SIGKILL" else "")
    return f"its process ended with code {code}"


def package_version(package: str) -> str | None:
    """Return the version of an installed distribution, or None."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def silence() -> int:
    """Send what methods print nowhere; return a descriptor of the former output."""
    kept = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    return kept


def _shorten(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 6)


def _end_with_parent(parent: int) -> None:
    """End this process when the parent is gone: nobody would wait for its line, nor end it at its limit."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def main() -> None:
    """Read a task from the standard input, write its line to the standard output."""
    # The parent says who it is: whoever asked only now might be told of its successor.
    threading.Thread(target=_end_with_parent, args=(int(sys.argv[1]),), daemon=True).start()
    task = Task(**json.loads(sys.stdin.read()))
    with os.fdopen(silence(), "w", encoding="utf-8") as output:
        output.write(json.dumps(execute(task), allow_nan=False) + "\n")


if __name__ == "__main__":
    main()
