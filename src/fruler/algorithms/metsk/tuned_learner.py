"""A-METSK as a learner: L-METSK's search, then the tuning of triangles with linear consequents."""

from __future__ import annotations

from fruler.algorithms.grids.solution import GridSolution
from fruler.algorithms.metsk.options import AMETSKOptions
from fruler.algorithms.metsk.tuning import FilterSettings, LinearRows, LinearTuning
from fruler.algorithms.tuning.learner import TwoStageLearner
from fruler.algorithms.tuning.state import TwoStageState
from fruler.learning.algorithm import Search
from fruler.learning.training_table import LocalTable


class AMETSKLearner(TwoStageLearner[LinearRows]):
    """Learns rules with triangles of their own and linear consequents.

    Parameters
    ----------
    search : Search
        Options, rows, and the state to resume from.
    """

    options: AMETSKOptions

    def __init__(self, search: Search[AMETSKOptions, LocalTable, TwoStageState]) -> None:
        super().__init__(search, search.options.consequent)

    def _problem(self, solution: GridSolution) -> LinearTuning:
        options = self.options
        settings = FilterSettings(options.kappa, options.estimation, options.terms)
        return LinearTuning(solution, self.table, settings, options.t_norm, options.crossover)
