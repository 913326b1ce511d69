"""What one pass tells of all rows: how many they are, the ranges, the means and the spreads; to be merged in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fruler._typing import Floats
from fruler.distributed.blocks import Block
from fruler.learning.training_table import digest
from fruler.table.scaling import Scale

# A spread near the smallest double has no inverse.
_MIN_SPREAD = 1e-300


@dataclass(frozen=True, eq=False)
class Summary:
    """Figures of some rows; of inputs and output together, the output last.

    Attributes
    ----------
    counts : tuple of int
        The rows that count, by block.
    given : tuple of int
        The rows that were given, by block.
    low, high, mean, spread : ndarray of shape (n_inputs + 1,)
        Of every column; the spread is the standard deviation.
    mass : float
        How much these rows count in the mean: their number, or their weight.
    weight : float
        The sum of the weights.
    weighted : bool
        Whether there were any.
    problems : tuple of str
        What is wrong with partitions.
    digests : tuple of str
        A short text of every block, another one for other data.
    """

    counts: tuple[int, ...]
    given: tuple[int, ...]
    low: Floats
    high: Floats
    mean: Floats
    spread: Floats
    mass: float
    weight: float
    weighted: bool
    problems: tuple[str, ...]
    digests: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        """The number of rows that count."""
        return sum(self.counts)

    @property
    def scale(self) -> Scale:
        """How the inputs are standardised."""
        return self._scale(slice(None, -1))

    @property
    def target_scale(self) -> Scale:
        """How the output is standardised."""
        return self._scale(-1)

    def _scale(self, columns: Any) -> Scale:
        constant = (self.low == self.high) | (self.spread < _MIN_SPREAD)
        centre, spread = np.where(constant, self.low, self.mean), np.where(constant, 1.0, self.spread)
        return Scale(np.asarray(centre[columns]), np.asarray(spread[columns]))

    @property
    def mean_weight(self) -> float:
        """The mean of the weights of rows that count."""
        return self.weight / self.n_rows if self.weighted else 1.0


def summarise_block(block: Block, weighted_scale: bool = False) -> Summary:
    """Measure one block; rows of more weight count more in its mean and spread, if that is wanted."""
    n, columns = len(block), block.n_inputs + 1
    problems = (block.problem,) if block.problem else ()
    weighted = block.weight is not None
    if n == 0:
        ends = np.full(columns, np.inf), np.full(columns, -np.inf)
        nothing = np.zeros(columns)
        return Summary((0,), (block.n_given,), *ends, nothing, nothing, 0.0, 0.0, weighted, problems)
    low, high = (np.append(end(block.values, axis=0), end(block.target)) for end in (np.min, np.max))
    largest = np.maximum(np.abs(low), np.abs(high))
    unit = np.where(largest > 0.0, largest, 1.0)
    counted = block.weight if weighted_scale else None
    mean = np.append(
        np.average(block.values / unit[:-1], axis=0, weights=counted),
        np.average(block.target / unit[-1], weights=counted),
    )
    squares = np.zeros(columns)
    for part in block.slices():
        apart = np.column_stack([part.values / unit[:-1] - mean[:-1], part.target / unit[-1] - mean[-1]])
        own = np.ones(len(part)) if counted is None or part.weight is None else part.weight
        squares += (own[:, None] * np.square(apart)).sum(axis=0)
    weight = float(block.weight.sum()) if block.weight is not None else float(n)
    mass = float(n) if counted is None else weight
    spread = np.sqrt(squares / mass) * unit
    digests = (" ".join(digest(values) for values in (block.values, block.target, block.weight)),)
    return Summary((n,), (block.n_given,), low, high, mean * unit, spread, mass, weight, weighted, problems, digests)


def merge_summaries(first: Summary, second: Summary) -> Summary:
    """Put the figures of two sets of rows together, the first being those that come first."""
    n, m = first.mass, second.mass
    share = m / (n + m) if n + m else 0.0
    apart = second.mean - first.mean if n and m else np.zeros(len(first.mean))
    mean = first.mean + share * apart if n else second.mean
    # Of numbers that are at most one: squares of spreads may be none.
    unit = np.maximum(np.maximum(first.spread, second.spread), np.abs(apart))
    unit = np.where(unit > 0.0, unit, 1.0)
    between = (1.0 - share) * share * np.square(apart / unit)
    within = (1.0 - share) * np.square(first.spread / unit) + share * np.square(second.spread / unit)
    return Summary(
        first.counts + second.counts,
        first.given + second.given,
        np.minimum(first.low, second.low),
        np.maximum(first.high, second.high),
        mean,
        np.sqrt(within + between) * unit,
        n + m,
        first.weight + second.weight,
        first.weighted or second.weighted,
        first.problems + second.problems,
        first.digests + second.digests,
    )
