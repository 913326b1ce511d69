"""What `fruler bench --verify` does: runs drawn at random from a record are made again and compared with it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from fruler._wording import counted
from fruler.bench.execution import Task, package_version
from fruler.bench.files import read_json
from fruler.bench.lines import Line
from fruler.bench.machine import describe_machine
from fruler.bench.methods import find_method
from fruler.bench.records import Record, read_records
from fruler.bench.results import MACHINE, RUNS
from fruler.bench.runner import run_here

# Another processor, or another version of NumPy, may round differently; nothing else may change a result.
ROUNDING = 1e-6
# What decides on the last bit of a result; how much memory there is does not.
_DECISIVE = ("blas", "cpu", "system", "numpy", "scipy", "scikit-learn", "pandas")
_SHARE_OF_LIMIT = 0.1
EXACT, ROUNDED, DIFFERENT, NOT_MADE = "to the bit", "to rounding", "different", "not made"


@dataclass(frozen=True)
class Comparison:
    """What came of one repeated run.

    Attributes
    ----------
    record : Record
        The recorded run.
    outcome : str
        "to the bit", "to rounding", "different" or "not made".
    detail : str
        The largest relative difference, the results that differ, or why there is none.
    accepted : bool
        Whether that is as near as this machine allows.
    """

    record: Record
    outcome: str
    detail: str
    accepted: bool


@dataclass(frozen=True)
class Draw:
    """The runs that are drawn, of how many, and how many others could not be, by reason."""

    records: Sequence[Record]
    candidates: int
    left_out: Mapping[str, int]


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
    """Make some of the recorded runs again, and say whether they give what is recorded.

    Parameters
    ----------
    out : Path
        The folder of the record.
    data : Path
        The folder of the data sets.
    number : int
        How many runs to draw.
    draw_seed : int, default=0
        Decides which.
    sets : sequence of str, optional
        The sets to draw from, else all.
    jobs : int, default=1
        How many runs are made at a time.
    limit : float, default=600
        Seconds after which a run is ended. Runs that took more than a tenth of that are not drawn, lest a busy machine
        ends them.
    console : rich.console.Console, optional
        Where to tell of it; the standard output by default.

    Returns
    -------
    bool
        True if every drawn run gives what is recorded: our own algorithms on the same machine to the bit, on another,
        and peers everywhere, to rounding.

    Raises
    ------
    ValueError, OSError
        In one line, for what the user can mend.
    """
    if number < 1:
        raise ValueError(f"--verify must be at least 1; got {number}")
    if data is None:
        raise ValueError("give --data the folder of the KEEL sets")
    if not data.is_dir():
        raise FileNotFoundError(f"there is no data folder {str(data)!r}; give --data the folder of the KEEL sets")
    console = Console(soft_wrap=True) if console is None else console

    def say(text: str) -> None:
        console.print(text, highlight=False, markup=False, soft_wrap=True)

    draw = draw_records(read_records(out), number, draw_seed, _obstacles(data, sets, limit))
    say(f"{counted(len(draw.records), 'run')} of the {draw.candidates} in {out} that can be made again here")
    for reason, count in draw.left_out.items():
        say(f"  left out: {counted(count, 'run')}, {reason}")
    if not draw.records:
        raise ValueError(f"{str(out)!r} has no run that can be made again here")
    changed = changed_parts(read_json(out / MACHINE) or {}, describe_machine())
    say(
        f"recorded elsewhere ({', '.join(changed)} differ): results must agree to rounding"
        if changed
        else "recorded on such a machine: results of our own algorithms must agree to the bit"
    )
    comparisons = []
    for position, comparison in enumerate(_repeat(draw.records, data, jobs, limit, same_machine=not changed), start=1):
        say(f"{position}/{len(draw.records)} {comparison.record.place}: {describe(comparison)}")
        comparisons.append(comparison)
    say(summarise(comparisons))
    return all(comparison.accepted for comparison in comparisons)


def draw_records(records: Iterable[Record], number: int, seed: int, obstacle: Callable[[Record], str | None]) -> Draw:
    """Draw runs at random, each at most once, among those that nothing stands in the way of."""
    left_out: Counter[str] = Counter()
    candidates = []
    for record in records:
        reason = obstacle(record)
        if reason is None:
            candidates.append(record)
        else:
            left_out[reason] += 1
    rng = np.random.default_rng(seed)
    size = min(number, len(candidates))
    chosen: list[int] = rng.choice(len(candidates), size=size, replace=False).tolist() if candidates else []
    return Draw([candidates[index] for index in sorted(chosen)], len(candidates), left_out)


def changed_parts(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return in which of the things that decide on rounding two machines differ."""
    return [name for name in _DECISIVE if before.get(name) != now.get(name)]


