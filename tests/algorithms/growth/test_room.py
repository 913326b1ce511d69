"""The room of split points: what they are moved to never overlaps, and a partition can hold it."""

import numpy as np
import pytest
from helpers.examples import examples
from helpers.structures import make_ramps, random_rows
from hypothesis import given
from hypothesis import strategies as st

from fruler.algorithms.growth.room import MIN_LABEL, Room
from fruler.algorithms.growth.structure import Ramps
from fruler.rules.partitions import FuzzyPartition
from fruler.table.rows import Rows

seeds = st.integers(0, 2**32 - 1)
few = examples(0.5)


def random_room(rng, n_inputs=2, fuzziness=1.0, known=None):
    # A label needs five rows: a twentieth of them, rounded up.
    rows, domains = random_rows(rng, 90, n_inputs)
    return Room(rows, domains, [np.empty(0)] * n_inputs if known is None else known, fuzziness)


def random_points(rng, room, n_points):
    """Split points whose labels have rows enough."""
    inputs, places = [], []
    for j in range(len(room.domains)):
        ranks = np.sort(rng.choice(np.arange(1, 10), n_points, replace=False)) * 8
        inputs += [j] * n_points
        places += [float(rng.uniform(room.sorted[j, k - 1], room.sorted[j, k])) for k in ranks]
    order = rng.permutation(len(places))
    reaches = np.exp(rng.uniform(-12.0, 3.0, len(places)))
    return Ramps(np.array(inputs, dtype=np.intc)[order], np.array(places)[order], reaches)


def assert_fits(room, points):
    """Zones don't overlap, and a partition makes the same labels of them."""
    for j, (low, high) in enumerate(room.domains):
        own = points.of(j)
        places, reaches = points.places[own], points.reaches[own]
        assert (np.diff(places) > 0.0).all()
        assert (reaches > 0.0).all()
        assert (places[:-1] + reaches[:-1] <= places[1:] - reaches[1:] + 1e-12).all()
        assert (places - reaches >= low - 1e-12).all()
        assert (places + reaches <= high + 1e-12).all()
        largest = FuzzyPartition(places, (low, high)).half_widths
        shares = reaches / largest if len(own) else reaches
        assert (shares <= max(room.fuzziness, 1e-6) + 1e-9).all()
        held = FuzzyPartition(places, (low, high), np.minimum(shares, 1.0))
        np.testing.assert_allclose(held.half_widths, reaches, rtol=1e-9)


@few
@given(seeds, st.integers(0, 5), st.sampled_from([0.0, 0.3, 1.0]))
def test_limited_points_never_overlap(seed, n_points, fuzziness):
    rng = np.random.default_rng(seed)
    room = random_room(rng, fuzziness=fuzziness)
    points = random_points(rng, room, n_points)
    limited = room.limited(points)
    assert_fits(room, limited)
    assert np.array_equal(limited.places, points.places)
    # What was in its limits stays.
    again = room.limited(limited)
    assert np.array_equal(again.reaches, limited.reaches)
    if fuzziness > 0.0:
        assert (limited.reaches >= np.minimum(1e-3 * room.widths[points.inputs], room.largest_reaches(points))).all()


@few
@given(seeds, st.integers(0, 5), st.floats(0.01, 10.0), st.sampled_from([0.2, 1.0]))
def test_moved_points_never_overlap_and_leave_no_sliver(seed, n_points, size, fuzziness):
    rng = np.random.default_rng(seed)
    room = random_room(rng, fuzziness=fuzziness)
    points = room.limited(random_points(rng, room, n_points))
    for _ in range(4):
        points = room.moved(points, size * rng.normal(size=2 * len(points)))
        assert_fits(room, points)
        for j in range(2):
            ranks = room.ranks(j, points.places[points.of(j)])
            assert (np.diff([0.0, *ranks, 1.0]) >= MIN_LABEL - 1e-9).all()


def test_a_step_moves_places_and_stretches_reaches():
    room = random_room(np.random.default_rng(0), 1)
    points = make_ramps((0, -0.5, 0.1), (0, 0.5, 0.2))
    moved = room.moved(points, np.array([0.05, np.log(1.5), -0.03, -100.0]))
    assert moved.places.tolist() == pytest.approx([-0.45, 0.47])
    # No reach changes by more than a factor of two or so at a time.
    assert moved.reaches[0] == pytest.approx(0.15)
    assert 0.05 < moved.reaches[1] < 0.11


def test_known_points_stay_where_they_are_and_stretch_as_far_as_all_of_them_allow():
    rng = np.random.default_rng(0)
    known = [np.array([-0.5, 0.0, 0.75]), np.empty(0)]
    room = random_room(rng, known=known)
    # The one in the middle is used by no rule yet; it is a neighbour all the same.
    points = make_ramps((0, 0.75, 9.0), (1, 0.1, 9.0), (0, -0.5, 9.0))
    moved = room.moved(points, np.array([0.3, 5.0, 0.01, 5.0, -0.3, 5.0]))
    assert moved.places[[0, 2]].tolist() == [0.75, -0.5]
    assert moved.places[1] == pytest.approx(0.11)
    assert moved.reaches[[0, 2]] == pytest.approx([0.375, 0.25])


def test_places_that_leave_a_sliver_are_not_free():
    rows, domains = random_rows(np.random.default_rng(0), 70, 1)
    room = Room(rows, domains, [np.empty(0)], 1.0)
    values = room.sorted[0]
    # A twentieth of 70 rows is more than three.
    places = (values[:-1] + values[1:]) / 2.0
    free = room.free(0, places, places[[34]])
    n_below = np.arange(1, 70)
    expected = (n_below >= 4) & (n_below <= 66) & (np.abs(n_below - 35) >= 4)
    assert free.tolist() == expected.tolist()


def test_crisp_points_reach_next_to_nothing():
    room = random_room(np.random.default_rng(0), 1, fuzziness=0.0)
    limited = room.limited(make_ramps((0, -0.5, 0.1), (0, 0.5, 1e-30)))
    assert (limited.reaches <= 1e-9 * room.widths[0] * (1 + 1e-12)).all()
    assert (limited.reaches > 0.0).all()


def test_split_points_between_categories_do_not_overlap():
    rng = np.random.default_rng(0)
    rows = Rows.from_arrays(rng.uniform(size=(60, 2)), np.zeros(60))
    domains, known = np.array([[0.0, 1.0], [0.0, 1.0]]), [np.array([0.5]), np.array([0.5])]
    points = make_ramps((0, 0.5, 0.3), (1, 0.5, 0.3))
    plain, crisp = Room(rows, domains, known, 1.0, nominal=np.array([False, True])).limited(points).reaches
    assert plain == 0.3
    assert crisp < 1e-8
