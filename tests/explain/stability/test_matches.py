"""Which splits and rules of two models are the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fruler.explain._refit_comparison import Split, matched_rules, matched_splits, rule_overlaps

ROWS = np.arange(1_000.0)
ONES = np.ones(len(ROWS))


def at(*places, subject="x", rows=ROWS):
    return [Split(subject, place, rows >= place, "") for place in places]


def group(levels, subject="x"):
    return Split(subject, np.nan, np.isin(ROWS % 10, levels), "")


@pytest.mark.parametrize(("other", "same"), [(500, True), (600, True), (602, False), (400, True), (398, False)])
def test_at_most_a_tenth_of_the_rows_lies_between(other, same):
    assert (matched_splits(at(500.0), at(other), ONES) >= 0).tolist() == [same]


@pytest.mark.parametrize(("other", "same"), [(60, True), (62, False), (20, True), (18, False)])
def test_at_most_half_of_the_smaller_side_lies_between(other, same):
    assert (matched_splits(at(40.0), at(other), ONES) >= 0).tolist() == [same]
    mirrored = matched_splits(at(1_000.0 - 40.0), at(1_000.0 - other), ONES)
    assert (mirrored >= 0).tolist() == [same]


def test_only_splits_of_the_same_input_are_one():
    assert matched_splits(at(500.0), at(500.0, subject="z"), ONES).tolist() == [-1]


def test_the_scale_of_an_input_does_not_matter():
    scaled = np.exp(ROWS / 100.0)
    own, others = at(*np.exp([5.0, 3.0]), rows=scaled), at(*np.exp([3.4, 5.9, 8.0]), rows=scaled)
    assert matched_splits(own, others, ONES).tolist() == [1, 0]


def test_rows_count_by_their_weight():
    light = np.where((ROWS >= 500) & (ROWS < 700), 0.1, 1.0)
    assert matched_splits(at(500.0), at(700.0), ONES).tolist() == [-1]
    assert matched_splits(at(500.0), at(700.0), light).tolist() == [0]


def test_a_split_is_matched_once_and_by_the_nearest():
    assert matched_splits(at(500.0, 540.0), at(530.0), ONES).tolist() == [-1, 0]
    assert matched_splits(at(500.0, 540.0), at(530.0, 520.0), ONES).tolist() == [1, 0]
    # Of two that are as near, the first.
    assert matched_splits(at(500.0, 540.0), at(520.0), ONES).tolist() == [0, -1]


def test_groups_of_categories_are_one_if_few_rows_change_sides():
    own = [group([0, 1, 2])]
    assert matched_splits(own, [group([0, 1, 2, 3])], ONES).tolist() == [0]
    assert matched_splits(own, [group([0, 1, 3, 4])], ONES).tolist() == [-1]
    # The other group may be called the second.
    assert matched_splits(own, [group([3, 4, 5, 6, 7, 8, 9])], ONES).tolist() == [0]


def test_models_without_splits_have_none_in_common():
    assert matched_splits([], at(1.0), ONES).tolist() == []
    assert matched_splits(at(1.0), [], ONES).tolist() == [-1]


def test_rules_overlap_by_the_rows_that_they_share():
    own = np.column_stack([ROWS < 500, ROWS >= 500]).astype(float)
    others = np.column_stack([ROWS < 600, ROWS >= 600]).astype(float)
    assert rule_overlaps(own, others, ONES).tolist() == [[500 / 600, 0.0], [100 / 1000, 400 / 500]]
    assert rule_overlaps(own, own, ONES).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    light = np.where(ROWS < 500, 0.0, 1.0)
    assert rule_overlaps(own, others, light).tolist() == [[0.0, 0.0], [100 / 500, 400 / 500]]


@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 10_000))
def test_overlaps_are_those_of_brute_force(n_own, n_others, seed):
    rng = np.random.default_rng(seed)
    own, others, weight = rng.random((30, n_own)), rng.random((30, n_others)), rng.random(30)
    found = rule_overlaps(own, others, weight)
    for i in range(n_own):
        for k in range(n_others):
            pairs = [(w * min(a, b), w * max(a, b)) for a, b, w in zip(own[:, i], others[:, k], weight, strict=True)]
            smaller, larger = (sum(part) for part in zip(*pairs, strict=True))
            assert found[i, k] == pytest.approx(smaller / larger)


def test_a_rule_is_matched_once_and_by_the_one_that_overlaps_most():
    assert matched_rules(np.array([[0.8, 0.7], [0.9, 0.6]])).tolist() == [1, 0]
    assert matched_rules(np.array([[0.8], [0.9]])).tolist() == [-1, 0]
    assert matched_rules(np.array([[0.66]])).tolist() == [-1]
    assert matched_rules(np.array([[2.0 / 3.0]])).tolist() == [0]
