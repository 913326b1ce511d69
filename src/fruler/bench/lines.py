"""The lines of a file of results: what a run writes down, and how it is read again."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Line = dict[str, Any]

# A run's place in the experiment.
RUN = ("method", "set", "fold", "seed")
STATUSES = ("ok", "failed", "timeout", "missing")
PREPROCESSING = "preprocessing"
TEXTS = ("method", "settings", "set", "status", "message", "version")
WHOLE_NUMBERS = ("fold", "seed")
# What every line has, null where the method has no such thing; and what some methods add.
COMMON_FIGURES = (
    *("error", "train_error", "rules", "coefficients", "conditions", "inputs", "rows", "seconds", "predict_seconds"),
)
FIGURES = (
    *COMMON_FIGURES,
    *("evaluations", "regularization", "selection_seconds", "discretization_seconds", "search_seconds"),
    *("possible_coefficients", "uncovered", "curves", "alone_error", "truth"),
    *("reduction", "increase", "thinned", "selection_s", "average", "largest", "unused", "discretization_s"),
)


def run_key(line: Line) -> tuple[Any, ...]:
    """Return a run's place in the experiment: method, set, fold, seed."""
    return tuple(line[name] for name in RUN)


def latest(lines: Iterable[Line]) -> dict[tuple[Any, ...], Line]:
    """Return the last line of each run, by its place."""
    return {run_key(line): line for line in lines}


def parse_line(raw: bytes) -> Line:
    """Return what a line says; a run whose error is not a finite number counts as failed.

    Raises
    ------
    ValueError
        If this is not a line that the benchmark writes; the message says why.
    """
    try:
        line = json.loads(raw)
    except ValueError:
        raise ValueError("is not JSON") from None
    if not isinstance(line, dict):
        raise ValueError("is not a JSON object")
    for name in (*RUN, "settings", "status"):
        kind = int if name in WHOLE_NUMBERS else str
        if not isinstance(line.get(name), kind):
            raise ValueError(f"lacks {name!r}, or has it of the wrong kind: {line.get(name)!r}")
    if line["status"] not in STATUSES:
        raise ValueError(f"has the unknown status {line['status']!r}; it is one of {', '.join(STATUSES)}")
    for name in FIGURES:
        value = line.get(name)
        if value is not None and not isinstance(value, int | float):
            raise ValueError(f"has {value!r} where {name!r} must be a number")
    if line["status"] == "ok" and line["method"] != PREPROCESSING:
        error = line.get("error")
        if error is None or not math.isfinite(error):
            line |= {"status": "failed", "message": "the test error is not a finite number", "error": None}
    return line


def split_lines(content: bytes) -> tuple[list[bytes], bytes]:
    """Cut a file's content into its lines and what is left of a last one that was not written to its end."""
    *lines, rest = content.split(b"\n")
    return lines, rest


def is_whole(raw: bytes) -> bool:
    """Say whether a last line lacks nothing but its end, as some editors leave it."""
    try:
        json.loads(raw)
    except ValueError:
        return False
    return True


def read_lines(path: Path) -> list[Line]:
    """Read a file of results: its lines in their order.

    A last line that was not written to its end is left out: a benchmark may be writing it.

    Raises
    ------
    FileNotFoundError, ValueError
        If there is no file, or a line is not what the benchmark writes; the message has its number.
    """
    if not path.is_file():
        raise FileNotFoundError(f"there are no results yet: {str(path)!r} does not exist")
    raw_lines, rest = split_lines(path.read_bytes())
    if is_whole(rest):
        raw_lines.append(rest)
    lines = []
    for number, raw in enumerate(raw_lines, start=1):
        try:
            lines.append(parse_line(raw))
        except ValueError as error:
            raise ValueError(
                f"line {number} of {str(path)!r} {error}; mend or remove it, and repeat the command"
            ) from None
    return lines
