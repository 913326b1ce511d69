"""Constraints on columns become constraints on inputs, and on what gaps are filled in from."""

import numpy as np
import pytest

from fruler._table.constraints import InputConstraints, input_constraints
from fruler._table.gaps import Gaps
from fruler._table.sources import GapSource, LevelSource, NumberSource

NAMES = ["age", "size", "kind", "rooms", "size is missing"]
SOURCES = [
    NumberSource("age"),
    NumberSource("size"),
    LevelSource("kind", ["a", "b", "c"], [0.1, 0.2, 0.4]),
    NumberSource("rooms"),
    GapSource("size"),
]


def constraints(monotonic=None, interactions=None):
    return input_constraints(monotonic, interactions, NAMES, SOURCES)


def test_nothing_known_is_nothing_demanded():
    for given in (None, {}, {"age": 0}, [0, 0, 0, 0]):
        assert constraints(given) == InputConstraints()
    assert InputConstraints().fillers(NAMES) is None


def test_whether_a_value_is_missing_has_no_direction():
    known = constraints({"size": -1})
    assert known.monotonic == {"size": -1}
    assert known.signs(NAMES).tolist() == [0, -1, 0, 0, 0]


@pytest.mark.parametrize("sign", [1, 1.0, np.int64(1), np.float32(1.0)])
def test_any_kind_of_number_is_a_direction(sign):
    assert constraints({"age": sign}).monotonic == {"age": 1}
    assert constraints([sign, 0, 0, 0]).monotonic == {"age": 1}


def test_groups_have_all_inputs_of_their_columns_and_the_rest_is_one_more():
    assert constraints(None, [["size", "kind"]]).interactions == [
        ["size", "kind", "size is missing"],
        ["age", "rooms"],
    ]
    assert constraints(None, [("size", 0), {"rooms"}, []]).interactions == [
        ["age", "size", "size is missing"],
        ["rooms"],
        ["kind"],
    ]
    assert constraints(None, [["age", "size", "kind", "rooms"]]).interactions == [NAMES]


def test_groups_with_a_name():
    assert len(constraints(None, "no_interactions").interactions) == 4
    assert len(constraints(None, "pairwise").interactions) == 6


def test_of_many_columns_there_are_too_many_pairs():
    names = [f"x{number}" for number in range(250)]
    sources = [NumberSource(name) for name in names]
    with pytest.raises(ValueError, match="takes at most 200 columns, and X has 250; leave out columns, or name"):
        input_constraints(None, "pairwise", names, sources)
    alone = input_constraints(None, "no_interactions", names, sources)
    assert alone.groups(names).sum() == 250
    np.testing.assert_array_equal(alone.fillers(names), np.eye(250, dtype=bool))


def test_no_gap_is_filled_in_from_an_input_of_known_direction():
    fillers = constraints({"age": 1}).fillers(NAMES)
    assert not fillers[:, 0].any()
    assert fillers[:, 1:].all()


def test_gaps_are_filled_in_from_the_same_group():
    fillers = constraints(None, [["age", "size"], ["kind", "rooms"]]).fillers(NAMES)
    group = np.array([0, 0, 1, 1, 0])
    np.testing.assert_array_equal(fillers, group[:, None] == group)


def test_of_groups_that_overlap_no_gap_brings_a_new_interaction():
    fillers = constraints(None, [["age", "size"], ["size", "kind"], ["rooms"]]).fillers(NAMES)
    # Age interacts with size alone: so may size with all that interacts with age. But size with kind, too.
    assert fillers[0].tolist() == [True, True, False, False, True]
    assert fillers[1].tolist() == [False, True, False, False, True]


def test_regressions_on_some_inputs_are_those_on_a_table_of_these():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(200, 4)) @ rng.normal(size=(4, 4))
    means, covariance = values.mean(axis=0), np.cov(values.T)
    fillers = np.ones((4, 4), dtype=bool)
    whole = Gaps.from_moments(range(4), means, covariance)
    np.testing.assert_allclose(Gaps.from_moments(range(4), means, covariance, fillers).slopes, whole.slopes)
    fillers[:, 0] = False
    some = Gaps.from_moments(range(4), means, covariance, fillers)
    alone = Gaps.from_moments(range(3), means[1:], covariance[1:, 1:])
    np.testing.assert_allclose(some.slopes[1:, 1:], alone.slopes)
    assert not some.slopes[:, 0].any()
    assert some.slopes[0, 1:].all()
