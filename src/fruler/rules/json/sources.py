"""Where an input comes from, as a JSON object, and back."""

from __future__ import annotations

from typing import Any

from fruler.rules.json.checked import Checked
from fruler.table.sources import GapSource, LevelSource, NumberSource, Source


def source_to_json(source: Source) -> dict[str, Any]:
    """Return an object that says where an input comes from.

    Examples
    --------
    >>> source_to_json(LevelSource("origin", ["usa", "japan"], [-1.3, 2.1]))
    {'column': 'origin', 'kind': 'category', 'categories': {'usa': -1.3, 'japan': 2.1}}
    """
    written: dict[str, Any] = {"column": source.column, "kind": source.kind}
    if isinstance(source, LevelSource):
        written["categories"] = dict(zip(source.levels, source.values, strict=True))
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
    if kind.one_of(*(one.kind for one in (NumberSource, LevelSource, GapSource))) == LevelSource.kind:
        members = written.keys(("column", "kind", "categories"))
        numbers = members["categories"].named_numbers()
        try:
            return LevelSource(members["column"].text(), list(numbers), list(numbers.values()))
        except ValueError as error:
            raise ValueError(f"{written.place} is no source: {error}") from None
    column = written.keys(("column", "kind"))["column"].text()
    return NumberSource(column) if kind.value == NumberSource.kind else GapSource(column)
