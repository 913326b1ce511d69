"""Any rule base comes back from a file as it was, to the last bit."""

import json

import numpy as np
import pytest
from helpers.triangle_rules import KINDS, trained
from hypothesis import given
from hypothesis import strategies as st

from fruler._model_file.file import Model, model_bytes, parse_model
from fruler.rules import (
    Curve,
    FuzzyPartition,
    LabelConsequents,
    LabelTriangles,
    NominalPartition,
    OwnTriangles,
    RuleBase,
    TrianglePartition,
    Variable,
)

numbers = st.floats(-1e150, 1e150)
# Times the ends of domains they are still numbers.
coefficients = st.floats(-1e140, 1e140)
shares = st.floats(0.0, 1.0)
texts = st.text(st.characters(exclude_categories=("Cc", "Cs")), max_size=5)


@st.composite
def nominal_partitions(draw):
    codes = draw(st.lists(numbers, min_size=1, max_size=6, unique=True))
    cut = draw(st.integers(0, len(codes) - 1))
    return NominalPartition([codes[:cut], codes[cut:]] if cut else [codes])


@st.composite
def fuzzy_partitions(draw):
    edges = sorted(draw(st.lists(numbers, min_size=2, max_size=6, unique=True)))
    splits = edges[1:-1]
    fuzziness = draw(st.lists(shares, min_size=len(splits), max_size=len(splits)))
    labels = draw(st.lists(texts.filter(str.strip), min_size=len(splits) + 1, max_size=len(splits) + 1, unique=True))
    return FuzzyPartition(splits, (edges[0], edges[-1]), fuzziness, labels)


@st.composite
def curves(draw, variables):
    """Curves of some of the ordered inputs."""
    ordered = [j for j, variable in enumerate(variables) if variable.partition.ordered]
    found = []
    for j in draw(st.lists(st.sampled_from(ordered), unique=True)) if ordered else []:
        partition = draw(fuzzy_partitions())
        line = st.tuples(*[coefficients] * 2)
        lines = draw(st.lists(line, min_size=partition.n_labels, max_size=partition.n_labels))
        found.append(Curve(j, partition, lines))
    return found


@st.composite
def rule_bases(draw):
    names = draw(st.lists(texts.filter(bool), min_size=1, max_size=4, unique=True))
    variables = [Variable(name, draw(nominal_partitions() | fuzzy_partitions()), draw(texts)) for name in names]
    n_rules = draw(st.integers(1, 4))
    ranges = [
        [sorted(draw(st.tuples(*[st.integers(0, variable.partition.n_labels - 1)] * 2))) for variable in variables]
        for _ in range(n_rules)
    ]
    consequents = [[draw(coefficients) for _ in range(len(names) + 1)] for _ in range(n_rules)]
    support = draw(st.none() | st.lists(shares, min_size=n_rules, max_size=n_rules))
    t_norm = draw(st.sampled_from(["product", "minimum"]))
    return RuleBase(
        *(variables, ranges, consequents, t_norm, draw(texts), draw(texts), support), curves=draw(curves(variables))
    )


@st.composite
def triangles(draw, *, finite=False):
    """Three points; the first and the third may be infinite."""
    a, b, c = sorted(draw(st.lists(st.floats(-1e300, 1e300), min_size=3, max_size=3)))
    if finite:
        return a, b, c
    return (-np.inf if draw(st.booleans()) else a), b, (np.inf if draw(st.booleans()) else c)


@st.composite
def triangle_partitions(draw, *, finite=False):
    low, high = sorted(draw(st.lists(numbers, min_size=2, max_size=2)))
    points = sorted(draw(st.lists(triangles(finite=finite), min_size=1, max_size=4)), key=lambda triangle: triangle[1])
    labels = draw(st.lists(texts.filter(str.strip), min_size=len(points), max_size=len(points), unique=True))
    return TrianglePartition(points, (low, high), labels)


@st.composite
def triangle_rule_bases(draw):
    """Rules over triangles, shared or of their own, with either kind of consequents."""
    names = draw(st.lists(texts.filter(bool), min_size=1, max_size=3, unique=True))
    variables = [Variable(name, draw(triangle_partitions()), draw(texts)) for name in names]
    n_rules = draw(st.integers(1, 3))
    nothing = st.just((np.nan,) * 3)
    if draw(st.booleans()):
        own = [[draw(triangles() | nothing) for _ in names] for _ in range(n_rules)]
        where = OwnTriangles(own, variables)
    else:
        granularities = [variable.partition.n_labels for variable in variables]
        labels = [[draw(st.integers(-1, n - 1)) for n in granularities] for _ in range(n_rules)]
        where = LabelTriangles(labels, variables)
    said = [[draw(coefficients) for _ in range(len(names) + 1)] for _ in range(n_rules)]
    if draw(st.booleans()):
        target = draw(triangle_partitions(finite=True))
        said = LabelConsequents([draw(st.integers(0, target.n_labels - 1)) for _ in range(n_rules)], target)
    return RuleBase(variables, where, said, draw(st.sampled_from(["product", "minimum"])), draw(texts), draw(texts))


