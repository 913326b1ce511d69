"""How long an evolution will take from here."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

import numpy as np


class Dated(Protocol):
    """A row of a search's history."""

    @property
    def evaluations(self) -> int:
        """Evaluations so far."""

    @property
    def threshold(self) -> float:
        """The threshold of incest prevention."""


class Converging(Protocol):
    """A search whose threshold falls until it ends."""

    @property
    def history(self) -> Sequence[Dated]:
        """One row per generation."""

    @property
    def evaluations_left(self) -> int:
        """How many more chromosomes may be evaluated."""

    @property
    def threshold_left(self) -> float:
        """By how much the threshold has to fall until the search ends."""


class TimeLeft:
    """Estimates the time to the end of a search from its pace since this was made.

    Parameters
    ----------
    search : Converging
        The search, about to run.
    """

    def __init__(self, search: Converging) -> None:
        self._search, self._start = search, time.monotonic()
        self._n_generations = len(search.history)
        self._n_asked = search.history[-1].evaluations if search.history else 0

    def estimate(self) -> float | None:
        """Return the seconds until evaluations run out or the search converges, whichever comes first."""
        search, seconds = self._search, time.monotonic() - self._start
        history = search.history
        n_asked = (history[-1].evaluations if history else 0) - self._n_asked
        n_generations = len(history) - self._n_generations
        estimates = []
        if n_asked > 0:
            estimates.append(seconds / n_asked * max(0, search.evaluations_left))
        falls = -np.diff([row.threshold for row in history])
        # A threshold that rises is that of a new start.
        falls = falls[falls > 0.0]
        if n_generations > 0 and len(falls):
            estimates.append(seconds / n_generations * search.threshold_left / float(falls.mean()))
        return min(estimates, default=None)
