"""Names in exported text: other people wrote them, so nothing in them may end a comment, a line or a string."""

from __future__ import annotations

import re
from collections.abc import Iterable

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


def condition_text(rule_base: RuleBase, feature: int, first: int, last: int) -> str:
    """Return a condition in words, e.g. "dew_point is low or medium"."""
    variable = rule_base.variables[feature]
    return one_line(f"{variable.name} is {' or '.join(variable.partition.labels[first : last + 1])}")


def rule_title(rule_base: RuleBase, rule: int) -> str:
    """Return what a rule is called and when it applies, on one line."""
    conditions = [condition_text(rule_base, *part) for part in rule_base.antecedents.conditions(rule)]
    weight = "" if rule_base.support is None else f" (weight {rule_base.support[rule]:.0%})"
    return f"Rule {rule + 1}{weight}: if {' and '.join(conditions) or 'nothing else applies'}"


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
