"""The growth on a cluster: the client grows rules on some rows, and the workers fit them on all rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np

from fruler._algorithms.growth.learner import GrowthLearner, GrowthState
from fruler._algorithms.growth.options import GrowthOptions
from fruler._algorithms.growth.structure import Structure
from fruler._algorithms.growth.sums import Sums, sums_in_slices
from fruler._arrays import Indices
from fruler.distributed._blocks import Block, Standard
from fruler.distributed._remote_table import RemoteTable
from fruler.learning.algorithm import Search

# The maximum number of numbers in the sums of one pass: further structures wait for the next pass.
_MAX_NUMBERS = 2_000_000


class SumsJob(NamedTuple):
    """The argument of `sum_rows`: structures, the inputs that they use, and how rows are standardised."""

    structures: tuple[Structure, ...]
    inputs: Indices
    standard: Standard


def sum_rows(block: Block, job: SumsJob) -> list[Sums]:
    """Sum up the rows of a block for every structure."""
    # A block without rows has no slices.
    slices = block.slices() if len(block) else [block]
    parts = (job.standard.rows(part).with_inputs(job.inputs) for part in slices)
    return reduce(add_sums, ([sums_in_slices(structure, rows) for structure in job.structures] for rows in parts))


def add_sums(first: list[Sums], second: list[Sums]) -> list[Sums]:
    """Add up the sums of two sets of rows."""
    return [one + other for one, other in zip(first, second, strict=True)]


class RemoteGrowthLearner(GrowthLearner):
    """A `GrowthLearner` of a table whose rows are on the workers."""

    table: RemoteTable

    def __init__(self, search: Search[GrowthOptions, RemoteTable, GrowthState]) -> None:
        super().__init__(search)
        self._sums: dict[int, Sums] = {}

    def _sums_over_all(self, structures: list[Structure], inputs: Indices, number: int) -> Sums:
        if number not in self._sums:
            wanted = [number, *(k for k in range(len(structures)) if k not in self._sums and k != number)]
            some = within_limit(structures, wanted)
            job = SumsJob(tuple(structures[k] for k in some), inputs, self.table.standard)
            totals = self.table.blocks.reduce(sum_rows, job, add_sums)
            self._sums.update(zip(some, totals, strict=True))
        return self._sums.pop(number)


def within_limit(structures: Sequence[Structure], wanted: Sequence[int]) -> list[int]:
    """Return the first of the wanted structures, as many as fit into one pass, but at least one."""
    sizes = np.cumsum([structures[k].n_terms ** 2 for k in wanted])
    return list(wanted[: max(1, int(np.searchsorted(sizes, _MAX_NUMBERS, side="right")))])
