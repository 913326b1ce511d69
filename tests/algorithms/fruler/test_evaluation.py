"""What the kernels compute, held against plain NumPy."""

from dataclasses import replace

import numpy as np
import pytest
from helpers.constant_rules import wang_mendel
from helpers.examples import examples
from helpers.tasks import make_task, task_of
from hypothesis import given
from hypothesis import strategies as st

from fruler import Reading
from fruler._algorithms.fruler.chromosome import SearchSpace, make_chromosome
from fruler._algorithms.fruler.discretization import NestedSplits
from fruler._algorithms.fruler.elastic_net import INTERCEPT_RIDGE, ElasticNetSettings
from fruler._algorithms.fruler.operators import initial_population
from fruler._kernels.evaluation import evaluate, learn
from fruler._table.rows import Rows, Standardization
from fruler.rules import FuzzyPartition

TASKS = {t_norm: make_task(t_norm=t_norm) for t_norm in ("product", "minimum")}
EXACT = ElasticNetSettings(1e-3, 0.5, tolerance=1e-12, progress=-1.0, max_rounds=5_000)


def random_chromosome(space, seed):
    rng = np.random.default_rng(seed)
    granularities = np.minimum(rng.integers(1, 4, space.n_inputs), space.largest)
    return make_chromosome(space, granularities, rng.uniform(-0.5, 0.5, (space.n_inputs, space.stride)))


def degree_tables(task, chromosome, rows):
    tables = {}
    for j in np.flatnonzero(chromosome.granularities > 1):
        n_splits = chromosome.granularities[j] - 1
        partition = FuzzyPartition(task.space.splits[j, n_splits, :n_splits], task.space.domains[j])
        tables[j] = partition.displaced(chromosome.displacements[j, :n_splits]).degrees(rows.columns[j])
    return tables


def numpy_rules(task, chromosome):
    """Wang and Mendel in one line: the distinct rows of best labels."""
    tables = degree_tables(task, chromosome, task.examples)
    best = [table.argmax(axis=1) for table in tables.values()]
    labels = np.unique(np.column_stack(best), axis=0) if best else np.zeros((1, 0), dtype=int)
    return list(tables), labels


def numpy_design(task, chromosome, rows):
    _, labels = numpy_rules(task, chromosome)
    tables = degree_tables(task, chromosome, rows)
    join = np.multiply if task.space.t_norm == "product" else np.minimum
    degrees, steps = np.ones((len(rows), len(labels))), np.zeros((len(rows), len(labels)))
    for table, wanted in zip(tables.values(), labels.T, strict=True):
        degrees = join(degrees, table[:, wanted])
        steps += np.abs(table @ np.arange(table.shape[1])[:, None] - wanted[None, :])
    total = degrees.sum(axis=1)
    degrees[total == 0] = np.eye(len(labels))[steps[total == 0].argmin(axis=1)]
    degrees /= degrees.sum(axis=1, keepdims=True)
    return (degrees[:, :, None] * rows.rows[:, None, :]).reshape(len(rows), -1), int((total == 0).sum())


def tables_of(task):
    return task.space.arrays, task.examples.arrays, task.fitted.arrays


def run(task, chromosome, settings=EXACT, scored="task"):
    [result] = evaluate(
        chromosome.granularities[None],
        chromosome.displacements[None],
        task.space.arrays,
        task.examples.arrays,
        task.fitted.arrays,
        None if scored is None else (task.scored if isinstance(scored, str) else scored).arrays,
        settings.numbers,
        task.max_rules,
    )
    return result


