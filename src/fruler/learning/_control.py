"""The control of a run: its clock, its callbacks, its early end, and the state that it can resume from."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any, Self

from fruler.callbacks import Callback, Progress


def never() -> bool:
    """Return False: the condition of a search that ends only at its deadline."""
    return False


@dataclass(frozen=True, eq=False)
class Budget:
    """The deadline and the stop condition of a search.

    Attributes
    ----------
    deadline : float
        The value of `time.monotonic` after which nothing new is started.
    stopped : callable
        Returns whether the search was asked to stop; after that nothing new is started either.

    Examples
    --------
    >>> Budget().over(), Budget(deadline=0.0).over()
    (False, True)
    >>> Budget().or_when(lambda: True).over()
    True
    """

    deadline: float = math.inf
    stopped: Callable[[], bool] = never

    def over(self) -> bool:
        """Return whether to start nothing new: the time is up, or the search was asked to stop."""
        return self.stopped() or time.monotonic() > self.deadline

    def without(self, seconds: float) -> Self:
        """Return a budget that ends some seconds earlier."""
        return replace(self, deadline=self.deadline - seconds)

    def or_when(self, stopped: Callable[[], bool]) -> Self:
        """Return a budget that also ends when a condition holds."""
        before = self.stopped
        return replace(self, stopped=lambda: stopped() or before())


UNLIMITED = Budget()


class StateKeeper:
    """The last state that a search can resume from.

    Parameters
    ----------
    state : object, optional
        The state to start from; None at the beginning of a search.
    offer : callable, optional
        Called with every state; writes it to a checkpoint if a write is due, or with `at_once`.
    """

    def __init__(self, state: Any = None, offer: Callable[..., None] | None = None) -> None:
        self.state, self.offer = state, offer

    def keep(self, state: Any) -> None:
        """Keep a state from which the search can resume as if nothing had happened."""
        self.state = state
        if self.offer is not None:
            self.offer(state)

    def end_stage(self) -> None:
        """Write the last state at once, so that the results of a finished stage are not lost."""
        if self.offer is not None and self.state is not None:
            self.offer(self.state, at_once=True)


class RunControl:
    """The clock of a search, its callbacks, and its early end.

    Parameters
    ----------
    callbacks : sequence of Callback
        Called with the progress of the search; each of them may stop the run.
    limit : float
        The time limit in seconds.
    start : float, optional
        The value of `time.monotonic` at the start of the run.

    Attributes
    ----------
    stopped : bool
        Whether the run was asked to stop; it is never reset.
    interrupted : bool
        Whether Ctrl-C stopped the run.
    has_model : bool
        Whether there is a model to end with: the search has reported one with rules, or resumed with one. Before that,
        Ctrl-C raises an exception as usual.
    """

    def __init__(
        self,
        callbacks: Sequence[Callback] = (),
        *,
        limit: float = math.inf,
        start: float | None = None,
    ) -> None:
        self.callbacks, self.limit = callbacks, limit
        self.start = time.monotonic() if start is None else start
        self.stopped = self.interrupted = self.has_model = False

    def is_stopped(self) -> bool:
        """Return whether the run was asked to stop."""
        return self.stopped

    def deadline(self, share: float = 1.0) -> float:
        """Return the value of `time.monotonic` at which a share of the time is over."""
        return self.start + share * self.limit

    def budget(self, share: float = 1.0) -> Budget:
        """Return a budget with a share of the time; it ends early if the run is asked to stop."""
        return Budget(self.deadline(share), self.is_stopped)

    def over(self, share: float = 1.0) -> bool:
        """Return whether to start nothing new: the time is up, or the run was asked to stop."""
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
        """Report the progress of the search to all callbacks; `Progress` describes the arguments."""
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

    @contextmanager
    def watched(self, estimator: Any) -> Iterator[None]:
        """Call `on_start` of all callbacks, and `on_end` of each callback that was started, even after an error."""
        with ExitStack() as ends:
            for callback in self.callbacks:
                ends.callback(callback.on_end, estimator)
                callback.on_start(estimator)
            yield

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """End with the best model so far at the first Ctrl-C; a second Ctrl-C raises an exception as usual.

        Signals are left alone outside the main thread, and where Ctrl-C is ignored.
        """
        previous = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is not threading.main_thread() or not callable(previous):
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
