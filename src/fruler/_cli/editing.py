"""``fruler edit`` and ``fruler refit``: models that a person changed, or whose outputs are fitted to other rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fruler._cli.column_options import parse_labels
from fruler._cli.failures import without_warnings
from fruler._cli.input import load_shown_model
from fruler._cli.options import EditOptions, RefitOptions
from fruler._cli.output import check_destination, show
from fruler._cli.predict import rows_for, rows_with_target
from fruler._wording import readable_number, suggest
from fruler.estimators.base import BaseRuleRegressor
from fruler.rules._rule_base import RuleBase
from fruler.rules.edits import DropTerm, Edit, FixAmount, FixLevel, FixSlope, MoveSplit, RenameLabel, SetFlat


def edit_model(options: EditOptions) -> None:
    """Run ``fruler edit``."""
    check_destination(options.output, options.data)
    model = load_shown_model(options.model)
    edits = parse_edits(options, model.rule_base_)
    X, y = (None, None) if options.data is None else _rows(model, options)
    with without_warnings():
        edited = model.edited(edits, X, y, by=options.by)
        show(f"{edited.rule_base_}\n")
        show("\n".join(f"Changed: {edit}" for edit in edited.changes_[-1].edits))
        if X is None:
            show("All other numbers are as they were; `fruler refit` fits them to rows.")
        else:
            show(f"RMSE {_error(edited)}; fitted to the same rows without these changes: {_error(model.refit(X, y))}.")
    edited.save(options.output)
    show(f"Model written to {options.output}")


def refit_model(options: RefitOptions) -> None:
    """Run ``fruler refit``."""
    check_destination(options.output, options.data)
    model = load_shown_model(options.model)
    if options.keep_sums:
        model.set_params(keep_sums=True)
    X, y = _rows(model, options)
    with without_warnings():
        fit = model.updated if options.update else model.refit
        fitted = fit(X, y, by=options.by)
        show(f"{fitted.rule_base_}\n")
        if fitted.update_ is not None:
            show(f"{fitted.update_}")
    fitted.save(options.output)
    show(f"Model written to {options.output}")


def _rows(model: BaseRuleRegressor, options: EditOptions | RefitOptions) -> tuple[Any, Any]:
    rows = rows_for(model, str(options.data), options.reading)
    X, y, _ = rows_with_target(rows, "to which the outputs are fitted; add it", "left out")
    return X, y


def _error(model: BaseRuleRegressor) -> str:
    return readable_number(model.rule_base_.background.error)


def parse_edits(options: EditOptions, rules: RuleBase) -> list[Edit]:
    """Return the edits that options ask for: names first, then split points, terms, flat ends and fixed numbers.

    Raises
    ------
    ValueError
        If an option cannot be read.
    """
    labels = parse_labels(options.label, rules.names)
    edits: list[Edit] = [RenameLabel(name, old, new) for name, own in labels.items() for old, new in own.items()]
    for place, to in _pairs("--split", "rain:303=250", options.split):
        name, split = _named(place, rules.names, "--split", "rain:303=250")
        edits.append(MoveSplit(name, _value(split), _value(to)))
    edits += [DropTerm(*_term(given, rules.names)) for given in options.drop]
    for name, ends in _pairs("--flat", "rain=50,300", options.flat):
        below, comma, above = ends.partition(",")
        if not comma:
            raise ValueError(f"--flat must have two ends, of which one may be left out: rain=,300; got {ends!r}")
        edits.append(SetFlat(name, *(_value(end) if end.strip() else None for end in (below, above))))
    for term, value in _pairs("--slope", "rain@2=0.3", options.slope):
        name, rule = _term(term, rules.names)
        edits.append(FixSlope(name, _number("--slope", value), rule))
    for place, value in _pairs("--amount", "soil:peat=-0.5", options.amount):
        name, category = _named(place, [variable.column for variable in rules.variables], "--amount", "soil:peat=-0.5")
        known = [level for one in rules.variables if one.name == name and one.levels for level in one.levels.levels]
        other = None
        if category not in known and "/" in category:
            category, _, other = category.rpartition("/")
        edits.append(FixAmount(name, category, _number("--amount", value), other))
    for number, value in _pairs("--level", "2=17.5", options.level):
        if not number.isdecimal():
            raise ValueError(f"--level must be the number of a rule and its level, such as 2=17.5; got {number!r}")
        edits.append(FixLevel(int(number), _number("--level", value)))
    if not edits:
        raise ValueError("there is nothing to change; name a change, such as --drop rain")
    return edits


def _pairs(option: str, example: str, given: Iterable[str]) -> list[tuple[str, str]]:
    """Return the two sides of options such as NAME=VALUE."""
    pairs = []
    for item in given:
        left, equals, right = item.rpartition("=")
        if not equals or not left.strip() or not right.strip():
            raise ValueError(f"{option} must be written like {example}; got {item!r}")
        pairs.append((left.strip(), right.strip()))
    return pairs


def _named(place: str, names: Iterable[str], option: str, example: str) -> tuple[str, str]:
    """Return the name and the rest of NAME:REST; a name may have a colon itself."""
    found = [name for name in names if place.startswith(f"{name}:") and len(place) > len(name) + 1]
    if not found:
        known = place.partition(":")
        if not known[2]:
            raise ValueError(f"{option} must be written like {example}; got {place!r}")
        raise ValueError(f"{option}: there is no input {known[0]!r}; {suggest(known[0], names)}")
    name = max(found, key=len)
    return name, place[len(name) + 1 :].strip()


def _term(given: str, names: Iterable[str]) -> tuple[str, int | None]:
    """Return the input and the rule of NAME@RULE, or the input alone."""
    name, at, rule = given.rpartition("@")
    return (given, None) if given in names or not at or not rule.isdecimal() else (name, int(rule))


def _number(option: str, text: str) -> float:
    value = _value(text)
    if isinstance(value, str):
        raise ValueError(f"{option} needs a number; got {text!r}")
    return value


def _value(text: str) -> float | str:
    """Return a number, or the text of a date."""
    try:
        return float(text)
    except ValueError:
        return text.strip()
