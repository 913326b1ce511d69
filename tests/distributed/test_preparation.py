"""Partitions of text, numbers and gaps become blocks of numbers, with what the client learned from some rows."""

import operator
from unittest.mock import Mock, call

import numpy as np
import pandas as pd
import pytest

from fruler._table.gaps import Gaps
from fruler._table.rows import Standardization
from fruler._table.sources import GapSource, LevelSource, NumberSource
from fruler.distributed._blocks import Standard
from fruler.distributed._given_rows import load_block
from fruler.distributed._passes import Recipe, made_of
from fruler.distributed._preparation import (
    MAX_LEARNED_ROWS,
    MAX_LEARNED_VALUES,
    NamedSource,
    OwnTerms,
    Preparation,
    prepare_block,
    rows_to_learn_from,
)

NAMES = ("a", "b")
COLOURS = Preparation(
    (
        NamedSource("a", NumberSource("a")),
        NamedSource("b", LevelSource("b", ["red", "blue"], [-1.0, 3.0])),
        NamedSource("a is missing", GapSource("a")),
    ),
    Gaps([0, 1, 2], [5.0, 0.5, 0.2], np.zeros((3, 3))),
)


def test_rows_to_learn_from_are_all_or_drawn_always_alike():
    assert rows_to_learn_from(MAX_LEARNED_ROWS, 20).tolist() == list(range(MAX_LEARNED_ROWS))
    drawn = rows_to_learn_from(10_000_000, 3)
    assert len(drawn) == MAX_LEARNED_ROWS
    assert (np.diff(drawn) > 0).all()
    assert drawn.mean() == pytest.approx(5_000_000, rel=0.01)
    assert np.array_equal(drawn, rows_to_learn_from(10_000_000, 3))
    # The limit is also one of values: a wide table has fewer rows in the same memory.
    assert len(rows_to_learn_from(10_000_000, 200)) == MAX_LEARNED_VALUES // 200


def test_text_and_gaps_become_numbers():
    table = pd.DataFrame({"a": [1.0, np.nan, 2.0], "b": ["blue", "red", "green"]})
    block = prepare_block(load_block([(table, np.arange(3.0)), (table[:1], np.ones(1))], NAMES, 0), COLOURS, None)
    assert block.values.tolist() == [[1.0, 3.0, 0.0], [5.0, -1.0, 1.0], [2.0, 0.5, 0.0], [1.0, 3.0, 0.0]]
    assert block.target.tolist() == [0.0, 1.0, 2.0, 1.0]


def test_numbers_in_an_array_are_columns_not_inputs():
    codes = Preparation(
        (NamedSource("x0", LevelSource("x0", ["0", "1"], [7.0, 9.0])), NamedSource("x1", NumberSource("x1"))),
        Gaps([0, 1], [0.0, 0.0], np.zeros((2, 2))),
    )
    block = prepare_block(load_block([(np.array([[1.0, 5.0], [0.0, np.nan]]), np.ones(2))], NAMES, 0), codes, None)
    assert block.values.tolist() == [[9.0, 5.0], [7.0, 0.0]]


def test_rows_without_weight_are_left_out_but_counted(rng):
    X = pd.DataFrame(rng.normal(size=(4, 2)), columns=NAMES)
    given = [(X, X["a"], np.array(weight)) for weight in ([0.0, 1, 2, 0], [1.0, 0, 0, 5])]
    numbers = Preparation(
        tuple(NamedSource(name, NumberSource(name)) for name in NAMES), Gaps([0, 1], [0, 0], np.zeros((2, 2)))
    )
    block = prepare_block(load_block(given, NAMES, 0), numbers, None)
    assert block.numbers.tolist() == [1, 2, 4, 7]
    assert block.weight.tolist() == [1, 2, 1, 5]
    assert (len(block), block.n_given) == (4, 8)
    assert block.values.tolist() == X.iloc[[1, 2, 0, 3]].to_numpy().tolist()


def test_rows_that_were_learned_from_have_terms_of_their_own():
    table = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": ["blue", "red", "red", "blue"]})
    raw = load_block([(table, np.zeros(4), np.array([1.0, 0.0, 1.0, 1.0]))], NAMES, 0)
    block = prepare_block(raw, COLOURS, OwnTerms(np.array([1, 2]), {1: np.array([-7.0, -0.5])}))
    assert block.values[:, 1].tolist() == [3.0, -1.0, 3.0]
    assert block.terms[1].tolist() == [3.0, -0.5, 3.0]
    unscaled = Standard(Standardization(np.zeros(3), np.ones(3)), Standardization(np.zeros(()), np.ones(())))
    parts = [unscaled.rows(part) for part in block.slices(2)]
    assert [part.rows[:, 2].tolist() for part in parts] == [[3.0, -0.5], [3.0]]
    assert [part.columns[1].tolist() for part in parts] == [[3.0, -1.0], [3.0]]


def test_values_that_a_column_can_not_have_are_named_with_the_partition():
    table = pd.DataFrame({"a": [1.0, "warm"], "b": ["blue", "red"]}, dtype=object)
    block = prepare_block(load_block([(table[:1], np.ones(1)), (table, np.ones(2))], NAMES, 4), COLOURS, None)
    assert block.problem.startswith("Partition 5: The value in column 'a', row 1 (counted from 0), is 'warm'")
    assert (len(block), block.n_given) == (0, 3)


def test_blocks_that_are_not_held_are_made_when_they_are_read():
    read = Mock(return_value=[1, 2])
    made = made_of(operator.add, Recipe(read, ("a file",)), [3])
    assert read.call_count == 0
    assert (made.read(), made.read()) == ([1, 2, 3], [1, 2, 3])
    assert read.call_args_list == [call("a file")] * 2
    assert made_of(operator.add, [1, 2], [3]) == [1, 2, 3]
