"""Tables of any supported format, read by one function."""

from __future__ import annotations

import contextlib
import csv
import io
import os
from collections import Counter
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from fruler._wording import quote_names, suggest
from fruler.data.attribute_file import AttributeFile, parse_attribute_file
from fruler.data.keel import choose_output
from fruler.data.sources import Origin, decode_text, numeric_target, read_bytes, read_csv_exactly, source_name

_READER_OF_FORMAT = {
    "csv": "separated",
    "tsv": "separated",
    "txt": "separated",
    "parquet": "parquet",
    "pq": "parquet",
    "arff": "attributes",
    "dat": "attributes",
    "keel": "attributes",
}
_SEPARATORS = (",", ";", "\t")
_LINES_SNIFFED = 20


def read_table(
    source: str | os.PathLike[str] | BinaryIO, *, target: str | None = None, format: str | None = None
) -> Bunch:
    r"""Read a table and part it into inputs and target.

    Parameters
    ----------
    source : path or binary file object
        The table. Text formats must be UTF-8 and may be compressed with gzip (``.csv.gz``).
    target : str, default=None
        The column to predict. None takes the declared output of a KEEL file; in any other format all columns are then
        inputs.
    format : {"csv", "tsv", "txt", "parquet", "pq", "arff", "dat", "keel"}, default=None
        The format; None goes by the suffix of the name. ``csv`` and ``txt`` may be separated by commas, semicolons or
        tabs; ``dat`` and ``keel`` are the same.

    Returns
    -------
    Bunch
        With the keys

        data : DataFrame
            The inputs, as they are: text stays text and missing values stay NaN.
        target : Series of float64, or None
            None if there is no target, or if a KEEL file marks its output as missing in every row.
        feature_names : list of str
        target_name : str or None

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is malformed or has no such target; the message says where and what to do.
    ImportError
        If a Parquet file is to be read and pyarrow is not installed.

    Examples
    --------
    >>> import io
    >>> table = read_table(io.BytesIO(b"size,colour,price\n1.5,red,2\n,green,4\n"), target="price", format="csv")
    >>> table.data
       size colour
    0   1.5    red
    1   NaN  green
    >>> table.target.tolist()
    [2.0, 4.0]
    """
    kind = _resolve_format(source, format)
    raw, name = read_bytes(source)
    reader = _READER_OF_FORMAT[kind]
    if reader == "attributes":
        parsed = parse_attribute_file(raw, name)
        if kind != "arff":
            return _part_keel(parsed, target)
        frame, origin = parsed.frame, parsed.origin
    elif reader == "parquet":
        frame, origin = _read_parquet(raw, name)
    else:
        frame, origin = _read_separated(decode_text(raw, name), name, separator="\t" if kind == "tsv" else None)
    return _part(frame, list(frame.columns), target, origin)


def _resolve_format(source: str | os.PathLike[str] | BinaryIO, format: str | None) -> str:
    known = ", ".join(_READER_OF_FORMAT)
    if format is not None:
        kind = format.lower().removeprefix(".")
        if kind not in _READER_OF_FORMAT:
            raise ValueError(f"unknown format {format!r}; known are {known}")
        return kind
    name = source_name(source)
    kind = Path(name.lower().removesuffix(".gz")).suffix.removeprefix(".")
    if kind in _READER_OF_FORMAT:
        return kind
    if isinstance(source, (str, os.PathLike)) and (not Path(source).exists() or Path(source).is_dir()):
        # Nothing readable is there: the reader's message is of more use than one about the suffix.
        return "csv"
    raise ValueError(
        f"cannot tell the format of {name}; if it is a table, give it as format= (--format on the command line), "
        f"one of {known}"
    )


def _part_keel(parsed: AttributeFile, target: str | None) -> Bunch:
    """Part a KEEL file by its declared inputs, for the declared output or for any column that is asked for."""
    inputs = list(parsed.inputs)
    if target is not None:
        return _part(parsed.frame, inputs, target, parsed.origin)
    output = choose_output(parsed, None)
    if not parsed.frame[output].isna().all():
        return _part(parsed.frame, inputs, output, parsed.origin)
    unanswered = _part(parsed.frame, inputs, None, parsed.origin)
    unanswered.target_name = output
    return unanswered


def _part(frame: pd.DataFrame, inputs: list[str], target: str | None, origin: Origin) -> Bunch:
    values = None
    if target is not None:
        if target not in frame.columns:
            raise ValueError(f"{origin.name} has no column {target!r}; {suggest(str(target), frame.columns)}")
        values = numeric_target(frame[target], origin)
        inputs = [name for name in inputs if name != target]
    if not inputs:
        raise ValueError(f"{origin.name} has no input column besides the target; add at least one")
    return Bunch(data=frame[inputs], target=values, feature_names=inputs, target_name=target)


