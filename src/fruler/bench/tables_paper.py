"""The paper's Tables 2, 3, 4 and 9 with our figures beside its own."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from fruler.bench.lines import PREPROCESSING
from fruler.bench.marks import absence, mark, notes_on, status_of
from fruler.bench.measurements import Measured, geometric_mean
from fruler.bench.paper import paper_tables
from fruler.bench.rendering import NONE, Cell, Column, Table, fixed, significant
from fruler.bench.systems import (
    PAPER_SYSTEMS,
    in_units,
    order_sets,
    paper_figures,
    set_label,
    title_of,
)

RUNS_NOTE = "Means are over the runs there are; the table of errors has their number."
FIGURES = ("rules", "error")
# Columns of the paper's times and their decimals.
PAPER_TIMES = (("selection", 0), ("discretization", 2), ("run", 0), ("evaluations", 0))


def selection_table(measured: Measured) -> Table | None:
    """Table 2: what instance selection leaves out, what that costs, and how long it takes."""
    figures = [
        ("reduction %", "reduction", "is_reduction_pct", 1, 1),
        ("error increase", "increase", "is_error_increase", 3, 3),
        ("seconds", "selection_s", "is_time_s", 3, 0),
    ]
    title = "Table 2: instance selection (increase: of the nearest-neighbour error, as a factor)"
    return _preprocessing_table(measured, "table2", title, figures)


def discretization_table(measured: Measured) -> Table | None:
    """Table 3: into how many labels the inputs are cut."""
    figures = [
        ("average", "average", "disc_avg_granularity", 2, 2),
        ("max", "largest", "disc_max_granularity", 1, 1),
        ("not used", "unused", "disc_not_used", 1, 1),
        ("seconds", "discretization_s", "disc_time_s", 3, 2),
    ]
    return _preprocessing_table(measured, "table3", "Table 3: granularities found by the discretization", figures)


def _preprocessing_table(
    measured: Measured, name: str, title: str, figures: list[tuple[str, str, str, int, int]]
) -> Table | None:
    """Tabulate figures: heading, name in a line, name in the paper's tables, decimals of ours and of the paper's."""
    runs = measured.of(PREPROCESSING)
    if runs.empty:
        return None
    sets = order_sets(set(runs["set"]))
    frame = pd.DataFrame({"set": sets})
    printed = paper_tables().reindex(sets)
    columns = [Column("set")]
    for heading, ours, paper, *_ in figures:
        found = measured.describe(PREPROCESSING, ours).reindex(sets)
        frame[ours], frame[f"{ours}_sd"] = found["mean"].to_numpy(), found["sd"].to_numpy()
        frame[f"paper_{ours}"] = printed[paper].to_numpy(dtype=float)
        columns += [Column("ours", heading), Column("paper", heading)]
    counts = runs.groupby("set").size().reindex(sets)
    frame["runs"] = counts.to_numpy()
    rows = []
    for row in frame.to_dict("records"):
        cells = [Cell(row["set"])]
        for _, ours, _, places, printed_places in figures:
            cells += [Cell(fixed(row[ours], places)), Cell(fixed(row[f"paper_{ours}"], printed_places))]
        rows.append([*cells, Cell(str(row["runs"]))])
    return Table(name, title, frame, [*columns, Column("runs")], rows)


def results_table(measured: Measured) -> Table | None:
    """Table 4: rules and test error of the paper's four systems, ours and the peers."""
    methods = measured.methods
    if not methods:
        return None
    sets = measured.sets
    ruled = [method for method in methods if not measured.means(method, "rules").empty]
    described = {
        (method, figure): measured.describe(method, figure).reindex(sets)
        for method in methods
        for figure in ("rules", "error")
    }
    frame = _results_frame(measured, sets, described)
    shown = {
        **{
            (system, figure): paper_figures(figure)[system].reindex(sets)
            for system in PAPER_SYSTEMS
            for figure in FIGURES
        },
        **{key: found["mean"] for key, found in described.items() if key[1] == "error" or key[0] in ruled},
    }
    shown = {key: shown[key] for system in (*PAPER_SYSTEMS, *methods) for key in _both(system) if key in shown}
    columns = [Column("set"), *(Column(figure, title_of(system)) for system, figure in shown)]
    rows = [[Cell(set_label(name)), *_results_cells(measured, name, shown)] for name in sets]
    notes = [
        "Errors are half the mean squared error on the test rows; the lowest of a row and the fewest rules are bold.",
        "The first four systems are as the paper prints them. " + RUNS_NOTE,
        *notes_on(measured, methods, sets),
    ]
    return Table("table4", "Table 4: number of rules and test error", frame, columns, rows, notes)


def _both(system: str) -> list[tuple[str, str]]:
    return [(system, figure) for figure in FIGURES]


def _results_frame(measured: Measured, sets: list[str], described: dict[tuple[str, str], pd.DataFrame]) -> pd.DataFrame:
    """Return the figures and their standard deviations, one row per set."""
    columns: dict[str, object] = {"set": sets}
    for figure in FIGURES:
        printed = paper_figures(figure).reindex(sets)
        columns |= {f"{system}_{figure}": printed[system].to_numpy() for system in PAPER_SYSTEMS}
    for method in measured.methods:
        for figure in FIGURES:
            found = described[method, figure]
            columns[f"{method}_{figure}"] = found["mean"].to_numpy()
            columns[f"{method}_{figure}_sd"] = found["sd"].to_numpy()
        columns[f"{method}_runs"] = described[method, "error"]["runs"].fillna(0).astype(int).to_numpy()
        columns[f"{method}_status"] = [status_of(measured, method, name) for name in sets]
    return pd.DataFrame(columns)


