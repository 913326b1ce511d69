"""How long a growth and its cross-validation will take from here."""

from __future__ import annotations

from collections.abc import Sequence

from fruler.algorithms.growth.growth import Step, failures

# Cross-validation ends once its choice is clear, mostly after so many folds; each grows again.
_FOLDS_EXPECTED = 3


def growth_seconds_left(path: Sequence[Step], early_stopping: int, n_folds: int) -> float | None:
    """Estimate the seconds until the size of a model is chosen, if no further step pays; None before the first step.

    Parameters
    ----------
    path : sequence of Step
        The steps so far.
    early_stopping : int
        After how many steps in a row that do not pay the growth ends.
    n_folds : int
        The most folds of the cross-validation.
    """
    if len(path) < 2:
        return None
    grown = path[-1].seconds
    to_come = max(early_stopping - failures(path), 0) * grown / (len(path) - 1)
    return to_come + min(n_folds, _FOLDS_EXPECTED) * (grown + to_come)
