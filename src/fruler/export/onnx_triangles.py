"""Conditions that are triangles, as ONNX operators."""

from __future__ import annotations

import math

from fruler.export.onnx_graph import Graph
from fruler.export.plan import Plan
from fruler.rules.triangle_partition import Triangle

# What always holds, and is nowhere away: the condition of a rule that has fewer than others.
_ALWAYS: Triangle = (-math.inf, 0.0, math.inf)


def triangle_degrees(graph: Graph, plan: Plan, source: str) -> tuple[str, str]:
    """Add a column for each condition and one that always holds; and, where it is asked for, how far rows are away.

    A degree is the lesser of two: the rise from the first point to the second, which is 1 from the second on, and the
    fall from the second to the third, which is 1 up to the second.
    """
    triangles = [condition.triangle or _ALWAYS for condition in plan.conditions] + [_ALWAYS]
    values = _inside(graph, plan, source)
    # Where an end is infinite its side holds everywhere.
    rise_ends = graph.constant("rise_ends", [-math.inf if math.isinf(a) else b for a, b, _ in triangles])
    fall_starts = graph.constant("fall_starts", [math.inf if math.isinf(c) else b for _, b, c in triangles])
    first = graph.constant("first_points", [0.0 if math.isinf(a) else a for a, _, _ in triangles])
    third = graph.constant("third_points", [0.0 if math.isinf(c) else c for _, _, c in triangles])
    rises = graph.constant("rise_widths", [_width(a, b) for a, b, _ in triangles])
    falls = graph.constant("fall_widths", [_width(b, c) for _, b, c in triangles])
    risen = graph.add("Div", [graph.add("Sub", [values, first], "from_first"), rises], "risen")
    left = graph.add("Div", [graph.add("Sub", [third, values], "to_third"), falls], "left_to_fall")
    up = graph.add("Clip", [risen, "zero", "one"], "risen_share")
    down = graph.add("Clip", [left, "zero", "one"], "left_share")
    is_up = graph.add("GreaterOrEqual", [values, rise_ends], "is_up")
    is_before = graph.add("LessOrEqual", [values, fall_starts], "is_before_fall")
    rise = graph.add("Where", [is_up, "one", up], "rise")
    fall = graph.add("Where", [is_before, "one", down], "fall")
    degrees = graph.add("Min", [rise, fall], "triangle_degrees")
    return degrees, "" if plan.covered else _away(graph, plan, values, rise_ends, fall_starts)


def _inside(graph: Graph, plan: Plan, source: str) -> str:
    """Add the value of each condition's input, brought inside its limits; 0 for the condition that always holds."""
    limits = [*(plan.limits[condition.input] for condition in plan.conditions), (0.0, 0.0)]
    columns = graph.indices("triangle_inputs", [*(condition.input for condition in plan.conditions), 0])
    values = graph.add("Gather", [source, columns], "triangle_values", axis=1)
    low = graph.constant("least_inside", [least for least, _ in limits])
    high = graph.constant("greatest_inside", [greatest for _, greatest in limits])
    return graph.add("Min", [graph.add("Max", [values, low], "not_below"), high], "inside")


def _away(graph: Graph, plan: Plan, values: str, rise_ends: str, fall_starts: str) -> str:
    """Add how far rows are from the middles of triangles, as shares of the inputs' widths."""
    middles = [condition.triangle[1] if condition.triangle else 0.0 for condition in plan.conditions]
    widths = graph.constant("widths", [*(condition.width for condition in plan.conditions), 1.0])
    off = graph.add("Sub", [values, graph.constant("middles", [*middles, 0.0])], "off_middle")
    share = graph.add("Div", [graph.add("Abs", [off], "distance"), widths], "distance_share")
    below = graph.add("Less", [values, rise_ends], "is_below")
    above = graph.add("Greater", [values, fall_starts], "is_above")
    outside = graph.add("Or", [below, above], "is_outside")
    return graph.add("Where", [outside, share, "zero"], "triangles_away")


def _width(low: float, high: float) -> float:
    """Return what a way is divided by; 1 where there is none, or no end."""
    return high - low if math.isfinite(high - low) and high > low else 1.0
