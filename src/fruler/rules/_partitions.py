"""Partitions of an input into labels: fuzzy, nominal or triangular, and the names of labels."""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from fruler._arrays import Floats, FrozenValue
from fruler._kernels import inference

_SMALL = {
    1: ("any",),
    2: ("low", "high"),
    3: ("low", "medium", "high"),
    4: ("low", "medium low", "medium high", "high"),
    5: ("very low", "low", "medium", "high", "very high"),
    6: ("very low", "low", "medium low", "medium high", "high", "very high"),
    7: ("very low", "low", "medium low", "medium", "medium high", "high", "very high"),
    8: ("extremely low", "very low", "low", "medium low", "medium high", "high", "very high", "extremely high"),
    9: (
        "extremely low",
        "very low",
        "low",
        "medium low",
        "medium",
        "medium high",
        "high",
        "very high",
        "extremely high",
    ),
}


def label_names(n_labels: int) -> tuple[str, ...]:
    """Return the default names of the labels of a partition, from the lowest to the highest.

    Each of up to nine labels has its own word. For more labels nobody could put the words in order, so each name has a
    word for the zone and the position: ``"low (4 of 12)"``.

    Parameters
    ----------
    n_labels : int
        The number of labels, at least 1.

    Returns
    -------
    tuple of str
        Distinct names.

    Raises
    ------
    ValueError
        If `n_labels` is less than 1.

    See Also
    --------
    FuzzyPartition : Labels with these names.

    Examples
    --------
    >>> label_names(3)
    ('low', 'medium', 'high')
    >>> label_names(12)[3]
    'low (4 of 12)'
    """
    if n_labels < 1:
        raise ValueError(f"A partition needs at least one label; got {n_labels}.")
    if n_labels in _SMALL:
        return _SMALL[n_labels]
    zones = _SMALL[5]
    return tuple(f"{zones[i * len(zones) // n_labels]} ({i + 1} of {n_labels})" for i in range(n_labels))


Labels = npt.NDArray[np.intc]

# A split may move by just less than half the gap: two neighbours that move towards each other stay apart.
LARGEST_DISPLACEMENT = 0.5 - 1e-6
# Differences of such numbers do not overflow.
LARGEST_LIMIT = 1e300


class Trapezoid(NamedTuple):
    """The start and end of a fuzzy set, and the range in which it holds fully; infinite on an open side."""

    start: float
    full_from: float
    full_to: float
    end: float


