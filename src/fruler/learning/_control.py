"""A run under control: its clock, its callbacks, and what ends it early."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import Any

from fruler.callbacks import Callback, Progress
from fruler.learning._budget import Budget


class RunControl:
    """Stands between a search and those who watch it.

    Parameters
    ----------
    callbacks : sequence of Callback
        Who is told of progress and may end the run.
    limit : float
        The seconds that it may take.
    start : float, optional
        The value of `time.monotonic` when it began.
    keeper : callable, optional
        Given every state from which the search could go on; it is kept when it is time, or with `at_once`.

    Attributes
    ----------
    stopped : bool
        Whether somebody asked for the end; it stays so.
    interrupted : bool
        Whether that was Ctrl-C.
    has_model : bool
        Whether there is a model to end with, as a report of its rules says; before, Ctrl-C is an exception as ever.
    state : object
        The last state from which the search could go on; None before there is one.
    """

    def __init__(
        self,
        callbacks: Sequence[Callback] = (),
        *,
        limit: float = math.inf,
        start: float | None = None,
        keeper: Callable[..., None] | None = None,
    ) -> None:
        self.callbacks, self.limit, self.keeper = callbacks, limit, keeper
        self.start = time.monotonic() if start is None else start
        self.stopped = self.interrupted = self.has_model = False
        self.state: Any = None

    def is_stopped(self) -> bool:
        """Return whether somebody asked for the end."""
        return self.stopped

    def deadline(self, share: float = 1.0) -> float:
        """Return the value of `time.monotonic` when a share of the time will be over."""
        return self.start + share * self.limit

    def budget(self, share: float = 1.0) -> Budget:
        """Return a share of the time, which ends early when somebody asks for the end."""
        return Budget(self.deadline(share), self.is_stopped)

    def over(self, share: float = 1.0) -> bool:
        """Return whether nothing new is to be begun: time is up, or somebody asked for the end."""
        return self.stopped or time.monotonic() > self.deadline(share)

    def report(
        self,
        stage: str,
        generation: int,
        n_evaluations: int,
        n_rules: int = 0,
        error: float = math.nan,
        seconds_left: float | None = None,
    ) -> None:
        """Tell all callbacks how far the search is; `Progress` says what the arguments are."""
        self.has_model |= n_rules > 0
        if not self.callbacks:
            return
        seconds = time.monotonic() - self.start
        if self.limit < math.inf:
            seconds_left = max(0.0, min(self.limit - seconds, math.inf if seconds_left is None else seconds_left))
        progress = Progress(stage, generation, n_evaluations, n_rules, float(error), seconds, seconds_left)
        for callback in self.callbacks:
            if callback.on_generation(progress):
                self.stopped = True

    def keep(self, state: Any) -> None:
        """Remember a state from which the search could go on as if nothing had happened."""
        self.state = state
        if self.keeper is not None:
            self.keeper(state)

    def end_stage(self) -> None:
        """Have the last state kept at once: what a stage has found need not be found again."""
        if self.keeper is not None and self.state is not None:
            self.keeper(self.state, at_once=True)

    @contextmanager
    def watched(self, estimator: Any) -> Iterator[None]:
        """Tell callbacks of the start, and those that were told of it of the end, whatever comes."""
        with ExitStack() as ends:
            for callback in self.callbacks:
                ends.callback(callback.on_end, estimator)
                callback.on_start(estimator)
            yield

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Take the first Ctrl-C as a wish to end with the best model so far; a second one is an exception as ever.

        Signals are left alone outside of the main thread, and where Ctrl-C is ignored.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        previous = signal.getsignal(signal.SIGINT)
        if not callable(previous):
            yield
            return

        def handle(number: int, frame: FrameType | None) -> None:
            if self.has_model and not self.interrupted:
                self.interrupted = self.stopped = True
            else:
                previous(number, frame)

        signal.signal(signal.SIGINT, handle)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, previous)