def _read_separated(text: str, name: str, separator: str | None) -> tuple[pd.DataFrame, Origin]:
    """Read comma, semicolon or tab separated text.

    pandas fills up short rows and renames repeated columns without a word, so the rows are first counted by the csv
    module, whose reader also knows the line of each.
    """
    if not text.strip():
        raise ValueError(f"{name}: the file is empty; it needs a header line and rows")
    separator = separator or _detect_separator(text)
    columns, numbers = _check_rows(text, name, separator)
    try:
        frame = read_csv_exactly(
            text,
            sep=separator,
            header=0,
            names=columns,
            index_col=False,
            na_values=["?"],
            skipinitialspace=True,
        )
    except ValueError as error:
        raise ValueError(f"{name}: cannot read the rows ({_one_line(error)}); check the quotes") from None
    if len(frame) != len(numbers):
        raise ValueError(f"{name}: cannot tell its rows apart; check for quotes that are not closed")
    return frame, Origin(name, "line", np.array(numbers, dtype=np.int64))


def _detect_separator(text: str) -> str:
    """Choose the separator of the header, preferring one that parts the first rows into as many values."""
    lines = [line for line in text.split("\n", _LINES_SNIFFED)[:_LINES_SNIFFED] if line.strip()]
    counts = {separator: _count_values(lines, separator) for separator in _SEPARATORS}

    def fit(separator: str) -> tuple[bool, int, int]:
        in_header, *in_rows = counts[separator] or [0]
        return in_header > 1, sum(n == in_header for n in in_rows), in_header

    return max(_SEPARATORS, key=fit)


def _count_values(lines: list[str], separator: str) -> list[int]:
    """Count the values of each row, up to the first that can't be read with this separator."""
    counts = []
    with contextlib.suppress(csv.Error):
        for row in csv.reader(lines, delimiter=separator, skipinitialspace=True):
            counts.append(len(row))  # noqa: PERF401  # a comprehension would lose the rows before an error
    return counts


def _check_rows(text: str, name: str, separator: str) -> tuple[list[str], list[int]]:
    """Give the column names and the first line of each row, or refuse the file."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True, strict=True)
    columns: list[str] = []
    numbers: list[int] = []
    first_line = 1
    try:
        for row in reader:
            if row and (len(row) > 1 or row[0].strip()):
                if not columns:
                    columns = _check_header([column.strip() for column in row], name, first_line)
                elif len(row) != len(columns):
                    raise ValueError(
                        f"{name}, line {first_line}: {len(row)} values for {len(columns)} columns; "
                        "correct the row, and quote values that contain the separator"
                    )
                else:
                    numbers.append(first_line)
            first_line = reader.line_num + 1
    except csv.Error as error:
        raise ValueError(f"{name}, line {first_line}: cannot read the row ({error}); check the quotes") from None
    if not numbers:
        raise ValueError(f"{name}: there is a header but no row; add at least one")
    return columns, numbers


def _check_header(columns: list[str], name: str, line: int) -> list[str]:
    place = f"{name}, line {line}"
    if "" in columns:
        raise ValueError(
            f"{place}: column {columns.index('') + 1} has no name; name it, or remove it if it only numbers the rows"
        )
    _check_distinct(columns, place)
    # A table made from an array has its column numbers as names; any other row of numbers is data.
    if columns != [str(j) for j in range(len(columns))] and all(map(_is_number, columns)):
        raise ValueError(f"{place}: expected column names, found only numbers; add a header line")
    return columns


def _check_distinct(columns: list[str], place: str) -> None:
    repeated = [column for column, count in Counter(columns).items() if count > 1]
    if repeated:
        raise ValueError(f"{place}: the column names {quote_names(repeated)} occur twice; rename or remove one of each")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def _read_parquet(raw: bytes, name: str) -> tuple[pd.DataFrame, Origin]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ImportError(f'{name}: Parquet files need pyarrow; run: pip install "fruler[parquet]"') from None
    try:
        frame = pyarrow.parquet.read_table(io.BytesIO(raw)).to_pandas()
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise ValueError(f"{name}: cannot read it as Parquet ({_one_line(error)}); make the file again") from None
    frame.columns = [str(column) for column in frame.columns]
    if not len(frame.columns) or not len(frame):
        raise ValueError(f"{name}: the table is empty; it needs columns and rows")
    _check_distinct(list(frame.columns), name)
    frame = frame.reset_index(drop=True)
    for column in frame.columns:
        # pandas' own nullable numbers would bring pd.NA into a table where a missing number is NaN.
        if pd.api.types.is_extension_array_dtype(frame[column].dtype) and pd.api.types.is_numeric_dtype(frame[column]):
            frame[column] = frame[column].to_numpy(dtype=np.float64, na_value=np.nan)
    return frame, Origin(name, "row", np.arange(1, len(frame) + 1))
