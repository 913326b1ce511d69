"""Stage 2 from bins: the sums that lines need, bin by bin, and the split points that follow from them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler.distributed.blocks import Block, Standard
from fruler.distributed.quantiles import Sketch, median_of
from fruler.stages.discretization import NestedSplits, Splits, splits_of_cells

# An error below this share of the output's own squares counts as that.
_ERROR_FLOOR = 1e-12
# Inputs whose sums are put together by one task.
_MAX_INPUTS = 16


@dataclass(frozen=True, eq=False)
class Bins:
    """Into what, and how, rows are counted.

    Attributes
    ----------
    inputs : ndarray of shape (n_inputs,)
        Which inputs these are.
    starts : list of ndarray
        The lower ends of the bins of every input.
    middles, units : ndarray of shape (n_inputs,)
        What inputs are taken from and multiplied by, so that they lie within -1 and 1.
    standard : Standard
        How the output and the weights are scaled.
    splits : {"printed", "gain"}
        Where labels may begin.
    """

    inputs: npt.NDArray[np.intp]
    starts: list[Floats]
    middles: Floats
    units: Floats
    standard: Standard
    splits: Splits = "printed"

    @classmethod
    def from_sketches(
        cls, sketches: list[Sketch], low: Floats, high: Floats, standard: Standard, splits: Splits = "printed"
    ) -> Bins:
        """Make bins of the values of sketches."""
        middles = np.array([median_of(sketch) for sketch in sketches])
        spans = np.maximum(middles - low, high - middles)
        units = np.array([math.ldexp(1.0, -math.frexp(span)[1]) for span in spans.tolist()])
        inputs = np.arange(len(sketches))
        return cls(inputs, [sketch.values for sketch in sketches], middles, units, standard, splits)

    def parted(self, most: int = _MAX_INPUTS) -> list[Bins]:
        """Return the bins of a few inputs each."""
        parts = [slice(first, first + most) for first in range(0, len(self.inputs), most)]
        return [
            Bins(self.inputs[part], self.starts[part], self.middles[part], self.units[part], self.standard, self.splits)
            for part in parts
        ]


@dataclass(frozen=True, eq=False)
class BinSums:
    """What the rows in each bin of one input add up to.

    Attributes
    ----------
    rows : ndarray of shape (n_bins,)
        How many they are.
    sums : ndarray of shape (6, n_bins)
        Of the weights, and of these times x, y, y², x² and xy; x counts from the bin's lower end.
    low, high : ndarray of shape (n_bins,)
        The least and the greatest value of the input.
    """

    rows: Floats
    sums: Floats
    low: Floats
    high: Floats


def bin_block(block: Block, bins: Bins) -> list[BinSums]:
    """Sum up a block, input by input."""
    y = bins.standard.target_scale.apply(block.target)
    weight = block.weights(bins.standard.mean_weight)
    found = []
    for j, starts, unit in zip(bins.inputs, bins.starts, bins.units, strict=True):
        column = block.values[:, j]
        place = np.maximum(np.searchsorted(starts, column, side="right") - 1, 0)
        x = (column - starts[place]) * unit
        n_bins = len(starts)
        terms = (weight, weight * x, weight * y, weight * y * y, weight * x * x, weight * x * y)
        low, high = np.full(n_bins, np.inf), np.full(n_bins, -np.inf)
        np.minimum.at(low, place, column)
        np.maximum.at(high, place, column)
        sums = np.array([np.bincount(place, weights=term, minlength=n_bins) for term in terms])
        found.append(BinSums(np.bincount(place, minlength=n_bins).astype(np.float64), sums, low, high))
    return found


def merge_bins(first: list[BinSums], second: list[BinSums]) -> list[BinSums]:
    """Add up the sums of two sets of rows."""
    return [
        BinSums(
            one.rows + other.rows,
            one.sums + other.sums,
            np.minimum(one.low, other.low),
            np.maximum(one.high, other.high),
        )
        for one, other in zip(first, second, strict=True)
    ]


def splits_of_bins(found: list[BinSums], bins: Bins) -> list[NestedSplits]:
    """Find the nested split points of every input."""
    return [
        _splits_of_input(sums, starts, middle, unit, bins.splits)
        for sums, starts, middle, unit in zip(found, bins.starts, bins.middles, bins.units, strict=True)
    ]


def _splits_of_input(found: BinSums, starts: Floats, middle: float, unit: float, splits: Splits) -> NestedSplits:
    filled = found.rows > 0.0
    weight, x, y, yy, xx, xy = found.sums[:, filled]
    floor = max(_ERROR_FLOOR * float(yy.sum()), np.finfo(float).tiny)
    cells = np.array(
        [
            weight,
            (starts[filled] - middle) * unit + x / weight,
            y / weight,
            np.maximum(yy - y * y / weight, 0.0),
            np.maximum(xx - x * x / weight, 0.0),
            xy - x * y / weight,
        ]
    )
    rows = found.rows[filled].astype(np.intp)
    return splits_of_cells(rows, cells, found.low[filled], found.high[filled], error_floor=floor, splits=splits)
