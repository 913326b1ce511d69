"""What is known of inputs: what it allows in antecedents, and what it demands of terms."""

import numpy as np
import pytest
from helpers.structures import dense_terms, dense_weights, grow_at_random, problem_of, random_rows, standardised

from fruler._algorithms.growth.growth import Growth
from fruler._algorithms.growth.options import GrowthOptions
from fruler._algorithms.growth.problem import Knowledge
from fruler._algorithms.growth.structure import Structure


def obeys(structure, known):
    """Return whether the antecedents of a structure are allowed."""
    looks_at = (structure.bounds >= 0).any(axis=2)
    if (looks_at & ~known.may_split).any():
        return False
    return structure.n_rules == 1 or all(known.partners(own)[own].all() for own in looks_at)


def knowledge(signs, groups=None):
    made = None if groups is None else np.array([np.isin(np.arange(len(signs)), group) for group in groups])
    return Knowledge(np.array(signs, dtype=np.intc), made)


def chosen(n, *numbers):
    return np.isin(np.arange(n), numbers)


def bent(seed):
    """Rows of an output that goes up and down, with interactions."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, size=(300, 3))
    y = np.sin(4.0 * X[:, 0]) + X[:, 1] * (X[:, 0] > 0.0) + np.abs(X[:, 2]) * X[:, 1]
    return standardised(X, y)


def test_partners_share_a_group_with_all():
    known = knowledge([0] * 4, [[0, 1, 2], [2, 3]])
    assert known.partners(chosen(4)).tolist() == [True] * 4
    assert known.partners(chosen(4, 2)).tolist() == [True] * 4
    assert known.partners(chosen(4, 0)).tolist() == [True, True, True, False]
    assert known.partners(chosen(4, 2, 3)).tolist() == [False, False, True, True]
    assert not known.partners(chosen(4, 0, 3)).any()
    assert knowledge([0] * 4).partners(chosen(4, 0, 3)).all()


def test_options_say_it_by_name_and_some_inputs_are_taken_by_number():
    options = GrowthOptions(monotonic_constraints={"b": -1}, interaction_constraints=[["a", "b"], ["c"]])
    known = Knowledge.from_options(options, ["a", "b", "c"])
    assert known.signs.tolist() == [0, -1, 0]
    assert known.may_split.tolist() == [True, False, True]
    some = known.over(np.array([1, 2]))
    assert some.signs.tolist() == [-1, 0]
    assert sorted(some.groups.tolist()) == [[False, True], [True, False]]
    assert Knowledge.from_options(GrowthOptions(), ["a"]) is None


def test_a_block_depends_on_the_inputs_of_the_split_that_opened_it_and_of_those_before():
    # Rule 0 is split on input 0; its lower part on input 1; then the upper part of that on input 2.
    structure, first = Structure.undivided(4).with_split(0, 0.0, 0.1)
    structure, second = structure.divided(0, first).with_split(1, 0.0, 0.1)
    structure, third = structure.divided(0, second).with_split(2, 0.0, 0.1)
    structure = structure.divided(2, third)
    # Groups by which each input is allowed with some blocks and not with others.
    allowed = knowledge([0] * 4, [[0, 1, 2], [0, 3]]).limits(structure).allowed.reshape(4, 5)
    assert allowed[0].all()
    assert allowed[1].tolist() == [True, True, True, True, True]
    assert allowed[2].tolist() == [True, True, True, True, False]
    assert allowed[3].tolist() == [True, True, True, True, False]
    apart = knowledge([0] * 4, [[0, 1], [0, 3], [2]])
    assert not obeys(structure, apart)
    assert obeys(structure, knowledge([0] * 4, [[0, 1, 2], [3]]))
    assert not obeys(structure, knowledge([0, 0, 1, 0]))
    assert obeys(structure, knowledge([0, 0, 0, 1]))


def test_a_split_of_all_rules_of_a_block_does_not_add_to_what_it_depends_on():
    structure, first = Structure.undivided(3).with_split(0, 0.0, 0.1)
    structure, second = structure.divided(0, first).with_split(1, 0.0, 0.1)
    # The upper part is split on input 1: both of its parts have its block, which depends on input 0 alone.
    structure = structure.divided(1, second)
    allowed = knowledge([0] * 3, [[0, 1], [0, 2]]).limits(structure).allowed.reshape(3, 4)
    assert allowed[1].tolist() == [True] * 4
    assert allowed[2].tolist() == [True, True, True, False]


@pytest.mark.parametrize("seed", range(6))
def test_allowed_terms_do_not_interact_across_groups(seed):
    rng = np.random.default_rng(seed)
    rows, domains = random_rows(rng, 200, 4)
    groups = [[0, 1], [2, 3]]
    known = knowledge([0] * 4, groups)
    structures = [one for one in grow_at_random(rng, domains, 4, 2) if obeys(one, known)]
    assert structures
    X = rows.rows[:, 1:]
    other = X[rng.permutation(len(X))]
    for structure in structures:
        coefficients = rng.normal(size=structure.n_terms) * known.limits(structure).allowed

        def said(values, structure=structure, coefficients=coefficients):
            weights, terms = dense_weights(structure, values), dense_terms(structure, values)
            return (weights * (terms @ coefficients).T).sum(axis=1)

        one, two = X.copy(), X.copy()
        one[:, :2], two[:, 2:] = other[:, :2], other[:, 2:]
        np.testing.assert_allclose(said(other) - said(one) - said(two) + said(X), 0.0, atol=1e-11)


@pytest.mark.parametrize("seed", range(3))
def test_a_growth_obeys_at_every_size(seed):
    rows, domains = bent(seed)
    known = knowledge([1, 0, 0], [[0, 1], [1, 2]])
    growth = Growth(problem_of(rows, domains, knowledge=known))
    for step in growth.run():
        limits = known.limits(step.structure)
        assert obeys(step.structure, known)
        assert not step.fit.coefficients[~limits.allowed].any()
        assert (limits.inequalities @ step.fit.coefficients).min() > -1e-9
