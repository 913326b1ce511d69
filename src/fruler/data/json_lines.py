"""JSON lines: one object per line, its keys the names of the columns."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd

from fruler.data.column_names import check_names
from fruler.data.sources import Origin, typed_column

_VALUES = (str, int, float, bool, type(None))
_MAX_DIGITS = 300


def read_json_lines(text: str, name: str) -> tuple[pd.DataFrame, Origin]:
    r"""Read JSON lines; a key that a line lacks is a missing value.

    Parameters
    ----------
    text : str
        The content, with ``\n`` as the only line end.
    name : str
        The file's name, for messages.

    Returns
    -------
    frame : DataFrame
        The columns in the order in which they first occur.
    origin : Origin
        The line of each row.

    Raises
    ------
    ValueError
        If a line is no object of plain values; the message names the line.

    Examples
    --------
    >>> read_json_lines('{"size": 1.5, "sold": "yes"}\n{"size": 2}\n', "t.jsonl")[0]
       size sold
    0   1.5  yes
    1   2.0  NaN
    """
    rows: list[dict[str, Any]] = []
    numbers: list[int] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            rows.append(_read_line(line, f"{name}, line {number}"))
            numbers.append(number)
    if not rows:
        raise ValueError(f'{name}: the file is empty; it needs one JSON object per line, as in {{"size": 1.5}}')
    columns = list(dict.fromkeys(key for row in rows for key in row))
    if not columns:
        raise ValueError(f"{name}: the objects are empty; give them keys, which are the names of columns")
    check_names(columns, name)
    # Object by object, since a frame made of all at once would give true and false a column of text or of numbers.
    frame = pd.DataFrame({column: typed_column([row.get(column) for row in rows]) for column in columns})
    return frame, Origin(name, "line", np.array(numbers, dtype=np.int64))


def _read_line(line: str, place: str) -> dict[str, Any]:
    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            check_names([key for key, _ in pairs], place)
        return found

    try:
        row = json.loads(line, object_pairs_hook=distinct, parse_int=_whole_number)
    except json.JSONDecodeError as error:
        problem = f"{error.msg} at character {error.pos + 1}"
        raise ValueError(f"{place}: cannot read it as JSON ({problem}); write one object per line") from None
    except RecursionError:
        raise ValueError(f"{place}: the value is nested too deep; write one flat object per line") from None
    if not isinstance(row, dict):
        raise ValueError(f'{place}: expected an object as in {{"size": 1.5}}; write one per line')
    for key, value in row.items():
        if not isinstance(value, _VALUES):
            kind = "list" if isinstance(value, list) else "nested object"
            raise ValueError(f"{place}, column {key!r}: a {kind} is no value of a table; give it keys of its own")
    return row


def _whole_number(text: str) -> int | float:
    # Python refuses to read integers of thousands of digits; no float is that large.
    return int(text) if len(text) <= _MAX_DIGITS else float(text)