def _results_cells(measured: Measured, name: str, shown: dict[tuple[str, str], pd.Series]) -> list[Cell]:
    """Return a row of Table 4, the best figures bold."""
    texts: dict[tuple[str, str], str] = {}
    values: dict[tuple[str, str], float] = {}
    for (system, figure), column in shown.items():
        value = float(column[name])
        if np.isfinite(value):
            values[system, figure] = value
            texts[system, figure] = _result_text(system, name, figure, value)
    best = {
        figure: min((value for (_, kind), value in values.items() if kind == figure), default=np.nan)
        for figure in FIGURES
    }
    cells = []
    for system, figure in shown:
        if (system, figure) in values:
            text = texts[system, figure] + mark(measured, system, name)
            cells.append(Cell(text, values[system, figure] == best[figure]))
        else:
            cells.append(Cell(absence(measured, system, name)))
    return cells


def _result_text(system: str, name: str, figure: str, value: float) -> str:
    if figure == "rules":
        return fixed(value, 1)
    # The paper's figures as it prints them; it never has more than six digits.
    return f"{in_units(name, value):.6g}" if system in PAPER_SYSTEMS else significant(in_units(name, value))


def time_table(measured: Measured) -> Table | None:
    """Table 9: seconds by stage and number of evaluations, beside the paper's."""
    algorithms = [algorithm for algorithm in measured.ours if not measured.means(algorithm, "seconds").empty]
    if not algorithms:
        return None
    sets = order_sets({name for algorithm in algorithms for name in measured.of(algorithm)["set"]})
    stages = {
        "selection": "selection_seconds",
        "discretization": "discretization_seconds",
        "search": "search_seconds",
        "total": "seconds",
        "evaluations": "evaluations",
    }
    printed = paper_tables().reindex(sets)[["is_time_s", "disc_time_s", "fruler_run_s", "fruler_evaluations"]]
    frame = pd.DataFrame({"set": sets})
    for column, name in zip(("selection", "discretization", "run", "evaluations"), printed.columns, strict=True):
        frame[f"paper_{column}"] = printed[name].to_numpy(dtype=float)
    columns = [
        Column("set"),
        *(Column(name, "paper") for name in ("selection", "discretization", "run", "evaluations")),
    ]
    for algorithm in algorithms:
        for stage, figure in stages.items():
            frame[f"{algorithm}_{stage}"] = measured.means(algorithm, figure).reindex(sets).to_numpy()
        frame[f"{algorithm}_ratio"] = frame["paper_run"] / frame[f"{algorithm}_total"]
        frame[f"{algorithm}_evaluations_ratio"] = frame[f"{algorithm}_evaluations"] / frame["paper_evaluations"]
        columns += [Column(name, title_of(algorithm)) for name in (*stages, "times faster", "evaluations, share")]
    rows = [_time_cells(measured, row, algorithms, list(stages)) for row in frame.to_dict("records")]
    rows.append(_time_means(measured, frame, algorithms, len(stages)))
    notes = [
        "Seconds of a fit, one thread. Times faster: the paper's run time over our total; its run time is without the "
        "selection (which alone took longer on some sets), ours is all that a fit does, so that the factor is a lower "
        "bound for the machines used. A dash: that way of learning has no such stage.",
        "Evaluations, share: of the paper's number. Geometric means are over full runs, not capped ones.",
        *notes_on(measured, algorithms, sets),
    ]
    return Table("table9", "Table 9: time by stage and number of evaluations", frame, columns, rows, notes)


def _time_cells(measured: Measured, row: dict[Hashable, Any], algorithms: list[str], stages: list[str]) -> list[Cell]:
    name = str(row["set"])
    cells = [Cell(name), *(Cell(fixed(row[f"paper_{column}"], places)) for column, places in PAPER_TIMES)]
    for algorithm in algorithms:
        sign = mark(measured, algorithm, name)
        for stage in stages:
            value = row[f"{algorithm}_{stage}"]
            text = fixed(value, 0) if stage == "evaluations" else significant(value, 3)
            cells.append(Cell(text if text == NONE else text + sign))
        ratios = (significant(row[f"{algorithm}_ratio"], 3), fixed(row[f"{algorithm}_evaluations_ratio"], 2))
        cells += [Cell(text if text == NONE else text + sign) for text in ratios]
    return cells


def _time_means(measured: Measured, frame: pd.DataFrame, algorithms: list[str], stages: int) -> list[Cell]:
    """Return the last row: means over the sets with full runs."""
    cells = [Cell("geometric mean"), *([Cell("")] * len(PAPER_TIMES))]
    for algorithm in algorithms:
        full = frame[[(algorithm, name) not in measured.capped for name in frame["set"]]]
        cells += [Cell("")] * stages
        cells += [
            Cell(significant(geometric_mean(full[f"{algorithm}_ratio"]), 3)),
            Cell(fixed(geometric_mean(full[f"{algorithm}_evaluations_ratio"]), 2)),
        ]
    return cells
