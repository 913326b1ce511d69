"""What the template shows of inputs and rules: texts and pictures, ready to be placed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fruler._typing import Floats
from fruler._wording import counted, either, percent
from fruler.explain.categories import level_offsets
from fruler.explain.effects import signed_effects
from fruler.explain.importance import input_shares
from fruler.explain.report.drawings import accepted_path, histogram_path, labels_path, position, small_svg
from fruler.explain.report.numbers import INPUT_SHARE, TARGET_SHARE, TERM_SHARE, fixed, shown, signed, with_unit
from fruler.explain.report.reference import Reference
from fruler.explain.text import accepted_labels, borders
from fruler.rules.antecedents import Condition
from fruler.rules.partitions import Partition
from fruler.rules.rule_base import RuleBase
from fruler.rules.variables import Variable

# Ticks nearer than this, in percent of a picture's width, would run into each other.
_TICKS_APART = 24.0
# With more inputs than this to move, those that move predictions least are folded away.
_MAX_OPEN, _OPEN_OF_MANY = 12, 8


@dataclass(frozen=True)
class InputView:
    """An input: its figures as texts, and what its slider needs."""

    index: int
    name: str
    unit: str
    low: str
    high: str
    typical: str
    used: bool
    labels: str
    share: float
    share_text: str
    moves: str
    options: list[tuple[float, str]]
    coded: bool
    has_sets: bool
    picture: str


@dataclass(frozen=True)
class Tick:
    """A number below a picture, and where: in percent of its width."""

    at: float
    text: str


@dataclass(frozen=True)
class ConditionView:
    """A part of an antecedent: its words, its picture, or the names of a nominal input's labels."""

    name: str
    labels: str
    unit: str
    picture: str
    ticks: list[Tick]
    chips: list[tuple[str, bool]]


@dataclass(frozen=True)
class TermView:
    """A term of a linear output: its slope, and how much it changes the output over the input's range.

    Of categories it has what each of them adds instead of a slope.
    """

    name: str
    sign: str
    size: str
    effect: str
    share: float
    offsets: str = ""


@dataclass(frozen=True)
class RuleView:
    """A rule as words and pictures; of the curves, which all rules share, it has the names of their inputs."""

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


def input_views(rule_base: RuleBase, reference: Reference) -> list[InputView]:
    """Return the inputs, those that move predictions most first."""
    used = rule_base.uses
    training = rule_base.training
    if training is None:
        effects = np.abs(signed_effects(rule_base)).max(axis=0)
        order = np.lexsort((-effects, ~rule_base.looks_at.any(axis=0), ~used))
        shares = np.zeros(len(used))
    else:
        shares = input_shares(rule_base)
        order = np.lexsort((-shares, ~used))
    return [_input_view(rule_base, reference, int(j), bool(used[j]), shares) for j in order]


def _input_view(rule_base: RuleBase, reference: Reference, j: int, used: bool, shares: Floats) -> InputView:
    variable, training = rule_base.variables[j], rule_base.training
    low, high = float(reference.low[j]), float(reference.high[j])
    tolerance = INPUT_SHARE * (high - low)
    has_sets = bool(variable.partition.split_points)
    levels = variable.levels if variable.name == variable.column else None
    options = [
        (code, label if len(group) == 1 else f"{label} ({code:g})")
        for label, group in zip(variable.partition.labels, variable.partition.groups, strict=False)
        for code in group
    ]
    if levels is not None:
        options = sorted(zip(levels.values, levels.levels, strict=True))
    return InputView(
        index=j,
        name=variable.name,
        unit=variable.unit,
        low=shown(low, tolerance),
        high=shown(high, tolerance),
        typical=shown(float(reference.typical[j]), tolerance),
        used=used,
        labels=meeting(variable, tolerance) if bool(rule_base.looks_at[:, j].any()) else "",
        share=float(shares[j] / shares.max()) if shares.any() else 0.0,
        share_text=percent(float(shares[j])),
        moves="" if training is None else fixed(float(training.input_importance[j]), TARGET_SHARE * reference.spread),
        options=options,
        coded=levels is not None,
        has_sets=has_sets,
        picture=small_svg(_uses(j, has_sets, reference.histograms is not None)),
    )


