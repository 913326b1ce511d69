"""What stage 2 searches through: tuned chromosomes, as the multi-objective engine asks for them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

import numpy as np

from fruler._typing import Floats, Indices
from fruler.algorithms.genetic.problem import Limit
from fruler.algorithms.tuning.chromosome import TunedChromosome
from fruler.algorithms.tuning.space import TuningSpace
from fruler.algorithms.tuning.variation import Crossover, cross, distance, drawn, mutated, n_bits, redrawn, untouched
from fruler.rules.rule_base import RuleBase

Sample = TypeVar("Sample")
# A sum of squares that is above the limit by rounding alone is summed to its end, and compared then.
_ROUNDING = 1.0 + 1e-9


class TuningProblem(ABC, Generic[Sample]):
    """Tuned chromosomes of rules whose triangles are known; what they are worth is left to subclasses.

    Parameters
    ----------
    space : TuningSpace
        The points that can move.
    crossover : {"blx", "pcblx"}
        How points are crossed.
    """

    def __init__(self, space: TuningSpace, crossover: Crossover) -> None:
        self.space, self.crossover = space, crossover

    @property
    def initial_threshold(self) -> float:
        """A quarter of a chromosome's bits."""
        return n_bits(self.space) / 4.0

    def initial(self, size: int, rng: np.random.Generator) -> list[TunedChromosome]:
        """Make the first population: the rules as they are, and random ones."""
        return [untouched(self.space), *drawn(self.space, size - 1, rng)]

    def simplest(self) -> TunedChromosome:
        """Return the rules as they are."""
        return untouched(self.space)

    def cross(
        self, first: TunedChromosome, second: TunedChromosome, threshold: float, rng: np.random.Generator
    ) -> tuple[TunedChromosome, TunedChromosome] | None:
        """Cross two parents; None if they are too much alike."""
        if distance(self.space, first, second) / 2.0 <= threshold:
            return None
        return cross(self.space, first, second, self.crossover, rng)

    def mutate(self, chromosome: TunedChromosome, rng: np.random.Generator) -> TunedChromosome:
        """Draw one point anew and drop one rule."""
        return mutated(self.space, chromosome, rng)

    def restart(self, best: TunedChromosome, size: int, rng: np.random.Generator) -> list[TunedChromosome]:
        """Make a new population with the rules of the best: points anywhere in their intervals."""
        return redrawn(self.space, best, size, rng)

    @property
    @abstractmethod
    def error_unit(self) -> float:
        """Turns errors into half of a mean squared error in the target's own units."""

    @property
    @abstractmethod
    def regularization(self) -> float:
        """With which consequents are fitted; 0 where they are not."""

    @abstractmethod
    def build(self, chromosome: TunedChromosome) -> RuleBase:
        """Return the rule base of a chromosome."""

    @abstractmethod
    def take_sample(self, rows: Indices) -> Sample:
        """Prepare some rows to measure errors on."""

    @abstractmethod
    def sums(self, chromosomes: Sequence[TunedChromosome], sample: Sample | None, limits: Floats) -> Floats:
        """Return the weighted sum of squared errors of each chromosome, infinite if it is above the limit.

        It is that of a sample, or of all rows.
        """

    @abstractmethod
    def total_weight(self, sample: Sample | None) -> float:
        """Return the sum of the weights of a sample, or of all rows."""

    def evaluate(self, chromosomes: Sequence[TunedChromosome], sample: Sample | None, limit: Limit) -> Floats:
        """Return the mean squared error and the number of rules of every chromosome, an array of shape (n, 2)."""
        n_rules = np.array([one.n_rules for one in chromosomes], dtype=np.float64)
        largest = np.where(n_rules >= limit.min_rules, limit.error, np.inf)
        total = self.total_weight(sample)
        errors = self.sums(chromosomes, sample, largest * total * _ROUNDING) / total
        return np.column_stack([np.where(errors > largest, np.inf, errors), n_rules])
