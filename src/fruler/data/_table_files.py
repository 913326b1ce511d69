"""Tables of any supported format, read by one function."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

import pandas as pd
from sklearn.utils import Bunch

from fruler._wording import quoted, suggest
from fruler.data._attribute_file import AttributeFile, parse_attribute_file
from fruler.data._file_content import (
    ReadOptions,
    RowPlaces,
    as_texts,
    decode_text,
    numeric_target,
    read_bytes,
    source_name,
)
from fruler.data._keel import choose_output
from fruler.data._number_columns import USUAL_MARKS, Doubt, UnderstoodNumbers, understand_numbers, without_marks
from fruler.data._separated import read_separated
from fruler.data._typed_files import read_excel, read_json_lines, read_parquet

_READER_OF_FORMAT = {
    "csv": "separated",
    "tsv": "separated",
    "txt": "separated",
    "parquet": "parquet",
    "pq": "parquet",
    "xlsx": "excel",
    "xlsm": "excel",
    "jsonl": "json_lines",
    "ndjson": "json_lines",
    "arff": "attributes",
    "dat": "attributes",
    "keel": "attributes",
}


def read_table(
    source: str | os.PathLike[str] | BinaryIO,
    *,
    target: str | None = None,
    format: str | None = None,
    sep: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    na_values: str | float | Iterable[str | float] | None = None,
    sheet: str | int | None = None,
) -> Bunch:
    r"""Read a table and split it into inputs and target.

    Parameters
    ----------
    source : path or binary file object
        The table. Text formats must be UTF-8, or UTF-16 with a byte order mark, and may be compressed with gzip
        (``.csv.gz``).
    target : str, default=None
        The column to predict. None takes the declared output of a KEEL file; in any other format, it makes all columns
        inputs.
    format : str, default=None
        The format: ``"csv"``, ``"tsv"``, ``"txt"``, ``"xlsx"``, ``"xlsm"``, ``"jsonl"``, ``"ndjson"``, ``"parquet"``,
        ``"pq"``, ``"arff"``, ``"dat"`` or ``"keel"``; None takes it from the suffix of the name. ``csv`` and ``txt``
        may be separated by commas, semicolons, tabs or bars; ``dat`` and ``keel`` are the same, and so are ``jsonl``
        and ``ndjson`` (one JSON object per line).
    sep : str, default=None
        The separator of values in a text table: one character, or ``"tab"``. None detects it.
    decimal : {".", ","}, default=None
        The decimal sign. None detects it, column by column.
    thousands : {",", ".", " ", "'"}, default=None
        The thousands separator. None detects it, column by column.
    na_values : str, number or list of these, default=None
        Marks of missing values, besides empty cells and the usual marks (such as ``NA`` and ``?``).
    sheet : str or int, default=None
        The name or the number, from 1, of an Excel sheet. None takes the first.

    Returns
    -------
    Bunch
        With the keys

        data : DataFrame
            The inputs, as they are: text stays text and missing values stay NaN.
        target : Series of float64, or None
            None if there is no target, or if a KEEL file marks its output as missing in every row.
        feature_names : list of str
            The names of the inputs.
        target_name : str or None
            The name of the target.
        notes : list of str
            The formats that were detected in the file (separators, decimal commas, thousands, percent and currency
            signs), and the columns that stay text though they look like numbers.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is malformed, has no such target, or has numbers that can be read in two ways; the message says
        where and what to do.
    ImportError
        If pyarrow is not installed (for Parquet files), or openpyxl (for Excel files).

    See Also
    --------
    load_keel : Reads a KEEL set with its folds.
    load_example : A bundled table.

    Notes
    -----
    Percent and currency signs are dropped from columns that are otherwise numbers: 12.5% is 12.5, $1,200 is 1200.
    Commas that are always followed by three digits may separate thousands or mark decimals. If the file is separated by
    semicolons, they mark decimals; in amounts of dollars and pounds they separate thousands. Any other such column is
    refused until `decimal` or `thousands` is given.

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
    options = ReadOptions(
        format=format,
        sep=sep,
        decimal=decimal,
        thousands=thousands,
        na_values=as_texts(na_values),
        sheet=None if sheet is None else str(sheet),
    )
    file = read_table_file(source, options)
    if file.declared is not None:
        return _part_keel(file, file.declared, target)
    return _part(file, list(file.frame.columns), target)


