"""Measurements of blocks that add up to those of the table: ranges and scales, medians, and sums for a rule base.

Each has a function of one block, and a function that combines the results of earlier and later blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fruler._arrays import Floats
from fruler._table.rows import Standardization
from fruler.distributed._blocks import Block
from fruler.learning._training_table import digest
from fruler.rules._background import N_BINS
from fruler.rules._measurement import PlaceSums, histogram, no_rows, rule_errors
from fruler.rules._rule_base import RuleBase
from fruler.rules.truth import TruthSums

# A spread near the smallest double has no inverse.
_MIN_SPREAD = 1e-300
# The maximum number of bins of an input; up to as many distinct values have one bin each.
MAX_BINS = 8_192


@dataclass(frozen=True, eq=False)
class Summary:
    """Statistics of some rows; the columns are the inputs, and the output last.

    Attributes
    ----------
    counts : tuple of int
        The number of rows with a nonzero weight, by block.
    given : tuple of int
        The number of given rows, by block.
    low, high, mean, spread : ndarray of shape (n_inputs + 1,)
        Range, mean and standard deviation of every column.
    mass : float
        The weight of these rows in the mean: their number, or the sum of their weights.
    weight : float
        The sum of the weights.
    weighted : bool
        Whether there are weights.
    problems : tuple of str
        The problems of partitions.
    digests : tuple of str
        A digest of the data of every block.
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
        """The number of rows with a nonzero weight."""
        return sum(self.counts)

    @property
    def scale(self) -> Standardization:
        """How the inputs are standardised."""
        return self._scale(slice(None, -1))

    @property
    def target_scale(self) -> Standardization:
        """How the output is standardised."""
        return self._scale(-1)

    def _scale(self, columns: Any) -> Standardization:
        constant = (self.low == self.high) | (self.spread < _MIN_SPREAD)
        centre, spread = np.where(constant, self.low, self.mean), np.where(constant, 1.0, self.spread)
        return Standardization(np.asarray(centre[columns]), np.asarray(spread[columns]))

    @property
    def mean_weight(self) -> float:
        """The mean of the nonzero weights."""
        return self.weight / self.n_rows if self.weighted else 1.0


def summarise_block(block: Block, weighted_scale: bool = False) -> Summary:
    """Measure one block; with `weighted_scale`, mean and spread are weighted."""
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
    """Combine the statistics of two sets of rows, in the order of the rows."""
    n, m = first.mass, second.mass
    share = m / (n + m) if n + m else 0.0
    apart = second.mean - first.mean if n and m else np.zeros(len(first.mean))
    mean = first.mean + share * apart if n else second.mean
    # Numbers are at most one: squares of spreads could overflow or vanish.
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


class Sketch(NamedTuple):
    """Some values of a column in increasing order, and the number of rows from each value to the next."""

    values: Floats
    counts: Floats


def sketch_block(block: Block, most: int) -> list[Sketch]:
    """Sketch every input of a block with at most `most` values."""
    return [_sketch(column, np.ones(len(column)), most) for column in block.values.T]


def merge_sketches(first: list[Sketch], second: list[Sketch], most: int = MAX_BINS) -> list[Sketch]:
    """Combine the sketches of two sets of rows."""
    return [
        _sketch(np.concatenate([one.values, other.values]), np.concatenate([one.counts, other.counts]), most)
        for one, other in zip(first, second, strict=True)
    ]


def _sketch(values: Floats, counts: Floats, most: int) -> Sketch:
    distinct, place = np.unique(values, return_inverse=True)
    together = np.bincount(place, counts, len(distinct)).astype(np.float64, copy=False)
    return thinned_sketch(Sketch(distinct, together), most)


def thinned_sketch(sketch: Sketch, most: int) -> Sketch:
    """Leave out values until at most `most` are left: bins of equal numbers of rows, and the ends.

    Examples
    --------
    >>> import numpy as np
    >>> short = thinned_sketch(Sketch(np.arange(100.0), np.ones(100)), 4)
    >>> short.values.tolist(), short.counts.tolist()
    ([0.0, 33.0, 66.0, 99.0], [33.0, 33.0, 33.0, 1.0])
    """
    values, counts = sketch
    if len(values) <= most:
        return sketch
    below = np.concatenate([[0.0], np.cumsum(counts)])
    # A value with many rows begins a bin.
    kept = np.searchsorted(below, np.linspace(0.0, below[-1], most)[:-1], side="right") - 1
    # A value that fills two bins or more gets a bin of its own, which the next value ends, so that its rows are not
    # mixed with others. That takes no more bins than the quantiles that fall on this value.
    full = np.flatnonzero(counts >= 2.0 * below[-1] / (most - 1))
    kept = np.unique(np.concatenate([kept, np.minimum(full + 1, len(values) - 1), [len(values) - 1]]))
    return Sketch(values[kept], np.diff(np.append(below[kept], below[-1])))


def median_of(sketch: Sketch) -> float:
    """Return the value at which the sketch reaches half of the rows; the median if the sketch has every value."""
    below = np.cumsum(sketch.counts)
    return float(sketch.values[min(int(np.searchsorted(below, below[-1] / 2.0)), len(sketch.values) - 1)])


class Description(NamedTuple):
    """The argument of `describe_block`: the rules, the ranges of inputs, the scale of the output, the mean weight.

    With `with_truth`, the truth of the rules is also measured.
    """

    rule_base: RuleBase
    low: Floats
    high: Floats
    target_scale: Standardization
    mean_weight: float
    with_truth: bool


class Described(NamedTuple):
    """Sums over some rows.

    Attributes
    ----------
    sums : ndarray of shape (5,)
        Sums of predictions, squared errors, outputs and their squares, in standardised units, and of weights.
    histograms : ndarray of shape (n_inputs, N_BINS)
        Histograms of the inputs.
    truth : TruthSums or None
        Sums for the truth of the rules, in standardised units, if requested.
    places : PlaceSums
        Sums for the places of each rule's rows.
    """

    sums: Floats
    histograms: Floats
    truth: TruthSums | None
    places: PlaceSums


def describe_block(block: Block, job: Description) -> Described:
    """Sum up a block."""
    sums, histograms = np.zeros(5), np.zeros((len(job.low), N_BINS))
    truth = TruthSums(*np.zeros((3, job.rule_base.n_rules))) if job.with_truth else None
    places = no_rows(job.rule_base)
    for part in block.slices():
        weight = part.weights(job.mean_weight)
        y, predicted = (job.target_scale.apply(t) for t in (part.target, job.rule_base.inference.predict(part.values)))
        sums += [weight @ predicted, weight @ np.square(predicted - y), weight @ y, weight @ (y * y), weight.sum()]
        for j in range(len(job.low)):
            histograms[j] += histogram(part.values[:, j], weight, job.low[j], job.high[j])
        places = places.plus(PlaceSums.over_rows(job.rule_base, part.values, weight, job.low, job.high))
        if truth is not None:
            errors = rule_errors(job.rule_base, part.values, part.target)
            together, alone = (np.square(error / job.target_scale.spread) for error in (errors.together, errors.alone))
            truth = truth.plus(TruthSums.over_rows(together, alone, weight, errors.strongest, job.rule_base.n_rules))
    return Described(sums, histograms, truth, places)


def add_descriptions(first: Described, second: Described) -> Described:
    """Add the sums of two sets of rows."""
    both = None if first.truth is None or second.truth is None else first.truth.plus(second.truth)
    places = first.places.plus(second.places)
    return Described(first.sums + second.sums, first.histograms + second.histograms, both, places)
