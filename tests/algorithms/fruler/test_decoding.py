import numpy as np
import pytest

from fruler._algorithms.fruler.chromosome import Chromosome, SearchSpace
from fruler._algorithms.fruler.decoding import build_rule_base
from fruler._algorithms.fruler.discretization import NestedSplits
from fruler._table.rows import Standardization, in_data_units

NESTED = [NestedSplits(np.array([5.0]), np.empty(0)), NestedSplits(np.array([20.0]), np.empty(0))]
DOMAINS = np.array([[0.0, 10.0], [10.0, 30.0]])
SCALE = Standardization(np.array([4.0, 21.0]), np.array([2.0, 5.0]))


def build(labels, t_norm="product"):
    space = SearchSpace.from_splits(NESTED, DOMAINS, SCALE, fuzziness=1.0, t_norm=t_norm)
    chromosome = Chromosome(np.array([2, 2], dtype=np.intc), np.array([[0.1], [0.2]]))
    coefficients = np.arange(3.0 * len(labels)).reshape(-1, 3)
    learned = np.array([0, 1]), np.array(labels), coefficients, np.zeros(5)
    return build_rule_base(
        chromosome, learned, (NESTED, DOMAINS), (SCALE, Standardization(np.array(7.0), np.array(3.0))), "ab", space
    )


def test_partitions_are_displaced_in_the_data_s_units():
    rules = build([[0, 0], [1, 1]])
    assert rules.variables[0].partition.split_points == pytest.approx((5.5,))
    assert rules.variables[1].partition.split_points == pytest.approx((22.0,))
    assert rules.antecedents.ranges[:, :, 0].tolist() == [[0, 0], [1, 1]]


def test_a_condition_of_all_rules_is_left_out_where_it_changes_nothing():
    rules = build([[0, 1], [1, 1]])
    assert [variable.partition.n_labels for variable in rules.variables] == [2, 1]
    full = build([[0, 1], [1, 1], [1, 0]])
    assert [variable.partition.n_labels for variable in full.variables] == [2, 2]
    rows = np.column_stack([np.linspace(0, 10, 50), np.linspace(21, 30, 50)])
    with_condition = build([[0, 1], [1, 1]], t_norm="minimum")
    assert [variable.partition.n_labels for variable in with_condition.variables] == [2, 2]
    # Under the product the condition would be a common factor.
    low, high = (rules.variables[0].partition.degrees(rows[:, 0])[:, k] for k in (0, 1))
    np.testing.assert_allclose(rules.activations(rows)[0], np.column_stack([low, high]))


def test_one_rule_looks_at_nothing():
    assert not build([[1, 0]]).looks_at.any()
    assert not build([[1, 0]], t_norm="minimum").looks_at.any()


def test_coefficients_come_back_in_the_data_s_units():
    coefficients = np.array([[0.5, 1.0, -2.0], [0.0, 0.0, 3.0]])
    output = Standardization(np.array(7.0), np.array(3.0))
    X = np.random.default_rng(0).normal(size=(20, 2)) * 10
    standardised = SCALE.apply(X) @ coefficients[:, 1:].T + coefficients[:, 0]
    converted = in_data_units(coefficients, SCALE, output)
    np.testing.assert_allclose(X @ converted[:, 1:].T + converted[:, 0], standardised * 3.0 + 7.0)
