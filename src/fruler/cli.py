"""The command line: parse, call, print. What is heavy is imported by the command that needs it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="fruler",
    help="A handful of readable fuzzy rules for regression.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from fruler import __version__

        typer.echo(f"fruler {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    pass


@app.command()
def bench(
    data: Annotated[
        Path | None, typer.Option(envvar="FRULER_KEEL", help="Folder of the data sets, each a folder of KEEL files.")
    ] = None,
    sets: Annotated[str | None, typer.Option(help="Names, separated by commas; else the paper's 28.")] = None,
    seeds: Annotated[int, typer.Option(help="How many seeds: 0, 1, ...")] = 6,
    folds: Annotated[str, typer.Option(help="How many folds, or which: 1,2")] = "5",
    mode: Annotated[str, typer.Option(help="Our own modes: default, paper, both or none.")] = "default",
    peers: Annotated[str, typer.Option(help="Other methods, separated by commas, or all or none.")] = "none",
    preprocessing: Annotated[
        bool | None, typer.Option(help="Measure instance selection and discretization alone; else with any mode.")
    ] = None,
    jobs: Annotated[int, typer.Option(help="Runs at a time.")] = 1,
    dask: Annotated[str | None, typer.Option(help="Address of a Dask scheduler to run on.")] = None,
    limit: Annotated[float, typer.Option(help="Seconds that a run may take.")] = 600.0,
    max_evaluations: Annotated[int | None, typer.Option(help="Cap on the evaluations of our own modes.")] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Repeat runs that failed or took too long.")] = False,
    tables_only: Annotated[bool, typer.Option("--tables-only", help="Only write the tables again.")] = False,
    out: Annotated[Path, typer.Option(help="Folder of the results; runs that are in it are not repeated.")] = Path(
        "results"
    ),
) -> None:
    """Run the paper's experiment, with other methods beside; repeat the command to go on after an interruption."""
    try:
        from rich.console import Console

        from fruler.bench.command import BenchOptions, run_benchmark

        options = BenchOptions(
            out=out,
            data=data,
            sets=sets,
            seeds=seeds,
            folds=folds,
            mode=mode,
            peers=peers,
            preprocessing=preprocessing,
            jobs=jobs,
            dask=dask,
            limit=limit,
            max_evaluations=max_evaluations,
            retry=retry,
            tables_only=tables_only,
        )
        run_benchmark(options, Console(soft_wrap=True))
    except KeyboardInterrupt:
        typer.echo("stopped; finished runs are kept: repeat the command to go on", err=True)
        raise typer.Exit(130) from None


def main() -> None:
    """Run the command line; what a user can mend is said in one line, with exit code 2."""
    try:
        app()
    except (ValueError, OSError) as error:
        text = str(error)
        if isinstance(error, OSError) and error.strerror:
            # Without the number that Python puts before it.
            text = error.strerror if error.filename is None else f"{str(error.filename)!r}: {error.strerror}"
        typer.echo(f"fruler: {' '.join(text.split())}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
