"""What one input does to the prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler._wording import name_with_unit
from fruler.explain.plots.choices import figure_width, name_values, rows_with, values_of
from fruler.explain.plots.drawing import (
    SMALL,
    blue,
    inches_of,
    ink,
    label_colours,
    name_axes,
    number_ticks,
    place_names,
    split_axes,
    tidy,
    value_ticks,
)
from fruler.explain.plots.ranges import is_line, predicted_over, range_of, rows_text, rows_to_move
from fruler.explain.plots.sets import draw_histogram, draw_sets, peaks
from fruler.explain.plots.subjects import drawn_range, rule_base_of
from fruler.rules.rule_base import RuleBase
from fruler.rules.variables import Variable
from fruler.table.rows import spread_evenly

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MAX_LINES = 50
# Heights of the strip below, where the effect has 3: with something in it, and with names alone.
_STRIP, _NO_STRIP = 1.15, 0.03


class EffectDisplay:
    """The prediction as one input moves over its range, with its fuzzy sets and its histogram below.

    The other inputs stay at their typical values; or, with rows given, the line is the mean over these rows (the
    partial dependence). A curve of the input is part of it. Categories are points over their names, the one with the
    lowest prediction first; below them is the number of rows of each, where it is known.

    Parameters
    ----------
    variable : Variable
        The input that moves.
    grid : ndarray of shape (n_points,)
        Its values.
    predictions : ndarray of shape (n_rows, n_points)
        The predictions of each row with the input at each value; their mean is drawn.
    target_name, target_unit : str
        What is predicted, and its unit if any.
    histogram : (ndarray, ndarray), optional
        Edges and counts of the histogram of the input.
    individual : bool, default=False
        Whether to draw one faint line per row, at most 50, behind the mean.

    Attributes
    ----------
    axes_ : ndarray of Axes
        The effect, and the strip below.
    figure_ : Figure
        The figure of the axes.
    line_ : Line2D
        The effect.
    rows_ : list of Line2D
        The faint lines.

    See Also
    --------
    EffectsDisplay : The same for all inputs, in small panels.
    PairEffectDisplay : What two inputs do together.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from fruler import FuzzyRuleRegressor
    >>> from fruler.data import load_example
    >>> from fruler.explain.plots import EffectDisplay
    >>> weather = load_example("weather")
    >>> model = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target)
    >>> display = EffectDisplay.from_estimator(model, "pressure")
    >>> display.axes_[0].get_ylabel()
    'mean_temperature'
    >>> plt.close(display.figure_)

    A rule base works the same way, and a display can be drawn again on other axes:

    >>> display = EffectDisplay.from_rule_base(model.rule_base_, "pressure").plot(plt.figure().gca())
    >>> plt.close("all")
    """

    axes_: npt.NDArray[np.object_]
    figure_: Figure
    line_: Any
    rows_: list[Any]

    def __init__(
        self,
        variable: Variable,
        grid: Floats,
        predictions: Floats,
        *,
        target_name: str = "y",
        target_unit: str = "",
        histogram: tuple[Floats, Floats] | None = None,
        individual: bool = False,
    ) -> None:
        self.variable = variable
        self.grid = grid
        self.predictions = predictions
        self.target_name = target_name
        self.target_unit = target_unit
        self.histogram = histogram
        self.individual = individual

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        feature: int | str,
        X: Any = None,
        *,
        individual: bool = False,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the effect of an input of a fitted model.

        Parameters
        ----------
        model : fitted estimator or RuleBase
            The model.
        feature : int or str
            The input, by its name or its number; or a column of categories by its name.
        X : array-like of shape (n_samples, n_inputs), optional
            Rows to take the mean over; of more than 500, 500 are taken, evenly spread. Without them the other inputs
            stay at the typical values of the training rows.
        individual : bool, default=False
            Whether to draw one faint line per row, at most 50, behind the mean.
        ax : Axes, optional
            The axes whose place to take; a new figure by default.

        Returns
        -------
        EffectDisplay
            The display, drawn.
        """
        rule_base = rule_base_of(model)
        rows, shown = rows_to_move(model, X)
        along = range_of(rule_base, feature, shown)
        return cls(
            *(along.variable, along.grid, predicted_over(rule_base, rows, along)),
            target_name=rule_base.target_name,
            target_unit=rule_base.target_unit,
            histogram=along.histogram,
            individual=individual,
        ).plot(ax)

    @classmethod
    def from_rule_base(
        cls,
        rule_base: RuleBase,
        feature: int | str,
        X: Any = None,
        *,
        individual: bool = False,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the effect of an input of a rule base.

        Parameters
        ----------
        rule_base : RuleBase
            The rules.
        feature : int or str
            The input, by its name or its number; or a column of categories by its name.
        X : array-like of shape (n_samples, n_inputs), optional
            Rows to take the mean over; of more than 500, 500 are taken, evenly spread. Without them the other inputs
            stay at the typical values of the training rows.
        individual : bool, default=False
            Whether to draw one faint line per row, at most 50, behind the mean.
        ax : Axes, optional
            The axes whose place to take; a new figure by default.

        Returns
        -------
        EffectDisplay
            The display, drawn.
        """
        return cls.from_estimator(rule_base, feature, X, individual=individual, ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the display in the place of some axes, or in a new figure.

        Parameters
        ----------
        ax : Axes, optional
            The axes whose place to take; a new figure by default.

        Returns
        -------
        EffectDisplay
            The display itself.
        """
        line = is_line(self.variable)
        width = 6.4 if line else figure_width(self.variable)
        counts = None if line else rows_with(self.grid, self.histogram)
        strip = _STRIP if line or counts is not None else _NO_STRIP
        panels = split_axes(ax, (width, 4.8), heights=(3.0, strip), share="x")[:, 0]
        upper, lower = panels
        predictions = np.atleast_2d(self.predictions)
        order = np.arange(len(self.grid))
        if self.variable.choices:
            order = np.argsort(predictions.mean(axis=0), kind="stable")
            predictions = predictions[:, order]
        x = self.grid if line else np.arange(len(self.grid))
        look = {"linestyle": "-" if line else "", "marker": "" if line else "o"}
        self.rows_ = []
        if self.individual and len(predictions) > 1:
            some = spread_evenly(len(predictions), _MAX_LINES)
            faint = {"color": ink(), "alpha": 0.15, "linewidth": 0.8, "markersize": 3}
            self.rows_ = upper.plot(x, predictions[some].T, **faint, **look)
        (self.line_,) = upper.plot(x, predictions.mean(axis=0), color=blue(), linewidth=2.2, **look)
        for side in ("top", "right"):
            upper.spines[side].set_visible(False)
        upper.tick_params(labelbottom=False)
        if line:
            self._draw_strip(lower)
        else:
            self._draw_categories(lower, order, counts)
        number_ticks(upper.yaxis, inches_of(upper)[1])
        name_axes(upper, y=name_with_unit(self.target_name, self.target_unit))
        name_axes(lower, x=self.variable.title)
        upper.set_title(rows_text(len(predictions)), fontsize=SMALL + 1, loc="left")
        self.axes_, self.figure_ = panels, upper.figure
        return self

    def _draw_strip(self, ax: Axes) -> None:
        partition = self.variable.partition
        limits = drawn_range(partition, None if self.histogram is None else self.histogram[0])
        ax.set_xlim(limits)
        tidy(ax, left=False)
        draw_histogram(ax, self.histogram)
        top = 1.05
        if partition.n_labels > 1:
            draw_sets(ax, partition, limits, linewidth=1.5)
            colours = label_colours(partition.n_labels)
            if place_names(ax, peaks(partition, *limits), partition.labels, y=1.06, colours=colours):
                top = 1.45
        ax.set_ylim(0.0, top)
        value_ticks(ax.xaxis, inches_of(ax)[0], self.variable)

    def _draw_categories(self, ax: Axes, order: npt.NDArray[np.intp], counts: Floats | None) -> None:
        tidy(ax, left=False)
        names = values_of(self.variable)[0]
        ax.set_xlim(-0.5, len(names) - 0.5)
        name_values(ax, [names[k] for k in order])
        if counts is not None:
            ax.bar(range(len(counts)), counts[order], 0.7, color=ink(), alpha=0.2)
            ax.set_ylim(0.0, 1.05 * float(counts.max()) or 1.0)
