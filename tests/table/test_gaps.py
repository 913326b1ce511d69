"""Means and covariances of rows with gaps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fruler._table.gaps import learn_moments


def test_without_gaps_they_are_the_usual_ones():
    values = np.random.default_rng(0).normal(size=(50, 3)) * [1.0, 100.0, 0.01] + [5.0, -3.0, 0.0]
    moments = learn_moments(values)
    np.testing.assert_allclose(moments.means, values.mean(axis=0))
    np.testing.assert_allclose(moments.covariance, np.cov(values.T, bias=True), rtol=1e-9)


def test_gaps_that_depend_on_another_input_do_not_bend_the_moments():
    rng = np.random.default_rng(1)
    x = rng.normal(size=2_000)
    values = np.column_stack([x, x + rng.normal(0, 0.5, 2_000)])
    true_mean, true_covariance = values.mean(axis=0), np.cov(values.T, bias=True)
    # Most large values are missing: the mean of what is there is too small.
    values[(x > 0.0) & (rng.uniform(size=2_000) < 0.8), 1] = np.nan
    moments = learn_moments(values)
    assert np.nanmean(values[:, 1]) < true_mean[1] - 0.3
    assert moments.means[1] == pytest.approx(true_mean[1], abs=0.08)
    np.testing.assert_allclose(moments.covariance, true_covariance, atol=0.15)


def test_gaps_are_filled_in_by_regression():
    rng = np.random.default_rng(2)
    x = rng.normal(size=500)
    values = np.column_stack([x, 3.0 * x + 1.0, rng.normal(size=500)])
    holes = values.copy()
    holes[::5, 1] = np.nan
    filled = learn_moments(holes).gaps(np.arange(3)).filled(holes)
    np.testing.assert_allclose(filled[::5, 1], values[::5, 1], atol=0.1)
    np.testing.assert_array_equal(filled[1::5], values[1::5])


def test_gaps_of_some_inputs_only():
    rng = np.random.default_rng(3)
    x = rng.normal(size=200)
    moments = learn_moments(np.column_stack([x, 2.0 * x, -x]))
    some = moments.gaps(np.array([0, 2]))
    assert some.inputs == (0, 2)
    np.testing.assert_allclose(some.filled(np.array([[1.0, np.nan, np.nan]]))[0], [1.0, np.nan, -1.0], atol=0.02)


def test_constants_and_repeated_inputs_do_no_harm():
    x = np.arange(30.0)
    values = np.column_stack([x, x, np.full(30, 7.0)])
    values[3, 0] = values[5, 2] = np.nan
    filled = learn_moments(values).gaps(np.arange(3)).filled(values)
    assert filled[3, 0] == pytest.approx(3.0, abs=0.2)
    assert filled[5, 2] == pytest.approx(7.0)


def test_many_rows_are_thinned_out_but_not_their_gaps():
    rng = np.random.default_rng(4)
    values = rng.normal(size=(10_000, 2)) + 3.0
    values[::3, 0] = np.nan
    moments = learn_moments(values)
    np.testing.assert_allclose(moments.means, [3.0, 3.0], atol=0.1)


@given(arrays(np.float64, (12, 3), elements=st.floats(-100, 100)), arrays(np.bool_, (12, 3)))
def test_whatever_is_missing_the_rows_come_out_whole(values, missing):
    missing[0] = False
    holes = np.where(missing, np.nan, values)
    moments = learn_moments(holes)
    assert np.linalg.eigvalsh(moments.covariance).min() >= -1e-6 * max(1.0, np.trace(moments.covariance))
    filled = moments.gaps(np.arange(3)).filled(holes)
    assert np.isfinite(filled).all()
    np.testing.assert_array_equal(filled[~missing], values[~missing])


def test_the_order_of_many_rows_does_not_matter():
    rng = np.random.default_rng(3)
    values = rng.normal(size=(5_000, 2)) @ [[1.0, 0.7], [0.0, 0.5]]
    values[rng.random(5_000) < 0.2, 1] = np.nan
    given, moved = learn_moments(values), learn_moments(values[rng.permutation(5_000)])
    np.testing.assert_allclose(moved.means, given.means, atol=1e-12)
    np.testing.assert_allclose(moved.covariance, given.covariance, atol=1e-12)
