"""Units and label names from options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fruler._cli.failures import say
from fruler._wording import quote_names, suggest
from fruler.estimators.base import BaseRuleRegressor
from fruler.rules._rule_base import RuleBase


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
        if name not in names:
            raise ValueError(f"--unit: there is no input {name!r}; {suggest(name, names)}")
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
        if name not in names:
            raise ValueError(f"--label: there is no input {name!r}; {suggest(name, names)}")
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
