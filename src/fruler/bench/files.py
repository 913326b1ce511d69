"""The JSON files of a results folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fruler._files import write_whole


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
    write_result(path, json.dumps(content, indent=1, sort_keys=True) + "\n")


def write_result(path: Path, content: str | bytes) -> Path:
    """Write a file of the results, whole or not at all."""
    return write_whole(path, content, remedy="finished runs are kept: make room and repeat the command")