class Partition(FrozenValue, ABC):
    """The labels of one input. This is the interface of all partitions.

    Attributes
    ----------
    labels : tuple of str
        The names of the labels; ordered labels go from low to high.
    split_points : tuple of float
        The values at which ordered labels meet; empty for categories and triangles.
    fuzziness : tuple of float
        For each split point, the share of the space around it in which two labels overlap.
    groups : tuple of tuple of float
        The codes of the categories that each label stands for; empty for ordered labels.

    See Also
    --------
    FuzzyPartition : Labels for numbers, which fade into each other.
    NominalPartition : Labels for categories.
    TrianglePartition : Labels that are triangles of any shape.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition
    >>> temperature = FuzzyPartition([10.0, 20.0], domain=(0.0, 30.0))
    >>> temperature.n_labels, temperature.ordered, temperature.range
    (3, True, (0.0, 30.0))
    >>> temperature.degrees([10.0]).tolist(), temperature.half_way(1, 2), temperature.marks(1, 2)
    ([[0.5, 0.5, 0.0]], (10.0, None), [10.0])
    >>> temperature.trapezoid(1, 1)
    Trapezoid(start=5.0, full_from=15.0, full_to=15.0, end=25.0)
    >>> temperature.renamed({"low": "cold"}).labels
    ('cold', 'medium', 'high')
    """

    labels: tuple[str, ...]
    domain: tuple[float, float]
    split_points: tuple[float, ...] = ()
    fuzziness: tuple[float, ...] = ()
    groups: tuple[tuple[float, ...], ...] = ()

    @property
    def n_labels(self) -> int:
        """The number of labels, the granularity of the input."""
        return len(self.labels)

    @property
    def ordered(self) -> bool:
        """Whether the labels have an order; categories do not."""
        return not self.groups

    @property
    def range(self) -> tuple[float, float]:
        """The smallest and the largest value of the domain."""
        return self.domain

    @property
    def half_widths(self) -> Floats:
        """Half the width of the zone around each split point in which two labels overlap; empty if there are none."""
        return np.empty(0)

    @property
    def of_triangles(self) -> bool:
        """Whether labels are triangles of any shape, whose degrees need not sum to one."""
        return len(self.triangles) > 0

    @property
    def triangles(self) -> Floats:
        """The three points of each triangle, shape (n_labels, 3); empty for other kinds of labels."""
        return np.empty((0, 3))

    @property
    def default_labels(self) -> tuple[str, ...]:
        """The default names of the labels."""
        return label_names(self.n_labels)

    @abstractmethod
    def trapezoid(self, first: int, last: int) -> Trapezoid:
        """Return where some neighbouring labels, taken together, start, hold fully and end.

        Parameters
        ----------
        first : int
            The number of the first label, from 0.
        last : int
            The number of the last label.

        Returns
        -------
        Trapezoid
            The four values; infinite on an open side.
        """

    def half_way(self, first: int, last: int) -> tuple[float | None, float | None]:
        """Return the two values at which some neighbouring labels, taken together, have degree 0.5.

        Parameters
        ----------
        first : int
            The number of the first label, from 0.
        last : int
            The number of the last label.

        Returns
        -------
        (float or None, float or None)
            The values below and above; None on an open side.
        """
        start, full_from, full_to, end = self.trapezoid(first, last)
        below = start / 2.0 + full_from / 2.0 if math.isfinite(start) else None
        return below, full_to / 2.0 + end / 2.0 if math.isfinite(end) else None

    @abstractmethod
    def marks(self, first: int, last: int) -> list[float]:
        """Return the values that describe some neighbouring labels to a reader: their ends, or their middles.

        Parameters
        ----------
        first : int
            The number of the first label, from 0.
        last : int
            The number of the last label.

        Returns
        -------
        list of float
            The values, from low to high.
        """

    @abstractmethod
    def degrees(self, x: Any) -> Floats:
        """Return the membership degrees of values.

        Parameters
        ----------
        x : array-like of shape (n_samples,)
            The values.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            One row per value and one column per label, from 0 to 1.
        """

    def renamed(self, names: Mapping[str, str] | Sequence[str]) -> Self:
        """Return the partition with other names for its labels.

        Parameters
        ----------
        names : sequence of str, or mapping of str to str
            The names of all labels in order, or a mapping from old to new names for some of them.

        Returns
        -------
        Partition
            The partition with these names.
        """
        return replace(self, labels=new_names(self.labels, names))  # type: ignore[type-var]


class PlacingPartition(Partition):
    """A partition in which each value belongs to at most two labels, which are neighbours.

    Their degrees sum to one; an unknown category belongs to no label.
    """

    @abstractmethod
    def place(self, x: Any) -> tuple[Labels, Floats]:
        """Return the lower label of each value and the degree of the label above it."""

    def degrees(self, x: Any) -> Floats:
        """Return the membership degrees of values, one row per value and one column per label."""
        return _degree_table(*self.place(x), self.n_labels)


