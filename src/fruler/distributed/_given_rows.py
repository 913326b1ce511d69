"""Rows as given: Dask collections, cut into blocks of partitions; the output and the weights are checked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import cloudpickle
import dask
import dask.array as da
import numpy as np
import pandas as pd
from dask.delayed import Delayed
from dask.optimization import cull
from distributed import Client, Future
from pandas.api.types import is_bool_dtype, is_numeric_dtype, union_categoricals
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from fruler._arrays import Floats, Indices
from fruler._table.reading import (
    check_training_table,
    column_names,
    is_numeric,
    number_table,
    refuse_bad_weights,
    refuse_repeated_columns,
)
from fruler.distributed._cluster import memory_of_workers
from fruler.distributed._passes import Blocks, Recipe

# With more partitions than this, several form one block: the messages of a pass grow with the number of blocks.
_MAX_BLOCKS = 512
# A recipe with more bytes than this contains rows instead of reading them.
_MAX_BYTES_OF_A_RECIPE = 200_000
# The share of the workers' memory that rows may take; Dask begins to spill to disk at 0.6.
_SHARE_OF_MEMORY = 0.3


class DaskTable:
    """A table of Dask collections: inputs, output and optional weights.

    Parameters
    ----------
    estimator : estimator
        The estimator; its `n_features_in_` and `feature_names_in_` are set.
    X, y, sample_weight : Dask array, data frame or series
        The collections, with the same partitions.

    Attributes
    ----------
    names : tuple of str
        The names of the columns.
    n_rows : int or None
        The number of rows; None if it is unknown.
    """

    def __init__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> None:
        given = {"X": X, "y": y} | ({} if sample_weight is None else {"sample_weight": sample_weight})
        for name, collection in given.items():
            if not dask.is_dask_collection(collection) or not hasattr(collection, "to_delayed"):
                raise ValueError(
                    f"{name} must be a Dask array or data frame; got a {type(collection).__name__}. For data in "
                    "memory, use FuzzyRuleRegressor."
                )
        _check_alignment(given)
        outline = _outline(X)
        validate_data(estimator, outline, skip_check_array=True)
        self.names = tuple(column_names(estimator, outline.shape[1]))
        self.columns = tuple(map(str, outline.columns)) if hasattr(outline, "columns") else self.names
        self.n_rows = _known_rows(X)
        # One tuple per partition: inputs, outputs and optional weights.
        parts = list(zip(*(partitions_of(table) for table in given.values()), strict=True))
        size = math.ceil(len(parts) / _MAX_BLOCKS)
        self.groups = [parts[first : first + size] for first in range(0, len(parts), size)]
        self.firsts = list(range(0, len(parts), size))

    def loaded(self, client: Client, timeout: float) -> Blocks:
        """Return the rows as given, held by the workers; Dask spills rows to disk that do not fit into memory."""
        loads = [
            dask.delayed(load_block, pure=False)([list(part) for part in group], self.columns, first)
            for group, first in zip(self.groups, self.firsts, strict=True)
        ]
        return Blocks(client, client.compute(loads), timeout)

    def recipes(self) -> list[Recipe] | None:
        """Return a recipe to read each block; None if blocks cannot be read again, or depend on each other."""
        graph: dict[Any, Any] = {}
        for table in zip(*(part for group in self.groups for part in group), strict=True):
            graph |= dict(table[0].dask)
        if any(isinstance(getattr(task, "value", task), Future) for task in graph.values()):
            return None
        recipes, n_tasks = [], 0
        for group, first in zip(self.groups, self.firsts, strict=True):
            keys = [[table.key for table in part] for part in group]
            needed, _ = cull(graph, [key for part in keys for key in part])
            recipes.append(Recipe(read_partitions, (needed, keys, self.columns, first)))
            n_tasks += len(needed)
        # Tasks that blocks share would be repeated for each block.
        if n_tasks > len(graph) + len(recipes):
            return None
        small = all(len(cloudpickle.dumps(recipe)) <= _MAX_BYTES_OF_A_RECIPE for recipe in recipes[:3])
        return recipes if small else None


def open_rows(table: DaskTable, client: Client, keep_rows: bool | None, timeout: float) -> Blocks:
    """Return the rows as given, held by the workers or read by them whenever they are needed.

    Parameters
    ----------
    table : DaskTable
        The table.
    client : Client
        The client of the cluster.
    keep_rows : bool or None
        Whether workers hold the rows; None: if the rows take only a part of their memory, or cannot be read again.
    timeout : float
        The number of seconds without any worker after which a pass fails.
    """
    n_rows = table.n_rows
    known_to_fit = n_rows is not None and fits(client, n_rows * (len(table.names) + 1))
    if keep_rows or (keep_rows is None and known_to_fit):
        return table.loaded(client, timeout)
    recipes = table.recipes()
    if recipes is None:
        if keep_rows is False:
            raise ValueError(
                "keep_rows=False needs partitions that can be read independently, e.g. from files; these depend on "
                "each other, or are already held by the cluster or the client. Write them to Parquet first."
            )
        return table.loaded(client, timeout)
    blocks = Blocks(client, [], timeout, held=False)
    blocks.handles = [blocks.send(recipe) for recipe in recipes]
    return blocks


def fits(client: Client, n_numbers: int) -> bool:
    """Return whether the workers can hold this many numbers in memory."""
    return n_numbers * 8 <= _SHARE_OF_MEMORY * memory_of_workers(client)


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


def _known_rows(X: Any) -> int | None:
    if not isinstance(X, da.Array) or any(math.isnan(size) for size in X.chunks[0]):
        return None
    return int(X.shape[0])


def whole_rows(X: Any) -> Any:
    """Return an array with all columns in one chunk; other collections are returned unchanged."""
    return X.rechunk({1: -1}) if isinstance(X, da.Array) and X.ndim > 1 and X.numblocks[1] > 1 else X


def partitions_of(table: Any) -> list[Delayed]:
    """Return the partitions of a collection; those of an array have whole rows."""
    table = whole_rows(table)
    # Dask's optimisation of a column of a Parquet table joins partitions, so that those of X and y would differ; its
    # optimisation of an array loses track of which worker holds each block.
    return list(np.ravel(table.to_delayed(optimize_graph=False)))


@dataclass(frozen=True, eq=False)
class RawPart:
    """One partition, with its inputs as given.

    Attributes
    ----------
    X : data frame or ndarray
        The inputs: numbers, text, categories, gaps.
    target : ndarray of shape (n_rows,)
        The output.
    weight : ndarray of shape (n_rows,) or None
        The weight of each row.
    number : int
        The number of the partition.
    problem : str
        Why these rows cannot be used for learning; empty if no problem is known.
    """

    X: Any
    target: Floats
    weight: Floats | None
    number: int
    problem: str = ""

    def __len__(self) -> int:
        return len(self.X)

    def take(self, rows: Indices) -> RawPart:
        """Return some of the rows."""
        X = self.X.iloc[rows] if hasattr(self.X, "iloc") else self.X[rows]
        return replace(self, X=X, target=self.target[rows], weight=None if self.weight is None else self.weight[rows])

    def refused(self, why: str) -> RawPart:
        """Return the partition with a problem; nothing is raised on the worker, because Dask would retry in vain."""
        return replace(self, problem=f"Partition {self.number}: {why}")


# Consecutive partitions.
RawBlock = tuple[RawPart, ...]


class Inspected(NamedTuple):
    """The size of a block, and its problems that are found before columns are analysed.

    Attributes
    ----------
    sizes : tuple of int
        The number of rows of each partition.
    n_counting : int
        The number of rows with a nonzero weight.
    weighted : bool
        Whether there are weights.
    problems : tuple of str
        The problems of partitions.
    """

    sizes: tuple[int, ...]
    n_counting: int
    weighted: bool
    problems: tuple[str, ...]


def load_block(parts: Iterable[Sequence[Any]], columns: tuple[str, ...], first: int) -> RawBlock:
    """Check partitions, each given by inputs, outputs and optional weights."""
    return tuple(load_part(part, columns, first + i) for i, part in enumerate(parts))


def load_part(part: Sequence[Any], columns: tuple[str, ...], number: int) -> RawPart:
    """Check one partition by itself."""
    X, y, weight = part[0], part[1], part[2] if len(part) > 2 else None
    sizes = [len(table) for table in part]
    raw = RawPart(X, np.zeros(sizes[0]), None if weight is None else np.zeros(sizes[0]), number)
    if len(set(sizes)) > 1:
        told = "X, y and sample_weight have" if weight is not None else "X and y have"
        return raw.refused(f"{told} {' and '.join(map(str, sizes))} rows; their partitions must match")
    if sizes[0] == 0:
        return raw
    try:
        seen = tuple(map(str, X.columns)) if hasattr(X, "columns") else columns[: X.shape[1]]
        if X.shape[1] != len(columns) or seen != columns:
            told = ", ".join(seen) if hasattr(X, "columns") else f"{X.shape[1]} in number"
            raise ValueError(f"X has the columns {told}, but the first partition has {', '.join(columns)}")
        _, target, _ = check_training_table(BaseEstimator(), np.zeros((sizes[0], 1)), _flat(y), min_rows=1)
        weights = None if weight is None else np.asarray(weight, dtype=np.float64).reshape(-1)
        if weights is not None:
            refuse_bad_weights(weights)
    except (TypeError, ValueError) as error:
        return raw.refused(str(error))
    return replace(raw, target=target, weight=weights)


def inspect_block(block: RawBlock, names: tuple[str, ...]) -> Inspected:
    """Return the number of rows of a block, and their problems.

    Parameters
    ----------
    block : RawBlock
        The rows.
    names : tuple of str
        The names of the columns; empty if some columns of numbers stand for categories, which are not checked here.
    """
    parts = [_with_numbers_checked(part, names) for part in block]
    counting = [len(part) if part.weight is None else int(np.count_nonzero(part.weight)) for part in parts]
    return Inspected(
        tuple(len(part) for part in parts),
        sum(counting),
        any(part.weight is not None for part in parts),
        tuple(part.problem for part in parts if part.problem),
    )


def _with_numbers_checked(part: RawPart, names: tuple[str, ...]) -> RawPart:
    if part.problem or not len(part) or not names or not is_numeric(part.X):
        return part
    try:
        number_table(part.X, names, allow_nan=True)
    except (TypeError, ValueError) as error:
        return part.refused(str(error))
    return part


def sample_block(block: RawBlock, rows: Indices) -> RawBlock:
    """Return some rows of a block, given by increasing indices."""
    shares = shared_out(rows, np.cumsum([0, *map(len, block)]))
    return tuple(part.take(own) for part, own in zip(block, shares, strict=True) if len(own))


def raise_first_problem(problems: Sequence[str]) -> None:
    """Raise an error with the first of some problems, if there are any, and with the number of others."""
    if problems:
        more = len(problems) - 1
        raise ValueError(problems[0] + (f" (Other partitions with problems: {more}.)" if more else ""))


def shared_out(numbers: Indices, starts: Indices) -> list[Indices]:
    """Split increasing row indices by the parts of a table; each part's indices count from its own first row.

    Examples
    --------
    >>> import numpy as np
    >>> [own.tolist() for own in shared_out(np.array([1, 4, 5]), np.array([0, 4, 4, 9]))]
    [[1], [], [0, 1]]
    """
    cuts = np.searchsorted(numbers, starts)
    return [numbers[a:b] - start for a, b, start in zip(cuts[:-1], cuts[1:], starts[:-1], strict=True)]


def joined_tables(tables: Sequence[Any]) -> Any:
    """Concatenate tables by rows; a column that is categorical in some of them becomes categorical.

    Examples
    --------
    >>> import pandas as pd
    >>> parts = [pd.DataFrame({"c": pd.Categorical([name])}) for name in ("red", "blue")]
    >>> joined_tables(parts)["c"].cat.categories.tolist()
    ['red', 'blue']
    """
    first = tables[0]
    if not hasattr(first, "columns"):
        return np.concatenate(tables)
    columns = [_joined([table.iloc[:, j] for table in tables]) for j in range(first.shape[1])]
    frame = pd.concat(columns, axis=1)
    frame.columns = first.columns
    return frame


def _joined(parts: list[pd.Series]) -> pd.Series:
    kinds = {part.dtype for part in parts}
    if any(isinstance(kind, pd.CategoricalDtype) for kind in kinds):
        coded = [pd.Categorical(part) for part in parts]
        if len({part.categories.dtype for part in coded}) > 1:
            coded = [pd.Categorical.from_codes(part.codes, part.categories.astype(object)) for part in coded]
        return pd.Series(union_categoricals(coded, ignore_order=True))
    if len(kinds) > 1 and not all(is_numeric_dtype(kind) and not is_bool_dtype(kind) for kind in kinds):
        # Keep each value as it is: a common type would hide a mix of text and numbers.
        parts = [part.astype(object) for part in parts]
    return pd.concat(parts, ignore_index=True)


def _flat(y: Any) -> Any:
    """Return one column as a flat array; other shapes are left to the checks."""
    values = np.asarray(y)
    return values.reshape(-1) if values.ndim == 2 and values.shape[1] == 1 else y


def read_partitions(graph: dict[Any, Any], keys: list[list[Any]], columns: tuple[str, ...], first: int) -> RawBlock:
    """Compute partitions one after the other, each given by its keys in a graph."""
    return load_block((dask.get(graph, part) for part in keys), columns, first)
