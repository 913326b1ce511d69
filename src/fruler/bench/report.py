"""The tables of a benchmark."""

from __future__ import annotations

from pathlib import Path


def write_report(out: Path) -> list[Path]:
    """Write the tables of the results in a folder, and return their paths."""
    return []
