"""Rules and explanations as small HTML tables for notebooks, without scripts, for light and dark pages."""

from __future__ import annotations

from dataclasses import replace
from html import escape

import numpy as np

from fruler._arrays import Floats
from fruler._wording import counted, counted_rules, percent, with_minus
from fruler.explain._conditions import conditions
from fruler.explain._scales import scale_of
from fruler.explain._sentences import Sentence, closing_sentences, meaning_title, meaningful
from fruler.explain.explanation import PARTS_SHOWN, ROWS_SHOWN, Explanation, part_tolerance, shown_parts, totals
from fruler.explain.report._drawings import INPUT_SHARE, TARGET_SHARE
from fruler.explain.report._input_views import meeting
from fruler.explain.report._reference import Reference
from fruler.explain.report._rule_views import RuleView, curve_points, rule_views
from fruler.rules._rule_base import RuleBase

_MAX_RULES, _MAX_TERMS = 30, 8
# Everything is drawn in the notebook's own text colour.
_STYLE = (
    ".fruler-rules{margin:.5em 0;max-width:70em}"
    ".fruler-rules p{margin:0 0 .4em}"
    ".fruler-rules table{border-collapse:collapse;width:100%;font-size:inherit;color:inherit;background:none;border:0;"
    "margin:0 0 .6em}"
    ".fruler-rules tr{background:none!important}"
    ".fruler-rules th,.fruler-rules td{text-align:left!important;vertical-align:top;white-space:normal;"
    "padding:.35em 1.2em .35em 0;border:0;border-top:1px solid rgba(128,128,128,.35);color:inherit;font-weight:400}"
    ".fruler-rules thead th{border:0;opacity:.7}"
    ".fruler-rules .n{text-align:right!important;white-space:nowrap;font-variant-numeric:tabular-nums}"
    ".fruler-rules .t{white-space:nowrap}"
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
        A part of a page: a table with one row per rule, the values of curves, the meaning of labels, and the errors.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
    >>> "x is <b>low</b>" in rules_html(RuleBase([x], [[[0, 0]], [[1, 1]]], [[1.0, 2.0], [3.0, 0.0]]))
    True
    """
    target = escape(rule_base.target_name)
    unit = f" ({escape(rule_base.target_unit)})" if rule_base.target_unit else ""
    reference = Reference(rule_base)
    views = rule_views(reference)
    says = f"{target} is"
    if any(view.sentence is None for view in views):
        says = f"{escape(reference.scale.subject(rule_base.target_name))} ="
    head = f'<th></th><th scope="col">if</th><th scope="col">then {says}</th>'
    head += '<th scope="col" class="n">rows</th>' if rule_base.support is not None else ""
    rows = "".join(_row(rule_base, view) for view in views[:_MAX_RULES])
    more = len(views) - _MAX_RULES
    rest = f'<p class="q">… and {counted(more, "more rule")}; print the rules to see them all.</p>' if more > 0 else ""
    closing = closing_sentences(rule_base)
    truth = f'<p class="q">{escape(closing)}</p>' if closing else ""
    return (
        f'<div class="fruler-rules"><style>{_STYLE}</style>'
        f"<p><b>{counted_rules(len(views), rule_base.n_curves)} for {target}</b>{unit}</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{rest}"
        f"{_curves(reference)}{_meetings(reference)}{truth}</div>"
    )


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


def _row(rule_base: RuleBase, view: RuleView) -> str:
    said = " and ".join(
        f"{escape(part.subject)} is <b>{escape(part.words)}</b>"
        f"{f' ({escape(with_minus(part.within))})' if part.within else ''}"
        for part in conditions(rule_base, view.number - 1)
    )
    weight = "" if view.support is None else f'<td class="n">{percent(view.support)}</td>'
    return (
        f'<tr><th scope="row" class="n">{view.number}</th><td>{said or "<span class=q>always</span>"}</td>'
        f"<td>{_equation(rule_base, view) if view.sentence is None else _sentence(view.sentence)}</td>{weight}</tr>"
    )


def _sentence(sentence: Sentence) -> str:
    """Write the output of a rule in words."""
    said = f"<b>{escape(sentence.label or sentence.about)}</b>"
    said += f" ({escape(sentence.about)})" if sentence.label else ""
    more = len(sentence.changes) - _MAX_TERMS
    shown = replace(
        sentence,
        changes=sentence.changes[:_MAX_TERMS],
        rest="; ".join(part for part in (counted(more, "smaller term") if more > 0 else "", sentence.rest) if part),
    )
    return "; ".join([said, *map(escape, shown.parts)])


def _equation(rule_base: RuleBase, view: RuleView) -> str:
    """Write the output of a rule as a formula."""
    shown = view.slopes[:_MAX_TERMS]
    terms = [f' <span class="t">{one.sign} {one.slope}{one.times}{escape(one.name)}</span>' for one in shown]
    more = len(view.slopes) - _MAX_TERMS
    if more > 0:
        terms.append(f' <span class="q">and {counted(more, "smaller term")}</span>')
    names = [rule_base.names[curve.input] for curve in rule_base.curves]
    terms += [f' <span class="t">+ curve of {escape(name)}</span>' for name in names]
    terms += [f"; {escape(term.name)}: {escape(term.offsets)}" for term in view.offsets]
    return view.intercept + "".join(terms)


def _curves(reference: Reference) -> str:
    names, adds = reference.rule_base.names, reference.scale.changes_by
    parts = [
        f"{escape(names[curve.input])} {adds} {escape(curve_points(reference, curve))}"
        for curve in reference.rule_base.curves
    ]
    return f"<p>Curves:<br>{'<br>'.join(parts)}</p>" if parts else ""


def _meetings(reference: Reference) -> str:
    rules, parts = reference.rule_base, []
    for variable in meaningful(rules):
        tolerance = TARGET_SHARE * reference.background.target_spread
        if variable is not rules.target:
            low, high = reference.range_of(rules.names.index(variable.name))
            tolerance = INPUT_SHARE * (high - low)
        parts.append(f"{escape(variable.name)}: {escape(meeting(variable, tolerance))}")
    return f'<p class="q">{meaning_title(rules)}:<br>{"<br>".join(parts)}</p>' if parts else ""
