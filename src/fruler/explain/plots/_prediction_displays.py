"""Plots of predictions: errors, the contributions to one prediction, and the importance of inputs."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import pandas as pd
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from fruler._arrays import Floats
from fruler._table.rows import spread_evenly
from fruler._wording import counted, name_with_unit, number_to_place, percent, readable_number, with_minus
from fruler.explain._scales import SCALES, scale_of
from fruler.explain.explanation import Explanation, joined, part_tolerance, shown_parts, totals
from fruler.explain.importance import importance_table, input_importance
from fruler.explain.plots._display import Display, require_count, rule_base_of
from fruler.explain.plots._drawing import (
    SMALL,
    VERMILLION,
    blue,
    inches_of,
    ink,
    name_axes,
    scale_ticks,
    text_inches,
    wrap,
)
from fruler.rules._output import LinkName
from fruler.rules._rule_base import RuleBase

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Kind = Literal["actual_vs_predicted", "residual_vs_predicted"]
KINDS: tuple[Kind, ...] = ("actual_vs_predicted", "residual_vs_predicted")
# More points than this hide each other.
_MAX_POINTS = 2_000
# The longest name of a bar in inches; and the thickness of a step of a waterfall as a share of its row.
_LONGEST_NAME, _THICK = 2.9, 0.62


@dataclass(eq=False, repr=False)
class PredictionDisplay(Display):
    """Observed against predicted values, or residuals against predicted values, with R² and the RMSE.

    The plot is scikit-learn's `PredictionErrorDisplay` with names and units. At most 2,000 points are drawn, evenly
    spread over the predictions; R² and the RMSE are computed on all rows.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Observed and predicted values.
    target_name, target_unit : str
        The name of the target, and its unit if any.

    Attributes
    ----------
    ax_ : Axes
        The axes that it was drawn on.
    figure_ : Figure
        The figure of the axes.
    line_ : Line2D
        The line of perfect predictions.
    scatter_ : PathCollection
        One point per row.
    r2_, rmse_ : float
        The coefficient of determination (NaN if all observed values are equal) and the root mean squared error.

    See Also
    --------
    fruler.explain.report.report_html : A report with this and other plots.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from fruler.explain.plots import PredictionDisplay
    >>> display = PredictionDisplay([1.0, 2.0, 3.0], [1.0, 2.0, 2.0], target_name="cost", target_unit="€").plot()
    >>> display.ax_.get_ylabel()
    'observed cost (€)'
    >>> plt.close(display.figure_)

    From predictions, or from a model:

    >>> display = PredictionDisplay.from_predictions([1.0, 2.0, 3.0], [1.0, 2.0, 2.0], kind="residual_vs_predicted")
    >>> from fruler import FuzzyRuleRegressor
    >>> from fruler.data import load_example
    >>> weather = load_example("weather")
    >>> model = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target)
    >>> display = PredictionDisplay.from_estimator(model, weather.data, weather.target)
    >>> round(display.r2_, 2)
    0.99
    >>> plt.close("all")
    """

    y_true: Any
    y_pred: Any
    _: KW_ONLY
    target_name: str = "y"
    target_unit: str = ""

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, y: Any, *, kind: Kind = "actual_vs_predicted", ax: Axes | None = None
    ) -> Self:
        """Predict rows and draw the predictions against the observed values.

        Parameters
        ----------
        model : fitted estimator or RuleBase
            The model.
        X : array-like of shape (n_samples, n_inputs)
            The rows to predict.
        y : array-like of shape (n_samples,)
            The observed values.
        kind : {"actual_vs_predicted", "residual_vs_predicted"}, default="actual_vs_predicted"
            The values on the y axis: the observed values, or the residuals (observed - predicted).
        ax : Axes, optional
            The axes to draw on; a new figure by default.

        Returns
        -------
        PredictionDisplay
            The display, drawn.
        """
        rules = rule_base_of(model)
        display = cls(y, model.predict(X), target_name=rules.target_name, target_unit=rules.target_unit)
        return display.plot(ax, kind=kind)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        kind: Kind = "actual_vs_predicted",
        target_name: str = "y",
        target_unit: str = "",
        ax: Axes | None = None,
    ) -> Self:
        """Draw given predictions against the observed values.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_samples,)
            Observed and predicted values.
        kind : {"actual_vs_predicted", "residual_vs_predicted"}, default="actual_vs_predicted"
            The values on the y axis: the observed values, or the residuals (observed - predicted).
        target_name, target_unit : str
            The name of the target, and its unit if any.
        ax : Axes, optional
            The axes to draw on; a new figure by default.

        Returns
        -------
        PredictionDisplay
            The display, drawn.
        """
        return cls(y_true, y_pred, target_name=target_name, target_unit=target_unit).plot(ax, kind=kind)

    def plot(self, ax: Axes | None = None, *, kind: Kind = "actual_vs_predicted") -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : Axes, optional
            The axes to draw on; a new figure by default.
        kind : {"actual_vs_predicted", "residual_vs_predicted"}, default="actual_vs_predicted"
            The values on the y axis: the observed values, or the residuals (observed - predicted).

        Returns
        -------
        PredictionDisplay
            The display itself.

        Raises
        ------
        ValueError
            If `kind` is unknown.
        """
        if kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}; got {kind!r}.")
        self._kind = kind
        return super().plot(ax)

    def _draw(self, ax: Axes | None) -> None:
        from sklearn.metrics import PredictionErrorDisplay

        actual, predicted = _checked(self.y_true, self.y_pred)
        against = self._kind == "actual_vs_predicted"
        ax = self._new_axes(ax, (5.0, 4.8) if against else (6.4, 4.2))
        errors = actual - predicted
        spread = float(np.square(actual - actual.mean()).sum())
        self.rmse_ = float(np.sqrt(np.square(errors).mean()))
        self.r2_ = 1.0 - float(np.square(errors).sum()) / spread if spread > 0.0 else float("nan")
        some = np.argsort(predicted, kind="stable")[spread_evenly(len(predicted), _MAX_POINTS)]
        drawn = PredictionErrorDisplay(y_true=actual[some], y_pred=predicted[some]).plot(
            ax=ax,
            kind=self._kind,
            scatter_kwargs={"color": blue(), "alpha": 0.45, "s": 18, "linewidths": 0},
            line_kwargs={"color": ink(), "alpha": 0.7},
        )
        self.line_, self.scatter_ = drawn.line_, drawn.scatter_
        target = name_with_unit(self.target_name, self.target_unit)
        shown = "observed" if against else "observed − predicted"
        name_axes(ax, f"predicted {target}", f"{shown} {target}", numbers="xy")
        self._write_metrics(ax, predicted[some], actual[some] if against else errors[some])

    def _write_metrics(self, ax: Axes, x: Floats, y: Floats) -> None:
        """Write R² and the RMSE in the upper left corner, above all points nearby."""
        low, high = ax.get_ylim()
        left = x <= x.min() + 0.4 * np.ptp(x)
        top = float(y[left].max())
        if top > low + 0.84 * (high - low):
            ax.set_ylim(low, max(high, low + (top - low) / 0.84))
        share = "" if np.isnan(self.r2_) else f"R² {readable_number(self.r2_)}\n"
        text = f"{share}RMSE {readable_number(self.rmse_)} {self.target_unit}".rstrip()
        ax.text(0.03, 0.98, text.replace("-", "−"), transform=ax.transAxes, ha="left", va="top", fontsize=SMALL + 1)


