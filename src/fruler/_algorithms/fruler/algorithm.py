"""FRULER as a record of the registry."""

from __future__ import annotations

from fruler._algorithms.fruler.learner import FRULERLearner
from fruler._algorithms.fruler.options import FRULEROptions
from fruler._algorithms.fruler.state import EvolutionState
from fruler.learning.algorithm import Algorithm

FRULER = Algorithm(
    name="fruler",
    title="FRULER",
    options=FRULEROptions,
    learner=FRULERLearner,
    state=EvolutionState,
    limits=("max_evaluations", "n_restarts", "early_stopping"),
)
