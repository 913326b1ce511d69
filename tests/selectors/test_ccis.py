import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_wine

from fruler._kernels import nearest
from fruler.selectors import CCISSelector
from fruler.selectors._ccis import (
    NearestClasses,
    class_pairs,
    degrees_by_class,
    pair_scores,
    paired_degrees,
    select_by_class,
    select_by_pairs,
)
from fruler.selectors._selector import output_classes

# Three classes on a line; each of the outer ones is nearer to the middle one than to the other.
LINE = np.array([[0.0], [1.0], [3.0], [6.0], [7.0], [9.0], [10.5]])
LINE_CLASSES = np.array([0, 0, 0, 1, 1, 2, 2])


def degrees_of(X, classes):
    _, neighbours = nearest.neighbours_in_each_class(X, np.ascontiguousarray(X.T), classes, classes.max() + 1)
    return degrees_by_class(neighbours, classes)


def test_degrees_by_hand():
    # Within: 0 -> 1, 1 -> 0, 2 -> 1; 3 <-> 4; 5 <-> 6. Class 0 to class 1: all three to row 3; and so on.
    assert degrees_of(LINE, LINE_CLASSES).tolist() == [
        [1, 2, 0, 3, 0, 3, 0],
        [0, 0, 2, 1, 1, 2, 0],
        [0, 0, 2, 0, 2, 1, 1],
    ]


def test_classes_are_paired_with_the_most_similar_graph():
    # |within - between|: classes 0 and 1: 1+2+2+2+1 over 2 rows; 0 and 2: 1+2+2+2+1; 1 and 2: 1+1+1+1.
    # Classes 1 and 2 name each other; class 0 has a tie, and names the lower one.
    assert class_pairs(degrees_of(LINE, LINE_CLASSES), LINE_CLASSES) == [(0, 1), (1, 2)]


def test_a_small_class_does_not_look_similar_for_being_small():
    # Differences of 5 (classes 0 and 1), 3 (0 and 2) and 6 (1 and 2), over 1, 1 and 2 rows.
    degrees = np.array([[0, 1, 0, 0, 0, 1, 0], [4, 0, 0, 0, 0, 4, 0], [2, 2, 0, 0, 0, 0, 0]])
    assert class_pairs(degrees, np.array([0, 1, 1, 1, 1, 2, 2])) == [(0, 2), (1, 2)]


def test_one_class_has_no_pair():
    classes = np.zeros(7, dtype=np.intp)
    assert class_pairs(degrees_of(LINE, classes), classes) == []


def test_scores_of_a_pair_by_hand():
    rows, scores = pair_scores(degrees_of(LINE, LINE_CLASSES), LINE_CLASSES, (1, 2))
    assert rows.tolist() == [3, 4, 5, 6]
    # Within 1 1 1 1, between 0 2 2 0, each over 4.
    high, low = 0.25 * math.log(2), 0.25 * math.log(2 / 3) - 0.5 * math.log(4 / 3)
    np.testing.assert_allclose(scores, [high, low, low, high])


def test_the_between_graph_of_a_subset_is_that_of_pairs_alone():
    rows = np.array([1, 2, 4, 5])
    within, between = paired_degrees(LINE, LINE_CLASSES, [(0, 1)], rows)
    # Row 2 is the nearest of class 0 for row 4, and row 4 that of class 1 for rows 1 and 2; row 5 is in no pair.
    assert within.tolist() == [1, 1, 0, 0]
    assert between.tolist() == [0, 1, 2, 0]
    _, between = paired_degrees(LINE, LINE_CLASSES, [(0, 1), (1, 2)], rows)
    assert between.tolist() == [0, 1, 3, 1]


def test_the_error_counts_rows_of_which_the_class_is_missed():
    running = NearestClasses(np.ascontiguousarray(LINE.T), np.zeros(7), LINE_CLASSES)
    assert running.error == 7.0
    running.add(np.array([1]))
    # Row 1 has no neighbour but itself.
    assert running.error == 5.0
    running.add(np.array([4]))
    # Rows 0, 2 and 3 are right; 1 and 4 see each other; 5 and 6 are of another class.
    assert running.error == 4.0


