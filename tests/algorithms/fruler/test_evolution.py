"""The population loop."""

from dataclasses import replace

import numpy as np
import pytest
from helpers.tasks import make_task, task_of

from fruler import Reading
from fruler._algorithms.fruler.elastic_net import ElasticNetSettings
from fruler._algorithms.fruler.evolution import Evolution
from fruler._algorithms.fruler.fitness import FitnessEvaluator, criterion_values
from fruler._algorithms.fruler.operators import initial_population
from fruler._algorithms.fruler.options import FRULEROptions
from fruler._algorithms.fruler.regularization import DECADES, choose_regularization, search_regularization
from fruler._algorithms.genetic import Workers
from fruler.learning._control import Budget

TASK = make_task()
NET = ElasticNetSettings(1e-3, 0.05, shrink_intercepts=False)


def make_search(seed=0, deadline=np.inf, initial_threshold=6.0, **changes):
    options = FRULEROptions(**{"population_size": 20, "n_local_search": 3} | changes)
    evaluator = FitnessEvaluator(TASK, NET, "error", len(TASK.scored), Workers(budget=Budget(deadline)))
    rng = np.random.default_rng(seed)
    return Evolution(TASK.space, evaluator, options, rng, initial_threshold=initial_threshold)


def test_the_best_never_gets_worse():
    search = make_search(population_size=4, reading=Reading(keep_copies=False))
    search.run()
    best = search.best_known()
    fitness = [row.best_fitness for row in search.history]
    assert fitness == sorted(fitness, reverse=True)
    assert best.evaluation.fitness == fitness[-1] == min(known.fitness for known in search.evaluator.known.values())
    assert fitness[-1] < fitness[0]


def test_the_population_is_sorted_and_distinct():
    search = make_search(reading=Reading(keep_copies=False))
    search.initialize()
    for _ in range(5):
        search.advance()
        keys = [one.chromosome.key for one in search.population]
        fitness = [one.evaluation.fitness for one in search.population]
        assert len(set(keys)) == len(keys) <= 20
        assert fitness == sorted(fitness)


def test_the_threshold_falls_and_the_search_restarts_once():
    search = make_search()
    search.run()
    thresholds = np.array([row.threshold for row in search.history])
    falls = -np.diff(thresholds)
    restarts = np.flatnonzero(falls < 0)
    assert len(restarts) == 1
    assert thresholds[restarts[0]] == 0.0
    assert thresholds[-1] == 0.0
    inner = np.delete(falls, restarts)
    assert inner.max() <= 0.8 + 1e-9
    # The last step before a restart or the end is cut at zero; all the others fall by 0.4, 0.6 or 0.8.
    full = inner[:-1][thresholds[1:-1][: len(inner) - 1] > 0]
    assert np.isin(full.round(6), [0.4, 0.6, 0.8, -5.2, -5.4, -5.6, 6.0]).mean() > 0.9


def test_more_restarts_and_none():
    none, two = make_search(n_restarts=0), make_search(n_restarts=2)
    none.run()
    two.run()
    assert none.best_known().evaluation.fitness >= two.best_known().evaluation.fitness


@pytest.mark.parametrize("limit", [1, 7, 50, 333])
def test_the_limit_on_evaluations_holds(limit):
    search = make_search(max_evaluations=limit)
    search.run()
    assert search.evaluator.n_asked == limit
    assert search.history[-1].evaluations == limit


def test_evaluations_count_repeated_chromosomes():
    search = make_search()
    search.run()
    assert search.evaluator.n_asked > len(search.evaluator.known)


def test_local_search_replaces_only_by_better():
    search = make_search(n_local_search=0)
    search.initialize()
    before = list(search.population)
    search.search_locally(before)
    assert search.population == before
    busy = make_search(n_local_search=10)
    busy.initialize()
    busy.seen.clear()
    origins = list(busy.population)
    busy.search_locally(origins)
    assert sum(one.evaluation.fitness for one in busy.population) < sum(one.evaluation.fitness for one in origins)
    assert {one.chromosome.structure for one in origins} <= set(busy.seen)


def test_the_deadline_ends_the_search(clock):
    clock.tick = 1.0
    deadline = clock.now + 300.0
    search = make_search(deadline=deadline, initial_threshold=1e9)
    search.run()
    # Every stage asks once more for the time, and begins nothing.
    assert deadline < clock.now < deadline + 10.0
    assert np.isfinite(search.best.evaluation.fitness)


def test_what_is_known_at_the_deadline_is_not_evaluated_again(clock):
    search = make_search(deadline=clock.now - 1.0)
    search.initialize()
    n_known = len(search.evaluator.known)
    # The linear rule that is left for want of time may have been among those that were done in time.
    search.initialize()
    assert len(search.evaluator.known) == n_known
    assert len(search.population) == 1


def test_a_deadline_that_has_passed_still_gives_a_model(clock):
    search = make_search(deadline=clock.now - 1.0)
    search.run()
    assert np.isfinite(search.best_known().evaluation.fitness)


