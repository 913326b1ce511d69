"""What two inputs together do to the prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats, Indices
from fruler._wording import name_with_unit, number_within
from fruler.explain.effects import is_binary, target_spread
from fruler.explain.parts import PART_SHARE
from fruler.explain.plots.choices import figure_width, name_values, values_of
from fruler.explain.plots.drawing import (
    SMALL,
    inches_of,
    label_colours,
    name_axes,
    new_axes,
    number_ticks,
    text_inches,
    tidy,
    value_ticks,
    wrap,
)
from fruler.explain.plots.ranges import Range, predicted_over, range_of, rows_text, rows_to_move
from fruler.explain.plots.sets import peaks
from fruler.explain.plots.subjects import rule_base_of
from fruler.rules.rule_base import RuleBase

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Lines: of categories and of labels at most; and of an input without labels those at these shares of the rows.
_MAX_LINES, _MAX_LABELS, _SHARES = 6, 5, (0.1, 0.5, 0.9)
# Rows at most for each line, since each of them is predicted at every point of every line.
_MAX_LINE_ROWS = 100
# Inches: the names of the lines at the most, and the axes.
_LONGEST_NAME, _WIDTH, _HEIGHT = 2.2, 5.6, 4.0
# How far a value of the second input may be off, as a share of its range.
_SHARE_OF_RANGE = 0.005
_STYLES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)))


class PairEffectDisplay:
    """The prediction as one input moves over its range, with one line for each of some values of another input.

    Parallel lines mean that the two inputs act independently of each other; lines that part or cross, that what one of
    them does depends on the other. The remaining inputs stay at their typical values; or, with rows given, the lines
    are means over these rows, and faint where none of the rows is that are nearest to the line's value.

    Parameters
    ----------
    first, second : Range
        The input along the axis, and the one with a line for each value.
    predictions : ndarray of shape (n_lines, n_points)
        What is predicted at each value of the second and the first.
    covered : ndarray of bool, shape (n_lines, n_points), optional
        Where there are rows; a line is faint elsewhere.
    n_hidden : int, default=0
        How many categories of the second input have no line.
    n_rows : int, default=1
        How many rows the predictions are means over.
    target_name, target_unit : str
        What is predicted, and its unit if any.
    tolerance : float, default=0.0
        How far a written number may be off.

    Attributes
    ----------
    ax_ : Axes
        The axes.
    figure_ : Figure
        Their figure.
    lines_ : list of Line2D
        One for each value of the second input.
    interaction_ : ndarray of shape (n_lines, n_points)
        What is predicted beyond the sum of what either input does by itself.

    See Also
    --------
    EffectDisplay : What one input does.

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

    A rule base works the same way, and a display can be drawn again on other axes:

    >>> pair = ("day_of_year", "max_temperature_before")
    >>> display = PairEffectDisplay.from_rule_base(model.rule_base_, pair).plot(plt.figure().gca())
    >>> plt.close("all")
    """

    ax_: Axes
    figure_: Figure
    lines_: list[Any]
    interaction_: Floats

    def __init__(
        self,
        first: Range,
        second: Range,
        predictions: Floats,
        *,
        covered: npt.NDArray[np.bool_] | None = None,
        n_hidden: int = 0,
        n_rows: int = 1,
        target_name: str = "y",
        target_unit: str = "",
        tolerance: float = 0.0,
    ) -> None:
        self.first = first
        self.second = second
        self.predictions = predictions
        self.covered = covered
        self.n_hidden = n_hidden
        self.n_rows = n_rows
        self.target_name = target_name
        self.target_unit = target_unit
        self.tolerance = tolerance

    @classmethod
    def from_estimator(
        cls, model: Any, features: Sequence[int | str], X: Any = None, *, ax: Axes | None = None
    ) -> Self:
        """Draw what two inputs of a fitted model do together.

        Parameters
        ----------
        model : fitted estimator or RuleBase
            The model.
        features : (int or str, int or str)
            The input along the axis, and the one with a line for each of some values: each of its labels, if it has up
            to five; else at 10, 50 and 90 % of the rows; or its categories, of many those with the lowest and the
            highest predictions.
        X : array-like of shape (n_samples, n_inputs), optional
            Rows to take the mean over; of more than 100, 100 are taken, evenly spread. Without them the remaining
            inputs stay at the typical values of the training rows.
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
        rule_base = rule_base_of(model)
        if isinstance(features, str) or len(features) != 2:
            raise ValueError(f"features must be two inputs, by their names or their numbers; got {features!r}.")
        rows, shown = rows_to_move(model, X)
        rows = rows[:: max(-(-len(rows) // _MAX_LINE_ROWS), 1)]
        first, second = (range_of(rule_base, feature, shown) for feature in features)
        if set(first.inputs) & set(second.inputs):
            raise ValueError(f"features must be two different inputs; got {features[0]!r} and {features[1]!r}.")
        if second.is_line:
            second = _at_some_values(rule_base, second)
        predictions = np.array([predicted_over(rule_base, moved, first).mean(axis=0) for moved in _each(second, rows)])
        kept = np.arange(len(predictions)) if second.is_line else _ends(predictions.mean(axis=1))
        covered = None if shown is None else _covered(first, second, shown)[kept]
        return cls(
            *(first, _taken(second, kept), predictions[kept]),
            covered=covered,
            n_hidden=len(predictions) - len(kept),
            n_rows=len(rows),
            target_name=rule_base.target_name,
            target_unit=rule_base.target_unit,
            tolerance=PART_SHARE * target_spread(rule_base),
        ).plot(ax)

    @classmethod
    def from_rule_base(
        cls, rule_base: RuleBase, features: Sequence[int | str], X: Any = None, *, ax: Axes | None = None
    ) -> Self:
        """Draw what two inputs of a rule base do together.

        Parameters
        ----------
        rule_base : RuleBase
            The rules.
        features : (int or str, int or str)
            The input along the axis, and the one with a line for each of some values: each of its labels, if it has up
            to five; else at 10, 50 and 90 % of the rows; or its categories, of many those with the lowest and the
            highest predictions.
        X : array-like of shape (n_samples, n_inputs), optional
            Rows to take the mean over; of more than 100, 100 are taken, evenly spread. Without them the remaining
            inputs stay at the typical values of the training rows.
        ax : Axes, optional
            The axes to draw on; a new figure by default.

        Returns
        -------
        PairEffectDisplay
            The display, drawn.
        """
        return cls.from_estimator(rule_base, features, X, ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the display on some axes, or in a new figure.

        Parameters
        ----------
        ax : Axes, optional
            The axes to draw on; a new figure by default.

        Returns
        -------
        PairEffectDisplay
            The display itself.
        """
        names = [wrap(name, _LONGEST_NAME, SMALL, 2) for name in self._line_names()]
        title = wrap(self.second.variable.name, _LONGEST_NAME, SMALL, 3)
        beside = max(map(text_inches, [*names, title])) + 0.6
        width = _WIDTH if self.first.is_line else figure_width(self.first.variable)
        ax = new_axes(ax, (width + beside, _HEIGHT))
        self.ax_, self.figure_ = ax, ax.figure  # type: ignore[assignment]
        tidy(ax)
        order = np.arange(len(self.first.grid))
        if not self.first.is_line:
            order = np.argsort(self.predictions.mean(axis=0), kind="stable")
        self._draw_lines(names, title, order)
        self._name_first(order)
        number_ticks(ax.yaxis, inches_of(ax)[1])
        name_axes(ax, self.first.variable.title, name_with_unit(self.target_name, self.target_unit))
        rows = self.predictions.mean(axis=0), self.predictions.mean(axis=1, keepdims=True)
        self.interaction_ = self.predictions - rows[0] - rows[1] + self.predictions.mean()
        ax.set_title(wrap(self._note(), inches_of(ax)[0], SMALL + 1), fontsize=SMALL + 1, loc="left")
        return self

    def _draw_lines(self, names: list[str], title: str, order: Indices) -> None:
        """Draw the lines, and name them beside the axes in the order in which they end there."""
        from matplotlib.lines import Line2D

        ax, along = self.ax_, self.first
        x = along.grid if along.is_line else np.arange(len(order))
        self.lines_, handles = [], []
        for k, colour in enumerate(label_colours(max(len(names), 2))[: len(names)]):
            look: dict[str, Any] = {
                "color": colour,
                "linestyle": _STYLES[k],
                "marker": "" if along.is_line else "o",
                "linewidth": 2.0,
            }
            y = self.predictions[k, order]
            self.lines_ += ax.plot(x, y, alpha=1.0 if self.covered is None else 0.25, **look)
            if self.covered is not None:
                ax.plot(x, np.where(self.covered[k, order], y, np.nan), **look)
            handles.append(Line2D([], [], label=names[k], **look))
        last = np.argsort(-self.predictions[:, order[-1]], kind="stable")
        legend = ax.legend(
            handles=[handles[k] for k in last],
            title=title,
            loc="upper left",
            bbox_to_anchor=(1.01, 1.0),
            frameon=False,
            fontsize=SMALL,
            title_fontsize=SMALL,
            borderaxespad=0.0,
            handlelength=3.0,
            alignment="left",
        )
        legend.set_zorder(3)

    def _name_first(self, order: Indices) -> None:
        ax, along = self.ax_, self.first
        if along.is_line:
            ax.set_xlim(float(along.grid[0]), float(along.grid[-1]))
            value_ticks(ax.xaxis, inches_of(ax)[0], along.variable)
        else:
            ax.set_xlim(-0.5, len(order) - 0.5)
            names = values_of(along.variable)[0]
            name_values(ax, [names[k] for k in order])

    def _line_names(self) -> list[str]:
        """Write the values of the second input; where it has labels, with these."""
        variable, grid = self.second.variable, self.second.grid
        if not self.second.is_line:
            names, numbers = values_of(variable)
            return [names[int(np.flatnonzero(numbers == number)[0])] for number in grid]
        low, high = variable.partition.range
        texts = [f"{variable.number_text(v, _SHARE_OF_RANGE * (high - low))} {variable.value_unit}" for v in grid]
        if variable.partition.n_labels < 2:
            return [text.rstrip() for text in texts]
        best = variable.partition.degrees(grid).argmax(axis=1)
        labels = [variable.partition.labels[k] for k in best]
        if variable.tells_ranges:
            return labels
        return [f"{label} ({text.rstrip()})" for label, text in zip(labels, texts, strict=True)]

    def _note(self) -> str:
        note = rows_text(self.n_rows)
        beyond = float(np.abs(self.interaction_).max())
        if beyond < self.tolerance:
            note += "; the two effects simply add up"
        else:
            most = f"{number_within(beyond, self.tolerance)} {self.target_unit}".rstrip()
            note += f"; together up to {most} more or less than the sum of both effects"
        if self.n_hidden:
            note += f"; {self.n_hidden} {'categories' if self.n_hidden > 1 else 'category'} between left out"
        return note


def _at_some_values(rule_base: RuleBase, along: Range) -> Range:
    """Return a range of numbers with few values: one for each label, or where some shares of the rows lie below."""
    j, partition = along.inputs[0], along.variable.partition
    low, high = float(along.grid[0]), float(along.grid[-1])
    if along.histogram is not None:
        low, high = float(along.histogram[0][0]), float(along.histogram[0][-1])
    if is_binary(rule_base, j):
        grid = np.array([0.0, 1.0])
    elif 1 < partition.n_labels <= _MAX_LABELS and partition.ordered:
        grid = np.unique(peaks(partition, low, high))
    elif along.histogram is None:
        grid = np.unique([low, high])
    else:
        edges, counts = along.histogram
        below = np.concatenate([[0.0], np.cumsum(counts)]) / (counts.sum() or 1.0)
        grid = np.unique(np.interp(_SHARES, below, edges))
    return replace(along, grid=grid, values=grid[:, None])


def _each(along: Range, rows: Floats) -> list[Floats]:
    """Return the rows with each value of a range."""
    return [_taken(along, np.array([k])).moved(rows) for k in range(len(along.grid))]


def _taken(along: Range, places: Indices) -> Range:
    return replace(along, grid=along.grid[places], values=along.values[places])


def _ends(predictions: Floats) -> Indices:
    """Return the places of the predictions at either end, the least first; all where they are few."""
    order = np.argsort(predictions, kind="stable")
    half = _MAX_LINES // 2
    return order if len(order) <= _MAX_LINES else np.concatenate([order[:half], order[-half:]])


def _covered(first: Range, second: Range, rows: Floats) -> npt.NDArray[np.bool_]:
    """Return where there are rows: for each value of the second input the values of the first that its rows reach."""
    nearest = _nearest(second, rows)
    found = np.zeros((len(second.grid), len(first.grid)), dtype=bool)
    for k in range(len(second.grid)):
        own = rows[nearest == k]
        if len(own) and first.is_line:
            reached = own[:, first.inputs[0]]
            found[k] = (reached.min() <= first.grid) & (first.grid <= reached.max())
        elif len(own):
            found[k, np.unique(_nearest(first, own))] = True
    return found


def _nearest(along: Range, rows: Floats) -> Indices:
    """Return the place of the value of a range that each row is nearest to."""
    apart = np.abs(rows[:, None, list(along.inputs)] - along.values).sum(axis=2)
    return np.asarray(apart.argmin(axis=1), dtype=np.intp)