@dataclass(frozen=True, init=False)
class FuzzyPartition(PlacingPartition):
    """A strong fuzzy partition of an ordered input: at every value the degrees of the labels sum to one.

    Around a split point one label fades into the next: both have degree 0.5 at the split point itself, and the change
    is linear. The fuzziness is the width of that zone as a share of the available space, which reaches to the middle of
    an inner label and to the end of an outer label. With fuzziness 1 the zones are as wide as possible. With 0 the
    change is sudden, and a split point itself belongs to the label above.

    Parameters
    ----------
    split_points : sequence of float
        The values at which one label gives way to the next, strictly increasing and inside the domain. Without split
        points there is one label, which covers everything.
    domain : (float, float)
        The smallest and the largest value of the input. The outer labels continue beyond the domain.
    fuzziness : float or sequence of float, default=1.0
        Between 0 and 1; one number for all split points, or one for each.
    labels : sequence of str, optional
        Distinct names from low to high; by default those of `label_names`, such as ("low", "high").

    See Also
    --------
    NominalPartition : For categories.
    TrianglePartition : For triangles, whose degrees need not sum to one.

    Examples
    --------
    >>> temperature = FuzzyPartition([10.0, 20.0], domain=(0.0, 30.0))
    >>> temperature.labels
    ('low', 'medium', 'high')
    >>> temperature.degrees([5.0, 10.0, 12.5, 15.0]).tolist()
    [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.25, 0.75, 0.0], [0.0, 1.0, 0.0]]
    >>> temperature.renamed({"high": "hot"}).labels
    ('low', 'medium', 'hot')

    The lower of the two labels at 12.5, and the degree of the upper one:

    >>> lower, upper = temperature.place([12.5])
    >>> lower.tolist(), upper.tolist()
    ([0], [0.75])
    """

    split_points: tuple[float, ...]
    domain: tuple[float, float]
    fuzziness: tuple[float, ...]
    labels: tuple[str, ...]

    def __init__(
        self,
        split_points: Sequence[float] | Floats,
        domain: tuple[float, float] | Sequence[float] | Floats,
        fuzziness: float | Sequence[float] | Floats = 1.0,
        labels: Sequence[str] | None = None,
    ) -> None:
        splits, limits = _plain_numbers("split_points", split_points), _plain_numbers("domain", domain)
        if len(limits) != 2:
            raise ValueError(f"domain must be the smallest and the largest value; got {domain!r}.")
        low, high = limits
        if max(abs(low), abs(high)) > LARGEST_LIMIT:
            raise ValueError(f"domain must not exceed {LARGEST_LIMIT:g} in size; got {domain!r}.")
        shares = _plain_numbers("fuzziness", [fuzziness] * len(splits) if np.ndim(fuzziness) == 0 else fuzziness)
        if low > high or (splits and not all(a < b for a, b in itertools.pairwise((low, *splits, high)))):
            raise ValueError(f"Split points must increase strictly inside the domain; got {splits} in [{low}, {high}].")
        if len(shares) != len(splits) or not all(0.0 <= share <= 1.0 for share in shares):
            raise ValueError(
                f"fuzziness must be one number between 0 and 1, or one for each of the {len(splits)} split points; "
                f"got {fuzziness!r}."
            )
        names = checked_labels(labels, len(splits) + 1)
        self._set(split_points=splits, domain=(low, high), fuzziness=shares, labels=names)

    @cached_property
    def half_widths(self) -> Floats:
        """Half the width of the zone around each split point in which two labels overlap."""
        splits = np.asarray(self.split_points)
        widths = half_widths(splits, self.domain, np.asarray(self.fuzziness))
        widths.flags.writeable = False
        return widths

    def place(self, x: Any) -> tuple[Labels, Floats]:
        """Return the lower label of each value and the degree of the label above it.

        The degree of the lower label is the rest to one; all other labels have degree zero.

        Parameters
        ----------
        x : array-like of shape (n_samples,)
            The values.

        Returns
        -------
        lower : ndarray of int, shape (n_samples,)
            The number of the lower label.
        upper : ndarray of shape (n_samples,)
            The degree of the label above it.
        """
        values = finite_numbers("the values", x)
        lower, upper = np.empty(len(values), dtype=np.intc), np.empty(len(values))
        inference.fuzzify(values, np.asarray(self.split_points, dtype=np.float64), self.half_widths, lower, upper)
        return lower, upper

    def trapezoid(self, first: int, last: int) -> Trapezoid:
        """Return where some neighbouring labels, taken together, start, hold fully and end.

        Examples
        --------
        >>> FuzzyPartition([10.0, 20.0], domain=(0.0, 30.0)).trapezoid(0, 1)
        Trapezoid(start=-inf, full_from=-inf, full_to=15.0, end=25.0)
        """
        start = full_from = -math.inf
        full_to = end = math.inf
        if first > 0:
            split, half = self.split_points[first - 1], float(self.half_widths[first - 1])
            start, full_from = split - half, split + half
        if last < self.n_labels - 1:
            split, half = self.split_points[last], float(self.half_widths[last])
            full_to, end = split - half, split + half
        return Trapezoid(start, full_from, full_to, end)

    def half_way(self, first: int, last: int) -> tuple[float | None, float | None]:
        """Return the split points that bound some neighbouring labels; None on an open side."""
        edges = [None, *self.split_points, None]
        return edges[first], edges[last + 1]

    def marks(self, first: int, last: int) -> list[float]:
        """Return the split points that bound some neighbouring labels."""
        return [edge for edge in self.half_way(first, last) if edge is not None]

    def displaced(self, displacements: Sequence[float] | Floats) -> FuzzyPartition:
        """Return the partition with each split point moved by a share of the gap on the side that it moves to.

        Parameters
        ----------
        displacements : sequence of float
            One number per split point, in (-0.5, 0.5) so that two neighbours never meet; negative to the left.

        Returns
        -------
        FuzzyPartition
            The partition after the move.

        Raises
        ------
        ValueError
            If there is not one number for each split point.

        Examples
        --------
        >>> FuzzyPartition([10.0, 20.0], domain=(0.0, 40.0)).displaced([-0.25, 0.25]).split_points
        (7.5, 25.0)
        """
        shares = finite_numbers("displacements", displacements)
        if len(shares) != len(self.split_points):
            raise ValueError(f"{len(self.split_points)} displacements are needed, one per split; got {len(shares)}.")
        moved = displace(np.asarray(self.split_points), self.domain, shares)
        return replace(self, split_points=moved)  # type: ignore[arg-type]


