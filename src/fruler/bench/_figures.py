"""The pictures of a benchmark; importing this module imports matplotlib."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
from matplotlib.transforms import Bbox

from fruler.bench._comparisons import MEASURE_NAMES, PAPER_GROUP, ranked_groups, ranked_peers
from fruler.bench._measurements import Measurements, geometric_mean
from fruler.bench._methods import own_systems, title_of
from fruler.bench._peers import PEERS
from fruler.bench._presentation import DrawnPicture
from fruler.bench._statistics import cliques, friedman_ranking, nemenyi_distance
from fruler.bench.paper import PAPER_SYSTEMS, order_sets, paper_results, paper_tables

INK, _SOFT = "#1b1e23", "#8a919e"
# Colours that colour-blind readers can distinguish, with the help of the markers: mostly Paul Tol's "muted" palette.
# First those of our own algorithms, in the order of the registry, then those of the peers.
_OWN_COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00")
_PEER_COLOURS = (
    *("#88CCEE", "#44AA99", "#228833", "#DDCC77", "#CC6677", "#AA4499"),
    *("#8877CC", "#999933", "#6699CC", "#BBBBBB", "#EE8866"),
    *("#AA7755", "#F0A0C0", "#B0D060", "#5577AA", "#332288"),
)
_MARKERS = ("o", "s", "^", "v", "D", "P", "X", "<", ">", "p", "h", "d", "*", "H", "8", "$\\clubsuit$")
_RC: Any = {
    "font.size": 10,
    "font.family": "DejaVu Sans",
    "svg.hashsalt": "fruler",
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), INK),
    "axes.spines.top": False,
    "axes.spines.right": False,
}
_TENS = [10.0**power for power in range(-6, 9)]
# Candidate offsets of a label from its point, in points, the nearest first.
_OFFSETS: list[tuple[int, int, Any]] = [
    (x, y * distance + gap, side)
    for distance in (0, 4, 8, 12, 18, 24, 36, 48, 60)
    for (x, side), (y, gap) in (
        *product(((9, "left"), (-9, "right")), ((1, 0), (-1, 0))),
        *product(((0, "center"),), ((1, 12), (-1, -12))),
    )
]
# Heights in a diagram of ranks, in rows of text.
_ABOVE, _BAR, _BELOW, _ROW_INCHES = 2.6, 0.45, 0.6, 0.27


class Look(NamedTuple):
    """Colour and marker of a system, the same in every picture."""

    colour: str
    marker: str
    size: float


def look_of(system: str) -> Look:
    """Return the look of a system: strong colours for ours, grey for the paper's, soft colours for peers."""
    ours = list(own_systems())
    if system in ours:
        return Look(_OWN_COLOURS[ours.index(system) % len(_OWN_COLOURS)], "o", 11)
    if system in PAPER_SYSTEMS:
        return Look(_SOFT, _MARKERS[list(PAPER_SYSTEMS).index(system)], 9)
    position = list(PEERS).index(system) if system in PEERS else len(PEERS) - 1
    return Look(_PEER_COLOURS[position], _MARKERS[position], 8)


def draw_pictures(measured: Measurements) -> list[DrawnPicture]:
    """Draw every picture for which there are runs."""
    with mpl.rc_context(_RC):
        drawn = {f"ranks_{measure}": _ranks(measured, measure) for measure in ("error", "rules")}
        drawn |= {
            "error_rules": _error_against_rules(measured),
            "error_rules_sets": _error_against_rules_by_set(measured),
            "time_rows": _time_against_rows(measured),
        }
        return [
            DrawnPicture(name, title, caption, {kind: _saved(figure, kind) for kind in ("png", "svg")})
            for name, (title, caption, figure) in ((name, parts) for name, parts in drawn.items() if parts is not None)
        ]


# The title of a picture, its caption and the drawing.
_Parts = tuple[str, str, Figure]


def _saved(figure: Figure, kind: str) -> bytes:
    buffer = io.BytesIO()
    # No date, so that the same runs give the same file.
    metadata = {"Date": None} if kind == "svg" else {"Software": None}
    figure.savefig(buffer, format=kind, dpi=160, metadata=metadata)
    return buffer.getvalue()


