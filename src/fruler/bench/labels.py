"""Labels beside the points of a picture that do not cover each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.transforms import Bbox

# Where a label is tried, in points from its point: the nearest first.
OFFSETS: list[tuple[int, int, Any]] = [
    (x, y, side)
    for distance in (0, 4, 8, 12, 18, 24, 36, 48, 60)
    for x, y, side in (
        (9, distance, "left"),
        (9, -distance, "left"),
        (-9, distance, "right"),
        (-9, -distance, "right"),
        (0, 12 + distance, "center"),
        (0, -12 - distance, "center"),
    )
]
MARKER = 6.0


def place_labels(axes: Axes, points: Sequence[tuple[str, float, float]], colour: str, level: float) -> None:
    """Write a name beside each point (name, x, y), where it covers no other name, no point, nor the line at a level.

    A name that has to go further away gets a line to its point. The limits of the axes must be set before.
    """
    # The layout decides where the axes are, and is made while drawing.
    figure: Any = axes.figure
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    scale = renderer.points_to_pixels(1.0)
    centres = [axes.transData.transform((x, y)) for _, x, y in points]
    taken = [Bbox([centre - MARKER * scale, centre + MARKER * scale]) for centre in centres]
    frame = axes.get_window_extent(renderer)
    line = axes.transData.transform((points[0][1], level))[1] if points else 0.0
    taken.append(Bbox.from_extents(frame.x0, line - scale, frame.x1, line + scale))
    page = Bbox.from_extents(frame.x0, frame.y0, axes.figure.bbox.x1, frame.y1)
    for text, x, y in points:
        label = axes.annotate(text, (x, y), (0, 0), textcoords="offset points", color=colour, fontsize=9, va="center")
        for dx, dy, side in OFFSETS:
            label.set_position((dx, dy))
            label.set_horizontalalignment(side)
            box = label.get_window_extent(renderer)
            inside = page.x0 <= box.x0 and box.x1 <= page.x1 and page.y0 <= box.y0 and box.y1 <= page.y1
            if inside and not any(box.overlaps(other) for other in taken):
                break
        if abs(dy) > 12:
            arrow = {"arrowstyle": "-", "color": colour, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 4}
            label.remove()
            label = axes.annotate(
                *(text, (x, y), (dx, dy)),
                textcoords="offset points",
                color=colour,
                fontsize=9,
                va="center",
                ha=side,
                arrowprops=arrow,
            )
        taken.append(box)