def _checked(y_true: Any, y_pred: Any) -> tuple[Floats, Floats]:
    actual = np.asarray(y_true, dtype=np.float64).reshape(-1)
    predicted = np.asarray(y_pred, dtype=np.float64).reshape(-1)
    if len(actual) != len(predicted) or not len(actual):
        raise ValueError(
            f"Got {len(actual)} observed and {len(predicted)} predicted values; each row needs one of each."
        )
    if not (np.isfinite(actual).all() and np.isfinite(predicted).all()):
        raise ValueError("Observed and predicted values must be finite; drop rows with missing values.")
    return actual, predicted


class BarsDisplay(Display):
    """Horizontal bars with names on the left and numbers at their ends."""

    def _new_bars(self, ax: Axes | None, names: list[str], width: float, step: float, around: float) -> float:
        """Make axes with named rows, and return the width that remains for the bars, in inches."""
        wrapped = [wrap(name, _LONGEST_NAME, SMALL, 2) for name in names]
        beside = max(map(text_inches, wrapped), default=0.0)
        ax = self._new_axes(ax, (width + beside + 0.4, max(len(names), 2) * step + around))
        ax.set_yticks(range(len(names)), wrapped, fontsize=SMALL)
        ax.set_ylim(max(len(names), 1) - 0.4, -0.6)
        ax.tick_params(left=False)
        return max(inches_of(ax)[0] - beside, 1.0)

    def _write_number(self, text: str, end: float, place: int, points: float) -> None:
        """Write a number beyond the end of a bar, to its right or to its left."""
        side = "left" if points > 0.0 else "right"
        look: dict[str, Any] = {"textcoords": "offset points", "ha": side, "va": "center", "fontsize": SMALL}
        self.ax_.annotate(text, (end, place), (points, 0), **look)


