"""METSK-HD: linguistic TSK-0 rules on uniform grids (L), tuned to approximative TSK-1 rules (A)."""

from __future__ import annotations

import time

import numpy as np
import numpy.typing as npt

from fruler._algorithms.systems.grid import GridSolution
from fruler._algorithms.systems.grid_search import GRID_STAGE, GridSnapshot, GridStage
from fruler._algorithms.systems.options import AMETSKOptions, LMETSKOptions
from fruler._algorithms.systems.tuning import TunedChromosome, TuningProblem, TuningRows, TuningSpace
from fruler._algorithms.systems.two_stages import TwoStageLearner, TwoStageState
from fruler._arrays import Floats
from fruler._kernels import tuned_linear
from fruler.learning._training_table import LocalTable
from fruler.learning.algorithm import Algorithm, Search
from fruler.learning.learned import Learned
from fruler.rules._antecedents import T_NORMS, OwnTriangles
from fruler.rules._rule_base import RuleBase


class LinearTuning(TuningProblem):
    """Tunes the triangles of every rule and selects rules; the filter starts from the constants of the grid."""

    def __init__(self, solution: GridSolution, table: LocalTable, options: AMETSKOptions) -> None:
        super().__init__(solution, table, options)
        start, scale = self.start, table.target_scale
        self.space = TuningSpace.around(start.triangles.reshape(-1, 3), start.shoulders.reshape(-1, 2), start.n_rules)
        self.constants = np.ascontiguousarray((solution.outputs - scale.centre) / scale.spread)
        # The ridge replaces the filter: `kappa` is the variance of the coefficients before the first row.
        self.error_unit, self.regularization = table.error_unit, 1.0 / options.kappa
        self.ridge = options.estimation == "local", self.regularization
        differing = np.flatnonzero(np.ptp(table.domains, axis=1) > 0.0)
        self.terms = start.inputs if options.terms == "used" else differing
        scaled = (table.values[:, self.terms] - table.domains[self.terms, 0]) / self.widths[self.terms]
        terms = np.ascontiguousarray(np.column_stack([np.ones(table.n_rows), scaled]))
        self.rows = self._rows(table.rows.y, terms)

    def sums(self, labels: list[Floats], selected: npt.NDArray[np.uint8], rows: TuningRows, limits: Floats) -> Floats:
        """Return the weighted sums of squared errors, of standardised outputs."""
        triangles = np.array(labels).reshape(len(labels), self.start.n_rules, len(self.start.inputs), 3)
        t_norm = T_NORMS.index(self.t_norm)
        found = tuned_linear.evaluate(triangles, selected, self.constants, rows.arrays, t_norm, self.ridge, limits)
        return np.asarray(found[:, 0])

    def build(self, chromosome: TunedChromosome) -> RuleBase:
        """Return the rule base of a chromosome, its consequents estimated on all rows."""
        table, selected = self.table, chromosome.selected
        shape = self.start.n_rules, len(self.start.inputs), 3
        triangles = np.ascontiguousarray(self.space.decoded(chromosome.genes).reshape(shape)[selected])
        found = tuned_linear.consequents(
            triangles, self.constants[selected], self.rows.arrays, T_NORMS.index(self.t_norm), self.ridge
        )
        variables = self._bare_inputs()
        points = np.full((len(triangles), table.n_inputs, 3), np.nan)
        points[:, self.start.inputs] = triangles
        return RuleBase(variables, OwnTriangles(points, variables), self._in_data_units(found), self.t_norm)

    def _in_data_units(self, found: Floats) -> Floats:
        """Return the coefficients in the units of the inputs and the output, zero for inputs without a term."""
        scale, terms = self.table.target_scale, self.terms
        coefficients = np.zeros((len(found), self.table.n_inputs + 1))
        coefficients[:, terms + 1] = found[:, 1:] * scale.spread / self.widths[terms]
        lows = self.table.domains[terms, 0]
        coefficients[:, 0] = found[:, 0] * scale.spread + scale.centre
        # One input after the other: a matrix product may round differently on another processor.
        for j, low in zip(terms, lows, strict=True):
            coefficients[:, 0] -= coefficients[:, j + 1] * low
        return coefficients


class LMETSKLearner:
    """Learns linguistic rules with constants.

    Parameters
    ----------
    search : Search
        Options, rows, and the state to resume from.
    """

    def __init__(self, search: Search[LMETSKOptions, LocalTable, GridSnapshot]) -> None:
        self.table, self.control, self.keeper = search.table, search.control, search.keeper
        self.stage = GridStage(search, search.options.consequent)

    def learn(self) -> Learned:
        """Search for grids, and build the rules of all grids on the front."""
        start = time.perf_counter()
        self.stage.run(self.keeper.keep, self.keeper.state)
        search = self.stage.search
        points = search.models(self.table, self.control)
        return Learned(
            points,
            len(points) - 1,
            search.evaluator.n_asked,
            search.history_table(),
            np.arange(self.table.n_rows),
            {GRID_STAGE: time.perf_counter() - start},
            not self.control.over(),
        )


class AMETSKLearner(TwoStageLearner):
    """Learns rules with triangles of their own and linear consequents.

    Parameters
    ----------
    search : Search
        Options, rows, and the state to resume from.
    """

    tuning = LinearTuning

    def __init__(self, search: Search[AMETSKOptions, LocalTable, TwoStageState]) -> None:
        super().__init__(search, search.options.consequent)


L_METSK = Algorithm(
    name="l-metsk",
    title="L-METSK-HD",
    options=LMETSKOptions,
    learner=LMETSKLearner,
    state=GridSnapshot,
    limits=("max_evaluations",),
)

A_METSK = Algorithm(
    name="a-metsk",
    title="A-METSK-HD",
    options=AMETSKOptions,
    learner=AMETSKLearner,
    state=TwoStageState,
    limits=("max_evaluations",),
)
