"""SPEA2 with incest prevention and restarts: a search for small errors with few rules, and its snapshots."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, NamedTuple

import numpy as np
import pandas as pd

from fruler._algorithms.genetic import (
    C,
    GeneticOptions,
    GeneticSearch,
    OutOfTime,
    Workers,
    fit_front,
    front_point,
    pareto_front,
)
from fruler._algorithms.systems.evaluation import (
    NO_LIMIT,
    Limit,
    Problem,
    ProblemEvaluator,
    RatedChromosome,
    RowSampler,
    S,
    Worth,
)
from fruler._algorithms.systems.selection import mating_share, select_archive, tournaments
from fruler._arrays import Floats, Indices
from fruler.learning._checkpoint import damaged
from fruler.learning._codec import GeneratorState
from fruler.learning._control import RunControl
from fruler.learning._training_table import LocalTable
from fruler.learning.learned import FrontPoint


class Spea2Generation(NamedTuple):
    """A row of the search's history.

    Attributes
    ----------
    generation : int
        The number of the generation; the first population is 0.
    evaluations : int
        The number of requested evaluations so far.
    best_fitness, best_error : float
        The smallest error so far.
    n_rules : int
        The number of rules of the model with this error.
    n_archive : int
        The number of individuals in the archive.
    threshold : float
        The threshold of incest prevention.
    n_restarts : int
        The number of restarts so far.
    seconds : float
        The seconds since the start of the search.
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
class Spea2Snapshot(Generic[C]):
    """The search between two generations.

    Attributes
    ----------
    archive : sequence of RatedChromosome
        The archive.
    fitness : ndarray
        The SPEA2 fitness of its individuals when they were selected.
    best_by_rules : mapping of int to (chromosome, Worth)
        The best chromosome of every number of rules.
    rows : ndarray or None
        The rows of this cycle's sample.
    threshold : float
        The threshold of incest prevention.
    fall : int
        How far the threshold falls if the next generation brings nothing new.
    n_restarts, n_stale : int
        The number of restarts, and the number of last cycles without a lower error.
    cycle_error : float
        The smallest error when the cycle began.
    n_asked : int
        The number of requested evaluations.
    rng : mapping
        The state of the random number generator.
    history : tuple of Spea2Generation
        One row per generation.
    """

    archive: Sequence[RatedChromosome[C]]
    fitness: Floats
    best_by_rules: Mapping[int, tuple[C, Worth]]
    rows: Indices | None
    threshold: float
    fall: int
    n_restarts: int
    n_stale: int
    cycle_error: float
    n_asked: int
    rng: GeneratorState
    history: tuple[Spea2Generation, ...]

    @property
    def n_evaluations(self) -> int:
        """The number of evaluated candidates."""
        return self.n_asked

    @property
    def valued(self) -> list[tuple[C, Worth]]:
        """All chromosomes of the snapshot, and their values."""
        return [*((one.chromosome, one.worth) for one in self.archive), *self.best_by_rules.values()]


# This many cycles in a row without a lower error end the search.
_MAX_STALE = 2


