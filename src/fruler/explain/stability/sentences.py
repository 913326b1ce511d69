"""Stability in sentences."""

from __future__ import annotations

import numpy as np

from fruler._typing import Floats
from fruler._wording import counted, number_to_place, percent
from fruler.explain.effects import target_spread
from fruler.explain.stability.splits import PLACE_SHARE, place_text
from fruler.explain.stability.stability import SplitStability, Stability
from fruler.explain.text import terminal_width, wrapped

# Errors are rounded to this share of the target's spread.
_SHARE_OF_ERROR = 0.002
# A single place has no spread.
_MIN_PLACES = 2


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
    """Say of each input that any model uses how often it is used, those that most models use first."""
    table = stability.inputs
    used = table[table["has_effect"] | (table["refits_with_effect"] > 0)]
    order = used.sort_values(["refits_in_conditions", "refits_with_effect"], ascending=False, kind="stable")
    n = stability.n_refits
    return [
        f"{row.input}: in conditions of {row.refits_in_conditions}, with an effect in {row.refits_with_effect} of "
        f"{counted(n, 'refit')}{'' if row.has_effect else '; not used by the model'}."
        for row in order.itertuples()
    ]


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
