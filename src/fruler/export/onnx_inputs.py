"""The inputs of rules in ONNX: from the columns of a table, with gaps filled in."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fruler._typing import Floats
from fruler.export.input_plan import Column, Filling, FillStep, InputPlan
from fruler.export.onnx_dates import add_date_input
from fruler.export.onnx_graph import ML_DOMAIN, Graph
from fruler.table.date_sources import DateSource
from fruler.table.sources import GapSource, LevelSource

ML_OPSET = 2


def add_inputs(graph: Graph, plan: InputPlan, columns: Sequence[str]) -> tuple[str, str]:
    """Add the inputs of all rows.

    Parameters
    ----------
    graph : Graph
        With the constants "zero", "one" and "columns_axis".
    plan : InputPlan
        Where the inputs come from.
    columns : sequence of str
        The names of the columns, tables of shape (n_rows, 1); or one name, of a table that has them all.

    Returns
    -------
    str, str
        The names of a table of shape (n_rows, n_inputs), and of one of shape (n_rows, 1): NaN where an input is not
        finite, and else zero.
    """
    if not plan.needed:
        nothing = _nothing(graph, plan, columns[0])
        places = graph.indices("input_places", np.zeros(len(plan.sources)))
        return graph.add("Gather", [nothing, places], "inputs", axis=1), nothing
    values = _from_numbers(graph, plan, columns[0]) if plan.numeric else _from_columns(graph, plan, columns)
    if plan.filling is not None:
        values = _filled(graph, plan.filling, values)
    # Of infinity and NaN the difference from itself is NaN.
    nothing = graph.add("Sub", [values, values], "not_finite")
    refused = graph.add("ReduceSum", [nothing, "columns_axis"], "refused", keepdims=1)
    # Inputs that do not matter may have any value.
    order = [plan.needed.index(j) if j in plan.needed else 0 for j in range(len(plan.sources))]
    return graph.add("Gather", [values, graph.indices("input_places", order)], "inputs", axis=1), refused


def _from_numbers(graph: Graph, plan: InputPlan, table: str) -> str:
    """Add the inputs that are needed, from one table with all columns."""
    if any(plan.date_of(j) is not None for j in plan.needed):
        numbers = [graph.indices(f"column_{place}", [place]) for place in range(len(plan.columns))]
        return _from_columns(
            graph, plan, [graph.add("Gather", [table, one], f"{one}_values", axis=1) for one in numbers]
        )
    places = graph.indices("column_places", [plan.place_of(j) for j in plan.needed])
    values = graph.add("Gather", [table, places], "numbers", axis=1)
    tells_gaps = [plan.sources[j].tells_gaps for j in plan.needed]
    if not any(tells_gaps):
        return values
    gaps = graph.add("Where", [graph.add("IsNaN", [values], "is_gap"), "one", "zero"], "gaps")
    return graph.add("Where", [graph.constant("tells_gaps", tells_gaps, np.bool_), gaps, values], "values")


def _from_columns(graph: Graph, plan: InputPlan, columns: Sequence[str]) -> str:
    """Add the inputs that are needed, from columns that are tables of their own."""
    pieces = [_input(graph, plan, j, columns[plan.place_of(j)]) for j in plan.needed]
    return pieces[0] if len(pieces) == 1 else graph.add("Concat", pieces, "values", axis=1)


def _input(graph: Graph, plan: InputPlan, feature: int, values: str) -> str:
    source, column = plan.sources[feature], plan.column_of(feature)
    if isinstance(source, DateSource):
        return add_date_input(graph, source, values, f"date_{feature}")
    if isinstance(source, LevelSource):
        numbers = (*source.values, math.nan)
        return _looked_up(graph, values, _spelled(column, source), numbers, f"level_{feature}")
    if not isinstance(source, GapSource):
        return values
    if column.levels is not None:
        return _looked_up(graph, values, {"": 0}, (1.0, 0.0), f"gap_{feature}")
    return graph.add("Where", [graph.add("IsNaN", [values], f"is_gap_{feature}"), "one", "zero"], f"gap_{feature}")


def _spelled(column: Column, source: LevelSource) -> dict[str, int]:
    """Return the place of each category among those of a source; truth values in the usual cases of their letters."""
    if not column.holds_truth:
        return {level: place for place, level in enumerate(source.levels)}
    return {text: place for place, level in enumerate(source.levels) for text in (level, level.lower(), level.upper())}


def _looked_up(graph: Graph, texts: str, places: dict[str, int], numbers: Sequence[float], name: str) -> str:
    """Add the number of each text, the last one for any other.

    The encoder finds a place, not the number: its numbers would have no more than 32 bits.
    """
    found = graph.add(
        "LabelEncoder",
        [texts],
        f"{name}_places",
        ML_DOMAIN,
        keys_strings=list(places),
        values_int64s=list(places.values()),
        default_int64=len(numbers) - 1,
    )
    return graph.add("Gather", [graph.constant(f"{name}_numbers", numbers), found], f"{name}_number", axis=0)


def _nothing(graph: Graph, plan: InputPlan, column: str) -> str:
    """Add a column of zeros, whatever the first column of the table holds."""
    if plan.columns[0].levels is not None:
        return _looked_up(graph, column, {"": 0}, (0.0, 0.0), "nothing")
    if plan.numeric:
        column = graph.add("Gather", [column, graph.indices("first_column", [0])], "anything", axis=1)
    return graph.add("Where", [graph.add("IsNaN", [column], "anything_missing"), "zero", "zero"], "nothing")


def _filled(graph: Graph, filling: Filling, values: str) -> str:
    """Add the inputs with their gaps filled in, one step after the other in every round."""
    means = graph.constant("means", filling.centres)
    missing = graph.add("IsNaN", [values], "missing")
    apart = graph.add("Sub", [values, means], "apart_from_means")
    apart = graph.add("Where", [missing, "zero", apart], "apart_0")
    places = {j: place for place, j in enumerate(filling.inputs)}
    for number, step in enumerate(filling.steps):
        own = np.isin(filling.inputs, step.inputs)
        graph.constant(f"regression_{number}", _regression(step, places))
        concerned = graph.constant(f"step_inputs_{number}", own, np.bool_)
        graph.add("And", [missing, concerned], f"step_missing_{number}")
    for turn in range(filling.n_rounds):
        for number in range(len(filling.steps)):
            name = f"{turn}_{number}"
            taken = graph.add("MatMul", [apart, f"regression_{number}"], f"taken_{name}")
            apart = graph.add("Where", [f"step_missing_{number}", taken, apart], f"apart_{name}")
    complete = graph.add("Add", [apart, means], "complete")
    return graph.add("Where", [missing, complete, values], "filled")


def _regression(step: FillStep, places: dict[int, int]) -> Floats:
    """Return the matrix that rows are multiplied with, in which the inputs of a step have a column each."""
    slopes = np.zeros((len(places), len(places)))
    for j, own in zip(step.inputs, step.slopes, strict=True):
        for k, slope in own.items():
            slopes[places[k], places[j]] = slope
    return slopes
