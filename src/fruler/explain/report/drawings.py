"""The pictures of a report as SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

import numpy as np

from fruler._typing import Floats
from fruler.explain.report.numbers import axis_numbers
from fruler.rules.partitions import Partition
from fruler.rules.variables import Variable

# Small pictures are stretched to the width that there is: texts beside them are HTML, which is not.
_WIDTH, _TOP, _BOTTOM = 100.0, 3.0, 40.0
_SMALL_BOX = f'viewBox="0 0 {_WIDTH:g} {_BOTTOM:g}" preserveAspectRatio="none"'
_LEFT, _RIGHT, _CHART_TOP, _CHART_BOTTOM = 52.0, 408.0, 12.0, 262.0
# The width of a letter below an axis, on the narrowest page, and from one text to the next.
_LETTER, _BETWEEN = 7.5, 12.0


def position(value: float, low: float, high: float) -> float:
    """Return where in a small picture a value lies, from 0 to 100; those outside of it stay near."""
    if not high > low:
        return _WIDTH / 2.0
    return float(np.clip(_WIDTH * (value - low) / (high - low), -1e3, 1e3))


def accepted_path(partition: Partition, first: int, last: int, low: float, high: float) -> str:
    """Return the outline of a range of labels together, as the data of a path.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition
    >>> accepted_path(FuzzyPartition([5.0], (0.0, 10.0)), 0, 0, 0.0, 10.0)
    'M-1 40V3H0L100 40'
    """
    start, full_from, full_to, end = partition.trapezoid(first, last)
    if math.isinf(start):
        path = f"M-1 {_BOTTOM:g}V{_TOP:g}"
    else:
        rises, full = (position(value, low, high) for value in (start, full_from))
        path = f"M{_short(rises)} {_BOTTOM:g}L{_short(full)} {_TOP:g}"
    if math.isinf(end):
        return f"{path}H{_WIDTH + 1:g}V{_BOTTOM:g}"
    falls, ends = (position(value, low, high) for value in (full_to, end))
    return f"{path}H{_short(falls)}L{_short(ends)} {_BOTTOM:g}"


def labels_path(partition: Partition, low: float, high: float) -> str:
    """Return the outlines of all labels, one after the other."""
    return "".join(accepted_path(partition, label, label, low, high) for label in range(partition.n_labels))


def histogram_path(counts: Floats) -> str:
    """Return bars of equal width."""
    highest = float(counts.max())
    if not highest > 0.0:
        return ""
    width = _WIDTH / len(counts)
    tall = _BOTTOM - (_BOTTOM - _TOP) * counts / highest
    return f"M0 {_BOTTOM:g}" + "".join(f"V{_short(y)}h{_short(width)}" for y in tall) + f"V{_BOTTOM:g}Z"


def small_svg(content: str, name: str | None = None) -> str:
    """Return a small picture; one without a name is an ornament."""
    role = 'aria-hidden="true"' if name is None else f'role="img" aria-label="{escape(name)}"'
    return f"<svg {_SMALL_BOX} {role}>{content}</svg>"


class Chart:
    """A picture with two axes.

    Parameters
    ----------
    name : str
        What it shows, for those who can't see it.
    x_range, y_range : (float, float)
        What the axes span.
    x_title, y_title : str
        What they are.
    x_values : Variable, optional
        The input whose values the horizontal axis shows; None: it shows numbers.
    """

    def __init__(
        self,
        name: str,
        x_range: tuple[float, float],
        y_range: tuple[float, float],
        x_title: str,
        y_title: str,
        x_values: Variable | None = None,
    ) -> None:
        self._name, self._x_range, self._y_range = name, _opened(x_range), _opened(y_range)
        self._x_title, self._y_title = x_title, y_title
        self._x_values = x_values
        self._content: list[str] = []

    def x(self, values: Floats) -> Floats:
        """Return places on the horizontal axis."""
        low, high = self._x_range
        return np.asarray(_LEFT + (values - low) / (high - low) * (_RIGHT - _LEFT))

    def y(self, values: Floats) -> Floats:
        """Return places on the vertical axis."""
        low, high = self._y_range
        return np.asarray(_CHART_BOTTOM - (values - low) / (high - low) * (_CHART_BOTTOM - _CHART_TOP))

    def dots(self, x: Floats, y: Floats, kind: str) -> None:
        """Add dots; `kind` is the class that the style knows."""
        places = zip(self.x(x), self.y(y), strict=True)
        # A line of no length with round ends is a dot, and far shorter to write than a circle.
        self._content.append(f'<path class="{kind}" d="{"".join(f"M{_short(a)} {_short(b)}h0" for a, b in places)}"/>')

    def line(self, x: Floats, y: Floats, kind: str) -> None:
        """Add a line through points."""
        places = " ".join(f"{_short(a)},{_short(b)}" for a, b in zip(self.x(x), self.y(y), strict=True))
        self._content.append(f'<polyline class="{kind}" points="{places}"/>')

    def bars(self, edges: Floats, heights: Floats, kind: str) -> None:
        """Add bars that stand on the horizontal axis, a little apart; `heights` are where they end."""
        left, right, top = self.x(edges[:-1]) + 0.5, self.x(edges[1:]) - 0.5, self.y(heights)
        bars = "".join(
            f"M{_short(a)} {_CHART_BOTTOM:g}V{_short(t)}H{_short(b)}V{_CHART_BOTTOM:g}Z"
            for a, b, t, tall in zip(left, right, top, heights, strict=True)
            if tall > self._y_range[0]
        )
        self._content.append(f'<path class="{kind}" d="{bars}"/>')

    def svg(self) -> str:
        """Return the picture."""
        grid, texts = [], []
        for value, text in self._x_ticks():
            place = _short(float(self.x(np.array(value))))
            grid.append(f"M{place} {_CHART_TOP:g}V{_CHART_BOTTOM:g}")
            texts.append(f'<text x="{place}" y="{_CHART_BOTTOM + 18:g}" text-anchor="middle">{escape(text)}</text>')
        for value, text in axis_numbers(*self._y_range, most=5):
            place_y = float(self.y(np.array(value)))
            grid.append(f"M{_LEFT:g} {_short(place_y)}H{_RIGHT:g}")
            texts.append(f'<text x="{_LEFT - 7:g}" y="{_short(place_y + 4)}" text-anchor="end">{text}</text>')
        middle_x, middle_y = (_LEFT + _RIGHT) / 2, (_CHART_TOP + _CHART_BOTTOM) / 2
        texts.append(f'<text class="axis" x="{middle_x:g}" y="298" text-anchor="middle">{escape(self._x_title)}</text>')
        texts.append(
            f'<text class="axis" transform="translate(13 {middle_y:g}) rotate(-90)" text-anchor="middle">'
            f"{escape(self._y_title)}</text>"
        )
        return (
            f'<svg class="chart" viewBox="0 0 420 304" role="img" aria-label="{escape(self._name)}">'
            f'<path class="grid" d="{"".join(grid)}"/>{"".join(texts)}{"".join(self._content)}</svg>'
        )

    def _x_ticks(self) -> list[tuple[float, str]]:
        dates = [] if self._x_values is None else self._x_values.ticks(*self._x_range, _share_of_width)
        return dates or axis_numbers(*self._x_range, most=6)


def _share_of_width(text: str) -> float:
    return (_LETTER * len(text) + _BETWEEN) / (_RIGHT - _LEFT)


def padded(values: Sequence[float] | Floats, share: float = 0.05) -> tuple[float, float]:
    """Return the range of values with some room at both ends."""
    low, high = float(np.min(values)), float(np.max(values))
    return low - share * (high - low), high + share * (high - low)


def _opened(limits: tuple[float, float]) -> tuple[float, float]:
    low, high = limits
    if high > low:
        return low, high
    room = max(abs(low) * 0.1, 1.0)
    return low - room, high + room


def _short(value: float) -> str:
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
