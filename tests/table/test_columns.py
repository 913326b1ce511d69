"""What columns are, and the inputs that are made of them."""

import datetime
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fruler._table.columns import UnusableColumn, column_kind, similar_categories
from fruler._table.encoding import learn_inputs
from fruler._table.sources import LevelSource, NumberSource

N = 60


def inputs_of(column, y=None, **options):
    y = np.arange(float(N)) if y is None else y
    return learn_inputs(pd.DataFrame({"k": column}), y, **options)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2, 3], "number"),
        (["1", "2.5", None], "number"),
        ([1, "2", None], "number"),
        (pd.array([1, None, 2], dtype="Int64"), "number"),
        (["red", "blue", "red"], "category"),
        ([b"red", b"blue", b"red"], "category"),
        (["true", "FALSE", None], "category"),
        (pd.Categorical([1, 2, 1]), "category"),
        ([True, False, None], "category"),
        (["1", "2", "red", "red", "red"] * 3, "category"),
    ],
)
def test_kinds(values, kind):
    assert column_kind(pd.Series(values, name="k")) == kind


def test_a_declared_column_is_a_category_whatever_it_holds():
    assert column_kind(pd.Series([1, 2, 3] * 2), declared=True) == "category"
    assert column_kind(pd.Series(["1", "2", "x"] * 2), declared=True) == "category"
    with pytest.raises(UnusableColumn, match="holds dates; do not declare it as categorical"):
        column_kind(pd.Series(pd.date_range("2020", periods=3)), declared=True)


@pytest.mark.parametrize(
    ("values", "row", "message"),
    [
        ([None, None], None, "has no value in any row; leave it out"),
        ([" ", ""], None, "has no value in any row; leave it out"),
        ([1, 2, "x", 3], 2, r"text among numbers \('x' in row 2, counted from 0\); correct it"),
        ([1, "x", "y", "y"], 1, r"mixes numbers and text \('x' in row 1, counted from 0\)"),
        ([1 + 2j], None, "complex numbers"),
        ([{"a": 1}], None, "holds a dict"),
        (["12:30", "13:45"], None, "holds times; convert them to numbers"),
        (["1.2.20"], None, "holds dates with years of two digits; write them as 2024-12-31"),
        (["2020-01-31", "2020-02-01", "soon"], 2, r"text among dates \('soon' in row 2, counted from 0\); correct it"),
        (pd.Categorical(pd.date_range("2020", periods=2)), None, "as categories; convert them to dates, or to text"),
        ([datetime.timedelta(1)], None, "holds durations; convert them to numbers, such as hours"),
        ([datetime.time(1)], None, "holds times; convert them to numbers, such as hours"),
        (["2020-01-31", "2021-02-30"], 1, r"a date that is not in the calendar \('2021-02-30' in row 1"),
        (["1/2/2020", "3/4/2021"], 0, r"a date whose day and month cannot be told apart \('1/2/2020' in row 0"),
        (["2020-01-31 10:00Z", "2020-01-31"], 1, "a date without a time zone among dates with one .*; write all with"),
        (["1,5", "2,5"], None, r"numbers with a comma \('1,5'\); write decimals with a point"),
        (["a\x07", "b"], 0, "unprintable characters"),
        ([f"id{i}" for i in range(9)], None, "9 categories in 9 rows, too few rows .*; leave it out, or group"),
    ],
)
def test_columns_that_are_refused_in_one_sentence(values, row, message):
    # The row is its place, whatever the index is.
    column = pd.Series(values, name="k", index=[7] * len(values))
    with pytest.raises(UnusableColumn, match=f"^The column 'k' .*{message}.*[.]$") as refusal:
        column_kind(column)
    assert refusal.value.row == row


def test_limits_of_categories():
    def column(n_levels, n_rows):
        return pd.Series([f"level {i % n_levels}" for i in range(n_rows)], name="k")

    assert column_kind(column(500, 1500)) == "category"
    assert column_kind(column(10, 30)) == "category"
    with pytest.raises(UnusableColumn, match="10 categories in 29 rows"):
        column_kind(column(10, 29))
    assert column_kind(column(10, 15), declared=True) == "category"
    with pytest.raises(UnusableColumn, match="10 categories in 14 rows"):
        column_kind(column(10, 14), declared=True)
    assert column_kind(column(2, 2)) == "category"


def test_numbers_become_inputs_as_they_are():
    made = learn_inputs(pd.DataFrame({"a": [1, 2], "b": ["3", None]}), np.array([0.0, 1.0]))
    assert made.names == ["a", "b"]
    assert made.sources == [NumberSource("a"), NumberSource("b")]
    np.testing.assert_array_equal(made.values, [[1.0, 3.0], [2.0, np.nan]])


