"""The second stage of FS_MOGFS and A-METSK: points of triangles are tuned, and rules are selected.

The tuned triangles are labels that rules share (`mogfs.py`), or sets of each rule (`metsk.py`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from fruler._algorithms.genetic import pcblx
from fruler._algorithms.systems.evaluation import Limit
from fruler._algorithms.systems.genes import BITS, blx, gray_distance, hux
from fruler._algorithms.systems.grid import GridSolution, uniform_points
from fruler._algorithms.systems.options import AMETSKOptions, FSMOGFSOptions
from fruler._arrays import Floats, Indices
from fruler.learning._training_table import LocalTable
from fruler.rules._inputs import Variable
from fruler.rules._partitions import FuzzyPartition
from fruler.rules._rule_base import RuleBase


@dataclass(frozen=True, eq=False)
class TuningSpace:
    """The search space of the points of triangles: a gene from 0 to 1 is the place of a finite point in its interval.

    Attributes
    ----------
    triangles : ndarray of shape (n_triangles, 3)
        The triangles before tuning; a point is infinite if the label holds for everything beyond its middle.
    moved : ndarray of shape (n_genes,)
        The indices of the finite points in the flattened triangles.
    low, high : ndarray of shape (n_genes,)
        The interval of each point.
    n_rules : int
        The number of rules to select from.

    Examples
    --------
    >>> import numpy as np
    >>> space = TuningSpace.around(np.array([[0.0, 1.0, 2.0]]), np.array([[True, False]]), n_rules=4)
    >>> space.low.tolist(), space.high.tolist()
    ([0.5, 1.5], [1.5, 2.5])
    >>> space.decoded(np.array([0.25, 0.5])).tolist()
    [[-inf, 0.75, 2.0]]
    """

    triangles: Floats
    moved: Indices
    low: Floats
    high: Floats
    n_rules: int

    @classmethod
    def around(cls, triangles: Floats, shoulders: npt.NDArray[np.bool_], n_rules: int) -> Self:
        """Build the space in which points move by at most half of the side next to them.

        So their order cannot change: at most, two neighbouring points meet in the middle.

        Parameters
        ----------
        triangles : ndarray of shape (n_triangles, 3)
            Triangles with finite points and equally long sides.
        shoulders : ndarray of bool, shape (n_triangles, 2)
            Whether a label holds for everything below, or above, its middle: then it has no side there.
        n_rules : int
            The number of rules.
        """
        left, right = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 1]
        middles = (triangles[:, :-1] + triangles[:, 1:]) / 2.0
        # Intervals that meet share the same number: otherwise rounding could let the points pass each other.
        low = np.column_stack([triangles[:, 0] - left / 2.0, middles])
        high = np.column_stack([middles, triangles[:, 2] + right / 2.0])
        shaped = triangles.copy()
        shaped[shoulders[:, 0], 0] = -np.inf
        shaped[shoulders[:, 1], 2] = np.inf
        moved = np.flatnonzero(np.isfinite(shaped.ravel()))
        return cls(shaped, moved, low.ravel()[moved], high.ravel()[moved], n_rules)

    @property
    def n_genes(self) -> int:
        """The number of points that can move."""
        return len(self.moved)

    @property
    def start(self) -> Floats:
        """The genes of the triangles before tuning: all in the middle, because sides are equally long."""
        return np.full(self.n_genes, 0.5)

    def decoded(self, genes: Floats) -> Floats:
        """Return the triangles of some genes."""
        points = self.triangles.ravel().copy()
        # Rounding must not move a point out of its interval.
        placed = np.minimum(self.low + genes * (self.high - self.low), self.high)
        # Points that have not been moved stay exactly where they were.
        points[self.moved] = np.where(genes == 0.5, points[self.moved], placed)
        return points.reshape(-1, 3)


Selection = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class TunedChromosome:
    """One candidate.

    Attributes
    ----------
    genes : ndarray of shape (n_genes,)
        The first part, C_T: the places of the points in their intervals, from 0 to 1.
    selected : ndarray of bool, shape (n_rules,)
        The second part, C_S: which rules are selected.
    """

    genes: Floats
    selected: Selection

    @cached_property
    def key(self) -> bytes:
        """The chromosome as a short key: equal chromosomes have equal keys."""
        # Adding zero turns a negative zero into a positive one.
        content = (self.genes + 0.0).tobytes() + self.selected.tobytes()
        return blake2b(content, digest_size=16).digest()

    @property
    def n_rules(self) -> int:
        """The number of selected rules."""
        return int(np.count_nonzero(self.selected))


# The probability that mutation selects an unselected rule again.
_RETURNS = 0.5


def drawn(space: TuningSpace, size: int, rng: np.random.Generator) -> list[TunedChromosome]:
    """Draw chromosomes with random points in their intervals; one half has all rules, the other half random ones."""
    found = []
    for number in range(size):
        genes = rng.random(space.n_genes)
        selected = np.ones(space.n_rules, dtype=np.bool_) if number % 2 == 0 else random_rules(space, rng)
        found.append(TunedChromosome(genes, selected))
    return found


def random_rules(space: TuningSpace, rng: np.random.Generator) -> Selection:
    """Draw a selection of rules, each rule with probability one half, but at least one rule."""
    selected = rng.random(space.n_rules) < 0.5
    if not selected.any():
        selected[rng.integers(space.n_rules)] = True
    return selected


@dataclass(frozen=True, eq=False)
class GridRules:
    """The antecedents that the first stage found.

    Attributes
    ----------
    inputs : ndarray of shape (n_used,)
        The inputs in antecedents.
    points : tuple of ndarray of shape (n_labels, 3)
        The labels of each of these inputs as triangles; the outer ones reach beyond the domain.
    labels : ndarray of shape (n_rules, n_used)
        The label of each rule for each of these inputs.
    """

    inputs: Indices
    points: tuple[Floats, ...]
    labels: Indices

    @classmethod
    def of(cls, solution: GridSolution, domains: Floats) -> GridRules:
        """Return the antecedents of a grid; `domains` has the domains of all inputs."""
        granularities, displacements = solution.chromosome.granularities, solution.chromosome.displacements
        points = [uniform_points(domains[j], int(granularities[j]), float(displacements[j])) for j in solution.inputs]
        return cls(solution.inputs, tuple(points), solution.cells)

    @property
    def n_rules(self) -> int:
        """The number of rules."""
        return len(self.labels)

    @property
    def triangles(self) -> Floats:
        """The triangles of the rules, shape (n_rules, n_used, 3)."""
        if not len(self.inputs):
            return np.empty((self.n_rules, 0, 3))
        return np.stack([points[self.labels[:, k]] for k, points in enumerate(self.points)], axis=1)

    @property
    def shoulders(self) -> npt.NDArray[np.bool_]:
        """Whether a rule's label is the lowest, and whether it is the highest, shape (n_rules, n_used, 2)."""
        highest = np.array([len(points) - 1 for points in self.points], dtype=np.intp)
        return np.stack([self.labels == 0, self.labels == highest], axis=2)


