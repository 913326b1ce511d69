"""What commands read: a table with all of its columns, and a model."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import pandas as pd

from fruler._wording import counted, quote_names
from fruler.data.frog import load_frog
from fruler.data.keel import choose_output
from fruler.data.options import ReadOptions
from fruler.data.sources import read_to_the_end, source_name
from fruler.data.tables import TableFile, read_table_file
from fruler.model_file.file import Model, read_model

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
        return [] if self.file is None else self.file.remarks(without)

    def refuse_doubts(self, columns: Iterable[str]) -> None:
        """Refuse columns of numbers of which it is not clear what they mean."""
        for column in columns:
            if self.file is not None:
                self.file.refuse_doubt(column)


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
    if target is None and len(parsed.outputs) > 1:
        raise ValueError(f"{name} has several outputs; choose one with --target: {quote_names(parsed.outputs)}")
    output = choose_output(parsed, None) if target is None else target
    unused = {*(parsed.outputs), *(set(parsed.frame.columns) - {*parsed.inputs})} - {output}
    return Table(name, parsed.frame.drop(columns=list(unused & set(parsed.frame.columns))), output, file)


def read_new_rows(source: str, options: ReadOptions) -> Table:
    """Read a table to be predicted: all columns, whatever their role in the file is."""
    return read_frame(source, replace(options, format=options.format or _as_arff(source)))


def _as_arff(source: str) -> str | None:
    # An ARFF file is a KEEL file without roles.
    return "arff" if Path(source.lower().removesuffix(".gz")).suffix.removeprefix(".") in _KEEL else None


def read_any_model(path: Path) -> Model:
    """Read a model file, or the rules in a YAML file of FROG."""
    return Model(load_frog(path)) if path.suffix.lower() in _FROG else read_model(path)


def read_shown_model(path: Path) -> Model:
    """Read a model whose rules are to be shown; one that nobody can read would take for ever."""
    model = read_any_model(path)
    rules = model.rule_base
    if rules.n_rules > MAX_RULES_SHOWN or rules.n_coefficients > MAX_COEFFICIENTS_SHOWN:
        raise ValueError(
            f"{path.name} has {counted(rules.n_rules, 'rule')} with {counted(rules.n_coefficients, 'coefficient')}, "
            f"more than anybody can read; at most {MAX_RULES_SHOWN:,} rules with {MAX_COEFFICIENTS_SHOWN:,} "
            "coefficients are shown: use `fruler predict` or `fruler export`, or fit with a smaller max_rules"
        )
    return model


def named_by_order(model: Model, frame: pd.DataFrame) -> pd.DataFrame | None:
    """Return the table with the names of the inputs of a model that was learned without names, or None.

    Names win: that is done only where a table has none of them and as many columns as there are inputs.
    """
    names = list(model.rule_base.columns)
    named = model.learning is None or model.learning.named_inputs
    if named or len(names) != frame.shape[1] or set(names) & set(frame.columns):
        return None
    return frame.set_axis(names, axis=1)


def same_file(one: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Say whether two paths lead to one file that exists."""
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False
