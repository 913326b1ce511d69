"""Snapshots of the multi-objective search, whole and damaged."""

import copy

import numpy as np
import pytest
from helpers.genetic import POINTS, HiddenPoint

from fruler.algorithms.genetic.codec import pack_snapshot, unpack_snapshot
from fruler.algorithms.genetic.sampling import RowSampler
from fruler.algorithms.genetic.spea2 import Spea2, Spea2Settings
from fruler.learning.checkpoint.file import DAMAGE


@pytest.fixture(scope="module")
def packed():
    problem = HiddenPoint()
    sampler = RowSampler(problem.rows[:, 0], 20)
    search = Spea2(problem, Spea2Settings(15, 400), np.random.default_rng(0), sampler=sampler)
    search.initialize()
    search.record(0.0)
    search.advance()
    search.record(0.1)
    return pack_snapshot(search.snapshot(), POINTS, "stage")


def test_every_array_is_named_after_the_stage(packed):
    assert all(name.startswith("stage ") for name in packed[1])


def test_other_stages_are_left_alone(packed):
    document, arrays = packed
    snapshot = unpack_snapshot(document, arrays | {"other worths": np.zeros(3)}, POINTS, "stage")
    assert snapshot.n_evaluations == document["n_asked"]


@pytest.mark.parametrize("name", ["threshold", "fall", "n_restarts", "n_stale", "cycle_error", "n_asked", "n_archive"])
@pytest.mark.parametrize("value", [None, "text", float("nan"), [1], True])
def test_damaged_numbers_are_found(packed, name, value):
    document, arrays = packed
    with pytest.raises(DAMAGE):
        unpack_snapshot(document | {name: value}, arrays, POINTS, "stage")


@pytest.mark.parametrize(
    "change",
    [
        {"n_archive": 0},
        {"n_archive": 10**6},
        {"n_asked": -1},
        {"n_restarts": 1.5},
        {"rng": {}},
        {"rng": {"bit_generator": "MT19937"}},
        {"rng": None},
    ],
)
def test_damaged_documents_are_found(packed, change):
    document, arrays = packed
    with pytest.raises(DAMAGE):
        unpack_snapshot(document | change, arrays, POINTS, "stage")


@pytest.mark.parametrize("name", ["worths", "fitness", "history", "genes", "bits"])
def test_damaged_arrays_are_found(packed, name):
    document, arrays = packed
    key = f"stage {name}"
    whole = arrays[key]
    wrong = [whole[:-1], whole.astype(str), whole[None], np.full_like(whole, np.nan, dtype=float)]
    for damaged in wrong:
        if name == "history" and damaged is wrong[0]:
            continue
        with pytest.raises(DAMAGE):
            unpack_snapshot(document, arrays | {key: damaged}, POINTS, "stage")
    with pytest.raises(DAMAGE):
        unpack_snapshot(document, {other: array for other, array in arrays.items() if other != key}, POINTS, "stage")


@pytest.mark.parametrize("rows", [np.array([3, 2]), np.array([-1, 2]), np.array([0.5]), np.zeros((2, 2), dtype=int)])
def test_damaged_rows_are_found(packed, rows):
    document, arrays = packed
    with pytest.raises(DAMAGE):
        unpack_snapshot(document, arrays | {"stage sample rows": rows}, POINTS, "stage")


def test_half_a_rule_is_damage(packed):
    document, arrays = packed
    worths = copy.deepcopy(arrays["stage worths"])
    worths[0, 1] += 0.5
    with pytest.raises(DAMAGE):
        unpack_snapshot(document, arrays | {"stage worths": worths}, POINTS, "stage")


@pytest.mark.parametrize("everyone", [False, True])
def test_no_archive_and_no_front_are_damage(packed, everyone):
    document, arrays = packed
    size = len(arrays["stage worths"]) if everyone else 0
    with pytest.raises(ValueError, match="archive"):
        unpack_snapshot(document | {"n_archive": size}, arrays | {"stage fitness": np.zeros(size)}, POINTS, "stage")


def test_rows_of_another_table_are_damage(packed):
    document, arrays = packed
    problem = HiddenPoint()

    def restore(rows, sampler):
        others = {name: array for name, array in arrays.items() if name != "stage sample rows"}
        snapshot = unpack_snapshot(document, others | rows, POINTS, "stage")
        Spea2(problem, Spea2Settings(15, 400), np.random.default_rng(0), sampler=sampler).restore(snapshot)

    sampler = RowSampler(problem.rows[:, 0], 20)
    restore({"stage sample rows": np.array([3, 49])}, sampler)
    for rows, drawn_by in (({"stage sample rows": np.array([3, 50])}, sampler), ({}, sampler)):
        with pytest.raises(ValueError, match="damaged: its sample"):
            restore(rows, drawn_by)
    with pytest.raises(ValueError, match="damaged: its sample"):
        restore({"stage sample rows": np.array([3, 49])}, None)
