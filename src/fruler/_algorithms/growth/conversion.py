"""Conversion of a fitted structure to a rule base in the names and units of the data, with its held-out error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import inf, nextafter

import numpy as np

from fruler._algorithms.growth.problem import Knowledge
from fruler._algorithms.growth.structure import Numbers, Ramps, Structure
from fruler._algorithms.growth.sums import curve_lines, rule_coefficients
from fruler._algorithms.growth.terms import Normal
from fruler._arrays import Floats, Indices
from fruler._table.rows import Rows, in_data_units
from fruler.learning._training_table import TrainingTable
from fruler.learning.learned import FrontPoint
from fruler.rules._curves import Curve
from fruler.rules._inputs import Variable
from fruler.rules._partitions import FuzzyPartition, half_widths
from fruler.rules._rule_base import RuleBase
from fruler.rules.intervals import HeldOutErrors


def monotone_lines(partition: FuzzyPartition, lines: Floats, sign: int) -> Floats:
    """Make a curve exactly monotone that is monotone but for rounding.

    Where two lines a + b·x and c + d·x fade into each other, around the split point s with the half width h, the slope
    of the curve is linear in x: from b + (gap at s - h) / (2 h) to d + (gap at s + h) / (2 h), the gap being the second
    line less the first. So the curve rises if b and d are not negative, nor 2 h b + gap(s - h), nor 2 h d + gap(s + h).
    These are computed as exact fractions of the stored numbers; c is raised where it is too low.

    Parameters
    ----------
    partition : FuzzyPartition
        Where one line fades into the next.
    lines : ndarray of shape (n_labels, 2)
        Intercept and slope of each line.
    sign : {1, -1}
        Whether the curve rises or falls.

    Examples
    --------
    >>> import numpy as np
    >>> from fruler import FuzzyPartition
    >>> steps = FuzzyPartition([1.0], domain=(0.0, 2.0), fuzziness=0.0)
    >>> monotone_lines(steps, np.array([[0.5, -1e-17], [0.25, 0.25]]), 1).tolist()
    [[0.5, 0.0], [0.25, 0.25]]
    """
    intercepts = [float(value) for value in sign * lines[:, 0]]
    slopes = [max(float(value), 0.0) for value in sign * lines[:, 1]]
    for k, (split, half) in enumerate(zip(partition.split_points, partition.half_widths.tolist(), strict=True)):
        s, h = Fraction(split), Fraction(half)
        a, b, d = Fraction(intercepts[k]), Fraction(slopes[k]), Fraction(slopes[k + 1])
        needed = a + max(b * (s - 3 * h) - d * (s - h), b * (s + h) - d * (s + 3 * h))
        intercepts[k + 1] = max(intercepts[k + 1], _rounded_up(needed))
    return sign * np.column_stack([intercepts, slopes])


def _rounded_up(value: Fraction) -> float:
    near = float(value)
    return near if Fraction(near) >= value else nextafter(near, inf)


class Conversion:
    """Turns fitted structures into rule bases.

    Parameters
    ----------
    table : TrainingTable
        The training table.
    inputs : ndarray of int
        The columns of the table that the structures use.
    fuzziness : float
        The fuzziness of known split points that no rule uses.
    knowledge : Knowledge, optional
        Constraints on these inputs. The structures obey them but for rounding; the rule bases obey them exactly.
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
            The coefficients of all its terms.
        normal : Normal
            The normal equations of the fit, for the means of curves.
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
        """Set slopes in the wrong direction to zero; they are rounding errors."""
        for j in np.flatnonzero(self.signs).tolist():
            coefficients[coefficients[:, 1 + j] * self.signs[j] < 0.0, 1 + j] = 0.0
        return coefficients

    def _shared_slope(self, structure: Structure, coefficients: Floats, input: int) -> float:
        """Return the slope of an input that all rules share.

        For an input of known direction it is the smallest of all rules' slopes: then the rest of each rule's slope has
        the right direction, as the curve by itself must have.
        """
        own = coefficients[1 + input : structure.n_rules * (structure.n_inputs + 1) : structure.n_inputs + 1]
        if self.signs[input] == 0:
            return float(own[0])
        return float(self.signs[input] * (self.signs[input] * (structure.blocks @ own)).min())

    def _fold_categories(self, variables: Sequence[Variable], ranges: Numbers, coefficients: Floats) -> None:
        """Move the offset of a category into the intercept of rules that hold for this category alone."""
        for j, numbers in self.table.levels.items():
            splits = np.array([-np.inf, *variables[j].partition.split_points, np.inf])
            for rule, (first, last) in enumerate(ranges[:, j]):
                inside = numbers[(numbers > splits[first]) & (numbers < splits[last + 1])]
                if len(inside) == 1:
                    coefficients[rule, 0] += coefficients[rule, 1 + j] * inside[0]
                    coefficients[rule, 1 + j] = 0.0

    def _labels(self, points: Ramps, input: int) -> FuzzyPartition:
        """Return the partition of one input; if its split points are known, it has all of them."""
        partition, known = self._partition(points, input), self.table.known_splits.get(int(self.inputs[input]))
        if known is None or int(self.inputs[input]) in self.table.levels:
            return partition
        shares = np.full(len(known), self.fuzziness)
        used = _nearest(known, np.asarray(partition.split_points))
        shares[used] = partition.half_widths / half_widths(known, partition.domain, 1.0)[used]
        return FuzzyPartition(known, partition.domain, np.clip(shares, 0.0, 1.0))

    def _partition(self, points: Ramps, input: int) -> FuzzyPartition:
        """Return the partition of one input by its split points in the structure."""
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
            # The index of a split point among those of its input is the index of the label below it.
            label = np.full(len(structure.splits) + 1, -1, dtype=np.intc)
            own, known = structure.splits.of(j), self.table.known_splits.get(int(self.inputs[j]))
            places = np.asarray(self._partition(structure.splits, j).split_points)
            label[own] = np.arange(len(own)) if known is None else _nearest(known, places)
            lower, upper = structure.bounds[:, j].T
            ranges[:, j, 0] = np.where(lower >= 0, label[lower] + 1, 0)
            ranges[:, j, 1] = np.where(upper >= 0, label[upper], ranges[:, j, 1])
        return ranges

    def _curves(self, structure: Structure, coefficients: Floats, normal: Normal) -> tuple[Floats, list[Curve]]:
        """Return the coefficients that are left to the rules, and the curves.

        A curve includes the slope of its input that all rules share, so that it shows the whole effect. Its mean is
        zero, so that it adds a difference.
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
    """Keep increasing places apart from each other and from the ends of a domain with few floats."""
    apart, low = places.copy(), domain[0]
    for k in range(len(apart)):
        low = apart[k] = max(apart[k], np.nextafter(low, np.inf))
    high = domain[1]
    for k in reversed(range(len(apart))):
        high = apart[k] = min(apart[k], np.nextafter(high, -np.inf))
    return apart


def _nearest(known: Floats, places: Floats) -> Indices:
    """Return the index of the known split point nearest to each place."""
    return np.asarray(np.abs(known[:, None] - places).argmin(axis=0))


def _used(points: Ramps) -> list[int]:
    return [int(j) for j in np.unique(points.inputs)]


def in_units(
    point: FrontPoint, table: TrainingTable, inputs: Indices, rows: Sequence[Rows], missed: Sequence[HeldOutErrors]
) -> FrontPoint:
    """Return a model with its held-out error in the target's own units, for predictions within its bounds.

    Parameters
    ----------
    point : FrontPoint
        The model, with the error of the rules' outputs.
    table : TrainingTable
        The training table.
    inputs : ndarray of int
        The inputs of the rows.
    rows : sequence of Rows
        The rows that each fold held out, standardised.
    missed : sequence of HeldOutErrors
        The errors of the folds' models on these rows.
    """
    output = table.output
    if output.is_plain or output.loss.reweighted:
        return point
    scale = table.target_scale
    wanted = np.concatenate([part.y for part in rows]) * scale.spread + scale.centre
    said = wanted - np.concatenate([fold.errors for fold in missed])
    held_out = _half_mse(output.of(wanted) - output.of(said), rows)
    if not output.transform.keeps_units:
        # A few rows dominate the error of a skewed target, and may be in folds that were not needed. So the error is
        # that on all training rows, plus the held-out error less the model's own error on the same rows.
        model = replace(point.rule_base, output=output)
        fitted = _half_mse(output.of(wanted) - model.predict(_in_data_units(table, inputs, rows)), rows)
        return replace(point, cv_error=table.mean_loss(model) + max(held_out - fitted, 0.0))
    # Bounds make errors smaller; the output of the strongest rule alone is bounded, too.
    share = float(np.sqrt(held_out / point.cv_error)) if point.cv_error > 0.0 else 1.0
    return replace(point, cv_error=held_out, truth=None if point.truth is None else point.truth.scaled(share))


def _in_data_units(table: TrainingTable, inputs: Indices, rows: Sequence[Rows]) -> Floats:
    """Return rows in data units; inputs that were screened out, which no rule uses, are at their centre."""
    columns = np.concatenate([part.columns for part in rows], axis=1)
    values = np.tile(table.scale.centre, (columns.shape[1], 1))
    values[:, inputs] += columns.T * table.scale.spread[inputs]
    return values


def _half_mse(errors: Floats, rows: Sequence[Rows]) -> float:
    weight = np.concatenate([part.weight for part in rows])
    return float(np.average(np.square(errors), weights=weight)) / 2.0
