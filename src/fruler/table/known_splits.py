"""Split points that the user knows: checked, and the domains that have room for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fruler._typing import Floats
from fruler.table.validation import LARGEST_VALUE

# The kernels keep a label's number in a byte; no one could read so many.
MAX_LABELS = 200


def domains_with_room(
    ends: Floats, names: Sequence[str], split_points: Mapping[str | int, Any] | None
) -> tuple[Floats, dict[int, Floats]]:
    """Check the split points that are known; return them by input, and the domains of the inputs.

    Parameters
    ----------
    ends : ndarray of shape (n_inputs, 2)
        The least and the greatest value of each input.
    names : sequence of str
        The names of the inputs.
    split_points : mapping or None
        By name or number of the input.
    """
    domains, known_splits = ends.copy(), {}
    for name, points in (split_points or {}).items():
        j = _input_number(name, names)
        known = known_splits[j] = _known_splits(name, points)
        # A split point at or beyond the data's end still needs room for its outer label.
        room = max(float(np.ptp(known)), float(np.ptp(domains[j])), abs(float(known[0])) * 1e-6, 1e-12) / 10.0
        if known[0] <= domains[j, 0]:
            domains[j, 0] = known[0] - room
        if known[-1] >= domains[j, 1]:
            domains[j, 1] = known[-1] + room
    return domains, known_splits


def _input_number(name: str | int, names: Sequence[str]) -> int:
    if name in names:
        return list(names).index(str(name))
    if name in range(len(names)):
        return int(name)
    raise ValueError(f"split_points names the input {name!r}, which X does not have; it has {', '.join(names)}.")


def _known_splits(name: str | int, points: Any) -> Floats:
    try:
        known = np.array(points, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError) as error:
        raise ValueError(f"split_points of {name!r} must be numbers; got {points!r}.") from error
    if len(known) >= MAX_LABELS:
        raise ValueError(f"split_points of {name!r} are {len(known)}; an input can have {MAX_LABELS} labels at most.")
    if len(known) == 0 or not (np.abs(known) <= LARGEST_VALUE).all() or not (np.diff(known) > 0.0).all():
        raise ValueError(f"split_points of {name!r} must be finite and increase strictly; got {points!r}.")
    return known
