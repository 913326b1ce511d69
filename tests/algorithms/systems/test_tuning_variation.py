"""How tuned chromosomes are drawn, crossed and mutated."""

import numpy as np
import pytest

from fruler._algorithms.systems.options import CROSSOVERS
from fruler._algorithms.systems.tuning import TunedChromosome, TuningProblem, TuningSpace, distance, drawn, random_rules


class Variation(TuningProblem):
    """The operators alone, of a space without a table."""

    build = sums = None

    def __init__(self, space, crossover="blx"):
        self.space, self.crossover = space, crossover


@pytest.fixture
def space():
    middles = np.linspace(0.0, 1.0, 5)
    triangles = np.column_stack([middles - 0.25, middles, middles + 0.25])
    return TuningSpace.around(triangles, np.zeros((5, 2), dtype=bool), n_rules=12)


def within(space, one):
    return len(one.genes) == space.n_genes and bool(((one.genes >= 0.0) & (one.genes <= 1.0)).all())


def test_the_untouched_one_has_all_rules_and_no_point_moved(space):
    one = Variation(space).simplest()
    assert one.n_rules == 12
    assert space.decoded(one.genes).tolist() == space.triangles.tolist()


def test_half_of_the_drawn_ones_have_all_rules(space):
    made = drawn(space, 40, np.random.default_rng(0))
    assert all(within(space, one) for one in made)
    assert sum(one.n_rules == 12 for one in made) == 20
    assert all(one.n_rules > 0 for one in made)
    assert len({one.key for one in made}) == 40


def test_a_random_selection_has_a_rule(space):
    few = TuningSpace.around(np.empty((0, 3)), np.empty((0, 2), dtype=bool), n_rules=1)
    rng = np.random.default_rng(0)
    assert all(random_rules(few, rng).all() for _ in range(20))


def test_those_around_another_have_its_rules(space):
    rng = np.random.default_rng(1)
    best = TunedChromosome(space.start, random_rules(space, rng))
    made = Variation(space).restart(best, 7, rng)
    assert len(made) == 7
    assert all((one.selected == best.selected).all() and within(space, one) for one in made)
    assert all((one.genes != best.genes).all() for one in made)


@pytest.mark.parametrize("crossover", CROSSOVERS)
def test_children_stay_in_the_intervals_and_swap_half_of_the_rules_that_differ(space, crossover):
    rng = np.random.default_rng(2)
    first = TunedChromosome(np.zeros(15), np.zeros(12, dtype=bool))
    second = TunedChromosome(np.ones(15), np.ones(12, dtype=bool))
    for _ in range(20):
        children = Variation(space, crossover).cross(first, second, 0.0, rng)
        assert [one.n_rules for one in children] == [6, 6]
        assert all(within(space, one) for one in children)


def test_blx_reaches_half_beyond_the_parents_and_its_parent_centric_form_as_far_as_they_are_apart(space):
    rng = np.random.default_rng(3)
    parents = [TunedChromosome(np.full(15, 0.5 + 0.05 * s), np.ones(12, dtype=bool)) for s in (-1.0, 1.0)]
    reach = {}
    for crossover in CROSSOVERS:
        genes = np.array(
            [one.genes for _ in range(300) for one in Variation(space, crossover).cross(*parents, 0.0, rng)]
        )
        reach[crossover] = np.abs(genes - 0.5).max()
    assert reach["blx"] == pytest.approx(0.1, abs=0.001)
    assert reach["pcblx"] == pytest.approx(0.15, abs=0.001)


def test_a_mutation_redraws_one_point_and_drops_one_rule(space):
    rng = np.random.default_rng(4)
    one = Variation(space).simplest()
    for _ in range(30):
        other = Variation(space).mutate(one, rng)
        assert np.count_nonzero(other.genes != one.genes) == 1
        assert other.n_rules == 11
        assert within(space, other)
    assert one.n_rules == 12


def test_a_rule_that_is_dropped_comes_back_in_half_of_the_cases(space):
    rng = np.random.default_rng(5)
    none = TunedChromosome(space.start, np.zeros(12, dtype=bool))
    back = np.mean([Variation(space).mutate(none, rng).n_rules for _ in range(2_000)])
    assert back == pytest.approx(0.5, abs=0.05)


def test_the_distance_counts_bits(space):
    first, second = (TunedChromosome(np.zeros(15), selected) for selected in (np.arange(12) < 12, np.arange(12) < 5))
    assert distance(first, first) == 0
    assert distance(first, second) == 7
    # In Gray's code the ends of an interval are one bit apart.
    assert distance(first, TunedChromosome(np.ones(15), first.selected)) == space.n_genes
    assert Variation(space).initial_threshold == (30 * 15 + 12) / 4.0


def test_equal_chromosomes_have_equal_keys(space):
    one = Variation(space).simplest()
    assert one.key == Variation(space).simplest().key
    # Zero has two signs, and is the same point.
    assert TunedChromosome(one.genes * -0.0, one.selected).key == TunedChromosome(one.genes * 0.0, one.selected).key
    assert one.key != TunedChromosome(one.genes, np.arange(12) < 11).key
    assert one.key != TunedChromosome(np.nextafter(one.genes, 2.0), one.selected).key
