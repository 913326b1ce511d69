"""Plots of the search for a model: its progress, and the Pareto front of models that it found."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from fruler._wording import counted, name_with_unit
from fruler.explain.plots._display import Display, require_columns, rule_base_of, table_of
from fruler.explain.plots._drawing import GREEN, SMALL, VERMILLION, blue, ink, name_axes, number_ticks
from fruler.rules._losses import SQUARED, Loss

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Measure = Literal["error", "fitness"]
MEASURES: tuple[Measure, ...] = ("error", "fitness")


@dataclass(eq=False, repr=False)
class FrontDisplay(Display):
    """The error of every model of the Pareto front against its number of rules; the chosen model is marked.

    Parameters
    ----------
    pareto : DataFrame
        `pareto_` of a model, with the columns rules, error and, if it is known, cv_error.
    n_rules : int, optional
        The number of rules of the chosen model.
    target_unit : str
        The unit of the error.
    loss : Loss
        The loss whose means the errors are; by default half the mean squared errors.

    Attributes
    ----------
    ax_ : Axes
        The axes that it was drawn on.
    figure_ : Figure
        The figure of the axes.
    line_ : Line2D
        The root mean squared errors, or means of another loss, on the training rows.
    cv_line_ : Line2D or None
        The root mean squared errors in cross-validation, if they are known.
    chosen_ : Line2D or None
        The mark of the chosen model.

    See Also
    --------
    ProgressDisplay : The progress of the search.
    fruler.FuzzyRuleRegressor.with_rules : Choose another model of the Pareto front.

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

    pareto: pd.DataFrame
    _: KW_ONLY
    n_rules: int | None = None
    target_unit: str = ""
    loss: Loss = SQUARED

    @classmethod
    def from_estimator(cls, model: Any, *, ax: Axes | None = None) -> Self:
        """Draw the Pareto front of a fitted model.

        Parameters
        ----------
        model : fitted estimator
            A model that was fitted, or loaded from a file.
        ax : Axes, optional
            The axes to draw on; a new figure by default.

        Returns
        -------
        FrontDisplay
            The display, drawn.
        """
        pareto = table_of(model, "pareto_", "Pareto front")
        rules = rule_base_of(model)
        unit = "" if rules.output.loss.of_log_mean else rules.target_unit
        return cls(pareto, n_rules=model.n_rules_, target_unit=unit, loss=rules.output.loss).plot(ax)

    def _errors(self, means: pd.Series[float]) -> npt.NDArray[np.float64]:
        """Return typical errors as the loss tells them."""
        return np.asarray(self.loss.told(self.loss.typical(means.to_numpy(dtype=np.float64) / self.loss.shown)))

    def _draw(self, ax: Axes | None) -> None:
        require_columns(self.pareto, ("rules", "error"), "front", "pareto_")
        ax = self._new_axes(ax, (6.4, 4.0))
        # Of the models with the same number of rules, the last has the most terms.
        front = self.pareto.sort_values("rules", kind="stable").drop_duplicates("rules", keep="last")
        rules, training = front["rules"].to_numpy(), self._errors(front["error"])
        look: dict[str, Any] = {"linewidth": 1.8, "markersize": 5}
        (self.line_,) = ax.plot(rules, training, "-o", color=blue(), label="training rows", **look)
        self.cv_line_, marked = None, training
        if "cv_error" in front.columns and front["cv_error"].notna().any():
            validated = self._errors(front["cv_error"])
            known = np.isfinite(validated)
            (self.cv_line_,) = ax.plot(
                *(rules[known], validated[known], "--s"), color=GREEN, label="cross-validation", **look
            )
            marked = np.where(known, validated, training)
        self.chosen_ = _mark_chosen(ax, self.n_rules, front["rules"], rules, marked, 13)
        ax.margins(x=0.06, y=0.12)
        number_ticks(ax.xaxis, whole=True)
        name_axes(ax, "rules", name_with_unit(self.loss.short, self.target_unit), numbers="y")
        ax.legend(loc="best", frameon=False, fontsize=SMALL + 1)


