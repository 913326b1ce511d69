"""Files of a results folder that are written whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def read_json(path: Path) -> dict[str, Any] | None:
    """Return the object in a file, or None if there is no such file.

    Raises
    ------
    ValueError
        If it holds anything else.
    """
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise ValueError(
            f"{str(path)!r} is damaged ({error}); restore it, or give another folder with --out"
        ) from error
    if not isinstance(content, dict):
        raise ValueError(f"{str(path)!r} is damaged; restore it, or give another folder with --out")
    return content


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write an object to a file."""
    write_whole(path, json.dumps(content, indent=1, sort_keys=True) + "\n")


def write_whole(path: Path, content: str | bytes) -> Path:
    """Write a file so that a reader finds the old one or the new one, and never a part; one that says the same stays.

    Raises
    ------
    OSError
        If it cannot be written; the old file is then as it was.
    """
    data = content.encode() if isinstance(content, str) else content
    if path.is_file() and path.read_bytes() == data:
        return path
    temporary: str | None = None
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        # A temporary file is its owner's alone; these are for everyone, as far as the owner's mask allows.
        os.chmod(temporary, 0o666 & ~_mask())
        os.replace(temporary, path)
    except BaseException as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise OSError(
                error.errno,
                f"{str(path)!r} could not be written ({error.strerror or error}); finished runs are kept: make room "
                "and repeat the command",
            ) from error
        raise
    return path


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
