"""What prediction intervals are made of as a JSON object, and back."""

from __future__ import annotations

from typing import Any

from fruler.rules.intervals import METHODS, Intervals
from fruler.rules.json.checked import Checked

_LISTS = ("coverages", "scores", "spreads")


def intervals_to_json(intervals: Intervals) -> dict[str, Any]:
    """Return an object that says all of intervals.

    Examples
    --------
    >>> intervals_to_json(Intervals([0.25, 0.5], [0.8, 1.0], [1.5], 3, "calibration"))
    {'method': 'calibration', 'n_rows': 3, 'coverages': [0.25, 0.5], 'scores': [0.8, 1.0], 'spreads': [1.5]}
    """
    lists = {name: getattr(intervals, name).tolist() for name in _LISTS}
    return {"method": intervals.method, "n_rows": intervals.n_rows, **lists}


def intervals_from_json(written: Checked) -> Intervals:
    """Return the intervals that an object says.

    Raises
    ------
    ValueError
        If it is something else.
    """
    members = written.keys(("method", "n_rows", *_LISTS))
    lists = {name: members[name].numbers() for name in _LISTS}
    method, n_rows = members["method"].one_of(*METHODS), members["n_rows"].count(1)
    try:
        return Intervals(**lists, n_rows=n_rows, method=method)
    except ValueError as error:
        raise ValueError(f"{written.place} is wrong: {error}") from None
