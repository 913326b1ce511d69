"""The pictures of a benchmark. They need matplotlib, which is loaded with this module."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from fruler.bench.labels import place_labels
from fruler.bench.measurements import Measured, geometric_mean
from fruler.bench.page import Picture
from fruler.bench.paper import paper_tables
from fruler.bench.ranks_figure import draw_ranks
from fruler.bench.systems import PAPER_SYSTEMS, PEERS, order_sets, own_systems, paper_figures, title_of
from fruler.bench.tables_statistics import NAMES, PAPER_GROUP, ranked_groups, ranked_peers

INK = "#1b1e23"
SOFT = "#8a919e"
# Paul Tol's "muted" colours and their like: told apart by colour-blind readers, with the markers to help, and visible
# on light and on dark.
# Of our own algorithms, in the order of the registry.
OWN_COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00")
PEER_COLOURS = (
    *("#88CCEE", "#44AA99", "#228833", "#DDCC77", "#CC6677", "#AA4499"),
    *("#8877CC", "#999933", "#6699CC", "#BBBBBB", "#EE8866"),
    *("#AA7755", "#F0A0C0", "#B0D060", "#5577AA"),
)
MARKERS = ("o", "s", "^", "v", "D", "P", "X", "<", ">", "p", "h", "d", "*", "H", "8")
RC: Any = {
    "font.size": 10,
    "font.family": "DejaVu Sans",
    "svg.hashsalt": "fruler",
    "svg.fonttype": "path",
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), INK),
    "axes.spines.top": False,
    "axes.spines.right": False,
}


class Look(NamedTuple):
    """Colour and marker of a system, the same in every picture."""

    colour: str
    marker: str
    size: float


def look_of(system: str) -> Look:
    """Return how a system is drawn: ours in strong colours, the paper's in grey, the peers in soft ones."""
    ours = list(own_systems())
    if system in ours:
        return Look(OWN_COLOURS[ours.index(system) % len(OWN_COLOURS)], "o", 11)
    if system in PAPER_SYSTEMS:
        return Look(SOFT, MARKERS[list(PAPER_SYSTEMS).index(system)], 9)
    position = list(PEERS).index(system) if system in PEERS else len(PEERS) - 1
    return Look(PEER_COLOURS[position], MARKERS[position], 8)


def draw_pictures(measured: Measured) -> Iterator[tuple[Picture, dict[str, bytes]]]:
    """Draw every picture for which there are runs: for the page, and as files by suffix."""
    with mpl.rc_context(RC):
        for name, title, caption, figure in _figures(measured):
            drawing = _save(figure, "svg", transparent=True).decode()
            files = {"png": _save(figure, "png", dpi=160), "svg": _on_white(drawing).encode()}
            # The page decides between dark on light and light on dark.
            yield Picture(name, title, caption, drawing.replace(INK, "currentColor")), files


class Drawn(NamedTuple):
    """A picture before it is saved."""

    name: str
    title: str
    caption: str
    figure: Figure


def _figures(measured: Measured) -> Iterator[Drawn]:
    for figure in ("error", "rules"):
        if drawn := _ranks(measured, figure):
            yield drawn
    for draw in (_error_against_rules, _error_against_rules_by_set, _time_against_rows):
        if drawn := draw(measured):
            yield drawn


def _save(figure: Figure, kind: str, *, transparent: bool = False, dpi: float = 100) -> bytes:
    buffer = io.BytesIO()
    # Without a date, so that the same runs give the same file.
    metadata = {"Date": None} if kind == "svg" else {"Software": None}
    figure.savefig(buffer, format=kind, transparent=transparent, dpi=dpi, metadata=metadata)
    return buffer.getvalue()


def _on_white(drawing: str) -> str:
    """Return a transparent drawing with a background, for readers who show it on a dark one."""
    return re.sub(r"(<svg\b[^>]*>)", r'\1<rect width="100%" height="100%" fill="#ffffff"/>', drawing, count=1)


def _ranks(measured: Measured, figure: str) -> Drawn | None:
    """Draw the critical differences of the rankings in which we take part."""
    groups = {name: values for name, values in ranked_groups(measured, figure).items() if name != PAPER_GROUP}
    if not groups:
        return None
    caption = (
        "Mean ranks over data sets, the best on the left. Systems under one bar do not differ significantly: their "
        "ranks are closer than the critical difference (CD) of Nemenyi's test at 0.05."
    )
    colours = {system: look_of(system).colour for values in groups.values() for system in map(str, values)}
    drawing = draw_ranks(groups, {**colours, **dict.fromkeys(PAPER_SYSTEMS, INK)}, INK)
    return Drawn(f"ranks_{figure}", f"Ranks by {NAMES[figure]}", caption, drawing)


