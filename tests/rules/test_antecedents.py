"""Antecedents as values: what each rule looks at, and how strongly it fires."""

import pickle

import numpy as np
import pytest
from helpers import brute_force

from fruler.rules import FuzzyPartition, LabelRanges, NominalPartition, Variable

HEAT = Variable("heat", FuzzyPartition([10.0, 20.0], (0.0, 30.0)))
FUEL = Variable("fuel", NominalPartition([[0], [1, 2]], ["oil", "gas"]))
RANGES = [[[0, 0], [0, 1]], [[1, 2], [1, 1]], [[0, 2], [0, 1]]]


def test_a_rule_looks_at_what_it_does_not_accept_wholly():
    rules = LabelRanges(RANGES, [HEAT, FUEL])
    assert rules.looks_at.tolist() == [[True, False], [True, True], [False, False]]
    assert rules.inputs.tolist() == [0, 1]
    assert [rules.conditions(rule) for rule in range(3)] == [[(0, 0, 0)], [(0, 1, 2), (1, 1, 1)], []]
    assert rules.accepted(1, 0) == (1, 2)
    assert rules.granularities.tolist() == [3, 2]


@pytest.mark.parametrize("t_norm", ["product", "minimum"])
def test_weights_sum_to_one_and_the_kernel_agrees_with_numpy(t_norm, rng):
    rules = LabelRanges(RANGES[:2], [HEAT, FUEL])
    values = np.column_stack([rng.uniform(-5, 35, 50), rng.integers(0, 4, 50)])
    weights, fired = rules.activations(values, t_norm)
    again, fired_again = brute_force.weights_of(rules, values, t_norm)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)
    np.testing.assert_allclose(weights, again, atol=1e-12)
    assert fired.tolist() == fired_again.tolist()
    assert 0 < fired.sum() < 50


def test_it_is_frozen_equal_by_value_and_stays_so_in_a_copy():
    rules, same = (LabelRanges(RANGES, [HEAT, FUEL]) for _ in range(2))
    assert rules == same == pickle.loads(pickle.dumps(rules))
    assert hash(rules) == hash(same)
    assert rules != LabelRanges(RANGES[:2], [HEAT, FUEL])
    assert rules != RANGES
    assert not pickle.loads(pickle.dumps(rules)).ranges.flags.writeable
    assert np.asarray(rules).tolist() == RANGES
