"""How a search for rules went."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from fruler._wording import counted, name_with_unit
from fruler.explain.plots.drawing import SMALL, VERMILLION, blue, inches_of, ink, name_axes, number_ticks, split_axes
from fruler.explain.plots.subjects import rule_base_of, table_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Measure = Literal["error", "fitness"]
MEASURES: tuple[Measure, ...] = ("error", "fitness")


class ProgressDisplay:
    """The error of the best rules against the candidates that were evaluated, and their number below.

    A growth has one point per rule added, and the size that was chosen is marked; an evolution has one step per
    generation.

    Parameters
    ----------
    history : DataFrame
        `history_` of a model, with the columns evaluations, best_error, best_fitness and n_rules.
    n_rules : int, optional
        The size that was chosen.
    measure : {"error", "fitness"}, default="error"
        What is shown: the root mean squared error on the training rows, or what the search minimised.
    target_unit : str
        The unit of the error.

    Attributes
    ----------
    axes_ : ndarray of Axes
        The error, and the number of rules.
    figure_ : Figure
        The figure of the axes.
    line_, rules_line_ : Line2D
        The two lines.

    See Also
    --------
    FrontDisplay : The models that the search found, by size.
    fruler.callbacks.ProgressBar : The same while it runs.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from fruler import FuzzyRuleRegressor
    >>> from fruler.data import load_example
    >>> from fruler.explain.plots import ProgressDisplay
    >>> weather = load_example("weather")
    >>> model = FuzzyRuleRegressor(random_state=0).fit(weather.data, weather.target)
    >>> display = ProgressDisplay.from_estimator(model)
    >>> len(display.line_.get_xdata()) == len(model.history_)
    True
    >>> plt.close(display.figure_)

    Draw it again on other axes:

    >>> display = display.plot(plt.figure().gca())
    >>> plt.close("all")
    """

    axes_: npt.NDArray[np.object_]
    figure_: Figure
    line_: Any
    rules_line_: Any

    def __init__(
        self,
        history: pd.DataFrame,
        *,
        n_rules: int | None = None,
        measure: Measure = "error",
        target_unit: str = "",
    ) -> None:
        self.history = history
        self.n_rules = n_rules
        self.measure = measure
        self.target_unit = target_unit

    @classmethod
    def from_estimator(cls, model: Any, *, measure: Measure = "error", ax: Axes | None = None) -> Self:
        """Draw how the search of a fitted model went.

        Parameters
        ----------
        model : fitted estimator
            Fitted; one that was loaded from a file knows no history.
        measure : {"error", "fitness"}, default="error"
            What is shown: the root mean squared error on the training rows, or what the search minimised.
        ax : Axes, optional
            The axes whose place to take; a new figure by default.

        Returns
        -------
        ProgressDisplay
            The display, drawn.
        """
        history = table_of(model, "history_", "history of its search")
        grown = "generation" not in history.columns
        return cls(
            history,
            n_rules=model.n_rules_ if grown else None,
            measure=measure,
            target_unit=rule_base_of(model).target_unit,
        ).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the display in the place of some axes, or in a new figure.

        Parameters
        ----------
        ax : Axes, optional
            The axes whose place to take; a new figure by default.

        Returns
        -------
        ProgressDisplay
            The display itself.

        Raises
        ------
        ValueError
            If `measure` is none of the two, or `history` lacks a column.
        """
        history = self.history
        if self.measure not in MEASURES:
            raise ValueError(f"measure must be one of {', '.join(MEASURES)}; got {self.measure!r}.")
        missing = [name for name in ("evaluations", f"best_{self.measure}", "n_rules") if name not in history.columns]
        if missing:
            raise ValueError(f"The history has no column {missing[0]!r}; give history_ of a fitted model.")
        panels = split_axes(ax, (6.4, 4.6), heights=(3.0, 1.0), share="x")[:, 0]
        upper, lower = panels
        evaluations = history["evaluations"].to_numpy()
        values = history[f"best_{self.measure}"].to_numpy(dtype=np.float64)
        if self.measure == "error":
            values = np.sqrt(2.0 * values)
        grown = "generation" not in history.columns
        (self.line_,) = upper.plot(
            *(evaluations, values),
            color=blue(),
            linewidth=1.8,
            marker="o" if grown or len(history) == 1 else "",
            markersize=5,
            drawstyle="default" if grown else "steps-post",
        )
        (self.rules_line_,) = lower.plot(
            *(evaluations, history["n_rules"].to_numpy()),
            color=ink(),
            linewidth=1.6,
            marker="o" if grown or len(history) == 1 else "",
            markersize=3.5,
            drawstyle="default" if grown else "steps-post",
        )
        self._mark_chosen(upper, evaluations, values)
        for panel in panels:
            for side in ("top", "right"):
                panel.spines[side].set_visible(False)
            panel.margins(x=0.03, y=0.12)
        upper.tick_params(labelbottom=False)
        number_ticks(lower.xaxis, inches_of(lower)[0], whole=True)
        number_ticks(upper.yaxis, inches_of(upper)[1])
        number_ticks(lower.yaxis, inches_of(lower)[1], whole=True)
        shown = name_with_unit("training RMSE", self.target_unit) if self.measure == "error" else "fitness"
        name_axes(upper, y=shown)
        name_axes(lower, x="evaluations")
        lower.set_ylabel("rules")
        upper.figure.align_ylabels(list(panels))
        self.axes_, self.figure_ = panels, upper.figure
        return self

    def _mark_chosen(self, ax: Axes, evaluations: npt.NDArray[Any], values: npt.NDArray[Any]) -> None:
        chosen = np.flatnonzero(self.history["n_rules"].to_numpy() == self.n_rules)
        if not len(chosen):
            return
        at = int(chosen[0])
        ax.plot(
            *([evaluations[at]], [values[at]]),
            marker="o",
            markersize=12,
            markerfacecolor="none",
            linestyle="",
            markeredgecolor=VERMILLION,
            markeredgewidth=1.8,
            label=f"chosen: {counted(self.n_rules or 0, 'rule')}",
        )
        ax.legend(loc="upper right", frameon=False, fontsize=SMALL + 1)