@dataclass(frozen=True, init=False)
class NominalPartition(PlacingPartition):
    """A partition of an unordered input: every label is one category or a group of categories, with degree 0 or 1.

    Parameters
    ----------
    groups : sequence of sequences of float
        The codes of the categories that each label stands for; each code may occur once.
    labels : sequence of str, optional
        The names of the labels; by default the codes.

    See Also
    --------
    FuzzyPartition : For numbers.

    Examples
    --------
    >>> colour = NominalPartition([[0], [1, 2]], labels=["brown", "red or green"])
    >>> colour.degrees([2, 0, 7]).tolist()
    [[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]]
    """

    groups: tuple[tuple[float, ...], ...]
    labels: tuple[str, ...]

    def __init__(self, groups: Sequence[Sequence[float]], labels: Sequence[str] | None = None) -> None:
        codes = tuple(tuple(finite_numbers("a group", group).tolist()) for group in groups)
        flat = [code for group in codes for code in group]
        if not codes or not all(codes):
            raise ValueError("A nominal partition needs at least one group, and each group at least one category.")
        if len(set(flat)) < len(flat):
            raise ValueError(f"A category may be in one group only; got {groups!r}.")
        names = _code_names(codes) if labels is None else labels
        self._set(groups=codes, labels=checked_labels(names, len(codes)))

    @property
    def range(self) -> tuple[float, float]:
        """The smallest and the largest code."""
        codes = [code for group in self.groups for code in group]
        return min(codes), max(codes)

    def trapezoid(self, first: int, last: int) -> Trapezoid:
        """Raise an error: categories have no order.

        Raises
        ------
        ValueError
            Always.
        """
        raise ValueError("Categories have no order, so no range of values can stand for them.")

    def marks(self, first: int, last: int) -> list[float]:
        """Return an empty list: names are enough to describe categories."""
        return []

    @property
    def default_labels(self) -> tuple[str, ...]:
        """The default names of the labels: the codes of their categories."""
        return _code_names(self.groups)

    def place(self, x: Any) -> tuple[Labels, Floats]:
        """Return the label of each value, and zero for the degree of the next label.

        Parameters
        ----------
        x : array-like of shape (n_samples,)
            The codes.

        Returns
        -------
        lower : ndarray of int, shape (n_samples,)
            The number of the label; -2 for a category that is in no group.
        upper : ndarray of shape (n_samples,)
            Zeros.

        Examples
        --------
        >>> NominalPartition([[0], [1, 2]]).place([2, 0, 7])[0].tolist()
        [1, 0, -2]
        """
        values = finite_numbers("the values", x)
        # With -1 the label "above" an unknown category would be the first one.
        lower = np.full(len(values), -2, dtype=np.intc)
        for label, group in enumerate(self.groups):
            lower[np.isin(values, group)] = label
        return lower, np.zeros(len(values))


def _code_names(groups: Sequence[Sequence[float]]) -> tuple[str, ...]:
    return tuple(" or ".join(f"{code:.15g}" for code in group) for group in groups)


