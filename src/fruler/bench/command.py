"""What `fruler bench` does, once its options are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from fruler._wording import counted
from fruler.bench.execution import Task
from fruler.bench.lines import STATUSES, Line, latest, read_lines
from fruler.bench.machine import describe_machine, source_commit
from fruler.bench.plan import Plan, check_settings, largest_first, make_plan
from fruler.bench.progress import Reporter
from fruler.bench.report import write_report
from fruler.bench.results import RUNS, ResultsFolder
from fruler.bench.runner import run_by_joblib, run_here, run_on_dask
from fruler.estimators.registry import DEFAULT


@dataclass(frozen=True)
class BenchOptions:
    """The options of `fruler bench`, named as on the command line.

    Parameters
    ----------
    out : Path
        The folder of the results. Runs that it already has are not repeated.
    data : Path, optional
        The folder of the KEEL data sets.
    sets : str, optional
        The names of data sets, separated by commas; all in the folder by default.
    seeds : int, default=6
        The number of seeds.
    folds : str, default="5"
        How many folds are run, or which: ``"1,3"``.
    methods : str, default="growth"
        The algorithms, separated by commas; ``"all"`` or ``"none"``.
    peers : str, default="none"
        The models of other packages, separated by commas; ``"all"`` or ``"none"``.
    preprocessing : bool, optional
        Whether to measure the paper's first two stages; by default with any algorithm.
    jobs : int, default=1
        The number of runs at a time.
    dask : str, optional
        The address of a Dask scheduler, whose workers make the runs.
    joblib : bool, default=False
        Whether runs go to the workers of the backend that `joblib.parallel_config` names. Only from Python.
    limit : float, default=600.0
        The seconds after which a run is stopped.
    max_evaluations : int, optional
        A limit for the evaluations of every algorithm; that of the algorithm by default.
    retry : bool, default=False
        Whether to repeat runs that failed or took too long.
    tables_only : bool, default=False
        Whether to write the tables from results at hand, without any run.

    See Also
    --------
    run_benchmark : Runs it.

    Examples
    --------
    >>> BenchOptions(out=Path("results"), data=Path("keel"), sets="dee,plastic", seeds=1).methods
    'growth'
    """

    out: Path
    data: Path | None = None
    sets: str | None = None
    seeds: int = 6
    folds: str = "5"
    methods: str = DEFAULT
    peers: str = "none"
    preprocessing: bool | None = None
    jobs: int = 1
    dask: str | None = None
    joblib: bool = False
    limit: float = 600.0
    max_evaluations: int | None = None
    retry: bool = False
    tables_only: bool = False


def run_benchmark(options: BenchOptions, console: Console | None = None) -> None:
    """Make the runs that are still missing, then the tables.

    Parameters
    ----------
    options : BenchOptions
        What to run, and where the results are.
    console : rich.console.Console, optional
        Where progress is shown; the standard output by default.

    Raises
    ------
    FileNotFoundError
        If `tables_only` is set and there are no results.
    ValueError
        If an option is wrong; the message is one line.

    See Also
    --------
    BenchOptions : The options.
    paper_tables : The published results.

    Examples
    --------
    >>> run_benchmark(BenchOptions(out=Path("results")))
    Traceback (most recent call last):
    ValueError: give --data the folder of the KEEL sets
    """
    console = Console(soft_wrap=True) if console is None else console
    if options.tables_only:
        if not (options.out / RUNS).is_file():
            raise FileNotFoundError(f"there are no results in {str(options.out)!r}; make some without --tables-only")
        _write_tables(options.out, console)
        return
    if options.data is None:
        raise ValueError("give --data the folder of the KEEL sets")
    if options.jobs < 1:
        raise ValueError(f"--jobs must be at least 1; got {options.jobs}")
    if not options.limit > 0.0:
        raise ValueError(f"--limit must be more than 0 seconds; got {options.limit:g}")
    plan = make_plan(
        options.data,
        sets=options.sets,
        seeds=options.seeds,
        folds=options.folds,
        methods=options.methods,
        peers=options.peers,
        preprocessing=options.methods != "none" if options.preprocessing is None else options.preprocessing,
        max_evaluations=options.max_evaluations,
    )
    if options.jobs > 1 or options.joblib or options.dask is not None:
        plan = largest_first(plan)
    with ResultsFolder(options.out) as results:
        _say(console, results.note)
        check_settings(plan, results.lines, results.settings(), options.out)
        _say(console, results.describe(plan.describe_settings(source_commit()), describe_machine()))
        _run(plan, results, options, console)
    _write_tables(options.out, console)


def tasks_left(plan: Plan, lines: Iterable[Line], *, retry: bool) -> list[Task]:
    """Return the runs that have no result yet. A missing peer may have been installed since, so it is tried again."""
    again = {"missing", "failed", "timeout"} if retry else {"missing"}
    known = latest(lines)
    return [task for task in plan.tasks if task.key not in known or known[task.key]["status"] in again]


def _run(plan: Plan, results: ResultsFolder, options: BenchOptions, console: Console) -> None:
    tasks = tasks_left(plan, results.lines, retry=options.retry)
    _say(console, f"{counted(len(plan.tasks), 'run')}, {len(plan.tasks) - len(tasks)} of them done before")
    if not tasks:
        return
    known = latest(results.lines)
    with Reporter(console, tasks, results.lines, options.jobs) as reporter, closing(_lines(tasks, options)) as lines:
        for task, line in lines:
            # A peer that is still missing says nothing new.
            if line["status"] != "missing" or known.get(task.key, {}).get("message") != line["message"]:
                results.append(line)
            reporter.finished(task, line)


def _lines(tasks: list[Task], options: BenchOptions) -> Generator[tuple[Task, Line], None, None]:
    if options.dask is not None:
        return run_on_dask(tasks, options.dask, options.limit)
    if options.joblib:
        return run_by_joblib(tasks, options.limit)
    return run_here(tasks, options.jobs, options.limit)


def _write_tables(out: Path, console: Console) -> None:
    written = write_report(out)
    _say(console, summarise(read_lines(out / RUNS), out))
    kinds = Counter(path.suffix for path in written)
    if written:
        pictures = f" and {counted(kinds['.png'], 'picture')} (.png, .svg)" if kinds[".png"] else ""
        _say(
            console,
            f"{counted(kinds['.md'], 'table')} (.md, .csv, .tex){pictures} in {out}, and a page with all of them:",
        )
        _say(console, f"  {written[-1]}")


def summarise(lines: Iterable[Line], out: Path) -> str:
    """Say how the runs in a folder ended and, if some gave no result, where to look and what to do."""
    counts = Counter(line["status"] for line in latest(lines).values())
    finished = f"{counted(sum(counts.values()), 'run')} in {out / RUNS}: " + ", ".join(
        f"{counts[status]} {status}" for status in STATUSES if counts[status]
    )
    remedies = {
        "failed": "failed: see failures.md; --retry repeats them",
        "timeout": "took too long: --retry repeats them, with another --limit",
        "missing": "not made, for want of a package: install what failures.md names, then the same command",
    }
    return "\n".join([finished, *(f"  {counts[status]} {text}" for status, text in remedies.items() if counts[status])])


def _say(console: Console, text: str | None) -> None:
    if text is not None:
        console.print(text, highlight=False, markup=False, soft_wrap=True)
