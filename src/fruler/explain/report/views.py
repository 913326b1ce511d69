"""What the template shows of inputs: texts and pictures, ready to be placed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fruler._typing import Floats
from fruler._wording import name_with_unit, percent
from fruler.explain.effects import signed_effects
from fruler.explain.importance import input_shares
from fruler.explain.report.drawings import histogram_path, labels_path, small_svg
from fruler.explain.report.numbers import INPUT_SHARE, TARGET_SHARE, fixed, value_text, with_unit
from fruler.explain.report.reference import Reference
from fruler.explain.scales import scale_of
from fruler.explain.text import label_meanings, listed, where_labels_meet
from fruler.rules.rule_base import RuleBase
from fruler.rules.variables import Variable


@dataclass(frozen=True)
class InputView:
    """An input and its figures, as texts."""

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
    picture: str


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
    return InputView(
        index=j,
        name=variable.name,
        unit=variable.value_unit,
        low=value_text(variable, low, tolerance),
        high=value_text(variable, high, tolerance),
        typical=value_text(variable, float(reference.typical[j]), tolerance),
        used=used,
        labels=_labels(rule_base, variable, tolerance) if bool(rule_base.looks_at[:, j].any()) else "",
        share=float(shares[j] / shares.max()) if shares.any() else 0.0,
        share_text=percent(float(shares[j])),
        moves="" if training is None else _moves(rule_base, float(training.input_importance[j]), reference),
        picture=small_svg(uses_of(j, False, reference.histograms is not None)),
    )


def has_sets(variable: Variable) -> bool:
    """Return whether there are labels to draw."""
    return variable.partition.ordered and variable.partition.n_labels > 1


def _labels(rule_base: RuleBase, variable: Variable, tolerance: float) -> str:
    return meeting(variable, tolerance) if rule_base.antecedents.shares_labels else "sets of each rule's own"


def meeting(variable: Variable, tolerance: float) -> str:
    """Write where the labels of an input meet, e.g. "low < −3 °C < high"; of others, what they stand for."""
    partition = variable.partition
    if partition.of_triangles and not variable.tells_ranges:
        meanings = label_meanings(variable, lambda value: value_text(variable, value, tolerance))
        return name_with_unit(listed(meanings), variable.unit)
    if not partition.ordered:
        return where_labels_meet(variable)
    if variable.tells_ranges:
        return " | ".join(partition.labels)
    splits = [with_unit(value_text(variable, split, tolerance), variable.unit) for split in partition.split_points]
    return partition.labels[0] + "".join(
        f" <\u00a0{split} <\u00a0{label}" for split, label in zip(splits, partition.labels[1:], strict=True)
    )


def drawn_once(rule_base: RuleBase, reference: Reference) -> str:
    """Return the labels and histograms of all inputs and the labels of the output, which the pictures refer to."""
    parts = []
    for j, variable in enumerate(rule_base.variables):
        if reference.histograms is not None:
            parts.append(f'<path id="h{j}" d="{histogram_path(reference.histograms[j])}"/>')
        if has_sets(variable):
            path = labels_path(variable.partition, float(reference.low[j]), float(reference.high[j]))
            # As an attribute: rules of a style sheet do not reach what is drawn through a reference.
            parts.append(f'<path id="s{j}" vector-effect="non-scaling-stroke" d="{path}"/>')
    if rule_base.target is not None:
        path = labels_path(rule_base.target.partition, *rule_base.target.partition.range)
        parts.append(f'<path id="target-labels" vector-effect="non-scaling-stroke" d="{path}"/>')
    return f'<svg width="0" height="0" aria-hidden="true" class="drawn-once"><defs>{"".join(parts)}</defs></svg>'


def uses_of(j: int, sets: bool, histogram: bool) -> str:
    """Return references to the histogram and the labels of an input, which are drawn once."""
    parts = f'<use href="#h{j}" class="histogram"/>' if histogram else ""
    return parts + (f'<use href="#s{j}" class="sets"/>' if sets else "")


def _moves(rule_base: RuleBase, moves: float, reference: Reference) -> str:
    told = scale_of(rule_base).change(moves, TARGET_SHARE * reference.spread)
    return told.marked(fixed(told.number, told.tolerance))
