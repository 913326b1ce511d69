"""How much each input matters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from fruler._wording import counted, name_with_unit, number_to_place, percent
from fruler.explain.importance import input_importance
from fruler.explain.parts import inputs_by_subject, joined, part_tolerance
from fruler.explain.plots.drawing import (
    SMALL,
    blue,
    change_ticks,
    inches_of,
    name_axes,
    new_axes,
    text_inches,
    tidy,
    wrap,
)
from fruler.explain.plots.subjects import rule_base_of
from fruler.explain.scales import SCALES
from fruler.rules.links import LinkName
from fruler.rules.rule_base import RuleBase

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Inches: a bar with its gap, what stands above and below, the bars, and names at the most.
_STEP, _AROUND, _BARS, _LONGEST_NAME = 0.34, 1.0, 4.6, 2.9


class ImportanceDisplay:
    """How far each input moves a prediction from the mean prediction, on average over rows; the largest first.

    The percentage is its share in all moves. All inputs of a column of categories are one bar. Inputs that move nothing
    are left out.

    Parameters
    ----------
    importance : DataFrame
        With the columns `input`, `moves` and `share`, the largest first.
    target_name, target_unit : str
        What is predicted, and its unit if any.
    tolerance : float, default=0.0
        How far a written number may be off.
    max_inputs : int, optional
        Maximum number of bars; all by default.
    link : {"identity", "log"}, default="identity"
        What the contributions are of: the target, or its logarithm, of which they are shown in percent.

    Attributes
    ----------
    ax_ : Axes
        The axes.
    figure_ : Figure
        Their figure.
    bars_ : BarContainer
        The bars, the longest first.

    See Also
    --------
    EffectsDisplay : What each input does, as a line.
    fruler.explain.importance.input_importance : The numbers, as a table.

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
    ['min_temperature_before', 'max_temperature_before']
    >>> plt.close(display.figure_)

    A rule base works the same way, and a display can be drawn again on other axes:

    >>> display = ImportanceDisplay.from_rule_base(model.rule_base_).plot(plt.figure().gca())
    >>> plt.close("all")
    """

    ax_: Axes
    figure_: Figure
    bars_: Any

    def __init__(
        self,
        importance: pd.DataFrame,
        *,
        target_name: str = "y",
        target_unit: str = "",
        tolerance: float = 0.0,
        max_inputs: int | None = None,
        link: LinkName = "identity",
    ) -> None:
        self.importance = importance
        self.target_name = target_name
        self.target_unit = target_unit
        self.tolerance = tolerance
        self.max_inputs = max_inputs
        self.link = link

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any = None, *, max_inputs: int | None = None, ax: Axes | None = None
    ) -> Self:
        """Draw the importance of the inputs of a fitted model.

        Parameters
        ----------
        model : fitted estimator or RuleBase
            The model.
        X : array-like of shape (n_samples, n_inputs), optional
            The rows to measure on; the training rows by default. Of these only the moves of single inputs are known, so
            that categories with an input each count for the sum of these.
        max_inputs : int, optional
            Maximum number of bars; all by default.
        ax : Axes, optional
            The axes to draw on; a new figure by default.

        Returns
        -------
        ImportanceDisplay
            The display, drawn.
        """
        rule_base = rule_base_of(model)
        return cls(
            _of_training(rule_base) if X is None else _of_rows(rule_base, X),
            target_name=rule_base.target_name,
            target_unit=rule_base.target_unit,
            tolerance=part_tolerance(rule_base),
            max_inputs=max_inputs,
            link=rule_base.output.link,
        ).plot(ax)

    @classmethod
    def from_rule_base(
        cls, rule_base: RuleBase, X: Any = None, *, max_inputs: int | None = None, ax: Axes | None = None
    ) -> Self:
        """Draw the importance of the inputs of a rule base.

        Parameters
        ----------
        rule_base : RuleBase
            The rules.
        X : array-like of shape (n_samples, n_inputs), optional
            The rows to measure on; the training rows by default. Of these only the moves of single inputs are known, so
            that categories with an input each count for the sum of these.
        max_inputs : int, optional
            Maximum number of bars; all by default.
        ax : Axes, optional
            The axes to draw on; a new figure by default.

        Returns
        -------
        ImportanceDisplay
            The display, drawn.
        """
        return cls.from_estimator(rule_base, X, max_inputs=max_inputs, ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the display on some axes, or in a new figure.

        Parameters
        ----------
        ax : Axes, optional
            The axes to draw on; a new figure by default.

        Returns
        -------
        ImportanceDisplay
            The display itself.

        Raises
        ------
        ValueError
            If `max_inputs` is less than 1.
        """
        if self.max_inputs is not None and self.max_inputs < 1:
            raise ValueError(f"max_inputs must be 1 or more, or None for all; got {self.max_inputs}.")
        moving = self.importance[self.importance["moves"] > 0.0]
        table = moving if self.max_inputs is None else moving.iloc[: self.max_inputs]
        names = [wrap(name, _LONGEST_NAME, SMALL, 2) for name in table["input"]]
        beside = max(map(text_inches, names), default=0.0)
        ax = new_axes(ax, (_BARS + beside + 0.4, max(len(names), 2) * _STEP + _AROUND))
        self.ax_, self.figure_ = ax, ax.figure  # type: ignore[assignment]
        tidy(ax)
        moves = table["moves"].to_numpy()
        self.bars_ = ax.barh(range(len(table)), moves, 0.7, color=blue())
        scale = SCALES[self.link]
        told = [scale.change(move, self.tolerance) for move in moves.tolist()]
        numbers = [one.marked(number_to_place(one.number, one.tolerance)) for one in told]
        texts = [f"{number} ({percent(share)})" for number, share in zip(numbers, table["share"], strict=True)]
        room = max(map(text_inches, texts), default=0.0) + 0.15
        inches = max(inches_of(ax)[0] - beside, 1.0)
        ax.set_xlim(0.0, moves.max(initial=0.0) * inches / max(inches - room, 0.3) or 1.0)
        for place, (move, text) in enumerate(zip(moves, texts, strict=True)):
            ax.annotate(text, (move, place), (4, 0), textcoords="offset points", va="center", fontsize=SMALL)
        ax.set_yticks(range(len(table)), names, fontsize=SMALL)
        ax.set_ylim(max(len(table), 1) - 0.4, -0.6)
        ax.tick_params(left=False)
        change_ticks(ax.xaxis, inches_of(ax)[0], scale)
        target = name_with_unit(self.target_name, scale.unit(self.target_unit))
        hidden = len(moving) - len(table)
        note = f"; {counted(hidden, 'input')} of less importance left out" if hidden else ""
        name_axes(ax, f"mean move of {target} away from the {scale.base}{note}")
        return self


def _of_training(rule_base: RuleBase) -> pd.DataFrame:
    """Return the importance of each subject on the training rows: the sum of its inputs."""
    single = input_importance(rule_base).set_index("input")["moves"]
    groups = inputs_by_subject(rule_base)
    return _table({name: float(sum(single[rule_base.names[j]] for j in own)) for name, own in groups.items()})


def _of_rows(rule_base: RuleBase, X: Any) -> pd.DataFrame:
    adds = joined(rule_base, rule_base.explain(X).contributions)
    return _table({name: float(np.abs(parts).mean()) for name, parts in adds.items()})


def _table(moves: dict[str, float]) -> pd.DataFrame:
    table = pd.DataFrame({"input": list(moves), "moves": list(moves.values())})
    table["share"] = table["moves"] / (table["moves"].sum() or 1.0)
    return table.sort_values("moves", ascending=False, kind="stable", ignore_index=True)
