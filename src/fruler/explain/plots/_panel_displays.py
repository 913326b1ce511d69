"""Plots with one small panel per input on a common scale: effects, their stability in refits, and curves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar

import numpy as np

from fruler._arrays import Floats
from fruler._wording import counted, name_with_unit, percent
from fruler.explain._dependence import Histogram
from fruler.explain._scales import scale_of
from fruler.explain.plots._display import Display, require_count, rule_base_of
from fruler.explain.plots._drawing import (
    blue,
    inches_of,
    ink,
    name_axes,
    note_above,
    number_ticks,
    scale_ticks,
    value_ticks,
)
from fruler.explain.plots._effect_displays import draw_effect, rows_text, show_values
from fruler.explain.plots._ranges import (
    Range,
    drawn_range,
    feature_range,
    histogram_of,
    predicted_over,
    ranges_of,
    rows_to_move,
)
from fruler.explain.plots._sets import draw_counts, draw_histogram
from fruler.explain.stability import EffectStability, Stability
from fruler.rules._rule_base import RuleBase

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLUMNS = 3
# Inches of a panel.
_WIDTH, _HEIGHT = 3.3, 2.7
# Shares of a panel's height: the margins above and below the lines, and the tallest bar of the histogram.
_ROOM, _TALLEST = 0.08, 0.3
# Effects below this share of the largest effect are flat lines.
_FLAT = 0.005

Shown = TypeVar("Shown")


class PanelsDisplay(Display):
    """Panels in rows of three that share their y axis."""

    def _new_row(self, ax: Axes | None, n_panels: int) -> None:
        self._columns = min(n_panels, _COLUMNS)
        rows = math.ceil(n_panels / self._columns)
        size = (_WIDTH * self._columns + 0.6, _HEIGHT * rows)
        self._new_panels(ax, size, heights=[1.0] * rows, widths=[1.0] * self._columns, share="y")
        for panel in self.axes_[n_panels:]:
            panel.set_axis_off()
        self.axes_ = self.axes_[:n_panels]

    def _scale(self, values: Sequence[float] | Floats) -> None:
        """Give all panels a scale that includes some values."""
        low, high = float(min(values)), float(max(values))
        room = _ROOM * (high - low) or 1.0
        self.axes_[0].set_ylim(low - room, high + room)
        number_ticks(self.axes_[0].yaxis)

    def _name_panels(self, titles: Sequence[str], target: str, note: str = "") -> None:
        """Name the panels, and the y axis of the first of each row; write a note above the first panel."""
        for place, (panel, title) in enumerate(zip(self.axes_, titles, strict=True)):
            first = place % self._columns == 0
            panel.tick_params(labelleft=first)
            name_axes(panel, title, target if first else "")
        if note:
            note_above(self.axes_[0], note, self._columns * inches_of(self.axes_[0])[0])


def _strongest(effects: Sequence[Shown], sizes: Sequence[float], max_inputs: int | None) -> list[Shown]:
    """Return the effects that are not flat lines, the largest first, at most `max_inputs`."""
    require_count("max_inputs", max_inputs)
    largest = max(sizes, default=0.0)
    if largest == 0.0:
        raise ValueError("These rules predict a constant: there is no effect to draw.")
    by_size = np.argsort(-np.asarray(sizes), kind="stable")
    return [effects[k] for k in by_size if sizes[k] >= _FLAT * largest][:max_inputs]


def _left_out(n_hidden: int) -> str:
    return f"; {counted(n_hidden, 'input')} with less effect left out" if n_hidden else ""


def _at_bottom(panel: Axes) -> dict[str, Any]:
    """Return the look of bars at the bottom of a panel, with heights as shares of the panel's height."""
    return {"tallest": _TALLEST, "transform": panel.get_xaxis_transform()}


class Effect(NamedTuple):
    """The effect of one input.

    Attributes
    ----------
    along : Range
        The values of the input.
    predictions : ndarray of shape (n_points,)
        The mean prediction at each value.
    """

    along: Range
    predictions: Floats


