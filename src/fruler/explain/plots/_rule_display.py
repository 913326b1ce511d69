"""Plot of a rule base: one row per rule, its fuzzy sets on the left, the weights of its output on the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from fruler._arrays import Floats
from fruler._wording import counted, percent, readable_number
from fruler.explain._conditions import accepted_words
from fruler.explain._effects import signed_effects
from fruler.explain._scales import scale_of
from fruler.explain.plots._display import Display, require_count, rule_base_of
from fruler.explain.plots._drawing import SMALL, VERMILLION, blue, ink, text_inches, tick_text, tidy, wrap
from fruler.explain.plots._ranges import drawn_range
from fruler.explain.plots._sets import membership, sorted_choices, without_tails
from fruler.rules._inputs import Variable
from fruler.rules._rule_base import RuleBase

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Inches: a row, a tall row with bars both ways or two lines of text, and the narrowest and the widest column of sets.
# The first three are smaller with many rules, so that they fit on a page.
_ROW, _TALL_ROW, _NARROWEST_SET, _WIDEST_SET = 0.78, 1.05, 1.15, 2.0
_MANY_RULES, _LOW_ROW, _LOW_TALL_ROW, _LOW_SET = 8, 0.48, 0.62, 0.8
# Inches: the column of a bar with a vertical name, of a bar with a horizontal name, the minimum for all bars, and the
# column of the rules' numbers.
_BAR, _WIDE_BAR, _MIN_BARS, _NUMBERS = 0.34, 0.95, 3.6, 0.8
# Shares of a row: the base line of sets from the top, the heights of a set and of all bars, and from a bar to its sign.
_BASE, _SET, _LONGEST, _BEYOND = 0.92, 0.52, 0.68, 0.1
# The width of a set as a share of its column.
_COLUMN = 0.86
_MAX_LEVEL = 8  # more names are written vertically
_TEXT_LINE, _LONGEST_NAME, _MAX_LINES = 0.17, 2.2, 6
_MAX_CURVES = 3  # more curves are counted, not named


class _Sizes(NamedTuple):
    """The wrapped texts of a plot, and the sizes of its parts in inches."""

    columns: list[int]
    cell: float
    bars: float
    heads: list[str]
    names: list[str]
    note: str
    on_end: bool
    figure: tuple[float, float]


@dataclass(eq=False, repr=False)
class RuleBaseDisplay(Display):
    """All rules at a glance, after the paper's figure: one row per rule.

    On the left are the fuzzy sets that a rule accepts, in one column per input with a condition in any rule; a cell is
    empty if the rule has no condition on the input. On the right are the weights of the inputs: the change of the
    output with each input where the rule applies, scaled so that the largest weight is 1. An input changes by two
    standard deviations of the training rows, weighted by the rule, or by its whole range without a training summary. A
    bar points up if the output rises with the input (+), and down if it falls (−); for categories (±) it points up.
    Curves, which are the same for all rules, are only named; `CurveDisplay` draws them. If the output of the rules is a
    label, the labels are on the right.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    max_inputs : int, optional
        Maximum number of inputs on the right; those with the largest weights are kept. All by default. Inputs without
        weight in any rule are left out.

    Attributes
    ----------
    axes_ : ndarray of Axes
        The axes of the fuzzy sets and of the outputs; only the latter if no rule has a condition.
    figure_ : Figure
        The figure of the axes.
    weights_ : ndarray of shape (n_rules, n_shown)
        The scaled weights of the shown inputs, with their signs.
    inputs_ : ndarray of int
        The inputs shown on the right.
    bars_ : list of BarContainer
        The bars, one container per rule; zero weights have no bar.

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
    >>> display = RuleBaseDisplay.from_estimator(rules)
    >>> display.weights_.tolist()
    [[-1.0], [0.5]]
    >>> plt.close(display.figure_)

    Draw it again on other axes:

    >>> display = display.plot(plt.figure().gca())
    >>> plt.close("all")
    """

    rule_base: RuleBase
    _: KW_ONLY
    max_inputs: int | None = None

    @classmethod
    def from_estimator(cls, model: Any, *, max_inputs: int | None = None, ax: Axes | None = None) -> Self:
        """Draw the rules of a model.

        Parameters
        ----------
        model : fitted estimator or RuleBase
            The model.
        max_inputs : int, optional
            Maximum number of inputs on the right; all by default.
        ax : Axes, optional
            The axes to replace; by default a new figure with a size that fits the rules.

        Returns
        -------
        RuleBaseDisplay
            The display, drawn.
        """
        return cls(rule_base_of(model), max_inputs=max_inputs).plot(ax)

    def _draw(self, ax: Axes | None) -> None:
        require_count("max_inputs", self.max_inputs)
        rules = self.rule_base
        effects = signed_effects(rules)
        weights = np.abs(effects).max(axis=0)
        by_size = np.argsort(-weights, kind="stable")[: np.count_nonzero(weights)]
        self.inputs_ = np.sort(by_size[: self.max_inputs])
        self.weights_ = effects[:, self.inputs_] / (float(weights.max()) or 1.0)
        self.bars_: list[Any] = []
        shown = [rules.variables[j] for j in self.inputs_]
        # An output cannot rise or fall with categories.
        self._unordered = np.array([one.levels is not None and not one.is_indicator for one in shown], dtype=bool)
        sizes = self._sizes(float(weights.max()))
        widths = [len(sizes.columns) * sizes.cell, sizes.bars]
        self._new_panels(ax, sizes.figure, widths=widths if sizes.columns else widths[1:], share="y")
        right = self.axes_[-1]
        if sizes.columns:
            self._draw_conditions(self.axes_[0], sizes)
        if rules.target is None:
            self._draw_bars(right)
            right.set_xticks(range(len(shown)), sizes.names, rotation=90 if sizes.on_end else 0, fontsize=SMALL)
            self._explain_signs(right)
        else:
            self._draw_labels(right, rules.target, sizes.bars)
        right.set_xlabel(sizes.note, fontsize=SMALL + 1)
        self._number_rules()

    def _sizes(self, largest: float) -> _Sizes:
        """Wrap all texts, and measure the room for the texts and the rules."""
        rules, n_inputs = self.rule_base, len(self.inputs_)
        columns = [int(j) for j in rules.antecedent_inputs]
        words = [accepted(rules, rule, j) for rule in range(rules.n_rules) for j in columns]
        ends = ["  ".join(_ends(rules.variables[j])) for j in columns]
        widest = max(map(text_inches, [*words, *ends]), default=0.0) / _COLUMN
        cell = float(np.clip(widest, _LOW_SET if self._is_dense else _NARROWEST_SET, _WIDEST_SET))
        on_end = n_inputs > _MAX_LEVEL
        bars = max(n_inputs * (_BAR if on_end else _WIDE_BAR), _MIN_BARS if rules.target is None else cell)
        titles = [rules.antecedents.condition_inputs[j].title for j in columns]
        heads = [wrap(title, cell * 0.97, SMALL + 1, _MAX_LINES) for title in titles]
        room = _LONGEST_NAME if on_end else 0.92 * bars / max(n_inputs, 1)
        names = [wrap(rules.variables[j].name, room, SMALL, 2 if on_end else _MAX_LINES) for j in self.inputs_]
        note = wrap(self._note(largest), bars, SMALL + 1, _MAX_LINES)
        above = max(_lines(heads), 3 if self._unordered.any() else 2) * _TEXT_LINE + 0.15
        below = (max(map(text_inches, names)) if on_end else _lines(names) * _TEXT_LINE) + _lines([note]) * _TEXT_LINE
        tall = bool((self.weights_[:, ~self._unordered] < 0.0).any()) or any(
            "\n" in self._broken(w, cell) for w in words
        )
        row = ((_ROW, _TALL_ROW), (_LOW_ROW, _LOW_TALL_ROW))[self._is_dense][tall]
        figure = (_NUMBERS + len(columns) * cell + bars + 0.3, rules.n_rules * row + above + below + 0.3)
        return _Sizes(columns, cell, bars, heads, names, note, on_end, figure)

    @property
    def _is_dense(self) -> bool:
        return self.rule_base.n_rules > _MANY_RULES

    def _broken(self, text: str, cell: float) -> str:
        """Wrap the words above a set to two lines, or to one if there are many rules."""
        return wrap(text, cell * _COLUMN + 0.05, max_lines=1 if self._is_dense else 2)

    def _draw_conditions(self, ax: Axes, sizes: _Sizes) -> None:
        """Draw the labels that each rule accepts, in one column per input."""
        rules, own = self.rule_base, not self.rule_base.antecedents.shares_labels
        ax.set_xlim(-0.07, len(sizes.columns) - (1.0 - _COLUMN) + 0.07)
        for place, j in enumerate(sizes.columns):
            variable = rules.antecedents.condition_inputs[j]
            for rule in np.flatnonzero(rules.looks_at[:, j]).tolist():
                _draw_set(ax, variable, rules.antecedents.accepted(rule, j), place, rule + _BASE, alone=own)
                self._write_words(ax, accepted(rules, rule, j), place, rule, sizes.cell)
            at: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
            middle = (place + _COLUMN / 2, 1.0)
            ax.annotate(sizes.heads[place], middle, (0, 6), ha="center", va="bottom", fontsize=SMALL + 1, **at)
        _write_ends(ax, [rules.antecedents.condition_inputs[j] for j in sizes.columns])
        ax.set_xlabel("if: accepted labels", fontsize=SMALL + 1)

    def _draw_labels(self, ax: Axes, target: Variable, width: float) -> None:
        """Draw the output label of each rule among all labels of the target."""
        ax.set_xlim(-0.07, _COLUMN + 0.07)
        for rule in range(self.rule_base.n_rules):
            label = self.rule_base.consequents.label(rule) or ""
            number = target.partition.labels.index(label)
            _draw_set(ax, target, (number, number), 0.0, rule + _BASE)
            self._write_words(ax, label, 0, rule, width)
        _write_ends(ax, [target])

    def _write_words(self, ax: Axes, words: str, place: int, rule: int, cell: float) -> None:
        text = self._broken(words, cell)
        ax.text(place + _COLUMN / 2, rule + 0.06, text, ha="center", va="top", fontsize=SMALL)

    def _number_rules(self) -> None:
        """Write the numbers of the rules to the left of the rows, and tint every other row."""
        n_rules, support = self.rule_base.n_rules, self.rule_base.support
        names = [f"Rule {rule + 1}" for rule in range(n_rules)]
        if support is not None:
            names = [f"{name}\n{percent(share)}" for name, share in zip(names, support, strict=True)]
        for k, one in enumerate(self.axes_):
            tidy(one, left=k == 0)
            one.spines[["left", "bottom"]].set_visible(False)
            one.tick_params(left=False, bottom=False)
            for rule in range(1, n_rules, 2):
                one.axhspan(rule, rule + 1, color=ink(), alpha=0.05, linewidth=0, zorder=0)
        self.axes_[0].set_ylim(n_rules, 0)
        self.axes_[0].set_yticks(np.arange(n_rules) + 0.5, names, fontsize=SMALL + 1)

    def _draw_bars(self, ax: Axes) -> None:
        """Draw the weights of each rule, with a sign at the end of each bar."""
        unordered = self._unordered
        ax.set_xlim(-0.6, max(len(self.inputs_), 1) - 0.4)
        heights = np.where(unordered, np.abs(self.weights_), self.weights_)
        up, down = max(heights.max(initial=0.0), 0.0), max(-heights.min(initial=0.0), 0.0)
        scale = (_LONGEST if down == 0.0 else _LONGEST - _BEYOND) / ((up + down) or 1.0)
        # Bars that point down need room for their signs, too.
        zero = _BASE if down == 0.0 else _BASE - _BEYOND - scale * down
        for rule, weights in enumerate(self.weights_):
            base = rule + zero
            ax.axhline(base, color=ink(), alpha=0.35, linewidth=0.8)
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
                beyond = base - scale * ends - np.copysign(_BEYOND, ends)
                ax.plot(places, beyond, markersize=5 if self._is_dense else 6, **mark.look)

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
        change = scale.change(largest, 0.0)
        size = f"{change.marked(readable_number(change.number))} {scale.unit(rules.target_unit)}".rstrip()
        known = rules.background.places is not None
        where = "two standard deviations of each input where the rule applies" if known else "each input's range"
        note = f"then: change of {rules.target_name} over {where}; longest bar {size}"
        hidden = len(rules.variables) - len(self.inputs_)
        if hidden > len(rules.variables) - len(rules.consequents.inputs):
            return f"{note}; {hidden} inputs of less weight left out"
        return f"{note}; {counted(hidden, 'input')} without weight left out" if hidden else note

    def _explain_signs(self, ax: Axes) -> None:
        from matplotlib.lines import Line2D

        marks = _marks()[: 3 if self._unordered.any() else 2]
        handles = [Line2D([], [], label=mark.meaning, markersize=7, **mark.look) for mark in marks]
        place: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "borderaxespad": 0.2}
        ax.legend(handles=handles, ncols=1, frameon=False, fontsize=SMALL, handletextpad=0.2, **place)


def accepted(rule_base: RuleBase, rule: int, feature: int) -> str:
    """Write the labels of an input that a rule accepts; "" if the rule has no condition on the input.

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
    look: dict[str, Any]