def test_criteria():
    results = np.array([[0.5, 3, 10, 0, 0], [0.4, 30, 100, 0, 0], [np.inf, 0, 0, 0, 0]])
    assert criterion_values("error", results, 100).tolist() == [0.25, 0.2, np.inf]
    bic = criterion_values("bic", results, 100)
    assert bic[0] == pytest.approx(100 * np.log(0.5) + np.log(100) * 13)
    assert bic[0] < bic[1] < bic[2] == np.inf


def test_regularization_is_chosen_by_held_out_error():
    chromosomes = initial_population(TASK.space, 5, np.random.default_rng(0))
    chosen = search_regularization(TASK, chromosomes, NET, Workers())
    assert chosen.regularization in DECADES
    assert 1e-7 < chosen.regularization < 1.0
    descent = ElasticNetSettings(1.0, 0.05, solver="sgd", max_rounds=300)
    by_descent = search_regularization(TASK, chromosomes, descent, Workers(), fixed=True)
    assert by_descent.regularization == 1.0
    assert by_descent.rate <= 0.1


def test_regularization_is_chosen_for_data_bases_that_a_search_finds():
    # Only the product of two of many inputs explains the target: no random data base has both and few others.
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, (600, 20))
    y = 4.0 * X[:, 3] * X[:, 15]
    task = task_of(X, y)
    descent = ElasticNetSettings(1.0, 0.05, solver="sgd", max_rounds=300)
    tried = initial_population(task.space, 10, np.random.default_rng(0))
    for_random = search_regularization(task, tried, descent, Workers())
    options = FRULEROptions(max_evaluations=40_000)
    chosen, n_asked = choose_regularization(task, descent, options, np.random.default_rng(0), Workers())
    assert chosen.regularization < for_random.regularization
    assert choose_regularization(task, descent, options, np.random.default_rng(0), Workers()) == (chosen, n_asked)
    assert n_asked == 200 * 20


def test_a_search_with_the_largest_regularization_would_be_none(monkeypatch):
    searched = []

    class Watched(Evolution):
        def run(self):
            searched.append(self.evaluator.settings.regularization)
            super().run()

    def kernel(task, settings, chromosomes):
        # Of the data bases that the search finds, not of random ones, some are a little better with a smaller one.
        return np.array([[1.0 - gain * bool(searched) if settings.regularization == 0.1 else 1.0]])

    def chosen(given, options):
        searched.clear()
        return choose_regularization(TASK, given, options, np.random.default_rng(0), Workers())[0].regularization

    monkeypatch.setattr("fruler._algorithms.fruler.regularization.Evolution", Watched)
    monkeypatch.setattr("fruler._algorithms.fruler.regularization.run_kernel", kernel)
    gain = 0.05
    assert (chosen(NET, FRULEROptions()), searched) == (DECADES[0], [1e-2])
    gain = 0.15
    assert (chosen(NET, FRULEROptions()), searched) == (0.1, [1e-2])
    assert (chosen(replace(NET, regularization=1.0), FRULEROptions(regularization=1.0)), searched) == (1.0, [1.0])


def test_a_smaller_regularization_must_gain_something(monkeypatch):
    errors = {1.0: 1.0, 0.1: 0.5, 0.01: 0.495, 1e-3: 0.48, 1e-4: 0.479}

    def kernel(task, settings, chromosomes):
        return np.array([[errors.get(settings.regularization, 2.0)]])

    monkeypatch.setattr("fruler._algorithms.fruler.regularization.run_kernel", kernel)
    assert search_regularization(TASK, [None], NET, Workers()).regularization == 1e-3
    assert search_regularization(TASK, [None], NET, Workers(), min_gain=0.1).regularization == 0.1


def outcome(search):
    return (
        [(one.chromosome.key, one.evaluation) for one in search.population],
        [row._replace(seconds=0.0) for row in search.history],
        list(search.seen),
        search.evaluator.n_asked,
        {size: (one.key, worth) for size, (one, worth) in search.evaluator.best_by_rules.items()},
        search.rng.bit_generator.state,
    )


def test_a_search_goes_on_from_every_snapshot_as_if_nothing_had_happened():
    taken = []
    whole = make_search(max_evaluations=600, initial_threshold=1e9)
    whole.on_generation = lambda search: taken.append(search.snapshot())
    whole.run()
    # The last generation was cut short by the limit: what comes after it is no place to go on from.
    assert taken[-1] is None
    assert None not in taken[:-1]
    for snapshot in taken[:-1:3]:
        again = make_search(seed=99, max_evaluations=600, initial_threshold=1e9)
        again.restore(snapshot)
        assert again.evaluator.n_asked == snapshot.n_asked
        again.run()
        assert outcome(again) == outcome(whole)


def test_patience_counts_generations_without_a_better_best():
    search = make_search(early_stopping=4, reading=Reading(keep_copies=False))
    search.run()
    best = [row.best_fitness for row in search.history]
    assert best[-5] == best[-1] < best[-6]
    assert search.stagnant
    assert len(best) < len(_history(make_search()))


def _history(search):
    search.run()
    return search.history


def test_nothing_is_a_snapshot_once_the_end_was_asked_for():
    search = make_search()
    search.initialize()
    assert search.snapshot() is not None
    search.evaluator.workers.budget = Budget(stopped=lambda: True)
    assert search.snapshot() is None
    assert search.ended