def compare(record: Record, line: Line, *, same_machine: bool) -> Comparison:
    """Compare a run that was made again with its record.

    That the same machine gives the same bits is a promise of this package; its peers are held to rounding.

    Parameters
    ----------
    record : Record
        The recorded run.
    line : dict
        What the run gave now.
    same_machine : bool
        Whether it was recorded on such a machine.
    """
    if line["status"] != "ok":
        return Comparison(record, NOT_MADE, f"{line['status']} ({line['message']})", accepted=False)
    differences = {
        name: relative_difference(value, line.get(name))
        for name, value in record.figures.items()
        if line.get(name) != value
    }
    if not differences:
        return Comparison(record, EXACT, "", accepted=True)
    ours = find_method(record.method).package == "fruler"
    version = (
        ""
        if ours or record.version in (None, line.get("version"))
        else f"; version {record.version} then, {line.get('version')} now"
    )
    largest = max(differences.values())
    if largest <= ROUNDING:
        accepted = not (ours and same_machine)
        return Comparison(record, ROUNDED, f"{largest:.1g} relative{version}", accepted)
    told = (
        f"{name} {_shown(record.figures[name])} recorded, {_shown(line.get(name))} now"
        for name, difference in differences.items()
        if difference > ROUNDING
    )
    return Comparison(record, DIFFERENT, ", ".join(told) + version, accepted=False)


def relative_difference(before: float, now: float | None) -> float:
    """Return the difference of two results relative to the larger one; infinity if there is no second.

    Examples
    --------
    >>> relative_difference(2.0, 1.0), relative_difference(0.0, 0.0), relative_difference(1.0, None)
    (0.5, 0.0, inf)
    """
    if now is None or not math.isfinite(now):
        return math.inf
    largest = max(abs(before), abs(now))
    return abs(before - now) / largest if largest > 0.0 else 0.0


def describe(comparison: Comparison) -> str:
    """Say in a few words how a repeated run compares with its record."""
    if comparison.outcome == EXACT:
        return "as recorded"
    if comparison.outcome == ROUNDED:
        return f"as recorded {ROUNDED} ({comparison.detail})"
    return f"{comparison.outcome}: {comparison.detail}"


def summarise(comparisons: Sequence[Comparison]) -> str:
    """Say how many runs gave what is recorded, and the record of which methods has to be made anew."""
    lines = [f"{counted(len(comparisons), 'run')} made again: {_count_outcomes(comparisons)}"]
    groups: dict[tuple[str, str], list[Comparison]] = {}
    for comparison in comparisons:
        groups.setdefault((comparison.record.file, comparison.record.method), []).append(comparison)
    for (file, method), group in sorted(groups.items()):
        if not all(comparison.accepted for comparison in group):
            settings = {name for comparison in group for name in _parameters(comparison.record.settings)}
            differs = any(comparison.outcome == DIFFERENT for comparison in group)
            # The scripts note only what was not a default.
            new = _new_parameters(method, settings) if file == RUNS and differs else ""
            lines.append(f"  {method} in {file}: {_count_outcomes(group)}{new}")
    if all(comparison.accepted for comparison in comparisons):
        return "\n".join([*lines, "as recorded"])
    made = all(comparison.accepted or comparison.outcome == NOT_MADE for comparison in comparisons)
    return "\n".join([*lines, "some could not be made" if made else "not as recorded: make these runs anew"])


def _count_outcomes(comparisons: Iterable[Comparison]) -> str:
    counts = Counter(comparison.outcome for comparison in comparisons)
    known = (EXACT, ROUNDED, DIFFERENT, NOT_MADE)
    return ", ".join(f"{counts[outcome]} {outcome}" for outcome in known if counts[outcome])


def _new_parameters(method: str, known: set[str]) -> str:
    new = sorted(set(_parameters(find_method(method).settings)) - known)
    return f"; parameters that the record does not know: {', '.join(new)}" if new else ""


def _parameters(settings: Mapping[str, Any]) -> list[str]:
    """Return the names of parameters; those of a stage follow its name."""
    return [
        f"{name}.{inner}" if isinstance(value, Mapping) else name
        for name, value in settings.items()
        for inner in (value if isinstance(value, Mapping) else (name,))
    ]


def _shown(value: float | None) -> str:
    return "none" if value is None else f"{value:.6g}"


def _obstacles(data: Path, sets: Sequence[str] | None, limit: float) -> Callable[[Record], str | None]:
    """Return what tells why a run cannot be drawn, or None if it can."""
    of_methods: dict[str, str | None] = {}

    def obstacle(record: Record) -> str | None:
        if record.method not in of_methods:
            of_methods[record.method] = _obstacle_of_method(record.method)
        if of_methods[record.method] is not None:
            return of_methods[record.method]
        if sets is not None and record.set not in sets:
            return "of other sets"
        if not (data / record.set / f"{record.set}.dat").is_file():
            return f"of sets that {data} lacks"
        longest = limit * _SHARE_OF_LIMIT
        return f"which took more than {longest:g} s" if record.seconds > longest else None

    return obstacle


def _obstacle_of_method(name: str) -> str | None:
    try:
        method = find_method(name)
    except ValueError:
        return f"of {name}, which is no longer here"
    return f"of {name}, without {method.package}" if package_version(method.package) is None else None


def _repeat(
    records: Sequence[Record], data: Path, jobs: int, limit: float, *, same_machine: bool
) -> Iterable[Comparison]:
    """Make recorded runs again, with the recorded settings, and compare them as they end."""
    folder = str(data.resolve())
    tasks = [
        Task(
            record.method,
            "",
            record.set,
            record.fold,
            record.seed,
            folder,
            dict(record.settings),
            find_method(record.method).package,
        )
        for record in records
    ]
    record_of = {id(task): record for task, record in zip(tasks, records, strict=True)}
    with closing(run_here(tasks, jobs, limit)) as lines:
        for task, line in lines:
            yield compare(record_of[id(task)], line, same_machine=same_machine)
