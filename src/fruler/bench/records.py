"""The runs that a folder of results records, whichever script has made them, as runs that can be made again."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fruler.bench.files import read_json
from fruler.bench.lines import FIGURES, PREPROCESSING, Line, latest, read_lines
from fruler.bench.results import RUNS, SETTINGS

# What a run gives, whatever the machine does beside it.
TIMELESS = tuple(name for name in FIGURES if not name.endswith(("seconds", "_s")))
# The scripts that have results of their own count the rest otherwise than the benchmark does.
_SHARED = ("error", "rules", "evaluations", "uncovered", "regularization")


@dataclass(frozen=True)
class Record:
    """One finished run of a record.

    Attributes
    ----------
    file, number : str, int
        Where it is recorded: the name of the file and the number of the line, from 1.
    method, set, fold, seed : str, str, int, int
        The run's place in the experiment.
    settings : mapping
        The recorded parameters of the method; what is not among them was a default.
    figures : mapping
        What was measured, without times.
    seconds : float
        What the run took.
    version : str or None
        That of the package of the method, if it is recorded.
    """

    file: str
    number: int
    method: str
    set: str
    fold: int
    seed: int
    settings: Mapping[str, Any]
    figures: Mapping[str, Any]
    seconds: float
    version: str | None

    @property
    def place(self) -> str:
        """Where it is recorded and which run it is, in words."""
        return f"{self.file}:{self.number} {self.set} fold {self.fold} seed {self.seed} {self.method}"


def read_records(folder: Path) -> list[Record]:
    """Read every finished run that a folder of results records, in the order of its files and lines.

    Parameters
    ----------
    folder : Path
        A folder with ``runs.jsonl``, and perhaps the results of the scripts that repeat the paper's tables.

    Raises
    ------
    FileNotFoundError, ValueError
        If there are no results, or a line cannot be read; the message has its number.
    """
    records = _read_runs(folder)
    for name, convert in _SCRIPTS.items():
        path = folder / name
        raw_lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
        for number, raw in enumerate(raw_lines, start=1):
            try:
                records.append(convert(name, number, json.loads(raw)))
            except (ValueError, KeyError, TypeError) as error:
                raise ValueError(f"line {number} of {str(path)!r} cannot be read: {error}; mend it") from None
    return records


def _read_runs(folder: Path) -> list[Record]:
    lines = read_lines(folder / RUNS)
    numbers = {id(line): number for number, line in enumerate(lines, start=1)}
    known = read_json(folder / SETTINGS) or {}
    return [
        Record(
            file=RUNS,
            number=numbers[id(line)],
            **{name: line[name] for name in ("method", "set", "fold", "seed")},
            settings=known.get(line["settings"], {}).get("settings", {}),
            figures=_figures(line, TIMELESS),
            seconds=_seconds_of(line),
            version=line.get("version"),
        )
        for line in latest(lines).values()
        if line["status"] == "ok"
    ]


def _seconds_of(line: Line) -> float:
    seconds = line.get("seconds")
    if seconds is None and line["method"] == PREPROCESSING:
        return float((line.get("selection_s") or 0.0) + (line.get("discretization_s") or 0.0))
    return float(seconds or 0.0)


def _figures(line: Line, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: line[name] for name in names if line.get(name) is not None}


def _of_paper_fidelity(file: str, number: int, line: Line) -> Record:
    settings = {name: line[name] for name in ("solver", "l1_ratio")}
    return _script_record(file, number, line, "fruler", settings)


def _of_comparator_fidelity(file: str, number: int, line: Line) -> Record:
    """Convert a line whose changes of parameters are written as in a call: ``"kappa=10.0, max_rules=50"``."""
    call = ast.parse(f"f({line['changes']})", mode="eval").body
    if not isinstance(call, ast.Call):
        raise ValueError(f"its changes are no parameters: {line['changes']!r}")
    settings = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
    return _script_record(file, number, line, line["algorithm"], settings)


def _script_record(file: str, number: int, line: Line, method: str, settings: Mapping[str, Any]) -> Record:
    return Record(
        file=file,
        number=number,
        method=method,
        **{name: line[name] for name in ("set", "fold", "seed")},
        settings=settings,
        figures=_figures(line, _SHARED),
        seconds=float(line["seconds"]),
        version=None,
    )


_SCRIPTS: dict[str, Callable[[str, int, Line], Record]] = {
    "paper_fidelity.jsonl": _of_paper_fidelity,
    "comparator_fidelity.jsonl": _of_comparator_fidelity,
}
