"""Rules in plain language."""

from __future__ import annotations

import textwrap

import numpy as np

from fruler.explain.numbers import readable_number
from fruler.rules.partition import FuzzyPartition
from fruler.rules.rule_base import RuleBase
from fruler.scaling import Floats

# Keeps a sign and its term on one line; no space to `textwrap`, and turned into one after the wrapping.
_GLUE = "\u00a0"


def rules_text(rule_base: RuleBase, *, width: int = 100) -> str:
    """Write the rules as "if ... then ..." sentences.

    The terms of a rule stand in the order of their effect: how much the output changes over the input's range. Terms
    that are zero and inputs that a rule does not look at are left out. A single rule without an antecedent is a
    formula.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    width : int, default=100
        Columns of the text.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> temperature = Variable("temperature", FuzzyPartition([10.0, 20.0], (-10.0, 30.0)), "°C")
    >>> rules = RuleBase([temperature], [[[0, 0]], [[1, 2]]], [[25.0, -1.0], [5.25, 0.0]], target_name="heating")
    >>> print(rules_text(rules))
    2 rules for heating
    <BLANKLINE>
    Rule 1
      if temperature is low
      then heating = 25 - 1·temperature
    <BLANKLINE>
    Rule 2
      if temperature is medium or high
      then heating = 5.25
    """
    target = rule_base.target_name
    unit = f" ({rule_base.target_unit})" if rule_base.target_unit else ""
    formulas = [_formula(rule_base, consequent) for consequent in rule_base.consequents]
    if rule_base.n_rules == 1 and not rule_base.looks_at.any():
        return f"1 rule for {target}{unit}\n\n" + _wrapped(f"{target} = {formulas[0]}", width, "", "    ")
    parts = [f"{rule_base.n_rules} rule{'s' if rule_base.n_rules > 1 else ''} for {target}{unit}"]
    for number, (rule, formula) in enumerate(zip(rule_base.rules, formulas, strict=True), 1):
        support = "" if rule_base.support is None else f" (weight {rule_base.support[number - 1]:.0%})"
        conditions = [f"{name} is {' or '.join(labels)}" for name, labels in rule.antecedent.items()]
        condition = " and ".join(conditions) or "nothing else applies"
        lines = [
            f"Rule {number}{support}",
            _wrapped(f"if {condition}", width, "  ", "     "),
            _wrapped(f"then {target} = {formula}", width, "  ", "       "),
        ]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _wrapped(text: str, width: int, first: str, others: str) -> str:
    filled = textwrap.fill(
        text, width, initial_indent=first, subsequent_indent=others, break_long_words=False, break_on_hyphens=False
    )
    return filled.replace(_GLUE, " ")


def _formula(rule_base: RuleBase, consequent: Floats) -> str:
    """Write a linear output, the terms with the largest effect first."""
    slopes = consequent[1:]
    effects = np.abs(slopes) * [_extent(rule_base, j) for j in range(len(slopes))]
    terms = readable_number(consequent[0])
    for j in np.argsort(-effects, kind="stable"):
        if slopes[j] != 0.0:
            sign = "-" if slopes[j] < 0.0 else "+"
            terms += f" {sign}{_GLUE}{readable_number(abs(slopes[j]))}·{rule_base.variables[j].name}"
    return terms


def _extent(rule_base: RuleBase, feature: int) -> float:
    partition = rule_base.variables[feature].partition
    if isinstance(partition, FuzzyPartition):
        return partition.domain[1] - partition.domain[0]
    codes = [code for group in partition.groups for code in group]
    return max(codes) - min(codes)
