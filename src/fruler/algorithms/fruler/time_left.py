"""How long an evolution will take from here."""

from __future__ import annotations

import time

import numpy as np

from fruler.algorithms.fruler.evolution import Evolution


class TimeLeft:
    """Estimates the time to the end of a search from its pace since this was made.

    Parameters
    ----------
    search : Evolution
        The search, about to run.
    """

    def __init__(self, search: Evolution) -> None:
        self._search, self._start = search, time.monotonic()
        self._n_asked, self._n_generations = search.evaluator.n_asked, len(search.history)

    def estimate(self) -> float | None:
        """Return the seconds until evaluations run out or the search converges, whichever comes first."""
        search, seconds = self._search, time.monotonic() - self._start
        n_asked = search.evaluator.n_asked - self._n_asked
        n_generations = len(search.history) - self._n_generations
        estimates = []
        if n_asked > 0:
            estimates.append(seconds / n_asked * max(0, search.evaluations_left))
        thresholds = np.array([row.threshold for row in search.history])
        falls = -np.diff(thresholds)
        # A threshold that rises is that of a new start.
        falls = falls[falls > 0.0]
        if n_generations > 0 and len(falls):
            to_fall = max(search.threshold, 0.0) + max(search.restarts_left, 0) * search.initial_threshold
            estimates.append(seconds / n_generations * to_fall / float(falls.mean()))
        return min(estimates, default=None)
