"""``fruler predict``: a table in, a prediction a row out."""

from __future__ import annotations

import io
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from fruler._wording import counted
from fruler.cli.failures import say
from fruler.cli.input import STDIN, Table, named_by_order, open_model, read_new_rows
from fruler.cli.output import STDOUT, as_json, check_destination, write_output
from fruler.data.options import ReadOptions
from fruler.model_file.file import Model
from fruler.rules.rule_base import RuleBase
from fruler.table.encoding import Column, TableEncoding

COLUMN = "prediction"


@dataclass(frozen=True, eq=False)
class NewRows:
    """Rows for a model.

    Attributes
    ----------
    table : Table
        As they are in the file.
    inputs : DataFrame
        As the model takes them, NaN where it cannot.
    complete : ndarray of bool
        Which rows it can predict.
    encoding : TableEncoding
        From the one to the other, of the columns that matter.
    """

    table: Table
    inputs: pd.DataFrame
    complete: npt.NDArray[np.bool_]
    encoding: TableEncoding

    def why_incomplete(self) -> str:
        """Say why some rows cannot be predicted."""
        n_rows, n_without = len(self.complete), int((~self.complete).sum())
        reasons = "; ".join(self.encoding.gaps(self.table.frame))
        return f"{n_without} of {counted(n_rows, 'row')} cannot be predicted: {reasons}"


def rows_for(model: Model, data: str, options: ReadOptions) -> NewRows:
    """Read a table and find the columns of a model in it.

    A column that no rule uses changes no prediction: it may be missing, and have gaps.
    """
    assert model.encoding is not None
    table = read_new_rows(data, options)
    renamed = named_by_order(model, table.frame)
    if renamed is not None:
        say(f"{table.name}: columns are taken by their order, since the model was learned without names")
        table = Table(table.name, renamed, file=table.file)
    needed, others = _by_use(model.rule_base, model.encoding)
    numbers = [column.name for column in needed.columns if column.categories is None]
    table.refuse_doubts(numbers)
    for note in table.notes(without=table.frame.columns):
        say(f"{table.name}: {note}")
    try:
        inputs = needed.apply(table.frame)
    except ValueError as error:
        raise ValueError(f"{table.name}: {error}") from None
    complete = np.asarray(inputs.notna().to_numpy().all(axis=1))
    for column in others:
        inputs = inputs.join(_unused_inputs(column, table.frame, model.rule_base))
    return NewRows(table, inputs, complete, needed)


def _by_use(rule_base: RuleBase, encoding: TableEncoding) -> tuple[TableEncoding, list[Column]]:
    """Part the columns into those that a rule uses and the others."""
    used = {variable.name for variable, uses in zip(rule_base.variables, rule_base.uses, strict=True) if uses}
    needed = tuple(column for column in encoding.columns if used & {*column.input_names})
    return TableEncoding(needed), [column for column in encoding.columns if column not in needed]


def _unused_inputs(column: Column, frame: pd.DataFrame, rule_base: RuleBase) -> pd.DataFrame:
    """Return the inputs of a column, typical values where it has none that could be used."""
    names = list(rule_base.names)
    training = rule_base.training
    typical = {name: 0.0 if training is None else training.typical[names.index(name)] for name in column.input_names}
    try:
        return TableEncoding((column,)).apply(frame).fillna(typical)
    except ValueError:
        return pd.DataFrame(typical, index=frame.index)


def write_predictions(
    model_file: Path, data: str, options: ReadOptions, output: str, *, keep: bool = False, as_json: bool = False
) -> None:
    """Do what ``fruler predict`` does."""
    if output != STDOUT:
        check_destination(Path(output), [model_file, *([] if data == STDIN else [data])])
    model = open_model(model_file)
    rows = rows_for(model, data, options)
    predictions = np.full(len(rows.inputs), np.nan)
    if rows.complete.any():
        predictions[rows.complete] = model.rule_base.predict(rows.inputs[rows.complete])
    write_output(output, _json(model, predictions) if as_json else _csv(rows.table, predictions, keep))
    if not rows.complete.all():
        say(rows.why_incomplete())


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
