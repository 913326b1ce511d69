"""The last step of predictions in ONNX: the link, and bounds."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fruler.export.links import make_output_plan
from fruler.export.onnx_graph import Graph
from fruler.rules.output import Output

# The exponential of this share of the logarithm of the largest number is surely one.
_SURE = 0.99


def add_output(graph: Graph, output: Output, said: Sequence[str], targets: Sequence[str]) -> None:
    """Add predictions, and the ends of intervals, from what the rules say; nothing where they are the same.

    Parameters
    ----------
    graph : Graph
        The graph.
    output : Output
        That of the rule base.
    said, targets : sequence of str
        Names of what the rules say and of the predictions; as many of the latter are made as there are of the former.
    """
    plan = make_output_plan(output, _SURE * math.log(float(np.finfo(graph.dtype).max)))
    if plan is None:
        return
    ends = (plan.lowest, plan.highest)
    for place, (raw, target) in enumerate(zip(said, targets, strict=False)):
        # A number that is none must stay so: the least and the greatest of two may drop it.
        none = graph.add("Sub", [raw, raw], f"none_{place}")
        inside = _clipped(graph, raw, [None if end is None else end.raw for end in ends], f"raw_{place}")
        linked = graph.add(plan.code.onnx, [inside], f"linked_{place}") if plan.code.onnx else inside
        bounded = _clipped(graph, linked, [None if end is None else end.target for end in ends], f"linked_{place}")
        graph.add("Add", [bounded, none], target)


def _clipped(graph: Graph, source: str, ends: Sequence[float | None], name: str) -> str:
    """Add values brought inside of ends."""
    for operator, end in zip(("Max", "Min"), ends, strict=True):
        if end is not None:
            limit = graph.constant(f"{name}_{operator.lower()}", end)
            source = graph.add(operator, [source, limit], f"{name}_at_{operator.lower()}")
    return source