@dataclass(eq=False, repr=False)
class EffectsDisplay(PanelsDisplay):
    """The prediction as each input moves over its range, in one small panel per input on a common scale.

    The input with the largest effect comes first. The other inputs stay at their typical values; if rows are given, the
    lines are means over these rows (the partial dependence). The thin line is the prediction with no input moved.
    Categories are points over their names, the one with the lowest prediction first. At the bottom is the number of
    rows with each value. Inputs with hardly any effect are left out.

    Parameters
    ----------
    effects : list of Effect
        The effect of each input.
    base : float
        The prediction with no input moved.
    n_rows : int, default=1
        The number of rows that the predictions are means over.
    target_name, target_unit : str
        The name of the target, and its unit if any.
    max_inputs : int, optional
        Maximum number of panels; all by default.

    Attributes
    ----------
    effects_ : list of Effect
        The shown effects, the largest first.
    axes_ : ndarray of Axes
        One panel per shown effect.
    figure_ : Figure
        The figure of the axes.
    lines_ : list of Line2D
        The lines of the effects.

    See Also
    --------
    EffectDisplay : The effect of one input, with its labels.
    ImportanceDisplay : The importance of each input, as one number.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from fruler import FuzzyRuleRegressor
    >>> from fruler.data import load_example
    >>> from fruler.explain.plots import EffectsDisplay
    >>> weather = load_example("weather")
    >>> model = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target)
    >>> display = EffectsDisplay.from_estimator(model, max_inputs=3)
    >>> display.effects_[0].along.feature.name
    'max_temperature_before'
    >>> plt.close(display.figure_)

    Draw it again on other axes:

    >>> display = display.plot(plt.figure().gca())
    >>> plt.close("all")
    """

    effects: list[Effect]
    base: float
    _: KW_ONLY
    n_rows: int = 1
    target_name: str = "y"
    target_unit: str = ""
    max_inputs: int | None = None

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any = None, *, max_inputs: int | None = None, ax: Axes | None = None
    ) -> Self:
        """Draw the effects of the inputs of a model.

        Parameters
        ----------
        model : fitted estimator or RuleBase
            The model.
        X : array-like of shape (n_samples, n_inputs), optional
            Rows to average over; at most 500 of them are used, evenly spread. By default the other inputs stay at the
            typical values of the training rows.
        max_inputs : int, optional
            Maximum number of panels; those with the largest effects are kept. All by default.
        ax : Axes, optional
            The axes to replace; a new figure by default.

        Returns
        -------
        EffectsDisplay
            The display, drawn.
        """
        rules = rule_base_of(model)
        rows, counted_rows = rows_to_move(rules, X)
        ranges = ranges_of(rules, counted_rows)
        effects = [Effect(along, predicted_over(rules, rows, along).mean(axis=0)) for along in ranges]
        return cls(
            *(effects, float(rules.predict(rows).mean())),
            n_rows=len(rows),
            target_name=rules.target_name,
            target_unit=rules.target_unit,
            max_inputs=max_inputs,
        ).plot(ax)

    def _draw(self, ax: Axes | None) -> None:
        sizes = [float(np.ptp(effect.predictions)) for effect in self.effects]
        self.effects_ = _strongest(self.effects, sizes, self.max_inputs)
        self._new_row(ax, len(self.effects_))
        self.lines_ = [self._draw_one(*shown) for shown in zip(self.axes_, self.effects_, strict=True)]
        self._scale(np.concatenate([[self.base], *(effect.predictions for effect in self.effects_)]))
        titles = [effect.along.title for effect in self.effects_]
        note = rows_text(self.n_rows) + _left_out(len(self.effects) - len(self.effects_))
        self._name_panels(titles, name_with_unit(self.target_name, self.target_unit), note)

    def _draw_one(self, panel: Axes, effect: Effect) -> Any:
        along, predictions = effect
        order = along.order(predictions)
        panel.axhline(self.base, color=ink(), alpha=0.4, linewidth=0.8)
        draw_histogram(panel, along.histogram, **_at_bottom(panel))
        if along.counts is not None:
            draw_counts(panel, along.grid, along.counts[order], 0.7, **_at_bottom(panel))
        (line,) = draw_effect(panel, along, predictions, order)
        show_values(panel, along, order)
        return line


