"""What the template shows of rules: texts and pictures, ready to be placed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fruler._typing import Floats
from fruler._wording import percent
from fruler.explain.categories import accepted_levels, few_of, level_offsets
from fruler.explain.effects import signed_effects
from fruler.explain.report.drawings import accepted_path, position, small_svg
from fruler.explain.report.numbers import (
    INPUT_SHARE,
    TARGET_SHARE,
    TERM_SHARE,
    fixed,
    shown,
    signed,
    typeset,
    value_text,
    with_unit,
)
from fruler.explain.report.reference import Reference
from fruler.explain.report.views import uses_of
from fruler.explain.rule_order import typical_outputs
from fruler.explain.scales import scale_of
from fruler.explain.sentences import Sentence, sentence_of
from fruler.explain.text import Said, conditions
from fruler.rules.rule_base import RuleBase
from fruler.rules.variables import Variable

# Ticks nearer than this, in percent of a picture's width, would run into each other; each letter takes some room.
_TICKS_APART, _LETTER = 24.0, 2.9


@dataclass(frozen=True)
class Tick:
    """A number below a picture, and where: in percent of its width."""

    at: float
    text: str


@dataclass(frozen=True)
class ConditionView:
    """A part of an antecedent: its words, its picture, or the names of categories or of a nominal input's labels.

    Within which values it holds is only said where the words do not say it.
    """

    name: str
    labels: str
    within: str
    unit: str
    picture: str
    ticks: list[Tick]
    chips: list[tuple[str, bool]]


@dataclass(frozen=True)
class TermView:
    """A term of a linear output: its slope, and how much it changes the output over the input where the rule applies.

    The slope is that of the formula; what it does for one unit of the input is told besides, perhaps in percent. Of
    categories it has what each of them adds instead of a slope.
    """

    name: str
    sign: str
    size: str
    times: str
    per_unit: str
    effect: str
    share: float
    offsets: str = ""

    @property
    def kind(self) -> str:
        """Whether the output falls or rises with the input, or differs by category."""
        return "both" if self.offsets else "minus" if self.sign == "−" else "plus"


@dataclass(frozen=True)
class RuleOrder:
    """The figures by which rules can be sorted: what it says of its typical row, and what else is known of it."""

    output: float
    support: float
    importance: float
    error: float


@dataclass(frozen=True)
class RuleView:
    """A rule as words and pictures; of the curves, which all rules share, it has the names of their inputs.

    The sentence is None where it isn't known which rows the rule applies to. A rule that says a label of the output has
    this and its picture instead of terms; its intercept is what the label stands for.
    """

    number: int
    conditions: list[ConditionView]
    intercept: str
    terms: list[TermView]
    curves: list[str]
    support: str
    support_share: float
    importance: str
    importance_share: float
    error: str
    error_alone: str
    sentence: Sentence | None
    order: RuleOrder
    label: str = ""
    said: ConditionView | None = None

    @property
    def slopes(self) -> list[TermView]:
        """The terms with a slope."""
        return [term for term in self.terms if not term.offsets]

    @property
    def offsets(self) -> list[TermView]:
        """The terms of categories."""
        return [term for term in self.terms if term.offsets]


def rule_views(rule_base: RuleBase, reference: Reference) -> list[RuleView]:
    """Return the rules in their order."""
    effects = signed_effects(rule_base)
    terms = [_terms(rule_base, rule, effects[rule]) for rule in range(rule_base.n_rules)]
    largest = max((abs(term.effect) for own in terms for term in own), default=0.0) or 1.0
    training = rule_base.training
    moves = np.zeros(rule_base.n_rules) if training is None else training.rule_importance
    shares = moves / moves.sum() if moves.any() else moves
    errors = _rule_errors(rule_base, reference)
    outputs = typical_outputs(rule_base)
    truth = None if training is None else training.truth
    views = []
    for rule in range(rule_base.n_rules):
        support = None if rule_base.support is None else float(rule_base.support[rule])
        views.append(
            RuleView(
                number=rule + 1,
                conditions=_conditions(rule_base, reference, rule),
                intercept=shown(float(rule_base.consequents.intercepts[rule]), TERM_SHARE * reference.spread),
                terms=[_term_view(rule_base, reference, term, largest) for term in terms[rule]],
                curves=[rule_base.names[curve.input] for curve in rule_base.curves],
                support="" if support is None else percent(support),
                support_share=support or 0.0,
                importance="" if training is None else percent(float(shares[rule])),
                importance_share=float(shares[rule]),
                error=errors[rule][0],
                error_alone=errors[rule][1],
                sentence=sentence_of(rule_base, rule, typeset),
                order=RuleOrder(
                    output=float(outputs[rule]),
                    support=support or 0.0,
                    importance=float(shares[rule]),
                    error=0.0 if truth is None else float(np.nan_to_num(truth.rule_alone[rule])),
                ),
                label=rule_base.consequents.label(rule) or "",
                said=None if rule_base.target is None else _said(rule_base, rule_base.target, rule),
            )
        )
    return views


def _rule_errors(rule_base: RuleBase, reference: Reference) -> list[tuple[str, str]]:
    """Return the typical errors of each rule where it is the strongest, of the prediction and of the rule alone."""
    truth = None if rule_base.training is None else rule_base.training.truth
    if truth is None or rule_base.n_rules == 1:
        return [("", "")] * rule_base.n_rules
    scale = scale_of(rule_base)

    def told(error: float) -> str:
        amount = scale.change(error, TARGET_SHARE * reference.spread)
        return amount.marked(fixed(amount.number, amount.tolerance))

    unit = scale.unit(rule_base.target_unit)
    return [
        ("", "") if np.isnan(alone) else (told(together), with_unit(told(alone), unit))
        for together, alone in zip(truth.rule_together.tolist(), truth.rule_alone.tolist(), strict=True)
    ]


@dataclass(frozen=True)
class _Term:
    """A term of a rule: its input, its slope, by how much it changes the output, and what it adds for categories."""

    input: int
    slope: float
    effect: float
    added: dict[str, float]


def _terms(rule_base: RuleBase, rule: int, effects: Floats) -> list[_Term]:
    """Return the terms of a rule, the one with the largest effect first; the inputs of one subject have one."""
    found: dict[str, _Term] = {}
    for j, slope in rule_base.consequents.terms(rule).items():
        variable = rule_base.variables[j]
        if variable.levels is None:
            found[variable.name] = _Term(j, slope, float(effects[j]), {})
        elif variable.subject not in found:
            added = level_offsets(rule_base, rule, variable.subject)
            # A category without an input of its own adds nothing.
            others = [0.0] * (len(accepted_levels(rule_base, rule, variable.subject)) > len(added))
            if added:
                ends = [*added.values(), *others]
                found[variable.subject] = _Term(j, slope, max(ends) - min(ends), added)
    return sorted(found.values(), key=lambda term: -abs(term.effect))


def _term_view(rule_base: RuleBase, reference: Reference, term: _Term, largest: float) -> TermView:
    variable, tolerance = rule_base.variables[term.input], TERM_SHARE * reference.spread
    scale = scale_of(rule_base)
    share, unit = abs(term.effect) / largest, scale.unit(rule_base.target_unit)
    told = scale.change(term.effect, tolerance)
    if term.added:
        offsets = few_of([f"{level}\u00a0{signed(value, tolerance)}" for level, value in term.added.items()])
        effect = with_unit(told.marked(fixed(told.number, told.tolerance)), unit)
        return TermView(variable.subject, "", "", "", "", effect, share, offsets)
    farthest = max(abs(float(reference.low[term.input])), abs(float(reference.high[term.input])))
    of_slope = tolerance / farthest if farthest > 0.0 else 0.0
    per_unit = scale.change(term.slope, of_slope)
    number = shown(abs(per_unit.number), per_unit.tolerance)
    return TermView(
        name=variable.term,
        sign="−" if term.slope < 0.0 else "+",
        size=shown(abs(term.slope), of_slope),
        per_unit=per_unit.marked(f"{'−' if per_unit.number < 0.0 else '+'}{number}"),
        times="\u00a0if " if variable.tells_gaps else "·",
        effect=with_unit(told.marked(signed(told.number, told.tolerance)), unit),
        share=share,
    )


def _conditions(rule_base: RuleBase, reference: Reference, rule: int) -> list[ConditionView]:
    return [_condition(rule_base, reference, rule, said) for said in conditions(rule_base, rule, typeset)]


def _condition(rule_base: RuleBase, reference: Reference, rule: int, said: Said) -> ConditionView:
    j = said.inputs[0]
    antecedents = rule_base.antecedents
    variable, (first, last) = antecedents.condition_inputs[j], antecedents.accepted(rule, j)
    partition = variable.partition
    picture, ticks, chips = "", [], []
    if variable.levels is not None:
        accepted_here = accepted_levels(rule_base, rule, said.subject)
        chips = [(level, level in accepted_here) for level in variable.levels.levels]
    elif variable.tells_gaps:
        chips = [(word, word == said.words) for word in ("there", "missing")]
    elif partition.ordered:
        low, high = float(reference.low[j]), float(reference.high[j])
        uses = uses_of(j, antecedents.shares_labels, reference.histograms is not None)
        accepted = f'<path class="accepted" d="{accepted_path(partition, first, last, low, high)}"/>'
        picture = small_svg(uses + accepted, _described(variable, said.words, first, last, INPUT_SHARE * (high - low)))
        ticks = _ticks(variable, first, last, low, high)
    else:
        chips = [(label, first <= k <= last) for k, label in enumerate(partition.labels)]
    return ConditionView(said.subject, said.words, said.within, variable.value_unit, picture, ticks, chips)


def _said(rule_base: RuleBase, target: Variable, rule: int) -> ConditionView:
    """Return the label of the output that a rule says, among all of them."""
    label = rule_base.consequents.label(rule) or ""
    number = target.partition.labels.index(label)
    low, high = target.partition.range
    path = f'<path class="accepted" d="{accepted_path(target.partition, number, number, low, high)}"/>'
    described = _described(target, label, number, number, INPUT_SHARE * (high - low))
    picture = small_svg('<use href="#target-labels" class="sets"/>' + path, described)
    ticks = _ticks(target, number, number, low, high)
    return ConditionView(target.name, label, "", target.unit, picture, ticks, [])


def _described(variable: Variable, words: str, first: int, last: int, tolerance: float) -> str:
    """Say what the picture of accepted labels shows."""
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


def _ticks(variable: Variable, first: int, last: int, low: float, high: float) -> list[Tick]:
    """Return the ends of the picture and what marks the accepted labels, as far as there is room."""
    tolerance = INPUT_SHARE * (high - low)
    marks = [mark for mark in variable.partition.marks(first, last) if low <= mark <= high]
    ticks = [Tick(position(mark, low, high), value_text(variable, mark, tolerance)) for mark in marks]
    if len(ticks) == 2 and not _apart(*ticks):
        ticks = [Tick((ticks[0].at + ticks[1].at) / 2.0, f"{ticks[0].text} to {ticks[1].text}")]
    ends = [Tick(0.0, value_text(variable, low, tolerance)), Tick(100.0, value_text(variable, high, tolerance))]
    ends = [end for end in ends if all(_apart(end, tick) for tick in ticks)]
    return sorted(ticks + ends, key=lambda tick: tick.at)


def _apart(one: Tick, other: Tick) -> bool:
    """Return whether two ticks are far enough from each other; at the ends of a picture texts stand inside of it."""
    wide = [len(tick.text) * (1.0 if tick.at in (0.0, 100.0) else 0.5) for tick in (one, other)]
    return abs(one.at - other.at) >= max(_TICKS_APART, _LETTER * (sum(wide) + 1.0))
