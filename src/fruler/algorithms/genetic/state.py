"""The state from which a multi-objective search resumes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple

from fruler._typing import Floats, Indices
from fruler.algorithms.genetic.evaluation import Individual, Worth
from fruler.algorithms.genetic.problem import C


class Generation(NamedTuple):
    """A row of the search's history.

    Attributes
    ----------
    generation : int
        From 0, the first population.
    evaluations : int
        The chromosomes that were to be evaluated by then.
    best_fitness, best_error : float
        The least error so far.
    n_rules : int
        The rules of the model that has it.
    n_archive : int
        The individuals of the archive.
    threshold : float
        Of the incest prevention.
    n_restarts : int
        How often the search had started again.
    seconds : float
        Since its start.
    """

    generation: int
    evaluations: int
    best_fitness: float
    best_error: float
    n_rules: int
    n_archive: int
    threshold: float
    n_restarts: int
    seconds: float


@dataclass(frozen=True, eq=False)
class Snapshot(Generic[C]):
    """The search between two generations.

    It is taken after each of them and copies little: of `all_history`, which only grows, it has the first `n_history`
    rows.

    Attributes
    ----------
    archive : sequence of Individual
        The archive.
    fitness : ndarray
        SPEA2's fitness of its individuals, when they were selected.
    front : mapping of int to (chromosome, Worth)
        The best of every number of rules.
    rows : ndarray or None
        The rows of this cycle's sample.
    threshold : float
        Of the incest prevention.
    fall : int
        By how much it falls when the next generation brings nothing new.
    n_restarts, n_stale : int
        How often the search has started again, and how many of the last cycles brought no lower error.
    cycle_error : float
        The least error when the cycle began.
    n_asked : int
        Evaluations that were asked for.
    rng : mapping
        The state of the generator of random numbers.
    """

    archive: Sequence[Individual[C]]
    fitness: Floats
    front: Mapping[int, tuple[C, Worth]]
    rows: Indices | None
    threshold: float
    fall: int
    n_restarts: int
    n_stale: int
    cycle_error: float
    n_asked: int
    rng: Mapping[str, Any]
    all_history: Sequence[Generation]
    n_history: int

    @property
    def history(self) -> list[Generation]:
        """The rows of the history."""
        return list(self.all_history[: self.n_history])

    @property
    def n_evaluations(self) -> int:
        """The candidates that were looked at for it."""
        return self.n_asked
