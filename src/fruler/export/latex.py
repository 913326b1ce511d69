"""The rules in LaTeX, for papers; it needs the package booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fruler.explain._conditions import GLUE
from fruler.explain._told import Told, told
from fruler.rules._rule_base import RuleBase

# A table has at most so many rules; more rules need another table below.
_MAX_COLUMNS = 8
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "°": r"\textdegree{}",
    "µ": r"\textmu{}",
    "–": "--",
    "−": "$-$",
    "·": r"$\cdot$",
    "×": r"$\times$",
    GLUE: "~",
} | {sign: f"\\{sign}" for sign in "&%$#_{}"}


def export(rule_base: RuleBase, *, caption: str | None = None, label: str | None = None, float: bool = True) -> str:
    r"""Write the rules in LaTeX: what holds for all rows, then a table with rules as columns.

    Parameters
    ----------
    rule_base : RuleBase
        The model.
    caption : str, optional
        The caption, as plain text; by default the target, the number of rules and the error.
    label : str, optional
        The label for ``\ref``; "tab:rules" by default.
    float : bool, default=True
        Whether to put everything into a table environment with caption and label.

    Returns
    -------
    str
        The texts and numbers of `rules_text`, with the rules side by side, for a document with
        ``\usepackage{booktabs}``. A dash stands for any value, or for no effect.

    Raises
    ------
    ValueError
        If the label has characters that LaTeX does not allow.

    See Also
    --------
    fruler.RuleBase.to_latex : The same as a method.
    fruler.export.export_model : The same for any target.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> temperature = Variable("temperature", FuzzyPartition([10.0], (-10.0, 30.0), 0.0), "°C")
    >>> rules = RuleBase([temperature], [[[0, 0]], [[1, 1]]], [[25.0, -1.0], [5.25, 0.0]], target_name="heating")
    >>> print(export(rules, float=False))
    \begin{tabular}{lrr}
      \toprule
      rule & 1 & 2 \\
      \midrule
      temperature & under~10~\textdegree{}C & over~10~\textdegree{}C \\
      start & $25$ & $5.25$ \\
      temperature, per~\textdegree{}C & $-1$ & -- \\
      \bottomrule
    \end{tabular}
    <BLANKLINE>
    To predict, add the amounts of the rule and of all rows to start
    <BLANKLINE>
    Amounts count from temperature~0~\textdegree{}C
    <BLANKLINE>
    """
    page = told(rule_base)
    parts = _items(page.always) if page.always else []
    if not page.is_formula:
        for first in range(0, len(page.rules), _MAX_COLUMNS):
            parts += ["", *_tabular(page, slice(first, first + _MAX_COLUMNS))]
        parts += _items(f"{head}: {text}" for head, text in page.lists.items())
    parts += [line for note in page.notes for line in ("", escaped(note))]
    if not parts[0]:
        parts = parts[1:]
    if not float:
        return "\n".join(parts) + "\n"
    name = "tab:rules" if label is None else label
    if not re.fullmatch(r"[A-Za-z0-9:._-]+", name):
        raise ValueError(f"A LaTeX label may have letters, digits and the characters : . _ -; got {label!r}.")
    title = " ".join([f"{page.title}.", *page.story]) if caption is None else caption
    head = [r"\begin{table}", r"  \centering", rf"  \caption{{{escaped(title)}}}", rf"  \label{{{name}}}"]
    return "\n".join([*head, *(f"  {line}".rstrip() for line in parts), r"\end{table}"]) + "\n"


def _items(lines: Iterable[str]) -> list[str]:
    """Write a list; nothing without lines."""
    items = [rf"  \item {escaped(line)}" for line in lines]
    return ["", r"\begin{itemize}", *items, r"\end{itemize}"] if items else []


def _tabular(page: Told, rules: slice) -> list[str]:
    """Write the table of some rules."""
    rows = [(head, cells[rules]) for head, cells in page.rows if any(cells[rules])]
    numbers = [str(rule.number) for rule in page.rules[rules]]
    head = rf"rule & {' & '.join(numbers)} \\"
    return table_lines(f"l{'r' * len(numbers)}", [head], [[escaped(head), *map(_cell, cells)] for head, cells in rows])


def table_lines(sides: str, head: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    """Write a table: the alignment of its columns, the lines of its head, and its rows."""
    body = [rf"  {' & '.join(cells)} \\" for cells in rows]
    begin = [rf"\begin{{tabular}}{{{sides}}}", r"  \toprule", *(f"  {line}" for line in head), r"  \midrule"]
    return [*begin, *body, r"  \bottomrule", r"\end{tabular}"]


def _cell(text: str) -> str:
    """Write a number in mathematics, so that its sign is a minus; other text as it is."""
    if re.fullmatch(r"[-+]?[\d.,]+", text):
        # Braces keep LaTeX from adding the space of punctuation after the comma.
        return f"${text.replace(',', '{,}')}$"
    return escaped(text) or "--"


def escaped(text: str) -> str:
    """Return text with LaTeX's special characters escaped."""
    return "".join(_SPECIAL.get(character, character) for character in text)
