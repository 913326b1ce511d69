"""The input of commands: tables and models."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pandas as pd

from fruler._cli.failures import with_options
from fruler._model_file.file import Model
from fruler._wording import counted
from fruler.data._file_content import ReadOptions, read_to_the_end, source_name
from fruler.data._frog import load_frog
from fruler.data._keel import choose_output
from fruler.data._scan import FileScan, file_kind, is_pattern, open_files, table_paths
from fruler.data._table_files import TableFile, read_table_file
from fruler.estimators._saved_model import load_model, regressor_of
from fruler.estimators.base import BaseRuleRegressor

STDIN = "-"
_KEEL = ("dat", "keel")
# Larger models are not shown.
MAX_RULES_SHOWN, MAX_COEFFICIENTS_SHOWN = 2_000, 30_000
_FROG = (".yml", ".yaml")


class _StandardInput(io.BytesIO):
    name = "standard input"


@dataclass(frozen=True, eq=False)
class GivenTable:
    """A table as it is in its file.

    Attributes
    ----------
    name : str
        The name in messages.
    frame : DataFrame
        All columns.
    output : str or None
        The column that the file declares as the target.
    file : TableFile or None
        The file, with the conventions recognised in it.
    first : int
        The number of the first row in the whole table, of which these rows may be a part.
    """

    name: str
    frame: pd.DataFrame
    output: str | None = None
    file: TableFile | None = None
    first: int = 0

    def notes(self, without: Collection[str] = ()) -> list[str]:
        """Return notes on conventions recognised in the file and on columns that stay text, except some columns."""
        return [] if self.file is None else [with_options(text) for text in self.file.remarks(without)]

    def refuse_doubts(self, columns: Iterable[str]) -> None:
        """Raise an error if the numbers of a column are ambiguous."""
        for column in columns:
            if self.file is not None:
                self.file.refuse_doubt(column)

    def refuse_infinity(self, columns: Iterable[str]) -> None:
        """Raise an error if a column has infinite numbers."""
        for column in columns:
            values = self.frame[column]
            if not pd.api.types.is_float_dtype(values.dtype):
                continue
            infinite = np.isinf(values.to_numpy(dtype=np.float64, na_value=np.nan))
            if infinite.any():
                row = int(np.argmax(infinite))
                sign = "-" if values.iloc[row] < 0.0 else ""
                raise ValueError(
                    f"{self.place(row, column)}: the value is {sign}infinity; correct it, leave it empty, or declare "
                    f"it as missing with --na-values {sign}inf"
                )

    def place(self, row: int, column: str) -> str:
        """Return the position of a value for a message."""
        return f"{self.name}, row {self.first + row + 1}" if self.file is None else self.file.places.at(row, column)


def read_frame(source: str, options: ReadOptions, target: str | None = None) -> GivenTable:
    """Read a table from a file or from standard input.

    Parameters
    ----------
    source : str
        A path, or ``-``.
    options : ReadOptions
        The options for reading. Without a format, the suffix decides, and standard input is CSV.
    target : str or None
        The column to predict; other outputs that a KEEL file declares are left out.
    """
    where: str | BinaryIO = source
    name = source_name(source)
    if source == STDIN:
        if sys.stdin is None or sys.stdin.isatty():
            raise ValueError("standard input is empty; pipe a table into the command, or name a file")
        where, name = _StandardInput(read_to_the_end(sys.stdin.buffer, _StandardInput.name)), _StandardInput.name
        options = replace(options, format=options.format or "csv")
    file = read_table_file(where, options)
    parsed = file.declared
    if parsed is None:
        return GivenTable(name, file.frame, file=file)
    output = choose_output(parsed, None) if target is None else target
    unused = {*(parsed.outputs), *(set(parsed.frame.columns) - {*parsed.inputs})} - {output}
    return GivenTable(name, parsed.frame.drop(columns=list(unused & set(parsed.frame.columns))), output, file)


def open_batches(data: Sequence[str], options: ReadOptions, max_memory: float) -> FileScan | None:
    """Open files to read them in batches: several, a folder, or one that is large; None for any other table."""
    if not max_memory > 0.0:
        raise ValueError(f"--max-memory must be a number of megabytes above 0; got {max_memory:g}")
    if STDIN in data and len(data) > 1:
        raise ValueError("standard input cannot be read together with files; leave out -")
    single = data[0] if len(data) == 1 and not (is_pattern(data[0]) or os.path.isdir(data[0])) else None
    if single is not None and (options.format or file_kind(Path(single))) not in ("parquet", "csv"):
        return None
    if single is not None and not (os.path.isfile(single) and os.path.getsize(single) > max_memory * 1e6):
        return None
    for option, given in (("thousands", options.thousands), ("na-values", options.na_values), ("sheet", options.sheet)):
        if given:
            raise ValueError(f"--{option}: files in batches have no such option; leave it out, or join them first")
    return open_files(list(data), None, max_memory, options.format, options.sep, options.decimal or ".")


def is_large(data: Sequence[str], max_memory: float) -> bool:
    """Return whether files are too large to be read into memory."""
    paths = [path for one in table_paths(data) for path in (one.rglob("*") if one.is_dir() else [one])]
    return sum(path.stat().st_size for path in paths if path.is_file()) > max_memory * 1e6


def read_whole(scan: FileScan, name: str) -> GivenTable:
    """Read files into memory."""
    return GivenTable(name, scan.dataset.to_table(columns=list(scan.names)).to_pandas())


def joined_name(data: Sequence[str]) -> str:
    """Return the name of a table of one or more files in messages."""
    first = source_name(data[0])
    return first if len(data) == 1 else f"{first} and {counted(len(data) - 1, 'more file')}"


def read_new_rows(source: str, options: ReadOptions) -> GivenTable:
    """Read a table to predict, with all columns, whatever their role in the file."""
    return read_frame(source, replace(options, format=options.format or _as_arff(source)))


def _as_arff(source: str) -> str | None:
    # An ARFF file is a KEEL file without roles.
    return "arff" if Path(source.lower().removesuffix(".gz")).suffix.removeprefix(".") in _KEEL else None


def load_any_model(path: Path) -> BaseRuleRegressor:
    """Read a fitted regressor from a model file, or from the rules in a YAML file of FROG."""
    return regressor_of(Model(load_frog(path))) if path.suffix.lower() in _FROG else load_model(path)


def load_shown_model(path: Path) -> BaseRuleRegressor:
    """Read a model to show its rules; raise an error if it is too large to read, which would take for ever."""
    model = load_any_model(path)
    rules = model.rule_base_
    if rules.n_rules > MAX_RULES_SHOWN or rules.n_coefficients > MAX_COEFFICIENTS_SHOWN:
        raise ValueError(
            f"{path.name} has {counted(rules.n_rules, 'rule')} with {counted(rules.n_coefficients, 'coefficient')}, "
            f"too many to read; at most {MAX_RULES_SHOWN:,} rules with {MAX_COEFFICIENTS_SHOWN:,} coefficients are "
            "shown: use `fruler predict` or `fruler export`, or fit with a smaller max_rules"
        )
    return model


def named_by_order(model: BaseRuleRegressor, frame: pd.DataFrame) -> pd.DataFrame | None:
    """Return the table with the names of the inputs of a model that was fitted without names, or None.

    Names take precedence: columns are renamed only if none has the name of an input and there is one per input.
    """
    names = list(model.rule_base_.columns)
    if hasattr(model, "feature_names_in_") or len(names) != frame.shape[1] or set(names) & set(frame.columns):
        return None
    return frame.set_axis(names, axis=1)


def same_file(one: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Return whether two paths lead to the same existing file."""
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False
