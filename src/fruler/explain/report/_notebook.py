"""Rules and explanations as small HTML tables for notebooks, without scripts, for light and dark pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

import numpy as np

from fruler._arrays import Floats
from fruler._wording import counted, with_minus
from fruler.explain._conditions import GLUE
from fruler.explain._scales import scale_of
from fruler.explain._told import told
from fruler.explain.explanation import PARTS_SHOWN, ROWS_SHOWN, Explanation, part_tolerance, shown_parts, totals
from fruler.rules._rule_base import RuleBase

_MAX_RULES = 20
# Everything is drawn in the notebook's own text colour.
_STYLE = (
    ".fruler-rules{margin:.5em 0;max-width:70em}"
    ".fruler-rules p{margin:0 0 .4em}"
    ".fruler-rules ul{margin:0 0 .6em;padding-left:1.2em}"
    ".fruler-rules table{border-collapse:collapse;width:100%;font-size:inherit;color:inherit;background:none;border:0;"
    "margin:0 0 .6em}"
    ".fruler-rules tr{background:none!important}"
    ".fruler-rules th,.fruler-rules td{text-align:left!important;vertical-align:top;white-space:normal;"
    "padding:.35em 1.2em .35em 0;border:0;border-top:1px solid rgba(128,128,128,.35);color:inherit;font-weight:400}"
    ".fruler-rules thead th{border:0;opacity:.7}"
    ".fruler-rules .n{text-align:right!important;white-space:nowrap;font-variant-numeric:tabular-nums}"
    ".fruler-rules .q{opacity:.7}"
)
# Bars that raise the prediction are filled, those that lower it are hatched; each begins where the one above ends.
_BAR_STYLE = (
    ".fruler-why p.q{margin-bottom:1.2em}"
    ".fruler-why table{width:auto;max-width:100%;margin-bottom:.3em}"
    ".fruler-why .w{position:relative;display:block;width:16em;height:1em}"
    ".fruler-why .w span{position:absolute;top:.1em;bottom:.1em;box-sizing:border-box;min-width:1px;opacity:.6}"
    ".fruler-why .at{border-left:2px solid currentColor}"
    ".fruler-why .up{background:currentColor}"
    ".fruler-why .down{border:1px solid currentColor;"
    "background:repeating-linear-gradient(45deg,currentColor 0 1px,transparent 1px 4px)}"
)


def rules_html(rule_base: RuleBase) -> str:
    """Return the rules as HTML for a notebook.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.

    Returns
    -------
    str
        A part of a page, with the texts of `rules_text`: what holds for all rows, then a table with rules as columns.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
    >>> '<th scope="row">start</th><td class="n">1</td>' in rules_html(
    ...     RuleBase([x], [[[0, 0]], [[1, 1]]], [[1.0, 2.0], [3.0, 0.0]])
    ... )
    True
    """
    page = told(rule_base)
    parts = [f"<p><b>{_shown(page.title)}</b></p>", _paragraph(" ".join(page.story)), _list(page.always)]
    if not page.is_formula:
        rows = [("rule", tuple(str(rule.number) for rule in page.rules)), *page.rows]
        (first, *others), more = (_row(head, cells[:_MAX_RULES]) for head, cells in rows), len(page.rules) - _MAX_RULES
        parts.append(f"<table><thead>{first}</thead><tbody>{''.join(others)}</tbody></table>")
        if more > 0:
            parts.append(_paragraph(f"… and {counted(more, 'more rule')}; print the rules to see them all."))
        parts.append(_list(f"{head}: {text}" for head, text in page.lists.items()))
    parts.append('<p class="q">' + "<br>".join(map(_shown, page.notes)) + "</p>" if page.notes else "")
    return f'<div class="fruler-rules"><style>{_STYLE}</style>{"".join(parts)}</div>'


def _shown(text: str) -> str:
    return escape(with_minus(text.replace(GLUE, " ")))


def _paragraph(text: str) -> str:
    return f"<p>{_shown(text)}</p>" if text else ""


def _list(lines: Iterable[str]) -> str:
    items = "".join(f"<li>{_shown(line)}</li>" for line in lines)
    return f"<ul>{items}</ul>" if items else ""


def _row(head: str, cells: Sequence[str]) -> str:
    written = "".join(f'<td class="n">{_shown(cell) or "–"}</td>' for cell in cells)
    return f'<tr><th scope="row">{_shown(head)}</th>{written}</tr>'


def explanation_html(explanation: Explanation) -> str:
    """Return the explanations of at most five rows as HTML for a notebook.

    Parameters
    ----------
    explanation : Explanation
        The explanations.

    Returns
    -------
    str
        A part of a page: one table per row, with one line per part of the prediction. A bar shows how the part moves
        the running total.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([], (0.0, 4.0)))
    >>> line = RuleBase([x], [[[0, 0]]], [[1.0, 2.0]]).with_training([[0.0], [2.0], [4.0]], [1.0, 5.0, 9.0])
    >>> "<b>y = 7.00</b>" in explanation_html(line.explain([[3.0]]))
    True
    """
    tables = "".join(_why(explanation, row) for row in range(min(len(explanation), ROWS_SHOWN)))
    more = len(explanation) - ROWS_SHOWN
    rest = f'<p class="q">… and {counted(more, "more row")}; explanation[i] shows one.</p>' if more > 0 else ""
    return f'<div class="fruler-rules fruler-why"><style>{_STYLE}{_BAR_STYLE}</style>{tables}{rest}</div>'


def _why(explanation: Explanation, row: int) -> str:
    """Write the explanation of one row."""
    tolerance, scale = part_tolerance(explanation.rule_base), scale_of(explanation.rule_base)
    parts = shown_parts(explanation.parts(row), tolerance, PARTS_SHOWN)
    ways = totals(explanation.base, parts)
    base = scale.written(scale.target(explanation.base), tolerance)
    lines = [_line(scale.base, base, _bar(ways, ways[0], ways[0]))]
    for part, before, after in zip(parts, ways[:-1], ways[1:], strict=True):
        lines.append(_line(part.text, scale.part(part.adds, tolerance), _bar(ways, before, after)))
    said = scale.written(float(explanation.predictions[row]), tolerance)
    lines.append(_line("prediction", said, _bar(ways, ways[-1], ways[-1])))
    notes = "<br>".join(escape(with_minus(note)) for note in explanation.notes(row))
    return (
        f"<p><b>{escape(with_minus(explanation.headline(row)))}</b></p><table><tbody>{''.join(lines)}</tbody></table>"
        f'<p class="q">{notes}</p>'
    )


def _line(text: str, number: str, bar: str) -> str:
    return (
        f'<tr><th scope="row">{escape(with_minus(text))}</th><td class="n">{with_minus(number)}</td><td>{bar}</td></tr>'
    )


def _bar(ways: Floats, before: float, after: float) -> str:
    """Draw a step of the running total on the scale of all steps."""
    low, room = float(ways.min()), float(np.ptp(ways)) or 1.0
    start, wide = 100.0 * (min(before, after) - low) / room, 100.0 * abs(after - before) / room
    kind = "at" if before == after else "up" if after > before else "down"
    bar = f'<span class="{kind}" style="left:{start:.1f}%;width:{wide:.1f}%"></span>'
    return f'<span class="w" aria-hidden="true">{bar}</span>'
