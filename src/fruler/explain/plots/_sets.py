"""Fuzzy sets as lines and areas, over histograms of the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fruler._arrays import Floats, Indices
from fruler.explain._dependence import Histogram
from fruler.explain.plots._drawing import LEGEND_BESIDE, ink, label_colours, place_names
from fruler.rules._inputs import Variable
from fruler.rules._partitions import Partition

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The height of the tallest bar of a histogram as a share of the strip, so that the sets stand out.
_TALLEST = 0.85
_MAX_LISTED = 12


def membership(partition: Partition, first: int, last: int, low: float, high: float) -> tuple[Floats, Floats]:
    """Return the corners of the joint membership of neighbouring labels.

    Parameters
    ----------
    partition : Partition
        The partition.
    first, last : int
        The labels, both included.
    low, high : float
        The range of the plot.

    Returns
    -------
    x, y : ndarray
        The corners from left to right.

    Examples
    --------
    >>> from fruler import FuzzyPartition
    >>> x, y = membership(FuzzyPartition([10.0, 20.0], (0.0, 30.0)), 0, 0, 0.0, 30.0)
    >>> x.tolist(), y.tolist()
    ([0.0, 5.0, 15.0, 30.0], [1.0, 1.0, 0.0, 0.0])
    """
    start, full_from, full_to, end = partition.trapezoid(first, last)
    corners = [(start, 0.0), (full_from, 1.0), (full_to, 1.0), (end, 0.0)]
    inside = max(low, partition.range[0]), min(high, partition.range[1])
    points = [(x, y) for x, y in corners if inside[0] <= x <= inside[1]]
    if partition.of_triangles:
        # A triangle may reach beyond the domain, but values outside are clipped to its ends.
        points = sorted([*points, *zip(inside, _together(partition, first, last, inside), strict=True)])
    ends = _together(partition, first, last, (low, high))
    x, y = zip((low, ends[0]), *points, (high, ends[1]), strict=True)
    return np.array(x), np.array(y)


def _together(partition: Partition, first: int, last: int, values: tuple[float, float]) -> list[float]:
    """Return the joint degrees of values in neighbouring labels."""
    degrees: list[float] = partition.degrees(values)[:, first : last + 1].sum(axis=1).tolist()
    return degrees


def without_tails(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Drop the zeros at both ends of a membership, which would only repeat the base line."""
    some = np.flatnonzero(y)
    seen = slice(max(int(some[0]) - 1, 0), int(some[-1]) + 2) if len(some) else slice(0)
    return x[seen], y[seen]


def peaks(partition: Partition, low: float, high: float) -> list[float]:
    """Return the middle of the core of each label, where its degree is 1."""
    corners = [partition.trapezoid(label, label) for label in range(partition.n_labels)]
    full = np.clip([(full_from, full_to) for _, full_from, full_to, _ in corners], low, high)
    middles: list[float] = (full / 2.0).sum(axis=1).tolist()
    return middles


def draw_sets(
    ax: Axes,
    partition: Partition,
    limits: tuple[float, float],
    *,
    base: float = 0.0,
    height: float = 1.0,
    fill: float = 0.14,
    **line: Any,
) -> list[Any]:
    """Draw every label of a partition above a base line, and return the lines."""
    lines = []
    for label, colour in enumerate(label_colours(partition.n_labels)):
        x, y = without_tails(*membership(partition, label, label, *limits))
        lines += ax.plot(x, base + height * y, **{"color": colour, "linewidth": 1.8, **line})
        if fill:
            ax.fill_between(x, base, base + height * y, color=colour, alpha=fill, linewidth=0)
    return lines


def name_above(ax: Axes, partition: Partition, limits: tuple[float, float], *, y: float) -> bool:
    """Write the labels above their sets if there is room for all of them, and return whether there is."""
    colours = label_colours(partition.n_labels)
    return place_names(ax, peaks(partition, *limits), partition.labels, y=y, colours=colours)


def name_sets(ax: Axes, partition: Partition, limits: tuple[float, float], lines: list[Any], *, y: float) -> bool:
    """Write the labels above their sets, or beside the axes if there is no room; a long list is cut to its ends.

    Returns
    -------
    bool
        Whether the labels are above the sets.
    """
    if name_above(ax, partition, limits, y=y):
        return True
    labels = list(partition.labels)
    if len(labels) > _MAX_LISTED:
        between = ax.plot([], [], linestyle="")
        lines, labels = [lines[0], *between, lines[-1]], [labels[0], f"… {len(labels) - 2} more", labels[-1]]
    # From high to low, as on an axis.
    ax.legend(lines[::-1], labels[::-1], **LEGEND_BESIDE)
    return False


def sorted_choices(variable: Variable) -> tuple[list[str], Indices]:
    """Return the names of an input's values, the smallest first, and the label that fits each best."""
    choices = sorted(variable.choices, key=lambda choice: choice[1])
    degrees = variable.partition.degrees([number for _, number in choices])
    return [name for name, _ in choices], np.asarray(degrees.argmax(axis=1))


def draw_histogram(ax: Axes, histogram: Histogram | None, **look: Any) -> Any:
    """Draw a histogram behind everything else, and return its bars; None if it is empty."""
    if histogram is None or not histogram[1].max() > 0.0:
        return None
    edges, counts = histogram
    return draw_counts(ax, edges[:-1], counts, np.diff(edges), align="edge", **look)


def draw_counts(
    ax: Axes, places: Floats, counts: Floats, widths: float | Floats, *, tallest: float = _TALLEST, **look: Any
) -> Any:
    """Draw counts of rows as bars behind everything else, scaled so that the tallest bar has a given height."""
    heights = tallest * counts / (counts.max() or 1.0)
    return ax.bar(places, heights, widths, **{"color": ink(), "alpha": 0.16, "linewidth": 0, "zorder": 0, **look})
