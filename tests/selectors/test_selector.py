"""What all instance selectors have in common."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, make_regression

from fruler import ClassConditionalSelector
from fruler.selectors import CCISRLikeSelector, CCISSelector


@pytest.fixture(params=[ClassConditionalSelector, CCISSelector, CCISRLikeSelector])
def selector(request):
    return request.param()


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True)


def leave_one_out_error(X, y, selected):
    X = (X - X.mean(axis=0)) / np.where(np.ptp(X, axis=0) > 0, X.std(axis=0), 1.0)
    total = np.square(X[:, None, :] - X[None, :, :]).sum(axis=2)
    np.fill_diagonal(total, np.inf)
    return np.square(y - y[np.asarray(selected)[total[:, selected].argmin(axis=1)]]).mean()


def test_errors_are_those_of_the_nearest_neighbour(selector, diabetes):
    X, y = diabetes
    selector.fit(X, y)
    assert selector.error_all_ == pytest.approx(leave_one_out_error(X, y, np.arange(len(y))))
    assert selector.error_selected_ == pytest.approx(leave_one_out_error(X, y, selector.sample_indices_))
    assert selector.reduction_ == pytest.approx(1 - len(selector.sample_indices_) / len(y))
    assert (np.diff(selector.sample_indices_) > 0).all()
    assert selector.scores_.shape == y.shape


def test_containers_come_back_as_they_came(selector, diabetes):
    X, y = diabetes
    names = [f"input {j}" for j in range(X.shape[1])]
    frame, series = pd.DataFrame(X, columns=names, index=range(100, 542)), pd.Series(y, index=range(100, 542))
    X_pandas, y_pandas = selector.fit_resample(frame, series)
    assert list(selector.feature_names_in_) == names
    pd.testing.assert_frame_equal(X_pandas, frame.iloc[selector.sample_indices_])
    pd.testing.assert_series_equal(y_pandas, series.iloc[selector.sample_indices_])
    X_polars, y_polars = selector.fit_resample(pl.DataFrame(X, schema=names), pl.Series("y", y))
    assert isinstance(X_polars, pl.DataFrame)
    assert isinstance(y_polars, pl.Series)
    np.testing.assert_array_equal(X_polars.to_numpy(), X_pandas.to_numpy())


@pytest.mark.parametrize("n", [2, 3, 10, 29])
def test_a_few_rows_are_enough(selector, n):
    X, y = make_regression(n, 3, random_state=0)
    selector.fit(X, y)
    assert 2 <= len(selector.sample_indices_) <= n
    assert np.isfinite(selector.error_selected_)


def test_units_do_not_matter(selector, diabetes):
    X, y = diabetes
    other = clone(selector).fit(X * np.logspace(-9, 12, X.shape[1]) + 5.0, y * 3.7e12)
    selector.fit(X, y)
    np.testing.assert_array_equal(selector.sample_indices_, other.sample_indices_)
    assert other.error_selected_ == pytest.approx(selector.error_selected_ * 3.7e12**2)
    np.testing.assert_allclose(other.class_borders_, selector.class_borders_ * 3.7e12)


def test_constant_columns_and_targets_and_duplicates_are_fine(selector):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    plain = clone(selector).fit(X, y).sample_indices_
    padded = np.column_stack([X, np.full(60, 1e100)])
    np.testing.assert_array_equal(clone(selector).fit(padded, y).sample_indices_, plain)

    flat = clone(selector).fit(X, np.full(60, 3.3))
    assert flat.error_all_ == flat.error_selected_ == 0.0
    assert len(flat.class_borders_) == 0
    assert 2 <= len(flat.sample_indices_) <= 8

    same = clone(selector).fit(np.ones((60, 2)), y)
    assert len(same.sample_indices_) >= 2

    twice = clone(selector).fit(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    assert twice.error_all_ == 0.0
    assert np.isfinite(twice.error_selected_)


def test_a_set_is_thinned_out_only_within_its_tolerance(selector):
    rng = np.random.default_rng(3)
    centres = np.repeat([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]], 80, axis=0)
    X = centres + rng.normal(size=centres.shape)
    y = np.repeat([0.0, 10.0, 20.0], 80) + 0.3 * rng.normal(size=240)
    plain = clone(selector).set_params(thin_out_tolerance=None).fit(X, y)
    assert not plain.thinned_
    anything = clone(selector).set_params(thin_out_tolerance=1e9).fit(X, y)
    assert anything.thinned_
    assert set(anything.sample_indices_) < set(plain.sample_indices_)


def test_a_bad_tolerance_is_refused(selector, diabetes):
    with pytest.raises(ValueError, match="thin_out_tolerance"):
        selector.set_params(thin_out_tolerance=-0.1).fit(*diabetes)
