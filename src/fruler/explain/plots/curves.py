"""What single inputs add to every rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler._wording import name_with_unit
from fruler.explain.plots.drawing import blue, change_ticks, inches_of, ink, name_axes, tidy, value_ticks
from fruler.explain.plots.panels import draw_density, n_columns, new_panels, scale_panels
from fruler.explain.plots.subjects import drawn_range, histogram_of, rows_of, rule_base_of
from fruler.explain.scales import scale_of
from fruler.rules.rule_base import RuleBase

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class CurveDisplay:
    """What each curve adds to the prediction over the range of its input, in one small panel per curve.

    All panels have one scale, so that curves can be compared; a thin line marks where nothing is added. At the bottom
    is the histogram of the input's values. Dots are the bends of the curve.

    Parameters
    ----------
    rule_base : RuleBase
        The rules, with curves.
    histograms : list of (ndarray, ndarray), optional
        For each curve the edges and counts of the histogram of its input.

    Attributes
    ----------
    axes_ : ndarray of Axes
        One for each curve.
    figure_ : Figure
        The figure of the axes.
    lines_ : list of Line2D
        The curves.
    bars_ : list of BarContainer
        The histograms; empty where no data are known.

    See Also
    --------
    EffectDisplay : What one input does in all: its curve, and the rules.
    fruler.rules.Curve : The curve itself, as a value.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from fruler import FuzzyPartition, RuleBase
    >>> from fruler.explain.plots import CurveDisplay
    >>> from fruler.rules import Curve, Variable
    >>> age = Variable("age", FuzzyPartition([], (0.0, 30.0)), "d")
    >>> curve = Curve(0, FuzzyPartition([10.0], (0.0, 30.0), fuzziness=0.5), [[-4.0, 0.5], [5.0, 0.0]])
    >>> display = CurveDisplay.from_rule_base(RuleBase([age], [[[0, 0]]], [[20.0, 0.0]], curves=[curve]))
    >>> display.axes_[0].get_xlabel(), display.axes_[0].get_ylabel()
    ('age (d)', 'adds to y')
    >>> plt.close(display.figure_)

    A fitted model works the same way, and a display can be drawn again on other axes:

    >>> display = CurveDisplay.from_estimator(display.rule_base).plot(plt.figure().gca())
    >>> plt.close("all")
    """

    axes_: npt.NDArray[np.object_]
    figure_: Figure
    lines_: list[Any]
    bars_: list[Any]

    def __init__(self, rule_base: RuleBase, *, histograms: list[tuple[Floats, Floats]] | None = None) -> None:
        self.rule_base = rule_base
        self.histograms = histograms

    @classmethod
    def from_estimator(cls, model: Any, X: Any = None, *, ax: Axes | None = None) -> Self:
        """Draw the curves of a fitted model.

        Parameters
        ----------
        model : fitted estimator or RuleBase
            The model, with at least one curve.
        X : array-like of shape (n_samples, n_inputs), optional
            The rows of the histograms; the training rows by default.
        ax : Axes, optional
            The axes whose place to take; a new figure by default.

        Returns
        -------
        CurveDisplay
            The display, drawn.
        """
        rule_base = rule_base_of(model)
        values = None if X is None else rows_of(model, X)
        histograms = [histogram_of(rule_base, curve.input, values) for curve in rule_base.curves]
        known = [histogram for histogram in histograms if histogram is not None]
        return cls(rule_base, histograms=known or None).plot(ax)

    @classmethod
    def from_rule_base(cls, rule_base: RuleBase, X: Any = None, *, ax: Axes | None = None) -> Self:
        """Draw the curves of a rule base.

        Parameters
        ----------
        rule_base : RuleBase
            The rules.
        X : array-like of shape (n_samples, n_inputs), optional
            The rows of the histograms; the training rows by default.
        ax : Axes, optional
            The axes whose place to take; a new figure by default.

        Returns
        -------
        CurveDisplay
            The display, drawn.
        """
        return cls.from_estimator(rule_base, X, ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the display in the place of some axes, or in a new figure.

        Parameters
        ----------
        ax : Axes, optional
            The axes whose place to take; a new figure by default.

        Returns
        -------
        CurveDisplay
            The display itself.

        Raises
        ------
        ValueError
            If the rules have no curves.
        """
        curves = self.rule_base.curves
        if not curves:
            raise ValueError("These rules have no curves to draw.")
        self.axes_ = new_panels(ax, len(curves))
        self.figure_ = self.axes_[0].figure
        self.lines_, self.bars_ = [], []
        for place in range(len(curves)):
            self._draw(place)
        # With nothing added in it.
        scale_panels(self.axes_, [0.0, *(value for line in self.lines_ for value in line.get_ydata())])
        scale = scale_of(self.rule_base)
        target = name_with_unit(self.rule_base.target_name, scale.unit(self.rule_base.target_unit))
        told = scale.change_of(target)
        change_ticks(self.axes_[0].yaxis, inches_of(self.axes_[0])[1], scale)
        for place, panel in enumerate(self.axes_):
            variable = self.rule_base.variables[curves[place].input]
            first = place % n_columns(len(curves)) == 0
            panel.tick_params(labelleft=first)
            value_ticks(panel.xaxis, inches_of(panel)[0], variable)
            name_axes(panel, variable.title, told if first else "")
        return self

    def _draw(self, place: int) -> None:
        panel, curve = self.axes_[place], self.rule_base.curves[place]
        histogram = None if self.histograms is None else self.histograms[place]
        low, high = drawn_range(curve.partition, None if histogram is None else histogram[0])
        tidy(panel)
        panel.set_xlim(low, high)
        bars = draw_density(panel, histogram)
        self.bars_ += [] if bars is None else [bars]
        panel.axhline(0.0, color=ink(), alpha=0.4, linewidth=0.8)
        self.lines_ += panel.plot(*curve.outline(low, high), color=blue(), linewidth=2.2)
        panel.plot(*curve.bends(), "o", color=blue(), markersize=4)
