"""The table of rules for papers, before it is written as Markdown or LaTeX."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fruler._wording import readable_number
from fruler.explain.text import bend_places
from fruler.rules.curves import Curve
from fruler.rules.rule_base import RuleBase

MINUS = "−"
_NOTHING = 1e-9


@dataclass(frozen=True)
class PaperTable:
    """Plain texts; a target escapes and arranges them.

    Attributes
    ----------
    conditions, terms : tuple of (str, str)
        Name and unit of the inputs that any rule looks at, and of those that any rule's output uses.
    weights : tuple of str
        For each rule its share in the predictions of the training rows, in percent; empty where it is not known.
    labels : tuple of tuples of str
        For each rule and condition the accepted labels; an empty text: any.
    numbers : tuple of tuples of str
        For each rule the intercept and its coefficients, rounded.
    curves : tuple of (str, str, tuple of (str, str))
        For each curve the name and the unit of its input, and its bends: where, and what it adds there; "< 10"
        is just below a jump at 10.
    """

    conditions: tuple[tuple[str, str], ...]
    terms: tuple[tuple[str, str], ...]
    weights: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    numbers: tuple[tuple[str, ...], ...]
    curves: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...]


def paper_table(rule_base: RuleBase, digits: int = 3) -> PaperTable:
    """Arrange a rule base as a table.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> temperature = Variable("temperature", FuzzyPartition([10.0], (-10.0, 30.0)))
    >>> rules = RuleBase([temperature], [[[0, 0]], [[1, 1]]], [[25.0, -1.0], [5.25, 0.0]])
    >>> paper_table(rules).numbers
    (('25', '−1'), ('5.25', '0'))
    """
    if not (isinstance(digits, int) and 1 <= digits <= 17):
        raise ValueError(f"digits must be a whole number from 1 to 17; got {digits!r}.")
    variables = rule_base.variables
    slopes = np.flatnonzero(rule_base.consequents.uses)
    used = [0, *(slopes + 1)]
    labels = []
    for rule in range(rule_base.n_rules):
        row = []
        for j in rule_base.antecedent_inputs:
            first, last = rule_base.antecedents.accepted(rule, j)
            accepted = variables[j].partition.labels[first : last + 1]
            row.append(" or ".join(accepted) if rule_base.looks_at[rule, j] else "")
        labels.append(tuple(row))
    support = () if rule_base.support is None else tuple(100.0 * rule_base.support)
    return PaperTable(
        conditions=tuple((variables[j].name, variables[j].unit) for j in rule_base.antecedent_inputs),
        terms=tuple((variables[j].name, variables[j].unit) for j in slopes),
        weights=tuple(f"{share:.0f}" for share in support),
        labels=tuple(labels),
        numbers=tuple(
            tuple(readable_number(value, digits).replace("-", MINUS) for value in consequent[used])
            for consequent in rule_base.consequents.coefficients
        ),
        curves=tuple(
            (variables[curve.input].name, variables[curve.input].unit, _bends(curve, digits))
            for curve in rule_base.curves
        ),
    )


def _bends(curve: Curve, digits: int) -> tuple[tuple[str, str], ...]:
    bends = curve.bends()
    # What is left of a zero after rounding is one.
    adds = np.where(np.abs(bends.adds) < _NOTHING * np.ptp(bends.adds), 0.0, bends.adds)
    places = [f"< {text}" if jump else text for text, jump in zip(bend_places(curve), bends.below_jump, strict=True)]
    texts = [readable_number(value, digits) for value in adds.tolist()]
    return tuple(
        (place.replace("-", MINUS), text.replace("-", MINUS)) for place, text in zip(places, texts, strict=True)
    )
