"""The options of the commands: names, types, defaults and help, as fields of one class per command."""

# ruff: noqa: RUF009  # the functions return fields
from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from fruler._wording import either
from fruler.estimators.registry import DEFAULT, algorithm_names
from fruler.export import TARGETS
from fruler.export._sql_dialects import DIALECTS

if TYPE_CHECKING:
    from fruler.data._file_content import ReadOptions

# The key of the metadata for typer in a field.
TYPER = "typer"


def _argument(metavar: str, help: str, default: Any = ...) -> Any:
    return field(default=default, metadata={TYPER: typer.Argument(default, metavar=metavar, help=help)})


def _option(metavar: str | None, help: str, default: Any = None, *names: str, **settings: Any) -> Any:
    told = typer.Option(default, *names, metavar=metavar, help=help, **settings)
    return field(default=default, metadata={TYPER: told})


def _repeated(metavar: str, help: str) -> Any:
    told = typer.Option([], metavar=metavar, help=f"{help}; may be repeated.")
    return field(default_factory=list, metadata={TYPER: told})


def _flag(name: str, help: str) -> Any:
    return _option(None, help, False, name)


def _model() -> Any:
    return _argument("MODEL", "A model file from fruler fit --model, or a YAML file of FROG.")


def _data() -> Any:
    return _argument("DATA", "A table: CSV, Excel, JSON lines, Parquet, ARFF or KEEL; - for standard input.")


def _tables() -> Any:
    help = "A table: CSV, Excel, JSON lines, Parquet, ARFF or KEEL; - for standard input. Or a folder or several files "
    return _argument("DATA...", help + "of Parquet or CSV.")


def _max_memory() -> Any:
    help = "Read Parquet and CSV files of more megabytes than this in batches, and use about as much memory."
    return _option("MB", help, 512.0)


def _output() -> Any:
    return _option("FILE", "File to write; - for standard output.", "-", "--output", "-o")


def _json() -> Any:
    return _flag("--json", "Print one JSON document instead of text.")


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """The options for reading a table."""

    format: str | None = _option(
        "F", "Format of DATA: csv, tsv, xlsx, jsonl, parquet, arff or keel; by default, its suffix decides."
    )
    sep: str | None = _option("C", "Separator of values: one character, or tab; recognised by default.")
    decimal: str | None = _option("C", "Decimal mark: . or , ; recognised by default.")
    thousands: str | None = _option("C", "Separator of thousands: , or . or ' or a space; recognised by default.")
    na_values: list[str] = _repeated("TEXT", "Text that marks a missing value")
    sheet: str | None = _option("NAME", "Name or number of an Excel sheet; the first by default.")

    @property
    def reading(self) -> ReadOptions:
        """The options for the reader of tables."""
        from fruler.data._file_content import ReadOptions

        marks = tuple(self.na_values)
        return ReadOptions(self.format, self.sep, self.decimal, self.thousands, marks, self.sheet)


@dataclass(frozen=True, kw_only=True)
class JsonTableOptions(TableOptions):
    """The options for reading a table and writing JSON."""

    json: bool = _json()


@dataclass(frozen=True, kw_only=True)
class DemoOptions:
    """The options of ``fruler demo``."""

    table: Path | None = _option(None, "Only write the table of the demo, as CSV, to try the other commands with.")


