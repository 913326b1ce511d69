"""``fruler predict``: a table in, a prediction a row out."""

from __future__ import annotations

import io
import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from fruler._typing import Floats
from fruler._wording import counted, quote_names
from fruler.cli.failures import say
from fruler.cli.input import STDIN, Table, named_by_order, read_any_model, read_new_rows
from fruler.cli.output import STDOUT, as_json, check_destination, write_output
from fruler.data.options import ReadOptions
from fruler.model_file.file import Model
from fruler.rules.outside import said_of_outside
from fruler.rules.rule_base import RuleBase
from fruler.table.preparation import bounded_numbers
from fruler.table.sources import UnfitValue

COLUMN = "prediction"
_ENDS = ("lower", "upper")
_VALUES_SHOWN = 3


@dataclass(frozen=True, eq=False)
class NewRows:
    """Rows for a model.

    Attributes
    ----------
    table : Table
        As they are in the file.
    rule_base : RuleBase
        The rules.
    inputs : ndarray of shape (n_rows, n_inputs)
        As the rules take them, NaN where there is a gap.
    """

    table: Table
    rule_base: RuleBase
    inputs: Floats

    @cached_property
    def gaps(self) -> npt.NDArray[np.bool_]:
        """Which inputs that the rules use are missing."""
        return np.asarray(np.isnan(self.inputs) & self.rule_base.uses)

    @cached_property
    def complete(self) -> npt.NDArray[np.bool_]:
        """Which rows can be predicted."""
        known = [] if self.rule_base.gaps is None else list(self.rule_base.gaps.inputs)
        return np.asarray(~np.delete(self.gaps, known, axis=1).any(axis=1))

    def observed(self, place: int) -> float | None:
        """Return the target of a row, where the table has it."""
        name = self.rule_base.target_name
        if name not in self.table.frame.columns:
            return None
        value = pd.to_numeric(self.table.frame[name].iloc[[place]], errors="coerce").to_numpy(
            np.float64, na_value=np.nan
        )
        return float(value[0]) if math.isfinite(value[0]) else None

    def lacking(self, place: int) -> list[str]:
        """Name the columns in which a row has no value that the rules can use."""
        columns = [self.rule_base.variables[j].column for j in np.flatnonzero(self.gaps[place])]
        return list(dict.fromkeys(columns))

    def what_is_missing(self) -> list[str]:
        """Say, column by column, in how many rows there is no value, or a category that is not known."""
        told: dict[str, str] = {}
        for j in np.flatnonzero(self.gaps.any(axis=0)):
            variable = self.rule_base.variables[j]
            values = self.table.frame[variable.column]
            unknown = [] if variable.source is None else variable.source.unknown(values)
            rows = counted(int(self.gaps[:, j].sum()), "row")
            also = f" (not known: {_listed(unknown)})" if unknown else ""
            told.setdefault(variable.column, f"{variable.column!r} in {rows}{also}")
        return list(told.values())

    def unknown(self, places: list[int]) -> list[str]:
        """Say, column by column, which categories of some rows the model does not know."""
        used = [one for one, uses in zip(self.rule_base.variables, self.rule_base.uses, strict=True) if uses]
        by_column = {
            one.column: one.source.unknown(self.table.frame[one.column].iloc[places])
            for one in used
            if one.source is not None
        }
        return [
            f"{column!r}: the model does not know {_listed(texts)}, which counts as missing"
            for column, texts in by_column.items()
            if texts
        ]

    def said(self) -> str:
        """Say what became of rows with gaps; nothing where there are none."""
        if not self.gaps.any():
            return ""
        listed = "; ".join(self.what_is_missing())
        if self.complete.all():
            missing = "missing or not known" if "not known: " in listed else "missing"
            return f"{missing}, and estimated from the rest of the row: {listed}"
        n_without = int((~self.complete).sum())
        return f"{n_without} of {counted(len(self.inputs), 'row')} cannot be predicted, for what is missing: {listed}"


