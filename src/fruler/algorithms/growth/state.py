"""The state from which a growth resumes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fruler.algorithms.growth.cross_validation import Fold
from fruler.algorithms.growth.growth import Step


@dataclass(frozen=True, eq=False)
class GrowthState:
    """What is finished of a growth and its cross-validation; nothing in it was cut short by a limit.

    Attributes
    ----------
    path : tuple of Step
        The sizes that it went through.
    max_rules : int or None
        The most rules that it could have; None before it began.
    folds : mapping of int to Fold
        The finished folds of the cross-validation, by number.
    """

    path: tuple[Step, ...] = ()
    max_rules: int | None = None
    folds: Mapping[int, Fold] = field(default_factory=dict)

    @property
    def n_evaluations(self) -> int:
        """The number of candidates evaluated so far."""
        return sum(step.n_evaluations for step in self.path[-1:]) + sum(
            fold.n_evaluations for fold in self.folds.values()
        )
