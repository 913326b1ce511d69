"""Stability of a model: the splits, rules and effects that came back in refits, as tables and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import numpy.typing as npt
import pandas as pd

from fruler._arrays import Floats, frozen
from fruler._wording import counted, number_to_place, percent
from fruler.explain._conditions import GLUE, condition
from fruler.explain._dependence import EffectCurve
from fruler.explain._refit_comparison import PLACE_SHARE, Comparison, Original, Use, input_uses, place_text, share_of
from fruler.explain.text import terminal_width, wrapped
from fruler.rules._rule_base import RuleBase

# The share of the refits whose effects lie in a band.
_COVERAGE = 0.9
# Errors are rounded to this share of the target's spread.
_SHARE_OF_ERROR = 0.002
# Fewer places than this have no quartiles worth printing.
_MIN_PLACES = 2


@dataclass(frozen=True, eq=False)
class SplitStability:
    """A split of the model, and its places in the refits.

    Parameters
    ----------
    input : str
        The input; for inputs that stand for one category each, the column.
    text : str
        The place of the split, in words.
    place : float
        The place of the split; NaN for categories.
    below : float
        The share of the rows below the split; for categories, of the rows in the first group.
    came_back : ndarray of bool, shape (n_refits,)
        The refits in which the split came back.
    places : ndarray of shape (n_refits,)
        The place of the split in each refit; NaN where it did not come back, and for categories.

    See Also
    --------
    Stability : The stability of a model, with one of these per split.

    Examples
    --------
    >>> back = np.array([True, False, True])
    >>> SplitStability("age", "13", 13.0, 0.4, back, np.array([12.0, np.nan, 14.0])).quartiles
    (12.5, 13.0, 13.5)
    """

    input: str
    text: str
    place: float
    below: float
    came_back: npt.NDArray[np.bool_]
    places: Floats

    @property
    def quartiles(self) -> tuple[float, float, float]:
        """The quartiles of the places where the split came back; NaN if there are none."""
        return _quartiles(self.places[np.isfinite(self.places)])


@dataclass(frozen=True, eq=False)
class RuleStability:
    """A rule of the model, and its overlap with the rules of the refits.

    Parameters
    ----------
    text : str
        The conditions of the rule; empty for a rule without conditions.
    support : float
        The mean weight of the rule in the rows.
    came_back : ndarray of bool, shape (n_refits,)
        The refits in which the rule came back.
    overlaps : ndarray of shape (n_refits,)
        The overlap with the nearest rule of each refit, from 0 to 1.

    See Also
    --------
    Stability : The stability of a model, with one of these per rule.

    Examples
    --------
    >>> RuleStability("age is low", 0.3, np.array([True, False]), np.array([0.9, 0.5])).came_back.tolist()
    [True, False]
    """

    text: str
    support: float
    came_back: npt.NDArray[np.bool_]
    overlaps: Floats


@dataclass(frozen=True, eq=False)
class EffectStability:
    """The effect of an input in the model and in the refits: the mean prediction at each value.

    Parameters
    ----------
    curve : EffectCurve
        The effect in the model.
    refits : ndarray of shape (n_refits, n_points)
        The effect in each refit, at the same values and over the same rows.

    See Also
    --------
    Stability : The stability of a model, with one of these per input.
    fruler.explain.plots.StabilityDisplay : Plot the effects.

    Examples
    --------
    >>> lower, upper = EffectStability(None, np.array([[1.0], [2.0], [3.0]])).band(coverage=1.0)
    >>> lower.tolist(), upper.tolist()
    ([1.0], [3.0])
    """

    curve: EffectCurve
    refits: Floats

    def band(self, coverage: float = _COVERAGE) -> tuple[Floats, Floats]:
        """Return the pointwise band that contains the effects of a share of the refits.

        Parameters
        ----------
        coverage : float, default=0.9
            The share of the refits; equally many lie below and above the band.

        Returns
        -------
        lower : ndarray of shape (n_points,)
            The lower ends of the band.
        upper : ndarray of shape (n_points,)
            The upper ends of the band.
        """
        tail = (1.0 - coverage) / 2.0
        lower, upper = np.quantile(self.refits, [tail, 1.0 - tail], axis=0)
        return lower, upper


@dataclass(frozen=True, eq=False)
class Stability:
    """The stability of a model: its splits, rules and effects compared with refits on subsets of its rows.

    Call `model.stability(X, y)` to compute it, and print the result to read it.

    Parameters
    ----------
    rule_base : RuleBase
        The model.
    refits : tuple of RuleBase
        The models learned from subsets of the rows.
    n_rows : int
        The number of rows.
    n_drawn : int
        The mean number of rows that a refit was learned from.
    split_stabilities : tuple of SplitStability
        The splits that the model's rules use, and their places in the refits.
    rule_stabilities : tuple of RuleStability
        The model's rules, and their overlap with the rules of the refits.
    uses : dict of str to tuple of Use
        The uses of each input: in the model first, then in each refit.
    effects : tuple of EffectStability
        The effect of each input that the model uses, in the model and in the refits.
    rmse : ndarray of shape (n_refits,)
        The error of each refit on its held-out rows.

    See Also
    --------
    fruler.FuzzyRuleRegressor.stability : Compute the stability of a model.
    fruler.explain.plots.StabilityDisplay : Plot the stability of the effects.

    Examples
    --------
    >>> from fruler import FuzzyRuleRegressor
    >>> from fruler.data import load_example
    >>> weather = load_example("weather")
    >>> model = FuzzyRuleRegressor(max_rules=2, random_state=0).fit(weather.data, weather.target)
    >>> stability = model.stability(weather.data, weather.target, n=2)
    >>> stability.n_refits, stability.splits["input"].tolist()
    (2, ['max_temperature_before'])
    """

    rule_base: RuleBase
    refits: tuple[RuleBase, ...]
    n_rows: int
    n_drawn: int
    split_stabilities: tuple[SplitStability, ...]
    rule_stabilities: tuple[RuleStability, ...]
    uses: dict[str, tuple[Use, ...]]
    effects: tuple[EffectStability, ...]
    rmse: Floats

    @property
    def n_refits(self) -> int:
        """The number of refits."""
        return len(self.refits)

    @property
    def n_rules(self) -> npt.NDArray[np.intp]:
        """The number of rules of each refit."""
        return np.array([refit.n_rules for refit in self.refits], dtype=np.intp)

    @property
    def split_share(self) -> float:
        """The share of the refits in which a split came back, on average over splits; NaN without splits."""
        return _mean([split.came_back for split in self.split_stabilities])

    @property
    def rule_share(self) -> float:
        """The share of the refits in which a rule came back, on average over rules."""
        return _mean([rule.came_back for rule in self.rule_stabilities])

    @property
    def splits(self) -> pd.DataFrame:
        """One row per split: input, place, share of the rows below, number of refits with the split, quartiles.

        The quartiles are those of its places in the refits. The column `split` has the place in words.
        """
        rows = [
            (split.input, split.text, split.place, split.below, int(split.came_back.sum()), *split.quartiles)
            for split in self.split_stabilities
        ]
        columns = ["input", "split", "place", "rows_below", "came_back", "lower_quartile", "median", "upper_quartile"]
        return pd.DataFrame(rows, columns=columns)

    @property
    def rules(self) -> pd.DataFrame:
        """One row per rule, numbered from 1: conditions, support, number of refits with the rule, overlap.

        The overlap is the mean overlap with the nearest rule of each refit.
        """
        rows = [
            (rule.text, rule.support, int(rule.came_back.sum()), float(rule.overlaps.mean()))
            for rule in self.rule_stabilities
        ]
        columns = ["conditions", "support", "came_back", "overlap"]
        return pd.DataFrame(rows, columns=columns, index=range(1, len(rows) + 1))

    @property
    def inputs(self) -> pd.DataFrame:
        """One row per input: whether the model uses it in conditions and at all, and how many refits do."""
        rows = [
            (name, own.in_conditions, own.at_all, *(sum(use[k] for use in others) for k in range(3)))
            for name, (own, *others) in self.uses.items()
        ]
        columns = ["input", "in_conditions", "has_effect"]
        columns += ["refits_in_conditions", "refits_with_curve", "refits_with_effect"]
        return pd.DataFrame(rows, columns=columns)

    def __str__(self) -> str:
        return stability_text(self)

    def _repr_html_(self) -> str:
        tables = [table.round(3).to_html() for table in (self.rules, self.splits, self.inputs) if len(table)]
        return f"<p>{escape(' '.join(overview(self)))}</p>{''.join(tables)}"

    def __repr__(self) -> str:
        return f"<Stability: {self.rule_base.n_rules} rules, {self.n_refits} refits on {self.n_drawn:,} rows each>"


def stability_of(
    original: Original, comparisons: Sequence[Comparison], rmse: Sequence[float], n_drawn: int
) -> Stability:
    """Return the stability of a model.

    Parameters
    ----------
    original : Original
        The model and its rows.
    comparisons : sequence of Comparison
        The model compared with each refit.
    rmse : sequence of float
        The error of each refit on its held-out rows.
    n_drawn : int
        The mean number of rows that a refit was learned from.
    """
    rule_base, weight = original.rule_base, original.weight
    matches = np.array([comparison.splits for comparison in comparisons]).reshape(len(comparisons), -1)
    splits = tuple(
        SplitStability(
            split.subject,
            split.text,
            split.place,
            share_of(~split.above, weight),
            matches[:, k] >= 0,
            np.array([comparison.places[k] for comparison in comparisons]),
        )
        for k, split in enumerate(original.splits)
    )
    support = weight @ original.activations / weight.sum()
    rules = tuple(
        RuleStability(
            condition(rule_base, rule).replace(GLUE, " ") if rule_base.looks_at[rule].any() else "",
            float(support[rule]),
            np.array([comparison.rules[rule] >= 0 for comparison in comparisons]),
            np.array([comparison.overlaps[rule] for comparison in comparisons]),
        )
        for rule in range(rule_base.n_rules)
    )
    effects = tuple(
        EffectStability(
            EffectCurve(grid.feature, grid.values, own),
            np.array([comparison.effects[k] for comparison in comparisons]),
        )
        for k, (grid, own) in enumerate(zip(original.grids, original.effects(), strict=True))
    )
    return Stability(
        rule_base,
        tuple(comparison.rule_base for comparison in comparisons),
        len(weight),
        n_drawn,
        splits,
        rules,
        _uses(rule_base, comparisons),
        effects,
        frozen(rmse, np.float64),
    )


def _uses(rule_base: RuleBase, comparisons: Sequence[Comparison]) -> dict[str, tuple[Use, ...]]:
    """Return the uses of all inputs; models without an input do not use it."""
    models = [input_uses(rule_base), *(comparison.uses for comparison in comparisons)]
    names = dict.fromkeys(name for uses in models for name in uses)
    return {name: tuple(uses.get(name, Use(False, False, False)) for uses in models) for name in names}


def _mean(came_back: list[npt.NDArray[np.bool_]]) -> float:
    return float(np.mean(came_back)) if came_back else float("nan")


def stability_text(stability: Stability, *, width: int | None = None) -> str:
    """Return the stability of a model as text.

    Parameters
    ----------
    stability : Stability
        The stability of the model.
    width : int, optional
        The maximum length of lines; the width of the terminal by default.
    """
    room = terminal_width() if width is None else width
    parts = {
        "Splits": [split_sentence(stability, split) for split in stability.split_stabilities],
        "Rules": [rule_sentence(stability, rule) for rule in range(len(stability.rule_stabilities))],
        "Inputs": input_sentences(stability),
    }
    lines = [wrapped(sentence, room, "", "") for sentence in overview(stability)]
    for title, sentences in parts.items():
        if sentences:
            lines += ["", title, *(wrapped(sentence, room, "  ", "    ") for sentence in sentences)]
    return "\n".join(lines)


def overview(stability: Stability) -> list[str]:
    """Write sentences on the refits: their number and rows, their rules, their errors."""
    share = percent(stability.n_drawn / stability.n_rows)
    lines = [
        f"{counted(stability.n_refits, 'refit')}, each on {stability.n_drawn:,} of {counted(stability.n_rows, 'row')} "
        f"({share}).",
        f"The model has {counted(stability.rule_base.n_rules, 'rule')}; the refits have {_rules_range(stability)}.",
    ]
    tolerance = _SHARE_OF_ERROR * stability.rule_base.background.target_spread
    lower, middle, upper = (number_to_place(value, tolerance) for value in _quartiles(stability.rmse))
    unit = stability.rule_base.target_unit
    lines.append(f"Their error on held-out rows is {f'{middle} {unit}'.rstrip()} (middle half: {lower} to {upper}).")
    return lines


def split_sentence(stability: Stability, split: SplitStability) -> str:
    """Write how often a split came back, and where."""
    said = f"The split of {split.input} {split.text} {came_back(int(split.came_back.sum()), stability.n_refits)}"
    places = middle_half(stability, split)
    if not places:
        return f"{said}."
    return f"{said} ({f'middle half: {places}' if ' to ' in places else f'mostly at {places}'})."


def middle_half(stability: Stability, split: SplitStability) -> str:
    """Write the range of the middle half of a split's places in the refits; "" if there are too few."""
    lower, _, upper = split.quartiles
    if split.came_back.sum() < _MIN_PLACES or np.isnan(lower):
        return ""
    variable = next(one for one in stability.rule_base.variables if one.subject == split.input)
    low, high = variable.partition.range
    ends = [place_text(variable, end, PLACE_SHARE * (high - low), unit=False) for end in (lower, upper)]
    return " to ".join(dict.fromkeys(ends))


