"""Sums over rows: normal equations are those of dense algebra, and sums of changed structures those formed anew."""

from dataclasses import fields

import numpy as np
import pytest
from helpers.examples import examples
from helpers.structures import (
    dense_curves,
    dense_terms,
    dense_weights,
    flat_place,
    grow_at_random,
    mixed_problem,
    random_rows,
)
from hypothesis import given
from hypothesis import strategies as st

from fruler._algorithms.growth import sums as sums_module
from fruler._algorithms.growth.sums import (
    Sums,
    curve_columns,
    curve_lines,
    degrees_of,
    outputs_of,
    rule_coefficients,
    sums_in_slices,
)
from fruler._kernels import growth_sums

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 3), st.integers(0, 4), st.integers(0, 3)
few = examples(0.3)


def random_case(seed, n_inputs, n_splits, n_bends):
    rng = np.random.default_rng(seed)
    rows, domains = random_rows(rng, 40, n_inputs)
    return rows, domains, grow_at_random(rng, domains, n_splits, n_bends)[-1]


def sums_of(structure, rows):
    return Sums.over(rows, degrees_of(structure, rows))


def assert_same(one, other):
    for field in fields(Sums):
        np.testing.assert_allclose(getattr(one, field.name), getattr(other, field.name), rtol=1e-9, atol=1e-9)


@few
@given(seeds, *sizes)
def test_degrees_are_weights_and_terms_of_curves(seed, n_inputs, n_splits, n_bends):
    rows, _, structure = random_case(seed, n_inputs, n_splits, n_bends)
    degrees, X = degrees_of(structure, rows), rows.rows[:, 1:]
    np.testing.assert_allclose(degrees.weights.T, dense_weights(structure, X), atol=1e-12)
    np.testing.assert_allclose(degrees.columns.T, dense_curves(structure, X), atol=1e-12)
    assert (degrees.ramps.shape, degrees.bends.shape) == ((len(structure.splits), 40), (n_bends, 40))


@few
@given(seeds, *sizes, st.sampled_from([0.0, 0.3, 1.0]))
def test_normal_equations_are_those_of_the_mixed_error(seed, n_inputs, n_splits, n_bends, locality):
    rows, _, structure = random_case(seed, n_inputs, n_splits, n_bends)
    normal, problem = sums_of(structure, rows).normal(structure, locality), mixed_problem(structure, rows, locality)
    np.testing.assert_allclose(normal.gram, problem.gram, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(normal.moment, problem.moment, rtol=1e-9, atol=1e-11)
    assert normal.square == pytest.approx(problem.error(np.zeros(structure.n_terms)))
    assert normal.weight == pytest.approx(rows.weight.sum())


@few
@given(seeds, *sizes)
def test_sums_after_a_split_are_those_formed_anew(seed, n_inputs, n_splits, n_bends):
    rows, domains, structure = random_case(seed, n_inputs, n_splits, n_bends)
    rule, j = seed % structure.n_rules, seed % n_inputs
    with_split, number = structure.with_split(j, flat_place(structure, rule, j, domains), 1e-6)
    degrees = degrees_of(structure, rows)
    [ramp] = growth_sums.ramps(rows.columns, *with_split.splits.take(np.array([number])).arrays)
    after = Sums.over(rows, degrees).after_split(rule, degrees.weights[rule] * ramp, rows, degrees)
    assert_same(after, sums_of(with_split.divided(rule, number), rows))
    assert after.n_rules == structure.n_rules + 1


@few
@given(seeds, *sizes)
def test_whatever_a_rule_gives_to_a_new_one_is_taken_from_it(seed, n_inputs, n_splits, n_bends):
    rows, _, structure = random_case(seed, n_inputs, n_splits, n_bends)
    rule, degrees = seed % structure.n_rules, degrees_of(structure, rows)
    upper = degrees.weights[rule] * np.random.default_rng(seed).uniform(-0.5, 1.5, len(rows)).clip(0.0, 1.0)
    weights = np.vstack([degrees.weights, upper])
    weights[rule] -= upper
    after = Sums.over(rows, degrees).after_split(rule, upper, rows, degrees)
    assert_same(after, Sums.over(rows, degrees._replace(weights=weights)))


@few
@given(seeds, *sizes)
def test_sums_with_a_further_piece_are_those_formed_anew(seed, n_inputs, n_splits, n_bends):
    rows, domains, structure = random_case(seed, n_inputs, n_splits, n_bends)
    bent = structure.with_bend(0, float(domains[0].mean()), 0.3)
    degrees, point = degrees_of(structure, rows), bent.bends.take(np.array([n_bends]))
    columns = curve_columns(point, growth_sums.ramps(rows.columns, *point.arrays), rows)
    assert_same(Sums.over(rows, degrees).with_columns(columns, rows, degrees), sums_of(bent, rows))


@few
@given(seeds, *sizes)
def test_sums_of_two_sets_of_rows_are_added_and_taken_away(seed, n_inputs, n_splits, n_bends):
    rows, _, structure = random_case(seed, n_inputs, n_splits, n_bends)
    some = np.arange(0, 40, 3)
    part, rest = (sums_of(structure, rows.take(own)) for own in (some, np.setdiff1d(np.arange(40), some)))
    whole = sums_of(structure, rows)
    assert_same(part + rest, whole)
    assert_same(whole - part, rest)
    np.testing.assert_allclose(whole.support, dense_weights(structure, rows.rows[:, 1:]).T @ rows.weight)


def test_many_rows_are_summed_up_in_slices(monkeypatch):
    rows, _, structure = random_case(0, 2, 3, 1)
    monkeypatch.setattr(sums_module, "_ROWS_A_SLICE", 7)
    assert_same(sums_in_slices(structure, rows), sums_of(structure, rows))
    assert sums_in_slices(structure, rows.take(slice(0))).weight == 0.0


@few
@given(seeds, *sizes)
def test_outputs_are_what_the_terms_say(seed, n_inputs, n_splits, n_bends):
    rows, _, structure = random_case(seed, n_inputs, n_splits, n_bends)
    X, degrees = rows.rows[:, 1:], degrees_of(structure, rows)
    coefficients = np.random.default_rng(seed).normal(size=structure.n_terms)
    outputs = outputs_of(structure, coefficients, rows, degrees)
    weights, alone = dense_weights(structure, X), (dense_terms(structure, X) @ coefficients).T
    np.testing.assert_allclose((outputs.rules + outputs.curves).T, alone, atol=1e-9)
    np.testing.assert_allclose(outputs.together, (weights * alone).sum(axis=1), atol=1e-9)
    np.testing.assert_allclose(outputs.of_strongest(degrees), alone[np.arange(40), weights.argmax(axis=1)], atol=1e-9)
    # In the form that is printed: a line for every rule, and for every piece of a curve.
    np.testing.assert_allclose(rows.rows @ rule_coefficients(structure, coefficients).T, outputs.rules.T, atol=1e-9)
    lines = curve_lines(structure, coefficients)
    said = lines[:, 0] + lines[:, 1] * X[:, structure.bends.inputs]
    np.testing.assert_allclose((degrees.bends.T * said).sum(axis=1), outputs.curves, atol=1e-9)
