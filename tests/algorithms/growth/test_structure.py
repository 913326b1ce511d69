"""Split points, rules and blocks: whatever is done to them, rules share every row among them."""

from dataclasses import replace

import numpy as np
from helpers.examples import examples
from helpers.structures import (
    dense_terms,
    dense_weights,
    ends_of,
    flat_place,
    grow_at_random,
    make_ramps,
    n_accepting,
    same_structure,
)
from hypothesis import given
from hypothesis import strategies as st

from fruler._algorithms.growth.structure import Ramps, Structure

seeds = st.integers(0, 2**32 - 1)
few = examples(0.3)
DOMAINS = np.array([[-1.0, 2.0], [0.0, 5.0], [-3.0, -1.0]])


def random_structure(seed, n_splits, n_bends=0):
    return grow_at_random(np.random.default_rng(seed), DOMAINS, n_splits, n_bends)[-1]


def random_table(seed, n_rows=60):
    # Beyond the domains, too.
    return np.random.default_rng(seed).uniform(DOMAINS[:, 0] - 0.5, DOMAINS[:, 1] + 0.5, size=(n_rows, 3))


def test_one_rule_accepts_everything():
    structure = Structure.undivided(2)
    assert (structure.n_rules, structure.n_inputs, structure.size, structure.n_curves) == (1, 2, 0, 0)
    assert structure.bounds.tolist() == [[[-1, -1], [-1, -1]]]
    assert structure.n_terms == 3
    assert structure.in_reading_order() is structure
    assert list(structure.reunions()) == []


@few
@given(seeds, st.integers(1, 10), st.integers(0, 3))
def test_rules_share_every_row_after_any_sequence_of_splits(seed, n_splits, n_bends):
    structures = grow_at_random(np.random.default_rng(seed), DOMAINS, n_splits, n_bends)
    for size, structure in enumerate(structures):
        assert structure.size == size
        assert structure.n_rules == min(size, n_splits) + 1
        assert structure.n_terms == 4 * structure.n_rules + 2 * len(structure.bends)
        assert (n_accepting(structure, DOMAINS) == 1).all()
        weights = dense_weights(structure, random_table(seed))
        assert (weights > -1e-12).all()
        np.testing.assert_allclose(weights.sum(axis=1), 1.0, rtol=1e-12)


@few
@given(seeds, st.integers(0, 8))
def test_dividing_a_rule_shares_out_its_rows_and_no_other_s(seed, n_splits):
    before, X = random_structure(seed, n_splits), random_table(seed)
    rule = seed % before.n_rules
    place = flat_place(before, rule, 1, DOMAINS)
    with_split, number = before.with_split(1, place, 1e-9)
    assert number == len(before.splits)
    # A split point that no rule uses changes none of them.
    np.testing.assert_array_equal(dense_weights(with_split, X), dense_weights(before, X))
    after = with_split.divided(rule, number)
    old, new = dense_weights(before, X), dense_weights(after, X)
    np.testing.assert_array_equal(np.delete(new[:, :-1], rule, axis=1), np.delete(old, rule, axis=1))
    # What is below stays, what is above comes last.
    inside = np.abs(X[:, 1] - place) > 1e-6
    np.testing.assert_allclose(new[inside, rule] + new[inside, -1], old[inside, rule], atol=1e-12)
    assert not new[X[:, 1] > place + 1e-6, rule].any()
    assert not new[X[:, 1] < place - 1e-6, -1].any()


@few
@given(seeds, st.integers(0, 6), st.integers(0, 2))
def test_a_rule_inherits_the_blocks_of_the_one_it_was_split_from(seed, n_splits, n_bends):
    before = random_structure(seed, n_splits, n_bends)
    rule = seed % before.n_rules
    with_split, number = before.with_split(0, sum(ends_of(before, rule, 0, DOMAINS)) / 2.0, 0.01)
    after = with_split.divided(rule, number)
    n = before.n_rules
    assert np.array_equal(after.blocks[:n, :n], before.blocks)
    assert after.blocks[n].tolist() == [*before.blocks[rule].tolist(), 1.0]
    assert not after.blocks[:n, n].any()
    assert after.openers.tolist() == [*before.openers.tolist(), number]
    # Where the new block has no terms, nothing that rules say is changed.
    X, q = random_table(seed), 4
    coefficients = np.random.default_rng(seed).normal(size=before.n_terms)
    old = dense_terms(before, X) @ coefficients
    new = dense_terms(after, X) @ np.insert(coefficients, [n * q] * q, 0.0)
    np.testing.assert_allclose(new, [*old, old[rule]], atol=1e-12)


