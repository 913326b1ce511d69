"""A Markdown table of the rules."""

from __future__ import annotations

import re

from fruler._wording import name_with_unit, printable
from fruler.explain._sentences import Form, meaningful, require_form, where_labels_meet
from fruler.export._paper_table import curve_bends, notes_below, require_digits, rule_columns, sentences
from fruler.rules._rule_base import RuleBase

_Column = tuple[str, bool, list[str]]


def export(rule_base: RuleBase, *, digits: int = 3, form: Form = "equation") -> str:
    """Write the rules as a Markdown table: the labels of each input, then the linear output.

    Parameters
    ----------
    rule_base : RuleBase
        The model.
    digits : int, default=3
        The number of significant digits of coefficients.
    form : {"equation", "sentences"}, default="equation"
        A table of intercepts and coefficients, or a list of the sentences of `rules_text`.

    Returns
    -------
    str
        The table. Inputs that are not in the antecedent have a dash. The amounts that a rule adds for categories have a
        separate column, "usa −1.3, japan +2.1". Curves have a separate table below, with the amounts added at their
        bends. If consequents are labels, the table has labels instead of numbers. Labels that are triangles are listed
        below, with the values that they stand for.

    See Also
    --------
    fruler.RuleBase.to_markdown : The same as a method.
    fruler.export.export_model : The same for any target.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> temperature = Variable("temperature", FuzzyPartition([10.0], (-10.0, 30.0)), "°C")
    >>> rules = RuleBase([temperature], [[[0, 0]], [[1, 1]]], [[25.0, -1.0], [5.25, 0.0]], target_name="heating")
    >>> print(export(rules))
    | Rule | temperature (°C) | Intercept | × temperature |
    |-----:|:-----------------|----------:|--------------:|
    |    1 | low              |        25 |            −1 |
    |    2 | high             |      5.25 |             0 |
    <BLANKLINE>
    >>> trained = rules.with_training([[-2.0], [2.0], [20.0]], [27.0, 23.0, 5.0])
    >>> print(export(trained, form="sentences"))  # doctest: +ELLIPSIS
    - Rule 1 (58% of the rows): if temperature is low (under 10 °C), then heating is about 22.3; -1 per °C of ...
    - Rule 2 (42% of the rows): if temperature is high (over 10 °C), then heating is about 5.2
    <BLANKLINE>
    """
    require_form(form)
    require_digits(digits)
    if form == "sentences":
        text = "".join(f"- {_escaped(f'{name}: {said}')}\n" for name, said in sentences(rule_base))
        curves = f"\n{_curves(rule_base, 3)}"
    else:
        target = name_with_unit(rule_base.target_name, rule_base.target_unit)
        titles = {"support": "Support (%)", "label": f"Then {target} is", "intercept": "Intercept"}
        columns = rule_columns(rule_base, digits)
        text = _table(
            [
                (
                    _escaped(titles.get(own.kind, own.title)),
                    own.is_number,
                    [_escaped(cell) or "–" for cell in own.cells],
                )
                for own in columns
            ]
        )
        subject = "A curve adds" if rule_base.n_curves == 1 else f"{rule_base.n_curves} curves add"
        curves = f"\n{subject} to the output of every rule:\n\n{_curves(rule_base, digits)}"
    note = _escaped(notes_below(rule_base, form))
    return text + (curves if rule_base.curves else "") + _meanings(rule_base) + (f"\n{note}\n" if note else "")


def _meanings(rule_base: RuleBase) -> str:
    """List the values of labels that are triangles; the table does not list the split points of other labels."""
    lines = [
        f"- {_escaped(name_with_unit(variable.name, variable.unit))}: {_escaped(where_labels_meet(variable))}\n"
        for variable in meaningful(rule_base)
        if variable.partition.of_triangles
    ]
    return "\nWhat labels stand for:\n\n" + "".join(lines) if lines else ""


def _curves(rule_base: RuleBase, digits: int) -> str:
    """Write a table of the curves at their bends."""
    rows = [(name, *bend) for name, bends in curve_bends(rule_base, digits) for bend in bends]
    titles = (("Curve of", False), ("At", True), ("Adds", True))
    return _table([(*title, [_escaped(row[place]) for row in rows]) for place, title in enumerate(titles)])


def _table(columns: list[_Column]) -> str:
    """Write a table of columns, each a title, whether its cells are right-aligned, and the cells."""
    widths = [max(map(len, [title, *cells, "---"])) for title, _, cells in columns]
    sides = [right for _, right, _ in columns]
    head = [title.ljust(width) for (title, _, _), width in zip(columns, widths, strict=True)]
    dashes = ["-" * (width + 1) for width in widths]
    rule = "|".join(f"{dash}:" if right else f":{dash}" for dash, right in zip(dashes, sides, strict=True))
    lines = [f"| {' | '.join(head)} |", f"|{rule}|"]
    for row in zip(*(cells for _, _, cells in columns), strict=True):
        placed = zip(row, widths, sides, strict=True)
        lines.append(f"| {' | '.join(cell.rjust(w) if right else cell.ljust(w) for cell, w, right in placed)} |")
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    """Return text with Markdown's special characters escaped, and those of HTML written as entities."""
    plain = re.sub(r"[\\`*_{}\[\]|~$#!]", r"\\\g<0>", printable(text))
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