def half_widths(split_points: Floats, domain: tuple[float, float], fuzziness: Floats | float) -> Floats:
    """Return half the width of the overlap around each split point.

    It is the fuzziness times the smaller of the spaces on the two sides: half of an inner interval, since the other
    half belongs to the next split point, but all of an outer interval.
    """
    if not len(split_points):
        return np.empty(0)
    gaps = np.diff(np.concatenate([domain[:1], split_points, domain[1:]]))
    gaps[1:-1] /= 2.0
    return np.asarray(fuzziness * np.minimum(gaps[:-1], gaps[1:]))


def displace(split_points: Floats, domain: tuple[float, float], displacements: Floats) -> Floats:
    """Move each split point by a share of the gap to the next split point, or to the domain's end, in its direction."""
    shares = np.clip(displacements, -LARGEST_DISPLACEMENT, LARGEST_DISPLACEMENT)
    gaps = np.diff(np.concatenate([domain[:1], split_points, domain[1:]]))
    moved = split_points + np.where(shares < 0.0, shares * gaps[:-1], shares * gaps[1:])
    edges = np.concatenate([domain[:1], moved, domain[1:]])
    if (np.diff(edges) > 0.0).all():
        return moved
    # Split points that are a few floats apart have no space to move.
    return split_points.copy()


def _degree_table(lower: Labels, upper: Floats, n_labels: int) -> Floats:
    table = np.zeros((len(lower), n_labels))
    rows = np.flatnonzero(lower >= 0)
    table[rows, lower[rows]] = 1.0 - upper[rows]
    rows = np.flatnonzero(upper > 0.0)
    table[rows, lower[rows] + 1] = upper[rows]
    return table


def finite_numbers(what: str, values: Any) -> Floats:
    """Return a one-dimensional array of finite numbers; raise an error for anything else."""
    try:
        numbers = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what} must be numbers; got {values!r}.") from error
    if numbers.ndim != 1 or np.ndim(values) == 0:
        raise ValueError(f"{what} must be one-dimensional; got {values!r}.")
    if not np.isfinite(numbers).all():
        place = int(np.flatnonzero(~np.isfinite(numbers))[0])
        raise ValueError(f"{what} must be finite; got {numbers[place]} at index {place}.")
    return numbers


def _plain_numbers(what: str, values: Any) -> tuple[float, ...]:
    """Return finite numbers as a tuple; raise an error for anything else."""
    # A model has up to three short lists per input: making arrays of them would take longer than everything else.
    if isinstance(values, list) and {*map(type, values)} <= {float} and all(map(math.isfinite, values)):
        return tuple(values)
    return tuple(finite_numbers(what, values).tolist())


def checked_labels(labels: Sequence[str] | None, n_labels: int) -> tuple[str, ...]:
    """Return the names of labels, by default those of `label_names`; raise an error if they are not valid."""
    if labels is None:
        return label_names(n_labels)
    names = (labels,) if isinstance(labels, str) else tuple(labels)
    if len(names) != n_labels:
        raise ValueError(f"{n_labels} label names are needed, got {len(names)}: {', '.join(map(str, names))}.")
    if not all(isinstance(name, str) and name.strip() for name in names) or len(set(names)) < n_labels:
        raise ValueError(f"Label names must be distinct, non-empty text; got {names!r}.")
    return names


def new_names(old: tuple[str, ...], names: Mapping[str, str] | Sequence[str]) -> tuple[str, ...]:
    """Return the new names of labels, given in order or as a mapping from old to new names."""
    if not isinstance(names, Mapping):
        return tuple(names)
    unknown = [name for name in names if name not in old]
    if unknown:
        raise ValueError(f"There is no label {unknown[0]!r}; the labels are {', '.join(old)}.")
    return tuple(names.get(name, name) for name in old)


Triangle = tuple[float, float, float]


