"""Rules and curves for the template: texts and plots."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fruler._wording import name_with_unit, with_minus, with_plus, with_unit
from fruler.explain._conditions import Said, conditions
from fruler.explain._effects import accepted_levels, few_of, level_offsets, signed_effects, typical_outputs
from fruler.explain._sentences import Sentence, sentence_of
from fruler.explain.report._drawings import (
    INPUT_SHARE,
    TERM_SHARE,
    Axis,
    Chart,
    Mark,
    accepted_path,
    position,
    shown,
    signed,
    small_svg,
    typeset,
    value_text,
)
from fruler.explain.report._input_views import drawing_of
from fruler.explain.report._reference import Reference, View
from fruler.rules._curves import Curve
from fruler.rules._features import feature_with
from fruler.rules._inputs import Variable

# The minimum distance of ticks and the width of a letter, in percent of a plot's width.
_TICKS_APART, _LETTER = 24.0, 2.9
# Shares of a plot's height: the margins above and below the curves, and the tallest bar of the histogram.
_ROOM, _TALLEST = 0.08, 0.3


@dataclass(frozen=True)
class TermView:
    """A term of a linear output: its slope, and its effect over the input's width where the rule applies.

    `slope` is the coefficient in the formula, and `per_unit` the change per unit of the input, perhaps in percent. A
    term of categories has offsets, one per category, instead of a slope.
    """

    name: str
    effect: str
    size: float
    sign: str = ""
    slope: str = ""
    times: str = ""
    per_unit: str = ""
    offsets: str = ""

    @property
    def kind(self) -> str:
        """The direction: "minus" if the output falls with the input, "plus" if it rises, "both" for categories."""
        return "both" if self.offsets else "minus" if self.sign == "−" else "plus"


@dataclass(frozen=True)
class RuleView:
    """A rule as words and plots, and the numbers by which rules can be sorted; None if a number is not known.

    The sentence is None for a linear output without a training summary. A rule with a label as its output has the label
    and a plot of it instead of terms; its intercept is the value of the label. The errors are the typical errors of the
    prediction and of the rule alone, over the rows where the rule is the strongest.
    """

    number: int
    conditions: list[View]
    intercept: str
    terms: list[TermView]
    support: float | None
    importance: float | None
    errors: tuple[float, float] | None
    sentence: Sentence | None
    output: float
    label: str
    said: View | None

    @property
    def slopes(self) -> list[TermView]:
        """The terms with a slope."""
        return [term for term in self.terms if not term.offsets]

    @property
    def offsets(self) -> list[TermView]:
        """The terms of categories."""
        return [term for term in self.terms if term.offsets]


def rule_views(reference: Reference) -> list[RuleView]:
    """Return the rules in their order."""
    rules, background = reference.rule_base, reference.background
    moves = background.rule_importance
    shares = moves / moves.sum() if moves.any() else moves
    outputs, support = typical_outputs(rules), rules.support
    return [
        RuleView(
            number=rule + 1,
            conditions=[_condition(reference, rule, said) for said in conditions(rules, rule)],
            intercept=shown(float(rules.consequents.intercepts[rule]), TERM_SHARE * background.spread),
            terms=_terms(reference, rule),
            support=None if support is None else float(support[rule]),
            importance=float(shares[rule]) if background.known else None,
            errors=_errors(reference, rule),
            sentence=sentence_of(rules, rule, typeset),
            output=float(outputs[rule]),
            label=rules.consequents.label(rule) or "",
            said=None if rules.target is None else _said(rules.target, rules.consequents.label(rule) or ""),
        )
        for rule in range(rules.n_rules)
    ]


def _errors(reference: Reference, rule: int) -> tuple[float, float] | None:
    truth = reference.background.truth
    if truth is None or reference.rule_base.n_rules == 1:
        return None
    together, alone = float(truth.rule_together[rule]), float(truth.rule_alone[rule])
    return None if np.isnan(alone) else (together, alone)


def _terms(reference: Reference, rule: int) -> list[TermView]:
    """Return the terms of a rule, the largest effect first; the inputs of a column of categories share a term."""
    rules, found = reference.rule_base, {}
    effects = signed_effects(rules)[rule]
    for j, slope in rules.consequents.terms(rule).items():
        variable = rules.variables[j]
        if variable.levels is None:
            found[variable.name] = _slope(reference, j, slope, float(effects[j]))
        elif variable.subject not in found:
            feature = feature_with(rules.features, j)
            added = level_offsets(rules, rule, feature)
            # The offset of a category without an input of its own is zero.
            others = [0.0] * (len(accepted_levels(rules, rule, feature)) > len(added))
            if added:
                found[variable.subject] = _offsets(reference, variable.subject, added, [*added.values(), *others])
    return sorted(found.values(), key=lambda term: -term.size)


def _offsets(reference: Reference, name: str, added: dict[str, float], ends: list[float]) -> TermView:
    size, tolerance = max(ends) - min(ends), TERM_SHARE * reference.background.spread
    offsets = few_of([f"{level}\u00a0{signed(value, tolerance)}" for level, value in added.items()])
    return TermView(name, reference.change(size, share=TERM_SHARE), size, offsets=offsets)


def _slope(reference: Reference, j: int, slope: float, effect: float) -> TermView:
    variable = reference.rule_base.variables[j]
    farthest = max(map(abs, reference.range_of(j)))
    tolerance = TERM_SHARE * reference.background.spread / farthest if farthest > 0.0 else 0.0
    per_unit = reference.scale.change(slope, tolerance)
    number = shown(abs(per_unit.number), per_unit.tolerance)
    return TermView(
        name=variable.term,
        effect=reference.change(effect, signed, share=TERM_SHARE),
        size=abs(effect),
        sign="−" if slope < 0.0 else "+",
        slope=shown(abs(slope), tolerance),
        times="\u00a0if " if variable.tells_gaps else "·",
        per_unit=per_unit.marked(f"{'−' if per_unit.number < 0.0 else '+'}{number}"),
    )


def _condition(reference: Reference, rule: int, said: Said) -> View:
    """Return a condition: its words, and its plot or the names of categories or of nominal labels."""
    rules, j = reference.rule_base, said.inputs[0]
    variable, labels = rules.antecedents.condition_inputs[j], rules.antecedents.accepted(rule, j)
    view: View = {
        "name": said.subject,
        "labels": said.words,
        "within": with_minus(said.within),
        "unit": variable.value_unit,
    }
    if variable.levels is not None:
        accepted = accepted_levels(rules, rule, feature_with(rules.features, j))
        return {**view, "chips": [(level, level in accepted) for level in variable.levels.levels]}
    if variable.tells_gaps:
        return {**view, "chips": [(word, word == said.words) for word in ("there", "missing")]}
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
    return {"name": target.name, "labels": label, "unit": target.unit, **pictured}


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


def curve_views(reference: Reference) -> list[View]:
    """Return the curves in the order of the rule base; all plots have a common scale, which includes zero."""
    rules = reference.rule_base
    outlines = [curve.outline(*_limits(curve, reference)) for curve in rules.curves]
    adds = [0.0, *(value for _, values in outlines for value in values)]
    room = _ROOM * (max(adds) - min(adds)) or 1.0
    scale = min(adds) - room, max(adds) + room
    return [
        {
            "name": rules.names[curve.input],
            "picture": _picture(reference, curve, scale),
            "points": curve_points(reference, curve),
        }
        for curve in rules.curves
    ]


def curve_points(reference: Reference, curve: Curve) -> str:
    """Write the values of a curve at its bends, e.g. "−12 at 1 d, +9 at 365 d"."""
    low, high = curve.partition.domain
    bends, variable = curve.bends(), reference.rule_base.variables[curve.input]
    points = []
    for value, place, jump in zip(bends.adds.tolist(), bends.x.tolist(), bends.below_jump, strict=True):
        where = with_unit(value_text(variable, place, INPUT_SHARE * (high - low)), variable.value_unit)
        added = reference.change(value, signed, share=TERM_SHARE, unit=False)
        points.append(f"{added} {'just below' if jump else 'at'}\u00a0{where}")
    return ", ".join(points)


def _limits(curve: Curve, reference: Reference) -> tuple[float, float]:
    ends = *curve.partition.domain, *reference.range_of(curve.input)
    return min(ends), max(ends)


def _picture(reference: Reference, curve: Curve, scale: tuple[float, float]) -> str:
    rules, told = reference.rule_base, reference.scale
    variable, limits = rules.variables[curve.input], _limits(curve, reference)
    ticks = [(place, told.change(place, 1e-3).written(_tick)) for place in told.round_places(*scale, 5)]
    chart = Chart(
        f"What {variable.name} adds to {rules.target_name}",
        Axis(limits, variable.title, variable),
        Axis(scale, name_with_unit(told.changes_by, told.unit(rules.target_unit)), ticks=ticks),
    )
    if reference.background.histograms is not None:
        counts = reference.background.histograms[curve.input]
        edges = np.linspace(*reference.range_of(curve.input), len(counts) + 1)
        chart.bars(edges, scale[0] + _TALLEST * (scale[1] - scale[0]) * counts / (counts.max() or 1.0), "histogram")
    chart.line(np.array(limits), np.zeros(2), "diagonal")
    chart.line(*curve.outline(*limits), "line")
    chart.dots(*curve.bends(), "dots strong")
    return chart.svg()


def _tick(value: float, tolerance: float) -> str:
    return with_plus(shown(value, tolerance))
