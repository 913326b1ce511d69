"""How a prediction comes about: from the mean prediction, one step per input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from fruler._typing import Floats
from fruler._wording import name_with_unit, with_minus
from fruler.explain.explanation import Explanation
from fruler.explain.parts import Part, part_tolerance, shown_parts, totals
from fruler.explain.plots.drawing import (
    SMALL,
    VERMILLION,
    blue,
    inches_of,
    ink,
    name_axes,
    new_axes,
    target_ticks,
    text_inches,
    tidy,
    wrap,
)
from fruler.explain.plots.subjects import rule_base_of
from fruler.explain.scales import scale_of
from fruler.rules.rule_base import RuleBase

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Inches: a step, what stands above and below, the bars, and names at the most.
_STEP, _AROUND, _BARS, _LONGEST_NAME = 0.36, 1.35, 4.4, 2.9
# Of a step: how thick a bar is.
_THICK = 0.62


class WaterfallDisplay:
    """How the prediction of one row comes about, from the mean prediction to what is predicted.

    Each bar is what an input adds, the largest first: it begins where the one above ends, and points to the right (+)
    or, where the input lowers the prediction, to the left (−). All inputs of a column of categories are one bar. Above
    are the rules that fired, and the output of the strongest of them by itself.

    Parameters
    ----------
    explanation : Explanation
        Of one row; of several the first is drawn.
    max_parts : int, default=10
        Maximum number of bars; what the other inputs add is one more.

    Attributes
    ----------
    ax_ : Axes
        The axes.
    figure_ : Figure
        Their figure.
    parts_ : list of Part
        What each bar adds, with the fields `subject`, `adds` and `text`.
    totals_ : ndarray of shape (n_parts + 1,)
        What the prediction is before the first bar, and after each.
    bars_ : BarContainer
        The bars; the width of one that points to the left is negative.

    See Also
    --------
    fruler.explain.explanation.Explanation : The numbers.
    EffectDisplay : What an input does over its whole range.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from fruler import FuzzyRuleRegressor
    >>> from fruler.data import load_example
    >>> from fruler.explain.plots import WaterfallDisplay
    >>> weather = load_example("weather")
    >>> model = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target)
    >>> display = WaterfallDisplay.from_estimator(model, weather.data, row=0)
    >>> display.parts_[0].text, bool(display.bars_[0].get_width() < 0.0)
    ('max_temperature_before = 3 (low)', True)
    >>> plt.close(display.figure_)

    From an explanation, or from a rule base:

    >>> display = WaterfallDisplay.from_explanation(model.explain(weather.data), row=1)
    >>> display = WaterfallDisplay.from_rule_base(model.rule_base_, weather.data, row=1).plot(plt.figure().gca())
    >>> plt.close("all")
    """

    ax_: Axes
    figure_: Figure
    parts_: list[Part]
    totals_: Floats
    bars_: Any

    def __init__(self, explanation: Explanation, *, max_parts: int = 10) -> None:
        self.explanation = explanation
        self.max_parts = max_parts

    @classmethod
    def from_estimator(cls, model: Any, X: Any, row: int = 0, *, max_parts: int = 10, ax: Axes | None = None) -> Self:
        """Draw the prediction of a fitted model for one row.

        Parameters
        ----------
        model : fitted estimator or RuleBase
            The model.
        X : array-like of shape (n_samples, n_inputs)
            A table, as `predict` takes it.
        row : int, default=0
            Which of its rows.
        max_parts : int, default=10
            Maximum number of bars; what the other inputs add is one more.
        ax : Axes, optional
            The axes to draw on; a new figure by default.

        Returns
        -------
        WaterfallDisplay
            The display, drawn.

        Raises
        ------
        ValueError
            If `X` has no such row.
        """
        rule_base = rule_base_of(model)
        n_rows = _num_samples(X)
        if not -n_rows <= row < n_rows:
            raise ValueError(f"There are {n_rows} rows; got row {row}.")
        one = _safe_indexing(X, [row % n_rows])
        return cls(rule_base.explain(one), max_parts=max_parts).plot(ax)

    @classmethod
    def from_rule_base(
        cls, rule_base: RuleBase, X: Any, row: int = 0, *, max_parts: int = 10, ax: Axes | None = None
    ) -> Self:
        """Draw the prediction of a rule base for one row.

        Parameters
        ----------
        rule_base : RuleBase
            The rules.
        X : array-like of shape (n_samples, n_inputs)
            A table, as `predict` takes it.
        row : int, default=0
            Which of its rows.
        max_parts : int, default=10
            Maximum number of bars; what the other inputs add is one more.
        ax : Axes, optional
            The axes to draw on; a new figure by default.

        Returns
        -------
        WaterfallDisplay
            The display, drawn.
        """
        return cls.from_estimator(rule_base, X, row, max_parts=max_parts, ax=ax)

    @classmethod
    def from_explanation(
        cls, explanation: Explanation, row: int = 0, *, max_parts: int = 10, ax: Axes | None = None
    ) -> Self:
        """Draw a row of an explanation.

        Parameters
        ----------
        explanation : Explanation
            The explanation of some rows.
        row : int, default=0
            Which of its rows.
        max_parts : int, default=10
            Maximum number of bars; what the other inputs add is one more.
        ax : Axes, optional
            The axes to draw on; a new figure by default.

        Returns
        -------
        WaterfallDisplay
            The display, drawn.
        """
        return cls(explanation[row], max_parts=max_parts).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the display on some axes, or in a new figure.

        Parameters
        ----------
        ax : Axes, optional
            The axes to draw on; a new figure by default.

        Returns
        -------
        WaterfallDisplay
            The display itself.

        Raises
        ------
        ValueError
            If `max_parts` is less than 1.
        """
        if self.max_parts < 1:
            raise ValueError(f"max_parts must be 1 or more; got {self.max_parts}.")
        why, tolerance = self.explanation, part_tolerance(self.explanation.rule_base)
        scale = scale_of(why.rule_base)
        self.parts_ = shown_parts(why.parts(), tolerance, self.max_parts)
        self.totals_ = totals(why.base, self.parts_)
        names = [scale.base, *(part.text for part in self.parts_), "prediction"]
        names = [wrap(with_minus(name), _LONGEST_NAME, SMALL, 2) for name in names]
        said = scale.written(float(why.predictions[0]), tolerance)
        numbers = [scale.part(part.adds, tolerance) for part in self.parts_]
        numbers = [scale.written(scale.target(why.base), tolerance), *numbers, said]
        beside = max(map(text_inches, names))
        ax = new_axes(ax, (_BARS + beside + 0.4, len(names) * _STEP + _AROUND))
        self.ax_, self.figure_ = ax, ax.figure  # type: ignore[assignment]
        tidy(ax)
        ax.spines["left"].set_visible(False)
        self._draw_steps()
        self._write_numbers([with_minus(number) for number in numbers], max(inches_of(ax)[0] - beside, 1.0))
        ax.set_ylim(len(names) - 0.4, -0.6)
        ax.set_yticks(range(len(names)), names, fontsize=SMALL)
        ax.tick_params(left=False)
        target_ticks(ax.xaxis, inches_of(ax)[0], scale)
        rules = why.rule_base
        name_axes(ax, name_with_unit(rules.target_name, rules.target_unit))
        notes = [wrap(with_minus(note), inches_of(ax)[0], SMALL + 1, 2) for note in why.notes()]
        ax.set_title("\n".join(notes), fontsize=SMALL + 1, loc="left")
        return self

    def _draw_steps(self) -> None:
        """Draw a bar for each part, lines from one to the next, and a mark at either end."""
        ax, ways = self.ax_, self.totals_
        adds = [part.adds for part in self.parts_]
        places = range(1, len(adds) + 1)
        colours = [blue() if part > 0.0 else VERMILLION for part in adds]
        self.bars_ = ax.barh(places, adds, _THICK, ways[:-1], color=colours)
        for place, way in enumerate(ways):
            ax.plot([way, way], [place - _THICK / 2, place + 1 + _THICK / 2], color=ink(), alpha=0.4, linewidth=0.8)
        for place, way in ((0, ways[0]), (len(ways), ways[-1])):
            ax.plot([way], [place], "D", color=ink(), markersize=6)

    def _write_numbers(self, numbers: list[str], inches: float) -> None:
        """Write numbers beyond the ends of the bars, and make room for them."""
        ax, ways = self.ax_, self.totals_
        ends = [*ways, ways[-1]]
        left = [False, *(part.adds < 0.0 for part in self.parts_), False]
        low, high = float(ways.min()), float(ways.max())
        between = range(1, len(ways))
        room = max(text_inches(number) + 0.25 for number in numbers)
        inch = ((high - low) or max(abs(low), 1.0)) / max(inches - 2.0 * room, 0.5)
        ax.set_xlim(low - room * inch, high + room * inch)
        for place, (number, end, leftwards) in enumerate(zip(numbers, ends, left, strict=True)):
            ax.annotate(
                number,
                (end, place),
                (-5 if leftwards else 5 if place in between else 9, 0),
                textcoords="offset points",
                ha="right" if leftwards else "left",
                va="center",
                fontsize=SMALL,
            )