def meeting(variable: Variable, tolerance: float) -> str:
    """Write where the labels of an input meet, e.g. "low < −3 °C < high"; of a nominal one, what they stand for."""
    partition = variable.partition
    if not partition.ordered:
        return borders(partition)
    if variable.levels is not None:
        return " | ".join(partition.labels)
    splits = [with_unit(shown(split, tolerance), variable.unit) for split in partition.split_points]
    return partition.labels[0] + "".join(
        f" <\u00a0{split} <\u00a0{label}" for split, label in zip(splits, partition.labels[1:], strict=True)
    )


def drawn_once(rule_base: RuleBase, reference: Reference) -> str:
    """Return the labels and histograms of all inputs, which the pictures refer to."""
    parts = []
    for j, variable in enumerate(rule_base.variables):
        if reference.histograms is not None:
            parts.append(f'<path id="h{j}" d="{histogram_path(reference.histograms[j])}"/>')
        if variable.partition.split_points:
            path = labels_path(variable.partition, float(reference.low[j]), float(reference.high[j]))
            # As an attribute: rules of a style sheet do not reach what is drawn through a reference.
            parts.append(f'<path id="s{j}" vector-effect="non-scaling-stroke" d="{path}"/>')
    return f'<svg width="0" height="0" aria-hidden="true" class="drawn-once"><defs>{"".join(parts)}</defs></svg>'


def rule_views(rule_base: RuleBase, reference: Reference) -> list[RuleView]:
    """Return the rules in their order."""
    slopes = rule_base.consequents.slopes
    effects = np.abs(signed_effects(rule_base))
    largest = float(effects.max()) or 1.0
    training = rule_base.training
    moves = np.zeros(rule_base.n_rules) if training is None else training.rule_importance
    shares = moves / moves.sum() if moves.any() else moves
    errors = _rule_errors(rule_base, reference)
    views = []
    for rule in range(rule_base.n_rules):
        support = None if rule_base.support is None else float(rule_base.support[rule])
        order = [int(j) for j in np.argsort(-effects[rule], kind="stable") if slopes[rule, j] != 0.0]
        views.append(
            RuleView(
                number=rule + 1,
                conditions=[_condition(rule_base, reference, part) for part in rule_base.antecedents.conditions(rule)],
                intercept=shown(float(rule_base.consequents.intercepts[rule]), TERM_SHARE * reference.spread),
                terms=[_term(rule_base, reference, rule, j, largest) for j in order],
                curves=[rule_base.names[curve.input] for curve in rule_base.curves],
                support="" if support is None else percent(support),
                support_share=support or 0.0,
                importance="" if training is None else percent(float(shares[rule])),
                importance_share=float(shares[rule]),
                error=errors[rule][0],
                error_alone=errors[rule][1],
            )
        )
    return views


def _rule_errors(rule_base: RuleBase, reference: Reference) -> list[tuple[str, str]]:
    """Return the typical errors of each rule where it is the strongest, of the prediction and of the rule alone."""
    truth = None if rule_base.training is None else rule_base.training.truth
    if truth is None or rule_base.n_rules == 1:
        return [("", "")] * rule_base.n_rules
    tolerance, unit = TARGET_SHARE * reference.spread, rule_base.target_unit
    return [
        ("", "") if np.isnan(alone) else (fixed(together, tolerance), with_unit(fixed(alone, tolerance), unit))
        for together, alone in zip(truth.rule_together.tolist(), truth.rule_alone.tolist(), strict=True)
    ]


def _term(rule_base: RuleBase, reference: Reference, rule: int, j: int, largest: float) -> TermView:
    slope, variable = float(rule_base.consequents.slopes[rule, j]), rule_base.variables[j]
    low, high = float(reference.low[j]), float(reference.high[j])
    farthest = max(abs(low), abs(high))
    tolerance = TERM_SHARE * reference.spread
    effect = slope * (high - low)
    offsets = ""
    if variable.levels is not None and variable.name == variable.column:
        added = level_offsets(rule_base, rule, variable.column)
        offsets = ", ".join(f"{level}\u00a0{signed(value, tolerance)}" for level, value in added.items())
        effect = max(added.values(), default=0.0) - min(added.values(), default=0.0)
    return TermView(
        name=variable.name,
        sign="−" if slope < 0.0 else "+",
        size=shown(abs(slope), tolerance / farthest if farthest > 0.0 else 0.0),
        effect=with_unit(signed(effect, tolerance), rule_base.target_unit),
        share=abs(effect) / largest,
        offsets=offsets,
    )


