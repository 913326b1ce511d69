"""An algorithm as a record: everything that the rest of the package needs from it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from fruler.learning._control import RunControl, StateKeeper
from fruler.learning._training_table import TrainingTable
from fruler.learning.learned import Learned


class State(Protocol):
    """A point from which a search can resume; each algorithm has its own."""

    @property
    def n_evaluations(self) -> int:
        """The number of candidates evaluated so far."""


class Learner(Protocol):
    """One search, ready to run."""

    def learn(self) -> Learned:
        """Search for rules."""


Options = TypeVar("Options")
SomeState = TypeVar("SomeState", bound=State)
SomeTable = TypeVar("SomeTable", bound=TrainingTable)


@dataclass(frozen=True, eq=False)
class Search(Generic[Options, SomeTable, SomeState]):
    """The arguments of a learner.

    Attributes
    ----------
    options : dataclass
        The options of the algorithm.
    table : TrainingTable
        The rows to learn from.
    rng : numpy Generator
        The only source of chance.
    control : RunControl
        The clock, the callbacks and the early end of the search.
    pool : ThreadPoolExecutor or None
        The threads to use; None: only the calling thread.
    n_jobs : int
        The number of threads in the pool.
    keeper : StateKeeper
        The state to resume from, and the place for later ones.
    """

    options: Options
    table: SomeTable
    rng: np.random.Generator
    control: RunControl
    pool: ThreadPoolExecutor | None = None
    n_jobs: int = 1
    keeper: StateKeeper = field(default_factory=StateKeeper)

    @property
    def state(self) -> SomeState | None:
        """The state to resume from, of a search on the same rows with the same seed; None at the beginning."""
        state: SomeState | None = self.keeper.state
        return state


@dataclass(frozen=True)
class Algorithm:
    """An algorithm as the rest of the package sees it.

    Attributes
    ----------
    name : str
        The name in model files, checkpoints, results and on the command line.
    title : str
        The name in tables and pictures.
    options : type
        A frozen dataclass whose fields are parameters of the estimator's constructor.
    learner : callable
        Makes a `Learner` from a `Search`.
    state : type or None
        The frozen dataclass of the search states, see `fruler.learning._codec`; None: there are no states, and an
        interrupted search starts again.
    limits : tuple of str
        The options that only determine when the search ends: `warm_start` may change them.
    one_hot : bool
        Whether the algorithm handles numbers only, so that every category must be an input of its own.
    weighted_scale : bool
        Whether standardising uses the row weights, so that a weight of two equals a repeated row. A row with nearly all
        of the weight turns the others into huge numbers, which is bad if the largest values limit the step size.
    mends_faults : bool
        Whether values that look like faults count as missing.
    """

    name: str
    title: str
    options: type[Any]
    learner: Callable[[Search[Any, Any, Any]], Learner]
    state: Any = None
    limits: tuple[str, ...] = ()
    one_hot: bool = True
    weighted_scale: bool = False
    mends_faults: bool = False
