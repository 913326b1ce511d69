"""Where rules could be split and curves bent: places, what they promise of the error, and which is chosen."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from helpers.examples import examples
from helpers.structures import dense_weights, make_ramps, problem_of, standardised
from hypothesis import given
from hypothesis import strategies as st

from fruler import FuzzyRuleRegressor
from fruler._algorithms.growth import candidates
from fruler._algorithms.growth import candidates as candidates_module
from fruler._algorithms.growth.candidates import Candidates, Contender, Preference
from fruler._algorithms.growth.growth import Growth
from fruler._algorithms.growth.problem import MIN_LABEL, between
from fruler._algorithms.growth.structure import Ramps, Structure
from fruler._algorithms.growth.sums import degrees_of, outputs_of
from fruler._algorithms.growth.tuning import Room
from fruler._table.rows import Rows


def table(n_rows=200, n_values=None, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n_rows, 2))
    X = X if n_values is None else np.floor(n_values * X)
    y = np.sin(7.0 * X[:, 0] / np.ptp(X[:, 0])) * (1.0 + X[:, 1]) + 0.1 * rng.normal(size=n_rows)
    return standardised(X, y, rng.uniform(0.2, 1.8, n_rows))


def make_candidates(rows, domains, known=None, fuzziness=1.0, locality=0.0, min_rows=12.0, ridge=0.1):
    problem = problem_of(rows, domains, known, fuzziness=fuzziness)
    return Candidates(problem, Room(problem), locality, ridge, min_rows)


@examples(0.6)
@given(st.lists(st.sampled_from(np.arange(30) / 4.0), max_size=60), st.integers(1, 9))
def test_points_between_values_part_them(values, most):
    values = np.sort(np.array(values, dtype=float))
    points = between(values, most)
    distinct = np.unique(values)
    assert len(points) <= most
    assert (np.diff(points) > 0.0).all()
    # Each of them has values on both sides.
    assert ((points > values.min(initial=np.inf)) & (points < values.max(initial=-np.inf))).all()
    if len(distinct) - 1 <= most:
        np.testing.assert_allclose(points, (distinct[1:] + distinct[:-1]) / 2.0)


def test_points_between_many_values_are_quantiles():
    np.testing.assert_array_equal(between(np.arange(100.0), 3), [24.5, 49.5, 74.5])


def mixed_error(structure, said, curves, rows, locality):
    """The mixed error of rules that say something; curves are added to each."""
    weights, total = dense_weights(structure, rows.rows[:, 1:]).T, rows.weight.sum()
    joint = rows.weight @ np.square(rows.y - (weights * said).sum(axis=0) - curves)
    alone = (weights * rows.weight * np.square(rows.y - said - curves)).sum()
    return ((1.0 - locality) * joint + locality * alone) / total


@pytest.mark.parametrize("locality", [0.0, 0.3, 1.0])
def test_the_promise_of_a_split_is_by_how_much_it_would_lower_the_mixed_error(locality, monkeypatch):
    # Few values: every one of them has a bin of its own. A ridge of nothing: gains are exact.
    monkeypatch.setattr(candidates_module, "_MIN_RIDGE", 1e-13)
    rows, domains = table(n_values=12)
    growth = Growth(problem_of(rows, domains, locality=locality, max_rules=2, fuzziness=0.3))
    structure, fit = next((step.structure, step.fit) for step in growth.run() if step.structure.n_rules == 2)
    candidates = make_candidates(rows, domains, locality=locality, ridge=0.0)
    degrees = degrees_of(structure, rows)
    outputs = outputs_of(structure, fit.coefficients, rows, degrees)
    found = candidates.splits(structure, fit.coefficients, degrees, outputs)
    assert len(found) > 1
    assert found == sorted(found, reverse=True)
    before = mixed_error(structure, outputs.rules, outputs.curves, rows, locality)
    rules_compared = []
    for one in found:
        number, divided = one.number, structure
        if number < 0:
            divided, number = structure.with_split(one.input, one.place, one.reach)
        assert one.place == divided.splits.places[number]
        divided = divided.divided(one.rule, number)
        weights = dense_weights(divided, rows.rows[:, 1:]).T
        # The two rules of the split say something else by linear terms of their own; all others stay.
        said = np.vstack([outputs.rules, outputs.rules[[one.rule]]])
        pair = [one.rule, structure.n_rules]
        if weights.min() < -1e-9:
            # It reaches over the other split point; tuning will shorten both.
            continue
        rules_compared.append(one.rule)
        root = np.sqrt(np.array([(1.0 - locality) * rows.weight, *(locality * rows.weight * weights[pair])]))
        q, x = rows.rows.shape[1], rows.rows
        terms = np.zeros((3, len(rows), 2 * q))
        for k, rule in enumerate(pair):
            own = slice(k * q, (k + 1) * q)
            terms[0][:, own] = weights[rule][:, None] * x
            terms[1 + k][:, own] = x
        goals = np.array([rows.y - outputs.together, *(rows.y - said[pair] - outputs.curves)])
        left = (root[:, :, None] * terms).reshape(-1, 2 * q)
        change, *_ = np.linalg.lstsq(left, (root * goals).ravel(), rcond=None)
        said[pair] += change.reshape(2, q) @ x.T
        after = mixed_error(divided, said, outputs.curves, rows, locality)
        assert one.gain == pytest.approx(before - after, rel=1e-4, abs=1e-8)
    assert {*rules_compared} == {0, 1}


def test_the_promise_of_a_piece_is_what_it_would_explain_with_a_line(monkeypatch):
    monkeypatch.setattr(candidates_module, "_MIN_RIDGE", 1e-13)
    rows, domains = table(n_values=12)
    candidates = make_candidates(rows, domains, ridge=0.0)
    found = candidates.bends(Structure.undivided(2), rows.y, 2)
    assert {one.input for one in found} == {0, 1}
    for one in found:
        x = rows.columns[one.input]
        passed = np.clip(0.5 + 0.5 * (x - one.place) / one.reach, 0.0, 1.0)
        terms = np.column_stack([np.ones(len(x)), x, passed, passed * (x - one.place)])
        root = np.sqrt(rows.weight)
        change, *_ = np.linalg.lstsq(root[:, None] * terms, root * rows.y, rcond=None)
        left = rows.weight @ np.square(rows.y - terms @ change)
        assert one.gain == pytest.approx((rows.weight @ np.square(rows.y) - left) / rows.weight.sum(), rel=1e-6)


def splits_of(candidates, structure, coefficients=None):
    coefficients = np.zeros(structure.n_terms) if coefficients is None else coefficients
    degrees = degrees_of(structure, candidates.rows)
    return candidates.splits(
        structure, coefficients, degrees, outputs_of(structure, coefficients, candidates.rows, degrees)
    )


def test_a_rule_is_split_once_on_every_input():
    rows, domains = table()
    found = splits_of(make_candidates(rows, domains), Structure.undivided(2))
    assert sorted((one.rule, one.input) for one in found) == [(0, 0), (0, 1)]
    assert all(one.number == -1 for one in found)
    divided = Structure.undivided(2).with_split(0, 0.0, 0.2)[0].divided(0, 0)
    found = splits_of(make_candidates(rows, domains), divided)
    assert sorted((one.rule, one.input) for one in found) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    for one in found:
        # A rule is split within its bounds.
        if one.input == 0:
            assert (one.place < 0.0) == (one.rule == 0)


def test_a_split_point_of_another_rule_can_be_shared():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 2))
    rows, domains = standardised(X, np.where(X[:, 0] > 0.5, 1.0, 0.0) + np.where(X[:, 1] > 0.5, 1.0, 0.0))
    structure = Structure.undivided(2).with_split(0, 0.0, 0.01)[0].divided(0, 0)
    structure = structure.with_split(1, 0.0, 0.01)[0].divided(0, 1)
    found = splits_of(make_candidates(rows, domains), structure)
    [best] = [one for one in found if (one.rule, one.input) == (1, 1)]
    assert (best.number, best.place, best.reach) == (1, 0.0, 0.01)


def test_no_split_leaves_a_rule_too_few_rows():
    rows, domains = table(60)
    assert splits_of(make_candidates(rows, domains, min_rows=31.0), Structure.undivided(2)) == []
    assert len(splits_of(make_candidates(rows, domains, min_rows=12.0), Structure.undivided(2))) == 2


@pytest.mark.parametrize("fuzziness", [0.0, 0.2, 1.0])
def test_new_places_have_room(fuzziness):
    rows, domains = table()
    candidates = make_candidates(rows, domains, fuzziness=fuzziness, min_rows=0.0)
    points = make_ramps((0, 0.0, 0.3), (0, 1.0, 0.1))
    places = candidates.places_of_all(points)
    own = slice(places.first[0], places.first[1])
    new, reaches, flags = places.places[own], places.reaches[own], places.is_new[own].astype(bool)
    assert (np.diff(new) > 0.0).all()
    assert new[~flags].tolist() == [0.0, 1.0]
    assert reaches[~flags].tolist() == [0.3, 0.1]
    assert flags.sum() > 10
    ranks = candidates.room.ranks(0, new[flags])
    taken = np.concatenate([[0.0], candidates.room.ranks(0, np.array([0.0, 1.0])), [1.0]])
    assert np.abs(ranks[:, None] - taken).min() >= MIN_LABEL
    for place, reach in zip(new[flags], reaches[flags], strict=True):
        limited = candidates.room.limited(points.with_point(0, place, reach))
        if fuzziness > 0.0:
            assert limited.reaches[-1] == pytest.approx(reach)
        assert 0.0 < reach <= max(min(0.5, fuzziness), 0.01) * np.ptp(domains[0])


def test_known_split_points_are_the_only_places():
    rows, domains = table()
    known = [np.array([-0.5, 0.4]), np.empty(0)]
    candidates = make_candidates(rows, domains, known=known)
    places = candidates.places_of_all(Ramps.none())
    assert places.places[: places.first[1]].tolist() == [-0.5, 0.4]
    places = candidates.places_of_all(make_ramps((0, 0.4, 0.1)))
    own = slice(places.first[0], places.first[1])
    assert places.places[own].tolist() == [-0.5, 0.4]
    assert places.is_new[own].tolist() == [1, 0]
    assert {one.place for one in splits_of(candidates, Structure.undivided(2)) if one.input == 0} <= {-0.5, 0.4}
    assert {one.place for one in candidates.bends(Structure.undivided(2), rows.y, 2) if one.input == 0} <= {-0.5, 0.4}


def test_no_more_curves_are_begun_than_allowed():
    rows, domains = table()
    candidates, bent = make_candidates(rows, domains), Structure.undivided(2).with_bend(1, 0.0, 0.1)
    assert candidates.bends(Structure.undivided(2), rows.y, 0) == []
    assert {one.input for one in candidates.bends(bent, rows.y, 1)} == {1}
    assert {one.input for one in candidates.bends(bent, rows.y, 2)} == {0, 1}


def with_copy(noise, seed=0, sign=1):
    """The second input says what the first does, but for noise; only the first counts."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(size=300)
    return standardised(np.column_stack([x, sign * x + noise * rng.normal(size=300)]), np.sin(9.0 * x))


