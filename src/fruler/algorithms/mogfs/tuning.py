"""Stage 2 of FS_MOGFS, TUN: labels of inputs and output are tuned, the same for all rules that have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fruler._typing import Floats, Indices
from fruler.algorithms.grids.solution import GridSolution
from fruler.algorithms.tuning.chromosome import TunedChromosome
from fruler.algorithms.tuning.grid_rules import GridRules, uniform_points
from fruler.algorithms.tuning.problem import TuningProblem
from fruler.algorithms.tuning.space import TuningSpace
from fruler.algorithms.tuning.variation import Crossover
from fruler.kernels import tuned_mamdani
from fruler.learning.training_table import LocalTable
from fruler.rules.antecedents import T_NORMS, TNorm
from fruler.rules.label_consequents import LabelConsequents
from fruler.rules.partitions import FuzzyPartition
from fruler.rules.rule_base import RuleBase
from fruler.rules.triangle_antecedents import LabelTriangles
from fruler.rules.triangle_partition import TrianglePartition
from fruler.rules.variables import Variable


class MamdaniRows(NamedTuple):
    """Rows as the kernel reads them, in their own units."""

    columns: Floats
    widths: Floats
    y: Floats
    weight: Floats

    @property
    def arrays(self) -> tuple[Floats, Floats, Floats, Floats]:
        """A plain tuple, which is what the kernel takes."""
        return self.columns, self.widths, self.y, self.weight

    def take(self, rows: Indices) -> MamdaniRows:
        """Return some of the rows."""
        columns = np.ascontiguousarray(self.columns[:, rows])
        return MamdaniRows(columns, self.widths, self.y[rows], self.weight[rows])


class MamdaniTuning(TuningProblem[MamdaniRows]):
    """The labels that rules have, and which rules there are.

    Parameters
    ----------
    solution : GridSolution
        The rules of the first stage, which say labels of the output.
    table : LocalTable
        The rows.
    t_norm : {"minimum", "product"}
        How the parts of an antecedent are joined.
    crossover : {"blx", "pcblx"}
        How points are crossed.
    """

    def __init__(self, solution: GridSolution, table: LocalTable, t_norm: TNorm, crossover: Crossover) -> None:
        if solution.output_labels is None:
            raise ValueError("Mamdani rules say labels of the output, but these rules say constants.")
        start = GridRules.of(solution, table.domains)
        self.start, self.table, self.t_norm = start, table, t_norm
        self.said, self.domain = solution.output_labels, output_domain(solution, table)
        genes = solution.chromosome
        output = uniform_points(self.domain, int(genes.granularities[-1]), float(genes.displacements[-1]))
        n_labels = [len(points) for points in start.points]
        # Labels of all variables in one row, and those that rules have.
        self._first = np.concatenate([[0], np.cumsum(n_labels)]).astype(np.intp)
        every = np.concatenate([*start.points, output])
        places = np.column_stack([start.labels + self._first[:-1], self.said + self._first[-1]])
        self.used, numbers = np.unique(places, return_inverse=True)
        numbers = numbers.reshape(places.shape)
        self._antecedents, self._consequents = numbers[:, :-1], numbers[:, -1]
        self._every, self._shoulders = every, self._outer_labels(len(every))
        super().__init__(TuningSpace.around(every[self.used], self._shoulders[self.used], start.n_rules), crossover)
        widths = np.ptp(table.domains, axis=1)
        self.rows = MamdaniRows(
            np.ascontiguousarray(table.values[:, start.inputs].T),
            # At least one number, so that there is something to point at.
            np.append(np.where(widths > 0.0, widths, 1.0)[start.inputs], 1.0),
            np.ascontiguousarray(table.target),
            table.rows.weight,
        )

    def _outer_labels(self, n_labels: int) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
        """Return which labels hold for everything below, or above: the outer ones of inputs."""
        shoulders = np.zeros((n_labels, 2), dtype=np.bool_)
        shoulders[self._first[:-1], 0] = True
        shoulders[self._first[1:] - 1, 1] = True
        return shoulders

    @property
    def error_unit(self) -> float:
        """Errors are in the target's own units."""
        return 0.5

    @property
    def regularization(self) -> float:
        """Labels are not fitted."""
        return 0.0

    def take_sample(self, rows: Indices) -> MamdaniRows:
        """Return some rows."""
        return self.rows.take(rows)

    def total_weight(self, sample: MamdaniRows | None) -> float:
        """Return the sum of the weights."""
        return float((self.rows if sample is None else sample).weight.sum())

    def sums(self, chromosomes: Sequence[TunedChromosome], sample: MamdaniRows | None, limits: Floats) -> Floats:
        """Return the weighted sums of squared errors, in the target's own units."""
        labels = [self.space.decoded(one.genes) for one in chromosomes]
        found = tuned_mamdani.evaluate(
            np.array([triangles[self._antecedents] for triangles in labels]),
            np.array([triangles[self._consequents] for triangles in labels]),
            np.array([one.selected for one in chromosomes]).view(np.uint8),
            (self.rows if sample is None else sample).arrays,
            T_NORMS.index(self.t_norm),
            limits,
        )
        return np.ascontiguousarray(found[:, 0])

    def build(self, chromosome: TunedChromosome) -> RuleBase:
        """Return the rule base of a chromosome; labels that no rule of the first stage has are as they were."""
        table, start, selected = self.table, self.start, chromosome.selected
        points = self._every.copy()
        points[self._shoulders[:, 0], 0] = -np.inf
        points[self._shoulders[:, 1], 2] = np.inf
        points[self.used] = self.space.decoded(chromosome.genes)
        parts = np.split(points, self._first[1:])
        variables = [
            Variable(name, FuzzyPartition([], domain)) for name, domain in zip(table.names, table.domains, strict=True)
        ]
        for j, part in zip(start.inputs, parts[:-1], strict=True):
            low, high = (float(end) for end in table.domains[j])
            variables[j] = Variable(table.names[j], TrianglePartition(part, (low, high)))
        labels = np.full((int(selected.sum()), table.n_inputs), -1)
        labels[:, start.inputs] = start.labels[selected]
        said = LabelConsequents(self.said[selected], TrianglePartition(parts[-1], self.domain))
        return RuleBase(variables, LabelTriangles(labels, variables), said, self.t_norm)


def output_domain(solution: GridSolution, table: LocalTable) -> tuple[float, float]:
    """Return the least and the greatest output; around an output that is always the same there is some room."""
    low, high = float(table.target.min()), float(table.target.max())
    if low < high:
        return low, high
    scale, ends = table.target_scale, solution.grid.domains[-1]
    return low + float(ends[0] * scale.spread), high + float(ends[1] * scale.spread)
