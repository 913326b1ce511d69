"""Small panels side by side that share one scale, each with a histogram at its bottom."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler.explain.plots.drawing import inches_of, ink, number_ticks, split_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLUMNS = 3
# Inches of a panel.
_WIDTH, _HEIGHT = 3.3, 2.7
# Shares of a panel's height: room above and below what is drawn, and the tallest bar of the histogram.
_ROOM, _TALLEST = 0.08, 0.3


def new_panels(ax: Axes | None, n_panels: int) -> npt.NDArray[np.object_]:
    """Return panels in rows of three, with one y axis: in a new figure, or in the place of some axes."""
    columns = n_columns(n_panels)
    rows = math.ceil(n_panels / columns)
    size = (_WIDTH * columns + 0.6, _HEIGHT * rows)
    panels = split_axes(ax, size, heights=[1.0] * rows, widths=[1.0] * columns, share="y").ravel()
    for place, panel in enumerate(panels):
        if place >= n_panels:
            panel.set_axis_off()
    return panels[:n_panels]


def n_columns(n_panels: int) -> int:
    """Return how many panels stand side by side."""
    return min(n_panels, _COLUMNS)


def draw_density(panel: Axes, histogram: tuple[Floats, Floats] | None) -> Any:
    """Draw a histogram at the bottom of a panel, whatever its scale is, and return the bars; None where it is empty."""
    if histogram is None or not histogram[1].max() > 0.0:
        return None
    edges, counts = histogram
    return draw_counts(panel, edges[:-1] / 2.0 + edges[1:] / 2.0, counts, np.diff(edges))


def draw_counts(panel: Axes, places: Floats, counts: Floats, widths: float | Floats) -> Any:
    """Draw how many rows there are at some places, at the bottom of a panel, and return the bars."""
    heights = _TALLEST * counts / (counts.max() or 1.0)
    # Heights are shares of the panel.
    look: dict[str, Any] = {"color": ink(), "alpha": 0.16, "linewidth": 0, "transform": panel.get_xaxis_transform()}
    return panel.bar(places, heights, widths, zorder=0, **look)


def scale_panels(panels: Sequence[Axes] | npt.NDArray[np.object_], values: Sequence[float] | Floats) -> None:
    """Give all panels a scale that holds some values."""
    low, high = float(min(values)), float(max(values))
    room = _ROOM * (high - low) or 1.0
    panels[0].set_ylim(low - room, high + room)
    number_ticks(panels[0].yaxis, inches_of(panels[0])[1])
