"""From the lines of a benchmark to its tables."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pandas as pd

from fruler.bench.measured import Measured, measure
from fruler.bench.rendering import Table
from fruler.bench.summary import summary_table
from fruler.bench.systems import PREPROCESSING
from fruler.bench.tables_models import complexity_table, errors_table, failures_table
from fruler.bench.tables_paper import discretization_table, results_table, selection_table, time_table
from fruler.bench.tables_statistics import ranking_table, wilcoxon_table

STATUSES = ("ok", "failed", "timeout", "missing")
TEXTS = ("method", "settings", "set", "status", "message", "version")
WHOLE_NUMBERS = ("fold", "seed")
FIGURES = (
    *("error", "train_error", "rules", "coefficients", "conditions", "inputs", "rows", "seconds", "predict_seconds"),
    *("evaluations", "regularization", "selection_seconds", "discretization_seconds", "evolution_seconds"),
    *("possible_coefficients", "uncovered"),
    *("reduction", "increase", "thinned", "selection_s", "average", "largest", "unused", "discretization_s"),
)

# In the order in which the page shows them.
TABLES = {
    "summary": summary_table,
    "table4": results_table,
    "errors": errors_table,
    "ranking_error": lambda measured: ranking_table(measured, "error"),
    "ranking_rules": lambda measured: ranking_table(measured, "rules"),
    "wilcoxon_error": lambda measured: wilcoxon_table(measured, "error"),
    "wilcoxon_rules": lambda measured: wilcoxon_table(measured, "rules"),
    "complexity": complexity_table,
    "table9": time_table,
    "table2": selection_table,
    "table3": discretization_table,
    "failures": failures_table,
}


def build_tables(measured: Measured) -> list[Table]:
    """Return every table for which there are runs."""
    tables = (build(measured) for build in TABLES.values())
    return [table for table in tables if table is not None]


def read_runs(path: Path) -> pd.DataFrame:
    """Read the lines of a benchmark: a row a line, in their order, and a column for every figure that a line can have.

    A last line that was not written to its end is left out. A run whose error is not a finite number counts as failed.

    Raises
    ------
    ValueError
        If the file is missing, or a line is not what the benchmark writes; with the number of that line.
    """
    if not path.is_file():
        raise ValueError(f"There are no results yet: {path} does not exist.")
    *whole, last = path.read_bytes().split(b"\n")
    if _is_json(last):
        whole.append(last)
    records = []
    for number, line in enumerate(whole, start=1):
        if line.strip():
            try:
                records.append(_record(line))
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: {error}") from None
    frame = pd.DataFrame(records, columns=[*TEXTS, *WHOLE_NUMBERS, *FIGURES])
    return frame.astype(
        dict.fromkeys(TEXTS, object) | dict.fromkeys(WHOLE_NUMBERS, int) | dict.fromkeys(FIGURES, float)
    )


def read_measured(path: Path) -> Measured:
    """Read the lines of a benchmark and average them."""
    return measure(read_runs(path))


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def _record(line: bytes) -> dict[str, Any]:
    """Return what a line says, its figures as numbers."""
    try:
        record = json.loads(line)
    except ValueError:
        raise ValueError("this is not JSON; a line of results was expected.") from None
    if not isinstance(record, dict):
        raise ValueError("a JSON object was expected.")
    if record.get("seed") is None:
        # What draws nothing at random may leave it out.
        record["seed"] = 0
    for name in ("method", "set", "status", *WHOLE_NUMBERS):
        kind = int if name in WHOLE_NUMBERS else str
        if not isinstance(record.get(name), kind):
            raise ValueError(f"{name!r} is missing or of the wrong kind: {record.get(name)!r}.")
    if record["status"] not in STATUSES:
        raise ValueError(f"unknown status {record['status']!r}; it is one of {', '.join(STATUSES)}.")
    for name in FIGURES:
        value = record.get(name)
        if value is not None and not isinstance(value, int | float):
            raise ValueError(f"{name!r} must be a number, not {value!r}.")
    if record["status"] == "ok" and record["method"] != PREPROCESSING:
        error = record.get("error")
        if error is None or not math.isfinite(error):
            record |= {"status": "failed", "message": "the test error is not a finite number", "error": None}
    return record
