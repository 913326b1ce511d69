"""What blocks say of rules, put together, is what the whole table says."""

from functools import reduce

import numpy as np
import pytest
from helpers.blocks import blocks_of

from fruler._table.rows import measure_scale
from fruler.distributed._summaries import Description, add_descriptions, describe_block
from fruler.rules import FuzzyPartition, RuleBase, Variable
from fruler.rules._measurement import measure_truth


@pytest.fixture
def rules():
    x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
    return RuleBase([x], [[[0, 0]], [[1, 1]]], [[0.0, 3.0], [10.0, 0.0]])


def described(rules, X, y, weight, *, with_truth):
    low, high = X.min(axis=0), X.max(axis=0)
    job = Description(rules, low, high, measure_scale(y), float(weight.mean()), with_truth)
    return reduce(add_descriptions, [describe_block(block, job) for block in blocks_of(X, y, 7, 7, 50, weight=weight)])


@pytest.mark.parametrize("unit", [1.0, 1e149])
def test_the_truth_of_blocks_is_that_of_the_table(rng, rules, unit):
    X, y, weight = rng.uniform(size=(90, 1)), rng.normal(5.0, 3.0, size=90) * unit, rng.uniform(0.5, 2.0, 90)
    rules = RuleBase(rules.variables, rules.antecedents, rules.consequents.coefficients * unit)
    found = described(rules, X, y, weight, with_truth=True).truth.truth(held_out=False)
    found = found.scaled(float(measure_scale(y).spread))
    expected = measure_truth(rules, X, y, weight, held_out=False)
    assert (found.together, found.alone) == pytest.approx((expected.together, expected.alone), rel=1e-12, abs=0)
    np.testing.assert_allclose(found.rule_together, expected.rule_together)
    np.testing.assert_allclose(found.rule_alone, expected.rule_alone)


def test_a_truth_that_is_known_is_not_measured_again(rng, rules):
    found = described(rules, rng.uniform(size=(90, 1)), rng.normal(size=90), np.ones(90), with_truth=False)
    assert found.truth is None
    assert found.sums[-1] == 90.0
