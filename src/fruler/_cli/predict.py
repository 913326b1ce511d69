"""``fruler predict`` and ``fruler explain``: predictions for the rows of a table, and their explanations."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from fruler._arrays import Floats
from fruler._cli.failures import said_of, say, without_warnings
from fruler._cli.input import (
    GivenTable,
    joined_name,
    load_any_model,
    load_shown_model,
    named_by_order,
    open_batches,
    read_new_rows,
)
from fruler._cli.options import ExplainOptions, PredictOptions
from fruler._cli.output import STDOUT, as_json, check_destination, show, write_frames, write_output
from fruler._cli.preparation import target_numbers
from fruler._table.sources import UnfitValue
from fruler._wording import counted, quote_names, readable_number, unit_after
from fruler.data._file_content import ReadOptions
from fruler.data._scan import FileScan, read_ahead
from fruler.estimators.base import BaseRuleRegressor
from fruler.explain._story import errors_sentence
from fruler.explain.explanation import Explanation
from fruler.rules._background import outside_training, said_of_outside, said_of_unseen, unseen_by_rules
from fruler.rules._rule_base import RuleBase

COLUMN = "prediction"
_ENDS = ("lower", "upper")
_VALUES_SHOWN = 3


@dataclass(frozen=True, eq=False)
class NewRows:
    """Rows for a model.

    Attributes
    ----------
    table : GivenTable
        The rows as they are in the file.
    model : BaseRuleRegressor
        The model.
    inputs : ndarray of shape (n_rows, n_inputs)
        The inputs of the rules, with NaN for missing values.
    """

    table: GivenTable
    model: BaseRuleRegressor
    inputs: Floats

    @property
    def rule_base(self) -> RuleBase:
        """The rules of the model."""
        return self.model.rule_base_

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The columns of the model; unused columns that are absent or cannot be read are filled with NaN."""
        rules = self.rule_base
        used = {one.column for one, uses in zip(rules.variables, rules.uses, strict=True) if uses}
        empty = {
            one.column for one, values in zip(rules.variables, self.inputs.T, strict=True) if np.isnan(values).all()
        }
        missing = np.full(len(self.inputs), np.nan)
        return pd.DataFrame(
            {name: missing if name in empty - used else self.table.frame[name] for name in rules.columns}
        )

    def predict(self, interval: float | None = None) -> dict[str, Floats]:
        """Return the columns of predictions, with NaN for rows that cannot be predicted."""
        names = (COLUMN, *(() if interval is None else _ENDS))
        columns = {name: np.full(len(self.inputs), np.nan) for name in names}
        if self.complete.any():
            known = self.frame[self.complete]
            with without_warnings():
                ends = () if interval is None else self.model.predict_interval(known, interval)[:2]
                for name, values in zip(names, (self.model.predict(known), *ends), strict=True):
                    columns[name][self.complete] = values
        return columns

    def explain(self, places: Sequence[int]) -> Sequence[Explanation]:
        """Explain some rows."""
        if not places:
            return ()
        with without_warnings():
            return list(self.model.explain(self.frame.iloc[list(places)]))

    @cached_property
    def gaps(self) -> npt.NDArray[np.bool_]:
        """Whether each input is used by the rules and missing, by row."""
        return np.asarray(np.isnan(self.inputs) & self.rule_base.uses)

    @cached_property
    def complete(self) -> npt.NDArray[np.bool_]:
        """Whether each row can be predicted."""
        known = [] if self.rule_base.gaps is None else list(self.rule_base.gaps.inputs)
        return np.asarray(~np.delete(self.gaps, known, axis=1).any(axis=1))

    @cached_property
    def unseen(self) -> npt.NDArray[np.bool_]:
        """Which values lie inside the training data, but not inside what the rules for their row have seen."""
        rules, unseen = self.rule_base, np.zeros(self.inputs.shape, dtype=np.bool_)
        if self.complete.any():
            given = self.inputs[self.complete]
            values = rules.inputs.filled(given)
            unseen[self.complete] = unseen_by_rules(rules, values, rules.inference.activations(values)[0])
        return unseen & ~np.isnan(self.inputs) & ~outside_training(rules, self.inputs)

    def observed(self, place: int) -> float | None:
        """Return the target of a row, if the table has it."""
        name = self.rule_base.target_name
        if name not in self.table.frame.columns:
            return None
        value = pd.to_numeric(self.table.frame[name].iloc[[place]], errors="coerce").to_numpy(
            np.float64, na_value=np.nan
        )
        return float(value[0]) if math.isfinite(value[0]) else None

    def lacking(self, place: int) -> list[str]:
        """Return the columns in which a row lacks a value that the rules use."""
        columns = [self.rule_base.variables[j].column for j in np.flatnonzero(self.gaps[place])]
        return list(dict.fromkeys(columns))

    def what_is_missing(self) -> list[str]:
        """Describe, for each column, the number of rows with missing values or unknown categories."""
        told: dict[str, str] = {}
        for j in np.flatnonzero(self.gaps.any(axis=0)):
            variable = self.rule_base.variables[j]
            values = self.table.frame[variable.column]
            unknown = variable.source.unknown(values)
            rows = counted(int(self.gaps[:, j].sum()), "row")
            also = f" (not known: {_listed(unknown)})" if unknown else ""
            told.setdefault(variable.column, f"{variable.column!r} in {rows}{also}")
        return list(told.values())

    def unknown(self, places: list[int]) -> list[str]:
        """Describe, for each column, the unknown categories in some rows."""
        used = [one for one, uses in zip(self.rule_base.variables, self.rule_base.uses, strict=True) if uses]
        by_column = {one.column: one.source.unknown(self.table.frame[one.column].iloc[places]) for one in used}
        return [
            f"{column!r}: unknown categories count as missing: {_listed(texts)}"
            for column, texts in by_column.items()
            if texts
        ]

    def said(self) -> str:
        """Describe the treatment of rows with gaps; empty if there are none."""
        if not self.gaps.any():
            return ""
        listed = "; ".join(self.what_is_missing())
        if self.complete.all():
            missing = "missing or unknown" if "not known: " in listed else "missing"
            return f"{missing} values, estimated from the rest of the row: {listed}"
        n_without = int((~self.complete).sum())
        return f"{n_without} of {counted(len(self.inputs), 'row')} cannot be predicted because of gaps: {listed}"


