"""The labels of one input, over the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fruler._typing import Floats
from fruler.explain.plots.choices import figure_width, labels_of, name_values, rows_with, values_of
from fruler.explain.plots.drawing import (
    inches_of,
    ink,
    label_colours,
    name_axes,
    new_axes,
    number_ticks,
    place_names,
    tidy,
    value_ticks,
)
from fruler.explain.plots.sets import draw_histogram, draw_sets, name_sets
from fruler.explain.plots.subjects import (
    drawn_range,
    histogram_of,
    input_names,
    input_number,
    rows_of,
    rule_base_of,
)
from fruler.rules.partitions import Partition
from fruler.rules.rule_base import RuleBase
from fruler.rules.variables import Variable
from fruler.table.sources import Source

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT = 6.8, 3.4
# Room above the bars of categories for the names of their labels, in shares of the tallest.
_ABOVE = 1.16


class PartitionDisplay:
    """The fuzzy sets of one input, with their names, over the histogram of its values.

    Categories are bars, in the order of what they add, with one colour for each label; their height is how many rows
    have them, where that is known.

    Make it with `from_estimator` or `from_rule_base`.

    Parameters
    ----------
    partition : Partition
        The labels.
    name, unit : str
        What the input is called, and its unit if any.
    histogram : (ndarray, ndarray), optional
        The edges of its bars, one more than bars, and how many rows lie in each.
    source : Source, optional
        What its numbers stand for, such as categories or dates; None: themselves.

    Attributes
    ----------
    ax_ : Axes
        The axes that it was drawn on.
    figure_ : Figure
        The figure of the axes.
    lines_ : list of Line2D
        One line per label.
    bars_ : BarContainer or None
        The histogram.

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

    A rule base works the same way, and a display can be drawn again on other axes:

    >>> display = PartitionDisplay.from_rule_base(model.rule_base_, "max_temperature_before").plot(plt.figure().gca())
    >>> plt.close("all")
    """

    ax_: Axes
    figure_: Figure
    lines_: list[Any]
    bars_: Any

    def __init__(
        self,
        partition: Partition,
        *,
        name: str = "input",
        unit: str = "",
        histogram: tuple[Floats, Floats] | None = None,
        source: Source | None = None,
    ) -> None:
        self.partition = partition
        self.name = name
        self.unit = unit
        self.histogram = histogram
        self.source = source

    @classmethod
    def from_estimator(cls, model: Any, feature: int | str, X: Any = None, *, ax: Axes | None = None) -> Self:
        """Draw the labels of an input of a fitted model, or those of its output if it has some.

        Parameters
        ----------
        model : fitted estimator or RuleBase
            The model.
        feature : int or str
            The input, by its name or its number; or the target by its name. Of rules with sets of their own, all sets
            of the input are drawn.
        X : array-like of shape (n_samples, n_inputs), optional
            The rows of the histogram; the training rows by default.
        ax : Axes, optional
            The axes to draw on; a new figure by default.

        Returns
        -------
        PartitionDisplay
            The display, drawn.
        """
        rule_base = rule_base_of(model)
        target = rule_base.target
        if target is not None and feature == target.name and feature not in rule_base.names:
            return cls(target.partition, name=target.name, unit=target.unit).plot(ax)
        j = input_number(input_names(rule_base), feature)
        variable = rule_base.antecedents.condition_inputs[j]
        histogram = histogram_of(rule_base, j, None if X is None else rows_of(model, X))
        known = {"name": variable.name, "unit": variable.unit, "histogram": histogram}
        return cls(variable.partition, **known, source=variable.source).plot(ax)  # type: ignore[arg-type]

    @classmethod
    def from_rule_base(cls, rule_base: RuleBase, feature: int | str, X: Any = None, *, ax: Axes | None = None) -> Self:
        """Draw the labels of an input of a rule base.

        Parameters
        ----------
        rule_base : RuleBase
            The rules.
        feature : int or str
            The input, by its name or its number; or the target by its name. Of rules with sets of their own, all sets
            of the input are drawn.
        X : array-like of shape (n_samples, n_inputs), optional
            The rows of the histogram; the training rows by default.
        ax : Axes, optional
            The axes to draw on; a new figure by default.

        Returns
        -------
        PartitionDisplay
            The display, drawn.
        """
        return cls.from_estimator(rule_base, feature, X, ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the display on some axes, or in a new figure.

        Parameters
        ----------
        ax : Axes, optional
            The axes to draw on; a new figure by default.

        Returns
        -------
        PartitionDisplay
            The display itself.
        """
        variable = Variable(self.name, self.partition, self.unit, self.source)
        ax = new_axes(ax, (max(_WIDTH, figure_width(variable) if variable.choices else 0.0), _HEIGHT))
        tidy(ax)
        if variable.choices:
            self._plot_choices(ax, variable)
        elif self.partition.ordered:
            self._plot_sets(ax, variable)
        else:
            self._plot_groups(ax, variable)
        self.ax_, self.figure_ = ax, ax.figure  # type: ignore[assignment]
        return self

    def _plot_sets(self, ax: Axes, variable: Variable) -> None:
        partition = variable.partition
        limits = drawn_range(partition, None if self.histogram is None else self.histogram[0])
        ax.set_xlim(limits)
        self.bars_ = draw_histogram(ax, self.histogram)
        self.lines_ = draw_sets(ax, partition, limits)
        above = name_sets(ax, partition, limits, self.lines_, y=1.04)
        ax.set_ylim(0.0, 1.18 if above else 1.02)
        ax.set_yticks([0.0, 0.5, 1.0], ["0", "0.5", "1"])
        ax.spines["left"].set_bounds(0.0, 1.0)
        value_ticks(ax.xaxis, inches_of(ax)[0], variable)
        name_axes(ax, variable.title, "membership")

    def _plot_choices(self, ax: Axes, variable: Variable) -> None:
        names, numbers = values_of(variable)
        labels, counts = labels_of(variable, numbers), rows_with(numbers, self.histogram)
        heights = np.ones(len(names)) if counts is None else counts
        colours = label_colours(variable.partition.n_labels)
        self.lines_ = []
        self.bars_ = ax.bar(range(len(names)), heights, 0.7, color=[colours[label] for label in labels], alpha=0.6)
        ax.set_xlim(-0.5, len(names) - 0.5)
        top = float(heights.max()) or 1.0
        ax.set_ylim(0.0, 1.04 * top)
        shown = np.unique(labels)
        if len(shown) > 1:
            middles = [float(np.flatnonzero(labels == label).mean()) for label in shown]
            said = [variable.partition.labels[label] for label in shown]
            if place_names(ax, middles, said, y=1.04 * top, colours=[colours[label] for label in shown]):
                ax.set_ylim(0.0, _ABOVE * top)
        name_values(ax, names)
        if counts is None:
            tidy(ax, left=False)
        else:
            number_ticks(ax.yaxis, inches_of(ax)[1], whole=True)
        name_axes(ax, variable.title, "" if counts is None else "rows")

    def _plot_groups(self, ax: Axes, variable: Variable) -> None:
        counts = [_rows_in(group, self.histogram) for group in variable.partition.groups]
        self.lines_ = []
        self.bars_ = ax.bar(range(len(counts)), counts, 0.7, color=ink(), alpha=0.3)
        ax.set_xlim(-0.5, len(counts) - 0.5)
        name_values(ax, variable.partition.labels)
        number_ticks(ax.yaxis, inches_of(ax)[1])
        name_axes(ax, variable.title, "rows")


def _rows_in(group: tuple[float, ...], histogram: tuple[Floats, Floats] | None) -> float:
    """Return how many rows have a category of a group; two categories never share a bar unless there are very many."""
    if histogram is None:
        return 0.0
    edges, counts = histogram
    inside = [code for code in group if edges[0] <= code <= edges[-1]]
    places = np.clip(np.searchsorted(edges, inside, side="right") - 1, 0, len(counts) - 1)
    return float(counts[np.unique(places)].sum())
