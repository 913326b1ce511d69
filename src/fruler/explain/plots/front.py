"""The trade-off between accuracy and size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from fruler._wording import counted, name_with_unit
from fruler.explain.plots.drawing import GREEN, SMALL, VERMILLION, blue, inches_of, name_axes, new_axes, number_ticks
from fruler.explain.plots.subjects import rule_base_of, table_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class FrontDisplay:
    """The error of every model of the front against its number of rules, with the chosen one marked.

    Parameters
    ----------
    pareto : DataFrame
        `pareto_` of a model, with the columns rules, error and, where it is known, cv_error.
    n_rules : int, optional
        The size of the model that was chosen.
    target_unit : str
        The unit of the error.

    Attributes
    ----------
    ax_ : Axes
        The axes that it was drawn on.
    figure_ : Figure
        The figure of the axes.
    line_ : Line2D
        The root mean squared errors on the training rows.
    cv_line_ : Line2D or None
        Those of the cross-validation, where they are known.
    chosen_ : Line2D or None
        The mark of the chosen model.

    See Also
    --------
    ProgressDisplay : How the search went.
    fruler.FuzzyRuleRegressor.with_rules : Take another model of the front.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from fruler import FuzzyRuleRegressor
    >>> from fruler.data import load_example
    >>> from fruler.explain.plots import FrontDisplay
    >>> weather = load_example("weather")
    >>> model = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target)
    >>> display = FrontDisplay.from_estimator(model)
    >>> display.chosen_.get_xdata().tolist() == [model.n_rules_]
    True
    >>> plt.close(display.figure_)

    Draw it again on other axes:

    >>> display = display.plot(plt.figure().gca())
    >>> plt.close("all")
    """

    ax_: Axes
    figure_: Figure
    line_: Any
    cv_line_: Any
    chosen_: Any

    def __init__(self, pareto: pd.DataFrame, *, n_rules: int | None = None, target_unit: str = "") -> None:
        self.pareto = pareto
        self.n_rules = n_rules
        self.target_unit = target_unit

    @classmethod
    def from_estimator(cls, model: Any, *, ax: Axes | None = None) -> Self:
        """Draw the front of a fitted model.

        Parameters
        ----------
        model : fitted estimator
            Fitted, or loaded from a file.
        ax : Axes, optional
            The axes to draw on; a new figure by default.

        Returns
        -------
        FrontDisplay
            The display, drawn.
        """
        pareto = table_of(model, "pareto_", "other models of its front")
        return cls(pareto, n_rules=model.n_rules_, target_unit=rule_base_of(model).target_unit).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the display on some axes, or in a new figure.

        Parameters
        ----------
        ax : Axes, optional
            The axes to draw on; a new figure by default.

        Returns
        -------
        FrontDisplay
            The display itself.

        Raises
        ------
        ValueError
            If `pareto` lacks a column.
        """
        missing = [name for name in ("rules", "error") if name not in self.pareto.columns]
        if missing:
            raise ValueError(f"The front has no column {missing[0]!r}; give pareto_ of a fitted model.")
        front = self.pareto.sort_values("rules")
        ax = new_axes(ax, (6.4, 4.0))
        rules = front["rules"].to_numpy()
        training = np.sqrt(2.0 * front["error"].to_numpy(dtype=np.float64))
        (self.line_,) = ax.plot(rules, training, "-o", color=blue(), linewidth=1.8, markersize=5, label="training rows")
        self.cv_line_, self.chosen_ = None, None
        marked = training
        if "cv_error" in front.columns and front["cv_error"].notna().any():
            validated = np.sqrt(2.0 * front["cv_error"].to_numpy(dtype=np.float64))
            known = np.isfinite(validated)
            (self.cv_line_,) = ax.plot(
                *(rules[known], validated[known], "--s"),
                color=GREEN,
                linewidth=1.8,
                markersize=5,
                label="cross-validation",
            )
            marked = np.where(known, validated, training)
        at = np.flatnonzero(rules == self.n_rules)
        if len(at):
            (self.chosen_,) = ax.plot(
                *(rules[at], marked[at], "o"),
                markersize=13,
                markerfacecolor="none",
                markeredgecolor=VERMILLION,
                markeredgewidth=1.8,
                label=f"chosen: {counted(self.n_rules or 0, 'rule')}",
            )
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        ax.margins(x=0.06, y=0.12)
        width, height = inches_of(ax)
        number_ticks(ax.xaxis, width, whole=True)
        number_ticks(ax.yaxis, height)
        name_axes(ax, "rules", name_with_unit("RMSE", self.target_unit))
        ax.legend(loc="best", frameon=False, fontsize=SMALL + 1)
        self.ax_, self.figure_ = ax, ax.figure  # type: ignore[assignment]
        return self
