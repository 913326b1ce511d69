import pickle
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from helpers import brute_force
from hypothesis import given
from hypothesis import strategies as st

from fruler.rules import FuzzyPartition, NominalPartition, RuleBase, Variable
from fruler.rules._tables import rules_table


@st.composite
def rule_bases(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    variables = []
    for j in range(draw(st.integers(1, 4))):
        if draw(st.integers(0, 3)) == 0:
            partition = NominalPartition([[0], [1, 2], [3]])
        else:
            splits = np.sort(rng.uniform(-1, 1, rng.integers(0, 4)))
            partition = FuzzyPartition(splits, (-2.0, 2.0), rng.uniform(0, 1, len(splits)))
        variables.append(Variable(f"v{j}", partition))
    m = draw(st.integers(1, 6))
    granularities = np.array([variable.partition.n_labels for variable in variables])
    antecedents = np.sort(rng.integers(0, granularities[None, :, None], (m, len(variables), 2)), axis=2)
    consequents = rng.normal(size=(m, len(variables) + 1))
    return RuleBase(variables, antecedents, consequents, draw(st.sampled_from(["product", "minimum"])))


@given(rule_bases(), st.integers(0, 2**32 - 1))
def test_compiled_and_numpy_agree(rules, seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 4, (40, len(rules.variables)))
    for j, variable in enumerate(rules.variables):
        if isinstance(variable.partition, NominalPartition):
            X[:, j] = rng.integers(0, 5, 40)  # 4 is in no group
    activations, fired = rules.activations(X)
    numpy_activations, numpy_fired = brute_force.activations(rules, X)
    np.testing.assert_array_equal(fired, numpy_fired)
    np.testing.assert_allclose(activations, numpy_activations, rtol=0, atol=1e-12)
    np.testing.assert_allclose(activations.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(rules.predict(X), brute_force.predictions(rules, X), rtol=0, atol=1e-11)


def two_inputs(**options):
    return RuleBase(
        [
            Variable("temperature", FuzzyPartition([10.0, 20.0], (0.0, 30.0)), "°C"),
            Variable("humidity", FuzzyPartition([50.0], (0.0, 100.0))),
        ],
        antecedents=[[[0, 0], [0, 1]], [[1, 2], [1, 1]]],
        consequents=[[1.0, 2.0, 0.0], [0.0, 0.0, 0.5]],
        target_name="power",
        **options,
    )


def test_the_output_is_the_mean_weighted_by_degrees():
    rules = two_inputs()
    # temperature 12.5: low 0.25, medium 0.75; humidity 75: high 0.75.
    first, second = 0.25, 0.75 * 0.75
    expected = (first * (1 + 2 * 12.5) + second * 0.5 * 75) / (first + second)
    assert rules.predict([[12.5, 75.0]]) == pytest.approx(expected)
    second = 0.75
    expected = (first * (1 + 2 * 12.5) + second * 0.5 * 75) / (first + second)
    assert two_inputs(t_norm="minimum").predict([[12.5, 75.0]]) == pytest.approx(expected)


def test_a_range_of_labels_accepts_their_sum():
    # 18 °C lies between medium and high; the second rule takes both.
    activations, fired = two_inputs().activations([[18.0, 100.0]])
    assert fired.all()
    np.testing.assert_allclose(activations, [[0.0, 1.0]])


def test_where_no_rule_fires_the_nearest_answers():
    rules = two_inputs()
    X = [[25.0, 0.0], [16.0, -10.0]]
    activations, fired = rules.activations(X)
    assert fired.tolist() == [False, False]
    assert activations.tolist() == [[0.0, 1.0], [0.0, 1.0]]
    assert rules.predict(X).tolist() == [0.0, -5.0]


def test_rules_are_spelled_out():
    first, second = two_inputs().rules
    assert first.antecedent == {"temperature": ("low",)}
    assert first.coefficients == {"temperature": 2.0}
    assert second.antecedent == {"temperature": ("medium", "high"), "humidity": ("high",)}
    assert (second.intercept, second.coefficients) == (0.0, {"humidity": 0.5})


def test_a_rule_that_looks_at_nothing_is_a_linear_formula():
    line = RuleBase([Variable("x", FuzzyPartition([], (0, 1)))], [[[0, 0]]], [[1.0, 2.0]])
    assert line.predict([[-5.0], [0.0], [3.0]]).tolist() == [-9.0, 1.0, 7.0]
    assert line.rules[0].antecedent == {}


def test_names_and_units_may_be_given():
    rules = two_inputs().with_labels({"humidity": ["dry", "wet"]}).with_units({"humidity": "%", "power": "kW"})
    assert rules.rules[1].antecedent["humidity"] == ("wet",)
    assert [variable.unit for variable in rules.variables] == ["°C", "%"]
    assert rules.target_unit == "kW"
    with pytest.raises(ValueError, match="no input 'wind'; the inputs are temperature, humidity"):
        rules.with_units({"wind": "m/s"})


def test_rule_bases_are_frozen_values():
    rules = two_inputs()
    assert rules == two_inputs()
    assert hash(rules) == hash(two_inputs())
    assert rules != two_inputs(t_norm="minimum")
    assert rules != "rules"
    assert repr(rules) == "<RuleBase: 2 rules over 2 inputs for 'power'>"
    with pytest.raises(AttributeError):
        rules.t_norm = "minimum"
    with pytest.raises(ValueError, match="read-only"):
        rules.consequents.coefficients[0, 0] = 7.0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"variables": ()}, "at least one input"),
        ({"antecedents": [[[0, 0]]]}, r"must have the shape \(rules, 2, 2\); got \(1, 1, 2\)"),
        ({"antecedents": [[[0, 0], [0, 0]]]}, "need consequents of shape"),
        ({"antecedents": [[[0, 0], [0, 2]], [[1, 2], [1, 1]]]}, "Rule 0 accepts the labels 0 to 2 of 'humidity'"),
        ({"antecedents": [[[1, 0], [0, 1]], [[1, 2], [1, 1]]]}, "Rule 0 accepts the labels 1 to 0"),
        ({"consequents": [[np.nan, 0, 0], [0, 0, 0]]}, "finite"),
        ({"t_norm": "maximum"}, "t_norm must be one of product, minimum"),
        ({"variables": ["temperature", "humidity"]}, "must be Variable objects"),
        ({"variables": [Variable("", FuzzyPartition([], (0, 1)))] * 2}, "must have names"),
        ({"consequents": 5.0}, r"must have the shape \(rules, inputs \+ 1\)"),
        ({"consequents": np.empty((0, 3)), "antecedents": np.empty((0, 2, 2))}, "at least one input and one rule"),
        ({"antecedents": np.full((2, 2, 2), 0.5)}, "whole numbers"),
        ({"antecedents": np.full((2, 2, 2), 2**40)}, "must be label numbers"),
    ],
)
def test_bad_rule_bases_are_refused(changes, message):
    rules = two_inputs()
    arguments = {
        "variables": rules.variables,
        "antecedents": rules.antecedents,
        "consequents": rules.consequents,
        "t_norm": rules.t_norm,
    }
    with pytest.raises(ValueError, match=message):
        RuleBase(**(arguments | changes))


