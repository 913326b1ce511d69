"""From a table as it was given to numbers without gaps: learned from some rows on the client, done by the workers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from fruler._table.columns import UnusableColumn
from fruler._table.gaps import Gaps
from fruler._table.reading import as_frame, input_table, is_plain
from fruler._table.sources import Source, UnfitValue
from fruler._table.training import TrainingInputs
from fruler._typing import Floats, Indices
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

# The columns are understood from all rows up to so many, and so many values; of more rows some are drawn.
MAX_LEARNED_ROWS, MAX_LEARNED_VALUES = 100_000, 2_000_000

# Understands the columns of rows in memory, given as inputs, target and weights.
Learn = Callable[[Any, Floats, Floats | None], TrainingInputs]


class NamedSource(NamedTuple):
    """An input: its name, and where it comes from."""

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
        What is taken for missing values.
    """

    inputs: tuple[NamedSource, ...]
    gaps: Gaps

    @classmethod
    def learned(cls, made: TrainingInputs) -> Preparation:
        """Return what was learned from rows in memory."""
        inputs = map(NamedSource, made.names, made.sources)
        return cls(tuple(inputs), made.moments.gaps(np.arange(len(made.names))))

    def numbers(self, X: Any) -> Floats:
        """Return the inputs of some rows, gaps filled in."""
        # Numbers in an array would be taken for the inputs.
        table = X if all(map(is_plain, self.inputs)) else as_frame(X)
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


def prepare_rows(raw: Blocks, names: tuple[str, ...], learn: Learn, *, declared: bool = False) -> PreparedRows:
    """Learn what the columns of a table are, and have the workers make numbers of them.

    Parameters
    ----------
    raw : Blocks
        The rows as they were given.
    names : tuple of str
        The names of the columns.
    learn : callable
        Understands the columns of some rows.
    declared : bool
        Whether the user declared some columns of numbers to be categories.

    Raises
    ------
    ValueError
        If the rows can't be learned from.
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
    """Return the numbers of the rows from which it is learned what the columns are: all, or some that are drawn."""
    most = min(MAX_LEARNED_ROWS, max(1, MAX_LEARNED_VALUES // n_columns))
    if n_rows <= most:
        return np.arange(n_rows)
    # Always in the same way, whatever the seed: what a table is does not change from one search to the next.
    return np.sort(np.random.default_rng(0).choice(n_rows, most, replace=False))


def prepare_block(raw: RawBlock, preparation: Preparation, own: OwnTerms | None) -> Block:
    """Make numbers of the partitions of a block, and join them."""
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
    """Learn from some rows what the inputs are, as from a table in memory."""
    X = joined_tables([part.X for part in parts])
    target = np.concatenate([part.target for part in parts])
    weights = [part.weight for part in parts if part.weight is not None]
    # Of many rows, nearly all of weight zero, none that counts may have been drawn.
    weight = np.concatenate(weights) if any(own.any() for own in weights) else None
    try:
        return learn(X, target, weight)
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
