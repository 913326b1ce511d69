"""What commands read: a table with all of its columns, and a model."""

from __future__ import annotations

import io
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pandas as pd

from fruler._wording import quote_names
from fruler.data.attribute_file import parse_attribute_file
from fruler.data.keel import choose_output
from fruler.data.sources import read_bytes, source_name
from fruler.data.tables import read_table
from fruler.model_file.file import Model

STDIN = "-"
_KEEL = ("dat", "keel")


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
    """

    name: str
    frame: pd.DataFrame
    output: str | None = None


def read_frame(source: str, format: str | None, target: str | None = None) -> Table:
    """Read a table from a file, or from standard input.

    Parameters
    ----------
    source : str
        A path, or ``-``.
    format : str or None
        The format; None goes by the suffix, and takes CSV for standard input.
    target : str or None
        What is to be predicted: of the outputs that a KEEL file declares, the others are then left out.
    """
    where: str | BinaryIO = source
    name = source_name(source)
    if source == STDIN:
        if sys.stdin is None or sys.stdin.isatty():
            raise ValueError("there is nothing on standard input; pipe a table into the command, or name a file")
        where, name, format = _StandardInput(sys.stdin.buffer.read()), _StandardInput.name, format or "csv"
    kind = (format or Path(name.lower().removesuffix(".gz")).suffix).lower().removeprefix(".")
    if kind not in _KEEL:
        return Table(name, read_table(where, format=format).data)
    raw, _ = read_bytes(where)
    parsed = parse_attribute_file(raw, name)
    if target is None and len(parsed.outputs) > 1:
        raise ValueError(f"{name} has several outputs; choose one with --target: {quote_names(parsed.outputs)}")
    output = choose_output(parsed, None) if target is None else target
    unused = {*(parsed.outputs), *(set(parsed.frame.columns) - {*parsed.inputs})} - {output}
    return Table(name, parsed.frame.drop(columns=list(unused & set(parsed.frame.columns))), output)


def read_new_rows(source: str, format: str | None) -> Table:
    """Read a table to be predicted: all columns, whatever their role in the file is."""
    return read_frame(source, format or _as_arff(source))


def _as_arff(source: str) -> str | None:
    # An ARFF file is a KEEL file without roles.
    return "arff" if Path(source.lower().removesuffix(".gz")).suffix.removeprefix(".") in _KEEL else None


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
