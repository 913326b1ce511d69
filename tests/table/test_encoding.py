"""What categories add to the target: shrunk as far as the rows say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fruler._table.encoding import level_effects


def effects_of(codes, y, X=None, weight=None):
    codes = [np.asarray(one) for one in codes]
    n = len(y)
    sizes = [int(one.max()) + 1 for one in codes]
    found = level_effects(
        codes, sizes, np.empty((n, 0)) if X is None else X, np.asarray(y), np.ones(n) if weight is None else weight
    )
    return [effects.levels for effects in found]


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_effects_of_many_rows_are_differences_of_means(rng):
    codes = rng.integers(0, 4, 2_000)
    true = np.array([-3.0, 0.0, 1.0, 5.0])
    (found,) = effects_of([codes], true[codes] + rng.normal(0, 1, 2_000))
    np.testing.assert_allclose(found - found[0], true - true[0], atol=0.25)


def test_numbers_take_their_part(rng):
    # Larger ones in the second category: beside the number there is nothing left of it.
    codes = np.repeat([0, 1], 200)
    x = codes * 10.0 + rng.normal(0, 1, 400)
    y = 2.0 * x + rng.normal(0, 0.1, 400)
    (alone,) = effects_of([codes], y)
    (beside,) = effects_of([codes], y, x[:, np.newaxis])
    assert np.ptp(alone) > 15.0
    assert np.ptp(beside) < 0.5


def test_columns_are_told_apart(rng):
    first = rng.integers(0, 2, 500)
    second = np.where(rng.uniform(size=500) < 0.8, first, 1 - first)
    one, two = effects_of([first, second], 4.0 * first + rng.normal(0, 0.5, 500))
    assert np.ptp(one) == pytest.approx(4.0, abs=0.3)
    assert np.ptp(two) < 0.3


def test_a_category_of_few_rows_is_shrunk_more(rng):
    codes = np.r_[np.repeat([0, 1, 2, 3, 4], 100), 5]
    y = np.r_[np.repeat([-2.0, -1.0, 0.0, 1.0, 2.0], 100) + rng.normal(0, 3, 500), 20.0]
    (found,) = effects_of([codes], y)
    plain = np.array([y[codes == k].mean() for k in range(6)]) - y.mean()
    assert found[5] < 0.8 * plain[5]
    assert found[4] > 0.9 * plain[4]


def test_noise_has_no_effects():
    # By chance a few columns of noise show more than they should.
    kept = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        (found,) = effects_of([rng.integers(0, 50, 1_000)], rng.normal(0, 1, 1_000))
        kept += bool(found.any())
    assert kept <= 3


@pytest.mark.parametrize("n_levels", [3, 60])
def test_what_slopes_are_fitted_to_does_not_take_noise_for_effects(n_levels):
    rng = np.random.default_rng(0)
    true, codes = rng.normal(0, 0.5, n_levels), rng.integers(0, n_levels, 600)
    y = true[codes] + rng.normal(0, 1, 600)
    (effects,) = level_effects([codes], [n_levels], np.empty((600, 0)), y, np.ones(600))
    slope = effects.held_out @ (y - y.mean()) / np.square(effects.held_out).sum()
    assert slope == pytest.approx(1.0, abs=0.25)
    # Many categories of few rows: what each row is given is not its category's own number.
    same = np.allclose(effects.held_out, effects.levels[codes])
    assert same == (n_levels == 3)


def test_weights_count_like_repeated_rows(rng):
    codes = rng.integers(0, 3, 50)
    y = 2.0 * codes + rng.normal(size=50)
    weight = rng.integers(1, 4, 50)
    repeated = np.repeat(np.arange(50), weight)
    (by_weight,) = effects_of([codes], y, weight=weight.astype(float))
    (by_rows,) = effects_of([codes[repeated]], y[repeated])
    np.testing.assert_allclose(by_weight, by_rows, rtol=1e-8)


def test_rows_without_a_category_change_nothing_of_its_effects(rng):
    codes, y = np.tile([0, 1], 50), np.tile([0.0, 1.0], 50) + rng.normal(0, 0.01, 100)
    (full,) = effects_of([codes], y)
    (more,) = level_effects([np.r_[codes, -1, -1]], [2], np.empty((102, 0)), np.r_[y, 0.5, 0.5], np.ones(102))
    np.testing.assert_allclose(more.levels, full, atol=0.01)
    assert np.isnan(more.held_out[-2:]).all()


@given(
    st.lists(st.tuples(st.integers(0, 3), st.floats(-100, 100)), min_size=4, max_size=30),
    st.floats(-1e3, 1e3),
)
def test_effects_are_finite_their_mean_is_zero_and_a_shift_changes_nothing(rows, shift):
    codes, y = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    weight = np.ones(len(y))
    (effects,) = level_effects([codes], [4], np.empty((len(y), 0)), y, weight)
    found = effects.levels
    assert np.isfinite(found).all()
    assert np.isfinite(effects.held_out).all()
    assert found[codes].mean() == pytest.approx(0.0, abs=1e-6)
    assert np.abs(found).max() <= 2.0 * np.ptp(y) + 1e-6
    # A category without rows is what is usual.
    absent = np.setdiff1d(np.arange(4), codes)
    assert np.isfinite(found[absent]).all()
