"""Tables of results, written as CSV, Markdown, LaTeX and HTML.

The tables here are the paper's Tables 2, 3, 4 and 9 with our results added, and tables that the paper lacks: errors
with their standard deviations, the size of the models, and the runs that did not finish.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby, product

import numpy as np
import pandas as pd

from fruler.bench._measurements import SEVERITY, Measurements, geometric_mean
from fruler.bench._methods import own_systems, title_of
from fruler.bench._results import PREPROCESSING
from fruler.bench.paper import PAPER_SYSTEMS, in_paper_units, order_sets, paper_results, paper_tables, set_label
from fruler.export.latex import escaped, table_lines

NONE = "–"
CAPPED_NOTE = "† Runs with a limit on the number of evaluations, in place of full runs."
PARTIAL_NOTE = "‡ Some runs did not finish; the mean is over those that did (see the table of failures)."
_SIZES_NOTE = (
    "Counted as rules: the leaves of a tree, the terms of an EBM, the leaves of all trees of LightGBM and of a random "
    "forest; linear models have one."
)
_BOLD = re.compile(r"\*\*(.+?)\*\*")

# The texts of each column by group and heading; columns of one group are next to each other, below its name.
Shown = dict[tuple[str, str], list[str]]


@dataclass(frozen=True)
class ResultTable:
    """A table: numbers for programs and text for readers.

    Attributes
    ----------
    name : str
        The name of its files.
    title : str
        The title, one line.
    frame : DataFrame
        The numbers at full precision.
    shown : mapping from (group, heading) to list of str
        The columns for readers. Text between double asterisks is bold.
    notes : sequence of str
        Explanations for the reader.
    labels : int
        The number of columns that name a row; the others are right-aligned.
    """

    name: str
    title: str
    frame: pd.DataFrame
    shown: Mapping[tuple[str, str], Sequence[str]]
    notes: Sequence[str] = ()
    labels: int = 1

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The texts row by row."""
        return list(zip(*self.shown.values(), strict=True))

    def to_csv(self) -> str:
        """Return the numbers at full precision; missing ones are empty."""
        return self.frame.to_csv(index=False, lineterminator="\n")

    def to_markdown(self) -> str:
        """Return the table in Markdown, with its title and notes."""
        heads = [f"{group}: {name}" if group else name for group, name in self.shown]
        rule = [":--" if position < self.labels else "--:" for position in range(len(heads))]
        escaped = [[text.replace("|", "\\|") for text in row] for row in [heads, *self.rows]]
        lines = [f"| {' | '.join(row)} |" for row in [escaped[0], rule, *escaped[1:]]]
        return "\n\n".join([f"**{self.title}**", "\n".join(lines), *self.notes]) + "\n"

    def to_latex(self) -> str:
        """Return the table and its notes in LaTeX, for a document with booktabs."""
        heads = [escaped(name) for _, name in self.shown]
        bodies = [[_BOLD.sub(r"\\textbf{\1}", escaped(text)) for text in row] for row in self.rows]
        lines = [" & ".join(heads) + r" \\"]
        groups = [(group, len(list(columns))) for group, columns in groupby(group for group, _ in self.shown)]
        if any(group for group, _ in groups):
            spans = [f"\\multicolumn{{{size}}}{{c}}{{{escaped(group)}}}" for group, size in groups]
            lines.insert(0, " & ".join(spans) + r" \\")
        kinds = "l" * self.labels + "r" * (len(heads) - self.labels)
        notes = [f"\n{escaped(note)}" for note in self.notes]
        return "\n".join([f"% {self.title}", *table_lines(kinds, lines, bodies), *notes]) + "\n"

    def to_html(self) -> str:
        """Return the table in HTML, without title and notes."""
        grouped = any(group for group, _ in self.shown)
        frame = pd.DataFrame({key if grouped else key[1]: texts for key, texts in self.shown.items()})
        with pd.option_context("display.max_colwidth", None):
            return _BOLD.sub(r"<b>\1</b>", frame.to_html(index=False, border=0, justify="right"))


def significant(value: float, digits: int = 4) -> str:
    """Return a number with some significant digits, without an exponent if that is readable.

    Examples
    --------
    >>> [significant(value) for value in (0.0123456, 3.7265, 305777.4, 1.5e-8, float("nan"))]
    ['0.01235', '3.727', '305777', '1.500e-08', '–']
    """
    if not math.isfinite(value):
        return NONE
    if value == 0:
        return "0"
    if not 1e-4 <= abs(value) < 1e7:
        return f"{value:.{digits - 1}e}"
    return f"{value:.{max(0, digits - 1 - math.floor(math.log10(abs(value))))}f}"


def with_decimals(value: float, decimals: int) -> str:
    """Return a number with some decimals; a dash for NaN."""
    return f"{value:.{decimals}f}" if math.isfinite(value) else NONE


