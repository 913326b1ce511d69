"""What a split, or a piece of a curve, promises against dense least squares; every value has a bin of its own."""

import numpy as np
import pytest
from helpers.examples import examples
from hypothesis import given
from hypothesis import strategies as st

from fruler._kernels import growth_candidates
from fruler._table.rows import Rows

seeds = st.integers(0, 2**32 - 1)
few = examples(0.4)
N_VALUES, N_ROWS, RIDGE = 9, 80, 1e-3


def few_values(rng, n_inputs):
    """Rows of few distinct values, and the bins: one for each value."""
    values = np.sort(rng.normal(size=(n_inputs, N_VALUES)), axis=1)
    bins = rng.integers(0, N_VALUES, size=(n_inputs, N_ROWS)).astype(np.uint8)
    X = np.take_along_axis(values, bins.astype(int), axis=1).T
    return Rows.from_arrays(X, rng.normal(size=N_ROWS), rng.uniform(0.1, 2.0, N_ROWS)), (bins, values)


def candidates_of(places, reaches, new=None):
    """The candidates as the kernel reads them, of lists by input, which are in increasing order."""
    first = np.concatenate([[0], np.cumsum([len(part) for part in places])]).astype(np.intc)
    flags = np.ones(first[-1], dtype=np.uint8) if new is None else np.concatenate(new).astype(np.uint8)
    return first, np.concatenate(places), np.concatenate(reaches), flags


def random_candidates(rng, n_inputs, n_places):
    places = [np.sort(rng.uniform(-2.0, 2.0, n_places)) for _ in range(n_inputs)]
    return candidates_of(places, [rng.uniform(0.01, 1.0, n_places) for _ in range(n_inputs)])


def ramp(x, place, reach):
    return np.clip(0.5 + 0.5 * (x - place) / reach, 0.0, 1.0)


def explained(gram, moment):
    return moment @ np.linalg.solve(gram + RIDGE * np.eye(len(moment)), moment)


def direct_split(rows, rule, terms, feature, place, reach, locality):
    """What two rules explain in place of one, and the weights that they have."""
    weight, residual = rule
    passed = ramp(rows.columns[feature], place, reach)
    used = sorted({*terms, feature + 1})
    x, pair = rows.rows[:, used], np.stack([weight * (1.0 - passed), weight * passed])
    both = np.concatenate([part[:, None] * x for part in pair], axis=1)
    total, q = rows.weight.sum(), len(used)
    gram = (1.0 - locality) * (both.T * rows.weight) @ both / total
    for k, part in enumerate(pair):
        own = slice(k * q, (k + 1) * q)
        gram[own, own] += locality * (x.T * (rows.weight * part)) @ x / total
    return explained(gram, both.T @ (rows.weight * residual) / total), pair.sum(axis=1)


@few
@given(seeds, st.integers(1, 4), st.sampled_from([0.0, 0.3, 1.0]), st.sampled_from([-1.0, 4.0, 15.0]))
def test_the_promise_of_a_split_is_what_the_pair_of_rules_would_explain(seed, n_inputs, locality, min_rows):
    rng = np.random.default_rng(seed)
    rows, bins = few_values(rng, n_inputs)
    rule = rng.uniform(-0.5, 1.0, N_ROWS).clip(0.0), rng.normal(size=N_ROWS)
    terms = np.flatnonzero(rng.integers(0, 2, n_inputs + 1) | (np.arange(n_inputs + 1) == 0)).astype(np.intc)
    candidates = random_candidates(rng, n_inputs, 5)
    bounds = np.sort(rng.uniform(-2.5, 2.5, size=(n_inputs, 2)), axis=1)
    # More than there are: none is passed over but those that part no rows.
    limits = rows.weight.sum(), RIDGE, min_rows, 10**6
    gains, best = growth_candidates.split_gains(
        (rows.rows, rows.weight), (*rule, bounds), bins, candidates, terms, locality, *limits
    )
    for j in range(n_inputs):
        expected = {}
        for c in range(5 * j, 5 * j + 5):
            place, reach = candidates[1][c], candidates[2][c]
            gain, pair = direct_split(rows, rule, terms.tolist(), j, place, reach, locality)
            if bounds[j, 0] < place < bounds[j, 1] and pair.min() >= min_rows:
                expected[c] = gain
        # A new place below which there are no more rows than below the one before it is not looked at.
        expected = {c: gain for c, gain in expected.items() if c in judged(rows, rule[0], bounds[j], j, candidates)}
        if not expected:
            assert (gains[j], best[j]) == (-1.0, -1)
        else:
            assert gains[j] == pytest.approx(max(expected.values()), rel=1e-7)
            assert expected[int(best[j])] == pytest.approx(gains[j], rel=1e-7)


