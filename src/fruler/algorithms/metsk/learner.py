"""L-METSK as a learner: the search for a grid, and the models of its front."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pandas as pd

from fruler.algorithms.genetic.evaluation import Worth
from fruler.algorithms.genetic.state import Generation
from fruler.algorithms.grids.chromosome import GridChromosome
from fruler.algorithms.grids.stage import STAGE, GridSnapshot, GridStage
from fruler.algorithms.metsk.options import LMETSKOptions
from fruler.learning.algorithm import Search
from fruler.learning.learned import FrontPoint, Learned
from fruler.learning.training_table import LocalTable


class LMETSKLearner:
    """Learns linguistic rules with constants.

    Parameters
    ----------
    search : Search
        Options, rows, and the state to resume from.
    """

    def __init__(self, search: Search[LMETSKOptions, LocalTable, GridSnapshot]) -> None:
        self.table, self.control, self.state = search.table, search.control, search.state
        self.stage = GridStage(search, search.options.consequent)

    def learn(self) -> Learned:
        """Search for grids, and make the rules of all that are on the front."""
        start = time.perf_counter()
        self.stage.run(self.control.keep, self.state)
        search, points = self.stage.search, list[FrontPoint]()
        # The most accurate first: for the others there may be no time.
        for chromosome, worth in reversed(search.front):
            if points and self.control.over():
                break
            points.append(self._finish(chromosome, worth))
            model = points[0]
            self.control.report("fit", len(points), search.evaluator.n_asked, model.rule_base.n_rules, model.error)
        points.reverse()
        history = pd.DataFrame(search.history, columns=Generation._fields)
        history[["best_fitness", "best_error"]] *= self.table.error_unit
        return Learned(
            tuple(points),
            len(points) - 1,
            search.evaluator.n_asked,
            history,
            np.arange(self.table.n_rows),
            {STAGE: time.perf_counter() - start},
            not self.control.over(),
        )

    def _finish(self, chromosome: GridChromosome, worth: Worth) -> FrontPoint:
        rule_base = self.stage.solution(chromosome).rule_base(self.table)
        support, n_uncovered = self.table.coverage(rule_base)
        error = worth.error * self.table.error_unit
        return FrontPoint(replace(rule_base, support=support), error, error, np.nan, 0.0, n_uncovered)
