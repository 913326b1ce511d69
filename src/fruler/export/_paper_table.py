"""The table of rules for papers, as data for Markdown and LaTeX."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from fruler._arrays import Floats
from fruler._wording import name_with_unit, readable_number, with_plus
from fruler.explain._conditions import GLUE, condition
from fruler.explain._effects import category_features, few_of, level_offsets
from fruler.explain._scales import bounds_sentence, scale_of
from fruler.explain._sentences import Form, bend_places, conclusion, rule_name
from fruler.export._phrases import accepted_text
from fruler.rules._curves import Curve
from fruler.rules._features import Feature
from fruler.rules._inputs import Variable
from fruler.rules._rule_base import RuleBase

MINUS = "−"
_NOTHING = 1e-9


class Column(NamedTuple):
    """A column of plain text, with one cell per rule; the target escapes and aligns it.

    Attributes
    ----------
    kind : str
        The content for each rule: its number ("rule"), its support in percent, the accepted labels or categories of an
        input ("condition"), the label of the output, the intercept, a coefficient ("term"), or the amounts added for
        the categories of a column ("offset"). An empty text means any value, or nothing.
    title : str
        The title.
    cells : list of str
        The texts.
    """

    kind: Literal["rule", "support", "condition", "label", "intercept", "term", "offset"]
    title: str
    cells: list[str]

    @property
    def is_number(self) -> bool:
        """Whether the cells are right-aligned."""
        return self.kind in ("rule", "support", "intercept", "term")


def rule_columns(rule_base: RuleBase, digits: int) -> list[Column]:
    """Arrange rules as a table.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> temperature = Variable("temperature", FuzzyPartition([10.0], (-10.0, 30.0)))
    >>> rules = RuleBase([temperature], [[[0, 0]], [[1, 1]]], [[25.0, -1.0], [5.25, 0.0]])
    >>> [column.cells for column in rule_columns(rules, digits=3)]
    [['1', '2'], ['low', 'high'], ['25', '5.25'], ['−1', '0']]
    """
    variables, rules = rule_base.variables, range(rule_base.n_rules)
    columns = [Column("rule", "Rule", [str(rule + 1) for rule in rules])]
    if rule_base.support is not None:
        columns.append(Column("support", "support", [f"{100.0 * share:.0f}" for share in rule_base.support]))
    subjects: dict[str, list[int]] = {}
    for j in rule_base.antecedent_inputs:
        subjects.setdefault(variables[j].subject, []).append(int(j))
    for subject, own in subjects.items():
        title = name_with_unit(subject, variables[own[0]].unit)
        columns.append(Column("condition", title, [_accepted(rule_base, rule, own) for rule in rules]))
    if rule_base.target is not None:
        columns.append(Column("label", "label", [rule_base.consequents.label(rule) or "" for rule in rules]))
    else:
        columns.append(Column("intercept", "intercept", _numbers(rule_base.consequents.intercepts, digits)))
        slopes = [j for j in rule_base.consequents.inputs if variables[j].levels is None]
        columns += [Column("term", f"× {variables[j].name}", _numbers(rule_base.slopes[:, j], digits)) for j in slopes]
    offsets = {one.name: _offsets(rule_base, one, digits) for one in category_features(rule_base)}
    return columns + [Column("offset", f"{name} adds", texts) for name, texts in offsets.items() if any(texts)]


def curve_bends(rule_base: RuleBase, digits: int) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return for each curve the name of its input and its bends: the place, and the amount added there.

    The place "< 10" is just below a jump at 10.
    """
    variables = [rule_base.variables[curve.input] for curve in rule_base.curves]
    pairs = zip(rule_base.curves, variables, strict=True)
    return [(name_with_unit(own.name, own.unit), _bends(curve, own, digits)) for curve, own in pairs]


def require_digits(digits: int) -> None:
    """Raise an error unless `digits` is an integer from 1 to 17."""
    if not (isinstance(digits, int) and 1 <= digits <= 17):
        raise ValueError(f"digits must be an integer from 1 to 17; got {digits!r}.")


def sentences(rule_base: RuleBase) -> list[tuple[str, str]]:
    """Return the name and the sentence of each rule."""
    return [
        (
            rule_name(rule_base, rule),
            f"if {condition(rule_base, rule)}, then {conclusion(rule_base, rule)}".replace(GLUE, " "),
        )
        for rule in range(rule_base.n_rules)
    ]


def notes_below(rule_base: RuleBase, form: Form) -> str:
    """Return notes on the scale of the numbers, if it is not that of the target, and on the bounds of predictions."""
    numbers = rule_base.target is None and (form == "equation" or bool(rule_base.curves))
    note = scale_of(rule_base).table_note(rule_base.target_name) if numbers else ""
    return " ".join(filter(None, (note, bounds_sentence(rule_base))))


def _numbers(values: Floats, digits: int) -> list[str]:
    return [_number(value, digits) for value in values.tolist()]


def _number(value: float, digits: int) -> str:
    return readable_number(value, digits).replace("-", MINUS)


def _accepted(rule_base: RuleBase, rule: int, inputs: list[int]) -> str:
    """Return the labels that a rule accepts of the inputs of one column; an empty text means any value."""
    asked = [j for j in inputs if rule_base.looks_at[rule, j]]
    return accepted_text(rule_base, rule, asked[0]) if asked else ""


def _offsets(rule_base: RuleBase, feature: Feature, digits: int) -> list[str]:
    """Return for each rule the amounts that it adds for the categories of a feature, the smallest first."""
    texts = []
    for rule in range(rule_base.n_rules):
        offsets = sorted(level_offsets(rule_base, rule, feature).items(), key=lambda pair: pair[1])
        texts.append(few_of([f"{level} {with_plus(_number(value, digits))}" for level, value in offsets]))
    return texts


def _bends(curve: Curve, variable: Variable, digits: int) -> list[tuple[str, str]]:
    bends = curve.bends()
    # Amounts next to nothing are rounding errors of zero.
    adds = np.where(np.abs(bends.adds) < _NOTHING * np.ptp(bends.adds), 0.0, bends.adds)
    written = zip(bend_places(curve, variable), bends.below_jump, strict=True)
    places = [f"{'< ' if jump else ''}{text}".replace("-", MINUS) for text, jump in written]
    return list(zip(places, _numbers(adds, digits), strict=True))