@pytest.mark.parametrize("shrink_intercepts", [True, False])
@pytest.mark.parametrize("t_norm", TASKS)
@given(seed=st.integers(0, 2**32 - 1))
@examples(0.2)
def test_rules_consequents_and_errors_equal_numpy(t_norm, shrink_intercepts, seed):
    task, settings = TASKS[t_norm], replace(EXACT, shrink_intercepts=shrink_intercepts)
    chromosome = random_chromosome(task.space, seed)
    inputs, labels, coefficients, _ = learn(
        chromosome.granularities, chromosome.displacements, *tables_of(task), settings.numbers, 100
    )
    expected_inputs, expected_labels = numpy_rules(task, chromosome)
    assert inputs.tolist() == expected_inputs
    np.testing.assert_array_equal(labels, expected_labels)

    design, _ = numpy_design(task, chromosome, task.fitted)
    beta = coefficients.ravel()
    n, p = len(task.fitted), task.space.n_inputs
    penalised = (np.arange(len(beta)) % (p + 1) != 0) | shrink_intercepts
    slack = design.T @ (task.fitted.y - design @ beta) / n
    slack -= np.where(penalised, EXACT.l2, INTERCEPT_RIDGE) * beta
    bound = np.where(penalised, EXACT.l1, 0.0)
    np.testing.assert_allclose(slack[beta != 0], (bound * np.sign(beta))[beta != 0], atol=1e-7)
    assert (np.abs(slack[beta == 0]) <= bound[beta == 0] + 1e-7).all()

    scored_design, n_uncovered = numpy_design(task, chromosome, task.scored)
    error, n_rules, n_coefficients, uncovered, _ = run(task, chromosome, settings)
    assert error == pytest.approx(np.square(scored_design @ beta - task.scored.y).mean(), rel=1e-9)
    assert (n_rules, n_coefficients) == (len(labels), np.count_nonzero(coefficients[:, 1:]))
    assert uncovered == n_uncovered


@pytest.mark.parametrize("t_norm", TASKS)
def test_rows_that_no_rule_covers_are_answered_by_the_nearest(t_norm):
    # Rules from a few examples of one corner only: most other rows fire none of them.
    full = TASKS[t_norm]
    corner = np.flatnonzero((full.scored.columns[0] < -1.2) | (full.scored.columns[1] > 1.5))[:12]
    task = replace(full, examples=full.scored.take(corner), fitted=full.scored)
    seen = 0
    for seed in range(20):
        chromosome = random_chromosome(task.space, seed)
        *_, coefficients, _ = learn(
            chromosome.granularities, chromosome.displacements, *tables_of(task), EXACT.numbers, 100
        )
        design, n_uncovered = numpy_design(task, chromosome, task.scored)
        error, *_, uncovered, _ = run(task, chromosome)
        assert uncovered == n_uncovered
        assert error == pytest.approx(np.square(design @ coefficients.ravel() - task.scored.y).mean(), rel=1e-6)
        seen += uncovered * (len(coefficients) > 1)
    assert seen > 100


def test_a_tie_goes_to_the_lower_label():
    space = SearchSpace.from_splits(
        [NestedSplits(np.array([0.5]), np.empty(0))],
        np.array([[0.0, 1.0]]),
        Standardization(np.zeros(1), np.ones(1)),
        fuzziness=1.0,
        t_norm="product",
    )
    rows = Rows.from_arrays(np.array([[0.5], [0.5]]), np.array([1.0, 2.0]))
    _, labels, _, _ = learn(
        np.array([2], dtype=np.intc), np.zeros((1, 1)), space.arrays, rows.arrays, rows.arrays, EXACT.numbers, 10
    )
    assert labels.tolist() == [[0]]


def test_scored_rows_count_by_their_weight():
    task = TASKS["product"]
    weight = np.random.default_rng(0).integers(1, 5, len(task.scored))
    weighted = Rows(task.scored.columns, task.scored.rows, task.scored.y, weight.astype(float))
    repeated = task.scored.take(np.repeat(np.arange(len(weight)), weight))
    chromosome = random_chromosome(task.space, 3)
    assert run(task, chromosome, scored=weighted)[0] == pytest.approx(run(task, chromosome, scored=repeated)[0])
    assert run(task, chromosome, scored=weighted)[0] != pytest.approx(run(task, chromosome)[0], rel=1e-6)


def test_the_descent_counts_weights():
    # One line for everything: which rows count decides which part of the curve it follows.
    task = TASKS["product"]
    weight = np.where(task.fitted.columns[0] > 0.5, 1.0, 1e-6)
    weighted = Rows(task.fitted.columns, task.fitted.rows, task.fitted.y, weight)
    line = make_chromosome(task.space, np.ones(5, dtype=np.intc), np.zeros((5, task.space.stride)))
    descent = ElasticNetSettings(1e-3, 0.05, solver="sgd", rate=0.05, max_rounds=500)
    errors = [run(replace(task, fitted=rows, scored=weighted), line, descent)[0] for rows in (weighted, task.fitted)]
    assert errors[0] < 0.7 * errors[1]


