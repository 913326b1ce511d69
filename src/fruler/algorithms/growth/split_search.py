"""Where a rule is split: the candidates, what each promises, and the best of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler.algorithms.growth.normal_equations import outputs
from fruler.algorithms.growth.options import GrowthOptions
from fruler.algorithms.growth.structure import MIN_GAP, Structure
from fruler.consequents.ridge import Fit, Normal
from fruler.kernels import growth
from fruler.table.rows import Rows

# The ridge of the growth itself, where the user gives none: cross-validation chooses that of the final consequents.
DEFAULT_RIDGE = 1e-4
# The least ridge with which a split is judged: the other rules stay as they are, and slopes on few rows run away.
_MIN_RIDGE = 1e-6
# With more inputs than this a split is first judged by the terms that the rules already use, and its own input.
_MAX_JUDGED_TERMS = 12


class Promise(NamedTuple):
    """A split and how much of the residual it could explain."""

    gain: float
    rule: int
    feature: int
    position: float


class SplitSearch:
    """Looks for the best split of any rule.

    Parameters
    ----------
    rows : Rows
        Standardised data.
    domains : ndarray of shape (n_inputs, 2)
        Least and greatest value of each input.
    fixed : ndarray of bool, shape (n_inputs,)
        Which inputs may only be split where their split points are known.
    options : GrowthOptions
        Parameters.
    admitted : callable
        Fits a structure; returns None where one of its rules has too few rows.
    ended : callable
        Returns whether nothing new may be begun.

    Attributes
    ----------
    n_candidates : int
        The most new split points that are considered for each input of a rule.
    n_tried : int
        How many of the most promising splits are fitted.
    min_rows : float
        The rows that a rule must have, as a sum of weights.
    """

    n_candidates = 7
    n_tried = 12
    min_rows = 12.0

    def __init__(
        self,
        rows: Rows,
        domains: Floats,
        fixed: npt.NDArray[np.bool_],
        options: GrowthOptions,
        admitted: Callable[[Structure], Fit | None],
        ended: Callable[[], bool],
    ) -> None:
        self.rows, self.domains, self.fixed, self.options = rows, domains, fixed, options
        self.admitted, self.ended = admitted, ended
        self.ridge = DEFAULT_RIDGE if options.regularization is None else options.regularization
        self.order = np.argsort(rows.columns, axis=1)
        self.sorted = np.take_along_axis(rows.columns, self.order, axis=1)

    def best(self, structure: Structure, normal: Normal, fit: Fit) -> tuple[Structure, Fit] | None:
        """Fit the most promising splits and return the best of them; None if there is none, or nothing may be begun."""
        found: tuple[Structure, Fit] | None = None
        promises = sorted(self.promises(structure, normal, fit), reverse=True)
        for promise in promises[: self.n_tried]:
            if self.ended():
                return found
            split, at = structure.with_split(promise.feature, promise.position, self.options.fuzziness)
            candidate = split.divided(promise.rule, promise.feature, at)
            fitted = self.admitted(candidate)
            if fitted is not None and (found is None or fitted.criterion < found[1].criterion):
                found = candidate, fitted
        return found

    def promises(self, structure: Structure, normal: Normal, fit: Fit) -> Iterator[Promise]:
        """Judge every split of every rule by what it leaves of the residual, the other rules staying as they are."""
        residual = self.rows.y - outputs(fit.coefficients, normal.weights, self.rows)
        in_use = np.flatnonzero((fit.coefficients != 0.0).any(axis=0))
        n_inputs = len(structure.splits)
        every_term, total = np.arange(n_inputs + 1), float(self.rows.weight.sum())
        for rule in range(structure.n_rules):
            weight = np.ascontiguousarray(normal.weights[:, rule])
            inside = weight > 0.5
            for feature in range(n_inputs):
                if self.ended():
                    return
                positions = self.candidates(structure, rule, feature, inside)
                if len(positions) == 0:
                    continue
                reach = self.reach(structure, feature, positions)
                judged = every_term if n_inputs <= _MAX_JUDGED_TERMS else np.union1d(in_use, [0, feature + 1])
                gains = growth.score_splits(
                    (self.rows.columns, self.rows.rows, residual, self.rows.weight),
                    judged.astype(np.intc),
                    weight,
                    feature,
                    (positions - reach, 0.5 / reach),
                    total,
                    max(self.ridge, _MIN_RIDGE),
                    self.min_rows,
                )
                for gain, position in zip(gains.tolist(), positions.tolist(), strict=True):
                    if gain > 0.0:
                        yield Promise(gain, rule, feature, position)

    def candidates(self, structure: Structure, rule: int, feature: int, inside: npt.NDArray[np.bool_]) -> Floats:
        """Return where a rule could be split: at the input's own splits, and between the values of its rows."""
        points = structure.splits[feature]
        first, last = structure.ranges[rule, feature]
        own = points[first:last]
        if self.fixed[feature]:
            return own
        low, high = self.domains[feature]
        gap = MIN_GAP * (high - low)
        edges = np.concatenate([[low], points, [high]])
        new = between(self.sorted[feature][inside[self.order[feature]]], self.n_candidates)
        new = self.clear_of_values(feature, new)
        new = new[(new > edges[first]) & (new < edges[last + 1])]
        new = new[(np.abs(new[:, None] - edges) > gap).all(axis=1)]
        return np.sort(np.concatenate([own, new])) if len(own) else new

    def clear_of_values(self, feature: int, positions: Floats) -> Floats:
        """Put crisp borders midway between two values; leave fuzzy ones where they are.

        A value on a crisp border would be on one side of it here, and by rounding on the other in the data's own units.
        """
        if self.options.fuzziness > 0.0:
            return positions
        values = self.sorted[feature]
        above = np.searchsorted(values, positions)
        inside = (above > 0) & (above < len(values))
        above = np.where(inside, above, 1 if len(values) > 1 else 0)
        return np.asarray(np.where(inside, (values[above - 1] + values[above]) / 2.0, positions))

    def reach(self, structure: Structure, feature: int, positions: Floats) -> Floats:
        """Return half the width of the overlap that a split would have at each position."""
        points, (low, high) = structure.splits[feature], self.domains[feature]
        edges = np.concatenate([[low], points, [high]])
        before, after = np.searchsorted(points, positions), np.searchsorted(points, positions, side="right")
        left = (positions - edges[before]) * np.where(before > 0, 0.5, 1.0)
        right = (edges[after + 1] - positions) * np.where(after < len(points), 0.5, 1.0)
        reach = self.options.fuzziness * np.minimum(left, right)
        return np.asarray(np.maximum(reach, MIN_GAP * (high - low)))


def between(values: Floats, max_points: int) -> Floats:
    """Return points that part increasing values into groups of about equal size, at most `max_points`.

    Few distinct values are parted in the middle between them; of many, the quantiles are taken.

    Examples
    --------
    >>> import numpy as np
    >>> between(np.array([0.0, 0.0, 1.0, 3.0]), 7).tolist()
    [0.5, 2.0]
    """
    steps = np.flatnonzero(values[1:] > values[:-1])
    if len(steps) <= max_points:
        return np.asarray((values[steps] + values[steps + 1]) / 2.0)
    ranks = (np.arange(1, max_points + 1) * len(values)) // (max_points + 1)
    points = values[ranks]
    inside = (points > values[0]) & (points < values[-1])
    inside[1:] &= points[1:] > points[:-1]
    return np.asarray(points[inside])
