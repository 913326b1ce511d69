"""Which columns and rows are learned from, and why others are not."""

import datetime

import numpy as np
import pandas as pd
import pytest
from fruler.table.encoding import Column

from fruler.table.preparation import prepare_table

N = 40


def prepare(**columns):
    return prepare_table(pd.DataFrame({"x": np.arange(N) % 7, **columns, "y": np.arange(N) / 2}), "y")


def kinds(n):
    return [f"kind {i % n:02}" for i in range(N)]


@pytest.mark.parametrize(
    ("values", "categories"),
    [
        (kinds(2), ("kind 00", "kind 01")),
        (["yes", "No"] * 20, ("No", "yes")),
        (kinds(12), tuple(f"kind {i:02}" for i in range(12))),
        ([True, False] * 20, ("False", "True")),
        (pd.Series([True, False, None, True] * 10, dtype=object), ("False", "True")),
        (pd.Categorical(["b", "a"] * 20, categories=["c", "b", "a"]), ("b", "a")),
        (pd.Categorical([1, 2] * 20), ("1", "2")),
        (pd.Series([1.5, 2.5] * 20), None),
        (pd.Series(["1.5", "2.5"] * 20, dtype=object), None),
    ],
)
def test_columns_that_become_inputs(values, categories):
    assert prepare(k=values).encoding.columns == (Column("x"), Column("k", categories))


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (kinds(13), "text with 13 different values, more than 12"),
        ([f"id {i}" for i in range(N)], "text, different in every row"),
        (["Spain"] * N, "always Spain"),
        ([2.5] * N, "always 2.5"),
        ([True] * N, "always True"),
        ([None] * N, "empty"),
        ([1.0, 2.0] * 8 + [np.nan] * (N - 16), "60% of its values are missing"),
        (pd.date_range("2020-01-01", periods=N), "dates or times"),
        (["2020-01-31", "2021-02-28"] * 20, "dates or times"),
        (["31.1.2020 12:30", "28.2.2021 1:15"] * 20, "dates or times"),
        ([datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)] * 20, "dates or times"),
        (["12:30", "13:45"] * 20, "dates or times"),
        ([str(i) for i in range(N - 1)] + ["unknown"], "text among numbers ('unknown' in row 40)"),
        (["1,5", "2,5"] * 20, "numbers with a comma ('1,5'); write decimals with a point"),
        (["1,000", "2,5"] * 20, "numbers with a comma ('2,5'); write decimals with a point"),
        (["1,000", "2,500"] * 20, "numbers with a comma ('1,000'); write it without the comma if that separates"),
        (["red\x1b[31m", "blue"] * 20, r"text with unprintable characters ('red\x1b[31m' in row 1)"),
    ],
)
def test_columns_that_are_left_out(values, reason):
    prepared = prepare(k=values)
    assert prepared.left_out["k"].startswith(reason)
    assert prepared.encoding.columns == (Column("x"),)
    assert len(prepared.inputs) == N
    assert any(line.startswith(f"left out  k: {reason}") for line in prepared.notes())


def test_rows_with_gaps_are_left_out_and_counted_by_column():
    x = np.arange(N) % 5.0
    x[[0, 1, 2]] = np.nan, np.inf, np.nan
    k = kinds(2)
    k[2], k[5] = None, " "
    y = np.arange(float(N))
    y[[7, 8]] = np.nan
    prepared = prepare_table(pd.DataFrame({"x": x, "k": k, "y": y}), "y")
    assert prepared.missing == {"x": 3, "k": 2, "y": 2}
    assert prepared.n_rows_left_out == 6
    assert prepared.target.tolist() == [y for y in range(N) if y not in (0, 1, 2, 5, 7, 8)]
    assert prepared.inputs["x"].tolist() == [x[i] for i in prepared.target.astype(int)]
    assert prepared.notes()[-1] == "left out  6 rows with a missing value: 3 in x, 2 in k, 2 in y"


def test_a_column_that_is_constant_in_the_rows_that_are_left():
    k = pd.Series(["u"] * N)
    k[:5] = "v"
    x = np.arange(float(N))
    x[:5] = np.nan
    prepared = prepare_table(pd.DataFrame({"x": x, "k": k, "y": np.arange(N)}), "y")
    assert prepared.left_out == {"k": "always u"}
    assert len(prepared.inputs) == N - 5


def test_a_category_that_is_in_no_row_that_is_left_is_not_known():
    k = pd.Series(["u", "v"] * 20)
    k[0] = "w"
    x = np.arange(float(N))
    x[0] = np.nan
    prepared = prepare_table(pd.DataFrame({"x": x, "k": k, "y": np.arange(N)}), "y")
    assert prepared.encoding.columns[1] == Column("k", ("u", "v"))


def test_a_column_that_counts_the_rows_is_hinted_at():
    prepared = prepare(number=np.arange(1, N + 1))
    assert prepared.notes() == [
        "hint      number only counts the rows; if it is no measurement, leave it out: --drop number"
    ]


def test_two_columns_for_one_input_are_refused():
    with pytest.raises(ValueError, match="two columns become the input 'k=kind 00'"):
        prepare(k=kinds(3), **{"k=kind 00": np.arange(N) % 3})


def test_the_table_is_left_as_it_was():
    table = pd.DataFrame({"x": [1.0, None, 3.0], "k": ["u", "v", "u"], "y": [1, 2, 3]})
    before = table.copy()
    prepare_table(table, "y", drop=["k"])
    pd.testing.assert_frame_equal(table, before)
