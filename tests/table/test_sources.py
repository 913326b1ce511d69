"""Where inputs come from: numbers, categories, gaps; and columns that have changed since."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fruler._table.sources import GapSource, LevelSource, NumberSource, UnfitValue

ORIGIN = LevelSource("origin", ["usa", "europe", "japan"], [-1.0, 0.5, 2.0])
DATES = pd.Series(pd.date_range("2020-01-01", periods=2))


@pytest.mark.parametrize(
    "values",
    [
        pd.Series([1.5, None]),
        pd.Series(["1.5", None], dtype=object),
        pd.Series([" 1.5", " "]),
        pd.Series([1.5, None], dtype="Float64"),
        pd.Series([1.5, None], dtype=object),
        pd.Series([1.5, None], dtype="category"),
        pd.Series(["1.5", None], dtype="string"),
    ],
)
def test_numbers_of_any_type(values):
    np.testing.assert_array_equal(NumberSource("x").numbers(values), [1.5, np.nan])


@pytest.mark.parametrize(
    ("values", "row", "words"),
    [
        (pd.Series([1.0, np.inf]), 1, "is infinity; correct it, or write NaN"),
        (pd.Series([-1e200, 1.0]), 0, "-1e.200, which is too large"),
        (pd.Series(["1", None, "big"]), 2, "is 'big', but the model was fitted on numbers"),
        (pd.Series([[1], 2], dtype=object), 0, "was fitted on numbers"),
        (pd.Series([True, False]), 0, "a truth value, .* write 0 or 1"),
        (pd.Series([None, True], dtype="boolean"), 1, "a truth value"),
        (DATES, 0, "a date or a time"),
    ],
)
def test_values_that_are_no_numbers_are_named(values, row, words):
    with pytest.raises(
        UnfitValue, match=rf"^The value in column 'x', row {row} \(counted from 0\), .*{words}.*\.$"
    ) as e:
        NumberSource("x").numbers(values)
    assert (e.value.column, e.value.row) == ("x", row)


def test_a_column_without_any_value_is_all_gaps():
    for values in ([None, None], [np.nan, np.nan], [pd.NaT, pd.NaT], pd.array([None, None], dtype="boolean")):
        for source in (NumberSource("origin"), ORIGIN):
            assert np.isnan(source.numbers(pd.Series(values))).all()


def test_numbers_of_categories():
    values = pd.Series(["japan", " usa ", None, "mars", "", "Europe"])
    np.testing.assert_array_equal(ORIGIN.numbers(values), [2.0, -1.0, np.nan, np.nan, np.nan, np.nan])
    assert ORIGIN.unknown(values) == ["mars", "Europe"]
    assert NumberSource("x").unknown(values) == []


@pytest.mark.parametrize("values", [[1, 2], [1.5, None], [True, False], DATES])
def test_a_column_of_categories_that_holds_something_else_now(values):
    with pytest.raises(
        UnfitValue, match=r"column 'origin', row 0 .*(fitted on categories such as 'usa', 'europe'|a date)"
    ):
        ORIGIN.numbers(pd.Series(values))


def test_codes_are_known_as_numbers_and_as_text():
    codes = LevelSource("zone", ["1", "2"], [5.0, 6.0])
    for values in ([1, 2, 3], [1.0, 2.0, 3.0], ["1", "2", "3"], pd.array([1, 2, 3], dtype="Int64")):
        np.testing.assert_array_equal(codes.numbers(pd.Series(values)), [5.0, 6.0, np.nan])


def test_truth_values_in_any_type():
    heated = LevelSource("heated", ["False", "True"], [-1.0, 1.0])
    for values in ([True, False, None], ["true", "FALSE", ""], pd.array([True, False, None], dtype="boolean")):
        np.testing.assert_array_equal(heated.numbers(pd.Series(values)), [1.0, -1.0, np.nan])


def test_indicators():
    flat = LevelSource.indicator("roof", ["flat", "gable", "hip"], "flat")
    assert (flat.values, flat.indicated) == ((1.0, 0.0, 0.0), "flat")
    assert ORIGIN.indicated is None
    assert LevelSource("roof", ["flat"], [1.0]).indicated is None


def test_categories_by_their_numbers():
    assert ORIGIN.names_between(-np.inf, 1.0) == ["usa", "europe"]
    assert ORIGIN.names_between(1.0, np.inf) == ["japan"]
    assert [ORIGIN.written(number) for number in (-9.0, 0.4, 1.9)] == ["usa", "europe", "japan"]


@pytest.mark.parametrize(
    ("levels", "values", "message"),
    [
        ([], [], "needs distinct categories"),
        (["a", "a"], [1.0, 2.0], "needs distinct categories"),
        (["a", "b"], [1.0], "with a number"),
        (["a", ""], [1.0, 2.0], "must be text"),
        (["a", 2], [1.0, 2.0], "must be text"),
        (["a", "b"], [1.0, np.nan], "finite"),
    ],
)
def test_categories_that_are_none(levels, values, message):
    with pytest.raises(ValueError, match=message):
        LevelSource("k", levels, values)


def test_gaps_are_where_the_input_itself_has_none():
    for values in ([1.5, None], ["1.5", " "], pd.array([1, None], dtype="Int64"), [pd.Timestamp("2020-01-01"), None]):
        assert GapSource("x").numbers(pd.Series(values)).tolist() == [0.0, 1.0]


@given(st.lists(st.sampled_from([*ORIGIN.levels, "mars", None]), max_size=10))
def test_a_value_is_a_number_a_gap_or_unknown(values):
    column = pd.Series(values, dtype=object)
    numbers, unknown = ORIGIN.numbers(column), ORIGIN.unknown(column)
    for value, number in zip(values, numbers, strict=True):
        assert np.isnan(number) == (value is None or value in unknown)
        assert np.isnan(number) or ORIGIN.written(number) == value
