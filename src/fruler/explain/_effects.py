"""Numbers behind the sentences on rules: accepted categories, typical rows and outputs, the effects of inputs."""

from __future__ import annotations

import numpy as np

from fruler._arrays import Floats, Indices
from fruler.rules._features import Feature
from fruler.rules._rule_base import RuleBase

# Longer lists of categories are cut to this many names at either end.
_MAX_ENDS_NAMED = 4


def accepted_levels(rule_base: RuleBase, rule: int, feature: Feature) -> list[str]:
    """Return the categories of a feature that a rule accepts, in the order of their values.

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


def category_features(rule_base: RuleBase) -> list[Feature]:
    """Return the features with categories."""
    return [feature for feature in rule_base.features if feature.has_levels]


def at_single_levels(rule_base: RuleBase, rule: int, row: Floats) -> Floats:
    """Return a copy of a row in which features have the accepted category, if the rule accepts only one of theirs.

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


def few_of(parts: list[str]) -> str:
    """Join the texts of categories with commas; a long list is cut to its two ends.

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


def outermost(order: Indices, most: int) -> Indices:
    """Return as many from the start as from the end of an order; all if they are not more than `most`."""
    half = most // 2
    return order if len(order) <= most else np.concatenate([order[:half], order[-half:]])


def typical_rows(rule_base: RuleBase) -> Floats:
    """Return the typical row of each rule, shape (n_rules, n_inputs).

    The row is the centre of the training rows where the rule applies. A binary input has its more common value there,
    since no row has half a garden, and a column of categories has the accepted category if there is only one. Without
    a training summary, each input has the middle of the values that the rule accepts.

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
    background = rule_base.background
    if background.places is None:
        rows = np.array([_middle_row(rule_base, rule) for rule in range(rule_base.n_rules)])
    else:
        # Clearly more than half: a half may be rounded up.
        common = np.where(background.places[0] > 0.5 + 1e-9, 1.0, 0.0)
        plain = [background.is_binary(j) and one.levels is None for j, one in enumerate(rule_base.variables)]
        rows = np.where(plain, common, background.places[0])
    return np.array([at_single_levels(rule_base, rule, row) for rule, row in enumerate(rows)])


def _middle_row(rule_base: RuleBase, rule: int) -> Floats:
    """Return a row with the middle of each input's range, or of the values that a rule accepts."""
    ranges = rule_base.background.ranges
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
    """Return the value of each curve at the typical row of each rule, shape (n_curves, n_rules).

    With a training summary it is the mean over the rule's rows, since a typical value may lie between them.
    """
    if rule_base.background.curve_means is not None:
        return rule_base.background.curve_means
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


def signed_effects(rule_base: RuleBase) -> Floats:
    """Return the change of each rule's output over each input where the rule applies, shape (n_rules, n_inputs).

    It is the slope times the width of the input (see `Background.widths`). For an input with categories, the width is
    the range of the values of the categories that the rule accepts.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([], (2.0, 12.0)))
    >>> signed_effects(RuleBase([x], [[[0, 0]]], [[7.0, -0.5]])).tolist()
    [[-5.0]]
    """
    effects = np.asarray(rule_base.slopes * rule_base.background.widths)
    for j, variable in enumerate(rule_base.variables):
        if variable.levels is not None and not variable.is_indicator:
            numbers = dict(variable.choices)
            for rule in range(rule_base.n_rules):
                own = [numbers[level] for level in rule_base.antecedents.levels(rule, j)]
                effects[rule, j] = rule_base.slopes[rule, j] * (max(own) - min(own) if own else 0.0)
    return effects
