"""Drawing tools that all displays share: colours, ticks, and text that fits. Matplotlib is loaded on use."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fruler._wording import install_advice, number_within, readable_number, with_minus
from fruler.explain._scales import Scale
from fruler.rules._inputs import Variable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

# Okabe and Ito's colours, which colour-blind readers can distinguish; all but the blue work on light and dark grounds.
VERMILLION, GREEN = "#D55E00", "#009E73"
_BLUE, _SKY_BLUE = "#0072B2", "#56B4E9"
_LOW, _MIDDLE, _HIGH = (0x1F, 0x83, 0xC4), (0x90, 0x90, 0x90), (0xD5, 0x5E, 0x00)
SMALL = 9.0
# Mean width of a letter as a share of the font size; capitals and digits are wider than most letters.
_LETTER = 0.62
_POINTS_AN_INCH = 72.0
# Inches: between dates on an axis, between vertical names, the longest vertical name, and between horizontal names.
_BETWEEN, _ON_END, _LONGEST, _APART = 0.12, 0.17, 1.6, 0.05
# Widths of a figure in inches: the default, the maximum for horizontal names, and the margin beside the names.
_USUAL, _WIDEST, _BESIDE = 6.4, 9.0, 1.6
# Legends to the right of axes, at their upper corner.
LEGEND_BESIDE: dict[str, Any] = {
    "loc": "upper left",
    "bbox_to_anchor": (1.01, 1.0),
    "frameon": False,
    "fontsize": SMALL,
    "borderaxespad": 0.0,
}


def load_pyplot() -> Any:
    """Return matplotlib's pyplot; if it is not installed, the error explains how to install it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(f"plots need matplotlib; {install_advice('plot')}") from error
    return plt


def ink() -> str:
    """Return the text colour of the current style."""
    return str(load_pyplot().rcParams["text.color"])


def blue() -> str:
    """Return the main colour: a blue that is visible on the background of the current style."""
    from matplotlib.colors import to_rgb

    return _BLUE if sum(to_rgb(load_pyplot().rcParams["axes.facecolor"])) > 1.5 else _SKY_BLUE


def label_colours(n_labels: int) -> list[tuple[float, float, float]]:
    """Return colours of labels from low (blue) through grey to high (vermillion)."""
    places = np.linspace(0.0, 2.0, n_labels) if n_labels > 1 else np.ones(1)
    parts = np.array([_LOW, _MIDDLE, _HIGH]).T / 255.0
    return list(zip(*(np.interp(places, range(3), part).tolist() for part in parts), strict=True))


def tidy(ax: Axes, *, left: bool = True, bottom: bool = True) -> None:
    """Remove the frame, except for the axes to be read."""
    for side, kept in (("left", left), ("bottom", bottom), ("top", False), ("right", False)):
        ax.spines[side].set_visible(kept)
    ax.tick_params(left=left, labelleft=left, bottom=bottom, labelbottom=bottom)


def inches_of(ax: Axes) -> tuple[float, float]:
    """Return the approximate width and height of axes; a later layout moves their edges a little."""
    figure: Any = ax.figure
    box = ax.get_window_extent()
    return box.width / figure.dpi, box.height / figure.dpi


def text_inches(text: str, size: float = SMALL) -> float:
    """Return the approximate width of a text; rather too large than too small."""
    return max(map(len, text.split("\n"))) * size * _LETTER / _POINTS_AN_INCH


def wrap(text: str, inches: float, size: float = SMALL, max_lines: int = 4) -> str:
    """Break a text into lines that fit a width, between words if possible; text after the last line is cut.

    Examples
    --------
    >>> wrap("max_temperature_before (°C)", 1.3).split(chr(10))
    ['max_temperature_', 'before (°C)']
    """
    room = max(int(inches * _POINTS_AN_INCH / (size * _LETTER)), 4)
    words = re.findall(r"[^\s_\-.]*[\s_\-.]?", text)
    lines = [""]
    for word in words:
        if len(lines[-1]) + len(word.rstrip()) > room and lines[-1]:
            lines.append("")
        while len(word.rstrip()) > room:
            lines[-1], word = word[:room], word[room:]
            lines.append("")
        lines[-1] += word
    lines = [line.strip() for line in lines if line.strip()]
    if len(lines) > max_lines:
        lines = [*lines[: max_lines - 1], lines[max_lines - 1][: room - 1] + "…"]
    return "\n".join(lines)


def name_axes(ax: Axes, x: str = "", y: str = "", *, numbers: str = "") -> None:
    """Write axis labels, wrapped to the size of the axes; the axes in `numbers` ("x", "y", "xy") get number ticks."""
    for side in numbers:
        number_ticks(ax.yaxis if side == "y" else ax.xaxis)
    width, height = inches_of(ax)
    size = _points("axes.labelsize")
    if x:
        ax.set_xlabel(wrap(x, width, size))
    if y:
        ax.set_ylabel(wrap(y, height, size))


def note_above(ax: Axes, note: str, inches: float | None = None) -> None:
    """Write a note above axes, wrapped to a width; the width of the axes by default."""
    text = wrap(note, inches_of(ax)[0] if inches is None else inches, SMALL + 1)
    ax.set_title(text, fontsize=SMALL + 1, loc="left")


