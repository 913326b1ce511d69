"""Inputs for the template: a table, and one control per feature."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fruler._wording import counted
from fruler.explain.importance import feature_moves
from fruler.explain.report._drawings import (
    Mark,
    histogram_path,
    labels_path,
    position,
    small_svg,
)
from fruler.explain.report._reference import Reference, View
from fruler.rules._features import Feature
from fruler.rules._inputs import Variable
from fruler.rules._rule_base import RuleBase

# With more than seven controls, only the five most important ones are not folded away.
_MAX_OPEN, _OPEN_OF_MANY = 7, 5
# The width of a letter and the gap between two names, in percent of a plot's width on a phone.
_LETTER, _GAP = 2.1, 2.5


def input_views(reference: Reference, features: Sequence[Feature]) -> list[View]:
    """Return the rows of the table of inputs, one per feature and in their order."""
    moves = np.zeros(len(reference.rule_base.features))
    if reference.background.known:
        moves = feature_moves(reference.rule_base)
    moved = dict(zip(reference.rule_base.features, moves.tolist(), strict=True))
    return [{**_input_view(reference, feature), "moves": reference.change(moved[feature])} for feature in features]


def _input_view(reference: Reference, feature: Feature) -> View:
    """Return the texts of an input; a column of categories has no lowest and highest value."""
    j = feature.inputs[0]
    variable = reference.rule_base.variables[j]
    if feature.has_levels:
        common = reference.commonest(feature)
        typical = feature.options[common].text if reference.background.known else ""
        low = f"{len(feature.options)} categories"
        return {"name": feature.name, "unit": "", "low": low, "high": "", "picture": "", "typical": typical}
    values = (*reference.range_of(j), float(reference.background.typical[j]))
    low, high, typical = (reference.value(j, number) for number in values)
    return {
        "name": feature.name,
        "unit": variable.value_unit,
        "low": low,
        "high": high,
        "typical": typical,
        "picture": small_svg(drawing_of(j, False, reference.background.histograms is not None)),
    }


def has_sets(variable: Variable) -> bool:
    """Return whether an input has labels to draw."""
    return variable.partition.ordered and variable.partition.n_labels > 1


def drawn_once(reference: Reference) -> str:
    """Return SVG with the labels and histograms of all inputs and the labels of the target, for other plots to use."""
    parts, target = [], reference.rule_base.target
    for j, variable in enumerate(reference.rule_base.variables):
        if reference.background.histograms is not None:
            parts.append(f'<path id="h{j}" d="{histogram_path(reference.background.histograms[j])}"/>')
        if has_sets(variable):
            path = labels_path(variable.partition, *reference.range_of(j))
            # As an attribute, since a style sheet does not reach elements that are drawn through a reference.
            parts.append(f'<path id="s{j}" vector-effect="non-scaling-stroke" d="{path}"/>')
    if target is not None:
        path = labels_path(target.partition, *target.partition.range)
        parts.append(f'<path id="target-labels" vector-effect="non-scaling-stroke" d="{path}"/>')
    return f'<svg width="0" height="0" aria-hidden="true" class="drawn-once"><defs>{"".join(parts)}</defs></svg>'


def drawing_of(j: int, sets: bool, histogram: bool) -> str:
    """Return references to the histogram and the labels of an input, which `drawn_once` has drawn."""
    parts = f'<use href="#h{j}" class="histogram"/>' if histogram else ""
    return parts + (f'<use href="#s{j}" class="sets"/>' if sets else "")


def control_groups(reference: Reference, features: Sequence[Feature]) -> list[View]:
    """Return the controls in groups: important features, less important ones, and unused ones.

    The features of one column of dates share a control.

    Parameters
    ----------
    reference : Reference
        Ranges and typical values.
    features : sequence of Feature
        All features, in the order of their controls.
    """
    rules = reference.rule_base
    dates = date_columns(rules)
    used: list[View] = []
    unused: list[View] = []
    joined: dict[str, View] = {}
    for feature in features:
        view, own = _control(reference, feature), dates.get(feature.column, [])
        if view["index"] not in own:
            (used if view["used"] else unused).append(view)
            continue
        if feature.column not in joined:
            timed = any(rules.variables[j].source.tells_hours for j in own)
            date = {"column": feature.column, "inputs": own, "index": own[0], "with_time": timed, "parts": []}
            joined[feature.column] = date
            used.append(date)
        joined[feature.column]["parts"].append(view)
    first, rest = (used[:_OPEN_OF_MANY], used[_OPEN_OF_MANY:]) if len(used) > _MAX_OPEN else (used, [])
    groups = {
        "": first,
        f"{len(rest)} inputs that move the prediction less": rest,
        f"{counted(len(unused), 'input')} that no rule uses": unused,
    }
    return [{"heading": heading, "members": members} for heading, members in groups.items() if members]


def date_columns(rule_base: RuleBase) -> dict[str, list[int]]:
    """Return the used inputs of each column of dates that has at least two."""
    found: dict[str, list[int]] = {}
    for j in np.flatnonzero(rule_base.uses).tolist():
        source = rule_base.variables[j].source
        if source.of_dates:
            found.setdefault(source.column, []).append(j)
    return {column: inputs for column, inputs in found.items() if len(inputs) > 1}


def _control(reference: Reference, feature: Feature) -> View:
    """Return the fields of the control of a feature.

    A coded feature is chosen only by name, and a dated feature has a slider with dates; neither has a box for a number.
    """
    j = feature.inputs[0]
    variable = reference.rule_base.variables[j]
    low, high = reference.range_of(j)
    sets = has_sets(variable)
    return {
        "index": j,
        "name": feature.name,
        "unit": variable.value_unit,
        "low": reference.value(j, low),
        "high": reference.value(j, high),
        "used": bool(reference.rule_base.uses[feature.index].any()),
        "options": [option.text for option in feature.options],
        "coded": bool(variable.choices),
        "dated": not variable.choices and variable.written(0.0) is not None,
        "has_sets": sets,
        "set_names": _set_names(variable, low, high) if sets and not feature.options else [],
        "picture": small_svg(drawing_of(j, sets, reference.background.histograms is not None)),
    }


def _set_names(variable: Variable, low: float, high: float) -> list[Mark]:
    """Return the names of labels, above the middles of their sets, that fit; the widest sets take precedence."""
    partition = variable.partition
    places = []
    for number, label in enumerate(partition.labels):
        start, full_from, full_to, end = partition.trapezoid(number, number)
        left, outer_left = (0.0 if np.isinf(start) else position(place, low, high) for place in (full_from, start))
        right, outer_right = (100.0 if np.isinf(end) else position(place, low, high) for place in (full_to, end))
        if outer_left <= 100.0 and outer_right >= 0.0:
            middle = float(np.clip([left, right], 0.0, 100.0).mean())
            places.append((min(outer_right, 100.0) - max(outer_left, 0.0), middle, label))
    taken: list[tuple[float, float]] = []
    names = []
    for _, middle, text in sorted(places, key=lambda place: (-round(place[0], 6), place[1])):
        half = _LETTER * len(text) / 2.0
        if half > 50.0:
            continue
        at = min(max(middle, half), 100.0 - half)
        if all(at + half + _GAP < start or at - half - _GAP > end for start, end in taken):
            taken.append((at - half, at + half))
            names.append(Mark(at, text))
    return sorted(names)
