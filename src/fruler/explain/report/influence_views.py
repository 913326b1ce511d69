"""What the template shows of influence: how much each feature moves predictions, and which pairs interact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fruler._typing import Floats
from fruler._wording import percent
from fruler.explain.features import Feature
from fruler.explain.interactions import Interaction, ranked_interactions
from fruler.explain.report.numbers import INPUT_SHARE, TARGET_SHARE, fixed, signed, value_text, with_unit
from fruler.explain.report.reference import Reference
from fruler.explain.scales import Amount, scale_of
from fruler.rules.rule_base import RuleBase

# A pair that interacts less than this share of the target's spread is not worth a sentence.
_LEAST_STRENGTH = 0.02
_MAX_PAIRS = 6
# More bars than this are folded away.
MAX_BARS = 12


@dataclass(frozen=True)
class ImportanceView:
    """How much a feature moves predictions: a bar, its share of all moves, and the move in the target's unit."""

    name: str
    width: float
    share: str
    moves: str


@dataclass(frozen=True)
class PairView:
    """A pair that interacts: its names, how much, and what that means."""

    names: str
    width: float
    strength: str
    sentence: str


def ordered_features(rule_base: RuleBase, features: Sequence[Feature]) -> list[Feature]:
    """Return the features that the rules use, those that move predictions most first where that is known."""
    used = [feature for feature in features if rule_base.uses[feature.columns].any()]
    return sorted(used, key=lambda feature: -_moves(rule_base, feature))


def importance_views(rule_base: RuleBase, reference: Reference, features: Sequence[Feature]) -> list[ImportanceView]:
    """Return how much features move predictions, in their order; none where that is not known."""
    if rule_base.training is None:
        return []
    moves = np.array([_moves(rule_base, feature) for feature in features])
    total = float(rule_base.training.input_importance.sum())
    if not total > 0.0:
        return []
    unit, tolerance, scale = rule_base.target_unit, TARGET_SHARE * reference.spread, scale_of(rule_base)
    return [
        ImportanceView(
            name=feature.name,
            width=float(move / moves.max()),
            share=percent(float(move / total)),
            moves=with_unit(amount_text(scale.change(float(move), tolerance)), scale.unit(unit)),
        )
        for feature, move in zip(features, moves, strict=True)
    ]


def _moves(rule_base: RuleBase, feature: Feature) -> float:
    return 0.0 if rule_base.training is None else float(rule_base.training.input_importance[feature.columns].sum())


def pair_views(rule_base: RuleBase, reference: Reference, features: Sequence[Feature], rows: Floats) -> list[PairView]:
    """Return the pairs of features that interact, the strongest first, six at most."""
    least = _LEAST_STRENGTH * reference.spread
    pairs = ranked_interactions(rule_base, features, rows, least=least, most=_MAX_PAIRS)
    tolerance, scale = TARGET_SHARE * reference.spread, scale_of(rule_base)
    return [
        PairView(
            names=f"{pair.held.name} and {pair.moved.name}",
            width=pair.strength / pairs[0].strength,
            strength=with_unit(amount_text(scale.change(pair.strength, tolerance)), scale.unit(rule_base.target_unit)),
            sentence=_sentence(rule_base, reference, pair),
        )
        for pair in pairs
    ]


def _sentence(rule_base: RuleBase, reference: Reference, pair: Interaction) -> str:
    """Say what an interaction means."""

    def said(feature: Feature, values: tuple[float, ...]) -> str:
        j = feature.inputs[0]
        variable = rule_base.variables[j]
        if variable.tells_gaps:
            return "missing" if values[0] else "there"
        if feature.options:
            row = np.zeros(len(rule_base.variables))
            row[feature.columns] = values
            return feature.options[feature.option_of(row)].text
        text = value_text(variable, values[0], INPUT_SHARE * float(reference.high[j] - reference.low[j]))
        return with_unit(text, variable.value_unit)

    def change(value: float) -> str:
        scale = scale_of(rule_base)
        told = scale.change(value, TARGET_SHARE * reference.spread)
        return with_unit(told.marked(signed(told.number, told.tolerance)), scale.unit(rule_base.target_unit))

    def name(feature: Feature) -> str:
        variable = rule_base.variables[feature.inputs[0]]
        return variable.column if variable.tells_gaps else feature.name

    start, end = said(pair.moved, pair.start), said(pair.moved, pair.end)
    low, high = said(pair.held, pair.low), said(pair.held, pair.high)
    return (
        f"From {start} to {end}, {name(pair.moved)} changes {rule_base.target_name} by {change(pair.change_low)} where "
        f"{name(pair.held)} is {low}, and by {change(pair.change_high)} where it is {high}."
    )


def amount_text(amount: Amount) -> str:
    """Write how much something moves predictions, for a column."""
    return amount.marked(fixed(amount.number, amount.tolerance))
