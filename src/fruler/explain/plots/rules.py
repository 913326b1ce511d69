"""A rule base as a picture: one row per rule, its fuzzy sets at the left, the weights of its output at the right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler._wording import counted, percent, readable_number
from fruler.explain.effects import signed_effects
from fruler.explain.plots.choices import labels_of, values_of
from fruler.explain.plots.drawing import (
    SMALL,
    VERMILLION,
    blue,
    ink,
    new_axes,
    split_axes,
    text_inches,
    tick_text,
    tidy,
    wrap,
)
from fruler.explain.plots.sets import membership, without_tails
from fruler.explain.plots.subjects import drawn_range, rule_base_of
from fruler.explain.scales import scale_of
from fruler.explain.text import accepted_words
from fruler.rules.rule_base import RuleBase
from fruler.rules.variables import Variable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Inches.
_ROW, _TALL_ROW, _NARROWEST_SET, _WIDEST_SET, _BAR, _WIDE_BAR, _MIN_BARS = 0.78, 1.05, 1.15, 2.0, 0.34, 0.95, 3.6
# The same of a row and of a set's narrowest column where there are more rules than fit on a page otherwise.
_MANY_RULES, _LOW_ROW, _LOW_TALL_ROW, _LOW_SET = 8, 0.48, 0.62, 0.8
_NUMBERS = 0.8  # for the numbers of the rules, at the left
# In shares of a row: the base line of sets from above, the heights of a set and of all bars, and a bar to its sign.
_BASE, _SET, _LONGEST, _BEYOND = 0.92, 0.52, 0.68, 0.1
# A set takes this share of its column.
_COLUMN = 0.86
_MAX_LEVEL = 8  # names of more inputs stand on end
_TEXT_LINE, _LONGEST_NAME, _MAX_LINES = 0.17, 2.2, 6
_MAX_CURVES = 3  # more are only counted


class RuleBaseDisplay:
    """All rules at a glance, after the paper's figure: one row per rule.

    On the left are the fuzzy sets that a rule accepts, in one column per input that any rule has a condition on; the
    place is empty if the rule has none. On the right are the weights of the inputs: by how much the output changes with
    each input where the rule applies, scaled so that the largest of all is 1. An input changes by two standard
    deviations of the training rows, weighted by the rule, or by its whole range if these are not known. A bar points up
    if the output rises with the input (+), and down if it falls (−); for categories (±) it points up. Curves, which are
    the same for all rules, are only named; `CurveDisplay` draws them. If the output of the rules is a label, the labels
    are on the right.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    max_inputs : int, optional
        Maximum number of inputs on the right, those with the largest weights; all by default. Inputs without weight in
        any rule are left out.

    Attributes
    ----------
    axes_ : ndarray of Axes
        The fuzzy sets and the outputs; the latter alone if no rule has a condition.
    figure_ : Figure
        The figure of the axes.
    weights_ : ndarray of shape (n_rules, n_shown)
        The scaled weights with their signs, of the inputs that are shown.
    inputs_ : ndarray of int
        The inputs that are shown at the right.
    bars_ : list of BarContainer
        The bars, one container per rule; a weight of zero has none.

    See Also
    --------
    PartitionDisplay : The labels of one input.
    CurveDisplay : The curves, which all rules share.
    fruler.explain.text.rules_text : The rules as sentences.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from fruler import FuzzyPartition, RuleBase
    >>> from fruler.explain.plots import RuleBaseDisplay
    >>> from fruler.rules import Variable
    >>> temperature = Variable("temperature", FuzzyPartition([15.0], domain=(0.0, 30.0)), "°C")
    >>> rules = RuleBase([temperature], [[[0, 0]], [[1, 1]]], [[20.0, -1.0], [5.0, 0.5]], target_name="heating")
    >>> display = RuleBaseDisplay.from_rule_base(rules)
    >>> display.weights_.tolist()
    [[-1.0], [0.5]]
    >>> plt.close(display.figure_)

    A fitted model works the same way, and a display can be drawn again on other axes:

    >>> display = RuleBaseDisplay.from_estimator(rules, max_inputs=1).plot(plt.figure().gca())
    >>> plt.close("all")
    """

    axes_: npt.NDArray[np.object_]
    figure_: Figure
    weights_: Floats
    inputs_: npt.NDArray[np.intp]
    bars_: list[Any]

    def __init__(self, rule_base: RuleBase, *, max_inputs: int | None = None) -> None:
        self.rule_base = rule_base
        self.max_inputs = max_inputs

    @classmethod
    def from_estimator(cls, model: Any, *, max_inputs: int | None = None, ax: Axes | None = None) -> Self:
        """Draw the rules of a fitted model.

        Parameters
        ----------
        model : fitted estimator or RuleBase
            The model.
        max_inputs : int, optional
            Maximum number of inputs on the right; all by default.
        ax : Axes, optional
            The axes whose place to take; a new figure by default, whose size fits the rules.

        Returns
        -------
        RuleBaseDisplay
            The display, drawn.
        """
        return cls(rule_base_of(model), max_inputs=max_inputs).plot(ax)

    @classmethod
    def from_rule_base(cls, rule_base: RuleBase, *, max_inputs: int | None = None, ax: Axes | None = None) -> Self:
        """Draw a rule base.

        Parameters
        ----------
        rule_base : RuleBase
            The rules.
        max_inputs : int, optional
            Maximum number of inputs on the right; all by default.
        ax : Axes, optional
            The axes whose place to take; a new figure by default, whose size fits the rules.

        Returns
        -------
        RuleBaseDisplay
            The display, drawn.
        """
        return cls.from_estimator(rule_base, max_inputs=max_inputs, ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the display in the place of some axes, or in a new figure.

        Parameters
        ----------
        ax : Axes, optional
            The axes whose place to take; a new figure by default.

        Returns
        -------
        RuleBaseDisplay
            The display itself.

        Raises
        ------
        ValueError
            If `max_inputs` is less than 1.
        """
        if self.max_inputs is not None and self.max_inputs < 1:
            raise ValueError(f"max_inputs must be 1 or more, or None for all; got {self.max_inputs}.")
        rules = self.rule_base
        effects = signed_effects(rules)
        largest = float(np.abs(effects).max())
        by_size = np.argsort(-np.abs(effects).max(axis=0), kind="stable")
        weighty = int(np.count_nonzero(np.abs(effects).max(axis=0)))
        self.inputs_ = np.sort(by_size[: weighty if self.max_inputs is None else min(weighty, self.max_inputs)])
        self.weights_ = effects[:, self.inputs_] / largest if largest > 0.0 else np.empty((rules.n_rules, 0))

        columns = [int(j) for j in rules.antecedent_inputs]
        cell = self._cell_inches(columns)
        on_end = len(self.inputs_) > _MAX_LEVEL
        bars = max(len(self.inputs_) * (_BAR if on_end else _WIDE_BAR), _MIN_BARS if rules.target is None else cell)
        heads = [wrap(one.title, cell * 0.97, SMALL + 1, _MAX_LINES) for one in self._looked_at]
        room = _LONGEST_NAME if on_end else 0.92 * bars / max(len(self.inputs_), 1)
        names = [wrap(rules.variables[j].name, room, SMALL, 2 if on_end else _MAX_LINES) for j in self.inputs_]
        note = wrap(self._note(largest), bars, SMALL + 1, _MAX_LINES)
        above = max(_lines(heads), 3 if self._unordered.any() else 2) * _TEXT_LINE + 0.15
        below = (max(map(text_inches, names)) if on_end else _lines(names) * _TEXT_LINE) + _lines([note]) * _TEXT_LINE
        both_ways = bool((self.weights_[:, ~self._unordered] < 0.0).any())
        row = self._row_inches(both_ways or any("\n" in text for text in self._said(columns, cell)))
        size = (_NUMBERS + len(columns) * cell + bars + 0.3, rules.n_rules * row + above + below + 0.3)
        if columns:
            left, right = split_axes(ax, size, widths=(len(columns) * cell, bars), share="y")[0]
            self._draw_sets(left, columns, cell, heads)
            self.axes_ = np.array([left, right], dtype=object)
        else:
            right = new_axes(ax, size)
            self.axes_ = np.array([right], dtype=object)
        if rules.target is None:
            self._draw_bars(right)
            right.set_xticks(range(len(names)), names, rotation=90 if on_end else 0, fontsize=SMALL)
            self._explain_signs(right)
        else:
            self._draw_said(right, rules.target, bars)
        right.set_xlabel(note, fontsize=SMALL + 1)
        self._number_rules()
        self.figure_ = right.figure
        return self

    def _draw_said(self, ax: Axes, target: Variable, width: float) -> None:
        """Draw the label of the output that each rule says, among all of them."""
        self.bars_ = []
        ax.set_xlim(-0.07, _COLUMN + 0.07)
        for rule in range(self.rule_base.n_rules):
            label = self.rule_base.consequents.label(rule) or ""
            number = target.partition.labels.index(label)
            _draw_set(ax, target, (number, number), 0.0, rule + _BASE)
            ax.text(_COLUMN / 2, rule + 0.06, self._said_in(width, label), ha="center", va="top", fontsize=SMALL)
        ax.set_xticks([0.0, _COLUMN], _ends(target), fontsize=SMALL)
        low, high = ax.get_xticklabels()
        low.set_horizontalalignment("left")
        high.set_horizontalalignment("right")

    @property
    def _looked_at(self) -> list[Variable]:
        return [self.rule_base.antecedents.condition_inputs[j] for j in self.rule_base.antecedent_inputs]

    def _number_rules(self) -> None:
        """Write the numbers of the rules beside the rows, and tint every other row."""
        first, n_rules = self.axes_[0], self.rule_base.n_rules
        for one in self.axes_:
            tidy(one, left=one is first)
            one.spines[["left", "bottom"]].set_visible(False)
            one.tick_params(left=False, bottom=False)
            for rule in range(1, n_rules, 2):
                one.axhspan(rule, rule + 1, color=ink(), alpha=0.05, linewidth=0, zorder=0)
        first.set_ylim(n_rules, 0)
        first.set_yticks(np.arange(n_rules) + 0.5, self._numbers(), fontsize=SMALL + 1)

    def _numbers(self) -> list[str]:
        support = self.rule_base.support
        names = [f"Rule {rule + 1}" for rule in range(self.rule_base.n_rules)]
        return (
            names
            if support is None
            else [f"{name}\n{percent(share)}" for name, share in zip(names, support, strict=True)]
        )

    @property
    def _is_dense(self) -> bool:
        return self.rule_base.n_rules > _MANY_RULES

    def _row_inches(self, tall: bool) -> float:
        low = (_LOW_ROW, _LOW_TALL_ROW) if self._is_dense else (_ROW, _TALL_ROW)
        return low[int(tall)]

    def _cell_inches(self, columns: list[int]) -> float:
        rules = self.rule_base
        said = [accepted(rules, rule, j) for rule in range(rules.n_rules) for j in columns]
        said += ["  ".join(_ends(rules.variables[j])) for j in columns]
        widest = max((text_inches(text) for text in said), default=0.0)
        return float(np.clip(widest / _COLUMN, _LOW_SET if self._is_dense else _NARROWEST_SET, _WIDEST_SET))

    def _said(self, columns: list[int], cell: float) -> list[str]:
        """Return what stands above the sets."""
        rules = self.rule_base
        return [self._said_in(cell, accepted(rules, rule, j)) for rule in range(rules.n_rules) for j in columns]

    def _said_in(self, cell: float, text: str) -> str:
        """Break what stands above a set into two lines, if there is room for them."""
        return wrap(text, cell * _COLUMN + 0.05, max_lines=1 if self._is_dense else 2)

    def _draw_sets(self, ax: Axes, columns: list[int], cell: float, heads: list[str]) -> None:
        rules = self.rule_base
        ax.set_xlim(-0.07, len(columns) - (1.0 - _COLUMN) + 0.07)
        ticks, numbers = [], []
        for place, j in enumerate(columns):
            variable = rules.antecedents.condition_inputs[j]
            for rule in range(rules.n_rules):
                if rules.looks_at[rule, j]:
                    shown = rules.antecedents.accepted(rule, j)
                    _draw_set(ax, variable, shown, place, rule + _BASE, alone=not rules.antecedents.shares_labels)
                    text = self._said_in(cell, accepted(rules, rule, j))
                    ax.text(place + _COLUMN / 2, rule + 0.06, text, ha="center", va="top", fontsize=SMALL)
            ticks += [place, place + _COLUMN]
            numbers += _ends(variable)
            ax.annotate(
                heads[place],
                (place + _COLUMN / 2, 1.0),
                (0, 6),
                xycoords=("data", "axes fraction"),
                textcoords="offset points",
                ha="center",
                va="bottom",
                fontsize=SMALL + 1,
            )
        ax.set_xticks(ticks, numbers, fontsize=SMALL)
        for k, number in enumerate(ax.get_xticklabels()):
            number.set_horizontalalignment("right" if k % 2 else "left")
        ax.set_xlabel("if: accepted labels", fontsize=SMALL + 1)

    def _draw_bars(self, ax: Axes) -> None:
        rules, n_shown = self.rule_base, len(self.inputs_)
        ax.set_xlim(-0.6, max(n_shown, 1) - 0.4)
        self.bars_ = []
        unordered = self._unordered
        heights = np.where(unordered, np.abs(self.weights_), self.weights_)
        up, down = max(heights.max(initial=0.0), 0.0), max(-heights.min(initial=0.0), 0.0)
        scale = (_LONGEST if down == 0.0 else _LONGEST - _BEYOND) / ((up + down) or 1.0)
        # Where bars point down there must be room for their signs too.
        zero = _BASE if down == 0.0 else _BASE - _BEYOND - scale * down
        for rule in range(rules.n_rules):
            base = rule + zero
            ax.axhline(base, color=ink(), alpha=0.35, linewidth=0.8)
            weights = self.weights_[rule]
            shown = np.flatnonzero(weights)
            colours = [ink() if unordered[k] else blue() if weights[k] > 0.0 else VERMILLION for k in shown]
            # The y axis points down, so that rule 1 is the topmost.
            self.bars_.append(ax.bar(shown, -scale * heights[rule, shown], 0.7, base, color=colours))
            for bar in (bar for bar, k in zip(self.bars_[-1], shown, strict=True) if unordered[k]):
                bar.set_alpha(0.55)
            signs = (weights > 0.0) & ~unordered, (weights < 0.0) & ~unordered, (weights != 0.0) & unordered
            for mark, signed in zip(_marks(), signs, strict=True):
                places = np.flatnonzero(signed)
                ends = heights[rule, places]
                ax.plot(
                    places,
                    base - scale * ends - np.copysign(_BEYOND, ends),
                    markersize=5 if self._is_dense else 6,
                    **mark.look,
                )

    @property
    def _unordered(self) -> npt.NDArray[np.bool_]:
        """Which of the inputs that are shown have categories: no output rises or falls with these."""
        shown = [self.rule_base.variables[j] for j in self.inputs_]
        return np.array([one.levels is not None and not one.is_indicator for one in shown], dtype=bool)

    def _note(self, largest: float) -> str:
        names = [self.rule_base.names[curve.input] for curve in self.rule_base.curves]
        if not names:
            return self._note_on_weights(largest)
        named = counted(len(names), "curve") if len(names) > _MAX_CURVES else f"curve of {' and of '.join(names)}"
        return f"{self._note_on_weights(largest)}; on top of every rule: {named}"

    def _note_on_weights(self, largest: float) -> str:
        rules = self.rule_base
        if rules.target is not None:
            return f"then: label of {rules.target.title}"
        if not len(self.inputs_):
            return "then: a constant, no input has weight"
        scale = scale_of(rules)
        told = scale.change(largest, 0.0)
        size = told.marked(readable_number(told.number))
        note = (
            f"then: change of {rules.target_name} over {self._where}; "
            f"longest bar {size} {scale.unit(rules.target_unit)}".rstrip()
        )
        hidden = len(rules.variables) - len(self.inputs_)
        unweighted = len(rules.variables) - len(rules.consequents.inputs)
        if hidden > unweighted:
            return f"{note}; {hidden} inputs of less weight left out"
        return f"{note}; {counted(hidden, 'input')} without weight left out" if hidden else note

    @property
    def _where(self) -> str:
        known = self.rule_base.training is not None and self.rule_base.training.spreads is not None
        return "two standard deviations of each input where the rule applies" if known else "each input's range"

    def _explain_signs(self, ax: Axes) -> None:
        from matplotlib.lines import Line2D

        marks = _marks()[: 3 if self._unordered.any() else 2]
        handles = [Line2D([], [], label=mark.meaning, markersize=7, **mark.look) for mark in marks]
        ax.legend(
            handles=handles,
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            ncols=1,
            frameon=False,
            fontsize=SMALL,
            borderaxespad=0.2,
            handletextpad=0.2,
        )


