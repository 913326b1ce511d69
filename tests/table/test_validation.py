"""Bad input gets one message that names what is wrong, where, and what to do; all stages say the same."""

from datetime import date
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest

from fruler import (
    ClassConditionalSelector,
    FuzzyRuleRegressor,
    MultiGranularityDiscretizer,
)
from fruler._table.reading import refuse_repeated_columns
from fruler.selectors import CCISRLikeSelector, CCISSelector


@pytest.fixture(params=[ClassConditionalSelector, CCISSelector, CCISRLikeSelector, MultiGranularityDiscretizer])
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


def test_values_whose_squares_overflow_are_named(estimator, table):
    X, y = table
    X.loc[8, "dose"] = -1.7e308
    with pytest.raises(ValueError, match=r"-1.7e\+308 in column 'dose', row 8 .* too large"):
        estimator.fit(X, y)
    with pytest.raises(ValueError, match=r"y contains 1e\+200 at row 3, which is too large"):
        estimator.fit(table[0].drop(columns="dose"), y.where(y.index != 3, 1e200))


def test_the_smallest_doubles_are_values_like_others(estimator, table):
    X, y = table
    X["dose"] = np.where(X["dose"] > 0, 5e-324, 0.0)
    estimator.fit(X, y)
    assert estimator.n_features_in_ == 3


def test_dates_are_no_inputs(estimator, table):
    X, y = table
    X["day"] = pd.date_range("2020-01-01", periods=50, tz="UTC")
    with pytest.raises(ValueError, match=r"dates in column 'day' .*turn them into numbers"):
        estimator.fit(X, y)
    with pytest.raises(ValueError, match=r"dates in column 'day'"):
        estimator.fit(pl.DataFrame({"day": [date(2020, 1, 1), date(2020, 1, 2)]}), [1.0, 2.0])
    with pytest.raises(ValueError, match="X holds dates"):
        estimator.fit(np.array([["2020-01-01"], ["2020-01-02"]], dtype="datetime64[D]"), [1.0, 2.0])


def test_two_columns_of_one_name_are_refused(estimator, table):
    X, y = table
    with pytest.raises(ValueError, match="'age' occurs 2 times"):
        estimator.fit(X.rename(columns={"dose": "age"}), y)


@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity")])
def test_a_target_that_is_not_finite_is_named(estimator, table, value, word):
    X, y = table
    y[23] = value
    with pytest.raises(ValueError, match=rf"y contains {word} at row 23 .*remove them"):
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
    days = pd.Series(pd.date_range("2020-01-01", periods=50))
    with pytest.raises(ValueError, match="y must hold numbers"):
        estimator.fit(X, days)
    for odd in (days.dt.tz_localize("UTC"), days.dt.to_period("D"), days.astype(object)):
        with pytest.raises(ValueError, match=r"y holds dates at row 0"):
            estimator.fit(X, odd)


def test_missing_targets_in_any_dress_are_named(estimator, table):
    X, y = table
    nullable = y.astype("Float64")
    nullable[7] = pd.NA
    with pytest.raises(ValueError, match="y contains NaN at row 7"):
        estimator.fit(X, nullable)


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
        (np.ones(49), "one weight per row"),
        (np.r_[-1.0, np.ones(49)], "-1.0 at row 0"),
        (np.zeros(50), "zero for every row"),
        (np.r_[np.ones(49), np.nan], "nan at row 49"),
    ],
)
def test_bad_weights_are_refused(table, weight, message):
    with pytest.raises(ValueError, match=message):
        MultiGranularityDiscretizer().fit(*table, sample_weight=weight)


def test_integers_beyond_all_floats_are_refused():
    rows = np.arange(21.0)[:, None]
    with pytest.raises(ValueError, match=r"y holds an integer too large for a float at row 0 .*: 1000"):
        FuzzyRuleRegressor().fit(rows, [10**400, *range(20)])
    with pytest.raises(ValueError, match=r"row 0 .* is infinity; correct it"):
        FuzzyRuleRegressor().fit(pd.DataFrame({"a": [10**400, *range(20)]}), rows.ravel())


@pytest.mark.parametrize(
    ("text", "advice"),
    [("5%", "write it without '%'"), ("$5.50", r"write it without '\$'"), ("1,5", "write decimals with a point")],
)
def test_numbers_that_are_written_for_people_get_advice(text, advice):
    rows = pd.DataFrame({"a": [text, *[text.replace("5", "7")] * 19], "b": np.arange(20.0)})
    with pytest.raises(ValueError, match=f"The column 'a' holds numbers with a .*{advice}"):
        FuzzyRuleRegressor().fit(rows, np.arange(20.0))
    with pytest.raises(ValueError, match=f"y holds text at row 0 .* is not a number; {advice}"):
        FuzzyRuleRegressor().fit(rows[["b"]], [text] * 20)
    with pytest.raises(ValueError, match=f"X holds text in column 'a', row 0 .* is not a number; {advice}"):
        ClassConditionalSelector().fit(rows, np.arange(20.0))


def test_nominal_text_is_to_be_encoded_without_an_order():
    rows = pd.DataFrame({"colour": ["red", "blue"] * 10})
    with pytest.raises(ValueError, match="OneHotEncoder, or with OrdinalEncoder if its categories have an order"):
        ClassConditionalSelector().fit(rows, np.arange(20.0))


@pytest.mark.parametrize("path", ["table.xlsx", Path("table.csv")])
def test_a_path_is_no_table(path):
    with pytest.raises(
        ValueError, match=r"X is the path 'table\..*', not a table; read it first: fruler.data.read_table"
    ):
        FuzzyRuleRegressor().fit(path, np.arange(20.0))


def test_repeated_names_are_found_in_one_pass():
    class Names(list):
        def count(self, _):
            raise AssertionError("as many passes as names")

    table = SimpleNamespace(columns=Names(f"x{j}" for j in range(50_000)))
    refuse_repeated_columns(table)
    table.columns.append("x7")
    with pytest.raises(ValueError, match="The column 'x7' occurs 2 times in X"):
        refuse_repeated_columns(table)
