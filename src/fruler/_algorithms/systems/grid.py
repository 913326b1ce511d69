"""Uniform grids: their search space, the chromosome of one grid, and its rules in the data's own units."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from fruler._algorithms.genetic import Granularities, LabelGenes
from fruler._algorithms.systems.options import GridOptions
from fruler._arrays import Floats, Indices
from fruler._kernels import grids
from fruler.learning._checkpoint import damaged
from fruler.learning._training_table import LocalTable
from fruler.rules._antecedents import T_NORMS
from fruler.rules._inputs import Variable
from fruler.rules._partitions import FuzzyPartition, TrianglePartition
from fruler.rules._rule_base import RuleBase

Consequent = Literal["nearest_row", "mean", "output_label"]
# In the order of the kernel's codes.
CONSEQUENTS: tuple[Consequent, ...] = ("nearest_row", "mean", "output_label")


@dataclass(frozen=True, eq=False)
class Grid:
    """The uniform grids of a search, in standardised units.

    The centres of a variable with g labels are equally spaced from the smallest to the largest value of the training
    rows, and all moved together by at most `displacement` times their distance. If consequents are labels of the
    output, the output is the last variable.

    Attributes
    ----------
    domains : ndarray of shape (n_variables, 2)
        Smallest and largest value of each variable.
    least, largest : ndarray of shape (n_variables,)
        The minimum and maximum number of labels of each variable.
    consequent : {"nearest_row", "mean", "output_label"}
        The consequent of a rule: the output of the row that fits its cell best, the mean output of the rows of its
        cell, weighted by how well they fit, or the output label of the row that fits best.
    options : GridOptions
        The maximum number of rules, the largest displacement, the t-norm, and whether a candidate with too many rules
        is rejected or truncated.
    """

    domains: Floats
    least: Granularities
    largest: Granularities
    consequent: Consequent
    options: GridOptions

    @classmethod
    def from_domains(cls, inputs: Floats, output: Floats, consequent: Consequent, options: GridOptions) -> Self:
        """Build the space of grids from the domains of the inputs and of the output.

        A constant input has one label, and is in no antecedent.
        """
        domains = np.ascontiguousarray(inputs, dtype=np.float64)
        largest = np.where(np.ptp(domains, axis=1) > 0.0, options.max_labels, 1)
        least = np.ones_like(largest)
        if consequent == "output_label":
            # A constant output is the middle of a domain, so that its labels have distinct places.
            low, high = (float(end) for end in output)
            ends = (low, high) if low < high else (low - 0.5, high + 0.5)
            domains = np.vstack([domains, ends])
            least, largest = np.append(least, 2), np.append(largest, options.max_labels)
        return cls(domains, least.astype(np.intc), largest.astype(np.intc), consequent, options)

    @property
    def n_variables(self) -> int:
        """The number of variables that have genes."""
        return len(self.largest)

    @property
    def n_inputs(self) -> int:
        """The number of inputs."""
        return self.n_variables - (self.consequent == "output_label")

    @property
    def arrays(self) -> tuple[Floats, int, int, bool, int]:
        """The arguments of the kernels."""
        t_norm, consequent = T_NORMS.index(self.options.t_norm), CONSEQUENTS.index(self.consequent)
        return self.domains, t_norm, consequent, self.options.crop == "truncate", max(2, int(self.largest.max()))


# Displacements are multiples of this, so that fewer chromosomes are practically equal.
_STEP = 1e-6


class GridChromosome(LabelGenes):
    """One candidate grid.

    Attributes
    ----------
    granularities : ndarray of shape (n_variables,)
        The number of labels of each variable; an input with one label is in no antecedent.
    displacements : ndarray of shape (n_variables,)
        The displacement of the labels of each variable, as a share of their distance; zero if there is one label.
    """


def make_grid_chromosome(grid: Grid, granularities: Granularities, displacements: Floats) -> GridChromosome:
    """Build a valid chromosome: displacements are within their limits, and zero if there is one label."""
    limit = grid.options.displacement
    moved = np.maximum(np.minimum(displacements, limit), -limit) * (granularities > 1)
    return GridChromosome(granularities.astype(np.intc), np.rint(moved / _STEP) * _STEP)


def check_grid_chromosomes(grid: Grid, chromosomes: Iterable[GridChromosome]) -> None:
    """Check that chromosomes of a checkpoint belong to a grid.

    Raises
    ------
    ValueError
        If one does not.
    """
    for one in chromosomes:
        fits = one.granularities.shape == one.displacements.shape == grid.largest.shape
        if fits:
            within = (grid.least <= one.granularities) & (one.granularities <= grid.largest)
            fits = bool(within.all() and (np.abs(one.displacements) <= grid.options.displacement + _STEP).all())
        if not fits:
            raise damaged("it has grids that are impossible for this table")


@dataclass(frozen=True, eq=False)
class GridSolution:
    """One grid and its rules, from which the second stages start.

    Attributes
    ----------
    grid : Grid
        The search space of the grid.
    chromosome : GridChromosome
        Granularities and displacements; if consequents are labels of the output, those of the output come last.
    inputs : ndarray of shape (n_used,)
        The inputs in antecedents: those with more than one label.
    cells : ndarray of shape (n_rules, n_used)
        The label of every rule for each of these inputs; rules are in the order of their labels.
    outputs : ndarray of shape (n_rules,)
        The output of each rule, in the target's own units.
    output_labels : ndarray of shape (n_rules,)
        The output label of each rule, if consequents are labels.
    error : float
        The mean squared error of standardised outputs on all training rows.
    """

    grid: Grid
    chromosome: GridChromosome
    inputs: Indices
    cells: Indices
    outputs: Floats
    output_labels: Indices
    error: float

    @classmethod
    def of(cls, grid: Grid, chromosome: GridChromosome, table: LocalTable) -> Self:
        """Make the rules of a chromosome from all training rows."""
        inputs, cells, values, rows, labels, error, _ = grids.learn(
            chromosome.granularities, chromosome.displacements, grid.arrays, table.rows.arrays, grid.options.max_rules
        )
        outputs = values * float(table.target_scale.spread) + float(table.target_scale.centre)
        if grid.consequent != "output_label":
            # The exact output of a row, instead of one converted back from standardised units.
            outputs = np.where(rows >= 0, table.target[rows], outputs)
        return cls(grid, chromosome, inputs, cells, outputs, labels, error)

    @property
    def n_rules(self) -> int:
        """The number of rules."""
        return len(self.cells)

    def rule_base(self, table: LocalTable) -> RuleBase:
        """Return the rules as a rule base of constants."""
        genes = zip(table.domains, self.chromosome.granularities, self.chromosome.displacements, strict=False)
        partitions = [uniform_partition(domain, int(labels), float(moved)) for domain, labels, moved in genes]
        variables = tuple(Variable(*pair) for pair in zip(table.names, partitions, strict=True))
        antecedents = np.zeros((self.n_rules, table.n_inputs, 2), dtype=np.intc)
        antecedents[:, self.inputs, :] = self.cells[:, :, None]
        coefficients = np.zeros((self.n_rules, table.n_inputs + 1))
        coefficients[:, 0] = self.outputs
        return RuleBase(variables, antecedents, coefficients, self.grid.options.t_norm)


def uniform_points(domain: Floats | tuple[float, float], n_labels: int, displacement: float) -> Floats:
    """Return equal triangles over a domain, shape (n_labels, 3); the outer ones reach beyond it."""
    low, high = (float(end) for end in domain)
    return TrianglePartition.uniform((low, high), n_labels, displacement, shoulders=False).triangles


def uniform_partition(domain: Floats, granularity: int, displacement: float) -> FuzzyPartition:
    """Return uniform triangles as a strong partition; the outer labels continue beyond their centres.

    Examples
    --------
    >>> partition = uniform_partition([0.0, 10.0], 3, 0.1)
    >>> partition.degrees([0.5, 3.0, 5.5]).tolist()
    [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 1.0, 0.0]]
    """
    if granularity == 1:
        return FuzzyPartition([], domain)
    centres = uniform_points(domain, granularity, displacement)[:, 1]
    # Between the outer centres every overlap reaches from centre to centre, so that labels are triangles.
    return FuzzyPartition((centres[1:] + centres[:-1]) / 2.0, (centres[0], centres[-1]))