def test_two_inputs_of_one_name_are_refused():
    variable = Variable("x", FuzzyPartition([], (0, 1)))
    with pytest.raises(ValueError, match="distinct names"):
        RuleBase([variable, variable], [[[0, 0], [0, 0]]], [[0.0, 0.0, 0.0]])


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[1.0]], "expect rows of 2 inputs"),
        ([1.0, 2.0], "expect rows of 2 inputs"),
        ([[1.0, 2.0], [np.nan, 0.0]], "NaN in column 'temperature', row 1"),
        ([[1.0, np.inf]], "infinity in column 'humidity', row 0"),
        ([["warm", 1.0]], "column 'temperature', row 0 .*, is 'warm', but the model was fitted on numbers"),
        (pd.DataFrame({"temperature": [1.0], "wind": [2.0]}), "no column 'humidity'"),
        (None, "table of numbers|shape"),
    ],
)
def test_bad_rows_are_refused(X, message):
    with pytest.raises(ValueError, match=message):
        two_inputs().predict(X)


def test_the_names_of_columns_win_over_their_order():
    rules = two_inputs()
    X = pd.DataFrame({"humidity": [75.0], "note": [0.0], "temperature": [12.5]})
    assert rules.predict(X) == rules.predict([[12.5, 75.0]])
    assert rules.predict(pl.from_pandas(X)) == rules.predict([[12.5, 75.0]])
    assert rules.predict(pd.DataFrame([[12.5, 75.0]])) == rules.predict([[12.5, 75.0]])


def test_copies_are_frozen_too():
    for copy in (pickle.loads(pickle.dumps(two_inputs())), deepcopy(two_inputs())):
        assert copy == two_inputs()
        assert not copy.consequents.coefficients.flags.writeable


def test_a_negative_zero_is_a_zero():
    rules = two_inputs()
    other = replace(
        rules, consequents=np.where(rules.consequents.coefficients == 0, -0.0, rules.consequents.coefficients)
    )
    assert (rules == other, hash(rules)) == (True, hash(other))


def test_no_rows_give_no_predictions():
    assert two_inputs().predict(np.empty((0, 2))).shape == (0,)


def test_tables_of_many_rules_and_inputs_are_made_at_once():
    rng = np.random.default_rng(0)
    variables = [Variable(f"v{j}", FuzzyPartition([0.5], (0.0, 1.0))) for j in range(120)]
    X = rng.uniform(size=(5, 120))
    rules = RuleBase(variables, [[[0, 1]] * 119 + [[0, 0]]] * 120, rng.normal(size=(120, 121))).with_training(
        X, X[:, 0]
    )
    # A table that grows column by column is slow, of which pandas warns.
    assert rules_table(rules).shape == (120, 1 + 4 + 120)
    assert rules.explain(X).to_frame().shape == (5, 2 + 120 + 120 + 2 + 4)


def test_an_input_is_used_in_a_condition_or_with_a_slope():
    variables = [Variable(name, FuzzyPartition([0.5], (0.0, 1.0))) for name in "abcd"]
    antecedents = np.array([[[0, 0], [0, 1], [0, 1], [0, 0]], [[1, 1], [0, 1], [0, 1], [1, 1]]])
    rules = RuleBase(variables, antecedents, [[1.0, 0.0, 2.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0, 3.0]])
    assert rules.uses.tolist() == [True, True, False, True]
