"""The base class of all displays, and checks of the models that they are made from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import NotFittedError

from fruler.explain.plots._drawing import load_pyplot, tidy
from fruler.rules._rule_base import RuleBase

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Display(ABC):
    """A plot that can be drawn again.

    A subclass stores the data that it shows. It implements `_draw`, which makes axes with `_new_axes` or `_new_panels`.
    """

    ax_: Axes
    axes_: npt.NDArray[np.object_]
    figure_: Figure

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : Axes, optional
            The axes to draw on, or to replace if the display has several axes; a new figure by default.

        Returns
        -------
        Display
            The display itself.

        Raises
        ------
        ValueError
            If `ax` is not axes, or the display has nothing to draw.
        """
        load_pyplot()
        from matplotlib.axes import Axes as AnyAxes

        if not (ax is None or isinstance(ax, AnyAxes)):
            raise ValueError(f"ax must be matplotlib axes, or None for a new figure; got a {type(ax).__name__}.")
        self._draw(ax)
        return self

    @abstractmethod
    def _draw(self, ax: Axes | None) -> None:
        """Draw the plot."""

    def _new_axes(self, ax: Axes | None, size: tuple[float, float]) -> Axes:
        """Return the given axes, or the axes of a new figure."""
        self.ax_ = load_pyplot().subplots(figsize=size, layout="constrained")[1] if ax is None else ax
        self.figure_ = self.ax_.figure  # type: ignore[assignment]
        tidy(self.ax_)
        return self.ax_

    def _new_panels(
        self,
        ax: Axes | None,
        size: tuple[float, float],
        *,
        heights: Sequence[float] = (1.0,),
        widths: Sequence[float] = (1.0,),
        share: str,
    ) -> None:
        """Make a grid of axes that share their x or y axis: in a new figure, or in place of the given axes."""
        shape = len(heights), len(widths)
        look: dict[str, Any] = {"height_ratios": heights, "width_ratios": widths}
        spec = None if ax is None else ax.get_subplotspec()
        if ax is None:
            self.figure_ = load_pyplot().figure(figsize=size, layout="constrained")
        else:
            self.figure_ = ax.figure  # type: ignore[assignment]
            ax.set_axis_off()
            if spec is None:
                place = ax.get_position()
                look |= {"left": place.x0, "right": place.x1, "bottom": place.y0, "top": place.y1}
        grid: Any = self.figure_.add_gridspec(*shape, **look) if spec is None else spec.subgridspec(*shape, **look)
        self.axes_ = grid.subplots(sharex=share == "x", sharey=share == "y", squeeze=False).ravel()
        for panel in self.axes_:
            tidy(panel)


def rule_base_of(model: Any) -> RuleBase:
    """Return the rule base of a fitted estimator, or the rule base itself."""
    rule_base = getattr(model, "rule_base_", model)
    if isinstance(rule_base, RuleBase):
        return rule_base
    _require_regressor(model)
    raise NotFittedError(f"This {type(model).__name__} has no rules to draw yet; call fit(X, y) first.")


def table_of(model: Any, attribute: str, what: str) -> Any:
    """Return a table that a search has stored in an estimator; raise an error if there is none."""
    _require_regressor(model)
    rule_base_of(model)
    table = getattr(model, attribute, None)
    if table is None or not len(table):
        raise ValueError(
            f"This model has no {what} ({attribute}), perhaps because it was loaded from a file; fit it again."
        )
    return table


def require_columns(table: Any, names: Sequence[str], what: str, attribute: str) -> None:
    """Raise an error if a table lacks a column."""
    for name in names:
        if name not in table.columns:
            raise ValueError(f"The {what} has no column {name!r}; give {attribute} of a fitted model.")


def require_count(name: str, value: int | None) -> None:
    """Raise an error if a maximum is less than 1; None means no maximum."""
    if value is not None and value < 1:
        raise ValueError(f"{name} must be 1 or more, or None for all; got {value}.")


def _require_regressor(model: Any) -> None:
    if isinstance(model, type) or not hasattr(type(model), "with_rules"):
        kind = f"the class {model.__name__}" if isinstance(model, type) else f"a {type(model).__name__}"
        raise ValueError(f"A fitted estimator of rules or its rule base is needed; got {kind}.")
