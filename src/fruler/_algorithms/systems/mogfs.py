"""FS_MOGFS with TUN: Mamdani rules on uniform grids, whose shared labels are then tuned."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fruler._algorithms.systems.grid import GridSolution, uniform_points
from fruler._algorithms.systems.options import FSMOGFSOptions
from fruler._algorithms.systems.tuning import TunedChromosome, TuningProblem, TuningRows, TuningSpace
from fruler._algorithms.systems.two_stages import TwoStageLearner, TwoStageState
from fruler._arrays import Floats
from fruler._kernels import tuned_mamdani
from fruler.learning._training_table import LocalTable
from fruler.learning.algorithm import Algorithm, Search
from fruler.rules._antecedents import T_NORMS, LabelTriangles
from fruler.rules._consequents import LabelConsequents
from fruler.rules._inputs import Variable
from fruler.rules._partitions import TrianglePartition
from fruler.rules._rule_base import RuleBase


class MamdaniTuning(TuningProblem):
    """Tunes the labels that rules use and selects rules; errors are in the target's own units."""

    error_unit = 0.5

    def __init__(self, solution: GridSolution, table: LocalTable, options: FSMOGFSOptions) -> None:
        super().__init__(solution, table, options)
        start = self.start
        self.said, self.domain = solution.output_labels, output_domain(solution, table)
        genes = solution.chromosome
        output = uniform_points(self.domain, int(genes.granularities[-1]), float(genes.displacements[-1]))
        n_labels = [len(points) for points in start.points]
        # The labels of all variables in one array, and the labels that rules use.
        self._first = np.concatenate([[0], np.cumsum(n_labels)]).astype(np.intp)
        every = np.concatenate([*start.points, output])
        places = np.column_stack([start.labels + self._first[:-1], self.said + self._first[-1]])
        self.used, numbers = np.unique(places, return_inverse=True)
        numbers = numbers.reshape(places.shape)
        self._antecedents, self._consequents = numbers[:, :-1], numbers[:, -1]
        self._every, self._shoulders = every, self._outer_labels(len(every))
        self.space = TuningSpace.around(every[self.used], self._shoulders[self.used], start.n_rules)
        self.rows = self._rows(table.target)

    def _outer_labels(self, n_labels: int) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
        """Return which labels hold for everything below or above: the outer labels of inputs."""
        shoulders = np.zeros((n_labels, 2), dtype=np.bool_)
        shoulders[self._first[:-1], 0] = True
        shoulders[self._first[1:] - 1, 1] = True
        return shoulders

    def sums(self, labels: list[Floats], selected: npt.NDArray[np.uint8], rows: TuningRows, limits: Floats) -> Floats:
        """Return the weighted sums of squared errors, in the target's own units."""
        triangles, t_norm = np.array(labels), T_NORMS.index(self.t_norm)
        antecedents, consequents = (triangles.take(part, axis=1) for part in (self._antecedents, self._consequents))
        found = tuned_mamdani.evaluate(antecedents, consequents, selected, rows.arrays, t_norm, limits)
        return np.asarray(found[:, 0])

    def build(self, chromosome: TunedChromosome) -> RuleBase:
        """Return the rule base of a chromosome; labels that no rule of the first stage uses are not moved."""
        table, start, selected = self.table, self.start, chromosome.selected
        points = self._every.copy()
        points[self._shoulders[:, 0], 0] = -np.inf
        points[self._shoulders[:, 1], 2] = np.inf
        points[self.used] = self.space.decoded(chromosome.genes)
        parts = np.split(points, self._first[1:])
        variables = self._bare_inputs()
        for j, part in zip(start.inputs, parts[:-1], strict=True):
            low, high = (float(end) for end in table.domains[j])
            variables[j] = Variable(table.names[j], TrianglePartition(part, (low, high)))
        labels = np.full((int(selected.sum()), table.n_inputs), -1)
        labels[:, start.inputs] = start.labels[selected]
        said = LabelConsequents(self.said[selected], TrianglePartition(parts[-1], self.domain))
        return RuleBase(variables, LabelTriangles(labels, variables), said, self.t_norm)


def output_domain(solution: GridSolution, table: LocalTable) -> tuple[float, float]:
    """Return the smallest and the largest output; a constant output gets some room around it."""
    low, high = float(table.target.min()), float(table.target.max())
    if low < high:
        return low, high
    scale, ends = table.target_scale, solution.grid.domains[-1]
    return low + float(ends[0] * scale.spread), high + float(ends[1] * scale.spread)


class FSMOGFSLearner(TwoStageLearner):
    """Learns linguistic rules whose consequents are labels of the output.

    Parameters
    ----------
    search : Search
        Options, rows, and the state to resume from.
    """

    tuning = MamdaniTuning

    def __init__(self, search: Search[FSMOGFSOptions, LocalTable, TwoStageState]) -> None:
        super().__init__(search, "output_label")


FS_MOGFS = Algorithm(
    name="fs-mogfs",
    title="FS_MOGFS+TUN",
    options=FSMOGFSOptions,
    learner=FSMOGFSLearner,
    state=TwoStageState,
    limits=("max_evaluations",),
)
