"""Fuzzy Markup Language, the XML of IEEE Std 1855-2016, as a TSK or a Mamdani system.

A range of labels is a separate term: in a partition whose degrees sum to one, the sum of neighbours is a wider
trapezoid. Outer labels extend beyond the domain, so they are linear shapes and not trapezoids. A crisp split point is a
step between two neighbouring floats, so it does not matter which end a reader takes as closed.

The standard has no curves: a rule is written once for every label of every curve, with the curve's line added to its
output. The degrees of these labels sum to one, so the prediction is the same. The standard has only numeric inputs: a
category is a term, whose singleton is the number that stands for it. Its Mamdani systems aggregate the outputs of all
rules before they take one centre; the mean of the rules' own centres is a custom defuzzifier, which the standard
allows.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np

from fruler._wording import printable
from fruler.export._plan import split_points_of
from fruler.rules._antecedents import Condition
from fruler.rules._curves import Curve
from fruler.rules._inputs import Variable
from fruler.rules._partitions import Partition
from fruler.rules._rule_base import RuleBase

NAMESPACE = "http://www.ieee1855.org"
_AND_METHODS = {"product": "PROD", "minimum": "MIN"}
_MAX_RULES = 2_000
_DEFUZZIFIER = "custom_MeanOfCentres"


def export(rule_base: RuleBase) -> str:
    r"""Write a rule base as an IEEE 1855 document.

    The standard has no nearest rule: if no rule fires, a reader returns the default value of the output, which is the
    mean prediction of the training rows. It has no curves either: every rule is written once for each label of each
    curve, and an input with a curve has a second variable "... (curve)", which must be given the same value.

    The variables are the inputs of the rules, which are numbers without gaps: `RuleBase.inputs_of` computes them from a
    table with categories and gaps. The document has the numbers of categories as terms such as "origin = japan"; an
    input such as "origin=japan" is 1 for this category and 0 for all others. If the labels of an input are triangles,
    its values must lie inside its domain.

    Rules with labels as consequents become a Mamdani system with the defuzzifier "custom_MeanOfCentres": the mean of
    the centres of gravity of the rules' own cut-off triangles, weighted by their degrees. A reader that does not
    support it uses another defuzzifier and predicts different values.

    Parameters
    ----------
    rule_base : RuleBase
        The model.

    Returns
    -------
    str
        The document.

    Raises
    ------
    ValueError
        If the rules have sets of their own, clip their inputs, have a link or bounds, or would become too many without
        curves.

    See Also
    --------
    fruler.export.export_model : The same for any target.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> temperature = Variable("temperature", FuzzyPartition([10.0], (-10.0, 30.0)), "°C")
    >>> rules = RuleBase([temperature], [[[0, 0]], [[1, 1]]], [[25.0, -1.0], [5.25, 0.0]], target_name="heating")
    >>> print("\n".join(export(rules).splitlines()[3:7]))
        <fuzzyVariable name="temperature" scale="°C" domainleft="-10.0" domainright="30.0" type="input">
          <fuzzyTerm name="low" complement="false">
            <leftLinearShape param1="-10.0" param2="30.0" />
          </fuzzyTerm>
    """
    if not rule_base.antecedents.shares_labels:
        raise ValueError(
            "In FML all rules share their labels, but these rules have fuzzy sets of their own; choose another format."
        )
    if rule_base.inference.clips is not None:
        raise ValueError("FML cannot clip values outside the training data; choose another format.")
    if not rule_base.output.is_plain:
        raise ValueError("FML cannot express a link or bounds of predictions; choose another format.")
    curves = [curve for curve in rule_base.curves if curve.n_pieces > 1]
    n_rules = rule_base.n_rules * math.prod(curve.n_pieces for curve in curves)
    if curves and n_rules > _MAX_RULES:
        raise ValueError(
            f"FML has no curves; written without them, this model would have {n_rules:,} rules, more than "
            f"{_MAX_RULES:,}; choose another format."
        )
    variables = [*rule_base.variables, *(_curve_variable(rule_base, curve) for curve in curves)]
    names = _distinct([rule_base.target_name, *(variable.name for variable in variables)])
    target, inputs = names[0], names[1:]
    system = ElementTree.Element("fuzzySystem", {"xmlns": NAMESPACE, "name": f"rules for {target}"})
    knowledge = ElementTree.SubElement(system, "knowledgeBase")
    written = list(_expanded(rule_base, curves))
    accepted = {condition for rule in written for condition in rule.conditions}
    ranges = [{(first, last) for j, first, last in accepted if j == place} for place in range(len(variables))]
    terms = [_add_input(knowledge, *each) for each in zip(variables, ranges, inputs, strict=True)]
    said = _add_labels(knowledge, rule_base.target, rule_base, target) if rule_base.target else []
    if not said:
        _add_output(knowledge, rule_base, target, [rule.consequent for rule in written])
    rules = ElementTree.SubElement(system, "mamdaniRuleBase" if said else "tskRuleBase", {"name": "rules"})
    rules.attrib |= {"activationMethod": "MIN"} if said else {}
    rules.attrib |= {"andMethod": _AND_METHODS[rule_base.t_norm], "orMethod": "MAX"}
    for number, rule in enumerate(written, 1):
        # Without andMethod the standard takes MIN for a rule, even if the rule base has another method.
        options = {"name": f"rule {number}", "andMethod": rule.method, "connector": "and", "weight": "1.0"}
        element = ElementTree.SubElement(rules, "rule" if said else "tskRule", options)
        antecedent = ElementTree.SubElement(element, "antecedent")
        for j, first, last in rule.conditions:
            _add_clause(antecedent, "clause", inputs[j], terms[j][first, last])
        if not len(antecedent):
            # An antecedent must have a clause; this one holds for any value.
            _add_clause(antecedent, "clause", inputs[0], terms[0][0, 0]).set("modifier", "any")
        if said:
            then = ElementTree.SubElement(ElementTree.SubElement(element, "consequent"), "then")
            _add_clause(then, "clause", target, said[number - 1])
        else:
            then = ElementTree.SubElement(ElementTree.SubElement(element, "tskConsequent"), "tskThen")
            _add_clause(then, "tskClause", target, f"output {number}")
    ElementTree.indent(system)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(system, encoding="unicode") + "\n"


class _WrittenRule(NamedTuple):
    """A rule of the document; conditions on labels of curves come last."""

    conditions: list[Condition]
    consequent: list[float]
    method: str


def _expanded(rule_base: RuleBase, curves: Sequence[Curve]) -> Iterator[_WrittenRule]:
    """Yield every rule with every combination of labels of the curves."""
    shared = np.column_stack([rule_base.consequents.intercepts, rule_base.slopes])
    for curve in rule_base.curves:
        if curve.n_pieces == 1:
            shared[:, [0, 1 + curve.input]] += curve.coefficients[0]
    n_inputs, method = len(rule_base.variables), _AND_METHODS[rule_base.t_norm]
    fuzzy = any(any(curve.partition.fuzziness) for curve in curves)
    for rule in range(rule_base.n_rules):
        conditions = rule_base.antecedents.conditions(rule)
        if fuzzy and rule_base.t_norm == "minimum":
            if len(conditions) > 1:
                raise ValueError(
                    f"FML cannot express rule {rule + 1} with a curve: its conditions are combined by the minimum, the "
                    "labels of curves by the product; choose another format."
                )
            method = "PROD"
        for labels in itertools.product(*(range(curve.n_pieces) for curve in curves)):
            consequent = shared[rule].copy()
            for curve, label in zip(curves, labels, strict=True):
                consequent[[0, 1 + curve.input]] += curve.coefficients[label]
            chosen = [Condition(n_inputs + k, label, label) for k, label in enumerate(labels)]
            # The second variables of inputs with curves have no slopes.
            yield _WrittenRule([*conditions, *chosen], [*consequent.tolist(), *[0.0] * len(curves)], method)


def _curve_variable(rule_base: RuleBase, curve: Curve) -> Variable:
    """Return a second variable for the input of a curve, with the labels of the curve."""
    variable = rule_base.variables[curve.input]
    return Variable(f"{variable.name} (curve)", curve.partition, variable.unit)


def _name(text: str) -> str:
    """Return a name that readers do not change: they collapse white space, and XML has no control characters."""
    plain = "".join(c if c not in "\ufffe\uffff" else repr(c)[1:-1] for c in printable(text))
    return " ".join(plain.split()) or "unnamed"


def _distinct(names: Iterable[str]) -> list[str]:
    """Return names that stay distinct after white space is collapsed."""
    found: list[str] = []
    for name in map(_name, names):
        candidate, number = name, 1
        while candidate in found:
            number += 1
            candidate = f"{name} ({number})"
        found.append(candidate)
    return found


def _add_input(
    parent: ElementTree.Element, variable: Variable, ranges: set[tuple[int, int]], name: str
) -> dict[tuple[int, int], str]:
    """Add an input with its labels and the ranges of labels that rules accept, and return the names of these terms."""
    partition = variable.partition
    low, high = partition.range
    options = {"name": name, "scale": _name(variable.unit) if variable.unit else ""}
    options |= {"domainleft": repr(low), "domainright": repr(high), "type": "input"}
    element = ElementTree.SubElement(parent, "fuzzyVariable", options)
    singles = [(label, label) for label in range(partition.n_labels)]
    keys = singles + sorted(ranges - set(singles))
    texts = [" or ".join(partition.labels[first : last + 1]) for first, last in keys]
    if partition.ordered:
        names = dict(zip(keys, _distinct(texts), strict=True))
        for (first, last), term in names.items():
            _add_shape(_term(element, term), partition, first, last)
        _add_levels(element, variable, list(names.values()))
        return names
    codes = [[code for group in partition.groups[first : last + 1] for code in group] for first, last in keys]
    joined = sorted({code for several in codes if len(several) > 1 for code in several})
    distinct = _distinct([*texts, *(f"code {code!r}" for code in joined)])
    of_code = dict(zip(joined, distinct[len(keys) :], strict=True))
    for code, term in of_code.items():
        _add_numbers(_term(element, term), "singletonShape", [code])
    for several, term in zip(codes, distinct, strict=False):
        if len(several) == 1:
            _add_numbers(_term(element, term), "singletonShape", several)
        else:
            definition = ElementTree.SubElement(_term(element, term), "circularDefinition")
            _add_union(definition, [of_code[code] for code in several])
    return dict(zip(keys, distinct, strict=False))


def _add_levels(parent: ElementTree.Element, variable: Variable, taken: list[str]) -> None:
    """Add a term with the number of each category; inputs that indicate one category do not need it."""
    levels = variable.levels
    if levels is None or variable.is_indicator:
        return
    names = _distinct([*taken, *(f"{variable.name} = {level}" for level in levels.levels)])[len(taken) :]
    for name, value in zip(names, levels.values, strict=True):
        _add_numbers(_term(parent, name), "singletonShape", [value])


def _term(parent: ElementTree.Element, name: str) -> ElementTree.Element:
    return ElementTree.SubElement(parent, "fuzzyTerm", {"name": name, "complement": "false"})


def _add_shape(term: ElementTree.Element, partition: Partition, first: int, last: int) -> None:
    """Add the shape of a range of labels: linear if it extends beyond one end of the domain, rectangular if both."""
    rise, fall = _sides(partition, first, last)
    if partition.of_triangles and rise and fall:
        _add_numbers(term, "triangularShape", (*rise, fall[1]))
    elif rise and fall:
        _add_numbers(term, "trapezoidShape", (*rise, *fall))
    elif rise:
        _add_numbers(term, "rightLinearShape", rise)
    elif fall:
        _add_numbers(term, "leftLinearShape", fall)
    else:
        _add_numbers(term, "rectangularShape", partition.range)


def _sides(partition: Partition, first: int, last: int) -> list[tuple[float, float] | None]:
    """Return where the degree of a range of labels rises and where it falls; None on a side without an end.

    Steps are as steep as floats allow.
    """
    if partition.of_triangles:
        a, b, c = partition.triangles[first].tolist()
        rise, fall = (min(a, math.nextafter(b, -math.inf)), b), (b, max(c, math.nextafter(b, math.inf)))
        return [None if math.isinf(a) else rise, None if math.isinf(c) else fall]
    ends = [(min(b.start, math.nextafter(b.high, -math.inf)), b.high) for b in split_points_of(partition, 0)]
    return [ends[first - 1] if first else None, ends[last] if last < len(ends) else None]


def _add_labels(parent: ElementTree.Element, variable: Variable, rule_base: RuleBase, name: str) -> list[str]:
    """Add the output with its labels, and return the name of each rule's label."""
    terms = _add_input(parent, variable, set(), name)
    element = parent[-1]
    element.attrib |= {"type": "output", "accumulation": "MAX", "defuzzifier": _DEFUZZIFIER}
    element.set("defaultValue", repr(_default(rule_base)))
    of_label = dict(zip(variable.partition.labels, terms.values(), strict=False))
    return [of_label[rule_base.consequents.label(rule) or ""] for rule in range(rule_base.n_rules)]


