"""The folder of results: a file with one line per finished run, and two files that describe the runs.

Incomplete lines, left by a killed process or a full disk, are removed before the next line is written, so that no
finished run is lost or mixed with another.
"""

from __future__ import annotations

import errno
import json
import math
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from fruler._files import lock_folder, write_whole

Line = dict[str, Any]

RUNS, SETTINGS, MACHINE = "runs.jsonl", "settings.json", "machine.json"
# The key of a run in the experiment.
PLACE = ("method", "set", "fold", "seed")
STATUSES = ("ok", "failed", "timeout", "missing")
PREPROCESSING = "preprocessing"
TEXTS = ("method", "settings", "set", "status", "message", "version")
WHOLE_NUMBERS = ("fold", "seed")
# The measures of every line, null if they do not apply to the method; and those that only some methods have.
COMMON_MEASURES = (
    *("error", "train_error", "rules", "coefficients", "conditions", "inputs", "rows", "seconds", "predict_seconds"),
)
MEASURES = (
    *COMMON_MEASURES,
    *("evaluations", "regularization", "selection_seconds", "discretization_seconds", "search_seconds"),
    *("possible_coefficients", "uncovered", "curves", "alone_error", "truth"),
    *("reduction", "increase", "thinned", "selection_s", "average", "largest", "unused", "discretization_s"),
)


def latest(lines: Iterable[Line]) -> dict[tuple[Any, ...], Line]:
    """Return the last line of each run by its key: method, set, fold, seed."""
    return {tuple(line[name] for name in PLACE): line for line in lines}


def read_lines(path: Path) -> list[Line]:
    """Read the lines of a file of results, in their order.

    An incomplete last line is left out, since a benchmark may be writing it.

    Raises
    ------
    FileNotFoundError, ValueError
        If there is no file, or a line is not valid; the message has its number.
    """
    if not path.is_file():
        raise FileNotFoundError(f"there are no results yet: {str(path)!r} does not exist")
    *raw_lines, rest = path.read_bytes().split(b"\n")
    if _is_json(rest):
        raw_lines.append(rest)
    lines = []
    for number, raw in enumerate(raw_lines, start=1):
        try:
            lines.append(_parse_line(raw))
        except ValueError as error:
            raise ValueError(
                f"line {number} of {str(path)!r} {error}; fix or remove it and repeat the command"
            ) from None
    return lines


def _parse_line(raw: bytes) -> Line:
    """Parse a line; a run whose error is not a finite number counts as failed."""
    try:
        line = json.loads(raw)
    except ValueError:
        raise ValueError("is not JSON") from None
    if not isinstance(line, dict):
        raise ValueError("is not a JSON object")
    for name in (*PLACE, "settings", "status"):
        if not isinstance(line.get(name), int if name in WHOLE_NUMBERS else str):
            raise ValueError(f"has no valid {name!r}: {line.get(name)!r}")
    if line["status"] not in STATUSES:
        raise ValueError(f"has the unknown status {line['status']!r} (known: {', '.join(STATUSES)})")
    for name in MEASURES:
        if not isinstance(line.get(name), int | float | None):
            raise ValueError(f"has {line[name]!r} where {name!r} must be a number")
    if line["status"] == "ok" and line["method"] != PREPROCESSING:
        error = line.get("error")
        if error is None or not math.isfinite(error):
            line |= {"status": "failed", "message": "the test error is not a finite number", "error": None}
    return line


def _is_json(raw: bytes) -> bool:
    """Return whether a last line only lacks the newline, as some editors leave it."""
    try:
        json.loads(raw)
    except ValueError:
        return False
    return True


