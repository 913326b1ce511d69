"""How the split points of a partition move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fruler._typing import Floats
from fruler._wording import name_with_unit, readable_number
from fruler.explain.plots.drawing import (
    SMALL,
    VERMILLION,
    inches_of,
    ink,
    name_axes,
    new_axes,
    number_ticks,
    place_names,
    tidy,
)
from fruler.explain.plots.sets import draw_sets, name_sets
from fruler.explain.plots.subjects import drawn_range
from fruler.rules.partitions import FuzzyPartition

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Heights of the ranges, in turn, since those of neighbours touch; and how far below each its number begins.
_HEIGHTS, _BELOW, _LOWEST = (-0.16, -0.42), 0.18, -0.62


class DisplacementDisplay:
    """A partition before and after its split points were displaced, and how far each may move.

    The partition before is dashed, the one after is solid. Below them a bar shows the range of each split point, half
    of the gap to its neighbour at either side; a ring is where it was, a dot where it is, and the number below is the
    displacement in shares of the gap.

    Parameters
    ----------
    partition : FuzzyPartition
        The partition before.
    displacements : sequence of float
        One per split point, between -0.5 and 0.5.
    name : str, default="input"
        The name of the input.
    unit : str, default=""
        The unit of the input.

    Attributes
    ----------
    ax_ : Axes
        The axes that it was drawn on.
    figure_ : Figure
        The figure of the axes.
    displaced_ : FuzzyPartition
        The partition after.
    before_ : list of Line2D
        One line per label before.
    after_ : list of Line2D
        One line per label after.
    limits_ : ndarray of shape (n_splits, 2)
        From where to where each split point may move.

    See Also
    --------
    PartitionDisplay : The labels of an input of a model.
    fruler.FuzzyPartition.displaced : The computation.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from fruler import FuzzyPartition
    >>> from fruler.explain.plots import DisplacementDisplay
    >>> partition = FuzzyPartition([10.0, 20.0], domain=(0.0, 40.0))
    >>> display = DisplacementDisplay.from_partition(partition, [-0.25, 0.25])
    >>> display.limits_.tolist()
    [[5.0, 15.0], [15.0, 30.0]]
    >>> plt.close(display.figure_)

    Draw it again on other axes:

    >>> display = display.plot(plt.figure().gca())
    >>> plt.close("all")
    """

    ax_: Axes
    figure_: Figure
    displaced_: FuzzyPartition
    before_: list[Any]
    after_: list[Any]
    limits_: Floats

    def __init__(
        self, partition: FuzzyPartition, displacements: Sequence[float] | Floats, *, name: str = "input", unit: str = ""
    ) -> None:
        self.partition = partition
        self.displacements = displacements
        self.name = name
        self.unit = unit

    @classmethod
    def from_partition(
        cls,
        partition: FuzzyPartition,
        displacements: Sequence[float] | Floats,
        *,
        name: str = "input",
        unit: str = "",
        ax: Axes | None = None,
    ) -> Self:
        """Draw the displacement of a partition.

        Parameters
        ----------
        partition : FuzzyPartition
            The partition before.
        displacements : sequence of float
            One per split point, between -0.5 and 0.5.
        name : str, default="input"
            The name of the input.
        unit : str, default=""
            The unit of the input.
        ax : Axes, optional
            The axes to draw on; a new figure by default.

        Returns
        -------
        DisplacementDisplay
            The display, drawn.
        """
        return cls(partition, displacements, name=name, unit=unit).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the display on some axes, or in a new figure.

        Parameters
        ----------
        ax : Axes, optional
            The axes to draw on; a new figure by default.

        Returns
        -------
        DisplacementDisplay
            The display itself.

        Raises
        ------
        ValueError
            If the partition has no split points.
        """
        partition = self.partition
        if not partition.split_points:
            raise ValueError("Only a fuzzy partition with split points can be displaced.")
        self.displaced_ = partition.displaced(self.displacements)
        ax = new_axes(ax, (6.8, 4.2))
        limits = drawn_range(partition, None)
        ax.set_xlim(limits)
        tidy(ax)
        before: dict[str, Any] = {"color": ink(), "alpha": 0.6, "linestyle": (0, (4, 3)), "linewidth": 1.2}
        self.before_ = draw_sets(ax, partition, limits, fill=0.0, **before)
        self.after_ = draw_sets(ax, self.displaced_, limits)
        above = name_sets(ax, self.displaced_, limits, self.after_, y=1.04)
        self._draw_ranges(ax)
        ax.set_ylim(_LOWEST, 1.18 if above else 1.02)
        ax.set_yticks([0.0, 0.5, 1.0], ["0", "0.5", "1"])
        ax.spines["left"].set_bounds(0.0, 1.0)
        number_ticks(ax.xaxis, inches_of(ax)[0])
        name_axes(ax, name_with_unit(self.name, self.unit), "membership")
        self._explain(ax)
        self.ax_, self.figure_ = ax, ax.figure  # type: ignore[assignment]
        return self

    def _draw_ranges(self, ax: Axes) -> None:
        splits = np.asarray(self.partition.split_points)
        low, high = self.partition.domain
        gaps = np.diff(np.concatenate([[low], splits, [high]]))
        self.limits_ = np.column_stack([splits - gaps[:-1] / 2.0, splits + gaps[1:] / 2.0])
        for k, (split, moved) in enumerate(zip(splits, self.displaced_.split_points, strict=True)):
            y = _HEIGHTS[k % 2]
            start, end = self.limits_[k]
            ax.plot([start, end], [y, y], color=ink(), alpha=0.45, linewidth=1.2, marker="|", markersize=7)
            ax.plot([split, moved], [y, y], color=VERMILLION, linewidth=2.4, solid_capstyle="butt")
            ax.plot([split], [y], "o", markerfacecolor="none", markeredgecolor=ink(), markersize=7)
            ax.plot([moved], [y], "o", color=VERMILLION, markersize=6)
        shares = [readable_number(float(share), 2).replace("-", "−") for share in self.displacements]
        texts = [text if text.startswith("−") or text == "0" else f"+{text}" for text in shares]
        middles = ((splits + np.asarray(self.displaced_.split_points)) / 2.0).tolist()
        for k, height in enumerate(_HEIGHTS[: len(texts)]):
            place_names(ax, middles[k::2], texts[k::2], y=height - _BELOW, colours=[ink()] * len(texts[k::2]))

    def _explain(self, ax: Axes) -> None:
        from matplotlib.lines import Line2D

        handles = [
            Line2D([], [], color=ink(), alpha=0.6, linestyle=(0, (4, 3)), linewidth=1.2, label="before"),
            Line2D([], [], color=ink(), linewidth=1.8, label="after"),
            Line2D([], [], color=VERMILLION, linewidth=2.4, marker="o", markersize=6, label="displacement"),
            Line2D([], [], color=ink(), alpha=0.45, linewidth=1.2, marker="|", markersize=7, label="its range"),
        ]
        names = ax.get_legend()
        ax.legend(
            handles=handles,
            loc="lower center",
            bbox_to_anchor=(0.5, 1.0),
            ncols=4,
            frameon=False,
            fontsize=SMALL,
            borderaxespad=0.2,
        )
        if names is not None:
            ax.add_artist(names)
            # The layout leaves no room for what is clipped to the axes.
            names.set_clip_on(False)
