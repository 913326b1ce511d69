"""Rows as a worker holds them: some partitions of the table as numbers, without gaps, joined."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from fruler._table.rows import Rows, Scale
from fruler._typing import Floats, Indices

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
    terms : dict of int to ndarray
        What slopes are fitted to instead of the input itself, by input: see `table.encoding`.
    """

    values: Floats
    target: Floats
    weight: Floats | None
    numbers: Indices | None
    n_given: int
    problem: str = ""
    terms: Mapping[int, Floats] = field(default_factory=dict)

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
            yield self.take(slice(first, first + most))

    def take(self, rows: Indices | slice) -> Self:
        """Return some of the rows."""
        return replace(
            self,
            values=self.values[rows],
            target=self.target[rows],
            weight=None if self.weight is None else self.weight[rows],
            numbers=None if self.numbers is None else self.numbers[rows],
            terms={j: column[rows] for j, column in self.terms.items()},
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
        own = None
        if block.terms:
            own = block.values.copy()
            for j, column in block.terms.items():
                own[:, j] = column
            own = self.scale.apply(own)
        values, target = self.scale.apply(block.values), self.target_scale.apply(block.target)
        return Rows.from_arrays(values, target, block.weights(self.mean_weight), own)


def joined_blocks(pieces: list[Block], n_inputs: int) -> Block:
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
        terms={j: np.concatenate([piece.terms[j] for piece in filled]) for j in filled[0].terms},
    )


def with_terms(block: Block, rows: Indices, terms: Mapping[int, Floats]) -> Block:
    """Return a block some of whose rows have other terms than their inputs, by input; rows as they were given."""
    given = np.arange(len(block)) if block.numbers is None else block.numbers
    found = np.isin(given, rows)
    places = np.searchsorted(rows, given[found])
    own = {}
    for j, column in terms.items():
        own[j] = block.values[:, j].copy()
        own[j][found] = column[places]
    return replace(block, terms=own)
