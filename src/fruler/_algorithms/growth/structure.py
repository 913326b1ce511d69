"""The antecedents of a growing rule base: the split points of inputs, the rules, and the bends of curves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from fruler._arrays import Floats

Numbers = npt.NDArray[np.intc]


def _all_within(numbers: Numbers, least: int, below: int) -> bool:
    return bool(((least <= numbers) & (numbers < below)).all())


@dataclass(frozen=True, eq=False)
class Ramps:
    """Split points: each has an input, a place on it, and a reach to either side in which two labels overlap.

    Attributes
    ----------
    inputs : ndarray of int
        The input of each split point.
    places, reaches : ndarray
        The place of each split point, and half the width of its overlap, in standardised units.
    """

    inputs: Numbers
    places: Floats
    reaches: Floats

    @classmethod
    def none(cls) -> Self:
        """Return no split points."""
        return cls(np.empty(0, dtype=np.intc), np.empty(0), np.empty(0))

    def __len__(self) -> int:
        return len(self.places)

    @property
    def arrays(self) -> tuple[Numbers, Floats, Floats]:
        """The arrays that the kernels read."""
        return self.inputs, self.places, self.reaches

    def is_sound(self, n_inputs: int) -> bool:
        """Return whether all split points are on existing inputs and have a positive reach."""
        same = self.inputs.ndim == 1 and self.inputs.shape == self.places.shape == self.reaches.shape
        return same and _all_within(self.inputs, 0, n_inputs) and bool((self.reaches > 0.0).all())

    def of(self, input: int) -> npt.NDArray[np.intp]:
        """Return the numbers of one input's split points, from low to high."""
        own = np.flatnonzero(self.inputs == input)
        return own[np.argsort(self.places[own], kind="stable")]

    def with_point(self, input: int, place: float, reach: float) -> Ramps:
        """Add a split point at the end."""
        return Ramps(
            np.append(self.inputs, np.intc(input)), np.append(self.places, place), np.append(self.reaches, reach)
        )

    def take(self, numbers: npt.NDArray[np.intp]) -> Ramps:
        """Return some of the split points."""
        return Ramps(self.inputs[numbers], self.places[numbers], self.reaches[numbers])


