"""Numbers and plots of a report: typeset texts, and SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fruler._arrays import Floats
from fruler._wording import number_to_place, number_within, with_plus
from fruler.explain._scales import round_steps
from fruler.rules._inputs import Variable
from fruler.rules._partitions import Partition

# The rounding errors of written targets and inputs, as shares of the target's spread and of the input's range.
TARGET_SHARE, INPUT_SHARE = 0.002, 0.002
# The rounding error of the terms of a rule and of the values of curves, as a share of the target's spread.
TERM_SHARE = 0.01
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
# Small plots are stretched to the available width; their texts are HTML, which is not stretched.
_WIDTH, _TOP, _BOTTOM = 100.0, 3.0, 40.0
_SMALL_BOX = f'viewBox="0 0 {_WIDTH:g} {_BOTTOM:g}" preserveAspectRatio="none"'
# The width of a letter below an axis on the narrowest page, and the gap between two texts.
_LETTER, _BETWEEN = 7.5, 12.0
# The gap between a plot and the strip below it.
_STRIP_GAP = 4.0
# The room for the title of the vertical axis, and for each digit of its numbers.
_TITLE, _DIGIT = 26.0, 6.6


def shown(value: float, tolerance: float) -> str:
    """Write a number with as few digits as a tolerance allows, with a real minus sign and powers of ten.

    Examples
    --------
    >>> shown(-1016.2473, 0.5), shown(0.0, 0.5), shown(-2.5e-7, 1e-8)
    ('−1,016', '0', '−2.5·10⁻⁷')
    """
    return "0" if abs(value) < tolerance / 1e6 else typeset(number_within(value, tolerance))


def typeset(number: str) -> str:
    """Give a written number a real minus sign and powers of ten.

    Examples
    --------
    >>> typeset("-2.5e-07")
    '−2.5·10⁻⁷'
    """
    digits, _, exponent = number.partition("e")
    power = f"·10{str(int(exponent)).translate(_RAISED)}" if exponent else ""
    return digits.replace("-", "−") + power


def fixed(value: float, tolerance: float) -> str:
    """Write a number for a column, where all numbers have the same number of decimal places.

    Examples
    --------
    >>> [fixed(value, 0.02) for value in (9.7496, -0.038, 12.0, 0.001)]
    ['9.75', '−0.04', '12.00', '0']
    """
    return "0" if abs(value) < tolerance / 1e6 else typeset(number_to_place(value, tolerance))


def signed(value: float, tolerance: float) -> str:
    """Write a change for a column of changes, with its sign, even if it is a plus."""
    return with_plus(fixed(value, tolerance))


def value_text(variable: Variable, number: float, tolerance: float) -> str:
    """Write a value of an input: a date or a category by its name, else the number.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition
    >>> from fruler._table.date_sources import CycleSource
    >>> day = Variable("day of year", FuzzyPartition([], (0.0, 366.0)))
    >>> value_text(day.of(CycleSource("sold", "day of year", 305.0)), 43.0, 0.5), value_text(day, 43.0, 0.5)
    ('14 Dec', '43')
    """
    if variable.written(number) is None and abs(number) < tolerance / 1e6:
        return "0"
    text = variable.number_text(number, tolerance)
    return text if variable.written(number) else typeset(text)


def axis_numbers(low: float, high: float, most: int = 5) -> list[tuple[float, str]]:
    """Return round numbers within a range, and their texts.

    Examples
    --------
    >>> axis_numbers(-3.0, 21.0)
    [(0.0, '0'), (5.0, '5'), (10.0, '10'), (15.0, '15'), (20.0, '20')]
    """
    if not high > low:
        return [(low, shown(low, abs(low) / 1e3))]
    step, multiples = round_steps(low, high, most)
    return [(k * step, shown(k * step, step / 4.0)) for k in multiples]


@dataclass(frozen=True)
class Frame:
    """The size of a plot with two axes, and the place of its axes.

    Attributes
    ----------
    width, height : float
        The size of the plot with all texts.
    left, right, top, bottom : float
        The place of the axes.
    strip : float
        The height of a strip between the axes and the numbers of the horizontal axis; 0 for no strip.
    """

    width: float = 420.0
    height: float = 304.0
    left: float = 52.0
    right: float = 408.0
    top: float = 12.0
    bottom: float = 262.0
    strip: float = 0.0

    @property
    def floor(self) -> float:
        """The lower end of the axes and the strip."""
        return self.bottom + self.strip


class Mark(NamedTuple):
    """A text above or below a small plot, with its place in percent of the width."""

    at: float
    text: str


def position(value: float, low: float, high: float) -> float:
    """Return the place of a value in a small plot, from 0 to 100; values far outside are clipped."""
    if not high > low:
        return _WIDTH / 2.0
    return float(np.clip(_WIDTH * (value - low) / (high - low), -1e3, 1e3))


def accepted_path(partition: Partition, first: int, last: int, low: float, high: float) -> str:
    """Return the outline of a range of labels, joined, as the data of a path.

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
    """Return the outlines of all labels as the data of a path."""
    return "".join(accepted_path(partition, label, label, low, high) for label in range(partition.n_labels))


