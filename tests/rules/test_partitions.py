import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fruler.rules import FuzzyPartition, NominalPartition
from fruler.rules._partitions import displace

finite = st.floats(-1e6, 1e6)


@st.composite
def partitions(draw):
    edges = sorted(draw(st.sets(st.integers(-10_000, 10_000), min_size=2, max_size=22)))
    scale = 10.0 ** draw(st.integers(-9, 9))
    splits = [edge * scale for edge in edges[1:-1]]
    share = st.floats(0, 1)
    fuzziness = draw(st.one_of(share, st.lists(share, min_size=len(splits), max_size=len(splits))))
    return FuzzyPartition(splits, (edges[0] * scale, edges[-1] * scale), fuzziness)


def values_around(partition, draws):
    low, high = partition.domain
    inside = low + (high - low) * np.asarray(draws)
    corners = [low, high, *partition.split_points]
    for split, width in zip(partition.split_points, partition.half_widths, strict=True):
        corners += [split - width, split + width]
    return np.concatenate([inside, corners, np.nextafter(corners, np.inf), [low - 1e9, high + 1e9]])


@given(partitions(), st.data())
def test_degrees_sum_to_one_for_any_displacement(partition, data):
    n = len(partition.split_points)
    shares = data.draw(st.lists(st.floats(-0.5, 0.5), min_size=n, max_size=n))
    draws = data.draw(st.lists(st.floats(-0.2, 1.2), max_size=20))
    for case in (partition, partition.displaced(shares)):
        degrees = case.degrees(values_around(case, draws))
        np.testing.assert_allclose(degrees.sum(axis=1), 1.0, rtol=0, atol=1e-12)
        assert ((degrees >= 0) & (degrees <= 1)).all()
        assert ((degrees > 0).sum(axis=1) <= 2).all()


@given(partitions(), st.data())
def test_the_order_of_splits_is_kept_at_the_extremes(partition, data):
    n = len(partition.split_points)
    shares = data.draw(st.lists(st.sampled_from([-0.5, -0.4999999, 0.0, 0.4999999, 0.5]), min_size=n, max_size=n))
    moved = partition.displaced(shares)
    edges = [partition.domain[0], *moved.split_points, partition.domain[1]]
    assert all(a < b for a, b in itertools.pairwise(edges))


@given(partitions(), st.data())
def test_a_displacement_is_a_share_of_the_gap_on_its_side(partition, data):
    n = len(partition.split_points)
    shares = data.draw(st.lists(st.floats(-0.49, 0.49), min_size=n, max_size=n))
    edges = np.array([partition.domain[0], *partition.split_points, partition.domain[1]])
    moved = np.array(partition.displaced(shares).split_points)
    for i, share in enumerate(shares):
        gap = edges[i + 1] - edges[i] if share < 0 else edges[i + 2] - edges[i + 1]
        assert moved[i] == pytest.approx(edges[i + 1] + share * gap, rel=1e-9, abs=1e-9 * gap)


@given(partitions())
def test_a_split_point_has_degree_one_half(partition):
    degrees = partition.degrees(partition.split_points)
    for i, width in enumerate(partition.half_widths):
        if width > 1e-6 * abs(partition.split_points[i]):
            assert degrees[i, i] == pytest.approx(0.5, abs=1e-6)
            assert degrees[i, i + 1] == pytest.approx(0.5, abs=1e-6)


def test_splits_without_room_to_move_stay():
    a = 1.0
    b = np.nextafter(a, 2)
    c = np.nextafter(b, 2)
    splits = np.array([a, b, c])
    np.testing.assert_array_equal(displace(splits, (0.0, 2.0), np.array([0.49, 0.0, -0.49])), splits)


def test_two_labels_split_in_the_middle_are_crossing_triangles():
    degrees = FuzzyPartition([5.0], (0.0, 10.0)).degrees([0.0, 2.5, 5.0, 10.0])
    np.testing.assert_allclose(degrees[:, 1], [0.0, 0.25, 0.5, 1.0])


def test_an_inner_interval_counts_half_and_an_end_interval_whole():
    partition = FuzzyPartition([2.0, 6.0], (0.0, 16.0))
    assert partition.half_widths.tolist() == [2.0, 2.0]
    assert FuzzyPartition([2.0, 6.0], (1.0, 16.0)).half_widths.tolist() == [1.0, 2.0]