@dataclass(eq=False, repr=False)
class ImportanceDisplay(BarsDisplay):
    """The importance of each input: its mean absolute contribution to predictions; the largest first.

    The percentage is the share in the sum of all inputs. All inputs of a column of categories are one bar. Inputs
    without importance are left out.

    Parameters
    ----------
    importance : DataFrame
        With the columns `input`, `moves` and `share`, the largest first.
    target_name, target_unit : str
        The name of the target, and its unit if any.
    tolerance : float, default=0.0
        The rounding error that a written number may have.
    max_inputs : int, optional
        Maximum number of bars; all by default.
    link : {"identity", "log"}, default="identity"
        The scale of the contributions: the target, or its logarithm (shown in percent).

    Attributes
    ----------
    ax_ : Axes
        The axes that it was drawn on.
    figure_ : Figure
        The figure of the axes.
    bars_ : BarContainer
        The bars, the longest first.

    See Also
    --------
    EffectsDisplay : The effect of each input, as a line.
    fruler.explain.importance.input_importance : The importance of inputs, as a table.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from fruler import FuzzyRuleRegressor
    >>> from fruler.data import load_example
    >>> from fruler.explain.plots import ImportanceDisplay
    >>> weather = load_example("weather")
    >>> model = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target)
    >>> display = ImportanceDisplay.from_estimator(model)
    >>> display.importance["input"].tolist()[:2]
    ['max_temperature_before', 'min_temperature_before']
    >>> plt.close(display.figure_)

    Draw it again on other axes:

    >>> display = display.plot(plt.figure().gca())
    >>> plt.close("all")
    """

    importance: pd.DataFrame
    _: KW_ONLY
    target_name: str = "y"
    target_unit: str = ""
    tolerance: float = 0.0
    max_inputs: int | None = None
    link: LinkName = "identity"

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any = None, *, max_inputs: int | None = None, ax: Axes | None = None
    ) -> Self:
        """Draw the importance of the inputs of a model.

        Parameters
        ----------
        model : fitted estimator or RuleBase
            The model.
        X : array-like of shape (n_samples, n_inputs), optional
            The rows to measure on; the training rows by default. For the training rows only per-input importances are
            stored; those of one column are summed.
        max_inputs : int, optional
            Maximum number of bars; all by default.
        ax : Axes, optional
            The axes to draw on; a new figure by default.

        Returns
        -------
        ImportanceDisplay
            The display, drawn.
        """
        rules = rule_base_of(model)
        return cls(
            input_importance(rules) if X is None else _of_rows(rules, X),
            target_name=rules.target_name,
            target_unit=rules.target_unit,
            tolerance=part_tolerance(rules),
            max_inputs=max_inputs,
            link=rules.output.link,
        ).plot(ax)

    def _draw(self, ax: Axes | None) -> None:
        require_count("max_inputs", self.max_inputs)
        moving = self.importance[self.importance["moves"] > 0.0]
        table = moving[: self.max_inputs]
        moves, scale = table["moves"].to_numpy(), SCALES[self.link]
        changes = [scale.change(move, self.tolerance) for move in moves.tolist()]
        numbers = [one.marked(number_to_place(one.number, one.tolerance)) for one in changes]
        texts = [f"{number} ({percent(share)})" for number, share in zip(numbers, table["share"], strict=True)]
        inches = self._new_bars(ax, table["input"].tolist(), width=4.6, step=0.34, around=1.0)
        self.bars_ = self.ax_.barh(range(len(table)), moves, 0.7, color=blue())
        room = max(map(text_inches, texts), default=0.0) + 0.15
        self.ax_.set_xlim(0.0, moves.max(initial=0.0) * inches / max(inches - room, 0.3) or 1.0)
        for place, (move, text) in enumerate(zip(moves, texts, strict=True)):
            self._write_number(text, move, place, 4)
        scale_ticks(self.ax_.xaxis, scale, changes=True)
        target = name_with_unit(self.target_name, scale.unit(self.target_unit))
        hidden = len(moving) - len(table)
        note = f"; {counted(hidden, 'input')} of less importance left out" if hidden else ""
        name_axes(self.ax_, f"mean move of {target} away from the {scale.base}{note}")


def _of_rows(rule_base: RuleBase, X: Any) -> pd.DataFrame:
    adds = joined(rule_base, rule_base.explain(X).contributions)
    return importance_table("input", list(adds), np.array([np.abs(parts).mean() for parts in adds.values()]))


