"""The budget of a search: the time that it may take, and who may end it before that."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self


def never() -> bool:
    """Return False: the answer where nobody can ask for the end."""
    return False


@dataclass(frozen=True, eq=False)
class Budget:
    """Deadline and stop of a search, asked together.

    Attributes
    ----------
    deadline : float
        The value of `time.monotonic` after which nothing new is begun.
    stopped : callable
        Returns whether somebody asked for the end; after it nothing new is begun either.

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
        """Return whether nothing new is to be begun: time is up, or somebody asked for the end."""
        return self.stopped() or time.monotonic() > self.deadline

    def without(self, seconds: float) -> Self:
        """Return the budget that leaves some seconds for later."""
        return replace(self, deadline=self.deadline - seconds)

    def or_when(self, stopped: Callable[[], bool]) -> Self:
        """Return the budget that also ends when a condition holds."""
        before = self.stopped
        return replace(self, stopped=lambda: stopped() or before())


UNLIMITED = Budget()