@pytest.mark.parametrize("t_norm", TASKS)
def test_the_error_from_the_gram_matrix_is_that_of_a_pass_over_the_rows(t_norm):
    task = TASKS[t_norm]
    for seed in range(10):
        chromosome = random_chromosome(task.space, seed)
        assert run(task, chromosome, scored=None)[0] == pytest.approx(run(task, chromosome, scored=task.fitted)[0])


def test_the_order_of_rows_does_not_matter():
    task = TASKS["minimum"]
    order = np.random.default_rng(0).permutation(len(task.scored))
    shuffled = task.scored.take(order)
    examples = task.examples.take(np.random.default_rng(1).permutation(len(task.examples)))
    for seed in range(10):
        chromosome = random_chromosome(task.space, seed)
        [other] = evaluate(
            chromosome.granularities[None],
            chromosome.displacements[None],
            task.space.arrays,
            examples.arrays,
            examples.arrays,
            shuffled.arrays,
            EXACT.numbers,
            100,
        )
        np.testing.assert_allclose(other[:4], run(task, chromosome)[:4], rtol=1e-9)


def test_a_weight_counts_a_row_so_often():
    task = TASKS["product"]
    weight = np.random.default_rng(0).integers(1, 4, len(task.fitted))
    weighted = Rows(task.fitted.columns, task.fitted.rows, task.fitted.y, weight.astype(float))
    repeated = task.fitted.take(np.repeat(np.arange(len(weight)), weight))
    for seed in range(5):
        chromosome = random_chromosome(task.space, seed)
        results = [run(replace(task, fitted=rows), chromosome, scored=None) for rows in (weighted, repeated)]
        np.testing.assert_allclose(results[0][:3], results[1][:3], rtol=1e-8)


def test_too_many_rules_are_not_looked_at():
    task = TASKS["product"]
    granularities = task.space.largest
    chromosome = make_chromosome(task.space, granularities, np.zeros((5, task.space.stride)))
    [result] = evaluate(
        chromosome.granularities[None],
        chromosome.displacements[None],
        task.space.arrays,
        task.examples.arrays,
        task.fitted.arrays,
        task.scored.arrays,
        EXACT.numbers,
        2,
    )
    assert result[0] == np.inf
    with pytest.raises(ValueError, match="more than 2 rules"):
        learn(chromosome.granularities, chromosome.displacements, *tables_of(task), EXACT.numbers, 2)


@pytest.mark.parametrize("shrink_intercepts", [True, False])
@pytest.mark.parametrize("l1_ratio", [0.05, 0.95])
@pytest.mark.parametrize("penalty", [1e-1, 1e-2, 1e-3])
def test_gradient_descent_comes_near_the_optimum(penalty, l1_ratio, shrink_intercepts):
    """Within 4 % of the least objective, though it ends early, on designs that real chromosomes give rise to."""
    task = make_task(n_rows=9_000, t_norm="minimum")
    given = {"regularization": penalty, "l1_ratio": l1_ratio, "shrink_intercepts": shrink_intercepts}
    exact = ElasticNetSettings(**given, tolerance=1e-12, progress=-1.0, max_rounds=5_000)
    for seed in range(3):
        chromosome = random_chromosome(task.space, seed)
        design, _ = numpy_design(task, chromosome, task.fitted)

        def objective(settings, design=design, chromosome=chromosome):
            genes = chromosome.granularities, chromosome.displacements
            *_, coefficients, _ = learn(*genes, *tables_of(task), settings.numbers, 100)
            shrunk = coefficients[:, 0 if shrink_intercepts else 1 :]
            fit = np.square(design @ coefficients.ravel() - task.fitted.y).mean() / 2
            return fit + penalty * (l1_ratio * np.abs(shrunk).sum() + (1 - l1_ratio) / 2 * np.square(shrunk).sum())

        descents = [
            objective(ElasticNetSettings(**given, solver="sgd", rate=rate, seed=1, max_rounds=3_000))
            for rate in (0.1, 0.05, 0.025)
        ]
        assert min(descents) <= 1.04 * objective(exact)


