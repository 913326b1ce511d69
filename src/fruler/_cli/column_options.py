"""Options about columns: constraints, units and names of labels."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from fruler._cli.failures import say
from fruler._cli.preparation import PreparedTable
from fruler._table.constraints import INTERACTIONS, MONOTONIC, NO_INTERACTIONS, PAIRWISE
from fruler._wording import quote_names, quoted, suggest
from fruler.estimators.base import BaseRuleRegressor
from fruler.rules._rule_base import RuleBase


def constraint_settings(
    increasing: Sequence[str], decreasing: Sequence[str], interactions: Sequence[str], prepared: PreparedTable
) -> dict[str, Any]:
    """Return the constraints as parameters of the estimator.

    Parameters
    ----------
    increasing, decreasing : sequence of str
        Columns with which predictions must not fall, or must not rise.
    interactions : sequence of str
        Groups of columns that may interact, each with names separated by commas.
    prepared : PreparedTable
        The columns to learn from.

    Raises
    ------
    ValueError
        If a column does not exist, or is not numeric.
    """
    known = _directions("--increasing", increasing, 1, prepared)
    falling = _directions("--decreasing", decreasing, -1, prepared)
    for name in falling:
        if name in known:
            raise ValueError(f"--increasing and --decreasing both name {quoted(name)}; choose one")
    settings: dict[str, Any] = {MONOTONIC: known | falling} if known or falling else {}
    if not interactions:
        return settings
    if list(interactions) in ([NO_INTERACTIONS], [PAIRWISE]):
        return settings | {INTERACTIONS: interactions[0]}
    return settings | {INTERACTIONS: [_group(given, prepared) for given in interactions]}


def _directions(option: str, names: Sequence[str], sign: int, prepared: PreparedTable) -> dict[str, int]:
    for name in names:
        _require_input(option, name, prepared)
        kind = prepared.kinds[name]
        if kind != "number":
            held = "dates" if kind == "date" else "categories"
            raise ValueError(f"{option}: {quoted(name)} has {held}, not numbers, and thus no direction; leave it out")
    return dict.fromkeys(names, sign)


def _group(given: str, prepared: PreparedTable) -> list[str]:
    """Return the columns of a group; a column with a comma in its name can only be a group by itself."""
    names = [given] if given in prepared.kinds else [name.strip() for name in given.split(",") if name.strip()]
    if not names:
        raise ValueError(f"--interactions must be columns separated by commas, such as size,age; got {given!r}")
    for name in names:
        _require_input("--interactions", name, prepared)
    return names


def _require_input(option: str, name: str, prepared: PreparedTable) -> None:
    if name in prepared.left_out:
        raise ValueError(f"{option}: the column {quoted(name)} is left out ({prepared.left_out[name]})")
    _require_known(option, name, prepared.kinds)


def _require_known(option: str, name: str, names: Collection[str]) -> None:
    if name not in names:
        raise ValueError(f"{option}: there is no input {quoted(name)}; {suggest(name, names)}")


def parse_units(given: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """Parse units of columns, given as NAME=UNIT.

    Examples
    --------
    >>> parse_units(["size=m²"], ["size", "age"])
    {'size': 'm²'}
    """
    units = {}
    for item in given:
        name, equals, unit = item.rpartition("=")
        if not equals:
            raise ValueError(f"--unit must be a name and a unit, such as size=m²; got {item!r}")
        _require_known("--unit", name, names)
        units[name] = unit.strip()
    return units


def parse_labels(given: Sequence[str], names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Parse new names of labels, given as NAME:LABEL=NEW.

    Examples
    --------
    >>> parse_labels(["age:low=young", "age:high=old"], ["size", "age"])
    {'age': {'low': 'young', 'high': 'old'}}
    """
    labels: dict[str, dict[str, str]] = {}
    for item in given:
        left, equals, new = item.rpartition("=")
        # A column may have a colon in its name.
        name = max((name for name in names if left.startswith(f"{name}:")), key=len, default=left.partition(":")[0])
        old = left[len(name) + 1 :].strip()
        if not equals or not old or not new.strip():
            raise ValueError(f"--label must be an input, a label and its new name: age:low=young; got {item!r}")
        _require_known("--label", name, names)
        own = labels.setdefault(name, {})
        own[old] = new.strip()
        if len(set(own.values())) < len(own):
            raise ValueError(f"--label: two labels of {name!r} have the name {own[old]!r}; give them distinct names")
    return labels


def with_names(
    regressor: BaseRuleRegressor, units: Mapping[str, str], labels: Mapping[str, Mapping[str, str]]
) -> BaseRuleRegressor:
    """Return a model with units and label names; names that do not apply to the rules are reported and left out.

    They are no error, because the labels are known only after the rules are learned, which may have taken long.
    """
    rules = regressor.rule_base_
    known = [*rules.names, rules.target_name]
    for name in units:
        if name not in known:
            say(f"--unit: the rules have no input {name!r}, only inputs derived from this column")
    named = regressor.with_names(units={name: unit for name, unit in units.items() if name in known})
    for name, own in labels.items():
        there = _labels_of(rules, name)
        for old in own:
            if old not in there:
                why = f"its labels are {quote_names(there)}" if len(there) > 1 else "no rule splits it"
                say(f"--label: {name!r} has no label {old!r} in these rules; {why}")
        usable = {old: new for old, new in own.items() if old in there}
        try:
            named = named.with_names(labels={name: usable} if usable else {})
        except ValueError as error:
            say(f"--label: the labels of {name!r} keep their names: {error}")
    return named


def _labels_of(rules: RuleBase, name: str) -> tuple[str, ...]:
    variables = [*rules.variables, *([] if rules.target is None else [rules.target])]
    return next((variable.partition.labels for variable in variables if variable.name == name), ())