@dataclass(eq=False, repr=False)
class StabilityDisplay(PanelsDisplay):
    """The effects of the inputs of a model, with bands of the effects in its refits, in one small panel per input.

    The line is the mean prediction over training rows with the input set to each value; the band contains the lines of
    most refits. Where the band is wide, the line depends on the choice of the training rows. Ticks at the top of a
    panel mark the places of the model's splits in the refits. Categories are points over their names, with vertical
    bands. All panels have a common scale; the input with the largest effect in the model or in the band comes first.

    Parameters
    ----------
    stability : Stability
        The comparison of the model with its refits.
    coverage : float, default=0.9
        The share of the refits whose lines are in the band, pointwise.
    max_inputs : int, optional
        Maximum number of panels; all by default.

    Attributes
    ----------
    effects_ : list of EffectStability
        The shown effects, the largest first.
    axes_ : ndarray of Axes
        One panel per shown effect.
    figure_ : Figure
        The figure of the axes.
    lines_, bands_ : list of artists
        The lines of the model's effects, and the bands.

    See Also
    --------
    fruler.FuzzyRuleRegressor.stability : Compute the stability of a model.
    EffectsDisplay : The effects without bands.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from fruler import FuzzyRuleRegressor
    >>> from fruler.data import load_example
    >>> from fruler.explain.plots import StabilityDisplay
    >>> weather = load_example("weather")
    >>> model = FuzzyRuleRegressor(max_rules=2, random_state=0).fit(weather.data, weather.target)
    >>> stability = model.stability(weather.data, weather.target, n=3)
    >>> display = StabilityDisplay.from_stability(stability, max_inputs=3)
    >>> len(display.axes_), len(display.bands_)
    (3, 3)
    >>> plt.close(display.figure_)

    Draw it again on other axes:

    >>> display = display.plot(plt.figure().gca())
    >>> plt.close("all")
    """

    stability: Stability
    _: KW_ONLY
    coverage: float = 0.9
    max_inputs: int | None = None

    @classmethod
    def from_stability(
        cls, stability: Stability, *, coverage: float = 0.9, max_inputs: int | None = None, ax: Axes | None = None
    ) -> Self:
        """Draw the result of ``model.stability(X, y)``.

        Parameters
        ----------
        stability : Stability
            The comparison of the model with its refits.
        coverage : float, default=0.9
            The share of the refits whose lines are in the band.
        max_inputs : int, optional
            Maximum number of panels; those with the largest effects are kept. All by default.
        ax : Axes, optional
            The axes to replace; a new figure by default.

        Returns
        -------
        StabilityDisplay
            The display, drawn.
        """
        return cls(stability, coverage=coverage, max_inputs=max_inputs).plot(ax)

    def _draw(self, ax: Axes | None) -> None:
        if not 0.0 < self.coverage <= 1.0:
            raise ValueError(f"coverage must be a share above 0 and at most 1; got {self.coverage}.")
        rules, effects = self.stability.rule_base, self.stability.effects
        sizes = [float(np.ptp(self._values(effect))) for effect in effects]
        self.effects_ = _strongest(effects, sizes, self.max_inputs)
        self._new_row(ax, len(self.effects_))
        ranges = [feature_range(rules, effect.curve.feature, None) for effect in self.effects_]
        drawn = [self._draw_one(*shown) for shown in zip(self.axes_, self.effects_, ranges, strict=True)]
        self.lines_, self.bands_ = [line for line, _ in drawn], [band for _, band in drawn]
        self._scale(np.concatenate([self._values(effect) for effect in self.effects_]))
        refits = counted(self.stability.n_refits, "refit")
        note = f"bands: {percent(self.coverage)} of {refits}{_left_out(len(effects) - len(self.effects_))}"
        self._name_panels([along.title for along in ranges], name_with_unit(rules.target_name, rules.target_unit), note)

    def _values(self, effect: EffectStability) -> Floats:
        return np.concatenate([effect.curve.predictions, *effect.band(self.coverage)])

    def _draw_one(self, panel: Axes, effect: EffectStability, along: Range) -> tuple[Any, Any]:
        curve, (lower, upper) = effect.curve, effect.band(self.coverage)
        along = replace(along, values=curve.values[:, None]) if along.is_line else along
        order = along.order(curve.predictions)
        band: Any
        if along.is_line:
            draw_histogram(panel, along.histogram, **_at_bottom(panel))
            band = panel.fill_between(along.grid, lower, upper, color=blue(), alpha=0.25, linewidth=0)
        else:
            band = panel.vlines(along.grid, lower[order], upper[order], color=blue(), alpha=0.3, linewidth=7)
        (line,) = draw_effect(panel, along, curve.predictions, order)
        show_values(panel, along, order)
        for split in self.stability.split_stabilities:
            if along.is_line and split.input == curve.feature.name:
                at = split.places[np.isfinite(split.places)]
                panel.vlines(at, 0.95, 1.0, color=ink(), alpha=0.5, linewidth=1, transform=panel.get_xaxis_transform())
        return line, band


