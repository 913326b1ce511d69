"""Splits and ranges of labels: whatever is done to them, rules share every row among them."""

import numpy as np
import pytest
from helpers.examples import examples
from helpers.structures import grow_at_random, n_accepting
from hypothesis import given
from hypothesis import strategies as st

from fruler.algorithms.growth.structure import Structure
from fruler.kernels import growth

seeds = st.integers(0, 2**32 - 1)
few = examples(0.4)
DOMAINS = np.array([[-1.0, 2.0], [0.0, 5.0], [-3.0, -1.0]])


def weights_of(structure, X, domains=DOMAINS):
    return growth.rule_weights(np.ascontiguousarray(X.T), *structure.ramps(domains), structure.ranges)


def random_table(rng, n_rows=60):
    # Beyond the domains, too.
    return rng.uniform(DOMAINS[:, 0] - 0.5, DOMAINS[:, 1] + 0.5, size=(n_rows, 3))


def same(a, b):
    return np.array_equal(a.ranges, b.ranges) and all(
        np.array_equal(p, q)
        for p, q in zip(a.splits + a.fuzziness, b.splits + b.fuzziness, strict=True)
    )  # fmt: skip


def test_one_rule_accepts_everything():
    structure = Structure.undivided([np.empty(0), np.array([1.0, 2.0])], 0.5)
    assert (structure.n_rules, structure.n_splits) == (1, 2)
    assert structure.ranges.tolist() == [[[0, 0], [0, 2]]]
    assert [shares.tolist() for shares in structure.fuzziness] == [[], [0.5, 0.5]]


@few
@given(seeds, st.integers(1, 12))
def test_rules_share_every_row_after_any_sequence_of_splits(seed, n_steps):
    rng = np.random.default_rng(seed)
    for n_rules, structure in enumerate(grow_at_random(rng, DOMAINS, n_steps), start=1):
        assert structure.n_rules == n_rules
        assert (n_accepting(structure) == 1).all()
        assert all((np.diff(points) > 0.0).all() for points in structure.splits)
        weights = weights_of(structure, random_table(rng))
        assert (weights >= 0.0).all()
        np.testing.assert_allclose(weights.sum(axis=1), 1.0, rtol=1e-12)


@few
@given(seeds, st.integers(0, 8), st.integers(0, 2), st.floats(0.01, 0.99))
def test_a_new_split_changes_no_rule(seed, n_steps, feature, place):
    rng = np.random.default_rng(seed)
    before = grow_at_random(rng, DOMAINS, n_steps, fuzziness=0.0)[-1]
    position = float(DOMAINS[feature] @ [1.0 - place, place])
    after, at = before.with_split(feature, position, 0.0)
    assert after.splits[feature][at] == position
    assert after.n_splits == before.n_splits + 1
    assert len(after.fuzziness[feature]) == len(after.splits[feature])
    assert (n_accepting(after) == 1).all()
    X = random_table(rng)
    np.testing.assert_array_equal(weights_of(after, X), weights_of(before, X))


def test_a_split_that_is_there_is_not_added_again():
    before = Structure.undivided([np.array([1.0, 2.0])], 1.0)
    after, at = before.with_split(0, 2.0, 0.3)
    assert after is before
    assert at == 1


def test_a_new_split_keeps_its_own_fuzziness():
    after, at = Structure.undivided([np.array([1.0, 3.0])], 1.0).with_split(0, 2.0, 0.3)
    assert at == 1
    assert after.fuzziness[0].tolist() == [1.0, 0.3, 1.0]


@few
@given(seeds, st.integers(0, 8))
def test_dividing_a_rule_shares_out_its_rows_and_no_other_s(seed, n_steps):
    rng = np.random.default_rng(seed)
    before = grow_at_random(rng, DOMAINS, n_steps, fuzziness=0.0)[-1]
    rule = int(rng.integers(before.n_rules))
    first = before.ranges[rule, 1, 0]
    edges = np.concatenate([DOMAINS[1, :1], before.splits[1], DOMAINS[1, 1:]])
    position = (edges[first] + edges[first + 1]) / 2.0
    split, at = before.with_split(1, float(position), 0.0)
    after = split.divided(rule, 1, at)
    X = random_table(rng)
    old, new = weights_of(before, X), weights_of(after, X)
    np.testing.assert_array_equal(np.delete(new, [rule, rule + 1], axis=1), np.delete(old, rule, axis=1))
    np.testing.assert_allclose(new[:, rule] + new[:, rule + 1], old[:, rule], atol=1e-12)
    # The lower labels come first.
    assert not new[X[:, 1] > position + 1e-6, rule].any()
    assert not new[X[:, 1] < position - 1e-6, rule + 1].any()


def test_a_rule_is_not_divided_at_a_split_outside_it():
    structure = Structure.undivided([np.array([1.0, 2.0])], 1.0).divided(0, 0, 0)
    with pytest.raises(ValueError, match="does not divide"):
        structure.divided(0, 0, 1)
    with pytest.raises(ValueError, match="does not divide"):
        structure.divided(1, 0, 0)
    assert structure.divided(1, 0, 1).ranges[:, 0].tolist() == [[0, 0], [1, 1], [2, 2]]


def test_moving_a_split_leaves_the_original_and_the_rules_alone():
    before = grow_at_random(np.random.default_rng(0), DOMAINS, 6)[-1]
    feature = int(np.argmax([len(points) for points in before.splits]))
    points, shares = before.splits[feature].copy(), before.fuzziness[feature].copy()
    after = before.moved(feature, 0, points[0] - 0.01, 0.25)
    assert before.splits[feature].tolist() == points.tolist()
    assert before.fuzziness[feature].tolist() == shares.tolist()
    assert after.splits[feature].tolist() == [points[0] - 0.01, *points[1:]]
    assert after.fuzziness[feature].tolist() == [0.25, *shares[1:]]
    assert np.array_equal(after.ranges, before.ranges)


@few
@given(seeds, st.integers(0, 8), st.integers(0, 5))
def test_dropping_idle_splits_changes_no_rule(seed, n_steps, n_idle):
    rng = np.random.default_rng(seed)
    before = structure = grow_at_random(rng, DOMAINS, n_steps, fuzziness=0.0)[-1]
    for feature in rng.integers(0, 3, n_idle):
        structure, _ = structure.with_split(int(feature), float(rng.uniform(*DOMAINS[feature])), 0.0)
    assert same(structure.without_idle_splits(np.zeros(3, dtype=bool)), before)


def test_known_splits_stay_together_or_go_together():
    known = [np.array([0.0, 1.0]), np.array([1.0, 2.0]), np.empty(0)]
    structure = Structure.undivided(known, 1.0).divided(0, 0, 1)
    after = structure.without_idle_splits(np.array([True, True, False]))
    assert [points.tolist() for points in after.splits] == [[0.0, 1.0], [], []]
    assert after.ranges.tolist() == [[[0, 1], [0, 0], [0, 0]], [[2, 2], [0, 0], [0, 0]]]
