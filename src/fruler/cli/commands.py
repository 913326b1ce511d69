"""The commands: their arguments, their help, and which function does the work."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fruler.cli.failures import INTERRUPTED, NOT_AS_RECORDED, Commands
from fruler.estimators.registry import DEFAULT, algorithm_names

if TYPE_CHECKING:
    from fruler.data.options import ReadOptions

app = typer.Typer(
    name="fruler",
    cls=Commands,
    help="A handful of readable fuzzy rules for regression.",
    epilog="\b\nBegin with:\n  fruler demo\n  fruler fit data.csv --target price",
    pretty_exceptions_enable=False,
    # Plain help comes in half the time of a coloured one.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)

ModelFile = Annotated[
    Path,
    typer.Argument(metavar="MODEL", help="A model file, made with fruler fit --model, or a YAML file of FROG."),
]
Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA", help="A table: CSV, Excel, JSON lines, Parquet, ARFF or KEEL; - for standard input."
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="F",
        help="Format of DATA: csv, tsv, xlsx, jsonl, parquet, arff or keel; by default, its suffix decides.",
    ),
]
Sep = Annotated[
    str | None,
    typer.Option("--sep", metavar="C", help="Separator of values: one character, or tab; recognised by default."),
]
Decimal = Annotated[
    str | None, typer.Option("--decimal", metavar="C", help="Decimal mark: . or , ; recognised by default.")
]
Thousands = Annotated[
    str | None,
    typer.Option(
        "--thousands", metavar="C", help="Separator of thousands: , or . or ' or a space; recognised by default."
    ),
]
NaValues = Annotated[
    list[str] | None,
    typer.Option("--na-values", metavar="TEXT", help="Text that marks a missing value; may be repeated."),
]
Sheet = Annotated[
    str | None, typer.Option("--sheet", metavar="NAME", help="Name or number of an Excel sheet; the first by default.")
]
Output = Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="File to write; - for standard output.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]


def _examples(*lines: str) -> str:
    return "\b\nExample:\n" + "\n".join(f"  {line}" for line in lines)


def _reading(
    format: str | None,
    sep: str | None,
    decimal: str | None,
    thousands: str | None,
    na_values: list[str] | None,
    sheet: str | None,
) -> ReadOptions:
    from fruler.data.options import ReadOptions

    return ReadOptions(format, sep, decimal, thousands, tuple(na_values or ()), sheet)


def _show_version(wanted: bool) -> None:
    if wanted:
        from fruler import __version__

        typer.echo(f"fruler {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _common(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command(epilog=_examples("fruler demo", "fruler demo --table weather.csv"))
def demo(
    table: Annotated[
        Path | None, typer.Option(help="Only write the table of the demo, as CSV, to try the other commands on.")
    ] = None,
) -> None:
    """Learn rules from bundled weather data and read them."""
    from fruler.cli.demo import show_demo, write_demo_table

    if table is None:
        show_demo()
    else:
        write_demo_table(table)


@app.command(
    epilog=_examples(
        "fruler fit houses.csv --target price",
        "fruler fit houses.csv --target price --model m.json --report r.html",
    )
)
def fit(
    data: Data,
    target: Annotated[
        str | None, typer.Option(metavar="NAME", help="The column to predict; a KEEL file names its own.")
    ] = None,
    model: Annotated[Path | None, typer.Option(metavar="FILE", help="Save the model to this file (JSON).")] = None,
    report: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a report to this file (HTML).")] = None,
    drop: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A column to leave out; may be repeated.")
    ] = None,
    category: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A column of numbers that are codes of categories; may be repeated."),
    ] = None,
    unit: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=UNIT", help="The unit of a column, as in size=m²; may be repeated."),
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME:LABEL=NEW", help="A new name for a label, as in age:low=young; may be repeated."),
    ] = None,
    increasing: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Predictions never fall as this column rises; may be repeated."),
    ] = None,
    decreasing: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Predictions never rise as this column rises; may be repeated."),
    ] = None,
    interactions: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="Columns that may interact, as in size,age; may be repeated."),
    ] = None,
    max_rules: Annotated[int | None, typer.Option(min=1, metavar="N", help="Maximum number of rules.")] = None,
    time_limit: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Stop learning after this time; no limit by default.")
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=2**32 - 1, metavar="N", help="The same seed gives the same rules.")
    ] = 0,
    jobs: Annotated[int, typer.Option(metavar="N", help="Number of threads; -1 for one per processor.")] = 1,
    calibration: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Set aside this share of the rows for prediction intervals, as in 0.2."),
    ] = None,
    extrapolation: Annotated[
        str,
        typer.Option(metavar="HOW", help="How to predict outside the training data: linear, or clip to their range."),
    ] = "linear",
    link: Annotated[
        str, typer.Option(metavar="NAME", help="What rules say: the target (identity), or its logarithm (log).")
    ] = "identity",
    bounds: Annotated[
        str | None,
        typer.Option(
            metavar="LOW,HIGH", help='Smallest and largest possible target, as in 0,100; "0," for a lower bound only.'
        ),
    ] = None,
    algorithm: Annotated[
        str, typer.Option(metavar="NAME", help=f"The algorithm: {', '.join(algorithm_names())}.")
    ] = DEFAULT,
    checkpoint: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Save the search in this folder; the same command resumes it."),
    ] = None,
    no_test: Annotated[bool, typer.Option("--no-test", help="Skip the test on a fifth of the rows, held out.")] = False,
    test_last: Annotated[
        str | None,
        typer.Option(metavar="N", help="Test on the last rows, as in 20% or 100, for tables in order of time."),
    ] = None,
    format: Format = None,
    sep: Sep = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    na_values: NaValues = None,
    sheet: Sheet = None,
    json: AsJson = False,
) -> None:
    """Learn rules from a table, print them, and measure their error."""
    from fruler.cli.fit import FitOptions, learn_rules

    learn_rules(
        FitOptions(
            data=data,
            reading=_reading(format, sep, decimal, thousands, na_values, sheet),
            target=target,
            model=model,
            report=report,
            drop=tuple(drop or ()),
            categories=tuple(category or ()),
            units=tuple(unit or ()),
            labels=tuple(label or ()),
            increasing=tuple(increasing or ()),
            decreasing=tuple(decreasing or ()),
            interactions=tuple(interactions or ()),
            max_rules=max_rules,
            time_limit=time_limit,
            seed=seed,
            jobs=jobs,
            calibration=calibration,
            extrapolation=extrapolation,
            link=link,
            bounds=bounds,
            algorithm=algorithm,
            checkpoint=checkpoint,
            test=not no_test,
            test_last=test_last,
            json=json,
        )
    )


@app.command(
    epilog=_examples(
        "fruler predict m.json new.csv -o out.csv",
        "fruler predict m.json - --keep < new.csv | head",
    )
)
def predict(
    model: ModelFile,
    data: Data,
    output: Output = "-",
    keep: Annotated[bool, typer.Option("--keep", help="Write the columns of DATA, too.")] = False,
    interval: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Add an interval that covers this share of rows, as in 0.9."),
    ] = None,
    format: Format = None,
    sep: Sep = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    na_values: NaValues = None,
    sheet: Sheet = None,
    json: AsJson = False,
) -> None:
    """Predict each row of a table: a header, then one line per row.

    Columns are found by their names; others are ignored. A missing value, and a category that the model does
    not know, is estimated from the rest of its row. Standard error says how many such values there are, and how many
    rows lie outside the training data. With --interval there are two more columns, lower and upper.
    """
    from fruler.cli.predict import write_predictions

    reading = _reading(format, sep, decimal, thousands, na_values, sheet)
    write_predictions(model, data, reading, output, keep=keep, as_json=json, interval=interval)


@app.command(epilog=_examples("fruler explain m.json new.csv --row 3"))
def explain(
    model: ModelFile,
    data: Data,
    row: Annotated[int | None, typer.Option(min=1, metavar="N", help="Explain only this row; the first is 1.")] = None,
    rows: Annotated[int, typer.Option(min=1, metavar="N", help="Explain this number of rows.")] = 5,
    format: Format = None,
    sep: Sep = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    na_values: NaValues = None,
    sheet: Sheet = None,
    json: AsJson = False,
) -> None:
    """Explain why rows are predicted as they are.

    For each row: what each input adds to the mean prediction, and which rules fired, with their weights.
    """
    from fruler.cli.explain import explain_table

    reading = _reading(format, sep, decimal, thousands, na_values, sheet)
    explain_table(model, data, reading, row=row, rows=rows, as_json=json)


@app.command(
    epilog=_examples(
        "fruler rules m.json --sort weight --only age",
        "fruler rules m.json --markdown -o rules.md",
    )
)
def rules(
    model: ModelFile,
    sort: Annotated[
        str,
        typer.Option(metavar="ORDER", help="weight (largest first), output (lowest first), or file (as in the file)."),
    ] = "file",
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only rules that use this input; may be repeated."),
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX.")] = False,
    json: AsJson = False,
    output: Output = "-",
) -> None:
    """Print the rules of a model.

    A rule keeps its number, whatever the order.
    """
    from fruler.cli.views import write_rules

    styles = [name for name, on in (("markdown", markdown), ("latex", latex), ("json", json)) if on]
    write_rules(model, styles, output, sort=sort, only=only or ())


@app.command(
    epilog=_examples("fruler report m.json houses.csv -o r.html", "fruler report m.json houses.csv --stability 20")
)
def report(
    model: ModelFile,
    data: Annotated[
        str | None, typer.Argument(metavar="DATA", help="A table to show the model on; - for standard input.")
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="File to write.")] = Path(
        "report.html"
    ),
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="Title of the page.")] = None,
    stability: Annotated[
        int | None,
        typer.Option(
            min=2,
            metavar="N",
            help="Learn again from N parts of DATA, the training rows, and show which rules come back.",
        ),
    ] = None,
    jobs: Annotated[
        int, typer.Option(metavar="N", help="Number of threads of --stability; -1 for one per processor.")
    ] = 1,
    time_limit: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Stop --stability after this time; no limit by default.")
    ] = None,
    format: Format = None,
    sep: Sep = None,
    decimal: Decimal = None,
    thousands: Thousands = None,
    na_values: NaValues = None,
    sheet: Sheet = None,
) -> None:
    """Write a page (HTML) that shows a model.

    With DATA it also shows how well the rules fit these rows. With --stability the model is learned again from
    parts of DATA, which must be the table that it was learned from; the page then says how often each split and each
    rule came back.
    """
    from fruler.cli.stability import RefitOptions
    from fruler.cli.views import write_page

    reading = _reading(format, sep, decimal, thousands, na_values, sheet)
    write_page(model, data, reading, output, title, RefitOptions(stability, jobs, time_limit))


@app.command(
    epilog=_examples(
        "fruler export m.json --to python -o model.py",
        "fruler export m.json --to sql --table houses --keep id",
    )
)
def export(
    model: ModelFile,
    to: Annotated[str, typer.Option(metavar="KIND", help="onnx, fml, python, c, sql, latex or markdown.")],
    output: Output = "-",
    gaps: Annotated[
        bool,
        typer.Option(
            "--gaps/--no-gaps", help="Whether sql and onnx fill in missing values; without it they are shorter."
        ),
    ] = True,
    table: Annotated[
        str | None, typer.Option(metavar="NAME", help="The table that the sql query reads; data by default.")
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A column of the table to keep in the result of sql; may be repeated."),
    ] = None,
    prediction: Annotated[
        str | None, typer.Option(metavar="NAME", help="The column of predictions in the result of sql.")
    ] = None,
    interval: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Add prediction intervals with this coverage (python, c, sql and onnx)."),
    ] = None,
) -> None:
    """Write the rules in another language or format."""
    from fruler.cli.views import write_export

    write_export(model, to, output, gaps=gaps, table=table, keep=keep or (), prediction=prediction, interval=interval)


@app.command(epilog=_examples("fruler bench --data keel --sets friedman,dee --seeds 1"))
def bench(
    data: Annotated[
        Path | None, typer.Option(envvar="FRULER_KEEL", help="Folder of the data sets, each a folder of KEEL files.")
    ] = None,
    sets: Annotated[str | None, typer.Option(help="Data sets, separated by commas; the paper's 28 by default.")] = None,
    seeds: Annotated[int, typer.Option(help="Number of seeds.")] = 6,
    folds: Annotated[str, typer.Option(help="Number of folds, or which: 1,2")] = "5",
    methods: Annotated[str, typer.Option(help="Algorithms of fruler, separated by commas, or all or none.")] = DEFAULT,
    peers: Annotated[
        str, typer.Option(help="Methods of other packages, separated by commas, or all or none.")
    ] = "none",
    preprocessing: Annotated[
        bool | None,
        typer.Option(help="Also measure instance selection and discretization; by default with any method."),
    ] = None,
    jobs: Annotated[int, typer.Option(help="Number of runs at a time.")] = 1,
    dask: Annotated[str | None, typer.Option(help="Address of a Dask scheduler to run on.")] = None,
    limit: Annotated[float, typer.Option(help="Maximum seconds of a run.")] = 600.0,
    max_evaluations: Annotated[
        int | None, typer.Option(help="Maximum number of evaluations of fruler's algorithms.")
    ] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Repeat runs that failed or took too long.")] = False,
    tables_only: Annotated[bool, typer.Option("--tables-only", help="Only write the tables again.")] = False,
    verify: Annotated[
        int | None,
        typer.Option(
            help="Repeat this number of recorded runs, drawn at random, and compare; exit code 1 if they differ."
        ),
    ] = None,
    draw: Annotated[int, typer.Option(help="The seed by which --verify draws.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the results; runs that it has are not repeated. "
            "By default results, with --verify benchmarks/results."
        ),
    ] = None,
) -> None:
    """Run the paper's experiment and compare with other methods.

    Repeat the command to resume after an interruption.
    """
    try:
        if verify is not None:
            from fruler.bench.verification import verify_results

            chosen = None if sets is None else [name.strip() for name in sets.split(",")]
            record = out or Path("benchmarks", "results")
            if not verify_results(record, data, verify, draw_seed=draw, sets=chosen, jobs=jobs, limit=limit):
                raise typer.Exit(NOT_AS_RECORDED)
            return
        from fruler.bench.command import BenchOptions, run_benchmark

        options = BenchOptions(
            out=out or Path("results"),
            data=data,
            sets=sets,
            seeds=seeds,
            folds=folds,
            methods=methods,
            peers=peers,
            preprocessing=preprocessing,
            jobs=jobs,
            dask=dask,
            limit=limit,
            max_evaluations=max_evaluations,
            retry=retry,
            tables_only=tables_only,
        )
        run_benchmark(options)
    except KeyboardInterrupt:
        typer.echo("stopped; finished runs are kept: repeat the command to resume", err=True)
        raise typer.Exit(INTERRUPTED) from None
