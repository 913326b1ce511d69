"""Parts of a prediction against what theory says of them."""

import itertools
import math

import numpy as np
import pytest

from fruler.rules import Curve, FuzzyPartition, NominalPartition, RuleBase, Variable
from fruler.rules._inference import parts_from, turns_of


def crossed(n_inputs, n_looked_at, rng, t_norm="product"):
    """Rules over all combinations of low and high of the first inputs, with outputs at random."""
    variables = [
        Variable(f"x{j}", FuzzyPartition([0.4 + 0.05 * j] if j < n_looked_at else [], (0.0, 1.0)))
        for j in range(n_inputs)
    ]
    corners = list(itertools.product([0, 1], repeat=n_looked_at))
    antecedents = np.zeros((len(corners), n_inputs, 2), dtype=int)
    antecedents[:, :n_looked_at] = np.array(corners)[:, :, None]
    return RuleBase(variables, antecedents, rng.normal(size=(len(corners), n_inputs + 1)), t_norm)


def shapley(rule_base, row, typical):
    """Shapley values by their definition, over all coalitions."""
    p = len(row)
    worth = {}
    for coalition in itertools.product([False, True], repeat=p):
        worth[coalition] = rule_base.predict(np.where(coalition, row, typical)[None])[0]
    values = np.zeros(p)
    for coalition, value in worth.items():
        size = sum(coalition)
        for j in range(p):
            if not coalition[j]:
                joined = (*coalition[:j], True, *coalition[j + 1 :])
                share = math.factorial(size) * math.factorial(p - size - 1) / math.factorial(p)
                values[j] += share * (worth[joined] - value)
    return values


@pytest.mark.parametrize("t_norm", ["product", "minimum"])
@pytest.mark.parametrize("n_looked_at", [0, 1, 3, 10])
def test_parts_sum_to_the_difference(n_looked_at, t_norm, rng):
    rules = crossed(12, n_looked_at, rng, t_norm)
    X, typical = rng.uniform(-0.2, 1.2, (20, 12)), rng.uniform(size=12)
    difference = rules.predict(X) - rules.predict(typical[None])
    np.testing.assert_allclose(parts_from(rules, X, typical).sum(axis=1), difference, rtol=0, atol=1e-12)


def test_two_inputs_that_act_together_share_as_shapley_says(rng):
    constants = crossed(3, 2, rng)
    rules = RuleBase(
        constants.variables, constants.antecedents, constants.consequents.coefficients * [1.0, 0.0, 0.0, 0.0]
    )
    X, typical = rng.uniform(size=(5, 3)), rng.uniform(size=3)
    expected = [shapley(rules, row, typical) for row in X]
    np.testing.assert_allclose(parts_from(rules, X, typical), expected, atol=1e-12)


def test_a_slope_that_depends_on_one_other_input_is_shared_as_shapley_says(rng):
    rules = crossed(2, 1, rng)
    X, typical = rng.uniform(size=(5, 2)), rng.uniform(size=2)
    expected = [shapley(rules, row, typical) for row in X]
    np.testing.assert_allclose(parts_from(rules, X, typical), expected, atol=1e-12)


def test_more_inputs_together_are_near_to_shapley(rng):
    rules = crossed(4, 4, rng)
    X, typical = rng.uniform(size=(30, 4)), rng.uniform(size=4)
    expected = np.array([shapley(rules, row, typical) for row in X])
    parts = parts_from(rules, X, typical)
    assert np.abs(parts - expected).mean() < 0.1 * np.abs(expected).mean()


def test_inputs_that_play_the_same_part_get_the_same(rng):
    """All three must be high for the one rule that says something."""
    x = [Variable(f"x{j}", FuzzyPartition([0.5], (0.0, 1.0))) for j in range(3)]
    corners = np.array(list(itertools.product([0, 1], repeat=3)))
    outputs = np.zeros((8, 4))
    outputs[7, 0] = 6.0
    rules = RuleBase(x, np.repeat(corners[:, :, None], 2, axis=2), outputs)
    np.testing.assert_allclose(parts_from(rules, np.ones((1, 3)), np.zeros(3)), [[2.0, 2.0, 2.0]], atol=1e-12)


def test_an_input_without_influence_has_no_part(rng):
    rules = crossed(4, 2, rng)
    idle = rules.consequents.coefficients.copy()
    idle[:, 4] = 0.0
    rules = RuleBase(rules.variables, rules.antecedents, idle)
    assert (parts_from(rules, rng.uniform(size=(9, 4)), np.full(4, 0.5))[:, 3] == 0.0).all()


def test_rows_that_fit_no_rule_are_parted_too(rng):
    colour = Variable("colour", NominalPartition([[0.0], [1.0]]))
    x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0), 0.0))
    rules = RuleBase([colour, x], [[[0, 0], [0, 0]], [[1, 1], [1, 1]]], [[1.0, 0.0, 2.0], [-3.0, 0.0, 1.0]])
    X = np.array([[0.0, 0.9], [7.0, 0.2], [1.0, 0.1]])
    typical = np.array([0.0, 0.3])
    difference = rules.predict(X) - rules.predict(typical[None])
    np.testing.assert_allclose(parts_from(rules, X, typical).sum(axis=1), difference, atol=1e-12)


def test_curves_are_parted_as_shapley_says(rng):
    """Of an input that is only in the consequents, of one in the antecedents, and of one that is nowhere else."""
    plain = crossed(3, 1, rng)
    idle = plain.consequents.coefficients * [1.0, 1.0, 1.0, 0.0]
    curves = [Curve(j, FuzzyPartition([0.3], (0.0, 1.0), 0.5 * j), rng.normal(size=(2, 2))) for j in range(3)]
    rules = RuleBase(plain.variables, plain.antecedents, idle, curves=curves)
    X, typical = rng.uniform(-0.2, 1.2, (6, 3)), rng.uniform(size=3)
    expected = [shapley(rules, row, typical) for row in X]
    np.testing.assert_allclose(parts_from(rules, X, typical), expected, atol=1e-12)


def test_no_more_than_eight_orders():
    turns = turns_of(np.arange(20))
    assert len(turns) == 8
    assert len({turn[0] for turn in turns}) == 8
    assert all(sorted(turn) == list(range(20)) for turn in turns)
