"""What genetic searches share: the loop, the evaluator and its threads, the time that is left, and genes of labels."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler.learning._budget import UNLIMITED, Budget
from fruler.learning._control import RunControl
from fruler.learning._training_table import LocalTable
from fruler.learning.learned import FrontPoint
from fruler.rules._rule_base import RuleBase


@dataclass(frozen=True)
class GeneticOptions:
    """The parameters that all genetic searches have; documented at the estimators."""

    population_size: int = 61
    max_evaluations: int | None = 20_000
    mutation_probability: float = 0.2


class Keyed(Protocol):
    """A chromosome: anything that never changes and has a key."""

    @property
    def key(self) -> bytes:
        """Equal chromosomes have equal keys, and others have others."""


class Valued(Protocol):
    """What a model is worth: less is better."""

    @property
    def fitness(self) -> float:
        """What is minimised; infinite if it is no candidate."""

    @property
    def error(self) -> float:
        """The mean squared error."""

    @property
    def n_rules(self) -> int:
        """The number of rules."""


C = TypeVar("C", bound=Keyed)
Value = TypeVar("Value", bound=Valued)


def pareto_front(best_by_rules: Mapping[int, tuple[C, Value]]) -> list[tuple[C, Value]]:
    """Return by increasing number of rules the models that are more accurate than all with fewer.

    Parameters
    ----------
    best_by_rules : mapping of int to (model, what it is worth)
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


def limit_cells(granularities: Granularities, max_cells: int, rng: np.random.Generator) -> Granularities:
    """Take random inputs out of the antecedents until the labels make no more cells than allowed.

    Examples
    --------
    >>> import numpy as np
    >>> int(limit_cells(np.array([3, 3, 3], dtype=np.intc), 9, np.random.default_rng(0)).prod())
    9
    """
    granularities = granularities.copy()
    # As logarithms: the product of 200 granularities is no number.
    while np.log(granularities).sum() > np.log(max_cells) + 1e-9:
        granularities[rng.choice(np.flatnonzero(granularities > 1))] = 1
    return granularities


def falls(granularity: int, least: int, largest: int, rng: np.random.Generator) -> bool:
    """Draw whether a granularity falls or rises: either is as likely, where both are possible."""
    fall = bool(rng.random() < 0.5)
    if granularity == least:
        return False
    return fall or granularity == largest


def mutate_granularity(granularity: int, least: int, largest: int, rng: np.random.Generator) -> int:
    """Return a label less or, as likely, any larger number of labels."""
    if falls(granularity, least, largest, rng):
        return granularity - 1
    return int(rng.integers(granularity + 1, largest, endpoint=True))


