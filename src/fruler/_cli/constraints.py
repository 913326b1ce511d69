"""Constraints on columns, from options to parameters of an estimator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fruler._cli.preparation import PreparedTable
from fruler._table.constraints import INTERACTIONS, MONOTONIC, NO_INTERACTIONS, PAIRWISE
from fruler._wording import quoted, suggest


def constraint_settings(
    increasing: Sequence[str], decreasing: Sequence[str], interactions: Sequence[str], prepared: PreparedTable
) -> dict[str, Any]:
    """Return the constraints as parameters of the estimator.

    Parameters
    ----------
    increasing, decreasing : sequence of str
        Columns with which predictions must not fall, or must not rise.
    interactions : sequence of str
        Groups of columns that may interact, each with names separated by commas.
    prepared : PreparedTable
        The columns to learn from.

    Raises
    ------
    ValueError
        If a column does not exist, or is not numeric.
    """
    known = _directions("--increasing", increasing, 1, prepared)
    falling = _directions("--decreasing", decreasing, -1, prepared)
    for name in falling:
        if name in known:
            raise ValueError(f"--increasing and --decreasing both name {quoted(name)}; choose one")
    settings: dict[str, Any] = {MONOTONIC: known | falling} if known or falling else {}
    if not interactions:
        return settings
    if list(interactions) in ([NO_INTERACTIONS], [PAIRWISE]):
        return settings | {INTERACTIONS: interactions[0]}
    return settings | {INTERACTIONS: [_group(given, prepared) for given in interactions]}


def _directions(option: str, names: Sequence[str], sign: int, prepared: PreparedTable) -> dict[str, int]:
    for name in names:
        _require_column(option, name, prepared)
        kind = prepared.kinds[name]
        if kind != "number":
            held = "dates" if kind == "date" else "categories"
            raise ValueError(f"{option}: {quoted(name)} has {held}, not numbers, and thus no direction; leave it out")
    return dict.fromkeys(names, sign)


def _group(given: str, prepared: PreparedTable) -> list[str]:
    """Return the columns of a group; a column with a comma in its name can only be a group by itself."""
    names = [given] if given in prepared.kinds else [name.strip() for name in given.split(",") if name.strip()]
    if not names:
        raise ValueError(f"--interactions must be columns separated by commas, such as size,age; got {given!r}")
    for name in names:
        _require_column("--interactions", name, prepared)
    return names


def _require_column(option: str, name: str, prepared: PreparedTable) -> None:
    if name in prepared.left_out:
        raise ValueError(f"{option}: the column {quoted(name)} is left out ({prepared.left_out[name]})")
    if name not in prepared.kinds:
        raise ValueError(f"{option}: there is no input {quoted(name)}; {suggest(name, prepared.kinds)}")
