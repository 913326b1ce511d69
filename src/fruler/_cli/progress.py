"""The progress of a fit: a line that is updated on a terminal, or lines from time to time in a log."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.status import Status

from fruler._wording import brief_progress
from fruler.callbacks import Callback, Progress

_SECONDS_ON_A_TERMINAL, _SECONDS_IN_A_LOG = 0.1, 5.0
# The spinner, the blank after it, and the last column, at which some terminals wrap.
_COLUMNS_AROUND = 3
# 100% is never shown: the end of the line shows that the search is done.
_LARGEST_SHARE = 0.99


@contextmanager
def recorded_warnings() -> Iterator[list[warnings.WarningMessage]]:
    """Record the warnings of a search about its end; similar categories have already been reported in a hint."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RuntimeWarning)
        warnings.simplefilter("ignore", UserWarning)
        yield caught


class ProgressLine(Callback):
    """A callback that shows the progress of a search on standard error.

    Parameters
    ----------
    title : str
        The title of the work.
    console : Console, optional
        The console to write to.
    """

    def __init__(self, title: str, console: Console | None = None) -> None:
        self.title = title
        self._console = console or Console(file=sys.stderr, soft_wrap=True, highlight=False)
        self._status: Status | None = None
        self._last = time.monotonic()
        self._share = 0.0

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
        """Show the progress if the last update is long enough ago; never stops the search."""
        now = time.monotonic()
        if now - self._last < (_SECONDS_IN_A_LOG if self._status is None else _SECONDS_ON_A_TERMINAL):
            return None
        self._last = now
        line = f"{self.title}: {brief_progress(progress, self._share_done(progress))}"
        if self._status is None:
            self._console.print(line, markup=False)
        else:
            room = max(self._console.width - _COLUMNS_AROUND, 1)
            line = line if len(line) <= room else f"{line[: room - 1]}…"
            self._status.update(line.replace("[", r"\["))
        return None

    def _share_done(self, progress: Progress) -> float | None:
        """Return the share of the search that is done; it never falls, even if it was estimated too high before."""
        if progress.seconds_left is None:
            return None
        total = progress.seconds + progress.seconds_left
        share = progress.seconds / total if total > 0.0 else 0.0
        self._share = max(self._share, min(share, _LARGEST_SHARE))
        return self._share
