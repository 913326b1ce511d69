"""What all inputs do to the prediction, on one scale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler._wording import counted, name_with_unit
from fruler.explain.plots.choices import name_values, rows_with, values_of
from fruler.explain.plots.drawing import SMALL, blue, inches_of, ink, name_axes, tidy, value_ticks, wrap
from fruler.explain.plots.panels import draw_counts, draw_density, n_columns, new_panels, scale_panels
from fruler.explain.plots.ranges import Range, predicted_over, ranges_of, rows_text, rows_to_move
from fruler.explain.plots.subjects import rule_base_of
from fruler.rules.rule_base import RuleBase

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# An input that changes the prediction by less than this share of what the strongest does is a flat line.
_FLAT = 0.005


class Effect(NamedTuple):
    """What moving one input does.

    Attributes
    ----------
    along : Range
        The values of the input.
    predictions : ndarray of shape (n_points,)
        What is predicted there.
    """

    along: Range
    predictions: Floats

    @property
    def size(self) -> float:
        """By how much the prediction changes from its least to its greatest value."""
        return float(np.ptp(self.predictions))


class EffectsDisplay:
    """The prediction as each input moves over its range, in one small panel per input, all with one scale.

    The input with the largest effect comes first. The other inputs stay at their typical values; or, with rows given,
    the lines are means over these rows (the partial dependence). The thin line is the prediction with no input moved.
    Categories are points over their names, the one with the lowest prediction first. At the bottom is the number of
    rows with each value. Inputs with hardly any effect are left out.

    Parameters
    ----------
    effects : list of Effect
        What each input does.
    base : float
        The prediction with no input moved.
    n_rows : int, default=1
        How many rows the predictions are means over.
    target_name, target_unit : str
        What is predicted, and its unit if any.
    max_inputs : int, optional
        Maximum number of panels; all by default.

    Attributes
    ----------
    effects_ : list of Effect
        Those that are shown, the largest first.
    axes_ : ndarray of Axes
        One for each.
    figure_ : Figure
        The figure of the axes.
    lines_ : list of Line2D
        The effects.

    See Also
    --------
    EffectDisplay : One input, with its labels.
    ImportanceDisplay : How far each input moves predictions, as one number.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from fruler import FuzzyRuleRegressor
    >>> from fruler.data import load_example
    >>> from fruler.explain.plots import EffectsDisplay
    >>> weather = load_example("weather")
    >>> model = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target)
    >>> display = EffectsDisplay.from_estimator(model, max_inputs=3)
    >>> [effect.along.variable.name for effect in display.effects_][0]
    'min_temperature_before'
    >>> plt.close(display.figure_)

    A rule base works the same way, and a display can be drawn again on other axes:

    >>> display = EffectsDisplay.from_rule_base(model.rule_base_, max_inputs=3).plot(plt.figure().gca())
    >>> plt.close("all")
    """

    effects_: list[Effect]
    axes_: npt.NDArray[np.object_]
    figure_: Figure
    lines_: list[Any]

    def __init__(
        self,
        effects: list[Effect],
        base: float,
        *,
        n_rows: int = 1,
        target_name: str = "y",
        target_unit: str = "",
        max_inputs: int | None = None,
    ) -> None:
        self.effects = effects
        self.base = base
        self.n_rows = n_rows
        self.target_name = target_name
        self.target_unit = target_unit
        self.max_inputs = max_inputs

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any = None, *, max_inputs: int | None = None, ax: Axes | None = None
    ) -> Self:
        """Draw the effects of the inputs of a fitted model.

        Parameters
        ----------
        model : fitted estimator or RuleBase
            The model.
        X : array-like of shape (n_samples, n_inputs), optional
            Rows to take the mean over; of more than 500, 500 are taken, evenly spread. Without them the other inputs
            stay at the typical values of the training rows.
        max_inputs : int, optional
            Maximum number of panels, those of the largest effects; all by default.
        ax : Axes, optional
            The axes whose place to take; a new figure by default.

        Returns
        -------
        EffectsDisplay
            The display, drawn.
        """
        rule_base = rule_base_of(model)
        rows, shown = rows_to_move(model, X)
        ranges = ranges_of(rule_base, shown)
        effects = [Effect(along, predicted_over(rule_base, rows, along).mean(axis=0)) for along in ranges]
        return cls(
            *(effects, float(rule_base.predict(rows).mean())),
            n_rows=len(rows),
            target_name=rule_base.target_name,
            target_unit=rule_base.target_unit,
            max_inputs=max_inputs,
        ).plot(ax)

    @classmethod
    def from_rule_base(
        cls, rule_base: RuleBase, X: Any = None, *, max_inputs: int | None = None, ax: Axes | None = None
    ) -> Self:
        """Draw the effects of the inputs of a rule base.

        Parameters
        ----------
        rule_base : RuleBase
            The rules.
        X : array-like of shape (n_samples, n_inputs), optional
            Rows to take the mean over; of more than 500, 500 are taken, evenly spread. Without them the other inputs
            stay at the typical values of the training rows.
        max_inputs : int, optional
            Maximum number of panels, those of the largest effects; all by default.
        ax : Axes, optional
            The axes whose place to take; a new figure by default.

        Returns
        -------
        EffectsDisplay
            The display, drawn.
        """
        return cls.from_estimator(rule_base, X, max_inputs=max_inputs, ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the display in the place of some axes, or in a new figure.

        Parameters
        ----------
        ax : Axes, optional
            The axes whose place to take; a new figure by default.

        Returns
        -------
        EffectsDisplay
            The display itself.

        Raises
        ------
        ValueError
            If `max_inputs` is less than 1, or no input has an effect.
        """
        if self.max_inputs is not None and self.max_inputs < 1:
            raise ValueError(f"max_inputs must be 1 or more, or None for all; got {self.max_inputs}.")
        by_size = sorted(self.effects, key=lambda effect: -effect.size)
        if not by_size or by_size[0].size == 0.0:
            raise ValueError("These rules predict the same whatever the inputs are: there is no effect to draw.")
        telling = [effect for effect in by_size if effect.size >= _FLAT * by_size[0].size]
        self.effects_ = telling[: self.max_inputs]
        self.axes_ = new_panels(ax, len(self.effects_))
        self.figure_ = self.axes_[0].figure
        self.lines_ = [self._draw(panel, effect) for panel, effect in zip(self.axes_, self.effects_, strict=True)]
        scale_panels(self.axes_, np.concatenate([[self.base], *(effect.predictions for effect in self.effects_)]))
        self._name_panels()
        return self

    def _draw(self, panel: Axes, effect: Effect) -> Any:
        along, predictions = effect
        tidy(panel)
        panel.axhline(self.base, color=ink(), alpha=0.4, linewidth=0.8)
        if along.is_line:
            panel.set_xlim(float(along.grid[0]), float(along.grid[-1]))
            draw_density(panel, along.histogram)
            (line,) = panel.plot(along.grid, predictions, color=blue(), linewidth=2.2)
            return line
        order = np.argsort(predictions, kind="stable")
        places = np.arange(len(order), dtype=np.float64)
        panel.set_xlim(-0.5, len(order) - 0.5)
        counts = rows_with(along.grid, along.histogram)
        if counts is not None:
            draw_counts(panel, places, counts[order], 0.7)
        (line,) = panel.plot(places, predictions[order], "o", color=blue())
        names = values_of(along.variable)[0]
        name_values(panel, [names[k] for k in order])
        return line

    def _name_panels(self) -> None:
        target = name_with_unit(self.target_name, self.target_unit)
        columns = n_columns(len(self.effects_))
        for place, (panel, (along, _)) in enumerate(zip(self.axes_, self.effects_, strict=True)):
            first = place % columns == 0
            panel.tick_params(labelleft=first)
            if along.is_line:
                value_ticks(panel.xaxis, inches_of(panel)[0], along.variable)
            name_axes(panel, along.variable.title, target if first else "")
        n_hidden = len(self.effects) - len(self.effects_)
        hidden = f"; {counted(n_hidden, 'input')} with less effect left out" if n_hidden else ""
        note = wrap(rows_text(self.n_rows) + hidden, columns * inches_of(self.axes_[0])[0], SMALL + 1)
        self.axes_[0].set_title(note, fontsize=SMALL + 1, loc="left")