def test_fuzziness_differs_by_split():
    partition = FuzzyPartition([2.0, 6.0], (0.0, 8.0), fuzziness=[0.5, 0.0])
    assert partition.half_widths.tolist() == [1.0, 0.0]
    np.testing.assert_allclose(
        partition.degrees([1.0, 2.5, 3.0, 6.0 - 1e-12, 6.0]),
        [[1, 0, 0], [0.25, 0.75, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1]],
    )


def test_one_label_covers_everything():
    whole = FuzzyPartition([], (3.0, 3.0))
    assert whole.labels == ("any",)
    assert whole.degrees([-1e300, 3.0]).tolist() == [[1.0], [1.0]]


def test_partitions_are_values():
    one, same = (FuzzyPartition([1.0], (0.0, 2.0)) for _ in range(2))
    assert one == same
    assert hash(one) == hash(same)
    assert one != one.renamed(["cold", "warm"])
    with pytest.raises(AttributeError):
        one.split_points = (3.0,)
    with pytest.raises(ValueError, match="read-only"):
        one.half_widths[0] = 7.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"split_points": [2.0, 1.0], "domain": (0, 3)}, "increase strictly inside the domain"),
        ({"split_points": [1.0], "domain": (1, 3)}, "increase strictly inside the domain"),
        ({"split_points": [np.nan], "domain": (0, 3)}, "must be finite"),
        ({"split_points": [], "domain": (3, 0)}, "increase strictly"),
        ({"split_points": [1.0], "domain": (0, 3), "fuzziness": 1.5}, "between 0 and 1"),
        ({"split_points": [1.0], "domain": (0, 3), "fuzziness": [1.0, 1.0]}, "one for each of the 1 split"),
        ({"split_points": [1.0], "domain": (0, 3), "labels": ["one"]}, "2 label names are needed"),
        ({"split_points": [1.0], "domain": (0, 3), "labels": ["same", "same"]}, "distinct"),
        ({"split_points": [1.0], "domain": (0, 3), "labels": []}, "2 label names are needed"),
        ({"split_points": [1.0], "domain": (0, 3), "labels": "ab"}, "2 label names are needed"),
        ({"split_points": 1.0, "domain": (0, 3)}, "split_points must be one-dimensional"),
        ({"split_points": [1.0], "domain": (0, 3, 4)}, "smallest and the largest"),
        ({"split_points": [1.0], "domain": (0, 3), "fuzziness": "much"}, "fuzziness must be numbers"),
    ],
)
def test_bad_partitions_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        FuzzyPartition(**arguments)


def test_renaming_an_unknown_label_is_refused():
    with pytest.raises(ValueError, match="no label 'hot'; the labels are low, high"):
        FuzzyPartition([1.0], (0, 2)).renamed({"hot": "scorching"})


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([np.nan], "finite; got nan at index 0"),
        (None, "one-dimensional"),
        ([[1.0]], "one-dimensional"),
        (["warm"], "must be numbers"),
    ],
)
def test_only_numbers_have_degrees(values, message):
    for partition in (FuzzyPartition([1.0], (0, 2)), NominalPartition([[0], [1]])):
        with pytest.raises(ValueError, match=message):
            partition.degrees(values)


@pytest.mark.parametrize(("shares", "message"), [([0.1], "2 displacements are needed"), ([0.1, np.nan], "finite")])
def test_bad_displacements_are_refused(shares, message):
    with pytest.raises(ValueError, match=message):
        FuzzyPartition([1.0, 2.0], (0, 3)).displaced(shares)


def test_long_codes_have_names_of_their_own():
    assert NominalPartition([[1234567], [1234568]]).labels == ("1234567", "1234568")


def test_nominal_labels_are_groups_of_categories():
    colour = NominalPartition([[0], [1, 2]])
    assert colour.labels == ("0", "1 or 2")
    assert colour.renamed({"0": "brown"}).labels == ("brown", "1 or 2")
    np.testing.assert_array_equal(colour.degrees([0, 1, 2, 3]), [[1, 0], [0, 1], [0, 1], [0, 0]])


@pytest.mark.parametrize("groups", [[], [[]], [[1], [1]], [[np.nan]], [["red"]]])
def test_bad_nominal_partitions_are_refused(groups):
    with pytest.raises(ValueError, match="group"):
        NominalPartition(groups)
