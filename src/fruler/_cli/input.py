"""What commands read: a table with all of its columns, and a model."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Collection, Iterable
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
from fruler.data._table_files import TableFile, read_table_file
from fruler.estimators._saved_model import load_model, regressor_of
from fruler.estimators.base import BaseRuleRegressor

STDIN = "-"
_KEEL = ("dat", "keel")
# More than these are not shown.
MAX_RULES_SHOWN, MAX_COEFFICIENTS_SHOWN = 2_000, 30_000
_FROG = (".yml", ".yaml")


class _StandardInput(io.BytesIO):
    name = "standard input"


@dataclass(frozen=True, eq=False)
class Table:
    """A table as it is in its file.

    Attributes
    ----------
    name : str
        How messages call it.
    frame : DataFrame
        All columns.
    output : str or None
        The column that the file itself declares to be the target.
    file : TableFile or None
        Where it comes from, with what was recognised in it.
    """

    name: str
    frame: pd.DataFrame
    output: str | None = None
    file: TableFile | None = None

    def notes(self, without: Collection[str] = ()) -> list[str]:
        """Say what was recognised in the file, and which columns stay text, but for some that do not matter."""
        return [] if self.file is None else [with_options(text) for text in self.file.remarks(without)]

    def refuse_doubts(self, columns: Iterable[str]) -> None:
        """Refuse columns of numbers of which it is not clear what they mean."""
        for column in columns:
            if self.file is not None:
                self.file.refuse_doubt(column)

    def refuse_infinity(self, columns: Iterable[str]) -> None:
        """Refuse columns with infinite numbers."""
        for column in columns:
            values = self.frame[column]
            if not pd.api.types.is_float_dtype(values.dtype):
                continue
            infinite = np.isinf(values.to_numpy(dtype=np.float64, na_value=np.nan))
            if infinite.any():
                row = int(np.argmax(infinite))
                sign = "-" if values.iloc[row] < 0.0 else ""
                raise ValueError(
                    f"{self.place(row, column)}: the value is {sign}infinity; correct it, leave it empty, or say with "
                    f"--na-values {sign}inf that it marks a missing value"
                )

    def place(self, row: int, column: str) -> str:
        """Name the place of one value."""
        return f"{self.name}, row {row + 1}" if self.file is None else self.file.places.at(row, column)


def read_frame(source: str, options: ReadOptions, target: str | None = None) -> Table:
    """Read a table from a file, or from standard input.

    Parameters
    ----------
    source : str
        A path, or ``-``.
    options : ReadOptions
        What the user says about it. Without a format the suffix counts, and standard input is CSV.
    target : str or None
        What is to be predicted: of the outputs that a KEEL file declares, the others are then left out.
    """
    where: str | BinaryIO = source
    name = source_name(source)
    if source == STDIN:
        if sys.stdin is None or sys.stdin.isatty():
            raise ValueError("there is nothing on standard input; pipe a table into the command, or name a file")
        where, name = _StandardInput(read_to_the_end(sys.stdin.buffer, _StandardInput.name)), _StandardInput.name
        options = replace(options, format=options.format or "csv")
    file = read_table_file(where, options)
    parsed = file.declared
    if parsed is None:
        return Table(name, file.frame, file=file)
    output = choose_output(parsed, None) if target is None else target
    unused = {*(parsed.outputs), *(set(parsed.frame.columns) - {*parsed.inputs})} - {output}
    return Table(name, parsed.frame.drop(columns=list(unused & set(parsed.frame.columns))), output, file)


def read_new_rows(source: str, options: ReadOptions) -> Table:
    """Read a table to be predicted: all columns, whatever their role in the file is."""
    return read_frame(source, replace(options, format=options.format or _as_arff(source)))


def _as_arff(source: str) -> str | None:
    # An ARFF file is a KEEL file without roles.
    return "arff" if Path(source.lower().removesuffix(".gz")).suffix.removeprefix(".") in _KEEL else None


def load_any_model(path: Path) -> BaseRuleRegressor:
    """Read the fitted regressor of a model file, or one with the rules in a YAML file of FROG."""
    return regressor_of(Model(load_frog(path))) if path.suffix.lower() in _FROG else load_model(path)


def load_shown_model(path: Path) -> BaseRuleRegressor:
    """Read a model whose rules are to be shown; one that nobody can read would take for ever."""
    model = load_any_model(path)
    rules = model.rule_base_
    if rules.n_rules > MAX_RULES_SHOWN or rules.n_coefficients > MAX_COEFFICIENTS_SHOWN:
        raise ValueError(
            f"{path.name} has {counted(rules.n_rules, 'rule')} with {counted(rules.n_coefficients, 'coefficient')}, "
            f"more than anybody can read; at most {MAX_RULES_SHOWN:,} rules with {MAX_COEFFICIENTS_SHOWN:,} "
            "coefficients are shown: use `fruler predict` or `fruler export`, or fit with a smaller max_rules"
        )
    return model


def named_by_order(model: BaseRuleRegressor, frame: pd.DataFrame) -> pd.DataFrame | None:
    """Return the table with the names of the inputs of a model that was learned without names, or None.

    Names win: that is done only where a table has none of them and as many columns as there are inputs.
    """
    names = list(model.rule_base_.columns)
    if hasattr(model, "feature_names_in_") or len(names) != frame.shape[1] or set(names) & set(frame.columns):
        return None
    return frame.set_axis(names, axis=1)


def same_file(one: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Say whether two paths lead to one file that exists."""
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False
