"""What a finished search found as a document and arrays, and back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy.typing as npt
import pandas as pd

from fruler.learning.algorithm import Arrays
from fruler.learning.checkpoint.values import checked_count, checked_number, checked_rows, damaged
from fruler.learning.learned import FrontPoint, Learned
from fruler.learning.training_table import TrainingTable
from fruler.rules.json.checked import Checked
from fruler.rules.json.rule_base import rule_base_from_json, rule_base_to_json
from fruler.rules.json.truth import truth_from_json, truth_to_json


def pack_learned(learned: Learned) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return what `unpack_learned` makes it of."""
    document = {
        "front": [_point_to_json(point) for point in learned.front],
        "chosen": learned.chosen,
        "n_evaluations": learned.n_evaluations,
        "seconds": learned.seconds,
        "history": [str(name) for name in learned.history],
    }
    arrays = {f"history {name}": learned.history[name].to_numpy() for name in learned.history}
    return document, arrays | {"sample_indices": learned.sample_indices}


def unpack_learned(document: Mapping[str, Any], arrays: Arrays) -> Learned:
    """Return the findings that a document and arrays say.

    Raises
    ------
    KeyError, TypeError, ValueError
        If they are damaged.
    """
    front = tuple(_point_from_json(point) for point in document["front"])
    sizes = [point.rule_base.n_rules for point in front]
    if sizes != sorted(set(sizes)):
        raise ValueError("the models are not of increasing sizes")
    chosen = checked_count(document, "chosen")
    if chosen >= len(front):
        raise ValueError("the model that was chosen is not there")
    history = {str(name): _column(arrays[f"history {name}"]) for name in document["history"]}
    rows = checked_rows(arrays["sample_indices"])
    if rows is None:
        raise ValueError("no rows")
    seconds = {str(stage): checked_number(document["seconds"], stage) for stage in document["seconds"]}
    return Learned(front, chosen, checked_count(document, "n_evaluations"), pd.DataFrame(history), rows, seconds)


def check_learned(learned: Learned, table: TrainingTable) -> None:
    """Refuse findings on another table, as those of a damaged checkpoint are.

    Raises
    ------
    ValueError
        If they are.
    """
    if any(point.rule_base.names != tuple(table.names) for point in learned.front):
        raise damaged("its rules are on other inputs")
    if learned.sample_indices[-1] >= table.n_rows:
        raise damaged("it has selected rows that are none of this table")


def _column(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if values.ndim != 1 or values.dtype.kind not in "if":
        raise ValueError("the history has a column that is none")
    return values


def _point_to_json(point: FrontPoint) -> dict[str, Any]:
    truth = None if point.truth is None else truth_to_json(point.truth)
    return vars(point) | {"rule_base": rule_base_to_json(point.rule_base), "truth": truth}


def _point_from_json(point: Mapping[str, Any]) -> FrontPoint:
    rule_base = rule_base_from_json(Checked(point["rule_base"], "the rule base"))
    truth = point.get("truth")
    truth = None if truth is None else truth_from_json(Checked(truth, "the truth"))
    if truth is not None and len(truth.rule_alone) != rule_base.n_rules:
        raise ValueError("the truth is that of other rules")
    cv_error = point["cv_error"]
    return FrontPoint(
        rule_base,
        checked_number(point, "criterion"),
        checked_number(point, "error"),
        # The only one that may be unknown.
        math.nan if isinstance(cv_error, float) and math.isnan(cv_error) else checked_number(point, "cv_error"),
        checked_number(point, "regularization"),
        checked_count(point, "n_uncovered"),
        truth,
    )
