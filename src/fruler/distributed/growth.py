"""The growth on a cluster: rules are grown on the client from some rows, and fitted on all by the workers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fruler._typing import Floats
from fruler.algorithms.growth.learner import GrowthLearner
from fruler.algorithms.growth.normal_equations import normal_equations
from fruler.algorithms.growth.options import GrowthOptions
from fruler.algorithms.growth.state import GrowthState
from fruler.algorithms.growth.structure import Structure
from fruler.consequents.ridge import Normal
from fruler.distributed.blocks import Block, Standard
from fruler.distributed.passes import Job
from fruler.distributed.remote_table import RemoteTable
from fruler.learning.algorithm import Search
from fruler.table.rows import Rows

# Numbers that the sums of one pass may have: structures beyond that wait for the next one.
_MAX_NUMBERS = 2_000_000
# Rows whose weights in all rules are held at a time.
_ROWS_A_SLICE = 16_384


class NormalJob(NamedTuple):
    """What workers need for the normal equations of some structures."""

    structures: tuple[Structure, ...]
    domains: Floats
    standard: Standard


class NormalSums(NamedTuple):
    """Sums over some rows: a structure's Gram matrix, moments and y squared, the rules' weights, the rows' weights."""

    gram: Floats
    moment: Floats
    square: float
    support: Floats
    weight: float


def sum_normals(block: Block, job: NormalJob) -> list[NormalSums]:
    """Sum up the rows of a block for every structure."""
    totals = [_nothing(structure, block.n_inputs) for structure in job.structures]
    for part in block.slices(_ROWS_A_SLICE):
        rows = job.standard.rows(part)
        totals = [
            _added(total, _sums(structure, rows, job.domains))
            for total, structure in zip(totals, job.structures, strict=True)
        ]
    return totals


def add_normals(first: list[NormalSums], second: list[NormalSums]) -> list[NormalSums]:
    """Add up the sums of two sets of rows."""
    return [_added(one, other) for one, other in zip(first, second, strict=True)]


def _nothing(structure: Structure, n_inputs: int) -> NormalSums:
    size = structure.n_rules * (n_inputs + 1)
    return NormalSums(np.zeros((size, size)), np.zeros(size), 0.0, np.zeros(structure.n_rules), 0.0)


def _sums(structure: Structure, rows: Rows, domains: Floats) -> NormalSums:
    normal, weight = normal_equations(structure, rows, domains), float(rows.weight.sum())
    return NormalSums(
        normal.gram * weight, normal.moment * weight, normal.square * weight, rows.weight @ normal.weights, weight
    )


def _added(one: NormalSums, other: NormalSums) -> NormalSums:
    return NormalSums(
        one.gram + other.gram,
        one.moment + other.moment,
        one.square + other.square,
        one.support + other.support,
        one.weight + other.weight,
    )


class RemoteGrowthLearner(GrowthLearner):
    """A `GrowthLearner` of a table whose rows are with the workers."""

    table: RemoteTable

    def __init__(self, search: Search[GrowthOptions, RemoteTable, GrowthState]) -> None:
        super().__init__(search)
        self._normals: dict[int, tuple[Normal, Floats]] = {}

    def _normal_on_all(self, structures: list[Structure], number: int) -> tuple[Normal, Floats]:
        if number not in self._normals:
            wanted = [number, *(k for k in range(len(structures)) if k not in self._normals and k != number)]
            self._sum_up(structures, within_limit(structures, wanted, self.table.n_inputs))
        return self._normals.pop(number)

    def _sum_up(self, structures: list[Structure], wanted: Sequence[int]) -> None:
        """Form the normal equations of some structures in one pass."""
        job = NormalJob(tuple(structures[k] for k in wanted), self.domains, self.table.standard)
        [totals] = self.table.blocks.reduce([Job(sum_normals, job, add_normals)])
        for k, total in zip(wanted, totals, strict=True):
            means = total.gram / total.weight, total.moment / total.weight, total.square / total.weight
            self._normals[k] = Normal(np.empty((0, structures[k].n_rules)), *means), total.support / total.weight


def within_limit(structures: Sequence[Structure], wanted: Sequence[int], n_inputs: int) -> list[int]:
    """Return the first of the wanted structures whose sums are not too many for one pass; one at the least."""
    sizes = np.cumsum([(structures[k].n_rules * (n_inputs + 1)) ** 2 for k in wanted])
    return list(wanted[: max(1, int(np.searchsorted(sizes, _MAX_NUMBERS, side="right")))])