@dataclass(frozen=True, kw_only=True)
class FitOptions(JsonTableOptions):
    """The options of ``fruler fit``."""

    data: list[str] = _tables()
    max_memory: float = _max_memory()
    target: str | None = _option("NAME", "The column to predict; a KEEL file names its own.")
    model: Path | None = _option("FILE", "Save the model to this file (JSON).")
    report: Path | None = _option("FILE", "Write a report to this file (HTML).")
    drop: list[str] = _repeated("NAME", "A column to leave out")
    group: str | None = _option("NAME", "Rows with the same value of this column are held out together; not an input.")
    time: str | None = _option("NAME", "The column with the order of rows: errors are measured on later rows.")
    category: list[str] = _repeated("NAME", "A column of numbers that are codes of categories")
    unit: list[str] = _repeated("NAME=UNIT", "The unit of a column, such as size=m²")
    label: list[str] = _repeated("NAME:LABEL=NEW", "A new name for a label, such as age:low=young")
    increasing: list[str] = _repeated("NAME", "Predictions never fall as this column rises")
    decreasing: list[str] = _repeated("NAME", "Predictions never rise as this column rises")
    interactions: list[str] = _repeated("NAMES", "Columns that may interact, such as size,age")
    loss: str = _option("NAME", "What is minimised, such as poisson for counts, or quantile.", "squared_error")
    quantile: float | None = _option("SHARE", "The quantile to predict with --loss quantile, such as 0.9.")
    power: float | None = _option("P", "The power of the variance with --loss tweedie, from 1 to 3.")
    max_rules: int | None = _option("N", "Maximum number of rules.", min=1)
    max_terms: int | None = _option("N", "Maximum number of slopes and lines of curves.", min=0)
    time_limit: float | None = _option("SECONDS", "Stop learning after this time; no limit by default.")
    seed: int = _option("N", "The same seed gives the same rules.", 0, min=0, max=2**32 - 1)
    jobs: int = _option("N", "Number of threads; -1 for one per processor.", 1)
    calibration: float | None = _option(
        "SHARE", "Hold out this share of the rows for prediction intervals, such as 0.2."
    )
    extrapolation: str = _option(
        "HOW", "How to predict outside the training data: linear, or clip to their range.", "linear"
    )
    link: str = _option("NAME", "Output of the rules: the target (identity), or its logarithm (log).", "identity")
    bounds: str | None = _option(
        "LOW,HIGH", 'Smallest and largest possible target, such as 0,100; "0," for a lower bound only.'
    )
    algorithm: str = _option("NAME", f"The algorithm: {', '.join(algorithm_names())}.", DEFAULT)
    keep_sums: bool = _flag("--keep-sums", "Keep sums over the rows in the model, for fruler refit --update.")
    checkpoint: Path | None = _option("FOLDER", "Save the search in this folder; the same command resumes it.")
    no_test: bool = _flag("--no-test", "Skip the comparison with simpler models on held-out rows.")
    test_last: str | None = _option("N", "Also test on the last rows, such as 20% or 100, with rules from the others.")


def check_effort(options: FitOptions | ReportOptions) -> None:
    """Raise an error if the number of threads or the time limit is not valid."""
    if options.jobs < 1 and options.jobs != -1:
        raise ValueError(f"--jobs must be at least 1, or -1 for all processors; got {options.jobs}")
    if options.time_limit is not None and not 0.0 < options.time_limit < math.inf:
        raise ValueError(f"--time-limit must be a number of seconds above 0; got {options.time_limit:g}")


@dataclass(frozen=True, kw_only=True)
class PredictOptions(JsonTableOptions):
    """The options of ``fruler predict``."""

    model: Path = _model()
    data: list[str] = _tables()
    output: str = _option("FILE", "File to write, CSV or .parquet; - for standard output.", "-", "--output", "-o")
    max_memory: float = _max_memory()
    keep: bool = _flag("--keep", "Also write the columns of DATA.")
    interval: float | None = _option("SHARE", "Add an interval that covers this share of rows, such as 0.9.")


@dataclass(frozen=True, kw_only=True)
class ExplainOptions(JsonTableOptions):
    """The options of ``fruler explain``."""

    model: Path = _model()
    data: str = _data()
    row: int | None = _option("N", "Explain only this row; the first is 1.", min=1)
    rows: int = _option("N", "Explain this number of rows.", 5, min=1)


def _edited_model() -> Any:
    return _option("FILE", "The model file to write.", ..., "--output", "-o")


@dataclass(frozen=True, kw_only=True)
class EditOptions(TableOptions):
    """The options of ``fruler edit``."""

    model: Path = _model()
    output: Path = _edited_model()
    data: str | None = _option("TABLE", "Fit all other numbers to these rows; without it they stay as they are.")
    drop: list[str] = _repeated("NAME[@RULE]", "An input to drop from a rule, or from all rules")
    slope: list[str] = _repeated("NAME[@RULE]=VALUE", "A slope to fix, in a rule or in all rules, such as rain@2=0.3")
    split: list[str] = _repeated("NAME:AT=TO", "A split point to move, such as rain:303=250")
    flat: list[str] = _repeated("NAME=LOW,HIGH", "Flat ends of a curve, such as rain=,300 for above 300 only")
    amount: list[str] = _repeated(
        "NAME:CATEGORY=VALUE", "The amount of a category to fix; soil:peat/clay=-0.5 fixes it against clay"
    )
    level: list[str] = _repeated("RULE=VALUE", "The level of a rule to fix, at the means of its rows")
    label: list[str] = _repeated("NAME:LABEL=NEW", "A new name for a label, such as age:low=young")
    by: str = _option("NAME", "Who makes the change; saved with the model.", "")


