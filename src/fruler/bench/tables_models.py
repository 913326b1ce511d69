"""What the paper lacks: errors with their spread, the size of the models, and the runs that did not finish."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from fruler.bench.lines import PREPROCESSING
from fruler.bench.marks import absence, mark, notes_on, status_of
from fruler.bench.measurements import Measured, geometric_mean
from fruler.bench.rendering import NONE, Cell, Column, Table, fixed, significant, with_spread
from fruler.bench.systems import in_units, own_systems, paper_figures, set_label, title_of

SIZES_NOTE = (
    "What is counted as a rule: a leaf of a tree, a term of an EBM, each leaf of all trees of LightGBM and a random "
    "forest; linear models have one."
)


def errors_table(measured: Measured) -> Table | None:
    """Return the test errors of every method: mean, standard deviation, runs, and ratio to the paper's FRULER."""
    methods, sets = measured.methods, measured.sets
    if not methods:
        return None
    printed = paper_figures("error")["paper_fruler"].reindex(sets)
    parts = []
    for method in methods:
        part = measured.describe(method, "error").reindex(sets)
        part["published"] = printed
        part["ratio"] = part["mean"] / printed
        part["status"] = [status_of(measured, method, name) for name in sets]
        parts.append(part.rename_axis("set").reset_index().assign(method=method))
    names = ["set", "method", "mean", "sd", "runs", "folds", "published", "ratio", "status"]
    frame = pd.concat(parts, ignore_index=True)[names].astype({"runs": "Int64", "folds": "Int64"})
    columns = [Column("set"), Column("error", title_of("paper_fruler"))]
    columns += [Column(heading, title_of(method)) for method in methods for heading in ("error", "ratio", "runs")]
    by_set = {key: part.set_index("set") for key, part in zip(methods, parts, strict=True)}
    rows = []
    for name in sets:
        row = [Cell(set_label(name)), Cell(_as_in_the_paper(in_units(name, printed[name])))]
        for method in methods:
            row += _error_cells(measured, method, name, by_set[method].loc[name].to_dict())
        rows.append(row)
    means = [[Cell(""), Cell(significant(geometric_mean(by_set[m]["ratio"]), 3)), Cell("")] for m in methods]
    rows.append([Cell("geometric mean"), Cell(""), *(cell for three in means for cell in three)])
    notes = [
        "Error: half the mean squared error on the test rows, and its standard deviation over folds and seeds. "
        "Ratio: to the error that the paper prints for FRULER. A geometric mean is over the sets that a method has: "
        "compare two methods by the table of comparisons.",
        *notes_on(measured, methods, sets),
    ]
    return Table("errors", "Test errors", frame, columns, rows, notes)


def _as_in_the_paper(value: float) -> str:
    return f"{value:.6g}" if np.isfinite(value) else NONE


def _error_cells(measured: Measured, method: str, name: str, figures: dict[Hashable, Any]) -> list[Cell]:
    if np.isnan(figures["mean"]):
        return [Cell(absence(measured, method, name)), Cell(NONE), Cell("0")]
    mean, spread = (significant(in_units(name, figures[key]), digits) for key, digits in (("mean", 4), ("sd", 2)))
    text = with_spread(mean, spread) + mark(measured, method, name)
    return [Cell(text), Cell(significant(figures["ratio"], 3)), Cell(fixed(figures["runs"], 0))]


def complexity_table(measured: Measured) -> Table | None:
    """Return how much there is to read: rules, coefficients that are not zero, conditions of a rule."""
    sized = measured.runs.dropna(subset=["rules"])
    methods = [method for method in measured.methods if (sized["method"] == method).any()]
    sets = [name for name in measured.sets if (sized.loc[sized["method"] != PREPROCESSING, "set"] == name).any()]
    if not methods:
        return None
    parts = [_complexity(measured, method, sets) for method in methods]
    frame = pd.concat([part.assign(method=m).reset_index() for m, part in zip(methods, parts, strict=True)])
    frame.insert(1, "method", frame.pop("method"))
    printed = paper_figures("rules")["paper_fruler"].reindex(sets)
    frame["published_rules"] = printed.reindex(frame["set"]).to_numpy()
    headings = ("rules", "coefficients", "share %", "conditions")
    columns = [
        Column("set"),
        Column("rules", title_of("paper_fruler")),
        *(Column(name, title_of(method)) for method in methods for name in headings),
    ]
    rows = []
    for name in sets:
        row = [Cell(name), Cell(fixed(printed[name], 1))]
        for method, part in zip(methods, parts, strict=True):
            figures = part.drop(columns="runs").loc[name].to_dict()
            sign = mark(measured, method, name)
            for key, scale, places in (
                ("rules", 1, 1),
                ("coefficients", 1, 1),
                ("share", 100, 0),
                ("conditions", 1, 2),
            ):
                mean, spread = (fixed(scale * figures[f"{key}{end}"], places) for end in ("", "_sd"))
                row.append(Cell(mean if mean == NONE else with_spread(mean, spread) + sign))
        rows.append(row)
    notes = [
        "Means and standard deviations over folds and seeds. Coefficients: slopes that are not zero; share: of all "
        "slopes, an input a rule; conditions: inputs that a rule's antecedent asks about.",
        *([SIZES_NOTE] if set(methods) - set(own_systems()) else []),
        *notes_on(measured, methods, sets),
    ]
    return Table("complexity", "Size of the models", frame.reset_index(drop=True), columns, rows, notes)


def share_of_coefficients(runs: pd.DataFrame) -> pd.Series:
    """Return the share of slopes that are not zero, by run."""
    possible = runs["possible_coefficients"].fillna(runs["rules"] * runs["inputs"])
    return runs["coefficients"] / possible.where(possible > 0)


def _complexity(measured: Measured, method: str, sets: list[str]) -> pd.DataFrame:
    """Return the figures of a method, one row per set."""
    runs = measured.of(method)
    runs = runs.assign(share=share_of_coefficients(runs))
    names = ["rules", "coefficients", "share", "conditions"]
    folds = runs.groupby(["set", "fold"])[names].mean().groupby("set").mean()
    found = folds.join(runs.groupby("set")[names].std().add_suffix("_sd")).reindex(sets).rename_axis("set")
    return found.assign(runs=runs.groupby("set").size().reindex(sets).astype("Int64"))


def failures_table(measured: Measured) -> Table | None:
    """Return the runs that failed, took too long, or whose package is missing: one row per method, set and reason."""
    lines = measured.lines[measured.lines["status"] != "ok"]
    if lines.empty:
        return None
    keys = ["method", "set", "status", "message"]
    groups = lines.assign(message=lines["message"].fillna("")).groupby(keys, sort=False)
    frame = groups.agg(
        runs=("fold", "size"),
        folds=("fold", lambda folds: " ".join(str(fold) for fold in sorted(set(folds)))),
        seeds=("seed", lambda seeds: " ".join(str(seed) for seed in sorted(set(seeds)))),
    ).reset_index()
    columns = [Column(name) for name in ("method", "set", "status", "message", "runs", "folds", "seeds")]
    rows = [
        [Cell(title_of(row["method"])), *(Cell(str(row[column.name])) for column in columns[1:])]
        for row in frame.to_dict("records")
    ]
    return Table("failures", "Runs that did not finish", frame, columns, rows, labels=4)
