"""The command `fruler bench` after its options are parsed: the runs, their progress, the tables."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Generator, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from fruler._wording import counted, duration
from fruler.bench._experiment import Experiment, check_settings, plan_experiment
from fruler.bench._presentation import write_presentation
from fruler.bench._results import (
    RUNS,
    STATUSES,
    Line,
    ResultsFolder,
    describe_machine,
    latest,
    read_lines,
    source_commit,
)
from fruler.bench._runner import RunTask, run_by_joblib, run_here, run_on_dask
from fruler.estimators.registry import DEFAULT

# The seconds of a run other than fitting and predicting: reading the data and starting its process.
_OVERHEAD = 0.1


@dataclass(frozen=True)
class BenchOptions:
    """The options of `fruler bench`, named as on the command line.

    Parameters
    ----------
    out : Path
        The folder of the results. Runs with results in it are not repeated.
    data : Path, optional
        The folder of the KEEL data sets; only `tables_only` works without it.
    sets : str, optional
        The names of data sets, separated by commas; by default the paper's sets in the folder.
    seeds : int, default=6
        The number of seeds.
    folds : str, default="5"
        The number of folds, or a list of folds such as ``"1,3"``.
    methods : str, default="growth"
        The algorithms, separated by commas; ``"all"`` or ``"none"``.
    peers : str, default="none"
        The models of other packages, separated by commas; ``"all"`` or ``"none"``.
    preprocessing : bool, optional
        Whether to measure the paper's first two stages; by default unless `methods` is ``"none"``.
    jobs : int, default=1
        The number of runs at a time.
    dask : str, optional
        The address of a Dask scheduler whose workers execute the runs.
    joblib : bool, default=False
        Whether to execute runs with the backend set by `joblib.parallel_config`; not on the command line.
    limit : float, default=600.0
        The number of seconds after which a run is stopped.
    max_evaluations : int, optional
        Maximum number of evaluations of every algorithm; by default that of the algorithm.
    retry : bool, default=False
        Whether to repeat runs that failed or took too long.
    tables_only : bool, default=False
        Whether to write the tables from existing results, without any run.

    See Also
    --------
    run_benchmark : Run the benchmark.

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
    """Execute the runs that have no results yet, then write the tables.

    Parameters
    ----------
    options : BenchOptions
        The options of the benchmark.
    console : rich.console.Console, optional
        The console that shows progress; standard output by default.

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
            raise FileNotFoundError(f"there are no results in {str(options.out)!r}; run it without --tables-only first")
        _write_tables(options.out, console)
        return
    if options.jobs < 1:
        raise ValueError(f"--jobs must be at least 1; got {options.jobs}")
    if not options.limit > 0.0:
        raise ValueError(f"--limit must be more than 0 seconds; got {options.limit:g}")
    experiment = plan_experiment(
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
        experiment = experiment.largest_first()
    with ResultsFolder(options.out) as results:
        _say(console, results.note)
        check_settings(experiment, results.lines, results.settings(), options.out)
        _say(console, results.describe(experiment.describe_settings(source_commit()), describe_machine()))
        _run(experiment, results, options, console)
    _write_tables(options.out, console)


def tasks_left(experiment: Experiment, lines: Iterable[Line], *, retry: bool) -> list[RunTask]:
    """Return the runs without results, including those of missing peers, which may have been installed since."""
    again = {"missing", "failed", "timeout"} if retry else {"missing"}
    known = latest(lines)
    return [task for task in experiment.tasks if task.key not in known or known[task.key]["status"] in again]


def _run(experiment: Experiment, results: ResultsFolder, options: BenchOptions, console: Console) -> None:
    tasks = tasks_left(experiment, results.lines, retry=options.retry)
    n_runs = len(experiment.tasks)
    _say(console, f"{counted(n_runs, 'run')}, {n_runs - len(tasks)} of them done before")
    if not tasks:
        return
    known = latest(results.lines)
    with _Reporter(console, tasks, results.lines, options.jobs) as reporter, closing(_lines(tasks, options)) as lines:
        for task, line in lines:
            # The line of a peer that is still missing is not written again.
            if line["status"] != "missing" or known.get(task.key, {}).get("message") != line["message"]:
                results.append(line)
            reporter.finished(task, line)


def _lines(tasks: list[RunTask], options: BenchOptions) -> Generator[tuple[RunTask, Line], None, None]:
    if options.dask is not None:
        return run_on_dask(tasks, options.dask, options.limit)
    if options.joblib:
        return run_by_joblib(tasks, options.limit)
    return run_here(tasks, options.jobs, options.limit)


def _write_tables(out: Path, console: Console) -> None:
    written = write_presentation(out)
    _say(console, runs_text(read_lines(out / RUNS), out))
    kinds = Counter(path.suffix for path in written)
    if written:
        pictures = f" and {counted(kinds['.png'], 'picture')} (.png, .svg)" if kinds[".png"] else ""
        tables = f"{counted(kinds['.md'], 'table')} (.md, .csv, .tex)"
        _say(console, f"{tables}{pictures} in {out}, and a page with all of them:\n  {written[-1]}")


def runs_text(lines: Iterable[Line], out: Path) -> str:
    """Return a summary of the runs in a folder; if some have no result, it says where to look and what to do."""
    counts = Counter(line["status"] for line in latest(lines).values())
    endings = ", ".join(f"{counts[status]} {status}" for status in STATUSES if counts[status])
    remedies = {
        "failed": "failed: see failures.md; --retry repeats them",
        "timeout": "took too long: --retry repeats them, with another --limit",
        "missing": "lack a package: install the packages listed in failures.md and repeat the command",
    }
    told = [f"  {counts[status]} {text}" for status, text in remedies.items() if counts[status]]
    return "\n".join([f"{counted(sum(counts.values()), 'run')} in {out / RUNS}: {endings}", *told])


def _say(console: Console, text: str | None) -> None:
    if text is not None:
        console.print(text, highlight=False, markup=False, soft_wrap=True)


class RunTimes:
    """An estimator of the time of runs, from the times of finished runs.

    The estimate is the mean time of the method on the set, or else of the method, or else of all runs.
    """

    def __init__(self, lines: Iterable[Line]) -> None:
        self._seconds: dict[tuple[str, ...], list[float]] = defaultdict(list)
        for line in lines:
            self.add(line)

    def add(self, line: Line) -> None:
        """Add the time of a finished run."""
        if line.get("seconds") is not None and line["status"] in ("ok", "timeout"):
            for key in ((line["method"], line["set"]), (line["method"],), ()):
                self._seconds[key].append(line["seconds"] + (line.get("predict_seconds") or 0.0) + _OVERHEAD)

    def left(self, tasks: Iterable[RunTask], jobs: int) -> float | None:
        """Return the estimated seconds of some runs, or None if no run has finished."""
        if not self._seconds:
            return None
        means = {key: float(np.mean(seconds)) for key, seconds in self._seconds.items()}
        return sum(means.get((task.method, task.set), means.get((task.method,), means[()])) for task in tasks) / jobs


class _Reporter:
    """A display of finished runs and the time left: a bar on a terminal, plain lines in a log."""

    def __init__(self, console: Console, tasks: Iterable[RunTask], lines: Iterable[Line], jobs: int) -> None:
        self._console, self._jobs = console, jobs
        self._left = {task.key: task for task in tasks}
        self._total = len(self._left)
        # All descriptions have one width, so that the bar does not jump.
        self._width = max((len(_last(task)) for task in self._left.values()), default=0)
        self._times = RunTimes(lines)
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
            console=console,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("".ljust(self._width), total=self._total, left=self._remaining())

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def finished(self, task: RunTask, line: Line) -> None:
        """Show a finished run."""
        del self._left[task.key]
        self._times.add(line)
        remaining = self._remaining()
        self._bar.update(self._task, advance=1, left=remaining, description=_last(task).ljust(self._width))
        if not self._console.is_terminal or line["status"] != "ok":
            number = self._total - len(self._left)
            _say(self._console, f"{number}/{self._total} {_describe(line)}{remaining and '; ' + remaining}")

    def _remaining(self) -> str:
        seconds = self._times.left(self._left.values(), self._jobs)
        return "" if seconds is None or not self._left else f"about {duration(seconds)} left"


def _last(task: RunTask) -> str:
    return f"last: {task.set} {task.method}"


def _describe(line: Line) -> str:
    """Return the result of a run in one line."""
    head = f"{line['set']} fold {line['fold']} seed {line['seed']} {line['method']}: "
    if line["status"] != "ok":
        return f"{head}{line['status']} ({line['message']})"
    parts = []
    if line.get("error") is not None:
        parts.append(f"error {line['error']:.4g}")
    if line.get("rules") is not None:
        parts.append(counted(line["rules"], "rule"))
    if line.get("reduction") is not None:
        parts.append(f"{line['reduction']:.1f} % fewer rows")
    return head + ", ".join([*parts, f"{line['seconds']:.1f} s"])