def histogram_path(counts: Floats) -> str:
    """Return the bars of a histogram as the data of a path."""
    highest = float(counts.max())
    if not highest > 0.0:
        return ""
    width = _WIDTH / len(counts)
    tall = _BOTTOM - (_BOTTOM - _TOP) * counts / highest
    return f"M0 {_BOTTOM:g}" + "".join(f"V{_short(y)}h{_short(width)}" for y in tall) + f"V{_BOTTOM:g}Z"


def small_svg(content: str, name: str | None = None) -> str:
    """Return a small plot; without a name it is hidden from screen readers."""
    role = 'aria-hidden="true"' if name is None else f'role="img" aria-label="{escape(name)}"'
    return f"<svg {_SMALL_BOX} {role}>{content}</svg>"


@dataclass(frozen=True)
class Axis:
    """An axis of a chart.

    Attributes
    ----------
    range : (float, float)
        The ends of the axis.
    title : str
        The title.
    values : Variable or None
        The input on the axis; None for plain numbers.
    ticks : list of (float, str) or None
        Places and their texts; by default dates, or round numbers.
    slanted : bool
        Whether the texts are slanted, since they are long.
    """

    range: tuple[float, float]
    title: str
    values: Variable | None = None
    ticks: list[tuple[float, str]] | None = None
    slanted: bool = False


