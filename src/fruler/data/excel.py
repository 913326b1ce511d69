"""Sheets of Excel workbooks."""

from __future__ import annotations

import contextlib
import io
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from fruler._wording import install_advice, suggest
from fruler.data.column_names import check_names
from fruler.data.sources import Origin, one_line, typed_column

# SyntaxError is the root of the errors of Python's XML reader, RuntimeError that of locked files and odd compression.
# The others come from parts of a workbook that are not there or not what they should be.
_DAMAGES = (
    zipfile.BadZipFile,
    zlib.error,
    SyntaxError,
    RuntimeError,
    LookupError,
    AttributeError,
    TypeError,
    ValueError,
    OSError,
    EOFError,
)


def read_excel(raw: bytes, name: str, sheet: str | None = None) -> tuple[pd.DataFrame, Origin]:
    """Read a sheet of an ``.xlsx`` workbook: the first row with anything in it has the names, the others the values.

    Formulas count as the value that Excel last saved for them. A percentage is the number that the cell holds, 0.125
    for what is shown as 12.5%.

    Parameters
    ----------
    raw : bytes
        The content of the file.
    name : str
        Its name, for messages.
    sheet : str or None
        The sheet's name, or its number from 1; None takes the first.

    Returns
    -------
    frame : DataFrame
        The table; an empty cell is NaN.
    origin : Origin
        The row of the sheet in which each row stands.

    Raises
    ------
    ValueError
        If the file is no workbook, has no such sheet, or the sheet is no table.
    ImportError
        If openpyxl is not installed.
    """
    try:
        import openpyxl
    except ImportError:
        raise ImportError(f"{name}: Excel files need openpyxl; {install_advice('excel')}") from None
    with _refusing_damage(name):
        book = openpyxl.load_workbook(io.BytesIO(raw), read_only=True, data_only=True)
    with contextlib.closing(book):
        title = _choose_sheet([page.title for page in book.worksheets], sheet, name)
        with _refusing_damage(name):
            rows = [list(row) for row in book[title].iter_rows(values_only=True)]
    return _as_table(rows, f"{name}, sheet {title!r}")


@contextlib.contextmanager
def _refusing_damage(name: str) -> Iterator[None]:
    """Turn whatever openpyxl stumbles over into one sentence."""
    try:
        with warnings.catch_warnings():
            # It warns of colours, pictures and the like that it leaves out, which no table needs.
            warnings.simplefilter("ignore")
            yield
    except _DAMAGES as error:
        raise ValueError(
            f"{name}: cannot read it as an Excel workbook ({one_line(error)}); save it again as .xlsx or as CSV"
        ) from None


def _choose_sheet(titles: list[str], sheet: str | None, name: str) -> str:
    if not titles:
        raise ValueError(f"{name}: the workbook has no sheet with cells; save the table in one")
    if sheet is None:
        return titles[0]
    if sheet in titles:
        return sheet
    if sheet.isdecimal() and 1 <= int(sheet) <= len(titles):
        return titles[int(sheet) - 1]
    raise ValueError(f"{name} has no sheet {sheet!r}; {suggest(sheet, titles)}")


def _as_table(rows: list[list[Any]], place: str) -> tuple[pd.DataFrame, Origin]:
    filled = [(number, row) for number, row in enumerate(rows, 1) if any(_has_content(value) for value in row)]
    if not filled:
        raise ValueError(f"{place}: the sheet is empty; it needs a row of column names and rows of values")
    (header_row, header), *body = filled
    width = max(place + 1 for _, row in filled for place, value in enumerate(row) if _has_content(value))
    names = ["" if value is None else str(value).strip() for value in (header + [None] * width)[:width]]
    where = f"{place}, row {header_row}"
    if "" in names:
        raise ValueError(f"{where}: column {names.index('') + 1} has no name; name or remove it")
    check_names(names, where)
    if not body:
        raise ValueError(f"{place}: there is a header but no row; add at least one")
    columns = {column: [row[j] if j < len(row) else None for _, row in body] for j, column in enumerate(names)}
    frame = pd.DataFrame({column: typed_column(values) for column, values in columns.items()})
    return frame, Origin(place, "row", np.array([number for number, _ in body], dtype=np.int64))


def _has_content(value: Any) -> bool:
    return value is not None and (not isinstance(value, str) or bool(value.strip()))
