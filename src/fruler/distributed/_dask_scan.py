"""A table of Dask collections as a scan: its partitions are the batches, and the workers pass over them."""

from __future__ import annotations

import math
import uuid
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import dask
import dask.array as da
import numpy as np
from dask.delayed import Delayed
from distributed import Client
from sklearn.utils.validation import validate_data

from fruler._table.reading import column_names, refuse_repeated_columns
from fruler.data._scan import Batch, Result, TableScan, TrainingPart
from fruler.distributed._cluster import collect, memory_of_workers

# The number of times that a failed task is repeated, e.g. if a file could not be read.
_RETRIES = 2
# The share of the workers' memory that rows may take; Dask begins to spill to disk at 0.6.
_SHARE_OF_MEMORY = 0.3


class DaskScan(TableScan):
    """A table of Dask collections: inputs, target, optional weights and groups.

    Parameters
    ----------
    estimator : estimator
        The estimator; its `n_features_in_` and `feature_names_in_` are set.
    X, y, sample_weight, groups : Dask array, data frame or series
        The collections, with the same partitions.
    client : Client
        The client of the cluster.
    keep_rows : bool or None
        Whether the workers hold the rows, or read them again for every pass; None: if they take only a part of the
        workers' memory.
    timeout : float
        The number of seconds without any worker after which a pass fails.
    """

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        sample_weight: Any,
        groups: Any,
        client: Client,
        keep_rows: bool | None,
        timeout: float,
    ) -> None:
        optional = {"sample_weight": sample_weight, "groups": groups}
        given = {"X": X, "y": y} | {name: table for name, table in optional.items() if table is not None}
        for name, collection in given.items():
            if not dask.is_dask_collection(collection) or not hasattr(collection, "to_delayed"):
                raise ValueError(
                    f"{name} must be a Dask array or data frame; got a {type(collection).__name__}. For data in "
                    "memory, use FuzzyRuleRegressor."
                )
        _check_alignment(given)
        outline = _outline(X)
        validate_data(estimator, outline, skip_check_array=True)
        names = tuple(column_names(estimator, outline.shape[1]))
        super().__init__((*names, *given))
        self.columns = tuple(map(str, outline.columns)) if hasattr(outline, "columns") else names
        self.client, self.keep_rows, self.timeout = client, keep_rows, timeout
        self.given = tuple(given)
        # One task per partition, which returns a tuple of what was given.
        tables = zip(*(partitions_of(table) for table in given.values()), strict=True)
        self.parts = [dask.delayed(tuple)(list(part)) for part in tables]
        if keep_rows:
            self.parts = self._held()

    def _held(self) -> list[Delayed]:
        return list(self.client.persist(self.parts, retries=_RETRIES))

    @cached_property
    def sizes(self) -> list[int]:
        """The number of rows of each partition."""
        sizes = self._each(_count, [()] * len(self.parts), "count")
        fits = 8 * sum(sizes) * len(self.names) <= _SHARE_OF_MEMORY * memory_of_workers(self.client)
        if self.keep_rows is None and fits:
            self.parts = self._held()
        return sizes

    def count_rows(self) -> int:
        """Return the number of rows."""
        return sum(self.sizes)

    def reduce(
        self,
        work: Callable[[Batch], Result],
        merge: Callable[[Result, Result], Result],
        name: str,
        pool: Executor | None = None,
    ) -> Result:
        """Apply a function to every partition on the workers, and merge the results here, in the order of the rows.

        So sums are the same to the last bit, whichever worker computes them and however often.
        """
        firsts = np.cumsum([0, *self.sizes])[:-1].tolist()
        own = [(work, first, f"Partition {number}") for number, first in enumerate(firsts)]
        merged: Result = reduce(merge, self._each(_run, own, name))
        return merged

    def _each(self, function: Callable[..., Result], arguments: list[tuple[Any, ...]], name: str) -> list[Result]:
        """Return the results of a function of every partition and its own arguments."""
        run = uuid.uuid4().hex[:8]
        task = dask.delayed(function, pure=False, traverse=False)
        tasks = [
            task(part, *own, dask_key_name=f"fruler-{name}-{run}-{number}")
            for number, (part, own) in enumerate(zip(self.parts, arguments, strict=True))
        ]
        return collect(self.client, self.client.compute(tasks, retries=_RETRIES), self.timeout)

    def roles(self, target: Any, weight: Any = None, groups: Any = None) -> Callable[[Batch], TrainingPart]:
        """Return the function that checks partitions; their roles are known."""
        return PartitionRoles(self.columns, self.given)

    def place_of(self, row: int) -> tuple[str, int]:
        """Return the partition of a row as the beginning of a message, and the row's number there."""
        starts = np.cumsum([0, *self.sizes])
        number = int(np.searchsorted(starts, row, side="right")) - 1
        return f"Partition {number}: ", row - int(starts[number])


