"""How far the benchmark is: a bar on a terminal, plain lines in a log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from types import TracebackType
from typing import Self

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from fruler._wording import counted, duration
from fruler.bench.execution import Task
from fruler.bench.lines import Line

# What a run costs besides fitting: reading the data and starting its process.
_OVERHEAD = 0.1


class TimeLeft:
    """Estimates the time that runs will take from those that are finished.

    The best witness is a run of the same method on the same set, then the method's mean, then that of all.
    """

    def __init__(self, lines: Iterable[Line]) -> None:
        self._seconds: dict[tuple[str, ...], list[float]] = defaultdict(list)
        for line in lines:
            self.add(line)

    def add(self, line: Line) -> None:
        """Learn from a finished run."""
        if line.get("seconds") is not None and line["status"] in ("ok", "timeout"):
            for key in ((line["method"], line["set"]), (line["method"],), ()):
                self._seconds[key].append(line["seconds"] + (line.get("predict_seconds") or 0.0) + _OVERHEAD)

    def estimate(self, tasks: Iterable[Task], jobs: int) -> float | None:
        """Return the seconds that runs will take, or None while nothing is known."""
        if not self._seconds:
            return None
        means = {key: float(np.mean(seconds)) for key, seconds in self._seconds.items()}
        total = 0.0
        for task in tasks:
            total += means.get((task.method, task.set), means.get((task.method,), means[()]))
        return total / jobs


class Reporter:
    """Tells of each finished run.

    Parameters
    ----------
    console : Console
        Where to.
    tasks : list of Task
        The runs that are to be made.
    lines : list of dict
        What is known from earlier.
    jobs : int
        How many run at a time.
    """

    def __init__(self, console: Console, tasks: Iterable[Task], lines: Iterable[Line], jobs: int) -> None:
        self._console, self._jobs = console, jobs
        self._left = {task.key: task for task in tasks}
        self._total = len(self._left)
        # One width for all descriptions, lest the bar jumps.
        self._width = max((len(_describe_task(task)) for task in self._left.values()), default=0)
        self._time_left = TimeLeft(lines)
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
            console=console,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("".ljust(self._width), total=self._total, left=self._remaining())

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def finished(self, task: Task, line: Line) -> None:
        """Tell of a run that has just ended."""
        del self._left[task.key]
        self._time_left.add(line)
        remaining = self._remaining()
        if self._console.is_terminal:
            description = _describe_task(task).ljust(self._width)
            self._bar.update(self._task, advance=1, left=remaining, description=description)
            if line["status"] == "ok":
                return
        number = self._total - len(self._left)
        tail = f"; {remaining}" if remaining else ""
        self._console.print(
            f"{number}/{self._total} {describe(line)}{tail}", highlight=False, markup=False, soft_wrap=True
        )

    def _remaining(self) -> str:
        seconds = self._time_left.estimate(self._left.values(), self._jobs)
        return "" if seconds is None or not self._left else f"about {duration(seconds)} left"


def _describe_task(task: Task) -> str:
    return f"last: {task.set} {task.method}"


def describe(line: Line) -> str:
    """Say in one line what came of a run."""
    head = f"{line['set']} fold {line['fold']} seed {line['seed']} {line['method']}: "
    if line["status"] != "ok":
        return f"{head}{line['status']} ({line['message']})"
    parts = []
    if line.get("error") is not None:
        parts.append(f"error {line['error']:.4g}")
    if line.get("rules") is not None:
        parts.append(counted(line["rules"], "rule"))
    if line.get("reduction") is not None:
        parts.append(f"{line['reduction']:.1f} % fewer rows")
    return head + ", ".join([*parts, f"{line['seconds']:.1f} s"])
