"""Where the rows come from: Dask collections, checked as far as their outlines tell, cut into blocks."""

from __future__ import annotations

import math
from typing import Any

import cloudpickle
import dask
import dask.array as da
import numpy as np
from dask.delayed import Delayed
from dask.optimization import cull
from distributed import Client, Future
from sklearn.utils.validation import validate_data

from fruler.distributed.blocks import Block
from fruler.distributed.cluster import memory_of_workers
from fruler.distributed.passes import Blocks
from fruler.distributed.raw_rows import load
from fruler.distributed.recipes import PartitionRecipe
from fruler.table.validation import column_names, refuse_repeated_columns

# Partitions beyond this number are joined to larger blocks: what is sent for a pass grows with the blocks.
_MAX_BLOCKS = 512
# A recipe of more bytes than this holds rows, and does not read them.
_MAX_BYTES_OF_A_RECIPE = 200_000
# The share of the workers' memory that rows may take; Dask begins to write to disk at 0.6.
_SHARE_OF_MEMORY = 0.3


class Source:
    """A table of a Dask collection each for the inputs, the output and perhaps the weights.

    Parameters
    ----------
    estimator : estimator
        Whose number and names of features are set.
    X, y, sample_weight : Dask array, data frame or series
        With the same partitions.
    """

    def __init__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> None:
        given = {"X": X, "y": y} | ({} if sample_weight is None else {"sample_weight": sample_weight})
        for name, collection in given.items():
            if not dask.is_dask_collection(collection) or not hasattr(collection, "to_delayed"):
                raise ValueError(
                    f"{name} must be a Dask array or data frame; got a {type(collection).__name__}. For data that fit "
                    f"into memory there is {estimator.local.__name__}."
                )
        _check_alignment(given)
        outline = _outline(X)
        validate_data(estimator, outline, skip_check_array=True)
        self.names = tuple(column_names(estimator, outline.shape[1]))
        self.columns = tuple(map(str, outline.columns)) if hasattr(outline, "columns") else self.names
        self.n_rows = _known_rows(X)
        # One tuple a partition: its inputs, its outputs, perhaps its weights.
        parts = list(zip(*(partitions_of(table) for table in given.values()), strict=True))
        size = math.ceil(len(parts) / _MAX_BLOCKS)
        self.groups = [parts[first : first + size] for first in range(0, len(parts), size)]
        self.firsts = list(range(0, len(parts), size))

    def loaded(self, client: Client, timeout: float) -> Blocks:
        """Return the rows as they were given, held by the workers; Dask writes to disk what their memory can't hold."""
        loads = [
            dask.delayed(load, pure=False)([list(part) for part in group], self.columns, first)
            for group, first in zip(self.groups, self.firsts, strict=True)
        ]
        return Blocks(client, client.compute(loads), timeout)

    def recipes(self) -> list[PartitionRecipe] | None:
        """Return for each block how to read it by itself; None where that can't be done, or not without the others."""
        graph: dict[Any, Any] = {}
        for table in zip(*(part for group in self.groups for part in group), strict=True):
            graph |= dict(table[0].dask)
        if any(isinstance(getattr(task, "value", task), Future) for task in graph.values()):
            return None
        recipes = []
        for group, first in zip(self.groups, self.firsts, strict=True):
            keys = [tuple(table.key for table in part) for part in group]
            needed, _ = cull(graph, [key for part in keys for key in part])
            recipes.append(PartitionRecipe(needed, tuple(keys), first, self.columns))
        # What blocks share would be computed for each of them again.
        if sum(len(recipe.graph) for recipe in recipes) > len(graph) + len(recipes):
            return None
        small = all(len(cloudpickle.dumps(recipe)) <= _MAX_BYTES_OF_A_RECIPE for recipe in recipes[:3])
        return recipes if small else None


