"""How stable a model is: which splits, rules and effects came back in refits, as tables and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import numpy.typing as npt
import pandas as pd

from fruler._typing import Floats, frozen
from fruler._wording import counted, number_to_place, percent
from fruler.explain._dependence import EffectCurve
from fruler.explain._effects import target_spread
from fruler.explain._refit_comparison import PLACE_SHARE, Comparison, Original, Use, place_text, share_of, uses_of
from fruler.explain._sentences import GLUE
from fruler.explain.text import condition, terminal_width, wrapped
from fruler.rules._rule_base import RuleBase

# Of the refits, so many have their effects in a band.
_COVERAGE = 0.9
# Errors are rounded to this share of the target's spread.
_SHARE_OF_ERROR = 0.002
# A single place has no spread.
_MIN_PLACES = 2


@dataclass(frozen=True, eq=False)
class SplitStability:
    """A split of the model, and where it came back.

    Parameters
    ----------
    input : str
        The input; for inputs that stand for one category each, the column.
    text : str
        The place of the split, in words.
    place : float
        The place of the split; NaN for categories.
    below : float
        The share of the rows below it; for categories, of those in the first group.
    came_back : ndarray of bool, shape (n_refits,)
        In which refits it came back.
    places : ndarray of shape (n_refits,)
        Where it came back; NaN where it did not, and for categories.

    See Also
    --------
    Stability : Has one for each split.

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
        """A quarter, half and three quarters of the places where it came back lie below these; NaN without any."""
        known = self.places[np.isfinite(self.places)]
        lower, middle, upper = np.quantile(known, [0.25, 0.5, 0.75]) if len(known) else (np.nan,) * 3
        return float(lower), float(middle), float(upper)


@dataclass(frozen=True, eq=False)
class RuleStability:
    """A rule of the model, and how well it came back.

    Parameters
    ----------
    text : str
        Its conditions; empty for a rule without any.
    support : float
        The rule's mean weight in the rows.
    came_back : ndarray of bool, shape (n_refits,)
        In which refits it came back.
    overlaps : ndarray of shape (n_refits,)
        How far it overlaps with the nearest rule of each refit, from 0 to 1.

    See Also
    --------
    Stability : Has one for each rule.

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
    """The effect of an input in the model and in the refits: the mean prediction at each of its values.

    Parameters
    ----------
    curve : EffectCurve
        The effect in the model.
    refits : ndarray of shape (n_refits, n_points)
        The same in each refit, at the same values and over the same rows.

    See Also
    --------
    Stability : Has one for each input.
    fruler.explain.plots.StabilityDisplay : Draws them.

    Examples
    --------
    >>> lower, upper = EffectStability(None, np.array([[1.0], [2.0], [3.0]])).band(coverage=1.0)
    >>> lower.tolist(), upper.tolist()
    ([1.0], [3.0])
    """

    curve: EffectCurve
    refits: Floats

    def band(self, coverage: float = _COVERAGE) -> tuple[Floats, Floats]:
        """Return the band that contains the effects of a share of the refits, at each value of the input by itself.

        Parameters
        ----------
        coverage : float, default=0.9
            The share of the refits; as many are left out below as above.

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
    """How stable a model is: what came back when it was learned again from parts of its rows.

    `model.stability(X, y)` makes it. Print it to read it.

    Parameters
    ----------
    rule_base : RuleBase
        The model.
    refits : tuple of RuleBase
        What was learned from each part of the rows.
    n_rows : int
        The number of rows.
    n_drawn : int
        The number of rows that a refit learned from, on average.
    split_stabilities : tuple of SplitStability
        The splits that the model's rules use, and where they came back.
    rule_stabilities : tuple of RuleStability
        The model's rules, and how well they came back.
    uses : dict of str to tuple of Use
        For each input how the model uses it, and then how each refit does.
    effects : tuple of EffectStability
        The effect of each input that the model uses, in the model and in the refits.
    rmse : ndarray of shape (n_refits,)
        The error of each refit on the rows that it did not see.

    See Also
    --------
    fruler.FuzzyRuleRegressor.stability : Makes it.
    fruler.explain.plots.StabilityDisplay : Draws it.

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
        """How often a split came back, on average over splits and refits; NaN where the model has no split."""
        return _mean([split.came_back for split in self.split_stabilities])

    @property
    def rule_share(self) -> float:
        """How often a rule came back, on average over rules and refits."""
        return _mean([rule.came_back for rule in self.rule_stabilities])

    @property
    def splits(self) -> pd.DataFrame:
        """One row per split: input, place, the share of the rows below it, in how many refits it came back, and where.

        Quartiles summarise where it came back. The column `split` has the place in words.
        """
        rows = [
            (split.input, split.text, split.place, split.below, int(split.came_back.sum()), *split.quartiles)
            for split in self.split_stabilities
        ]
        columns = ["input", "split", "place", "rows_below", "came_back", "lower_quartile", "median", "upper_quartile"]
        return pd.DataFrame(rows, columns=columns)

    @property
    def rules(self) -> pd.DataFrame:
        """One row per rule, numbered from 1: its conditions, its support, in how many refits it came back, its overlap.

        The overlap is that with the nearest rule of a refit, on average.
        """
        rows = [
            (rule.text, rule.support, int(rule.came_back.sum()), float(rule.overlaps.mean()))
            for rule in self.rule_stabilities
        ]
        columns = ["conditions", "support", "came_back", "overlap"]
        return pd.DataFrame(rows, columns=columns, index=range(1, len(rows) + 1))

    @property
    def inputs(self) -> pd.DataFrame:
        """One row per input: whether the model's conditions use it and whether it has an effect; in how many refits."""
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
    """Return how stable a model is.

    Parameters
    ----------
    original : Original
        The model and its rows.
    comparisons : sequence of Comparison
        The model beside each refit.
    rmse : sequence of float
        The error of each refit on the rows that it did not see.
    n_drawn : int
        How many rows a refit learned from.
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
    """Return the uses of all inputs; one that only some models know is not used by the others."""
    models = [uses_of(rule_base), *(comparison.uses for comparison in comparisons)]
    names = dict.fromkeys(name for uses in models for name in uses)
    return {name: tuple(uses.get(name, Use(False, False, False)) for uses in models) for name in names}


def _mean(came_back: list[npt.NDArray[np.bool_]]) -> float:
    return float(np.mean(came_back)) if came_back else float("nan")


def stability_text(stability: Stability, *, width: int | None = None) -> str:
    """Return all that is known of a model's stability as text.

    Parameters
    ----------
    stability : Stability
        What came back.
    width : int, optional
        Where lines are broken; the width of the terminal by default.
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
    """Say how the refits were made, how many rules they have, and how large their errors are."""
    share = percent(stability.n_drawn / stability.n_rows)
    lines = [
        f"{counted(stability.n_refits, 'refit')}, each on {stability.n_drawn:,} of {counted(stability.n_rows, 'row')} "
        f"({share}).",
        f"The model has {counted(stability.rule_base.n_rules, 'rule')}; the refits have {_rules_range(stability)}.",
    ]
    tolerance = _SHARE_OF_ERROR * target_spread(stability.rule_base)
    lower, middle, upper = (number_to_place(value, tolerance) for value in _quartiles(stability.rmse))
    unit = stability.rule_base.target_unit
    lines.append(
        f"Their error on the rows that they did not see is {f'{middle} {unit}'.rstrip()} "
        f"(middle half: {lower} to {upper})."
    )
    return lines


