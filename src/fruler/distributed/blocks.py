"""Rows as a worker holds them: some partitions of the table, checked and joined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import dask
import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from fruler._typing import Floats
from fruler.table.rows import Rows
from fruler.table.scaling import Scale
from fruler.table.validation import LARGEST_VALUE, check_training_table

# Rows that are standardised together: what a pass needs beside the rows themselves does not grow with them.
ROWS_A_SLICE = 65_536


@dataclass(frozen=True, eq=False)
class Block:
    """Some of the rows, in their own units.

    Attributes
    ----------
    values, target : ndarray of shape (n_rows, n_inputs) and (n_rows,)
        The rows that count.
    weight : ndarray of shape (n_rows,) or None
        How much each counts, as it was given; none is zero.
    numbers : ndarray of shape (n_rows,) or None
        Which of the given rows these are; None: all.
    n_given : int
        The rows that were given, those of weight zero included.
    problem : str
        Why these rows can't be learned from; empty where they can.
    """

    values: Floats
    target: Floats
    weight: Floats | None
    numbers: npt.NDArray[np.intp] | None
    n_given: int
    problem: str = ""

    def __len__(self) -> int:
        return len(self.target)

    @property
    def n_inputs(self) -> int:
        """The number of inputs."""
        return int(self.values.shape[1])

    def weights(self, mean: float) -> Floats:
        """Return weights that are one on average over all blocks, given the mean of what was given."""
        return np.ones(len(self)) if self.weight is None else self.weight / mean

    def slices(self, most: int = ROWS_A_SLICE) -> Iterator[Self]:
        """Return the rows in parts of a limited size, one after the other."""
        for first in range(0, len(self), most):
            part = slice(first, first + most)
            yield type(self)(
                self.values[part],
                self.target[part],
                None if self.weight is None else self.weight[part],
                None if self.numbers is None else self.numbers[part],
                0,
            )


@dataclass(frozen=True)
class Standard:
    """How rows are brought to a common scale.

    Attributes
    ----------
    scale, target_scale : Scale
        Of the inputs and of the output.
    mean_weight : float
        The mean of the weights that were given.
    """

    scale: Scale
    target_scale: Scale
    mean_weight: float = 1.0

    def rows(self, block: Block) -> Rows:
        """Standardise a block."""
        weight = block.weights(self.mean_weight)
        return Rows.from_arrays(self.scale.apply(block.values), self.target_scale.apply(block.target), weight)


@dataclass(frozen=True)
class Recipe:
    """How to make a block whenever it is needed: the part of a graph that reads its partitions.

    Attributes
    ----------
    graph : dict
        What has to be computed.
    parts : tuple of tuple of keys
        Inputs, output and perhaps weights of each partition.
    first : int
        The number of the first partition.
    names : tuple of str
        Names of the inputs.
    """

    graph: dict[Any, Any]
    parts: tuple[tuple[Any, ...], ...]
    first: int
    names: tuple[str, ...]

    def read(self) -> Block:
        """Compute the partitions, in the calling thread, one after the other."""
        pieces = [
            load_part(dask.get(self.graph, list(part)), self.names, self.first + i) for i, part in enumerate(self.parts)
        ]
        return join(pieces, len(self.names))


def load(parts: Sequence[Sequence[Any]], names: tuple[str, ...], first: int) -> Block:
    """Check and join partitions, each given by its inputs, its outputs and perhaps its weights."""
    return join([load_part(part, names, first + i) for i, part in enumerate(parts)], len(names))


def load_part(part: Sequence[Any], names: tuple[str, ...], number: int) -> Block:
    """Check one partition; what is wrong with it is said in the block, not raised: no attempt would mend it."""
    X, y, weight = part[0], part[1], part[2] if len(part) > 2 else None
    sizes = [len(table) for table in part]
    nothing = Block(np.empty((0, len(names))), np.empty(0), None if weight is None else np.empty(0), None, sizes[0])
    if len(set(sizes)) > 1:
        told = "X, y and sample_weight have" if weight is not None else "X and y have"
        return _refused(nothing, number, f"{told} {' and '.join(map(str, sizes))} rows; give all the same partitions")
    if sizes[0] == 0:
        return nothing
    checker = BaseEstimator()
    try:
        values, target, _ = check_training_table(checker, X, _flat(y), min_rows=1)
        seen = tuple(map(str, getattr(checker, "feature_names_in_", names)))
        if values.shape[1] != len(names) or seen != names:
            raise ValueError(f"X has the columns {', '.join(seen)}, the first partition {', '.join(names)}")
        weights = None if weight is None else _checked_weights(weight)
    except (TypeError, ValueError) as error:
        return _refused(nothing, number, str(error))
    if weights is None:
        return Block(values, target, None, None, len(target))
    counted = np.flatnonzero(weights)
    return Block(values[counted], target[counted], weights[counted], counted, len(target))


def join(pieces: list[Block], n_inputs: int) -> Block:
    """Put blocks below each other; the first problem is that of all."""
    problem = next((piece.problem for piece in pieces if piece.problem), "")
    filled = [piece for piece in pieces if len(piece)]
    if problem or not filled:
        weight = np.empty(0) if any(piece.weight is not None for piece in pieces) else None
        given = sum(piece.n_given for piece in pieces)
        return Block(np.empty((0, n_inputs)), np.empty(0), weight, None, given, problem)
    if len(pieces) == 1:
        return pieces[0]
    starts = np.cumsum([0, *(piece.n_given for piece in pieces)])
    numbers = [piece.numbers + start for piece, start in zip(pieces, starts, strict=False) if piece.numbers is not None]
    weights = [piece.weight for piece in filled if piece.weight is not None]
    return Block(
        np.concatenate([piece.values for piece in filled]),
        np.concatenate([piece.target for piece in filled]),
        np.concatenate(weights) if weights else None,
        np.concatenate(numbers) if numbers else None,
        int(starts[-1]),
    )


def _refused(nothing: Block, number: int, why: str) -> Block:
    return Block(nothing.values, nothing.target, nothing.weight, None, nothing.n_given, f"Partition {number}: {why}")


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