def read_description(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file, or an empty one if the file does not exist.

    Raises
    ------
    ValueError
        If the file does not contain a JSON object.
    """
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except ValueError:
        content = None
    if not isinstance(content, dict):
        raise ValueError(f"{str(path)!r} is damaged; restore it, or give another folder with --out")
    return content


def write_result(path: Path, content: str | bytes) -> Path:
    """Write a file of the results, completely or not at all."""
    return write_whole(path, content, remedy="finished runs are kept: free some space and repeat the command")


class ResultsFolder:
    """A folder of results that is open for adding runs; it is locked for other processes.

    Parameters
    ----------
    out : Path
        The folder; it is created if it does not exist.

    Attributes
    ----------
    lines : list of dict
        The lines of the file, in order.
    note : str or None
        A note on repairs made when the file was opened.
    """

    def __init__(self, out: Path) -> None:
        if out.exists() and not out.is_dir():
            raise FileExistsError(f"{str(out)!r} is a file; give --out a folder")
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OSError(
                error.errno, f"cannot create the folder {str(out)!r} ({error.strerror}); give another with --out"
            ) from error
        self.out = out
        self.path = out / RUNS
        self.lines: list[Line] = []
        self.note: str | None = None
        self._lock = lock_folder(
            out, f"another process is adding runs to {str(out)!r}; wait for it, or give another --out"
        )
        self._descriptor = -1

    def __enter__(self) -> Self:
        try:
            flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
            self._descriptor = os.open(self.path, flags, 0o644)
            self._mend()
            self.lines = read_lines(self.path)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
        # Closing releases the lock.
        os.close(self._lock)

    def append(self, line: Line) -> None:
        """Add the line of a finished run and sync it to the disk.

        Raises
        ------
        OSError
            If the line cannot be written; the file is then unchanged.
        """
        content = (json.dumps(line, allow_nan=False) + "\n").encode()
        size = os.fstat(self._descriptor).st_size
        try:
            if os.write(self._descriptor, content) != len(content):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self._descriptor)
        except OSError as error:
            os.ftruncate(self._descriptor, size)
            raise OSError(
                error.errno,
                f"{str(self.path)!r} could not be written ({error.strerror}); the {len(self.lines)} finished runs in "
                "it are kept: free some space and repeat the command",
            ) from error
        self.lines.append(line)

    def describe(self, settings: Mapping[str, Any], machine: Mapping[str, Any]) -> str | None:
        """Record the settings and the machine, and return a note if earlier runs were made on another machine."""
        known = self.settings()
        # The version of the first runs stays; other versions that add runs with the same settings are listed as later.
        for key, entry in settings.items():
            first = known.setdefault(key, dict(entry))
            source = {"fruler": entry["fruler"], "commit": entry["commit"]}
            if any(first[name] != value for name, value in source.items()) and source not in first.get("later", []):
                first["later"] = [*first.get("later", []), source]
        before = read_description(self.out / MACHINE)
        for name, content in ((SETTINGS, known), (MACHINE, before or machine)):
            write_result(self.out / name, json.dumps(content, indent=1, sort_keys=True) + "\n")
        # Only properties that were recorded before can differ.
        changed = sorted(name for name, value in before.items() if machine.get(name) != value)
        if changed:
            return f"earlier runs are from another machine ({', '.join(changed)} differ): seconds may not be comparable"
        return None

    def settings(self) -> dict[str, Any]:
        """Return the recorded settings, by hash."""
        return read_description(self.out / SETTINGS)

    def _mend(self) -> None:
        """Remove an incomplete last line."""
        content = self.path.read_bytes()
        *lines, rest = content.split(b"\n")
        if not rest:
            return
        if _is_json(rest):
            os.write(self._descriptor, b"\n")
            return
        os.ftruncate(self._descriptor, len(content) - len(rest))
        self.note = f"line {len(lines) + 1} of {self.path.name} was incomplete and is removed; its run is repeated"


def describe_machine() -> dict[str, Any]:
    """Return processor, memory, system and the versions that a result may depend on; no personal names or paths."""
    try:
        memory = round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (AttributeError, OSError, ValueError):
        memory = None
    return {
        "blas": _linear_algebra(),
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "memory_gb": memory,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "scipy", "scikit-learn", "pandas")},
    }


def source_commit() -> str | None:
    """Return the commit of this project's working copy in the current folder, or None if there is none."""
    if not Path("src/fruler/bench").is_dir():
        return None
    try:
        commit = _git("rev-parse", "--short=12", "HEAD")
        changed = _git("status", "--porcelain", "--untracked-files=no", "--", "src")
    except (OSError, subprocess.SubprocessError):
        return None
    return f"{commit}, with changes" if changed else commit


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], capture_output=True, text=True, timeout=10, check=True).stdout.strip()


def _cpu_model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _linear_algebra() -> str:
    """Return the libraries of linear algebra, and the processor that each chose its kernels for."""
    # Only loaded libraries are listed.
    import scipy.linalg  # noqa: F401
    from threadpoolctl import threadpool_info

    pools = [info for info in threadpool_info() if info["user_api"] == "blas"]
    names = (f"{info['internal_api']} {info['version']} {info.get('architecture', '')}".strip() for info in pools)
    return ", ".join(sorted(set(names)))
