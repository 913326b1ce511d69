"""How columns become inputs: as the model remembers it."""

import numpy as np
import pandas as pd
import pytest

from fruler.table.encoding import Column, TableEncoding

ENCODING = TableEncoding((Column("k", ("u", "v", "w")), Column("x"), Column("b", ("False", "True"))))


def test_order_and_other_columns_do_not_matter():
    table = pd.DataFrame({"b": [True, False], "other": [1, 2], "x": [1, 2], "k": ["w", "u"]})
    inputs = ENCODING.apply(table)
    assert list(inputs.columns) == ["k=u", "k=v", "k=w", "x", "b"] == list(ENCODING.input_names)
    assert inputs.to_numpy().tolist() == [[0, 0, 1, 1, 1], [1, 0, 0, 2, 0]]


def test_what_is_missing_unknown_or_without_bounds_is_nan_and_named():
    table = pd.DataFrame({"k": ["u", None, "z"], "x": [np.inf, 1.0, np.nan], "b": ["true", "FALSE", "maybe"]})
    inputs = ENCODING.apply(table).to_numpy()
    np.testing.assert_array_equal(inputs[:, :3], [[1, 0, 0], [np.nan] * 3, [np.nan] * 3])
    np.testing.assert_array_equal(inputs[:, 3:], [[np.nan, 1], [1, 0], [np.nan, np.nan]])
    assert ENCODING.gaps(table) == [
        "'k' is missing in 1",
        "'k' has an unknown value in 1 ('z')",
        "'x' is missing in 2",
        "'b' has an unknown value in 1 ('maybe')",
    ]


def test_only_the_first_unknown_values_are_listed():
    table = pd.DataFrame({"k": list("ABCDA"), "x": 1.0, "b": True})
    assert ENCODING.gaps(table) == ["'k' has an unknown value in 5 ('A', 'B', 'C', ...)"]


@pytest.mark.parametrize("values", [["1", "2"], [1, 2], [1.0, 2.0], ["1 ", " 2"], pd.Categorical(["1", "2"])])
def test_categories_that_look_like_numbers_are_known_again(values):
    encoding = TableEncoding((Column("k", ("1", "2")),))
    assert encoding.apply(pd.DataFrame({"k": values}))["k"].tolist() == [0.0, 1.0]


def test_numbers_written_as_text_are_numbers():
    table = pd.DataFrame({"x": pd.Series(["1.5", None, "2"], dtype=object)})
    np.testing.assert_array_equal(TableEncoding((Column("x"),)).apply(table)["x"], [1.5, np.nan, 2.0])


def test_wrong_tables_are_refused_by_name():
    with pytest.raises(ValueError, match="no column 'x'; did you mean 'X'"):
        ENCODING.apply(pd.DataFrame({"k": ["u"], "X": [1], "b": [True]}))
    with pytest.raises(ValueError, match="lacks the columns 'k', 'b'; its columns are 'x'"):
        ENCODING.apply(pd.DataFrame({"x": [1]}))
    with pytest.raises(ValueError, match=r"'x' must hold numbers.*row 2 has 'big'"):
        ENCODING.apply(pd.DataFrame({"k": ["u", "u"], "x": ["1", "big"], "b": [True, True]}))


def test_labels_say_what_zero_and_one_mean():
    yes_or_no = ("no", "yes")
    assert ENCODING.labels() == {"k=u": yes_or_no, "k=v": yes_or_no, "k=w": yes_or_no, "b": ("False", "True")}


def test_categories_are_distinct():
    for categories in ((), ("u",), ("u", "u")):
        with pytest.raises(ValueError, match="two or more"):
            Column("k", categories)
