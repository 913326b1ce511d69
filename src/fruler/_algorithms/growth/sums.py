"""A structure on rows: the weights of its rules, and the sums for its normal equations."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import reduce
from typing import NamedTuple, Self

import numpy as np

from fruler._algorithms.growth.structure import Ramps, Structure
from fruler._algorithms.growth.terms import Normal
from fruler._arrays import Floats, Indices
from fruler._kernels import growth_sums
from fruler._table.rows import Rows
from fruler.rules._losses import Loss

# The number of rows whose rule weights are in memory at a time.
_ROWS_A_SLICE = 16_384


class Degrees(NamedTuple):
    """A structure evaluated in each row.

    Attributes
    ----------
    ramps : ndarray of shape (n_splits, n_rows)
        How far the row has passed each split point, from 0 to 1.
    weights : ndarray of shape (n_rules, n_rows)
        The weight of each rule; the weights of a row sum to one.
    bends : ndarray of shape (n_bends, n_rows)
        How far the row has passed each bend of a curve, from 0 to 1.
    columns : ndarray of shape (2 n_bends, n_rows)
        The terms of the curves: for each piece a step, and a slope from its place on.
    """

    ramps: Floats
    weights: Floats
    bends: Floats
    columns: Floats


def degrees_of(structure: Structure, rows: Rows) -> Degrees:
    """Evaluate a structure in some rows."""
    ramps = growth_sums.ramps(rows.columns, *structure.splits.arrays)
    weights = growth_sums.rule_weights(ramps, *structure.conditions)
    bends = growth_sums.ramps(rows.columns, *structure.bends.arrays)
    return Degrees(ramps, weights, bends, curve_columns(structure.bends, bends, rows))


def curve_columns(points: Ramps, bends: Floats, rows: Rows) -> Floats:
    """Return the terms of pieces of curves, shape (2 n_pieces, n_rows)."""
    return growth_sums.curve_columns(rows.columns, bends, points.inputs, points.places)


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums over rows for the normal equations; the sums of two sets of rows can be added.

    Attributes
    ----------
    pairs : ndarray of shape (n_pairs, n_packed)
        Products of the terms of all pairs of rules; packed, see `fruler._kernels.growth_sums`.
    moments : ndarray of shape (n_rules, n_inputs + 1)
        Products of the rules' terms with y.
    curve_terms : ndarray of shape (n_rules, 2 n_bends, n_inputs + 1)
        Products of the curves' terms with the terms of the rules.
    curve_gram, curve_moments : ndarray of shape (2 n_bends, 2 n_bends) and (2 n_bends,)
        Products of the curves' terms with each other, and with y.
    square, weight : float
        The sum of squares of y, and the sum of the rows' weights.
    """

    pairs: Floats
    moments: Floats
    curve_terms: Floats
    curve_gram: Floats
    curve_moments: Floats
    square: float
    weight: float

    @classmethod
    def over(cls, rows: Rows, degrees: Degrees) -> Self:
        """Sum up some rows."""
        pairs, moments = growth_sums.pair_sums(rows.rows, degrees.weights, rows.y, rows.weight)
        terms, gram, with_y = growth_sums.column_sums(rows.rows, degrees.weights, degrees.columns, rows.y, rows.weight)
        return cls(pairs, moments, terms, gram, with_y, rows.square, rows.total_weight)

    def __add__(self, other: Sums) -> Sums:
        return self._combined(other, np.add)

    def __sub__(self, other: Sums) -> Sums:
        return self._combined(other, np.subtract)

    def _combined(self, other: Sums, operation: np.ufunc) -> Sums:
        return Sums(*(operation(getattr(self, one.name), getattr(other, one.name)) for one in fields(self)))

    @property
    def n_rules(self) -> int:
        """The number of rules."""
        return len(self.moments)

    @property
    def support(self) -> Floats:
        """The total weight of each rule over all rows."""
        support = np.zeros(self.n_rules)
        upper = np.repeat(np.arange(self.n_rules), np.arange(1, self.n_rules + 1))
        lower = np.concatenate([np.arange(k + 1) for k in range(self.n_rules)])
        ones = self.pairs[:, 0]
        np.add.at(support, upper, ones)
        apart = upper != lower
        np.add.at(support, lower[apart], ones[apart])
        return support

    def after_split(self, rule: int, upper: Floats, rows: Rows, degrees: Degrees) -> Sums:
        """Return the sums after the split of a rule; in each row the new rule takes the weight `upper` from it."""
        new, moments = growth_sums.new_rule_sums(rows.rows, degrees.weights, upper, rows.y, rows.weight)
        terms, _, _ = growth_sums.column_sums(rows.rows, upper[None], degrees.columns, rows.y, rows.weight)
        n = self.n_rules
        pairs = np.concatenate([self.pairs, new])
        with_others = np.arange(n)
        low, high = np.minimum(with_others, rule), np.maximum(with_others, rule)
        # The rule loses the new rule's products with all rules; its own twice, but for the square of the new rule.
        pairs[high * (high + 1) // 2 + low] -= new[:n]
        own = rule * (rule + 1) // 2 + rule
        pairs[own] += new[n] - new[rule]
        pairs[len(self.pairs) + rule] -= new[n]
        all_moments = np.concatenate([self.moments, moments])
        all_moments[rule] -= moments[0]
        curve_terms = np.concatenate([self.curve_terms, terms])
        curve_terms[rule] -= terms[0]
        return replace(self, pairs=pairs, moments=all_moments, curve_terms=curve_terms)

    def with_columns(self, columns: Floats, rows: Rows, degrees: Degrees) -> Sums:
        """Return the sums with the terms of a further piece of a curve."""
        terms, gram, moments = growth_sums.column_sums(rows.rows, degrees.weights, columns, rows.y, rows.weight)
        across = (degrees.columns * rows.weight) @ columns.T
        return replace(
            self,
            curve_terms=np.concatenate([self.curve_terms, terms], axis=1),
            curve_gram=np.block([[self.curve_gram, across], [across.T, gram]]),
            curve_moments=np.concatenate([self.curve_moments, moments]),
        )

    def normal(self, structure: Structure, locality: float) -> Normal:
        """Return the normal equations of a structure's blocks and curves, for the mixed error."""
        gram, moment = growth_sums.normal_equations(
            (self.pairs, self.moments),
            (self.curve_terms, self.curve_gram, self.curve_moments),
            structure.blocks,
            *structure.origins,
            locality,
            self.weight,
        )
        return Normal(gram, moment, self.square / self.weight, self.weight)


@dataclass(frozen=True, eq=False)
class Around:
    """The predictions around which a loss counts as a squared error: those of a fitted structure."""

    loss: Loss
    coefficients: Floats

    def working(self, structure: Structure, rows: Rows, degrees: Degrees) -> Rows:
        """Return rows with working responses and weights."""
        raw = outputs_of(structure, self.coefficients, rows, degrees).together
        return working_rows(self.loss, rows, raw)


def working_rows(loss: Loss, rows: Rows, raw: Floats) -> Rows:
    """Return rows whose squared errors, weighted, are the loss near raw predictions; for the squared error the same."""
    if not loss.reweighted:
        return rows
    response, weight = loss.working(rows.y, raw)
    return replace(rows, y=response, weight=rows.weight * weight)


def sums_in_slices(structure: Structure, rows: Rows, around: Around | None = None) -> Sums:
    """Sum up many rows in slices, so that only the weights of one slice are in memory at a time."""
    starts = range(0, max(len(rows), 1), _ROWS_A_SLICE)
    parts = (rows.take(slice(start, start + _ROWS_A_SLICE)) for start in starts)

    def summed(part: Rows) -> Sums:
        degrees = degrees_of(structure, part)
        return Sums.over(part if around is None else around.working(structure, part, degrees), degrees)

    return reduce(Sums.__add__, map(summed, parts))


def sum_rows(rows: Rows, structure: Structure, inputs: Indices, around: Around | None = None) -> Sums:
    """Sum up rows for a structure that uses only some of the inputs; around predictions, if given."""
    return sums_in_slices(structure, rows.with_inputs(inputs), around)


def rule_coefficients(structure: Structure, coefficients: Floats) -> Floats:
    """Return the consequents of the rules, intercept first, from the coefficients of all terms; without curves."""
    n, q = structure.n_rules, structure.n_inputs + 1
    blocks = coefficients[: n * q].reshape(n, q).copy()
    columns, places = structure.origins
    numbers = np.arange(n)
    blocks[:, 0] -= np.where(columns > 0, places * blocks[numbers, columns], 0.0)
    return np.asarray(structure.blocks @ blocks)


def curve_lines(structure: Structure, coefficients: Floats) -> Floats:
    """Return intercept and slope of the line that each piece of a curve adds from its bend on, shape (n_bends, 2)."""
    lines = coefficients[structure.n_rules * (structure.n_inputs + 1) :].reshape(-1, 2).copy()
    lines[:, 0] -= structure.bends.places * lines[:, 1]
    return lines


class Outputs(NamedTuple):
    """The outputs of a fitted structure in rows.

    Attributes
    ----------
    rules : ndarray of shape (n_rules, n_rows)
        The output of each rule, without the curves.
    curves : ndarray of shape (n_rows,)
        The sum of the curves.
    together : ndarray of shape (n_rows,)
        The prediction.
    """

    rules: Floats
    curves: Floats
    together: Floats

    def of_strongest(self, degrees: Degrees) -> Floats:
        """Return the output of the strongest rule of each row by itself, curves included."""
        return np.asarray(self.rules[degrees.weights.argmax(axis=0), np.arange(len(self.curves))] + self.curves)


def outputs_of(structure: Structure, coefficients: Floats, rows: Rows, degrees: Degrees) -> Outputs:
    """Return the outputs of a fitted structure in rows."""
    rules = rule_coefficients(structure, coefficients) @ rows.rows.T
    curves = coefficients[structure.n_rules * (structure.n_inputs + 1) :] @ degrees.columns
    return Outputs(rules, curves, np.einsum("kn,kn->n", degrees.weights, rules) + curves)
