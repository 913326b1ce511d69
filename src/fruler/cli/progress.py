"""How far the learning is: a line that changes on a terminal, a plain line now and then in a log."""

from __future__ import annotations

import math
import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.status import Status

from fruler.bench.progress import readable
from fruler.callbacks import Callback, Progress
from fruler.explain.numbers import readable_number

_SECONDS_ON_A_TERMINAL, _SECONDS_IN_A_LOG = 0.1, 5.0


class ProgressLine(Callback):
    """Tells on standard error how far a search is; a callback of `FRULERRegressor`.

    Parameters
    ----------
    title : str
        What is being done.
    console : Console, optional
        Where to tell it.
    """

    def __init__(self, title: str, console: Console | None = None) -> None:
        self.title = title
        self._console = console or Console(file=sys.stderr, soft_wrap=True, highlight=False)
        self._status: Status | None = None
        self._last = time.monotonic()

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._status = self._console.status(self.title)
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()
            self._status = None

    def on_generation(self, progress: Progress) -> bool | None:
        """Tell of a generation, if the last time is long enough ago; never stops the search."""
        now = time.monotonic()
        if now - self._last < (_SECONDS_IN_A_LOG if self._status is None else _SECONDS_ON_A_TERMINAL):
            return None
        self._last = now
        line = f"{self.title}: {describe(progress)}"
        if self._status is None:
            self._console.print(line, markup=False)
        else:
            self._status.update(line.replace("[", r"\["))
        return None


def describe(progress: Progress) -> str:
    """Say in a line how far a search is.

    Examples
    --------
    >>> describe(Progress("growth", 7, 1200, 3, error=0.5, seconds=4.2, seconds_left=20.0))
    'growth 7, 1,200 candidates, error 1, 3 rules, 4 s, about 20 s left'
    """
    parts = [f"{progress.stage} {progress.generation}"]
    if progress.n_evaluations:
        parts.append(f"{progress.n_evaluations:,} candidates")
    if math.isfinite(progress.error):
        # As in the result: the root of the mean squared error.
        parts.append(f"error {readable_number(math.sqrt(2.0 * progress.error))}")
    if progress.n_rules:
        parts.append(f"{progress.n_rules} rule{'' if progress.n_rules == 1 else 's'}")
    parts.append(readable(progress.seconds))
    if progress.seconds_left is not None:
        parts.append(f"about {readable(progress.seconds_left)} left")
    return ", ".join(parts)
