"""What the template shows of curves: a picture of each, and what it adds at its bends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fruler._wording import name_with_unit
from fruler.explain.report.drawings import Chart
from fruler.explain.report.numbers import INPUT_SHARE, TERM_SHARE, shown, signed, value_text, with_unit
from fruler.explain.report.reference import Reference
from fruler.explain.scales import Scale, scale_of
from fruler.rules.curves import Curve
from fruler.rules.rule_base import RuleBase

# Shares of a picture's height: room above and below the curves, and the tallest bar of the histogram.
_ROOM, _TALLEST = 0.08, 0.3


@dataclass(frozen=True)
class CurveView:
    """A curve as a picture and in words."""

    name: str
    picture: str
    points: str


def curve_views(rule_base: RuleBase, reference: Reference) -> list[CurveView]:
    """Return the curves in the order of their inputs; all pictures have one scale, with zero in it."""
    outlines = [curve.outline(*_limits(curve, reference)) for curve in rule_base.curves]
    adds = [0.0, *(value for _, values in outlines for value in values)]
    room = _ROOM * (max(adds) - min(adds)) or 1.0
    scale = min(adds) - room, max(adds) + room
    return [
        CurveView(
            name=rule_base.names[curve.input],
            picture=_picture(rule_base, reference, curve, scale),
            points=curve_points(rule_base, reference, curve),
        )
        for curve in rule_base.curves
    ]


def curve_points(rule_base: RuleBase, reference: Reference, curve: Curve) -> str:
    """Write what a curve adds at its bends, e.g. "−12 at 1 d, +9 at 365 d"."""
    low, high = curve.partition.domain
    bends = curve.bends()
    variable = rule_base.variables[curve.input]
    points = []
    for value, place, jump in zip(bends.adds.tolist(), bends.x.tolist(), bends.below_jump, strict=True):
        where = with_unit(value_text(variable, place, INPUT_SHARE * (high - low)), variable.value_unit)
        added = scale_of(rule_base).change(value, TERM_SHARE * reference.spread)
        text = added.marked(signed(added.number, added.tolerance))
        points.append(f"{text} {'just below' if jump else 'at'}\u00a0{where}")
    return ", ".join(points)


def _limits(curve: Curve, reference: Reference) -> tuple[float, float]:
    low, high = curve.partition.domain
    return min(low, float(reference.low[curve.input])), max(high, float(reference.high[curve.input]))


def _picture(rule_base: RuleBase, reference: Reference, curve: Curve, scale: tuple[float, float]) -> str:
    variable, limits = rule_base.variables[curve.input], _limits(curve, reference)
    told = scale_of(rule_base)
    chart = Chart(
        f"What {variable.name} adds to {rule_base.target_name}",
        limits,
        scale,
        variable.title,
        name_with_unit(told.changes_by, told.unit(rule_base.target_unit)),
        variable,
        y_ticks=[(place, _tick(told, place)) for place in told.round_places(*scale, 5)],
    )
    if reference.histograms is not None:
        counts = reference.histograms[curve.input]
        edges = np.linspace(reference.low[curve.input], reference.high[curve.input], len(counts) + 1)
        shares = counts / counts.max() if counts.max() > 0.0 else counts
        chart.bars(edges, scale[0] + _TALLEST * (scale[1] - scale[0]) * shares, "histogram")
    chart.line(np.array(limits), np.zeros(2), "diagonal")
    chart.line(*curve.outline(*limits), "line")
    chart.dots(*curve.bends(), "dots strong")
    return chart.svg()


def _tick(scale: Scale, place: float) -> str:
    amount = scale.change(place, 1e-3)
    text = shown(amount.number, amount.tolerance)
    return amount.marked(text if text.startswith("−") or text == "0" else f"+{text}")