@few
@given(seeds, st.integers(0, 8), st.integers(0, 2))
def test_reuniting_takes_back_what_dividing_did(seed, n_splits, n_bends):
    before = random_structure(seed, n_splits, n_bends)
    rule = seed % before.n_rules
    with_split, number = before.with_split(2, sum(ends_of(before, rule, 2, DOMAINS)) / 2.0, 0.01)
    after = with_split.divided(rule, number)
    assert (rule, before.n_rules) in list(after.reunions())
    reunited, block = after.reunited(rule, before.n_rules)
    assert same_structure(reunited, before)
    assert block == before.n_rules


@few
@given(seeds, st.integers(1, 8))
def test_every_reunion_joins_two_rules_and_leaves_the_others_alone(seed, n_splits):
    structure, X = random_structure(seed, n_splits), random_table(seed)
    weights = dense_weights(structure, X)
    # The two rules of the last split have not been split again; others may be the same.
    pairs = list(structure.reunions())
    assert pairs
    assert len(set(pairs)) == len(pairs)
    for lower, upper in pairs:
        smaller, block = structure.reunited(lower, upper)
        assert smaller.n_rules == structure.n_rules - 1
        expected = weights.copy()
        expected[:, lower] += weights[:, upper]
        np.testing.assert_allclose(dense_weights(smaller, X), np.delete(expected, upper, axis=1), atol=1e-12)
        # Without the terms of the block that is closed both said the same.
        coefficients = np.random.default_rng(seed).normal(size=structure.n_terms)
        own = np.arange(4 * block, 4 * block + 4)
        coefficients[own] = 0.0
        said = np.delete(dense_terms(structure, X) @ coefficients, upper, axis=0)
        np.testing.assert_allclose(dense_terms(smaller, X) @ np.delete(coefficients, own), said, atol=1e-12)
        # No split point is left that no rule uses.
        used = np.unique(smaller.bounds[smaller.bounds >= 0])
        assert used.tolist() == list(range(len(smaller.splits)))


def test_a_structure_is_taken_apart_to_one_rule():
    for seed in range(5):
        structure = random_structure(seed, 9)
        while structure.n_rules > 1:
            structure, _ = structure.reunited(*next(structure.reunions()))
        assert same_structure(structure, Structure.undivided(3))


def test_rules_that_were_split_again_are_not_reunited():
    structure, _ = Structure.undivided(2).with_split(0, 0.0, 0.1)
    structure = structure.divided(0, 0)
    structure, second = structure.with_split(1, 2.0, 0.1)
    both = structure.divided(0, second).divided(1, second)
    assert list(structure.divided(0, second).reunions()) == [(0, 2)]
    assert list(structure.divided(1, second).reunions()) == [(1, 2)]
    assert sorted(both.reunions()) == [(0, 2), (1, 3)]
    # A split point that another rule still uses stays.
    reunited, _ = both.reunited(0, 2)
    assert reunited.splits.places.tolist() == [0.0, 2.0]
    assert reunited.bounds.tolist() == [[[-1, 0], [-1, -1]], [[0, -1], [-1, 1]], [[0, -1], [1, -1]]]


@few
@given(seeds, st.integers(1, 8), st.integers(0, 2))
def test_reading_order_sorts_rules_and_changes_none(seed, n_splits, n_bends):
    structure, X = random_structure(seed, n_splits, n_bends), random_table(seed)
    ordered = structure.in_reading_order()
    coefficients = np.random.default_rng(seed).normal(size=structure.n_terms)

    def rules(one):
        weights, said = dense_weights(one, X).T, dense_terms(one, X) @ coefficients
        return sorted(map(tuple, np.round(np.concatenate([weights, said], axis=1), 9).tolist()))

    assert rules(ordered) == rules(structure)
    first = structure.splits.inputs[structure.openers[1]]
    ends = [ends_of(ordered, rule, first, DOMAINS) for rule in range(ordered.n_rules)]
    assert ends == sorted(ends)
    # Sorted once, they stay so.
    assert same_structure(ordered.in_reading_order(), ordered)


def test_rules_read_from_low_to_high_by_the_input_that_was_split_first():
    structure, _ = Structure.undivided(2).with_split(1, 2.0, 0.1)
    structure, _ = structure.divided(0, 0).with_split(0, 0.5, 0.1)
    structure = structure.divided(0, 1).divided(1, 1)
    structure, _ = structure.with_split(1, 1.0, 0.1)
    structure = structure.divided(2, 2).in_reading_order()
    ends = [[ends_of(structure, rule, j, DOMAINS[:2]) for j in (1, 0)] for rule in range(5)]
    assert ends == [
        [(0.0, 1.0), (0.5, 2.0)],
        [(0.0, 2.0), (-1.0, 0.5)],
        [(1.0, 2.0), (0.5, 2.0)],
        [(2.0, 5.0), (-1.0, 0.5)],
        [(2.0, 5.0), (0.5, 2.0)],
    ]


