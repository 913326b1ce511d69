"""The nested partitions of one input: one row per granularity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fruler._wording import name_with_unit
from fruler.explain.plots.drawing import (
    VERMILLION,
    inches_of,
    label_colours,
    name_axes,
    new_axes,
    number_ticks,
    place_names,
    tidy,
)
from fruler.explain.plots.sets import draw_sets, peaks
from fruler.explain.plots.subjects import drawn_range, input_number
from fruler.rules.partitions import FuzzyPartition

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ROW = 0.95  # inches
_SET, _NAMES = 0.6, 0.64  # in shares of a row
_MAX_ROWS = 8


class GranularitiesDisplay:
    """The partitions that an input can have, from one label on: each splits one label of the row above.

    Parameters
    ----------
    partitions : sequence of FuzzyPartition
        One per row, the coarsest first.
    name, unit : str
        What the input is called, and its unit if any.

    Attributes
    ----------
    ax_ : Axes
        The axes that it was drawn on.
    figure_ : Figure
        The figure of the axes.
    lines_ : list of list of Line2D
        For each row one line per label.
    new_splits_ : list of list of float
        For each row the split points that the row above does not have; a dashed line marks them.

    See Also
    --------
    PartitionDisplay : The labels that a model uses.
    fruler.MultiGranularityDiscretizer : Finds the split points.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from fruler import MultiGranularityDiscretizer
    >>> from fruler.data import load_example
    >>> from fruler.explain.plots import GranularitiesDisplay
    >>> weather = load_example("weather")
    >>> discretizer = MultiGranularityDiscretizer().fit(weather.data, weather.target)
    >>> display = GranularitiesDisplay.from_estimator(discretizer, "day_of_year")
    >>> [len(lines) for lines in display.lines_][:3]
    [1, 2, 3]
    >>> plt.close(display.figure_)

    Draw it again on other axes:

    >>> display = display.plot(plt.figure().gca())
    >>> plt.close("all")
    """

    ax_: Axes
    figure_: Figure
    lines_: list[list[Any]]
    new_splits_: list[list[float]]

    def __init__(self, partitions: Sequence[FuzzyPartition], *, name: str = "input", unit: str = "") -> None:
        if not partitions:
            raise ValueError("At least one partition is needed to draw granularities.")
        self.partitions = tuple(partitions)
        self.name = name
        self.unit = unit

    @classmethod
    def from_estimator(
        cls,
        discretizer: Any,
        feature: int | str,
        *,
        granularities: Sequence[int] | None = None,
        unit: str = "",
        ax: Axes | None = None,
    ) -> Self:
        """Draw the granularities of an input.

        Parameters
        ----------
        discretizer : MultiGranularityDiscretizer
            Fitted.
        feature : int or str
            The input, by its name or its number.
        granularities : sequence of int, optional
            Which of them; by default all, of more than eight the first seven and the finest.
        unit : str
            The unit of the input.
        ax : Axes, optional
            The axes to draw on; a new figure by default.

        Returns
        -------
        GranularitiesDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If `discretizer` is not a fitted MultiGranularityDiscretizer.
        """
        from sklearn.utils.validation import check_is_fitted

        from fruler.stages.discretization import MultiGranularityDiscretizer
        from fruler.table.validation import column_names

        if not isinstance(discretizer, MultiGranularityDiscretizer):
            raise ValueError(f"A fitted MultiGranularityDiscretizer is needed; got a {type(discretizer).__name__}.")
        check_is_fitted(discretizer)
        names = column_names(discretizer, len(discretizer.granularities_))
        j = input_number(names, feature)
        if granularities is None:
            every = list(range(1, int(discretizer.granularities_[j]) + 1))
            granularities = every if len(every) <= _MAX_ROWS else [*every[: _MAX_ROWS - 1], every[-1]]
        partitions = [discretizer.partition(j, granularity) for granularity in sorted(granularities)]
        return cls(partitions, name=names[j], unit=unit).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the display on some axes, or in a new figure.

        Parameters
        ----------
        ax : Axes, optional
            The axes to draw on; a new figure by default.

        Returns
        -------
        GranularitiesDisplay
            The display itself.
        """
        n_rows = len(self.partitions)
        ax = new_axes(ax, (6.8, n_rows * _ROW + 0.8))
        low, high = np.array([drawn_range(partition, None) for partition in self.partitions]).T
        limits = float(low.min()), float(high.max())
        ax.set_xlim(limits)
        tidy(ax)
        self.lines_, self.new_splits_ = [], []
        known: set[float] = set()
        for row, partition in enumerate(self.partitions):
            base = float(n_rows - 1 - row)
            self.lines_.append(draw_sets(ax, partition, limits, base=base, height=_SET))
            colours = label_colours(partition.n_labels)
            place_names(ax, peaks(partition, *limits), partition.labels, y=base + _NAMES, colours=colours)
            fresh = [split for split in partition.split_points if split not in known]
            self.new_splits_.append(fresh)
            for split in fresh:
                ax.plot([split] * 2, [base, base + _SET], color=VERMILLION, linestyle=(0, (3, 2)), linewidth=1.2)
            known |= set(partition.split_points)
        ax.set_ylim(-0.06, n_rows - 0.02)
        ax.set_yticks(
            n_rows - 1 - np.arange(n_rows) + _SET / 2, [str(partition.n_labels) for partition in self.partitions]
        )
        ax.tick_params(left=False)
        ax.spines["left"].set_visible(False)
        number_ticks(ax.xaxis, inches_of(ax)[0])
        name_axes(ax, name_with_unit(self.name, self.unit), "labels")
        self.ax_, self.figure_ = ax, ax.figure  # type: ignore[assignment]
        return self
