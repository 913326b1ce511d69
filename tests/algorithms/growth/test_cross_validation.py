"""The choice of size and ridge: every row held out once, errors as a direct computation has them."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from helpers.structures import standardised

from fruler.algorithms.growth.cross_validation import RIDGES, Choice, CrossValidation, draw_folds
from fruler.algorithms.growth.growth import Growth
from fruler.algorithms.growth.normal_equations import rule_weights
from fruler.algorithms.growth.options import GrowthOptions

OPTIONS = GrowthOptions(max_rules=4)
NOTHING_KNOWN = [np.empty(0), np.empty(0)]


def validation(rows, domains, ridges, folds, **limits):
    return CrossValidation(rows, domains, NOTHING_KNOWN, OPTIONS, ridges, folds, **limits)


def table(n_rows=150, weight=False):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(n_rows, 2))
    y = np.abs(X[:, 0] - 0.5) + X[:, 1] + 0.05 * rng.normal(size=n_rows)
    return standardised(X, y, rng.uniform(0.2, 1.8, n_rows) if weight else None)


@pytest.mark.parametrize(
    ("n_rows", "n_folds", "repeats"), [(2, 2, 6), (4, 4, 6), (999, 5, 6), (1_000, 5, 3), (1_999, 5, 3)]
)
def test_folds_hold_every_row_once_in_each_repeat(n_rows, n_folds, repeats):
    folds = draw_folds(n_rows, np.random.default_rng(0))
    assert len(folds) == n_folds * repeats
    for repeat in range(repeats):
        together = np.concatenate(folds[repeat * n_folds : (repeat + 1) * n_folds])
        assert np.sort(together).tolist() == list(range(n_rows))
    sizes = [len(fold) for fold in folds]
    assert max(sizes) - min(sizes) <= 1


def test_of_many_rows_some_folds_are_enough():
    folds = draw_folds(2_000, np.random.default_rng(0))
    assert [len(fold) for fold in folds] == [400, 400]
    assert len(np.unique(np.concatenate(folds))) == 800


def test_folds_depend_on_the_seed_only():
    one, same, other = (np.concatenate(draw_folds(50, np.random.default_rng(seed))) for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_the_smallest_size_that_is_nearly_the_best_is_taken():
    errors = np.array([[3.0, 4.0], [1.5, 1.019], [1.3, 1.2], [1.0, 2.0], [1.01, 1.0]])
    choice = Choice(errors, (0.1, 0.2), 7)
    assert choice.best_size() == 2
    assert [choice.best_ridge(size) for size in (1, 2, 3, 4, 5)] == [0.1, 0.2, 0.2, 0.1, 0.2]
    assert choice.error_of(2) == 1.019
    # Larger sizes than were tried are taken for the largest that was.
    assert (choice.best_ridge(9), choice.error_of(9)) == (0.2, 1.0)
    errors[1, 1] = 1.03
    assert Choice(errors, (0.1, 0.2), 7).best_size() == 4


def test_errors_without_any_are_fit_for_the_smallest_size():
    assert Choice(np.zeros((3, 1)), (0.1,), 1).best_size() == 1


def test_errors_of_a_fold_are_those_of_rules_grown_without_it():
    rows, domains = table(weight=True)
    fold = np.arange(0, 150, 5)
    errors, weight, count, *_ = validation(rows, domains, (1e-3, 1e-1), [fold]).fold(0)
    rest = np.setdiff1d(np.arange(150), fold)
    growth = Growth(rows.take(rest), domains, NOTHING_KNOWN, OPTIONS)
    path = growth.run()
    assert count == growth.n_evaluations
    assert errors.shape == (len(path), 2)
    assert len(path) > 1
    assert weight == pytest.approx(rows.weight[fold].sum())
    for size, step in enumerate(path):
        shares = rule_weights(step.structure, rows, domains)
        terms = (shares[:, :, None] * rows.rows[:, None, :]).reshape(150, -1)
        for k, ridge in enumerate((1e-3, 1e-1)):
            support = leave_out(terms[rest], rows.y[rest], rows.weight[rest], ridge)
            beta = solve(terms[rest][:, support], rows.y[rest], rows.weight[rest], penalties(support, ridge))
            left = rows.y[fold] - terms[fold][:, support] @ beta
            assert errors[size, k] == pytest.approx(rows.weight[fold] @ np.square(left), rel=1e-6)


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


def test_folds_are_put_together_by_their_weight():
    rows, domains = table(weight=True)
    folds = draw_folds(len(rows), np.random.default_rng(0))[:5]
    choice = validation(rows, domains, RIDGES, folds).run()
    single = [validation(rows, domains, RIDGES, [fold]).fold(0) for fold in folds]
    n_sizes = max(len(fold.errors) for fold in single)
    assert choice.errors.shape == (n_sizes, len(RIDGES))
    assert choice.n_evaluations == sum(fold.n_evaluations for fold in single)
    for size in range(n_sizes):
        expected = sum(fold.errors[min(size, len(fold.errors) - 1)] for fold in single) / rows.weight.sum()
        np.testing.assert_allclose(choice.errors[size], expected)
    # Standardised outputs: two rules and a slope leave little of a variance of one.
    assert choice.errors[-1].min() < 0.2 < choice.errors[0].min()


def test_a_growth_that_ended_early_stands_for_larger_sizes():
    rows, domains = table(40)
    # Without the first fold 30 rows are left, enough for two rules; without the second only 22 are.
    folds = [np.arange(10), np.arange(18)]
    choice = validation(rows, domains, (1e-3,), folds).run()
    single = [validation(rows, domains, (1e-3,), [fold]).fold(0)[0] for fold in folds]
    assert [len(errors) for errors in single] == [2, 1]
    np.testing.assert_allclose(choice.errors[1], (single[0][1] + single[1][0]) / 28.0)


def test_folds_without_weight_are_passed_over():
    rows, domains = table(40)
    rows = replace(rows, weight=np.where(np.arange(40) == 3, 40.0, 0.0))
    assert validation(rows, domains, RIDGES, [np.arange(10), np.arange(10, 40)]).run() is None
    assert draw_folds(1, np.random.default_rng(0)) == []


def test_threads_change_nothing():
    rows, domains = table()
    folds = draw_folds(len(rows), np.random.default_rng(0))[:5]
    alone = validation(rows, domains, RIDGES, folds).run()
    with ThreadPoolExecutor(2) as pool:
        together = validation(rows, domains, RIDGES, folds).run(pool)
    assert np.array_equal(alone.errors, together.errors)
    assert alone.n_evaluations == together.n_evaluations


def test_without_time_or_folds_there_is_no_choice(clock):
    rows, domains = table()
    folds = draw_folds(len(rows), np.random.default_rng(0))
    late = clock.now - 1.0
    assert validation(rows, domains, RIDGES, folds, deadline=late).run() is None
    assert validation(rows, domains, RIDGES, []).run() is None