def rows_for(model: Model, data: str, options: ReadOptions) -> NewRows:
    """Read a table and find the columns of a model in it."""
    table = read_new_rows(data, options)
    renamed = named_by_order(model, table.frame)
    if renamed is not None:
        say(f"{table.name}: columns are taken by their order, since the model was learned without names")
        table = Table(table.name, renamed, file=table.file)
    used = {one.column: one for one, uses in zip(model.rule_base.variables, model.rule_base.uses, strict=True) if uses}
    table.refuse_doubts([name for name, one in used.items() if one.levels is None])
    for note in table.notes(without=table.frame.columns):
        say(f"{table.name}: {note}")
    try:
        return NewRows(table, model.rule_base, model.rule_base.numbers_of(_bounded(table.frame, model.rule_base)))
    except UnfitValue as error:
        place = f"{table.name}, row {error.row + 1}"
        if table.file is not None:
            place = table.file.origin.at(error.row, error.column)
        raise ValueError(f"{place}: the value {error.problem}") from None
    except ValueError as error:
        raise ValueError(f"{table.name}: {str(error).rstrip('.')}") from None


def _bounded(frame: pd.DataFrame, rule_base: RuleBase) -> pd.DataFrame:
    """Return a table in which infinite numbers are missing, as they are where rules are learned from a file."""
    names = {one.column for one in rule_base.variables if one.levels is None} & set(frame.columns)
    floats = [name for name in frame.columns if name in names and pd.api.types.is_float_dtype(frame[name].dtype)]
    bounded = frame.copy()
    for name in floats:
        bounded[name] = bounded_numbers(frame[name])
    return bounded


def _listed(texts: list[str]) -> str:
    more = f" and {len(texts) - _VALUES_SHOWN} more" if len(texts) > _VALUES_SHOWN else ""
    return quote_names(texts[:_VALUES_SHOWN]) + more


def write_predictions(
    model_file: Path,
    data: str,
    options: ReadOptions,
    output: str,
    *,
    keep: bool = False,
    as_json: bool = False,
    interval: float | None = None,
) -> None:
    """Do what ``fruler predict`` does."""
    if output != STDOUT:
        check_destination(Path(output), [model_file, *([] if data == STDIN else [data])])
    model = read_any_model(model_file)
    if interval is not None:
        _check_interval(model, interval)
    rows = rows_for(model, data, options)
    columns = {name: np.full(len(rows.inputs), np.nan) for name in (COLUMN, *(() if interval is None else _ENDS))}
    known = rows.complete
    if known.any():
        columns[COLUMN][known] = model.rule_base.predict(rows.inputs[known])
        if interval is not None:
            ends = model.rule_base.predict_interval(rows.inputs[known], interval)
            for name, values in zip(_ENDS, ends, strict=False):
                columns[name][known] = values
    write_output(output, _json(model, columns) if as_json else _csv(rows.table, columns, keep))
    for said in (rows.said(), said_of_outside(rows.rule_base, rows.inputs)):
        if said:
            say(said)


def _check_interval(model: Model, interval: float) -> None:
    """Refuse a coverage that the model cannot give before any row is read."""
    if model.rule_base.intervals is None:
        raise ValueError(
            "--interval: the model knows no errors on held-out rows, which intervals are made of; "
            "learn it again with fruler fit --calibration 0.2"
        )
    try:
        model.rule_base.intervals.score(interval)
    except ValueError as error:
        raise ValueError(f"--interval: {str(error).rstrip('.')}") from None


def _csv(table: Table, columns: dict[str, Floats], keep: bool) -> str:
    frame = pd.DataFrame(columns)
    if keep:
        for name in columns:
            if name in table.frame.columns:
                raise ValueError(f"{table.name} has a column {name!r} already; rename it, or predict without --keep")
        frame = table.frame.assign(**columns)
    # Where a missing prediction is all there is to a line, pandas writes quotes: readers skip empty lines.
    text = io.StringIO()
    frame.to_csv(text, index=False, lineterminator="\n")
    return text.getvalue()


def _json(model: Model, columns: dict[str, Floats]) -> str:
    lists = {
        "predictions" if name == COLUMN else name: [None if math.isnan(value) else value for value in values.tolist()]
        for name, values in columns.items()
    }
    return as_json({"target": model.rule_base.target_name, **lists})
