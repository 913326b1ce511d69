"""Plots of the labels of one input: over the data, in nested partitions, and before and after a displacement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fruler._arrays import Floats
from fruler._table.reading import column_names
from fruler._table.sources import Source
from fruler._wording import name_with_unit, readable_number, with_minus, with_plus
from fruler.explain._dependence import Histogram, bars_of, rows_with
from fruler.explain.plots._display import Display, rule_base_of
from fruler.explain.plots._drawing import (
    SMALL,
    VERMILLION,
    ink,
    label_colours,
    name_axes,
    name_ticks,
    number_ticks,
    place_names,
    tidy,
    value_ticks,
    width_for,
)
from fruler.explain.plots._ranges import drawn_range, histogram_of, input_number
from fruler.explain.plots._sets import draw_histogram, draw_sets, name_above, name_sets, sorted_choices
from fruler.rules._inputs import Variable
from fruler.rules._partitions import FuzzyPartition, Partition

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Inches.
_WIDTH, _HEIGHT, _ROW = 6.8, 3.4, 0.95
# The top of the y axis with names above the bars of categories, in multiples of the tallest bar.
_ABOVE = 1.16
# Granularities: the heights of a set and of its names as shares of a row, and the maximum number of rows.
_SET, _NAMES, _MAX_ROWS = 0.6, 0.64, 8
# Alternating heights of the ranges of displacements, since neighbours touch; the distance to the number below each
# range; and the lower end of the y axis.
_HEIGHTS, _BELOW, _LOWEST = (-0.16, -0.42), 0.18, -0.62


@dataclass(eq=False, repr=False)
class PartitionDisplay(Display):
    """The fuzzy sets of one input, with their names, over the histogram of its values.

    Categories are bars, in the order of their values and in the colours of their labels. The height of a bar is the
    number of rows with the category, if it is known.

    Parameters
    ----------
    partition : Partition
        The labels.
    name, unit : str
        The name of the input, and its unit if any.
    histogram : (ndarray, ndarray), optional
        The edges and the counts of the input's histogram, with one more edge than counts.
    source : Source, optional
        The meaning of the input's numbers, such as categories or dates; None for plain numbers.

    Attributes
    ----------
    ax_ : Axes
        The axes that it was drawn on.
    figure_ : Figure
        The figure of the axes.
    lines_ : list of Line2D
        One line per label; empty for categories.
    bars_ : BarContainer or None
        The bars of the histogram or of the categories.

    See Also
    --------
    RuleBaseDisplay : The labels that each rule accepts.
    GranularitiesDisplay : The partitions that the paper's algorithm chooses from.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from fruler import FuzzyRuleRegressor
    >>> from fruler.data import load_example
    >>> from fruler.explain.plots import PartitionDisplay
    >>> weather = load_example("weather")
    >>> model = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target)
    >>> display = PartitionDisplay.from_estimator(model, "max_temperature_before")
    >>> display.ax_.get_xlabel()
    'max_temperature_before'
    >>> plt.close(display.figure_)

    Draw it again on other axes:

    >>> display = display.plot(plt.figure().gca())
    >>> plt.close("all")
    """

    partition: Partition
    _: KW_ONLY
    name: str = "input"
    unit: str = ""
    histogram: Histogram | None = None
    source: Source | None = None

    @classmethod
    def from_estimator(cls, model: Any, feature: int | str, X: Any = None, *, ax: Axes | None = None) -> Self:
        """Draw the labels of an input of a model, or of its target if the rules predict labels.

        Parameters
        ----------
        model : fitted estimator or RuleBase
            The model.
        feature : int or str
            The input, by its name or its number; or the target by its name. If rules have fuzzy sets of their own, all
            sets of the input are drawn.
        X : array-like of shape (n_samples, n_inputs), optional
            The rows of the histogram; the training rows by default.
        ax : Axes, optional
            The axes to draw on; a new figure by default.

        Returns
        -------
        PartitionDisplay
            The display, drawn.
        """
        rules = rule_base_of(model)
        target = rules.target
        if target is not None and feature == target.name and feature not in rules.names:
            return cls(target.partition, name=target.name, unit=target.unit).plot(ax)
        j = input_number(rules.names, feature)
        histogram = histogram_of(rules, j, None if X is None else rules.inputs_of(X))
        variable = rules.antecedents.condition_inputs[j]
        names = {"name": variable.name, "unit": variable.unit}
        return cls(variable.partition, **names, histogram=histogram, source=variable.source).plot(ax)

    def _draw(self, ax: Axes | None) -> None:
        variable = Variable(self.name, self.partition, self.unit, self.source)
        choices, labels = sorted_choices(variable) if variable.choices else ([], np.arange(0))
        ax = self._new_axes(ax, (max(_WIDTH, width_for(choices) if choices else 0.0), _HEIGHT))
        self.lines_: list[Any] = []
        if choices:
            self._draw_choices(variable, choices, labels)
        elif self.partition.ordered:
            limits = drawn_range(self.partition, self.histogram)
            ax.set_xlim(limits)
            self.bars_ = draw_histogram(ax, self.histogram, label="rows")
            self.lines_ = draw_sets(ax, self.partition, limits)
            _finish_sets(ax, self.partition, self.lines_, variable.title)
            value_ticks(ax.xaxis, variable)
        else:
            counts = [_rows_in(group, self.histogram) for group in self.partition.groups]
            self.bars_ = ax.bar(range(len(counts)), counts, 0.7, color=ink(), alpha=0.3)
            name_ticks(ax, self.partition.labels)
            name_axes(ax, variable.title, "rows", numbers="y")

    def _draw_choices(self, variable: Variable, names: list[str], labels: Any) -> None:
        """Draw one bar per category, in the colour of its label."""
        ax, partition = self.ax_, variable.partition
        counts = rows_with(sorted(number for _, number in variable.choices), self.histogram)
        heights = np.ones(len(names)) if counts is None else counts
        colours = label_colours(partition.n_labels)
        self.bars_ = ax.bar(range(len(names)), heights, 0.7, color=[colours[label] for label in labels], alpha=0.6)
        name_ticks(ax, names)
        top = float(heights.max()) or 1.0
        ax.set_ylim(0.0, 1.04 * top)
        shown = np.unique(labels)
        if len(shown) > 1:
            middles = [float(np.flatnonzero(labels == label).mean()) for label in shown]
            words = [partition.labels[label] for label in shown]
            if place_names(ax, middles, words, y=1.04 * top, colours=[colours[label] for label in shown]):
                ax.set_ylim(0.0, _ABOVE * top)
        if counts is None:
            tidy(ax, left=False)
        else:
            number_ticks(ax.yaxis, whole=True)
        name_axes(ax, variable.title, "" if counts is None else "rows")


def _finish_sets(ax: Axes, partition: Partition, lines: list[Any], title: str, lowest: float = 0.0) -> None:
    """Name fuzzy sets, and give them an axis from 0 to 1."""
    above = name_sets(ax, partition, ax.get_xlim(), lines, y=1.04)
    ax.set_ylim(lowest, 1.18 if above else 1.02)
    ax.set_yticks([0.0, 0.5, 1.0], ["0", "0.5", "1"])
    ax.spines["left"].set_bounds(0.0, 1.0)
    name_axes(ax, title, "membership")


def _rows_in(group: tuple[float, ...], histogram: Histogram | None) -> float:
    """Return the number of rows with a category of a group; categories share a bar only if there are very many."""
    if histogram is None:
        return 0.0
    bars, inside = bars_of(np.array(group), histogram)
    return float(histogram[1][np.unique(bars[inside])].sum())


@dataclass(eq=False, repr=False)
class GranularitiesDisplay(Display):
    """The nested partitions of an input, the coarsest first; each splits labels of the partition above.

    Parameters
    ----------
    partitions : sequence of FuzzyPartition
        One per row, the coarsest first.
    name, unit : str
        The name of the input, and its unit if any.

    Attributes
    ----------
    ax_ : Axes
        The axes that it was drawn on.
    figure_ : Figure
        The figure of the axes.
    lines_ : list of list of Line2D
        The lines of each row, one per label.
    new_splits_ : list of list of float
        The new split points of each row, marked with a dashed line.

    See Also
    --------
    PartitionDisplay : The labels that a model uses.
    fruler.MultiGranularityDiscretizer : Find the split points.

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

    partitions: Sequence[FuzzyPartition]
    _: KW_ONLY
    name: str = "input"
    unit: str = ""

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
            A fitted discretizer.
        feature : int or str
            The input, by its name or its number.
        granularities : sequence of int, optional
            The granularities to draw. By default all; if there are more than eight, the first seven and the finest.
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
        if not callable(getattr(discretizer, "partition", None)):
            raise ValueError(f"A fitted MultiGranularityDiscretizer is needed; got a {type(discretizer).__name__}.")
        check_is_fitted(discretizer)
        names = column_names(discretizer, len(discretizer.granularities_))
        j = input_number(names, feature)
        if granularities is None:
            every = list(range(1, int(discretizer.granularities_[j]) + 1))
            granularities = every if len(every) <= _MAX_ROWS else [*every[: _MAX_ROWS - 1], every[-1]]
        partitions = [discretizer.partition(j, granularity) for granularity in sorted(granularities)]
        return cls(partitions, name=names[j], unit=unit).plot(ax)

    def _draw(self, ax: Axes | None) -> None:
        n_rows = len(self.partitions)
        if not n_rows:
            raise ValueError("At least one partition is needed to draw granularities.")
        ax = self._new_axes(ax, (_WIDTH, n_rows * _ROW + 0.8))
        low, high = np.array([drawn_range(partition, None) for partition in self.partitions]).T
        limits = float(low.min()), float(high.max())
        ax.set_xlim(limits)
        bases = n_rows - 1.0 - np.arange(n_rows)
        self.lines_: list[list[Any]] = []
        self.new_splits_: list[list[float]] = []
        known: set[float] = set()
        for base, partition in zip(bases.tolist(), self.partitions, strict=True):
            self.lines_.append(draw_sets(ax, partition, limits, base=base, height=_SET))
            name_above(ax, partition, limits, y=base + _NAMES)
            fresh = [split for split in partition.split_points if split not in known]
            self.new_splits_.append(fresh)
            for split in fresh:
                ax.plot([split] * 2, [base, base + _SET], color=VERMILLION, linestyle=(0, (3, 2)), linewidth=1.2)
            known |= set(partition.split_points)
        ax.set_ylim(-0.06, n_rows - 0.02)
        ax.set_yticks(bases + _SET / 2, [str(partition.n_labels) for partition in self.partitions])
        ax.tick_params(left=False)
        ax.spines["left"].set_visible(False)
        name_axes(ax, name_with_unit(self.name, self.unit), "labels", numbers="x")