@pytest.mark.parametrize(("noise", "expected"), [(0.01, {0}), (0.1, {0, 1})])
def test_a_near_copy_of_an_input_in_use_is_not_divided(noise, expected):
    rows, domains = with_copy(noise)
    candidates, plain = make_candidates(rows, domains), Structure.undivided(2)
    assert {one.input for one in splits_of(candidates, plain)} == {0, 1}
    assert {one.input for one in candidates.bends(plain, rows.y, 2)} == {0, 1}
    split, number = plain.with_split(0, 0.3, 0.2)
    for used in (split.divided(0, number), plain.with_bend(0, 0.3, 0.2)):
        assert {one.input for one in splits_of(candidates, used)} == expected
        assert {one.input for one in candidates.bends(used, rows.y, 2)} == expected


def test_a_near_copy_that_promises_more_is_divided(monkeypatch):
    monkeypatch.setattr(candidates_module, "_MUCH_MORE", 1.02)
    rng = np.random.default_rng(0)
    outcomes = set()
    for seed, sign in itertools.product(range(10), [1, -1]):
        rows, domains = with_copy(0.03, seed, sign)
        rows = replace(rows, y=rows.y + rng.normal(size=300))
        candidates = make_candidates(rows, domains)
        assert candidates.copies.tolist() == [[False, True], [True, False]]
        split, number = Structure.undivided(2).with_split(0, 0.3, 0.2)
        used = split.divided(0, number)
        kept = {(one.rule, one.input) for one in splits_of(candidates, used)}
        candidates.copies[:] = False
        gains = {(one.rule, one.input): one.gain for one in splits_of(candidates, used)}
        for rule in range(2):
            more = gains[rule, 1] > 1.02 * gains[rule, 0]
            assert ((rule, 1) in kept) == more
            assert (rule, 0) in kept
            outcomes.add(more)
    assert outcomes == {False, True}


