"""Stage 1 by blocks: representative rows of each, of which the client takes some and selects once more."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from fruler.distributed.blocks import Block, Standard
from fruler.distributed.passes import Blocks
from fruler.distributed.raw_rows import shared_out
from fruler.distributed.remote_table import RemoteTable
from fruler.stages.instance_selection import CoreError, select_instances
from fruler.table.rows import Rows

# The most rows that come to the client.
MAX_SELECTED = 20_000
# Rows that are selected from together: the time of a selection grows faster than they do.
_ROWS_A_PIECE = 5_000

Integers = npt.NDArray[np.intp]


def select_in_block(block: Block, how: tuple[Standard, CoreError]) -> Integers:
    """Return the representative rows of a block, selected from a few thousand at a time."""
    standard, core_error = how
    chosen: list[Integers] = [np.empty(0, dtype=np.intp)]
    first = 0
    # Equal pieces: a small one at the end would be represented by too many of its rows.
    n_pieces = max(1, -(-len(block) // _ROWS_A_PIECE))
    for part in block.slices(max(1, -(-len(block) // n_pieces))):
        rows = standard.rows(part)
        chosen.append(first + (selected_rows(rows, core_error) if len(part) > 1 else np.arange(len(part))))
        first += len(part)
    return np.concatenate(chosen)


def selected_rows(rows: Rows, core_error: CoreError) -> Integers:
    """Select among rows that are standardised."""
    return select_instances(np.ascontiguousarray(rows.rows[:, 1:]), rows.y, core_error=core_error).indices


def count_chosen(chosen: Integers, nothing: Any) -> int:
    """Return how many rows a block has chosen."""
    return len(chosen)


def some_chosen(chosen: Integers, which: Integers) -> Integers:
    """Return some of the rows that a block has chosen."""
    return np.asarray(chosen[which])


def select_rows(
    table: RemoteTable, rng: np.random.Generator, *, select: bool = True, core_error: CoreError = "mse"
) -> Integers:
    """Return the numbers of the rows that rules are made from, in increasing order.

    Parameters
    ----------
    table : RemoteTable
        All rows.
    rng : numpy Generator
        Draws some of the rows where they are too many.
    select : bool
        Whether rows are selected at all, or only drawn.
    core_error : {"mse", "rmse"}
        What decides how many rows a selection starts from.
    """
    if not select:
        if table.n_rows <= MAX_SELECTED:
            return np.arange(table.n_rows)
        return np.sort(rng.choice(table.n_rows, MAX_SELECTED, replace=False))
    blocks: Blocks = table.blocks.kept(select_in_block, (table.standard, core_error))
    every = [()] * len(blocks.handles)
    counts = np.array(blocks.each(count_chosen, every), dtype=np.intp)
    total = int(counts.sum())
    drawn = np.arange(total) if total <= MAX_SELECTED else np.sort(rng.choice(total, MAX_SELECTED, replace=False))
    starts = np.concatenate([[0], np.cumsum(counts)])
    chosen = blocks.each(some_chosen, shared_out(drawn, starts))
    joined = np.concatenate([part + first for part, first in zip(chosen, table.starts[:-1], strict=True)])
    if len(blocks.handles) == 1 and table.n_rows <= _ROWS_A_PIECE:
        return joined
    return np.asarray(joined[selected_rows(table.take(joined), core_error)])