def splitmix(state):
    """Yield the random numbers of the descent."""
    while True:
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        yield z ^ (z >> 31)


def numpy_descent(design, rows, settings, n_rules, n_epochs):
    """The descent on a dense design matrix, each coefficient with its penalties taken, for a number of epochs."""
    n, penalized = len(rows), np.ones(design.shape[1], dtype=bool)
    q = design.shape[1] // n_rules
    penalized[::q] = settings.shrink_intercepts
    w, received, owed, t = np.zeros(design.shape[1]), np.zeros(design.shape[1]), 0.0, 0
    order, random, best, least = list(range(n)), splitmix(settings.seed), None, np.inf
    for _ in range(n_epochs):
        for i in range(n - 1, 0, -1):
            k = next(random) % (i + 1)
            order[i], order[k] = order[k], order[i]
        for place, i in enumerate(order, start=1):
            t += 1
            decay = settings.regularization * t
            eta = settings.rate / (decay if settings.reading.step == "printed" else 1 + settings.rate * decay)
            error = design[i] @ w - rows.y[i]
            w[penalized] *= 1 - settings.l2 * eta
            owed += settings.l1 * eta
            share = rows.weight[i] * n / rows.weight.sum()
            if share > 1:
                share /= 1 + eta * (share - 1) * rows.rows[i] @ rows.rows[i]
            w -= eta * error * share * design[i]
            if place % (settings.reading.l1_interval * n_rules or 1) == 0 or place == n:
                after = np.where(w > 0, np.maximum(0, w - owed - received), np.minimum(0, w + owed - received))
                after = np.where(penalized & (w != 0), after, w)
                received += np.where(penalized, after - w, 0.0)
                w = after
        miss = rows.weight @ np.square(design @ w - rows.y)
        if miss < least:
            best, least = w.copy(), miss
    return best.reshape(n_rules, q)


@pytest.mark.parametrize("n_inputs", [3, 4, 5, 8])
@pytest.mark.parametrize("shrink_intercepts", [True, False])
@pytest.mark.parametrize("reading", [Reading(), Reading(step="printed"), Reading(l1_interval=0)], ids=repr)
def test_gradient_descent_takes_the_steps_that_plain_numpy_takes(shrink_intercepts, n_inputs, reading):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, n_inputs))
    task = task_of(X, np.sin(9 * X[:, 0]) + np.abs(X[:, 1] - 0.4) + 0.05 * rng.normal(size=300))
    rows = Rows(task.fitted.columns, task.fitted.rows, task.fitted.y, rng.uniform(0.2, 3.0, len(task.fitted)))
    settings = ElasticNetSettings(0.2, 0.5, shrink_intercepts, "sgd", rate=0.02, seed=7, max_rounds=4, reading=reading)
    for seed in range(3):
        chromosome = random_chromosome(task.space, seed)
        genes = chromosome.granularities, chromosome.displacements
        *_, learned, result = learn(*genes, task.space.arrays, task.examples.arrays, rows.arrays, settings.numbers, 100)
        assert result[4] == 4
        design, _ = numpy_design(task, chromosome, rows)
        expected = numpy_descent(design, rows, settings, len(learned), 4)
        np.testing.assert_allclose(learned, expected, rtol=1e-9, atol=1e-12)
        assert (expected == 0).any()


def test_every_cell_with_an_example_is_a_rule():
    task = make_task()
    for chromosome in initial_population(task.space, 20, np.random.default_rng(0)):
        inputs, labels, _, _ = learn(
            chromosome.granularities,
            chromosome.displacements,
            task.space.arrays,
            task.examples.arrays,
            task.fitted.arrays,
            ElasticNetSettings(0.1, 0.5).numbers,
            100,
        )
        partitions = [
            FuzzyPartition(task.space.splits[j, g - 1, : g - 1], task.space.domains[j])
            for j, g in enumerate(chromosome.granularities)
        ]
        rules = wang_mendel(partitions, task.examples.columns.T)
        np.testing.assert_array_equal(rules[:, inputs, 0], labels)
