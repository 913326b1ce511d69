"""FS_MOGFS with TUN as a learner."""

from __future__ import annotations

from fruler.algorithms.grids.solution import GridSolution
from fruler.algorithms.mogfs.options import FSMOGFSOptions
from fruler.algorithms.mogfs.tuning import MamdaniRows, MamdaniTuning
from fruler.algorithms.tuning.learner import TwoStageLearner
from fruler.algorithms.tuning.state import TwoStageState
from fruler.learning.algorithm import Search
from fruler.learning.training_table import LocalTable


class FSMOGFSLearner(TwoStageLearner[MamdaniRows]):
    """Learns linguistic rules whose consequents are labels of the output.

    Parameters
    ----------
    search : Search
        Options, rows, and the state to resume from.
    """

    options: FSMOGFSOptions

    def __init__(self, search: Search[FSMOGFSOptions, LocalTable, TwoStageState]) -> None:
        super().__init__(search, "output_label")

    def _problem(self, solution: GridSolution) -> MamdaniTuning:
        return MamdaniTuning(solution, self.table, self.options.t_norm, self.options.crossover)
