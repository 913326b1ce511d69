"""Where an input comes from, as a JSON object, and back."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

from fruler.rules.json.checked import Checked
from fruler.table.date_formats import DateFormat, Order
from fruler.table.date_sources import PERIODS, SECONDS, CycleSource, DateSource, TrendSource, WeekdaySource
from fruler.table.sources import GapSource, LevelSource, NumberSource, Source

_ORDERS = ("ymd", "dmy", "mdy")


def source_to_json(source: Source) -> dict[str, Any]:
    """Return an object that says where an input comes from.

    Examples
    --------
    >>> source_to_json(LevelSource("origin", ["usa", "japan"], [-1.3, 2.1]))
    {'column': 'origin', 'kind': 'category', 'categories': {'usa': -1.3, 'japan': 2.1}}
    """
    written: dict[str, Any] = {"column": source.column, "kind": source.kind}
    match source:
        case LevelSource():
            written["categories"] = dict(zip(source.levels, source.values, strict=True))
        case TrendSource():
            written |= {"start": source.start.isoformat(), "unit": source.unit}
        case CycleSource():
            written |= {"cycle": source.cycle, "start": source.start}
    if isinstance(source, DateSource):
        written |= _dates_to_json(source.dates)
    return written


def source_from_json(written: Checked) -> Source:
    """Return the source that an object says.

    Raises
    ------
    ValueError
        If it is none.
    """
    kind = written.members().get("kind")
    if kind is None:
        raise ValueError(f"{written.place} has no 'kind'")
    read = _READERS[kind.one_of(*_READERS)]
    try:
        return read(written)
    except ValueError as error:
        message = str(error)
        raise ValueError(message if message.startswith(written.place) else f"{written.place}: {message}") from None


def _column(written: Checked) -> str:
    return written.keys(("column", "kind"))["column"].text()


def _number(written: Checked) -> Source:
    return NumberSource(_column(written))


def _gap(written: Checked) -> Source:
    return GapSource(_column(written))


def _category(written: Checked) -> Source:
    members = written.keys(("column", "kind", "categories"))
    numbers = members["categories"].named_numbers()
    return LevelSource(members["column"].text(), list(numbers), list(numbers.values()))


def _weekday(written: Checked) -> Source:
    members = written.keys(("column", "kind", "categories"), ("zone", "order"))
    numbers = members["categories"].named_numbers()
    return WeekdaySource(members["column"].text(), list(numbers), list(numbers.values()), _dates(members))


def _time(written: Checked) -> Source:
    members = written.keys(("column", "kind", "start", "unit"), ("zone", "order"))
    try:
        start = datetime.datetime.fromisoformat(members["start"].text())
    except ValueError:
        start = None
    if start is None or start.tzinfo is not None:
        raise members["start"].wrong("a date and a time without a zone")
    return TrendSource(members["column"].text(), start, members["unit"].one_of(*SECONDS), _dates(members))


def _cycle(written: Checked) -> Source:
    members = written.keys(("column", "kind", "cycle", "start"), ("zone", "order"))
    cycle, start = members["cycle"].one_of(*PERIODS), members["start"].number()
    if not 0.0 <= start < PERIODS[cycle]:
        raise members["start"].wrong(f"a number from 0 to below {PERIODS[cycle]:g}")
    return CycleSource(members["column"].text(), cycle, start, _dates(members))


_READERS: dict[str, Callable[[Checked], Source]] = {
    NumberSource.kind: _number,
    GapSource.kind: _gap,
    LevelSource.kind: _category,
    WeekdaySource.kind: _weekday,
    TrendSource.kind: _time,
    CycleSource.kind: _cycle,
}


def _dates_to_json(dates: DateFormat) -> dict[str, str]:
    """Return what is not as usual."""
    zone = {"zone": dates.zone} if dates.zone else {}
    return {**zone, "order": dates.order} if dates.order != "ymd" else zone


def _dates(members: dict[str, Checked]) -> DateFormat:
    zone = members["zone"].text() if "zone" in members else ""
    order: Order = members["order"].one_of(*_ORDERS) if "order" in members else "ymd"
    try:
        return DateFormat(zone, order)
    except ValueError:
        raise members["zone"].wrong("a time zone") from None
