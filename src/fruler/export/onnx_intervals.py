"""Values outside the training data, and prediction intervals, in ONNX."""

from __future__ import annotations

import math

from fruler.export.onnx_graph import Graph
from fruler.export.plan import IntervalPlan, Plan

_ANYWHERE = (-math.inf, math.inf)


def clipped(graph: Graph, plan: Plan, source: str, n_inputs: int) -> str:
    """Add the inputs with values outside the training data brought to the nearest inside, where that is wanted."""
    if not plan.clips:
        return source
    ends = [plan.clips.get(j, _ANYWHERE) for j in range(n_inputs)]
    low = graph.constant("clip_low", [low for low, _ in ends])
    high = graph.constant("clip_high", [high for _, high in ends])
    inside = graph.add("Min", [graph.add("Max", [source, low], "clip_below"), high], "clip_inside")
    # Infinity is not to become a number: its difference from itself is NaN.
    return graph.add("Add", [inside, graph.add("Sub", [source, source], "clip_not_finite")], "clipped")


def mean_radius(graph: Graph, radii: str, weights: str, total: str) -> str:
    """Add the mean of the rules' radii by their weights."""
    weighted = graph.add("Mul", [weights, radii], "weighted_radii")
    summed = graph.add("ReduceSum", [weighted, "columns_axis"], "radii_sum", keepdims=1)
    return graph.add("Div", [summed, total], "mean_radius")


def radius_or_nearest(graph: Graph, mean: str, nearest: str, fires: str) -> str:
    """Add the mean radius, or that of the nearest rule where none fires."""
    column = graph.constant("radius_of_rule", graph.constants["radii"].ravel())
    alone = graph.add("Gather", [column, nearest], "nearest_radius", axis=0)
    return graph.add("Where", [fires, mean, alone], "radius")


def add_ends(
    graph: Graph, plan: IntervalPlan, source: str, prediction: str, radius: str, ends: tuple[str, str]
) -> None:
    """Add the ends of intervals, from the inputs as they were given, the prediction and the radius."""
    # Without any range one that nothing lies outside of makes a column of zeros.
    ranges = plan.ranges or {0: _ANYWHERE}
    columns = graph.indices("range_inputs", list(ranges))
    low = graph.constant("range_low", [low for low, _ in ranges.values()])
    high = graph.constant("range_high", [high for _, high in ranges.values()])
    lengths = graph.constant("range_lengths", [high - low for low, high in ranges.values()])
    values = graph.add("Gather", [source, columns], "range_values", axis=1)
    under = graph.add("Sub", [low, values], "under_range")
    over = graph.add("Sub", [values, high], "over_range")
    distance = graph.add("Max", [under, over, "zero"], "from_range")
    shares = graph.add("Div", [distance, lengths], "shares_of_range")
    beyond = graph.add("ReduceSum", [shares, "columns_axis"], "beyond", keepdims=1)
    reach = graph.add("Mul", [radius, graph.add("Add", ["one", beyond], "widened")], "reach")
    for operator, end in zip(("Sub", "Add"), ends, strict=True):
        graph.add(operator, [prediction, reach], end)
