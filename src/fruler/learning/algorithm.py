"""An algorithm as a record: everything that the rest of the package must know of it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from fruler.learning._control import RunControl
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
    """What a learner is given.

    Attributes
    ----------
    options : dataclass
        The options of the algorithm.
    table : TrainingTable
        The rows to learn from.
    rng : numpy Generator
        The only source of chance.
    control : RunControl
        The clock, the callbacks, and what ends the search early.
    pool : ThreadPoolExecutor or None
        Threads to work on; None: the calling one alone.
    n_jobs : int
        The number of threads in the pool.
    state : State or None
        The state to resume from, of a search on the same rows with the same seed.
    """

    options: Options
    table: SomeTable
    rng: np.random.Generator
    control: RunControl
    pool: ThreadPoolExecutor | None = None
    n_jobs: int = 1
    state: SomeState | None = None


@dataclass(frozen=True)
class Algorithm:
    """What the rest of the package knows of an algorithm.

    Attributes
    ----------
    name : str
        The name in model files, checkpoints, results and on the command line.
    title : str
        The name in tables and pictures.
    options : type
        A frozen dataclass whose fields are parameters of the estimator's constructor.
    learner : callable
        Makes a `Learner` of a `Search`.
    state : type or None
        The frozen dataclass of its states, see `fruler.learning._codec`; None: it has none, and an interrupted search
        starts again.
    limits : tuple of str
        The options that only say when the search ends: `warm_start` may change them.
    one_hot : bool
        Whether it knows numbers only, so that every category must be an input of its own.
    weighted_scale : bool
        Whether rows of more weight count more in standardising: then rows may be repeated instead. A row of nearly all
        weight makes the others huge numbers, which is no good where a step is no longer than they allow.
    """

    name: str
    title: str
    options: type[Any]
    learner: Callable[[Search[Any, Any, Any]], Learner]
    state: Any = None
    limits: tuple[str, ...] = ()
    one_hot: bool = True
    weighted_scale: bool = False
