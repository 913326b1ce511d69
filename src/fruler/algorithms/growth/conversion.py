"""From a fitted structure to a rule base in the data's own names and units."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fruler._typing import Floats, Indices
from fruler.algorithms.growth.knowledge import Knowledge
from fruler.algorithms.growth.monotone_lines import monotone_lines
from fruler.algorithms.growth.structure import Numbers, Ramps, Structure
from fruler.algorithms.growth.sums import curve_lines, rule_coefficients
from fruler.consequents.ridge import Normal
from fruler.learning.training_table import TrainingTable
from fruler.rules.curves import Curve
from fruler.rules.partitions import FuzzyPartition, half_widths
from fruler.rules.rule_base import RuleBase
from fruler.rules.variables import Variable
from fruler.table.scaling import in_data_units


class Conversion:
    """Turns fitted structures into rule bases.

    Parameters
    ----------
    table : TrainingTable
        What was learned from.
    inputs : ndarray of int
        The columns of the table that the structures are over.
    fuzziness : float
        Of known split points that no rule uses.
    knowledge : Knowledge, optional
        Constraints on these inputs, which the structures obey but for rounding; the rule bases do so without that.
    """

    def __init__(
        self, table: TrainingTable, inputs: Indices, fuzziness: float, knowledge: Knowledge | None = None
    ) -> None:
        self.table, self.inputs, self.fuzziness = table, inputs, fuzziness
        self.signs = np.zeros(len(inputs), dtype=np.intc) if knowledge is None else knowledge.signs

    def rule_base(self, structure: Structure, coefficients: Floats, normal: Normal, support: Floats) -> RuleBase:
        """Return the rules in the data's own names and units.

        Parameters
        ----------
        structure : Structure
            The antecedents, and where curves bend.
        coefficients : ndarray
            Of all its terms.
        normal : Normal
            The normal equations that they are fitted by, from which the means of curves are taken.
        support : ndarray of shape (n_rules,)
            The mean weight of each rule.
        """
        table, n_all = self.table, len(self.table.names)
        partitions = {int(self.inputs[j]): self._labels(structure.splits, j) for j in _used(structure.splits)}
        variables = [
            Variable(name, partitions.get(j, FuzzyPartition([], table.domains[j])))
            for j, name in enumerate(table.names)
        ]
        ranges = np.zeros((structure.n_rules, n_all, 2), dtype=np.intc)
        ranges[:, self.inputs] = self._ranges(structure, [variables[j] for j in self.inputs])
        shared, curves = self._curves(structure, coefficients, normal)
        consequents = np.zeros((structure.n_rules, n_all + 1))
        consequents[:, [0, *(self.inputs + 1)]] = self._in_directions(rule_coefficients(structure, shared))
        units = in_data_units(consequents, table.scale, table.target_scale)
        self._fold_categories(variables, ranges, units)
        return RuleBase(variables, ranges, units, support=support, curves=curves)

    def _in_directions(self, coefficients: Floats) -> Floats:
        """Take away slopes that are in the wrong direction, which are nothing but rounding."""
        for j in np.flatnonzero(self.signs).tolist():
            coefficients[coefficients[:, 1 + j] * self.signs[j] < 0.0, 1 + j] = 0.0
        return coefficients

    def _shared_slope(self, structure: Structure, coefficients: Floats, input: int) -> float:
        """Return the slope that all rules share of an input.

        Of one of known direction that is the least of all rules' slopes: what is left to each rule goes in the right
        direction, and so must the curve by itself.
        """
        own = coefficients[1 + input : structure.n_rules * (structure.n_inputs + 1) : structure.n_inputs + 1]
        if self.signs[input] == 0:
            return float(own[0])
        return float(self.signs[input] * (self.signs[input] * (structure.blocks @ own)).min())

    def _fold_categories(self, variables: Sequence[Variable], ranges: Numbers, coefficients: Floats) -> None:
        """Make the offset of a category part of the intercept of rules that hold for it alone."""
        for j, numbers in self.table.levels.items():
            splits = np.array([-np.inf, *variables[j].partition.split_points, np.inf])
            for rule, (first, last) in enumerate(ranges[:, j]):
                inside = numbers[(numbers > splits[first]) & (numbers < splits[last + 1])]
                if len(inside) == 1:
                    coefficients[rule, 0] += coefficients[rule, 1 + j] * inside[0]
                    coefficients[rule, 1 + j] = 0.0

    def _labels(self, points: Ramps, input: int) -> FuzzyPartition:
        """Return the labels of one input; where its split points are known, those between all of them."""
        partition, known = self._partition(points, input), self.table.known_splits.get(int(self.inputs[input]))
        if known is None or int(self.inputs[input]) in self.table.levels:
            return partition
        shares = np.full(len(known), self.fuzziness)
        used = _nearest(known, np.asarray(partition.split_points))
        shares[used] = partition.half_widths / half_widths(known, partition.domain, 1.0)[used]
        return FuzzyPartition(known, partition.domain, np.clip(shares, 0.0, 1.0))

    def _partition(self, points: Ramps, input: int) -> FuzzyPartition:
        """Return the parts into which its split points divide one input."""
        own, j = points.of(input), int(self.inputs[input])
        scale, domain = self.table.scale, (float(self.table.domains[j, 0]), float(self.table.domains[j, 1]))
        places = _apart(points.places[own] * scale.spread[j] + scale.centre[j], domain)
        if j in self.table.levels:
            between = self.table.level_splits(j)
            return FuzzyPartition(between[_nearest(between, places)], domain, 0.0)
        if j in self.table.known_splits:
            known = self.table.known_splits[j]
            places = known[_nearest(known, places)]
        if self.fuzziness == 0.0:
            return FuzzyPartition(places, domain, 0.0)
        shares = points.reaches[own] * scale.spread[j] / half_widths(places, domain, 1.0)
        return FuzzyPartition(places, domain, np.clip(shares, 0.0, 1.0))

    def _ranges(self, structure: Structure, variables: Sequence[Variable]) -> Numbers:
        """Return the first and the last label that each rule accepts of each input."""
        ranges = np.zeros((structure.n_rules, structure.n_inputs, 2), dtype=np.intc)
        ranges[:, :, 1] = [variable.partition.n_labels - 1 for variable in variables]
        for j in _used(structure.splits):
            # The number of a split point among its input's is that of the label below it.
            label = np.full(len(structure.splits) + 1, -1, dtype=np.intc)
            own, known = structure.splits.of(j), self.table.known_splits.get(int(self.inputs[j]))
            places = np.asarray(self._partition(structure.splits, j).split_points)
            label[own] = np.arange(len(own)) if known is None else _nearest(known, places)
            lower, upper = structure.bounds[:, j].T
            ranges[:, j, 0] = np.where(lower >= 0, label[lower] + 1, 0)
            ranges[:, j, 1] = np.where(upper >= 0, label[upper], ranges[:, j, 1])
        return ranges

    def _curves(self, structure: Structure, coefficients: Floats, normal: Normal) -> tuple[Floats, list[Curve]]:
        """Return the coefficients of what is left to the rules, and the curves.

        A curve has the slope that all rules share of its input, so that it is told whole; and its mean is zero, so that
        what it adds is a difference.
        """
        left = coefficients.copy()
        lines, scale = curve_lines(structure, coefficients), self.table.scale
        unit, n_rule_terms = float(self.table.target_scale.spread), structure.n_rules * (structure.n_inputs + 1)
        means = normal.gram[0]
        curves = []
        for j in _used(structure.bends):
            own, column = structure.bends.of(j), int(self.inputs[j])
            terms = np.concatenate([n_rule_terms + 2 * own, n_rule_terms + 2 * own + 1])
            if not coefficients[terms].any():
                continue
            slope = self._shared_slope(structure, coefficients, j)
            left[1 + j] -= slope
            mean = slope * means[1 + j] + coefficients[terms] @ means[terms]
            left[0] += mean
            pieces = np.cumsum(np.vstack([[-mean, slope], lines[own]]), axis=0)
            slopes = pieces[:, 1] * unit / scale.spread[column]
            intercepts = pieces[:, 0] * unit - slopes * scale.centre[column]
            partition, in_units = self._partition(structure.bends, j), np.column_stack([intercepts, slopes])
            if self.signs[j]:
                in_units = monotone_lines(partition, in_units, int(self.signs[j]))
            curves.append(Curve(column, partition, in_units))
        return left, curves


def _apart(places: Floats, domain: tuple[float, float]) -> Floats:
    """Keep increasing places apart from each other and from the ends where an input has few floats between these."""
    apart, low = places.copy(), domain[0]
    for k in range(len(apart)):
        low = apart[k] = max(apart[k], np.nextafter(low, np.inf))
    high = domain[1]
    for k in reversed(range(len(apart))):
        high = apart[k] = min(apart[k], np.nextafter(high, -np.inf))
    return apart


def _nearest(known: Floats, places: Floats) -> Indices:
    """Return the number of the known split point that each place is at."""
    return np.asarray(np.abs(known[:, None] - places).argmin(axis=0))


def _used(points: Ramps) -> list[int]:
    return [int(j) for j in np.unique(points.inputs)]
