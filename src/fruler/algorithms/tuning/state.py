"""The state from which a search in two stages resumes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from fruler.algorithms.genetic.codec import pack_snapshot, unpack_snapshot
from fruler.algorithms.genetic.state import Snapshot
from fruler.algorithms.grids import stage as grid_stage
from fruler.algorithms.grids.chromosome import GRID_CHROMOSOMES
from fruler.algorithms.grids.stage import GridSnapshot
from fruler.algorithms.tuning.chromosome import TunedChromosome
from fruler.algorithms.tuning.codec import TUNED
from fruler.learning.algorithm import Arrays, Codec, Document
from fruler.learning.checkpoint.values import checked_count

STAGE = "tuning"
TunedSnapshot = Snapshot[TunedChromosome]


@dataclass(frozen=True, eq=False)
class TwoStageState:
    """Both stages; None what has not begun.

    Attributes
    ----------
    grid : Snapshot
        The first stage.
    tuning : Snapshot
        The second stage.
    base : bytes
        The key of the grid that the second stage tunes.
    max_evaluations : int or None
        What was allowed in each stage when the second began.
    """

    grid: GridSnapshot | None = None
    tuning: TunedSnapshot | None = None
    base: bytes = b""
    max_evaluations: int | None = None

    @property
    def n_evaluations(self) -> int:
        """The candidates that were evaluated in both."""
        latest = self.grid if self.tuning is None else self.tuning
        return 0 if latest is None else latest.n_asked


def _pack(state: TwoStageState) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    document: dict[str, Any] = {
        "grid": None,
        "tuning": None,
        "base": state.base.hex(),
        "max_evaluations": state.max_evaluations,
    }
    arrays: dict[str, npt.NDArray[Any]] = {}
    if state.grid is not None:
        document["grid"], packed = pack_snapshot(state.grid, GRID_CHROMOSOMES, grid_stage.STAGE)
        arrays |= packed
    if state.tuning is not None:
        document["tuning"], packed = pack_snapshot(state.tuning, TUNED, STAGE)
        arrays |= packed
    return document, arrays


def _unpack(document: Document, arrays: Arrays) -> TwoStageState:
    grid, tuning = document["grid"], document["tuning"]
    return TwoStageState(
        None if grid is None else unpack_snapshot(grid, arrays, GRID_CHROMOSOMES, grid_stage.STAGE),
        None if tuning is None else unpack_snapshot(tuning, arrays, TUNED, STAGE),
        bytes.fromhex(document["base"]),
        None if document["max_evaluations"] is None else checked_count(document, "max_evaluations"),
    )


TWO_STAGES = Codec(_pack, _unpack)
