"""Curves that all rules share: functions of one input that are added to the output of every rule."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fruler._arrays import Floats, FrozenValue, frozen
from fruler.rules._partitions import FuzzyPartition

# Differences of such numbers do not overflow.
_LARGEST_COEFFICIENT = 1e300
# Bends nearer than this share of the domain count as one: rounding may leave a gap between zones that touch.
_ONE_BEND = 1e-9
# A part that deviates from a straight line by less than this share of the curve's span counts as straight.
_STRAIGHT = 0.05


class Bends(NamedTuple):
    """The bends of a curve, from low to high, and its heights there; a jump is listed twice."""

    x: Floats
    adds: Floats

    @property
    def below_jump(self) -> list[bool]:
        """Whether each bend is just below a jump, and not at the jump."""
        return [*(np.diff(self.x) == 0.0).tolist(), False]


@dataclass(frozen=True, init=False, eq=False)
class Curve(FrozenValue):
    """A function of one input, added to the output of every rule: a line on each label of a fuzzy partition, blended.

    The partition belongs to the curve; antecedents use other labels.

    Parameters
    ----------
    input : int
        The number of the input, from 0.
    partition : FuzzyPartition
        The partition in which one line fades into the next.
    coefficients : array-like of shape (n_labels, 2)
        Intercept and slope of each line, in the data's own units.

    See Also
    --------
    RuleBase : Rules with curves.
    fruler.explain.plots.CurveDisplay : Draws curves.

    Examples
    --------
    >>> from fruler import FuzzyPartition
    >>> age = Curve(0, FuzzyPartition([10.0], (0.0, 20.0), fuzziness=0.5), [[-5.0, 1.0], [5.0, 0.0]])
    >>> age.values([0.0, 10.0, 20.0]).tolist()
    [-5.0, 5.0, 5.0]

    Points to draw the curve through:

    >>> x, adds = age.outline(0.0, 20.0, n_between=1)
    >>> x.tolist(), adds.tolist()
    ([0.0, 5.0, 10.0, 15.0, 20.0], [-5.0, 0.0, 5.0, 5.0, 5.0])
    """

    input: int
    partition: FuzzyPartition
    coefficients: Floats

    def __init__(self, input: int, partition: FuzzyPartition, coefficients: npt.ArrayLike) -> None:
        if not isinstance(partition, FuzzyPartition):
            raise ValueError(f"A curve needs a FuzzyPartition; got a {type(partition).__name__}.")
        try:
            number = operator.index(input)
        except TypeError:
            raise ValueError(f"A curve needs the number of its input; got {input!r}.") from None
        # Adding zero turns a negative zero into a positive one, so that equal curves have equal hashes.
        lines = frozen(np.asarray(coefficients, dtype=np.float64) + 0.0)
        shape = (partition.n_labels, 2)
        if lines.shape != shape:
            raise ValueError(
                f"A curve over {partition.n_labels} labels needs coefficients of shape {shape}; got {lines.shape}."
            )
        if not (np.abs(lines) <= _LARGEST_COEFFICIENT).all():
            raise ValueError(f"The coefficients of a curve must be numbers up to {_LARGEST_COEFFICIENT:g} in size.")
        self._set(input=number, partition=partition, coefficients=lines)

    @property
    def n_pieces(self) -> int:
        """The number of lines."""
        return len(self.coefficients)

    @property
    def steps(self) -> Floats:
        """The first line, then the difference of each line from the one before it, shape (n_pieces, 2)."""
        return np.diff(self.coefficients, axis=0, prepend=0.0)

    def values(self, x: Any) -> Floats:
        """Return the height of the curve at some values of its input.

        Parameters
        ----------
        x : array-like of shape (n_samples,)
            The values.

        Returns
        -------
        ndarray of shape (n_samples,)
            The heights, which are added to the output of every rule.
        """
        lower, upper = self.partition.place(x)
        numbers = np.asarray(x, dtype=np.float64)
        below = self._line(lower, numbers)
        between = upper > 0.0
        below[between] *= 1.0 - upper[between]
        below[between] += upper[between] * self._line(lower[between] + 1, numbers[between])
        return below

    def _line(self, pieces: npt.NDArray[np.signedinteger[Any]], x: Floats) -> Floats:
        return np.asarray(self.coefficients[pieces, 0] + self.coefficients[pieces, 1] * x)

    def bends(self) -> Bends:
        """Return the bends of the curve, from low to high, and its heights there.

        The curve bends where a line begins to fade into the next and where the fading ends; also half-way between, if
        that part is far from straight. The ends of the domain are included. A jump is listed twice: first with the
        height just below it, then with the height at it.

        Returns
        -------
        Bends
            The values of the input, and the heights there.

        Examples
        --------
        >>> from fruler import FuzzyPartition
        >>> step = Curve(0, FuzzyPartition([10.0], (0.0, 20.0), fuzziness=0.0), [[-5.0, 0.0], [5.0, 0.0]])
        >>> [part.tolist() for part in step.bends()]
        [[0.0, 10.0, 10.0, 20.0], [-5.0, -5.0, 5.0, 5.0]]
        """
        starts, ends = self._zones()
        low, high = self.partition.domain
        pieces = np.arange(self.n_pieces)
        x = np.concatenate([[low], np.column_stack([starts, ends]).ravel(), [high]])
        adds = self._line(np.repeat(pieces, 2), x)
        splits = np.asarray(self.partition.split_points)
        half_way = (self._line(pieces[:-1], splits) + self._line(pieces[1:], splits)) / 2.0
        span = np.ptp([*adds, *half_way])
        bent = np.flatnonzero(np.abs(half_way - (adds[1:-1:2] + adds[2::2]) / 2.0) > _STRAIGHT * span)
        bent = bent[ends[bent] > starts[bent]]
        x, adds = (np.insert(part, 2 + 2 * bent, new[bent]) for part, new in ((x, splits), (adds, half_way)))
        kept = np.ones(len(x), dtype=np.bool_)
        # Where zones touch, the end of one is the start of the next; a crisp split point without a jump is one bend.
        kept[1:] = (np.diff(x) > _ONE_BEND * (high - low)) | (np.abs(np.diff(adds)) > _ONE_BEND * span)
        return Bends(x[kept], adds[kept])

    def outline(self, low: float, high: float, n_between: int = 16) -> tuple[Floats, Floats]:
        """Return points to draw the curve through.

        The curve is straight except in the zones in which one line fades into the next. There it is a parabola.

        Parameters
        ----------
        low : float
            The first value of the input.
        high : float
            The last value of the input.
        n_between : int, default=16
            The number of points between the ends of each zone.

        Returns
        -------
        x : ndarray
            Values of the input, from low to high.
        adds : ndarray
            The heights of the curve there.
        """
        starts, ends = (side[:, None] for side in self._zones())
        upper = np.linspace(0.0, 1.0, n_between + 2)
        x = starts + (ends - starts) * upper
        pieces = np.arange(self.n_pieces - 1)[:, None]
        adds = (1.0 - upper) * self._line(pieces, x) + upper * self._line(pieces + 1, x)
        inside = (low < x) & (x < high)
        first, last = self.values([low, high])
        return np.concatenate([[low], x[inside], [high]]), np.concatenate([[first], adds[inside], [last]])

    def _zones(self) -> tuple[Floats, Floats]:
        """Return where each line begins to fade into the next, and where the fading ends."""
        splits, halves = np.asarray(self.partition.split_points, dtype=np.float64), self.partition.half_widths
        return splits - halves, splits + halves


def checked_curves(curves: Sequence[Curve], n_inputs: int) -> tuple[Curve, ...]:
    """Return curves in the order of their inputs; raise an error if they are not valid."""
    if not all(isinstance(curve, Curve) for curve in curves):
        raise ValueError("curves must be Curve objects: Curve(input, partition, coefficients).")
    inputs = sorted(curve.input for curve in curves)
    if len(set(inputs)) < len(inputs) or any(not 0 <= j < n_inputs for j in inputs):
        raise ValueError(
            f"Each of the {n_inputs} inputs, counted from 0, may have at most one curve; "
            f"got curves for the inputs {', '.join(map(str, inputs))}."
        )
    return tuple(sorted(curves, key=lambda curve: curve.input))


def sum_of_curves(curves: tuple[Curve, ...], values: Floats) -> Floats:
    """Return the sum of all curves for each row of inputs."""
    total = np.zeros(len(values))
    for curve in curves:
        total += curve.values(values[:, curve.input])
    return total
