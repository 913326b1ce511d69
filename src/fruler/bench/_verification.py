"""The option `fruler bench --verify`: randomly drawn runs of a record are repeated and compared with it."""

from __future__ import annotations

import ast
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from fruler._wording import counted
from fruler.bench._experiment import data_folder
from fruler.bench._methods import find_method
from fruler.bench._results import (
    MACHINE,
    MEASURES,
    RUNS,
    SETTINGS,
    Line,
    describe_machine,
    latest,
    read_description,
    read_lines,
)
from fruler.bench._runner import RunTask, package_version, run_here

# Another processor, or another version of NumPy, may round differently; nothing else may change a result.
_ROUNDING = 1e-6
# The properties of a machine that determine the last bit of a result; the size of the memory does not.
_DECISIVE = ("blas", "cpu", "system", "numpy", "scipy", "scikit-learn", "pandas")
_SHARE_OF_LIMIT = 0.1
# The files of the scripts that repeat the paper's tables, and the measures that they share with the benchmark.
_SCRIPT_FILES = ("paper_fidelity.jsonl", "comparator_fidelity.jsonl")
_SCRIPT_MEASURES = ("error", "rules", "evaluations", "uncovered", "regularization")
EXACT, ROUNDED, DIFFERENT, NOT_MADE = "to the bit", "to rounding", "different", "not made"


@dataclass(frozen=True)
class Record:
    """One finished run of a record: its place in the files, its task, and its line."""

    place: str
    task: RunTask
    measures: tuple[str, ...]
    line: Line

    @property
    def seconds(self) -> float:
        """The duration of the run."""
        times = (self.line.get(name) for name in ("seconds", "selection_s", "discretization_s"))
        return float(next((time for time in times if time is not None), 0.0))


@dataclass(frozen=True)
class Repetition:
    """A repeated run: the outcome of the comparison in a word and in detail, and whether it is accepted here."""

    record: Record
    outcome: str
    detail: str = ""
    accepted: bool = False


def verify_results(
    out: Path,
    data: Path | None,
    number: int,
    *,
    draw_seed: int = 0,
    sets: Sequence[str] | None = None,
    jobs: int = 1,
    limit: float = 600.0,
    console: Console | None = None,
) -> bool:
    """Repeat some of the recorded runs, and return whether they give the recorded results.

    Parameters
    ----------
    out : Path
        The folder of the record.
    data : Path
        The folder of the data sets.
    number : int
        The number of runs to draw.
    draw_seed : int, default=0
        The seed of the draw.
    sets : sequence of str, optional
        The sets to draw from; all by default.
    jobs : int, default=1
        The number of runs at a time.
    limit : float, default=600
        The number of seconds after which a run is stopped. Runs that took more than a tenth of this time are not drawn,
        so that they are not stopped on a busy machine.
    console : rich.console.Console, optional
        The console that shows the results; standard output by default.

    Returns
    -------
    bool
        Whether every drawn run gives the recorded results: our own algorithms to the bit on the same machine, and to
        rounding on another; peers always to rounding.

    Raises
    ------
    ValueError, OSError
        For mistakes that the user can correct, with a message of one line.
    """
    if number < 1:
        raise ValueError(f"--verify must be at least 1; got {number}")
    data = data_folder(data)
    console = Console(soft_wrap=True) if console is None else console

    def say(text: str) -> None:
        console.print(text, highlight=False, markup=False, soft_wrap=True)

    left_out: Counter[str] = Counter()
    candidates = []
    for record in read_records(out, data):
        if obstacle := _obstacle(record.task, record.seconds, sets, limit):
            left_out[obstacle] += 1
        else:
            candidates.append(record)
    drawn = draw(candidates, number, draw_seed)
    say(f"{counted(len(drawn), 'run')} of the {len(candidates)} in {out} that can be repeated here")
    for reason, count in left_out.items():
        say(f"  left out: {counted(count, 'run')}, {reason}")
    if not drawn:
        raise ValueError(f"{str(out)!r} has no run that can be repeated here")
    before, now = read_description(out / MACHINE), describe_machine()
    changed = [name for name in _DECISIVE if before.get(name) != now.get(name)]
    say(
        f"recorded on another machine ({', '.join(changed)} differ): results must agree to rounding"
        if changed
        else "recorded on an equal machine: results of our own algorithms must agree to the bit"
    )
    record_of = {id(record.task): record for record in drawn}
    repetitions = []
    with closing(run_here([record.task for record in drawn], jobs, limit)) as lines:
        for position, (task, line) in enumerate(lines, start=1):
            repetition = compare(record_of[id(task)], line, same_machine=not changed)
            detail = f" ({repetition.detail})" if repetition.detail else ""
            say(f"{position}/{len(drawn)} {repetition.record.place}: {repetition.outcome}{detail}")
            repetitions.append(repetition)
    say(outcome_text(repetitions))
    return all(repetition.accepted for repetition in repetitions)


