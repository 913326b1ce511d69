"""Constraints that users set on inputs: split points, monotonic effects, and groups of inputs that may interact."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fruler._arrays import LARGEST_VALUE, Floats
from fruler._table.sources import Source
from fruler._wording import quote_names, suggest

# The kernels store a label's number in a byte, and nobody could read more labels.
MAX_LABELS = 200


def domains_with_room(
    ends: Floats, names: Sequence[str], split_points: Mapping[str | int, Any] | None
) -> tuple[Floats, dict[int, Floats]]:
    """Check the given split points; return the domains of the inputs, and the split points by input.

    Parameters
    ----------
    ends : ndarray of shape (n_inputs, 2)
        The minimum and the maximum of each input.
    names : sequence of str
        The names of the inputs.
    split_points : mapping or None
        The split points, by name or number of the input.
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
        raise ValueError(
            f"split_points has {len(known)} points for {name!r}; an input can have at most {MAX_LABELS} labels."
        )
    if len(known) == 0 or not (np.abs(known) <= LARGEST_VALUE).all() or not (np.diff(known) > 0.0).all():
        raise ValueError(f"split_points of {name!r} must be finite and increase strictly; got {points!r}.")
    return known


Bools = npt.NDArray[np.bool_]

MONOTONIC, INTERACTIONS = "monotonic_constraints", "interaction_constraints"
# Named groups, as in scikit-learn.
NO_INTERACTIONS, PAIRWISE = "no_interactions", "pairwise"
# With more columns than this there are too many pairs.
_MAX_IN_PAIRS = 200


class InputConstraints(NamedTuple):
    """Constraints on inputs, by name, as JSON can hold them.

    Attributes
    ----------
    monotonic : dict of str to int or None
        The direction of inputs: the target rises (1) or falls (-1) with them; None if there are none.
    interactions : list of list of str or None
        Groups of inputs that may interact with one another; None if all may.
    """

    monotonic: dict[str, int] | None = None
    interactions: list[list[str]] | None = None

    def signs(self, names: Sequence[str]) -> npt.NDArray[np.intc]:
        """Return the direction of each input: 1, -1, or 0 if unknown."""
        known = self.monotonic or {}
        return np.array([known.get(name, 0) for name in names], dtype=np.intc)

    def groups(self, names: Sequence[str]) -> Bools | None:
        """Return the membership of inputs in groups, shape (n_groups, n_inputs); None if all may interact."""
        if self.interactions is None:
            return None
        numbers = {name: number for number, name in enumerate(names)}
        groups = np.zeros((len(self.interactions), len(names)), dtype=np.bool_)
        for own, group in zip(groups, self.interactions, strict=True):
            own[[numbers[name] for name in group]] = True
        return groups

    def fillers(self, names: Sequence[str]) -> Bools | None:
        """Return which inputs a missing value may be estimated from, shape (n_inputs, n_inputs); None for all.

        An estimate changes with the inputs it is made from. For the constraints to hold in rows with gaps, a gap is not
        filled from an input with a known direction, nor from an input that is not in every group of the missing one.

        Examples
        --------
        >>> InputConstraints({"age": 1}).fillers(["age", "size", "rooms"]).astype(int).tolist()
        [[0, 1, 1], [0, 1, 1], [0, 1, 1]]
        """
        if self.monotonic is None and self.interactions is None:
            return None
        may: Bools = np.ones((len(names), len(names)), dtype=np.bool_)
        groups = self.groups(names)
        if groups is not None:
            counts = groups.astype(np.float32)
            # Input k may fill gaps of j if every group with j has k, too.
            may = np.asarray(counts.T @ (1.0 - counts) == 0.0)
        return np.asarray(may & (self.signs(names) == 0))


