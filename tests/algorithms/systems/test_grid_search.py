"""The search for a grid: its chromosomes and their operators."""

from types import SimpleNamespace

import numpy as np
import pytest

from fruler._algorithms.systems.evaluation import NO_LIMIT
from fruler._algorithms.systems.grid import Grid, GridChromosome, check_grid_chromosomes, make_grid_chromosome
from fruler._algorithms.systems.grid_search import GridProblem
from fruler._algorithms.systems.options import GridOptions
from fruler._table.rows import Rows

RNG = np.random.default_rng(0)
TABLE = SimpleNamespace(rows=Rows.from_arrays(RNG.random((200, 6)), RNG.random(200)), error_unit=0.5)


def make_problem(consequent="nearest_row", constant=False, **changes):
    domains = np.tile([0.0, 1.0], (6, 1))
    if constant:
        domains[2] = 0.5
    options = GridOptions(**{"max_rules": 50} | changes)
    grid = Grid.from_domains(domains, np.array([0.0, 1.0]), consequent, options)
    return GridProblem(grid, TABLE)


def valid(problem, chromosomes):
    grid = problem.grid
    check_grid_chromosomes(grid, chromosomes)
    for one in chromosomes:
        assert (one.granularities[: grid.n_inputs] > 1).any()
        assert (one.displacements[one.granularities == 1] == 0.0).all()
    return True


@pytest.mark.parametrize("consequent", ["nearest_row", "output_label"])
def test_the_first_population(consequent):
    problem = make_problem(consequent)
    made = problem.initial(200, np.random.default_rng(0))
    inputs = np.array([one.granularities[:6] for one in made])
    assert valid(problem, made)
    assert (inputs.prod(axis=1) <= 50).all()
    assert all((one.displacements == 0.0).all() for one in made)
    # In the first half all inputs that take part have the same granularity.
    assert all(len(set(row[row > 1])) == 1 for row in inputs[:100])
    assert any(len(set(row[row > 1])) > 1 for row in inputs[100:])
    if consequent == "output_label":
        assert {int(one.granularities[6]) for one in made} == {2, 3, 4, 5, 6, 7}


def test_an_input_of_one_value_takes_no_part():
    problem = make_problem(constant=True)
    rng = np.random.default_rng(0)
    made = problem.initial(100, rng)
    made += [problem.mutate(one, rng) for one in made] + problem.restart(made[0], 50, rng)
    assert {int(one.granularities[2]) for one in made} == {1}


def test_other_granularities_are_crossed_at_one_point():
    problem = make_problem()
    first = make_grid_chromosome(problem.grid, np.array([2, 3, 1, 1, 1, 1]), np.full(6, 0.05))
    second = make_grid_chromosome(problem.grid, np.array([1, 1, 1, 4, 5, 1]), np.full(6, -0.05))
    children = [problem.cross(first, second, 1e9, np.random.default_rng(k)) for k in range(30)]
    for one, other in children:
        assert valid(problem, [one, other])
        whole = [
            (int(g), float(d)) for c in (one, other) for g, d in zip(c.granularities, c.displacements, strict=True)
        ]
        parents = [
            (int(g), float(d)) for c in (first, second) for g, d in zip(c.granularities, c.displacements, strict=True)
        ]
        if all((c.granularities > 1).sum() for c in (one, other)) and sorted(whole) != sorted(parents):
            # Only where all labels went to one child did the other get a new one.
            assert (one.granularities > 1).sum() == 1 or (other.granularities > 1).sum() == 1


def test_equal_granularities_cross_displacements_unless_too_much_alike():
    problem = make_problem()
    granularities = np.array([2, 3, 1, 4, 1, 1])
    first = make_grid_chromosome(problem.grid, granularities, np.full(6, 0.05))
    second = make_grid_chromosome(problem.grid, granularities, np.full(6, -0.03))
    rng = np.random.default_rng(0)
    assert problem.cross(first, second, 90.0, rng) is None
    assert problem.cross(first, first, 0.0, rng) is None
    one, other = problem.cross(first, second, 1.0, rng)
    assert one.structure == other.structure == first.structure
    assert one.key != other.key
    assert valid(problem, [one, other])


def test_mutation_changes_one_variable():
    problem = make_problem("output_label")
    rng = np.random.default_rng(0)
    parent = make_grid_chromosome(problem.grid, np.array([2, 3, 1, 4, 1, 1, 5]), np.full(7, 0.05))
    changed = set()
    for _ in range(300):
        child = problem.mutate(parent, rng)
        different = np.flatnonzero(child.granularities != parent.granularities)
        assert len(different) == 1
        changed.add(int(different[0]))
        assert valid(problem, [child])
    assert changed == set(range(7))


def test_a_restart_has_neighbours_of_the_best():
    problem = make_problem()
    best = make_grid_chromosome(problem.grid, np.array([2, 3, 1, 4, 1, 1]), np.full(6, 0.05))
    made = problem.restart(best, 60, np.random.default_rng(0))
    assert len(made) == 60
    steps = [int(np.abs(one.granularities - best.granularities).sum()) for one in made[:30]]
    assert set(steps) == {1}
    assert valid(problem, made)


def test_displacements_can_be_switched_off():
    problem = make_problem(displacement=0.0)
    rng = np.random.default_rng(0)
    made = problem.initial(20, rng)
    made += [problem.mutate(one, rng) for one in made]
    assert all((one.displacements == 0.0).all() for one in made)
    assert problem.initial_threshold > 0.0


def test_the_simplest_can_always_be_evaluated():
    for changes in ({}, {"max_rules": 1}, {"consequent": "output_label"}):
        problem = make_problem(**changes)
        [[error, n_rules]] = problem.evaluate([problem.simplest()], None, NO_LIMIT).tolist()
        assert n_rules == 1.0
        assert np.isfinite(error)


def test_zero_has_one_key():
    problem = make_problem()
    granularities = np.array([2, 3, 1, 4, 1, 1])
    keys = {
        make_grid_chromosome(problem.grid, granularities, np.full(6, zero)).key for zero in (0.0, -0.0, 1e-9, -1e-9)
    }
    assert len(keys) == 1


@pytest.mark.parametrize(
    "granularities", [[2, 3, 1, 4, 1], [0, 3, 1, 4, 1, 1], [8, 3, 1, 4, 1, 1]], ids=["short", "none", "many"]
)
def test_impossible_chromosomes_are_damage(granularities):
    problem = make_problem()
    one = GridChromosome(np.array(granularities, dtype=np.intc), np.zeros(len(granularities)))
    with pytest.raises(ValueError, match="damaged"):
        check_grid_chromosomes(problem.grid, [one])


def test_impossible_displacements_are_damage():
    problem = make_problem()
    with pytest.raises(ValueError, match="damaged"):
        check_grid_chromosomes(problem.grid, [GridChromosome(np.full(6, 2, dtype=np.intc), np.full(6, 0.2))])
