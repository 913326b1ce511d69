"""The room that split points have: how near they may come to each other and to the ends, and how far they may reach."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler.algorithms.growth.structure import Ramps
from fruler.kernels import growth_tuning
from fruler.rules.partitions import half_widths
from fruler.table.rows import Rows

# A label between two split points has at least this share of the rows: nobody believes a sliver.
MIN_LABEL = 0.05
# And at least this share of the range that most rows lie in: all but a hundredth at either end, which may be far out.
MIN_WIDTH, _TAIL = 0.02, 0.01
# Unless so large a share of the rows crowds there, or the input is discrete there: the label stands for at most so many
# values, each of them so often on average.
MANY_ROWS, MAX_DISTINCT, MIN_REPEATS = 0.1, 10, 5
# So many rows are no sliver, whatever their share; but so many of those that are grown on must be there to judge it by.
_ENOUGH_ROWS, _MIN_GROWN_ON = 500, 60
# The least reach of a split point, as a share of the domain, and that of a crisp one.
_MIN_REACH, _CRISP_REACH = 1e-3, 1e-9
# Two split points nearer than this, as a share of the domain, are one.
_MIN_GAP = 1e-7
# The most that a split point moves in one step, as a share of the gap, and that the logarithm of its reach changes.
_MAX_STEP, _MAX_STRETCH = 0.5, 0.7


def least_label(n_rows: int, n_grown_on: int) -> float:
    """Return the least share of the rows that a label has, if rules are grown on some of all rows.

    Examples
    --------
    >>> least_label(900, 900), least_label(20_000, 10_000), least_label(1_000_000, 10_000)
    (0.05, 0.025, 0.006)
    """
    if n_rows == n_grown_on:
        return MIN_LABEL
    return min(MIN_LABEL, max(_ENOUGH_ROWS / n_rows, _MIN_GROWN_ON / n_grown_on))


class Room:
    """Where the split points of some rows' inputs may be.

    Parameters
    ----------
    rows : Rows
        Standardised data.
    domains : ndarray of shape (n_inputs, 2)
        Least and greatest value of each input.
    known : sequence of ndarray
        Split points that are known, by input; empty where they are to be found.
    fuzziness : float
        The largest share of the room around a split point that its overlap may have.
    min_label : float
        The least share of the rows that a label has.
    nominal : ndarray of bool, optional
        The inputs that stand for categories: their split points, which are known, do not overlap.
    """

    def __init__(
        self,
        rows: Rows,
        domains: Floats,
        known: Sequence[Floats],
        fuzziness: float,
        min_label: float = MIN_LABEL,
        nominal: npt.NDArray[np.bool_] | None = None,
    ) -> None:
        self.domains, self.known, self.fuzziness, self.min_label = domains, known, fuzziness, min_label
        self.fixed = np.array([len(points) > 0 for points in known])
        self.nominal = np.zeros(len(known), dtype=np.bool_) if nominal is None else nominal
        self.sorted = np.sort(rows.columns, axis=1)
        self.widths = domains[:, 1] - domains[:, 0]
        self.least_widths = least_widths(self.sorted)
        self.distinct = np.zeros(self.sorted.shape, dtype=np.intc)
        np.cumsum(np.diff(self.sorted, axis=1) > 0.0, axis=1, out=self.distinct[:, 1:])
        # The least rows of a label, rounded up, but for rounding itself.
        self.min_rows = max(1, math.ceil(min_label * len(rows) - 1e-9))
        # What excuses a narrow label.
        self.enough = np.array([math.ceil(MANY_ROWS * len(rows)), MAX_DISTINCT, MIN_REPEATS], dtype=np.intc)
        # The reach of a crisp split point of each input, and the least of others.
        self.crisp_reach = _CRISP_REACH * self.widths
        self.least_reach = self.crisp_reach if fuzziness == 0.0 else _MIN_REACH * self.widths

    def largest_reaches(self, points: Ramps) -> Floats:
        """Return how far split points may reach: half way to a neighbour, all the way to an end of the domain.

        Where split points are known, all of them are neighbours.
        """
        room = growth_tuning.largest_reaches(points.inputs, points.places, self.domains)
        for k in np.flatnonzero(self.fixed[points.inputs]):
            known, (low, high) = self.known[points.inputs[k]], self.domains[points.inputs[k]]
            room[k] = half_widths(known, (low, high), 1.0)[np.abs(known - points.places[k]).argmin()]
        fuzziness = np.where(self.nominal[points.inputs], 0.0, self.fuzziness)
        return np.maximum(fuzziness * room, self.crisp_reach[points.inputs])

    def limited(self, points: Ramps) -> Ramps:
        """Shorten what reaches too far, and lengthen what is narrower than can be told from a jump."""
        reaches = np.maximum(points.reaches, self.least_reach[points.inputs])
        return replace(points, reaches=np.minimum(reaches, self.largest_reaches(points)))

    def moved(self, points: Ramps, steps: Floats) -> Ramps:
        """Move split points and stretch their reaches, no further than there is room for.

        Parameters
        ----------
        points : Ramps
            Where they are.
        steps : ndarray of shape (2 n_points,)
            Of each the step of its place, and the change of its reach's logarithm.
        """
        places = growth_tuning.moved_places(
            points.inputs,
            points.places,
            np.ascontiguousarray(steps[0::2]),
            (self.sorted, self.distinct, self.least_widths),
            self.domains,
            self.fixed.view(np.uint8),
            _MAX_STEP,
            self.min_rows,
            _MIN_GAP,
            self.enough,
        )
        reaches = points.reaches * np.exp(np.clip(steps[1::2], -_MAX_STRETCH, _MAX_STRETCH))
        return self.limited(Ramps(points.inputs, places, reaches))

    def ranks(self, input: int, places: Floats) -> Floats:
        """Return the share of the rows below some places of an input."""
        values = self.sorted[input]
        return np.searchsorted(values, places) / len(values)

    def free(self, input: int, places: Floats, points: Floats) -> npt.NDArray[np.bool_]:
        """Return which places leave no sliver between themselves, an input's split points, and its ends."""
        ranks, taken = self.ranks(input, places), np.concatenate([[0.0], self.ranks(input, points), [1.0]])
        free = (np.abs(ranks[:, None] - taken) >= self.min_label).all(axis=1)
        edges = np.concatenate([self.domains[input, :1], points, self.domains[input, 1:]])
        at = np.searchsorted(points, places)
        return np.asarray(free & ~self.slivers(input, edges[at], places) & ~self.slivers(input, places, edges[at + 1]))

    def slivers(self, input: int, lows: Floats, highs: Floats) -> npt.NDArray[np.bool_]:
        """Return which labels of an input, each from a low to a high end, are too narrow to be told of."""
        return growth_tuning.slivers(
            self.sorted[input], self.distinct[input], lows, highs, self.least_widths[input], self.enough
        )


def least_widths(values: Floats) -> Floats:
    """Return the least width of a label of each input.

    Parameters
    ----------
    values : ndarray of shape (n_inputs, n_rows)
        The values of each input, in increasing order.

    Examples
    --------
    A single value far out does not make the range of the others wider:

    >>> import numpy as np
    >>> least_widths(np.array([np.arange(1_000.0), [*np.arange(999.0), 1e9]])).round(1).tolist()
    [19.6, 19.6]
    """
    tail = int(_TAIL * values.shape[1])
    return np.asarray(MIN_WIDTH * (values[:, -1 - tail] - values[:, tail]))
