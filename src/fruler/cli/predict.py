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
from fruler.cli.input import STDIN, Table, named_by_order, read_new_rows
from fruler.cli.output import STDOUT, as_json, check_destination, write_output
from fruler.data.options import ReadOptions
from fruler.model_file.file import Model, read_model
from fruler.rules.rule_base import RuleBase

COLUMN = "prediction"
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
            also = f" (unknown: {quote_names(unknown[:_VALUES_SHOWN])})" if unknown else ""
            told.setdefault(variable.column, f"{variable.column!r} in {rows}{also}")
        return list(told.values())

    def said(self) -> str:
        """Say what became of rows with gaps; nothing where there are none."""
        if not self.gaps.any():
            return ""
        listed = "; ".join(self.what_is_missing())
        if self.complete.all():
            return f"missing, and estimated from the rest of the row: {listed}"
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
        return NewRows(table, model.rule_base, model.rule_base.numbers_of(table.frame))
    except ValueError as error:
        raise ValueError(f"{table.name}: {str(error).rstrip('.')}") from None


def write_predictions(
    model_file: Path, data: str, options: ReadOptions, output: str, *, keep: bool = False, as_json: bool = False
) -> None:
    """Do what ``fruler predict`` does."""
    if output != STDOUT:
        check_destination(Path(output), [model_file, *([] if data == STDIN else [data])])
    model = read_model(model_file)
    rows = rows_for(model, data, options)
    predictions = np.full(len(rows.inputs), np.nan)
    if rows.complete.any():
        predictions[rows.complete] = model.rule_base.predict(rows.inputs[rows.complete])
    write_output(output, _json(model, predictions) if as_json else _csv(rows.table, predictions, keep))
    if said := rows.said():
        say(said)


def _csv(table: Table, predictions: npt.NDArray[np.float64], keep: bool) -> str:
    frame = pd.DataFrame({COLUMN: predictions})
    if keep:
        if COLUMN in table.frame.columns:
            raise ValueError(f"{table.name} has a column {COLUMN!r} already; rename it, or predict without --keep")
        frame = table.frame.assign(**{COLUMN: predictions})
    # Where a missing prediction is all there is to a line, pandas writes quotes: readers skip empty lines.
    text = io.StringIO()
    frame.to_csv(text, index=False, lineterminator="\n")
    return text.getvalue()


def _json(model: Model, predictions: npt.NDArray[np.float64]) -> str:
    values = [None if math.isnan(value) else value for value in predictions.tolist()]
    return as_json({"target": model.rule_base.target_name, "predictions": values})
