"""The inputs of rules that come from dates, in ONNX: a date is a number of seconds since 1970 began."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fruler.export.onnx_graph import Graph
from fruler.table.date_sources import DAY, SECONDS, CycleSource, DateSource, TrendSource, WeekdaySource, no_such_source

# As the standard numbers types.
_INT64 = 7


def add_date_input(graph: Graph, source: DateSource, seconds: str, prefix: str) -> str:
    """Add the input that comes from a date; NaN stays NaN.

    Raises
    ------
    ValueError
        If the numbers of the graph have 32 bits, in which a date is off by minutes.
    """
    if graph.dtype != np.float64:
        raise ValueError("Dates need numbers of 64 bits; leave out float32.")
    made = _Arithmetic(graph, prefix)
    match source:
        case TrendSource():
            return made.divided(made.plus(seconds, -source.start_seconds), SECONDS[source.unit])
        case CycleSource(cycle="hour"):
            return made.within(made.plus(made.divided(seconds, SECONDS["hours"]), -source.start), source.period)
        case CycleSource():
            return made.within(made.plus(_day_of_year(made, seconds), -source.start), source.period)
        case WeekdaySource():
            return _weekday(made, source, seconds)
    raise no_such_source(source)


def _weekday(made: _Arithmetic, source: WeekdaySource, seconds: str) -> str:
    """Add the number of the weekday."""
    days = made.within(made.plus(made.whole(seconds, DAY), 3.0), 7.0)
    # What is no number has no place either; it gets that of Monday, and is put back after.
    place = made.whole_number(made.known(days))
    found = made.looked_up([math.nan if one is None else one for one in source.week], place)
    return made.sum(found, days, made.minus(days))


def _day_of_year(made: _Arithmetic, seconds: str) -> str:
    """Add the days since 1 January, with a 29 February in every year."""
    # Days since a 1 March, in years of 400, which repeat themselves.
    day = made.within(made.plus(made.whole(seconds, DAY), 719_468.0), 146_097.0)
    leap = made.sum(made.whole(day, 1_460.0), made.minus(made.whole(day, 36_524.0)), made.whole(day, 146_096.0))
    year = made.whole(made.sum(day, made.minus(leap)), 365.0)
    before = made.sum(made.times(year, 365.0), made.whole(year, 4.0), made.minus(made.whole(year, 100.0)))
    of_year = made.within(made.plus(made.sum(day, made.minus(before)), 60.0), 366.0)
    return made.sum(of_year, made.divided(made.within(seconds, DAY), DAY))


class _Arithmetic:
    """Adds one operation after the other, each with a name of its own."""

    def __init__(self, graph: Graph, prefix: str) -> None:
        self._graph, self._prefix, self._count = graph, prefix, 0

    def _new(self) -> str:
        self._count += 1
        return f"{self._prefix}_{self._count}"

    def _with(self, operator: str, value: str, number: float) -> str:
        return self._graph.add(operator, [value, self._graph.constant(self._new(), number)], self._new())

    def plus(self, value: str, number: float) -> str:
        return self._with("Add", value, number)

    def times(self, value: str, number: float) -> str:
        return self._with("Mul", value, number)

    def divided(self, value: str, number: float) -> str:
        return self._with("Div", value, number)

    def minus(self, value: str) -> str:
        return self._graph.add("Neg", [value], self._new())

    def sum(self, *values: str) -> str:
        return self._graph.add("Sum", values, self._new())

    def whole(self, value: str, number: float) -> str:
        return self._graph.add("Floor", [self.divided(value, number)], self._new())

    def within(self, value: str, period: float) -> str:
        return self.sum(value, self.minus(self.times(self.whole(value, period), period)))

    def whole_number(self, value: str) -> str:
        return self._graph.add("Cast", [value], self._new(), to=_INT64)

    def looked_up(self, numbers: Sequence[float], place: str) -> str:
        return self._graph.add("Gather", [self._graph.constant(self._new(), numbers), place], self._new(), axis=0)

    def known(self, value: str) -> str:
        return self._graph.add("Where", [self._graph.add("IsNaN", [value], self._new()), "zero", value], self._new())
