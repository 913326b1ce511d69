"""Split points: what they are moved to never overlaps, and a partition can hold it; what is tried, and when it ends."""

import numpy as np
import pytest
from helpers.examples import examples
from helpers.structures import make_ramps, problem_of, random_rows, standardised
from hypothesis import given
from hypothesis import strategies as st

from fruler._algorithms.growth import tuning
from fruler._algorithms.growth.growth import Growth
from fruler._algorithms.growth.problem import MIN_LABEL
from fruler._algorithms.growth.structure import Ramps, Structure
from fruler._algorithms.growth.tuning import Room, SplitPointSearch
from fruler._table.rows import Rows, measure_scale
from fruler.rules._partitions import FuzzyPartition

seeds = st.integers(0, 2**32 - 1)
few = examples(0.5)


def random_room(rng, n_inputs=2, fuzziness=1.0, known=None):
    # A label needs five rows: a twentieth of them, rounded up.
    rows, domains = random_rows(rng, 90, n_inputs)
    return Room(problem_of(rows, domains, known, fuzziness=fuzziness))


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
    room = Room(problem_of(rows, domains))
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
    plain, crisp = Room(problem_of(rows, domains, known, nominal=np.array([False, True]))).limited(points).reaches
    assert plain == 0.3
    assert crisp < 1e-8


def hinge(noise=0.05):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(200, 2))
    y = np.where(X[:, 0] > 0.6, 4.0 * (X[:, 0] - 0.6) + X[:, 1], X[:, 1]) + noise * rng.normal(size=200)
    return X, y


def placed_at(place, reach, locality=0.0, regularization=None):
    X, y = hinge()
    rows, domains = standardised(X, y)
    scale = measure_scale(X)
    growth = Growth(problem_of(rows, domains, locality=locality, regularization=regularization))
    structure = (
        Structure.undivided(2).with_split(0, (place - scale.centre[0]) / scale.spread[0], reach)[0].divided(0, 0)
    )
    return growth, growth._place(structure, np.ones(structure.n_terms, dtype=bool)), scale


@pytest.mark.parametrize("locality", [0.0, 0.3])
@pytest.mark.parametrize("place", [0.4, 0.5, 0.75])
def test_a_split_point_is_moved_to_where_it_belongs(place, locality):
    growth, placed, scale = placed_at(place, 0.3, locality)
    found = SplitPointSearch(placed, growth.rows, locality, 0.1, growth._moved).run(20)
    assert found.fit.error < 0.8 * placed.fit.error
    at = found.structure.splits.places[0] * scale.spread[0] + scale.centre[0]
    assert at == pytest.approx(0.6, abs=0.06)
    # What it returns belongs together.
    again = growth._place(found.structure, found.fit.kept)
    assert again.fit.error == found.fit.error


def test_every_step_that_is_taken_lowers_the_error():
    growth, placed, _ = placed_at(0.4, 0.3)
    taken, tried = [placed], []

    def moved(start, steps):
        assert start is taken[-1]
        after = growth._moved(start, steps)
        tried.append(after)
        if after is not None and after.fit.error < start.fit.error:
            taken.append(after)
        return after

    found = SplitPointSearch(placed, growth.rows, 0.0, 0.1, moved).run(12)
    assert found is taken[-1]
    assert 2 < len(taken) <= len(tried) + 1 <= 13
    errors = [one.fit.error for one in taken]
    assert errors == sorted(errors, reverse=True)


def test_where_no_step_may_be_taken_all_stays():
    growth, placed, _ = placed_at(0.4, 0.3)
    lengths = []

    def refuse(_, steps):
        lengths.append(np.abs(steps).max())

    assert SplitPointSearch(placed, growth.rows, 0.0, 0.1, refuse).run(50) is placed
    # Each is shorter than the one before, until there is nothing left to try.
    assert lengths == sorted(lengths, reverse=True)
    assert len(lengths) < 10


def test_at_its_end_it_takes_no_more_steps():
    growth, placed, _ = placed_at(0.6, 0.05)
    best = SplitPointSearch(placed, growth.rows, 0.0, 0.1, growth._moved).run(100)
    count = growth.n_evaluations
    SplitPointSearch(best, growth.rows, 0.0, 0.1, growth._moved).run(100)
    assert growth.n_evaluations - count < 15


def test_it_goes_on_from_where_it_was():
    growth, placed, _ = placed_at(0.4, 0.3)
    at_once = SplitPointSearch(placed, growth.rows, 0.0, 0.1, growth._moved).run(9)
    in_parts = SplitPointSearch(placed, growth.rows, 0.0, 0.1, growth._moved)
    first = in_parts.run(2)
    second = in_parts.run(7)
    assert second.fit.error == at_once.fit.error < first.fit.error
    assert in_parts.placed is second


@pytest.mark.parametrize(("kept_share", "factor"), [(1.5, 0.2), (0.5, 1.0), (0.1, 5.0), (-0.1, 10.0)])
def test_damping_follows_what_the_local_model_is_worth(kept_share, factor):
    growth, placed, _ = placed_at(0.4, 0.3)
    run = SplitPointSearch(placed, growth.rows, 0.0, 0.1, lambda *_: after)
    model = tuning._local_model(placed, growth.rows, 0.0, 0.1)
    _, promised = tuning._step(model, run._damping)
    assert promised > 0.0
    after = placed._replace(fit=placed.fit._replace(error=placed.fit.error - kept_share * promised))
    before = run._damping
    run.run(1)
    assert run._damping == pytest.approx(factor * before)


@pytest.mark.parametrize("locality", [0.0, 0.5])
def test_the_local_model_tells_of_a_small_step(locality):
    # Consequents follow every step; of a ridge, which there is hardly any, the model knows nothing.
    growth, placed, _ = placed_at(0.45, 0.3, locality, regularization=1e-7)
    model = tuning._local_model(placed, growth.rows, locality, 1e-7)
    for steps in (np.array([1e-4, 0.0]), np.array([0.0, 1e-4]), np.array([-5e-5, 5e-5])):
        up, down = (growth._moved(placed, sign * steps).fit.error for sign in (1.0, -1.0))
        assert (up - down) / 2.0 == pytest.approx(-2.0 * model.slope @ steps, rel=0.01)
    assert np.linalg.eigvalsh(model.curvature).min() > -1e-9
    # What consequents can make up for is no curvature.
    assert (np.diag(model.curvature) < 0.9 * model.scale).all()


def test_a_structure_without_split_points_of_rules_is_tuned_by_its_bends():
    X, y = hinge()
    rows, domains = standardised(X, y)
    growth = Growth(problem_of(rows, domains))
    structure = Structure.undivided(2).with_bend(0, 0.0, 0.3)
    placed = growth._place(structure, np.ones(structure.n_terms, dtype=bool))
    found = SplitPointSearch(placed, rows, 0.07, 0.1, growth._moved).run(20)
    assert found.fit.error < 0.9 * placed.fit.error
    scale = measure_scale(X)
    assert found.structure.bends.places[0] * scale.spread[0] + scale.centre[0] == pytest.approx(0.6, abs=0.06)


def test_a_rule_of_too_few_rows_is_no_step():
    growth, placed, _ = placed_at(0.9, 0.01)
    # 200 rows: above this are about 20. A step that leaves fewer than twelve is refused.
    assert growth._moved(placed, np.array([0.05, 0.0])) is not None
    growth.room.min_label_rows = 1
    assert growth._moved(placed, np.array([0.3, 0.0])) is None
