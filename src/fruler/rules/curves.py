"""Curves that all rules share: what one input adds to the output of every rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler.rules.arrays import frozen
from fruler.rules.partitions import FuzzyPartition

# Beyond this a consequent overflows where the data are large, too.
_LARGEST_COEFFICIENT = 1e300


@dataclass(frozen=True, init=False, eq=False)
class Curve:
    """What one input adds to the output of every rule: a line on each label of a fuzzy partition, blended.

    The partition is the curve's own, apart from the labels that antecedents use.

    Parameters
    ----------
    input : int
        The number of the input.
    partition : FuzzyPartition
        Where one line fades into the next.
    coefficients : array-like of shape (n_labels, 2)
        Intercept and slope of each line, in the data's own units.

    Examples
    --------
    >>> from fruler import FuzzyPartition
    >>> age = Curve(0, FuzzyPartition([10.0], (0.0, 20.0), fuzziness=0.5), [[-5.0, 1.0], [5.0, 0.0]])
    >>> age.values([0.0, 10.0, 20.0]).tolist()
    [-5.0, 5.0, 5.0]
    """

    input: int
    partition: FuzzyPartition
    coefficients: Floats

    def __init__(self, input: int, partition: FuzzyPartition, coefficients: npt.ArrayLike) -> None:
        object.__setattr__(self, "input", int(input))
        object.__setattr__(self, "partition", partition)
        object.__setattr__(self, "coefficients", frozen(coefficients, np.float64))
        shape = (partition.n_labels, 2)
        if self.coefficients.shape != shape:
            raise ValueError(
                f"A curve over {partition.n_labels} labels needs coefficients of shape {shape}; "
                f"got {self.coefficients.shape}."
            )
        if not (np.abs(self.coefficients) <= _LARGEST_COEFFICIENT).all():
            raise ValueError("The coefficients of a curve must be finite numbers.")

    @property
    def n_pieces(self) -> int:
        """The number of lines."""
        return len(self.coefficients)

    @property
    def steps(self) -> Floats:
        """The first line, and then how each line differs from the one before it, shape (n_pieces, 2)."""
        return np.diff(self.coefficients, axis=0, prepend=0.0)

    def values(self, x: Any) -> Floats:
        """Return what the curve adds at some values of its input."""
        numbers = np.asarray(x, dtype=np.float64)
        lower, upper = self.partition.place(numbers)
        above = np.minimum(lower + 1, self.n_pieces - 1)
        lines = self.coefficients[:, 0] + self.coefficients[:, 1] * numbers[:, None]
        at = np.arange(len(numbers))
        return np.asarray((1.0 - upper) * lines[at, lower] + upper * lines[at, above])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Curve):
            return NotImplemented
        same = (self.input, self.partition) == (other.input, other.partition)
        return same and np.array_equal(self.coefficients, other.coefficients)

    def __hash__(self) -> int:
        return hash((self.input, self.partition, self.coefficients.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor: a copy is frozen like its original.
        return Curve, (self.input, self.partition, self.coefficients)


def sum_of_curves(curves: tuple[Curve, ...], values: Floats) -> Floats:
    """Return what all curves together add to each row of a table of inputs."""
    total = np.zeros(len(values))
    for curve in curves:
        total += curve.values(values[:, curve.input])
    return total