def accepted(rule_base: RuleBase, rule: int, feature: int) -> str:
    """Write the labels that a rule accepts of an input; nothing where it does not look at it.

    Examples
    --------
    >>> from fruler import FuzzyPartition, RuleBase
    >>> from fruler.rules import Variable
    >>> x = Variable("x", FuzzyPartition([1.0, 2.0, 3.0, 4.0], (0.0, 5.0)))
    >>> rules = RuleBase([x], [[[0, 1]], [[1, 3]], [[0, 4]]], [[0.0, 1.0]] * 3)
    >>> [accepted(rules, rule, 0) for rule in range(3)]
    ['very low or low', 'low to high', '']
    """
    if not rule_base.looks_at[rule, feature]:
        return ""
    variable = rule_base.antecedents.condition_inputs[feature]
    return accepted_words(variable, *rule_base.antecedents.accepted(rule, feature))


class _Mark(NamedTuple):
    """The sign of a weight."""

    meaning: str
    marker: str
    colour: str
    thickness: float

    @property
    def look(self) -> dict[str, Any]:
        """What matplotlib calls it."""
        return {"marker": self.marker, "color": self.colour, "markeredgewidth": self.thickness, "linestyle": ""}


def _marks() -> list[_Mark]:
    return [
        _Mark("rises with the input", "+", blue(), 1.8),
        _Mark("falls with the input", "_", VERMILLION, 1.8),
        # A letter is thick enough by itself.
        _Mark("differs by category", r"$\pm$", ink(), 0.2),
    ]


