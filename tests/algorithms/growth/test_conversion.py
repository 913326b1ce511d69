"""From structures to rule bases: what is predicted stays the same."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from helpers.examples import examples
from helpers.structures import ends_of, grow_at_random, problem_of
from hypothesis import given
from hypothesis import strategies as st

from fruler import FuzzyPartition
from fruler._algorithms.growth.conversion import Conversion, monotone_lines
from fruler._algorithms.growth.structure import Structure
from fruler._algorithms.growth.sums import Sums, degrees_of, outputs_of
from fruler._algorithms.growth.tuning import Room
from fruler.learning._training_table import LocalTable
from fruler.rules import Curve

seeds = st.integers(0, 2**32 - 1)
few = examples(0.3)
UNITS, SHIFTS = np.array([1.0, 1e3, 1e-3]), np.array([0.0, -5e3, 7.0])


def make_table(rng, n_rows=50, split_points=None, weighted=True):
    X = rng.normal(size=(n_rows, 3)) * UNITS + SHIFTS
    y = 100.0 + 20.0 * rng.normal(size=n_rows)
    weight = rng.uniform(0.1, 2.0, n_rows) if weighted else None
    return LocalTable.from_arrays(X, y, weight, ["a", "b", "c"], split_points)


def domains_of(table, inputs=(0, 1, 2)):
    some = list(inputs)
    scale = table.scale
    return (table.domains[some] - scale.centre[some, None]) / scale.spread[some, None]


def converted(table, structure, coefficients, inputs=(0, 1, 2), fuzziness=1.0):
    """The rule base, and the rows that it is of."""
    numbers = np.array(inputs)
    rows = table.rows.with_inputs(numbers)
    sums = Sums.over(rows, degrees_of(structure, rows))
    rule_base = Conversion(table, numbers, fuzziness).rule_base(
        structure, coefficients, sums.normal(structure, 0.3), sums.support / sums.weight
    )
    return rule_base, rows


def assert_same_predictions(table, structure, coefficients, rule_base, rows):
    degrees = degrees_of(structure, rows)
    outputs = outputs_of(structure, coefficients, rows, degrees)

    def in_units(said):
        return said * table.target_scale.spread + table.target_scale.centre

    np.testing.assert_allclose(rule_base.predict(table.values), in_units(outputs.together), rtol=1e-8)
    # Each rule by itself, too.
    alone = in_units(outputs.rules + outputs.curves).T
    np.testing.assert_allclose(rule_base.rule_outputs(table.values), alone, rtol=1e-8, atol=1e-7)
    np.testing.assert_allclose(rule_base.activations(table.values)[0], degrees.weights.T, atol=1e-8)


@few
@given(seeds, st.integers(0, 7), st.integers(0, 4))
def test_a_rule_base_predicts_what_the_structure_says(seed, n_splits, n_bends):
    rng = np.random.default_rng(seed)
    table = make_table(rng)
    structure = grow_at_random(rng, domains_of(table), n_splits, n_bends)[-1]
    coefficients = rng.normal(size=structure.n_terms)
    rule_base, rows = converted(table, structure, coefficients)
    assert rule_base.n_rules == structure.n_rules
    assert rule_base.n_curves == structure.n_curves
    assert_same_predictions(table, structure, coefficients, rule_base, rows)
    np.testing.assert_allclose(
        rule_base.support, np.average(rule_base.activations(table.values)[0], axis=0, weights=table.weight), atol=1e-9
    )


@few
@given(seeds, st.integers(0, 4), st.integers(1, 5))
def test_curves_are_zero_on_average_and_have_the_slope_that_rules_share(seed, n_splits, n_bends):
    rng = np.random.default_rng(seed)
    table = make_table(rng)
    structure = grow_at_random(rng, domains_of(table), n_splits, n_bends)[-1]
    rule_base, _ = converted(table, structure, rng.normal(size=structure.n_terms))
    for curve in rule_base.curves:
        added = curve.values(table.values[:, curve.input])
        assert np.average(added, weights=table.weight) == pytest.approx(0.0, abs=1e-9 * np.abs(added).max())
        # The first rule has the blocks that all rules have, and no more: its slope is in the curve.
        first = np.flatnonzero(structure.blocks.sum(axis=1) == 1.0)
        assert not rule_base.consequents.coefficients[first, 1 + curve.input].any()


def test_a_curve_without_terms_is_none():
    rng = np.random.default_rng(0)
    table = make_table(rng)
    structure = Structure.undivided(3).with_bend(1, 0.0, 0.2).with_bend(0, 0.3, 0.2)
    rule_base, rows = converted(table, structure, coefficients := np.array([0.5, 1.0, 2.0, 3.0, 0.0, 0.0, 1.0, 0.0]))
    assert [curve.input for curve in rule_base.curves] == [0]
    # The slope of the other is the rule's.
    assert np.flatnonzero(rule_base.consequents.coefficients[0]).tolist() == [0, 2, 3]
    assert_same_predictions(table, structure, coefficients, rule_base, rows)


@few
@given(seeds, st.integers(0, 4), st.integers(0, 3))
def test_inputs_that_were_not_grown_on_are_in_no_rule(seed, n_splits, n_bends):
    rng = np.random.default_rng(seed)
    table, inputs = make_table(rng), (0, 2)
    structure = grow_at_random(rng, domains_of(table, inputs), n_splits, n_bends)[-1]
    coefficients = rng.normal(size=structure.n_terms)
    rule_base, rows = converted(table, structure, coefficients, inputs)
    assert rule_base.names == ("a", "b", "c")
    assert not rule_base.uses[1]
    assert rule_base.granularities[1] == 1
    assert not np.isin([curve.input for curve in rule_base.curves], 1).any()
    assert_same_predictions(table, structure, coefficients, rule_base, rows)


@few
@given(seeds, st.integers(1, 5), st.integers(0, 3), st.sampled_from([0.0, 0.4, 1.0]))
def test_known_split_points_are_labels_whether_rules_use_them_or_not(seed, n_splits, n_bends, fuzziness):
    rng = np.random.default_rng(seed)
    known = [-0.7, 0.013, 0.31, 0.9]
    table = make_table(rng, n_rows=60, split_points={"a": known}, weighted=False)
    domains, scale = domains_of(table), table.scale
    points = [(np.array(known) - scale.centre[0]) / scale.spread[0], np.empty(0), np.empty(0)]
    room = Room(problem_of(table.rows, domains, points, fuzziness=fuzziness))
    structure = Structure.undivided(3)
    for place in rng.permutation(points[0])[:n_splits]:
        structure, number = structure.with_split(0, float(place), 1.0)
        ends = [ends_of(structure, rule, 0, domains) for rule in range(structure.n_rules)]
        rule = next(rule for rule, (low, high) in enumerate(ends) if low < place < high)
        structure = structure.divided(rule, number)
    for place in rng.permutation(points[0])[:n_bends]:
        structure = structure.with_bend(0, float(place), 1.0)
    limited = replace(structure, splits=room.limited(structure.splits), bends=room.limited(structure.bends))
    coefficients = rng.normal(size=limited.n_terms)
    rule_base, rows = converted(table, limited, coefficients, fuzziness=fuzziness)
    partition = rule_base.variables[0].partition
    assert partition.split_points == tuple(known)
    assert partition.fuzziness == pytest.approx([fuzziness] * 4)
    # A curve bends at those that it uses.
    assert [len(curve.partition.split_points) for curve in rule_base.curves] == [n_bends] * (n_bends > 0)
    assert {point for curve in rule_base.curves for point in curve.partition.split_points} <= {*known}
    assert_same_predictions(table, limited, coefficients, rule_base, rows)


def test_crisp_split_points_are_crisp():
    rng = np.random.default_rng(0)
    table = make_table(rng)
    structure = Structure.undivided(3).with_split(0, 0.0, 1e-9)[0].divided(0, 0)
    structure = structure.with_bend(2, 0.5, 1e-9)
    rule_base, rows = converted(table, structure, coefficients := rng.normal(size=structure.n_terms), fuzziness=0.0)
    assert rule_base.variables[0].partition.fuzziness == (0.0,)
    assert rule_base.curves[0].partition.fuzziness == (0.0,)
    assert_same_predictions(table, structure, coefficients, rule_base, rows)


def test_a_split_of_rules_and_a_bend_of_one_input_have_partitions_of_their_own():
    rng = np.random.default_rng(0)
    table = make_table(rng)
    structure = Structure.undivided(3).with_split(0, 0.5, 0.2)[0].divided(0, 0).with_bend(0, -0.5, 0.1)
    rule_base, _ = converted(table, structure, rng.normal(size=structure.n_terms))
    scale = table.scale
    assert rule_base.variables[0].partition.split_points == pytest.approx([0.5 * scale.spread[0] + scale.centre[0]])
    assert rule_base.variables[0].partition.half_widths == pytest.approx([0.2 * scale.spread[0]])
    assert rule_base.curves[0].partition.split_points == pytest.approx([-0.5 * scale.spread[0] + scale.centre[0]])
    assert rule_base.curves[0].partition.half_widths == pytest.approx([0.1 * scale.spread[0]])


def test_labels_are_numbered_from_low_to_high_whatever_the_order_of_the_splits():
    table = make_table(np.random.default_rng(0))
    structure = Structure.undivided(3)
    for rule, place in ((0, 0.5), (0, -0.5), (1, 1.0)):
        structure, number = structure.with_split(0, place, 0.1)
        structure = structure.divided(rule, number)
    rule_base, _ = converted(table, structure, np.zeros(structure.n_terms))
    assert rule_base.antecedents.ranges[:, 0].tolist() == [[0, 0], [2, 2], [1, 1], [3, 3]]
    assert rule_base.antecedents.ranges[:, 1].tolist() == [[0, 0]] * 4


def test_without_terms_the_mean_is_predicted():
    table = make_table(np.random.default_rng(0))
    rule_base, _ = converted(table, Structure.undivided(3), np.zeros(4))
    np.testing.assert_allclose(rule_base.predict(table.values), table.target_scale.centre)


def value(partition, lines, x):
    """What a curve adds at a fraction, without rounding."""
    below = 0
    for k, (split, half) in enumerate(zip(partition.split_points, partition.half_widths.tolist(), strict=True)):
        low, high = Fraction(split) - Fraction(half), Fraction(split) + Fraction(half)
        if x >= high:
            below = k + 1
        elif x > low:
            share = (x - low) / (high - low)
            one, other = (Fraction(a) + Fraction(b) * x for a, b in lines[k : k + 2].tolist())
            return (1 - share) * one + share * other
    a, b = lines[below].tolist()
    return Fraction(a) + Fraction(b) * x


def random_lines(rng, partition, rising):
    """Lines that nearly meet at the split points, with slopes of which some are zero."""
    slopes = rng.uniform(0.0, 1.0, partition.n_labels) * rng.integers(0, 2, partition.n_labels)
    intercepts = [rng.normal()]
    for k, split in enumerate(partition.split_points):
        step = rng.uniform(0.0, 1.0) * rng.integers(0, 2) if rising else rng.normal()
        intercepts.append(intercepts[-1] + (slopes[k] - slopes[k + 1]) * split + step)
    return np.column_stack([intercepts, slopes])


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("seed", range(10))
def test_the_curve_rises_between_any_two_values(seed, sign):
    rng = np.random.default_rng(seed)
    splits = np.sort(rng.uniform(0.1, 0.9, 3))
    partition = FuzzyPartition(splits, (0.0, 1.0), rng.choice([0.0, 0.3, 1.0], 3))
    lines = monotone_lines(partition, sign * random_lines(rng, partition, rising=False), sign)
    edges = [e for s, h in zip(splits, partition.half_widths, strict=True) for e in (s - h, s, s + h)]
    places = np.sort(np.concatenate([edges, np.nextafter(edges, 2.0), rng.uniform(-1.0, 2.0, 300)]))
    adds = [sign * value(partition, lines, Fraction(x)) for x in places.tolist()]
    assert all(one <= other for one, other in pairwise(adds))
    # As it is computed there may be rounding, but nothing else.
    assert np.diff(sign * Curve(0, partition, lines).values(places)).min() > -1e-14


@pytest.mark.parametrize("seed", range(5))
def test_what_rises_is_left_alone_but_for_rounding(seed):
    rng = np.random.default_rng(seed)
    partition = FuzzyPartition([0.3, 0.6], (0.0, 1.0), 0.5)
    lines = random_lines(rng, partition, rising=True)
    # Lines that meet at the split point with a slope that falls by half at most rise throughout the zone.
    lines[:, 1] = 1.0 + 0.2 * lines[:, 1]
    for k, split in enumerate(partition.split_points):
        lines[k + 1, 0] = lines[k, 0] + (lines[k, 1] - lines[k + 1, 1]) * split
    np.testing.assert_array_equal(monotone_lines(partition, lines, 1), lines)
    spoiled = lines.copy()
    spoiled[:, 1] *= -1.0
    assert (monotone_lines(partition, spoiled, 1)[:, 1] == 0.0).all()
