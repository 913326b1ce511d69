"""Where the rows of each rule lie: sums that add up over parts of the rows, and what they say."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from fruler._typing import Floats
from fruler.rules.rule_base import RuleBase

# The weights of all rules in more rows than this at once would take much memory.
_ROWS_AT_ONCE = 10_000
# Nobody reads more digits of where the rows of a rule lie: shares of an input's range, and of a spread.
_EXACTNESS = 1e-5
# What rounding leaves of the variance of numbers from 0 to 1 that are all the same.
_NOTHING = 1e-14


class RulePlaces(NamedTuple):
    """Where the rows of each rule lie.

    Attributes
    ----------
    centres, spreads : ndarray of shape (n_rules, n_inputs)
        Mean and standard deviation of each input.
    curve_means : ndarray of shape (n_curves, n_rules) or None
        What each curve adds on average, where there are any. At the mean of its input a curve may add something else:
        between two winters lies a summer.
    """

    centres: Floats
    spreads: Floats
    curve_means: Floats | None


class PlaceSums(NamedTuple):
    """What places are made of: sums over rows, each counted by the rule's weight in its prediction.

    Attributes
    ----------
    total : ndarray of shape (n_rules,)
        How much rows count.
    first, second : ndarray of shape (n_rules, n_inputs)
        The inputs and their squares, as shares of the inputs' ranges: those of large numbers would overflow.
    curves : ndarray of shape (n_curves, n_rules)
        What the curves add, as shares of the most that each of them does.
    """

    total: Floats
    first: Floats
    second: Floats
    curves: Floats

    @classmethod
    def over_rows(cls, rule_base: RuleBase, values: Floats, weight: Floats, low: Floats, high: Floats) -> PlaceSums:
        """Sum up rows; `rule_places` says what each argument is."""
        counts = rule_base.activations(values)[0] * weight[:, None]
        shares = np.clip((values / 2.0 - low / 2.0) / _half_width(low, high), 0.0, 1.0)
        curves = np.empty((len(rule_base.curves), rule_base.n_rules))
        for c, (curve, size) in enumerate(zip(rule_base.curves, _curve_sizes(rule_base, low, high), strict=True)):
            curves[c] = curve.values(values[:, curve.input]) / size @ counts
        return cls(counts.sum(axis=0), counts.T @ shares, counts.T @ np.square(shares), curves)

    def plus(self, other: PlaceSums) -> PlaceSums:
        """Return the sums over the rows of both."""
        return PlaceSums(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))

    def places(self, rule_base: RuleBase, low: Floats, high: Floats) -> RulePlaces:
        """Return where the rows lie, for inputs of these ranges."""
        total, first, second, curves = (np.array(sums) for sums in self)
        # A rule that applies to no row is told of from the middle of all of them.
        nowhere = total <= 0.0
        total[nowhere], first[nowhere], second[nowhere] = total.sum() or 1.0, first.sum(axis=0), second.sum(axis=0)
        curves[:, nowhere] = curves.sum(axis=1, keepdims=True)
        means = np.clip(first / total[:, None], 0.0, 1.0)
        variances = second / total[:, None] - np.square(means)
        width = 2.0 * _half_width(low, high)
        spreads = width * np.sqrt(np.where(variances > _NOTHING, variances, 0.0))
        centres = _rounded(low * (1.0 - means) + high * means, np.broadcast_to(_EXACTNESS * width, means.shape))
        sizes = _curve_sizes(rule_base, low, high)[:, None]
        added = _rounded(curves / total * sizes, np.broadcast_to(_EXACTNESS * sizes, curves.shape))
        spreads = _rounded(spreads, _EXACTNESS * spreads)
        return RulePlaces(np.clip(centres, low, high), spreads, added if len(added) else None)


def rule_places(rule_base: RuleBase, values: Floats, weight: Floats, low: Floats, high: Floats) -> RulePlaces:
    """Measure where each rule applies: every row counts by the rule's weight in its prediction.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    values : ndarray of shape (n_samples, n_inputs)
        The rows.
    weight : ndarray of shape (n_samples,)
        How much each row counts.
    low, high : ndarray of shape (n_inputs,)
        The range of each input.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([5.0], (0.0, 10.0), 0.0))
    >>> rules = RuleBase([x], [[[0, 0]], [[1, 1]]], [[0.0, 0.0], [2.0, 0.0]])
    >>> rows = np.array([[0.0], [4.0], [9.0]])
    >>> centres, spreads, _ = rule_places(rules, rows, np.ones(3), rows.min(axis=0), rows.max(axis=0))
    >>> centres.tolist(), spreads.tolist()
    ([[2.0], [9.0]], [[2.0], [0.0]])
    """
    sums = no_rows(rule_base)
    for start in range(0, len(values), _ROWS_AT_ONCE):
        part = slice(start, start + _ROWS_AT_ONCE)
        sums = sums.plus(PlaceSums.over_rows(rule_base, values[part], weight[part], low, high))
    return sums.places(rule_base, low, high)


def no_rows(rule_base: RuleBase) -> PlaceSums:
    """Return the sums over no rows."""
    shape = (rule_base.n_rules, len(rule_base.variables))
    curves = np.zeros((len(rule_base.curves), rule_base.n_rules))
    return PlaceSums(np.zeros(shape[0]), np.zeros(shape), np.zeros(shape), curves)


def _curve_sizes(rule_base: RuleBase, low: Floats, high: Floats) -> Floats:
    """Return the most that each curve adds or takes away within these ranges, by which its sums are divided."""
    ends = [(float(low[curve.input]), float(high[curve.input])) for curve in rule_base.curves]
    most = [np.abs(curve.outline(*end)[1]).max() for curve, end in zip(rule_base.curves, ends, strict=True)]
    return np.array([size or 1.0 for size in most], dtype=np.float64)


def _half_width(low: Floats, high: Floats) -> Floats:
    # Of halves: the difference of the ends may overflow.
    return np.where(high > low, high / 2.0 - low / 2.0, 1.0)


def _rounded(values: Floats, steps: Floats) -> Floats:
    """Return numbers with as few digits as keep them within steps: files stay short, and last bits do not matter."""
    pairs = zip(values.ravel().tolist(), steps.ravel().tolist(), strict=True)
    return np.array([_with_few_digits(*pair) for pair in pairs]).reshape(values.shape)


def _with_few_digits(value: float, step: float) -> float:
    if abs(value) <= step / 2.0 or step == 0.0:
        return 0.0 if abs(value) <= step / 2.0 else value
    return float(f"{value:.{min(max(math.ceil(math.log10(abs(value)) - math.log10(step)), 0) + 1, 17)}g}")