def _condition(rule_base: RuleBase, reference: Reference, part: Condition) -> ConditionView:
    j, first, last = part
    variable = rule_base.variables[j]
    partition = variable.partition
    words = accepted_labels(partition, first, last)
    picture, ticks, chips = "", [], []
    if variable.levels is not None and variable.name == variable.column:
        accepted_here = variable.levels_within(first, last)
        words = either(accepted_here)
        chips = [(level, level in accepted_here) for level in variable.levels.levels]
    elif partition.ordered:
        low, high = float(reference.low[j]), float(reference.high[j])
        uses = _uses(j, True, reference.histograms is not None)
        accepted = f'<path class="accepted" d="{accepted_path(partition, first, last, low, high)}"/>'
        picture = small_svg(uses + accepted, _described(partition, first, last, INPUT_SHARE * (high - low)))
        ticks = _ticks(partition, first, last, low, high)
    else:
        chips = [(label, first <= k <= last) for k, label in enumerate(partition.labels)]
    return ConditionView(variable.name, words, variable.unit, picture, ticks, chips)


def _uses(j: int, sets: bool, histogram: bool) -> str:
    parts = f'<use href="#h{j}" class="histogram"/>' if histogram else ""
    return parts + (f'<use href="#s{j}" class="sets"/>' if sets else "")


def _described(partition: Partition, first: int, last: int, tolerance: float) -> str:
    """Say what the picture of accepted labels shows."""
    said = []
    if first > 0:
        split, half = partition.split_points[first - 1], partition.half_widths[first - 1]
        said.append(f"not below {shown(split - half, tolerance)}, half at {shown(split, tolerance)}")
    if last < partition.n_labels - 1:
        split, half = partition.split_points[last], partition.half_widths[last]
        said.append(f"half at {shown(split, tolerance)}, not above {shown(split + half, tolerance)}")
    return f"{accepted_labels(partition, first, last)}: {'; '.join(said)}"


def _ticks(partition: Partition, first: int, last: int, low: float, high: float) -> list[Tick]:
    """Return the ends of the picture and the splits that bound the accepted labels, as far as there is room."""
    tolerance = INPUT_SHARE * (high - low)
    splits = [partition.split_points[k] for k in (first - 1, last) if 0 <= k < len(partition.split_points)]
    ticks = [Tick(position(split, low, high), shown(split, tolerance)) for split in splits]
    if len(ticks) == 2 and ticks[1].at - ticks[0].at < _TICKS_APART:
        ticks = [Tick((ticks[0].at + ticks[1].at) / 2.0, f"{ticks[0].text} to {ticks[1].text}")]
    room = _TICKS_APART * (1.5 if " to " in "".join(tick.text for tick in ticks) else 1.0)
    ends = [Tick(0.0, shown(low, tolerance)), Tick(100.0, shown(high, tolerance))]
    ends = [end for end in ends if all(abs(end.at - tick.at) >= room for tick in ticks)]
    return sorted(ticks + ends, key=lambda tick: tick.at)


def input_groups(inputs: list[InputView]) -> list[tuple[str, bool, list[InputView]]]:
    """Return the inputs in groups with a heading: those to move, those that move little, those that do nothing."""
    used, unused = [view for view in inputs if view.used], [view for view in inputs if not view.used]
    many = len(used) > _MAX_OPEN
    first, rest = (used[:_OPEN_OF_MANY], used[_OPEN_OF_MANY:]) if many else (used, [])
    groups = [
        ("", True, first),
        (f"{len(rest)} inputs that move the prediction less", False, rest),
        (f"{counted(len(unused), 'input')} that no rule uses", False, unused),
    ]
    return [group for group in groups if group[2]]