@dataclass(frozen=True, kw_only=True)
class RefitOptions(TableOptions):
    """The options of ``fruler refit``."""

    model: Path = _model()
    data: str = _data()
    output: Path = _edited_model()
    update: bool = _flag("--update", "Add the rows to the earlier ones, whose sums the model keeps.")
    keep_sums: bool = _flag("--keep-sums", "Keep sums over the rows in the model, for fruler refit --update.")
    by: str = _option("NAME", "Who refits the model; saved with the model.", "")


@dataclass(frozen=True, kw_only=True)
class RulesOptions:
    """The options of ``fruler rules``."""

    model: Path = _model()
    sort: str = _option("ORDER", "weight (largest first), output (lowest first), or file (as in the file).", "file")
    only: list[str] = _repeated("NAME", "Only rules that use this input")
    table: bool | None = _option(
        None, "Rules as columns of a table, or one below the other; the shorter by default.", None, "--table/--no-table"
    )
    markdown: bool = _flag("--markdown", "Print Markdown.")
    latex: bool = _flag("--latex", "Print LaTeX.")
    json: bool = _json()
    output: str = _output()


@dataclass(frozen=True, kw_only=True)
class ReportOptions(TableOptions):
    """The options of ``fruler report``."""

    model: Path = _model()
    data: str | None = _argument("DATA", "A table to show the model on; - for standard input.", None)
    output: Path = _option("FILE", "File to write.", Path("report.html"), "--output", "-o")
    title: str | None = _option("TEXT", "Title of the page.")
    stability: int | None = _option(
        "N", "Fit again on N samples of DATA, the training rows, and show which rules come back.", min=2
    )
    jobs: int = _option("N", "Number of threads of --stability; -1 for one per processor.", 1)
    time_limit: float | None = _option("SECONDS", "Stop --stability after this time; no limit by default.")


@dataclass(frozen=True, kw_only=True)
class ExportOptions:
    """The options of ``fruler export``."""

    model: Path = _model()
    to: str = _option("KIND", f"{either(TARGETS)}.", ...)
    output: str = _output()
    gaps: bool | None = _option(
        None,
        "Whether sql and onnx fill in missing values. By default onnx does; sql does in columns with missing values "
        "in the training table.",
        None,
        "--gaps/--no-gaps",
    )
    dialect: str | None = _option("NAME", f"The SQL to write: {either([*DIALECTS])}; ansi by default.")
    dbt: bool = _flag("--dbt", "Write a dbt model, and beside it a YAML file that describes it.")
    table: str | None = _option(
        "NAME", "The table that the sql query reads, data by default; with --dbt a model, or SOURCE.TABLE."
    )
    keep: list[str] = _repeated("NAME", "A column of the table to keep in the result of sql")
    prediction: str | None = _option("NAME", "The column of predictions in the result of sql.")
    interval: float | None = _option(
        "SHARE", "Add prediction intervals with this coverage (onnx, pmml, python, c, js, sql and xlsx)."
    )
    rows: int | None = _option("N", "The number of rows that an xlsx workbook is prepared for; 200 by default.")
    types: bool = _flag("--types", "Write the types of js (a .d.ts file) instead of the module.")


@dataclass(frozen=True, kw_only=True)
class BenchChoices:
    """The options of ``fruler bench``."""

    data: Path | None = _option(None, "Folder of the data sets, each a folder of KEEL files.", envvar="FRULER_KEEL")
    sets: str | None = _option(None, "Data sets, separated by commas; the paper's 28 by default.")
    seeds: int = _option(None, "Number of seeds.", 6)
    folds: str = _option(None, "Number of folds, or a list such as 1,2.", "5")
    methods: str = _option(None, "Algorithms of fruler, separated by commas, or all or none.", DEFAULT)
    peers: str = _option(None, "Methods of other packages, separated by commas, or all or none.", "none")
    preprocessing: bool | None = _option(
        None, "Also measure instance selection and discretization; by default with any method."
    )
    jobs: int = _option(None, "Number of runs at a time.", 1)
    dask: str | None = _option(None, "Address of a Dask scheduler to run on.")
    limit: float = _option(None, "Maximum seconds of a run.", 600.0)
    max_evaluations: int | None = _option(None, "Maximum number of evaluations of fruler's algorithms.")
    retry: bool = _flag("--retry", "Repeat runs that failed or took too long.")
    tables_only: bool = _flag("--tables-only", "Only write the tables again.")
    verify: int | None = _option(
        None, "Repeat this number of recorded runs, drawn at random, and compare; exit code 1 if they differ."
    )
    draw: int = _option(None, "Seed of the draw of --verify.", 0)
    out: Path | None = _option(
        None,
        "Folder of the results; runs with results are not repeated. "
        "By default results, with --verify benchmarks/results.",
    )
