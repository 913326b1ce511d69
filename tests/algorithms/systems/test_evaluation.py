"""The evaluator: samples, limits, and what is known."""

import numpy as np
import pytest
from helpers.genetic import HiddenPoint

from fruler._algorithms.genetic import OutOfTime, Workers
from fruler._algorithms.systems.evaluation import NO_LIMIT, Limit, ProblemEvaluator, RowSampler
from fruler.learning._control import UNLIMITED, Budget


def make_evaluator(budget=UNLIMITED):
    problem = HiddenPoint()
    evaluator = ProblemEvaluator(problem, Workers(budget=budget))
    evaluator.use_sample(problem.take_sample(np.arange(0, 50, 5)))
    return problem, evaluator, problem.initial(30, np.random.default_rng(1))


def test_what_a_limit_says_does_not_depend_on_what_is_known():
    _, fresh, points = make_evaluator()
    errors = [worth.error for worth in fresh.sampled(points)]
    limits = [Limit(float(np.quantile(errors, share)), rules) for share in (0.2, 0.9, 0.5) for rules in (3, 0, 4)]
    _, used, _ = make_evaluator()
    for limit in limits:
        _, new, _ = make_evaluator()
        assert used.sampled(points, limit) == new.sampled(points, limit) == fresh.sampled(points, limit)


def test_a_limit_lets_the_small_ones_pass():
    _, evaluator, points = make_evaluator()
    found = evaluator.sampled(points, Limit(0.0, 3))
    assert {bool(np.isfinite(worth.error)) for worth in found if worth.n_rules < 3} == {True}
    assert {bool(np.isfinite(worth.error)) for worth in found if worth.n_rules >= 3} == {False}


def test_sampled_errors_are_no_full_errors():
    problem, evaluator, points = make_evaluator()
    sampled = evaluator.sampled(points, NO_LIMIT)
    assert not evaluator.known
    assert not evaluator.best_by_rules
    full = evaluator(points)
    assert sampled != full
    assert len(problem.evaluated) == 60
    evaluator(points)
    evaluator.sampled(points)
    assert len(problem.evaluated) == 60
    evaluator.use_sample(problem.take_sample(np.arange(3)))
    assert evaluator.sampled(points) != sampled


def test_the_front_has_the_best_of_every_size():
    _, evaluator, points = make_evaluator()
    worths = evaluator(points)
    for size, (_, worth) in evaluator.best_by_rules.items():
        assert worth.error == min(one.error for one in worths if one.n_rules == size)


def test_nothing_is_begun_after_the_deadline(clock):
    problem, evaluator, points = make_evaluator(Budget(clock.now - 1.0))
    with pytest.raises(OutOfTime):
        evaluator(points)
    assert problem.evaluated == []
    assert len(evaluator(points[:2], at_once=True)) == 2


def test_what_was_done_before_the_deadline_is_known(clock):
    clock.tick = 1.0
    _, evaluator, points = make_evaluator(Budget(clock.now + 3.5))
    with pytest.raises(OutOfTime):
        evaluator(points)
    assert 0 < len(evaluator.known) < 30


def test_samples_are_stratified_by_the_output():
    y = np.random.default_rng(0).permutation(np.arange(100.0))
    drawn = RowSampler(y, 20).draw(np.random.default_rng(0))
    assert (np.diff(drawn) > 0).all()
    assert sorted(y[drawn] // 5) == list(range(20))


def test_only_large_tables_are_sampled():
    assert RowSampler.for_table(np.zeros(2_000)) is None
    assert RowSampler.for_table(np.zeros(2_001), None) is None
    for n, size in ((2_001, 1_000), (10_000, 2_000)):
        sampler = RowSampler.for_table(np.arange(float(n)))
        assert len(sampler.draw(np.random.default_rng(0))) == size
