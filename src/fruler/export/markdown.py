"""The rules in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fruler.explain._conditions import GLUE
from fruler.explain._told import told
from fruler.rules._rule_base import RuleBase


def export(rule_base: RuleBase) -> str:
    """Write the rules in Markdown: what holds for all rows, then a table with rules as columns.

    Parameters
    ----------
    rule_base : RuleBase
        The model.

    Returns
    -------
    str
        The texts and numbers of `rules_text`, with the rules side by side. A dash stands for any value, or for no
        effect.

    See Also
    --------
    fruler.RuleBase.to_markdown : The same as a method.
    fruler.export.export_model : The same for any target.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> temperature = Variable("temperature", FuzzyPartition([10.0], (-10.0, 30.0), 0.1), "°C")
    >>> rules = RuleBase([temperature], [[[0, 0]], [[1, 1]]], [[25.0, -1.0], [5.25, 0.0]], target_name="heating")
    >>> print(export(rules))
    **heating: 2 rules**
    <BLANKLINE>
    | rule                |           1 |          2 |
    |:--------------------|------------:|-----------:|
    | temperature         | under 10 °C | over 10 °C |
    | start               |          25 |       5.25 |
    | temperature, per °C |          -1 |          – |
    <BLANKLINE>
    To predict, add the amounts of the rule and of all rows to start; where rules fade, mix their predictions
    <BLANKLINE>
    Amounts count from temperature 0 °C
    <BLANKLINE>
    Rules fade into each other: temperature from 8 to 12 °C
    <BLANKLINE>
    """
    page = told(rule_base)
    parts = [f"**{_escaped(page.title)}**", _escaped(" ".join(page.story))]
    if page.always:
        parts += ["For all rows:", _bullets(page.always)]
    if not page.is_formula:
        parts.append(_table([("rule", [str(rule.number) for rule in page.rules]), *page.rows]))
        parts.append(_bullets(f"{head}: {text}" for head, text in page.lists.items()))
    return "\n\n".join(filter(None, [*parts, *map(_escaped, page.notes)])) + "\n"


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {_escaped(line)}" for line in lines)


def _table(rows: list[tuple[str, list[str] | tuple[str, ...]]]) -> str:
    """Write a table of rows, each a head and its cells; the first row has the titles."""
    written = [[_escaped(head), *(_escaped(cell) or "–" for cell in cells)] for head, cells in rows]
    widths = [max(map(len, [*column, "---"])) for column in zip(*written, strict=True)]
    lines = []
    for head, *cells in written:
        placed = zip(cells, widths[1:], strict=True)
        lines.append(f"| {head.ljust(widths[0])} | {' | '.join(cell.rjust(width) for cell, width in placed)} |")
    below = "|".join([f":{'-' * (widths[0] + 1)}", *(f"{'-' * (width + 1)}:" for width in widths[1:])])
    return "\n".join([lines[0], f"|{below}|", *lines[1:]])


def _escaped(text: str) -> str:
    """Return text with Markdown's special characters escaped, and those of HTML written as entities."""
    plain = re.sub(r"[\\`*_{}\[\]|~$#!]", r"\\\g<0>", text.replace(GLUE, " "))
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
