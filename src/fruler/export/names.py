"""Names in exported text: other people wrote them, so nothing in them may end a comment, a line or a string."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from fruler.export.plan import CurvePlan
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


def linear(intercept: float, slopes: Mapping[str, float], number: Callable[[float], str] = repr) -> str:
    """Return a linear expression that most languages read.

    Parameters
    ----------
    intercept : float
        The constant.
    slopes : mapping of str to float
        Slopes by the identifier that they are multiplied with.
    number : callable, default=repr
        Writes a number.

    Examples
    --------
    >>> linear(25.0, {"a": -1.0, "b": 0.5})
    '25.0 - 1.0 * a + 0.5 * b'
    """
    terms = (f" {'-' if slope < 0.0 else '+'} {number(abs(slope))} * {name}" for name, slope in slopes.items())
    return number(intercept) + "".join(terms)


def curve_expression(curve: CurvePlan, name: str, shares: Sequence[str], number: Callable[[float], str] = repr) -> str:
    """Return what a curve adds as an expression that most languages read.

    Parameters
    ----------
    curve : CurvePlan
        The curve.
    name : str
        The identifier of its input.
    shares : sequence of str
        Expressions of how far a row has gone over each of its borders.
    number : callable, default=repr
        Writes a number.

    Examples
    --------
    >>> curve_expression(CurvePlan(0, (0,), ((-5.0, 1.0), (10.0, -1.0))), "age", ["over"])
    '-5.0 + 1.0 * age + over * (10.0 - 1.0 * age)'
    """
    first, *steps = [linear(start, {name: slope} if slope else {}, number) for start, slope in curve.lines]
    return first + "".join(f" + {share} * ({step})" for share, step in zip(shares, steps, strict=True))


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
