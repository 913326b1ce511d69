"""Uniform grids: the space of them, the chromosome of one of them, and its rules in the data's own units."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Literal, Self

import numpy as np

from fruler._algorithms.genetic import Granularities
from fruler._algorithms.systems.options import GridOptions
from fruler._kernels import grids
from fruler._typing import Floats, Indices
from fruler.learning._checkpoint import damaged
from fruler.learning._training_table import LocalTable
from fruler.rules._antecedents import T_NORMS
from fruler.rules._inputs import Variable
from fruler.rules._partitions import FuzzyPartition
from fruler.rules._rule_base import RuleBase

Consequent = Literal["nearest_row", "mean", "output_label"]
# In the order of the kernel's codes.
CONSEQUENTS: tuple[Consequent, ...] = ("nearest_row", "mean", "output_label")


@dataclass(frozen=True, eq=False)
class Grid:
    """The uniform grids of a search, in standardised units.

    A variable with g labels has its centres at equal distances from the least to the greatest value of the training
    rows, all moved together by at most `displacement` of such a distance. Where labels of the output are consequents,
    the output is the last variable.

    Attributes
    ----------
    domains : ndarray of shape (n_variables, 2)
        Least and greatest value of each variable.
    least, largest : ndarray of shape (n_variables,)
        The fewest and the most labels of each variable.
    consequent : {"nearest_row", "mean", "output_label"}
        What a rule says: the output of the row that fits its cell best, the mean of the rows of its cell, weighted by
        how well they fit, or the label of the output that the best-fitting row has.
    options : GridOptions
        The most rules, how far labels may be moved, the t-norm, and what happens to a candidate with too many rules: it
        is none, or later rules are left out.
    """

    domains: Floats
    least: Granularities
    largest: Granularities
    consequent: Consequent
    options: GridOptions

    @classmethod
    def from_domains(cls, inputs: Floats, output: Floats, consequent: Consequent, options: GridOptions) -> Self:
        """Build the space of grids from the domains of the inputs and of the output.

        An input that has one value only has one label, and is in no antecedent.
        """
        domains = np.ascontiguousarray(inputs, dtype=np.float64)
        largest = np.where(np.ptp(domains, axis=1) > 0.0, options.max_labels, 1)
        least = np.ones_like(largest)
        if consequent == "output_label":
            # An output that is always the same is the middle of a domain, so that its labels are somewhere.
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
        """What the kernels read."""
        t_norm, consequent = T_NORMS.index(self.options.t_norm), CONSEQUENTS.index(self.consequent)
        return self.domains, t_norm, consequent, self.options.crop == "truncate", max(2, int(self.largest.max()))


# Displacements are multiples of this, so that searches meet fewer chromosomes that differ in nothing.
_STEP = 1e-6


@dataclass(frozen=True, eq=False)
class GridChromosome:
    """One candidate grid.

    Attributes
    ----------
    granularities : ndarray of shape (n_variables,)
        The number of labels of each variable; an input with one label is in no antecedent.
    displacements : ndarray of shape (n_variables,)
        By which share of the distance of two labels those of a variable are moved; zero where there is one label.
    """

    granularities: Granularities
    displacements: Floats

    @cached_property
    def structure(self) -> bytes:
        """The granularities as a key."""
        return self.granularities.tobytes()

    @cached_property
    def key(self) -> bytes:
        """The whole chromosome as a short key: equal chromosomes have equal keys."""
        return blake2b(self.structure + self.displacements.tobytes(), digest_size=16).digest()


def make_chromosome(grid: Grid, granularities: Granularities, displacements: Floats) -> GridChromosome:
    """Build a valid chromosome: displacements within their limits, and none where there is one label."""
    limit = grid.options.displacement
    moved = np.maximum(np.minimum(displacements, limit), -limit) * (granularities > 1)
    # Adding zero turns a negative zero into a positive one, which has the same key.
    return GridChromosome(granularities.astype(np.intc), np.rint(moved / _STEP) * _STEP + 0.0)


def check_chromosomes(grid: Grid, chromosomes: Iterable[GridChromosome]) -> None:
    """Refuse chromosomes that are none of a grid, as those of a damaged checkpoint are.

    Raises
    ------
    ValueError
        If there is one.
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
    output_labels : ndarray of shape (n_rules,)
        The labels of the output, where they are consequents.
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
            # The output of a row to the last bit, instead of back from standardised units.
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


def label_centres(domain: Floats, granularity: int, displacement: float) -> Floats:
    """Return the centres of uniform labels: from end to end of a domain, all moved by a share of their distance.

    Examples
    --------
    >>> label_centres([0.0, 10.0], 3, 0.1).tolist()
    [0.5, 5.5, 10.5]
    """
    low, high = (float(end) for end in domain)
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
