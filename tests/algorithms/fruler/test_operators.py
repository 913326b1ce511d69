"""Every operator keeps chromosomes valid, and does what the paper says."""

from dataclasses import replace

import numpy as np
import pytest
from helpers.tasks import make_task
from hypothesis import given
from hypothesis import strategies as st

from fruler._algorithms.fruler.chromosome import inherit_displacements, make_chromosome, used_genes
from fruler._algorithms.fruler.operators import (
    cross,
    cross_at_one_point,
    cross_displacements,
    initial_population,
    mutate,
    relatives,
)

SPACE = make_task().space
FIXED = make_task(fixed=np.array([True, False, False, False, False])).space
seeds = st.integers(0, 2**32 - 1)
spaces = st.sampled_from([SPACE, FIXED])


def random_chromosome(space, rng):
    granularities = rng.integers(1, space.largest, endpoint=True)
    return make_chromosome(space, granularities, rng.uniform(-0.5, 0.5, (space.n_inputs, space.stride)))


def assert_valid(space, chromosome):
    granularities, displacements = chromosome.granularities, chromosome.displacements
    assert granularities.dtype == np.intc
    assert granularities.shape == (space.n_inputs,)
    assert displacements.shape == (space.n_inputs, space.stride)
    assert (granularities >= 1).all()
    assert (granularities <= space.largest).all()
    assert (np.abs(displacements) < 0.5).all()
    assert not displacements[~used_genes(granularities, space.stride)].any()
    assert not displacements[space.fixed].any()
    assert np.isin(granularities[space.fixed], [1, *space.largest[space.fixed]]).all()


def test_the_space_is_worth_searching():
    assert SPACE.largest.tolist()[3:] == [1, 1]
    assert SPACE.largest[0] >= 4


@given(spaces, seeds, st.integers(1, 30))
def test_initial_individuals_are_valid(space, seed, size):
    population = initial_population(space, size, np.random.default_rng(seed))
    assert len(population) == size
    for one in population:
        assert_valid(space, one)
        assert not one.displacements.any()


def test_initial_individuals_are_of_both_kinds():
    space = replace(SPACE, largest=np.full(5, 6, dtype=np.intc), splits=np.zeros((5, 6, 5)))
    population = initial_population(space, 60, np.random.default_rng(0))
    kinds = [len(set(one.granularities) - {1}) for one in population]
    assert max(kinds[:30]) == 1
    assert max(kinds[30:]) > 1


@given(seeds)
def test_cells_are_limited_at_the_start(seed):
    space = replace(SPACE, largest=np.full(5, 6, dtype=np.intc), splits=np.zeros((5, 6, 5)))
    population = initial_population(space, 20, np.random.default_rng(seed))
    assert max(int(one.granularities.prod()) for one in population) <= space.max_initial_cells


@given(spaces, seeds, st.floats(0, 5))
def test_crossover_keeps_chromosomes_valid(space, seed, threshold):
    rng = np.random.default_rng(seed)
    first = random_chromosome(space, rng)
    for second in (random_chromosome(space, rng), make_chromosome(space, first.granularities, -first.displacements)):
        for child in cross(space, first, second, threshold, rng):
            assert_valid(space, child)


@given(seeds)
def test_one_point_crossover_exchanges_whole_inputs(seed):
    rng = np.random.default_rng(seed)
    first, second = random_chromosome(SPACE, rng), random_chromosome(SPACE, rng)
    for child, head, tail in zip(
        cross_at_one_point(SPACE, first, second, rng), (first, second), (second, first), strict=True
    ):
        from_head = [
            child.granularities[j] == head.granularities[j] and (child.displacements[j] == head.displacements[j]).all()
            for j in range(5)
        ]
        from_tail = [
            child.granularities[j] == tail.granularities[j] and (child.displacements[j] == tail.displacements[j]).all()
            for j in range(5)
        ]
        assert any(all(from_head[:cut]) and all(from_tail[cut:]) for cut in range(1, 5))


@given(seeds)
def test_pcblx_stays_around_its_parent(seed):
    rng = np.random.default_rng(seed)
    first = random_chromosome(SPACE, rng)
    second = make_chromosome(SPACE, first.granularities, rng.uniform(-0.5, 0.5, first.displacements.shape))
    apart = np.abs(first.displacements - second.displacements)
    for child, parent in zip(cross_displacements(SPACE, first, second, rng), (first, second), strict=True):
        assert child.structure == first.structure
        assert (np.abs(child.displacements - parent.displacements) <= apart + 1e-12).all()