def _with_spread(means: Iterable[str], spreads: Iterable[str]) -> list[str]:
    """Join means and their standard deviations, if there are any."""
    pairs = zip(means, spreads, strict=True)
    return [mean if NONE in (mean, spread) else f"{mean} ± {spread}" for mean, spread in pairs]


def mark(measured: Measurements, system: str, name: str) -> str:
    """Return the marks after a result: † for capped runs, ‡ if some runs did not finish."""
    partial_runs = measured.status(system, name) == "partial"
    return ("†" if (system, name) in measured.capped else "") + ("‡" if partial_runs else "")


def _marked(
    measured: Measurements, system: str, sets: Sequence[str], texts: Iterable[str], *, with_endings: bool = False
) -> list[str]:
    """Return the texts of a column, one per set, with their marks, and optionally the status of runs without result."""
    found = [(text, name, measured.status(system, name)) for name, text in zip(sets, texts, strict=True)]
    return [
        text + mark(measured, system, name) if text != NONE else ending if with_endings and ending in SEVERITY else NONE
        for text, name, ending in found
    ]


def _statuses(measured: Measurements, method: str, sets: Sequence[str]) -> list[str]:
    """Return the status of a method on each set, in a word or two."""
    return [measured.status(method, name) + (", capped" if (method, name) in measured.capped else "") for name in sets]


def _notes_on_marks(measured: Measurements, methods: list[str], sets: list[str]) -> list[str]:
    """Return explanations of the marks in a table of these methods and sets."""
    signs = "".join(mark(measured, method, name) for method in methods for name in sets)
    return [note for note in (CAPPED_NOTE, PARTIAL_NOTE) if note[0] in signs]


def _error_texts(system: str, errors: pd.Series, digits: int = 4) -> list[str]:
    """Return errors by set in the paper's units; the paper's own errors have the digits that it prints, at most six."""
    scaled = [in_paper_units(str(name), error) for name, error in errors.items()]
    if system in PAPER_SYSTEMS:
        return [f"{error:.6g}" if np.isfinite(error) else NONE for error in scaled]
    return [significant(error, digits) for error in scaled]


# For each table of preprocessing: its title, and for each column its heading, the name of the measure, its name in the
# paper's tables, and the decimals of our results and of the paper's.
_PREPROCESSING_TABLES = {
    "table2": (
        "Table 2: instance selection (increase: of the nearest-neighbour error, as a factor)",
        (
            ("reduction %", "reduction", "is_reduction_pct", 1, 1),
            ("error increase", "increase", "is_error_increase", 3, 3),
            ("seconds", "selection_s", "is_time_s", 3, 0),
        ),
    ),
    "table3": (
        "Table 3: granularities found by the discretization",
        (
            ("average", "average", "disc_avg_granularity", 2, 2),
            ("max", "largest", "disc_max_granularity", 1, 1),
            ("not used", "unused", "disc_not_used", 1, 1),
            ("seconds", "discretization_s", "disc_time_s", 3, 2),
        ),
    ),
}


def preprocessing_table(measured: Measurements, name: str) -> ResultTable | None:
    """Return Table 2, the rows and accuracy lost by instance selection, or Table 3, the number of labels per input."""
    title, columns = _PREPROCESSING_TABLES[name]
    runs = measured.of(PREPROCESSING)
    if runs.empty:
        return None
    sets = order_sets(set(runs["set"]))
    printed = paper_tables().reindex(sets)
    frame = pd.DataFrame({"set": sets})
    shown: Shown = {("", "set"): sets}
    for heading, ours, paper, decimals, printed_decimals in columns:
        found = measured.describe(PREPROCESSING, ours).reindex(sets)
        frame[ours], frame[f"{ours}_sd"] = found["mean"].to_numpy(), found["sd"].to_numpy()
        frame[f"paper_{ours}"] = printed[paper].to_numpy(dtype=float)
        shown[heading, "ours"] = [with_decimals(value, decimals) for value in frame[ours]]
        shown[heading, "paper"] = [with_decimals(value, printed_decimals) for value in frame[f"paper_{ours}"]]
    frame["runs"] = runs.groupby("set").size().reindex(sets).to_numpy()
    shown["", "runs"] = [str(number) for number in frame["runs"]]
    return ResultTable(name, title, frame, shown)