def input_constraints(
    monotonic: Any, interactions: Any, names: Sequence[str], sources: Sequence[Source]
) -> InputConstraints:
    """Check the constraints on columns and translate them to inputs.

    Parameters
    ----------
    monotonic : dict of str or int to int, array-like of shape (n_columns,), or None
        The direction of columns: 1, -1 or 0.
    interactions : sequence of sequences of str or int, "no_interactions", "pairwise", or None
        Groups of columns. Columns in no group form one more group.
    names : sequence of str
        The inputs.
    sources : sequence of Source
        The source of each input; several inputs may come from one column of dates.

    Raises
    ------
    ValueError
        If a constraint has another form, or names a column that X does not have.

    Examples
    --------
    >>> from fruler._table.sources import GapSource, NumberSource
    >>> inputs = {"age": NumberSource("age"), "size": NumberSource("size"), "age is missing": GapSource("age")}
    >>> input_constraints([0, -1], [["age"]], list(inputs), list(inputs.values()))
    InputConstraints(monotonic={'size': -1}, interactions=[['age', 'age is missing'], ['size']])
    """
    columns = list(dict.fromkeys(source.column for source in sources))
    directions = {} if monotonic is None else _directions(monotonic, columns)
    known: dict[str, int] = {}
    for name, source in zip(names, sources, strict=True):
        if directions.get(source.column, 0) == 0 or source.tells_gaps:
            continue
        _require_numbers(source)
        known[name] = directions[source.column]
    groups = None if interactions is None else _groups(interactions, columns)
    if groups is None:
        return InputConstraints(known or None)
    owned = [[name for name, one in zip(names, sources, strict=True) if one.column in group] for group in groups]
    return InputConstraints(known or None, owned)


def _directions(given: Any, columns: Sequence[str]) -> dict[str, int]:
    """Return the direction of columns, by name."""
    if isinstance(given, Mapping):
        numbers = [_column_number(name, columns, MONOTONIC) for name in given]
        values = list(given.values())
        if len(set(numbers)) < len(numbers):
            raise ValueError(f"{MONOTONIC} names a column twice, by its name and by its number; name it once.")
    else:
        values = np.asarray(given, dtype=object).tolist() if np.ndim(given) == 1 else []
        if len(values) != len(columns):
            raise ValueError(
                f"{MONOTONIC} must be a dict by column, or have one number for each of the {len(columns)} columns of "
                f"X; got {given!r}."
            )
        numbers = list(range(len(columns)))
    found: dict[str, int] = {}
    for number, value in zip(numbers, values, strict=True):
        sign = next((sign for sign in (-1, 0, 1) if value is not None and np.ndim(value) == 0 and value == sign), None)
        if sign is None:
            raise ValueError(
                f"{MONOTONIC} must be 1 (rising), -1 (falling) or 0 (either); got {value!r} for the column "
                f"{columns[number]!r}."
            )
        found[columns[number]] = sign
    return found


def _require_numbers(source: Source) -> None:
    held = "dates, which become several inputs" if source.of_dates else "categories, which have no order"
    if source.of_dates or source.choices:
        raise ValueError(
            f"{MONOTONIC} names the column {source.column!r}, which holds {held}; leave it out, or turn it into a "
            "column of numbers."
        )


def _groups(given: Any, columns: Sequence[str]) -> list[set[str]]:
    """Return groups of columns; columns in no other group form the last one."""
    if isinstance(given, str):
        if given not in (NO_INTERACTIONS, PAIRWISE):
            raise ValueError(
                f"{INTERACTIONS} must be groups of columns, {NO_INTERACTIONS!r} or {PAIRWISE!r}; got {given!r}."
            )
        if given == NO_INTERACTIONS or len(columns) == 1:
            return [{name} for name in columns]
        if len(columns) > _MAX_IN_PAIRS:
            raise ValueError(
                f"{INTERACTIONS}={PAIRWISE!r} takes at most {_MAX_IN_PAIRS} columns, and X has {len(columns)}; leave "
                "out columns, or name the groups."
            )
        return [set(pair) for pair in combinations(columns, 2)]
    groups = [
        {columns[_column_number(name, columns, INTERACTIONS)] for name in _members(group)} for group in _members(given)
    ]
    others = set(columns).difference(*groups)
    return [group for group in [*groups, others] if group]


def _members(given: Any) -> Iterable[Any]:
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise ValueError(
            f"{INTERACTIONS} must be groups of columns, as in [['age', 'size'], ['rooms']]; got {given!r} for a group."
        )
    return given


def _column_number(name: Any, columns: Sequence[str], parameter: str) -> int:
    """Return the number of a column that is given by name or by number."""
    if isinstance(name, str) and name in columns:
        return columns.index(name)
    if not isinstance(name, str | bool) and name in range(len(columns)):
        return int(name)
    told = suggest(name, columns) if isinstance(name, str) else f"the columns are {quote_names(columns)}"
    raise ValueError(f"{parameter} names the column {name!r}, which X does not have; {told}.")
