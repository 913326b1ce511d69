"""How far inputs range, and by how much the terms of the rules change the output over these ranges."""

from __future__ import annotations

import numpy as np

from fruler._typing import Floats
from fruler.rules.rule_base import RuleBase


def input_ranges(rule_base: RuleBase) -> Floats:
    """Return the least and the greatest value of each input, shape (n_inputs, 2).

    Over the training rows, or in its partition where these are not known.
    """
    if rule_base.training is not None:
        return np.column_stack([rule_base.training.low, rule_base.training.high])
    return np.array([variable.partition.range for variable in rule_base.variables])


def signed_effects(rule_base: RuleBase) -> Floats:
    """Return by how much each rule's output changes over each input's range, shape (n_rules, n_inputs).

    Over the categories of an input it changes from the one that adds least to the one that adds most, of those that the
    rule holds for.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([], (2.0, 12.0)))
    >>> signed_effects(RuleBase([x], [[[0, 0]]], [[7.0, -0.5]])).tolist()
    [[-5.0]]
    """
    ranges = input_ranges(rule_base)
    effects = np.asarray(rule_base.slopes * (ranges[:, 1] - ranges[:, 0]))
    for j, variable in enumerate(rule_base.variables):
        if variable.levels is not None and not variable.is_indicator:
            numbers = dict(variable.choices)
            for rule in range(rule_base.n_rules):
                own = [numbers[level] for level in rule_base.antecedents.levels(rule, j)]
                effects[rule, j] = rule_base.slopes[rule, j] * (max(own) - min(own) if own else 0.0)
    return effects


def output_spread(rule_base: RuleBase) -> float:
    """Return the spread of the target: that of the training data, or a share of what the rules can say."""
    if rule_base.training is not None and rule_base.training.target_spread > 0.0:
        return rule_base.training.target_spread
    if rule_base.target is not None:
        low, high = rule_base.target.partition.range
        return float(high - low) / 4.0
    ranges = input_ranges(rule_base)
    slopes = rule_base.slopes
    middle = rule_base.consequents.intercepts + slopes @ (ranges[:, 0] / 2.0 + ranges[:, 1] / 2.0)
    reach = np.abs(slopes) @ (ranges[:, 1] / 2.0 - ranges[:, 0] / 2.0)
    spans = [np.ptp(curve.outline(*ranges[curve.input].tolist())[1]) for curve in rule_base.curves]
    # A spread is about a quarter of a range.
    return float((middle + reach).max() - (middle - reach).min() + sum(spans)) / 4.0