def _add_numbers(term: ElementTree.Element, shape: str, numbers: Iterable[float]) -> None:
    ElementTree.SubElement(term, shape, {f"param{place}": repr(number) for place, number in enumerate(numbers, 1)})


def _add_union(parent: ElementTree.Element, names: list[str]) -> None:
    """Add a union of terms; in the standard a union has two operands, of which the first may be a union."""
    either = ElementTree.SubElement(parent, "or", {"t-conorm": "MAX"})
    *earlier, last = names
    if len(earlier) > 1:
        _add_union(either, earlier)
    else:
        ElementTree.SubElement(either, "termName").text = earlier[0]
    ElementTree.SubElement(either, "termName").text = last


def _add_output(
    parent: ElementTree.Element, rule_base: RuleBase, name: str, consequents: Sequence[Sequence[float]]
) -> None:
    options = {"name": name, "scale": _name(rule_base.target_unit) if rule_base.target_unit else "", "type": "output"}
    element = ElementTree.SubElement(parent, "tskVariable", options | {"combination": "WA"})
    element.set("defaultValue", repr(_default(rule_base)))
    for number, consequent in enumerate(consequents, 1):
        order = 1 if any(consequent[1:]) else 0
        term = ElementTree.SubElement(element, "tskTerm", {"name": f"output {number}", "order": str(order)})
        for value in consequent if order else consequent[:1]:
            ElementTree.SubElement(term, "tskValue").text = repr(value)


def _default(rule_base: RuleBase) -> float:
    """Return the output if no rule fires: the mean prediction, or without training data that at the domains' centre."""
    return 0.0 if rule_base.antecedents.covers_everything() else rule_base.background.base


def _add_clause(parent: ElementTree.Element, kind: str, variable: str, term: str) -> ElementTree.Element:
    clause = ElementTree.SubElement(parent, kind)
    ElementTree.SubElement(clause, "variable").text = variable
    ElementTree.SubElement(clause, "term").text = term
    return clause