class Spea2(GeneticSearch[C], Generic[C, S]):
    """A multi-objective search, one generation after the other.

    A cycle lasts from one start to the next. During a cycle the threshold of incest prevention falls, and the share of
    the archive that becomes parents narrows to its more accurate half. At the end of a cycle only the most accurate and
    the smallest individual are kept. The search ends after the second cycle in a row without a lower error.

    Parameters
    ----------
    problem : Problem
        Creates, crosses and evaluates chromosomes.
    options : GeneticOptions
        Sizes and limits.
    rng : numpy Generator
        The only source of randomness.
    workers : Workers, optional
        The threads, and their budget.
    sampler : RowSampler, optional
        Draws the rows on which children are judged first. Only children that would enter the archive by their error on
        these rows are evaluated on all rows; the others are dropped.

    Attributes
    ----------
    archive : list of RatedChromosome
        The survivors, with full errors.
    """

    evaluator: ProblemEvaluator[C, S]

    def __init__(
        self,
        problem: Problem[C, S],
        options: GeneticOptions,
        rng: np.random.Generator,
        workers: Workers | None = None,
        *,
        sampler: RowSampler | None = None,
    ) -> None:
        limit = sys.maxsize if options.max_evaluations is None else options.max_evaluations
        super().__init__(ProblemEvaluator(problem, workers), rng, limit, float(problem.initial_threshold))
        self.problem, self.options, self.sampler = problem, options, sampler
        self.archive: list[RatedChromosome[C]] = []
        self.fitness: Floats = np.empty(0)
        self.rows: Indices | None = None
        self.fall = 1
        self.n_restarts = self.n_stale = 0
        self.cycle_error = np.inf

    @property
    def best(self) -> RatedChromosome[C]:
        """The most accurate individual of the archive; of equals the one with the fewest rules."""
        return min(self.archive, key=lambda one: one.worth)

    @property
    def front(self) -> list[tuple[C, Worth]]:
        """The Pareto front of all chromosomes evaluated on all rows, by increasing number of rules."""
        return pareto_front(self.evaluator.best_by_rules)

    @property
    def cycle_ended(self) -> bool:
        """Whether the threshold has fallen to its end."""
        return self.threshold < 0.0

    @property
    def ended(self) -> bool:
        """Whether there will be no further generation."""
        return (self.cycle_ended and self._stale_cycles >= _MAX_STALE) or self.out_of_limits

    @property
    def _stale_cycles(self) -> int:
        """The number of last cycles, including this one, without a lower error."""
        return self.n_stale + 1 if self.best.worth.error >= self.cycle_error else 0

    @property
    def threshold_left(self) -> float:
        """How far the threshold has to fall until the search ends, if nothing better is found."""
        cycles = max(0, _MAX_STALE - self._stale_cycles)
        return max(self.threshold, 0.0) + cycles * self.initial_threshold

    def initialize(self) -> None:
        """Create and evaluate the first population.

        If none of it can be used, because time ran out or all have too many rules, the problem's simplest chromosome is
        added.
        """
        self._draw_sample()
        with suppress(OutOfTime):
            self._select(self.evaluated(self.problem.initial(self.options.population_size, self.rng)))
        if not self.archive:
            simplest = self.problem.simplest()
            [worth] = self.evaluator([simplest], at_once=True)
            self.evaluator.n_asked += 1
            sampled = [worth.error]
            with suppress(OutOfTime):
                sampled = self._sampled_errors([simplest], [worth])
            self._select([RatedChromosome(simplest, worth, sampled[0])])

    def advance(self) -> None:
        """Run one generation: parents, children, and the next archive."""
        best = self.best.worth
        before = {one.chromosome.key for one in self.archive}
        self._select(self.evaluated(self.offspring()))
        if self.best.worth == best:
            self.threshold -= 1.0
        if all(one.chromosome.key in before for one in self.archive):
            self.threshold -= self.fall
            self.fall *= 2
        else:
            self.fall = 1

    def offspring(self) -> list[C]:
        """Cross parents, and mutate some of the children; children of parents that are too similar are copies.

        Children that are already in the archive are left out.
        """
        errors = np.array([one.worth.error for one in self.archive])
        share = mating_share(1.0 - self.threshold / self.initial_threshold if self.initial_threshold > 0.0 else 1.0)
        children: list[C] = []
        for i, k in tournaments(errors, self.fitness, share, max(1, self.options.population_size // 2), self.rng):
            pair = self.archive[i].chromosome, self.archive[k].chromosome
            children += self.problem.cross(*pair, self.threshold, self.rng) or pair
        made = self.mutated(
            children, lambda child: self.problem.mutate(child, self.rng), self.options.mutation_probability
        )
        there = {one.chromosome.key for one in self.archive}
        return list({child.key: child for child in made if child.key not in there}.values())

    def restart(self) -> None:
        """Keep the most accurate and the smallest individual, and fill the archive around the most accurate."""
        best, smallest = self.best, min(self.archive, key=lambda one: (one.worth.n_rules, one.worth.error))
        kept = [best] if smallest is best else [best, smallest]
        stale = self._stale_cycles
        made = self.problem.restart(best.chromosome, self.options.population_size - len(kept), self.rng)
        self._draw_sample()
        chromosomes, worths = [one.chromosome for one in kept], [one.worth for one in kept]
        errors = self._sampled_errors(chromosomes, worths)
        before, self.archive = (
            self.archive,
            [RatedChromosome(*one) for one in zip(chromosomes, worths, errors, strict=True)],
        )
        try:
            family = self.evaluated(made)
        except OutOfTime:
            self.archive = before
            raise
        self._select(family)
        self.threshold, self.fall = self.initial_threshold, 1
        self.n_restarts, self.n_stale, self.cycle_error = self.n_restarts + 1, stale, best.worth.error

    def evaluated(self, chromosomes: Sequence[C]) -> list[RatedChromosome[C]]:
        """Evaluate as many chromosomes as the limit allows; return the candidates for the archive, with full errors."""
        allowed = self.allowed(chromosomes)
        if self.rows is None:
            worths = self.evaluator(allowed)
            made = [RatedChromosome(one, worth, worth.error) for one, worth in zip(allowed, worths, strict=True)]
        else:
            judged = self.evaluator.sampled(allowed, self._limit())
            promising = self._promising(judged)
            chosen = [allowed[k] for k in promising]
            worths = self.evaluator(chosen)
            errors = [judged[k].error for k in promising]
            made = [RatedChromosome(*one) for one in zip(chosen, worths, errors, strict=True)]
        return [one for one in made if np.isfinite(one.worth.error)]

    def _limit(self) -> Limit:
        """Return the limit beyond which a child cannot enter the archive."""
        if len(self.archive) < self.options.population_size:
            return NO_LIMIT
        return Limit(max(one.sampled for one in self.archive), min(one.worth.n_rules for one in self.archive))

    def _promising(self, judged: Sequence[Worth]) -> list[int]:
        """Return the children that would enter the archive by the errors on the sample."""
        finite = [k for k, worth in enumerate(judged) if np.isfinite(worth.error)]
        if not finite:
            return []
        here = [(one.sampled, float(one.worth.n_rules)) for one in self.archive]
        objectives = np.array(here + [(judged[k].error, float(judged[k].n_rules)) for k in finite])
        taken, _ = select_archive(objectives, self.options.population_size)
        return [finite[i - len(here)] for i in taken.tolist() if i >= len(here)]

    def _select(self, candidates: list[RatedChromosome[C]]) -> None:
        """Select the next archive from this one and new individuals."""
        union = self.archive + candidates
        if not union:
            return
        objectives = np.array([(one.worth.error, float(one.worth.n_rules)) for one in union])
        taken, self.fitness = select_archive(objectives, self.options.population_size)
        self.archive = [union[k] for k in taken.tolist()]

    def _draw_sample(self) -> None:
        if self.sampler is not None:
            self._use_sample(self.sampler.draw(self.rng))

    def _use_sample(self, rows: Indices | None) -> None:
        self.rows = rows
        self.evaluator.use_sample(None if rows is None else self.problem.take_sample(rows))

    def _sampled_errors(self, chromosomes: Sequence[C], worths: Sequence[Worth]) -> list[float]:
        """Return the errors of individuals on the sample, if there is one."""
        if self.rows is None:
            return [worth.error for worth in worths]
        return [worth.error for worth in self.evaluator.sampled(chromosomes)]

    def snapshot(self) -> Spea2Snapshot[C] | None:
        """Return the state of the search between two generations; None once a limit has cut a generation short."""
        if not self.resumable:
            return None
        return Spea2Snapshot(
            self.archive,
            self.fitness,
            self.evaluator.best_by_rules.copy(),
            self.rows,
            self.threshold,
            self.fall,
            self.n_restarts,
            self.n_stale,
            self.cycle_error,
            self.evaluator.n_asked,
            GeneratorState(self.rng.bit_generator.state),
            tuple(self.history),
        )

    def restore(self, snapshot: Spea2Snapshot[C]) -> None:
        """Restore the state of a snapshot.

        Raises
        ------
        ValueError
            If the snapshot's threshold is above the first one, as in a damaged checkpoint.
        """
        if not snapshot.threshold <= self.initial_threshold:
            raise damaged("its search would not end")
        super().restore(snapshot)
        self.archive, self.fitness, self.fall = list(snapshot.archive), snapshot.fitness, snapshot.fall
        self._use_sample(snapshot.rows)
        self.n_restarts, self.n_stale, self.cycle_error = snapshot.n_restarts, snapshot.n_stale, snapshot.cycle_error

    def row(self, seconds: float) -> Spea2Generation:
        """Return the row of the history for the last generation."""
        best = self.best.worth
        return Spea2Generation(
            len(self.history),
            self.evaluator.n_asked,
            best.error,
            best.error,
            best.n_rules,
            len(self.archive),
            max(self.threshold, 0.0),
            self.n_restarts,
            seconds,
        )

    def history_table(self) -> pd.DataFrame:
        """Return the history with errors in the target's own units."""
        history = pd.DataFrame(self.history, columns=Spea2Generation._fields)
        history[["best_fitness", "best_error"]] *= self.problem.error_unit
        return history

    def models(self, table: LocalTable, control: RunControl) -> tuple[FrontPoint, ...]:
        """Build the models of the front, the most accurate first; once time has run out, the others are left out."""
        problem = self.problem

        def finish(chromosome: C, worth: Worth) -> FrontPoint:
            error = worth.error * problem.error_unit
            return front_point(problem.build(chromosome), table, error, error, problem.regularization)

        return fit_front(reversed(self.front), finish, control, self.evaluator.n_asked)
