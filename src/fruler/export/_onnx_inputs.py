"""The inputs of the rules in ONNX, from the columns of a table; gaps are filled in, dates are seconds since 1970."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from fruler._arrays import Floats
from fruler._table.date_sources import DAY, SECONDS, CycleSource, TrendSource, WeekdaySource
from fruler._table.sources import GapSource, LevelSource, NumberSource, Source
from fruler._table.texts import spellings
from fruler.export._onnx_graph import ML_DOMAIN, GraphTable
from fruler.export._plan import ColumnPlan, Filling, FillStep, InputPlan, unknown_source

# The number of the type in the standard.
_INT64 = 7


def add_inputs(plan: InputPlan, columns: Sequence[GraphTable]) -> tuple[GraphTable, GraphTable]:
    """Add the inputs of all rows.

    Parameters
    ----------
    plan : InputPlan
        The plan of the inputs.
    columns : sequence of GraphTable
        The columns, tables of shape (n_rows, 1); or one table with all columns.

    Returns
    -------
    GraphTable, GraphTable
        The inputs, of shape (n_rows, n_inputs), and a column that is NaN in rows with an input that is not finite, and
        zero elsewhere, of shape (n_rows, 1).

    Raises
    ------
    ValueError
        If there are dates and the graph has 32-bit numbers, which are too short for dates by minutes.
    """
    sources = [plan.sources[j] for j in plan.needed]
    if any(source.of_dates for source in sources) and columns[0].graph.dtype != np.float64:
        raise ValueError("Dates need 64-bit numbers; leave out float32.")
    if not sources:
        nothing = _nothing(plan, columns[0])
        return nothing.columns([0] * len(plan.sources)), nothing
    if plan.numeric and all(isinstance(source, NumberSource) for source in sources):
        values = columns[0].columns([plan.place_of(j) for j in plan.needed])
    else:
        values = _from_columns(plan, columns)
    if plan.filling is not None:
        values = _filled(plan.filling, values)
    # Inputs that are not needed may have any value.
    order = [plan.needed.index(j) if j in plan.needed else 0 for j in range(len(plan.sources))]
    # Infinity and NaN minus themselves are NaN.
    return values.columns(order), (values - values).row_sums


def _from_columns(plan: InputPlan, columns: Sequence[GraphTable]) -> GraphTable:
    """Add the needed inputs one by one."""
    if plan.numeric:
        columns = [columns[0].columns([place]) for place in range(len(plan.columns))]
    pieces = [_from_source(plan.sources[j], plan.column_of(j), columns[plan.place_of(j)]) for j in plan.needed]
    return columns[0].graph.add("Concat", *pieces, axis=1)


def _from_source(source: Source, column: ColumnPlan, values: GraphTable) -> GraphTable:
    """Add the input that a source computes from a column."""
    match source:
        case NumberSource():
            return values
        case GapSource() if column.levels is not None:
            return _looked_up(values, {"": 0}, (1.0, 0.0))
        case GapSource():
            return values.graph.where(values.is_nan, 1.0, 0.0)
        case TrendSource():
            return (values - source.start_seconds) / SECONDS[source.unit]
        case CycleSource():
            place = values / SECONDS["hours"] if source.cycle == "hour" else _day_of_year(values)
            return _within(place - source.start, source.period)
        case WeekdaySource():
            return _weekday(source, values)
        case LevelSource():
            return _looked_up(values, _spelled(column, source), (*source.values, math.nan))
    raise unknown_source(source)


def _weekday(source: WeekdaySource, seconds: GraphTable) -> GraphTable:
    days, graph = _within(_whole(seconds, DAY) + 3.0, 7.0), seconds.graph
    # NaN is not an index of the table: use that of Monday, and restore NaN afterwards.
    place = graph.add("Cast", graph.where(days.is_nan, 0.0, days), to=_INT64)
    week = [math.nan if number is None else number for number in source.week]
    return graph.add("Gather", week, place, axis=0) + (days - days)


def _spelled(column: ColumnPlan, source: LevelSource) -> dict[str, int]:
    """Return the index of each spelling of a source's categories; truth values in every mixture of cases."""
    cases = (str.lower, str.upper) if column.holds_truth else (str,)
    return {
        "".join(signs): place
        for place, level in enumerate(source.levels)
        for text in spellings(level, source.levels)
        for signs in itertools.product(*(dict.fromkeys(case(sign) for case in cases) for sign in text))
    }


def _looked_up(texts: GraphTable, places: dict[str, int], numbers: Sequence[float]) -> GraphTable:
    """Add the number of each text, and the last number for unknown texts.

    The encoder returns an index and not the number itself, which would have only 32 bits.
    """
    options: dict[str, Any] = {
        "keys_strings": list(places),
        "values_int64s": list(places.values()),
        "default_int64": len(numbers) - 1,
    }
    found = texts.graph.add("LabelEncoder", texts, domain=ML_DOMAIN, **options)
    return texts.graph.add("Gather", numbers, found, axis=0)


def _nothing(plan: InputPlan, column: GraphTable) -> GraphTable:
    """Add a column of zeros, whatever the type of the first column of the table."""
    if plan.columns[0].levels is not None:
        return _looked_up(column, {"": 0}, (0.0, 0.0))
    return column.graph.where(column.columns([0]).is_nan, 0.0, 0.0)


def _filled(filling: Filling, values: GraphTable) -> GraphTable:
    """Add the inputs with gaps filled in, step by step in every round."""
    graph, means, missing = values.graph, filling.centres, values.is_nan
    apart = graph.where(missing, 0.0, values - means)
    places = {j: place for place, j in enumerate(filling.inputs)}
    steps = [
        (graph.add("And", missing, np.isin(filling.inputs, step.inputs)), graph.constant(_regression(step, places)))
        for step in filling.steps
    ]
    for concerned, regression in steps * filling.n_rounds:
        apart = graph.where(concerned, graph.add("MatMul", apart, regression), apart)
    return graph.where(missing, apart + means, values)


def _regression(step: FillStep, places: dict[int, int]) -> Floats:
    """Return the matrix to multiply rows with; each input of the step has a column."""
    slopes = np.zeros((len(places), len(places)))
    for j, own in zip(step.inputs, step.slopes, strict=True):
        for k, slope in own.items():
            slopes[places[k], places[j]] = slope
    return slopes


def _day_of_year(seconds: GraphTable) -> GraphTable:
    """Add the days since 1 January, with a 29 February in every year."""
    # Days since a 1 March in the calendar's cycle of 400 years.
    day = _within(_whole(seconds, DAY) + 719_468.0, 146_097.0)
    leap = _whole(day, 1_460.0) - _whole(day, 36_524.0) + _whole(day, 146_096.0)
    year = _whole(day - leap, 365.0)
    before = year * 365.0 + _whole(year, 4.0) - _whole(year, 100.0)
    return _within(day - before + 60.0, 366.0) + _within(seconds, DAY) / DAY


def _whole(value: GraphTable, number: float) -> GraphTable:
    return value.graph.add("Floor", value / number)


def _within(value: GraphTable, period: float) -> GraphTable:
    return value - _whole(value, period) * period
