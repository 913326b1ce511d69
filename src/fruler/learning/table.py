"""What every search for rules starts from, and what it ends with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from fruler._typing import Floats
from fruler.rules.rule_base import RuleBase
from fruler.table.known_splits import domains_with_room
from fruler.table.rows import Rows, spread_evenly
from fruler.table.scaling import Scale, measure_scale


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
