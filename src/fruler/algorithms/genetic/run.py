"""A genetic search under control: kept after every generation, watched, and resumed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from fruler.algorithms.genetic.time_left import Converging, Dated, TimeLeft
from fruler.learning.control import RunControl

SomeSnapshot = TypeVar("SomeSnapshot")


class Row(Dated, Protocol):
    """A row of a search's history."""

    @property
    def generation(self) -> int:
        """Its number."""

    @property
    def n_rules(self) -> int:
        """The rules of the best model."""

    @property
    def best_error(self) -> float:
        """Its error."""


class Evolving(Converging, Protocol[SomeSnapshot]):
    """A genetic search that can be watched and resumed."""

    on_generation: Callable[[Any], None] | None

    @property
    def history(self) -> Sequence[Row]:
        """One row per generation."""

    def run(self) -> Any:
        """Search to the end."""

    def snapshot(self) -> SomeSnapshot | None:
        """Return the search as it is; None if it cannot be resumed from here."""

    def restore(self, snapshot: SomeSnapshot) -> None:
        """Go back to where a snapshot was taken."""


def run_watched(
    search: Evolving[SomeSnapshot],
    control: RunControl,
    keep: Callable[[SomeSnapshot], None],
    snapshot: SomeSnapshot | None = None,
    *,
    stage: str = "evolution",
    error_unit: float = 1.0,
) -> None:
    """Run a search from its start or from a snapshot; keep and report every generation.

    Parameters
    ----------
    search : Evolving
        The search; its `on_generation` is set.
    control : RunControl
        Whom to report to.
    keep : callable
        Given every snapshot from which the search could resume.
    snapshot : Snapshot, optional
        Where to resume.
    stage : str
        The name of the stage in reports.
    error_unit : float
        By what errors are multiplied in reports.
    """

    def tell(_: Any) -> None:
        control.has_model = True
        taken = search.snapshot()
        if taken is not None:
            keep(taken)
        if control.callbacks:
            row = search.history[-1]
            error = row.best_error * error_unit
            control.report(stage, row.generation, row.evaluations, row.n_rules, error, time_left.estimate())

    search.on_generation = tell
    if snapshot is not None:
        search.restore(snapshot)
        control.has_model = True
    time_left = TimeLeft(search)
    search.run()
    control.end_stage()


def check_limits(limits: Mapping[str, tuple[int, int]]) -> None:
    """Refuse to resume a search that is already beyond a limit.

    Parameters
    ----------
    limits : mapping of str to (int, int)
        By the name of the parameter, the most that are allowed now and how many were made.

    Raises
    ------
    ValueError
        If a limit is too small.
    """
    for name, (most, made) in limits.items():
        if made > most:
            raise ValueError(
                f"{name} is too small to resume a search that has made {made:,} of them; raise it, or start afresh "
                "with warm_start=False."
            )
