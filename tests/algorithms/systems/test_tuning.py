"""Stage 2 as a problem: what chromosomes are worth, and the rule bases that they stand for."""

import numpy as np
import pytest

from fruler._algorithms.systems.evaluation import NO_LIMIT, Limit
from fruler._algorithms.systems.grid import GridChromosome, GridSolution
from fruler._algorithms.systems.grid_search import make_grid
from fruler._algorithms.systems.metsk import LinearTuning
from fruler._algorithms.systems.mogfs import MamdaniTuning
from fruler._algorithms.systems.options import AMETSKOptions, FSMOGFSOptions
from fruler._algorithms.systems.tuning import random_rules
from fruler.data import make_friedman
from fruler.learning._training_table import LocalTable

GRANULARITIES, DISPLACEMENTS = [3, 2, 1, 4, 1, 5], [0.05, -0.1, 0.0, 0.02, 0.0, -0.07]


@pytest.fixture(scope="module", params=[None, "weighted"])
def table(request):
    data = make_friedman(300, random_state=3)
    X = data.data.to_numpy() * [1.0, 10.0, 1.0, 5.0, 1.0] - [0.0, 3.0, 0.0, 100.0, 0.0]
    weight = None if request.param is None else np.random.default_rng(0).integers(1, 4, 300).astype(float)
    return LocalTable.from_arrays(X, data.target.to_numpy(), weight, list("abcde"), None)


def solve(table, options, consequent):
    grid = make_grid(table, options, consequent)
    n = grid.n_variables
    genes = np.array(GRANULARITIES[:n], dtype=np.intc), np.array(DISPLACEMENTS[:n])
    return GridSolution.of(grid, GridChromosome(*genes), table)


def linear(table, *, kappa=100.0, estimation="global", terms="used", t_norm="minimum"):
    options = AMETSKOptions(kappa=kappa, estimation=estimation, terms=terms, t_norm=t_norm)
    return LinearTuning(solve(table, options, "nearest_row"), table, options)


def mamdani(table, *, t_norm="minimum"):
    options = FSMOGFSOptions(t_norm=t_norm)
    return MamdaniTuning(solve(table, options, "output_label"), table, options)


PROBLEMS = {
    "mamdani": mamdani,
    "mamdani product": lambda table: mamdani(table, t_norm="product"),
    "linear": linear,
    "linear product": lambda table: linear(table, t_norm="product"),
    "linear local": lambda table: linear(table, estimation="local"),
    "linear all": lambda table: linear(table, terms="all"),
}


@pytest.fixture(params=PROBLEMS)
def problem(request, table):
    return PROBLEMS[request.param](table)


def some_chromosomes(problem, n=12):
    rng = np.random.default_rng(1)
    made = problem.initial(n, rng)
    made += [problem.mutate(one, rng) for one in made[:3]]
    # At the corners of the intervals two points of a triangle meet.
    for end in (0.0, 1.0):
        made.append(type(made[0])(np.full(problem.space.n_genes, end), random_rules(problem.space, rng)))
    return made


def half_mse(rule_base, table):
    return np.average(np.square(rule_base.predict(table.values) - table.target), weights=table.rows.weight) / 2.0


def test_the_error_of_a_chromosome_is_that_of_its_rule_base(problem, table):
    chromosomes = some_chromosomes(problem)
    found = problem.evaluate(chromosomes, None, NO_LIMIT)
    for one, (error, n_rules) in zip(chromosomes, found, strict=True):
        rule_base = problem.build(one)
        assert rule_base.n_rules == n_rules == one.n_rules
        assert error * problem.error_unit == pytest.approx(half_mse(rule_base, table), rel=1e-8)


def test_untouched_labels_are_those_of_the_grid(table):
    problem = mamdani(table)
    [[error, _]] = problem.evaluate([problem.simplest()], None, NO_LIMIT)
    solution = solve(table, FSMOGFSOptions(), "output_label")
    assert error * problem.error_unit == pytest.approx(solution.error * table.error_unit, rel=1e-9)


def test_with_little_room_consequents_are_the_constants_of_the_grid(table):
    problem = linear(table, kappa=1e-9)
    [[error, _]] = problem.evaluate([problem.simplest()], None, NO_LIMIT)
    solution = solve(table, AMETSKOptions(), "nearest_row")
    assert error == pytest.approx(solution.error, rel=1e-4)


def test_consequents_have_slopes_of_the_inputs_in_antecedents_or_of_all(table):
    slopes = {
        terms: linear(table, terms=terms).build(linear(table).simplest()).consequents.coefficients[:, 1:].any(axis=0)
        for terms in ("used", "all")
    }
    assert slopes["used"].tolist() == [True, True, False, True, False]
    assert slopes["all"].all()