@dataclass(frozen=True, eq=False)
class Structure:
    """Rules from splitting one rule again and again, and curves that all rules share.

    The consequents are hierarchical. The first rule has a block of terms. Every split opens one more block, which the
    upper of its two rules has in addition to the blocks that both inherit. A rule's consequent is the sum of its
    blocks. The terms of a block are a constant and every input; the input of the split is counted from the split
    point. If a term is left out, the two rules share it, or join without a jump.

    Attributes
    ----------
    splits : Ramps
        The split points of the rules' labels.
    bounds : ndarray of shape (n_rules, n_inputs, 2)
        The numbers of the split points between which each rule holds, the lower one and the upper one; -1 for none.
    blocks : ndarray of shape (n_rules, n_rules)
        Whether each rule has each block: 1 or 0.
    openers : ndarray of shape (n_rules,)
        The split point that opened each block; -1 for the first.
    bends : Ramps
        Where the pieces of curves begin.
    """

    splits: Ramps
    bounds: Numbers
    blocks: Floats
    openers: Numbers
    bends: Ramps

    @classmethod
    def undivided(cls, n_inputs: int) -> Self:
        """Return a structure with one rule that accepts everything, without curves."""
        bounds = np.full((1, n_inputs, 2), -1, dtype=np.intc)
        return cls(Ramps.none(), bounds, np.ones((1, 1)), np.array([-1], dtype=np.intc), Ramps.none())

    def is_sound(self, n_inputs: int) -> bool:
        """Return whether all indices are valid; kernels rely on that."""
        n_rules, n_splits = len(self.openers), len(self.splits)
        shapes = (self.bounds.shape, self.blocks.shape, self.openers.shape)
        return (
            shapes == ((n_rules, n_inputs, 2), (n_rules, n_rules), (n_rules,))
            and all(ramps.is_sound(n_inputs) for ramps in (self.splits, self.bends))
            and all(_all_within(numbers, -1, n_splits) for numbers in (self.bounds, self.openers))
        )

    @property
    def n_rules(self) -> int:
        """The number of rules."""
        return len(self.bounds)

    @property
    def n_inputs(self) -> int:
        """The number of inputs."""
        return int(self.bounds.shape[1])

    @property
    def n_curves(self) -> int:
        """The number of inputs that have a curve."""
        return len(np.unique(self.bends.inputs))

    @property
    def size(self) -> int:
        """The number of divisions: the rules less one, and the pieces of curves."""
        return self.n_rules - 1 + len(self.bends)

    @property
    def n_terms(self) -> int:
        """The number of terms that the consequents and curves could have."""
        return self.n_rules * (self.n_inputs + 1) + 2 * len(self.bends)

    @cached_property
    def counted_terms(self) -> npt.NDArray[np.bool_]:
        """Which terms are slopes or parts of curves; the others are the levels of rules."""
        counted = np.ones(self.n_terms, dtype=np.bool_)
        counted[: self.n_rules * (self.n_inputs + 1) : self.n_inputs + 1] = False
        return counted

    def n_terms_to_read(self, kept: npt.NDArray[np.bool_]) -> int:
        """Return how many slopes and lines of curves there are at most if some terms are kept.

        Every bend begins a line, and the first line of a curve has the slope that all rules share.
        """
        bent = kept[self.n_rules * (self.n_inputs + 1) :].reshape(-1, 2).any(axis=1)
        curved = np.unique(self.bends.inputs[bent])
        slopes = kept[: self.n_rules * (self.n_inputs + 1)] & self.counted_terms[: self.n_rules * (self.n_inputs + 1)]
        return int(slopes.sum() + bent.sum() + np.count_nonzero(~kept[1 + curved]))

    @cached_property
    def conditions(self) -> tuple[Numbers, Numbers, Numbers]:
        """The first condition of each rule, and the lower and upper split point of each condition, for the kernels."""
        rules, inputs = np.nonzero((self.bounds >= 0).any(axis=2))
        first = np.zeros(self.n_rules + 1, dtype=np.intc)
        np.cumsum(np.bincount(rules, minlength=self.n_rules), out=first[1:])
        lower, upper = self.bounds[rules, inputs].T
        return first, np.ascontiguousarray(lower), np.ascontiguousarray(upper)

    @cached_property
    def uses(self) -> tuple[Numbers, Numbers, Numbers, Floats]:
        """The uses of each split point: where they begin, rules, conditions, and sides (1 for lower, -1 for upper)."""
        first, lower, upper = self.conditions
        rules = np.repeat(np.arange(self.n_rules), np.diff(first))
        points = np.concatenate([lower, upper])
        numbers = np.tile(np.arange(len(lower)), 2)
        signs = np.repeat([1.0, -1.0], len(lower))
        order = np.argsort(points, kind="stable")
        order = order[points[order] >= 0]
        starts = np.searchsorted(points[order], np.arange(len(self.splits) + 1)).astype(np.intc)
        conditions = numbers[order]
        return starts, rules[conditions].astype(np.intc), conditions.astype(np.intc), signs[order]

    @cached_property
    def origins(self) -> tuple[Numbers, Floats]:
        """The column of the term of each block that counts from a split point (0: none), and that point's place."""
        opened = self.openers >= 0
        columns, places = np.zeros(self.n_rules, dtype=np.intc), np.zeros(self.n_rules)
        columns[opened] = self.splits.inputs[self.openers[opened]] + 1
        places[opened] = self.splits.places[self.openers[opened]]
        return columns, places

    def terms(self, numbers: npt.NDArray[np.intp]) -> tuple[Numbers, Numbers, Floats]:
        """Return the block, the column and the origin of some terms; the block of a curve's term is -1."""
        q = self.n_inputs + 1
        blocks, columns = np.divmod(numbers, q)
        of_curve = blocks >= self.n_rules
        own, places = self.origins
        block = np.where(of_curve, 0, blocks)
        origins = np.where(~of_curve & (columns > 0) & (columns == own[block]), places[block], 0.0)
        blocks[of_curve], columns[of_curve] = -1, numbers[of_curve] - self.n_rules * q
        return blocks.astype(np.intc), columns.astype(np.intc), origins

    def divided(self, rule: int, split: int) -> Structure:
        """Split a rule in two: the rule below the split point takes its place, the rule above comes last."""
        feature = self.splits.inputs[split]
        bounds = np.concatenate([self.bounds, self.bounds[[rule]]])
        bounds[rule, feature, 1] = bounds[-1, feature, 0] = split
        n = self.n_rules
        blocks = np.zeros((n + 1, n + 1))
        blocks[:n, :n], blocks[n, :n], blocks[n, n] = self.blocks, self.blocks[rule], 1.0
        return replace(self, bounds=bounds, blocks=blocks, openers=np.append(self.openers, np.intc(split)))

    def placed_at(self, splits: Ramps, bends: Ramps) -> Structure:
        """Move the split points and bends; the rules stay the same."""
        moved = replace(self, splits=splits, bends=bends)
        # The conditions of the rules do not depend on the places of the split points.
        vars(moved).update({name: vars(self)[name] for name in ("conditions", "uses") if name in vars(self)})
        return moved

    def with_split(self, input: int, place: float, reach: float) -> tuple[Structure, int]:
        """Add a split point that no rule uses yet; also return its number."""
        return replace(self, splits=self.splits.with_point(input, place, reach)), len(self.splits)

    def with_bend(self, input: int, place: float, reach: float) -> Structure:
        """Begin a further piece of an input's curve."""
        return replace(self, bends=self.bends.with_point(input, place, reach))

    def without_bend(self, number: int) -> Structure:
        """Drop a piece of a curve."""
        return replace(self, bends=self.bends.take(np.delete(np.arange(len(self.bends)), number)))

    def without_idle_bends(self, coefficients: Floats) -> tuple[Structure, npt.NDArray[np.bool_]]:
        """Drop bends whose terms are zero; also return which terms are left."""
        n = self.n_rules * (self.n_inputs + 1)
        used = (coefficients[n:] != 0.0).reshape(-1, 2).any(axis=1)
        left = np.concatenate([np.ones(n, dtype=np.bool_), np.repeat(used, 2)])
        return replace(self, bends=self.bends.take(np.flatnonzero(used))), left

    def reunions(self) -> Iterator[tuple[int, int]]:
        """Yield pairs of rules that came from one split and were not split again: the lower and the upper one."""
        counts = self.blocks.sum(axis=0)
        for upper in range(1, self.n_rules):
            # The last block of a rule that was not split upwards again is its own.
            for block in np.flatnonzero((self.blocks[upper] == 1.0) & (counts == 1.0)):
                split, wanted = self.openers[block], self.blocks[upper].copy()
                wanted[block] = 0.0
                feature = self.splits.inputs[split]
                for lower in np.flatnonzero((self.blocks == wanted).all(axis=1)):
                    expected = self.bounds[upper].copy()
                    expected[feature] = self.bounds[lower, feature]
                    meet = self.bounds[lower, feature, 1] == split == self.bounds[upper, feature, 0]
                    if meet and np.array_equal(expected, self.bounds[lower]):
                        yield int(lower), upper

    def reunited(self, lower: int, upper: int) -> tuple[Structure, int]:
        """Merge two rules that came from one split; also return the block that this closes."""
        [block] = np.flatnonzero(self.blocks[upper] != self.blocks[lower])
        feature = self.splits.inputs[self.openers[block]]
        bounds = self.bounds.copy()
        bounds[lower, feature, 1] = bounds[upper, feature, 1]
        kept = np.arange(self.n_rules) != upper
        blocks = np.ascontiguousarray(self.blocks[kept][:, np.arange(self.n_rules) != block])
        openers = np.delete(self.openers, block)
        return replace(self, bounds=bounds[kept], blocks=blocks, openers=openers).without_idle_splits(), int(block)

    def in_reading_order(self) -> Structure:
        """Sort the rules by their place on the input that was split first, then on the next."""
        inputs = list(dict.fromkeys(self.splits.inputs[self.openers[1:]].tolist()))
        if not inputs:
            return self
        # The last entries are for -1: no bound below, none above.
        low, high = np.append(self.splits.places, -np.inf), np.append(self.splits.places, np.inf)
        keys = [key for j in inputs for key in (low[self.bounds[:, j, 0]], high[self.bounds[:, j, 1]])]
        order = np.lexsort(keys[::-1])
        return replace(self, bounds=self.bounds[order], blocks=self.blocks[order])

    def without_idle_splits(self) -> Structure:
        """Drop split points that no rule uses."""
        used = np.unique(self.bounds[self.bounds >= 0])
        if len(used) == len(self.splits):
            return self
        # The last entry is for -1, which stays -1.
        new = np.full(len(self.splits) + 1, -1, dtype=np.intc)
        new[used] = np.arange(len(used), dtype=np.intc)
        return replace(
            self, splits=self.splits.take(used.astype(np.intp)), bounds=new[self.bounds], openers=new[self.openers]
        )