def test_an_input_without_width_is_not_divided():
    rows, domains = table()
    domains[1, 1] = domains[1, 0]
    candidates = make_candidates(rows, domains)
    assert {one.input for one in splits_of(candidates, Structure.undivided(2))} == {0}
    assert {one.input for one in candidates.bends(Structure.undivided(2), rows.y, 2)} == {0}


N = 100


@pytest.fixture
def chooser():
    """One of three inputs: the second goes with the target most closely, then the third."""
    rng = np.random.default_rng(0)
    y = rng.normal(size=N)
    noise = rng.normal(size=(N, 3))
    return Preference(Rows.from_arrays(np.column_stack([noise[:, 0], y, y + noise[:, 2]]), y))


def contender(input, criterion, squares=None):
    """Return one whose errors are the same on average as those of the others, but on other rows."""
    shuffled = np.random.default_rng(input).permutation(np.linspace(0.5, 1.5, N)) if squares is None else squares
    return Contender(input, criterion, shuffled)


def test_of_equals_the_input_that_goes_with_the_target_most_closely_is_taken(chooser):
    contenders = [contender(0, -10.0), contender(2, -9.9), contender(1, -9.8)]
    assert chooser.choose(contenders, divided=[], before=0.0) == 2


def test_of_equals_an_input_in_use_comes_first(chooser):
    contenders = [contender(1, -10.0), contender(2, -9.9), contender(0, -9.8)]
    assert chooser.choose(contenders, divided=np.array([0, 0]), before=0.0) == 2


