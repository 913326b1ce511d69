"""Ramps, weights of rules and sums of their terms against dense algebra."""

import numpy as np
import pytest
from helpers.examples import examples
from helpers.structures import (
    dense_curves,
    dense_ramps,
    dense_weights,
    grow_at_random,
    make_ramps,
    mixed_problem,
    random_rows,
)
from hypothesis import given
from hypothesis import strategies as st

from fruler._algorithms.growth.structure import Ramps, Structure
from fruler._kernels import growth_sums

seeds = st.integers(0, 2**32 - 1)
localities = st.sampled_from([0.0, 0.3, 1.0])
few = examples(0.3)


def random_case(seed, n_inputs, n_splits, n_bends=0, n_rows=30):
    rng = np.random.default_rng(seed)
    rows, domains = random_rows(rng, n_rows, n_inputs)
    return rows, grow_at_random(rng, domains, n_splits, n_bends)[-1]


def weights_of(structure, rows):
    return growth_sums.rule_weights(growth_sums.ramps(rows.columns, *structure.splits.arrays), *structure.conditions)


def unpacked(packed, q):
    """The symmetric matrix whose upper triangle is written row after row."""
    full = np.zeros((q, q))
    full[np.triu_indices(q)] = packed
    return full + np.triu(full, 1).T


def test_a_ramp_rises_over_its_reach_and_no_further():
    columns = np.array([[9.0] * 6, [-1.0, 1.0, 1.5, 2.0, 3.0, 8.0]])
    points = make_ramps((1, 2.0, 1.0), (1, 1.75, 0.5), (0, 9.0, 2.0))
    expected = [[0, 0, 0.25, 0.5, 1, 1], [0, 0, 0.25, 0.75, 1, 1], [0.5] * 6]
    np.testing.assert_array_equal(growth_sums.ramps(columns, *points.arrays), expected)


def test_the_rows_of_a_hair_s_breadth_are_on_either_side():
    columns = np.array([[0.999, 1.001]])
    np.testing.assert_array_equal(growth_sums.ramps(columns, *make_ramps((0, 1.0, 1e-9)).arrays), [[0.0, 1.0]])


@few
@given(seeds, st.integers(1, 4), st.integers(0, 9))
def test_weights_are_products_of_what_ramps_leave_and_sum_to_one(seed, n_inputs, n_splits):
    rows, structure = random_case(seed, n_inputs, n_splits)
    X = rows.rows[:, 1:]
    ramps = growth_sums.ramps(rows.columns, *structure.splits.arrays)
    np.testing.assert_allclose(ramps, dense_ramps(structure.splits, X).T, atol=1e-12)
    weights = weights_of(structure, rows)
    np.testing.assert_allclose(weights, dense_weights(structure, X).T, atol=1e-12)
    assert (weights >= 0.0).all()
    np.testing.assert_allclose(weights.sum(axis=0), 1.0, rtol=1e-12)


@pytest.mark.parametrize("n_rows", [0, 1])
def test_hardly_any_rows_are_rows_too(n_rows):
    rows, structure = random_case(0, 2, 3, 1, n_rows=30)
    rows = rows.take(slice(n_rows))
    weights = weights_of(structure, rows)
    assert weights.shape == (4, n_rows)
    pairs, moments = growth_sums.pair_sums(rows.rows, weights, rows.y, rows.weight)
    assert pairs.shape == (10, 6)
    assert np.any(pairs) == np.any(moments) == (n_rows > 0)