def _count(part: tuple[Any, ...]) -> int:
    return len(part[0])


def _run(part: tuple[Any, ...], work: Callable[[Batch], Result], first: int, place: str) -> Result:
    return work(Batch(part, first, place))


@dataclass(frozen=True)
class PartitionRoles:
    """Takes partitions apart, after checking them against the columns of the first."""

    columns: tuple[str, ...]
    given: tuple[str, ...]

    def __call__(self, batch: Batch) -> TrainingPart:
        """Return the rows of a partition as `fit` takes them.

        Raises
        ------
        ValueError
            If the collections of the partition do not match.
        """
        tables = dict(zip(self.given, batch.data, strict=True))
        X, sizes = tables["X"], [len(table) for table in batch.data]
        if len(set(sizes)) > 1:
            told = f"{', '.join(self.given[:-1])} and {self.given[-1]} have"
            raise ValueError(f"{told} {' and '.join(map(str, sizes))} rows; their partitions must match")
        seen = tuple(map(str, X.columns)) if hasattr(X, "columns") else self.columns[: X.shape[1]]
        if sizes[0] and (X.shape[1] != len(self.columns) or seen != self.columns):
            told = ", ".join(seen) if hasattr(X, "columns") else f"{X.shape[1]} in number"
            raise ValueError(f"X has the columns {told}, but the first partition has {', '.join(self.columns)}")
        return TrainingPart(X, tables["y"], tables.get("sample_weight"), batch.first, batch.place, tables.get("groups"))


def _check_alignment(given: dict[str, Any]) -> None:
    """Raise an error if collections are known to have different partitions before they are computed."""
    X = given["X"]
    if X.ndim != 2 or (isinstance(X.shape[1], float) and math.isnan(X.shape[1])) or X.shape[1] == 0:
        raise ValueError(f"X must be a table with a known number of columns; its shape is {X.shape}.")
    for name, other in given.items():
        expected, found = (c.numblocks[0] if isinstance(c, da.Array) else c.npartitions for c in (X, other))
        if expected != found:
            raise ValueError(
                f"X has {expected} partitions, but {name} has {found}; they must match, e.g. come from one data frame."
            )
        if name == "X":
            continue
        if other.ndim == 2 and other.shape[1] != 1:
            raise ValueError(f"{name} must be one column; it has {other.shape[1]}.")
        if isinstance(X, da.Array) and isinstance(other, da.Array):
            sizes = np.array([X.chunks[0], other.chunks[0]], dtype=float)
            if (np.isfinite(sizes).all(axis=0) & (sizes[0] != sizes[1])).any():
                raise ValueError(
                    f"X has chunks of {X.chunks[0]} rows, but {name} of {other.chunks[0]}; "
                    f"make them match, e.g. with {name}.rechunk(X.chunks[0])."
                )
        divisions = [getattr(c, "divisions", (None,)) for c in (X, other)]
        if all(None not in d for d in divisions) and divisions[0] != divisions[1]:
            raise ValueError(
                f"X has the divisions {divisions[0]}, but {name} has {divisions[1]}; "
                f"make them match, e.g. with {name}.repartition(divisions=X.divisions)."
            )


def _outline(X: Any) -> Any:
    """Return a row or two with the columns and types of X, for checks before it is computed."""
    if isinstance(X, da.Array):
        if X.dtype.kind not in "biufOUS":
            raise ValueError(f"X must contain numbers or text, not {X.dtype}; convert it to numbers first.")
        return np.zeros((1, X.shape[1]))
    refuse_repeated_columns(X._meta)
    return X._meta_nonempty


def whole_rows(X: Any) -> Any:
    """Return an array with all columns in one chunk; other collections are returned unchanged."""
    return X.rechunk({1: -1}) if isinstance(X, da.Array) and X.ndim > 1 and X.numblocks[1] > 1 else X


def partitions_of(table: Any) -> list[Delayed]:
    """Return the partitions of a collection; those of an array have whole rows."""
    table = whole_rows(table)
    # Dask's optimisation of a column of a Parquet table joins partitions, so that those of X and y would differ; its
    # optimisation of an array loses track of which worker holds each block.
    return list(np.ravel(table.to_delayed(optimize_graph=False)))