@dataclass(eq=False, repr=False)
class WaterfallDisplay(BarsDisplay):
    """The contributions to the prediction of one row, from the mean prediction to the prediction of the row.

    Each bar is the contribution of an input, the largest first. It begins where the bar above ends, and points to the
    right (+) if the input raises the prediction, or to the left (−) if it lowers it. All inputs of a column of
    categories are one bar. Above are the fired rules, and the output of the strongest rule by itself.

    Parameters
    ----------
    explanation : Explanation
        The explanation to draw; only its first row is drawn.
    max_parts : int, default=10
        Maximum number of bars, apart from one bar for the sum of the other contributions.

    Attributes
    ----------
    ax_ : Axes
        The axes that it was drawn on.
    figure_ : Figure
        The figure of the axes.
    parts_ : list of Part
        The contribution of each bar, with the fields `subject`, `adds` and `text`.
    totals_ : ndarray of shape (n_parts + 1,)
        The running total before the first bar, and after each bar.
    bars_ : BarContainer
        The bars; bars that point to the left have a negative width.

    See Also
    --------
    fruler.explain.explanation.Explanation : The explanation as data.
    EffectDisplay : The effect of an input over its whole range.

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

    From an explanation:

    >>> display = WaterfallDisplay.from_explanation(model.explain(weather.data), row=1)
    >>> plt.close("all")
    """

    explanation: Explanation
    _: KW_ONLY
    max_parts: int = 10

    @classmethod
    def from_estimator(cls, model: Any, X: Any, row: int = 0, *, max_parts: int = 10, ax: Axes | None = None) -> Self:
        """Draw the prediction of a model for one row.

        Parameters
        ----------
        model : fitted estimator or RuleBase
            The model.
        X : array-like of shape (n_samples, n_inputs)
            A table, as for `predict`.
        row : int, default=0
            The number of the row in the table.
        max_parts : int, default=10
            Maximum number of bars, apart from one bar for the sum of the other contributions.
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
        rules, n_rows = rule_base_of(model), _num_samples(X)
        if not -n_rows <= row < n_rows:
            raise ValueError(f"There are {n_rows} rows; got row {row}.")
        return cls(rules.explain(_safe_indexing(X, [row % n_rows])), max_parts=max_parts).plot(ax)

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
            The number of the row in the explanation.
        max_parts : int, default=10
            Maximum number of bars, apart from one bar for the sum of the other contributions.
        ax : Axes, optional
            The axes to draw on; a new figure by default.

        Returns
        -------
        WaterfallDisplay
            The display, drawn.
        """
        return cls(explanation[row], max_parts=max_parts).plot(ax)

    def _draw(self, ax: Axes | None) -> None:
        if self.max_parts < 1:
            raise ValueError(f"max_parts must be 1 or more; got {self.max_parts}.")
        why, rules = self.explanation, self.explanation.rule_base
        tolerance, scale = part_tolerance(rules), scale_of(rules)
        self.parts_ = shown_parts(why.parts(), tolerance, self.max_parts)
        self.totals_ = totals(why.base, self.parts_)
        names = [scale.base, *(with_minus(part.text) for part in self.parts_), "prediction"]
        numbers = [scale.part(part.adds, tolerance) for part in self.parts_]
        first, last = scale.written(scale.target(why.base), tolerance), float(why.predictions[0])
        inches = self._new_bars(ax, names, width=4.4, step=0.36, around=1.35)
        self._draw_steps()
        self._write_numbers([with_minus(text) for text in (first, *numbers, scale.written(last, tolerance))], inches)
        self.ax_.spines["left"].set_visible(False)
        scale_ticks(self.ax_.xaxis, scale, changes=False)
        name_axes(self.ax_, name_with_unit(rules.target_name, rules.target_unit))
        notes = [wrap(with_minus(note), inches_of(self.ax_)[0], SMALL + 1, 2) for note in why.notes()]
        self.ax_.set_title("\n".join(notes), fontsize=SMALL + 1, loc="left")

    def _draw_steps(self) -> None:
        """Draw one bar per part, lines between neighbouring bars, and a mark at either end."""
        ax, ways = self.ax_, self.totals_
        adds = [part.adds for part in self.parts_]
        colours = [blue() if part > 0.0 else VERMILLION for part in adds]
        self.bars_ = ax.barh(range(1, len(adds) + 1), adds, _THICK, ways[:-1], color=colours)
        for place, way in enumerate(ways):
            ax.plot([way, way], [place - _THICK / 2, place + 1 + _THICK / 2], color=ink(), alpha=0.4, linewidth=0.8)
        for place, way in ((0, ways[0]), (len(ways), ways[-1])):
            ax.plot([way], [place], "D", color=ink(), markersize=6)

    def _write_numbers(self, numbers: list[str], inches: float) -> None:
        """Write numbers beyond the ends of the bars, and make room for them."""
        ways = self.totals_
        low, high = float(ways.min()), float(ways.max())
        room = max(text_inches(number) + 0.25 for number in numbers)
        inch = ((high - low) or max(abs(low), 1.0)) / max(inches - 2.0 * room, 0.5)
        self.ax_.set_xlim(low - room * inch, high + room * inch)
        # A mark at either end is wider than the end of a bar.
        points = [9, *(-5 if part.adds < 0.0 else 5 for part in self.parts_), 9]
        for place, (number, end, beyond) in enumerate(zip(numbers, [*ways, ways[-1]], points, strict=True)):
            self._write_number(number, end, place, beyond)
