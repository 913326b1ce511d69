"""The table of rules for papers, before it is written as Markdown or LaTeX."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fruler._wording import readable_number
from fruler.explain.categories import category_subjects, level_offsets
from fruler.explain.scales import bounds_sentence, scale_of
from fruler.explain.text import Form, bend_places
from fruler.export.names import accepted_text
from fruler.rules.curves import Curve
from fruler.rules.rule_base import RuleBase
from fruler.rules.variables import Variable

MINUS = "−"
_NOTHING = 1e-9
# Of more categories than these at either end of their order only the ends are named.
_MAX_ENDS_NAMED = 4


@dataclass(frozen=True)
class PaperTable:
    """Plain texts; a target escapes and arranges them.

    Attributes
    ----------
    conditions, terms : tuple of (str, str)
        Name and unit of the inputs that any rule looks at, and of those that any rule's output uses; the inputs of a
        column of categories are one condition, and no term.
    supports : tuple of str
        For each rule its share in the predictions of the training rows, in percent; empty where it is not known.
    labels : tuple of tuples of str
        For each rule and condition the accepted labels; an empty text: any.
    numbers : tuple of tuples of str
        For each rule the intercept and its coefficients, rounded; nothing where rules say labels.
    said : tuple of str
        For each rule the label of the output that it says; empty where rules say numbers.
    categories : tuple of str
        The columns of categories for which any rule adds something.
    offsets : tuple of tuples of str
        For each rule and column of categories what the rule adds for each of them; an empty text: nothing.
    curves : tuple of (str, str, tuple of (str, str))
        For each curve the name and the unit of its input, and its bends: where, and what it adds there; "< 10"
        is just below a jump at 10.
    """

    conditions: tuple[tuple[str, str], ...]
    terms: tuple[tuple[str, str], ...]
    supports: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    numbers: tuple[tuple[str, ...], ...]
    said: tuple[str, ...]
    categories: tuple[str, ...]
    offsets: tuple[tuple[str, ...], ...]
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
    slopes = [int(j) for j in rule_base.consequents.inputs if variables[j].levels is None]
    subjects: dict[str, list[int]] = {}
    for j in rule_base.antecedent_inputs:
        subjects.setdefault(variables[j].subject, []).append(int(j))
    offsets = {subject: _offsets(rule_base, subject, digits) for subject in category_subjects(rule_base)}
    offsets = {subject: texts for subject, texts in offsets.items() if any(texts)}
    support = () if rule_base.support is None else tuple(100.0 * rule_base.support)
    return PaperTable(
        conditions=tuple((subject, variables[own[0]].unit) for subject, own in subjects.items()),
        terms=tuple((variables[j].name, variables[j].unit) for j in slopes),
        supports=tuple(f"{share:.0f}" for share in support),
        labels=tuple(
            tuple(_accepted(rule_base, rule, own) for own in subjects.values()) for rule in range(rule_base.n_rules)
        ),
        numbers=_numbers(rule_base, slopes, digits),
        said=tuple(label for rule in range(rule_base.n_rules) if (label := rule_base.consequents.label(rule))),
        categories=tuple(offsets),
        offsets=tuple(tuple(texts[rule] for texts in offsets.values()) for rule in range(rule_base.n_rules)),
        curves=tuple(
            (variables[curve.input].name, variables[curve.input].unit, _bends(curve, variables[curve.input], digits))
            for curve in rule_base.curves
        ),
    )


def notes_below(rule_base: RuleBase, form: Form) -> str:
    """Say what the numbers of a table are of, where that is not the target, and within what bounds predictions lie."""
    numbers = rule_base.target is None and (form == "equation" or bool(rule_base.curves))
    note = scale_of(rule_base).table_note(rule_base.target_name) if numbers else ""
    return " ".join(filter(None, (note, bounds_sentence(rule_base))))


def _numbers(rule_base: RuleBase, slopes: list[int], digits: int) -> tuple[tuple[str, ...], ...]:
    """Write the intercept of each rule and some of its slopes; nothing where rules say labels."""
    if rule_base.target is not None:
        return ((),) * rule_base.n_rules
    numbers = np.column_stack([rule_base.consequents.intercepts, rule_base.slopes[:, slopes]])
    return tuple(tuple(readable_number(value, digits).replace("-", MINUS) for value in row) for row in numbers)


def _accepted(rule_base: RuleBase, rule: int, inputs: list[int]) -> str:
    """Write what a rule accepts of inputs that belong together; an empty text: anything."""
    asked = [j for j in inputs if rule_base.looks_at[rule, j]]
    return accepted_text(rule_base, rule, asked[0]) if asked else ""


def _offsets(rule_base: RuleBase, subject: str, digits: int) -> list[str]:
    """Write what each rule adds for the categories of a subject, the least first."""
    texts = []
    for rule in range(rule_base.n_rules):
        offsets = sorted(level_offsets(rule_base, rule, subject).items(), key=lambda pair: pair[1])
        parts = [f"{level} {_signed(value, digits)}" for level, value in offsets]
        if len(parts) > 2 * _MAX_ENDS_NAMED:
            between = f"{len(parts) - 2 * _MAX_ENDS_NAMED} others between"
            parts = [*parts[:_MAX_ENDS_NAMED], between, *parts[-_MAX_ENDS_NAMED:]]
        texts.append(", ".join(parts))
    return texts


def _signed(value: float, digits: int) -> str:
    text = readable_number(value, digits)
    return text.replace("-", MINUS) if value <= 0.0 else f"+{text}"


def _bends(curve: Curve, variable: Variable, digits: int) -> tuple[tuple[str, str], ...]:
    bends = curve.bends()
    # What is left of a zero after rounding is one.
    adds = np.where(np.abs(bends.adds) < _NOTHING * np.ptp(bends.adds), 0.0, bends.adds)
    written = bend_places(curve, variable)
    places = [f"< {text}" if jump else text for text, jump in zip(written, bends.below_jump, strict=True)]
    texts = [readable_number(value, digits) for value in adds.tolist()]
    return tuple(
        (place.replace("-", MINUS), text.replace("-", MINUS)) for place, text in zip(places, texts, strict=True)
    )
