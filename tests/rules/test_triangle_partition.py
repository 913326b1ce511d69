import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fruler.rules import FuzzyPartition, TrianglePartition


@pytest.mark.parametrize("n_labels", range(2, 8))
@pytest.mark.parametrize("displacement", [-0.1, 0.0, 0.07])
@pytest.mark.parametrize("domain", [(0.0, 1.0), (1613.0, 5140.0), (-3e-5, 7e-5)])
def test_equal_triangles_are_a_strong_partition(n_labels, displacement, domain):
    low, high = domain
    step = (high - low) / (n_labels - 1)
    middles = low + (np.arange(n_labels) + displacement) * step
    strong = FuzzyPartition((middles[1:] + middles[:-1]) / 2.0, (middles[0], middles[-1]))
    x = np.linspace(low, high, 2_001)
    found = TrianglePartition.uniform(domain, n_labels, displacement).degrees(x)
    np.testing.assert_allclose(found, strong.degrees(x), rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=0, atol=1e-12)


def test_values_beyond_the_domain_count_as_its_ends():
    partition = TrianglePartition([(-5.0, 0.0, 4.0), (1.0, 3.0, 20.0)], (0.0, 10.0))
    assert partition.degrees([-3.0, 12.0, 1e300]).tolist() == partition.degrees([0.0, 10.0, 10.0]).tolist()
    assert partition.degrees([10.0]).tolist() == [[0.0, 10.0 / 17.0]]


def test_degrees_need_not_sum_to_one():
    partition = TrianglePartition([(-math.inf, 1.0, 2.0), (3.0, 4.0, 6.0), (3.0, 5.0, math.inf)], (0.0, 9.0))
    assert partition.degrees([0.0, 2.5, 4.0, 5.0, 9.0]).tolist() == [
        [1.0, 0.0, 0.0],
        [0.0, 0.0, 0.0],
        [0.0, 1.0, 0.5],
        [0.0, 0.5, 1.0],
        [0.0, 0.0, 1.0],
    ]


def test_a_side_without_width_is_crisp():
    partition = TrianglePartition([(1.0, 1.0, 2.0), (2.0, 2.0, 2.0)], (0.0, 3.0))
    assert partition.degrees([0.999, 1.0, 1.5, 2.0, 2.001]).tolist() == [
        [0.0, 0.0],
        [1.0, 0.0],
        [0.5, 0.0],
        [0.0, 1.0],
        [0.0, 0.0],
    ]


def test_one_label_holds_everywhere():
    partition = TrianglePartition.uniform((2.0, 6.0), 1)
    assert partition.labels == ("any",)
    assert partition.degrees([-9.0, 2.0, 5.0, 99.0]).tolist() == [[1.0]] * 4
    assert TrianglePartition.uniform((2.0, 6.0), 1, shoulders=False).points == ((0.0, 4.0, 8.0),)


def test_neighbours_share_their_points_to_the_last_bit():
    points = TrianglePartition.uniform((40.0, 230.0), 7, 0.07, shoulders=False).triangles
    np.testing.assert_array_equal(points[1:, 0], points[:-1, 1])
    np.testing.assert_array_equal(points[1:, 1], points[:-1, 2])


@given(st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=3), st.floats(-1e3, 1e3))
def test_a_trapezoid_says_where_a_label_holds(points, x):
    a, b, c = sorted(points)
    partition = TrianglePartition([(a, b, c)], (-1e3, 1e3))
    assert partition.trapezoid(0, 0) == (a, b, b, c)
    below, above = partition.half_way(0, 0)
    assert a <= below <= b <= above <= c
    inside = a < x < c or x == b
    assert (partition.degrees([x])[0, 0] > 0.0) <= inside


def test_a_label_that_goes_on_holds_fully_beyond_its_middle():
    partition = TrianglePartition([(-math.inf, 1.0, 2.0), (1.0, 3.0, math.inf)], (0.0, 5.0))
    assert partition.trapezoid(0, 0) == (-math.inf, -math.inf, 1.0, 2.0)
    assert partition.trapezoid(1, 1) == (1.0, 3.0, math.inf, math.inf)
    assert (partition.half_way(0, 0), partition.half_way(1, 1)) == ((None, 1.5), (2.0, None))


def test_labels_are_renamed_and_copies_are_equal():
    partition = TrianglePartition.uniform((0.0, 10.0), 3)
    again = partition.renamed({"high": "hot"})
    assert again.labels == ("low", "medium", "hot")
    assert again.points == partition.points
    assert pickle.loads(pickle.dumps(again)) == again
    assert hash(again) == hash(partition.renamed(["low", "medium", "hot"]))
    assert partition.default_labels == ("low", "medium", "high")
    assert partition.marks(0, 1) == [0.0, 5.0]


@pytest.mark.parametrize(
    ("points", "domain", "message"),
    [
        ([(1.0, 0.0, 2.0)], (0.0, 1.0), r"do not decrease.*got \(1.0, 0.0, 2.0\) at index 0"),
        ([(0.0, 1.0, 2.0), (0.0, math.nan, 2.0)], (0.0, 1.0), "three numbers.*at index 1"),
        ([(-math.inf, -math.inf, 2.0)], (0.0, 1.0), "and the second must be finite"),
        ([(math.inf, math.inf, math.inf)], (0.0, 1.0), "and the second must be finite"),
        ([(0.0, 1.0, 1e301)], (0.0, 1.0), "three numbers"),
        ([(0.0, 1.0)], (0.0, 1.0), r"three numbers each; got an array of shape \(1, 2\)"),
        (["abc"], (0.0, 1.0), "three numbers each"),
        ([], (0.0, 1.0), "three numbers each"),
        ([(0.0, 2.0, 3.0), (0.0, 1.0, 3.0)], (0.0, 1.0), "ordered by their second points; label 1"),
        ([(0.0, 1.0, 2.0)], (1.0, 0.0), "domain must be the smallest and the largest value"),
        ([(0.0, 1.0, 2.0)], (0.0, 1.0, 2.0), "domain must be the smallest and the largest value"),
        ([(0.0, 1.0, 2.0)], (0.0, math.inf), "domain must be finite"),
    ],
)
def test_what_is_no_partition_is_refused(points, domain, message):
    with pytest.raises(ValueError, match=message):
        TrianglePartition(points, domain)


def test_no_labels_are_refused():
    with pytest.raises(ValueError, match="at least one label; got 0"):
        TrianglePartition.uniform((0.0, 1.0), 0)
    with pytest.raises(ValueError, match="2 label names are needed"):
        TrianglePartition.uniform((0.0, 1.0), 2, labels=["one"])