def results_table(measured: Measurements) -> ResultTable | None:
    """Return Table 4: rules and test error of the paper's four systems, ours and the peers."""
    methods, sets = measured.methods, measured.sets
    if not methods:
        return None
    frame = pd.DataFrame(index=pd.Index(sets, name="set"))
    for measure in ("rules", "error"):
        frame = frame.join(paper_results(measure).add_suffix(f"_{measure}"))
    for method in methods:
        for measure in ("rules", "error"):
            found = measured.describe(method, measure).reindex(sets)
            frame[f"{method}_{measure}"], frame[f"{method}_{measure}_sd"] = found["mean"], found["sd"]
        frame[f"{method}_runs"] = found["runs"].fillna(0).astype(int)
        frame[f"{method}_status"] = _statuses(measured, method, sets)
    shown: Shown = {("", "set"): [set_label(name) for name in sets]}
    for system, measure in product((*PAPER_SYSTEMS, *methods), ("rules", "error")):
        values = frame[f"{system}_{measure}"]
        if system in PAPER_SYSTEMS or measure == "error" or values.notna().any():
            best = frame.filter(regex=f"_{measure}$").min(axis=1)
            is_error = measure == "error"
            texts = _error_texts(system, values) if is_error else [with_decimals(value, 1) for value in values]
            texts = _marked(measured, system, sets, texts, with_endings=True)
            is_best = values == best
            shown[title_of(system), measure] = [
                f"**{text}**" if bold else text for text, bold in zip(texts, is_best, strict=True)
            ]
    notes = [
        "Errors are half the mean squared error on the test rows. The lowest error and the fewest rules of a row are "
        "bold.",
        "The results of the first four systems are those printed in the paper. Means are over all finished runs; the "
        "table of errors has their number.",
        *_notes_on_marks(measured, methods, sets),
    ]
    return ResultTable("table4", "Table 4: number of rules and test error", frame.reset_index(), shown, notes)


_in_seconds, _whole = partial(significant, digits=3), partial(with_decimals, decimals=0)
# The columns of Table 9: the heading and format of each. First the paper's, by name in its tables.
_PRINTED_TIMES = {
    "is_time_s": ("selection", 0),
    "disc_time_s": ("discretization", 2),
    "fruler_run_s": ("run", 0),
    "fruler_evaluations": ("evaluations", 0),
}
_OWN_TIMES = {
    "selection": ("selection", _in_seconds),
    "discretization": ("discretization", _in_seconds),
    "search": ("search", _in_seconds),
    "total": ("total", _in_seconds),
    "evaluations": ("evaluations", _whole),
    "ratio": ("times faster", _in_seconds),
    "evaluations_ratio": ("evaluations, share", partial(with_decimals, decimals=2)),
}


def time_table(measured: Measurements) -> ResultTable | None:
    """Return Table 9: seconds by stage and number of evaluations, compared with the paper's."""
    algorithms = [algorithm for algorithm in measured.ours if not measured.means(algorithm, "seconds").empty]
    if not algorithms:
        return None
    sets = order_sets({name for algorithm in algorithms for name in measured.of(algorithm)["set"]})
    frame = pd.DataFrame(index=pd.Index(sets, name="set"))
    shown: Shown = {("", "set"): [*sets, "geometric mean"]}
    for name, (column, decimals) in _PRINTED_TIMES.items():
        frame[f"paper_{column}"] = paper_tables()[name].reindex(sets).astype(float)
        shown["paper", column] = [*(with_decimals(value, decimals) for value in frame[f"paper_{column}"]), ""]
    for algorithm in algorithms:
        own = _times(measured, algorithm, frame)
        is_full = [(algorithm, name) not in measured.capped for name in sets]
        for column, (heading, text) in _OWN_TIMES.items():
            mean = text(geometric_mean(own[column][is_full])) if column.endswith("ratio") else ""
            texts = _marked(measured, algorithm, sets, map(text, own[column]))
            shown[title_of(algorithm), heading] = [*texts, mean]
        frame = frame.join(own.add_prefix(f"{algorithm}_"))
    notes = [
        "Seconds of a fit, one thread. Times faster: the paper's run time divided by our total. Its run time excludes "
        "instance selection (which alone took longer on some sets), ours is that of a whole fit, so the factor is a "
        "lower bound for the machines used. A dash: the algorithm has no such stage.",
        "Evaluations, share: share of the paper's number. Geometric means are over full runs, not capped ones.",
        *_notes_on_marks(measured, algorithms, sets),
    ]
    title = "Table 9: time by stage and number of evaluations"
    return ResultTable("table9", title, frame.reset_index(), shown, notes)


