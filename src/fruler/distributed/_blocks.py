"""Rows as a worker holds them: joined partitions of the table as numbers without gaps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from fruler._arrays import Floats, Indices
from fruler._table.rows import Rows, Standardization

# The number of rows that are standardised together, so that the extra memory of a pass does not grow with the rows.
ROWS_A_SLICE = 65_536


@dataclass(frozen=True, eq=False)
class Block:
    """Some of the rows, in their own units.

    Attributes
    ----------
    values, target : ndarray of shape (n_rows, n_inputs) and (n_rows,)
        The rows with a nonzero weight.
    weight : ndarray of shape (n_rows,) or None
        The weight of each row, as given.
    numbers : ndarray of shape (n_rows,) or None
        The indices of these rows among the given rows; None: all.
    n_given : int
        The number of given rows, including those of weight zero.
    problem : str
        Why these rows cannot be used for learning; empty if they can.
    terms : dict of int to ndarray
        Terms of slopes that replace the input itself, by input: see `fruler._table.encoding`.
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
        """Return the weights divided by their mean over all blocks."""
        return np.ones(len(self)) if self.weight is None else self.weight / mean

    def slices(self, most: int = ROWS_A_SLICE) -> Iterator[Self]:
        """Yield the rows in slices of a limited size."""
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
    """How rows are standardised.

    Attributes
    ----------
    scale, target_scale : Standardization
        The scales of the inputs and of the output.
    mean_weight : float
        The mean of the given weights.
    """

    scale: Standardization
    target_scale: Standardization
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
    """Concatenate blocks by rows; the first problem becomes that of the result."""
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
    """Return a block in which some of the given rows have other terms than their inputs, by input."""
    given = np.arange(len(block)) if block.numbers is None else block.numbers
    found = np.isin(given, rows)
    places = np.searchsorted(rows, given[found])
    own = {}
    for j, column in terms.items():
        own[j] = block.values[:, j].copy()
        own[j][found] = column[places]
    return replace(block, terms=own)
