"""The state from which an evolution resumes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fruler.algorithms.fruler.chromosome import Chromosome
from fruler.algorithms.fruler.fitness import Evaluation
from fruler.consequents.elastic_net import ElasticNetSettings
from fruler.stages.discretization import NestedSplits


class Individual(NamedTuple):
    """A chromosome and what it is worth."""

    chromosome: Chromosome
    evaluation: Evaluation


class Generation(NamedTuple):
    """A row of the search's history."""

    generation: int
    evaluations: int
    best_fitness: float
    best_error: float
    n_rules: int
    n_coefficients: int
    mean_fitness: float
    threshold: float
    seconds: float


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The genetic algorithm between two generations.

    Taken after each of them, it copies as little as possible: of `all_seen` and `all_history`, which only grow, it
    has the first `n_seen` and `n_history`.

    Attributes
    ----------
    population : sequence of Individual
        By increasing fitness.
    best : Individual
        The best of all that was evaluated.
    best_by_rules : mapping of int to (Chromosome, Evaluation)
        The best of every number of rules.
    threshold : float
        Of the incest prevention.
    n_restarts : int
        How often the search has started again.
    n_asked : int
        Evaluations that were asked for.
    rng : mapping
        The state of the generator of random numbers.
    """

    population: Sequence[Individual]
    best: Individual
    best_by_rules: Mapping[int, tuple[Chromosome, Evaluation]]
    all_seen: Mapping[bytes, None]
    n_seen: int
    all_history: Sequence[Generation]
    n_history: int
    threshold: float
    n_restarts: int
    n_asked: int
    rng: Mapping[str, Any]

    @property
    def seen(self) -> list[bytes]:
        """The granularities that the local search has met, in that order."""
        return list(islice(self.all_seen, self.n_seen))

    @property
    def history(self) -> list[Generation]:
        """The rows of the history."""
        return list(self.all_history[: self.n_history])

    @property
    def chromosomes(self) -> list[Chromosome]:
        """All that it holds."""
        by_rules = [chromosome for chromosome, _ in self.best_by_rules.values()]
        return [*(one.chromosome for one in self.population), self.best.chromosome, *by_rules]


@dataclass(frozen=True, eq=False)
class EvolutionState:
    """What is finished of the three stages; None what is not.

    Attributes
    ----------
    selected : ndarray
        The rows that rules are made from.
    nested : list of NestedSplits
        The split points of every input.
    fit : ElasticNetSettings
        How consequents are fitted.
    rng : mapping
        The state of the generator of random numbers when these were chosen.
    snapshot : Snapshot
        The genetic algorithm.
    """

    selected: npt.NDArray[np.intp] | None = None
    nested: list[NestedSplits] | None = None
    fit: ElasticNetSettings | None = None
    rng: Mapping[str, Any] | None = None
    snapshot: Snapshot | None = None

    @property
    def n_evaluations(self) -> int:
        """The candidates that were looked at for it."""
        return 0 if self.snapshot is None else self.snapshot.n_asked