def rows_with_target(rows: NewRows, needed: str, left_out: str) -> tuple[pd.DataFrame, Floats, Floats]:
    """Return the rows that have a target and can be predicted, their targets, and the targets of all rows.

    Parameters
    ----------
    rows : NewRows
        The rows.
    needed : str
        For a table without the target: what it is needed for, and what to do.
    left_out : str
        What happens to other rows.

    Raises
    ------
    ValueError
        If no row has a target and can be predicted.
    """
    target, table = rows.rule_base.target_name, rows.table
    if target not in table.frame.columns:
        raise ValueError(f"{table.name} has no column {target!r}, {needed}")
    table.refuse_doubts([target])
    answers = target_numbers(table.frame, target)
    known = rows.complete & np.isfinite(answers)
    if not np.isfinite(answers).any():
        raise ValueError(f"{table.name}: no row has a value of {target!r}; fill it in, or leave out DATA")
    if not known.any():
        raise ValueError(f"{table.name}: no row can be predicted; fill in {'; '.join(rows.what_is_missing())}")
    if not known.all():
        lacks = target if rows.complete.all() else "an input or of " + target
        n_left_out = int((~known).sum())
        verbs = ("lacks", "is") if n_left_out == 1 else ("lack", "are")
        say(f"{n_left_out} of {len(known)} rows {verbs[0]} a value of {lacks} and {verbs[1]} {left_out}")
    return rows.frame[known], answers[known], answers


def rows_for(model: BaseRuleRegressor, data: str, options: ReadOptions) -> NewRows:
    """Read a table and find the columns of a model in it."""
    return rows_in(model, read_new_rows(data, options))


def rows_in(model: BaseRuleRegressor, table: GivenTable) -> NewRows:
    """Find the columns of a model in a table; of a table in batches, only the first says how."""
    renamed = named_by_order(model, table.frame)
    if renamed is not None:
        if table.first == 0:
            say(f"{table.name}: columns are taken in order, since the model was fitted without names")
        table = replace(table, frame=renamed)
    rules = model.rule_base_
    used = {one.column: one for one, uses in zip(rules.variables, rules.uses, strict=True) if uses}
    numbers = [name for name, one in used.items() if one.levels is None and name in table.frame.columns]
    table.refuse_doubts(numbers)
    table.refuse_infinity(numbers)
    for note in table.notes(without=table.frame.columns):
        say(f"{table.name}: {note}")
    try:
        return NewRows(table, model, rules.numbers_of(table.frame))
    except UnfitValue as error:
        raise ValueError(f"{table.place(error.row, error.column)}: the value {error.problem}") from None
    except ValueError as error:
        raise ValueError(f"{table.name}: {str(error).rstrip('.')}") from None


def _listed(texts: list[str]) -> str:
    more = f" and {len(texts) - _VALUES_SHOWN} more" if len(texts) > _VALUES_SHOWN else ""
    return quote_names(texts[:_VALUES_SHOWN]) + more


def write_predictions(options: PredictOptions) -> None:
    """Run ``fruler predict``."""
    check_destination(options.output, options.model, *options.data)
    model = load_any_model(options.model)
    if options.interval is not None:
        _check_interval(model, options.interval)
    scan = open_batches(options.data, options.reading, options.max_memory)
    if scan is not None:
        _predict_in_batches(options, model, scan)
        return
    rows = rows_for(model, options.data[0], options.reading)
    columns = rows.predict(options.interval)
    if options.json:
        write_output(options.output, _json(model, columns))
    else:
        write_frames(options.output, [_predicted(rows.table, columns, options.keep)])
    notes = rows.said(), said_of_outside(rows.rule_base, rows.inputs), said_of_unseen(rows.rule_base, rows.unseen)
    for said in notes:
        if said:
            say(said)


