"""L-METSK and A-METSK as records of the registry."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from fruler.algorithms.genetic.codec import pack_snapshot, unpack_snapshot
from fruler.algorithms.grids.chromosome import GRID_CHROMOSOMES
from fruler.algorithms.grids.stage import STAGE, GridSnapshot
from fruler.algorithms.metsk.learner import LMETSKLearner
from fruler.algorithms.metsk.options import AMETSKOptions, LMETSKOptions
from fruler.algorithms.metsk.tuned_learner import AMETSKLearner
from fruler.algorithms.tuning.state import TWO_STAGES
from fruler.learning.algorithm import Algorithm, Arrays, Codec, Document


def _pack(state: GridSnapshot) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    return pack_snapshot(state, GRID_CHROMOSOMES, STAGE)


def _unpack(document: Document, arrays: Arrays) -> GridSnapshot:
    return unpack_snapshot(document, arrays, GRID_CHROMOSOMES, STAGE)


L_METSK = Algorithm(
    name="l-metsk",
    title="L-METSK-HD",
    options=LMETSKOptions,
    learner=LMETSKLearner,
    codec=Codec(_pack, _unpack),
    limits=("max_evaluations",),
)

A_METSK = Algorithm(
    name="a-metsk",
    title="A-METSK-HD",
    options=AMETSKOptions,
    learner=AMETSKLearner,
    codec=TWO_STAGES,
    limits=("max_evaluations",),
)
