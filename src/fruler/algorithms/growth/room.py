"""The room that split points have: how near they may come to each other and to the ends, and how far they may reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler.algorithms.growth.structure import Ramps
from fruler.rules.partitions import half_widths
from fruler.table.rows import Rows

# A label between two split points has at least this share of the rows: nobody believes a sliver.
MIN_LABEL = 0.05
# The least reach of a split point, as a share of the domain, and that of a crisp one.
_MIN_REACH, _CRISP_REACH = 1e-3, 1e-9
# Two split points nearer than this, as a share of the domain, are one.
_MIN_GAP = 1e-7
# The most that a split point moves in one step, as a share of the gap, and that the logarithm of its reach changes.
_MAX_STEP, _MAX_STRETCH = 0.5, 0.7


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
    """

    def __init__(self, rows: Rows, domains: Floats, known: Sequence[Floats], fuzziness: float) -> None:
        self.domains, self.known, self.fuzziness = domains, known, fuzziness
        self.fixed = np.array([len(points) > 0 for points in known])
        self.sorted = np.sort(rows.columns, axis=1)
        self.widths = domains[:, 1] - domains[:, 0]

    @property
    def least_reach(self) -> Floats:
        """The least reach of a split point of each input."""
        share = _CRISP_REACH if self.fuzziness == 0.0 else _MIN_REACH
        return np.asarray(share * self.widths)

    def largest_reaches(self, input: int, places: Floats) -> Floats:
        """Return how far the increasing split points of one input may reach."""
        low, high = self.domains[input]
        if self.fixed[input]:
            everywhere = self.known[input]
            reaches = half_widths(everywhere, (low, high), self.fuzziness)
            return np.asarray(reaches[np.searchsorted(everywhere, places)])
        return half_widths(places, (low, high), self.fuzziness)

    def limited(self, points: Ramps) -> Ramps:
        """Shorten what reaches too far, and lengthen what is narrower than can be told from a jump."""
        reaches = points.reaches.copy()
        least = self.least_reach
        for j in np.unique(points.inputs):
            own = points.of(j)
            largest = np.maximum(self.largest_reaches(j, points.places[own]), _CRISP_REACH * self.widths[j])
            reaches[own] = np.minimum(np.maximum(reaches[own], least[j]), largest)
        return replace(points, reaches=reaches)

    def moved(self, points: Ramps, steps: Floats) -> Ramps:
        """Move split points and stretch their reaches, no further than there is room for.

        Parameters
        ----------
        points : Ramps
            Where they are.
        steps : ndarray of shape (2 n_points,)
            Of each the step of its place, and the change of its reach's logarithm.
        """
        places = points.places.copy()
        for j in np.unique(points.inputs):
            if not self.fixed[j]:
                own = points.of(j)
                places[own] = self._moved(j, points.places[own], steps[0::2][own])
        reaches = points.reaches * np.exp(np.clip(steps[1::2], -_MAX_STRETCH, _MAX_STRETCH))
        return self.limited(Ramps(points.inputs, places, reaches))

    def _moved(self, input: int, old: Floats, steps: Floats) -> Floats:
        """Return the increasing places of one input's split points after a step."""
        low, high = self.domains[input]
        edges = np.concatenate([[low], old, [high]])
        gaps = np.diff(edges)
        new = old + np.clip(steps, -_MAX_STEP * gaps[:-1], _MAX_STEP * gaps[1:])
        values = self.sorted[input]
        n, least = len(values), max(1, int(MIN_LABEL * len(values)))
        for k in range(len(new)):
            below = 0 if k == 0 else int(np.searchsorted(values, new[k - 1]))
            above = n if k == len(new) - 1 else int(np.searchsorted(values, old[k + 1]))
            first, last = values[min(below + least, n - 1)], values[max(above - least - 1, 0)]
            new[k] = min(max(new[k], first), last) if first <= last else old[k]
        return old if (np.diff(new) <= _MIN_GAP * (high - low)).any() else new

    def ranks(self, input: int, places: Floats) -> Floats:
        """Return the share of the rows below some places of an input."""
        values = self.sorted[input]
        return np.searchsorted(values, places) / len(values)

    def free(self, input: int, places: Floats, points: Floats) -> npt.NDArray[np.bool_]:
        """Return which places leave no sliver between themselves, an input's split points, and its ends."""
        ranks, taken = self.ranks(input, places), np.concatenate([[0.0], self.ranks(input, points), [1.0]])
        return np.asarray((np.abs(ranks[:, None] - taken) >= MIN_LABEL).all(axis=1))
