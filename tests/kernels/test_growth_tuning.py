"""How the error changes with split points, against numerical derivatives; and how far they are moved."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from helpers.examples import examples
from helpers.structures import dense_curves, dense_ramps, dense_weights, grow_at_random, random_rows
from hypothesis import given
from hypothesis import strategies as st

from fruler._kernels import growth_tuning
from fruler._table.rows import Rows

seeds = st.integers(0, 2**32 - 1)
few = examples(0.3)
H = 1e-5


class Case:
    """A random structure whose rules and pieces of curves say something; and it changed by its parameters."""

    def __init__(self, seed, n_inputs, n_splits, n_bends):
        rng = np.random.default_rng(seed)
        rows, domains = random_rows(rng, 60, n_inputs)
        self.structure = grow_at_random(rng, domains, n_splits, n_bends)[-1]
        # Rows at a kink of a ramp have no derivative there.
        near = np.zeros(len(rows), dtype=bool)
        for points in (self.structure.splits, self.structure.bends):
            away = np.abs(np.abs(rows.rows[:, 1:][:, points.inputs] - points.places) - points.reaches)
            near |= (away < 1e-3).any(axis=1)
        self.rows = rows.take(np.flatnonzero(~near))
        self.X = self.rows.rows[:, 1:]
        self.outputs = rng.normal(size=(n_inputs + 1, self.structure.n_rules)).T @ self.rows.rows.T
        self.lines = rng.normal(size=(n_bends, 2))

    @property
    def n_parameters(self):
        return 2 * (len(self.structure.splits) + len(self.structure.bends))

    def changed(self, number, by):
        """The structure with one parameter changed: a place, or the logarithm of a reach."""
        point, of_reach = divmod(number, 2)
        n_splits = len(self.structure.splits)
        name, point = ("splits", point) if point < n_splits else ("bends", point - n_splits)
        points = getattr(self.structure, name)
        places, reaches = points.places.copy(), points.reaches.copy()
        if of_reach:
            reaches[point] *= np.exp(by)
        else:
            places[point] += by
        return replace(self.structure, **{name: replace(points, places=places, reaches=reaches)})

    def predictions(self, structure):
        """What rules and curves say together, and what each rule says by itself; the lines stay where they are."""
        x = self.X[:, structure.bends.inputs]
        curves = (dense_ramps(structure.bends, self.X) * (self.lines[:, 0] + self.lines[:, 1] * x)).sum(axis=1)
        weights = dense_weights(structure, self.X)
        return (weights * self.outputs.T).sum(axis=1) + curves, self.outputs.T + curves[:, None], weights

    def error(self, structure, locality):
        together, alone, weights = self.predictions(structure)
        y, a = self.rows.y, self.rows.weight
        joint = a @ np.square(y - together)
        return (1.0 - locality) * joint + locality * (a[:, None] * weights * np.square(y[:, None] - alone)).sum()

    def sums(self, locality):
        structure, rows = self.structure, self.rows
        together, _, weights = self.predictions(structure)
        splits, bends = structure.splits, structure.bends
        return growth_tuning.tuning_sums(
            (rows.columns, rows.rows, rows.y - together, rows.weight),
            (np.ascontiguousarray(weights.T), self.outputs),
            (np.ascontiguousarray(dense_ramps(splits, self.X).T), *splits.arrays),
            (
                np.ascontiguousarray(dense_ramps(bends, self.X).T),
                *bends.arrays,
                self.lines,
                np.ascontiguousarray(dense_curves(structure, self.X).T),
            ),
            structure.conditions,
            structure.uses,
            locality,
        )


cases = st.builds(Case, seeds, st.integers(1, 3), st.integers(0, 6), st.integers(0, 3))


@few
@given(cases, st.sampled_from([0.0, 0.3, 1.0]))
def test_the_gradient_is_that_of_the_mixed_error(case, locality):
    gradient, *_ = case.sums(locality)
    expected = [
        (case.error(case.changed(p, H), locality) - case.error(case.changed(p, -H), locality)) / (2.0 * H)
        for p in range(case.n_parameters)
    ]
    np.testing.assert_allclose(gradient, expected, rtol=1e-4, atol=1e-4 * (1.0 + np.abs(gradient).max(initial=0.0)))


@few
@given(cases, st.sampled_from([0.0, 0.5]))
def test_curvature_and_terms_are_products_of_the_slopes_of_the_output(case, locality):
    _, curvature, rule_terms, curve_terms = case.sums(locality)
    slopes = np.array(
        [
            (case.predictions(case.changed(p, H))[0] - case.predictions(case.changed(p, -H))[0]) / (2.0 * H)
            for p in range(case.n_parameters)
        ]
    ).reshape(case.n_parameters, len(case.rows))
    weighted, weights = slopes * case.rows.weight, dense_weights(case.structure, case.X)
    largest = 1.0 + np.abs(curvature).max(initial=0.0)
    np.testing.assert_allclose(curvature, weighted @ slopes.T, rtol=1e-4, atol=1e-5 * largest)
    expected = np.einsum("zn,nk,nq->zkq", weighted, weights, case.rows.rows)
    np.testing.assert_allclose(rule_terms, expected, rtol=1e-4, atol=1e-5 * largest)
    expected = weighted @ dense_curves(case.structure, case.X)
    np.testing.assert_allclose(curve_terms, expected, rtol=1e-4, atol=1e-5 * largest)


@pytest.mark.parametrize("rounding", [-1e-14, 0.0, 1e-14])
@pytest.mark.parametrize("end", [-1.0, 1.0])
def test_a_row_at_the_end_of_a_ramp_is_outside_whatever_rounding_says(end, rounding):
    case = Case(0, 1, 1, 1)
    splits, bends = case.structure.splits, case.structure.bends
    before = case.sums(0.3)
    # Two more rows, where the ramps end.
    ends = [points.places[0] + end * points.reaches[0] * (1.0 + rounding) for points in (splits, bends)]
    at = np.append(case.X[:, 0], ends)
    # Neither ends inside the other.
    assert np.abs(ends[0] - bends.places[0]) > bends.reaches[0]
    assert np.abs(ends[1] - splits.places[0]) > splits.reaches[0]
    case.rows = Rows.from_arrays(
        at[:, None], np.append(case.rows.y, [5.0, 5.0]), np.append(case.rows.weight, [1.0, 1.0])
    )
    case.X = case.rows.rows[:, 1:]
    case.outputs = np.hstack([case.outputs, np.ones((2, 2))])
    for one, other in zip(before[:2], case.sums(0.3)[:2], strict=True):
        np.testing.assert_array_equal(one, other)


MAX_STEP, MIN_ROWS, MIN_GAP = 0.5, 4, 1e-7
MANY_ROWS, MAX_DISTINCT, MIN_REPEATS = 15, 3, 2
ENOUGH = np.array([MANY_ROWS, MAX_DISTINCT, MIN_REPEATS], dtype=np.intc)


def numbered(values):
    """Number sorted values, equal ones alike."""
    return np.array([np.unique(row, return_inverse=True)[1] for row in values], dtype=np.intc)


def moved(inputs, places, steps, values, fixed, min_gap=MIN_GAP, least_width=0.0):
    domains = np.column_stack([values[:, 0], values[:, -1]])
    flags = np.asarray(fixed, dtype=np.uint8)
    numbers = np.asarray(inputs, dtype=np.intc)
    table = values, numbered(values), np.full(len(values), least_width)
    arguments = np.asarray(places, dtype=float), np.asarray(steps, dtype=float), table, domains, flags
    return growth_tuning.moved_places(numbers, *arguments, MAX_STEP, MIN_ROWS, min_gap, ENOUGH)


def slivers_by_hand(values, edges, least_width):
    """Which labels between neighbouring edges are narrow, of few rows, and of more than a few values."""
    found = []
    for low, high in itertools.pairwise(edges):
        inside = values[(values >= low) & ((values < high) | (high == edges[-1]))]
        n_distinct = len(set(inside.tolist()))
        discrete = 0 < n_distinct <= MAX_DISTINCT and len(inside) >= MIN_REPEATS * n_distinct
        found.append(high - low < least_width * (1.0 - 1e-9) and not discrete and len(inside) < MANY_ROWS)
    return found


def random_edges(rng, values, least_width):
    """Edges between which no label is a sliver, or has too few rows."""
    distinct = np.unique(values)
    edges = [values[0], values[-1]]
    for place in rng.permutation((distinct[1:] + distinct[:-1]) / 2.0)[: rng.integers(0, 12)]:
        tried = sorted([*edges, float(place)])
        if n_between(values, tried[1:-1]).min() >= MIN_ROWS and not any(slivers_by_hand(values, tried, least_width)):
            edges = tried
    return edges


@examples(1.0)
@given(seeds, st.floats(0.0, 0.3), st.sampled_from([2.0, 5.0, 20.0, 1e6]))
def test_slivers_are_those_found_by_hand(seed, share, n_values):
    rng = np.random.default_rng(seed)
    values = np.sort(np.round(n_values * rng.uniform(size=60)))
    least_width = share * np.ptp(values)
    edges = np.sort([values[0], *rng.uniform(values[0], values[-1], 8), values[-1]])
    found = growth_tuning.slivers(values, numbered(values[None])[0], edges[:-1], edges[1:], least_width, ENOUGH)
    assert found.tolist() == slivers_by_hand(values, edges, least_width)


@examples(1.0)
@given(seeds, st.floats(0.0, 0.15), st.sampled_from([5.0, 20.0, 1e6]), st.floats(0.01, 3.0))
def test_no_step_leaves_a_sliver(seed, share, n_values, size):
    rng = np.random.default_rng(seed)
    values = np.sort(np.round(n_values * rng.uniform(size=60)) / n_values)
    # Some rows share a value: a label of these may be narrow.
    values = np.sort(np.append(values, np.repeat(rng.choice(values), 20)))
    least_width = share * np.ptp(values)
    edges = random_edges(rng, values, least_width)
    places = np.array(edges[1:-1])
    for _ in range(4):
        steps = size * rng.normal(size=len(places))
        places = moved(np.zeros(len(places), dtype=int), places, steps, values[None], [False], least_width=least_width)
        assert not any(slivers_by_hand(values, [values[0], *places, values[-1]], least_width))
        assert n_between(values, places).min() >= MIN_ROWS
        assert (np.diff(places) > 0.0).all()


def test_a_label_becomes_as_narrow_as_it_may():
    values = np.arange(100.0)[None]
    assert moved([0, 0], [30.5, 60.5], [14.0, -14.0], values, [False], least_width=12.0).tolist() == [44.5, 56.5]


def n_between(values, edges):
    """How many rows each label has."""
    return np.diff([0, *np.searchsorted(values, edges), len(values)])


@examples(1.0)
@given(seeds, st.integers(1, 3), st.floats(0.01, 30.0), st.booleans())
def test_points_keep_their_order_their_room_and_the_rows_of_every_label(seed, n_inputs, size, tied):
    rng = np.random.default_rng(seed)
    values = np.sort(rng.normal(size=(n_inputs, 60)), axis=1)
    values = np.round(4.0 * values) if tied else values
    fixed = rng.integers(0, 2, n_inputs)
    inputs, places = [], []
    for j in range(n_inputs):
        middles = (np.unique(values[j])[1:] + np.unique(values[j])[:-1]) / 2.0
        own = []
        # Every label has rows enough to begin with.
        for place in middles[rng.uniform(size=len(middles)) < 0.4]:
            if n_between(values[j], [*own, place]).min() > MIN_ROWS:
                own.append(float(place))
        inputs += [j] * len(own)
        places += own
    inputs, places = np.array(inputs, dtype=int), np.array(places)
    steps = size * rng.normal(size=len(places))
    after = moved(inputs, places, steps, values, fixed)
    for j in range(n_inputs):
        old, new, wanted = places[inputs == j], after[inputs == j], steps[inputs == j]
        if fixed[j]:
            assert np.array_equal(old, new)
            continue
        assert (np.diff(new) > 0.0).all()
        assert ((new > values[j, 0]) & (new < values[j, -1])).all()
        assert n_between(values[j], new).min(initial=60) >= MIN_ROWS
        edges = np.concatenate([values[j, :1], old, values[j, -1:]])
        goal = old + np.clip(wanted, -MAX_STEP * (old - edges[:-2]), MAX_STEP * (edges[2:] - old))
        on_the_way = (new - old) * (goal - new) >= -1e-12
        # Or to the next value, which passes no row.
        assert (on_the_way | (np.searchsorted(values[j], new) == np.searchsorted(values[j], old))).all()


def test_a_step_for_which_there_is_room_is_taken_whole():
    values = np.arange(100.0)[None]
    after = moved([0, 0], [30.5, 60.5], [5.25, -5.25], values, [False])
    assert after.tolist() == [35.75, 55.25]


def test_points_that_would_come_too_near_stay():
    values = np.concatenate([np.linspace(0.0, 1.0, 50), np.linspace(1e9, 1e9 + 1.0, 50)])[None]
    places, steps = [0.25, 0.75], [0.1, -0.1]
    assert moved([0, 0], places, steps, values, [False], min_gap=1e-12).tolist() == pytest.approx([0.35, 0.65])
    assert moved([0, 0], places, steps, values, [False], min_gap=1e-7).tolist() == places


@pytest.mark.parametrize("step", [-0.4, 0.4, 9.0])
@pytest.mark.parametrize("n_low", [10, 30, 50])
def test_the_split_point_of_two_values_stays_between_them(step, n_low):
    values = np.repeat([0.0, 1.0], [n_low, 60 - n_low])[None]
    [after] = moved([0], [0.5], [step], values, [False])
    assert 0.0 < after < 1.0


def test_a_label_without_rows_to_spare_stays():
    rows = Rows.from_arrays(np.arange(6.0)[:, None], np.zeros(6))
    assert moved([0], [2.5], [1.0], rows.columns, [False]).tolist() == [2.5]
