"""Stage 2 of A-METSK: every rule has triangles of its own, and linear consequents by a Kalman filter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fruler._typing import Floats, Indices
from fruler.algorithms.grids.solution import GridSolution
from fruler.algorithms.metsk.options import Estimation, Terms
from fruler.algorithms.tuning.chromosome import TunedChromosome
from fruler.algorithms.tuning.grid_rules import GridRules
from fruler.algorithms.tuning.problem import TuningProblem
from fruler.algorithms.tuning.space import TuningSpace
from fruler.algorithms.tuning.variation import Crossover
from fruler.kernels import tuned_linear
from fruler.learning.training_table import LocalTable
from fruler.rules.antecedents import T_NORMS, TNorm
from fruler.rules.partitions import FuzzyPartition
from fruler.rules.rule_base import RuleBase
from fruler.rules.triangle_antecedents import OwnTriangles
from fruler.rules.variables import Variable


class FilterSettings(NamedTuple):
    """How consequents are estimated.

    Attributes
    ----------
    kappa : float
        The variance of the coefficients before the filter has seen a row, in units of the noise.
    estimation : {"global", "local"}
        All rules together, or each by itself.
    terms : {"used", "all"}
        The inputs that consequents have slopes of: those in antecedents, or all.
    """

    kappa: float
    estimation: Estimation
    terms: Terms


class LinearRows(NamedTuple):
    """Rows as the kernel reads them: inputs in their own units, terms from 0 to 1, standardised outputs."""

    columns: Floats
    widths: Floats
    terms: Floats
    y: Floats
    weight: Floats

    @property
    def arrays(self) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """A plain tuple, which is what the kernel takes."""
        return self.columns, self.widths, self.terms, self.y, self.weight

    def take(self, rows: Indices) -> LinearRows:
        """Return some of the rows."""
        return LinearRows(
            np.ascontiguousarray(self.columns[:, rows]),
            self.widths,
            self.terms[rows],
            self.y[rows],
            self.weight[rows],
        )


class LinearTuning(TuningProblem[LinearRows]):
    """The triangles of every rule, and which rules there are.

    Parameters
    ----------
    solution : GridSolution
        The rules of the first stage; the filter starts from their constants.
    table : LocalTable
        The rows.
    settings : FilterSettings
        How consequents are estimated.
    t_norm : {"minimum", "product"}
        How the parts of an antecedent are joined.
    crossover : {"blx", "pcblx"}
        How points are crossed.
    """

    def __init__(
        self,
        solution: GridSolution,
        table: LocalTable,
        settings: FilterSettings,
        t_norm: TNorm,
        crossover: Crossover,
    ) -> None:
        start = GridRules.of(solution, table.domains)
        self.start, self.table, self.t_norm = start, table, t_norm
        space = TuningSpace.around(start.triangles.reshape(-1, 3), start.shoulders.reshape(-1, 2), start.n_rules)
        super().__init__(space, crossover)
        scale = table.target_scale
        self.constants = np.ascontiguousarray((solution.outputs - scale.centre) / scale.spread)
        self.ridge = settings.estimation == "local", 1.0 / settings.kappa
        widths = np.ptp(table.domains, axis=1)
        self.widths = np.where(widths > 0.0, widths, 1.0)
        self.terms = start.inputs if settings.terms == "used" else np.flatnonzero(widths > 0.0)
        self.rows = self._rows()

    @property
    def error_unit(self) -> float:
        """Errors are those of standardised outputs."""
        return self.table.error_unit

    @property
    def regularization(self) -> float:
        """The ridge that stands for the filter."""
        return self.ridge[1]

    def _rows(self) -> LinearRows:
        table, inputs = self.table, self.start.inputs
        scaled = (table.values[:, self.terms] - table.domains[self.terms, 0]) / self.widths[self.terms]
        terms = np.empty((table.n_rows, len(self.terms) + 1))
        terms[:, 0], terms[:, 1:] = 1.0, scaled
        return LinearRows(
            np.ascontiguousarray(table.values[:, inputs].T),
            # At least one number, so that there is something to point at.
            np.append(self.widths[inputs], 1.0),
            terms,
            table.rows.y,
            table.rows.weight,
        )

    def take_sample(self, rows: Indices) -> LinearRows:
        """Return some rows; consequents are then estimated on these, too."""
        return self.rows.take(rows)

    def total_weight(self, sample: LinearRows | None) -> float:
        """Return the sum of the weights."""
        return float((self.rows if sample is None else sample).weight.sum())

    def sums(self, chromosomes: Sequence[TunedChromosome], sample: LinearRows | None, limits: Floats) -> Floats:
        """Return the weighted sums of squared errors, of standardised outputs."""
        found = tuned_linear.evaluate(
            np.array([self.triangles(one) for one in chromosomes]),
            np.array([one.selected for one in chromosomes]).view(np.uint8),
            self.constants,
            (self.rows if sample is None else sample).arrays,
            T_NORMS.index(self.t_norm),
            self.ridge,
            limits,
        )
        return np.ascontiguousarray(found[:, 0])

    def triangles(self, chromosome: TunedChromosome) -> Floats:
        """Return the triangles of all rules of a chromosome, shape (n_rules, n_used, 3)."""
        return self.space.decoded(chromosome.genes).reshape(self.start.n_rules, len(self.start.inputs), 3)

    def build(self, chromosome: TunedChromosome) -> RuleBase:
        """Return the rule base of a chromosome, its consequents estimated on all rows."""
        table, selected = self.table, chromosome.selected
        triangles = np.ascontiguousarray(self.triangles(chromosome)[selected])
        found = tuned_linear.consequents(
            triangles, self.constants[selected], self.rows.arrays, T_NORMS.index(self.t_norm), self.ridge
        )
        names = zip(table.names, table.domains, strict=True)
        variables = [Variable(name, FuzzyPartition([], domain)) for name, domain in names]
        points = np.full((len(triangles), table.n_inputs, 3), np.nan)
        points[:, self.start.inputs] = triangles
        return RuleBase(variables, OwnTriangles(points, variables), self._in_data_units(found), self.t_norm)

    def _in_data_units(self, found: Floats) -> Floats:
        """Return coefficients of the inputs and the output in their own units, zero where there is no term."""
        scale, terms = self.table.target_scale, self.terms
        coefficients = np.zeros((len(found), self.table.n_inputs + 1))
        coefficients[:, terms + 1] = found[:, 1:] * scale.spread / self.widths[terms]
        lows = self.table.domains[terms, 0]
        coefficients[:, 0] = found[:, 0] * scale.spread + scale.centre
        # One input after the other: a product of matrices may round differently on another processor.
        for j, low in zip(terms, lows, strict=True):
            coefficients[:, 0] -= coefficients[:, j + 1] * low
        return coefficients
