"""Antecedents and consequents as JSON objects, and back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from fruler.rules.antecedents import Antecedents, LabelRanges
from fruler.rules.consequents import Consequents, LinearConsequents
from fruler.rules.json.checked import Checked
from fruler.rules.json.partitions import triangle_from_json, triangle_to_json
from fruler.rules.label_consequents import LabelConsequents
from fruler.rules.rule_base import RuleBase
from fruler.rules.triangle_antecedents import LabelTriangles, OwnTriangles
from fruler.rules.triangle_partition import TrianglePartition
from fruler.rules.variables import Variable

Members = dict[str, Checked]


def rule_to_json(rule_base: RuleBase, rule: int) -> dict[str, Any]:
    """Return an object that says when a rule applies, and what it says."""
    antecedents, consequents, names = rule_base.antecedents, rule_base.consequents, rule_base.names
    when: dict[str, Any] = {}
    for j, first, last in antecedents.conditions(rule):
        partition = antecedents.condition_inputs[j].partition
        accepted = list(partition.labels[first : last + 1])
        when[names[j]] = (
            accepted if antecedents.shares_labels else triangle_to_json(partition.triangles[first].tolist())
        )
    label = consequents.label(rule)
    if label is not None:
        return {"if": when, "then": {"label": label}}
    slopes = {names[j]: slope for j, slope in consequents.terms(rule).items()}
    return {"if": when, "then": {"intercept": float(consequents.intercepts[rule]), "slopes": slopes}}


def antecedents_from_json(kind: str, rules: list[Members], variables: tuple[Variable, ...]) -> Antecedents:
    """Return the antecedents that the rules of a file say; their kind is that of `Antecedents.kind`."""
    places = {variable.name: j for j, variable in enumerate(variables)}
    if kind == OwnTriangles.kind:
        points = np.full((len(rules), len(variables), 3), np.nan)
        for number, j, written in _parts(rules, places):
            points[number, j] = triangle_from_json(written)
        return OwnTriangles(points, variables)
    labels = [{label: k for k, label in enumerate(variable.partition.labels)} for variable in variables]
    if kind == LabelTriangles.kind:
        accepted = np.full((len(rules), len(variables)), -1, dtype=np.intc)
        for number, j, written in _parts(rules, places):
            first, last = _range_of(labels[j], written)
            if first < last:
                raise written.wrong("a list of one label")
            accepted[number, j] = first
        return LabelTriangles(accepted, variables)
    ranges = np.zeros((len(rules), len(variables), 2), dtype=np.intc)
    ranges[:, :, 1] = [len(known) - 1 for known in labels]
    for number, j, written in _parts(rules, places):
        ranges[number, j] = _range_of(labels[j], written)
    return LabelRanges(ranges, variables)


def consequents_from_json(
    partition: TrianglePartition | None, rules: list[Members], variables: tuple[Variable, ...]
) -> Consequents:
    """Return the consequents that the rules of a file say: labels, where the target has a partition."""
    if partition is not None:
        labels = {label: k for k, label in enumerate(partition.labels)}
        return LabelConsequents([_label(labels, rule["then"]) for rule in rules], partition)
    places = {variable.name: j for j, variable in enumerate(variables)}
    coefficients = [[0.0] * (len(variables) + 1) for _ in rules]
    for rule, own in zip(rules, coefficients, strict=True):
        then = rule["then"].keys(("intercept", "slopes"))
        own[0] = then["intercept"].number()
        for name, slope in then["slopes"].named_numbers().items():
            own[1 + _place(places, name, then["slopes"])] = slope
    return LinearConsequents(np.array(coefficients, dtype=np.float64))


def _parts(rules: list[Members], places: dict[str, int]) -> Iterator[tuple[int, int, Checked]]:
    """Return for each condition of each rule the numbers of the rule and the input, and what is accepted."""
    for number, rule in enumerate(rules):
        for name, accepted in rule["if"].members().items():
            yield number, _place(places, name, rule["if"]), accepted


def _place(places: dict[str, int], name: str, parent: Checked) -> int:
    place = places.get(name)
    if place is None:
        raise ValueError(f"{Checked(None, name, parent).place} is no input")
    return place


def _label(labels: dict[str, int], written: Checked) -> int:
    label = written.keys(("label",))["label"]
    number = labels.get(label.text())
    if number is None:
        raise label.wrong("a label of the target")
    return number


def _range_of(labels: dict[str, int], written: Checked) -> tuple[int, int]:
    numbers = [labels.get(label, -1) for label in written.texts()]
    if not numbers or -1 in numbers:
        raise written.wrong("a list of labels of the input")
    first, last = numbers[0], numbers[-1]
    if numbers != list(range(first, first + len(numbers))):
        raise written.wrong("a list of labels that are neighbours, in their order")
    return first, last
