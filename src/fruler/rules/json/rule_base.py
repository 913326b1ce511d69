"""A rule base as a JSON object, and back; the page of a report reads the same object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from fruler.rules.antecedents import T_NORMS
from fruler.rules.curves import Curve
from fruler.rules.json.checked import Checked
from fruler.rules.json.gaps import gaps_to_json, with_gaps
from fruler.rules.json.sources import source_from_json, source_to_json
from fruler.rules.json.summary import summary_from_json, summary_to_json
from fruler.rules.partitions import FuzzyPartition, NominalPartition, Partition
from fruler.rules.rule_base import RuleBase
from fruler.rules.variables import Variable

# Rules times inputs. A file names only what a rule uses, but a rule base has room for all: one of some megabytes could
# ask for terabytes.
MAX_CELLS = 4_000_000
_FUZZY = ("domain", "split_points", "fuzziness")

_Made = TypeVar("_Made", bound=Partition | Curve)


def rule_base_to_json(rule_base: RuleBase) -> dict[str, Any]:
    """Return an object of plain lists, texts and numbers that says all of a rule base.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)), unit="m")
    >>> written = rule_base_to_json(RuleBase([x], [[[0, 0]], [[1, 1]]], [[1.0, 2.0], [3.0, 0.0]]))
    >>> written["rules"][0]
    {'if': {'x': ['low']}, 'then': {'intercept': 1.0, 'slopes': {'x': 2.0}}}
    """
    names = list(rule_base.names)
    labels = [list(variable.partition.labels) for variable in rule_base.variables]
    rules: list[dict[str, Any]] = [
        {
            "if": {
                names[j]: labels[j][first : last + 1] for j, first, last in rule_base.antecedents.conditions(number)
            },
            "then": {
                "intercept": intercept,
                "slopes": {names[j]: slope for j, slope in rule_base.consequents.terms(number).items()},
            },
        }
        for number, intercept in enumerate(rule_base.consequents.intercepts.tolist())
    ]
    training = rule_base.training
    for key, figures in (
        ("support", rule_base.support),
        ("importance", None if training is None else training.rule_importance),
    ):
        if figures is not None:
            for rule, figure in zip(rules, figures.tolist(), strict=True):
                rule[key] = figure
    curves = [_curve_to_json(curve, names) for curve in rule_base.curves]
    return {
        "target": {"name": rule_base.target_name, "unit": rule_base.target_unit},
        "t_norm": rule_base.t_norm,
        "inputs": [
            {
                "name": variable.name,
                "unit": variable.unit,
                **_partition_to_json(variable.partition),
                **({} if variable.source is None else {"source": source_to_json(variable.source)}),
            }
            for variable in rule_base.variables
        ],
        "rules": rules,
        # Without curves a file is what it was before there were any, which older versions read.
        **({"curves": curves} if curves else {}),
        **({} if rule_base.gaps is None else {"gaps": gaps_to_json(rule_base)}),
        "training": None if training is None else summary_to_json(training, names),
    }


def rule_base_from_json(written: Checked) -> RuleBase:
    """Return the rule base that an object says.

    Raises
    ------
    ValueError
        If it is not one.
    """
    members = written.keys(("target", "t_norm", "inputs", "rules", "training"), ("curves", "gaps"))
    target = members["target"].keys(("name", "unit"))
    variables = tuple(_variable(item) for item in members["inputs"].items())
    places = {variable.name: j for j, variable in enumerate(variables)}
    if len(places) < len(variables):
        raise ValueError(f"{members['inputs'].place} has a name twice")
    has_training = members["training"].value is not None
    required = ("if", "then", "importance") if has_training else ("if", "then")
    rules = [item.keys(required, ("support",)) for item in members["rules"].items()]
    if not rules or not variables:
        raise ValueError(f"{written.place} must have at least one input and one rule")
    require_cells(len(rules), len(variables))
    with_support = sum("support" in rule for rule in rules)
    if with_support not in (0, len(rules)):
        raise ValueError(f"{members['rules'].place} must all have a support, or none")
    antecedents, consequents = _antecedents_and_consequents(rules, variables, places)
    importance = np.array([rule["importance"].number() for rule in rules]) if has_training else None
    rule_base = RuleBase(
        variables,
        antecedents,
        consequents,
        members["t_norm"].one_of(*T_NORMS),
        target["name"].text(),
        target["unit"].text(),
        np.array([rule["support"].number() for rule in rules]) if with_support else None,
        None if importance is None else summary_from_json(members["training"], list(places), importance),
        _curves(members["curves"], variables, places) if "curves" in members else (),
    )
    return with_gaps(rule_base, members["gaps"]) if "gaps" in members else rule_base


def require_cells(n_rules: int, n_inputs: int) -> None:
    """Refuse more rules and inputs than are read."""
    if n_rules * n_inputs > MAX_CELLS:
        raise ValueError(f"{n_rules:,} rules over {n_inputs:,} inputs are more than a file can hold")


def _antecedents_and_consequents(
    rules: list[dict[str, Checked]], variables: tuple[Variable, ...], places: dict[str, int]
) -> tuple[Any, Any]:
    labels = [{label: k for k, label in enumerate(variable.partition.labels)} for variable in variables]
    antecedents = np.zeros((len(rules), len(variables), 2), dtype=np.intc)
    antecedents[:, :, 1] = [len(known) - 1 for known in labels]
    consequents = [[0.0] * (len(variables) + 1) for _ in rules]
    for number, (rule, consequent) in enumerate(zip(rules, consequents, strict=True)):
        part = rule["if"]
        try:
            for name, accepted in part.members().items():
                j = places[name]
                antecedents[number, j] = _range_of(labels[j], accepted)
            then = rule["then"].keys(("intercept", "slopes"))
            consequent[0] = then["intercept"].number()
            part = then["slopes"]
            for name, slope in part.named_numbers().items():
                consequent[1 + places[name]] = slope
        except KeyError:
            raise ValueError(f"{Checked(None, name, part).place} is no input") from None
    return antecedents, np.array(consequents, dtype=np.float64)


def _range_of(labels: dict[str, int], written: Checked) -> tuple[int, int]:
    numbers = [labels.get(label, -1) for label in written.texts()]
    if not numbers or -1 in numbers:
        raise written.wrong("a list of labels of the input")
    first, last = numbers[0], numbers[-1]
    if numbers != list(range(first, first + len(numbers))):
        raise written.wrong("a list of labels that are neighbours, in their order")
    return first, last


def _partition_to_json(partition: Partition) -> dict[str, Any]:
    if not partition.ordered:
        return {
            "kind": "nominal",
            "groups": [list(group) for group in partition.groups],
            "labels": list(partition.labels),
        }
    return {
        "kind": "fuzzy",
        "domain": list(partition.range),
        "split_points": list(partition.split_points),
        "fuzziness": list(partition.fuzziness),
        "labels": list(partition.labels),
    }


def _curve_to_json(curve: Curve, names: list[str]) -> dict[str, Any]:
    pieces = [{"intercept": intercept, "slope": slope} for intercept, slope in curve.coefficients.tolist()]
    return {"input": names[curve.input], **_partition_to_json(curve.partition), "pieces": pieces}


def _curves(written: Checked, variables: tuple[Variable, ...], places: dict[str, int]) -> list[Curve]:
    curves: dict[int, Curve] = {}
    for item in written.items():
        members = item.keys(("input", "kind", *_FUZZY, "labels", "pieces"))
        j = places.get(members["input"].text())
        if j is None or not variables[j].partition.ordered:
            raise ValueError(f"{members['input'].place} is no input{'' if j is None else ' that has an order'}")
        if j in curves:
            raise ValueError(f"{written.place} has an input twice")
        members["kind"].one_of("fuzzy")
        pieces = [piece.keys(("intercept", "slope")) for piece in members["pieces"].items()]
        lines = [[piece["intercept"].number(), piece["slope"].number()] for piece in pieces]
        partition = _fuzzy_partition(item, members)
        curves[j] = _made(item, Curve, j, partition, np.array(lines).reshape(-1, 2))
    return list(curves.values())


def _variable(written: Checked) -> Variable:
    kind = written.members().get("kind")
    if kind is None:
        raise ValueError(f"{written.place} has no 'kind'")
    is_nominal = kind.one_of("fuzzy", "nominal") == "nominal"
    members = written.keys(("name", "unit", "kind", *(("groups",) if is_nominal else _FUZZY), "labels"), ("source",))
    source = source_from_json(members["source"]) if "source" in members else None
    name, unit, labels = members["name"].text(), members["unit"].text(), members["labels"].texts()
    if is_nominal:
        groups = [group.numbers().tolist() for group in members["groups"].items()]
        return Variable(name, _made(written, NominalPartition, groups, labels), unit, source)
    return Variable(name, _fuzzy_partition(written, members), unit, source)


def _fuzzy_partition(written: Checked, members: dict[str, Checked]) -> FuzzyPartition:
    domain, splits, fuzziness = (members[key].numbers().tolist() for key in _FUZZY)
    return _made(written, FuzzyPartition, splits, domain, fuzziness, members["labels"].texts())


def _made(written: Checked, kind: Callable[..., _Made], *parts: Any) -> _Made:
    """Make a partition or a curve; what its constructor finds wrong gets a place."""
    try:
        return kind(*parts)
    except ValueError as error:
        what = "curve" if kind is Curve else "partition"
        raise ValueError(f"{written.place} is no {what}: {error}") from None