def _lines(texts: list[str]) -> int:
    return max((text.count("\n") + 1 for text in texts), default=0)


def _ends(variable: Variable) -> list[str]:
    """Write the ends of an input's range; categories have none."""
    if variable.choices or not variable.partition.ordered:
        return ["", ""]
    low, high = drawn_range(variable.partition, None)
    return [variable.written(end) or tick_text(end, [0.0, (high - low) / 9.0]) for end in (low, high)]


def _draw_set(
    ax: Axes, variable: Variable, accepted: tuple[int, int], place: float, base: float, *, alone: bool = False
) -> None:
    """Draw an input's labels in a cell, those that are accepted as an area; of categories a bar for each.

    Without the other labels where a rule has sets of its own.
    """
    partition, (first, last), colour = variable.partition, accepted, ink()
    ax.plot([place, place + _COLUMN], [base, base], color=colour, alpha=0.35, linewidth=0.8)
    if variable.choices or not partition.ordered:
        of_bars = labels_of(variable, values_of(variable)[1]) if variable.choices else np.arange(partition.n_labels)
        step = _COLUMN / len(of_bars)
        heights = [-_SET if first <= label <= last else -_SET / 6 for label in of_bars]
        colours = [blue() if first <= label <= last else colour for label in of_bars]
        centres = place + step * (np.arange(len(of_bars)) + 0.5)
        ax.bar(centres, heights, step * 0.8, base, color=colours, alpha=0.6)
        return
    low, high = drawn_range(partition, None)

    def inside(x: Floats) -> Floats:
        return place + _COLUMN * (x - low) / (high - low)

    for label in [] if alone else range(partition.n_labels):
        x, y = membership(partition, label, label, low, high)
        ax.plot(inside(x), base - _SET * y, color=colour, alpha=0.35, linewidth=0.8)
    x, y = without_tails(*membership(partition, first, last, low, high))
    ax.fill_between(inside(x), base, base - _SET * y, color=blue(), alpha=0.35, linewidth=0)
    ax.plot(inside(x), base - _SET * y, color=blue(), linewidth=1.8)
