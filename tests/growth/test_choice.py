"""The choice of size and ridge: every row left out once, errors as a direct computation has them."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from helpers.structures import standardised

from fruler.growth.choice import RIDGES, Choice, cross_validate, errors_of_part, parts_of
from fruler.growth.fitting import rule_weights
from fruler.growth.growing import Growth, GrowthSettings

SETTINGS = GrowthSettings(most_rules=4)
NOTHING_KNOWN = [np.empty(0), np.empty(0)]


def table(n_rows=150, weight=False):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(n_rows, 2))
    y = np.abs(X[:, 0] - 0.5) + X[:, 1] + 0.05 * rng.normal(size=n_rows)
    return standardised(X, y, rng.uniform(0.2, 1.8, n_rows) if weight else None)


@pytest.mark.parametrize(
    ("n_rows", "n_parts", "repeats"), [(2, 2, 3), (4, 4, 3), (999, 5, 3), (1_000, 5, 1), (1_999, 5, 1)]
)
def test_parts_hold_every_row_once_in_each_repeat(n_rows, n_parts, repeats):
    parts = parts_of(n_rows, np.random.default_rng(0))
    assert len(parts) == n_parts * repeats
    for repeat in range(repeats):
        together = np.concatenate(parts[repeat * n_parts : (repeat + 1) * n_parts])
        assert np.sort(together).tolist() == list(range(n_rows))
    sizes = [len(part) for part in parts]
    assert max(sizes) - min(sizes) <= 1


def test_of_many_rows_some_parts_are_enough():
    parts = parts_of(2_000, np.random.default_rng(0))
    assert [len(part) for part in parts] == [400, 400]
    assert len(np.unique(np.concatenate(parts))) == 800


def test_parts_depend_on_the_seed_only():
    one, same, other = (np.concatenate(parts_of(50, np.random.default_rng(seed))) for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def choice_of(errors, weight=None):
    errors = np.array(errors, dtype=float)
    return Choice(errors, np.ones(errors.shape[2]) if weight is None else np.array(weight), (0.1, 0.2), 7)


def test_means_are_weighted_and_the_ridge_of_the_least_is_taken():
    choice = choice_of([[[3.0, 3.0, 9.0], [4.0, 4.0, 4.0]], [[1.0, 1.0, 1.0], [0.5, 0.5, 4.0]]], [1.0, 2.0, 1.0])
    np.testing.assert_allclose(choice.means, [[4.5, 4.0], [1.0, 1.375]])
    assert [choice.best_ridge(size) for size in (1, 2)] == [0.2, 0.1]
    assert [choice.error_of(size) for size in (1, 2)] == [4.0, 1.0]
    # Larger sizes than were tried are taken for the largest that was.
    assert (choice.best_ridge(9), choice.error_of(9)) == (0.1, 1.0)


@pytest.mark.parametrize(("loss", "size"), [(0.05, 2), (0.2, 3)])
def test_the_smallest_size_that_cannot_be_told_from_the_best_is_taken(loss, size):
    # One rule is far worse on every row; two are worse by `loss` on average, with a standard error of about 0.32.
    rows = np.tile([1.0, -1.0], 5)
    best = np.full(10, 2.0)
    errors = [[best + 5.0, best + 6.0], [best + loss + rows, best + 3.0], [best, best + 1.0], [best + 0.1, best + 1.0]]
    assert choice_of(errors).best_size() == size


def test_a_loss_that_is_the_same_on_every_row_can_be_told():
    best = np.full(10, 2.0)
    assert choice_of([[best + 0.001, best + 1.0], [best, best + 1.0]]).best_size() == 2
    assert choice_of([[best, best + 1.0], [best, best + 1.0]]).best_size() == 1


def test_errors_of_a_part_are_those_of_rules_grown_without_it():
    rows, domains = table(weight=True)
    part = np.arange(0, 150, 5)
    errors, count = errors_of_part(rows, part, domains, NOTHING_KNOWN, SETTINGS, (1e-3, 1e-1), np.inf)
    rest = np.setdiff1d(np.arange(150), part)
    growth = Growth(rows.take(rest), domains, NOTHING_KNOWN, SETTINGS)
    path = growth.run()
    assert count == growth.n_evaluations
    assert errors.shape == (len(path), 2, len(part))
    assert len(path) > 1
    for size, step in enumerate(path):
        shares = rule_weights(step.structure, rows, domains)
        terms = (shares[:, :, None] * rows.rows[:, None, :]).reshape(150, -1)
        for k, ridge in enumerate((1e-3, 1e-1)):
            support = leave_out(terms[rest], rows.y[rest], rows.weight[rest], ridge)
            beta = solve(terms[rest][:, support], rows.y[rest], rows.weight[rest], penalties(support, ridge))
            left = rows.y[part] - terms[part][:, support] @ beta
            np.testing.assert_allclose(errors[size, k], np.square(left), rtol=1e-5, atol=1e-9)


def penalties(support, ridge):
    return np.where(np.asarray(support) % 3 == 0, 1e-9, ridge)


def solve(terms, y, weight, ridges):
    gram = (terms.T * weight) @ terms / weight.sum() + np.diag(ridges)
    return np.linalg.solve(gram, terms.T @ (weight * y) / weight.sum())


def leave_out(terms, y, weight, ridge):
    """Return the terms that stay when slopes go one by one while the criterion falls."""

    def criterion(support):
        ridges = penalties(support, ridge)
        beta = solve(terms[:, support], y, weight, ridges)
        error = weight @ np.square(y - terms[:, support] @ beta) / weight.sum() + ridges @ np.square(beta)
        return len(y) * np.log(error) + np.log(len(y)) * len(support)

    support = list(range(terms.shape[1]))
    while True:
        fewer = [[t for t in support if t != slope] for slope in support if slope % 3]
        best = min(fewer, key=criterion, default=None)
        if best is None or criterion(best) > criterion(support):
            return support
        support = best


def test_the_errors_of_parts_are_put_together_row_by_row():
    rows, domains = table(weight=True)
    parts = parts_of(len(rows), np.random.default_rng(0))[:7]
    choice = cross_validate(rows, domains, NOTHING_KNOWN, SETTINGS, RIDGES, parts)
    single = [errors_of_part(rows, part, domains, NOTHING_KNOWN, SETTINGS, RIDGES, np.inf) for part in parts]
    n_sizes = max(len(errors) for errors, _ in single)
    assert choice.errors.shape == (n_sizes, len(RIDGES), len(rows))
    assert np.array_equal(choice.weight, rows.weight)
    assert choice.n_evaluations == sum(count for _, count in single)
    for row in (0, 17, 149):
        # Once in the first five parts, and for some rows in another two.
        times = [
            (errors, list(part).index(row)) for part, (errors, _) in zip(parts, single, strict=True) if row in part
        ]
        for size in range(n_sizes):
            expected = np.mean([errors[min(size, len(errors) - 1), :, at] for errors, at in times], axis=0)
            np.testing.assert_allclose(choice.errors[size, :, row], expected)
    # Standardised outputs: two rules and a slope leave little of a variance of one.
    assert choice.means[-1].min() < 0.2 < choice.means[0].min()


def test_rows_that_were_never_left_out_do_not_count():
    rows, domains = table(weight=True)
    choice = cross_validate(rows, domains, NOTHING_KNOWN, SETTINGS, (1e-3,), [np.arange(20, 50)])
    assert choice.errors.shape[2] == 30
    assert np.array_equal(choice.weight, rows.weight[20:50])


def test_a_growth_that_ended_early_stands_for_larger_sizes():
    rows, domains = table(40)
    # Without the first part 30 rows are left, enough for two rules; without the second only 22 are.
    parts = [np.arange(10), np.arange(10, 28)]
    choice = cross_validate(rows, domains, NOTHING_KNOWN, SETTINGS, (1e-3,), parts)
    single = [errors_of_part(rows, part, domains, NOTHING_KNOWN, SETTINGS, (1e-3,), np.inf)[0] for part in parts]
    assert [len(errors) for errors in single] == [2, 1]
    np.testing.assert_array_equal(choice.errors[1], np.concatenate([single[0][1], single[1][0]], axis=1))


def test_parts_without_weight_are_passed_over():
    rows, domains = table(40)
    rows = replace(rows, weight=np.where(np.arange(40) == 3, 40.0, 0.0))
    assert cross_validate(rows, domains, NOTHING_KNOWN, SETTINGS, RIDGES, [np.arange(10), np.arange(10, 40)]) is None
    assert parts_of(1, np.random.default_rng(0)) == []


def test_threads_change_nothing():
    rows, domains = table()
    parts = parts_of(len(rows), np.random.default_rng(0))[:5]
    alone = cross_validate(rows, domains, NOTHING_KNOWN, SETTINGS, RIDGES, parts)
    with ThreadPoolExecutor(2) as pool:
        together = cross_validate(rows, domains, NOTHING_KNOWN, SETTINGS, RIDGES, parts, pool=pool)
    assert np.array_equal(alone.errors, together.errors)
    assert alone.n_evaluations == together.n_evaluations


def test_without_time_or_parts_there_is_no_choice():
    rows, domains = table()
    parts = parts_of(len(rows), np.random.default_rng(0))
    late = time.monotonic() - 1.0
    assert cross_validate(rows, domains, NOTHING_KNOWN, SETTINGS, RIDGES, parts, deadline=late) is None
    assert cross_validate(rows, domains, NOTHING_KNOWN, SETTINGS, RIDGES, []) is None
