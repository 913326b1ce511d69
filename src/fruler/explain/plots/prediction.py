"""Predicted values against observed ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from fruler._typing import Floats
from fruler._wording import name_with_unit, readable_number
from fruler.explain.plots.drawing import SMALL, blue, inches_of, ink, name_axes, new_axes, number_ticks
from fruler.explain.plots.subjects import rule_base_of
from fruler.rules.rule_base import RuleBase
from fruler.table.rows import spread_evenly

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Kind = Literal["actual_vs_predicted", "residual_vs_predicted"]
KINDS: tuple[Kind, ...] = ("actual_vs_predicted", "residual_vs_predicted")
# More points than these hide each other.
_MAX_POINTS = 2_000


class PredictionDisplay:
    """Observed against predicted values, or residuals against predicted values, with R² and the RMSE.

    It is drawn by scikit-learn's `PredictionErrorDisplay`, with names and units. Of more than 2,000 rows only 2,000
    points are drawn, spread evenly over the predictions; R² and the RMSE are those of all rows.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Observed and predicted values.
    target_name, target_unit : str
        What was predicted, and its unit if any.

    Attributes
    ----------
    ax_ : Axes
        The axes that it was drawn on.
    figure_ : Figure
        The figure of the axes.
    line_ : Line2D
        Where every prediction would be right.
    scatter_ : PathCollection
        One point per row.
    r2_, rmse_ : float
        The coefficient of determination (NaN where all observed values are equal) and the root mean squared error.

    See Also
    --------
    fruler.explain.report.report_html : A page with this picture and others.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from fruler.explain.plots import PredictionDisplay
    >>> display = PredictionDisplay([1.0, 2.0, 3.0], [1.0, 2.0, 2.0], target_name="cost", target_unit="€").plot()
    >>> display.ax_.get_ylabel()
    'observed cost (€)'
    >>> plt.close(display.figure_)

    From predictions, from a fitted model, or from a rule base:

    >>> display = PredictionDisplay.from_predictions([1.0, 2.0, 3.0], [1.0, 2.0, 2.0], kind="residual_vs_predicted")
    >>> from fruler import FuzzyRuleRegressor
    >>> from fruler.data import load_example
    >>> weather = load_example("weather")
    >>> model = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target)
    >>> display = PredictionDisplay.from_estimator(model, weather.data, weather.target)
    >>> display = PredictionDisplay.from_rule_base(model.rule_base_, weather.data, weather.target)
    >>> round(display.r2_, 2)
    0.99
    >>> plt.close("all")
    """

    ax_: Axes
    figure_: Figure
    line_: Any
    scatter_: Any
    r2_: float
    rmse_: float

    def __init__(self, y_true: Any, y_pred: Any, *, target_name: str = "y", target_unit: str = "") -> None:
        self.y_true = y_true
        self.y_pred = y_pred
        self.target_name = target_name
        self.target_unit = target_unit

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
            The rows.
        y : array-like of shape (n_samples,)
            Their observed values.
        kind : {"actual_vs_predicted", "residual_vs_predicted"}, default="actual_vs_predicted"
            What the y axis shows: the observed values, or the residuals (observed - predicted).
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
    def from_rule_base(
        cls, rule_base: RuleBase, X: Any, y: Any, *, kind: Kind = "actual_vs_predicted", ax: Axes | None = None
    ) -> Self:
        """Predict rows by a rule base and draw the predictions against the observed values.

        Parameters
        ----------
        rule_base : RuleBase
            The rules.
        X : array-like of shape (n_samples, n_inputs)
            The rows.
        y : array-like of shape (n_samples,)
            Their observed values.
        kind : {"actual_vs_predicted", "residual_vs_predicted"}, default="actual_vs_predicted"
            What the y axis shows: the observed values, or the residuals (observed - predicted).
        ax : Axes, optional
            The axes to draw on; a new figure by default.

        Returns
        -------
        PredictionDisplay
            The display, drawn.
        """
        return cls.from_estimator(rule_base, X, y, kind=kind, ax=ax)

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
        """Draw predictions that are known already.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_samples,)
            Observed and predicted values.
        kind : {"actual_vs_predicted", "residual_vs_predicted"}, default="actual_vs_predicted"
            What the y axis shows.
        target_name, target_unit : str
            What was predicted, and its unit if any.
        ax : Axes, optional
            The axes to draw on; a new figure by default.

        Returns
        -------
        PredictionDisplay
            The display, drawn.
        """
        return cls(y_true, y_pred, target_name=target_name, target_unit=target_unit).plot(ax, kind=kind)

    def plot(self, ax: Axes | None = None, *, kind: Kind = "actual_vs_predicted") -> Self:
        """Draw the display on some axes, or in a new figure.

        Parameters
        ----------
        ax : Axes, optional
            The axes to draw on; a new figure by default.
        kind : {"actual_vs_predicted", "residual_vs_predicted"}, default="actual_vs_predicted"
            What the y axis shows: the observed values, or the residuals (observed - predicted).

        Returns
        -------
        PredictionDisplay
            The display itself.

        Raises
        ------
        ValueError
            If `kind` is none of the two.
        """
        from sklearn.metrics import PredictionErrorDisplay

        if kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}; got {kind!r}.")
        actual, predicted = _checked(self.y_true, self.y_pred)
        against = kind == "actual_vs_predicted"
        ax = new_axes(ax, (5.0, 4.8) if against else (6.4, 4.2))
        errors = actual - predicted
        spread = float(np.square(actual - actual.mean()).sum())
        self.rmse_ = float(np.sqrt(np.square(errors).mean()))
        self.r2_ = 1.0 - float(np.square(errors).sum()) / spread if spread > 0.0 else float("nan")
        some = np.argsort(predicted, kind="stable")[spread_evenly(len(predicted), _MAX_POINTS)]
        drawn = PredictionErrorDisplay(y_true=actual[some], y_pred=predicted[some]).plot(
            ax=ax,
            kind=kind,
            scatter_kwargs={"color": blue(), "alpha": 0.45, "s": 18, "linewidths": 0},
            line_kwargs={"color": ink(), "alpha": 0.7},
        )
        self.line_, self.scatter_ = drawn.line_, drawn.scatter_
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        width, height = inches_of(ax)
        number_ticks(ax.xaxis, width)
        number_ticks(ax.yaxis, height)
        target = name_with_unit(self.target_name, self.target_unit)
        name_axes(ax, f"predicted {target}", f"observed {target}" if against else f"observed − predicted {target}")
        self._write_figures(ax, predicted[some], actual[some] if against else errors[some])
        self.ax_, self.figure_ = ax, ax.figure  # type: ignore[assignment]
        return self

    def _write_figures(self, ax: Axes, x: Floats, y: Floats) -> None:
        """Write R² and the RMSE in the upper left corner, above all points that are near it."""
        low, high = ax.get_ylim()
        left = x <= x.min() + 0.4 * np.ptp(x)
        top = float(y[left].max())
        if top > low + 0.84 * (high - low):
            ax.set_ylim(low, max(high, low + (top - low) / 0.84))
        unit = f" {self.target_unit}" if self.target_unit else ""
        share = "" if np.isnan(self.r2_) else f"R² {readable_number(self.r2_)}\n"
        text = f"{share}RMSE {readable_number(self.rmse_)}{unit}"
        ax.text(0.03, 0.98, text.replace("-", "−"), transform=ax.transAxes, ha="left", va="top", fontsize=SMALL + 1)


def _checked(y_true: Any, y_pred: Any) -> tuple[Floats, Floats]:
    actual = np.asarray(y_true, dtype=np.float64).reshape(-1)
    predicted = np.asarray(y_pred, dtype=np.float64).reshape(-1)
    if len(actual) != len(predicted) or not len(actual):
        raise ValueError(f"There are {len(actual)} observed and {len(predicted)} predicted values; give one of each.")
    if not (np.isfinite(actual).all() and np.isfinite(predicted).all()):
        raise ValueError("Observed and predicted values must be finite; drop rows whose value is not known.")
    return actual, predicted