@few
@given(seeds, st.integers(0, 9))
def test_conditions_are_the_bounds_that_there_are(seed, n_splits):
    structure = random_structure(seed, n_splits)
    first, lower, upper = structure.conditions
    for rule, bounds in enumerate(structure.bounds):
        told = [[lower[c], upper[c]] for c in range(first[rule], first[rule + 1])]
        assert told == [pair.tolist() for pair in bounds if (pair >= 0).any()]
    assert first[-1] == len(lower) == len(upper)


@few
@given(seeds, st.integers(0, 9))
def test_uses_are_where_split_points_occur(seed, n_splits):
    structure = random_structure(seed, n_splits)
    starts, rules, conditions, signs = structure.uses
    first, lower, upper = structure.conditions
    assert len(starts) == len(structure.splits) + 1
    for point in range(len(structure.splits)):
        own = slice(starts[point], starts[point + 1])
        found = set(zip(rules[own].tolist(), conditions[own].tolist(), signs[own].tolist(), strict=True))
        expected = {
            (rule, c, sign)
            for rule in range(structure.n_rules)
            for c in range(first[rule], first[rule + 1])
            for sign, side in ((1.0, lower), (-1.0, upper))
            if side[c] == point
        }
        assert found == expected
        assert len(found) == starts[point + 1] - starts[point] > 0


@few
@given(seeds, st.integers(0, 6), st.integers(0, 2))
def test_terms_tell_block_column_and_origin(seed, n_splits, n_bends):
    structure, X = random_structure(seed, n_splits, n_bends), random_table(seed)
    columns, places = structure.origins
    assert (columns[0], places[0]) == (0, 0.0)
    numbers = np.random.default_rng(seed).permutation(structure.n_terms)
    blocks, columns, origins = structure.terms(numbers)
    rows, terms = np.column_stack([np.ones(len(X)), X]), dense_terms(structure, X)
    for number, block, column, origin in zip(numbers, blocks, columns, origins, strict=True):
        if block < 0:
            assert column == number - 4 * structure.n_rules
            assert origin == 0.0
        else:
            for rule in range(structure.n_rules):
                expected = structure.blocks[rule, block] * (rows[:, column] - origin)
                np.testing.assert_allclose(terms[rule, :, number], expected, atol=1e-12)


def test_the_origin_of_a_block_is_the_split_point_that_opened_it():
    structure, _ = Structure.undivided(2).with_split(1, 2.0, 0.1)
    columns, places = structure.divided(0, 0).origins
    assert (columns.tolist(), places.tolist()) == ([0, 2], [0.0, 2.0])


def test_split_points_of_an_input_are_told_from_low_to_high():
    points = make_ramps((1, 3.0, 0.1), (0, 2.0, 0.2), (1, 1.0, 0.3))
    assert (points.of(0).tolist(), points.of(1).tolist(), points.of(2).tolist()) == ([1], [2, 0], [])
    assert points.take(np.array([2])).arrays[1].tolist() == [1.0]
    assert len(points.with_point(0, 5.0, 0.4)) == 4
    assert len(points) == 3
    assert len(Ramps.none()) == 0


def test_bends_are_added_and_dropped():
    structure = Structure.undivided(2).with_bend(1, 2.0, 0.1).with_bend(1, 3.0, 0.2).with_bend(0, 0.5, 0.3)
    assert (structure.size, structure.n_curves, structure.n_rules, structure.n_terms) == (3, 2, 1, 9)
    smaller = structure.without_bend(1)
    assert smaller.bends.places.tolist() == [2.0, 0.5]
    assert smaller.n_curves == 2
    assert smaller.without_bend(0).n_curves == 1


@few
@given(seeds, st.integers(0, 8), st.integers(1, 5))
def test_dropping_idle_splits_changes_no_rule(seed, n_splits, n_idle):
    before = structure = random_structure(seed, n_splits)
    # Idle ones between the others: what is behind them gets other numbers.
    order = np.random.default_rng(seed).permutation(len(before.splits) + n_idle)
    for j in range(n_idle):
        structure, _ = structure.with_split(j % 3, 0.1 * j, 0.01)
    number = np.append(np.argsort(order), -1).astype(np.intc)
    mixed = replace(
        structure,
        splits=structure.splits.take(order),
        bounds=number[structure.bounds],
        openers=number[structure.openers],
    )
    after, X = mixed.without_idle_splits(), random_table(seed)
    assert len(after.splits) == len(before.splits)
    np.testing.assert_array_equal(dense_weights(after, X), dense_weights(before, X))
    np.testing.assert_array_equal(dense_terms(after, X), dense_terms(before, X))
    assert after.without_idle_splits() is after
