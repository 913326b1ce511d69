"""Formats whose cells may be numbers, text or nothing: sheets of Excel workbooks, JSON lines, and Parquet."""

from __future__ import annotations

import contextlib
import io
import json
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from fruler._wording import install_advice, suggest
from fruler.data._file_content import RowPlaces, check_names, one_line, refuse_growth, typed_column

# SyntaxError is the base of the errors of Python's XML reader, RuntimeError that of locked files and odd compression.
# The others come from missing or malformed parts of a workbook.
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


def read_excel(raw: bytes, name: str, sheet: str | None = None) -> tuple[pd.DataFrame, RowPlaces]:
    """Read a sheet of an ``.xlsx`` workbook: the first row that is not empty has the names, the others the values.

    Formulas count as the value that Excel last saved for them. A percentage is the number that the cell holds: 0.125
    if it shows 12.5%.

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
    places : RowPlaces
        The number of each row in the sheet.

    Raises
    ------
    ValueError
        If the file is not a workbook, has no such sheet, or the sheet is not a table.
    ImportError
        If openpyxl is not installed.
    """
    try:
        import openpyxl
    except ImportError:
        raise ImportError(f"{name}: Excel files need openpyxl; {install_advice('excel')}") from None
    with _refusing_damage(name), zipfile.ZipFile(io.BytesIO(raw)) as parts:
        n_bytes = sum(part.file_size for part in parts.infolist())
    refuse_growth(len(raw), n_bytes, name)
    with _refusing_damage(name):
        book = openpyxl.load_workbook(io.BytesIO(raw), read_only=True, data_only=True)
    with contextlib.closing(book):
        title = _choose_sheet([page.title for page in book.worksheets], sheet, name)
        with _refusing_damage(name):
            rows = [list(row) for row in book[title].iter_rows(values_only=True)]
    return _as_table(rows, f"{name}, sheet {title!r}")


@contextlib.contextmanager
def _refusing_damage(
    name: str, kind: str = "an Excel workbook", remedy: str = "save it again as .xlsx or as CSV"
) -> Iterator[None]:
    """Turn the errors of openpyxl and pyarrow into one sentence."""
    try:
        with warnings.catch_warnings():
            # openpyxl warns of colours, pictures and other content that it leaves out and that no table needs.
            warnings.simplefilter("ignore")
            yield
    except _DAMAGES as error:
        raise ValueError(f"{name}: cannot read it as {kind} ({one_line(error)}); {remedy}") from None


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


def _as_table(rows: list[list[Any]], place: str) -> tuple[pd.DataFrame, RowPlaces]:
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
    return frame, RowPlaces(place, "row", np.array([number for number, _ in body], dtype=np.int64))


def _has_content(value: Any) -> bool:
    return value is not None and (not isinstance(value, str) or bool(value.strip()))


_VALUES = (str, int, float, bool, type(None))
_MAX_DIGITS = 300


def read_json_lines(text: str, name: str) -> tuple[pd.DataFrame, RowPlaces]:
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
    places : RowPlaces
        The line of each row.

    Raises
    ------
    ValueError
        If a line is not an object of plain values; the message names the line.

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
    # Column by column: a frame made from all rows at once would turn columns with true and false into text or numbers.
    frame = pd.DataFrame({column: typed_column([row.get(column) for row in rows]) for column in columns})
    return frame, RowPlaces(name, "line", np.array(numbers, dtype=np.int64))


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
            raise ValueError(f"{place}, column {key!r}: a {kind} cannot be a value of a table; give it keys of its own")
    return row


def _whole_number(text: str) -> int | float:
    # Python refuses to read integers of thousands of digits; no float is that large.
    return int(text) if len(text) <= _MAX_DIGITS else float(text)


def read_parquet(raw: bytes, name: str) -> tuple[pd.DataFrame, RowPlaces]:
    """Read a Parquet file; rows are counted from 1.

    Raises
    ------
    ValueError
        If the file is damaged or empty.
    ImportError
        If pyarrow is not installed.
    """
    try:
        import pyarrow.parquet
    except ImportError:
        raise ImportError(f"{name}: Parquet files need pyarrow; {install_advice('parquet')}") from None
    with _refusing_damage(name, "Parquet", "make the file again"):
        about = pyarrow.parquet.read_metadata(io.BytesIO(raw))
    # A value takes eight bytes or more, however short it is in the file.
    refuse_growth(len(raw), 8 * about.num_rows * about.num_columns, name)
    with _refusing_damage(name, "Parquet", "make the file again"):
        frame = pyarrow.parquet.read_table(io.BytesIO(raw)).to_pandas()
    frame.columns = [str(column) for column in frame.columns]
    if not len(frame.columns) or not len(frame):
        raise ValueError(f"{name}: the table is empty; it needs columns and rows")
    check_names(list(frame.columns), name)
    frame = frame.reset_index(drop=True)
    for column in frame.columns:
        # pandas' own nullable values would bring pd.NA into a table where a missing value is NaN.
        if pd.api.types.is_extension_array_dtype(frame[column].dtype) and pd.api.types.is_numeric_dtype(frame[column]):
            kind = object if pd.api.types.is_bool_dtype(frame[column].dtype) else np.float64
            frame[column] = pd.Series(frame[column].to_numpy(dtype=kind, na_value=np.nan)).infer_objects()
    return frame, RowPlaces(name, "row", np.arange(1, len(frame) + 1))
