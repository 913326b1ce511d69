"""SPEA2's fitness and selection, held against values worked out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fruler._algorithms.systems.selection import (
    densities,
    distances,
    dominance,
    mating_share,
    raw_fitness,
    scaled,
    select_archive,
    spea2_fitness,
    tournaments,
    truncated,
)

# a dominates c and d, b dominates d and e, c dominates d, e nothing; f is dominated by none and dominates none.
TOY = np.array([[1.0, 4.0], [3.0, 2.0], [2.0, 5.0], [4.0, 6.0], [5.0, 3.0], [6.0, 1.0]])


def test_strengths_and_raw_fitness_by_hand():
    dominates = dominance(TOY)
    assert dominates.sum(axis=1).tolist() == [2, 2, 1, 0, 0, 0]
    # c: a's 2; d: a's 2, b's 2 and c's 1; e: b's 2.
    assert raw_fitness(dominates).tolist() == [0.0, 0.0, 2.0, 5.0, 2.0, 0.0]


def test_equal_individuals_do_not_dominate_each_other():
    assert not dominance(np.array([[1.0, 2.0], [1.0, 2.0]])).any()
    assert dominance(np.array([[1.0, 2.0], [1.0, 3.0]])).tolist() == [[False, True], [False, False]]


def test_densities_by_hand():
    apart = distances(np.array([[0.0, 0.0], [0.0, 3.0], [4.0, 0.0]]))
    assert apart.tolist() == [[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]]
    assert densities(apart, 1).tolist() == [1 / 5, 1 / 5, 1 / 6]
    assert densities(apart, 2).tolist() == [1 / 6, 1 / 7, 1 / 7]
    # There is no ninth neighbour.
    assert densities(apart, 9).tolist() == densities(apart, 2).tolist()


def test_fitness_is_raw_fitness_and_density():
    # Of six individuals the second nearest neighbour counts.
    expected = np.array([0.0, 0.0, 2.0, 5.0, 2.0, 0.0]) + densities(distances(TOY), 2)
    assert spea2_fitness(TOY).tolist() == expected.tolist()
    assert spea2_fitness(TOY[:1]).tolist() == [0.5]


def test_scaling_is_over_all_and_knows_constants():
    assert scaled(np.array([[2.0, 7.0], [4.0, 7.0], [3.0, 7.0]])).tolist() == [[0.0, 0.0], [1.0, 0.0], [0.5, 0.0]]


def test_the_non_dominated_are_taken_and_the_fittest_others_added():
    assert select_archive(TOY, 3)[0].tolist() == [0, 1, 5]
    taken, fitness = select_archive(TOY, 5)
    # c and e have the raw fitness 2 and d has 5: it is left out.
    assert taken.tolist() == [0, 1, 2, 4, 5]
    assert (fitness < 1.0).tolist() == [True, True, False, False, True]
    assert select_archive(TOY, 50)[0].tolist() == [0, 1, 2, 3, 4, 5]


def test_of_equal_objectives_the_first_is_taken():
    doubled = np.vstack([TOY, TOY])
    assert select_archive(doubled, 50)[0].tolist() == [0, 1, 2, 3, 4, 5]


def test_scaling_keeps_both_objectives_alive():
    # Unscaled, rules would be nothing beside errors of millions, and the last two the nearest pair.
    front = np.array([[0.0, 10.0], [1e6, 8.0], [2e6, 7.0], [8e6, 5.0], [8.1e6, 0.0]])
    assert select_archive(front, 4)[0].tolist() == [0, 2, 3, 4]
    assert truncated(front, 4).tolist() == [0, 1, 2, 4]


def test_truncation_by_hand():
    # On a line: gaps 1, 2, 3, 1.5. The ends of the smallest gap are 0 and 1; 1 is nearer to its second neighbour.
    line = np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 0.0], [6.0, 0.0], [7.5, 0.0]])
    assert truncated(line, 4).tolist() == [0, 2, 3, 4]
    # Then 3 and 4 are nearest to each other, and 3 has the nearer second neighbour.
    assert truncated(line, 3).tolist() == [0, 2, 4]
    # Then 0 and 2 are, and 0 is the most accurate.
    assert truncated(line, 2).tolist() == [0, 4]


def test_the_most_accurate_is_never_removed():
    # The two on the left are the nearest, and the first has the nearer second neighbour on its other side.
    cloud = np.array([[0.0, 0.5], [0.01, 0.5], [0.9, 0.0], [0.0, 0.6], [1.0, 1.0]])
    for size in range(1, 5):
        assert 0 in truncated(cloud, size).tolist()


def test_of_equally_crowded_ones_the_last_is_removed():
    square = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    assert truncated(square, 3).tolist() == [0, 1, 2]


@given(st.integers(0, 10_000), st.integers(1, 30), st.integers(1, 12))
def test_the_archive_holds_the_best_and_what_may_stay(seed, n, size):
    rng = np.random.default_rng(seed)
    objectives = np.column_stack([rng.integers(0, 9, n), rng.integers(0, 9, n)]).astype(float)
    taken, fitness = select_archive(objectives, size)
    assert len(taken) == min(size, len(np.unique(objectives, axis=0))) == len(fitness)
    assert objectives[taken, 0].min() == objectives[:, 0].min()
    non_dominated = ~dominance(objectives).any(axis=0)
    if len(np.unique(objectives[non_dominated], axis=0)) >= size:
        assert non_dominated[taken].all()


def test_parents_come_from_the_most_accurate_share():
    errors, fitness = np.arange(10.0)[::-1].copy(), np.zeros(10)
    pairs = tournaments(errors, fitness, 0.5, 400, np.random.default_rng(0))
    assert {one for pair in pairs for one in pair} == {5, 6, 7, 8, 9}
    everyone = tournaments(errors, fitness, 1.0, 400, np.random.default_rng(0))
    assert {one for pair in everyone for one in pair} == set(range(10))


def test_the_fitter_wins_a_tournament():
    pairs = tournaments(np.zeros(2), np.array([0.9, 0.1]), 1.0, 2_000, np.random.default_rng(0))
    assert np.mean([one for pair in pairs for one in pair]) == pytest.approx(0.75, abs=0.03)
    assert tournaments(np.zeros(1), np.zeros(1), 0.5, 2, np.random.default_rng(0)) == [(0, 0), (0, 0)]


def test_the_share_of_parents_falls_to_one_half():
    assert [mating_share(progress) for progress in (-1.0, 0.0, 0.5, 1.0, 2.0)] == [1.0, 1.0, 0.75, 0.5, 0.5]
