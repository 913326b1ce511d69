"""The values of ``@attribute`` files: how one is written, and how rows of them become columns."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NoReturn, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fruler._wording import quote_names, quoted
from fruler.data.sources import Origin, read_csv_exactly

Column: TypeAlias = NDArray[np.float64] | pd.Series

_MISSING = ("?", "<null>")
_ITEM = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,]*))\s*(,|$)""")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


@dataclass(frozen=True)
class Attribute:
    """One declared column: its name, its kind, and the range or the categories that the header gives for it."""

    name: str
    kind: Literal["real", "integer", "nominal"]
    bounds: tuple[float, float] | None = None
    categories: tuple[str, ...] | None = None


def read_rows(rows: Sequence[str], attributes: Sequence[Attribute], origin: Origin) -> pd.DataFrame:
    """Turn the lines after ``@data`` into a table with one column an attribute.

    Parameters
    ----------
    rows : sequence of str
        The lines, without comments, blank lines and surrounding blanks.
    attributes : sequence of Attribute
        The declared columns.
    origin : Origin
        The line number of each row.

    Returns
    -------
    DataFrame
        float64 columns for numbers, categorical ones in the declared order for nominal values, NaN where missing.

    Raises
    ------
    ValueError
        If a row has too few or too many values, or a value does not fit its column.
    """
    columns = _read_plain_rows(rows, attributes)
    if columns is None:
        columns = _read_rows_one_by_one(rows, attributes, origin)
    return pd.DataFrame({attribute.name: column for attribute, column in zip(attributes, columns, strict=True)})


def split_items(text: str) -> list[tuple[str, bool]] | None:
    r"""Split at commas outside quotes; None if a quote is left open.

    Returns
    -------
    list of (str, bool) or None
        Each value without quotes and surrounding blanks, and whether it was quoted.

    Examples
    --------
    >>> split_items(r"1.5, 'it\'s, well', ?")
    [('1.5', False), ("it's, well", True), ('?', False)]
    >>> split_items("'open, 2") is None
    True
    """
    items: list[tuple[str, bool]] = []
    position = 0
    while True:
        match = _ITEM.match(text, position)
        if match is None:
            return None
        single, double, bare, separator = match.groups()
        if bare is None:
            items.append((unescape(single if single is not None else double), True))
        else:
            bare = bare.strip()
            if bare.startswith(("'", '"')):
                return None
            items.append((bare, False))
        if not separator:
            return items
        position = match.end()


def unescape(text: str) -> str:
    """Take the backslashes of a quoted text away."""
    return re.sub(r"\\(.)", r"\1", text)


def parse_number(text: str) -> float | None:
    """Read a finite number written in ASCII digits; None for anything else."""
    if _NUMBER.fullmatch(text) is None:
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def excerpt(text: str) -> str:
    """Quote a text for a message, cut if it is long."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def _read_plain_rows(rows: Sequence[str], attributes: Sequence[Attribute]) -> list[Column] | None:
    """Read rows with pandas' C reader, or give None wherever there is the least doubt about one of them.

    Doubtful are quotes, rows with another number of values than attributes (the reader fills up short ones without a
    word), numbers that are not finite, missing values that aren't marked as such, and whatever the reader can't
    convert.
    """
    text = "\n".join(rows)
    n_commas = len(attributes) - 1
    # pandas takes a column of truth values for numbers.
    odd = ("'", '"', "{", "true", "false")
    if any(mark in text.lower() for mark in odd) or any(row.count(",") != n_commas for row in rows):
        return None
    try:
        frame = read_csv_exactly(
            text,
            header=None,
            dtype={j: object if a.kind == "nominal" else np.float64 for j, a in enumerate(attributes)},
            na_values=list(_MISSING),
            keep_default_na=False,
            skipinitialspace=True,
            skip_blank_lines=False,
            quoting=csv.QUOTE_NONE,
        )
    except ValueError:
        return None
    if frame.shape != (len(rows), len(attributes)):
        return None
    missing = frame.isna().to_numpy()
    if any(rows[i].split(",")[j].strip() not in _MISSING for i, j in np.argwhere(missing)):
        return None
    columns: list[Column] = []
    for j, attribute in enumerate(attributes):
        if attribute.categories is None:
            numbers = frame[j].to_numpy()
            if np.isinf(numbers).any():
                return None
            columns.append(numbers)
        else:
            codes = pd.Index(attribute.categories).get_indexer(pd.Index(frame[j].str.strip()))
            if (codes[~missing[:, j]] < 0).any():
                return None
            columns.append(_categorical(codes, attribute.categories))
    return columns


def _read_rows_one_by_one(rows: Sequence[str], attributes: Sequence[Attribute], origin: Origin) -> list[Column]:
    """Read rows value by value: slow, complete, and able to name the value that is wrong."""
    parsed = np.empty((len(rows), len(attributes)))
    code_of = [{category: code for code, category in enumerate(a.categories or ())} for a in attributes]
    for i, row in enumerate(rows):
        items = _split_row(row, i, attributes, origin)
        for j, (attribute, (value, in_quotes)) in enumerate(zip(attributes, items, strict=True)):
            if not in_quotes and value.lower() in _MISSING:
                parsed[i, j] = np.nan
                continue
            number = parse_number(value) if attribute.categories is None else code_of[j].get(value)
            if number is None:
                _refuse_value(value, attribute, origin.at(i, attribute.name))
            parsed[i, j] = number
    columns: list[Column] = []
    for j, attribute in enumerate(attributes):
        if attribute.categories is None:
            columns.append(parsed[:, j].copy())
        else:
            codes = np.nan_to_num(parsed[:, j], nan=-1).astype(np.int64)
            columns.append(_categorical(codes, attribute.categories))
    return columns


def _categorical(codes: NDArray[np.signedinteger], categories: Sequence[str]) -> pd.Series:
    return pd.Series(pd.Categorical.from_codes(codes, categories=pd.Index(list(categories))))


def _split_row(row: str, i: int, attributes: Sequence[Attribute], origin: Origin) -> list[tuple[str, bool]]:
    place = f"{origin.name}, line {origin.numbers[i]}"
    if row.startswith("{"):
        raise ValueError(
            f"{place}: sparse rows ('{{index value, ...}}') are not supported; write every value of the row"
        )
    items = split_items(row)
    if items is None:
        raise ValueError(f"{place}: a quote in {excerpt(row)} is not closed or has text after it; correct the quotes")
    if len(items) < len(attributes):
        names = quote_names(attribute.name for attribute in attributes[len(items) :])
        hint = "the file may be cut off; " if i == len(origin.numbers) - 1 else ""
        raise ValueError(
            f"{place}: {len(items)} values for {len(attributes)} attributes, nothing for {names}; "
            f"{hint}complete or remove the row"
        )
    if len(items) > len(attributes):
        raise ValueError(
            f"{place}: {len(items)} values for {len(attributes)} attributes; remove what is too much, "
            "and write decimals with a point"
        )
    return items


def _refuse_value(value: str, attribute: Attribute, place: str) -> NoReturn:
    remedy = "correct the value or mark it as missing with '?'"
    if not value:
        problem = "the value is empty"
    elif attribute.categories is not None:
        problem = f"{quoted(value)} is not among the declared categories {quote_names(attribute.categories)}"
    elif _NUMBER.fullmatch(value) or value.lower().lstrip("+-") in ("inf", "infinity"):
        problem = f"{quoted(value)} is not a finite number"
    else:
        problem = f"{quoted(value)} is not a number"
    raise ValueError(f"{place}: {problem}; {remedy}")
