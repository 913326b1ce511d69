"""The commands, their help, and the functions that do the work."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import asdict, fields
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from fruler._cli.failures import INTERRUPTED, NOT_AS_RECORDED, Commands
from fruler._cli.options import (
    TYPER,
    BenchChoices,
    DemoOptions,
    EditOptions,
    ExplainOptions,
    ExportOptions,
    FitOptions,
    PredictOptions,
    RefitOptions,
    ReportOptions,
    RulesOptions,
)

app = typer.Typer(
    name="fruler",
    cls=Commands,
    help="A handful of readable fuzzy rules for regression.",
    epilog="\b\nBegin with:\n  fruler demo\n  fruler fit data.csv --target price",
    pretty_exceptions_enable=False,
    # Plain help takes half the time of coloured help.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _command(*examples: str) -> Callable[[Callable[[Any], None]], Callable[[Any], None]]:
    """Return a decorator that makes a function a command; the fields of its argument's class become the options."""
    epilog = "\b\nExample:\n" + "\n".join(f"  {line}" for line in examples)

    def register(work: Callable[[Any], None]) -> Callable[[Any], None]:
        kind = get_type_hints(work)["options"]
        types = get_type_hints(kind)
        # Options that several commands share come last.
        own_first = sorted(fields(kind), key=lambda one: one.name not in kind.__annotations__)

        def run(**given: Any) -> None:
            work(kind(**given))

        run.__doc__ = work.__doc__
        run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # typer reads the options from it
            [
                inspect.Parameter(
                    one.name, inspect.Parameter.KEYWORD_ONLY, default=one.metadata[TYPER], annotation=types[one.name]
                )
                for one in own_first
            ]
        )
        app.command(work.__name__, epilog=epilog)(run)
        return work

    return register


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


@_command("fruler demo", "fruler demo --table weather.csv")
def demo(options: DemoOptions) -> None:
    """Learn rules from bundled weather data and read them."""
    from fruler._cli.demo import show_demo, write_demo_table

    if options.table is None:
        show_demo()
    else:
        write_demo_table(options.table)


@_command("fruler fit houses.csv --target price", "fruler fit houses.csv --target price --model m.json --report r.html")
def fit(options: FitOptions) -> None:
    """Learn rules from a table, print them, and measure their error."""
    from fruler._cli.fit import learn_rules

    learn_rules(options)


@_command("fruler predict m.json new.csv -o out.csv", "fruler predict m.json - --keep < new.csv | head")
def predict(options: PredictOptions) -> None:
    """Predict each row of a table: a header, then one line per row.

    Columns are found by name; other columns are ignored. Missing values and unknown categories are estimated
    from the rest of the row. Standard error reports the number of such values, and of rows outside the training data.
    With --interval there are two more columns, lower and upper.
    """
    from fruler._cli.predict import write_predictions

    write_predictions(options)


@_command("fruler explain m.json new.csv --row 3")
def explain(options: ExplainOptions) -> None:
    """Explain the predictions of rows.

    For each row: the contribution of each input to the prediction, and the fired rules with their weights.
    """
    from fruler._cli.predict import explain_table

    explain_table(options)


@_command("fruler edit m.json --drop wind -o n.json", "fruler edit m.json --slope rain@2=0.3 --data d.csv -o n.json")
def edit(options: EditOptions) -> None:
    """Change a model by hand.

    Drop terms, fix numbers, move split points, set curves flat, rename labels. Inputs and rules are named as printed.
    With --data all other numbers are fitted again around the changes.
    """
    from fruler._cli.editing import edit_model

    edit_model(options)


@_command("fruler refit m.json new.csv -o refitted.json", "fruler refit m.json new.csv --update -o updated.json")
def refit(options: RefitOptions) -> None:
    """Fit the outputs of a model to other rows.

    Conditions, split points and edits stay. With --update the rows are added to the earlier ones; the command then
    reports whether the structure still holds.
    """
    from fruler._cli.editing import refit_model

    refit_model(options)


@_command("fruler rules m.json --sort weight --only age", "fruler rules m.json --markdown -o rules.md")
def rules(options: RulesOptions) -> None:
    """Print the rules of a model.

    Rules keep their numbers in any order.
    """
    from fruler._cli.views import write_rules

    write_rules(options)


@_command("fruler report m.json houses.csv -o r.html", "fruler report m.json houses.csv --stability 20")
def report(options: ReportOptions) -> None:
    """Write an HTML page about a model.

    With DATA, it also shows the errors on these rows. With --stability, the model is fitted again on samples of
    DATA, which must be its training table; the page then shows how often each split and each rule came back.
    """
    from fruler._cli.report import write_page

    write_page(options)


@_command("fruler export m.json --to python -o model.py", "fruler export m.json --to sql --table houses --keep id")
def export(options: ExportOptions) -> None:
    """Write the rules in another language or format."""
    from fruler._cli.views import write_export

    write_export(options)


@_command("fruler bench --data keel --sets friedman,dee --seeds 1")
def bench(options: BenchChoices) -> None:
    """Run the paper's experiment and compare with other methods.

    Repeat the command to resume after an interruption.
    """
    given = asdict(options)
    draws, seed = given.pop("verify"), given.pop("draw")
    try:
        if draws is not None:
            from fruler.bench._verification import verify_results

            sets = None if options.sets is None else [name.strip() for name in options.sets.split(",")]
            record = options.out or Path("benchmarks", "results")
            jobs, limit = options.jobs, options.limit
            if not verify_results(record, options.data, draws, draw_seed=seed, sets=sets, jobs=jobs, limit=limit):
                raise typer.Exit(NOT_AS_RECORDED)
            return
        from fruler.bench.command import BenchOptions, run_benchmark

        run_benchmark(BenchOptions(**given | {"out": options.out or Path("results")}))
    except KeyboardInterrupt:
        typer.echo("stopped; finished runs are kept: repeat the command to resume", err=True)
        raise typer.Exit(INTERRUPTED) from None
