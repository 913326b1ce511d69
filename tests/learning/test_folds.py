"""Folds of one's own: rows of a group on one side, folds forward in time, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GroupKFold, KFold, PredefinedSplit, TimeSeriesSplit

from fruler.learning._folds import Folds, forward_folds, group_numbers, own_folds

X, Y = np.arange(24.0).reshape(12, 2), np.arange(12.0)
GROUPS = np.repeat(["d", "a", "c", "b"], 3)


def folds(cv=None, groups=None, X=X, y=Y, seed=0):
    return own_folds(cv, X, y, groups, seed)


def sides_of_groups(found, groups):
    return [[{*own[groups == name].tolist()} for name in np.unique(groups)] for own in found.sides.T]


def test_without_a_wish_the_search_draws_its_own():
    assert folds() is None


@pytest.mark.parametrize("cv", [None, 2, 3, GroupKFold(2)])
def test_rows_of_one_group_are_never_on_both_sides(cv):
    found = folds(cv, GROUPS)
    assert all(len(side) == 1 for own in sides_of_groups(found, GROUPS) for side in own)
    assert found.told == "held-out groups"
    assert folds(cv, pd.Series(GROUPS, name="patient")).told == "held-out groups (patient)"
    held_out = np.concatenate([split.held_out for split in found.splits])
    assert sorted(held_out.tolist()) == list(range(12))
    for split in found.splits:
        assert sorted([*split.held_out, *split.fitted]) == list(range(12))


def test_large_groups_make_folds_of_about_equal_size():
    groups = np.repeat(np.arange(23), np.arange(1, 24))
    found = folds(None, groups, X=np.zeros((276, 1)), y=np.arange(276.0))
    sizes = [len(split.held_out) for split in found.splits]
    assert len(sizes) == 5
    assert max(sizes) - min(sizes) <= 3


def test_there_are_no_more_folds_than_groups_unless_asked_for():
    assert len(folds(None, GROUPS[:6], X[:6], Y[:6]).splits) == 2
    with pytest.raises(ValueError, match=r"cv=5 needs at least 5 groups of rows, and there are 4\."):
        folds(5, GROUPS)


def test_without_groups_equal_rows_are_one():
    twice = np.repeat(X[:6], 2, axis=0)
    found = folds(3, X=twice, y=np.repeat(Y[:6], 2))
    assert all(len(side) == 1 for own in sides_of_groups(found, np.repeat(range(6), 2)) for side in own)


def test_groups_do_not_depend_on_their_names_or_on_the_order_of_rows():
    order = np.random.default_rng(1).permutation(12)
    assert np.array_equal(folds(2, GROUPS).sides[order], folds(2, GROUPS[order], X[order], Y[order]).sides)
    assert np.array_equal(folds(2, GROUPS).sides, folds(2, pd.Series(GROUPS, dtype="category")).sides)
    assert np.array_equal(folds(2, GROUPS).sides, folds(2, GROUPS.tolist()).sides)
    assert not np.array_equal(folds(2, GROUPS).sides, folds(2, GROUPS, seed=1).sides)
    assert group_numbers([7, "a", 7.5, 7], 4).tolist() == [0, 2, 1, 0]


def test_splitters_and_pairs_are_used_as_they_are():
    given = [(split.fitted.tolist(), split.held_out.tolist()) for split in folds(TimeSeriesSplit(3)).splits]
    assert given == [(train.tolist(), test.tolist()) for train, test in TimeSeriesSplit(3).split(X)]
    pairs = [([0, 1], [2, 3]), (np.array([4, 5]), [0])]
    assert [(s.fitted.tolist(), s.held_out.tolist()) for s in folds(iter(pairs)).splits] == [
        ([0, 1], [2, 3]),
        ([4, 5], [0]),
    ]
    assert len(folds(PredefinedSplit([0, 0, 1, 1] + 8 * [-1])).splits) == 2


def test_sentences_name_the_rows_that_are_held_out():
    assert folds(TimeSeriesSplit(3)).told == "later rows"
    assert folds(KFold(3)).told == folds(3).told == "held-out rows"


def test_rows_of_one_kind_are_on_the_same_side_in_every_fold():
    found = folds(2, GROUPS)
    assert len(np.unique(found.alike)) == 2
    assert [len(split.held_out) for split in found.take(np.arange(6)).splits] == [3, 3]


@pytest.mark.parametrize(
    ("cv", "groups", "message"),
    [
        (None, ["a"] * 12, r"Folds need at least 2 groups of rows, and there is 1\."),
        (None, [*GROUPS[:5], None, *GROUPS[6:]], r"groups has no value in row 5; fill it in, or leave out the row\."),
        (None, GROUPS[:11], r"groups must have one value for each of the 12 rows; its shape is \(11,\)\."),
        (
            [(range(6), range(6, 12))],
            GROUPS[np.arange(12) % 6 * 2],
            r"Fold 1 of cv has rows of the group a on both sides",
        ),
        ([([0, 1], [12])], None, r"Fold 1 of cv has row 12; the 12 rows are numbered from 0\."),
        ([([0, -1], [2])], None, r"Fold 1 of cv has row -1; the 12 rows"),
        ([([0, 1], [2]), ([0, 1], [1, 2])], None, r"Fold 2 of cv has row 1 on both sides; each row may be on one\."),
        ([([], [2])], None, r"Fold 1 of 1 has no rows to learn from; give other folds\."),
        ([([0], [2]), ([0], [])], None, r"Fold 2 of 2 has no rows to hold out"),
        ([([0.5], [2])], None, r"Fold 1 of cv must be two lists of row numbers, counted from 0\."),
        ([3], None, r"Fold 1 of cv must be a pair: the numbers of the rows to learn from"),
        (iter(()), None, r"cv has no folds; a generator can be used only once"),
    ],
)
def test_bad_folds_are_refused_in_a_sentence(cv, groups, message):
    with pytest.raises(ValueError, match=message):
        folds(cv, groups)


def test_rows_that_do_not_count_leave_nothing_to_learn_from():
    with pytest.raises(ValueError, match=r"Fold 1 of 1 has no rows to learn from"):
        folds([([0], [1])]).take(np.array([1, 2]))


def test_forward_folds_hold_out_later_rows_of_whole_times():
    times = np.random.default_rng(0).permutation(np.repeat(np.arange(20), 5))
    pairs = forward_folds(times)
    assert len(pairs) == 5
    for fitted, held_out in pairs:
        assert times[fitted].max() < times[held_out].min()
        assert set(times[fitted]).isdisjoint(times[held_out])
    assert sorted(np.concatenate([held_out for _, held_out in pairs])) == np.flatnonzero(times >= 10).tolist()
    assert [len(held_out) for _, held_out in pairs] == [10] * 5
    ordered = own_folds(forward_folds(np.sort(times)), np.zeros((100, 1)), np.arange(100.0), None, 0)
    assert (ordered.told, ordered.splits[0].fitted[-1]) == ("later rows", 49)


@pytest.mark.parametrize("times", [[1, 2], [1, 1, 1, 2], [1, 2, 2, 2], ["b", "a", "c"]])
def test_forward_folds_of_few_times(times):
    pairs = forward_folds(times)
    assert isinstance(own_folds(pairs, np.zeros((len(times), 1)), times, None, 0), Folds)
    assert 1 <= len(pairs) <= 2


def test_one_time_has_no_later_rows():
    with pytest.raises(ValueError, match=r"Folds in order of time need at least 2 times, and there is 1\."):
        forward_folds([3, 3, 3])
