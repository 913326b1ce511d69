"""What rules do, in numbers: the categories they hold for, typical rows and outputs, the effects of inputs."""

from __future__ import annotations

import numpy as np

from fruler._typing import Floats
from fruler.rules._features import Feature
from fruler.rules._rule_base import RuleBase

# Of more categories than these at either end of their order only the ends are named.
_MAX_ENDS_NAMED = 4
# A standard deviation to either side of the centre. Unlike quantiles it is not nothing for what is rare, it is about 1
# for an input that is as often 0 as 1, and it does not jump from row to row with the last bit of a rule's weight.
_SPREADS = 2.0


def accepted_levels(rule_base: RuleBase, rule: int, feature: Feature) -> list[str]:
    """Return the categories of a feature that a rule holds for, in the order of what they add.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> from fruler._table.sources import LevelSource
    >>> origin = LevelSource("origin", ["japan", "usa", "europe"], [1.0, -1.0, 0.5])
    >>> x = Variable("origin", FuzzyPartition([0.0], (-1.0, 1.0), 0.0)).of(origin)
    >>> rules = RuleBase([x], [[[0, 0]], [[1, 1]]], [[1.0, 0.0], [2.0, 3.0]])
    >>> accepted_levels(rules, 0, rules.features[0]), accepted_levels(rules, 1, rules.features[0])
    (['usa'], ['europe', 'japan'])
    """
    found: list[str] | None = None
    for j in feature.inputs:
        own = rule_base.antecedents.levels(rule, j)
        found = own if found is None else [level for level in found if level in own]
    return found or []


def level_offsets(rule_base: RuleBase, rule: int, feature: Feature) -> dict[str, float]:
    """Return what a rule adds for each category of a feature that it holds for; empty where it makes no difference.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> from fruler._table.sources import LevelSource
    >>> x = Variable("origin", FuzzyPartition([], (-1.0, 1.0)), source=LevelSource("origin", "ab", [-1.0, 1.0]))
    >>> rules = RuleBase([x], [[[0, 0]]], [[5.0, 2.0]])
    >>> level_offsets(rules, 0, rules.features[0])
    {'a': -2.0, 'b': 2.0}
    """
    terms = rule_base.consequents.terms(rule)
    offsets: dict[str, float] = {}
    for j in feature.inputs:
        levels = rule_base.variables[j].levels
        if levels is None or j not in terms:
            continue
        for level, value in zip(levels.levels, levels.values, strict=True):
            if levels.indicated is None or levels.indicated == level or len(levels.levels) == 2:
                offsets[level] = offsets.get(level, 0.0) + terms[j] * value
    return {level: offsets[level] for level in accepted_levels(rule_base, rule, feature) if level in offsets}


def category_features(rule_base: RuleBase) -> list[Feature]:
    """Return the features that are categories of a column."""
    return [feature for feature in rule_base.features if feature.has_levels]


def at_single_levels(rule_base: RuleBase, rule: int, row: Floats) -> Floats:
    """Return a row with the category that a rule holds for, of every feature of which it holds for one only.

    Examples
    --------
    >>> import numpy as np
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> from fruler._table.sources import LevelSource
    >>> x = Variable("origin", FuzzyPartition([0.0], (-1.0, 1.0), 0.0)).of(LevelSource("origin", "ab", [-1.0, 1.0]))
    >>> at_single_levels(RuleBase([x], [[[0, 0]], [[0, 1]]], [[5.0, 2.0]] * 2), 0, np.array([0.5])).tolist()
    [-1.0]
    """
    found = np.array(row)
    for feature in category_features(rule_base):
        accepted = accepted_levels(rule_base, rule, feature)
        if len(accepted) == 1:
            found[feature.index] = next(option.values for option in feature.options if option.text == accepted[0])
    return found


def level_changes(rule_base: RuleBase, rule: int, feature: Feature, row: Floats) -> dict[str, float]:
    """Return by how much each category that a rule holds for changes its output from that of a row.

    The typical row of a rule has the mean of a column of categories, so changes count from the mean of what the
    categories add there. Empty where they make no difference.

    Examples
    --------
    >>> import numpy as np
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> from fruler._table.sources import LevelSource
    >>> x = Variable("origin", FuzzyPartition([], (-1.0, 1.0)), source=LevelSource("origin", "ab", [-1.0, 1.0]))
    >>> rules = RuleBase([x], [[[0, 0]]], [[5.0, 2.0]])
    >>> level_changes(rules, 0, rules.features[0], np.array([0.5]))
    {'a': -3.0, 'b': 1.0}
    """
    terms = rule_base.consequents.terms(rule)
    accepted = accepted_levels(rule_base, rule, feature)
    if not any(j in terms for j in feature.inputs) or len(accepted) < 2:
        return {}
    slopes = np.array([terms.get(j, 0.0) for j in feature.inputs])
    numbers = dict(feature.options)
    return {level: float(slopes @ (np.array(numbers[level]) - row[feature.index])) for level in accepted}


