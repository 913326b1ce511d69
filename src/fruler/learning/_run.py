"""One search, from its seed to its result: started anew, or resumed from a checkpoint or an earlier fit."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from fruler.learning._checkpoint import CheckpointFolder, Identity
from fruler.learning._control import RunControl, StateKeeper
from fruler.learning._training_table import TrainingTable
from fruler.learning.algorithm import Algorithm, Search, State
from fruler.learning.learned import Learned


class Kept(NamedTuple):
    """A search that another fit can resume."""

    identity: Identity
    state: State | None


class Found(NamedTuple):
    """The result of a search, the number of evaluations before it resumed, and the search for a later fit to resume."""

    learned: Learned
    resumed: int
    kept: Kept


def run_search(
    algorithm: Algorithm,
    options: Any,
    table: TrainingTable,
    random_state: Any,
    control: RunControl,
    *,
    n_jobs: int = 1,
    checkpoint: str | os.PathLike[str] | None = None,
    warm_start: bool = False,
    kept: Kept | None = None,
    calibration: float | None = None,
) -> Found:
    """Search for rules.

    Parameters
    ----------
    algorithm : Algorithm
        The algorithm.
    options : dataclass
        The options of the algorithm.
    table : TrainingTable
        The rows to learn from.
    random_state : int, RandomState instance or None
        The only source of chance.
    control : RunControl
        The clock and the callbacks.
    n_jobs : int
        The number of threads.
    checkpoint : path, optional
        The folder of the checkpoint.
    warm_start : bool
        Whether to resume a search that differs only in when it ends.
    kept : Kept, optional
        The search of an earlier fit.
    calibration : float, optional
        The share of the rows that were held out before; a search resumes only with the same one.
    """
    with_data = warm_start or checkpoint is not None
    identity = Identity.of(algorithm, options, table, random_state, with_data=with_data).with_calibration(calibration)
    state: State | None = None
    if warm_start and kept is not None:
        identity, state = _resumed(kept, identity)
    opened = None if checkpoint is None else CheckpointFolder(checkpoint, algorithm, identity, resume=warm_start)
    with nullcontext() if opened is None else opened:
        if opened is not None:
            identity, state = opened.identity, opened.state or state
            if opened.learned is not None:
                return Found(opened.learned, opened.learned.n_evaluations, Kept(identity, state))
        keeper = StateKeeper(state, None if opened is None else opened.offer)
        resumed = 0 if state is None else state.n_evaluations
        rng = np.random.default_rng(identity.seed)
        try:
            with control.interruptible(), threadpool_limits(1), thread_pool(n_jobs) as pool:
                learned = algorithm.learner(Search(options, table, rng, control, pool, n_jobs, keeper)).learn()
        except Exception:
            # Whatever the error was, the search so far need not be repeated.
            if opened is not None and keeper.state is not None:
                opened.write(keeper.state)
            raise
        if opened is not None:
            opened.write(keeper.state, learned if learned.exact else None)
    return Found(learned, resumed, Kept(identity, keeper.state))


def _resumed(kept: Kept, identity: Identity) -> tuple[Identity, State | None]:
    """Return the run that resumes, with the seed of the earlier run, and its state."""
    seeded = isinstance(identity.random_state, int)
    # A generator gives new numbers every time; the search resumes with the numbers that it started with.
    same = identity if seeded else identity.with_seed(kept.identity.seed, None)
    differences = same.differences(kept.identity, with_limits=False)
    if differences:
        raise ValueError(
            f"warm_start=True cannot resume the last fit: {'; '.join(differences)}. "
            "Use the same data and settings, or set warm_start=False."
        )
    return identity.with_seed(kept.identity.seed, kept.identity.random_state), kept.state


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads, as scikit-learn counts jobs.

    Examples
    --------
    >>> n_threads(None), n_threads(3)
    (1, 3)
    """
    if n_jobs is None:
        return 1
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0; use 1 for one thread or -1 for all processors.")
    return n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)


@contextmanager
def thread_pool(n_jobs: int) -> Iterator[ThreadPoolExecutor | None]:
    """Open a pool of `n_jobs` threads; None for one, which is the caller's."""
    if n_jobs == 1:
        yield None
        return
    with ThreadPoolExecutor(n_jobs) as pool:
        yield pool
