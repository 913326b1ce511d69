"""Fuzzy sets as lines and areas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fruler._typing import Floats
from fruler.explain.plots.drawing import SMALL, ink, label_colours, place_names
from fruler.rules.partitions import Partition

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Share of a strip that the tallest bar of a histogram takes, so that the sets stay in front.
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
        From where to where.

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
    x, y = [low], [1.0 if first == 0 else 0.0]
    for split, rises in ((first - 1, True), (last, False)):
        if 0 <= split < len(partition.split_points):
            middle, half = partition.split_points[split], float(partition.half_widths[split])
            x += [middle - half, middle + half]
            y += [0.0, 1.0] if rises else [1.0, 0.0]
    x.append(high)
    y.append(y[-1])
    return np.array(x), np.array(y)


def without_tails(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Leave out what lies on the base line at both ends of a membership: there is nothing to see."""
    some = np.flatnonzero(y)
    seen = slice(max(int(some[0]) - 1, 0), int(some[-1]) + 2)
    return x[seen], y[seen]


def peaks(partition: Partition, low: float, high: float) -> list[float]:
    """Return the middle of the values that belong to each label wholly."""
    halves = partition.half_widths
    splits = np.asarray(partition.split_points)
    starts, ends = np.concatenate([[low], splits + halves]), np.concatenate([splits - halves, [high]])
    return [float(start / 2.0 + end / 2.0) for start, end in zip(starts, ends, strict=True)]


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
    """Draw every label of a partition from a base line up, and return the lines."""
    lines = []
    for label, colour in enumerate(label_colours(partition.n_labels)):
        x, y = without_tails(*membership(partition, label, label, *limits))
        lines += ax.plot(x, base + height * y, **{"color": colour, "linewidth": 1.8, **line})
        if fill:
            ax.fill_between(x, base, base + height * y, color=colour, alpha=fill, linewidth=0)
    return lines


def name_sets(ax: Axes, partition: Partition, limits: tuple[float, float], lines: list[Any], *, y: float) -> bool:
    """Write the labels above their sets; or beside the axes where there is no room, and of very many only the ends.

    Returns
    -------
    bool
        Whether they stand above the sets.
    """
    colours = label_colours(partition.n_labels)
    if place_names(ax, peaks(partition, *limits), partition.labels, y=y, colours=colours):
        return True
    labels = list(partition.labels)
    if len(labels) > _MAX_LISTED:
        between = ax.plot([], [], linestyle="")
        lines, labels = [lines[0], *between, lines[-1]], [labels[0], f"… {len(labels) - 2} more", labels[-1]]
    # From high to low, as they would stand on an axis.
    ax.legend(
        lines[::-1],
        labels[::-1],
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        frameon=False,
        fontsize=SMALL,
        borderaxespad=0.0,
    )
    return False


def draw_histogram(ax: Axes, histogram: tuple[Floats, Floats] | None) -> Any:
    """Draw a histogram behind the sets, scaled to their height, and return its bars."""
    if histogram is None or not histogram[1].max() > 0.0:
        return None
    edges, counts = histogram
    heights = _TALLEST * counts / counts.max()
    return ax.bar(
        edges[:-1], heights, np.diff(edges), align="edge", color=ink(), alpha=0.16, linewidth=0, label="rows", zorder=0
    )
