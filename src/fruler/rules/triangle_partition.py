"""Partitions whose labels are triangles of any shape."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fruler._typing import Floats
from fruler.rules.labels import label_names
from fruler.rules.partitions import LARGEST_LIMIT, Partition, Trapezoid, checked_labels, finite_numbers, new_names

Triangle = tuple[float, float, float]


@dataclass(frozen=True, init=False)
class TrianglePartition(Partition):
    """A partition of an ordered input, or of an output, into triangles: degrees need not sum to one.

    The degree of a label rises from 0 at its first point to 1 at its second, and falls to 0 at its third. There may be
    gaps where no label holds. A value beyond the domain counts as the end of the domain.

    Parameters
    ----------
    points : sequence of (float, float, float)
        Three points for each label, none less than the one before it; labels by their second point, from low to high. A
        first point of minus infinity: the label holds for everything below its second point, too; the same with a
        third point of infinity for everything above.
    domain : (float, float)
        The smallest and the largest value.
    labels : sequence of str, optional
        Distinct names from low to high; linguistic ones by default.

    See Also
    --------
    FuzzyPartition : Labels whose degrees sum to one.
    LabelTriangles : Antecedents over such labels.

    Examples
    --------
    >>> weight = TrianglePartition([(-math.inf, 1000.0, 2000.0), (1200.0, 2000.0, math.inf)], (1000.0, 2500.0))
    >>> weight.labels
    ('low', 'high')
    >>> weight.degrees([900.0, 1500.0, 2200.0]).tolist()
    [[1.0, 0.0], [0.5, 0.375], [0.0, 1.0]]
    """

    points: tuple[Triangle, ...]
    domain: tuple[float, float]
    labels: tuple[str, ...]

    def __init__(
        self,
        points: Sequence[Sequence[float]] | Floats,
        domain: tuple[float, float] | Sequence[float] | Floats,
        labels: Sequence[str] | None = None,
    ) -> None:
        limits = finite_numbers("domain", domain)
        if limits.shape != (2,) or limits[0] > limits[1] or np.abs(limits).max() > LARGEST_LIMIT:
            raise ValueError(
                f"domain must be the least and the greatest value, not beyond {LARGEST_LIMIT:g}; got {domain!r}."
            )
        triangles = checked_triangles(points)
        if triangles.ndim != 2 or not len(triangles):
            raise ValueError("A partition into triangles needs three points for each of its labels, and a label.")
        rows = tuple((a, b, c) for a, b, c in triangles.tolist())
        for number, (one, other) in enumerate(itertools.pairwise(rows)):
            if other[1] < one[1]:
                raise ValueError(
                    f"Labels must be ordered by their second points; that of label {number + 1} (counted from 0) is "
                    f"{other[1]}, after {one[1]}."
                )
        object.__setattr__(self, "points", rows)
        object.__setattr__(self, "domain", (float(limits[0]), float(limits[1])))
        object.__setattr__(self, "labels", checked_labels(labels, len(rows)))

    @classmethod
    def uniform(
        cls,
        domain: tuple[float, float],
        n_labels: int,
        displacement: float = 0.0,
        *,
        shoulders: bool = True,
        labels: Sequence[str] | None = None,
    ) -> TrianglePartition:
        """Return equal triangles, each of which reaches from the middle of the label below to that of the one above.

        Parameters
        ----------
        domain : (float, float)
            The middles of the lowest and of the highest label.
        n_labels : int
            How many labels there are.
        displacement : float, default=0.0
            By how much all labels are moved, as a share of the way from one middle to the next.
        shoulders : bool, default=True
            Whether the outer labels hold for everything beyond their middles, as those of inputs do. Without, as those
            of an output, they are whole triangles that reach beyond the domain.
        labels : sequence of str, optional
            Names of the labels.

        Returns
        -------
        TrianglePartition
            The partition.

        Raises
        ------
        ValueError
            If there is less than one label.

        Examples
        --------
        >>> TrianglePartition.uniform((0.0, 10.0), 3, shoulders=False).points
        ((-5.0, 0.0, 5.0), (0.0, 5.0, 10.0), (5.0, 10.0, 15.0))
        """
        if n_labels < 1:
            raise ValueError(f"A partition has at least one label, not {n_labels}.")
        low, high = finite_numbers("domain", domain).tolist()
        # With one label the step is the whole domain, and its middle that of the domain.
        step = (high - low) / max(n_labels - 1, 1)
        start = low if n_labels > 1 else low / 2.0 + high / 2.0
        # Counted from the label below the lowest: neighbours share their points to the last bit.
        middles = start + (np.arange(-1, n_labels + 1) + displacement) * step
        points = np.column_stack([middles[:-2], middles[1:-1], middles[2:]])
        if shoulders:
            points[0, 0], points[-1, 2] = -np.inf, np.inf
        return cls(points, domain, labels)

    @property
    def triangles(self) -> Floats:
        """The points, shape (n_labels, 3)."""
        return np.array(self.points)

    @property
    def range(self) -> tuple[float, float]:
        """The domain."""
        return self.domain

    @property
    def default_labels(self) -> tuple[str, ...]:
        """The names that the labels have unless they are given others."""
        return label_names(self.n_labels)

    def degrees(self, x: Any) -> Floats:
        """Return the membership degrees of values, one row per value and one column per label."""
        values = np.clip(finite_numbers("the values", x), *self.domain)
        return np.column_stack([triangle_degrees(values, triangle) for triangle in self.points])

    def trapezoid(self, first: int, last: int) -> Trapezoid:
        """Return where some neighbouring labels begin to hold, hold fully, and cease to."""
        (start, full_from, _), (_, full_to, end) = self.points[first], self.points[last]
        # A label that goes on at a side holds fully there.
        return Trapezoid(start, start if math.isinf(start) else full_from, end if math.isinf(end) else full_to, end)

    def marks(self, first: int, last: int) -> list[float]:
        """Return the middle points of some neighbouring labels."""
        return [points[1] for points in self.points[first : last + 1]]

    def renamed(self, names: Mapping[str, str] | Sequence[str]) -> TrianglePartition:
        """Return the partition with other label names: all of them in order, or a mapping from old to new."""
        return replace(self, labels=new_names(self.labels, names))

    def mapped(self, rising: Callable[[Floats], Floats]) -> TrianglePartition:
        """Return the partition with its points on another scale; between them, degrees change.

        Parameters
        ----------
        rising : callable
            An increasing function that takes and returns an array.

        Returns
        -------
        TrianglePartition
            The partition on the other scale.

        Examples
        --------
        >>> TrianglePartition([(0.0, 1.0, 2.0)], (0.0, 2.0)).mapped(lambda points: 10.0 * points).points
        ((0.0, 10.0, 20.0),)
        """
        return TrianglePartition(rising(self.triangles), rising(np.array(self.domain)), self.labels)


def triangle_degrees(values: Floats, triangle: Triangle | Floats) -> Floats:
    """Return the degree of each value in a triangle, by NumPy.

    Examples
    --------
    >>> triangle_degrees(np.array([0.0, 1.0, 2.0, 5.0]), (0.0, 2.0, math.inf)).tolist()
    [0.0, 0.5, 1.0, 1.0]
    """
    a, b, c = (float(point) for point in triangle)
    degrees = np.ones(len(values))
    left, right = values < b, values > b
    if a > -math.inf:
        degrees[left] = np.where(values[left] > a, (values[left] - a) / ((b - a) or 1.0), 0.0)
    if c < math.inf:
        degrees[right] = np.where(values[right] < c, (c - values[right]) / ((c - b) or 1.0), 0.0)
    return degrees


def triangle_words(triangle: Sequence[float], written: Callable[[float], str]) -> str:
    """Say what values a triangle stands for; `written` writes a value.

    Examples
    --------
    >>> triangle_words((2100.0, 2800.0, 3400.0), "{:g}".format)
    'about 2800 (2100 to 3400)'
    >>> triangle_words((2100.0, 2800.0, math.inf), "{:g}".format)
    'from 2800 (above 2100)'
    """
    a, b, c = triangle
    if math.isinf(a):
        return "any" if math.isinf(c) else f"up to {written(b)} (below {written(c)})"
    if math.isinf(c):
        return f"from {written(b)} (above {written(a)})"
    return f"about {written(b)} ({written(a)} to {written(c)})"


def checked_triangles(points: Any) -> Floats:
    """Return triangles as an array of shape (..., 3), or say which of them is none.

    Where all three points are NaN there is no triangle.
    """
    try:
        # Adding zero turns a negative zero into a positive one, so that equal triangles have equal hashes.
        array = np.array(points, dtype=np.float64, order="C") + 0.0
    except (TypeError, ValueError) as error:
        raise ValueError("Triangles must be three numbers each.") from error
    if array.ndim < 2 or array.shape[-1] != 3:
        raise ValueError(f"Triangles must be three numbers each; got an array of shape {array.shape}.")
    a, b, c = array[..., 0], array[..., 1], array[..., 2]
    far = (np.abs(b) > LARGEST_LIMIT) | ((np.abs(a) > LARGEST_LIMIT) & (a != -np.inf))
    far |= (np.abs(c) > LARGEST_LIMIT) & (c != np.inf)
    wrong = np.isnan(array).any(axis=-1) | ~((a <= b) & (b <= c)) | far
    if array.ndim > 2:
        wrong &= ~np.isnan(array).all(axis=-1)
    if wrong.any():
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise ValueError(
            f"The points of a triangle must be three numbers, none less than the one before it, and the second "
            f"finite; got {tuple(array[place].tolist())} at {place if len(place) > 1 else place[0]}, counted from 0."
        )
    return array