class TuningRows(NamedTuple):
    """Rows as the kernels read them: inputs in their own units, and the terms of linear consequents, if any."""

    columns: Floats
    widths: Floats
    terms: Floats | None
    y: Floats
    weight: Floats

    @property
    def arrays(self) -> Any:
        """The arguments of the kernels as a plain tuple: five arrays, or four if there are no terms."""
        return tuple(part for part in self if part is not None)

    def take(self, rows: Indices) -> TuningRows:
        """Return some of the rows."""
        terms = None if self.terms is None else self.terms[rows]
        columns = np.ascontiguousarray(self.columns[:, rows])
        return TuningRows(columns, self.widths, terms, self.y[rows], self.weight[rows])


# A sum of squares that is above the limit only by rounding is summed to its end, and compared then.
_ROUNDING = 1.0 + 1e-9


class TuningProblem(ABC):
    """The problem of tuning triangles and selecting rules; subclasses compute the errors.

    Parameters
    ----------
    solution : GridSolution
        The rules of the first stage.
    table : LocalTable
        The rows.
    options : AMETSKOptions or FSMOGFSOptions
        The t-norm, and how points are crossed.

    Attributes
    ----------
    space : TuningSpace
        The points that can move.
    rows : TuningRows
        All rows.
    error_unit : float
        Turns errors into half of a mean squared error in the target's own units.
    regularization : float
        The ridge of the consequents; 0 if they are not fitted.
    """

    space: TuningSpace
    rows: TuningRows
    error_unit: float
    regularization = 0.0

    def __init__(self, solution: GridSolution, table: LocalTable, options: AMETSKOptions | FSMOGFSOptions) -> None:
        self.start, self.table = GridRules.of(solution, table.domains), table
        self.t_norm, self.crossover = options.t_norm, options.crossover
        widths = np.ptp(table.domains, axis=1)
        self.widths = np.where(widths > 0.0, widths, 1.0)

    @property
    def initial_threshold(self) -> float:
        """A quarter of a chromosome's bits."""
        return (BITS * self.space.n_genes + self.space.n_rules) / 4.0

    def initial(self, size: int, rng: np.random.Generator) -> list[TunedChromosome]:
        """Return the first population: the rules of the first stage, and random chromosomes."""
        return [self.simplest(), *drawn(self.space, size - 1, rng)]

    def simplest(self) -> TunedChromosome:
        """Return the rules of the first stage, all selected and none moved."""
        return TunedChromosome(self.space.start, np.ones(self.space.n_rules, dtype=np.bool_))

    def cross(
        self, first: TunedChromosome, second: TunedChromosome, threshold: float, rng: np.random.Generator
    ) -> tuple[TunedChromosome, TunedChromosome] | None:
        """Cross points by BLX-0.5 or its parent-centric form, selections by HUX; None if parents are too similar."""
        if distance(first, second) / 2.0 <= threshold:
            return None
        operator = blx if self.crossover == "blx" else pcblx
        # Plain ufuncs: `np.clip` alone would take as long as all the rest.
        genes = [np.maximum(np.minimum(made, 1.0), 0.0) for made in operator(first.genes, second.genes, rng)]
        selected = hux(first.selected, second.selected, rng)
        return TunedChromosome(genes[0], selected[0]), TunedChromosome(genes[1], selected[1])

    def mutate(self, chromosome: TunedChromosome, rng: np.random.Generator) -> TunedChromosome:
        """Draw one point again and drop one rule; if it is already dropped, it comes back with probability one half."""
        genes, selected = chromosome.genes.copy(), chromosome.selected.copy()
        if self.space.n_genes:
            gene = int(rng.integers(self.space.n_genes))
            genes[gene] = rng.random()
        rule = int(rng.integers(self.space.n_rules))
        # Drawn whether it is needed or not, so that later draws do not depend on it.
        returns = bool(rng.random() < _RETURNS)
        selected[rule] = not selected[rule] and returns
        return TunedChromosome(genes, selected)

    def restart(self, best: TunedChromosome, size: int, rng: np.random.Generator) -> list[TunedChromosome]:
        """Return a new population with the rules of the best and random points in their intervals."""
        return [TunedChromosome(rng.random(self.space.n_genes), best.selected) for _ in range(size)]

    @abstractmethod
    def build(self, chromosome: TunedChromosome) -> RuleBase:
        """Return the rule base of a chromosome."""

    @abstractmethod
    def sums(self, labels: list[Floats], selected: npt.NDArray[np.uint8], rows: TuningRows, limits: Floats) -> Floats:
        """Return the weighted sum of squared errors of each chromosome, infinite if it is above the limit.

        Parameters
        ----------
        labels : list of ndarray
            The triangles of each chromosome.
        selected : ndarray
            The selected rules of each chromosome.
        rows : TuningRows
            A sample, or all rows.
        limits : ndarray
            The limit of each chromosome.
        """

    def take_sample(self, rows: Indices) -> TuningRows:
        """Return some rows; consequents are then also estimated on these."""
        return self.rows.take(rows)

    def evaluate(self, chromosomes: Sequence[TunedChromosome], sample: TuningRows | None, limit: Limit) -> Floats:
        """Return the mean squared error and the number of rules of every chromosome, an array of shape (n, 2)."""
        rows = self.rows if sample is None else sample
        selected = np.array([one.selected for one in chromosomes])
        n_rules = np.count_nonzero(selected, axis=1)
        largest = np.where(n_rules >= limit.min_rules, limit.error, np.inf)
        total = float(rows.weight.sum())
        labels = [self.space.decoded(one.genes) for one in chromosomes]
        errors = self.sums(labels, selected.view(np.uint8), rows, largest * total * _ROUNDING) / total
        return np.column_stack([np.where(errors > largest, np.inf, errors), n_rules])

    def _rows(self, y: Floats, terms: Floats | None = None) -> TuningRows:
        inputs = self.start.inputs
        columns = np.ascontiguousarray(self.table.values[:, inputs].T)
        # At least one number, so that the kernel has an address.
        widths = np.append(self.widths[inputs], 1.0)
        return TuningRows(columns, widths, terms, np.ascontiguousarray(y), self.table.rows.weight)

    def _bare_inputs(self) -> list[Variable]:
        """Return the inputs without labels."""
        pairs = zip(self.table.names, self.table.domains, strict=True)
        return [Variable(name, FuzzyPartition([], domain)) for name, domain in pairs]


def distance(first: TunedChromosome, second: TunedChromosome) -> int:
    """Return the number of bits in which two chromosomes differ: Gray codes of their points, and selections."""
    points = gray_distance(first.genes, second.genes, 0.0, 1.0)
    return points + int(np.count_nonzero(first.selected != second.selected))