def number_ticks(axis: Axis, *, whole: bool = False) -> None:
    """Give an axis as many ticks as there is room for, with readable numbers."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    room = 0.4 if axis is axis.axes.yaxis else 0.5 if whole else 0.75
    bins = int(np.clip(_length(axis) / room, 3, 10 if whole else 8))
    low, high = axis.get_view_interval()
    # There is no whole number between two neighbours.
    least = 1 if whole and abs(high - low) < 2.0 else 2
    axis.set_major_locator(MaxNLocator(bins, integer=whole, steps=[1, 2, 2.5, 5, 10], min_n_ticks=least))
    axis.set_major_formatter(FuncFormatter(lambda value, _: tick_text(value, axis.get_majorticklocs())))


def scale_ticks(axis: Axis, scale: Scale, *, changes: bool) -> None:
    """Give an axis of raw outputs ticks in the target's scale, or ticks with changes of the target."""
    low, high = sorted(axis.get_view_interval())
    places = scale.round_places(low, high, int(np.clip(_length(axis) / 0.75, 3, 8)))
    if not places:
        number_ticks(axis)
    elif changes:
        sizes = [scale.change(place, 1e-3) for place in places]
        axis.set_ticks(places, [with_minus(one.marked(number_within(one.number, one.tolerance))) for one in sizes])
    else:
        axis.set_ticks(places, [readable_number(scale.target(place), grouped=False) for place in places])


def value_ticks(axis: Axis, variable: Variable) -> None:
    """Give the axis of an input ticks: dates if the input is a date, else numbers."""
    size = _points("xtick.labelsize")
    low, high = axis.get_view_interval()
    ticks = variable.ticks(low, high, lambda text: (text_inches(text, size) + _BETWEEN) / _length(axis))
    if ticks:
        axis.set_ticks([place for place, _ in ticks], [text for _, text in ticks])
    else:
        number_ticks(axis)


def name_ticks(ax: Axes, names: Sequence[str]) -> None:
    """Write as many names as fit at 0, 1, ... on the x axis, vertically if there is little room."""
    ax.set_xlim(-0.5, len(names) - 0.5)
    room = inches_of(ax)[0] / len(names)
    if room >= _level_room(names):
        ax.set_xticks(range(len(names)), [wrap(name, room - _APART) for name in names], fontsize=SMALL)
        return
    shown = range(0, len(names), int(np.ceil(_ON_END / room)))
    texts = [wrap(names[k], _LONGEST, max_lines=1) for k in shown]
    ax.set_xticks(shown, texts, rotation=90, fontsize=SMALL)


def width_for(names: Sequence[str]) -> float:
    """Return the width in inches of a figure with names below its axes."""
    return max(_USUAL, min(_BESIDE + len(names) * _level_room(names), _WIDEST), _BESIDE + len(names) * _ON_END)


def _level_room(names: Sequence[str]) -> float:
    """Return the room for a horizontal name, which is broken only between words."""
    return max(text_inches(word) for name in names for word in name.split() or [""]) + _APART


def tick_text(value: float, ticks: Sequence[float] | npt.NDArray[Any]) -> str:
    """Write the number at a tick with enough digits to distinguish it from its neighbours.

    Examples
    --------
    >>> [tick_text(value, [1000.0, 1000.5, 1001.0]) for value in (1000.0, 1000.5)]
    ['1000', '1000.5']
    """
    places = np.unique(np.asarray(ticks, dtype=np.float64))
    steps = np.diff(places)
    step = float(steps.min()) if len(steps) else abs(value)
    if value == 0.0 or step == 0.0 or abs(value) < 1e-6 * step:
        return "0"
    digits = math.ceil(math.log10(abs(value) / step)) + 2
    return readable_number(value, min(max(digits, 3), 12), grouped=False).replace("-", "−")


def place_names(ax: Axes, places: Sequence[float], names: Sequence[str], *, y: float, colours: Sequence[Any]) -> bool:
    """Write names above places on the x axis if all of them fit on one line; the limits of the axis must be set.

    Returns
    -------
    bool
        Whether the names fit; otherwise none is written.
    """
    low, high = ax.get_xlim()
    inch = (high - low) / inches_of(ax)[0]
    halves = np.array([text_inches(name) * inch / 2.0 for name in names])
    middles = np.minimum(np.maximum(places, low + halves), high - halves)
    starts, ends = middles - halves, middles + halves + 0.06 * inch
    if starts[0] < low or (starts[1:] < ends[:-1]).any():
        return False
    for middle, name, colour in zip(middles, names, colours, strict=True):
        ax.text(middle, y, name, ha="center", va="bottom", fontsize=SMALL, color=colour)
    return True


def _length(axis: Axis) -> float:
    return inches_of(axis.axes)[axis is axis.axes.yaxis]


def _points(setting: str) -> float:
    from matplotlib.font_manager import FontProperties

    return float(FontProperties(size=load_pyplot().rcParams[setting]).get_size_in_points())
