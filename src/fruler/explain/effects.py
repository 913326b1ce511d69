"""How far inputs range where a rule applies, and by how much its terms change the output over these ranges."""

from __future__ import annotations

import numpy as np

from fruler._typing import Floats
from fruler.rules.rule_base import RuleBase

# A standard deviation to either side of the centre. Unlike quantiles it is not nothing for what is rare, it is about 1
# for an input that is as often 0 as 1, and it does not jump from row to row with the last bit of a rule's weight.
_SPREADS = 2.0


def input_ranges(rule_base: RuleBase) -> Floats:
    """Return the least and the greatest value of each input, shape (n_inputs, 2).

    Over the training rows, or in its partition where these are not known.
    """
    if rule_base.training is not None:
        return np.column_stack([rule_base.training.low, rule_base.training.high])
    return np.array([variable.partition.range for variable in rule_base.variables])


def rule_widths(rule_base: RuleBase) -> Floats:
    """Return how far each input ranges where each rule applies, shape (n_rules, n_inputs).

    That is two standard deviations, in which every training row counts by the rule's weight in its prediction; the
    whole range where the rows are not known.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([5.0], (0.0, 10.0), 0.0))
    >>> rules = RuleBase([x], [[[0, 0]], [[1, 1]]], [[0.0, 1.0], [2.0, 1.0]])
    >>> rule_widths(rules).tolist(), rule_widths(rules.with_training([[1.0], [3.0], [9.0]], [1.0, 3.0, 9.0])).tolist()
    ([[10.0], [10.0]], [[2.0], [0.0]])
    """
    training = rule_base.training
    if training is not None and training.spreads is not None:
        return _SPREADS * training.spreads
    ranges = input_ranges(rule_base)
    return np.tile(ranges[:, 1] - ranges[:, 0], (rule_base.n_rules, 1))


def typical_rows(rule_base: RuleBase) -> Floats | None:
    """Return the typical row of each rule, shape (n_rules, n_inputs); None where it is not known.

    That is the centre of the rows where the rule applies. Of an input that is 0 or 1 it has the one that is more common
    there, for no row has half a garden.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> garden, size = (Variable(name, FuzzyPartition([], (0.0, 9.0))) for name in ("garden", "size"))
    >>> line = RuleBase([garden, size], [[[0, 0], [0, 0]]], [[0.0, 1.0, 1.0]])
    >>> typical_rows(line.with_training([[0.0, 1.0], [1.0, 2.0], [1.0, 3.0]], [1.0, 3.0, 4.0])).tolist()
    [[1.0, 2.0]]
    """
    training = rule_base.training
    if training is None or training.centres is None:
        return None
    # More than half, by more than rounding can make of a half.
    common = np.where(training.centres > 0.5 + 1e-9, 1.0, 0.0)
    plain = np.array([is_binary(rule_base, j) and one.levels is None for j, one in enumerate(rule_base.variables)])
    return np.where(plain, common, training.centres)


def is_binary(rule_base: RuleBase, feature: int) -> bool:
    """Return whether an input was 0 or 1 in every training row, and is known to have been both."""
    training = rule_base.training
    if training is None:
        return False
    between = training.histograms[feature, 1:-1]
    return bool(training.low[feature] == 0.0 and training.high[feature] == 1.0 and not between.any())


def signed_effects(rule_base: RuleBase) -> Floats:
    """Return by how much each rule's output changes over each input where the rule applies, shape (n_rules, n_inputs).

    `rule_widths` says how far an input ranges there. Over the categories of an input the output changes from the one
    that adds least to the one that adds most, of those that the rule holds for.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([], (2.0, 12.0)))
    >>> signed_effects(RuleBase([x], [[[0, 0]]], [[7.0, -0.5]])).tolist()
    [[-5.0]]
    """
    effects = np.asarray(rule_base.slopes * rule_widths(rule_base))
    for j, variable in enumerate(rule_base.variables):
        if variable.levels is not None and not variable.is_indicator:
            numbers = dict(variable.choices)
            for rule in range(rule_base.n_rules):
                own = [numbers[level] for level in rule_base.antecedents.levels(rule, j)]
                effects[rule, j] = rule_base.slopes[rule, j] * (max(own) - min(own) if own else 0.0)
    return effects


def output_spread(rule_base: RuleBase) -> float:
    """Return the spread of what the rules should say: in the training data, or a share of what they can say.

    That is the spread of the target, or of what stands for it.
    """
    if rule_base.training is not None and rule_base.training.spread > 0.0:
        return rule_base.training.spread
    if rule_base.consequents.partition is not None:
        low, high = rule_base.consequents.partition.range
        return float(high - low) / 4.0
    ranges = input_ranges(rule_base)
    slopes = rule_base.slopes
    middle = rule_base.consequents.intercepts + slopes @ (ranges[:, 0] / 2.0 + ranges[:, 1] / 2.0)
    reach = np.abs(slopes) @ (ranges[:, 1] / 2.0 - ranges[:, 0] / 2.0)
    spans = [np.ptp(curve.outline(*ranges[curve.input].tolist())[1]) for curve in rule_base.curves]
    # A spread is about a quarter of a range.
    return float((middle + reach).max() - (middle - reach).min() + sum(spans)) / 4.0


def target_spread(rule_base: RuleBase) -> float:
    """Return the spread of the target: in the training data, or about that of what the rules can predict."""
    if rule_base.training is not None and rule_base.training.target_spread > 0.0:
        return rule_base.training.target_spread
    spread = output_spread(rule_base)
    if rule_base.output.transform.keeps_units:
        return spread
    middle = rule_base.raw_predictions(input_ranges(rule_base).mean(axis=1)[None])[0]
    return float(np.diff(rule_base.output.of(middle + spread * np.array([-0.5, 0.5])))[0])
