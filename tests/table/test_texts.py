"""Values of a column as people write them, and which category each is."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fruler._table.texts import are_truth_values, category_texts, column_texts, level_codes


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        (pd.Series([1, 2]), ["1", "2"]),
        (pd.Series([1.0, 2.0]), ["1", "2"]),
        (pd.Series([1.25, 1e-7]), ["1.25", "1e-07"]),
        (pd.Series([1.1, 2.2], dtype="float32"), ["1.1", "2.2"]),
        (pd.Series([1, 2], dtype="Int64"), ["1", "2"]),
        (pd.Series([True, False]), ["True", "False"]),
        (pd.Series([" red ", "red"]), ["red", "red"]),
        (pd.Series([b"red", b"blue"]), ["red", "blue"]),
        (pd.Series(["red", "blue"], dtype="category"), ["red", "blue"]),
        (pd.Series([1, 2], dtype="category"), ["1", "2"]),
        (pd.Series([Decimal("1.50"), "x"], dtype=object), ["1.50", "x"]),
        (pd.Series([[1], {"a": 2}], dtype=object), ["[1]", "{'a': 2}"]),
    ],
)
def test_values_as_people_write_them(values, texts):
    assert column_texts(values).tolist() == texts


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT, "", "  "])
def test_what_is_no_value(missing):
    texts = column_texts(pd.Series(["a", missing, "b"], dtype=object))
    assert texts.isna().tolist() == [False, True, False]


def test_index_and_name_stay():
    texts = column_texts(pd.Series(["a", None], index=[7, 7], name="k"))
    assert texts.index.tolist() == [7, 7]
    assert texts.name == "k"


def test_truth_values_are_known_in_any_spelling_where_all_are_truth_values():
    spelled = pd.Series(["TRUE", "false", "True", None], dtype=object)
    assert category_texts(spelled).tolist()[:3] == ["True", "False", "True"]
    assert column_texts(spelled, ("True",)).tolist()[:3] == ["True", "False", "True"]
    # Beside another text they are text.
    assert category_texts(pd.Series(["true", "maybe"])).tolist() == ["true", "maybe"]
    assert column_texts(pd.Series(["true"]), ("maybe", "true")).tolist() == ["true"]
    assert are_truth_values(pd.Series(["tRue", None]))
    assert not are_truth_values(pd.Series(["true", "1"]))


@given(st.lists(st.integers(-(2**40), 2**40), min_size=1, max_size=8))
def test_whole_numbers_are_the_same_text_as_decimals(numbers):
    whole, decimals = pd.Series(numbers), pd.Series(numbers, dtype=float)
    assert column_texts(whole).tolist() == column_texts(decimals).tolist() == [str(number) for number in numbers]


@given(st.lists(st.sampled_from(["a", "b", "c", "d", None]), max_size=12), st.permutations(["a", "b", "c"]))
def test_codes_lead_to_the_levels(values, levels):
    codes = level_codes(pd.Series(values, dtype=object), levels)
    assert [levels[code] if code >= 0 else None for code in codes] == [v if v in levels else None for v in values]
