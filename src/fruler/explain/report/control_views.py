"""What the template shows of the controls: one for each feature, and one for all that comes from a column of dates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from fruler._wording import counted
from fruler.explain.features import Feature
from fruler.explain.report.drawings import position, small_svg
from fruler.explain.report.numbers import INPUT_SHARE, value_text
from fruler.explain.report.reference import Reference
from fruler.explain.report.views import has_sets, uses_of
from fruler.rules.rule_base import RuleBase
from fruler.rules.variables import Variable

# With more controls than this, those that move predictions least are folded away.
_MAX_OPEN, _OPEN_OF_MANY = 12, 8
# The width of a letter and the gap between two names, in percent of a picture on a phone.
_LETTER, _GAP = 2.1, 2.5


@dataclass(frozen=True)
class SetName:
    """The name of a label above its set, and where: in percent of the picture's width."""

    at: float
    text: str


@dataclass(frozen=True)
class ControlView:
    """A feature with what its control needs.

    It is coded if it is chosen by name alone, and dated if its slider shows dates: both have no box for a number.
    """

    index: int
    name: str
    unit: str
    low: str
    high: str
    used: bool
    options: list[str]
    coded: bool
    dated: bool
    has_sets: bool
    set_names: list[SetName]
    picture: str


@dataclass(frozen=True)
class DateView:
    """A column of dates: one control that sets all features that come from it."""

    column: str
    inputs: list[int]
    with_time: bool
    parts: list[ControlView] = field(default_factory=list)

    @property
    def index(self) -> int:
        """The number of its first input."""
        return self.inputs[0]


@dataclass(frozen=True)
class ControlGroup:
    """Controls under a heading; those that matter less are folded away."""

    heading: str
    open: bool
    members: list[ControlView | DateView]


def control_groups(rule_base: RuleBase, reference: Reference, features: Sequence[Feature]) -> list[ControlGroup]:
    """Return the controls in groups: those to move, those that move little, those that do nothing.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    reference : Reference
        Ranges and typical values.
    features : sequence of Feature
        All features, in the order in which they shall stand.
    """
    dates = date_columns(rule_base)
    used: list[ControlView | DateView] = []
    unused: list[ControlView | DateView] = []
    joined: dict[str, DateView] = {}
    for feature in features:
        view = _control(rule_base, reference, feature)
        column = rule_base.variables[view.index].column
        own = dates.get(column, [])
        if view.index not in own:
            (used if view.used else unused).append(view)
            continue
        if column not in joined:
            joined[column] = DateView(column, own, _tells_hours(rule_base, own))
            used.append(joined[column])
        joined[column].parts.append(view)
    first, rest = (used[:_OPEN_OF_MANY], used[_OPEN_OF_MANY:]) if len(used) > _MAX_OPEN else (used, [])
    groups = [
        ControlGroup("", True, first),
        ControlGroup(f"{len(rest)} inputs that move the prediction less", False, rest),
        ControlGroup(f"{counted(len(unused), 'input')} that no rule uses", False, unused),
    ]
    return [group for group in groups if group.members]


def date_columns(rule_base: RuleBase) -> dict[str, list[int]]:
    """Return the inputs of each column of dates from which the rules use two or more."""
    found: dict[str, list[int]] = {}
    for j in np.flatnonzero(rule_base.uses).tolist():
        source = rule_base.variables[j].source
        if source is not None and source.of_dates:
            found.setdefault(source.column, []).append(j)
    return {column: inputs for column, inputs in found.items() if len(inputs) > 1}


def _tells_hours(rule_base: RuleBase, inputs: Sequence[int]) -> bool:
    sources = [rule_base.variables[j].source for j in inputs]
    return any(source is not None and source.tells_hours for source in sources)


def _control(rule_base: RuleBase, reference: Reference, feature: Feature) -> ControlView:
    j = feature.inputs[0]
    variable = rule_base.variables[j]
    low, high = float(reference.low[j]), float(reference.high[j])
    tolerance = INPUT_SHARE * (high - low)
    sets = has_sets(variable)
    joined = len(feature.inputs) > 1
    return ControlView(
        index=j,
        name=feature.name,
        unit="" if joined else variable.value_unit,
        low=value_text(variable, low, tolerance),
        high=value_text(variable, high, tolerance),
        used=bool(rule_base.uses[feature.columns].any()),
        options=[option.text for option in feature.options],
        coded=joined or bool(variable.choices),
        dated=not variable.choices and variable.written(0.0) is not None,
        has_sets=sets,
        set_names=_set_names(variable, low, high) if sets and not feature.options else [],
        picture=small_svg(uses_of(j, sets, reference.histograms is not None)),
    )


def _set_names(variable: Variable, low: float, high: float) -> list[SetName]:
    """Return the names of labels above the middles of their sets, as far as there is room: the widest sets first."""
    partition = variable.partition
    places = []
    for label in range(partition.n_labels):
        start, full_from, full_to, end = partition.trapezoid(label, label)
        left = 0.0 if np.isinf(start) else position(full_from, low, high)
        right = 100.0 if np.isinf(end) else position(full_to, low, high)
        outer_left = 0.0 if np.isinf(start) else position(start, low, high)
        outer_right = 100.0 if np.isinf(end) else position(end, low, high)
        if outer_left > 100.0 or outer_right < 0.0:
            continue
        middle = (min(max(left, 0.0), 100.0) + min(max(right, 0.0), 100.0)) / 2.0
        places.append((min(outer_right, 100.0) - max(outer_left, 0.0), middle, partition.labels[label]))
    taken: list[tuple[float, float]] = []
    names = []
    for _, middle, text in sorted(places, key=lambda place: (-round(place[0], 6), place[1])):
        half = _LETTER * len(text) / 2.0
        if half > 50.0:
            continue
        at = min(max(middle, half), 100.0 - half)
        if all(at + half + _GAP < start or at - half - _GAP > end for start, end in taken):
            taken.append((at - half, at + half))
            names.append(SetName(at, text))
    return sorted(names, key=lambda name: name.at)