@dataclass(frozen=True, eq=False)
class TableFile:
    """A table as read from its file, with all of its columns.

    Attributes
    ----------
    frame : DataFrame
        All columns.
    places : RowPlaces
        Where the rows come from.
    notes : tuple of str
        The formats that were detected rather than given by the user, such as decimal commas.
    doubts : dict of str to Doubt
        The columns that stay text though they look like numbers.
    declared : AttributeFile or None
        The roles that a KEEL file declares.
    """

    frame: pd.DataFrame
    places: RowPlaces
    notes: tuple[str, ...] = ()
    doubts: dict[str, Doubt] = field(default_factory=dict)
    declared: AttributeFile | None = None

    def remarks(self, without: Collection[str] = ()) -> list[str]:
        """Return lines on the detected formats and the columns that stay text, except those in `without`."""
        lines = [", ".join(self.notes)] if self.notes else []
        doubts = {name: doubt for name, doubt in self.doubts.items() if name not in without}
        return lines + [f"{quoted(name)} stays text: {doubt.problem}" for name, doubt in doubts.items()]

    def refuse_doubt(self, column: str) -> None:
        """Refuse a column of numbers whose meaning is not clear."""
        if column in self.doubts:
            doubt = self.doubts[column]
            raise ValueError(f"{self.places.at(doubt.row, column)}: {doubt.problem}")


def read_table_file(source: str | os.PathLike[str] | BinaryIO, options: ReadOptions) -> TableFile:
    r"""Read a table with all of its columns.

    Parameters
    ----------
    source : path or binary file object
        The table.
    options : ReadOptions
        The options of the user.

    Raises
    ------
    FileNotFoundError, ValueError, ImportError
        As `read_table` does.

    Examples
    --------
    >>> import io
    >>> file = read_table_file(io.BytesIO(b"size;price\n1,5;2\n2,5;3\n"), ReadOptions(format="csv"))
    >>> file.notes
    ('separated by ";"', 'decimals with ","')
    """
    kind = _resolve_format(source, options.format)
    reader = _READER_OF_FORMAT[kind]
    options.require_for(reader, source_name(source))
    raw, name = read_bytes(source)
    if reader == "attributes":
        parsed = parse_attribute_file(raw, name)
        return TableFile(parsed.frame, parsed.places, declared=None if kind == "arff" else parsed)
    if reader == "separated":
        if kind == "tsv" and options.sep is None:
            options = replace(options, sep="\t")
        understood, places = read_separated(decode_text(raw, name), name, options)
    else:
        understood, places = _read_typed(raw, name, reader, options)
    return TableFile(understood.frame, places, understood.notes, understood.doubts)


def _read_typed(raw: bytes, name: str, reader: str, options: ReadOptions) -> tuple[UnderstoodNumbers, RowPlaces]:
    """Read a format whose cells may be numbers, text or nothing."""
    marks = options.na_values
    if reader == "excel":
        frame, places = read_excel(raw, name, options.sheet)
        marks = (*USUAL_MARKS, *marks)
    elif reader == "json_lines":
        frame, places = read_json_lines(decode_text(raw, name), name)
    else:
        frame, places = read_parquet(raw, name)
    return understand_numbers(without_marks(frame, marks), places, options), places


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
        # There is nothing to read: the reader's message is more useful than one about the suffix.
        return "csv"
    raise ValueError(
        f"cannot tell the format of {name}; if it is a table, name its format, as in format='csv': one of {known}"
    )


def _part_keel(file: TableFile, declared: AttributeFile, target: str | None) -> Bunch:
    """Split a KEEL file into its declared inputs and the declared output or any other requested column."""
    inputs = list(declared.inputs)
    if target is not None:
        return _part(file, inputs, target)
    output = choose_output(declared, None)
    if not file.frame[output].isna().all():
        return _part(file, inputs, output)
    unanswered = _part(file, inputs, None)
    unanswered.target_name = output
    return unanswered


def _part(file: TableFile, inputs: list[str], target: str | None) -> Bunch:
    frame, places = file.frame, file.places
    values = None
    if target is not None:
        if target not in frame.columns:
            raise ValueError(
                f"{places.name} has no column {quoted(str(target))}; {suggest(str(target), frame.columns)}"
            )
        file.refuse_doubt(target)
        values = numeric_target(frame[target], places)
        inputs = [name for name in inputs if name != target]
    if not inputs:
        raise ValueError(f"{places.name} has no input column besides the target; add at least one")
    return Bunch(data=frame[inputs], target=values, feature_names=inputs, target_name=target, notes=file.remarks())