@dataclass(eq=False, repr=False)
class DisplacementDisplay(Display):
    """A partition before and after its split points were displaced, and the range of each split point.

    The partition before is dashed, the one after is solid. Below them a bar shows the range of each split point: half
    of the gap to its neighbour on either side. A ring marks the old place, a dot the new one, and the number below is
    the displacement as a share of the gap.

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
        The ends of the range of each split point.

    See Also
    --------
    PartitionDisplay : The labels of an input of a model.
    fruler.FuzzyPartition.displaced : Displace the split points of a partition.

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

    partition: FuzzyPartition
    displacements: Sequence[float] | Floats
    _: KW_ONLY
    name: str = "input"
    unit: str = ""

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

    def _draw(self, ax: Axes | None) -> None:
        partition = self.partition
        if not partition.split_points:
            raise ValueError("Only a fuzzy partition with split points can be displaced.")
        self.displaced_ = partition.displaced(self.displacements)
        ax = self._new_axes(ax, (_WIDTH, 4.2))
        limits = drawn_range(partition, None)
        ax.set_xlim(limits)
        before: dict[str, Any] = {"color": ink(), "alpha": 0.6, "linestyle": (0, (4, 3)), "linewidth": 1.2}
        self.before_ = draw_sets(ax, partition, limits, fill=0.0, **before)
        self.after_ = draw_sets(ax, self.displaced_, limits)
        reach: dict[str, Any] = {"color": ink(), "alpha": 0.45, "linewidth": 1.2, "marker": "|", "markersize": 7}
        self._draw_ranges(ax, reach)
        _finish_sets(ax, self.displaced_, self.after_, name_with_unit(self.name, self.unit), _LOWEST)
        number_ticks(ax.xaxis)
        labels = ax.get_legend()
        _explain_displacement(ax, before, reach)
        if labels is not None:
            ax.add_artist(labels)
            # The layout reserves no room for artists that are clipped to the axes.
            labels.set_clip_on(False)

    def _draw_ranges(self, ax: Axes, reach: dict[str, Any]) -> None:
        """Draw the range and the displacement of each split point."""
        splits, moved = np.asarray(self.partition.split_points), np.asarray(self.displaced_.split_points)
        low, high = self.partition.domain
        gaps = np.diff(np.concatenate([[low], splits, [high]]))
        self.limits_ = np.column_stack([splits - gaps[:-1] / 2.0, splits + gaps[1:] / 2.0])
        for k, (start, end) in enumerate(zip(splits, moved, strict=True)):
            y = _HEIGHTS[k % 2]
            ax.plot(self.limits_[k], [y, y], **reach)
            ax.plot([start, end], [y, y], color=VERMILLION, linewidth=2.4, solid_capstyle="butt")
            ax.plot([start], [y], "o", markerfacecolor="none", markeredgecolor=ink(), markersize=7)
            ax.plot([end], [y], "o", color=VERMILLION, markersize=6)
        texts = [with_minus(with_plus(readable_number(float(share), 2))) for share in self.displacements]
        middles = ((splits + moved) / 2.0).tolist()
        for k, height in enumerate(_HEIGHTS[: len(texts)]):
            place_names(ax, middles[k::2], texts[k::2], y=height - _BELOW, colours=[ink()] * len(texts[k::2]))


def _explain_displacement(ax: Axes, before: dict[str, Any], reach: dict[str, Any]) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], label="before", **before),
        Line2D([], [], color=ink(), linewidth=1.8, label="after"),
        Line2D([], [], color=VERMILLION, linewidth=2.4, marker="o", markersize=6, label="displacement"),
        Line2D([], [], label="its range", **reach),
    ]
    place: dict[str, Any] = {"loc": "lower center", "bbox_to_anchor": (0.5, 1.0), "borderaxespad": 0.2}
    ax.legend(handles=handles, ncols=4, frameon=False, fontsize=SMALL, **place)