def _marks() -> list[_Mark]:
    # A character needs no thick edge.
    looks = [("+", blue(), 1.8), ("_", VERMILLION, 1.8), (r"$\pm$", ink(), 0.2)]
    meanings = ["rises with the input", "falls with the input", "differs by category"]
    return [
        _Mark(meaning, {"marker": marker, "color": colour, "markeredgewidth": thickness, "linestyle": ""})
        for meaning, (marker, colour, thickness) in zip(meanings, looks, strict=True)
    ]


def _lines(texts: list[str]) -> int:
    return max((text.count("\n") + 1 for text in texts), default=0)


def _ends(variable: Variable) -> list[str]:
    """Write the ends of an input's range; empty for categories."""
    if variable.choices or not variable.partition.ordered:
        return ["", ""]
    low, high = drawn_range(variable.partition, None)
    return [variable.written(end) or tick_text(end, [0.0, (high - low) / 9.0]) for end in (low, high)]


def _write_ends(ax: Axes, variables: Sequence[Variable]) -> None:
    """Write the ends of the ranges of inputs below their columns."""
    ticks = [end for place in range(len(variables)) for end in (place, place + _COLUMN)]
    ax.set_xticks(ticks, [text for variable in variables for text in _ends(variable)], fontsize=SMALL)
    for k, number in enumerate(ax.get_xticklabels()):
        number.set_horizontalalignment("right" if k % 2 else "left")


