"""The critical-difference diagram of a ranking."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fruler.bench.statistics import cliques, friedman_ranking, nemenyi_distance
from fruler.bench.systems import title_of

# Heights in rows of text.
ABOVE, BAR, BELOW = 2.6, 0.45, 0.6
ROW_INCHES = 0.27


def draw_ranks(groups: Mapping[str, pd.DataFrame], colours: Mapping[str, str], ink: str) -> Figure:
    """Draw one diagram per group of systems, one below the other; values have a row per set, a column per system."""
    heights = [_height(values) for values in groups.values()]
    figure = Figure(figsize=(9.0, ROW_INCHES * sum(heights)), layout="constrained")
    panels = figure.subplots(len(groups), 1, height_ratios=heights, squeeze=False)[:, 0]
    for axes, (name, values) in zip(panels, groups.items(), strict=True):
        _draw_group(axes, name, values, colours, ink)
    return figure


def _bars(values: pd.DataFrame) -> list[tuple[int, int]]:
    return cliques(friedman_ranking(values).ranks, nemenyi_distance(values.shape[1], len(values)))


def _height(values: pd.DataFrame) -> float:
    return ABOVE + BAR * len(_bars(values)) + BELOW + (values.shape[1] + 1) // 2


def _draw_group(axes: Axes, name: str, values: pd.DataFrame, colours: Mapping[str, str], ink: str) -> None:
    """Draw the scale at y = 0, bars and names below it, the critical difference above."""
    ranks = friedman_ranking(values).ranks
    n = len(ranks)
    distance = nemenyi_distance(n, len(values))
    margin = 0.5 * (n - 1)
    axes.set_xlim(1 - margin, n + margin)
    axes.set_ylim(ABOVE - _height(values), ABOVE)
    axes.set_axis_off()
    axes.text(1 - margin, ABOVE - 0.1, f"{name[0].upper()}{name[1:]} ({len(values)} sets)", va="top", weight="bold")
    axes.plot([1, n], [0, 0], color=ink, linewidth=1)
    for rank in range(1, n + 1):
        axes.plot([rank, rank], [0, 0.2], color=ink, linewidth=1)
        axes.text(rank, 0.3, str(rank), ha="center", va="bottom", fontsize=9)
    # With few sets it can be longer than the scale; the number beside it counts.
    end = min(1 + distance, n)
    axes.plot([1, 1, 1, end, end, end], [1.35, 1.65, 1.5, 1.5, 1.35, 1.65], color=ink, linewidth=1)
    axes.text(end + 0.01 * n, 1.5, f" CD {distance:.2f}", va="center", fontsize=9)
    bars = _bars(values)
    for level, (first, last) in enumerate(bars):
        y = -BAR * (level + 0.8)
        axes.plot([ranks.iloc[first] - 0.04, ranks.iloc[last] + 0.04], [y, y], color=ink, linewidth=3.5)
    for position, (system, rank) in enumerate(ranks.items()):
        on_left = position < (n + 1) // 2
        row = position if on_left else n - 1 - position
        y = -BAR * len(bars) - BELOW - row
        end = 1 - 0.04 * n if on_left else n + 0.04 * n
        axes.plot([rank, rank, end], [0, y, y], color=colours[str(system)], linewidth=1.4)
        text = f"{title_of(str(system))}  {rank:.2f} " if on_left else f" {rank:.2f}  {title_of(str(system))}"
        axes.text(end, y, text, ha="right" if on_left else "left", va="center")
