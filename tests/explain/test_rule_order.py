"""Rules in another order, or some of them."""

import numpy as np
import pytest
from helpers.dated_rules import dated_rules

from fruler.explain.rule_order import arranged, ordered_rules, rules_with, typical_outputs
from fruler.rules import Curve, FuzzyPartition, NominalPartition, RuleBase, Variable

X, Z = (Variable(name, FuzzyPartition([5.0], (0.0, 10.0), 0.0)) for name in "xz")
RULES = RuleBase([X, Z], [[[0, 0], [0, 1]], [[1, 1], [0, 1]]], [[0.0, 10.0, 0.0], [40.0, -1.0, 1.0]])


def test_the_typical_row_of_a_rule_is_one_that_it_applies_to():
    # Without training rows these are the middles: x is 2.5 or 7.5, and z is 5.
    np.testing.assert_allclose(typical_outputs(RULES), [25.0, 37.5], atol=0.5)
    assert ordered_rules(RULES, "output") == [0, 1]
    # Now most of the rows of the first rule are near 4.9, and z is mostly 0.
    values = np.column_stack([[4.9] * 8 + [0.0, 10.0], [0.0] * 9 + [10.0]])
    trained = RULES.with_training(values, np.arange(10.0))
    low = (8 * (11 + 0.5) / 24 * 10 + 0.5 / 24 * 10) / 9
    np.testing.assert_allclose(typical_outputs(trained), [10 * low, 40.0 - 23.5 / 24 * 10])
    assert ordered_rules(trained, "output") == [1, 0]
    assert ordered_rules(trained, "weight") == [0, 1]


def test_rules_on_categories_and_rules_that_no_row_fits():
    kind = Variable("kind", NominalPartition([[3.0], [1.0, 2.0]]))
    rules = RuleBase([kind, X], [[[0, 0], [0, 1]], [[1, 1], [1, 1]]], [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
    np.testing.assert_array_equal(typical_outputs(rules), [3.0, 1.0])
    # No training row has a high x.
    assert np.isfinite(typical_outputs(rules.with_training([[3.0, 1.0], [1.0, 2.0]], [1.0, 2.0]))).all()


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


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
@pytest.mark.parametrize("after", ["", "\n\nCurves\n  x adds 1"])
def test_rules_are_arranged_however_they_are_set_apart(gap, after):
    blocks = [f"Rule {number} (10%): if x\n  is Rule {number}" for number in range(1, 12)]
    text = "11 rules\n\n" + gap.join(blocks) + after
    assert arranged(text, range(11)) == text
    assert arranged(text, [10, 0]) == f"11 rules\n\n{blocks[10]}{gap}{blocks[0]}{after}"
    assert arranged("1 rule for y\n\ny = 3", [0]) == "1 rule for y\n\ny = 3"