@dataclass(eq=False, repr=False)
class ProgressDisplay(Display):
    """The error of the best rule base against the number of evaluations, and its number of rules below.

    The growth algorithm has one point per added rule, and the chosen number of rules is marked; evolutionary
    algorithms have one step per generation.

    Parameters
    ----------
    history : DataFrame
        `history_` of a model, with the columns evaluations, best_error, best_fitness and n_rules.
    n_rules : int, optional
        The chosen number of rules.
    measure : {"error", "fitness"}, default="error"
        The quantity to show: the root mean squared error on the training rows, or the fitness that the search
        minimised.
    target_unit : str
        The unit of the error.

    Attributes
    ----------
    axes_ : ndarray of Axes
        The axes of the error and of the number of rules.
    figure_ : Figure
        The figure of the axes.
    line_, rules_line_ : Line2D
        The lines of the error and of the number of rules.

    See Also
    --------
    FrontDisplay : The models that the search found, by number of rules.
    fruler.callbacks.ProgressBar : Show the progress during the search.

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

    history: pd.DataFrame
    _: KW_ONLY
    n_rules: int | None = None
    measure: Measure = "error"
    target_unit: str = ""

    @classmethod
    def from_estimator(cls, model: Any, *, measure: Measure = "error", ax: Axes | None = None) -> Self:
        """Draw the progress of the search of a fitted model.

        Parameters
        ----------
        model : fitted estimator
            A fitted model. A model that was loaded from a file has no history.
        measure : {"error", "fitness"}, default="error"
            The quantity to show: the root mean squared error on the training rows, or the fitness that the search
            minimised.
        ax : Axes, optional
            The axes to replace; a new figure by default.

        Returns
        -------
        ProgressDisplay
            The display, drawn.
        """
        history = table_of(model, "history_", "history of its search")
        n_rules = model.n_rules_ if _is_growth(history) else None
        unit = rule_base_of(model).target_unit
        return cls(history, n_rules=n_rules, measure=measure, target_unit=unit).plot(ax)

    def _draw(self, ax: Axes | None) -> None:
        history, grown = self.history, _is_growth(self.history)
        if self.measure not in MEASURES:
            raise ValueError(f"measure must be one of {', '.join(MEASURES)}; got {self.measure!r}.")
        column = f"best_{self.measure}"
        require_columns(history, ("evaluations", column, "n_rules"), "history", "history_")
        self._new_panels(ax, (6.4, 4.6), heights=(3.0, 1.0), share="x")
        upper, lower = self.axes_
        evaluations = history["evaluations"].to_numpy()
        values = _rmse(history[column]) if self.measure == "error" else history[column].to_numpy(dtype=np.float64)
        look = {"marker": "o" if grown or len(history) == 1 else "", "drawstyle": "default" if grown else "steps-post"}
        (self.line_,) = upper.plot(evaluations, values, color=blue(), linewidth=1.8, markersize=5, **look)
        (self.rules_line_,) = lower.plot(
            *(evaluations, history["n_rules"].to_numpy()), color=ink(), linewidth=1.6, markersize=3.5, **look
        )
        if _mark_chosen(upper, self.n_rules, history["n_rules"], evaluations, values, 12):
            upper.legend(loc="upper right", frameon=False, fontsize=SMALL + 1)
        for panel in self.axes_:
            panel.margins(x=0.03, y=0.12)
        upper.tick_params(labelbottom=False)
        number_ticks(lower.xaxis, whole=True)
        number_ticks(lower.yaxis, whole=True)
        shown = name_with_unit("training RMSE", self.target_unit) if self.measure == "error" else "fitness"
        name_axes(upper, y=shown, numbers="y")
        name_axes(lower, x="evaluations")
        lower.set_ylabel("rules")
        upper.figure.align_ylabels(list(self.axes_))


def _is_growth(history: pd.DataFrame) -> bool:
    return "generation" not in history.columns


def _rmse(half_squares: pd.Series[float]) -> npt.NDArray[np.float64]:
    """Return root mean squared errors, given half of the mean squared errors as in the tables."""
    return np.asarray(np.sqrt(2.0 * half_squares.to_numpy(dtype=np.float64)))


def _mark_chosen(
    ax: Axes, n_rules: int | None, sizes: pd.Series[int], x: npt.NDArray[Any], y: npt.NDArray[Any], markersize: float
) -> Any:
    """Draw a ring around the first model of the chosen size, and return it; None if there is none."""
    at = np.flatnonzero(sizes.to_numpy() == n_rules)[:1]
    if n_rules is None or not len(at):
        return None
    label = f"chosen: {counted(n_rules, 'rule')}"
    ring: dict[str, Any] = {"markerfacecolor": "none", "markeredgecolor": VERMILLION, "markeredgewidth": 1.8}
    return ax.plot(x[at], y[at], "o", markersize=markersize, label=label, **ring)[0]
