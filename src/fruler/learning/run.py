"""One search, from its seed to what it found: begun afresh, resumed from a folder, or gone on with."""

from __future__ import annotations

import os
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from fruler._parallel import thread_pool
from fruler.algorithms.fruler.learner import EvolutionLearner, EvolutionOptions
from fruler.algorithms.fruler.state import EvolutionState
from fruler.algorithms.growth.learner import GrowthLearner, GrowthOptions
from fruler.algorithms.growth.state import GrowthState
from fruler.learning.checkpoint.folder import CheckpointFolder, State
from fruler.learning.checkpoint.identity import Identity
from fruler.learning.control import RunControl
from fruler.learning.table import Learned, TrainingData


class Kept(NamedTuple):
    """A search that another fit can go on with."""

    identity: Identity
    state: State | None


class Learners(NamedTuple):
    """Who learns, by search."""

    growth: type[GrowthLearner] = GrowthLearner
    evolution: type[EvolutionLearner] = EvolutionLearner


_HERE = Learners()


class Found(NamedTuple):
    """What a search found, from which evaluation it went on, and what another one can go on with."""

    learned: Learned
    resumed: int
    kept: Kept


def run_search(
    options: GrowthOptions | EvolutionOptions,
    data: TrainingData,
    random_state: Any,
    control: RunControl,
    *,
    n_jobs: int = 1,
    checkpoint: str | os.PathLike[str] | None = None,
    warm_start: bool = False,
    kept: Kept | None = None,
    learners: Learners = _HERE,
) -> Found:
    """Search for rules.

    Parameters
    ----------
    options : GrowthOptions or EvolutionOptions
        The parameters, which also say which search it is.
    data : TrainingData
        The rows to learn from.
    random_state : int, RandomState instance or None
        The only source of chance.
    control : RunControl
        Its clock, and who watches it.
    n_jobs : int
        Threads.
    checkpoint : path, optional
        The folder in which the search is kept.
    warm_start : bool
        Whether to go on with a search that differs only in when it ends.
    kept : Kept, optional
        The search of an earlier fit.
    learners : Learners, optional
        Who learns.
    """
    search = "evolution" if isinstance(options, EvolutionOptions) else "growth"
    identity = Identity.of(search, options, data, random_state, with_data=warm_start or checkpoint is not None)
    state: State | None = None
    if warm_start and kept is not None:
        identity, state = _go_on(kept, identity)
    opened = None if checkpoint is None else CheckpointFolder(checkpoint, identity, go_on=warm_start)
    with nullcontext() if opened is None else opened:
        if opened is not None:
            identity, state = opened.identity, opened.state or state
            control.keeper = opened.offer
            if opened.learned is not None:
                return Found(opened.learned, opened.learned.n_evaluations, Kept(identity, state))
        control.state = state
        resumed = 0 if state is None else state.n_evaluations
        try:
            learned = _learn(learners, options, data, identity, control, n_jobs, state)
        except Exception:
            # Whatever it was, what was searched by then need not be searched again.
            if opened is not None and control.state is not None:
                opened.write(control.state)
            raise
        if opened is not None:
            opened.write(control.state, learned if learned.exact else None)
    return Found(learned, resumed, Kept(identity, control.state))


def _learn(
    learners: Learners,
    options: GrowthOptions | EvolutionOptions,
    data: TrainingData,
    identity: Identity,
    control: RunControl,
    n_jobs: int,
    state: State | None,
) -> Learned:
    rng = np.random.default_rng(identity.seed)
    with control.interruptible(), threadpool_limits(1), thread_pool(n_jobs) as pool:
        if isinstance(options, EvolutionOptions):
            evolved = state if isinstance(state, EvolutionState) else None
            return learners.evolution(options, data, rng, pool, n_jobs, control, evolved).learn()
        grown = state if isinstance(state, GrowthState) else None
        return learners.growth(options, data, rng, pool, control, grown).learn()


def _go_on(kept: Kept, identity: Identity) -> tuple[Identity, State | None]:
    """Return the run that goes on, with the seed of the one before."""
    seeded = isinstance(identity.random_state, int)
    # A generator gives other numbers every time; the search goes on with those it began with.
    same = identity if seeded else Identity(identity.data, identity.settings, kept.identity.seed, None)
    differences = same.differences(kept.identity, with_limits=False)
    if differences:
        raise ValueError(
            f"warm_start=True goes on with the last fit, which is another: {'; '.join(differences)}. "
            "Give the same, or set warm_start=False."
        )
    return Identity(identity.data, identity.settings, kept.identity.seed, kept.identity.random_state), kept.state
