"""The runs of an experiment: methods times sets times folds times seeds, and the settings behind each method."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fruler._wording import suggest
from fruler.bench._methods import Method, find_method, own_methods
from fruler.bench._peers import PEERS
from fruler.bench._results import PREPROCESSING
from fruler.bench._runner import RunTask, package_version
from fruler.bench.paper import paper_tables
from fruler.data._keel import refuse_incomplete_folds
from fruler.estimators.registry import DEFAULT, algorithm_names

N_FOLDS = 5
# Everything that all runs share and that results depend on. Changing it changes the hash of the settings.
PROTOCOL = {"error": "half the mean squared error of the test rows", "folds": N_FOLDS, "version": 1}


@dataclass(frozen=True)
class Experiment:
    """The requested runs and their methods."""

    tasks: tuple[RunTask, ...]
    methods: tuple[Method, ...]

    def describe_settings(self, commit: str | None) -> dict[str, dict[str, Any]]:
        """Return the settings of each method by hash."""
        return {
            settings_hash(method): {
                "method": method.name,
                "settings": dict(method.settings),
                "protocol": PROTOCOL,
                "fruler": package_version("fruler"),
                "commit": commit,
            }
            for method in self.methods
        }

    def largest_first(self) -> Experiment:
        """Put the runs of large sets first within each fold and seed, so that parallel processes end together."""

        def place(task: RunTask) -> tuple[int, int, int]:
            return task.seed, task.fold, -(Path(task.data) / task.set / f"{task.set}.dat").stat().st_size

        return replace(self, tasks=tuple(sorted(self.tasks, key=place)))


def settings_hash(method: Method) -> str:
    """Return a hash of a method's settings and the protocol: 12 hexadecimal digits."""
    known = {"method": method.name, "settings": method.settings, "protocol": PROTOCOL}
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()[:12]


def plan_experiment(
    data: Path | None,
    *,
    sets: str | None = None,
    seeds: int = 6,
    folds: str = "5",
    methods: str = DEFAULT,
    peers: str = "none",
    preprocessing: bool = True,
    max_evaluations: int | None = None,
) -> Experiment:
    """Check the options and list the runs, in an order that spreads early results over all sets.

    Parameters
    ----------
    data : Path or None
        The folder of the sets; each set is a folder in it.
    sets, folds, methods, peers : str
        Names or numbers, separated by commas; a single number for `folds` means that number of folds.
    seeds : int
        The number of seeds, from 0.
    preprocessing : bool
        Whether to measure the first two stages alone.
    max_evaluations : int, optional
        A limit on the number of evaluations of our own algorithms.

    Raises
    ------
    ValueError, OSError
        If an option is wrong; the message is one line that names the option and says what to do.
    """
    data = data_folder(data)
    names = choose_sets(data, sets)
    numbers = parse_folds(folds)
    if seeds < 1:
        raise ValueError(f"--seeds must be at least 1; got {seeds}")
    if max_evaluations is not None and max_evaluations < 1:
        raise ValueError(f"--max-evaluations must be at least 1; got {max_evaluations}")
    algorithms = {"all": list(algorithm_names()), "none": []}.get(methods, _split(methods))
    chosen = own_methods(algorithms, max_evaluations) + ([PREPROCESSING] if preprocessing else []) + choose_peers(peers)
    if not chosen:
        raise ValueError("there is nothing to run: choose --methods, --peers or --preprocessing")
    for name in names:
        for number in numbers:
            refuse_incomplete_folds(data / name, name, number)
    found = tuple(find_method(name, max_evaluations) for name in chosen)
    hashes = {method.name: settings_hash(method) for method in found}
    folder = str(data.resolve())
    tasks = tuple(
        RunTask(
            *(method.name, hashes[method.name], name, number, seed),
            data=folder,
            parameters=dict(method.settings),
            package=method.package,
        )
        for seed in range(seeds)
        for number in numbers
        for name in names
        for method in found
        if method.seeded or seed == 0
    )
    return Experiment(tasks, found)


def data_folder(data: Path | None) -> Path:
    """Return the folder of the data sets, or raise an error if it is not given or does not exist."""
    if data is None:
        raise ValueError("give --data the folder of the KEEL sets")
    if not data.is_dir():
        raise FileNotFoundError(f"there is no data folder {str(data)!r}; give --data the folder of the KEEL sets")
    return data


def choose_sets(data: Path, sets: str | None) -> list[str]:
    """Return the names of the requested sets, or by default those of the paper's sets in the folder."""
    present = sorted(path.parent.name for path in data.glob("*/*.dat") if path.stem == path.parent.name)
    if not present:
        raise ValueError(f"{str(data)!r} has no sets; a set is a folder NAME with a file NAME.dat in it")
    listed = ", ".join(present[:40]) + (", ..." if len(present) > 40 else "")
    if sets is None:
        known = [name for name in paper_tables().index if name in present]
        if not known:
            raise ValueError(f"{str(data)!r} has none of the paper's sets; choose some with --sets: {listed}")
        return known
    names = _split(sets)
    if not names:
        raise ValueError(f"--sets is empty; the folder has {listed}")
    for name in names:
        if name not in present:
            raise ValueError(f"there is no set {name!r} in {str(data)!r}; {suggest(name, present)}")
    return names


def choose_peers(peers: str) -> list[str]:
    """Return the names of the requested peers.

    Examples
    --------
    >>> choose_peers("tree,linear"), choose_peers("none")
    (['tree', 'linear'], [])
    """
    names = {"all": list(PEERS), "none": []}.get(peers, _split(peers))
    for name in names:
        if name not in PEERS:
            raise ValueError(f"there is no peer {name!r}; {suggest(name, list(PEERS))}")
    return names


def parse_folds(folds: str) -> list[int]:
    """Return the numbers of the requested folds.

    Examples
    --------
    >>> parse_folds("3"), parse_folds("2,5"), parse_folds("4,")
    ([1, 2, 3], [2, 5], [4])
    """
    parts = _split(folds)
    if not parts or not all(part.isdecimal() and 1 <= int(part) <= N_FOLDS for part in parts):
        raise ValueError(f"--folds must be a number from 1 to {N_FOLDS} or a list such as 1,2; got {folds!r}")
    numbers = [int(part) for part in parts]
    return list(range(1, numbers[0] + 1)) if "," not in folds else list(dict.fromkeys(numbers))


def check_settings(
    experiment: Experiment, lines: Iterable[dict[str, Any]], known: dict[str, dict[str, Any]], out: Path
) -> None:
    """Raise an error if the results have runs of the same method with other settings."""
    wanted = {method.name: (settings_hash(method), method.settings) for method in experiment.methods}
    for line in lines:
        if line["method"] in wanted and line["settings"] != wanted[line["method"]][0]:
            before = known.get(line["settings"], {})
            changes = _changes(before.get("settings"), wanted[line["method"]][1])
            raise ValueError(
                f"{str(out)!r} has results of {line['method']} with other settings ({changes}); "
                "give another folder with --out, or use the former settings"
            )


def _changes(before: dict[str, Any] | None, now: Any) -> str:
    if before is None:
        return "not recorded in settings.json"
    names = [name for name in sorted({*before, *now}) if before.get(name) != now.get(name)]
    if not names:
        return "another version of the protocol"
    return ", ".join(f"{name} was {before.get(name)!r}, now {now.get(name)!r}" for name in names)


def _split(text: str) -> list[str]:
    return list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
