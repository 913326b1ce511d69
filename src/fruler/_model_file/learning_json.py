"""How rules were learned, as a JSON object, and back; predictions do not use it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any

import numpy as np

from fruler.rules._json.checked import Checked

# The members of a point of the front: counts, numbers or null, and members that are left out if they are unknown.
FRONT_COUNTS, FRONT_FIGURES = ("rules", "coefficients"), ("criterion", "error", "cv_error")
FRONT_OPTIONAL = ("curves", "numbers", "terms", "truth")
_FIGURES = ("named_inputs", "n_evaluations", "n_uncovered", "regularization")
_OPTIONAL = ("rules_asked", "locality")


@dataclass(frozen=True)
class Learning:
    """How rules were learned.

    Attributes
    ----------
    settings : dict
        The parameters of the regressor; its seed is one of them.
    named_inputs : bool
        Whether the training table had names, or the inputs were called x0, x1, ...
    n_evaluations, n_uncovered, regularization : int, int, float
        See the attributes of the regressor.
    front : tuple of dict
        The rows of `pareto_`.
    rules_asked : int or None
        The maximum number of rules given to `with_rules`.
    locality : float or None
        The share of the local error in the fit, if it is known.
    """

    settings: dict[str, Any]
    named_inputs: bool
    n_evaluations: int
    n_uncovered: int
    regularization: float
    front: tuple[dict[str, float], ...]
    rules_asked: int | None = None
    locality: float | None = None


def learning_to_json(learning: Learning) -> dict[str, Any]:
    """Return the whole record as a JSON object; a number that is not finite becomes null."""
    settings = {name: _plain(value) for name, value in learning.settings.items()}
    points = learning.settings.get("split_points")
    if points is not None:
        # A list, because the keys of a JSON object are text and an input may be given by its number.
        settings["split_points"] = [
            {"input": _plain(name), "at": np.asarray(at, dtype=np.float64).reshape(-1).tolist()}
            for name, at in points.items()
        ]
    settings |= _constraints_to_json(learning.settings)
    categories = learning.settings.get("categorical_features")
    if categories is not None and not isinstance(categories, str):
        settings["categorical_features"] = np.asarray(categories).tolist()
    bounds = learning.settings.get("bounds")
    if bounds is not None:
        settings["bounds"] = [None if end is None else float(end) for end in bounds]
    return {
        "settings": settings,
        **{name: getattr(learning, name) for name in _FIGURES},
        "front": [_point_to_json(point) for point in learning.front],
        **{name: value for name in _OPTIONAL if (value := getattr(learning, name)) is not None},
    }


def _point_to_json(point: dict[str, float]) -> dict[str, Any]:
    plain = {key: _plain(value) for key, value in point.items()}
    return {key: value for key, value in plain.items() if value is not None or key not in FRONT_OPTIONAL}


def learning_from_json(written: Checked) -> Learning:
    """Return the record in a JSON object.

    Unknown settings are kept unchanged: another version may have other settings.

    Raises
    ------
    ValueError
        If the object is not such a record.
    """
    members = written.keys(("settings", *_FIGURES, "front"), _OPTIONAL)
    settings = members["settings"].members()
    front = [point.keys((*FRONT_COUNTS, *FRONT_FIGURES), FRONT_OPTIONAL) for point in members["front"].items()]
    return Learning(
        {name: _READERS.get(name, _as_written)(value) for name, value in settings.items()},
        members["named_inputs"].one_of(True, False),
        members["n_evaluations"].count(),
        members["n_uncovered"].count(),
        members["regularization"].number(),
        tuple(_point_from_json(point) for point in front),
        members["rules_asked"].count() if "rules_asked" in members else None,
        members["locality"].number() if "locality" in members else None,
    )


def _point_from_json(point: dict[str, Checked]) -> dict[str, float]:
    read: dict[str, float] = {key: point[key].count() for key in FRONT_COUNTS}
    read |= {key: point[key].number_or_none() for key in FRONT_FIGURES}
    read |= {key: point[key].count() for key in ("curves", "numbers", "terms") if key in point}
    if "truth" in point:
        read["truth"] = point["truth"].number()
        if read["truth"] < 0.0:
            raise point["truth"].wrong("a number that is not negative")
    return read


def _input(written: Checked) -> str | int:
    """Return the name of an input, or its number."""
    return written.text() if isinstance(written.value, str) else written.count()


def _split_points(written: Checked) -> dict[str | int, list[float]] | None:
    if written.value is None:
        return None
    points: dict[str | int, list[float]] = {}
    for item in written.items():
        members = item.keys(("input", "at"))
        key = _input(members["input"])
        if key in points:
            raise ValueError(f"{written.place} has an input twice")
        points[key] = members["at"].numbers().tolist()
    return points


def _constraints_to_json(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the constraints on columns as lists."""
    directions, groups = settings.get("monotonic_constraints"), settings.get("interaction_constraints")
    written: dict[str, Any] = {}
    if isinstance(directions, Mapping):
        written["monotonic_constraints"] = [
            {"input": _plain(name), "direction": int(sign)} for name, sign in directions.items()
        ]
    elif directions is not None:
        written["monotonic_constraints"] = [int(sign) for sign in directions]
    if groups is not None and not isinstance(groups, str):
        written["interaction_constraints"] = [[_plain(name) for name in group] for group in groups]
    return written


def _directions(written: Checked) -> dict[str | int, int] | list[int] | None:
    """Return the directions of columns: by name or number, or one per column."""
    if written.value is None:
        return None
    items = list(written.items())
    if not any(isinstance(item.value, dict) for item in items):
        return [item.one_of(-1, 0, 1) for item in items]
    found: dict[str | int, int] = {}
    for item in items:
        members = item.keys(("input", "direction"))
        column = _input(members["input"])
        if column in found:
            raise members["input"].wrong("a column that has no direction yet")
        found[column] = members["direction"].one_of(-1, 0, 1)
    return found


def _plain(value: Any) -> Any:
    """Return a value as JSON can hold it: text, a flag, a finite number, a record of these; null for anything else."""
    if is_dataclass(value) and not isinstance(value, type):
        return {name: "inf" if one == math.inf else _plain(one) for name, one in asdict(value).items()}
    if isinstance(value, np.generic):
        value = value.item()
    is_finite = isinstance(value, float) and math.isfinite(value)
    return value if is_finite or isinstance(value, str | int) else None


def _bounds(written: Checked) -> tuple[float | None, float | None] | None:
    if written.value is None:
        return None
    ends = [None if end.value is None else end.number() for end in written.items()]
    if len(ends) != 2:
        raise written.wrong("two numbers, with null for no bound")
    return ends[0], ends[1]


def _as_written(written: Checked) -> Any:
    return written.value


_READERS: dict[str, Callable[[Checked], Any]] = {
    "split_points": _split_points,
    "monotonic_constraints": _directions,
    "bounds": _bounds,
}
