"""The state from which an evolution resumes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fruler._algorithms.fruler.chromosome import Chromosome
from fruler._algorithms.fruler.discretization import NestedSplits
from fruler._algorithms.fruler.elastic_net import ElasticNetSettings
from fruler._algorithms.fruler.fitness import Evaluation
from fruler.learning._codec import GeneratorState


class Individual(NamedTuple):
    """A chromosome and its value."""

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

    Attributes
    ----------
    population : sequence of Individual
        By increasing fitness.
    best : Individual
        The best of all evaluated individuals.
    best_by_rules : mapping of int to (Chromosome, Evaluation)
        The best chromosome of every number of rules.
    seen : tuple of bytes
        The granularities that the local search has seen, in this order.
    history : tuple of Generation
        One row per generation.
    threshold : float
        The threshold of incest prevention.
    n_restarts : int
        The number of restarts so far.
    n_asked : int
        The number of requested evaluations.
    rng : mapping
        The state of the random number generator.
    """

    population: Sequence[Individual]
    best: Individual
    best_by_rules: Mapping[int, tuple[Chromosome, Evaluation]]
    seen: tuple[bytes, ...]
    history: tuple[Generation, ...]
    threshold: float
    n_restarts: int
    n_asked: int
    rng: GeneratorState

    @property
    def valued(self) -> list[tuple[Chromosome, Evaluation]]:
        """All chromosomes of the snapshot, and their values."""
        return [*self.population, self.best, *self.best_by_rules.values()]


@dataclass(frozen=True, eq=False)
class EvolutionState:
    """The results of the three stages; None for results that do not exist yet.

    Attributes
    ----------
    selected : ndarray
        The rows that rules are made from.
    nested : list of NestedSplits
        The split points of every input.
    fit : ElasticNetSettings
        How consequents are fitted.
    rng : mapping
        The state of the random number generator after the choice of `fit`.
    n_tried : int
        The number of evaluations for the choice of `fit` that are counted.
    snapshot : Snapshot
        The genetic algorithm.
    """

    selected: npt.NDArray[np.intp] | None = None
    nested: list[NestedSplits] | None = None
    fit: ElasticNetSettings | None = None
    rng: GeneratorState | None = None
    n_tried: int = 0
    snapshot: Snapshot | None = None

    @property
    def n_evaluations(self) -> int:
        """The number of evaluated candidates."""
        return 0 if self.snapshot is None else self.snapshot.n_asked
