"""The rules of a grid, in the data's own units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from fruler._typing import Floats, Indices
from fruler.algorithms.grids.chromosome import GridChromosome
from fruler.algorithms.grids.grid import Grid
from fruler.kernels import grids
from fruler.learning.training_table import LocalTable
from fruler.rules.partitions import FuzzyPartition
from fruler.rules.rule_base import RuleBase
from fruler.rules.variables import Variable


@dataclass(frozen=True, eq=False)
class GridSolution:
    """One grid and its rules: what the second stages start from.

    Attributes
    ----------
    grid : Grid
        What there was to choose from.
    chromosome : GridChromosome
        Granularities and displacements; where labels of the output are consequents, its are the last.
    inputs : ndarray of shape (n_used,)
        The inputs in antecedents: those with more than one label.
    cells : ndarray of shape (n_rules, n_used)
        The label of every rule in each of them; rules are in the order of their labels.
    outputs : ndarray of shape (n_rules,)
        What each rule says, in the target's own units.
    output_labels : ndarray of shape (n_rules,) or None
        The labels of the output, where they are consequents.
    error : float
        The mean squared error of standardised outputs on all training rows.
    """

    grid: Grid
    chromosome: GridChromosome
    inputs: Indices
    cells: Indices
    outputs: Floats
    output_labels: Indices | None
    error: float

    @classmethod
    def of(cls, grid: Grid, chromosome: GridChromosome, table: LocalTable) -> Self:
        """Make the rules of a chromosome from all training rows."""
        inputs, cells, values, rows, labels, error, _ = grids.learn(
            chromosome.granularities, chromosome.displacements, grid.arrays, table.rows.arrays, grid.max_rules
        )
        outputs = values * float(table.target_scale.spread) + float(table.target_scale.centre)
        if grid.consequent != "output_label":
            # The output of a row to the last bit, instead of back from standardised units.
            return cls(grid, chromosome, inputs, cells, np.where(rows >= 0, table.target[rows], outputs), None, error)
        return cls(grid, chromosome, inputs, cells, outputs, labels, error)

    @property
    def n_rules(self) -> int:
        """The number of rules."""
        return len(self.cells)

    def rule_base(self, table: LocalTable) -> RuleBase:
        """Return the rules as a rule base of constants."""
        variables = [
            Variable(name, uniform_partition(table.domains[j], *self._genes(j))) for j, name in enumerate(table.names)
        ]
        antecedents = np.zeros((self.n_rules, table.n_inputs, 2), dtype=np.intc)
        antecedents[:, self.inputs, :] = self.cells[:, :, None]
        coefficients = np.zeros((self.n_rules, table.n_inputs + 1))
        coefficients[:, 0] = self.outputs
        return RuleBase(tuple(variables), antecedents, coefficients, self.grid.t_norm)

    def _genes(self, variable: int) -> tuple[int, float]:
        return int(self.chromosome.granularities[variable]), float(self.chromosome.displacements[variable])


def label_centres(domain: Floats, granularity: int, displacement: float) -> Floats:
    """Return the centres of uniform labels: from end to end of a domain, all moved by a share of their distance.

    Examples
    --------
    >>> label_centres([0.0, 10.0], 3, 0.1).tolist()
    [0.5, 5.5, 10.5]
    """
    low, high = (float(end) for end in domain)
    if granularity == 1:
        return np.array([(low + high) / 2.0])
    step = (high - low) / (granularity - 1)
    return np.asarray(low + (np.arange(granularity) + displacement) * step)


def uniform_partition(domain: Floats, granularity: int, displacement: float) -> FuzzyPartition:
    """Return uniform triangles as a strong partition, whose outer labels go on beyond their centres.

    Examples
    --------
    >>> partition = uniform_partition([0.0, 10.0], 3, 0.1)
    >>> partition.degrees([0.5, 3.0, 5.5]).tolist()
    [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 1.0, 0.0]]
    """
    if granularity == 1:
        return FuzzyPartition([], domain)
    centres = label_centres(domain, granularity, displacement)
    # Between the outer centres every zone reaches from centre to centre, so that labels are triangles.
    return FuzzyPartition((centres[1:] + centres[:-1]) / 2.0, (centres[0], centres[-1]))