def split_sentence(stability: Stability, split: SplitStability) -> str:
    """Say how often a split came back, and where."""
    said = f"The split of {split.input} {split.text} {came_back(int(split.came_back.sum()), stability.n_refits)}"
    places = middle_half(stability, split)
    if not places:
        return f"{said}."
    return f"{said} ({f'middle half: {places}' if ' to ' in places else f'mostly at {places}'})."


def middle_half(stability: Stability, split: SplitStability) -> str:
    """Write the middle half of the places where a split came back; "" where that is not known."""
    lower, _, upper = split.quartiles
    if split.came_back.sum() < _MIN_PLACES or np.isnan(lower):
        return ""
    variable = next(one for one in stability.rule_base.variables if one.subject == split.input)
    low, high = variable.partition.range
    ends = [place_text(variable, end, PLACE_SHARE * (high - low), unit=False) for end in (lower, upper)]
    return " to ".join(dict.fromkeys(ends))


def rule_sentence(stability: Stability, rule: int) -> str:
    """Say how often a rule came back."""
    own = stability.rule_stabilities[rule]
    said = f"Rule {rule + 1} {came_back(int(own.came_back.sum()), stability.n_refits)}"
    return f"{said}: if {own.text}." if own.text else f"{said}."


def input_sentences(stability: Stability) -> list[str]:
    """Say of each input that any model uses how often it is used."""
    return [
        f"{row.input}: in conditions of {row.refits_in_conditions}, with an effect in {row.refits_with_effect} of "
        f"{counted(stability.n_refits, 'refit')}{'' if row.has_effect else '; not used by the model'}."
        for row in used_inputs(stability).itertuples()
    ]


def used_inputs(stability: Stability) -> pd.DataFrame:
    """Return the table of the inputs that any model uses, those that most models use first."""
    table = stability.inputs
    used = table[table["has_effect"] | (table["refits_with_effect"] > 0)]
    return used.sort_values(["refits_in_conditions", "refits_with_effect"], ascending=False, kind="stable")


def came_back(times: int, n_refits: int) -> str:
    """Say how often something came back.

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
    lower, middle, upper = np.quantile(values, [0.25, 0.5, 0.75])
    return float(lower), float(middle), float(upper)