def _error_against_rules(measured: Measured) -> Drawn | None:
    """Draw one point per system: its error, as a ratio to the paper's FRULER, against its number of rules."""
    systems = [*PAPER_SYSTEMS, *measured.ours, *ranked_peers(measured, "error")]
    errors = measured.compare(systems, "error")
    if errors.empty or not measured.ours:
        return None
    ratios = {system: geometric_mean(errors[system] / errors["paper_fruler"]) for system in systems}
    counts = {system: measured.figures(system, "rules").reindex(errors.index) for system in systems}
    rules = {system: geometric_mean(count) for system, count in counts.items() if count.notna().all()}
    figure = Figure(figsize=(8.6, 5.4), layout="constrained")
    ruled = [system for system in systems if system in rules]
    others = [system for system in systems if system not in rules]
    main, side = figure.subplots(1, 2, sharey=True, width_ratios=(4, 1)) if others else (figure.subplots(), None)
    for axes, shown in ((main, ruled), (side, others)):
        if axes is None:
            continue
        for system in shown:
            _point(axes, system, rules.get(system, 1.0), ratios[system])
        axes.axhline(1, color=SOFT, linewidth=0.8, linestyle=":", zorder=0)
    _log_axis(main, "y", list(ratios.values()), pad=1.12)
    _log_axis(main, "x", list(rules.values()), pad=1.5)
    main.set_xlabel("number of rules (geometric mean)")
    main.set_ylabel("test error, ratio to the published FRULER")
    place_labels(main, [(title_of(system), rules[system], ratios[system]) for system in ruled], INK, level=1.0)
    if side is not None:
        side.set_xlim(0.8, 2.6)
        side.xaxis.set_major_locator(NullLocator())
        side.set_xlabel("no rules")
        side.tick_params(left=False, labelleft=False, which="both")
        side.spines["left"].set_visible(False)
        place_labels(side, [(title_of(system), 1.0, ratios[system]) for system in others], INK, level=1.0)
    caption = (
        f"Geometric means over the {len(errors)} sets for which all these systems have figures; left and low is "
        "better. Methods that are not made of rules stand at the right."
    )
    return Drawn("error_rules", "Error against number of rules", caption, figure)