def _times(measured: Measurements, algorithm: str, printed: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of an algorithm in Table 9, by set."""
    measures = {stage: f"{stage}_seconds" for stage in ("selection", "discretization", "search")}
    measures |= {"total": "seconds", "evaluations": "evaluations"}
    times = {column: measured.means(algorithm, measure) for column, measure in measures.items()}
    frame = pd.DataFrame(times).reindex(printed.index)
    return frame.assign(
        ratio=printed["paper_run"] / frame["total"],
        evaluations_ratio=frame["evaluations"] / printed["paper_evaluations"],
    )


def errors_table(measured: Measurements) -> ResultTable | None:
    """Return the test errors of every method: mean, standard deviation, runs, and ratio to the paper's FRULER."""
    methods, sets = measured.methods, measured.sets
    if not methods:
        return None
    printed = paper_results("error")["paper_fruler"].reindex(sets).rename_axis("set")
    shown: Shown = {
        ("", "set"): [*map(set_label, sets), "geometric mean"],
        (title_of("paper_fruler"), "error"): [*_error_texts("paper_fruler", printed), ""],
    }
    parts = []
    for method in methods:
        part = measured.describe(method, "error").reindex(printed.index)
        part = part.assign(published=printed, ratio=part["mean"] / printed, status=_statuses(measured, method, sets))
        parts.append(part.reset_index().assign(method=method))
        texts = _with_spread(_error_texts(method, part["mean"]), _error_texts(method, part["sd"], 2))
        title, ratios = title_of(method), part["ratio"]
        shown[title, "error"] = [*_marked(measured, method, sets, texts, with_endings=True), ""]
        shown[title, "ratio"] = [significant(ratio, 3) for ratio in (*ratios, geometric_mean(ratios))]
        shown[title, "runs"] = [*(f"{number:.0f}" for number in part["runs"].fillna(0)), ""]
    names = ["set", "method", "mean", "sd", "runs", "folds", "published", "ratio", "status"]
    frame = pd.concat(parts, ignore_index=True)[names].astype({"runs": "Int64", "folds": "Int64"})
    notes = [
        "Error: half the mean squared error on the test rows, and its standard deviation over folds and seeds. "
        "Ratio: to the error that the paper prints for FRULER. A geometric mean is over the sets with a result of the "
        "method; to compare two methods, use the table of comparisons.",
        *_notes_on_marks(measured, methods, sets),
    ]
    return ResultTable("errors", "Test errors", frame, shown, notes)


def complexity_table(measured: Measurements) -> ResultTable | None:
    """Return the size of the models: rules, non-zero coefficients, conditions of a rule."""
    sized = measured.runs.dropna(subset=["rules"])
    methods = [method for method in measured.methods if (sized["method"] == method).any()]
    sets = [name for name in measured.sets if (sized["set"] == name).any()]
    if not methods:
        return None
    printed = paper_results("rules")["paper_fruler"].reindex(sets).rename_axis("set")
    shown: Shown = {
        ("", "set"): sets,
        (title_of("paper_fruler"), "rules"): [with_decimals(value, 1) for value in printed],
    }
    # Heading, factor and decimals.
    columns = {
        "rules": ("rules", 1, 1),
        "coefficients": ("coefficients", 1, 1),
        "share": ("share %", 100, 0),
        "conditions": ("conditions", 1, 2),
    }
    parts = []
    for method in methods:
        runs = measured.of(method)
        means = runs.groupby(["set", "fold"])[list(columns)].mean().groupby("set").mean()
        part = means.join(runs.groupby("set")[list(columns)].std().add_suffix("_sd")).reindex(printed.index)
        for name, (heading, factor, decimals) in columns.items():
            both = ([with_decimals(factor * v, decimals) for v in part[key]] for key in (name, f"{name}_sd"))
            shown[title_of(method), heading] = _marked(measured, method, sets, _with_spread(*both))
        part = part.assign(runs=runs.groupby("set").size().astype("Int64"), published_rules=printed).reset_index()
        part.insert(1, "method", method)
        parts.append(part)
    notes = [
        "Means and standard deviations over folds and seeds. Coefficients: non-zero slopes; share: share of all "
        "slopes, one per rule and input; conditions: inputs in the antecedent of a rule.",
        *([_SIZES_NOTE] if set(methods) - set(own_systems()) else []),
        *_notes_on_marks(measured, methods, sets),
    ]
    return ResultTable("complexity", "Size of the models", pd.concat(parts, ignore_index=True), shown, notes)


def failures_table(measured: Measurements) -> ResultTable | None:
    """Return the runs that failed, took too long or lacked a package: one row per method, set and reason."""
    lines = measured.lines[measured.lines["status"] != "ok"]
    if lines.empty:
        return None
    keys = ["method", "set", "status", "message"]
    groups = lines.assign(message=lines["message"].fillna("")).groupby(keys, sort=False)
    frame = groups.agg(
        runs=("fold", "size"),
        folds=("fold", _listed),
        seeds=("seed", _listed),
    ).reset_index()
    shown: Shown = {("", str(column)): frame[column].astype(str).tolist() for column in frame}
    shown["", "method"] = [title_of(method) for method in frame["method"]]
    return ResultTable("failures", "Runs that did not finish", frame, shown, labels=4)


def _listed(numbers: pd.Series) -> str:
    return " ".join(map(str, sorted(set(numbers))))
