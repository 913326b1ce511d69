"""From a table as it was given to numbers without gaps: learned from some rows on the client, done by the workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from fruler._typing import Floats, Indices
from fruler.distributed.blocks import Block, join, with_terms
from fruler.distributed.passes import Blocks
from fruler.distributed.raw_rows import (
    Inspected,
    RawBlock,
    RawPart,
    RawSample,
    inspect_block,
    joined_tables,
    sample_block,
    shared_out,
)
from fruler.estimators.base import BaseRuleRegressor
from fruler.table.columns import UnusableColumn
from fruler.table.gaps import Gaps
from fruler.table.reading import as_frame, input_table
from fruler.table.sources import NumberSource, Source, UnfitValue
from fruler.table.training import TrainingInputs, are_declared, training_inputs

# What the columns are is learned from all rows up to so many, and so many values; of more rows some are drawn.
MAX_LEARNED_ROWS, MAX_LEARNED_VALUES = 100_000, 2_000_000


class NamedSource(NamedTuple):
    """An input: its name, and where it comes from; None: the column of its name, as a number."""

    name: str
    source: Source | None


@dataclass(frozen=True, eq=False)
class Preparation:
    """How the columns of a table become the inputs of rules.

    Attributes
    ----------
    inputs : tuple of NamedSource
        The inputs.
    gaps : Gaps
        What is taken for missing values.
    """

    inputs: tuple[NamedSource, ...]
    gaps: Gaps

    @classmethod
    def learned(cls, made: TrainingInputs) -> Preparation:
        """Return what was learned from rows in memory."""
        inputs = (
            NamedSource(name, None if source == NumberSource(name) else source)
            for name, source in zip(made.names, made.sources, strict=True)
        )
        return cls(tuple(inputs), made.moments.gaps(np.arange(len(made.names))))

    def numbers(self, X: Any) -> Floats:
        """Return the inputs of some rows, gaps filled in."""
        # Numbers in an array would be taken for the inputs.
        table = X if all(one.source is None for one in self.inputs) else as_frame(X)
        return self.gaps.filled(input_table(table, self.inputs))


class OwnTerms(NamedTuple):
    """What slopes are fitted to in the rows of a block that categories were learned from, by input."""

    rows: Indices
    terms: Mapping[int, Floats]


class PreparedRows(NamedTuple):
    """A table that is ready to be learned from.

    Attributes
    ----------
    blocks : Blocks
        The rows.
    made : TrainingInputs
        What the inputs are; its values are those of the rows that this was learned from.
    n_numbers : int
        How many numbers all rows are together.
    """

    blocks: Blocks
    made: TrainingInputs
    n_numbers: int


def prepare_rows(estimator: BaseRuleRegressor, raw: Blocks, names: tuple[str, ...]) -> PreparedRows:
    """Learn what the columns of a table are, and have the workers make numbers of them.

    Parameters
    ----------
    estimator : estimator
        Whose `n_features_in_` and `feature_names_in_` are set.
    raw : Blocks
        Of the rows as they were given.
    names : tuple of str
        The names of the columns.

    Raises
    ------
    ValueError
        If the rows can't be learned from.
    """
    declared = are_declared(estimator.categorical_features)
    found: list[Inspected] = raw.each(inspect_block, [() if declared else names] * len(raw.handles))
    _require_rows(found)
    sizes = [size for one in found for size in one.sizes]
    rows = rows_to_learn_from(sum(sizes), len(names))
    shares = shared_out(rows, np.cumsum([0, *(sum(one.sizes) for one in found)]))
    samples: list[RawSample] = raw.each(sample_block, [share if len(share) else None for share in shares])
    made = _learned(estimator, samples, rows, sizes)
    others = _inputs_with_terms(made)
    blocks = raw.followed_by(prepare_block, Preparation.learned(made), _own_terms(made, others, shares))
    n_columns = len(made.names) + 1 + len(others)
    return PreparedRows(blocks, made, n_columns * sum(one.n_counting for one in found))


def rows_to_learn_from(n_rows: int, n_columns: int) -> Indices:
    """Return the numbers of the rows from which it is learned what the columns are: all, or some that are drawn."""
    most = min(MAX_LEARNED_ROWS, max(1, MAX_LEARNED_VALUES // n_columns))
    if n_rows <= most:
        return np.arange(n_rows)
    # Always in the same way, whatever the seed: what a table is does not change from one search to the next.
    return np.sort(np.random.default_rng(0).choice(n_rows, most, replace=False))


def prepare_block(raw: RawBlock, preparation: Preparation, own: OwnTerms | None) -> Block:
    """Make numbers of the partitions of a block, and join them."""
    block = join([_prepared(part, preparation) for part in raw.parts], len(preparation.inputs))
    return block if own is None else with_terms(block, own.rows, own.terms)


def _prepared(part: RawPart, preparation: Preparation) -> Block:
    nothing = np.empty((0, len(preparation.inputs))), np.empty(0), None if part.weight is None else np.empty(0)
    if part.problem or not len(part):
        return Block(*nothing, None, len(part), part.problem)
    try:
        values = preparation.numbers(part.X)
    except (TypeError, ValueError) as error:
        return Block(*nothing, None, len(part), part.refused(str(error)).problem)
    if part.weight is None:
        return Block(values, part.target, None, None, len(part))
    counted = np.flatnonzero(part.weight)
    return Block(values[counted], part.target[counted], part.weight[counted], counted, len(part))


def _require_rows(found: Sequence[Inspected]) -> None:
    problems = [problem for one in found for problem in one.problems]
    if problems:
        more = len(problems) - 1
        raise ValueError(problems[0] + (f" ({more} more partitions are bad.)" if more else ""))
    n_counting = sum(one.n_counting for one in found)
    if n_counting < 2:
        weighted = any(one.weighted for one in found) and sum(sum(one.sizes) for one in found) > 1
        told = "have a positive sample_weight" if weighted else "are in X"
        raise ValueError(f"Only {n_counting} rows {told}; at least 2 are needed.")


def _learned(
    estimator: BaseRuleRegressor, samples: Sequence[RawSample], rows: Indices, sizes: Sequence[int]
) -> TrainingInputs:
    """Learn from some rows what the inputs are, as from a table in memory."""
    X = joined_tables([table for sample in samples for table in sample.tables])
    target = np.concatenate([sample.target for sample in samples])
    weights = [sample.weight for sample in samples if sample.weight is not None]
    weight = np.concatenate(weights) if weights else None
    if weight is not None and not weight.any():
        # Of many rows, nearly all of weight zero, none that counts may have been drawn.
        weight = None
    try:
        return training_inputs(
            estimator,
            X,
            target,
            weight,
            estimator.categorical_features,
            estimator.algorithm.one_hot,
            estimator._fillers,
        )
    except (UnusableColumn, UnfitValue) as error:
        if error.row is not None:
            number, row = _place(int(rows[error.row]), sizes)
            raise ValueError(f"Partition {number}: {error.at_row(row)}") from error
        if len(rows) == sum(sizes):
            raise
        raise ValueError(f"In {len(rows):,} rows that were drawn: {error}") from error


def _place(row: int, sizes: Sequence[int]) -> tuple[int, int]:
    """Return the partition of a row of the whole table, and its number there."""
    starts = np.cumsum([0, *sizes])
    number = int(np.searchsorted(starts, row, side="right")) - 1
    return number, row - int(starts[number])


def _inputs_with_terms(made: TrainingInputs) -> list[int]:
    """Return the inputs to which slopes are not fitted as they are."""
    if made.terms is None:
        return []
    return [int(j) for j in np.flatnonzero((made.terms != made.values).any(axis=0))]


def _own_terms(made: TrainingInputs, inputs: Sequence[int], shares: Sequence[Indices]) -> list[OwnTerms | None]:
    """Return by block the terms of rows that the categories were learned from; other rows are held out anyway."""
    if made.terms is None or not inputs:
        return [None] * len(shares)
    cuts = np.cumsum([0, *map(len, shares)])
    return [
        OwnTerms(share, {j: made.terms[first:last, j] for j in inputs})
        for share, (first, last) in zip(shares, pairwise(cuts), strict=True)
    ]
