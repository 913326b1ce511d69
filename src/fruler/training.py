"""What every search for rules starts from, and what it ends with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from fruler.rows import Rows, spread_evenly
from fruler.rules.partition import MOST_LABELS
from fruler.rules.rule_base import RuleBase
from fruler.scaling import Floats, Scale, measure_scale
from fruler.validation import LARGEST_VALUE


@dataclass(frozen=True, eq=False)
class Outline:
    """What is known of a table beside its rows.

    Attributes
    ----------
    scale, target_scale : Scale
        How inputs and output are standardised.
    names : sequence of str
        The names of the inputs.
    domains : ndarray of shape (n_inputs, 2)
        The least and the greatest value of each input, in its own units; wider where known splits need it.
    known_splits : dict of int to ndarray
        Split points that the user knows, by input, in its own units.
    """

    scale: Scale
    target_scale: Scale
    names: Sequence[str]
    domains: Floats
    known_splits: dict[int, Floats]

    @property
    def n_inputs(self) -> int:
        """The number of inputs."""
        return len(self.names)

    @property
    def error_unit(self) -> float:
        """Turns a mean squared error of standardised outputs into half of one in the target's own units."""
        return float(self.target_scale.spread) ** 2 / 2.0


@dataclass(frozen=True, eq=False)
class TrainingData(Outline):
    """A checked table, standardised, with all that is needed to come back to its own units.

    Attributes
    ----------
    values, target : ndarray
        The inputs and the output, in their own units.
    weight : ndarray or None
        How much each row counts; one on average.
    rows : Rows
        The same, standardised.
    """

    values: Floats
    target: Floats
    weight: Floats | None
    rows: Rows

    @classmethod
    def from_arrays(
        cls,
        values: Floats,
        target: Floats,
        weight: Floats | None,
        names: Sequence[str],
        split_points: Mapping[str | int, Any] | None,
    ) -> Self:
        """Standardise a table, and check the split points that are known."""
        scale, target_scale = measure_scale(values), measure_scale(target)
        rows = Rows.from_arrays(scale.apply(values), target_scale.apply(target), weight)
        ends = np.column_stack([values.min(axis=0), values.max(axis=0)])
        domains, known_splits = domains_with_room(ends, names, split_points)
        return cls(scale, target_scale, names, domains, known_splits, values, target, weight, rows)

    def sample(self, most: int) -> TrainingSample:
        """Return rows that are spread evenly over the table, so many at most."""
        some = spread_evenly(len(self.target), most)
        return TrainingSample(self.values[some], self.target[some], None if self.weight is None else self.weight[some])

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.target)

    @property
    def digests(self) -> dict[str, str]:
        """Short texts that are other for other data, by what they are of."""
        return {"X": digest(self.values), "y": digest(self.target), "sample_weight": digest(self.weight)}


class TrainingSample(NamedTuple):
    """Some rows of a table, in their own units."""

    values: Floats
    target: Floats
    weight: Floats | None


@dataclass(frozen=True, eq=False)
class FrontPoint:
    """A model of the trade-off between accuracy and size.

    Attributes
    ----------
    rule_base : RuleBase
        The model.
    criterion : float
        What the search minimised, for it.
    error : float
        Half the mean squared error on the training rows, in the target's own units.
    cv_error : float
        The same on rows that were left out, where the search estimates it; NaN elsewhere.
    regularization : float
        With which its consequents were fitted.
    n_uncovered : int
        Training rows that fit no rule.
    """

    rule_base: RuleBase
    criterion: float
    error: float
    cv_error: float
    regularization: float
    n_uncovered: int


@dataclass(frozen=True, eq=False)
class Learned:
    """What a search found.

    Attributes
    ----------
    front : tuple of FrontPoint
        Models by increasing number of rules: the best that was met of each.
    chosen : int
        Which of them is the model.
    n_evaluations : int
        The candidates that were looked at.
    history : DataFrame
        How the search went.
    sample_indices : ndarray
        The rows that rules were made from.
    seconds : dict of str to float
        How long each stage took.
    exact : bool
        Whether it came to its own end: no limit of time, and nobody, has cut it short.
    """

    front: tuple[FrontPoint, ...]
    chosen: int
    n_evaluations: int
    history: pd.DataFrame
    sample_indices: npt.NDArray[np.intp]
    seconds: dict[str, float]
    exact: bool = True


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
        As `FRULERRegressor` takes them.
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


def digest(values: Floats | None) -> str:
    """Return a short text that is another one for other numbers.

    Examples
    --------
    >>> import numpy as np
    >>> digest(np.array([0.0, 1.0])) == digest(np.array([-0.0, 1.0])) != digest(np.array([1.0, 0.0]))
    True
    """
    if values is None:
        return "none"
    # Adding zero turns a negative zero, which equals the positive one, into it.
    content = np.ascontiguousarray(values) + 0.0
    return f"{content.shape} {blake2b(content.data, digest_size=16).hexdigest()}"


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
    if len(known) >= MOST_LABELS:
        raise ValueError(f"split_points of {name!r} are {len(known)}; an input can have {MOST_LABELS} labels at most.")
    if len(known) == 0 or not (np.abs(known) <= LARGEST_VALUE).all() or not (np.diff(known) > 0.0).all():
        raise ValueError(f"split_points of {name!r} must be finite and increase strictly; got {points!r}.")
    return known