def few_of(parts: list[str]) -> str:
    """List what categories add, in the order of what they add; of many the ends.

    Examples
    --------
    >>> few_of([f"{letter} +{k}" for k, letter in enumerate("abcdefghij", 1)])
    'a +1, b +2, c +3, d +4, 2 others between, g +7, h +8, i +9, j +10'
    """
    if len(parts) > 2 * _MAX_ENDS_NAMED:
        n_between = len(parts) - 2 * _MAX_ENDS_NAMED
        between = f"{n_between} other{'' if n_between == 1 else 's'} between"
        parts = [*parts[:_MAX_ENDS_NAMED], between, *parts[-_MAX_ENDS_NAMED:]]
    return ", ".join(parts)


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


def knows_typical_rows(rule_base: RuleBase) -> bool:
    """Return whether the training rows where each rule applies are known."""
    return rule_base.training is not None and rule_base.training.centres is not None


def typical_rows(rule_base: RuleBase) -> Floats:
    """Return the typical row of each rule, shape (n_rules, n_inputs).

    The row is the centre of the training rows where the rule applies. An input that is 0 or 1 has its more common value
    there, since no row has half a garden, and a column of which the rule accepts a single category has this category.
    Where the training rows are not known, each input has the middle of the values that the rule accepts.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> garden, size = (Variable(name, FuzzyPartition([], (0.0, 9.0))) for name in ("garden", "size"))
    >>> line = RuleBase([garden, size], [[[0, 0], [0, 0]]], [[0.0, 1.0, 1.0]])
    >>> typical_rows(line.with_training([[0.0, 1.0], [1.0, 2.0], [1.0, 3.0]], [1.0, 3.0, 4.0])).tolist()
    [[1.0, 2.0]]
    >>> typical_rows(line).tolist()
    [[4.5, 4.5]]
    """
    training = rule_base.training
    if training is None or training.centres is None:
        rows = np.array([_middle_row(rule_base, rule) for rule in range(rule_base.n_rules)])
    else:
        # More than half, by more than rounding can make of a half.
        common = np.where(training.centres > 0.5 + 1e-9, 1.0, 0.0)
        plain = [is_binary(rule_base, j) and one.levels is None for j, one in enumerate(rule_base.variables)]
        rows = np.where(plain, common, training.centres)
    return np.array([at_single_levels(rule_base, rule, row) for rule, row in enumerate(rows)])


def _middle_row(rule_base: RuleBase, rule: int) -> Floats:
    """Return the middle of each input's range, or of the values that a rule accepts of it."""
    ranges = input_ranges(rule_base)
    row: Floats = ranges.mean(axis=1)
    for j, first, last in rule_base.antecedents.conditions(rule):
        partition = rule_base.antecedents.condition_inputs[j].partition
        if partition.ordered:
            ends = zip(partition.half_way(first, last), ranges[j].tolist(), strict=True)
            row[j] = np.mean([end if split is None else split for split, end in ends])
        else:
            row[j] = partition.groups[first][0]
    return row


def curve_parts(rule_base: RuleBase, rows: Floats) -> Floats:
    """Return what each curve adds to each rule at its typical row, shape (n_curves, n_rules).

    Over the training rows it is the mean over the rule's rows, since a typical value may lie between them.
    """
    if rule_base.training is not None and rule_base.training.curve_means is not None:
        return rule_base.training.curve_means
    parts = [curve.values(rows[:, curve.input]) for curve in rule_base.curves]
    return np.array(parts).reshape(rule_base.n_curves, rule_base.n_rules)


def typical_outputs(rule_base: RuleBase) -> Floats:
    """Return the output of each rule at its typical row, shape (n_rules,): the number in its sentence.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([5.0], (0.0, 10.0), 0.0))
    >>> rules = RuleBase([x], [[[0, 0]], [[1, 1]]], [[0.0, 1.0], [2.0, 1.0]])
    >>> typical_outputs(rules).tolist(), typical_outputs(rules.with_training([[1.0], [9.0]], [1.0, 9.0])).tolist()
    ([2.5, 9.5], [1.0, 11.0])
    """
    rows = typical_rows(rule_base)
    linear = rule_base.consequents.intercepts + (rule_base.slopes * rows).sum(axis=1)
    return rule_base.output.of(linear + curve_parts(rule_base, rows).sum(axis=0))


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
