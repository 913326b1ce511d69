"""What the template shows of effects: a picture and a sentence of every feature that matters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fruler._typing import Floats
from fruler._wording import name_with_unit
from fruler.explain.categories import few_of
from fruler.explain.effect_curves import EffectCurve, effect_curve
from fruler.explain.features import Feature
from fruler.explain.report.drawings import Chart, Frame, padded
from fruler.explain.report.numbers import INPUT_SHARE, TARGET_SHARE, fixed, value_text, with_unit
from fruler.explain.report.reference import Reference
from fruler.explain.stability.stability import Stability
from fruler.rules.rule_base import RuleBase

Band = tuple[Floats, Floats]

# An effect below this share of the target's spread can't be told from a flat line.
_LEAST_EFFECT = 0.02
# More pictures than this are folded away.
_MAX_OPEN = 12
_FRAME = Frame(width=320.0, height=216.0, left=50.0, right=304.0, top=8.0, bottom=158.0, strip=32.0)
# With names below that are slanted.
_TALL = replace(_FRAME, height=264.0)
# Room for the names of options: pixels for each letter and between two names, and the letters of the longest.
_LETTER, _BETWEEN, _LONGEST = 7.0, 10.0, 14
_MAX_OPTIONS = 14


@dataclass(frozen=True)
class EffectView:
    """The effect of a feature as a picture and in words."""

    name: str
    picture: str
    words: str


@dataclass(frozen=True)
class EffectViews:
    """The effects, those to be seen at once and those that are folded away; and the features that have hardly any."""

    first: list[EffectView]
    rest: list[EffectView]
    flat: list[str]


def effect_views(
    rule_base: RuleBase,
    reference: Reference,
    features: Sequence[Feature],
    rows: Floats,
    given: Floats | None,
    stability: Stability | None = None,
) -> EffectViews:
    """Return the effects of features in their order; all pictures have one vertical scale.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    reference : Reference
        Ranges and histograms.
    features : sequence of Feature
        Those that the rules use.
    rows : ndarray of shape (n_samples, n_inputs)
        The rows to average over.
    given : ndarray of shape (n_samples, n_inputs), or None
        All rows that are given, whose options are counted.
    stability : Stability, optional
        Whose effects are taken where it has them, with the bands of its refits.
    """
    known = {} if stability is None else {effect.curve.feature: effect for effect in stability.effects}
    curves, bands = [], {feature.name: effect.band() for feature, effect in known.items()}
    for feature in features:
        j = feature.inputs[0]
        curves.append(
            known[feature].curve
            if feature in known
            else effect_curve(rule_base, feature, rows, float(reference.low[j]), float(reference.high[j]))
        )
    telling = [curve for curve in curves if curve.extent >= _LEAST_EFFECT * reference.target_spread]
    flat = [curve.feature.name for curve in curves if curve.extent < _LEAST_EFFECT * reference.target_spread]
    if not telling:
        return EffectViews([], [], flat)
    drawn = [[curve.predictions, *bands.get(curve.feature.name, ())] for curve in telling]
    scale = padded(np.concatenate([line for lines in drawn for line in lines]), 0.06)
    views = [
        EffectView(
            name=curve.feature.name,
            picture=_picture(rule_base, reference, curve, scale, given, bands.get(curve.feature.name)),
            words=_words(rule_base, reference, curve),
        )
        for curve in telling
    ]
    return EffectViews(views[:_MAX_OPEN], views[_MAX_OPEN:], flat)


def _picture(
    rule_base: RuleBase,
    reference: Reference,
    curve: EffectCurve,
    scale: tuple[float, float],
    given: Floats | None,
    band: Band | None,
) -> str:
    name = f"{rule_base.target_name} for each value of {curve.feature.name}"
    y_title = name_with_unit(rule_base.target_name, rule_base.target_unit)
    if curve.feature.options:
        return _options_picture(reference, curve, scale, given, band, (name, y_title))
    variable = rule_base.variables[curve.feature.inputs[0]]
    limits = float(curve.values[0]), float(curve.values[-1])
    chart = Chart(name, limits, scale, "", y_title, variable, _FRAME)
    if reference.histograms is not None:
        # The histogram is from the least to the greatest value, as the axis is.
        chart.strip_reference(f"h{curve.feature.inputs[0]}", "histogram")
    if band is not None:
        chart.band(curve.values, *band, "band")
    chart.line(curve.values, curve.predictions, "line")
    return chart.svg()


def _options_picture(
    reference: Reference,
    curve: EffectCurve,
    scale: tuple[float, float],
    given: Floats | None,
    band: Band | None,
    titles: tuple[str, str],
) -> str:
    order = _ends(np.argsort(curve.predictions, kind="stable").tolist())
    texts = [_cut(curve.feature.options[k].text) for k in order]
    places = np.arange(float(len(order)))
    room = (_FRAME.right - _FRAME.left) / len(order)
    slanted = max(map(len, texts)) * _LETTER + _BETWEEN > room
    ticks = list(zip(places.tolist(), texts, strict=True))
    limits = -0.5, len(order) - 0.5
    frame = _TALL if slanted else _FRAME
    chart = Chart(titles[0], limits, scale, "", titles[1], None, frame, ticks, slanted)
    counts = reference.option_counts(curve.feature, given)
    if counts is not None:
        # Bars of half the width that there is.
        edges = np.column_stack([places - 0.25, places + 0.25]).ravel()
        shares = np.zeros(len(edges) - 1)
        shares[::2] = _shares(counts)[order]
        chart.strip(edges, shares, "histogram")
    if band is not None:
        chart.ranges(places, band[0][order], band[1][order], "band")
    chart.dots(places, curve.predictions[order], "dots strong")
    return chart.svg()


def _ends(order: list[int]) -> list[int]:
    """Return the options that there is room for: of too many those that say least and most."""
    half = _MAX_OPTIONS // 2
    return order if len(order) <= _MAX_OPTIONS else order[:half] + order[-half:]


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _shares(counts: Floats) -> Floats:
    return counts / counts.max() if counts.max() > 0.0 else counts


def _words(rule_base: RuleBase, reference: Reference, curve: EffectCurve) -> str:
    """Say what an effect is, e.g. "falls from 30.1 at 1,613 lb to 14.9 at 5,140 lb"."""
    tolerance = TARGET_SHARE * reference.target_spread
    said = [fixed(float(value), tolerance) for value in curve.predictions]
    if curve.feature.options:
        order = np.argsort(curve.predictions, kind="stable")
        return few_of([f"{curve.feature.options[k].text}\u00a0{said[k]}" for k in order])
    j = curve.feature.inputs[0]
    variable = rule_base.variables[j]
    steps = np.diff(curve.predictions)
    room = tolerance / 10.0

    def at(k: int) -> str:
        place = value_text(variable, float(curve.values[k]), INPUT_SHARE * float(reference.high[j] - reference.low[j]))
        return f"{said[k]} at\u00a0{with_unit(place, variable.value_unit)}"

    if (steps >= -room).all() or (steps <= room).all():
        verb = "rises" if curve.predictions[-1] > curve.predictions[0] else "falls"
        return f"{verb} from {at(0)} to {at(len(said) - 1)}"
    lowest, highest = int(np.argmin(curve.predictions)), int(np.argmax(curve.predictions))
    return f"lowest, {at(lowest)}; highest, {at(highest)}"
