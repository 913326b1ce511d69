"""Conversion of a given table to numbers without gaps: learned on the client from some rows, applied by the workers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from fruler._arrays import Floats, Indices
from fruler._table.columns import UnusableColumn
from fruler._table.gaps import Gaps
from fruler._table.reading import as_frame, input_table, is_plain
from fruler._table.sources import Source, UnfitValue
from fruler._table.training import TrainingInputs
from fruler.distributed._blocks import Block, joined_blocks, with_terms
from fruler.distributed._given_rows import (
    Inspected,
    RawBlock,
    RawPart,
    inspect_block,
    joined_tables,
    raise_first_problem,
    sample_block,
    shared_out,
)
from fruler.distributed._passes import Blocks

# Columns are analysed on at most this many rows and values; if there are more, rows are drawn.
MAX_LEARNED_ROWS, MAX_LEARNED_VALUES = 100_000, 2_000_000

# Analyses the columns of rows in memory, given as inputs, target and weights.
Learn = Callable[[Any, Floats, Floats | None], TrainingInputs]


class NamedSource(NamedTuple):
    """An input: its name and its source."""

    name: str
    source: Source


@dataclass(frozen=True, eq=False)
class Preparation:
    """How the columns of a table become the inputs of rules.

    Attributes
    ----------
    inputs : tuple of NamedSource
        The inputs.
    gaps : Gaps
        The replacements of missing values.
    """

    inputs: tuple[NamedSource, ...]
    gaps: Gaps

    @classmethod
    def learned(cls, made: TrainingInputs) -> Preparation:
        """Return the preparation that was learned from rows in memory."""
        inputs = map(NamedSource, made.names, made.sources)
        return cls(tuple(inputs), made.moments.gaps(np.arange(len(made.names))))

    def numbers(self, X: Any) -> Floats:
        """Return the inputs of some rows, with gaps filled."""
        # Numbers in an array would be taken for the inputs themselves.
        table = X if all(map(is_plain, self.inputs)) else as_frame(X)
        return self.gaps.filled(input_table(table, self.inputs))


class OwnTerms(NamedTuple):
    """The terms of slopes, by input, for the rows of a block that category codes were learned from."""

    rows: Indices
    terms: Mapping[int, Floats]


class PreparedRows(NamedTuple):
    """A table that is ready for learning.

    Attributes
    ----------
    blocks : Blocks
        The rows.
    made : TrainingInputs
        The inputs; their values are those of the rows on which columns were analysed.
    n_numbers : int
        The number of numbers in all rows together.
    """

    blocks: Blocks
    made: TrainingInputs
    n_numbers: int


def prepare_rows(raw: Blocks, names: tuple[str, ...], learn: Learn, *, declared: bool = False) -> PreparedRows:
    """Analyse the columns of a table on some rows, and let the workers convert all rows to numbers.

    Parameters
    ----------
    raw : Blocks
        The rows as given.
    names : tuple of str
        The names of the columns.
    learn : callable
        Analyses the columns of some rows.
    declared : bool
        Whether the user declared columns of numbers to be categories.

    Raises
    ------
    ValueError
        If the rows cannot be used for learning.
    """
    found: list[Inspected] = raw.each(inspect_block, [() if declared else names] * len(raw))
    _require_rows(found)
    sizes = [size for one in found for size in one.sizes]
    rows = rows_to_learn_from(sum(sizes), len(names))
    shares = shared_out(rows, np.cumsum([0, *(sum(one.sizes) for one in found)]))
    samples: list[RawBlock] = raw.each(sample_block, [share if len(share) else None for share in shares])
    made = _learned(learn, [part for sample in samples for part in sample], rows, sizes)
    others = _inputs_with_terms(made)
    blocks = raw.followed_by(prepare_block, Preparation.learned(made), _own_terms(made, others, shares))
    n_columns = len(made.names) + 1 + len(others)
    return PreparedRows(blocks, made, n_columns * sum(one.n_counting for one in found))


def rows_to_learn_from(n_rows: int, n_columns: int) -> Indices:
    """Return the indices of the rows on which columns are analysed: all, or a sample."""
    most = min(MAX_LEARNED_ROWS, max(1, MAX_LEARNED_VALUES // n_columns))
    if n_rows <= most:
        return np.arange(n_rows)
    # Always the same sample, whatever the seed: the types of columns do not change from one search to the next.
    return np.sort(np.random.default_rng(0).choice(n_rows, most, replace=False))


def prepare_block(raw: RawBlock, preparation: Preparation, own: OwnTerms | None) -> Block:
    """Convert the partitions of a block to numbers, and join them."""
    block = joined_blocks([_prepared(part, preparation) for part in raw], len(preparation.inputs))
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
    raise_first_problem([problem for one in found for problem in one.problems])
    n_counting = sum(one.n_counting for one in found)
    if n_counting < 2:
        weighted = any(one.weighted for one in found) and sum(sum(one.sizes) for one in found) > 1
        told = "have a positive sample_weight" if weighted else "are in X"
        raise ValueError(f"Only {n_counting} rows {told}; at least 2 are needed.")


def _learned(learn: Learn, parts: Sequence[RawPart], rows: Indices, sizes: Sequence[int]) -> TrainingInputs:
    """Analyse the columns of some rows, as of a table in memory."""
    X = joined_tables([part.X for part in parts])
    target = np.concatenate([part.target for part in parts])
    weights = [part.weight for part in parts if part.weight is not None]
    # If nearly all of many rows have weight zero, the sample may have no others.
    weight = np.concatenate(weights) if any(own.any() for own in weights) else None
    try:
        return learn(X, target, weight)
    except (UnusableColumn, UnfitValue) as error:
        if error.row is not None:
            number, row = _place(int(rows[error.row]), sizes)
            raise ValueError(f"Partition {number}: {error.at_row(row)}") from error
        if len(rows) == sum(sizes):
            raise
        raise ValueError(f"In a sample of {len(rows):,} rows: {error}") from error


def _place(row: int, sizes: Sequence[int]) -> tuple[int, int]:
    """Return the partition of a row of the whole table, and the row's index there."""
    starts = np.cumsum([0, *sizes])
    number = int(np.searchsorted(starts, row, side="right")) - 1
    return number, row - int(starts[number])


def _inputs_with_terms(made: TrainingInputs) -> list[int]:
    """Return the inputs whose terms differ from their values."""
    if made.terms is None:
        return []
    return [int(j) for j in np.flatnonzero((made.terms != made.values).any(axis=0))]


def _own_terms(made: TrainingInputs, inputs: Sequence[int], shares: Sequence[Indices]) -> list[OwnTerms | None]:
    """Return by block the terms of the rows that category codes were learned from; others are held out anyway."""
    if made.terms is None or not inputs:
        return [None] * len(shares)
    cuts = np.cumsum([0, *map(len, shares)])
    return [
        OwnTerms(share, {j: made.terms[first:last, j] for j in inputs})
        for share, (first, last) in zip(shares, pairwise(cuts), strict=True)
    ]
