"""From where a growth can go on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fruler.algorithms.growth.cross_validation import Part
from fruler.algorithms.growth.growth import Step


@dataclass(frozen=True, eq=False)
class GrowthState:
    """What is finished of a growth and its validation; nothing in it was cut short by a limit.

    Attributes
    ----------
    path : tuple of Step
        The sizes that it went through.
    parts : mapping of int to Part
        The finished parts of the validation, by number.
    """

    path: tuple[Step, ...] = ()
    parts: Mapping[int, Part] = field(default_factory=dict)

    @property
    def n_evaluations(self) -> int:
        """The candidates that were looked at for it."""
        return sum(step.n_evaluations for step in self.path[-1:]) + sum(
            part.n_evaluations for part in self.parts.values()
        )
