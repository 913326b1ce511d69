"""Rules in another order, or some of them."""

import re

import numpy as np
import pytest
from helpers.dated_rules import dated_rules

from fruler import FuzzyRuleRegressor
from fruler.data import load_example
from fruler.explain._effects import typical_outputs
from fruler.explain.text import ordered_rules, rules_text, rules_with
from fruler.rules import Curve, FuzzyPartition, NominalPartition, RuleBase, Variable

X, Z = (Variable(name, FuzzyPartition([5.0], (0.0, 10.0), 0.0)) for name in "xz")
RULES = RuleBase([X, Z], [[[0, 0], [0, 1]], [[1, 1], [0, 1]]], [[0.0, 10.0, 0.0], [40.0, -1.0, 1.0]])


def test_the_typical_row_of_a_rule_is_one_that_it_applies_to():
    # Without training rows these are the middles: x is 2.5 or 7.5, and z is 5.
    np.testing.assert_allclose(typical_outputs(RULES), [25.0, 37.5])
    assert ordered_rules(RULES, "output") == [0, 1]
    # Now most of the rows of the first rule are near 4.9, and z is 0 or 10.
    values = np.column_stack([[4.9] * 8 + [0.0, 10.0], [0.0] * 9 + [10.0]])
    trained = RULES.with_training(values, np.arange(10.0))
    np.testing.assert_allclose(typical_outputs(trained), [10 * 8 * 4.9 / 9, 40.0 - 10.0 + 10.0], rtol=1e-5)
    assert ordered_rules(trained, "weight") == [0, 1]


def test_rules_on_categories_and_rules_that_no_row_fits():
    kind = Variable("kind", NominalPartition([[3.0], [1.0, 2.0]]))
    rules = RuleBase([kind, X], [[[0, 0], [0, 1]], [[1, 1], [1, 1]]], [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
    np.testing.assert_array_equal(typical_outputs(rules), [3.0, 1.0])
    # No training row has a high x.
    assert np.isfinite(typical_outputs(rules.with_training([[3.0, 1.0], [1.0, 2.0]], [1.0, 2.0]))).all()


@pytest.mark.parametrize("name", ["mv", "weather"])
def test_rules_in_the_order_of_their_outputs_print_outputs_in_that_order(name):
    example = load_example(name)
    rules = FuzzyRuleRegressor(random_state=0).fit(example.data, example.target).rule_base_
    text = rules_text(rules, width=200, rules=ordered_rules(rules, "output"), table=False)
    printed = [float(number) for number in re.findall(r"typical \w+ (-?[\d.]+)", text)]
    assert len(printed) == rules.n_rules > 2
    assert printed == sorted(printed)
    assert text.splitlines()[0] == rules_text(rules, width=200).splitlines()[0]


def test_a_curve_is_part_of_every_rule():
    assert rules_with(RULES, ["z"]) == [1]
    curve = Curve(1, FuzzyPartition([5.0], (0.0, 10.0), 0.5), [[0.0, 1.0], [2.0, 0.0]])
    curved = RuleBase(RULES.variables, RULES.antecedents, RULES.consequents, curves=[curve])
    assert rules_with(curved, ["z"]) == [0, 1]
    assert rules_with(RULES, []) == [0, 1]


def test_inputs_are_known_by_their_columns_too():
    rules = dated_rules()
    for name in ("fuel=gas", "fuel", "sold", "weekday"):
        assert rules_with(rules, [name]) == [0, 1]
    with pytest.raises(ValueError, match="there is no input 'feul'; did you mean 'fuel'"):
        rules_with(rules, ["feul"])