def _ranks(measured: Measurements, measure: str) -> _Parts | None:
    """Draw critical difference diagrams of the rankings that include our methods."""
    groups = {name: values for name, values in ranked_groups(measured, measure).items() if name != PAPER_GROUP}
    if not groups:
        return None
    caption = (
        "Mean ranks over data sets, the best on the left. Systems connected by a bar do not differ significantly: "
        "their ranks are closer than the critical difference (CD) of Nemenyi's test at 0.05."
    )
    return f"Ranks by {MEASURE_NAMES[measure]}", caption, draw_ranks(groups)


def draw_ranks(groups: Mapping[str, pd.DataFrame]) -> Figure:
    """Draw one diagram per group of systems; the values have one row per set and one column per system."""
    bars = {
        name: cliques(friedman_ranking(values).ranks, nemenyi_distance(values.shape[1], len(values)))
        for name, values in groups.items()
    }
    heights = [_ABOVE + _BAR * len(bars[name]) + _BELOW + (values.shape[1] + 1) // 2 for name, values in groups.items()]
    figure = Figure(figsize=(9.0, _ROW_INCHES * sum(heights)), layout="constrained")
    panels = figure.subplots(len(groups), 1, height_ratios=heights, squeeze=False)[:, 0]
    for axes, (name, values), height in zip(panels, groups.items(), heights, strict=True):
        axes.set_ylim(_ABOVE - height, _ABOVE)
        _draw_group(axes, name, values, bars[name])
    return figure


def _draw_group(axes: Axes, name: str, values: pd.DataFrame, bars: list[tuple[int, int]]) -> None:
    """Draw a ranking: the scale at y = 0, bars and names below it, the critical difference above."""
    ranks = friedman_ranking(values).ranks
    n = len(ranks)
    distance = nemenyi_distance(n, len(values))
    margin = 0.5 * (n - 1)
    axes.set_xlim(1 - margin, n + margin)
    axes.set_axis_off()
    title = f"{name[0].upper()}{name[1:]} ({len(values)} sets)"
    axes.text(1 - margin, _ABOVE - 0.1, title, va="top", weight="bold")
    axes.plot([1, n], [0, 0], color=INK, linewidth=1)
    for rank in range(1, n + 1):
        axes.plot([rank, rank], [0, 0.2], color=INK, linewidth=1)
        axes.text(rank, 0.3, str(rank), ha="center", va="bottom", fontsize=9)
    # With few sets the critical difference can exceed the scale; the number next to it is right.
    end = min(1 + distance, n)
    axes.plot([1, 1, 1, end, end, end], [1.35, 1.65, 1.5, 1.5, 1.35, 1.65], color=INK, linewidth=1)
    axes.text(end + 0.01 * n, 1.5, f" CD {distance:.2f}", va="center", fontsize=9)
    for level, (first, last) in enumerate(bars):
        y = -_BAR * (level + 0.8)
        axes.plot([ranks.iloc[first] - 0.04, ranks.iloc[last] + 0.04], [y, y], color=INK, linewidth=3.5)
    for position, (system, rank) in enumerate(ranks.items()):
        on_left = position < (n + 1) // 2
        y = -_BAR * len(bars) - _BELOW - (position if on_left else n - 1 - position)
        end = 1 - 0.04 * n if on_left else n + 0.04 * n
        colour = INK if system in PAPER_SYSTEMS else look_of(str(system)).colour
        axes.plot([rank, rank, end], [0, y, y], color=colour, linewidth=1.4)
        text = f"{title_of(str(system))}  {rank:.2f} " if on_left else f" {rank:.2f}  {title_of(str(system))}"
        axes.text(end, y, text, ha="right" if on_left else "left", va="center")


def _error_against_rules(measured: Measurements) -> _Parts | None:
    """Draw one point per system: its error, as a ratio to the paper's FRULER, against its number of rules."""
    systems = [*PAPER_SYSTEMS, *measured.ours, *ranked_peers(measured, "error")]
    errors = measured.compare(systems, "error")
    if errors.empty or not measured.ours:
        return None
    ratios = {system: geometric_mean(errors[system] / errors["paper_fruler"]) for system in systems}
    counts = {system: measured.results(system, "rules").reindex(errors.index) for system in systems}
    rules = {system: geometric_mean(count) for system, count in counts.items() if count.notna().all()}
    figure = Figure(figsize=(8.6, 5.4), layout="constrained")
    others = [system for system in systems if system not in rules]
    panels = figure.subplots(1, 2 if others else 1, sharey=True, squeeze=False, width_ratios=(4, 1) if others else None)
    main, side = panels[0, 0], panels[0, -1]
    if others:
        side.set_xlim(0.8, 2.6)
        side.xaxis.set_major_locator(NullLocator())
        side.set_xlabel("no rules")
        side.tick_params(left=False, labelleft=False, which="both")
        side.spines["left"].set_visible(False)
    _log_axis(main, "y", list(ratios.values()), pad=1.12)
    _log_axis(main, "x", list(rules.values()), pad=1.5)
    main.set_xlabel("number of rules (geometric mean)")
    main.set_ylabel("test error, ratio to the published FRULER")
    for axes, shown in {main: list(rules), side: others or list(rules)}.items():
        axes.axhline(1, color=_SOFT, linewidth=0.8, linestyle=":", zorder=0)
        points = {system: (rules.get(system, 1.0), ratios[system]) for system in shown}
        for system, (x, y) in points.items():
            _plot(axes, system, [x], [y])
        place_labels(axes, [(title_of(system), *point) for system, point in points.items()], level=1.0)
    caption = (
        f"Geometric means over the {len(errors)} sets for which all these systems have results; further left and "
        "lower is better. Methods without rules are on the right."
    )
    return "Error against number of rules", caption, figure


def place_labels(axes: Axes, points: Sequence[tuple[str, float, float]], level: float) -> None:
    """Write a name next to each point (name, x, y) where it covers no other name, no point and no line at `level`.

    A thin line leads from each name to its point. The limits of the axes must be set before.
    """
    # The layout determines where the axes are, and is computed while drawing.
    figure: Any = axes.figure
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    scale = renderer.points_to_pixels(1.0)
    centres = [axes.transData.transform((x, y)) for _, x, y in points]
    taken = [Bbox([centre - 6.0 * scale, centre + 6.0 * scale]) for centre in centres]
    frame = axes.get_window_extent(renderer)
    line = axes.transData.transform((points[0][1], level))[1]
    taken.append(Bbox.from_extents(frame.x0, line - scale, frame.x1, line + scale))
    page = Bbox.from_extents(frame.x0, frame.y0, figure.bbox.x1, frame.y1)
    arrow = {"arrowstyle": "-", "color": INK, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 4}
    for text, x, y in points:
        label = axes.annotate(
            text, (x, y), (0, 0), textcoords="offset points", fontsize=9, va="center", arrowprops=arrow
        )
        for dx, dy, side in _OFFSETS:
            label.set_position((dx, dy))
            label.set_horizontalalignment(side)
            # The extent of the letters alone, without the line.
            label.update_positions(renderer)
            box = Text.get_window_extent(label, renderer)
            inside = page.x0 <= box.x0 and box.x1 <= page.x1 and page.y0 <= box.y0 and box.y1 <= page.y1
            if inside and not any(box.overlaps(other) for other in taken):
                break
        taken.append(box)


def _error_against_rules_by_set(measured: Measurements) -> _Parts | None:
    """Draw the error against the number of rules in one panel per set, for systems with rules."""
    printed = paper_results("error")["paper_fruler"]
    systems = [*PAPER_SYSTEMS, *(method for method in measured.methods if not measured.means(method, "rules").empty)]
    sets = order_sets({str(name) for own in measured.ours for name in measured.of(own)["set"]} & set(printed.index))
    if not sets:
        return None
    rules, errors = ({system: measured.results(system, kind) for system in systems} for kind in ("rules", "error"))
    points = [
        (system, name, rules[system][name], errors[system][name] / printed[name])
        for system, name in product(systems, sets)
        if name in rules[system] and name in errors[system]
    ]
    low, high = 0.25, 4.0
    columns = min(7, len(sets))
    lines = -(-len(sets) // columns)
    figure = Figure(figsize=(max(1.75 * columns, 5.0), max(1.75 * lines + 1.3, 3.8)), layout="constrained")
    grid = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
    panels = dict(zip(sets, grid.ravel(), strict=False))
    for axes in grid.ravel()[len(sets) :]:
        axes.set_visible(False)
    # Shared axes have labels below the last row of panels only, which may be shorter than the one above.
    for axes in list(panels.values())[-columns:]:
        axes.tick_params(labelbottom=True)
    for system, name, count, ratio in points:
        _plot(panels[name], system, [count], [min(max(ratio, low), high)], scale=0.6)
    for name, axes in panels.items():
        axes.set_title(name, fontsize=9)
        axes.axhline(1, color=_SOFT, linewidth=0.8, linestyle=":", zorder=0)
    first = panels[sets[0]]
    _log_axis(first, "x", [count for _, _, count, _ in points], pad=1.4, ticks=(1, 5, 25, 100, 500))
    _log_axis(first, "y", [low, high], pad=1.15, ticks=(0.25, 0.5, 1, 2, 4))
    figure.supxlabel("number of rules", fontsize=10)
    figure.supylabel("error, ratio to the published FRULER", fontsize=10)
    _legend(figure, dict.fromkeys(system for system, *_ in points), "outside upper center", min(4, columns + 1))
    caption = (
        "One panel per data set; further left and lower is better. Ratios below 1/4 or above 4 are drawn at the edge."
    )
    return "Error against number of rules, set by set", caption, figure


def _time_against_rows(measured: Measurements) -> _Parts | None:
    """Draw the seconds of a fit against the number of training rows, one point per set."""
    times = {method: (measured.means(method, "rows"), measured.means(method, "seconds")) for method in measured.methods}
    times = {method: pair for method, pair in times.items() if not pair[1].empty}
    if not times:
        return None
    tables = paper_tables()
    shared = tables.index.intersection(pd.Index([name for _, seconds in times.values() for name in seconds.index]))
    # Four of five folds are training rows.
    times["paper_fruler"] = (0.8 * tables["cases"][shared], tables["fruler_run_s"][shared].astype(float))
    figure = Figure(figsize=(8.6, 5.4), layout="constrained")
    axes = figure.subplots()
    for method, (rows, seconds) in times.items():
        _plot(axes, method, rows.reindex(seconds.index), seconds.clip(lower=1e-4), scale=0.62)
    _log_axis(axes, "x", [row for rows, _ in times.values() for row in rows], pad=1.2)
    _log_axis(axes, "y", [max(time, 1e-4) for _, seconds in times.values() for time in seconds], pad=1.5, ticks=_TENS)
    axes.grid(color=_SOFT, alpha=0.25, linewidth=0.6)
    axes.set_xlabel("training rows")
    axes.set_ylabel("seconds of a fit")
    _legend(figure, times, "outside right upper", 1)
    caption = (
        "One point per data set, means over folds and seeds. The published times are from another machine, and without "
        "instance selection."
    )
    return "Time against rows", caption, figure


def _style(system: str, scale: float) -> dict[str, Any]:
    look = look_of(system)
    return {
        "color": look.colour,
        "marker": look.marker,
        "linestyle": "",
        "markersize": scale * look.size,
        "markeredgecolor": INK,
        "markeredgewidth": 0.5,
    }


def _plot(axes: Axes, system: str, x: Any, y: Any, scale: float = 1.0) -> None:
    """Plot points of a system; those of our own are on top."""
    axes.plot(x, y, zorder=4 if system in own_systems() else 3, clip_on=False, **_style(system, scale))


def _legend(figure: Figure, systems: Iterable[str], place: Any, columns: int) -> None:
    handles = [Line2D([], [], label=title_of(system), **_style(system, 0.7)) for system in systems]
    figure.legend(handles=handles, loc=place, ncols=columns, frameon=False, fontsize=9)


def _log_axis(axes: Axes, which: str, values: list[float], pad: float, ticks: Sequence[float] | None = None) -> None:
    """Give an axis a logarithmic scale that spans some values, with plain numbers at its ticks."""
    low, high = min(values) / pad, max(values) * pad
    # An axis that spans less than a power of ten has more ticks.
    digits = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9) if high < 8 * low else (1, 2, 5)
    candidates = ticks or [digit * ten for ten in _TENS for digit in digits]
    (axes.set_xscale if which == "x" else axes.set_yscale)("log")
    (axes.set_xlim if which == "x" else axes.set_ylim)(low, high)
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_major_locator(FixedLocator([tick for tick in candidates if low <= tick <= high]))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(_plain))


def _plain(value: float, _: int | None) -> str:
    return f"{value:,.0f}" if value >= 1e3 else f"{value:g}" if value >= 1e-3 else f"{value:.0e}"