@dataclass(frozen=True, init=False)
class TrianglePartition(Partition):
    """A partition of an ordered input, or of an output, into triangles, whose degrees need not sum to one.

    The degree of a label rises from 0 at its first point to 1 at its second, and falls to 0 at its third. There may be
    gaps in which all degrees are 0. A value beyond the domain counts as the end of the domain.

    Parameters
    ----------
    points : sequence of (float, float, float)
        Three points for each label, which must not decrease; the labels are ordered by their second points. If the
        first point is minus infinity, the degree is 1 everywhere below the second point; if the third point is
        infinity, it is 1 everywhere above the second point.
    domain : (float, float)
        The smallest and the largest value.
    labels : sequence of str, optional
        Distinct names from low to high; by default those of `label_names`.

    See Also
    --------
    FuzzyPartition : Labels whose degrees sum to one.
    LabelTriangles : Antecedents over triangular labels.

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
                f"domain must be the smallest and the largest value, up to {LARGEST_LIMIT:g} in size; got {domain!r}."
            )
        triangles = checked_triangles(points)
        if triangles.ndim != 2 or not len(triangles):
            raise ValueError("A partition into triangles needs at least one label, with three points each.")
        rows = tuple((a, b, c) for a, b, c in triangles.tolist())
        for number, (one, other) in enumerate(itertools.pairwise(rows)):
            if other[1] < one[1]:
                raise ValueError(
                    f"Labels must be ordered by their second points; label {number + 1} (counted from 0) has "
                    f"{other[1]} after {one[1]}."
                )
        self._set(points=rows, domain=tuple(limits.tolist()), labels=checked_labels(labels, len(rows)))

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
        """Return equal triangles, each from the middle of the label below to the middle of the label above.

        Parameters
        ----------
        domain : (float, float)
            The middles of the lowest and of the highest label.
        n_labels : int
            The number of labels.
        displacement : float, default=0.0
            The shift of all labels, as a share of the distance between neighbouring middles.
        shoulders : bool, default=True
            Whether the outer labels have degree 1 everywhere beyond their middles, as inputs need. If not, they are
            whole triangles that reach beyond the domain, as an output needs.
        labels : sequence of str, optional
            The names of the labels.

        Returns
        -------
        TrianglePartition
            The partition.

        Raises
        ------
        ValueError
            If `n_labels` is less than 1.

        Examples
        --------
        >>> TrianglePartition.uniform((0.0, 10.0), 3, shoulders=False).points
        ((-5.0, 0.0, 5.0), (0.0, 5.0, 10.0), (5.0, 10.0, 15.0))
        """
        if n_labels < 1:
            raise ValueError(f"A partition needs at least one label; got {n_labels}.")
        low, high = finite_numbers("domain", domain).tolist()
        # A single label has its middle in the middle of the domain, and the step is the whole domain.
        step = (high - low) / max(n_labels - 1, 1)
        start = low if n_labels > 1 else low / 2.0 + high / 2.0
        # One more middle at each end, so that neighbours share their points to the last bit.
        middles = start + (np.arange(-1, n_labels + 1) + displacement) * step
        points = np.column_stack([middles[:-2], middles[1:-1], middles[2:]])
        if shoulders:
            points[0, 0], points[-1, 2] = -np.inf, np.inf
        return cls(points, domain, labels)

    @property
    def triangles(self) -> Floats:
        """The points, shape (n_labels, 3)."""
        return np.array(self.points)

    def degrees(self, x: Any) -> Floats:
        """Return the membership degrees of values, one row per value and one column per label."""
        values = np.clip(finite_numbers("the values", x), *self.domain)
        return np.column_stack([triangle_degrees(values, triangle) for triangle in self.points])

    def trapezoid(self, first: int, last: int) -> Trapezoid:
        """Return where some neighbouring labels, taken together, start, hold fully and end."""
        (start, full_from, _), (_, full_to, end) = self.points[first], self.points[last]
        # A label holds fully on an open side.
        return Trapezoid(start, start if math.isinf(start) else full_from, end if math.isinf(end) else full_to, end)

    def marks(self, first: int, last: int) -> list[float]:
        """Return the middle points of some neighbouring labels."""
        return [points[1] for points in self.points[first : last + 1]]

    def mapped(self, rising: Callable[[Floats], Floats]) -> TrianglePartition:
        """Return the partition with its points on another scale; degrees between the points change.

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
    """Return the values of a triangle in words; `written` formats a value.

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
    """Return triangles as an array of shape (..., 3); raise an error if one of them is not valid.

    In arrays of more than two dimensions, three NaN stand for no triangle.
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
            f"The points of a triangle must be three numbers that do not decrease, and the second must be "
            f"finite; got {tuple(array[place].tolist())} at index {place if len(place) > 1 else place[0]}."
        )
    return array
