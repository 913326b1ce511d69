"""Conversion of a learned chromosome to a rule base: partitions, antecedents and consequents in the data's units."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from fruler._algorithms.fruler.chromosome import Chromosome, SearchSpace
from fruler._algorithms.fruler.discretization import NestedSplits
from fruler._arrays import Floats
from fruler._table.rows import Standardization, in_data_units
from fruler.rules._inputs import Variable
from fruler.rules._partitions import FuzzyPartition
from fruler.rules._rule_base import RuleBase


def build_rule_base(
    chromosome: Chromosome,
    learned: tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], Floats, Floats],
    partitions: tuple[list[NestedSplits], Floats],
    scales: tuple[Standardization, Standardization],
    names: Sequence[str],
    space: SearchSpace,
) -> RuleBase:
    """Build the rule base of a chromosome.

    Conditions that do not distinguish rules are left out: they would lengthen the rules and change nothing.

    Parameters
    ----------
    chromosome : Chromosome
        Granularities and displacements.
    learned : tuple
        The result of the kernel: inputs in antecedents, the rules' labels of these, coefficients, metrics.
    partitions : (list of NestedSplits, ndarray of shape (n_inputs, 2))
        Split points and domains, in the data's own units.
    scales : (Standardization, Standardization)
        The scales of the inputs and of the output.
    names : sequence of str
        Names of the inputs.
    space : SearchSpace
        Fuzziness and t-norm.
    """
    nested, domains = partitions
    inputs, labels, coefficients, _ = learned
    # A condition that all rules share is a common factor, which cancels in the normalisation of degrees.
    if space.t_norm == "product" or len(labels) == 1:
        parting = np.ptp(labels, axis=0) > 0
        inputs, labels = inputs[parting], labels[:, parting]
    variables = []
    for j, name in enumerate(names):
        granularity = int(chromosome.granularities[j]) if j in inputs else 1
        partition = FuzzyPartition(nested[j].at(granularity), domains[j], space.fuzziness)
        variables.append(Variable(name, partition.displaced(chromosome.displacements[j, : granularity - 1])))
    antecedents = np.zeros((len(labels), len(names), 2), dtype=np.intc)
    antecedents[:, inputs, :] = labels[:, :, None]
    return RuleBase(tuple(variables), antecedents, in_data_units(coefficients, *scales), space.t_norm)