@given(triangle_rule_bases())
def test_every_rule_base_over_triangles_comes_back(rules):
    raw = model_bytes(Model(rules))
    again = parse_model(raw).rule_base
    assert again == rules
    assert json.loads(raw)["schema"] == 3
    assert model_bytes(Model(again)) == raw


@pytest.mark.parametrize("kind", KINDS)
def test_rules_over_triangles_come_back_with_their_training(kind):
    rules = trained(KINDS[kind]())
    assert parse_model(model_bytes(Model(rules))).rule_base == rules


@given(rule_bases())
def test_every_rule_base_comes_back(rules):
    raw = model_bytes(Model(rules))
    again = parse_model(raw).rule_base
    assert again == rules
    assert again.consequents.coefficients.tobytes() == rules.consequents.coefficients.tobytes()
    for curve, other in zip(again.curves, rules.curves, strict=True):
        assert curve.coefficients.tobytes() == other.coefficients.tobytes()
    assert model_bytes(Model(again)) == raw


def test_a_training_summary_comes_back_to_the_last_bit():
    rng = np.random.default_rng(0)
    x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
    rules = RuleBase([x], [[[0, 0]], [[1, 1]]], [[1.0, 2.0], [3.0, 0.0]])
    X = rng.normal(size=(50, 1))
    rules = rules.with_training(X, rng.normal(size=50))
    again = parse_model(model_bytes(Model(rules))).rule_base
    assert again == rules
    assert again.training.histograms.tobytes() == rules.training.histograms.tobytes()
    assert again.training.input_importance.tobytes() == rules.training.input_importance.tobytes()
    assert np.isnan(again.training.cv_rmse)


def test_a_person_finds_a_rule_a_line_and_an_input_a_line(fitted, tmp_path):
    fitted.save(tmp_path / "model.json")
    lines = (tmp_path / "model.json").read_text(encoding="utf-8").splitlines()
    rules = [line for line in lines if line.startswith('    {"if": ')]
    assert len(rules) == fitted.n_rules_
    assert json.loads(rules[0].rstrip(","))["then"]["intercept"] == fitted.rule_base_.consequents.coefficients[0, 0]
    assert len([line for line in lines if '"split_points": [' in line]) >= fitted.n_features_in_
    assert '   "random_state": 0,' in lines


def test_rows_are_counted_in_whole_numbers(fitted):
    document = json.loads(model_bytes(fitted._to_model()))
    histogram = document["rule_bases"][0]["training"]["inputs"]["humidity"]["histogram"]
    assert sum(histogram) == 730
    assert all(type(count) is int for count in histogram)


@pytest.mark.parametrize(
    ("name", "message"),
    [("a\x1b[31m", "control character"), ("a\x7f", "control character"), ("\x9b", "control"), ("a\ud800", "control")],
)
def test_a_name_that_no_file_should_hold_is_not_written(name, message):
    rules = RuleBase([Variable(name, FuzzyPartition([], (0.0, 1.0)))], [[[0, 0]]], [[1.0, 2.0]])
    with pytest.raises(ValueError, match=f"can't be written to a file: .*{message}.*rename it"):
        model_bytes(Model(rules))


@pytest.mark.parametrize("name", ["a\nb\tc\r", 'back\\slash "quoted"', "\\u001b", "\u2028\ufeff", "名前 é 😀", " "])
def test_odd_names_are_kept(name):
    rules = RuleBase([Variable(name, FuzzyPartition([], (0.0, 1.0)))], [[[0, 0]]], [[1.0, 2.0]])
    assert parse_model(model_bytes(Model(rules))).rule_base == rules


def test_more_than_a_file_can_hold_is_not_written():
    variables = [Variable(f"x{j}", FuzzyPartition([], (0.0, 1.0))) for j in range(2001)]
    rules = RuleBase(variables, np.zeros((2000, 2001, 2), dtype=int), np.zeros((2000, 2002)))
    with pytest.raises(ValueError, match="2,000 rules over 2,001 inputs are more than a file can hold"):
        model_bytes(Model(rules))