@dataclass(eq=False, repr=False)
class CurveDisplay(PanelsDisplay):
    """The contribution of each curve to the prediction over the range of its input, in one small panel per curve.

    All panels have a common scale, so that curves can be compared; a thin line marks zero. At the bottom is the
    histogram of the input's values. Dots are the bends of the curve.

    Parameters
    ----------
    rule_base : RuleBase
        The rules, with curves.
    histograms : list of (ndarray, ndarray), optional
        The edges and counts of the histogram of each curve's input.

    Attributes
    ----------
    axes_ : ndarray of Axes
        One panel per curve.
    figure_ : Figure
        The figure of the axes.
    lines_ : list of Line2D
        The lines of the curves.
    bars_ : list of BarContainer
        The bars of the histograms; empty without data.

    See Also
    --------
    EffectDisplay : The whole effect of one input: its curve and the rules.
    fruler.rules.Curve : The curve as an object.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from fruler import FuzzyPartition, RuleBase
    >>> from fruler.explain.plots import CurveDisplay
    >>> from fruler.rules import Curve, Variable
    >>> age = Variable("age", FuzzyPartition([], (0.0, 30.0)), "d")
    >>> curve = Curve(0, FuzzyPartition([10.0], (0.0, 30.0), fuzziness=0.5), [[-4.0, 0.5], [5.0, 0.0]])
    >>> display = CurveDisplay.from_estimator(RuleBase([age], [[[0, 0]]], [[20.0, 0.0]], curves=[curve]))
    >>> display.axes_[0].get_xlabel(), display.axes_[0].get_ylabel()
    ('age (d)', 'adds to y')
    >>> plt.close(display.figure_)

    Draw it again on other axes:

    >>> display = display.plot(plt.figure().gca())
    >>> plt.close("all")
    """

    rule_base: RuleBase
    _: KW_ONLY
    histograms: list[Histogram] | None = None

    @classmethod
    def from_estimator(cls, model: Any, X: Any = None, *, ax: Axes | None = None) -> Self:
        """Draw the curves of a model.

        Parameters
        ----------
        model : fitted estimator or RuleBase
            The model, with at least one curve.
        X : array-like of shape (n_samples, n_inputs), optional
            The rows of the histograms; the training rows by default.
        ax : Axes, optional
            The axes to replace; a new figure by default.

        Returns
        -------
        CurveDisplay
            The display, drawn.
        """
        rules = rule_base_of(model)
        rows = None if X is None else rules.inputs_of(X)
        histograms = [histogram_of(rules, curve.input, rows) for curve in rules.curves]
        known = [histogram for histogram in histograms if histogram is not None]
        return cls(rules, histograms=known or None).plot(ax)

    def _draw(self, ax: Axes | None) -> None:
        rules, curves = self.rule_base, self.rule_base.curves
        if not curves:
            raise ValueError("These rules have no curves to draw.")
        self._new_row(ax, len(curves))
        self.lines_: list[Any] = []
        self.bars_: list[Any] = []
        for place in range(len(curves)):
            self._draw_one(place)
        # The scale includes zero.
        self._scale([0.0, *(value for line in self.lines_ for value in line.get_ydata())])
        scale = scale_of(rules)
        scale_ticks(self.axes_[0].yaxis, scale, changes=True)
        titles = [rules.variables[curve.input].title for curve in curves]
        target = name_with_unit(rules.target_name, scale.unit(rules.target_unit))
        self._name_panels(titles, scale.change_of(target))

    def _draw_one(self, place: int) -> None:
        panel, curve = self.axes_[place], self.rule_base.curves[place]
        histogram = None if self.histograms is None else self.histograms[place]
        low, high = drawn_range(curve.partition, histogram)
        panel.set_xlim(low, high)
        value_ticks(panel.xaxis, self.rule_base.variables[curve.input])
        bars = draw_histogram(panel, histogram, **_at_bottom(panel))
        self.bars_ += [] if bars is None else [bars]
        panel.axhline(0.0, color=ink(), alpha=0.4, linewidth=0.8)
        self.lines_ += panel.plot(*curve.outline(low, high), color=blue(), linewidth=2.2)
        panel.plot(*curve.bends(), "o", color=blue(), markersize=4)