class Chart:
    """A plot with two axes.

    Parameters
    ----------
    name : str
        The description for screen readers.
    x, y : Axis
        The horizontal and the vertical axis.
    frame : Frame, optional
        The size of the plot.
    """

    def __init__(self, name: str, x: Axis, y: Axis, frame: Frame | None = None) -> None:
        self._given_ticks, self._slanted = x.ticks, x.slanted
        self._name, self._x_range, self._y_range = name, _opened(x.range), _opened(y.range)
        self._x_title, self._y_title = x.title, y.title
        frame = frame or Frame()
        # Long numbers would cover the title of their axis.
        self._y_ticks = y.ticks or axis_numbers(*self._y_range, most=5)
        longest = max((len(text) for _, text in self._y_ticks), default=0)
        self._frame = replace(frame, left=max(frame.left, _TITLE + _DIGIT * longest))
        self._x_values = x.values
        self._content: list[str] = []

    def x(self, values: Floats) -> Floats:
        """Return places on the horizontal axis."""
        low, high = self._x_range
        left, right = self._frame.left, self._frame.right
        return np.asarray(left + (values - low) / (high - low) * (right - left))

    def y(self, values: Floats) -> Floats:
        """Return places on the vertical axis."""
        low, high = self._y_range
        top, bottom = self._frame.top, self._frame.bottom
        return np.asarray(bottom - (values - low) / (high - low) * (bottom - top))

    def dots(self, x: Floats, y: Floats, kind: str) -> None:
        """Add dots; `kind` is their class in the style sheet."""
        places = zip(self.x(x), self.y(y), strict=True)
        # A line of length zero with round ends is a dot, and much shorter to write than a circle.
        self._content.append(f'<path class="{kind}" d="{"".join(f"M{_short(a)} {_short(b)}h0" for a, b in places)}"/>')

    def line(self, x: Floats, y: Floats, kind: str) -> None:
        """Add a line through points."""
        places = " ".join(f"{_short(a)},{_short(b)}" for a, b in zip(self.x(x), self.y(y), strict=True))
        self._content.append(f'<polyline class="{kind}" points="{places}"/>')

    def band(self, x: Floats, lower: Floats, upper: Floats, kind: str) -> None:
        """Add the area between two lines."""
        there = zip(self.x(x), self.y(lower), strict=True)
        back = zip(self.x(x)[::-1], self.y(upper)[::-1], strict=True)
        places = " ".join(f"{_short(a)},{_short(b)}" for a, b in [*there, *back])
        self._content.append(f'<polygon class="{kind}" points="{places}"/>')

    def ranges(self, x: Floats, lower: Floats, upper: Floats, kind: str) -> None:
        """Add a vertical line at each place, from the lower to the upper value."""
        places = zip(self.x(x), self.y(lower), self.y(upper), strict=True)
        path = "".join(f"M{_short(a)} {_short(b)}V{_short(c)}" for a, b, c in places)
        self._content.append(f'<path class="{kind}" d="{path}"/>')

    def bars(self, edges: Floats, heights: Floats, kind: str) -> None:
        """Add bars on the horizontal axis, with small gaps; `heights` are the values of their upper ends."""
        there = heights > self._y_range[0]
        self._add_bars(edges, self.y(heights), self._frame.bottom, there, kind)

    def strip(self, edges: Floats, shares: Floats, kind: str) -> None:
        """Add bars to the strip below the axes; `shares` are shares of its height."""
        floor = self._frame.floor
        self._add_bars(edges, floor - shares * (self._frame.strip - _STRIP_GAP), floor, shares > 0.0, kind)

    def strip_reference(self, target: str, kind: str) -> None:
        """Fill the strip below the axes with a reference to a small plot that is drawn elsewhere."""
        frame = self._frame
        self._content.append(
            f'<svg x="{frame.left:g}" y="{frame.bottom + _STRIP_GAP:g}" width="{frame.right - frame.left:g}" '
            f'height="{frame.strip - _STRIP_GAP:g}" {_SMALL_BOX} aria-hidden="true"><use href="#{target}" '
            f'class="{kind}"/></svg>'
        )

    def _add_bars(self, edges: Floats, tops: Floats, floor: float, there: npt.NDArray[np.bool_], kind: str) -> None:
        left, right = self.x(edges[:-1]) + 0.5, self.x(edges[1:]) - 0.5
        bars = "".join(
            f"M{_short(a)} {floor:g}V{_short(t)}H{_short(b)}V{floor:g}Z"
            for a, b, t, drawn in zip(left, right, tops, there, strict=True)
            if drawn
        )
        self._content.append(f'<path class="{kind}" d="{bars}"/>')

    def svg(self) -> str:
        """Return the plot as SVG."""
        frame = self._frame
        grid, texts = [], []
        for value, text in self._x_ticks():
            place = _short(float(self.x(np.array(value))))
            grid.append(f"M{place} {frame.top:g}V{frame.floor:g}")
            below = f'x="{place}" y="{frame.floor + 18:g}" text-anchor="middle"'
            if self._slanted:
                below = f'transform="translate({place} {frame.floor + 14:g}) rotate(-40)" text-anchor="end"'
            texts.append(f"<text {below}>{escape(text)}</text>")
        for value, text in self._y_ticks:
            place_y = float(self.y(np.array(value)))
            grid.append(f"M{frame.left:g} {_short(place_y)}H{frame.right:g}")
            texts.append(f'<text x="{frame.left - 7:g}" y="{_short(place_y + 4)}" text-anchor="end">{text}</text>')
        middle_x, middle_y = (frame.left + frame.right) / 2, (frame.top + frame.bottom) / 2
        if self._x_title:
            texts.append(
                f'<text class="axis" x="{middle_x:g}" y="{frame.height - 6:g}" text-anchor="middle">'
                f"{escape(self._x_title)}</text>"
            )
        if self._y_title:
            texts.append(
                f'<text class="axis" transform="translate(13 {middle_y:g}) rotate(-90)" text-anchor="middle">'
                f"{escape(self._y_title)}</text>"
            )
        return (
            f'<svg class="chart" viewBox="0 0 {frame.width:g} {frame.height:g}" role="img" '
            f'aria-label="{escape(self._name)}"><path class="grid" d="{"".join(grid)}"/>'
            f"{''.join(texts)}{''.join(self._content)}</svg>"
        )

    def _x_ticks(self) -> list[tuple[float, str]]:
        if self._given_ticks is not None:
            return self._given_ticks
        width = self._frame.right - self._frame.left
        dates: list[tuple[float, str]] = []
        if self._x_values is not None:
            dates = self._x_values.ticks(*self._x_range, lambda text: (_LETTER * len(text) + _BETWEEN) / width)
        numbers = axis_numbers(*self._x_range, most=6 if width > 300.0 else 4)
        if self._x_values is not None and self._x_values.counts_years:
            numbers = [(place, text.replace(",", "")) for place, text in numbers]
        return dates or numbers


def padded(values: Sequence[float] | Floats, share: float = 0.05) -> tuple[float, float]:
    """Return the range of values with a margin at both ends."""
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
