"""What all pictures share: matplotlib on use, colours, ticks, and text that fits."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fruler._wording import install_advice, number_within, readable_number, with_minus
from fruler.explain.scales import Scale
from fruler.rules.variables import Variable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

# Okabe and Ito's colours, which colour-blind readers tell apart; all but the blue are seen on light and on dark.
VERMILLION, GREEN = "#D55E00", "#009E73"
_BLUE, _SKY_BLUE = "#0072B2", "#56B4E9"
_LOW, _MIDDLE, _HIGH = (0x1F, 0x83, 0xC4), (0x90, 0x90, 0x90), (0xD5, 0x5E, 0x00)
SMALL = 9.0
# Mean width of a letter, in shares of the font's size; capitals and digits are wider than most.
_LETTER = 0.62
_POINTS_AN_INCH = 72.0
# From one date on an axis to the next, in inches.
_BETWEEN = 0.12


def load_pyplot() -> Any:
    """Return matplotlib's pyplot, or say how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(f"plots need matplotlib; {install_advice('plot')}") from error
    return plt


def ink() -> str:
    """Return the colour of text in the style that is in use."""
    return str(load_pyplot().rcParams["text.color"])


def blue() -> str:
    """Return the main colour: a blue that is seen on the background of the style that is in use."""
    from matplotlib.colors import to_rgb

    return _BLUE if sum(to_rgb(load_pyplot().rcParams["axes.facecolor"])) > 1.5 else _SKY_BLUE


def new_axes(ax: Axes | None, size: tuple[float, float] | None = None) -> Axes:
    """Return the axes that were given, or those of a new figure."""
    plt = load_pyplot()
    if ax is not None:
        _require_axes(ax)
        return ax
    made: Axes = plt.subplots(figsize=size, layout="constrained")[1]
    return made


def split_axes(
    ax: Axes | None,
    size: tuple[float, float],
    *,
    heights: Sequence[float] = (1.0,),
    widths: Sequence[float] = (1.0,),
    share: str,
) -> npt.NDArray[np.object_]:
    """Return a grid of axes that share their x or y: in a new figure, or in the place of the axes that were given."""
    plt = load_pyplot()
    if ax is None:
        figure = plt.figure(figsize=size, layout="constrained")
        grid = figure.add_gridspec(len(heights), len(widths), height_ratios=heights, width_ratios=widths)
    else:
        _require_axes(ax)
        figure, spec = ax.figure, ax.get_subplotspec()
        if spec is None:
            place = ax.get_position()
            grid = figure.add_gridspec(
                *(len(heights), len(widths)),
                height_ratios=heights,
                width_ratios=widths,
                left=place.x0,
                right=place.x1,
                bottom=place.y0,
                top=place.y1,
            )
        else:
            grid = spec.subgridspec(len(heights), len(widths), height_ratios=heights, width_ratios=widths)
        ax.set_axis_off()
    panels = np.empty((len(heights), len(widths)), dtype=object)
    for row in range(len(heights)):
        for column in range(len(widths)):
            first = panels[0, 0] if row + column else None
            panels[row, column] = figure.add_subplot(grid[row, column], **{f"share{share}": first})
    return panels


def _require_axes(ax: Any) -> None:
    from matplotlib.axes import Axes as AnyAxes

    if not isinstance(ax, AnyAxes):
        raise ValueError(f"ax must be matplotlib axes, or None for a new figure; got a {type(ax).__name__}.")


def label_colours(n_labels: int) -> list[tuple[float, float, float]]:
    """Return colours of labels from low (blue) through grey to high (vermillion)."""
    if n_labels == 1:
        return [tuple(part / 255.0 for part in _MIDDLE)]  # type: ignore[list-item]
    stops = np.array([_LOW, _MIDDLE, _HIGH]) / 255.0
    places = np.linspace(0.0, 2.0, n_labels)
    mixed = np.column_stack([np.interp(places, [0.0, 1.0, 2.0], stops[:, part]) for part in range(3)])
    return [(float(r), float(g), float(b)) for r, g, b in mixed]


def tidy(ax: Axes, *, left: bool = True, bottom: bool = True) -> None:
    """Take away the frame but for the axes that are read."""
    for side, kept in (("left", left), ("bottom", bottom), ("top", False), ("right", False)):
        ax.spines[side].set_visible(kept)
    ax.tick_params(left=left, labelleft=left, bottom=bottom, labelbottom=bottom)


