"""Numbers for categories: their effects on the target, shrunk as far as rows say, or the slopes that they change."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fruler._table.level_numbers import MIN_ROWS, level_numbers


def numbers_of(codes, y, X=None, weight=None):
    codes = [np.asarray(one) for one in codes]
    n = len(y)
    sizes = [int(one.max()) + 1 for one in codes]
    return level_numbers(
        codes, sizes, np.empty((n, 0)) if X is None else X, np.asarray(y), np.ones(n) if weight is None else weight
    )


def effects_of(codes, y, X=None, weight=None):
    return [found[0].levels for found in numbers_of(codes, y, X, weight)]


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_effects_of_many_rows_are_differences_of_means(rng):
    codes = rng.integers(0, 4, 2_000)
    true = np.array([-3.0, 0.0, 1.0, 5.0])
    (found,) = effects_of([codes], true[codes] + rng.normal(0, 1, 2_000))
    np.testing.assert_allclose(found - found[0], true - true[0], atol=0.25)


def test_numbers_take_their_part(rng):
    # Larger ones in later categories: beside the number there is nothing left of them.
    codes = np.repeat([0, 1, 2], 200)
    x = codes * 10.0 + rng.normal(0, 1, 600)
    y = 2.0 * x + rng.normal(0, 0.1, 600)
    (alone,) = effects_of([codes], y)
    (beside,) = effects_of([codes], y, x[:, np.newaxis])
    assert np.ptp(alone) > 30.0
    assert np.ptp(beside) < 0.5


def test_columns_are_told_apart(rng):
    first = rng.integers(0, 3, 500)
    second = np.where(rng.uniform(size=500) < 0.8, first, rng.integers(0, 3, 500))
    one, two = effects_of([first, second], 4.0 * first + rng.normal(0, 0.5, 500))
    assert np.ptp(one) == pytest.approx(8.0, abs=0.6)
    assert np.ptp(two) < 0.3


def test_two_categories_need_no_estimate(rng):
    codes = np.repeat([0, 1], [150, 50])
    (found,) = effects_of([codes], rng.normal(size=200))
    np.testing.assert_allclose(found, [-0.25, 0.75])


def test_a_category_of_few_rows_is_shrunk_more(rng):
    codes = np.r_[np.repeat([0, 1, 2, 3, 4], 200), np.repeat(5, MIN_ROWS)]
    y = np.r_[np.repeat([-2.0, -1.0, 0.0, 1.0, 2.0], 200) + rng.normal(0, 6, 1000), rng.normal(6, 6, MIN_ROWS)]
    (found,) = effects_of([codes], y)
    plain = np.array([y[codes == k].mean() for k in range(6)]) - y.mean()
    assert found[5] < 0.8 * plain[5]
    assert found[4] > 0.8 * plain[4]


def test_rare_categories_count_as_one(rng):
    codes = np.r_[np.repeat([0, 1, 2], 100), np.repeat([3, 4], 8)]
    y = np.r_[np.repeat([0.0, 2.0, 4.0], 100), np.repeat([9.0, 11.0], 8)] + rng.normal(0, 0.1, 316)
    (found,) = effects_of([codes], y)
    assert found[3] == found[4]
    assert found[3] - found[0] == pytest.approx(10.0, abs=0.5)


def test_a_category_of_hardly_any_row_has_the_mean(rng):
    codes = np.r_[np.repeat([0, 1, 2], 100), 3]
    y = np.r_[np.repeat([0.0, 2.0, 4.0], 100) + rng.normal(0, 0.1, 300), 1e6]
    (found,) = effects_of([codes], y)
    assert found[3] == 0.0


def test_noise_has_no_effects():
    # By chance a few columns of noise show more than they should.
    kept = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        (found,) = effects_of([rng.integers(0, 50, 1_000)], rng.normal(0, 1, 1_000))
        kept += bool(found.any())
    assert kept <= 3


@pytest.mark.parametrize("n_levels", [3, 40])
def test_what_slopes_are_fitted_to_does_not_take_noise_for_effects(n_levels):
    rng = np.random.default_rng(0)
    true, codes = rng.normal(0, 0.5, n_levels), rng.integers(0, n_levels, 800)
    y = true[codes] + rng.normal(0, 1, 800)
    [[effects]] = numbers_of([codes], y)
    slope = effects.held_out @ (y - y.mean()) / np.square(effects.held_out).sum()
    assert slope == pytest.approx(1.0, abs=0.25)
    # Many categories of few rows: what each row is given is not its category's own number.
    same = np.allclose(effects.held_out, effects.levels[codes])
    assert same == (n_levels == 3)


def test_weights_count_like_repeated_rows(rng):
    codes = rng.integers(0, 3, 150)
    y = 2.0 * codes + rng.normal(size=150)
    weight = rng.integers(1, 4, 150)
    repeated = np.repeat(np.arange(150), weight)
    (by_weight,) = effects_of([codes], y, weight=weight.astype(float))
    (by_rows,) = effects_of([codes[repeated]], y[repeated])
    np.testing.assert_allclose(by_weight, by_rows, rtol=1e-8)


def test_rows_without_a_category_change_nothing_of_its_effects(rng):
    codes, y = np.tile([0, 1, 2], 50), np.tile([0.0, 1.0, 3.0], 50) + rng.normal(0, 0.01, 150)
    (full,) = effects_of([codes], y)
    [[more]] = level_numbers([np.r_[codes, -1, -1]], [3], np.empty((152, 0)), np.r_[y, 1.3, 1.3], np.ones(152))
    np.testing.assert_allclose(more.levels, full, atol=0.02)
    assert np.isnan(more.held_out[-2:]).all()


class TestSlopes:
    """Categories that change what another input does."""

    def test_they_give_numbers_if_effects_do_not(self, rng):
        codes, x = rng.integers(0, 4, 400), rng.normal(size=400)
        y = np.array([2.0, -2.0, 1.0, -1.0])[codes] * x + rng.normal(0, 0.3, 400)
        [[found]] = numbers_of([codes], y, x[:, None])
        assert found.by == 0
        assert np.argsort(found.levels).tolist() == [1, 3, 2, 0]

    def test_they_give_a_second_numbering_in_another_order(self, rng):
        codes, x = rng.integers(0, 4, 400), rng.normal(size=400)
        y = np.array([2.0, -2.0, 1.0, -1.0])[codes] * x + np.arange(4.0)[codes] + rng.normal(0, 0.3, 400)
        [[effects, slopes]] = numbers_of([codes], y, x[:, None])
        assert (effects.by, slopes.by) == (None, 0)
        assert np.argsort(effects.levels).tolist() == [0, 1, 2, 3]
        assert np.argsort(slopes.levels).tolist() == [1, 3, 2, 0]

    def test_one_numbering_is_enough_in_the_same_order(self, rng):
        codes, x = rng.integers(0, 3, 400), rng.normal(size=400)
        y = np.array([-1.0, 0.0, 1.0])[codes] * (x + 3.0) + rng.normal(0, 0.3, 400)
        [[effects]] = numbers_of([codes], y, x[:, None])
        assert effects.by is None

    def test_they_may_come_from_another_column_of_categories(self, rng):
        one, two = rng.integers(0, 3, 600), rng.integers(0, 3, 600)
        y = 3.0 * ((one + two) % 3 == 0) + rng.normal(0, 0.3, 600)
        [[first], [second]] = numbers_of([one, two], y)
        # Columns are counted after the numbers, of which there are none.
        assert (first.by, second.by) == (1, 0)

    def test_noise_has_none(self):
        found = 0
        for seed in range(30):
            rng = np.random.default_rng(seed)
            codes, X = rng.integers(0, 5, 300), rng.normal(size=(300, 10))
            [[numbers]] = numbers_of([codes], rng.normal(size=300), X)
            found += numbers.by is not None
        assert found == 0


@given(
    st.lists(st.tuples(st.integers(0, 3), st.floats(-100, 100)), min_size=4, max_size=90),
    st.floats(-1e3, 1e3),
)
def test_effects_are_finite_their_mean_is_zero_and_a_shift_changes_nothing(rows, shift):
    codes, y = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    weight = np.ones(len(y))
    [[effects]] = level_numbers([codes], [4], np.empty((len(y), 0)), y, weight)
    found = effects.levels
    assert np.isfinite(found).all()
    assert np.isfinite(effects.held_out).all()
    counts = np.bincount(codes, minlength=4)
    if counts[counts < MIN_ROWS].sum() == 0 or counts[counts < MIN_ROWS].sum() >= MIN_ROWS:
        assert found[codes].mean() == pytest.approx(0.0, abs=1e-6)
    assert np.abs(found).max() <= max(2.0 * np.ptp(y), 1.0) + 1e-6
    [[again]] = level_numbers([codes], [4], np.empty((len(y), 0)), y + shift, weight)
    np.testing.assert_allclose(again.levels, found, atol=1e-6 * (1.0 + abs(shift)))


def test_the_order_of_rows_does_not_matter(rng):
    codes, other = rng.integers(0, 15, 300), rng.integers(0, 3, 300)
    x = rng.normal(size=(300, 2)).round(1)
    # Few values, so that many rows have the same target.
    y = (0.1 * codes + x[:, 0] + rng.normal(size=300)).round()
    order = rng.permutation(300)
    for before, moved in zip(
        numbers_of([codes, other], y, x), numbers_of([codes[order], other[order]], y[order], x[order]), strict=True
    ):
        np.testing.assert_allclose(moved[0].levels, before[0].levels, atol=1e-12)
        np.testing.assert_allclose(moved[0].held_out, before[0].held_out[order], atol=1e-12)
