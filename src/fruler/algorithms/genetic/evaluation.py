"""What chromosomes are worth: evaluated in batches over threads, and never twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, NamedTuple

import numpy as np

from fruler._typing import Floats
from fruler.algorithms.genetic.problem import NO_LIMIT, C, Limit, Problem, S
from fruler.algorithms.genetic.workers import Workers


class Worth(NamedTuple):
    """What a chromosome is worth: less is better.

    Attributes
    ----------
    error : float
        Infinite if it is no candidate.
    n_rules : int
        The number of rules.
    """

    error: float
    n_rules: int


class Individual(NamedTuple, Generic[C]):
    """A chromosome and what it is worth.

    Attributes
    ----------
    chromosome : chromosome
        Of the problem's own type.
    worth : Worth
        On all rows.
    sampled : float
        Its error on the sample of this cycle; the same as on all rows where there is no sample.
    """

    chromosome: C
    worth: Worth
    sampled: float


class Evaluator(Generic[C, S]):
    """Evaluates chromosomes of a problem, keeps what it knows, and counts what it is asked.

    Parameters
    ----------
    problem : Problem
        Evaluates.
    workers : Workers, optional
        On which threads, and how long.

    Attributes
    ----------
    n_asked : int
        The chromosomes that were to be evaluated, repeated ones included.
    known : dict of bytes to Worth
        What is known on all rows, by the keys of the chromosomes.
    front : dict of int to (chromosome, Worth)
        The best of every number of rules, by its full error.
    """

    def __init__(self, problem: Problem[C, S], workers: Workers | None = None) -> None:
        self.problem = problem
        self.workers = Workers() if workers is None else workers
        self.n_asked = 0
        self.known: dict[bytes, Worth] = {}
        self.front: dict[int, tuple[C, Worth]] = {}
        self._sample: S | None = None
        # Of the sample: the worth, and the limit with which an infinite one was found.
        self._sampled: dict[bytes, tuple[Worth, Limit]] = {}

    def use_sample(self, sample: S | None) -> None:
        """Judge by another sample from here on."""
        self._sample, self._sampled = sample, {}

    def full(self, chromosomes: Sequence[C], *, at_once: bool = False) -> list[Worth]:
        """Return what chromosomes are worth on all rows.

        Raises `OutOfTime` when the deadline passes before it is done, unless it must be done `at_once`.
        """
        waiting = list({one.key: one for one in chromosomes if one.key not in self.known}.values())
        if at_once:
            if waiting:
                self._keep_full(waiting, self._evaluate_full(waiting))
        else:
            self.workers.share_out(waiting, self._evaluate_full, self._keep_full)
        return [self.known[one.key] for one in chromosomes]

    def sampled(self, chromosomes: Sequence[C], limit: Limit = NO_LIMIT) -> list[Worth]:
        """Return what chromosomes are worth on the sample; those beyond the limit have an infinite error."""
        waiting = list({one.key: one for one in chromosomes if not self._answers(one.key, limit)}.values())

        def evaluate(part: Sequence[C]) -> Floats:
            return self.problem.evaluate(part, self._sample, limit)

        def keep(part: Sequence[C], found: Floats) -> None:
            for one, worth in zip(part, _worths(found), strict=True):
                self._sampled[one.key] = worth, limit

        self.workers.share_out(waiting, evaluate, keep)
        return [self._limited(one.key, limit) for one in chromosomes]

    def _answers(self, key: bytes, limit: Limit) -> bool:
        """Return whether what is known of a chromosome tells its worth under this limit."""
        if key not in self._sampled:
            return False
        worth, then = self._sampled[key]
        # An infinite error may only mean that it was beyond a limit which was lower than this one.
        return bool(np.isfinite(worth.error)) or (limit.error <= then.error and worth.n_rules >= limit.min_rules)

    def _limited(self, key: bytes, limit: Limit) -> Worth:
        worth, _ = self._sampled[key]
        beyond = worth.n_rules >= limit.min_rules and worth.error > limit.error
        return worth._replace(error=np.inf) if beyond else worth

    def remember(self, chromosome: C, worth: Worth) -> None:
        """Keep what a chromosome is worth on all rows."""
        self.known[chromosome.key] = worth
        rival = self.front.get(worth.n_rules)
        if np.isfinite(worth.error) and (rival is None or worth.error < rival[1].error):
            self.front[worth.n_rules] = chromosome, worth

    def _evaluate_full(self, chromosomes: Sequence[C]) -> Floats:
        return self.problem.evaluate(chromosomes, None, NO_LIMIT)

    def _keep_full(self, chromosomes: Sequence[C], found: Floats) -> None:
        for one, worth in zip(chromosomes, _worths(found), strict=True):
            self.remember(one, worth)


def _worths(found: Floats) -> list[Worth]:
    return [Worth(error if np.isfinite(error) else np.inf, int(n_rules)) for error, n_rules in found.tolist()]
