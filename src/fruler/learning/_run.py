"""One search, from its seed to what it found: started afresh, or resumed from a folder or from an earlier fit."""

from __future__ import annotations

import os
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from fruler._parallel import thread_pool
from fruler.learning._checkpoint import CheckpointFolder, Identity
from fruler.learning._control import RunControl
from fruler.learning._training_table import TrainingTable
from fruler.learning.algorithm import Algorithm, Search, State
from fruler.learning.learned import Learned


class Kept(NamedTuple):
    """A search that another fit can resume."""

    identity: Identity
    state: State | None


class Found(NamedTuple):
    """What a search found, how many evaluations an earlier one had made, and what another one can resume."""

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
) -> Found:
    """Search for rules.

    Parameters
    ----------
    algorithm : Algorithm
        How to search.
    options : dataclass
        The options of the algorithm.
    table : TrainingTable
        The rows to learn from.
    random_state : int, RandomState instance or None
        The only source of chance.
    control : RunControl
        The clock, and who watches the search.
    n_jobs : int
        The number of threads.
    checkpoint : path, optional
        The folder in which the search is kept.
    warm_start : bool
        Whether to resume a search that differs only in when it ends.
    kept : Kept, optional
        The search of an earlier fit.
    """
    with_data = warm_start or checkpoint is not None
    identity = Identity.of(algorithm, options, table, random_state, with_data=with_data)
    state: State | None = None
    if warm_start and kept is not None:
        identity, state = _resumed(kept, identity)
    opened = None if checkpoint is None else CheckpointFolder(checkpoint, algorithm, identity, resume=warm_start)
    with nullcontext() if opened is None else opened:
        if opened is not None:
            identity, state = opened.identity, opened.state or state
            control.keeper = opened.offer
            if opened.learned is not None:
                return Found(opened.learned, opened.learned.n_evaluations, Kept(identity, state))
        control.state = state
        resumed = 0 if state is None else state.n_evaluations
        try:
            learned = _learn(algorithm, options, table, identity, control, n_jobs)
        except Exception:
            # Whatever it was, what was searched by then need not be searched again.
            if opened is not None and control.state is not None:
                opened.write(control.state)
            raise
        if opened is not None:
            opened.write(control.state, learned if learned.exact else None)
    return Found(learned, resumed, Kept(identity, control.state))


def _learn(
    algorithm: Algorithm, options: Any, table: TrainingTable, identity: Identity, control: RunControl, n_jobs: int
) -> Learned:
    rng, state = np.random.default_rng(identity.seed), control.state
    with control.interruptible(), threadpool_limits(1), thread_pool(n_jobs) as pool:
        return algorithm.learner(Search(options, table, rng, control, pool, n_jobs, state)).learn()


def _resumed(kept: Kept, identity: Identity) -> tuple[Identity, State | None]:
    """Return the run that resumes, with the seed of the one before."""
    seeded = isinstance(identity.random_state, int)
    # A generator gives other numbers every time; the search resumes with those it started with.
    same = identity if seeded else identity.with_seed(kept.identity.seed, None)
    differences = same.differences(kept.identity, with_limits=False)
    if differences:
        raise ValueError(
            f"warm_start=True resumes the last fit, which is another: {'; '.join(differences)}. "
            "Give the same, or set warm_start=False."
        )
    return identity.with_seed(kept.identity.seed, kept.identity.random_state), kept.state