def test_incest_is_prevented_only_among_equal_structures():
    rng = np.random.default_rng(0)
    granularities = SPACE.largest
    first = make_chromosome(SPACE, granularities, np.zeros((5, SPACE.stride)))
    near = make_chromosome(SPACE, granularities, np.full((5, SPACE.stride), 0.01))
    assert cross(SPACE, first, near, 10.0, rng) == (first, near)
    child, _ = cross(SPACE, first, near, 0.0, rng)
    assert child.key not in (first.key, near.key)
    other = make_chromosome(SPACE, np.ones(5, dtype=np.intc), np.zeros((5, SPACE.stride)))
    children = [cross(SPACE, first, other, 1e9, rng)[0].structure for _ in range(20)]
    assert set(children) - {first.structure, other.structure}


@given(spaces, seeds)
def test_mutation_changes_one_input(space, seed):
    rng = np.random.default_rng(seed)
    parent = random_chromosome(space, rng)
    child = mutate(space, parent, rng)
    assert_valid(space, child)
    changed = np.flatnonzero(child.granularities != parent.granularities)
    assert len(changed) == 1
    before, after = int(parent.granularities[changed[0]]), int(child.granularities[changed[0]])
    if not space.fixed[changed[0]]:
        assert after == before - 1 or after > before
    others = np.arange(5) != changed[0]
    np.testing.assert_array_equal(child.displacements[others], parent.displacements[others])


def test_mutation_reaches_every_higher_granularity():
    parent = make_chromosome(SPACE, np.ones(5, dtype=np.intc), np.zeros((5, SPACE.stride)))
    rng = np.random.default_rng(0)
    reached = {int(mutate(SPACE, parent, rng).granularities[0]) for _ in range(500)}
    assert reached == set(range(1, SPACE.largest[0] + 1))


def test_mutation_goes_both_ways():
    middle = np.maximum(SPACE.largest // 2, 1)
    parent = make_chromosome(SPACE, middle, np.zeros((5, SPACE.stride)))
    rng = np.random.default_rng(0)
    changes = np.array([(mutate(SPACE, parent, rng).granularities - parent.granularities)[0] for _ in range(600)])
    assert middle[0] > 1
    # The first input is one of three that can be cut; half of its mutations go down.
    assert 60 < (changes < 0).sum() < 140
    assert 60 < (changes > 0).sum() < 140


def test_pcblx_reaches_as_far_as_the_parents_are_apart():
    rng = np.random.default_rng(0)
    first = make_chromosome(SPACE, SPACE.largest, np.full((5, SPACE.stride), -0.1))
    second = make_chromosome(SPACE, SPACE.largest, np.full((5, SPACE.stride), 0.1))
    children = [cross_displacements(SPACE, first, second, rng)[0].genes for _ in range(200)]
    assert np.min(children) < -0.28
    assert np.max(children) > 0.08


@given(seeds)
def test_displacements_are_inherited(seed):
    rng = np.random.default_rng(seed)
    parent = random_chromosome(SPACE, rng)
    old = int(parent.granularities[0])
    for granularity in range(1, int(SPACE.largest[0]) + 1):
        row = inherit_displacements(SPACE, parent, 0, granularity)
        kept = dict(zip(SPACE.splits[0, old - 1, : old - 1], parent.displacements[0], strict=False))
        for position, share in zip(SPACE.splits[0, granularity - 1, : granularity - 1], row, strict=False):
            if position in kept:
                assert share == pytest.approx(kept[position], abs=1e-12)
            else:
                assert min([0, *kept.values()]) - 1e-12 <= share <= max([0, *kept.values()]) + 1e-12
        assert not row[granularity - 1 :].any()


@given(spaces, seeds, st.integers(0, 8))
def test_relatives_are_valid_and_no_finer(space, seed, count):
    rng = np.random.default_rng(seed)
    parent = random_chromosome(space, rng)
    family = relatives(space, parent, count, rng)
    assert len(family) == count
    for one in family:
        assert_valid(space, one)
        assert (one.granularities <= parent.granularities).all()


def test_equal_chromosomes_have_equal_keys():
    one = make_chromosome(SPACE, SPACE.largest, np.zeros((5, SPACE.stride)))
    same = make_chromosome(SPACE, SPACE.largest, np.full((5, SPACE.stride), -0.0))
    other = make_chromosome(SPACE, SPACE.largest, np.full((5, SPACE.stride), 1e-9))
    assert one.key == same.key != other.key
    assert len(one.genes) == (SPACE.largest - 1).sum()
