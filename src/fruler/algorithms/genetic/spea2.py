"""SPEA2 with incest prevention and restarts: a search for small errors with few rules."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic

import numpy as np

from fruler._typing import Floats, Indices
from fruler.algorithms.genetic.evaluation import Evaluator, Individual, Worth
from fruler.algorithms.genetic.front import pareto_front
from fruler.algorithms.genetic.problem import NO_LIMIT, C, Limit, Problem, S
from fruler.algorithms.genetic.sampling import RowSampler
from fruler.algorithms.genetic.selection import mating_share, select_archive, tournaments
from fruler.algorithms.genetic.state import Generation, Snapshot
from fruler.algorithms.genetic.workers import OutOfTime, Workers
from fruler.learning.checkpoint.values import damaged

# So many cycles in a row without a lower error end the search.
_MAX_STALE = 2


@dataclass(frozen=True)
class Spea2Settings:
    """How the search is run.

    Attributes
    ----------
    population_size : int
        Individuals of the population, and the most of the archive.
    max_evaluations : int or None
        The most chromosomes that are evaluated; None: until nothing better is found.
    mutation_probability : float
        The share of the children that is mutated.
    """

    population_size: int = 61
    max_evaluations: int | None = 20_000
    mutation_probability: float = 0.2


class Spea2(Generic[C, S]):
    """A multi-objective search, one generation after the other.

    A cycle lasts from a start to the next; with it falls the threshold of incest prevention, and the share of the
    archive that becomes parents narrows to its more accurate half. At its end only the most accurate and the smallest
    individual are kept. The search ends after the second cycle in a row without a lower error.

    Parameters
    ----------
    problem : Problem
        Makes, crosses and evaluates chromosomes.
    settings : Spea2Settings
        Sizes and limits.
    rng : numpy Generator
        The only source of chance.
    workers : Workers, optional
        On which threads, and how long.
    sampler : RowSampler, optional
        Draws rows on which children are judged first: only those that would enter the archive by their error on these
        get their full error. The others are left behind.
    on_generation : callable, optional
        Called with the search after each generation.

    Attributes
    ----------
    archive : list of Individual
        The survivors, with full errors.
    history : list of Generation
        One row per generation.
    """

    def __init__(
        self,
        problem: Problem[C, S],
        settings: Spea2Settings,
        rng: np.random.Generator,
        workers: Workers | None = None,
        *,
        sampler: RowSampler | None = None,
        on_generation: Callable[[Spea2[C, S]], None] | None = None,
    ) -> None:
        self.problem, self.settings, self.rng, self.sampler = problem, settings, rng, sampler
        self.max_evaluations = sys.maxsize if settings.max_evaluations is None else settings.max_evaluations
        self.evaluator: Evaluator[C, S] = Evaluator(problem, workers)
        self.on_generation = on_generation
        self.archive: list[Individual[C]] = []
        self.fitness: Floats = np.empty(0)
        self.rows: Indices | None = None
        self.threshold = self.initial_threshold = float(problem.initial_threshold)
        self.fall = 1
        self.n_restarts = self.n_stale = 0
        self.cycle_error = np.inf
        self.history: list[Generation] = []
        self._cut_short = False

    @property
    def best(self) -> Individual[C]:
        """The most accurate individual of the archive; of equals the smallest."""
        return min(self.archive, key=lambda one: one.worth)

    @property
    def front(self) -> list[tuple[C, Worth]]:
        """The trade-off over all that was evaluated on all rows, by increasing number of rules."""
        return pareto_front(self.evaluator.front)

    def run(self) -> None:
        """Search until nothing better is found, or until a limit or somebody ends it; `front` has the result."""
        start = time.monotonic()
        if self.history:
            start -= self.history[-1].seconds
        else:
            self.initialize()
            self.record(time.monotonic() - start)
        while not self.ended:
            try:
                if self.threshold < 0.0:
                    self.restart()
                else:
                    self.advance()
            except OutOfTime:
                break
            self.record(time.monotonic() - start)

    @property
    def ended(self) -> bool:
        """Whether no other generation is to come."""
        converged = self.threshold < 0.0 and self._stale_cycles >= _MAX_STALE
        return converged or self.evaluations_left <= 0 or self.evaluator.workers.out_of_time

    @property
    def _stale_cycles(self) -> int:
        """How many cycles in a row, with this one, brought no lower error."""
        return self.n_stale + 1 if self.best.worth.error >= self.cycle_error else 0

    @property
    def evaluations_left(self) -> int:
        """How many more chromosomes may be evaluated."""
        return self.max_evaluations - self.evaluator.n_asked

    @property
    def threshold_left(self) -> float:
        """By how much the threshold has to fall until the search ends, if nothing better is found."""
        cycles = max(0, _MAX_STALE - self._stale_cycles)
        return max(self.threshold, 0.0) + cycles * self.initial_threshold

    def initialize(self) -> None:
        """Make and evaluate the first population.

        If none of it can be used, for want of time or for too many rules, the problem's simplest chromosome is there.
        """
        self._draw_sample()
        with suppress(OutOfTime):
            self._select(self.evaluated(self.problem.initial(self.settings.population_size, self.rng)))
        if not self.archive:
            simplest = self.problem.simplest()
            [worth] = self.evaluator.full([simplest], at_once=True)
            self.evaluator.n_asked += 1
            sampled = [worth.error]
            with suppress(OutOfTime):
                sampled = self._sampled_errors([simplest], [worth])
            self._select([Individual(simplest, worth, sampled[0])])

    def advance(self) -> None:
        """One generation: parents, children, and the next archive."""
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
        """Cross parents, and mutate some of the children; those of parents that are too much alike are copies.

        Children that are in the archive already are left out.
        """
        errors = np.array([one.worth.error for one in self.archive])
        share = mating_share(1.0 - self.threshold / self.initial_threshold if self.initial_threshold > 0.0 else 1.0)
        children: list[C] = []
        for i, k in tournaments(errors, self.fitness, share, max(1, self.settings.population_size // 2), self.rng):
            pair = self.archive[i].chromosome, self.archive[k].chromosome
            children += self.problem.cross(*pair, self.threshold, self.rng) or pair
        mutated = self.rng.random(len(children)) < self.settings.mutation_probability
        made = [
            self.problem.mutate(child, self.rng) if change else child
            for child, change in zip(children, mutated, strict=True)
        ]
        there = {one.chromosome.key for one in self.archive}
        return list({child.key: child for child in made if child.key not in there}.values())

    def restart(self) -> None:
        """Keep the most accurate and the smallest individual, and fill the archive around the most accurate."""
        best, smallest = self.best, min(self.archive, key=lambda one: (one.worth.n_rules, one.worth.error))
        kept = [best] if smallest is best else [best, smallest]
        stale = self._stale_cycles
        made = self.problem.restart(best.chromosome, self.settings.population_size - len(kept), self.rng)
        self._draw_sample()
        chromosomes, worths = [one.chromosome for one in kept], [one.worth for one in kept]
        errors = self._sampled_errors(chromosomes, worths)
        before, self.archive = self.archive, [Individual(*one) for one in zip(chromosomes, worths, errors, strict=True)]
        try:
            family = self.evaluated(made)
        except OutOfTime:
            self.archive = before
            raise
        self._select(family)
        self.threshold, self.fall = self.initial_threshold, 1
        self.n_restarts, self.n_stale, self.cycle_error = self.n_restarts + 1, stale, best.worth.error

    def evaluated(self, chromosomes: Sequence[C]) -> list[Individual[C]]:
        """Evaluate as many as the limit allows; return the candidates for the archive, with their full errors."""
        allowed = list(chromosomes[: max(0, self.evaluations_left)])
        self._cut_short |= len(allowed) < len(chromosomes)
        self.evaluator.n_asked += len(allowed)
        if self.rows is None:
            worths = self.evaluator.full(allowed)
            made = [Individual(one, worth, worth.error) for one, worth in zip(allowed, worths, strict=True)]
        else:
            judged = self.evaluator.sampled(allowed, self._limit())
            promising = self._promising(judged)
            chosen = [allowed[k] for k in promising]
            worths = self.evaluator.full(chosen)
            errors = [judged[k].error for k in promising]
            made = [Individual(*one) for one in zip(chosen, worths, errors, strict=True)]
        return [one for one in made if np.isfinite(one.worth.error)]

    def _limit(self) -> Limit:
        """Return from which error on the sample on a child cannot be of use."""
        if len(self.archive) < self.settings.population_size:
            return NO_LIMIT
        return Limit(max(one.sampled for one in self.archive), min(one.worth.n_rules for one in self.archive))

    def _promising(self, judged: Sequence[Worth]) -> list[int]:
        """Return the children that would enter the archive if the errors on the sample were all there is."""
        finite = [k for k, worth in enumerate(judged) if np.isfinite(worth.error)]
        if not finite:
            return []
        here = [(one.sampled, float(one.worth.n_rules)) for one in self.archive]
        objectives = np.array(here + [(judged[k].error, float(judged[k].n_rules)) for k in finite])
        taken, _ = select_archive(objectives, self.settings.population_size)
        return [finite[i - len(here)] for i in taken.tolist() if i >= len(here)]

    def _select(self, candidates: list[Individual[C]]) -> None:
        """Make the next archive of this one and new individuals."""
        union = self.archive + candidates
        if not union:
            return
        objectives = np.array([(one.worth.error, float(one.worth.n_rules)) for one in union])
        taken, self.fitness = select_archive(objectives, self.settings.population_size)
        self.archive = [union[k] for k in taken.tolist()]

    def _draw_sample(self) -> None:
        if self.sampler is not None:
            self._use_sample(self.sampler.draw(self.rng))

    def _use_sample(self, rows: Indices | None) -> None:
        self.rows = rows
        self.evaluator.use_sample(None if rows is None else self.problem.take_sample(rows))

    def _sampled_errors(self, chromosomes: Sequence[C], worths: Sequence[Worth]) -> list[float]:
        """Return the errors on the sample of individuals that stay."""
        if self.rows is None:
            return [worth.error for worth in worths]
        return [worth.error for worth in self.evaluator.sampled(chromosomes)]

    def snapshot(self) -> Snapshot[C] | None:
        """Return the search as it is between two generations; None once a limit has cut one of them short."""
        # A limit in time, once reached, stays so: where there is none now, there was none on the way.
        if self._cut_short or self.evaluator.workers.out_of_time:
            return None
        return Snapshot(
            self.archive,
            self.fitness,
            self.evaluator.front.copy(),
            self.rows,
            self.threshold,
            self.fall,
            self.n_restarts,
            self.n_stale,
            self.cycle_error,
            self.evaluator.n_asked,
            self.rng.bit_generator.state,
            self.history,
            len(self.history),
        )

    def restore(self, snapshot: Snapshot[C]) -> None:
        """Go back to where a snapshot was taken.

        Raises
        ------
        ValueError
            If it was taken of another table.
        """
        n_rows = 0 if self.sampler is None else self.sampler.n_rows
        if (snapshot.rows is None) != (self.sampler is None) or (
            snapshot.rows is not None and snapshot.rows[-1] >= n_rows
        ):
            raise damaged("its sample is not of these rows")
        self.archive, self.fitness = list(snapshot.archive), snapshot.fitness
        self._use_sample(snapshot.rows)
        self.threshold, self.fall = snapshot.threshold, snapshot.fall
        self.n_restarts, self.n_stale, self.cycle_error = snapshot.n_restarts, snapshot.n_stale, snapshot.cycle_error
        self.history = snapshot.history
        self.rng.bit_generator.state = dict(snapshot.rng)
        self.evaluator.n_asked = snapshot.n_asked
        self.evaluator.front = dict(snapshot.front)
        # What else was evaluated is forgotten; if it is met again it is worth the same.
        for chromosome, worth in ((one.chromosome, one.worth) for one in self.archive):
            self.evaluator.known[chromosome.key] = worth
        for chromosome, worth in snapshot.front.values():
            self.evaluator.known[chromosome.key] = worth

    def record(self, seconds: float) -> None:
        """Add a row to the history, and tell of it."""
        best = self.best.worth
        self.history.append(
            Generation(
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
        )
        if self.on_generation is not None:
            self.on_generation(self)
