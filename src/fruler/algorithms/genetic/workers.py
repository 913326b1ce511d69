"""Threads that evaluate batches in small parts, until time is up."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from fruler.learning.control import never

# The most items that a thread takes between two looks at the clock.
_CHUNK = 4

Item = TypeVar("Item")
Result = TypeVar("Result")


class OutOfTime(Exception):
    """The deadline has passed, or the end was asked for; what was evaluated by then is known."""


class Workers:
    """Threads, and what ends their work.

    Parameters
    ----------
    pool : ThreadPoolExecutor or None
        Where parts are worked on; None: in the calling thread.
    n_jobs : int
        The number of threads in the pool.
    deadline : float
        The value of `time.monotonic` after which nothing new is begun.
    stopped : callable, optional
        Returns whether somebody asked for the end; after it nothing new is begun either.
    """

    def __init__(
        self,
        pool: ThreadPoolExecutor | None = None,
        n_jobs: int = 1,
        deadline: float = np.inf,
        stopped: Callable[[], bool] = never,
    ) -> None:
        self.pool, self.n_jobs, self.deadline, self.stopped = pool, n_jobs, deadline, stopped

    @property
    def out_of_time(self) -> bool:
        """Whether the deadline has passed, or somebody asked for the end."""
        return self.stopped() or time.monotonic() > self.deadline

    def share_out(
        self,
        items: Sequence[Item],
        work: Callable[[Sequence[Item]], Result],
        keep: Callable[[Sequence[Item], Result], None],
    ) -> None:
        """Work on parts of the items; whoever is free takes the next. Results are kept in the order of the items.

        Raises
        ------
        OutOfTime
            If time ran out before all was done; what was done is kept.
        """
        size = _CHUNK if self.pool is None else max(1, min(_CHUNK, len(items) // (4 * self.n_jobs)))
        parts = [items[first : first + size] for first in range(0, len(items), size)]

        def in_time(part: Sequence[Item]) -> Result | None:
            return None if self.out_of_time else work(part)

        late = False
        results = map(in_time, parts) if self.pool is None else self.pool.map(in_time, parts)
        for part, result in zip(parts, results, strict=True):
            if result is None:
                late = True
            else:
                keep(part, result)
        if late:
            raise OutOfTime
