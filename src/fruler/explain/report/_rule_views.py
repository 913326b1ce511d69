"""Rules for the template: where each applies, in words and plots, its rows, and the rows that contradict it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from fruler._wording import counted, with_minus
from fruler.explain._conditions import Said, conditions
from fruler.explain._effects import accepted_levels, typical_outputs
from fruler.explain._told import Told
from fruler.explain.report._drawings import (
    INPUT_SHARE,
    TARGET_SHARE,
    Mark,
    accepted_path,
    fixed,
    position,
    shown,
    small_svg,
    value_text,
)
from fruler.explain.report._error_views import Measured
from fruler.explain.report._influence_views import ordered_features
from fruler.explain.report._input_views import drawing_of
from fruler.explain.report._reference import Reference, View
from fruler.rules._features import Feature, feature_with
from fruler.rules._inputs import Variable
from fruler.rules._measurement import rule_errors

# The minimum distance of ticks and the width of a letter, in percent of a plot's width.
_TICKS_APART, _LETTER = 24.0, 2.9
# The rows that contradict a rule, and the inputs told of each.
_MAX_ROWS, _MAX_VALUES = 3, 4
# A category occurs in a rule if so many of its rows have it.
_OCCURS = 0.5


@dataclass(frozen=True)
class RuleView:
    """A rule as words and plots, and the numbers by which rules can be sorted; None if a number is not known.

    Attributes
    ----------
    number : int
        The number of the rule, from 1.
    conditions : list of View
        The conditions, each with a plot or the names of categories.
    typical, label : str
        The typical output, and the label of the output, if it has one.
    said : View or None
        The plot of that label.
    support, importance, error : float or None
        The share of the rows and of the importance, and the error of the rule alone where it is the strongest.
    output : float
        The typical output.
    lines : list of str
        What differs in this rule, if the page has no table of the rules.
    counts : list of (str, str)
        For each column of categories, the number of rows of each category in the rule.
    contradictions : list of View
        The given rows that the rule alone misses most, of those where it is the strongest.
    """

    number: int
    conditions: list[View]
    typical: str
    label: str
    said: View | None
    support: float | None
    importance: float | None
    error: float | None
    output: float
    lines: list[str]
    counts: list[tuple[str, str]]
    contradictions: list[View] = field(default_factory=list)


def rule_views(reference: Reference, page: Told, measured: Measured | None, *, with_lines: bool) -> list[RuleView]:
    """Return the rules in their order; `with_lines` adds what differs in each."""
    rules, background = reference.rule_base, reference.background
    moves, truth = background.rule_importance, background.truth
    shares = moves / moves.sum() if moves.any() else moves
    outputs, support = typical_outputs(rules), rules.support
    alone = np.full(rules.n_rules, np.nan) if truth is None else truth.rule_alone
    contradictions = _contradictions(reference, measured)
    return [
        RuleView(
            number=own.number,
            conditions=[_condition(reference, rule, said) for said in conditions(rules, rule)],
            typical=with_minus(own.typical),
            label=own.label,
            said=None if rules.target is None else _said(rules.target, own.label),
            support=None if support is None else float(support[rule]),
            importance=float(shares[rule]) if background.known else None,
            error=None if np.isnan(alone[rule]) else float(alone[rule]),
            output=float(outputs[rule]),
            lines=[with_minus(effect.said(rule)) for effect in page.own if effect.cells[rule]] if with_lines else [],
            counts=_counts(reference, rule),
            contradictions=contradictions[rule],
        )
        for rule, own in enumerate(page.rules)
    ]


def _counts(reference: Reference, rule: int) -> list[tuple[str, str]]:
    """Return the rows of each category in a rule, by column: "usa 120, japan 80, no row of europe"."""
    found = []
    for feature in reference.rule_base.features:
        rows = reference.level_rows(feature)
        if rows is None or not reference.rule_base.uses[feature.index].any():
            continue
        own = rows[rule]
        order = [int(k) for k in np.argsort(-own, kind="stable") if own[k] >= _OCCURS]
        parts = [f"{feature.options[k].text}\u00a0{own[k]:,.0f}" for k in order]
        n_without = len(own) - len(order)
        if n_without:
            parts.append(f"{counted(n_without, 'other')} without a row")
        found.append((feature.name, ", ".join(parts)))
    return found


def _contradictions(reference: Reference, measured: Measured | None) -> list[list[View]]:
    """Return for each rule the rows where it is the strongest and misses most by itself."""
    rules = reference.rule_base
    found: list[list[View]] = [[] for _ in range(rules.n_rules)]
    if measured is None or rules.n_rules == 1:
        return found
    errors = rule_errors(rules, measured.values, measured.observed)
    features = [feature for feature in ordered_features(rules) if rules.uses[feature.index].any()]
    tolerance = TARGET_SHARE * reference.background.target_spread
    for rule, own in enumerate(found):
        rows = np.flatnonzero(errors.strongest == rule)
        for row in rows[np.argsort(-np.abs(errors.alone[rows]), kind="stable")][:_MAX_ROWS].tolist():
            values = measured.values[row]
            said = rules.output.of(rules.output.raw_of(measured.observed[[row]]) - errors.alone[row])
            own.append(
                {
                    "row": f"{row + 1:,}",
                    "observed": fixed(float(measured.observed[row]), tolerance),
                    "said": fixed(float(said[0]), tolerance),
                    "inputs": ", ".join(_value(reference, feature, values) for feature in features[:_MAX_VALUES]),
                }
            )
    return found


def _value(reference: Reference, feature: Feature, values: np.ndarray) -> str:
    j = feature.inputs[0]
    if feature.options:
        own = np.array([option.values for option in feature.options])
        nearest = int(np.abs(own - values[feature.index]).sum(axis=1).argmin())
        return f"{feature.name} {feature.options[nearest].text}"
    return f"{feature.name} {reference.measured_value(j, float(values[j]))}"


def _condition(reference: Reference, rule: int, said: Said) -> View:
    """Return a condition: its words, and its plot or the names of categories or of nominal labels."""
    rules, j = reference.rule_base, said.inputs[0]
    variable, labels = rules.antecedents.condition_inputs[j], rules.antecedents.accepted(rule, j)
    view: View = {"text": with_minus(str(said)), "name": said.subject, "words": with_minus(said.short)}
    view["unit"] = variable.value_unit
    if variable.levels is not None:
        accepted = accepted_levels(rules, rule, feature_with(rules.features, j))
        return {**view, "chips": [(level, level in accepted) for level in variable.levels.levels]}
    if variable.tells_gaps:
        return {**view, "chips": [(word, word == said.words) for word in ("present", "missing")]}
    if not variable.partition.ordered:
        chips = [(label, labels[0] <= k <= labels[1]) for k, label in enumerate(variable.partition.labels)]
        return {**view, "chips": chips}
    behind = drawing_of(j, rules.antecedents.shares_labels, reference.background.histograms is not None)
    return {**view, **_pictured(variable, said.words, labels, reference.range_of(j), behind)}


def _said(target: Variable, label: str) -> View:
    """Return the output label of a rule, with a plot among all labels of the target."""
    labels = (target.partition.labels.index(label),) * 2
    behind = '<use href="#target-labels" class="sets"/>'
    pictured = _pictured(target, label, labels, target.partition.range, behind)
    return {"name": target.name, "words": label, "unit": target.unit, **pictured}


def _pictured(
    variable: Variable, words: str, labels: tuple[int, int], limits: tuple[float, float], behind: str
) -> View:
    """Return the plot of accepted labels, and the ticks below it."""
    accepted = f'<path class="accepted" d="{accepted_path(variable.partition, *labels, *limits)}"/>'
    described = _described(variable, words, *labels, INPUT_SHARE * (limits[1] - limits[0]))
    return {
        "picture": small_svg(behind + accepted, described),
        "ticks": _ticks(variable, *labels, *limits),
        "chips": [],
    }


def _described(variable: Variable, words: str, first: int, last: int, tolerance: float) -> str:
    """Describe the plot of accepted labels in words."""
    if variable.tells_ranges:
        return words
    partition, said = variable.partition, []
    start, _, _, end = partition.trapezoid(first, last)
    below, above = partition.half_way(first, last)
    if below is not None:
        said.append(f"not below {shown(start, tolerance)}, half at {shown(below, tolerance)}")
    if above is not None:
        said.append(f"half at {shown(above, tolerance)}, not above {shown(end, tolerance)}")
    return f"{words}: {'; '.join(said)}" if said else words


def _ticks(variable: Variable, first: int, last: int, low: float, high: float) -> list[Mark]:
    """Return ticks at the marks of the accepted labels, and at the ends of the plot if there is room."""
    tolerance = INPUT_SHARE * (high - low)
    marks = [mark for mark in variable.partition.marks(first, last) if low <= mark <= high]
    ticks = [Mark(position(mark, low, high), value_text(variable, mark, tolerance)) for mark in marks]
    if len(ticks) == 2 and not _apart(*ticks):
        ticks = [Mark((ticks[0].at + ticks[1].at) / 2.0, f"{ticks[0].text} to {ticks[1].text}")]
    ends = [Mark(0.0, value_text(variable, low, tolerance)), Mark(100.0, value_text(variable, high, tolerance))]
    ends = [end for end in ends if all(_apart(end, tick) for tick in ticks)]
    return sorted(ticks + ends)


def _apart(one: Mark, other: Mark) -> bool:
    """Return whether two ticks are far enough apart; texts at the ends of a plot stay inside of it."""
    wide = [len(tick.text) * (1.0 if tick.at in (0.0, 100.0) else 0.5) for tick in (one, other)]
    return abs(one.at - other.at) >= max(_TICKS_APART, _LETTER * (sum(wide) + 1.0))
