"""A table whose rows are with the workers: what the client knows of it, and rows that it fetches by number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from fruler._typing import Floats, Indices
from fruler.distributed.blocks import Block, Standard
from fruler.distributed.descriptions import Description, add_descriptions, describe_block
from fruler.distributed.passes import Blocks, Job
from fruler.distributed.quantiles import MAX_BINS, Sketch, median_of, merge_sketches, sketch_block
from fruler.distributed.raw_rows import shared_out
from fruler.distributed.summaries import Summary, merge_summaries, summarise_block
from fruler.learning.training_table import TrainingSample, TrainingTable
from fruler.rules.measurement import MAX_ROWS_EXPLAINED, Measured, summary_from
from fruler.rules.output import PLAIN
from fruler.rules.rule_base import RuleBase
from fruler.rules.summary import TrainingSummary
from fruler.rules.truth import Truth
from fruler.table.known_splits import domains_with_room
from fruler.table.rarity import Counts, part_counts, rows_alike
from fruler.table.rows import Rows, spread_evenly


class Fetched(NamedTuple):
    """Rows in their own units, what slopes are fitted to, and which of the rows that were given they are."""

    values: Floats
    target: Floats
    weight: Floats
    terms: Mapping[int, Floats]
    numbers: Indices


@dataclass(frozen=True, eq=False)
class RemoteTable(TrainingTable):
    """A table whose rows are with the workers; only its summary is here.

    Attributes
    ----------
    blocks : Blocks
        The rows.
    summary : Summary
        Their figures.
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
        """Go through all rows once, check them and measure them."""
        [summary] = blocks.reduce([Job(summarise_block, weighted_scale, merge_summaries)])
        if summary.problems:
            more = len(summary.problems) - 1
            raise ValueError(summary.problems[0] + (f" ({more} more partitions are bad.)" if more else ""))
        ends = np.column_stack([summary.low[:-1], summary.high[:-1]])
        domains, known = domains_with_room(ends, names, split_points)
        return cls(
            summary.scale, summary.target_scale, names, domains, known, dict(levels or {}), PLAIN, blocks, summary
        )

    @property
    def n_rows(self) -> int:
        """The number of rows that count."""
        return self.summary.n_rows

    @property
    def digests(self) -> dict[str, str]:
        """Short texts that are other for other data."""
        together = blake2b(" ".join(self.summary.digests).encode(), digest_size=16).hexdigest()
        return {"the table": f"{self.n_rows} rows in {len(self.summary.counts)} blocks {together}"}

    @property
    def standard(self) -> Standard:
        """How rows are standardised."""
        return Standard(self.scale, self.target_scale, self.summary.mean_weight)

    @cached_property
    def starts(self) -> Indices:
        """The number of the first row of each block, and one after the last."""
        return np.cumsum([0, *self.summary.counts]).astype(np.intp)

    @cached_property
    def sketches(self) -> list[Sketch]:
        """The values of every input, thinned out where they are many."""
        [sketches] = self.blocks.reduce([Job(sketch_block, MAX_BINS, merge_sketches)])
        return list(sketches)

    def fetch(self, indices: Indices) -> Fetched:
        """Bring rows to the client; the numbers increase."""
        shares = shared_out(indices, self.starts)
        wanted = [(share, self.summary.mean_weight) if len(share) else None for share in shares]
        parts: list[Fetched] = self.blocks.each(take_from_block, wanted)
        given = np.cumsum([0, *self.summary.given])
        firsts = [first for first, one in zip(given[:-1], wanted, strict=True) if one is not None]
        return Fetched(
            np.ascontiguousarray(np.concatenate([part.values for part in parts])),
            np.concatenate([part.target for part in parts]),
            np.concatenate([part.weight for part in parts]),
            {j: np.concatenate([part.terms[j] for part in parts]) for j in parts[0].terms},
            np.concatenate([part.numbers + first for part, first in zip(parts, firsts, strict=True)]),
        )

    def take(self, indices: Indices) -> Rows:
        """Bring rows to the client, standardised, in any order."""
        order = np.argsort(indices, kind="stable")
        fetched = self.fetch(np.asarray(indices)[order])
        back = np.empty(len(order), dtype=np.intp)
        back[order] = np.arange(len(order))
        rows = self.standard.standardised(fetched.values, fetched.target, fetched.weight, fetched.terms)
        return rows.take(back)

    def rows_alike(self) -> Counts:
        """Return for each row how many there are like it, from two passes."""
        ends = np.column_stack([self.summary.low, self.summary.high])
        [counts] = self.blocks.reduce([Job(count_in_block, ends, np.add)])
        return np.concatenate(self.blocks.each(alike_in_block, [(ends, counts)] * len(self.summary.counts)))

    @cached_property
    def sample(self) -> TrainingSample:
        """Rows that are spread evenly over the table, brought to the client."""
        some = spread_evenly(self.n_rows, MAX_ROWS_EXPLAINED)
        fetched = self.fetch(some)
        return TrainingSample(fetched.values, fetched.target, fetched.weight if self.summary.weighted else None)

    def given_numbers(self, indices: Indices) -> Indices:
        """Return the numbers of rows among those that were given, rows of weight zero included."""
        return indices if not self.summary.weighted else self.fetch(indices).numbers

    def summarise(self, rule_base: RuleBase, cv_error: float, truth: Truth | None = None) -> TrainingSummary:
        """Return what a rule base remembers of all rows, from one pass over them."""
        low, high, scale = self.summary.low[:-1], self.summary.high[:-1], self.target_scale
        job = Description(rule_base, low, high, scale, self.summary.mean_weight, with_truth=truth is None)
        [(sums, histograms, true, place_sums)] = self.blocks.reduce([Job(describe_block, job, add_descriptions)])
        if true is not None:
            truth = true.truth(held_out=False).scaled(float(scale.spread))
        base, error, mean, square = sums[:4] / sums[4]
        centre, spread = float(scale.centre), float(scale.spread)
        measured = Measured(
            n_rows=self.n_rows,
            low=low,
            high=high,
            typical=np.array([median_of(sketch) for sketch in self.sketches]),
            histograms=histograms,
            target_low=float(self.summary.low[-1]),
            target_high=float(self.summary.high[-1]),
            target_mean=centre + spread * mean,
            target_spread=spread * float(np.sqrt(max(square - mean * mean, 0.0))),
            base=centre + spread * base,
            rmse=spread * float(np.sqrt(error)),
        )
        sample = self.sample
        weight = np.ones(len(sample.target)) if sample.weight is None else sample.weight
        places = place_sums.places(rule_base, low, high)
        return summary_from(rule_base, measured, places, sample.values, weight, cv_error=cv_error, truth=truth)


def count_in_block(block: Block, ends: Floats) -> Counts:
    """Return how many rows of a block lie in each part of each column."""
    return part_counts(block.values, block.target, ends)


def alike_in_block(block: Block, measured: tuple[Floats, Counts]) -> Counts:
    """Return for each row of a block how many there are like it in the whole table."""
    return rows_alike(block.values, block.target, *measured)


def take_from_block(block: Block, wanted: tuple[Indices, float]) -> Fetched:
    """Return some rows of a block, with weights that are one on average."""
    indices, mean = wanted
    numbers = indices if block.numbers is None else block.numbers[indices]
    terms = {j: column[indices] for j, column in block.terms.items()}
    return Fetched(block.values[indices], block.target[indices], block.weights(mean)[indices], terms, numbers)