@few
@given(seeds, st.integers(1, 4), st.integers(0, 7))
def test_sums_of_pairs_are_those_of_weighted_terms(seed, n_inputs, n_splits):
    rows, structure = random_case(seed, n_inputs, n_splits)
    weights, q = weights_of(structure, rows), n_inputs + 1
    pairs, moments = growth_sums.pair_sums(rows.rows, weights, rows.y, rows.weight)
    terms = weights[:, :, None] * rows.rows
    for upper in range(structure.n_rules):
        for lower in range(upper + 1):
            expected = (terms[lower].T * rows.weight) @ terms[upper]
            found = unpacked(pairs[upper * (upper + 1) // 2 + lower], q)
            np.testing.assert_allclose(found, expected, atol=1e-11)
    np.testing.assert_allclose(moments, terms.transpose(0, 2, 1) @ (rows.weight * rows.y), atol=1e-11)


@few
@given(seeds, st.integers(1, 3), st.integers(0, 4))
def test_sums_of_a_new_rule_are_those_with_all_others_and_itself(seed, n_inputs, n_splits):
    rows, structure = random_case(seed, n_inputs, n_splits)
    weights = weights_of(structure, rows)
    new = np.random.default_rng(seed).uniform(-0.5, 1.0, len(rows)).clip(0.0)
    pairs, moments = growth_sums.new_rule_sums(rows.rows, weights, new, rows.y, rows.weight)
    terms = new[:, None] * rows.rows
    assert len(pairs) == structure.n_rules + 1
    for packed, weight in zip(pairs, [*weights, new], strict=True):
        expected = (terms.T * rows.weight) @ (weight[:, None] * rows.rows)
        np.testing.assert_allclose(unpacked(packed, n_inputs + 1), expected, atol=1e-11)
    np.testing.assert_allclose(moments, [terms.T @ (rows.weight * rows.y)], atol=1e-11)


@few
@given(seeds, st.integers(1, 3), st.integers(0, 4), st.integers(0, 3))
def test_sums_of_columns_are_those_with_rules_with_each_other_and_with_y(seed, n_inputs, n_splits, n_bends):
    rows, structure = random_case(seed, n_inputs, n_splits, n_bends)
    weights, columns = weights_of(structure, rows), dense_curves(structure, rows.rows[:, 1:])
    arguments = np.ascontiguousarray(columns.T), rows.y, rows.weight
    terms, gram, moments = growth_sums.column_sums(rows.rows, weights, *arguments)
    weighted = columns * rows.weight[:, None]
    assert terms.shape == (structure.n_rules, 2 * n_bends, n_inputs + 1)
    for found, weight in zip(terms, weights, strict=True):
        np.testing.assert_allclose(found, weighted.T @ (weight[:, None] * rows.rows), atol=1e-11)
    np.testing.assert_allclose(gram, weighted.T @ columns, atol=1e-11)
    np.testing.assert_allclose(moments, weighted.T @ rows.y, atol=1e-11)


@few
@given(seeds, st.integers(1, 3), st.integers(0, 6), st.integers(0, 2), localities)
def test_normal_equations_are_those_of_the_mixed_error(seed, n_inputs, n_splits, n_bends, locality):
    rows, structure = random_case(seed, n_inputs, n_splits, n_bends)
    weights, bends = weights_of(structure, rows), growth_sums.ramps(rows.columns, *structure.bends.arrays)
    columns = growth_sums.curve_columns(rows.columns, bends, structure.bends.inputs, structure.bends.places)
    rules = growth_sums.pair_sums(rows.rows, weights, rows.y, rows.weight)
    curves = growth_sums.column_sums(rows.rows, weights, columns, rows.y, rows.weight)
    arguments = structure.blocks, *structure.origins, locality, rows.weight.sum()
    gram, moment = growth_sums.normal_equations(rules, curves, *arguments)
    wanted = mixed_problem(structure, rows, locality)
    np.testing.assert_allclose(gram, wanted.gram, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(moment, wanted.moment, rtol=1e-9, atol=1e-11)


@few
@given(seeds, st.integers(1, 3), st.integers(0, 6))
def test_sums_by_block_are_those_of_all_rules_that_have_it(seed, n_inputs, n_splits):
    _, structure = random_case(seed, n_inputs, n_splits)
    terms = np.random.default_rng(seed).normal(size=(4, structure.n_rules, n_inputs + 1))
    found = growth_sums.block_sums(terms, structure.blocks, *structure.origins)
    wanted = np.einsum("nkt,kb->nbt", terms, structure.blocks)
    for block, (column, place) in enumerate(zip(*structure.origins, strict=True)):
        if column > 0:
            wanted[:, block, column] -= place * wanted[:, block, 0]
    np.testing.assert_allclose(found, wanted.reshape(4, -1), atol=1e-12)


def test_without_split_points_there_is_one_rule_of_weight_one():
    rows, structure = random_case(0, 2, 0)
    assert growth_sums.ramps(rows.columns, *Ramps.none().arrays).shape == (0, len(rows))
    np.testing.assert_array_equal(weights_of(Structure.undivided(2), rows), np.ones((1, len(rows))))
    assert structure.n_rules == 1
