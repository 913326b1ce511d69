"""The origin of a report written by a command."""

from __future__ import annotations

import hashlib
import shlex
import sys
from pathlib import Path

from fruler._cli.input import STDIN
from fruler.explain.report import Origin


def command_origin(data: str | None, model: Path | None = None) -> Origin:
    """Return the origin of a report: data, model and command.

    Parameters
    ----------
    data : str or None
        The file of the data, or ``-``.
    model : Path, optional
        The file of the model.
    """
    return Origin(
        data="" if data is None else _told(data),
        model="" if model is None else _told(str(model)),
        command=shlex.join(["fruler", *sys.argv[1:]]),
    )


def _told(path: str) -> str:
    """Return the name of a file with its checksum, to identify the file."""
    if path == STDIN:
        return "standard input"
    try:
        with Path(path).open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return Path(path).name
    return f"{Path(path).name} (SHA-256 {digest})"