def test_duplicates_are_neighbours():
    X = np.array([[0.0], [0.0], [5.0], [5.0]])
    running = NearestClasses(np.ascontiguousarray(X.T), np.zeros(4), np.array([0, 1, 0, 1]))
    running.add(np.array([0, 1, 2, 3]))
    assert running.error == 4.0


@pytest.mark.parametrize(
    ("missed_by_all", "expected"),
    [
        (0, [0, 1, 5]),  # the core is one row per class; row 2, the next, does not help
        (1, [0, 1, 5]),  # as good as all rows
        (2, [1, 5]),  # the core is as good as that
        (8, [0, 1, 2, 5]),  # the core is half of the rows that are missed
    ],
)
def test_the_rows_of_a_pair_by_hand(missed_by_all, expected):
    X = np.array([[0.0], [1.0], [2.5], [4.5], [20.0], [21.0], [22.5], [24.5]])
    classes = np.repeat([0, 1], 4).astype(np.intp)
    columns, degrees = np.ascontiguousarray(X.T), degrees_of(X, classes)
    selected, scores = select_by_pairs(columns, np.zeros(8), classes, degrees, missed_by_all)
    # Within 1 2 1 0 twice, over 8; between all in rows 3 and 4. Those two are negative and never taken.
    border = 0.125 * math.log(0.4) - 0.5 * math.log(1.6)
    expected_scores = np.log(2) * np.array([0.125, 0.25, 0.125, -0.5, 0.0, 0.25, 0.125, 0.0])
    expected_scores[4] = border
    np.testing.assert_allclose(scores, expected_scores)
    assert selected.tolist() == expected


def test_a_row_in_two_pairs_has_its_best_score():
    columns, degrees = np.ascontiguousarray(LINE.T), degrees_of(LINE, LINE_CLASSES)
    _, scores = select_by_pairs(columns, np.zeros(7), LINE_CLASSES, degrees, 0)
    # Row 3 scores in classes 1 and 2, row 4 in classes 0 and 1, where its share of the within graph is a fifth.
    np.testing.assert_allclose(scores[[3, 4]], [0.25 * math.log(2), 0.2 * math.log(2)])


