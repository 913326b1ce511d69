"""A table as Markdown, CSV, LaTeX and HTML."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import NamedTuple

import pandas as pd

NONE = "–"
# Columns of figures side by side in LaTeX: as many as fit on a page. A wider table goes on below.
LATEX_WIDTH = 9

LATEX_SYMBOLS = {
    "\\": r"\textbackslash{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "†": r"$^{\dagger}$",
    "‡": r"$^{\ddagger}$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "χ": r"$\chi$",
    "≤": r"$\leq$",
    "–": "--",
    "<": r"$<$",
    "⁻": r"$^{-}$",
    **{sign: f"$^{{{digit}}}$" for digit, sign in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
}


class Cell(NamedTuple):
    """What a table shows at one place."""

    text: str
    bold: bool = False


class Column(NamedTuple):
    """The heading of a column; columns of one group stand side by side under its name."""

    name: str
    group: str = ""


@dataclass(frozen=True)
class Table:
    """A table: figures for programs and cells for readers.

    Attributes
    ----------
    name : str
        Of its files.
    title : str
        What it shows, in a line.
    frame : DataFrame
        The figures at full precision, without an index of its own.
    columns : sequence of Column
        Of the cells. The first `labels` ones name a row; the others are figures, and right-aligned.
    rows : sequence of sequences of Cell
    notes : sequence of str
        What a reader must know to read it.
    """

    name: str
    title: str
    frame: pd.DataFrame
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    notes: Sequence[str] = ()
    labels: int = 1


def significant(value: float, digits: int = 4) -> str:
    """Return a number with so many significant digits, without an exponent where that is readable.

    Examples
    --------
    >>> [significant(value) for value in (0.0123456, 3.7265, 305777.4, 1.5e-8, float("nan"))]
    ['0.01235', '3.727', '305777', '1.500e-08', '–']
    """
    if not math.isfinite(value):
        return NONE
    if value == 0:
        return "0"
    if not 1e-4 <= abs(value) < 1e7:
        return f"{value:.{digits - 1}e}"
    return f"{value:.{max(0, digits - 1 - math.floor(math.log10(abs(value))))}f}"


def fixed(value: float, decimals: int) -> str:
    """Return a number with so many decimals; a dash if there is none."""
    return f"{value:.{decimals}f}" if math.isfinite(value) else NONE


def p_value(value: float) -> str:
    """Return a p-value with three significant digits, a very small one as a bound.

    Examples
    --------
    >>> [p_value(value) for value in (0.0789, 0.00123, 1e-9)]
    ['0.0789', '0.00123', '< 1e-5']
    """
    if not math.isfinite(value):
        return NONE
    return "< 1e-5" if value < 1e-5 else f"{value:.2e}" if value < 1e-3 else significant(value, 3)


def with_spread(mean: str, spread: str) -> str:
    """Join a mean and its standard deviation, if it has one."""
    return mean if spread == NONE else f"{mean} ± {spread}"


def to_csv(table: Table) -> str:
    """Return the figures at full precision; nothing for those that are missing."""
    return table.frame.to_csv(index=False, lineterminator="\n")


def to_markdown(table: Table) -> str:
    """Return the table for a README."""
    names = [_flat(column) for column in table.columns]
    bodies = [[_markdown_cell(cell) for cell in row] for row in table.rows]
    rule = [":--" if position < table.labels else "--:" for position in range(len(names))]
    lines = [f"| {' | '.join(row)} |" for row in [[_markdown_text(name) for name in names], rule, *bodies]]
    parts = [f"**{table.title}**", "\n".join(lines), *table.notes]
    return "\n\n".join(parts) + "\n"


def to_latex(table: Table) -> str:
    """Return the table for a paper that loads booktabs; one that is too wide is cut into parts below each other."""
    parts = [_latex_part(table, chosen) for chosen in _blocks(table)]
    notes = "".join(f"\n\n{_latex_text(note)}" for note in table.notes)
    return f"% {table.title}\n" + "\n\n\\medskip\n".join(parts) + notes + "\n"


def to_html(table: Table) -> str:
    """Return the table and its notes for a page."""
    heads = "".join(f"<tr>{row}</tr>" for row in _html_headers(table))
    body = "".join(f"<tr>{''.join(_html_cells(table, row))}</tr>\n" for row in table.rows)
    notes = "".join(f"<p class=note>{escape(note)}</p>\n" for note in table.notes)
    return f"<div class=scroll><table>\n<thead>{heads}</thead>\n<tbody>\n{body}</tbody></table></div>\n{notes}"


def _flat(column: Column) -> str:
    return f"{column.group}: {column.name}" if column.group else column.name


def _markdown_text(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _markdown_cell(cell: Cell) -> str:
    text = _markdown_text(cell.text)
    return f"**{text}**" if cell.bold else text


def _latex_text(text: str) -> str:
    # Superscripts that follow each other are one.
    return "".join(LATEX_SYMBOLS.get(sign, sign) for sign in text).replace("}$$^{", "")


def _latex_cell(cell: Cell) -> str:
    text = _latex_text(cell.text)
    return f"\\textbf{{{text}}}" if cell.bold else text


def _groups(columns: Iterable[Column]) -> list[tuple[str, int]]:
    """Return the groups of neighbouring columns and how many each has; columns without one stand alone."""
    found: list[tuple[str, int]] = []
    for group, members in groupby(columns, key=lambda column: column.group):
        count = len(list(members))
        found += [(group, count)] if group else [("", 1)] * count
    return found


def _blocks(table: Table) -> list[list[int]]:
    """Cut the columns of figures into blocks that fit on a page, between groups; the labels lead each of them."""
    labels = list(range(table.labels))
    blocks: list[list[int]] = [[]]
    start = table.labels
    for _, count in _groups(table.columns[table.labels :]):
        if blocks[-1] and len(blocks[-1]) + count > LATEX_WIDTH:
            blocks.append([])
        blocks[-1] += range(start, start + count)
        start += count
    return [labels + block for block in blocks]


def _latex_part(table: Table, chosen: Sequence[int]) -> str:
    columns = [table.columns[position] for position in chosen]
    kinds = "l" * table.labels + "r" * (len(chosen) - table.labels)
    lines = [f"\\begin{{tabular}}{{{kinds}}}", "\\toprule"]
    if any(column.group for column in columns):
        heads = [f"\\multicolumn{{{n}}}{{c}}{{{_latex_text(group)}}}" if group else "" for group, n in _groups(columns)]
        lines.append(" & ".join(heads) + r" \\")
    lines += [" & ".join(_latex_text(column.name) for column in columns) + r" \\", "\\midrule"]
    lines += [" & ".join(_latex_cell(row[position]) for position in chosen) + r" \\" for row in table.rows]
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}"])


def _html_headers(table: Table) -> list[str]:
    names = "".join(f"<th{_kind(table, n)}>{escape(column.name)}</th>" for n, column in enumerate(table.columns))
    if not any(column.group for column in table.columns):
        return [names]
    groups = "".join(
        f"<th class=group colspan={count} scope=colgroup>{escape(group)}</th>" if group else "<td></td>"
        for group, count in _groups(table.columns)
    )
    return [groups, names]


def _html_cells(table: Table, row: Sequence[Cell]) -> list[str]:
    cells = []
    for position, cell in enumerate(row):
        text = f"<b>{escape(cell.text)}</b>" if cell.bold else escape(cell.text)
        tag = "th scope=row" if position == 0 else "td"
        cells.append(f"<{tag}{_kind(table, position)}>{text}</{tag.split()[0]}>")
    return cells


def _kind(table: Table, position: int) -> str:
    return " class=label" if position < table.labels else ""
