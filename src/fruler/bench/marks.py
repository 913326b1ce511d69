"""Signs in tables: figures that need a word, and those that are missing."""

from __future__ import annotations

from fruler.bench.measurements import Measured
from fruler.bench.rendering import NONE
from fruler.bench.systems import PAPER_SYSTEMS

CAPPED_NOTE = "† Runs with a cap on the number of evaluations stand in for full ones."
PARTIAL_NOTE = "‡ Some runs did not finish; the mean is over those that did (see the table of failures)."


def mark(measured: Measured, system: str, name: str) -> str:
    """Return the signs after a figure: † for capped runs, ‡ if some runs did not finish."""
    if system in PAPER_SYSTEMS:
        return ""
    return ("†" if (system, name) in measured.capped else "") + (
        "‡" if measured.status(system, name) == "partial" else ""
    )


def absence(measured: Measured, system: str, name: str) -> str:
    """Return what stands in the place of a figure that there is none of: how the runs ended, or a dash."""
    status = "" if system in PAPER_SYSTEMS else measured.status(system, name)
    return status if status in ("timeout", "failed", "missing") else NONE


def status_of(measured: Measured, method: str, name: str) -> str:
    """Return how a method fared on a set, in a word or two."""
    status = measured.status(method, name)
    return f"{status}, capped" if (method, name) in measured.capped else status


def notes_on(measured: Measured, methods: list[str], sets: list[str]) -> list[str]:
    """Return what the signs in a table of these methods and sets mean, if it has any."""
    signs = "".join(mark(measured, method, name) for method in methods for name in sets)
    return [note for sign, note in (("†", CAPPED_NOTE), ("‡", PARTIAL_NOTE)) if sign in signs]