def read_records(folder: Path, data: Path) -> list[Record]:
    """Read all finished runs of a folder of results, in the order of its files and lines.

    Parameters
    ----------
    folder : Path
        A folder with ``runs.jsonl``, and optionally the results of the scripts that repeat the paper's tables.
    data : Path
        The folder of the data sets, for the tasks.

    Raises
    ------
    FileNotFoundError, ValueError
        If there are no results, or a line cannot be read; the message has its number.
    """
    lines, known = read_lines(folder / RUNS), read_description(folder / SETTINGS)
    numbers = {id(line): number for number, line in enumerate(lines, start=1)}
    timeless = tuple(name for name in MEASURES if not name.endswith(("seconds", "_s")))
    records = []
    for line in latest(lines).values():
        if line["status"] == "ok":
            settings = known.get(line["settings"], {}).get("settings", {})
            records.append(_record(f"{RUNS}:{numbers[id(line)]}", data, line, settings, timeless))
    for name in _SCRIPT_FILES:
        path = folder / name
        for number, raw in enumerate(path.read_text("utf-8").splitlines() if path.is_file() else [], start=1):
            try:
                line = json.loads(raw)
                if "changes" in line:
                    # Written as in a call: "kappa=10.0, max_rules=50".
                    call: Any = ast.parse(f"f({line['changes']})", mode="eval").body
                    settings = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
                    line["method"] = line["algorithm"]
                else:
                    settings = {key: line[key] for key in ("solver", "l1_ratio")}
                    line["method"] = "fruler"
                records.append(_record(f"{name}:{number}", data, line, settings, _SCRIPT_MEASURES))
            except (ValueError, KeyError, TypeError, SyntaxError) as error:
                raise ValueError(f"line {number} of {str(path)!r} cannot be read: {error}; fix it") from None
    return records


def _record(where: str, data: Path, line: Line, settings: Mapping[str, Any], measures: tuple[str, ...]) -> Record:
    place = {name: line[name] for name in ("method", "set", "fold", "seed")}
    try:
        package = find_method(line["method"]).package
    except ValueError:
        # The method is no longer in the package.
        package = ""
    task = RunTask(**place, settings="", data=str(data.resolve()), parameters=dict(settings), package=package)
    return Record(f"{where} {task.set} fold {task.fold} seed {task.seed} {task.method}", task, measures, line)


def _obstacle(task: RunTask, seconds: float, sets: Sequence[str] | None, limit: float) -> str | None:
    """Return why a run cannot be drawn, or None if it can."""
    if not task.package:
        return f"of {task.method}, which is no longer in the package"
    if package_version(task.package) is None:
        return f"of {task.method}, without {task.package}"
    if sets is not None and task.set not in sets:
        return "of other sets"
    if not (Path(task.data) / task.set / f"{task.set}.dat").is_file():
        return f"of sets that are not in {task.data}"
    longest = limit * _SHARE_OF_LIMIT
    return f"which took more than {longest:g} s" if seconds > longest else None


def draw(records: Sequence[Record], number: int, seed: int) -> list[Record]:
    """Draw runs at random, each at most once."""
    size = min(number, len(records))
    if size == 0:
        return []
    chosen = np.random.default_rng(seed).choice(len(records), size=size, replace=False)
    return [records[index] for index in sorted(chosen.tolist())]


def compare(record: Record, line: Line, *, same_machine: bool) -> Repetition:
    """Compare a repeated run with its record.

    This package promises the same bits on the same machine; peers only have to agree to rounding.

    Parameters
    ----------
    record : Record
        The recorded run.
    line : dict
        The line of the new run.
    same_machine : bool
        Whether the run was recorded on an equal machine.
    """
    if line["status"] != "ok":
        return Repetition(record, NOT_MADE, f"{line['status']}: {line['message']}")
    before = {name: record.line[name] for name in record.measures if record.line.get(name) is not None}
    differences = {name: relative_difference(value, line.get(name)) for name, value in before.items()}
    largest = max(differences.values(), default=0.0)
    if largest == 0.0:
        return Repetition(record, EXACT, accepted=True)
    ours, then, now = record.task.package == "fruler", record.line.get("version"), line.get("version")
    version = "" if ours or then in (None, now) else f"; version {then} then, {now} now"
    if largest <= _ROUNDING:
        return Repetition(record, ROUNDED, f"{largest:.1g} relative{version}", not (ours and same_machine))
    told = [
        f"{name} {before[name]:.6g} recorded, {'none' if line.get(name) is None else format(line[name], '.6g')} now"
        for name, difference in differences.items()
        if difference > _ROUNDING
    ]
    return Repetition(record, DIFFERENT, ", ".join(told) + version)


def relative_difference(before: float, now: float | None) -> float:
    """Return the difference of two results relative to the larger one; infinity if the second is missing.

    Examples
    --------
    >>> relative_difference(2.0, 1.0), relative_difference(0.0, 0.0), relative_difference(1.0, None)
    (0.5, 0.0, inf)
    """
    if now is None or not math.isfinite(now):
        return math.inf
    largest = max(abs(before), abs(now))
    return abs(before - now) / largest if largest > 0.0 else 0.0


def outcome_text(repetitions: Sequence[Repetition]) -> str:
    """Return a summary: the number of runs by outcome, and the methods with runs that differ from the record."""
    lines = [f"{counted(len(repetitions), 'run')} repeated: {_count_outcomes(repetitions)}"]
    groups: dict[tuple[str, str], list[Repetition]] = {}
    for repetition in repetitions:
        file = repetition.record.place.partition(":")[0]
        groups.setdefault((repetition.record.task.method, file), []).append(repetition)
    for (method, file), group in sorted(groups.items()):
        if not all(repetition.accepted for repetition in group):
            lines.append(f"  {method} in {file}: {_count_outcomes(group)}")
    refused = {repetition.outcome for repetition in repetitions if not repetition.accepted}
    if not refused:
        return "\n".join([*lines, "as recorded"])
    verdict = "some could not be repeated" if refused == {NOT_MADE} else "not as recorded: replace these runs"
    return "\n".join([*lines, verdict])


def _count_outcomes(repetitions: Iterable[Repetition]) -> str:
    counts = Counter(repetition.outcome for repetition in repetitions)
    known = (EXACT, ROUNDED, DIFFERENT, NOT_MADE)
    return ", ".join(f"{counts[outcome]} {outcome}" for outcome in known if counts[outcome])
