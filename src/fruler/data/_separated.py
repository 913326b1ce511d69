"""Text tables with a header line, whose values are separated by commas, semicolons, tabs or bars."""

from __future__ import annotations

import contextlib
import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from fruler.data._file_content import ReadOptions, RowPlaces, check_names, one_line, read_csv_exactly
from fruler.data._number_columns import UnderstoodNumbers, take_apart, understand_numbers

_SEPARATORS = (",", ";", "\t", "|")
_SEPARATOR_NAMES = {"\t": "tabs", " ": "blanks"}
# Not recognised, since they also occur in names and texts, but suggested.
_RARE_SEPARATORS = (" ", ":", "^", "~", "#")
_SEPARATOR_OPTIONS = {"\t": "tab"}
_LINES_SNIFFED = 20
# Excel writes and reads a first line that names the separator.
_EXCEL_LINE = re.compile(r'\s*"?sep=([^\w\s"]|\t)"?[,;\t|]*\n', re.IGNORECASE)


def read_separated(text: str, name: str, options: ReadOptions) -> tuple[UnderstoodNumbers, RowPlaces]:
    r"""Read separated text.

    Parameters
    ----------
    text : str
        The content, with ``\n`` as the only line end.
    name : str
        The file's name, for messages.
    options : ReadOptions
        The options of the user.

    Returns
    -------
    understood : UnderstoodNumbers
        The table, notes on recognised formats, and doubtful columns.
    places : RowPlaces
        The line of each row.

    Raises
    ------
    ValueError
        If the text is malformed, or its numbers can be read in two ways.

    Examples
    --------
    >>> understood, _ = read_separated("size;price\n1,5;1.200,50\n2,25;999\n", "t.csv", ReadOptions())
    >>> understood.frame
       size   price
    0  1.50  1200.5
    1  2.25   999.0
    >>> understood.notes
    ('separated by ";"', 'decimals with ","', 'thousands with "." in \'price\'')
    """
    if not text.strip():
        raise ValueError(f"{name}: the file is empty; it needs a header line and rows")
    named = _EXCEL_LINE.match(text)
    if named is not None:
        # An empty line stays, so that all other lines keep their numbers.
        text = "\n" + text[named.end() :]
    separator = options.sep or (named[1] if named is not None else None) or _detect_separator(text)
    _refuse_wrong_separator(text, name, separator)
    columns, numbers = _check_rows(text, name, separator)
    layout = _Layout(text, name, separator, columns, options.na_values)
    frame = layout.read()
    if len(frame) != len(numbers):
        raise ValueError(f"{name}: cannot tell its rows apart; check for quotes that are not closed")
    places = RowPlaces(name, "line", np.array(numbers, dtype=np.int64))
    understood = understand_numbers(
        frame,
        places,
        options,
        semicolons=separator == ";",
        texts_of=lambda names: layout.read(usecols=names, dtype=object),
    )
    if separator not in (_SEPARATORS[0], options.sep) and len(columns) > 1:
        shown = _SEPARATOR_NAMES.get(separator, f'"{separator}"')
        understood = replace(understood, notes=(f"separated by {shown}", *understood.notes))
    return understood, places


@dataclass(frozen=True)
class _Layout:
    """A text whose separator and columns are known."""

    text: str
    name: str
    separator: str
    columns: list[str]
    na_values: tuple[str, ...]

    def read(self, **options: Any) -> pd.DataFrame:
        try:
            return read_csv_exactly(
                self.text,
                sep=self.separator,
                header=0,
                names=self.columns,
                index_col=False,
                na_values=["?", *self.na_values],
                skipinitialspace=True,
                **options,
            )
        except ValueError as error:
            raise ValueError(f"{self.name}: cannot read the rows ({one_line(error)}); check the quotes") from None


def _detect_separator(text: str) -> str:
    """Choose the separator of the header, preferring one that splits the first rows into as many values."""
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


def _refuse_wrong_separator(text: str, name: str, separator: str) -> None:
    """Refuse a single column that another separator would split into columns of numbers."""
    header, *rows = (line.strip() for line in text.split("\n", _LINES_SNIFFED)[:_LINES_SNIFFED] if line.strip())
    if separator in header:
        return
    for other in (*_SEPARATORS, *_RARE_SEPARATORS):
        n_columns = len(header.split(other))
        parts = [row.split(other) for row in rows]
        if other == separator or n_columns < 2 or any(len(row) != n_columns for row in parts):
            continue
        if sum(_is_number(value) for row in parts for value in row) > n_columns * len(rows) / 2:
            shown = _SEPARATOR_OPTIONS.get(other, other)
            raise ValueError(
                f"{name}: there is a single column {header!r:.60}, but the values seem to be separated by "
                f"{_SEPARATOR_NAMES.get(other, repr(other))}; if so, set sep={shown!r}"
            )


def _check_rows(text: str, name: str, separator: str) -> tuple[list[str], list[int]]:
    """Return the column names and the first line of each row, or refuse the file."""
    line = ""

    def lines() -> Iterator[str]:
        nonlocal line
        for each in io.StringIO(text, newline=""):
            line = each
            yield each

    reader = csv.reader(lines(), delimiter=separator, skipinitialspace=True, strict=True)
    columns: list[str] = []
    numbers: list[int] = []
    first_line = 1
    try:
        for row in reader:
            # Two quotes are an empty value, which is a row of a table with one column.
            if row and (len(row) > 1 or row[0].strip() or '"' in line):
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
    check_names(columns, place)
    # A table made from an array has its column numbers as names; any other row of numbers is data.
    if columns != [str(j) for j in range(len(columns))] and all(map(_is_number, columns)):
        raise ValueError(f"{place}: expected column names, found only numbers; add a header line")
    return columns


def _is_number(text: str) -> bool:
    number = take_apart(text)
    return number is not None and not number.sign
