"""A table whose rows are on the workers: its summary on the client, and rows that the client fetches by index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np

from fruler._arrays import Floats, Indices
from fruler._table.constraints import domains_with_room
from fruler._table.rows import Counts, Rows, part_counts, rows_alike, spread_evenly
from fruler.distributed._blocks import Block, Standard, joined_blocks
from fruler.distributed._given_rows import raise_first_problem, shared_out
from fruler.distributed._passes import Blocks
from fruler.distributed._summaries import (
    MAX_BINS,
    Description,
    Sketch,
    Summary,
    add_descriptions,
    describe_block,
    median_of,
    merge_sketches,
    merge_summaries,
    sketch_block,
    summarise_block,
)
from fruler.learning._training_table import TrainingSample, TrainingTable
from fruler.rules._background import TrainingSummary
from fruler.rules._measurement import MAX_ROWS_EXPLAINED, mean_contributions
from fruler.rules._output import PLAIN
from fruler.rules._rule_base import RuleBase
from fruler.rules.truth import Truth


@dataclass(frozen=True, eq=False)
class RemoteTable(TrainingTable):
    """A table whose rows are on the workers; only its summary is on the client.

    Attributes
    ----------
    blocks : Blocks
        The rows.
    summary : Summary
        Their statistics.
    """

    blocks: Blocks
    summary: Summary

    @classmethod
    def measured(
        cls,
        blocks: Blocks,
        names: Sequence[str],
        split_points: Mapping[str | int, Any] | None,
        levels: Mapping[int, Floats] | None = None,
        weighted_scale: bool = False,
    ) -> RemoteTable:
        """Check and measure all rows in one pass."""
        summary = blocks.reduce(summarise_block, weighted_scale, merge_summaries)
        raise_first_problem(summary.problems)
        ends = np.column_stack([summary.low[:-1], summary.high[:-1]])
        domains, known = domains_with_room(ends, names, split_points)
        return cls(
            summary.scale, summary.target_scale, names, domains, known, dict(levels or {}), PLAIN, blocks, summary
        )

    @property
    def n_rows(self) -> int:
        """The number of rows with a nonzero weight."""
        return self.summary.n_rows

    @property
    def digests(self) -> dict[str, str]:
        """A digest of the data, to recognise the table."""
        together = blake2b(" ".join(self.summary.digests).encode(), digest_size=16).hexdigest()
        return {"the table": f"{self.n_rows} rows in {len(self.summary.counts)} blocks {together}"}

    @property
    def standard(self) -> Standard:
        """How rows are standardised."""
        return Standard(self.scale, self.target_scale, self.summary.mean_weight)

    @cached_property
    def starts(self) -> Indices:
        """The index of the first row of each block, and the number of all rows."""
        return np.cumsum([0, *self.summary.counts]).astype(np.intp)

    @cached_property
    def sketches(self) -> list[Sketch]:
        """The values of every input, thinned out if there are many."""
        return list(self.blocks.reduce(sketch_block, MAX_BINS, merge_sketches))

    def fetch(self, indices: Indices) -> Block:
        """Fetch rows to the client, given by increasing indices."""
        firsts = np.cumsum([0, *self.summary.given])[:-1]
        shares = zip(shared_out(indices, self.starts), firsts, strict=True)
        wanted = [(share, first) if len(share) else None for share, first in shares]
        return joined_blocks(self.blocks.each(take_from_block, wanted), self.n_inputs)

    def take(self, indices: Indices) -> Rows:
        """Fetch rows to the client, standardised, in any order."""
        order = np.argsort(indices, kind="stable")
        fetched = self.fetch(np.asarray(indices)[order])
        back = np.empty(len(order), dtype=np.intp)
        back[order] = np.arange(len(order))
        return self.standard.rows(fetched).take(back)

    def rows_alike(self) -> Counts:
        """Return for each row the number of rows like it, from two passes."""
        ends = np.column_stack([self.summary.low, self.summary.high])
        counts = self.blocks.reduce(count_in_block, ends, np.add)
        return np.concatenate(self.blocks.each(alike_in_block, [(ends, counts)] * len(self.summary.counts)))

    @cached_property
    def sample(self) -> TrainingSample:
        """Rows spread evenly over the table, fetched to the client."""
        some = spread_evenly(self.n_rows, MAX_ROWS_EXPLAINED)
        fetched = self.fetch(some)
        weight = fetched.weights(self.summary.mean_weight) if self.summary.weighted else None
        return TrainingSample(fetched.values, fetched.target, weight)

    def given_numbers(self, indices: Indices) -> Indices:
        """Return the indices of rows among all given rows, including those of weight zero."""
        numbers = self.fetch(indices).numbers if self.summary.weighted else None
        return indices if numbers is None else numbers

    def summarise(self, rule_base: RuleBase, cv_error: float, truth: Truth | None = None) -> TrainingSummary:
        """Return a rule base's summary of all rows, from one pass over them."""
        low, high, scale = self.summary.low[:-1], self.summary.high[:-1], self.target_scale
        job = Description(rule_base, low, high, scale, self.summary.mean_weight, with_truth=truth is None)
        sums, histograms, true, place_sums = self.blocks.reduce(describe_block, job, add_descriptions)
        if true is not None:
            truth = true.truth(held_out=False).scaled(float(scale.spread))
        base, error, mean, square = sums[:4] / sums[4]
        centre, spread = float(scale.centre), float(scale.spread)
        base = centre + spread * base
        typical = np.array([median_of(sketch) for sketch in self.sketches])
        sample = self.sample
        weight = np.ones(len(sample.target)) if sample.weight is None else sample.weight
        return TrainingSummary(
            n_rows=self.n_rows,
            low=low,
            high=high,
            typical=typical,
            histograms=histograms,
            target_low=float(self.summary.low[-1]),
            target_high=float(self.summary.high[-1]),
            target_mean=centre + spread * mean,
            target_spread=spread * float(np.sqrt(max(square - mean * mean, 0.0))),
            base=base,
            **mean_contributions(rule_base, sample.values, weight, typical, base)._asdict(),
            rmse=spread * float(np.sqrt(error)),
            cv_rmse=float(np.sqrt(2.0 * cv_error)),
            truth=truth,
            **place_sums.places(rule_base, low, high)._asdict(),
        )


def count_in_block(block: Block, ends: Floats) -> Counts:
    """Return the number of rows of a block in each part of each column."""
    return part_counts(block.values, block.target, ends)


def alike_in_block(block: Block, measured: tuple[Floats, Counts]) -> Counts:
    """Return for each row of a block the number of rows like it in the whole table."""
    return rows_alike(block.values, block.target, *measured)


def take_from_block(block: Block, wanted: tuple[Indices, int]) -> Block:
    """Return some rows of a block, numbered from the first row of the given table."""
    rows, first = wanted
    some = block.take(rows)
    return replace(some, numbers=(rows if some.numbers is None else some.numbers) + first, n_given=0)
