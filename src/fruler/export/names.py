"""Names in exported text: other people wrote them, so nothing in them may end a comment, a line or a string."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fruler.explain.categories import accepted_levels
from fruler.explain.text import categories_text, is_yes, rule_name
from fruler.rules.rule_base import RuleBase

_LONGEST_IDENTIFIER = 40


def one_line(text: str) -> str:
    r"""Return text that stays on its line: what cannot be printed is spelled out.

    Examples
    --------
    >>> print(one_line("dew\npoint"))
    dew\npoint
    """
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)


def accepted_text(rule_base: RuleBase, rule: int, feature: int) -> str:
    """Return what a rule accepts of an input, e.g. "low or medium"; of categories their names.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> from fruler.table.sources import LevelSource
    >>> levels = ["japan", "usa", "europe"]
    >>> switch = FuzzyPartition([0.5], (0.0, 1.0))
    >>> sources = {f"origin={own}": LevelSource.indicator("origin", levels, own) for own in levels}
    >>> inputs = [Variable(name, switch, source=source) for name, source in sources.items()]
    >>> rules = RuleBase(inputs, [[[0, 0], [0, 1], [0, 1]], [[1, 1], [0, 1], [0, 1]]], [[1.0, 0, 0, 0], [2.0, 0, 0, 0]])
    >>> accepted_text(rules, 0, 0), accepted_text(rules, 1, 0)
    ('usa or europe', 'japan')
    """
    variable = rule_base.antecedents.condition_inputs[feature]
    first, last = rule_base.antecedents.accepted(rule, feature)
    if variable.levels is not None and variable.partition.ordered:
        accepted = accepted_levels(rule_base, rule, variable.subject)
        if accepted:
            return categories_text(accepted, variable.levels.levels)
    if variable.tells_gaps and rule_base.looks_at[rule, feature]:
        return "yes" if is_yes(variable.partition, first, last) else "no"
    return variable.words(first, last) or " or ".join(variable.partition.labels[first : last + 1])


def rule_title(rule_base: RuleBase, rule: int) -> str:
    """Return what a rule is called and when it applies, on one line."""
    parts = {}
    for j, _, _ in rule_base.antecedents.conditions(rule):
        variable, accepted = rule_base.variables[j], accepted_text(rule_base, rule, j)
        # A set of numbers can lie between those of all categories.
        subject = variable.subject if accepted_levels(rule_base, rule, variable.subject) else variable.name
        told = rule_base.variables[j].tells_gaps
        parts[subject] = f"{subject}: {accepted}" if told else f"{subject} is {accepted}"
    conditions = [one_line(part) for part in parts.values()]
    return f"{rule_name(rule_base, rule)}: if {' and '.join(conditions) or 'nothing else applies'}"


class Identifiers:
    """Gives every name an identifier of its own: ASCII letters, digits and underscores.

    Parameters
    ----------
    reserved : iterable of str
        Words that are taken.

    Examples
    --------
    >>> identifiers = Identifiers(["class"])
    >>> identifiers.new("dew point", "x1"), identifiers.new("dew-point", "x2"), identifiers.new("°", "x3")
    ('dew_point', 'dew_point_2', 'x3')
    """

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._taken = set(reserved)

    def new(self, name: str, instead: str) -> str:
        """Return an identifier like the name; `instead` is for a name without a usable character."""
        plain = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")[:_LONGEST_IDENTIFIER].strip("_")
        if not plain:
            plain = instead
        elif plain[0].isdigit():
            plain = f"{instead}_{plain}"
        found, number = plain, 1
        while found in self._taken:
            number += 1
            found = f"{plain}_{number}"
        self._taken.add(found)
        return found
