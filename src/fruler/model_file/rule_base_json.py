"""A rule base as a JSON object, and back; the page of a report reads the same object."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

import numpy as np

from fruler.model_file.checked import Checked
from fruler.rules.partition import FuzzyPartition, NominalPartition, Partition
from fruler.rules.rule_base import T_NORMS, RuleBase, Variable
from fruler.rules.summary import TrainingSummary


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
    support = rule_base.support
    written: dict[str, Any] = {
        "target": {"name": rule_base.target_name, "unit": rule_base.target_unit},
        "inputs": [
            {"name": variable.name, "unit": variable.unit, **_partition_to_json(variable.partition)}
            for variable in rule_base.variables
        ],
        "t_norm": rule_base.t_norm,
        "rules": [
            {
                "if": {name: list(labels) for name, labels in rule.antecedent.items()},
                "then": {"intercept": rule.intercept, "slopes": rule.coefficients},
            }
            | ({} if support is None else {"support": float(support[number])})
            for number, rule in enumerate(rule_base.rules)
        ],
    }
    if rule_base.training is not None:
        written["training"] = _summary_to_json(rule_base.training)
    return written


def rule_base_from_json(written: Checked) -> RuleBase:
    """Return the rule base that an object says.

    Raises
    ------
    ValueError
        If it is not one.
    """
    members = written.keys(("target", "inputs", "t_norm", "rules"), ("training",))
    target = members["target"].keys(("name", "unit"))
    variables = [_variable(item) for item in members["inputs"].items()]
    names = [variable.name for variable in variables]
    if len(set(names)) < len(names):
        raise ValueError(f"{members['inputs'].place} have a name twice")
    rules = [item.keys(("if", "then"), ("support",)) for item in members["rules"].items()]
    if not rules or not variables:
        raise ValueError(f"{written.place} needs at least one input and one rule")
    columns = {name: j for j, name in enumerate(names)}
    antecedents = np.zeros((len(rules), len(names), 2), dtype=np.intc)
    antecedents[:, :, 1] = [variable.partition.n_labels - 1 for variable in variables]
    consequents = np.zeros((len(rules), len(names) + 1))
    for number, rule in enumerate(rules):
        for name, labels in rule["if"].members().items():
            antecedents[number, _column(columns, name, labels)] = _range_of(variables[columns[name]].partition, labels)
        then = rule["then"].keys(("intercept", "slopes"))
        consequents[number, 0] = then["intercept"].number()
        for name, slope in then["slopes"].members().items():
            consequents[number, _column(columns, name, slope) + 1] = slope.number()
    with_support = sum("support" in rule for rule in rules)
    if with_support not in (0, len(rules)):
        raise ValueError(f"{members['rules'].place} must all have a support, or none")
    return RuleBase(
        tuple(variables),
        antecedents,
        consequents,
        members["t_norm"].one_of(*T_NORMS),
        target["name"].text(),
        target["unit"].text(),
        np.array([rule["support"].number() for rule in rules]) if with_support else None,
        _summary_from_json(members["training"]) if "training" in members else None,
    )


def _column(columns: dict[str, int], name: str, value: Checked) -> int:
    if name not in columns:
        raise ValueError(f"{value.place} is no input")
    return columns[name]


def _range_of(partition: Partition, labels: Checked) -> tuple[int, int]:
    accepted = labels.texts()
    if not accepted or accepted[0] not in partition.labels:
        raise labels.wrong(f"some of the labels {', '.join(partition.labels)}")
    first = partition.labels.index(accepted[0])
    last = first + len(accepted) - 1
    if tuple(accepted) != partition.labels[first : last + 1]:
        raise labels.wrong(f"neighbours among the labels {', '.join(partition.labels)}")
    return first, last


def _partition_to_json(partition: Partition) -> dict[str, Any]:
    if isinstance(partition, NominalPartition):
        return {
            "kind": "nominal",
            "groups": [list(group) for group in partition.groups],
            "labels": list(partition.labels),
        }
    return {
        "kind": "fuzzy",
        "domain": list(partition.domain),
        "split_points": list(partition.split_points),
        "fuzziness": list(partition.fuzziness),
        "labels": list(partition.labels),
    }


def _variable(written: Checked) -> Variable:
    kind = written.members().get("kind", written).one_of("fuzzy", "nominal")
    if kind == "nominal":
        members = written.keys(("name", "unit", "kind", "groups", "labels"))
        groups = [group.numbers().tolist() for group in members["groups"].items()]
        partition: Partition = NominalPartition(groups, members["labels"].texts())
    else:
        members = written.keys(("name", "unit", "kind", "domain", "split_points", "fuzziness", "labels"))
        splits, domain, fuzziness = (members[key].numbers() for key in ("split_points", "domain", "fuzziness"))
        partition = FuzzyPartition(splits, domain, fuzziness, members["labels"].texts())
    return Variable(members["name"].text(), partition, members["unit"].text())


def _summary_to_json(summary: TrainingSummary) -> dict[str, Any]:
    written: dict[str, Any] = {}
    for field in fields(summary):
        value = getattr(summary, field.name)
        written[field.name] = value.tolist() if isinstance(value, np.ndarray) else value
    if math.isnan(summary.cv_rmse):
        written["cv_rmse"] = None
    return written


def _summary_from_json(written: Checked) -> TrainingSummary:
    members = written.keys(tuple(field.name for field in fields(TrainingSummary)))
    figures: dict[str, Any] = {"n_rows": members.pop("n_rows").count(1)}
    figures["cv_rmse"] = members.pop("cv_rmse").number_or_none()
    rows = [row.numbers() for row in members["histograms"].items()]
    if len({len(row) for row in rows}) > 1:
        raise ValueError(f"{members['histograms'].place} must have rows of one length")
    figures["histograms"] = np.array(members.pop("histograms") and rows)
    for field in fields(TrainingSummary):
        if field.name in members:
            value = members[field.name]
            figures[field.name] = value.numbers() if field.type == "Floats" else value.number()
    return TrainingSummary(**figures)
