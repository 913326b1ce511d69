"""The choice of size and ridge: every row held out once, errors as a direct computation has them."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from helpers.structures import dense_terms, dense_weights, same_steps, standardised

from fruler._algorithms.growth import cross_validation
from fruler._algorithms.growth.cross_validation import (
    RIDGES,
    Choice,
    CrossValidation,
    Fold,
    draw_folds,
    residuals_of,
)
from fruler._algorithms.growth.growth import Growth
from fruler._algorithms.growth.options import GrowthOptions
from fruler._algorithms.growth.problem import GrowthProblem
from fruler._algorithms.growth.sums import Sums, degrees_of
from fruler.learning._control import Budget
from fruler.learning._folds import Split

OPTIONS = GrowthOptions(max_rules=3)
NOTHING_KNOWN = [np.empty(0), np.empty(0)]
MAX_SIZE = 3


def validation(rows, domains, ridges, folds, options=OPTIONS, max_size=MAX_SIZE, **limits):
    return CrossValidation(
        GrowthProblem(rows, domains, NOTHING_KNOWN, options), ridges, folds, max_size=max_size, **limits
    )


def table(n_rows=150, weight=False):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(n_rows, 2))
    y = np.sign(X[:, 0] - 0.5) * X[:, 1] + np.abs(X[:, 1] - 0.3) + 0.05 * rng.normal(size=n_rows)
    return standardised(X, y, rng.uniform(0.2, 1.8, n_rows) if weight else None)


def some_folds(rows):
    return [Split(fold) for fold in np.array_split(np.random.default_rng(0).permutation(len(rows)), 5)]


@pytest.mark.parametrize("n_rows", [2, 4, 999, 4_000])
def test_folds_hold_every_row_once(n_rows):
    folds = draw_folds(n_rows, np.random.default_rng(0))
    assert len(folds) == min(n_rows, 5)
    assert np.sort(np.concatenate(folds)).tolist() == list(range(n_rows))
    sizes = [len(fold) for fold in folds]
    assert max(sizes) - min(sizes) <= 1


def test_of_many_rows_some_folds_are_enough():
    folds = draw_folds(5_000, np.random.default_rng(0))
    assert [len(fold) for fold in folds] == [1_000] * 3
    assert len(np.unique(np.concatenate(folds))) == 3_000


def test_folds_depend_on_the_seed_only():
    one, same, other = (np.concatenate(draw_folds(50, np.random.default_rng(seed))) for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
    assert draw_folds(1, np.random.default_rng(0)) == []


def choice_of(mean, spread=0.0):
    """A choice whose folds lie around mean errors, by size and ridge; those of the sizes differ by chance."""
    mean = np.asarray(mean, dtype=float)
    chance = np.array([-2.0, -1.0, 0.0, 1.0, 2.0]) / np.sqrt(2.5)
    signs = np.where(np.arange(len(mean)) % 2, 1.0, -1.0)
    errors = mean + spread * chance[:, None, None] * signs[:, None]
    return Choice(errors, np.full(5, 0.2), (0.1, 0.2), 7)


def test_a_choice_tells_errors_and_ridges_of_every_size():
    choice = choice_of([[3.0, 4.0], [1.5, 1.1], [1.0, 2.0]])
    assert [choice.best_ridge(size) for size in range(3)] == [0.1, 0.2, 0.1]
    assert [choice.error_of(size) for size in range(3)] == pytest.approx([3.0, 1.1, 1.0])
    # Larger sizes than were tried are taken for the largest that was.
    assert (choice.best_ridge(9), choice.error_of(9)) == pytest.approx((0.1, 1.0))


def test_folds_count_by_their_weight():
    errors = np.array([[[1.0]], [[4.0]]])
    assert Choice(errors, np.array([0.75, 0.25]), (0.1,), 1).error_of(0) == pytest.approx(1.75)


@pytest.mark.parametrize(
    ("second", "spread", "best"),
    [
        (1.009, 0.0, 1),  # hardly worse
        (1.011, 0.0, 2),  # worse, in every fold
        # Differences between the folds of the two: standard deviation 0.04 (0.06), standard error 0.018 (0.027).
        (1.015, 0.02, 1),
        (1.022, 0.02, 2),
        (1.022, 0.03, 1),
        (1.029, 0.5, 1),  # nobody knows,
        (1.031, 0.5, 2),  # but so much more error is too much.
    ],
)
def test_the_least_size_whose_error_cannot_be_told_from_the_least_is_taken(second, spread, best):
    choice = choice_of([[3.0, 4.0], [second, 1.2], [1.0, 1.3]], spread)
    assert choice.best_size() == best


def test_folds_that_all_went_up_and_down_together_tell_sizes_apart():
    # The errors of folds differ by far more than those of sizes; within each fold the larger model is better.
    level = np.array([0.5, 0.8, 1.0, 1.2, 1.5])[:, None, None]
    errors = level * np.array([[3.0], [1.02], [1.0]])
    assert Choice(errors, np.full(5, 0.2), (0.1,), 1).best_size() == 2


def test_the_best_of_some_sizes_is_one_of_them():
    choice = choice_of([[3.0, 3.0], [1.0, 1.0], [2.0, 2.0], [1.5, 1.5]])
    assert choice.best_size() == 1
    assert choice.best_size([0, 2]) == 2
    assert choice.best_size([3, 2]) == 3
    # Sizes that no fold came to are as good as the largest that one did.
    assert choice.best_size([0, 2, 9]) == 9
    assert choice.best_size([8, 9]) == 8


def test_errors_without_any_are_fit_for_the_smallest_size():
    assert choice_of(np.zeros((3, 2))).best_size() == 0


def test_one_fold_is_enough_for_a_choice():
    errors = np.array([[[2.0], [1.0], [0.999]]])
    assert Choice(errors, np.ones(1), (0.1,), 1).best_size() == 1


def test_a_growth_that_ended_early_stands_for_larger_sizes():
    short, long = np.array([[4.0], [2.0]]), np.array([[8.0], [6.0], [3.0]])
    residuals = [
        np.array([[[3.0, 1.0]], [[1.0, 2.0]]], dtype=np.float32),
        np.arange(3, dtype=np.float32)[:, None, None],
    ]
    folds = [
        Fold(short, 2.0, 5, OPTIONS, MAX_SIZE, (), residuals[0]),
        Fold(long, 1.0, 7, OPTIONS, MAX_SIZE, (), residuals[1]),
    ]
    choice = Choice.from_folds(folds, (0.1,))
    assert choice.place_of(2) == (2, 0)
    assert [own.tolist() for own in residuals_of(folds, 2, 0)] == [[1.0, 2.0], [2.0]]
    assert choice.errors[:, :, 0].tolist() == [[2.0, 1.0, 1.0], [8.0, 6.0, 3.0]]
    assert choice.weights == pytest.approx([2 / 3, 1 / 3])
    assert choice.error_of(2) == pytest.approx((2.0 + 3.0) / 3.0)
    assert choice.n_evaluations == 12


@pytest.mark.parametrize("locality", [0.0, 0.3])
def test_errors_of_a_fold_are_those_of_rules_grown_without_it(locality):
    rows, domains = table(weight=True)
    fold, options = np.arange(0, 150, 5), replace(OPTIONS, locality=locality)
    found = validation(rows, domains, (1e-1, 10.0), [Split(fold)], options).fold(0)
    rest = rows.take(np.setdiff1d(np.arange(150), fold))
    growth = Growth(GrowthProblem(rest, domains, NOTHING_KNOWN, options), max_size=MAX_SIZE)
    path = growth.run()
    assert found.n_evaluations == growth.n_evaluations
    assert found.errors.shape == (len(path), 2)
    assert len(path) > 2
    assert found.weight == pytest.approx(rows.weight[fold].sum())
    assert same_steps(found.path, growth.path)
    held_out = rows.take(fold)
    for size, step in enumerate(path):
        normal = Sums.over(rest, degrees_of(step.structure, rest)).normal(step.structure, locality)
        X = held_out.rows[:, 1:]
        weights, terms = dense_weights(step.structure, X), dense_terms(step.structure, X)
        for k, ridge in enumerate((1e-1, 10.0)):
            fit = growth.final_terms(step.structure, normal, ridge, len(rest), step.fit.kept)
            predicted = (weights * (terms @ fit.coefficients).T).sum(axis=1)
            error = held_out.weight @ np.square(held_out.y - predicted)
            assert found.errors[size, k] == pytest.approx(error, rel=1e-6)


def test_folds_are_put_together_until_the_choice_is_clear(monkeypatch):
    rows, domains = table(weight=True)
    folds = some_folds(rows)
    told, clear_after = [], 4
    run = validation(rows, domains, RIDGES, folds)
    monkeypatch.setattr(Choice, "is_clear", property(lambda choice: len(choice.errors) >= clear_after))
    choice = run.run(on_fold=lambda number, found: told.append((number, len(found))))
    assert told == [(number, number + 1) for number in range(clear_after)]
    again = validation(rows, domains, RIDGES, folds)
    single = Choice.from_folds([again.fold(number) for number in range(clear_after)], RIDGES)
    assert np.array_equal(choice.errors, single.errors)
    assert choice.n_evaluations == single.n_evaluations
    # Standardised outputs: a few divisions leave little of a variance of one.
    assert choice.mean_errors[-1].min() < 0.1 < choice.mean_errors[0].min()
    assert choice.best_size() > 0


@pytest.mark.parametrize(
    ("errors", "clear"),
    [
        # Both folds are for the second size.
        ([[9.0, 1.0, 1.2], [9.0, 1.0, 1.1]], True),
        # One is for the third, but in both together that is hardly better.
        ([[9.0, 1.0, 1.0], [9.0, 1.0, 0.985]], True),
        # One is for the third by far.
        ([[9.0, 1.0, 1.2], [9.0, 1.0, 0.7]], False),
        ([[9.0, 1.0, 1.2], [9.0, 1.0, 1.2], [9.0, 1.0, 0.9]], True),
        ([[9.0, 1.0, 1.2], [9.0, 1.0, 1.1], [9.0, 1.0, 0.6]], False),
        ([[9.0, 1.0, 1.2]], False),
    ],
)
def test_a_choice_is_clear_if_no_single_fold_matters(errors, clear):
    errors = np.array(errors)[:, :, None]
    choice = Choice(errors, np.full(len(errors), 1.0 / len(errors)), (0.1,), 0)
    assert choice.is_clear == clear


def test_folds_that_were_begun_are_given_up_once_the_choice_is_clear(monkeypatch):
    rows, domains = table()
    run = validation(rows, domains, RIDGES, some_folds(rows))
    first, ended = run.fold(0), []
    reached = threading.Event()
    fold = CrossValidation.fold

    def held_up(self, number, before=None):
        if number < 2:
            reached.wait(30.0)
            return first
        reached.set()
        # The growth asks again and again whether it may go on.
        found = fold(self, number)
        while found is not None:
            found = fold(self, number)
        ended.append(number)
        return found

    monkeypatch.setattr(CrossValidation, "fold", held_up)
    with ThreadPoolExecutor(3) as pool:
        choice = run.run(pool)
    # The same twice is as clear as can be.
    assert len(choice.errors) == 2
    assert 2 in ended


def test_what_is_known_of_a_fold_is_not_done_again():
    rows, domains = table()
    folds = some_folds(rows)
    run = validation(rows, domains, (0.1,), folds)
    known = run.fold(1)
    assert run.fold(1, known) is known
    # With another limit it resumes, and comes to what it would have come to.
    for options, max_size in ((replace(OPTIONS, max_rules=2), MAX_SIZE), (OPTIONS, 1), (OPTIONS, MAX_SIZE + 1)):
        other = validation(rows, domains, (0.1,), folds, options, max_size)
        resumed, anew = other.fold(1, known), other.fold(1)
        assert np.array_equal(resumed.errors, anew.errors)
        assert resumed.n_evaluations == anew.n_evaluations
        assert same_steps(resumed.path, anew.path)
        assert (resumed.options, resumed.max_size) == (options, max_size)


def test_folds_without_weight_are_passed_over():
    rows, domains = table(40)
    rows = replace(rows, weight=np.where(np.arange(40) == 3, 40.0, 0.0))
    assert validation(rows, domains, RIDGES, [Split(np.arange(10)), Split(np.arange(10, 40))]).run() is None


def test_threads_change_nothing():
    rows, domains = table()
    folds = some_folds(rows)
    alone = validation(rows, domains, RIDGES, folds).run()
    with ThreadPoolExecutor(2) as pool:
        together = validation(rows, domains, RIDGES, folds).run(pool)
    assert np.array_equal(alone.errors, together.errors)
    assert alone.n_evaluations == together.n_evaluations


def test_without_time_or_folds_there_is_no_choice(clock):
    rows, domains = table()
    folds = some_folds(rows)
    assert validation(rows, domains, RIDGES, folds, budget=Budget(clock.now - 1.0)).run() is None
    assert validation(rows, domains, RIDGES, folds, budget=Budget(stopped=lambda: True)).run() is None
    assert validation(rows, domains, RIDGES, []).run() is None


def test_a_known_fold_is_taken_as_it_is_unless_it_is_of_other_rows_or_ridges():
    rows, domains = table()
    made = validation(rows, domains, RIDGES, some_folds(rows))
    fold = made.fold(0)
    assert made.fold(0, fold) is fold
    for residuals in (fold.residuals[:, :, :-1], fold.residuals[:, 1:]):
        with pytest.raises(ValueError, match="its folds belong to another cross-validation"):
            made.fold(0, fold._replace(residuals=residuals))


def test_a_fold_for_which_there_is_no_time_is_not_even_prepared(clock, monkeypatch):
    rows, domains = table()
    begun = []
    monkeypatch.setattr(cross_validation, "Growth", lambda *args, **options: begun.append(args))
    late = validation(rows, domains, RIDGES, some_folds(rows), budget=Budget(clock.now - 1.0))
    assert late.fold(0) is None
    assert validation(rows, domains, RIDGES, some_folds(rows), budget=Budget(stopped=lambda: True)).fold(0) is None
    assert begun == []


def test_nothing_is_measured_once_time_is_up(monkeypatch):
    rows, domains = table()
    asked = []
    measured = CrossValidation._held_out
    monkeypatch.setattr(CrossValidation, "_held_out", lambda *args: asked.append(args) or measured(*args))
    made = validation(rows, domains, (0.1,), some_folds(rows), budget=Budget(stopped=lambda: len(asked) >= 1))
    assert made.fold(0) is None
    assert len(asked) == 1