def test_a_category_is_what_it_adds_to_the_target():
    codes = np.arange(N) % 3
    y = np.choose(codes, [0.0, 30.0, 9.0])
    made = inputs_of(np.choose(codes, ["a", "b", "c"]), y)
    (source,) = made.sources
    assert source.levels == ("a", "b", "c")
    np.testing.assert_allclose(source.values, [-13.0, 17.0, -4.0], atol=0.5)
    np.testing.assert_array_equal(made.values[:, 0], np.choose(codes, source.values))


def test_one_input_for_each_category_or_for_two():
    three = inputs_of(["a", "b", "c"] * 20, one_hot=True)
    assert three.names == ["k=a", "k=b", "k=c"]
    np.testing.assert_array_equal(three.values[:3], np.eye(3))
    two = inputs_of(["no", "yes"] * 30, one_hot=True)
    assert two.names == ["k"]
    assert two.sources[0].indicated == "yes"


def test_a_missing_category_is_a_gap_in_each_of_its_inputs():
    column = ["a", "b", "c"] * 20
    column[0] = None
    assert np.isnan(inputs_of(column).values[:, 0]).tolist() == [True] + [False] * 59
    assert np.isnan(inputs_of(column, one_hot=True).values).all(axis=1).tolist() == [True] + [False] * 59


@pytest.mark.parametrize("one_hot", [False, True])
def test_a_category_in_every_row_is_an_input_that_never_changes(one_hot):
    made = inputs_of(["a"] * N, one_hot=one_hot)
    assert made.names == ["k"]
    assert made.sources == [LevelSource("k", ["a"], [0.0])]
    assert not made.values.any()


@pytest.mark.parametrize(
    ("column", "levels"),
    [
        (["yes", "No", "maybe"] * 20, ("No", "maybe", "yes")),
        (["10", "9", "x", "x"] * 15, ("9", "10", "x")),
        (pd.Categorical(["b", "a"] * 30, categories=["c", "b", "a"]), ("b", "a")),
        (pd.Categorical(["true", "false"] * 30, categories=["true", "false", "maybe"]), ("True", "False")),
        (["TRUE", "false"] * 30, ("False", "True")),
        (["true", "maybe"] * 30, ("maybe", "true")),
        ([" a", "a", "b"] * 20, ("a", "b")),
    ],
)
def test_the_order_of_categories_and_no_row_is_lost(column, levels):
    made = inputs_of(column)
    assert made.sources[0].levels == levels
    assert not np.isnan(made.values).any()


def test_a_category_that_appears_once_is_known_and_has_no_effect():
    y = np.zeros(N)
    y[0] = 100.0
    column = ["rare", *(["a", "b"] * 30)[1:]]
    (source,) = inputs_of(column, y).sources
    effects = dict(zip(source.levels, source.values, strict=True))
    assert set(effects) == {"a", "b", "rare"}
    assert effects["rare"] == 0.0


def test_rows_of_no_weight_say_nothing_of_categories():
    column, y = np.array(["a", "b"] * 30), np.tile([0.0, 10.0], 30)
    odd = y.copy()
    odd[:20] = 1e3
    weight = np.r_[np.zeros(20), np.ones(40)]
    np.testing.assert_allclose(inputs_of(column, odd, weight=weight).values, inputs_of(column, y, weight=weight).values)


def test_two_columns_for_one_input_are_refused():
    table = pd.DataFrame({"k": ["a", "b", "c"] * 20, "k=a": np.arange(N)})
    with pytest.raises(ValueError, match="Two columns become the input 'k=a'; rename one"):
        learn_inputs(table, np.arange(float(N)), one_hot=True)


def test_categories_that_are_alike_are_warned_of():
    with pytest.warns(UserWarning, match="'k' has the categories 'Red', 'red', which differ only by case or spaces"):
        inputs_of(["Red", "red", "blue"] * 20)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        inputs_of(["red ", "red", "blue"] * 20)
        inputs_of(["TRUE", "true", "False"] * 20)


def test_alike_by_spaces():
    assert similar_categories(pd.Series(["new town", "newtown", "NEW  town", "x"])) == [
        ("new town", "newtown", "NEW  town")
    ]
    assert similar_categories(pd.Series(["a", "b", None])) == []


@given(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=12, max_size=30), st.booleans())
def test_sources_make_the_same_numbers_again(values, one_hot):
    column = pd.Series(values, dtype=object, name="k")
    if not column.notna().any():
        return
    made = learn_inputs(column.to_frame(), np.arange(float(len(column))), declared=["k"], one_hot=one_hot)
    again = np.column_stack([source.numbers(column) for source in made.sources])
    np.testing.assert_array_equal(made.values, again)