def _draw_set(
    ax: Axes, variable: Variable, accepted: tuple[int, int], place: float, base: float, *, alone: bool = False
) -> None:
    """Draw an input's labels in a cell, the accepted ones as an area; categories are bars.

    With `alone`, for rules with fuzzy sets of their own, the other labels are left out.
    """
    partition, (first, last) = variable.partition, accepted
    ax.plot([place, place + _COLUMN], [base, base], color=ink(), alpha=0.35, linewidth=0.8)
    if variable.choices or not partition.ordered:
        labels = sorted_choices(variable)[1] if variable.choices else np.arange(partition.n_labels)
        chosen: npt.NDArray[np.bool_] = (first <= labels) & (labels <= last)
        step = _COLUMN / len(labels)
        centres = place + step * (np.arange(len(labels)) + 0.5)
        colours = [blue() if one else ink() for one in chosen]
        ax.bar(centres, np.where(chosen, -_SET, -_SET / 6), step * 0.8, base, color=colours, alpha=0.6)
        return
    low, high = drawn_range(partition, None)

    def inside(x: Floats) -> Floats:
        return place + _COLUMN * (x - low) / (high - low)

    for label in [] if alone else range(partition.n_labels):
        x, y = membership(partition, label, label, low, high)
        ax.plot(inside(x), base - _SET * y, color=ink(), alpha=0.35, linewidth=0.8)
    x, y = without_tails(*membership(partition, first, last, low, high))
    ax.fill_between(inside(x), base, base - _SET * y, color=blue(), alpha=0.35, linewidth=0)
    ax.plot(inside(x), base - _SET * y, color=blue(), linewidth=1.8)
