"""The error on held-out rows in the target's own units, where the growth has seen what stands for the target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fruler._typing import Floats, Indices
from fruler.learning.learned import FrontPoint
from fruler.learning.training_table import TrainingTable
from fruler.rules.intervals import HeldOutErrors
from fruler.table.rows import Rows


def in_units(
    point: FrontPoint, table: TrainingTable, inputs: Indices, rows: Sequence[Rows], missed: Sequence[HeldOutErrors]
) -> FrontPoint:
    """Return a model with its error on held-out rows in the target's own units, and within its bounds.

    Parameters
    ----------
    point : FrontPoint
        The model, with the error of what the rules say.
    table : TrainingTable
        What it was learned from.
    inputs : ndarray of int
        The inputs of the rows.
    rows : sequence of Rows
        The rows that each fold held out, standardised.
    missed : sequence of HeldOutErrors
        What the models of the folds miss them by.
    """
    output = table.output
    if output.is_plain:
        return point
    scale = table.target_scale
    wanted = np.concatenate([part.y for part in rows]) * scale.spread + scale.centre
    said = wanted - np.concatenate([fold.errors for fold in missed])
    held_out = _half_mse(output.of(wanted) - output.of(said), rows)
    if not output.transform.keeps_units:
        # A few rows make the error of a skewed target, and may be in folds that were not needed. So it is the error
        # on all training rows, and by how much it is larger on held-out rows than that of the model on the same rows.
        model = replace(point.rule_base, output=output)
        fitted = _half_mse(output.of(wanted) - model.predict(_in_data_units(table, inputs, rows)), rows)
        return replace(point, cv_error=table.half_mse(model) + max(held_out - fitted, 0.0))
    # Bounds make errors smaller; what the strongest rule says alone is bounded, too.
    share = float(np.sqrt(held_out / point.cv_error)) if point.cv_error > 0.0 else 1.0
    return replace(point, cv_error=held_out, truth=None if point.truth is None else point.truth.scaled(share))


def _in_data_units(table: TrainingTable, inputs: Indices, rows: Sequence[Rows]) -> Floats:
    """Return the inputs of rows; of those that were left out, which no rule uses, their means."""
    columns = np.concatenate([part.columns for part in rows], axis=1)
    values = np.tile(table.scale.centre, (columns.shape[1], 1))
    values[:, inputs] += columns.T * table.scale.spread[inputs]
    return values


def _half_mse(errors: Floats, rows: Sequence[Rows]) -> float:
    weight = np.concatenate([part.weight for part in rows])
    return float(np.average(np.square(errors), weights=weight)) / 2.0