def judged(rows, weight, bounds, feature, candidates, max_tried=10**6):
    """The candidates of an input that are looked at: each new one has enough more rows below it than the last."""
    first, places, _, new = candidates
    spacing, seen, found = weight.sum() / (max_tried + 1), 0.0, []
    for c in range(first[feature], first[feature + 1]):
        if not bounds[0] < places[c] < bounds[1]:
            continue
        passed = weight[rows.columns[feature] < places[c]].sum()
        if new[c] and passed < seen + spacing:
            continue
        seen = passed if new[c] else seen
        found.append(c)
    return found


def equal_values(n_rows=21):
    X = np.linspace(0.0, 1.0, n_rows)[:, None]
    rows = Rows.from_arrays(X, np.zeros(n_rows))
    return rows, (np.arange(n_rows, dtype=np.uint8)[None], rows.columns)


def split_gains(rows, bins, residual, candidates, bounds=(-np.inf, np.inf), min_rows=0.0, max_tried=100):
    rule = np.ones(len(rows)), residual, np.array([bounds])
    terms = np.array([0, 1], dtype=np.intc)
    return growth_candidates.split_gains(
        (rows.rows, rows.weight), rule, bins, candidates, terms, 0.0, float(len(rows)), RIDGE, min_rows, max_tried
    )


def crisp(*places, new=None):
    return candidates_of([np.array(places)], [np.full(len(places), 1e-6)], None if new is None else [np.array(new)])


@pytest.mark.parametrize(("place", "promises"), [(0.12, False), (0.22, True), (0.78, True), (0.87, False)])
def test_a_split_that_leaves_too_few_rows_on_either_side_promises_nothing(place, promises):
    rows, bins = equal_values()
    residual = np.sign(rows.columns[0] - place)
    gains, best = split_gains(rows, bins, residual, crisp(place), min_rows=5.0)
    assert (gains[0] > 0.9, best[0] == 0) == (promises, promises)


def test_a_rule_is_split_inside_its_bounds_only():
    rows, bins = equal_values()
    residual, candidates = np.sign(rows.columns[0] - 0.52), crisp(0.21, 0.52, 0.81)
    assert split_gains(rows, bins, residual, candidates)[1] == [1]
    for bounds, best in (((0.52, 1.0), 2), ((0.0, 0.52), 0), ((0.3, 0.5), -1)):
        assert split_gains(rows, bins, residual, candidates, bounds)[1] == [best]


def test_of_many_new_places_some_are_tried_and_of_those_there_are_all():
    rows, bins = equal_values(100)
    places = np.linspace(0.0, 1.0, 100)[:-1] + 0.5 / 99
    # With a jump at every place in turn, those that are looked at are found.
    found = set()
    for place in places:
        _, best = split_gains(rows, bins, np.sign(rows.columns[0] - place), crisp(*places), max_tried=4)
        found.add(int(best[0]))
    # A fifth of the rows lies between them.
    assert found == {19, 39, 59, 79}
    old = np.isin(np.arange(99), [7, 50])
    for number in (7, 50):
        residual = np.sign(rows.columns[0] - places[number])
        assert split_gains(rows, bins, residual, crisp(*places, new=~old), max_tried=4)[1] == [number]


def test_an_input_without_candidates_has_no_split_and_no_curve():
    rows, bins = equal_values()
    nothing = candidates_of([np.empty(0)], [np.empty(0)])
    for gains, best in (
        split_gains(rows, bins, rows.columns[0], nothing),
        growth_candidates.curve_gains(rows.columns, rows.columns[0], rows.weight, bins, nothing, 21.0, RIDGE),
    ):
        assert (gains.tolist(), best.tolist()) == ([-1.0], [-1])


@few
@given(seeds, st.integers(1, 4))
def test_the_promise_of_a_curve_is_what_a_line_a_step_and_a_slope_explain(seed, n_inputs):
    rng = np.random.default_rng(seed)
    rows, bins = few_values(rng, n_inputs)
    residual, total = rng.normal(size=N_ROWS), rows.weight.sum()
    candidates = random_candidates(rng, n_inputs, 5)
    gains, best = growth_candidates.curve_gains(rows.columns, residual, rows.weight, bins, candidates, total, RIDGE)
    for j, x in enumerate(rows.columns):
        expected = {}
        for c in range(5 * j, 5 * j + 5):
            passed = ramp(x, candidates[1][c], candidates[2][c])
            terms = np.column_stack([np.ones(N_ROWS), x, passed, passed * (x - candidates[1][c])])
            weighted = terms.T * rows.weight
            expected[c] = explained(weighted @ terms / total, weighted @ residual / total)
        assert gains[j] == pytest.approx(max(expected.values()), rel=1e-7)
        assert expected[int(best[j])] == pytest.approx(gains[j], rel=1e-7)
