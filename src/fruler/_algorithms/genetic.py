"""The shared parts of the genetic searches: the loop, the evaluator and its threads, the time left, and label genes."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from fruler._arrays import Floats
from fruler.learning._control import UNLIMITED, Budget, RunControl
from fruler.learning._training_table import LocalTable
from fruler.learning.learned import FrontPoint
from fruler.rules._rule_base import RuleBase


@dataclass(frozen=True)
class GeneticOptions:
    """The parameters of all genetic searches; documented at the estimators."""

    population_size: int = 61
    max_evaluations: int | None = 20_000
    mutation_probability: float = 0.2


class Keyed(Protocol):
    """A chromosome: anything that never changes and has a key."""

    @property
    def key(self) -> bytes:
        """The key: equal chromosomes have equal keys, different ones have different keys."""


class Valued(Protocol):
    """The value of a model: less is better."""

    @property
    def fitness(self) -> float:
        """The minimised criterion; infinite if the model is not a candidate."""

    @property
    def error(self) -> float:
        """The mean squared error."""

    @property
    def n_rules(self) -> int:
        """The number of rules."""


C = TypeVar("C", bound=Keyed)
Value = TypeVar("Value", bound=Valued)


def pareto_front(best_by_rules: Mapping[int, tuple[C, Value]]) -> list[tuple[C, Value]]:
    """Return the models that are more accurate than all models with fewer rules, by increasing number of rules.

    Parameters
    ----------
    best_by_rules : mapping of int to (model, value)
        The best model of every number of rules.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> met = {3: ("c", SimpleNamespace(error=0.5)), 1: ("a", SimpleNamespace(error=0.9)),
    ...        2: ("b", SimpleNamespace(error=0.9))}
    >>> [model for model, _ in pareto_front(met)]
    ['a', 'c']
    """
    front: list[tuple[C, Value]] = []
    for size in sorted(best_by_rules):
        model, found = best_by_rules[size]
        if not front or found.error < front[-1][1].error:
            front.append((model, found))
    return front


Granularities = npt.NDArray[np.intc]


@dataclass(frozen=True, eq=False)
class LabelGenes:
    """A chromosome of labels: their number, and how far they are displaced.

    Attributes
    ----------
    granularities : ndarray of shape (n_variables,)
        The number of labels of each variable; an input with one label is in no antecedent.
    displacements : ndarray
        The displacements of the labels or split points of each variable, as shares of a distance.
    """

    granularities: Granularities
    displacements: Floats

    @cached_property
    def structure(self) -> bytes:
        """The granularities as a key."""
        return self.granularities.tobytes()

    @cached_property
    def key(self) -> bytes:
        """The whole chromosome as a short key: equal chromosomes have equal keys."""
        # A digest, since a search remembers every key. Adding zero turns a negative zero into a positive one.
        return blake2b(self.structure + (self.displacements + 0.0).tobytes(), digest_size=16).digest()


def limit_cells(granularities: Granularities, max_cells: int, rng: np.random.Generator) -> Granularities:
    """Take random inputs out of the antecedents until the labels make at most `max_cells` cells.

    Examples
    --------
    >>> import numpy as np
    >>> int(limit_cells(np.array([3, 3, 3], dtype=np.intc), 9, np.random.default_rng(0)).prod())
    9
    """
    granularities = granularities.copy()
    # As logarithms: the product of 200 granularities may overflow.
    while np.log(granularities).sum() > np.log(max_cells) + 1e-9:
        granularities[rng.choice(np.flatnonzero(granularities > 1))] = 1
    return granularities


def falls(granularity: int, least: int, largest: int, rng: np.random.Generator) -> bool:
    """Draw whether a granularity falls or rises: both are equally likely if both are possible."""
    fall = bool(rng.random() < 0.5)
    if granularity == least:
        return False
    return fall or granularity == largest


def mutate_granularity(granularity: int, least: int, largest: int, rng: np.random.Generator) -> int:
    """Return one label less or, equally likely, any larger number of labels."""
    if falls(granularity, least, largest, rng):
        return granularity - 1
    return int(rng.integers(granularity + 1, largest, endpoint=True))


def pcblx(first: Floats, second: Floats, rng: np.random.Generator, limit: float = np.inf) -> tuple[Floats, Floats]:
    """Parent-centric BLX: draw each child around one parent, within the distance between the parents and a limit."""
    apart = np.abs(first - second)
    ends = ((np.maximum(one - apart, -limit), np.minimum(one + apart, limit)) for one in (first, second))
    one, other = (rng.uniform(low, high) for low, high in ends)
    return one, other


# The maximum number of items that a thread takes between two looks at the clock.
_CHUNK = 4

Item = TypeVar("Item")
Result = TypeVar("Result")


class OutOfTime(Exception):
    """The deadline has passed, or a stop was requested; values found until then are kept."""


class Workers:
    """Threads, and the budget that ends their work.

    Parameters
    ----------
    pool : ThreadPoolExecutor or None
        The pool that does the work; None: the calling thread does it.
    n_jobs : int
        The number of threads in the pool.
    budget : Budget
        Once it is used up, nothing new is begun.
    """

    def __init__(self, pool: ThreadPoolExecutor | None = None, n_jobs: int = 1, budget: Budget = UNLIMITED) -> None:
        self.pool, self.n_jobs, self.budget = pool, n_jobs, budget

    @property
    def out_of_time(self) -> bool:
        """Whether the deadline has passed, or a stop was requested."""
        return self.budget.over()

    def share_out(
        self,
        items: Sequence[Item],
        work: Callable[[Sequence[Item]], Result],
        keep: Callable[[Sequence[Item], Result], None],
    ) -> None:
        """Work on parts of the items, each in the next free thread; keep the results in the order of the items.

        Raises
        ------
        OutOfTime
            If time ran out before all items were done; results until then are kept.
        """
        size = _CHUNK if self.pool is None else max(1, min(_CHUNK, len(items) // (4 * self.n_jobs)))
        parts = [items[first : first + size] for first in range(0, len(items), size)]

        def in_time(part: Sequence[Item]) -> Result | None:
            return None if self.out_of_time else work(part)

        late = False
        results = map(in_time, parts) if self.pool is None else self.pool.map(in_time, parts)
        for part, result in zip(parts, results, strict=True):
            if result is None:
                late = True
            else:
                keep(part, result)
        if late:
            raise OutOfTime


class Evaluator(ABC, Generic[C, Value]):
    """Evaluates chromosomes, and remembers their values.

    Parameters
    ----------
    workers : Workers, optional
        The threads, and their budget.

    Attributes
    ----------
    n_asked : int
        The number of evaluations that the search requested, repeated ones included.
    known : dict of bytes to value
        The values found so far, by the keys of the chromosomes.
    best_by_rules : dict of int to (chromosome, value)
        The best chromosome of every number of rules.
    """

    def __init__(self, workers: Workers | None = None) -> None:
        self.workers = Workers() if workers is None else workers
        self.n_asked = 0
        self.known: dict[bytes, Value] = {}
        self.best_by_rules: dict[int, tuple[C, Value]] = {}

    @abstractmethod
    def _evaluate(self, chromosomes: Sequence[C]) -> Floats:
        """Return the results of some chromosomes, one row per chromosome."""

    @abstractmethod
    def _values(self, found: Floats) -> Iterable[Value]:
        """Return the values of chromosomes from their results."""

    def __call__(self, chromosomes: Sequence[C], *, at_once: bool = False) -> list[Value]:
        """Return the values of chromosomes.

        Raises `OutOfTime` if the deadline passes first; the values found until then are kept. With `at_once` the
        deadline is ignored.
        """
        waiting = list({one.key: one for one in chromosomes if one.key not in self.known}.values())
        if not at_once:
            self.workers.share_out(waiting, self._evaluate, self._keep)
        elif waiting:
            self._keep(waiting, self._evaluate(waiting))
        return [self.known[one.key] for one in chromosomes]

    def _keep(self, chromosomes: Sequence[C], found: Floats) -> None:
        for one, value in zip(chromosomes, self._values(found), strict=True):
            self._remember(one, value)

    def _remember(self, chromosome: C, value: Value) -> None:
        self.known[chromosome.key] = value
        rival = self.best_by_rules.get(value.n_rules)
        if np.isfinite(value.fitness) and (rival is None or value.fitness < rival[1].fitness):
            self.best_by_rules[value.n_rules] = chromosome, value


class GeneticSearch(ABC, Generic[C]):
    """A search by generations, in cycles: the threshold of incest prevention falls until the next restart.

    Parameters
    ----------
    evaluator : Evaluator
        Evaluates chromosomes.
    rng : numpy Generator
        The only source of randomness.
    max_evaluations : int
        The maximum number of evaluations.
    initial_threshold : float
        The threshold of incest prevention when a cycle begins.

    Attributes
    ----------
    history : list
        One row per generation.
    on_generation : callable or None
        Called with the search after each generation.
    """

    def __init__(
        self, evaluator: Evaluator[C, Any], rng: np.random.Generator, max_evaluations: int, initial_threshold: float
    ) -> None:
        self.evaluator, self.rng, self.max_evaluations = evaluator, rng, max_evaluations
        self.threshold = self.initial_threshold = initial_threshold
        self.history: list[Any] = []
        self.on_generation: Callable[[Any], None] | None = None
        self._cut_short = False

    @property
    @abstractmethod
    def cycle_ended(self) -> bool:
        """Whether the threshold has fallen to its end."""

    @property
    @abstractmethod
    def ended(self) -> bool:
        """Whether there will be no further generation."""

    @property
    @abstractmethod
    def threshold_left(self) -> float:
        """How far the threshold has to fall until the search ends."""

    @abstractmethod
    def initialize(self) -> None:
        """Create and evaluate the first population."""

    @abstractmethod
    def advance(self) -> None:
        """Run one generation."""

    @abstractmethod
    def restart(self) -> None:
        """Begin a cycle around the best individual."""

    @abstractmethod
    def row(self, seconds: float) -> Any:
        """Return the row of the history for the last generation."""

    @abstractmethod
    def snapshot(self) -> Any:
        """Return the state of the search between two generations; None once a limit has cut a generation short."""

    def run(self) -> None:
        """Search until nothing better is found, a limit is reached, or a stop is requested."""
        start = time.monotonic()
        if self.history:
            start -= self.history[-1].seconds
        else:
            self.initialize()
            self.record(time.monotonic() - start)
        while not self.ended:
            try:
                if self.cycle_ended:
                    self.restart()
                else:
                    self.advance()
            except OutOfTime:
                break
            self.record(time.monotonic() - start)

    @property
    def evaluations_left(self) -> int:
        """The number of chromosomes that may still be evaluated."""
        return self.max_evaluations - self.evaluator.n_asked

    @property
    def out_of_limits(self) -> bool:
        """Whether there are no evaluations or no time left."""
        return self.evaluations_left <= 0 or self.evaluator.workers.out_of_time

    @property
    def resumable(self) -> bool:
        """Whether no limit has cut a generation short."""
        # A time limit, once reached, stays reached: if it is not reached now, it was not reached on the way.
        return not self._cut_short and not self.evaluator.workers.out_of_time

    def allowed(self, chromosomes: Sequence[C], free: Container[bytes] = ()) -> Sequence[C]:
        """Return as many chromosomes as may still be evaluated, and count those whose keys are not in `free`."""
        asked = np.cumsum([one.key not in free for one in chromosomes], dtype=np.intp)
        some = chromosomes[: int(np.searchsorted(asked, max(0, self.evaluations_left), side="right"))]
        self._cut_short |= len(some) < len(chromosomes)
        self.evaluator.n_asked += int(asked[len(some) - 1]) if some else 0
        return some

    def mutated(self, children: Sequence[C], mutate: Callable[[C], C], probability: float) -> list[C]:
        """Mutate some of the children."""
        changed = self.rng.random(len(children)) < probability
        return [mutate(child) if change else child for child, change in zip(children, changed, strict=True)]

    def restore(self, snapshot: Any) -> None:
        """Restore the state of a snapshot."""
        self.history, self.threshold = list(snapshot.history), snapshot.threshold
        self.rng.bit_generator.state = dict(snapshot.rng)
        self.evaluator.n_asked = snapshot.n_asked
        self.evaluator.best_by_rules = dict(snapshot.best_by_rules)
        # Other values are forgotten; if their chromosomes occur again, the values will be the same.
        self.evaluator.known.update((one.key, value) for one, value in snapshot.valued)

    def record(self, seconds: float) -> None:
        """Add a row to the history, and report it."""
        self.history.append(self.row(seconds))
        if self.on_generation is not None:
            self.on_generation(self)


class TimeLeft:
    """Estimates the time to the end of a search from its pace since this object was created.

    Parameters
    ----------
    search : GeneticSearch
        The search, about to run.
    """

    def __init__(self, search: GeneticSearch[Any]) -> None:
        self._search, self._start = search, time.monotonic()
        self._n_generations = len(search.history)
        self._n_asked = search.history[-1].evaluations if search.history else 0

    def estimate(self) -> float | None:
        """Return the seconds until evaluations run out or the search converges, whichever comes first."""
        search, seconds = self._search, time.monotonic() - self._start
        history = search.history
        n_asked = (history[-1].evaluations if history else 0) - self._n_asked
        n_generations = len(history) - self._n_generations
        estimates = []
        if n_asked > 0:
            estimates.append(seconds / n_asked * max(0, search.evaluations_left))
        falls = -np.diff([row.threshold for row in history])
        # The threshold rises at a restart.
        falls = falls[falls > 0.0]
        if n_generations > 0 and len(falls):
            estimates.append(seconds / n_generations * search.threshold_left / float(falls.mean()))
        return min(estimates, default=None)


def run_watched(
    search: GeneticSearch[Any],
    control: RunControl,
    keep: Callable[[Any], None],
    snapshot: Any = None,
    *,
    stage: str = "evolution",
    error_unit: float = 1.0,
) -> None:
    """Run a search from its start or from a snapshot; keep and report every generation.

    Parameters
    ----------
    search : GeneticSearch
        The search; its `on_generation` is set.
    control : RunControl
        Receives the reports.
    keep : callable
        Called with every snapshot from which the search could resume.
    snapshot : Snapshot, optional
        The snapshot to resume from.
    stage : str
        The name of the stage in reports.
    error_unit : float
        The factor on errors in reports.
    """

    def tell(_: Any) -> None:
        taken = search.snapshot()
        if taken is not None:
            keep(taken)
        row = search.history[-1]
        error = row.best_error * error_unit
        control.report(stage, row.generation, row.evaluations, row.n_rules, error, time_left.estimate())

    search.on_generation = tell
    if snapshot is not None:
        search.restore(snapshot)
        control.has_model = True
    time_left = TimeLeft(search)
    search.run()


def fit_front(
    models: Iterable[tuple[C, Value]], finish: Callable[[C, Value], FrontPoint], control: RunControl, n_asked: int
) -> tuple[FrontPoint, ...]:
    """Finish the models of a front, and report each; once time has run out, all but the first are left out.

    Parameters
    ----------
    models : iterable of (chromosome, value)
        The models that the search found, the best first.
    finish : callable
        Turns a chromosome into a model.
    control : RunControl
        The clock, and the receiver of the reports.
    n_asked : int
        The number of evaluations of the search.

    Returns
    -------
    tuple of FrontPoint
        By increasing number of rules.
    """
    points: list[FrontPoint] = []
    for chromosome, value in models:
        if points and control.over():
            break
        points.append(finish(chromosome, value))
        control.report("fit", len(points), n_asked, points[0].rule_base.n_rules, points[0].error)
    return tuple(sorted(points, key=lambda point: point.rule_base.n_rules))


def front_point(
    rule_base: RuleBase, table: LocalTable, criterion: float, error: float, regularization: float
) -> FrontPoint:
    """Return a model of the front, with its coverage of the table."""
    support, n_uncovered = table.coverage(rule_base)
    return FrontPoint(replace(rule_base, support=support), criterion, error, np.nan, regularization, n_uncovered)


def check_limits(limits: Mapping[str, tuple[int, int]]) -> None:
    """Raise an error if the search to resume is already beyond a limit.

    Parameters
    ----------
    limits : mapping of str to (int, int)
        The limit and the number used so far, by the name of the parameter.

    Raises
    ------
    ValueError
        If a limit is too small.
    """
    for name, (most, made) in limits.items():
        if made > most:
            raise ValueError(
                f"{name} is too small to resume a search that has already used {made:,}; raise it, or start again with "
                "warm_start=False."
            )