def test_a_label_is_tuned_for_all_rules_that_have_it(table):
    problem = mamdani(table)
    one = problem.initial(2, np.random.default_rng(0))[1]
    rule_base = problem.build(one)
    assert [len(rule_base.variables[j].partition.labels) for j in range(5)] == [3, 2, 1, 4, 1]
    assert rule_base.target.partition.n_labels == 5
    moved = np.concatenate([rule_base.variables[j].partition.triangles.ravel() for j in (0, 1, 3)])
    assert np.isinf(moved).sum() == 6
    # Of the inputs all labels are used: every finite point has a gene.
    assert set(moved[np.isfinite(moved)]) <= set(problem.space.decoded(one.genes).ravel())


def test_an_error_on_a_sample_is_that_of_its_rows(problem, table):
    rows = np.sort(np.random.default_rng(2).choice(table.n_rows, 120, replace=False))
    chromosomes = some_chromosomes(problem, 4)
    found = problem.evaluate(chromosomes, problem.take_sample(rows), NO_LIMIT)[:, 0]
    everything = problem.evaluate(chromosomes, problem.take_sample(np.arange(table.n_rows)), NO_LIMIT)[:, 0]
    np.testing.assert_array_equal(everything, problem.evaluate(chromosomes, None, NO_LIMIT)[:, 0])
    assert (found != everything).all()
    if isinstance(problem, MamdaniTuning):
        for one, error in zip(chromosomes, found, strict=True):
            residual = problem.build(one).predict(table.values[rows]) - table.target[rows]
            assert error == pytest.approx(np.average(np.square(residual), weights=table.rows.weight[rows]), rel=1e-8)


def test_what_is_beyond_a_limit_is_infinite_and_nothing_else(problem):
    chromosomes = some_chromosomes(problem)
    free = problem.evaluate(chromosomes, None, NO_LIMIT)
    # Between two of those that count: some of these are beyond it.
    min_rules = int(np.quantile(free[:, 1], 0.25)) + 1
    limit = Limit(float(np.median(free[free[:, 1] >= min_rules, 0])), min_rules)
    found = problem.evaluate(chromosomes, None, limit)
    beyond = (free[:, 0] > limit.error) & (free[:, 1] >= limit.min_rules)
    assert beyond.any()
    assert not beyond.all()
    np.testing.assert_array_equal(found[:, 0], np.where(beyond, np.inf, free[:, 0]))
    np.testing.assert_array_equal(found[:, 1], free[:, 1])


def test_a_limit_holds_to_the_last_bit(problem):
    one = problem.simplest()
    [[error, n_rules]] = problem.evaluate([one], None, NO_LIMIT)
    limits = [Limit(error), Limit(np.nextafter(error, 0.0)), Limit(np.nextafter(error, 0.0), int(n_rules) + 1)]
    assert [problem.evaluate([one], None, limit)[0, 0] for limit in limits] == [error, np.inf, error]


def test_it_does_not_depend_on_what_else_is_evaluated(problem):
    chromosomes = some_chromosomes(problem)
    together = problem.evaluate(chromosomes, None, NO_LIMIT)
    alone = np.vstack([problem.evaluate([one], None, NO_LIMIT) for one in reversed(chromosomes)])[::-1]
    np.testing.assert_array_equal(together, alone)


def test_without_rules_it_is_no_candidate(problem):
    one = problem.simplest()
    none = type(one)(one.genes, np.zeros_like(one.selected))
    assert problem.evaluate([none], None, NO_LIMIT).tolist() == [[np.inf, 0.0]]


def test_parents_that_are_too_much_alike_are_not_crossed(problem):
    rng = np.random.default_rng(3)
    first, second = problem.initial(2, rng)
    assert problem.cross(first, first, 0.0, rng) is None
    assert problem.cross(first, second, 0.0, rng) is not None
    assert problem.cross(first, second, problem.initial_threshold * 4.0, rng) is None


def test_one_rule_that_looks_at_nothing():
    table = LocalTable.from_arrays(np.ones((20, 1)), np.arange(20.0), None, ["a"], None)
    genes = GridChromosome(np.array([1], dtype=np.intc), np.zeros(1))
    solution = GridSolution.of(make_grid(table, AMETSKOptions(), "nearest_row"), genes, table)
    problem = LinearTuning(solution, table, AMETSKOptions(kappa=100.0))
    assert problem.space.n_genes == 0
    rule_base = problem.build(problem.simplest())
    assert rule_base.predict([[1.0]]) == pytest.approx([9.5], abs=0.01)
    assert problem.initial_threshold > 0.0