def pcblx(first: Floats, second: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Parent-centric BLX: each child around one parent, as far as the parents are apart."""
    apart = np.abs(first - second)
    return rng.uniform(first - apart, first + apart), rng.uniform(second - apart, second + apart)


# The most items that a thread takes between two looks at the clock.
_CHUNK = 4

Item = TypeVar("Item")
Result = TypeVar("Result")


class OutOfTime(Exception):
    """The deadline has passed, or the end was asked for; what was evaluated by then is known."""


class Workers:
    """Threads, and what ends their work.

    Parameters
    ----------
    pool : ThreadPoolExecutor or None
        Where parts are worked on; None: in the calling thread.
    n_jobs : int
        The number of threads in the pool.
    budget : Budget
        When nothing new is begun.
    """

    def __init__(self, pool: ThreadPoolExecutor | None = None, n_jobs: int = 1, budget: Budget = UNLIMITED) -> None:
        self.pool, self.n_jobs, self.budget = pool, n_jobs, budget

    @property
    def out_of_time(self) -> bool:
        """Whether the deadline has passed, or somebody asked for the end."""
        return self.budget.over()

    def share_out(
        self,
        items: Sequence[Item],
        work: Callable[[Sequence[Item]], Result],
        keep: Callable[[Sequence[Item], Result], None],
    ) -> None:
        """Work on parts of the items; whoever is free takes the next. Results are kept in the order of the items.

        Raises
        ------
        OutOfTime
            If time ran out before all was done; what was done is kept.
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
    """Evaluates chromosomes, and keeps what it knows.

    Parameters
    ----------
    workers : Workers, optional
        On which threads, and how long.

    Attributes
    ----------
    n_asked : int
        The chromosomes that a search wanted to have evaluated, repeated ones included.
    known : dict of bytes to value
        What is known, by the keys of the chromosomes.
    best_by_rules : dict of int to (chromosome, value)
        The best of every number of rules.
    """

    def __init__(self, workers: Workers | None = None) -> None:
        self.workers = Workers() if workers is None else workers
        self.n_asked = 0
        self.known: dict[bytes, Value] = {}
        self.best_by_rules: dict[int, tuple[C, Value]] = {}

    @abstractmethod
    def _evaluate(self, chromosomes: Sequence[C]) -> Floats:
        """Return the figures of some chromosomes, a row for each."""

    @abstractmethod
    def _values(self, found: Floats) -> Iterable[Value]:
        """Return what chromosomes are worth by their figures."""

    def __call__(self, chromosomes: Sequence[C], *, at_once: bool = False) -> list[Value]:
        """Return what chromosomes are worth.

        Raises `OutOfTime` when the deadline passes before it is done, unless it must be done `at_once`; what was done
        is known.
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
    """A search by generations, in cycles whose threshold of incest prevention falls until the next start.

    Parameters
    ----------
    evaluator : Evaluator
        Tells what a chromosome is worth.
    rng : numpy Generator
        The only source of chance.
    max_evaluations : int
        The most chromosomes that are evaluated.
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
        """Whether no other generation is to come."""

    @property
    @abstractmethod
    def threshold_left(self) -> float:
        """By how much the threshold has to fall until the search ends."""

    @abstractmethod
    def initialize(self) -> None:
        """Make and evaluate the first population."""

    @abstractmethod
    def advance(self) -> None:
        """One generation."""

    @abstractmethod
    def restart(self) -> None:
        """Begin a cycle around the best."""

    @abstractmethod
    def row(self, seconds: float) -> Any:
        """Return the row of the history for the generation that was made."""

    @abstractmethod
    def snapshot(self) -> Any:
        """Return the search as it is between two generations; None once a limit has cut one of them short."""

    def run(self) -> None:
        """Search until nothing better is found, or until a limit or somebody ends it."""
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
        """How many more chromosomes may be evaluated."""
        return self.max_evaluations - self.evaluator.n_asked

    @property
    def out_of_limits(self) -> bool:
        """Whether there are no evaluations or no time left."""
        return self.evaluations_left <= 0 or self.evaluator.workers.out_of_time

    @property
    def resumable(self) -> bool:
        """Whether no limit has cut a generation short."""
        # A limit in time, once reached, stays so: where there is none now, there was none on the way.
        return not self._cut_short and not self.evaluator.workers.out_of_time

    def allowed(self, chromosomes: Sequence[C]) -> Sequence[C]:
        """Return as many as may still be evaluated, and count them."""
        some = chromosomes[: max(0, self.evaluations_left)]
        self._cut_short |= len(some) < len(chromosomes)
        self.evaluator.n_asked += len(some)
        return some

    def mutated(self, children: Sequence[C], mutate: Callable[[C], C], probability: float) -> list[C]:
        """Mutate some of the children."""
        changed = self.rng.random(len(children)) < probability
        return [mutate(child) if change else child for child, change in zip(children, changed, strict=True)]

    def restore(self, snapshot: Any) -> None:
        """Go back to where a snapshot was taken."""
        self.history, self.threshold = list(snapshot.history), snapshot.threshold
        self.rng.bit_generator.state = dict(snapshot.rng)
        self.evaluator.n_asked = snapshot.n_asked
        self.evaluator.best_by_rules = dict(snapshot.best_by_rules)
        # What else was evaluated is forgotten; if it is met again it is worth the same.
        self.evaluator.known.update((one.key, value) for one, value in snapshot.valued)

    def record(self, seconds: float) -> None:
        """Add a row to the history, and tell of it."""
        self.history.append(self.row(seconds))
        if self.on_generation is not None:
            self.on_generation(self)


class TimeLeft:
    """Estimates the time to the end of a search from its pace since this was made.

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
        # A threshold that rises is that of a new start.
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
        Whom to report to.
    keep : callable
        Given every snapshot from which the search could resume.
    snapshot : Snapshot, optional
        Where to resume.
    stage : str
        The name of the stage in reports.
    error_unit : float
        By what errors are multiplied in reports.
    """

    def tell(_: Any) -> None:
        control.has_model = True
        taken = search.snapshot()
        if taken is not None:
            keep(taken)
        if control.callbacks:
            row = search.history[-1]
            error = row.best_error * error_unit
            control.report(stage, row.generation, row.evaluations, row.n_rules, error, time_left.estimate())

    search.on_generation = tell
    if snapshot is not None:
        search.restore(snapshot)
        control.has_model = True
    time_left = TimeLeft(search)
    search.run()
    control.end_stage()


def fit_front(
    models: Iterable[tuple[C, Value]], finish: Callable[[C, Value], FrontPoint], control: RunControl, n_asked: int
) -> tuple[FrontPoint, ...]:
    """Finish the models of a front, and report each; the first comes first, for the others there may be no time.

    Parameters
    ----------
    models : iterable of (chromosome, value)
        What a search has found.
    finish : callable
        Makes the model of a chromosome.
    control : RunControl
        The clock, and whom to report to.
    n_asked : int
        The evaluations of the search.

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
    """Refuse to resume a search that is already beyond a limit.

    Parameters
    ----------
    limits : mapping of str to (int, int)
        By the name of the parameter, the most that are allowed now and how many were made.

    Raises
    ------
    ValueError
        If a limit is too small.
    """
    for name, (most, made) in limits.items():
        if made > most:
            raise ValueError(
                f"{name} is too small to resume a search that has made {made:,} of them; raise it, or start afresh "
                "with warm_start=False."
            )