def inches_of(ax: Axes) -> tuple[float, float]:
    """Return about how wide and high axes are; a layout that is still to come moves their borders a little."""
    figure: Any = ax.figure
    box = ax.get_window_extent()
    return box.width / figure.dpi, box.height / figure.dpi


def text_inches(text: str, size: float = SMALL) -> float:
    """Return about how wide a text is, rather too much than too little."""
    return max(map(len, text.split("\n"))) * size * _LETTER / _POINTS_AN_INCH


def wrap(text: str, inches: float, size: float = SMALL, max_lines: int = 4) -> str:
    """Break a text so that its lines fit a width, where words end if possible; a last line that is too long is cut.

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


def name_axes(ax: Axes, x: str = "", y: str = "") -> None:
    """Write what the axes show, broken where it is longer than they are."""
    width, height = inches_of(ax)
    size = _points("axes.labelsize")
    if x:
        ax.set_xlabel(wrap(x, width, size))
    if y:
        ax.set_ylabel(wrap(y, height, size))


def number_ticks(axis: Axis, inches: float, *, whole: bool = False) -> None:
    """Give an axis as many ticks as there is room for, with numbers as a person would write them."""
    from matplotlib.axis import YAxis
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    room = 0.4 if isinstance(axis, YAxis) else 0.5 if whole else 0.75
    bins = int(np.clip(inches / room, 3, 10 if whole else 8))
    low, high = axis.get_view_interval()
    # Between one whole number and the next there is nothing to write.
    least = 1 if whole and abs(high - low) < 2.0 else 2
    axis.set_major_locator(MaxNLocator(bins, integer=whole, steps=[1, 2, 2.5, 5, 10], min_n_ticks=least))
    axis.set_major_formatter(FuncFormatter(lambda value, _: tick_text(value, axis.get_majorticklocs())))


def target_ticks(axis: Axis, inches: float, scale: Scale) -> None:
    """Give an axis of what rules say ticks with the targets that these stand for."""
    low, high = sorted(axis.get_view_interval())
    places = scale.round_places(low, high, int(np.clip(inches / 0.75, 3, 8)))
    if places:
        axis.set_ticks(places, [readable_number(scale.target(place), grouped=False) for place in places])
    else:
        number_ticks(axis, inches)


def change_ticks(axis: Axis, inches: float, scale: Scale) -> None:
    """Give an axis of changes of what rules say ticks with the changes of the target."""
    low, high = sorted(axis.get_view_interval())
    places = scale.round_places(low, high, int(np.clip(inches / 0.75, 3, 8)))
    if not places:
        number_ticks(axis, inches)
        return
    told = [scale.change(place, 1e-3) for place in places]
    texts = [one.marked(f"{number_within(one.number, one.tolerance)}") for one in told]
    axis.set_ticks(places, [with_minus(text) for text in texts])


def value_ticks(axis: Axis, inches: float, variable: Variable) -> None:
    """Give the axis of an input ticks: dates where it comes from them, else numbers."""
    size = _points("xtick.labelsize")
    low, high = axis.get_view_interval()
    ticks = variable.ticks(low, high, lambda text: (text_inches(text, size) + _BETWEEN) / inches)
    if ticks:
        axis.set_ticks([place for place, _ in ticks], [text for _, text in ticks])
    else:
        number_ticks(axis, inches)


def tick_text(value: float, ticks: Sequence[float] | npt.NDArray[Any]) -> str:
    """Write the number at a tick with the digits that tell it from its neighbours.

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
    """Write names above places on the x axis, whose limits must be set, if there is room for all of them in a line.

    Returns
    -------
    bool
        Whether there was; nothing is written otherwise.
    """
    low, high = ax.get_xlim()
    inch = (high - low) / inches_of(ax)[0]
    halves = [text_inches(name) * inch / 2.0 for name in names]
    middles = [min(max(place, low + half), high - half) for place, half in zip(places, halves, strict=True)]
    starts = [middle - half for middle, half in zip(middles, halves, strict=True)]
    ends = [middle + half + 0.06 * inch for middle, half in zip(middles, halves, strict=True)]
    if starts[0] < low or any(start < end for start, end in zip(starts[1:], ends[:-1], strict=True)):
        return False
    for middle, name, colour in zip(middles, names, colours, strict=True):
        ax.text(middle, y, name, ha="center", va="bottom", fontsize=SMALL, color=colour)
    return True


def _points(setting: str) -> float:
    from matplotlib.font_manager import FontProperties

    return float(FontProperties(size=load_pyplot().rcParams[setting]).get_size_in_points())
