"""Effects of inputs in a model and in its refits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from fruler._wording import counted, name_with_unit, percent
from fruler.explain.plots.choices import name_values
from fruler.explain.plots.drawing import SMALL, blue, inches_of, ink, name_axes, tidy, value_ticks, wrap
from fruler.explain.plots.panels import draw_density, n_columns, new_panels, scale_panels
from fruler.explain.plots.ranges import range_of
from fruler.explain.stability.stability import EffectStability, Stability

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# An input that changes the prediction by less than this share of what the strongest does is a flat line.
_FLAT = 0.005


class StabilityDisplay:
    """What inputs do in a model, with bands of what they do in its refits, in one small panel per input.

    The line is the mean prediction over training rows in which the input takes each of its values; the band has the
    lines of most refits. Where it is wide, other rows would have given another line. Ticks at the top of a panel mark
    where refits have a split of the model that came back. Categories are points over their names, with upright bands.
    All panels have one scale; the input with the largest effect in the model or in the band comes first.

    Parameters
    ----------
    stability : Stability
        What came back.
    coverage : float, default=0.9
        The share of the refits whose lines are in the band, at each value by itself.
    max_inputs : int, optional
        Maximum number of panels; all by default.

    Attributes
    ----------
    effects_ : list of EffectStability
        Those that are shown, the largest first.
    axes_ : ndarray of Axes
        One for each.
    figure_ : Figure
        The figure of the axes.
    lines_, bands_ : list of artists
        The effects of the model, and the bands.

    See Also
    --------
    fruler.FuzzyRuleRegressor.stability : Makes what is drawn.
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

    effects_: list[EffectStability]
    axes_: npt.NDArray[np.object_]
    figure_: Figure
    lines_: list[Any]
    bands_: list[Any]

    def __init__(self, stability: Stability, *, coverage: float = 0.9, max_inputs: int | None = None) -> None:
        self.stability = stability
        self.coverage = coverage
        self.max_inputs = max_inputs

    @classmethod
    def from_stability(
        cls, stability: Stability, *, coverage: float = 0.9, max_inputs: int | None = None, ax: Axes | None = None
    ) -> Self:
        """Draw what ``model.stability(X, y)`` found.

        Parameters
        ----------
        stability : Stability
            What came back.
        coverage : float, default=0.9
            The share of the refits whose lines are in the band.
        max_inputs : int, optional
            Maximum number of panels, those of the largest effects; all by default.
        ax : Axes, optional
            The axes whose place to take; a new figure by default.

        Returns
        -------
        StabilityDisplay
            The display, drawn.
        """
        return cls(stability, coverage=coverage, max_inputs=max_inputs).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the display in the place of some axes, or in a new figure.

        Parameters
        ----------
        ax : Axes, optional
            The axes whose place to take; a new figure by default.

        Returns
        -------
        StabilityDisplay
            The display itself.

        Raises
        ------
        ValueError
            If `max_inputs` is less than 1, `coverage` is not a share, or no input has an effect.
        """
        if self.max_inputs is not None and self.max_inputs < 1:
            raise ValueError(f"max_inputs must be 1 or more, or None for all; got {self.max_inputs}.")
        if not 0.0 < self.coverage <= 1.0:
            raise ValueError(f"coverage must be a share above 0, and at most 1; got {self.coverage}.")
        by_size = sorted(self.stability.effects, key=lambda effect: -self._size(effect))
        if not by_size or self._size(by_size[0]) == 0.0:
            raise ValueError("These rules predict the same whatever the inputs are: there is no effect to draw.")
        telling = [effect for effect in by_size if self._size(effect) >= _FLAT * self._size(by_size[0])]
        self.effects_ = telling[: self.max_inputs]
        self.axes_ = new_panels(ax, len(self.effects_))
        self.figure_ = self.axes_[0].figure
        drawn = [self._draw(panel, effect) for panel, effect in zip(self.axes_, self.effects_, strict=True)]
        self.lines_, self.bands_ = [line for line, _ in drawn], [band for _, band in drawn]
        scale_panels(self.axes_, np.concatenate([self._all(effect) for effect in self.effects_]))
        self._name_panels()
        return self

    def _all(self, effect: EffectStability) -> npt.NDArray[np.float64]:
        return np.concatenate([effect.curve.predictions, *effect.band(self.coverage)])

    def _size(self, effect: EffectStability) -> float:
        return float(np.ptp(self._all(effect)))

    def _draw(self, panel: Axes, effect: EffectStability) -> tuple[Any, Any]:
        tidy(panel)
        curve, (lower, upper) = effect.curve, effect.band(self.coverage)
        if not curve.feature.options:
            panel.set_xlim(float(curve.values[0]), float(curve.values[-1]))
            draw_density(panel, range_of(self.stability.rule_base, curve.feature.inputs[0], None).histogram)
            band: Any = panel.fill_between(curve.values, lower, upper, color=blue(), alpha=0.25, linewidth=0)
            (line,) = panel.plot(curve.values, curve.predictions, color=blue(), linewidth=2.2)
            self._mark_splits(panel, curve.feature.name)
            return line, band
        order = np.argsort(curve.predictions, kind="stable")
        places = np.arange(len(order), dtype=np.float64)
        panel.set_xlim(-0.5, len(order) - 0.5)
        band = panel.vlines(places, lower[order], upper[order], color=blue(), alpha=0.3, linewidth=7)
        (line,) = panel.plot(places, curve.predictions[order], "o", color=blue())
        name_values(panel, [curve.feature.options[k].text for k in order])
        return line, band

    def _mark_splits(self, panel: Axes, name: str) -> None:
        """Mark where the splits of an input came back, at the top of its panel."""
        for split in self.stability.split_stabilities:
            if split.input == name:
                at = split.places[np.isfinite(split.places)]
                panel.vlines(at, 0.95, 1.0, color=ink(), alpha=0.5, linewidth=1, transform=panel.get_xaxis_transform())

    def _name_panels(self) -> None:
        rule_base = self.stability.rule_base
        target = name_with_unit(rule_base.target_name, rule_base.target_unit)
        columns = n_columns(len(self.effects_))
        for place, (panel, effect) in enumerate(zip(self.axes_, self.effects_, strict=True)):
            first, feature = place % columns == 0, effect.curve.feature
            panel.tick_params(labelleft=first)
            variable = rule_base.variables[feature.inputs[0]]
            if not feature.options:
                value_ticks(panel.xaxis, inches_of(panel)[0], variable)
            name_axes(panel, feature.name if feature.options else variable.title, target if first else "")
        n_hidden = len(self.stability.effects) - len(self.effects_)
        hidden = f"; {counted(n_hidden, 'input')} with less effect left out" if n_hidden else ""
        note = f"bands: {percent(self.coverage)} of {counted(self.stability.n_refits, 'refit')}{hidden}"
        shown = wrap(note, columns * inches_of(self.axes_[0])[0], SMALL + 1)
        self.axes_[0].set_title(shown, fontsize=SMALL + 1, loc="left")