def open_rows(source: Source, client: Client, keep_rows: bool | None, timeout: float) -> Blocks:
    """Return the rows as they were given, held by the workers or read by them whenever they are needed.

    Parameters
    ----------
    source : Source
        The table.
    client : Client
        The way to the cluster.
    keep_rows : bool or None
        Whether workers hold the rows; None: if that takes no more than a part of their memory, or can't be helped.
    timeout : float
        Seconds that there may be no worker at all.
    """
    n_rows = source.n_rows
    known_to_fit = n_rows is not None and fits(client, n_rows * (len(source.names) + 1))
    if keep_rows or (keep_rows is None and known_to_fit):
        return source.loaded(client, timeout)
    recipes = source.recipes()
    if recipes is None:
        if keep_rows is False:
            raise ValueError(
                "keep_rows=False needs partitions that can be read each by itself, e.g. from files; these rest on one "
                "another or are held by the cluster or the client already. Write them to Parquet first."
            )
        return source.loaded(client, timeout)
    blocks = Blocks(client, [], timeout, held=False)
    blocks.handles = [blocks.send(recipe) for recipe in recipes]
    return blocks


def fits(client: Client, n_numbers: int) -> bool:
    """Return whether so many numbers can stay in the memory of the workers."""
    return n_numbers * 8 <= _SHARE_OF_MEMORY * memory_of_workers(client)


def same_block(block: Block, nothing: Any) -> Block:
    """Return the block: to be kept."""
    return block


def _check_alignment(given: dict[str, Any]) -> None:
    """Refuse collections with different partitions, as far as can be known before they are computed."""
    X = given["X"]
    if X.ndim != 2 or (isinstance(X.shape[1], float) and math.isnan(X.shape[1])) or X.shape[1] == 0:
        raise ValueError(f"X must be a table with a known number of columns; its shape is {X.shape}.")
    for name, other in given.items():
        if other.npartitions != X.npartitions and not isinstance(X, da.Array):
            _raise_unaligned(name, X.npartitions, other.npartitions)
        blocks = [c.numblocks[0] if isinstance(c, da.Array) else c.npartitions for c in (X, other)]
        if blocks[0] != blocks[1]:
            _raise_unaligned(name, *blocks)
        if name == "X":
            continue
        if other.ndim == 2 and other.shape[1] != 1:
            raise ValueError(f"{name} must be one column; it has {other.shape[1]}.")
        if isinstance(X, da.Array) and isinstance(other, da.Array):
            sizes = np.array([X.chunks[0], other.chunks[0]], dtype=float)
            if (np.isfinite(sizes).all(axis=0) & (sizes[0] != sizes[1])).any():
                raise ValueError(
                    f"X has chunks of {X.chunks[0]} rows, but {name} of {other.chunks[0]}; "
                    f"give both the same, e.g. by {name}.rechunk(X.chunks[0])."
                )
        divisions = [getattr(c, "divisions", (None,)) for c in (X, other)]
        if all(None not in d for d in divisions) and divisions[0] != divisions[1]:
            raise ValueError(
                f"X has the divisions {divisions[0]}, but {name} {divisions[1]}; "
                f"give both the same, e.g. by {name}.repartition(divisions=X.divisions)."
            )


def _raise_unaligned(name: str, expected: int, found: int) -> None:
    raise ValueError(
        f"X has {expected} partitions, but {name} has {found}; give both the same, e.g. from one data frame."
    )


def _outline(X: Any) -> Any:
    """Return a row or two of the kind that X has, for the checks that its types allow."""
    if isinstance(X, da.Array):
        if X.dtype.kind not in "biufOUS":
            raise ValueError(f"X must hold numbers or text but has the type {X.dtype}; convert it to numbers first.")
        return np.zeros((1, X.shape[1]))
    refuse_repeated_columns(X._meta)
    return X._meta_nonempty


def _known_rows(X: Any) -> int | None:
    if not isinstance(X, da.Array) or any(math.isnan(size) for size in X.chunks[0]):
        return None
    return int(X.shape[0])


def whole_rows(X: Any) -> Any:
    """Return an array with all columns in one chunk; everything else as it is."""
    return X.rechunk({1: -1}) if isinstance(X, da.Array) and X.ndim > 1 and X.numblocks[1] > 1 else X


def partitions_of(table: Any) -> list[Delayed]:
    """Return the partitions of a collection; an array's hold whole rows."""
    table = whole_rows(table)
    # Dask's optimisation of a column of a Parquet table joins partitions, so that those of X and y would differ; that
    # of an array forgets who holds its blocks.
    return list(np.ravel(table.to_delayed(optimize_graph=False)))
