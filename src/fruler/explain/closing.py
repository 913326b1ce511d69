"""What is said below rules: what they do not use, within what bounds they predict, and how large their errors are."""

from __future__ import annotations

import numpy as np

from fruler._typing import Floats
from fruler._wording import counted, in_groups, number_within
from fruler.explain.scales import bounds_sentence, scale_of
from fruler.rules.rule_base import RuleBase

# How far printed errors may be off, as a share of the target's spread.
_SHARE_OF_ERROR = 0.002
# A rule whose error is so many times the model's is named with it; of more rules than this only the worst.
_NOTEWORTHY = 1.25
_MAX_RULES_NAMED = 3
# More unused columns than this are counted.
_MAX_UNUSED_NAMED = 8


def unused_sentence(rule_base: RuleBase) -> str:
    """Name the columns that the rules do not use; "" where they use all.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x, z = (Variable(name, FuzzyPartition([], (0.0, 1.0))) for name in "xz")
    >>> unused_sentence(RuleBase([x, z], [[[0, 0], [0, 0]]], [[1.0, 2.0, 0.0]]))
    'Not used: z'
    """
    pairs = zip(rule_base.variables, rule_base.uses, strict=True)
    used = {variable.column for variable, uses in pairs if uses}
    unused = [column for column in rule_base.columns if column not in used]
    named, n_more = unused[:_MAX_UNUSED_NAMED], len(unused[_MAX_UNUSED_NAMED:])
    more = f" and {counted(n_more, 'more column')}" if n_more else ""
    return f"Not used: {', '.join(named)}{more}" if unused else ""


def closing_sentences(rule_base: RuleBase) -> str:
    """Say within what bounds predictions lie, and how large the typical error is, where either is known."""
    return " ".join(filter(None, (bounds_sentence(rule_base), truth_sentence(rule_base))))


def truth_sentence(rule_base: RuleBase) -> str:
    """Say how large the typical error is, of all rules together and of the strongest alone; "" where it isn't known.

    Rules whose own error is clearly larger, over the rows in which they are the strongest, are named.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
    >>> steps = RuleBase([x], [[[0, 0]], [[1, 1]]], [[0.0, 0.0], [2.0, 0.0]], target_unit="m")
    >>> truth_sentence(steps.with_training([[0.0], [0.1], [1.0]], [0.6, 0.5, 1.4]))
    'Typical error on training rows: 0.520 m; by the strongest rule alone: 0.569 m.'
    """
    training = rule_base.training
    if training is None or training.truth is None:
        return ""
    truth, tolerance, scale = training.truth, _SHARE_OF_ERROR * training.spread, scale_of(rule_base)
    # NaN, of rules that are nowhere the strongest, is not larger than anything.
    larger = np.flatnonzero(truth.rule_together > _NOTEWORTHY * truth.together + tolerance)
    told = [
        scale.change(float(error), tolerance) for error in (truth.together, truth.alone, *truth.rule_together[larger])
    ]
    numbers = _alike([number_within(one.number, one.tolerance) for one in told])
    marked = (one.marked(number) for one, number in zip(told, numbers, strict=True))
    together, alone, *own = (f"{number} {scale.unit(rule_base.target_unit)}".rstrip() for number in marked)
    said = f"Typical error on {'held-out' if truth.held_out else 'training'} rows: {together}"
    if rule_base.n_rules > 1:
        said += f"; by the strongest rule alone: {alone}"
        if not truth.holds(training.spread):
            said += ", so read the rules together, not one by one"
    return f"{said}.{_larger(larger.tolist(), own, truth.rule_together)}"


def _larger(rules: list[int], errors: list[str], rule_errors: Floats) -> str:
    """Name the rules with larger errors; of many the one with the largest."""
    named = [f"rule {rule + 1} ({error})" for rule, error in zip(rules, errors, strict=True)]
    if not named:
        return ""
    if len(named) > _MAX_RULES_NAMED:
        worst = named[int(np.argmax(rule_errors[rules]))]
        return f" It is larger for {len(named)} rules, most for {worst}."
    *first, last = named
    return f" It is larger for {', '.join(first)} and {last}." if first else f" It is larger for {last}."


def _alike(numbers: list[str]) -> list[str]:
    """Give numbers that are read side by side as many decimal places."""
    if any("e" in number for number in numbers):
        return numbers
    places = max(len(number.partition(".")[2]) for number in numbers)
    return [in_groups(f"{float(number.replace(',', '')):.{places}f}") for number in numbers]
