"""FRULER as a record of the registry."""

from __future__ import annotations

from fruler.algorithms.fruler.codec import pack_evolution, unpack_evolution
from fruler.algorithms.fruler.learner import LocalFRULERLearner
from fruler.algorithms.fruler.options import FRULEROptions
from fruler.learning.algorithm import Algorithm, Codec

FRULER = Algorithm(
    name="fruler",
    title="FRULER",
    options=FRULEROptions,
    learner=LocalFRULERLearner,
    codec=Codec(pack_evolution, unpack_evolution),
    limits=("max_evaluations", "n_restarts", "early_stopping"),
)