def rule_sentence(stability: Stability, rule: int) -> str:
    """Write how often a rule came back."""
    own = stability.rule_stabilities[rule]
    said = f"Rule {rule + 1} {came_back(int(own.came_back.sum()), stability.n_refits)}"
    return f"{said}: if {own.text}." if own.text else f"{said}."


def input_sentences(stability: Stability) -> list[str]:
    """Write one sentence for each input that any model uses: in how many refits it is used."""
    return [
        f"{row.input}: in conditions of {row.refits_in_conditions}, with an effect in {row.refits_with_effect} of "
        f"{counted(stability.n_refits, 'refit')}{'' if row.has_effect else '; not used by the model'}."
        for row in used_inputs(stability).itertuples()
    ]


def used_inputs(stability: Stability) -> pd.DataFrame:
    """Return the table of the inputs that any model uses, sorted by the number of refits."""
    table = stability.inputs
    used = table[table["has_effect"] | (table["refits_with_effect"] > 0)]
    return used.sort_values(["refits_in_conditions", "refits_with_effect"], ascending=False, kind="stable")


def came_back(times: int, n_refits: int) -> str:
    """Write how often something came back.

    Examples
    --------
    >>> came_back(9, 20), came_back(0, 20)
    ('came back in 9 of 20 refits', 'came back in none of 20 refits')
    """
    return f"came back in {times or 'none'} of {counted(n_refits, 'refit')}"


def _rules_range(stability: Stability) -> str:
    least, most = int(stability.n_rules.min()), int(stability.n_rules.max())
    if least == most:
        return f"{least}, too" if least == stability.rule_base.n_rules else str(least)
    lower, upper = np.quantile(stability.n_rules, [0.25, 0.75], method="nearest").tolist()
    half = str(lower) if lower == upper else f"{lower} to {upper}"
    return f"{least} to {most} (middle half: {half})"


def _quartiles(values: Floats) -> tuple[float, float, float]:
    lower, middle, upper = np.quantile(values, [0.25, 0.5, 0.75]) if len(values) else (np.nan,) * 3
    return float(lower), float(middle), float(upper)
