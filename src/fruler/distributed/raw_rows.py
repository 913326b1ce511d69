"""Rows as they were given: partitions of any types, whose output and weights are checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype, union_categoricals
from sklearn.base import BaseEstimator

from fruler._typing import Floats, Indices
from fruler.table.reading import is_numeric
from fruler.table.validation import LARGEST_VALUE, check_training_table, number_table


@dataclass(frozen=True, eq=False)
class RawPart:
    """One partition, its inputs as they were given.

    Attributes
    ----------
    X : data frame or ndarray
        The inputs: numbers, text, categories, gaps.
    target : ndarray of shape (n_rows,)
        The output.
    weight : ndarray of shape (n_rows,) or None
        How much each row counts.
    number : int
        Which partition it is.
    problem : str
        Why these rows can't be learned from; empty where nothing is known against it.
    """

    X: Any
    target: Floats
    weight: Floats | None
    number: int
    problem: str = ""

    def __len__(self) -> int:
        return len(self.X)

    def refused(self, why: str) -> RawPart:
        """Return it with a problem: no attempt would mend it, so that nothing is raised."""
        return replace(self, problem=f"Partition {self.number}: {why}")


class RawBlock(NamedTuple):
    """Some partitions that follow each other."""

    parts: tuple[RawPart, ...]


class Inspected(NamedTuple):
    """What can be said of a block before its columns are understood.

    Attributes
    ----------
    sizes : tuple of int
        The rows of each partition.
    n_counting : int
        The rows whose weight is not zero.
    weighted : bool
        Whether there are weights.
    problems : tuple of str
        What is wrong with partitions.
    """

    sizes: tuple[int, ...]
    n_counting: int
    weighted: bool
    problems: tuple[str, ...]


class RawSample(NamedTuple):
    """Some rows of a block: inputs by partition, output and weights."""

    tables: list[Any]
    target: Floats
    weight: Floats | None


def load(parts: Sequence[Sequence[Any]], columns: tuple[str, ...], first: int) -> RawBlock:
    """Check partitions, each given by its inputs, its outputs and perhaps its weights."""
    return RawBlock(tuple(load_part(part, columns, first + i) for i, part in enumerate(parts)))


def load_part(part: Sequence[Any], columns: tuple[str, ...], number: int) -> RawPart:
    """Check what can be checked of one partition by itself."""
    X, y, weight = part[0], part[1], part[2] if len(part) > 2 else None
    sizes = [len(table) for table in part]
    raw = RawPart(X, np.zeros(sizes[0]), None if weight is None else np.zeros(sizes[0]), number)
    if len(set(sizes)) > 1:
        told = "X, y and sample_weight have" if weight is not None else "X and y have"
        return raw.refused(f"{told} {' and '.join(map(str, sizes))} rows; give all the same partitions")
    if sizes[0] == 0:
        return raw
    try:
        seen = tuple(map(str, X.columns)) if hasattr(X, "columns") else columns[: X.shape[1]]
        if X.shape[1] != len(columns) or seen != columns:
            told = ", ".join(seen) if hasattr(X, "columns") else f"{X.shape[1]} in number"
            raise ValueError(f"X has the columns {told}, the first partition {', '.join(columns)}")
        _, target, _ = check_training_table(BaseEstimator(), np.zeros((sizes[0], 1)), _flat(y), min_rows=1)
        weights = None if weight is None else _checked_weights(weight)
    except (TypeError, ValueError) as error:
        return raw.refused(str(error))
    return replace(raw, target=target, weight=weights)


def inspect_block(block: RawBlock, names: tuple[str, ...]) -> Inspected:
    """Say how many rows a block has and what is wrong with them.

    Parameters
    ----------
    block : RawBlock
        The rows.
    names : tuple of str
        The names of the columns, where those of numbers are numbers; empty where some stand for categories.
    """
    parts = [_with_numbers_checked(part, names) for part in block.parts]
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


def sample_block(block: RawBlock, rows: Indices) -> RawSample:
    """Return some rows of a block, their numbers in increasing order."""
    starts = np.cumsum([0, *map(len, block.parts)])
    chosen = [(part, own) for part, own in zip(block.parts, shared_out(rows, starts), strict=True) if len(own)]
    weights = [part.weight[own] for part, own in chosen if part.weight is not None]
    return RawSample(
        [part.X.iloc[own] if hasattr(part.X, "iloc") else part.X[own] for part, own in chosen],
        np.concatenate([part.target[own] for part, own in chosen]),
        np.concatenate(weights) if weights else None,
    )


def shared_out(numbers: Indices, starts: Indices) -> list[Indices]:
    """Return which of some rows, in increasing order, lie in each part of a table, counted from its own first row.

    Examples
    --------
    >>> import numpy as np
    >>> [own.tolist() for own in shared_out(np.array([1, 4, 5]), np.array([0, 4, 4, 9]))]
    [[1], [], [0, 1]]
    """
    cuts = np.searchsorted(numbers, starts)
    return [numbers[a:b] - start for a, b, start in zip(cuts[:-1], cuts[1:], starts[:-1], strict=True)]


def joined_tables(tables: Sequence[Any]) -> Any:
    """Put tables below each other; a column that is one of categories in some of them is so in all.

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
        # Each value as it is: a common type would hide that text and numbers were mixed.
        parts = [part.astype(object) for part in parts]
    return pd.concat(parts, ignore_index=True)


def _flat(y: Any) -> Any:
    """Return one column as one row of numbers; everything else is left for the checks to refuse."""
    values = np.asarray(y)
    return values.reshape(-1) if values.ndim == 2 and values.shape[1] == 1 else y


def _checked_weights(weight: Any) -> Floats:
    weights = np.asarray(weight, dtype=np.float64).reshape(-1)
    bad = ~((weights >= 0.0) & (weights <= LARGEST_VALUE))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(f"sample_weight is {weights[row]} at row {row}; weights must be finite and not negative.")
    return weights
