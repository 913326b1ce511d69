"""Frozen dataclasses as a document and arrays: written, read back, and refused where they are not of their types."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

from fruler.learning._codec import GeneratorState, pack, unpack
from fruler.learning.learned import FrontPoint, Learned
from fruler.rules import FuzzyPartition, RuleBase, Variable
from fruler.rules.truth import Truth

NAN = float("nan")
T = TypeVar("T")


class Pair(NamedTuple, Generic[T]):
    first: T
    second: npt.NDArray[np.float64]


@dataclass(frozen=True)
class Everything(Generic[T]):
    count: int
    number: float
    text: str
    flag: bool
    kind: Literal["a", "b"]
    key: bytes
    either: int | str
    nothing: int | None
    rows: npt.NDArray[np.intp] | None
    mask: npt.NDArray[np.bool_]
    pairs: Sequence[Pair[T]]
    by_size: Mapping[int, tuple[T, float]]
    plain: Mapping[str, Any]
    rng: GeneratorState


def everything():
    pairs = [Pair("p", np.array([[0.5, np.inf]])), Pair("q", np.empty((0,)))]
    state = np.random.default_rng(7).bit_generator.state
    return Everything(
        3, 0.1, "x", True, "b", b"\x00\xff", "y", None, np.arange(4), np.array([True, False]), pairs, {2: ("z", 1.5)},
        {"deep": {"list": [1, None]}}, state,
    )  # fmt: skip


def written(value=None):
    document, arrays = pack(Everything[str], everything() if value is None else value)
    return json.loads(json.dumps(document)), arrays


def test_every_kind_of_field_comes_back():
    value, again = everything(), unpack(Everything[str], *written())
    for name in vars(value):
        if name not in ("rows", "mask", "pairs"):
            assert getattr(again, name) == getattr(value, name), name
    for array, there in ((value.rows, again.rows), (value.mask, again.mask)):
        assert there.dtype == array.dtype
        np.testing.assert_array_equal(there, array)
    for pair, there in zip(value.pairs, again.pairs, strict=True):
        assert there.first == pair.first
        np.testing.assert_array_equal(there.second, pair.second)
    assert again.rows.flags.owndata
    assert again.rows.flags.writeable


def test_arrays_of_one_type_are_one_array():
    _, arrays = written()
    assert sorted(arrays) == sorted(np.dtype(kind).str for kind in (np.intp, np.bool_, np.float64))


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("count", 2**60),
        ("count", -5),
        ("count", 1.5),
        ("count", True),
        ("number", "much"),
        ("text", 1),
        ("flag", 1),
        ("kind", "c"),
        ("key", "zz"),
        ("either", None),
        ("nothing", 3),
        ("rows", [[10**12]]),
        ("rows", [[-4]]),
        ("rows", [[0, 10**12]]),
        ("mask", [3]),
        ("pairs", {"first": 1}),
        ("by_size", [[2]]),
        ("rng", {"bit_generator": "MT19937"}),
        ("rng", {**np.random.default_rng(0).bit_generator.state, "state": {"state": 0, "inc": 0}}),
    ],
)
def test_what_is_not_of_its_type_is_refused(name, wrong):
    document, arrays = written()
    document[list(vars(everything())).index(name)] = wrong
    with pytest.raises((AttributeError, LookupError, TypeError, ValueError)):
        unpack(Everything[str], document, arrays)


@pytest.mark.parametrize("change", [lambda a: a[:-1], lambda a: a * NAN, lambda a: a.astype(np.float32)])
def test_arrays_that_are_not_of_their_type_are_refused(change):
    document, arrays = written()
    name = np.dtype(np.float64).str
    with pytest.raises(ValueError, match="array"):
        unpack(Everything[str], document, {**arrays, name: change(arrays[name])})


def test_other_fields_are_refused():
    document, arrays = written()
    for wrong in (document[:-1], [*document, 1], None):
        with pytest.raises((TypeError, ValueError)):
            unpack(Everything[str], wrong, arrays)


def test_numbers_that_would_change_are_not_written():
    with pytest.raises(TypeError):
        pack(Everything[str], replace(everything(), rows=np.array([0.5])))


@pytest.mark.parametrize("truth", [None, Truth(0.9, 1.0, [0.9, NAN], [1.0, NAN], held_out=True)])
def test_a_finished_search_comes_back(truth):
    x = Variable("x", FuzzyPartition([0.5], (0.0, 1.0)))
    rules = RuleBase([x], [[[0, 0]], [[1, 1]]], [[1.0, 2.0], [3.0, 0.0]])
    point = FrontPoint(rules, -3.5, 0.25, NAN, 1e-4, 2, truth)
    history = pd.DataFrame({"n_rules": [1, 2], "best_error": [0.5, 0.25]})
    document, arrays = pack(Learned, Learned((point,), 0, 50, history, np.arange(5), {"fit": 1.5}))
    again = unpack(Learned, json.loads(json.dumps(document)), arrays)
    (found,) = again.front
    assert found.truth == truth
    assert found.rule_base == rules
    assert (found.criterion, found.error, found.regularization, found.n_uncovered) == (-3.5, 0.25, 1e-4, 2)
    assert np.isnan(found.cv_error)
    assert (again.chosen, again.n_evaluations, again.seconds) == (0, 50, {"fit": 1.5})
    pd.testing.assert_frame_equal(again.history, history)
    np.testing.assert_array_equal(again.sample_indices, np.arange(5))
