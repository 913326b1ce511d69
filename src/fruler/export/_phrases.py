"""Names and expressions in exported code; no name may end a comment, a line or a string."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from fruler._wording import percent, printable
from fruler.explain._conditions import categories_text, is_yes
from fruler.explain._effects import accepted_levels
from fruler.export._plan import CurvePlan
from fruler.rules._features import feature_with
from fruler.rules._rule_base import RuleBase

_LONGEST_IDENTIFIER = 40


def accepted_text(rule_base: RuleBase, rule: int, feature: int) -> str:
    """Return the labels or categories that a rule accepts of an input, e.g. "low or medium".

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> from fruler._table.sources import LevelSource
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
        accepted = accepted_levels(rule_base, rule, feature_with(rule_base.features, feature))
        if accepted:
            return categories_text(accepted, variable.levels.levels)
    if variable.tells_gaps and rule_base.looks_at[rule, feature]:
        return "yes" if is_yes(variable.partition, first, last) else "no"
    return variable.words(first, last) or " or ".join(variable.partition.labels[first : last + 1])


def rule_title(rule_base: RuleBase, rule: int) -> str:
    """Return the name and the antecedent of a rule, on one line."""
    parts = {}
    for j, _, _ in rule_base.antecedents.conditions(rule):
        variable, accepted = rule_base.variables[j], accepted_text(rule_base, rule, j)
        # A rule may accept numbers between those of the categories, and thus no category.
        feature = feature_with(rule_base.features, j)
        subject = feature.name if accepted_levels(rule_base, rule, feature) else variable.name
        parts[subject] = f"{subject}: {accepted}" if variable.tells_gaps else f"{subject} is {accepted}"
    conditions = [printable(part) for part in parts.values()]
    share = "" if rule_base.support is None else f" ({percent(float(rule_base.support[rule]))} of the rows)"
    return f"Rule {rule + 1}{share}: if {' and '.join(conditions) or 'nothing else applies'}"


class Identifiers:
    """Distinct identifiers for names, of ASCII letters, digits and underscores.

    Parameters
    ----------
    reserved : iterable of str
        Words that must not be used.

    Examples
    --------
    >>> identifiers = Identifiers(["class"])
    >>> identifiers.new("dew point", "x1"), identifiers.new("dew-point", "x2"), identifiers.new("°", "x3")
    ('dew_point', 'dew_point_2', 'x3')
    """

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._taken = set(reserved)

    def new(self, name: str, instead: str) -> str:
        """Return an identifier similar to the name, or `instead` for a name without a usable character."""
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


def linear(intercept: float, slopes: Mapping[str, float], number: Callable[[float], str] = repr) -> str:
    """Return a linear expression in the syntax of most languages.

    Parameters
    ----------
    intercept : float
        The constant.
    slopes : mapping of str to float
        Slopes by the identifier of their factor.
    number : callable, default=repr
        The function that writes a number.

    Examples
    --------
    >>> linear(25.0, {"a": -1.0, "b": 0.5})
    '25.0 - 1.0 * a + 0.5 * b'
    """
    return number(intercept) + linear_terms(slopes, number)


def linear_terms(slopes: Mapping[str, float], number: Callable[[float], str] = repr) -> str:
    """Return terms to add to an expression, with a sign before each.

    Examples
    --------
    >>> linear_terms({"a": -1.0, "b": 0.5})
    ' - 1.0 * a + 0.5 * b'
    """
    return "".join(f" {'-' if slope < 0.0 else '+'} {number(abs(slope))} * {name}" for name, slope in slopes.items())


def curve_expression(curve: CurvePlan, name: str, shares: Sequence[str], number: Callable[[float], str] = repr) -> str:
    """Return the value of a curve as an expression in the syntax of most languages.

    Parameters
    ----------
    curve : CurvePlan
        The curve.
    name : str
        The identifier of its input.
    shares : sequence of str
        Expressions for the share above each of its split points.
    number : callable, default=repr
        The function that writes a number.

    Examples
    --------
    >>> curve_expression(CurvePlan(0, (0,), ((-5.0, 1.0), (10.0, -1.0))), "age", ["over"])
    '-5.0 + 1.0 * age + over * (10.0 - 1.0 * age)'
    """
    first, *steps = [linear(start, {name: slope} if slope else {}, number) for start, slope in curve.lines]
    return first + "".join(f" + {share} * ({step})" for share, step in zip(shares, steps, strict=True))
