"""Plots of the effects of one input and of two inputs on the prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from fruler._arrays import Floats, Indices
from fruler._table.rows import spread_evenly
from fruler._wording import name_with_unit, number_within
from fruler.explain._effects import outermost
from fruler.explain.explanation import PART_SHARE
from fruler.explain.plots._display import Display, rule_base_of
from fruler.explain.plots._drawing import (
    LEGEND_BESIDE,
    SMALL,
    blue,
    ink,
    label_colours,
    name_axes,
    name_ticks,
    note_above,
    text_inches,
    tidy,
    value_ticks,
    width_for,
    wrap,
)
from fruler.explain.plots._ranges import Range, predicted_over, range_of, rows_to_move
from fruler.explain.plots._sets import draw_histogram, draw_sets, name_above, peaks
from fruler.rules._rule_base import RuleBase

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MAX_ROW_LINES = 50
# Heights of the strip below an effect of height 3: with labels or bars, and with names only.
_STRIP, _NO_STRIP = 1.15, 0.03
# Lines of a pair: the maximum for categories and for labels, and the quantiles for an input without labels.
_MAX_LINES, _MAX_LABELS, _SHARES = 6, 5, (0.1, 0.5, 0.9)
# The maximum number of rows per line of a pair, since each row is predicted at every point of every line.
_MAX_LINE_ROWS = 100
# Inches of a pair: the longest name of a line, and the axes.
_LONGEST_NAME, _WIDTH, _HEIGHT = 2.2, 5.6, 4.0
# The rounding error of a written value of the second input, as a share of its range.
_SHARE_OF_RANGE = 0.005
_STYLES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)))


def draw_effect(ax: Axes, along: Range, predictions: Floats, order: Indices, **look: Any) -> list[Any]:
    """Draw predictions along a range, one line per row; categories are points."""
    plain = {"color": blue(), "linewidth": 2.2, "linestyle": "-" if along.is_line else ""}
    marker = "" if along.is_line else "o"
    return ax.plot(along.grid, predictions.T[order], marker=marker, **{**plain, **look})


def show_values(ax: Axes, along: Range, order: Indices) -> None:
    """Give the x axis the values of a range: numbers, dates, or the names of categories."""
    if along.is_line:
        ax.set_xlim(float(along.grid[0]), float(along.grid[-1]))
        value_ticks(ax.xaxis, along.variable)
    else:
        name_ticks(ax, [along.names[k] for k in order])


def rows_text(n_rows: int) -> str:
    """Return the note about the inputs that are not moved."""
    return "other inputs at their typical values" if n_rows == 1 else f"mean over {n_rows} rows"


@dataclass(eq=False, repr=False)
class EffectDisplay(Display):
    """The prediction as one input moves over its range, with its fuzzy sets and its histogram below.

    The other inputs stay at their typical values; if rows are given, the line is the mean over these rows (the partial
    dependence). It includes the curve of the input, if there is one. Categories are points over their names, the one
    with the lowest prediction first; below them is the number of rows of each, if it is known.

    Parameters
    ----------
    along : Range
        The input that moves, and its values.
    predictions : ndarray of shape (n_rows, n_points)
        The predictions of each row with the input at each value; their mean is drawn.
    target_name, target_unit : str
        The name of the target, and its unit if any.
    individual : bool, default=False
        Whether to draw one faint line per row, at most 50, behind the mean.

    Attributes
    ----------
    axes_ : ndarray of Axes
        The axes of the effect and of the strip below.
    figure_ : Figure
        The figure of the axes.
    line_ : Line2D
        The line of the effect.
    rows_ : list of Line2D
        The faint lines.

    See Also
    --------
    EffectsDisplay : The effects of all inputs, in small panels.
    PairEffectDisplay : The joint effect of two inputs.

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

    Draw it again on other axes:

    >>> display = display.plot(plt.figure().gca())
    >>> plt.close("all")
    """

    along: Range
    predictions: Floats
    _: KW_ONLY
    target_name: str = "y"
    target_unit: str = ""
    individual: bool = False

    @classmethod
    def from_estimator(
        cls, model: Any, feature: int | str, X: Any = None, *, individual: bool = False, ax: Axes | None = None
    ) -> Self:
        """Draw the effect of an input of a model.

        Parameters
        ----------
        model : fitted estimator or RuleBase
            The model.
        feature : int or str
            The input, by its name or its number; or a column of categories by its name.
        X : array-like of shape (n_samples, n_inputs), optional
            Rows to average over; at most 500 of them are used, evenly spread. By default the other inputs stay at the
            typical values of the training rows.
        individual : bool, default=False
            Whether to draw one faint line per row, at most 50, behind the mean.
        ax : Axes, optional
            The axes to replace; a new figure by default.

        Returns
        -------
        EffectDisplay
            The display, drawn.
        """
        rules = rule_base_of(model)
        rows, counted_rows = rows_to_move(rules, X)
        along = range_of(rules, feature, counted_rows)
        names = {"target_name": rules.target_name, "target_unit": rules.target_unit}
        return cls(along, predicted_over(rules, rows, along), **names, individual=individual).plot(ax)

    def _draw(self, ax: Axes | None) -> None:
        along, predictions = self.along, np.atleast_2d(self.predictions)
        mean = predictions.mean(axis=0)
        order = along.order(mean)
        width = 6.4 if along.is_line else width_for(along.names)
        strip = _STRIP if along.is_line or along.counts is not None else _NO_STRIP
        self._new_panels(ax, (width, 4.8), heights=(3.0, strip), share="x")
        upper, lower = self.axes_
        self.rows_: list[Any] = []
        if self.individual and len(predictions) > 1:
            some = predictions[spread_evenly(len(predictions), _MAX_ROW_LINES)]
            faint = {"color": ink(), "alpha": 0.15, "linewidth": 0.8, "markersize": 3}
            self.rows_ = draw_effect(upper, along, some, order, **faint)
        (self.line_,) = draw_effect(upper, along, mean, order)
        upper.tick_params(labelbottom=False)
        self._draw_strip(lower, order)
        name_axes(upper, y=name_with_unit(self.target_name, self.target_unit), numbers="y")
        name_axes(lower, x=along.title)
        note_above(upper, rows_text(len(predictions)))

    def _draw_strip(self, ax: Axes, order: Indices) -> None:
        """Draw the labels of a numeric input over its histogram, or the number of rows of each category."""
        along, partition, top = self.along, self.along.variable.partition, 1.05
        tidy(ax, left=False)
        show_values(ax, along, order)
        if along.counts is not None:
            ax.bar(range(len(order)), along.counts[order], 0.7, color=ink(), alpha=0.2)
            top *= float(along.counts.max()) or 1.0
        if along.is_line:
            draw_histogram(ax, along.histogram)
            if partition.n_labels > 1:
                draw_sets(ax, partition, ax.get_xlim(), linewidth=1.5)
                top = 1.45 if name_above(ax, partition, ax.get_xlim(), y=1.06) else top
        ax.set_ylim(0.0, top)


@dataclass(eq=False, repr=False)
class PairEffectDisplay(Display):
    """The prediction as one input moves over its range, with one line for each of some values of another input.

    Parallel lines mean that the two inputs do not interact. If lines diverge or cross, the effect of one input depends
    on the other. The remaining inputs stay at their typical values; if rows are given, the lines are means over these
    rows. A line is faint where it has no rows: each row belongs to the nearest line.

    Parameters
    ----------
    first, second : Range
        The input along the axis, and the input with one line per value.
    predictions : ndarray of shape (n_lines, n_points)
        The prediction at each value of the second and the first input.
    covered : ndarray of bool, shape (n_lines, n_points), optional
        The points with rows; a line is faint elsewhere.
    n_hidden : int, default=0
        The number of categories of the second input without a line.
    n_rows : int, default=1
        The number of rows that the predictions are means over.
    target_name, target_unit : str
        The name of the target, and its unit if any.
    tolerance : float, default=0.0
        The rounding error that a written number may have.

    Attributes
    ----------
    ax_ : Axes
        The axes that it was drawn on.
    figure_ : Figure
        The figure of the axes.
    lines_ : list of Line2D
        One line per value of the second input.
    interaction_ : ndarray of shape (n_lines, n_points)
        The predictions minus the sum of the separate effects of both inputs.

    See Also
    --------
    EffectDisplay : The effect of one input.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from fruler import FuzzyRuleRegressor
    >>> from fruler.data import load_example
    >>> from fruler.explain.plots import PairEffectDisplay
    >>> weather = load_example("weather")
    >>> model = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target)
    >>> display = PairEffectDisplay.from_estimator(model, ("day_of_year", "max_temperature_before"))
    >>> len(display.lines_)
    2
    >>> plt.close(display.figure_)

    Draw it again on other axes:

    >>> display = display.plot(plt.figure().gca())
    >>> plt.close("all")
    """

    first: Range
    second: Range
    predictions: Floats
    _: KW_ONLY
    covered: npt.NDArray[np.bool_] | None = None
    n_hidden: int = 0
    n_rows: int = 1
    target_name: str = "y"
    target_unit: str = ""
    tolerance: float = 0.0

    @classmethod
    def from_estimator(
        cls, model: Any, features: Sequence[int | str], X: Any = None, *, ax: Axes | None = None
    ) -> Self:
        """Draw the joint effect of two inputs of a model.

        Parameters
        ----------
        model : fitted estimator or RuleBase
            The model.
        features : (int or str, int or str)
            The input along the axis, and the input with one line for each of some values. These values are the centres
            of its labels if it has two to five labels, else its 10, 50 and 90 % quantiles; or its categories, at most
            six, with the lowest and the highest predictions.
        X : array-like of shape (n_samples, n_inputs), optional
            Rows to average over; at most 100 of them are used, evenly spread. By default the remaining inputs stay at
            the typical values of the training rows.
        ax : Axes, optional
            The axes to draw on; a new figure by default.

        Returns
        -------
        PairEffectDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If `features` are not two different inputs.
        """
        rules = rule_base_of(model)
        if isinstance(features, str) or len(features) != 2:
            raise ValueError(f"features must be two inputs, by their names or their numbers; got {features!r}.")
        rows, counted_rows = rows_to_move(rules, X)
        rows = rows[:: max(-(-len(rows) // _MAX_LINE_ROWS), 1)]
        first, second = (range_of(rules, feature, counted_rows) for feature in features)
        if set(first.feature.inputs) & set(second.feature.inputs):
            raise ValueError(f"features must be two different inputs; got {features[0]!r} and {features[1]!r}.")
        if second.is_line:
            second = _at_some_values(rules, second)
        # All values of the second input for the first row, then for the next row, and so on.
        lines = predicted_over(rules, second.moved(rows), first).reshape(len(rows), len(second.values), -1)
        predictions = lines.mean(axis=0)
        by_size = np.argsort(predictions.mean(axis=1), kind="stable")
        kept = np.arange(len(predictions)) if second.is_line else outermost(by_size, _MAX_LINES)
        return cls(
            *(first, second if second.is_line else second.at(kept), predictions[kept]),
            covered=None if counted_rows is None else _covered(first, second, counted_rows)[kept],
            n_hidden=len(predictions) - len(kept),
            n_rows=len(rows),
            target_name=rules.target_name,
            target_unit=rules.target_unit,
            tolerance=PART_SHARE * rules.background.target_spread,
        ).plot(ax)

    def _draw(self, ax: Axes | None) -> None:
        names = [wrap(name, _LONGEST_NAME, SMALL, 2) for name in self._line_names()]
        title = wrap(self.second.feature.name, _LONGEST_NAME, SMALL, 3)
        beside = max(map(text_inches, [*names, title])) + 0.6
        width = _WIDTH if self.first.is_line else width_for(self.first.names)
        ax = self._new_axes(ax, (width + beside, _HEIGHT))
        order = self.first.order(self.predictions.mean(axis=0))
        self._draw_lines(names, title, order)
        show_values(ax, self.first, order)
        name_axes(ax, self.first.title, name_with_unit(self.target_name, self.target_unit), numbers="y")
        first, second = self.predictions.mean(axis=0), self.predictions.mean(axis=1, keepdims=True)
        self.interaction_ = self.predictions - first - second + self.predictions.mean()
        note_above(ax, self._note())

    def _draw_lines(self, names: list[str], title: str, order: Indices) -> None:
        """Draw the lines, and name them beside the axes in the order of their right ends."""
        self.lines_: list[Any] = []
        handles = []
        for k, colour in enumerate(label_colours(max(len(names), 2))[: len(names)]):
            look = {"color": colour, "linestyle": _STYLES[k], "linewidth": 2.0}
            faint = 1.0 if self.covered is None else 0.25
            line = draw_effect(self.ax_, self.first, self.predictions[k], order, alpha=faint, **look)
            self.lines_ += line
            if self.covered is not None:
                near_rows = np.where(self.covered[k], self.predictions[k], np.nan)
                line = draw_effect(self.ax_, self.first, near_rows, order, **look)
            handles += line
        last = np.argsort(-self.predictions[:, order[-1]], kind="stable")
        legend = self.ax_.legend(
            *([handles[k] for k in last], [names[k] for k in last]),
            title=title,
            title_fontsize=SMALL,
            handlelength=3.0,
            alignment="left",
            **LEGEND_BESIDE,
        )
        legend.set_zorder(3)

    def _line_names(self) -> list[str]:
        """Write the values of the second input, with its labels if it has several."""
        variable, grid = self.second.variable, self.second.grid
        if not self.second.is_line:
            return self.second.names
        low, high = variable.partition.range
        texts = [f"{variable.number_text(v, _SHARE_OF_RANGE * (high - low))} {variable.value_unit}" for v in grid]
        if variable.partition.n_labels < 2:
            return [text.rstrip() for text in texts]
        labels = [variable.partition.labels[k] for k in variable.partition.degrees(grid).argmax(axis=1)]
        if variable.tells_ranges:
            return labels
        return [f"{label} ({text.rstrip()})" for label, text in zip(labels, texts, strict=True)]

    def _note(self) -> str:
        note = rows_text(self.n_rows)
        beyond = float(np.abs(self.interaction_).max())
        most = f"{number_within(beyond, self.tolerance)} {self.target_unit}".rstrip()
        together = f"together up to {most} more or less than the sum of both effects"
        note += f"; {'the two effects simply add up' if beyond < self.tolerance else together}"
        if self.n_hidden:
            note += f"; {self.n_hidden} {'categories' if self.n_hidden > 1 else 'category'} between left out"
        return note


def _at_some_values(rule_base: RuleBase, along: Range) -> Range:
    """Return a numeric range with only a few values: one per label, or some quantiles of the rows."""
    partition, histogram = along.variable.partition, along.histogram
    low, high = (along.grid if histogram is None else histogram[0])[[0, -1]].tolist()
    if rule_base.background.is_binary(along.feature.inputs[0]):
        grid = np.array([0.0, 1.0])
    elif 1 < partition.n_labels <= _MAX_LABELS and partition.ordered:
        grid = np.unique(peaks(partition, low, high))
    elif histogram is None:
        grid = np.unique([low, high])
    else:
        edges, counts = histogram
        below = np.concatenate([[0.0], np.cumsum(counts)]) / (counts.sum() or 1.0)
        grid = np.unique(np.interp(_SHARES, below, edges))
    return replace(along, values=grid[:, None])


def _covered(first: Range, second: Range, rows: Floats) -> npt.NDArray[np.bool_]:
    """Return the points with rows: for each value of the second input, the values of the first that its rows cover."""
    nearest = second.nearest(rows)
    found = np.zeros((len(second.values), len(first.values)), dtype=bool)
    for k in range(len(second.values)):
        own = rows[nearest == k]
        if len(own) and first.is_line:
            reached = own[:, first.feature.inputs[0]]
            found[k] = (reached.min() <= first.grid) & (first.grid <= reached.max())
        elif len(own):
            found[k, np.unique(first.nearest(own))] = True
    return found
