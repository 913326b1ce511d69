"""A Markdown table of the rules."""

from __future__ import annotations

import re

from fruler._wording import name_with_unit
from fruler.explain.sentences import GLUE
from fruler.explain.text import Form, conclusion, condition, meaningful, require_form, rule_name, where_labels_meet
from fruler.export.names import one_line
from fruler.export.paper_table import PaperTable, notes_below, paper_table
from fruler.rules.rule_base import RuleBase

_Column = tuple[str, bool, list[str]]


def export(rule_base: RuleBase, *, digits: int = 3, form: Form = "equation") -> str:
    """Write the rules as a table in Markdown: labels of each input, then the linear output.

    Parameters
    ----------
    rule_base : RuleBase
        The model.
    digits : int, default=3
        The number of significant digits of coefficients.
    form : {"equation", "sentences"}, default="equation"
        A table of intercepts and coefficients, or a list of the sentences that `rules_text` writes.

    Returns
    -------
    str
        The table. An input that is not in the antecedent has a dash. What a rule adds for categories is a column of its
        own, "usa −1.3, japan +2.1". Curves have a table of their own below: what each
        adds at its bends. If the output is a label, it has labels instead of numbers. Labels that are triangles
        are listed below, with the values that they stand for.

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
    - Rule 1 (58% of the rows): if temperature is low (below about 10 °C), then heating is about 22.3; -1 per °C of ...
    - Rule 2 (42% of the rows): if temperature is high (above about 10 °C), then heating is about 5.2
    <BLANKLINE>
    """
    require_form(form)
    if form == "sentences":
        return _sentences(rule_base)
    table = paper_table(rule_base, digits)
    columns = [("Rule", True, [str(rule + 1) for rule in range(rule_base.n_rules)])]
    if table.supports:
        columns.append(("Support (%)", True, list(table.supports)))
    for place, (name, unit) in enumerate(table.conditions):
        labels = [_escaped(row[place]) or "–" for row in table.labels]
        columns.append((_escaped(name_with_unit(name, unit)), False, labels))
    if table.said:
        target = _escaped(name_with_unit(rule_base.target_name, rule_base.target_unit))
        columns.append((f"Then {target} is", False, [_escaped(label) for label in table.said]))
    titles = ["Intercept", *(f"× {_escaped(name)}" for name, _ in table.terms)] if not table.said else []
    for place, title in enumerate(titles):
        columns.append((title, True, [row[place] for row in table.numbers]))
    for place, name in enumerate(table.categories):
        columns.append((f"{_escaped(name)} adds", False, [_escaped(row[place]) or "–" for row in table.offsets]))
    text = _table(columns)
    if table.curves:
        subject = "A curve adds" if len(table.curves) == 1 else f"{len(table.curves)} curves add"
        text += f"\n{subject} to the output of every rule:\n\n{_table(_curve_columns(table))}"
    return text + _meanings(rule_base) + _below(rule_base, "equation")


def _below(rule_base: RuleBase, form: Form) -> str:
    """Write what the numbers are of, and the bounds of predictions."""
    said = _escaped(notes_below(rule_base, form))
    return f"\n{said}\n" if said else ""


def _sentences(rule_base: RuleBase) -> str:
    """Write one item per rule, and below them what curves add and what labels stand for."""
    lines = []
    for rule in range(rule_base.n_rules):
        where = f"if {condition(rule_base, rule)}, then "
        said = f"{rule_name(rule_base, rule)}: {where}{conclusion(rule_base, rule)}"
        lines.append(f"- {_escaped(said.replace(GLUE, ' '))}\n")
    table = paper_table(rule_base)
    below = f"\n{_table(_curve_columns(table))}" if table.curves else ""
    return "".join(lines) + below + _meanings(rule_base) + _below(rule_base, "sentences")


def _meanings(rule_base: RuleBase) -> str:
    """Write what values labels stand for that are triangles; where others meet is not part of the table."""
    lines = [
        f"- {_escaped(name_with_unit(variable.name, variable.unit))}: {_escaped(where_labels_meet(variable))}\n"
        for variable in meaningful(rule_base)
        if variable.partition.of_triangles
    ]
    return "\nWhat labels stand for:\n\n" + "".join(lines) if lines else ""


def _curve_columns(table: PaperTable) -> list[_Column]:
    names = [_escaped(name_with_unit(name, unit)) for name, unit, bends in table.curves for _ in bends]
    at, adds = ([_escaped(bend[part]) for _, _, bends in table.curves for bend in bends] for part in (0, 1))
    return [("Curve of", False, names), ("At", True, at), ("Adds", True, adds)]


def _table(columns: list[_Column]) -> str:
    """Write columns: a title, whether its cells stand at the right, and the cells."""
    widths = [max(map(len, [title, *cells, "---"])) for title, _, cells in columns]
    lines = [_row([title.ljust(width) for (title, _, _), width in zip(columns, widths, strict=True)])]
    rules = [
        "-" * (width + 1) + ":" if right else ":" + "-" * (width + 1)
        for (_, right, _), width in zip(columns, widths, strict=True)
    ]
    lines.append("|" + "|".join(rules) + "|")
    for row in range(len(columns[0][2])):
        cells = [
            cells[row].rjust(width) if right else cells[row].ljust(width)
            for (_, right, cells), width in zip(columns, widths, strict=True)
        ]
        lines.append(_row(cells))
    return "\n".join(lines) + "\n"


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _escaped(text: str) -> str:
    """Return text that Markdown shows as it is; what HTML could read as a tag or an entity is an entity."""
    plain = re.sub(r"[\\`*_{}\[\]|~$#!]", r"\\\g<0>", one_line(text))
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
