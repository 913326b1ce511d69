"""The exported document is read by an interpreter of its own, which knows IEEE 1855 and nothing of fruler."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from helpers.mixed_tables import MIXED_MODELS, assert_same, complete, mixed_model, mixed_rows

from fruler.export import export_model
from fruler.rules import Curve, FuzzyPartition

NAMESPACE = "{http://www.ieee1855.org}"


def shape_degree(shape, x, terms):
    kind = shape.tag.removeprefix(NAMESPACE)
    p = [float(shape.get(f"param{place}")) for place in range(1, len(shape.keys()) + 1)]
    if kind == "leftLinearShape":
        return 1.0 if x <= p[0] else 0.0 if x >= p[1] else (p[1] - x) / (p[1] - p[0])
    if kind == "rightLinearShape":
        return 0.0 if x <= p[0] else 1.0 if x >= p[1] else (x - p[0]) / (p[1] - p[0])
    if kind == "triangularShape":
        if x <= p[0] or x >= p[2]:
            return 0.0
        return (x - p[0]) / (p[1] - p[0]) if x < p[1] else (p[2] - x) / (p[2] - p[1])
    if kind == "trapezoidShape":
        if p[1] <= x <= p[2]:
            return 1.0
        if x <= p[0] or x >= p[3]:
            return 0.0
        return (x - p[0]) / (p[1] - p[0]) if x < p[1] else (p[3] - x) / (p[3] - p[2])
    if kind == "singletonShape":
        return float(x == p[0])
    if kind == "rectangularShape":
        return float(p[0] <= x <= p[1])
    assert kind == "circularDefinition", kind
    return joined_degree(shape[0], x, terms)


def joined_degree(element, x, terms):
    kind = element.tag.removeprefix(NAMESPACE)
    if kind == "termName":
        return shape_degree(terms[element.text], x, terms)
    assert (kind, element.get("t-conorm"), len(element)) == ("or", "MAX", 2)
    assert element[1].tag == f"{NAMESPACE}termName"
    return max(joined_degree(part, x, terms) for part in element)


class Interpreter:
    def __init__(self, text):
        root = ElementTree.fromstring(text)
        assert root.tag == f"{NAMESPACE}fuzzySystem"
        knowledge, rules = root
        assert knowledge.tag == f"{NAMESPACE}knowledgeBase"
        self.mamdani = rules.tag == f"{NAMESPACE}mamdaniRuleBase"
        assert self.mamdani or rules.tag == f"{NAMESPACE}tskRuleBase"
        *self.inputs, self.output = knowledge
        assert {element.tag for element in self.inputs} == {f"{NAMESPACE}fuzzyVariable"}
        assert self.output.tag == f"{NAMESPACE}{'fuzzyVariable' if self.mamdani else 'tskVariable'}"
        assert {element.get("type") for element in self.inputs} == {"input"}
        assert self.output.get("type") == "output"
        if self.mamdani:
            assert rules.get("activationMethod") == "MIN"
            assert self.output.get("defuzzifier") == "custom_MeanOfCentres"
            self.shapes = {term.get("name"): term[0] for term in self.output}
        self.names = [element.get("name") for element in self.inputs]
        assert len({*self.names, self.output.get("name")}) == len(self.names) + 1
        self.terms = {element.get("name"): {term.get("name"): term[0] for term in element} for element in self.inputs}
        assert [len(element) for element in self.inputs] == [len(self.terms[name]) for name in self.names]
        terms = [] if self.mamdani else self.output
        self.values = {term.get("name"): [float(value.text) for value in term] for term in terms}
        self.orders = {term.get("name"): term.get("order") for term in self.output}
        self.rules = list(rules)
        self.default = float(self.output.get("defaultValue"))

    def degree(self, rule, row):
        antecedent = rule.find(f"{NAMESPACE}antecedent")
        assert len(antecedent) > 0
        degrees = []
        for clause in antecedent:
            variable, term = clause[0].text, clause[1].text
            x = row[self.names.index(variable)]
            shapes = self.terms[variable]
            degrees.append(1.0 if clause.get("modifier") == "any" else shape_degree(shapes[term], x, shapes))
        return float({"PROD": np.prod, "MIN": np.min}[rule.get("andMethod")](degrees)) * float(rule.get("weight"))

    def centre(self, rule, height):
        """Return the centre of gravity of what a rule says, cut off at a height."""
        clause = rule.find(f"{NAMESPACE}consequent/{NAMESPACE}then/{NAMESPACE}clause")
        assert clause[0].text == self.output.get("name")
        shape = self.shapes[clause[1].text]
        assert shape.tag == f"{NAMESPACE}triangularShape"
        a, b, c = (float(shape.get(f"param{place}")) for place in (1, 2, 3))
        x1, x2 = a + (b - a) * height, c - (c - b) * height
        return ((c * c + c * x2 + x2 * x2) - (a * a + a * x1 + x1 * x1)) / (3.0 * ((c + x2) - (a + x1)))

    def consequent(self, rule, row):
        clause = rule.find(f"{NAMESPACE}tskConsequent/{NAMESPACE}tskThen/{NAMESPACE}tskClause")
        assert clause[0].text == self.output.get("name")
        intercept, *slopes = self.values[clause[1].text]
        assert self.orders[clause[1].text] == ("1" if slopes else "0")
        return intercept + sum(slope * x for slope, x in zip(slopes, row, strict=False))

    def predict(self, row):
        """Return the prediction, and whether any rule fired."""
        degrees = [self.degree(rule, row) for rule in self.rules]
        if sum(degrees) == 0.0:
            return self.default, False
        total = sum(
            d * (self.centre(rule, d) if self.mamdani else self.consequent(rule, row))
            for d, rule in zip(degrees, self.rules, strict=True)
        )
        return total / sum(degrees), True


def test_an_interpreter_of_the_standard_predicts_the_same(rule_base, rows, check):
    if not rule_base.antecedents.shares_labels:
        with pytest.raises(
            ValueError, match="In FML all rules share their labels, but these rules have fuzzy sets of their own"
        ):
            export_model(rule_base, "fml")
        return
    X = np.vstack([rows(rule_base, corners=False), on_split_points(rule_base)])
    for j, variable in enumerate(rule_base.variables):
        # The standard has triangles, but does not bring values inside of a domain.
        if len(variable.partition.triangles):
            X[:, j] = np.clip(X[:, j], *variable.partition.domain)
    interpreter = Interpreter(export_model(rule_base, "fml"))
    found = np.array([interpreter.predict(row) for row in np.hstack([X, read_again(rule_base, X)]).tolist()])
    _, fired = rule_base.activations(X)
    np.testing.assert_array_equal(found[:, 1], fired)
    # The centre of a triangle is written in another way there.
    check(rule_base, X[fired], found[fired, 0], rounding=1e-14)
    assert set(found[~fired, 0]) <= {interpreter.default}


def read_again(rule_base, X):
    """The columns of the inputs that curves give labels of their own; a single line needs none."""
    return X[:, [curve.input for curve in rule_base.curves if curve.n_pieces > 1]]


def on_split_points(rule_base):
    rng = np.random.default_rng(0)
    columns = []
    for variable in rule_base.variables:
        partition = variable.partition
        if partition.ordered:
            splits, half = np.array(partition.split_points), partition.half_widths
            values = [*splits, *(splits - half), *(splits + half), *partition.domain]
            values += [point for point in partition.triangles.ravel() if np.isfinite(point)]
            curve = rule_base.curve_of(len(columns))
            values += [] if curve is None else [*curve.partition.split_points, *curve.bends()[0]]
        else:
            values = [code for group in partition.groups for code in group]
        columns.append(rng.choice(values, 200))
    return np.column_stack(columns)


def test_a_range_of_labels_is_one_wider_trapezoid(make_rules):
    text = export_model(make_rules("mixed fuzziness"), "fml")
    assert re.search(r'<fuzzyTerm name="[^"]+ or [^"]+" complement="false">\s+<trapezoidShape ', text)
    assert 'scale="m"' in text


def test_where_no_rule_fires_the_mean_prediction_answers(make_rules):
    rule_base = make_rules("gaps")
    X = np.random.default_rng(0).uniform(0, 4, (50, 3))
    rule_base = rule_base.with_training(X, X[:, 0])
    assert Interpreter(export_model(rule_base, "fml")).default == pytest.approx(rule_base.predict(X).mean())


def test_a_rule_is_written_once_for_every_label_of_every_curve(make_rules):
    rule_base = make_rules("two curves")
    interpreter = Interpreter(export_model(rule_base, "fml"))
    assert interpreter.names == ["a", "b", "unused", "a (curve)", "unused (curve)"]
    assert len(interpreter.rules) == 5 * 5 * 2


def test_too_many_rules_are_refused_in_a_sentence(make_rules):
    rule_base = make_rules("gaps, product")
    splits = np.linspace(0.1, 3.9, 8)
    curves = [Curve(j, FuzzyPartition(splits, (0.0, 4.0)), np.ones((9, 2))) for j in range(3)]
    with pytest.raises(
        ValueError, match=r"without them, this model would have 2,187 rules, more than 2,000; choose another"
    ):
        export_model(replace(rule_base, curves=curves), "fml")
    export_model(replace(rule_base, curves=curves[:2]), "fml")


def test_a_curve_beside_the_minimum_of_conditions_is_refused(make_rules):
    rule_base = replace(make_rules("gaps and a curve"), t_norm="minimum")
    with pytest.raises(ValueError, match=r"cannot express rule 1 with a curve: .* combined by the minimum"):
        export_model(rule_base, "fml")


def test_one_condition_needs_no_minimum(make_rules):
    rule_base = make_rules("a curve of an input that rules look at")
    assert rule_base.t_norm == "minimum"
    methods = {rule.get("andMethod") for rule in Interpreter(export_model(rule_base, "fml")).rules}
    assert methods == {"PROD"}


@pytest.mark.parametrize("kind", MIXED_MODELS)
def test_the_inputs_of_a_table_predict_the_same(kind):
    # With the minimum a curve would be refused.
    rule_base, rows = replace(mixed_model(kind), t_norm="product"), mixed_rows()
    X = rule_base.inputs_of(rows)
    _, fired = rule_base.activations(rows)
    interpreter = Interpreter(export_model(rule_base, "fml"))
    found = np.array([interpreter.predict(row)[0] for row in np.hstack([X, read_again(rule_base, X)])[fired].tolist()])
    assert_same(found, rule_base.predict(rows)[fired])


def test_an_input_of_two_categories_tells_which_is_one():
    terms = Interpreter(export_model(mixed_model("one-hot"), "fml")).terms["sold"]
    assert [terms[f"sold = {value}"].get("param1") for value in (False, True)] == ["0.0", "1.0"]


def test_the_document_has_the_numbers_of_categories():
    rule_base, rows = mixed_model("growth"), mixed_rows()
    rows = rows[complete(rows)]
    interpreter = Interpreter(export_model(rule_base, "fml"))

    def number(name, value):
        if name == "size is missing":
            return 0.0
        if not isinstance(value, str | bool):
            return value
        return float(
            interpreter.terms[name][" ".join(f"{name} = {value!s}".replace("\n", "\\n").split())].get("param1")
        )

    columns = {variable.name: variable.column for variable in rule_base.variables}
    found = [
        interpreter.predict(
            [number(name, row.get(columns[name.removesuffix(" (curve)")])) for name in interpreter.names]
        )[0]
        for row in rows.to_dict("records")
    ]
    assert_same(found, rule_base.predict(rows))
    assert not [
        name for name in Interpreter(export_model(mixed_model("one-hot"), "fml")).terms["origin=usa"] if "= " in name
    ]
