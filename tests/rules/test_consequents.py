"""Linear consequents as values."""

import pickle

import numpy as np
import pytest

from fruler.rules import LinearConsequents

COEFFICIENTS = [[1.0, 2.0, 0.0], [3.0, -0.0, 0.0]]


def test_intercepts_slopes_and_terms():
    said = LinearConsequents(COEFFICIENTS)
    assert (said.n_rules, said.n_coefficients) == (2, 1)
    assert said.intercepts.tolist() == [1.0, 3.0]
    assert said.slopes.tolist() == [[2.0, 0.0], [0.0, 0.0]]
    assert said.inputs.tolist() == [0]
    assert [said.terms(rule) for rule in range(2)] == [{0: 2.0}, {}]


def test_it_is_frozen_equal_by_value_and_stays_so_in_a_copy():
    said, same = LinearConsequents(COEFFICIENTS), LinearConsequents(np.abs(COEFFICIENTS))
    assert said == same == pickle.loads(pickle.dumps(said))
    assert hash(said) == hash(same)
    assert said != LinearConsequents(COEFFICIENTS[:1])
    assert said != COEFFICIENTS
    with pytest.raises(ValueError, match="read-only"):
        said.coefficients[0, 0] = 7.0
    assert not pickle.loads(pickle.dumps(said)).coefficients.flags.writeable
    assert np.asarray(said).tolist() == COEFFICIENTS


@pytest.mark.parametrize("coefficients", [5.0, [1.0, 2.0], [[1.0]], [[np.inf, 0.0]]])
def test_anything_else_is_refused(coefficients):
    with pytest.raises(ValueError, match="must"):
        LinearConsequents(coefficients)
