import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fruler.selectors._selector import class_conditional_scores, divergence_scores, nearest_rows, subset_degrees


def test_scores_follow_the_formula():
    # Row 0 is the nearest of its class for three rows and of another class for one; row 3 only of another.
    within = np.array([1, 0, 0, 0])
    between = np.array([3, 3, 3, 0])
    p_w, p_b = 3 / 4, 1 / 4
    middle = (p_w + p_b) / 2
    scores = class_conditional_scores(np.array([within, between]))
    assert scores[0] == pytest.approx(p_w * np.log(p_w / middle) - p_b * np.log(p_b / middle))
    assert scores[1] == pytest.approx(p_b * np.log(2))
    assert scores[2] == 0.0
    assert scores[3] == pytest.approx(-0.75 * np.log(2))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1))
def test_a_score_is_negative_just_where_the_between_graph_has_the_larger_share(degrees):
    within, between = np.array(degrees).T
    shares = within * max(between.sum(), 1) - between * max(within.sum(), 1)
    np.testing.assert_array_equal(np.sign(divergence_scores(within, between)), np.sign(shares))


def test_the_nearest_row_is_the_lowest_of_those_equally_near():
    distances = np.array([[2.0, 1.0, np.inf], [1.0, 1.0, 3.0]])
    assert nearest_rows(distances, np.array([[1, 2, -1], [2, 0, 1]])).tolist() == [2, 0, 1]


def test_degrees_of_a_subset_see_nothing_else():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]])
    within, between = subset_degrees(X, np.array([0, 0, 0, 2, 2]), np.array([0, 1, 4]))
    assert within.tolist() == [1, 1, 0]
    # Rows 0 and 1 point to row 4, and it to row 1.
    assert between.tolist() == [0, 1, 2]
