"""FRULER's genetic algorithm: the population loop."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from fruler._algorithms.fruler.chromosome import Chromosome, SearchSpace, linear_rule
from fruler._algorithms.fruler.fitness import FitnessEvaluator
from fruler._algorithms.fruler.operators import cross, initial_population, mutate, relatives
from fruler._algorithms.fruler.options import FRULEROptions
from fruler._algorithms.fruler.state import Generation, Individual, Snapshot
from fruler._algorithms.genetic import GeneticSearch, OutOfTime
from fruler.learning._codec import GeneratorState
from fruler.rules._partitions import LARGEST_DISPLACEMENT

# The allowed evaluations if the user sets no limit: per input, and the minimum.
_EVALUATIONS_PER_INPUT, _MIN_EVALUATIONS = 400, 2_000


class Evolution(GeneticSearch[Chromosome]):
    """The search for the best data base, one generation after the other.

    Parameters
    ----------
    space : SearchSpace
        The partitions to choose from.
    evaluator : FitnessEvaluator
        Evaluates chromosomes.
    options : FRULEROptions
        Parameters.
    rng : numpy Generator
        The only source of randomness.
    initial_threshold : float, optional
        The first threshold of incest prevention; by default that of the reading.

    Attributes
    ----------
    population : list of Individual
        By increasing fitness.
    seen : dict of bytes to None
        The granularities that the local search has seen.
    """

    evaluator: FitnessEvaluator
    history: list[Generation]

    def __init__(
        self,
        space: SearchSpace,
        evaluator: FitnessEvaluator,
        options: FRULEROptions,
        rng: np.random.Generator,
        initial_threshold: float | None = None,
    ) -> None:
        limit = options.max_evaluations or max(_MIN_EVALUATIONS, _EVALUATIONS_PER_INPUT * space.n_inputs)
        self.space, self.options, self.reading = space, options, options.choices
        if initial_threshold is None:
            per_input = self.reading.threshold_per_input
            initial_threshold = space.max_initial_cells / 4.0 if per_input is None else per_input * space.n_inputs
        super().__init__(evaluator, rng, limit, initial_threshold)
        self.population: list[Individual] = []
        self.seen: dict[bytes, None] = {}
        self.restarts_left = options.n_restarts

    @property
    def best(self) -> Individual:
        """The best individual so far."""
        return self.population[0]

    @property
    def cycle_ended(self) -> bool:
        """Whether the threshold has fallen to its end."""
        return self.threshold <= 0.0

    @property
    def ended(self) -> bool:
        """Whether there will be no further generation: no restart is left, a limit is reached, or nothing improves."""
        return (self.cycle_ended and self.restarts_left <= 0) or self.out_of_limits or self.stagnant

    @property
    def stagnant(self) -> bool:
        """Whether no better model was found for `early_stopping` generations."""
        limit = self.options.early_stopping
        if limit is None or len(self.history) <= limit:
            return False
        return self.history[-1 - limit].best_fitness <= self.history[-1].best_fitness

    def snapshot(self) -> Snapshot | None:
        """Return the state of the search between two generations; None once a limit has cut a generation short."""
        if not self.resumable or self.evaluator.best is None:
            return None
        return Snapshot(
            self.population,
            Individual(*self.evaluator.best),
            self.evaluator.best_by_rules.copy(),
            tuple(self.seen),
            tuple(self.history),
            self.threshold,
            self.options.n_restarts - self.restarts_left,
            self.evaluator.n_asked,
            GeneratorState(self.rng.bit_generator.state),
        )

    def restore(self, snapshot: Snapshot) -> None:
        """Restore the state of a snapshot."""
        super().restore(snapshot)
        self.population = list(snapshot.population)
        self.seen = dict.fromkeys(snapshot.seen)
        self.restarts_left = self.options.n_restarts - snapshot.n_restarts
        self.evaluator.best = snapshot.best

    def best_known(self) -> Individual:
        """Return the best individual so far, including those of a batch that ended at the deadline."""
        known = self.evaluator.best
        if known is None or known[1].fitness >= self.best.evaluation.fitness:
            return self.best
        return Individual(*known)

    @property
    def threshold_left(self) -> float:
        """How far the threshold has to fall until the search ends."""
        return max(self.threshold, 0.0) + max(self.restarts_left, 0) * self.initial_threshold

    def initialize(self) -> None:
        """Create and evaluate the first population.

        If none of it can be used, because time ran out or all have too many rules, a single linear rule is added.
        """
        made = initial_population(self.space, self.options.population_size, self.rng)
        self.population = []
        with suppress(OutOfTime):
            self.population = self.ranked(self.evaluated(made))
        if not self.population or not np.isfinite(self.best.evaluation.fitness):
            linear = linear_rule(self.space)
            [worth] = self.evaluator([linear], at_once=True)
            self.evaluator.n_asked += 1
            self.population = self.ranked([*self.population, Individual(linear, worth)])
        self._see(self.population)

    def advance(self) -> None:
        """Run one generation: selection, crossover, mutation, replacement, local search."""
        best = self.best.chromosome.key
        offspring = self.evaluated(self.offspring())
        before = {individual.chromosome.key for individual in self.population}
        self.population = self.ranked(self.population + offspring)[: self.options.population_size]
        entered = [individual for individual in self.population if individual.chromosome.key not in before]
        self.search_locally(entered)
        self.threshold -= self.reading.fall
        self.threshold -= self.reading.fall_without_new * (not entered)
        self.threshold -= self.reading.fall_without_better * (self.best.chromosome.key == best)

    def offspring(self) -> list[Chromosome]:
        """Cross parents chosen by binary tournament, and mutate some of their children."""
        children: list[Chromosome] = []
        limit = LARGEST_DISPLACEMENT if self.reading.pcblx == "truncated" else np.inf
        for first, second in self.tournaments(max(1, self.options.population_size // 2)):
            children += cross(self.space, first, second, self.threshold, self.rng, limit)
        return self.mutated(
            children, lambda child: mutate(self.space, child, self.rng), self.options.mutation_probability
        )

    def tournaments(self, n_pairs: int) -> list[tuple[Chromosome, Chromosome]]:
        """Choose pairs of parents, each the better of two drawn individuals. The population is sorted."""
        drawn = self.rng.integers(len(self.population), size=(n_pairs, 2, 2)).min(axis=2).tolist()
        return [(self.population[i].chromosome, self.population[k].chromosome) for i, k in drawn]

    def search_locally(self, entered: list[Individual]) -> None:
        """Try simpler relatives of individuals with new granularities; a relative that is better replaces them."""
        origins = []
        for individual in entered:
            if individual.chromosome.structure not in self.seen:
                self._see([individual])
                origins.append(individual)
        count = self.options.n_local_search
        tried = [relatives(self.space, origin.chromosome, count, self.rng) for origin in origins]
        found = self.evaluated([chromosome for family in tried for chromosome in family])
        replaced = {}
        for k, origin in enumerate(origins):
            family = found[k * count : (k + 1) * count]
            self._see(family)
            if family:
                fittest = min(family, key=lambda individual: individual.evaluation.fitness)
                if fittest.evaluation.fitness < origin.evaluation.fitness:
                    replaced[origin.chromosome.key] = fittest
        self.population = self.ranked([replaced.get(one.chromosome.key, one) for one in self.population])

    def restart(self) -> None:
        """Keep only the best individual, and fill the population with its relatives."""
        self.restarts_left -= 1
        self.threshold = self.initial_threshold
        best = self.best
        made = relatives(self.space, best.chromosome, self.options.population_size - 1, self.rng)
        family: list[Individual] = []
        with suppress(OutOfTime):
            family = self.evaluated(made)
        self._see(family)
        self.population = self.ranked([best, *family])

    def evaluated(self, chromosomes: list[Chromosome]) -> list[Individual]:
        """Evaluate as many chromosomes as the limit allows."""
        copies = () if self.reading.count_copies else {one.chromosome.key for one in self.population}
        allowed = self.allowed(chromosomes, copies)
        return [Individual(*pair) for pair in zip(allowed, self.evaluator(allowed), strict=True)]

    def _see(self, individuals: list[Individual]) -> None:
        self.seen.update(dict.fromkeys(individual.chromosome.structure for individual in individuals))

    def ranked(self, individuals: list[Individual]) -> list[Individual]:
        """Sort by fitness, each chromosome once unless copies are kept; of equals the older comes first."""
        if not self.reading.keep_copies:
            distinct = {individual.chromosome.key: individual for individual in reversed(individuals)}
            individuals = [one for one in individuals if distinct.pop(one.chromosome.key, None) is not None]
        return sorted(individuals, key=lambda individual: individual.evaluation.fitness)

    def row(self, seconds: float) -> Generation:
        """Return the row of the history for the last generation."""
        best = self.best.evaluation
        finite = [one.evaluation.fitness for one in self.population if np.isfinite(one.evaluation.fitness)]
        return Generation(
            len(self.history),
            self.evaluator.n_asked,
            best.fitness,
            best.error,
            best.n_rules,
            best.n_coefficients,
            float(np.mean(finite)) if finite else np.inf,
            max(self.threshold, 0.0),
            seconds,
        )
