"""The influence of features for the template: importance, effects, and pairs that interact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fruler._arrays import Floats
from fruler._wording import name_with_unit, percent
from fruler.explain._dependence import (
    MAX_ROWS,
    EffectCurve,
    Interaction,
    background_rows,
    effect_curve,
    option_counts,
    ranked_interactions,
)
from fruler.explain._effects import few_of, outermost, signed_effects
from fruler.explain.importance import feature_moves, input_importance
from fruler.explain.report._drawings import TARGET_SHARE, Axis, Chart, Frame, fixed, padded, signed
from fruler.explain.report._error_views import Measured
from fruler.explain.report._reference import Reference, View
from fruler.explain.stability import Stability
from fruler.rules._features import Feature
from fruler.rules._rule_base import RuleBase

# Interactions below this share of the target's spread are not listed.
_LEAST_STRENGTH = 0.02
_MAX_PAIRS, _PAIRS_OPEN = 6, 3
# The inputs of the first screen.
_MAX_BARS = 6
Band = tuple[Floats, Floats]
# Effects below this share of the target's spread look like flat lines.
_LEAST_EFFECT = 0.02
# More plots than this are folded away.
_MAX_OPEN = 3
_FRAME = Frame(width=320.0, height=216.0, left=50.0, right=304.0, top=8.0, bottom=158.0, strip=32.0)
# With room for slanted names below.
_TALL = replace(_FRAME, height=264.0)
# Names of options: pixels per letter and between two names, and the maximum number of letters.
_LETTER, _BETWEEN, _LONGEST = 7.0, 10.0, 14
# Of more options, those with the lowest and the highest predictions are drawn.
_MAX_OPTIONS = 14


def ordered_features(rule_base: RuleBase) -> list[Feature]:
    """Return all features, the most important first, and unused ones last.

    Without a training summary, features in conditions come first, then those with the largest effects in a rule.
    """
    if not rule_base.background.known:
        effects = np.abs(signed_effects(rule_base)).max(axis=0)
        sizes = [float(effects[feature.index].max()) for feature in rule_base.features]
    else:
        sizes = feature_moves(rule_base).tolist()

    def rank(numbered: tuple[int, Feature]) -> tuple[bool, bool, float]:
        place, feature = numbered
        used, asked = rule_base.uses[feature.index].any(), rule_base.looks_at[:, feature.index].any()
        return not used, not rule_base.background.known and not asked, -sizes[place]

    return [feature for _, feature in sorted(enumerate(rule_base.features), key=rank)]


def influence_view(
    reference: Reference, features: Sequence[Feature], measured: Measured | None, stability: Stability | None
) -> View:
    """Return the influence of features for the page: importance, pairs that interact, and effects."""
    rules, given = reference.rule_base, None if measured is None else measured.values
    used = [feature for feature in features if rules.uses[feature.index].any()]
    rows = background_rows(rules, given)
    importance, pairs = _importance(reference), _pairs(reference, used, rows)
    return {
        "importance": importance[:_MAX_BARS],
        "pairs": pairs[:_PAIRS_OPEN],
        "more_pairs": pairs[_PAIRS_OPEN:],
        "effects": _effects(reference, used, rows, given, stability),
        "averaged_over": _averaged_over(reference, len(rows), measured, stability),
    }


def _averaged_over(reference: Reference, n_rows: int, measured: Measured | None, stability: Stability | None) -> str:
    """Write over which rows effects are averaged."""
    if stability is not None:
        n_rows = min(MAX_ROWS, stability.n_rows)
        return f"{n_rows} of the training rows" if n_rows < stability.n_rows else "the training rows"
    if measured is None:
        summary = "summary of the training data" if reference.background.known else "ranges of the inputs"
        return f"{n_rows} rows made up from the {summary}"
    which = f"the {'training' if measured.are_training else 'given'} rows"
    return f"{n_rows:,} of {which}" if n_rows < len(measured.observed) else which


def _importance(reference: Reference) -> list[View]:
    """Return the importance of features, the most important first; empty without a training summary."""
    if not reference.background.known:
        return []
    table = input_importance(reference.rule_base)
    table = table[table["moves"] > 0.0]
    largest = table["moves"].max()
    return [
        {"name": name, "width": move / largest, "share": percent(share), "moves": reference.change(move)}
        for name, move, share in table.itertuples(index=False)
    ]


def _pairs(reference: Reference, features: Sequence[Feature], rows: Floats) -> list[View]:
    """Return at most six pairs of features that interact, the strongest first."""
    least = _LEAST_STRENGTH * reference.background.spread
    pairs = ranked_interactions(reference.rule_base, rows, features=features, least=least, most=_MAX_PAIRS)
    return [
        {
            "names": f"{pair.held.name} and {pair.moved.name}",
            "width": pair.strength / pairs[0].strength,
            "strength": reference.change(pair.strength),
            "sentence": _sentence(reference, pair),
        }
        for pair in pairs
    ]


def _sentence(reference: Reference, pair: Interaction) -> str:
    """Describe an interaction in a sentence."""
    rules = reference.rule_base

    def said(feature: Feature, values: tuple[float, ...]) -> str:
        if rules.variables[feature.inputs[0]].tells_gaps:
            return "missing" if values[0] else "present"
        if feature.options:
            return next(option.text for option in feature.options if option.values == values)
        return reference.measured_value(feature.inputs[0], values[0])

    def name(feature: Feature) -> str:
        return feature.column if rules.variables[feature.inputs[0]].tells_gaps else feature.name

    start, end = said(pair.moved, pair.start), said(pair.moved, pair.end)
    low, high = said(pair.held, pair.low), said(pair.held, pair.high)
    changes = [reference.change(change, signed) for change in (pair.change_low, pair.change_high)]
    return (
        f"From {start} to {end}, {name(pair.moved)} changes {rules.target_name} by {changes[0]} where "
        f"{name(pair.held)} is {low}, and by {changes[1]} where it is {high}."
    )


def _effects(
    reference: Reference, features: Sequence[Feature], rows: Floats, given: Floats | None, stability: Stability | None
) -> View:
    """Return the effects of features in their order; all plots have a common vertical scale.

    The first effects are visible, the rest is folded away; features with hardly any effect are only named. Effects of
    `stability` are used if there are any, with the bands of its refits. Options are counted in the given rows.
    """
    known = {} if stability is None else {effect.curve.feature: effect for effect in stability.effects}
    bands = {feature.name: effect.band() for feature, effect in known.items()}
    curves = [
        known[feature].curve
        if feature in known
        else effect_curve(reference.rule_base, feature, rows, *reference.range_of(feature.inputs[0]))
        for feature in features
    ]
    least = _LEAST_EFFECT * reference.background.target_spread
    telling = [curve for curve in curves if curve.extent >= least]
    flat = [curve.feature.name for curve in curves if curve.extent < least]
    drawn = [line for curve in telling for line in (curve.predictions, *bands.get(curve.feature.name, ()))]
    scale = padded(np.concatenate(drawn), 0.06) if drawn else (0.0, 1.0)
    views = [
        {
            "name": curve.feature.name,
            "picture": _picture(reference, curve, scale, given, bands.get(curve.feature.name)),
            "words": _words(reference, curve),
        }
        for curve in telling
    ]
    return {"first": views[:_MAX_OPEN], "rest": views[_MAX_OPEN:], "flat": flat}


def _picture(
    reference: Reference, curve: EffectCurve, scale: tuple[float, float], given: Floats | None, band: Band | None
) -> str:
    rules, j = reference.rule_base, curve.feature.inputs[0]
    name = f"{rules.target_name} for each value of {curve.feature.name}"
    y_title = name_with_unit(rules.target_name, rules.target_unit)
    if curve.feature.options:
        counts = option_counts(rules, curve.feature, given)
        return _options_picture(name, y_title, curve, scale, counts, band)
    limits = float(curve.values[0]), float(curve.values[-1])
    chart = Chart(name, Axis(limits, "", rules.variables[j]), Axis(scale, y_title), _FRAME)
    if reference.background.histograms is not None:
        # The histogram spans the same range as the axis.
        chart.strip_reference(f"h{j}", "histogram")
    if band is not None:
        chart.band(curve.values, *band, "band")
    chart.line(curve.values, curve.predictions, "line")
    return chart.svg()


def _options_picture(
    name: str,
    y_title: str,
    curve: EffectCurve,
    scale: tuple[float, float],
    counts: Floats | None,
    band: Band | None,
) -> str:
    order = outermost(np.argsort(curve.predictions, kind="stable"), _MAX_OPTIONS)
    texts = [_cut(curve.feature.options[k].text) for k in order]
    places = np.arange(float(len(order)))
    slanted = max(map(len, texts)) * _LETTER + _BETWEEN > (_FRAME.right - _FRAME.left) / len(order)
    ticks = list(zip(places.tolist(), texts, strict=True))
    limits = -0.5, len(order) - 0.5
    chart = Chart(name, Axis(limits, "", None, ticks, slanted), Axis(scale, y_title), _TALL if slanted else _FRAME)
    if counts is not None:
        # Bars take half of the available width.
        edges = np.column_stack([places - 0.25, places + 0.25]).ravel()
        shares = np.zeros(len(edges) - 1)
        shares[::2] = counts[order] / (counts.max() or 1.0)
        chart.strip(edges, shares, "histogram")
    if band is not None:
        chart.ranges(places, band[0][order], band[1][order], "band")
    chart.dots(places, curve.predictions[order], "dots strong")
    return chart.svg()


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _words(reference: Reference, curve: EffectCurve) -> str:
    """Describe an effect, e.g. "falls from 30.1 at 1,613 lb to 14.9 at 5,140 lb"."""
    tolerance = TARGET_SHARE * reference.background.target_spread
    said = [fixed(float(value), tolerance) for value in curve.predictions]
    if curve.feature.options:
        order = np.argsort(curve.predictions, kind="stable")
        return few_of([f"{curve.feature.options[k].text}\u00a0{said[k]}" for k in order])
    steps, room = np.diff(curve.predictions), tolerance / 10.0

    def at(k: int) -> str:
        return f"{said[k]} at\u00a0{reference.measured_value(curve.feature.inputs[0], float(curve.values[k]))}"

    if (steps >= -room).all() or (steps <= room).all():
        verb = "rises" if curve.predictions[-1] > curve.predictions[0] else "falls"
        return f"{verb} from {at(0)} to {at(len(said) - 1)}"
    lowest, highest = int(np.argmin(curve.predictions)), int(np.argmax(curve.predictions))
    return f"lowest, {at(lowest)}; highest, {at(highest)}"
