"""Crossover operators and Gray codes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fruler._algorithms.genetic import falls, limit_cells, mutate_granularity, pcblx
from fruler._algorithms.systems.genes import BITS, blx, cut_point, gray_distance, hux


@given(st.integers(0, 10_000), st.integers(0, 12))
def test_hux_exchanges_half_of_what_differs(seed, n):
    rng = np.random.default_rng(seed)
    first, second = rng.random(n) < 0.5, rng.random(n) < 0.5
    one, other = hux(first, second, rng)
    differing = int((first != second).sum())
    assert int((one != first).sum()) == int((other != second).sum()) == differing // 2
    # Every bit is somewhere.
    assert ((one.astype(int) + other) == (first.astype(int) + second)).all()


def spread(operator, first, second):
    rng = np.random.default_rng(0)
    made = [operator(np.array([first]), np.array([second]), rng) for _ in range(3_000)]
    return np.array([[one[0], other[0]] for one, other in made])


def test_pcblx_is_centred_on_each_parent():
    made = spread(pcblx, 1.0, 3.0)
    assert made[:, 0].min() == pytest.approx(-1.0, abs=0.02)
    assert made[:, 0].max() == pytest.approx(3.0, abs=0.02)
    assert made[:, 1].min() == pytest.approx(1.0, abs=0.02)
    assert made[:, 1].max() == pytest.approx(5.0, abs=0.02)
    assert (spread(pcblx, 2.0, 2.0) == 2.0).all()


def test_blx_reaches_half_the_distance_beyond():
    made = spread(blx, 3.0, 1.0)
    for column in made.T:
        assert column.min() == pytest.approx(0.0, abs=0.02)
        assert column.max() == pytest.approx(4.0, abs=0.02)


def gray(number):
    return number ^ (number >> 1)


@given(st.floats(-2.0, 3.0), st.floats(-2.0, 3.0))
def test_gray_distance_counts_the_bits_of_the_codes(first, second):
    wholes = [int((value + 2.0) / 5.0 * (2**BITS - 1) + 0.5) for value in (first, second)]
    expected = (gray(wholes[0]) ^ gray(wholes[1])).bit_count()
    assert gray_distance(np.array([first]), np.array([second]), -2.0, 3.0) == expected


def test_gray_distance_of_several_genes():
    step = 1.0 / (2**BITS - 1)
    # Neighbours differ in one bit; genes outside their interval are at its end; an empty interval counts nothing.
    assert gray_distance(np.array([5 * step, 0.0]), np.array([6 * step, 0.0]), 0.0, 1.0) == 1
    assert gray_distance(np.array([7.0]), np.array([1.0]), 0.0, 1.0) == 0
    assert gray_distance(np.array([0.0, 0.3]), np.array([0.0, 0.4]), 0.0, np.array([0.0, 0.0])) == 0


def test_a_cut_leaves_genes_on_both_sides():
    rng = np.random.default_rng(0)
    assert {cut_point(3, rng) for _ in range(100)} == {1, 2}
    assert cut_point(1, rng) == 0


def test_granularities_fall_by_one_or_rise_anywhere():
    rng = np.random.default_rng(0)
    assert {mutate_granularity(3, 1, 7, rng) for _ in range(300)} == {2, 4, 5, 6, 7}
    assert {mutate_granularity(1, 1, 3, rng) for _ in range(50)} == {2, 3}
    assert {mutate_granularity(7, 1, 7, rng) for _ in range(50)} == {6}
    assert np.mean([falls(3, 1, 7, rng) for _ in range(3_000)]) == pytest.approx(0.5, abs=0.03)


@given(st.lists(st.integers(1, 7), min_size=1, max_size=200), st.integers(1, 500))
def test_cells_are_limited(granularities, most):
    limited = limit_cells(np.array(granularities, dtype=np.intc), most, np.random.default_rng(0))
    assert np.log(limited).sum() <= np.log(most) + 1e-6
    assert all(new in (1, old) for new, old in zip(limited, granularities, strict=True))