def _check_interval(model: BaseRuleRegressor, interval: float) -> None:
    """Raise an error if the model cannot give intervals of this coverage, before any row is read."""
    intervals = model.rule_base_.intervals
    if intervals is None:
        raise ValueError(
            "--interval: the model has no held-out errors, so it cannot give intervals; "
            "fit it again with fruler fit --calibration 0.2"
        )
    with said_of("--interval"):
        intervals.score(interval)


def _predict_in_batches(options: PredictOptions, model: BaseRuleRegressor, scan: FileScan) -> None:
    """Predict several files, or one that is large; only a few batches are in memory at a time."""
    if options.json:
        raise ValueError("--json needs one table in memory; leave it out, and write CSV or Parquet")
    name, counts = joined_name(options.data), np.zeros(5, dtype=np.int64)

    def predicted() -> Iterator[pd.DataFrame]:
        for batch in read_ahead(scan.batches()):
            rows = rows_in(model, GivenTable(name, batch.to_pandas(), first=int(counts[0])))
            outside = outside_training(rows.rule_base, rows.inputs) & rows.rule_base.uses
            incomplete = rows.gaps.any(axis=1) & rows.complete, ~rows.complete
            told = *incomplete, outside.any(axis=1), rows.unseen.any(axis=1)
            yield _predicted(rows.table, rows.predict(options.interval), options.keep)
            counts[:] += [len(rows.inputs), *(mask.sum() for mask in told)]

    write_frames(options.output, predicted())
    said = (
        "have missing or unknown values, estimated from the rest of the row",
        "cannot be predicted because of gaps",
        "lie outside the training data",
        "have values that the rules for them have not seen",
    )
    for count, what in zip(counts[1:].tolist(), said, strict=True):
        if count:
            say(f"{name}: {count:,} of {counted(int(counts[0]), 'row')} {what}")


def _predicted(table: GivenTable, columns: dict[str, Floats], keep: bool) -> pd.DataFrame:
    """Return the rows to write."""
    if not keep:
        return pd.DataFrame(columns)
    for name in columns:
        if name in table.frame.columns:
            raise ValueError(f"{table.name} already has a column {name!r}; rename it, or predict without --keep")
    return table.frame.assign(**columns)


def _json(model: BaseRuleRegressor, columns: dict[str, Floats]) -> str:
    lists = {
        "predictions" if name == COLUMN else name: [None if math.isnan(value) else value for value in values.tolist()]
        for name, values in columns.items()
    }
    return as_json({"target": model.rule_base_.target_name, **lists})


def explain_table(options: ExplainOptions) -> None:
    """Run ``fruler explain``; rows are counted from 1."""
    model = load_shown_model(options.model)
    found = rows_for(model, options.data, options.reading)
    row = options.row
    n_rows = len(found.inputs)
    if row is not None and row > n_rows:
        raise ValueError(f"--row {row}: {found.table.name} has {counted(n_rows, 'row')}")
    wanted = [row - 1] if row is not None else list(range(min(options.rows, n_rows)))
    known = [place for place in wanted if found.complete[place]]
    for unknown in found.unknown(wanted):
        say(unknown)
    why = dict(zip(known, found.explain(known), strict=True))
    if options.json:
        write_output(STDOUT, as_json([_as_dict(why.get(place), found, place) for place in wanted]))
        return
    show("\n\n".join(_as_text(why.get(place), found, place) for place in wanted))
    if row is None and len(wanted) < n_rows:
        show(f"\n{counted(n_rows - len(wanted), 'more row')}; --rows or --row shows them")
    truth = errors_sentence(model.rule_base_)
    if truth:
        show(f"\n{truth}")


def _as_text(why: Explanation | None, rows: NewRows, place: int) -> str:
    told = f"cannot be predicted: {', '.join(rows.lacking(place))} missing or unknown" if why is None else str(why)
    lines, observed = [f"Row {place + 1}", told], rows.observed(place)
    if observed is not None:
        number = readable_number(observed, 6)
        lines.append(f"  observed: {number} {unit_after(number, rows.rule_base.target_unit)}".rstrip())
    return "\n".join(lines)


def _as_dict(why: Explanation | None, rows: NewRows, place: int) -> dict[str, Any]:
    observed = rows.observed(place)
    own = {"row": place + 1, **({} if observed is None else {"observed": observed})}
    if why is None:
        return {**own, "prediction": None, "lacks": rows.lacking(place)}
    return {**own, **why.to_dict()[0]}
