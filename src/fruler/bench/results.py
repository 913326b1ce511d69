"""The folder of results: a file to which every finished run adds one line, and what describes the runs.

A line is written whole or not at all. What a killed process or a full disk left of a line is cut off before the next
one is written, so that no run is lost that was finished, and none is mixed with another.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from fruler._files import lock_folder
from fruler.bench.files import read_json, write_json
from fruler.bench.lines import Line, is_whole, read_lines, split_lines

RUNS, SETTINGS, MACHINE = "runs.jsonl", "settings.json", "machine.json"


class ResultsFolder:
    """A folder of results that is open for adding runs; no other process can open it meanwhile.

    Parameters
    ----------
    out : Path
        The folder; it is made if it is not there.

    Attributes
    ----------
    lines : list of dict
        The lines of the file, in its order.
    note : str or None
        What was mended when the file was opened.
    """

    def __init__(self, out: Path) -> None:
        if out.exists() and not out.is_dir():
            raise FileExistsError(f"{str(out)!r} is a file; give --out a folder")
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OSError(
                error.errno, f"the folder {str(out)!r} cannot be made ({error.strerror}); give --out another"
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
            self._descriptor = os.open(
                self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o644
            )
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
        # Closing gives the lock back.
        os.close(self._lock)

    def append(self, line: Line) -> None:
        """Add the line of a finished run, on the disk when this returns.

        Raises
        ------
        OSError
            If it cannot be written; the file is then as it was.
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
                "it are kept: make room and repeat the command",
            ) from error
        self.lines.append(line)

    def describe(self, settings: Mapping[str, Any], machine: Mapping[str, Any]) -> str | None:
        """Record the settings and the machine; return a note if earlier runs were made on another machine."""
        known = self.settings()
        # What made the first runs stays; other versions that add runs with the same settings are noted beside it.
        for key, entry in settings.items():
            first = known.setdefault(key, dict(entry))
            source = {"fruler": entry["fruler"], "commit": entry["commit"]}
            if any(first[name] != value for name, value in source.items()) and source not in first.get("later", []):
                first["later"] = [*first.get("later", []), source]
        write_json(self.out / SETTINGS, known)
        before = read_json(self.out / MACHINE)
        if before is None:
            write_json(self.out / MACHINE, dict(machine))
        elif before != machine:
            # Only what was noted then can differ.
            changed = sorted(name for name, value in before.items() if machine.get(name) != value)
            if changed:
                return f"earlier runs were made elsewhere ({', '.join(changed)} differ): seconds may not be comparable"
        return None

    def settings(self) -> dict[str, Any]:
        """Return what is recorded of the settings, by hash."""
        return read_json(self.out / SETTINGS) or {}

    def _mend(self) -> None:
        """Cut off a last line that was not written to its end."""
        content = self.path.read_bytes()
        lines, rest = split_lines(content)
        if not rest:
            return
        if is_whole(rest):
            os.write(self._descriptor, b"\n")
            return
        os.ftruncate(self._descriptor, len(content) - len(rest))
        self.note = f"line {len(lines) + 1} of {self.path.name} was half written and is cut off; its run is made again"
