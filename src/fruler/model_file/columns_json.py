"""The columns of a table and how they become inputs, as a JSON list, and back."""

from __future__ import annotations

from typing import Any

from fruler.rules.json.checked import Checked
from fruler.table.encoding import Column, TableEncoding


def columns_to_json(encoding: TableEncoding) -> list[dict[str, Any]]:
    """Return a list with one object per column."""
    return [
        {"name": column.name, "kind": "number"}
        if column.categories is None
        else {"name": column.name, "kind": "category", "categories": list(column.categories)}
        for column in encoding.columns
    ]


def columns_from_json(written: Checked) -> TableEncoding:
    """Return the encoding that a list describes.

    Raises
    ------
    ValueError
        If it describes none.
    """
    columns = []
    for item in written.items():
        members = item.keys(("name", "kind"), ("categories",))
        is_category = members["kind"].one_of("number", "category") == "category"
        if is_category != ("categories" in members):
            raise ValueError(f"{item.place} must have categories if its kind is category, and only then")
        categories = tuple(members["categories"].texts()) if is_category else None
        columns.append(Column(members["name"].text(), categories))
    if len({column.name for column in columns}) < len(columns):
        raise ValueError(f"{written.place} has a name twice")
    return TableEncoding(tuple(columns))