def _error_against_rules_by_set(measured: Measured) -> Drawn | None:
    """Draw the same for every set by itself, of the systems that have rules."""
    printed = paper_figures("error")["paper_fruler"]
    systems = [*PAPER_SYSTEMS, *(method for method in measured.methods if not measured.means(method, "rules").empty)]
    sets = order_sets(
        {str(name) for algorithm in measured.ours for name in measured.of(algorithm)["set"]} & set(printed.index)
    )
    if not sets:
        return None
    points = [
        (system, name, rules[name], errors[name] / printed[name])
        for system in systems
        for rules, errors in [(measured.figures(system, "rules"), measured.figures(system, "error"))]
        for name in sets
        if name in rules and name in errors
    ]
    low, high = 0.25, 4.0
    columns = min(7, len(sets))
    lines = -(-len(sets) // columns)
    figure = Figure(figsize=(max(1.75 * columns, 5.0), max(1.75 * lines + 1.3, 3.8)), layout="constrained")
    grid = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
    panels = dict(zip(sets, grid.ravel(), strict=False))
    for axes in grid.ravel()[len(sets) :]:
        axes.set_visible(False)
    # Shared axes are labelled below the last line only, which may be shorter than the one above.
    for axes in list(panels.values())[-columns:]:
        axes.tick_params(labelbottom=True)
    for system, name, rules, ratio in points:
        _point(panels[name], system, rules, min(max(ratio, low), high), scale=0.6)
    for name, axes in panels.items():
        axes.set_title(name, fontsize=9)
        axes.axhline(1, color=SOFT, linewidth=0.8, linestyle=":", zorder=0)
    first = panels[sets[0]]
    _log_axis(first, "x", [rules for _, _, rules, _ in points], pad=1.4, ticks=(1, 5, 25, 100, 500))
    _log_axis(first, "y", [low, high], pad=1.15, ticks=(0.25, 0.5, 1, 2, 4))
    figure.supxlabel("number of rules", fontsize=10)
    figure.supylabel("error, ratio to the published FRULER", fontsize=10)
    _legend(figure, list(dict.fromkeys(system for system, *_ in points)), columns=min(4, columns + 1))
    caption = (
        "One panel per data set; further left and lower is better. Ratios below 1/4 or above 4 are drawn at the edge."
    )
    return Drawn("error_rules_sets", "Error against number of rules, set by set", caption, figure)


def _time_against_rows(measured: Measured) -> Drawn | None:
    """Draw the seconds of a fit against the number of training rows, one point per set."""
    figure = Figure(figsize=(8.6, 5.4), layout="constrained")
    axes = figure.subplots()
    times = {method: (measured.means(method, "rows"), measured.means(method, "seconds")) for method in measured.methods}
    times = {method: pair for method, pair in times.items() if not pair[1].empty}
    if not times:
        return None
    tables = paper_tables()
    shared = tables.index.intersection(pd.Index([name for _, seconds in times.values() for name in seconds.index]))
    # Four folds of five are trained on.
    times["paper_fruler"] = (0.8 * tables["cases"][shared], tables["fruler_run_s"][shared].astype(float))
    for method, (rows, seconds) in times.items():
        look = look_of(method)
        axes.plot(
            *(rows.reindex(seconds.index).to_numpy(), seconds.clip(lower=1e-4).to_numpy(), look.marker),
            color=look.colour,
            markersize=0.62 * look.size,
            markeredgecolor=INK,
            markeredgewidth=0.4,
            zorder=4 if method in own_systems() else 3,
        )
    _log_axis(axes, "x", [row for rows, _ in times.values() for row in rows], pad=1.2)
    _log_axis(axes, "y", [max(time, 1e-4) for _, seconds in times.values() for time in seconds], pad=1.5, ticks=POWERS)
    axes.grid(color=SOFT, alpha=0.25, linewidth=0.6)
    axes.set_xlabel("training rows")
    axes.set_ylabel("seconds of a fit")
    _legend(figure, list(times), columns=1, place="outside right upper")
    caption = (
        "A point a data set, means over folds and seeds. The published times are of another machine, and without the "
        "selection of instances."
    )
    return Drawn("time_rows", "Time against rows", caption, figure)


def _point(axes: Axes, system: str, x: float, y: float, scale: float = 1.0) -> None:
    look = look_of(system)
    axes.plot(
        *([x], [y], look.marker),
        color=look.colour,
        markersize=scale * look.size,
        markeredgecolor=INK,
        markeredgewidth=0.5,
        zorder=4 if system in own_systems() else 3,
        clip_on=False,
    )


Place = Literal["outside upper center", "outside right upper"]


def _legend(figure: Figure, systems: list[str], columns: int, place: Place = "outside upper center") -> None:
    handles = []
    for system in systems:
        look = look_of(system)
        handles.append(
            Line2D(
                *([], []),
                color=look.colour,
                marker=look.marker,
                markersize=0.7 * look.size,
                linestyle="",
                markeredgecolor=INK,
                markeredgewidth=0.5,
                label=title_of(system),
            )
        )
    figure.legend(handles=handles, loc=place, ncols=columns, frameon=False, fontsize=9)


POWERS = [10.0**power for power in range(-6, 9)]
TICKS = tuple(digit * power for power in POWERS for digit in (1, 2, 5))
# For an axis that spans less than a power of ten.
FINE_TICKS = tuple(digit * power for power in POWERS for digit in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9))


def _log_axis(axes: Axes, which: str, values: list[float], pad: float, ticks: Sequence[float] | None = None) -> None:
    """Give an axis a logarithmic scale that spans some values, with plain numbers at its ticks."""
    low, high = min(values) / pad, max(values) * pad
    ticks = ticks or (FINE_TICKS if high < 8 * low else TICKS)
    inside = [tick for tick in ticks if low <= tick <= high]
    (axes.set_xscale if which == "x" else axes.set_yscale)("log")
    (axes.set_xlim if which == "x" else axes.set_ylim)(low, high)
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_major_locator(FixedLocator(inside))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(_plain))


def _plain(value: float, _: int | None) -> str:
    return f"{value:,.0f}" if value >= 1e3 else f"{value:g}" if value >= 1e-3 else f"{value:.0e}"
