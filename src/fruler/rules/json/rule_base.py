"""A rule base as a JSON object, and back; the page of a report reads the same object."""

from __future__ import annotations

from typing import Any

import numpy as np

from fruler.rules.antecedents import T_NORMS, LabelRanges
from fruler.rules.curves import Curve
from fruler.rules.json.checked import Checked
from fruler.rules.json.gaps import gaps_to_json, with_gaps
from fruler.rules.json.intervals import intervals_from_json, intervals_to_json
from fruler.rules.json.output import output_from_json, output_to_json
from fruler.rules.json.partitions import (
    FUZZY,
    TRIANGLES,
    fuzzy_partition,
    made,
    partition_from_json,
    partition_to_json,
    triangle_partition,
)
from fruler.rules.json.rules import Members, antecedents_from_json, consequents_from_json, rule_to_json
from fruler.rules.json.sources import source_from_json, source_to_json
from fruler.rules.json.summary import summary_from_json, summary_to_json
from fruler.rules.output import PLAIN
from fruler.rules.row_reading import EXTRAPOLATIONS, Extrapolation
from fruler.rules.rule_base import RuleBase
from fruler.rules.triangle_antecedents import LabelTriangles, OwnTriangles
from fruler.rules.triangle_partition import TrianglePartition
from fruler.rules.variables import Variable

# Rules times inputs. A file names only what a rule uses, but a rule base has room for all: one of some megabytes could
# ask for terabytes.
MAX_CELLS = 4_000_000
# What a file is taken to say that says nothing of it.
_AS_EVER: Extrapolation = "linear"


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
    rules = [rule_to_json(rule_base, rule) for rule in range(rule_base.n_rules)]
    training = rule_base.training
    for key, figures in (
        ("support", rule_base.support),
        ("importance", None if training is None else training.rule_importance),
    ):
        if figures is not None:
            for rule, figure in zip(rules, figures.tolist(), strict=True):
                rule[key] = figure
    curves = [_curve_to_json(curve, names) for curve in rule_base.curves]
    target, kind = rule_base.consequents.partition, rule_base.antecedents.kind
    return {
        "target": {
            "name": rule_base.target_name,
            "unit": rule_base.target_unit,
            **({} if target is None else partition_to_json(target)),
        },
        "t_norm": rule_base.t_norm,
        "inputs": [
            {
                "name": variable.name,
                "unit": variable.unit,
                **partition_to_json(variable.partition),
                **({} if variable.source is None else {"source": source_to_json(variable.source)}),
            }
            for variable in rule_base.variables
        ],
        # Without triangles and curves a file is what it was before there were any, which older versions read.
        **({} if kind == LabelRanges.kind else {"antecedents": kind}),
        "rules": rules,
        **({"curves": curves} if curves else {}),
        **({} if rule_base.gaps is None else {"gaps": gaps_to_json(rule_base)}),
        **({} if rule_base.intervals is None else {"intervals": intervals_to_json(rule_base.intervals)}),
        **({} if rule_base.extrapolation == _AS_EVER else {"extrapolation": rule_base.extrapolation}),
        **({} if rule_base.output.is_plain else {"output": output_to_json(rule_base.output)}),
        "training": None if training is None else summary_to_json(training, names),
    }


def needs_triangles(rule_base: RuleBase) -> bool:
    """Return whether a rule base has triangles in its antecedents, or labels of its output."""
    return rule_base.antecedents.kind != LabelRanges.kind or rule_base.consequents.partition is not None


def rule_base_from_json(written: Checked, *, triangles: bool = True) -> RuleBase:
    """Return the rule base that an object says.

    Parameters
    ----------
    written : Checked
        The object.
    triangles : bool, default=True
        Whether it may have triangles in its antecedents, and labels of the output.

    Raises
    ------
    ValueError
        If it is not one.
    """
    new = ("antecedents",) if triangles else ()
    optional = ("curves", "gaps", "intervals", "extrapolation", "output", *new)
    members = written.keys(("target", "t_norm", "inputs", "rules", "training"), optional)
    target, said = _target(members["target"], triangles)
    kinds = ("fuzzy", "nominal", "triangles") if triangles else ("fuzzy", "nominal")
    variables = tuple(_variable(item, kinds) for item in members["inputs"].items())
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
    kind = members["antecedents"].one_of(LabelTriangles.kind, OwnTriangles.kind) if "antecedents" in members else ""
    antecedents = antecedents_from_json(kind or LabelRanges.kind, rules, variables)
    consequents = consequents_from_json(said, rules, variables)
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
        intervals=intervals_from_json(members["intervals"]) if "intervals" in members else None,
        extrapolation=members["extrapolation"].one_of(*EXTRAPOLATIONS) if "extrapolation" in members else _AS_EVER,
        output=output_from_json(members["output"]) if "output" in members else PLAIN,
    )
    return with_gaps(rule_base, members["gaps"]) if "gaps" in members else rule_base


def require_cells(n_rules: int, n_inputs: int) -> None:
    """Refuse more rules and inputs than are read."""
    if n_rules * n_inputs > MAX_CELLS:
        raise ValueError(f"{n_rules:,} rules over {n_inputs:,} inputs are more than a file can hold")


def _curve_to_json(curve: Curve, names: list[str]) -> dict[str, Any]:
    pieces = [{"intercept": intercept, "slope": slope} for intercept, slope in curve.coefficients.tolist()]
    return {"input": names[curve.input], **partition_to_json(curve.partition), "pieces": pieces}


def _curves(written: Checked, variables: tuple[Variable, ...], places: dict[str, int]) -> list[Curve]:
    curves: dict[int, Curve] = {}
    for item in written.items():
        members = item.keys(("input", "kind", *FUZZY, "labels", "pieces"))
        j = places.get(members["input"].text())
        if j is None or not variables[j].partition.ordered:
            raise ValueError(f"{members['input'].place} is no input{'' if j is None else ' that has an order'}")
        if j in curves:
            raise ValueError(f"{written.place} has an input twice")
        members["kind"].one_of("fuzzy")
        pieces = [piece.keys(("intercept", "slope")) for piece in members["pieces"].items()]
        lines = [[piece["intercept"].number(), piece["slope"].number()] for piece in pieces]
        partition = fuzzy_partition(item, members)
        curves[j] = made(item, "curve", Curve, j, partition, np.array(lines).reshape(-1, 2))
    return list(curves.values())


def _target(written: Checked, triangles: bool) -> tuple[Members, TrianglePartition | None]:
    """Return the members of the target, and its labels if it has any."""
    if triangles and "kind" in written.members():
        members = written.keys(("name", "unit", "kind", *TRIANGLES, "labels"))
        members["kind"].one_of("triangles")
        return members, triangle_partition(written, members)
    return written.keys(("name", "unit")), None


def _variable(written: Checked, kinds: tuple[str, ...]) -> Variable:
    partition, members = partition_from_json(written, kinds, ("name", "unit"), ("source",))
    source = source_from_json(members["source"]) if "source" in members else None
    return Variable(members["name"].text(), partition, members["unit"].text(), source)