class Reference:
    """CCIS in plain loops."""

    def __init__(self, X, y):
        # Input by input, as the kernel does: other orders round differently, and ties would break.
        self.distance = sum(np.square(column[None, :] - column[:, None]) for column in X.T)
        np.fill_diagonal(self.distance, np.inf)
        self.classes = output_classes(y)[0]
        self.n, self.n_classes = len(y), self.classes.max() + 1

    def nearest(self, row, rows):
        """The nearest of some rows but itself, the first of the equally near."""
        others = [other for other in rows if other != row]
        return min(others, key=lambda other: self.distance[row, other]) if others else None

    def missed(self, rows):
        found = [self.nearest(row, rows) for row in range(self.n)]
        return sum(other is None or self.classes[other] != self.classes[row] for row, other in enumerate(found))

    def of_class(self, c, rows):
        return [row for row in rows if self.classes[row] == c]

    def within(self, rows):
        found = [self.nearest(row, self.of_class(self.classes[row], rows)) for row in rows]
        return {row: found.count(row) for row in rows}

    def between(self, first, second, rows):
        found = [self.nearest(row, self.of_class(second, rows)) for row in self.of_class(first, rows)]
        found += [self.nearest(row, self.of_class(first, rows)) for row in self.of_class(second, rows)]
        return {row: found.count(row) for row in rows}

    def pairs(self):
        rows, pairs = range(self.n), []
        within = self.within(rows)
        for c in range(self.n_classes):
            cost = {}
            for d in range(self.n_classes):
                if d != c:
                    between = self.between(c, d, rows)
                    first, second = self.of_class(c, rows), self.of_class(d, rows)
                    difference = sum(abs(within[row] - between[row]) for row in first + second)
                    cost[d] = difference / min(len(first), len(second))
            if cost and (pair := tuple(sorted([c, min(cost, key=cost.get)]))) not in pairs:
                pairs.append(pair)
        return pairs

    def select(self):
        allowed = self.missed(range(self.n))
        core = max(self.n_classes, math.ceil(allowed / 2))
        within, selected = self.within(range(self.n)), []
        for pair in self.pairs():
            between = self.between(*pair, range(self.n))
            rows = sorted(self.of_class(pair[0], range(self.n)) + self.of_class(pair[1], range(self.n)))
            degrees = np.array([[within[row], between[row]] for row in rows]).T
            p_w, p_b = (degree / max(degree.sum(), 1) for degree in degrees)
            score = []
            for w, b in zip(p_w, p_b, strict=True):
                plus = w * math.log(w / ((w + b) / 2)) if w else 0.0
                minus = b * math.log(b / ((w + b) / 2)) if b else 0.0
                score.append(round(plus - minus, 14))
            candidates = [rows[k] for k in sorted(range(len(rows)), key=lambda k: -score[k]) if score[k] >= 0]
            selected += [row for row in candidates[:core] if row not in selected]
            for row in candidates[core:]:
                larger = [*selected, row]
                if self.missed(selected) <= allowed or not self.missed(larger) < self.missed(selected):
                    break
                selected = larger
        return sorted(selected)

    def thin(self, selected):
        pairs = self.pairs()

        def graphs(rows):
            between = [self.between(*pair, rows) for pair in pairs]
            return self.within(rows), {row: sum(one[row] for one in between) for row in rows}

        within, between = graphs(selected)
        final = [row for row in selected if between[row]]
        while True:
            rest = [row for row in selected if row not in final]
            next_within, next_between = graphs(rest)
            layer = [row for row in rest if next_between[row] and (within[row] or between[row])]
            if not self.missed(final + layer) < self.missed(final):
                return sorted(final)
            final, within, between = final + layer, next_within, next_between


@st.composite
def tables(draw):
    n, p = draw(st.integers(4, 40)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.integers(0, draw(st.sampled_from([3, 10, 1000])), (n, p)).astype(float)
    shares = X[:, 0] if draw(st.booleans()) else rng.integers(0, 100, n)
    y = 10.0 * (shares % draw(st.integers(1, 4))) + rng.normal(size=n)
    return X, y


@given(tables())
def test_the_selection_equals_plain_loops(table):
    X, y = table
    reference, selected = Reference(X, y), select_by_class(X, y, thin_out_tolerance=None)
    assert selected.criterion_all == reference.missed(range(len(y))) / len(y)
    expected = reference.select()
    if len(expected) < 2:
        assert len(selected.indices) == 2
        return
    assert selected.indices.tolist() == expected
    assert selected.criterion_selected == reference.missed(expected) / len(y)
    thinned, thin = select_by_class(X, y), reference.thin(expected)
    assert thinned.indices.tolist() == (thin if len(thin) >= 2 else expected)
    assert thinned.criterion_selected == reference.missed(thinned.indices.tolist()) / len(y)
    assert thinned.thinned == (len(thinned.indices) < len(expected))


def test_few_rows_tell_the_wines_apart():
    X, y = load_wine(return_X_y=True)
    selector = CCISSelector().fit(X, y)
    np.testing.assert_allclose(selector.class_borders_, [0.5, 1.5], atol=0.2)
    assert selector.reduction_ > 0.8
    assert selector.missed_all_ < 0.1
    assert selector.missed_selected_ < 0.15
    whole = CCISSelector(thin_out_tolerance=None).fit(X, y)
    assert set(selector.sample_indices_) <= set(whole.sample_indices_)


def test_two_rows_stand_for_one_class():
    rng = np.random.default_rng(0)
    selector = CCISSelector().fit(rng.normal(size=(300, 2)), np.linspace(0, 1, 300))
    assert len(selector.class_borders_) == 0
    assert len(selector.sample_indices_) == 2
    assert selector.missed_selected_ == 0.0
    assert not selector.thinned_
