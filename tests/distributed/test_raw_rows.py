"""Partitions as they were given: checked one by one, some of their rows taken, their columns joined."""

import numpy as np
import pandas as pd
import pytest

from fruler.distributed._given_rows import inspect_block, joined_tables, load_block, load_part, sample_block

NAMES = ("a", "b")


@pytest.mark.parametrize(
    ("X", "y", "told"),
    [
        ([[1.0, 2.0], [3.0, 4.0]], [1.0, np.inf], "Partition 3: y contains infinity at row 1"),
        ([[1.0, 2.0], [3.0, 4.0]], [1.0], "Partition 3: X and y have 2 and 1 rows"),
        ([[1.0, 2.0], [3.0, 4.0]], ["1", "warm"], "Partition 3: y holds text at row 1"),
    ],
)
def test_what_is_wrong_with_a_partition_is_said_with_its_number(X, y, told):
    part = load_part((pd.DataFrame(X, columns=NAMES), np.array(y)), NAMES, 3)
    assert part.problem.startswith(told)


def test_other_columns_in_a_later_partition_are_a_problem():
    part = load_part((pd.DataFrame([[1.0, 2.0]], columns=["a", "c"]), np.ones(1)), NAMES, 1)
    assert "X has the columns a, c, but the first partition has a, b" in part.problem
    part = load_part((np.ones((1, 3)), np.ones(1)), NAMES, 1)
    assert part.problem.startswith("Partition 1: X has the columns 3 in number")


def parts_of(*tables, weight=None):
    given = [(table, np.arange(float(len(table)))) for table in tables]
    if weight is not None:
        given = [(*part, np.resize(weight, len(part[1]))) for part in given]
    return load_block(given, NAMES, 2)


def test_numbers_are_checked_where_all_columns_are_numbers():
    numbers = pd.DataFrame({"a": [1.0, np.nan], "b": [np.inf, 2.0]})
    assert (
        inspect_block(parts_of(numbers, numbers), NAMES)
        .problems[1]
        .startswith("Partition 3: X contains infinity in column 'b', row 0")
    )
    # What else a column may be is not known from one partition.
    assert not inspect_block(parts_of(numbers.assign(a=["x", "y"])), NAMES).problems
    assert not inspect_block(parts_of(numbers), ()).problems


def test_rows_are_counted_by_partition_and_by_weight():
    table = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["x", None, "y"]})
    found = inspect_block(parts_of(table, table[:0], table[:1], weight=[0.0, 2.0, 0.0]), NAMES)
    assert (found.sizes, found.n_counting, found.weighted) == ((3, 0, 1), 1, True)
    found = inspect_block(parts_of(table, table[:1]), NAMES)
    assert (found.sizes, found.n_counting, found.weighted) == ((3, 1), 4, False)


@pytest.mark.parametrize("holder", [lambda table: table, lambda table: table.to_numpy(dtype=object)])
def test_rows_are_taken_from_the_partitions_that_have_them(holder):
    table = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["x", "y", "z"]})
    block = parts_of(holder(table), holder(table[:0]), holder(table[1:]), weight=[1.0, 2.0, 3.0])
    parts = sample_block(block, np.array([1, 3, 4]))
    assert [np.asarray(part.X)[:, 1].tolist() for part in parts] == [["y"], ["y", "z"]]
    assert [part.target.tolist() for part in parts] == [[1.0], [0.0, 1.0]]
    assert [part.weight.tolist() for part in parts] == [[2.0], [1.0, 2.0]]


def joined(*columns):
    return joined_tables([pd.DataFrame({"k": column}) for column in columns])["k"]


def test_categories_of_partitions_are_joined_whatever_each_knows():
    one, other = pd.Categorical(["u", "v"], ["v", "u"]), pd.Categorical(["w", None], ["w", "v"])
    assert joined(one, other).cat.categories.tolist() == ["v", "u", "w"]
    assert joined(one, other).astype(object).tolist()[:3] == ["u", "v", "w"]
    # A column is one of categories in all partitions or in none.
    assert joined(pd.Categorical([1, 2]), pd.Series([3, 1])).cat.categories.tolist() == [1, 2, 3]
    assert set(joined(pd.Categorical([1]), pd.Categorical(["u"])).cat.categories) == {1, "u"}
    ordered = joined(pd.Categorical(["u"], ordered=True), pd.Categorical(["v"], ordered=True))
    assert ordered.astype(object).tolist() == ["u", "v"]


def test_values_of_different_types_stay_what_they_are():
    assert joined(pd.Series([1, 2]), pd.Series([0.5])).tolist() == [1.0, 2.0, 0.5]
    mixed = joined(pd.Series([True, False]), pd.Series([1.5]), pd.Series(["u"], dtype="string"))
    assert [type(value) for value in mixed] == [bool, bool, float, str]
    assert joined(pd.Series(["u"]), pd.Series([np.nan, np.nan])).isna().tolist() == [False, True, True]


def test_arrays_are_joined_as_arrays():
    assert joined_tables([np.array([[1, "u"]], dtype=object), np.array([[2.5, None]], dtype=object)]).shape == (2, 2)
