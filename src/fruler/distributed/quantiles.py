"""Bins of every input that hold about as many rows each, or one value each where the values are few."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fruler._typing import Floats
from fruler.distributed.blocks import Block

# The most bins of an input; up to as many distinct values each has a bin of its own.
MAX_BINS = 8_192


class Sketch(NamedTuple):
    """Some values of a column in increasing order, and how many rows each stands for: those from it to the next."""

    values: Floats
    counts: Floats


def sketch_block(block: Block, most: int) -> list[Sketch]:
    """Sketch every input of a block with at most so many values."""
    sketches = []
    for column in block.values.T:
        values, counts = np.unique(column, return_counts=True)
        sketches.append(shortened(Sketch(values, counts.astype(np.float64)), most))
    return sketches


def merge_sketches(first: list[Sketch], second: list[Sketch], most: int = MAX_BINS) -> list[Sketch]:
    """Put the sketches of two sets of rows together."""
    return [_merged(one, other, most) for one, other in zip(first, second, strict=True)]


def _merged(first: Sketch, second: Sketch, most: int) -> Sketch:
    values, place = np.unique(np.concatenate([first.values, second.values]), return_inverse=True)
    counts = np.bincount(place, weights=np.concatenate([first.counts, second.counts]), minlength=len(values))
    return shortened(Sketch(values, counts.astype(np.float64, copy=False)), most)


def shortened(sketch: Sketch, most: int) -> Sketch:
    """Leave out values until there are at most so many: bins of equal numbers of rows, and the ends.

    Examples
    --------
    >>> import numpy as np
    >>> short = shortened(Sketch(np.arange(100.0), np.ones(100)), 4)
    >>> short.values.tolist(), short.counts.tolist()
    ([0.0, 33.0, 66.0, 99.0], [33.0, 33.0, 33.0, 1.0])
    """
    values, counts = sketch
    if len(values) <= most:
        return sketch
    below = np.concatenate([[0.0], np.cumsum(counts)])
    # A value that stands for many rows begins a bin.
    kept = np.searchsorted(below, np.linspace(0.0, below[-1], most)[:-1], side="right") - 1
    # One that fills two bins and more has its own, which the next value ends: rows on a split are left out value by
    # value. It takes no more places than the quantiles that fall on it.
    full = np.flatnonzero(counts >= 2.0 * below[-1] / (most - 1))
    kept = np.unique(np.concatenate([kept, np.minimum(full + 1, len(values) - 1), [len(values) - 1]]))
    return Sketch(values[kept], np.diff(np.append(below[kept], below[-1])))


def median_of(sketch: Sketch) -> float:
    """Return the value at or above which half of the rows begin; the median where every value is in the sketch."""
    below = np.cumsum(sketch.counts)
    return float(sketch.values[min(int(np.searchsorted(below, below[-1] / 2.0)), len(sketch.values) - 1)])
