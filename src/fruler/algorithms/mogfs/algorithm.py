"""FS_MOGFS with TUN as a record of the registry."""

from __future__ import annotations

from fruler.algorithms.mogfs.learner import FSMOGFSLearner
from fruler.algorithms.mogfs.options import FSMOGFSOptions
from fruler.algorithms.tuning.state import TWO_STAGES
from fruler.learning.algorithm import Algorithm

FS_MOGFS = Algorithm(
    name="fs-mogfs",
    title="FS_MOGFS+TUN",
    options=FSMOGFSOptions,
    learner=FSMOGFSLearner,
    codec=TWO_STAGES,
    limits=("max_evaluations",),
)
