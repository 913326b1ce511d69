"""The antecedents of a rule base that grows: where inputs are split, and which labels each rule accepts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler.consequents.ridge import Size
from fruler.rules.partitions import half_widths

Ranges = npt.NDArray[np.intc]
Ramps = tuple[npt.NDArray[np.intc], Floats, Floats]

# Two borders nearer than this, as a share of the input's domain, are one; a crisp border still rises over so much.
MIN_GAP = 1e-7
_MIN_WIDTH = 1e-9


@dataclass(frozen=True, eq=False)
class Structure:
    """Split points of every input, and rules as ranges of the labels between them.

    Rules only ever come from splitting another one, so that they share every row among them: the product of their
    conditions sums to one.

    Attributes
    ----------
    splits : tuple of ndarray
        The increasing split points of each input, in standardised units.
    fuzziness : tuple of ndarray
        For each split, the share of the room around it in which two labels overlap.
    ranges : ndarray of shape (n_rules, n_inputs, 2)
        The first and the last label that a rule accepts.
    """

    splits: tuple[Floats, ...]
    fuzziness: tuple[Floats, ...]
    ranges: Ranges

    @classmethod
    def undivided(cls, known: Sequence[Floats], fuzziness: float) -> Self:
        """Return one rule that accepts everything, over inputs with the splits that are known."""
        ranges = np.array([[[0, len(points)] for points in known]], dtype=np.intc)
        return cls(tuple(known), tuple(np.full(len(points), fuzziness) for points in known), ranges)

    @property
    def n_rules(self) -> int:
        """The number of rules."""
        return len(self.ranges)

    @property
    def n_splits(self) -> int:
        """The number of splits of all inputs together."""
        return sum(len(points) for points in self.splits)

    def size(self, n_rows: int) -> Size:
        """Return what the criterion charges for, if it is fitted on so many rows."""
        return Size(self.n_rules, self.n_splits, n_rows)

    def with_split(self, feature: int, position: float, fuzziness: float) -> tuple[Structure, int]:
        """Add a split that no rule uses yet, unless it is there; return its number too."""
        points = self.splits[feature]
        at = int(np.searchsorted(points, position))
        if at < len(points) and points[at] == position:
            return self, at
        ranges = self.ranges.copy()
        ranges[:, feature, 0] += ranges[:, feature, 0] > at
        ranges[:, feature, 1] += ranges[:, feature, 1] >= at
        splits, shares = list(self.splits), list(self.fuzziness)
        splits[feature] = np.insert(points, at, position)
        shares[feature] = np.insert(shares[feature], at, fuzziness)
        return Structure(tuple(splits), tuple(shares), ranges), at

    def divided(self, rule: int, feature: int, split: int) -> Structure:
        """Put two rules in the place of one: the labels up to a split, and those above it."""
        first, last = self.ranges[rule, feature]
        if not first <= split < last:
            raise ValueError(f"split {split} does not divide the labels {first} to {last}")
        pair = self.ranges[[rule, rule]]
        pair[0, feature, 1] = split
        pair[1, feature, 0] = split + 1
        ranges = np.concatenate([self.ranges[:rule], pair, self.ranges[rule + 1 :]])
        return Structure(self.splits, self.fuzziness, ranges)

    def moved(self, feature: int, split: int, position: float, fuzziness: float) -> Structure:
        """Put a split elsewhere between its neighbours, or change its fuzziness."""
        splits, shares = list(self.splits), list(self.fuzziness)
        splits[feature], shares[feature] = splits[feature].copy(), shares[feature].copy()
        splits[feature][split], shares[feature][split] = position, fuzziness
        return Structure(tuple(splits), tuple(shares), self.ranges)

    def ramps(self, domains: Floats) -> Ramps:
        """Return the number of splits of each input, and where and how steeply labels rise, as the kernels read it."""
        n_splits = np.array([len(points) for points in self.splits], dtype=np.intc)
        starts = np.zeros((len(n_splits), max(1, int(n_splits.max()))))
        slopes = np.zeros(starts.shape)
        for j in np.flatnonzero(n_splits):
            width = domains[j, 1] - domains[j, 0]
            reach = half_widths(self.splits[j], (domains[j, 0], domains[j, 1]), self.fuzziness[j])
            reach = np.maximum(reach, _MIN_WIDTH * width)
            starts[j, : n_splits[j]] = self.splits[j] - reach
            slopes[j, : n_splits[j]] = 0.5 / reach
        return n_splits, starts, slopes

    def without_idle_splits(self, kept: npt.NDArray[np.bool_]) -> Structure:
        """Drop splits that no rule uses; those of the inputs `kept` stay if any of them is used."""
        splits, shares, ranges = list(self.splits), list(self.fuzziness), self.ranges.copy()
        for j, points in enumerate(self.splits):
            used = np.isin(np.arange(len(points)), np.concatenate([ranges[:, j, 0] - 1, ranges[:, j, 1]]))
            if kept[j] and used.any():
                continue
            splits[j], shares[j] = points[used], shares[j][used]
            # A label's new number is the number of used splits below it.
            below = np.concatenate([[0], np.cumsum(used)])
            ranges[:, j] = below[ranges[:, j]]
        return Structure(tuple(splits), tuple(shares), ranges)