def test_a_difference_beyond_chance_counts(chooser):
    noise = np.sqrt(np.square(contender(0, 0.0).squares - contender(1, 0.0).squares).sum())
    assert noise < 8.0
    assert chooser.choose([contender(0, 0.0), contender(1, 0.9 * noise)], divided=[], before=100.0) == 1
    assert chooser.choose([contender(0, 0.0), contender(1, 1.1 * noise)], divided=[], before=100.0) == 0


def test_a_difference_that_is_decisive_counts_whatever_chance_could_do(chooser):
    far = contender(1, 0.0).squares * np.where(np.arange(N) < 5, 40.0, 0.1)
    far *= contender(0, 0.0).squares.sum() / far.sum()
    assert chooser.choose([contender(0, 0.0), contender(1, 9.9, far)], divided=[], before=100.0) == 1
    assert chooser.choose([contender(0, 0.0), contender(1, 10.1, far)], divided=[], before=100.0) == 0


def test_an_input_that_gains_less_than_half_as_much_is_not_preferred(chooser):
    contenders = [contender(0, -2.0), contender(1, -0.9)]
    assert chooser.choose(contenders, divided=[], before=0.0) == 0
    assert chooser.choose(contenders, divided=[], before=0.3) == 1
    assert chooser.choose(contenders, divided=[], before=-3.0) == 0


def test_where_all_rows_agree_there_is_no_chance(chooser):
    ones = np.ones(N)
    assert chooser.choose([contender(0, 0.0, ones), contender(1, 0.01, 1.01 * ones)], divided=[], before=0.0) == 0


def test_two_divisions_of_one_input_are_told_apart_by_the_criterion(chooser):
    assert chooser.choose([contender(1, -9.9), contender(1, -10.0)], divided=[1], before=0.0) == 1


def test_exact_fits_and_constant_inputs_are_no_trouble():
    rows = Rows.from_arrays(np.column_stack([np.ones(N), np.arange(N)]), np.arange(N))
    zero = np.zeros(N)
    assert Preference(rows).choose([contender(1, -5.0, zero), contender(0, -5.0, zero)], divided=[], before=0.0) == 0


def test_weights_stand_for_repeated_rows():
    rng = np.random.default_rng(1)
    X, y, weight = rng.normal(size=(N, 2)), rng.normal(size=N), rng.integers(1, 4, N)
    weighted = Preference(Rows.from_arrays(X, y, weight.astype(float)))
    repeated = Preference(Rows.from_arrays(np.repeat(X, weight, axis=0), np.repeat(y, weight)))
    assert np.array_equal(weighted.correlations, repeated.correlations)


def first_splits(n_samples):
    """Return which inputs rules are split by on samples of rows that two inputs know nearly the same of."""
    rng = np.random.default_rng(0)
    hidden = rng.uniform(-1.0, 1.0, 600)
    X = np.column_stack([hidden + 0.06 * rng.normal(size=600), hidden + 0.05 * rng.normal(size=600)])
    y = np.where(hidden > 0.0, 2.0 * hidden, 0.0) + 0.2 * rng.normal(size=600)
    found = []
    for sample in range(n_samples):
        taken = np.random.default_rng(sample).permutation(600)[:300]
        rules = FuzzyRuleRegressor(max_rules=2, max_curves=0, random_state=0).fit(X[taken], y[taken]).rule_base_
        found += [name for rule in rules.rules for name in rule.antecedent]
    return found


def test_samples_agree_on_the_input_to_split(monkeypatch):
    preferred = first_splits(10)
    monkeypatch.setattr(candidates, "_STANDARD_ERRORS", 0.0)
    by_chance = first_splits(10)
    assert preferred.count("x1") > by_chance.count("x1")
    assert preferred.count("x0") < by_chance.count("x0")
