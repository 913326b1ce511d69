"""Bad input gets one message that names what is wrong, where, and what to do; both stages say the same."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from fruler import ClassConditionalSelector, MultiGranularityDiscretizer


@pytest.fixture(params=[ClassConditionalSelector, MultiGranularityDiscretizer])
def estimator(request):
    return request.param()


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(50, 3)), columns=["age", "dose", "weight"])
    return X, pd.Series(rng.normal(size=50))


@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")])
def test_a_value_that_is_not_finite_is_named(estimator, table, value, word):
    X, y = table
    X.loc[17, "dose"] = value
    with pytest.raises(ValueError, match=rf"{word} in column 'dose', row 17 .*fill in or drop"):
        estimator.fit(X, y)
    with pytest.raises(ValueError, match=rf"{word} in column 'x1', row 17"):
        estimator.fit(X.to_numpy(), y)


def test_the_largest_doubles_are_values_like_others(estimator, table):
    X, y = table
    X["dose"] = 1.7e308 * np.linspace(-1, 1, 50)
    estimator.fit(X, y)
    assert estimator.n_features_in_ == 3


@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity")])
def test_a_target_that_is_not_finite_is_named(estimator, table, value, word):
    X, y = table
    y[23] = value
    with pytest.raises(ValueError, match=rf"y contains {word} at row 23 .*remove it"):
        estimator.fit(X, y)


def test_text_in_a_column_is_named(estimator, table):
    X, y = table
    X["dose"] = X["dose"].astype(object)
    X.loc[4, "dose"] = "much"
    with pytest.raises(ValueError, match=r"text in column 'dose', row 4 .*'much' is not a number; encode"):
        estimator.fit(X, y)
    with pytest.raises(ValueError, match=r"text in column 'x1', row 4"):
        estimator.fit(X.to_numpy(), y)
    with pytest.raises(ValueError, match=r"text in column 'sex', row 0"):
        estimator.fit(pl.DataFrame({"age": [1.0, 2.0], "sex": ["m", "f"]}), [1.0, 2.0])


def test_numbers_written_as_text_are_numbers(estimator, table):
    X, y = table
    estimator.fit(X.astype(str), y.astype(str))
    assert estimator.n_features_in_ == 3


def test_text_in_the_target_is_named(estimator, table):
    X, y = table
    y = y.astype(object)
    y[3] = "many"
    with pytest.raises(ValueError, match=r"y holds text at row 3 .*'many' is not a number"):
        estimator.fit(X, y)


def test_dates_are_no_target(estimator, table):
    X, _ = table
    with pytest.raises(ValueError, match="y must hold numbers"):
        estimator.fit(X, pd.Series(pd.date_range("2020-01-01", periods=50)))


def test_a_missing_target_is_asked_for(estimator, table):
    with pytest.raises(ValueError, match="requires y"):
        estimator.fit(table[0], None)


def test_too_few_rows_are_refused(estimator):
    with pytest.raises(ValueError, match=r"0 sample|no data|minimum of 2"):
        estimator.fit(np.empty((0, 3)), [])
    with pytest.raises(ValueError, match="minimum of 2"):
        estimator.fit([[1.0, 2.0]], [1.0])


def test_lengths_must_agree(estimator, table):
    X, y = table
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        estimator.fit(X, y[:-1])


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.ones(49), "one weight a row"),
        (np.r_[-1.0, np.ones(49)], "-1.0 at row 0"),
        (np.zeros(50), "zero for every row"),
        (np.r_[np.ones(49), np.nan], "nan at row 49"),
    ],
)
def test_bad_weights_are_refused(table, weight, message):
    with pytest.raises(ValueError, match=message):
        MultiGranularityDiscretizer().fit(*table, sample_weight=weight)
