"""Tables of any kind as the inputs of rules."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from fruler._table.reading import as_frame, input_table, is_numeric
from fruler._table.sources import GapSource, LevelSource
from fruler.rules._inputs import Variable
from fruler.rules._partitions import FuzzyPartition

SIZE = Variable("size", FuzzyPartition([], (0.0, 9.0)))
COLOUR = Variable("colour", FuzzyPartition([], (-1.0, 1.0))).of(LevelSource("colour", ["red", "blue"], [-1.0, 1.0]))
LACKS = Variable("size is missing", FuzzyPartition([], (0.0, 1.0))).of(GapSource("size"))
ROWS = [[1.5, "blue"], [None, "red"], [2.0, None]]
FRAME = pd.DataFrame(ROWS, columns=["size", "colour"])
NUMBERS = [[1.5, 1.0], [np.nan, -1.0], [2.0, np.nan]]


def tables():
    yield FRAME
    yield FRAME[["colour", "size"]].assign(other="x")
    yield FRAME.convert_dtypes()
    yield pl.DataFrame(ROWS, schema=["size", "colour"], orient="row")
    yield ROWS
    yield np.array(ROWS, dtype=object)
    yield np.array(NUMBERS)


@pytest.mark.parametrize("X", list(tables()))
def test_inputs_of_any_table(X):
    np.testing.assert_array_equal(input_table(X, [SIZE, COLOUR]), NUMBERS)


def test_inputs_of_an_arrow_table():
    pa = pytest.importorskip("pyarrow")
    np.testing.assert_array_equal(input_table(pa.Table.from_pandas(FRAME), [SIZE, COLOUR]), NUMBERS)
    numbers = pa.table({"age": [1, 2], "size": [1.5, None]})
    np.testing.assert_array_equal(input_table(numbers, [SIZE]), [[1.5], [np.nan]])
    assert is_numeric(numbers)
    assert not is_numeric(pa.Table.from_pandas(FRAME))


def test_a_column_may_become_several_inputs():
    np.testing.assert_array_equal(input_table(FRAME, [SIZE, LACKS])[:, 1], [0.0, 1.0, 0.0])


def test_columns_that_are_not_there_are_named():
    with pytest.raises(ValueError, match="X has no column 'colour'; did you mean 'Colour'"):
        input_table(FRAME.rename(columns={"colour": "Colour"}), [SIZE, COLOUR])
    with pytest.raises(ValueError, match="X has no columns 'size', 'colour'; the rules need 'size', 'colour'"):
        input_table(FRAME[[]].assign(other="x"), [SIZE, COLOUR])


@pytest.mark.parametrize("X", [FRAME[["size"]], FRAME.assign(colour=7), FRAME.assign(colour="teal")])
def test_columns_that_are_not_used_may_be_absent_or_hold_anything(X):
    values = input_table(X, [SIZE, COLOUR], unused={"colour"})
    np.testing.assert_array_equal(values, [[1.5, np.nan], [np.nan, np.nan], [2.0, np.nan]])


def test_what_pandas_calls_na_is_a_gap():
    X = pd.DataFrame({"size": pd.array([1.5, None], dtype="Float64")})
    np.testing.assert_array_equal(input_table(X, [SIZE]), [[1.5], [np.nan]])


@pytest.mark.parametrize(
    ("X", "expected"),
    [
        (FRAME, False),
        (FRAME[["size"]], True),
        (pd.DataFrame({"a": [True]}), False),
        (pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}), True),
        (pd.DataFrame({"a": pd.Categorical([1])}), False),
        (pl.DataFrame({"a": [1.0, None]}), True),
        (pl.DataFrame({"a": [True]}), False),
        (pl.DataFrame({"a": ["x"]}), False),
        (np.ones((2, 2)), True),
        (np.array([["a"]]), False),
        (np.array([[1.0, None]], dtype=object), True),
        (np.array([[1.0, True]], dtype=object), False),
        (np.array([[1.0, np.bool_(True)]], dtype=object), False),
        ([[1, 2], [3]], True),
    ],
)
def test_what_holds_numbers_alone(X, expected):
    assert is_numeric(X) is expected


def test_frames_of_arrays_have_names_and_types():
    frame = as_frame(np.array(ROWS, dtype=object))
    assert frame.columns.tolist() == ["x0", "x1"]
    assert frame.dtypes.astype(str)["x0"] == "float64"
    assert as_frame([[1], [2]], ["a"])["a"].tolist() == [1, 2]
    with pytest.raises(ValueError, match="a table of rows and columns; got an array of 1 dimensions"):
        as_frame([1, 2])


def test_polars_without_pyarrow(monkeypatch):
    def refuse(self):
        raise ModuleNotFoundError("pyarrow")

    monkeypatch.setattr(pl.DataFrame, "to_pandas", refuse)
    X = pl.DataFrame(ROWS, schema=["size", "colour"], orient="row")
    np.testing.assert_array_equal(input_table(X, [SIZE, COLOUR]), NUMBERS)
