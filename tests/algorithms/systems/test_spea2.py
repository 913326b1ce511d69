"""The multi-objective search as a whole."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from helpers.genetic import HiddenPoint, Point

from fruler._algorithms.genetic import GeneticOptions, Workers
from fruler._algorithms.systems.evaluation import RowSampler
from fruler._algorithms.systems.selection import dominance
from fruler._algorithms.systems.spea2 import Spea2, Spea2Snapshot
from fruler.learning._codec import pack, unpack
from fruler.learning._control import Budget


def make_search(problem=None, seed=0, workers=None, sampled=False, **changes):
    problem = HiddenPoint() if problem is None else problem
    settings = GeneticOptions(**{"population_size": 15, "max_evaluations": 3_000} | changes)
    sampler = RowSampler(problem.rows[:, 0], 20) if sampled else None
    return Spea2(problem, settings, np.random.default_rng(seed), workers, sampler=sampler)


def outcome(search):
    return (
        [(one.chromosome.key, one.worth, one.sampled) for one in search.archive],
        search.fitness.tolist(),
        {size: (one.key, worth) for size, (one, worth) in search.evaluator.best_by_rules.items()},
        [row._replace(seconds=0.0) for row in search.history],
        search.evaluator.n_asked,
        search.rng.bit_generator.state,
    )


@pytest.mark.parametrize("sampled", [False, True])
def test_the_front_is_non_dominated_and_holds_the_best_that_was_seen(sampled):
    problem = HiddenPoint()
    search = make_search(problem, sampled=sampled)
    search.run()
    objectives = np.array([worth for _, worth in search.front])
    assert not dominance(objectives).any()
    known = search.evaluator.known.values()
    assert min(worth.error for worth in known) == search.front[-1][1].error == search.best.worth.error
    errors = [row.best_error for row in search.history]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.3 * errors[0]
    assert search.n_restarts >= 1


@pytest.mark.parametrize("sampled", [False, True])
def test_errors_of_the_archive_and_the_front_are_full_errors(sampled):
    problem = HiddenPoint()
    search = make_search(problem, sampled=sampled)

    def check(_):
        front = [one for one, _ in search.front]
        for chromosome, worth in [*search.archive_worths(), *zip(front, (w for _, w in search.front), strict=True)]:
            error = np.square(problem.rows - chromosome.genes * chromosome.bits).mean()
            assert worth.error == pytest.approx(error, rel=1e-12)

    search.archive_worths = lambda: [(one.chromosome, one.worth) for one in search.archive]
    search.on_generation = check
    search.run()
    assert len(search.history) > 10


def test_a_sample_spares_full_evaluations():
    spared = HiddenPoint()
    make_search(spared, sampled=True).run()
    full = [key for key, on_all in spared.evaluated if on_all]
    on_sample = [key for key, on_all in spared.evaluated if not on_all]
    assert len(full) < 0.7 * len(on_sample)
    assert len(set(full)) == len(full)


def test_nothing_is_evaluated_twice():
    problem = HiddenPoint()
    make_search(problem).run()
    keys = [key for key, _ in problem.evaluated]
    assert len(set(keys)) == len(keys) > 300


@pytest.mark.parametrize("limit", [1, 7, 15, 50, 333])
def test_the_limit_on_evaluations_holds(limit):
    search = make_search(max_evaluations=limit)
    search.run()
    assert search.evaluator.n_asked == limit
    assert search.history[-1].evaluations == limit


def test_nothing_is_a_snapshot_once_a_generation_was_cut_short():
    search = make_search(max_evaluations=333)
    search.initialize()
    assert search.snapshot() is not None
    search.run()
    assert search.snapshot() is None


def test_a_search_ends_after_two_cycles_without_a_lower_error():
    search = make_search(max_evaluations=10**6)
    search.run()
    assert search.n_stale == 1
    thresholds = np.array([row.threshold for row in search.history])
    assert (np.diff([row.n_restarts for row in search.history]) > 0).sum() == search.n_restarts >= 2
    assert thresholds[-1] == 0.0
    last = [row.best_error for row in search.history if row.n_restarts >= search.n_restarts - 1]
    assert len(set(last)) == 1


def test_the_threshold_falls_faster_while_nothing_enters():
    search = make_search()
    search.initialize()
    search.record(0.0)
    evaluated, thresholds = search.evaluated, [search.threshold]
    search.evaluated = lambda chromosomes: []
    for _ in range(3):
        search.advance()
        thresholds.append(search.threshold)
    # One because the best is the same, and one, two and four because nothing is new.
    assert np.diff(thresholds).tolist() == [-2.0, -3.0, -5.0]
    resumed = make_search(seed=99)
    resumed.restore(search.snapshot())
    resumed.evaluated = search.evaluated
    resumed.advance()
    assert resumed.threshold == thresholds[-1] - 9.0
    search.evaluated = evaluated
    search.advance()
    assert search.fall == 1
    assert search.threshold >= thresholds[-1] - 1.0


def test_the_archive_is_kept_in_bounds():
    search = make_search(population_size=4)
    search.initialize()
    for _ in range(30):
        search.advance()
        assert 1 <= len(search.archive) <= 4
        assert len({one.worth for one in search.archive}) == len(search.archive) == len(search.fitness)


@pytest.mark.slow
@pytest.mark.parametrize("sampled", [False, True])
def test_a_search_resumes_from_every_snapshot_as_if_nothing_had_happened(sampled):
    taken = []
    whole = make_search(max_evaluations=1_500, sampled=sampled)

    def keep(search):
        snapshot = search.snapshot()
        if snapshot is not None:
            taken.append(unpack(Spea2Snapshot[Point], *pack(Spea2Snapshot[Point], snapshot)))

    whole.on_generation = keep
    whole.run()
    assert len(taken) > 40
    for snapshot in [taken[0], *taken[5::17], taken[-1]]:
        # Another seed: everything comes from the snapshot.
        resumed = make_search(max_evaluations=1_500, sampled=sampled, seed=99)
        resumed.restore(snapshot)
        resumed.run()
        assert outcome(resumed) == outcome(whole)


@pytest.mark.parametrize("sampled", [False, True])
def test_threads_change_nothing(sampled):
    alone, together = make_search(sampled=sampled), None
    alone.run()
    with ThreadPoolExecutor(3) as pool:
        together = make_search(sampled=sampled, workers=Workers(pool, 3))
        together.run()
    assert outcome(alone) == outcome(together)


def test_the_deadline_ends_the_search(clock):
    clock.tick = 1.0
    deadline = clock.now + 300.0
    search = make_search(workers=Workers(budget=Budget(deadline)), max_evaluations=10**6)
    search.run()
    assert deadline < clock.now < deadline + 30.0
    assert np.isfinite(search.front[-1][1].error)


def test_a_deadline_that_has_passed_still_gives_a_model(clock):
    search = make_search(workers=Workers(budget=Budget(clock.now - 1.0)), sampled=True)
    search.run()
    assert [one.key for one, _ in search.front] == [search.problem.simplest().key]
    assert search.evaluator.n_asked > 0


def test_nothing_feasible_at_first_is_no_end():
    class Hard(HiddenPoint):
        def initial(self, size, rng):
            made = super().initial(size, rng)
            return [type(one)(one.genes, np.zeros_like(one.bits)) for one in made]

    search = make_search(Hard(), sampled=True)
    search.run()
    assert search.best.worth.error < search.history[0].best_error
    assert search.archive[0].worth.n_rules > 0
