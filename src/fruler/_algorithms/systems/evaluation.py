"""The problem of a multi-objective search, samples of its rows, and the values of chromosomes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Literal, NamedTuple, Protocol, Self, TypeVar

import numpy as np

from fruler._algorithms import genetic
from fruler._algorithms.genetic import C, Workers
from fruler._arrays import Floats, Indices
from fruler.rules._rule_base import RuleBase


class Limit(NamedTuple):
    """The limit beyond which a chromosome need not be evaluated to the end.

    Attributes
    ----------
    error : float
        A chromosome with a larger error on the sample is not needed.
    min_rules : int
        The limit applies only to chromosomes with at least this many rules.
    """

    error: float = np.inf
    min_rules: int = 0


NO_LIMIT = Limit()

S = TypeVar("S")


class Problem(Protocol[C, S]):
    """The problem that `Spea2` solves; `C` is the type of chromosomes, `S` that of samples of the rows.

    All randomness comes from the given generator. `evaluate` is called from several threads at once, the other methods
    are not.
    """

    # Turns errors into half of a mean squared error in the target's own units.
    error_unit: float
    # The ridge of the consequents; 0 if they are not fitted.
    regularization: float

    @property
    def initial_threshold(self) -> float:
        """The first threshold of incest prevention: a quarter of a chromosome's bits. It also times a cycle."""

    def initial(self, size: int, rng: np.random.Generator) -> list[C]:
        """Create the first population."""

    def simplest(self) -> C:
        """Return a chromosome that can always be evaluated: the model if there is no time, or no other candidate."""

    def cross(self, first: C, second: C, threshold: float, rng: np.random.Generator) -> tuple[C, C] | None:
        """Cross two parents; None if half their Hamming distance is at most the threshold."""

    def mutate(self, chromosome: C, rng: np.random.Generator) -> C:
        """Change one chromosome."""

    def restart(self, best: C, size: int, rng: np.random.Generator) -> list[C]:
        """Create a new population around the most accurate individual, which need not be in it."""

    def take_sample(self, rows: Indices) -> S:
        """Prepare some rows to measure errors on."""

    def evaluate(self, chromosomes: Sequence[C], sample: S | None, limit: Limit) -> Floats:
        """Return the error and the number of rules of every chromosome, an array of shape (n, 2).

        The error is measured on all rows, or on those of a sample. It is infinite for a chromosome that is not a
        candidate, and for one that is beyond the limit. It must not depend on the other chromosomes of the call.
        """

    def build(self, chromosome: C) -> RuleBase:
        """Return the rule base of a chromosome."""


Subset = Literal["auto"] | None

# Up to _MIN_TABLE rows the full error is cheap enough; a sample has at least _MIN_ROWS rows, and at least this share.
_MIN_TABLE, _MIN_ROWS, _SHARE = 2_000, 1_000, 0.2


class RowSampler:
    """Draws samples that are stratified by the output.

    Parameters
    ----------
    target : ndarray of shape (n_rows,)
        The outputs.
    size : int
        The number of rows of a sample.

    Examples
    --------
    >>> import numpy as np
    >>> drawn = RowSampler(np.arange(10.0), 5).draw(np.random.default_rng(0))
    >>> [int(row) // 2 for row in drawn]
    [0, 1, 2, 3, 4]
    """

    def __init__(self, target: Floats, size: int) -> None:
        self._order = np.argsort(target, kind="stable")
        self._edges = np.linspace(0, len(target), min(size, len(target)) + 1).astype(np.intp)

    @classmethod
    def for_table(cls, target: Floats, subset: Subset = "auto") -> Self | None:
        """Return a sampler for a large table; None for a small table, or if `subset` is None."""
        if subset is None or len(target) <= _MIN_TABLE:
            return None
        return cls(target, max(_MIN_ROWS, int(_SHARE * len(target))))

    def draw(self, rng: np.random.Generator) -> Indices:
        """Draw one row of every stratum; rows are returned in increasing order."""
        return np.sort(self._order[rng.integers(self._edges[:-1], self._edges[1:])]).astype(np.intp, copy=False)


class Worth(NamedTuple):
    """The value of a chromosome: less is better.

    Attributes
    ----------
    error : float
        The error; infinite if the chromosome is not a candidate.
    n_rules : int
        The number of rules.
    """

    error: float
    n_rules: int

    @property
    def fitness(self) -> float:
        """The minimised criterion: the error."""
        return self.error


class RatedChromosome(NamedTuple, Generic[C]):
    """A chromosome and its value.

    Attributes
    ----------
    chromosome : chromosome
        A chromosome of the problem's own type.
    worth : Worth
        Its value on all rows.
    sampled : float
        Its error on the sample of this cycle; without a sample, its error on all rows.
    """

    chromosome: C
    worth: Worth
    sampled: float


class ProblemEvaluator(genetic.Evaluator[C, Worth], Generic[C, S]):
    """Evaluates chromosomes of a problem on all rows or on a sample, and remembers their values.

    Parameters
    ----------
    problem : Problem
        The problem.
    workers : Workers, optional
        The threads, and their budget.
    """

    def __init__(self, problem: Problem[C, S], workers: Workers | None = None) -> None:
        super().__init__(workers)
        self.problem = problem
        self._sample: S | None = None
        # Values on the sample, each with the limit under which it was found.
        self._sampled: dict[bytes, tuple[Worth, Limit]] = {}

    def _evaluate(self, chromosomes: Sequence[C]) -> Floats:
        return self.problem.evaluate(chromosomes, None, NO_LIMIT)

    def _values(self, found: Floats) -> list[Worth]:
        return [Worth(error if np.isfinite(error) else np.inf, int(n_rules)) for error, n_rules in found.tolist()]

    def use_sample(self, sample: S | None) -> None:
        """Use another sample from now on."""
        self._sample, self._sampled = sample, {}

    def sampled(self, chromosomes: Sequence[C], limit: Limit = NO_LIMIT) -> list[Worth]:
        """Return the values of chromosomes on the sample; those beyond the limit have an infinite error."""
        waiting = list({one.key: one for one in chromosomes if not self._answers(one.key, limit)}.values())

        def evaluate(part: Sequence[C]) -> Floats:
            return self.problem.evaluate(part, self._sample, limit)

        def keep(part: Sequence[C], found: Floats) -> None:
            for one, worth in zip(part, self._values(found), strict=True):
                self._sampled[one.key] = worth, limit

        self.workers.share_out(waiting, evaluate, keep)
        return [self._limited(one.key, limit) for one in chromosomes]

    def _answers(self, key: bytes, limit: Limit) -> bool:
        """Return whether the stored value of a chromosome determines its value under this limit."""
        if key not in self._sampled:
            return False
        worth, then = self._sampled[key]
        # An infinite error may only mean that the error was beyond a limit lower than this one.
        return bool(np.isfinite(worth.error)) or (limit.error <= then.error and worth.n_rules >= limit.min_rules)

    def _limited(self, key: bytes, limit: Limit) -> Worth:
        worth, _ = self._sampled[key]
        beyond = worth.n_rules >= limit.min_rules and worth.error > limit.error
        return worth._replace(error=np.inf) if beyond else worth
