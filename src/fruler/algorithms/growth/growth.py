"""The growth itself: which rule to split where, one split at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler.algorithms.growth.fitting import Fit, Normal, Prices, fit_terms, normal_equations, outputs
from fruler.algorithms.growth.structure import LEAST_GAP, Structure
from fruler.kernels import growth
from fruler.learning.control import never
from fruler.table.rows import Rows

# With more inputs than this a split is first judged by the terms that the rules already use, and its own input.
_MOST_JUDGED_TERMS = 12
# The shares of the gap to the next border by which a border is moved in the rounds of tuning.
_STEPS = (0.25, 0.15, 0.09, 0.05)


@dataclass(frozen=True)
class GrowthSettings:
    """Parameters of the growth.

    Attributes
    ----------
    most_rules : int
        No more rules than these.
    patience : int
        How many splits in a row may fail to lower the criterion before the growth ends.
    n_candidates : int
        The most new split points that are looked at for each input of a rule.
    n_tried : int
        How many of the most promising splits are fitted.
    least_rows : float
        The rows that a rule must have at least, as a sum of weights.
    fuzziness : float
        Of new splits.
    ridge : float
        The weight of half the squared slopes.
    prices : Prices
        What the criterion charges.
    most_evaluations : int or None
        After so many structures nothing new is begun.
    """

    most_rules: int = 20
    patience: int = 3
    n_candidates: int = 7
    n_tried: int = 12
    least_rows: float = 12.0
    fuzziness: float = 1.0
    ridge: float = 1e-4
    prices: Prices = field(default_factory=Prices)
    most_evaluations: int | None = None


class Step(NamedTuple):
    """One size that the growth went through."""

    structure: Structure
    fit: Fit
    n_evaluations: int
    seconds: float


class Promise(NamedTuple):
    """A split and how much of the residual it could explain."""

    gain: float
    rule: int
    feature: int
    position: float


class Growth:
    """Grows a rule base on some rows.

    Parameters
    ----------
    rows : Rows
        Standardised data.
    domains : ndarray of shape (n_inputs, 2)
        Least and greatest value of each input.
    known : list of ndarray
        Split points that are known, by input; empty where they are to be found.
    settings : GrowthSettings
        Parameters.
    deadline : float
        The value of `time.monotonic` after which nothing new is begun.
    stopped : callable, optional
        Tells whether somebody asked for the end; after it nothing new is begun either.
    on_step : callable, optional
        Called with the growth after each new size.

    Attributes
    ----------
    path : list of Step
        Every size so far, one rule first.
    n_exact : int
        How many of them, from the first, no limit has cut short: another growth on these rows goes through the same.
    n_evaluations : int
        The structures that were fitted.
    """

    def __init__(
        self,
        rows: Rows,
        domains: Floats,
        known: list[Floats],
        settings: GrowthSettings,
        deadline: float = np.inf,
        *,
        stopped: Callable[[], bool] = never,
        on_step: Callable[[Growth], None] | None = None,
    ) -> None:
        self.rows, self.domains, self.known = rows, domains, known
        self.settings, self.deadline, self.stopped, self.on_step = settings, deadline, stopped, on_step
        self.fixed = np.array([len(points) > 0 for points in known])
        self.order = np.argsort(rows.columns, axis=1)
        self.sorted = np.take_along_axis(rows.columns, self.order, axis=1)
        self.n_evaluations = 0
        self.path: list[Step] = []
        self.n_exact = 0

    @property
    def out_of_time(self) -> bool:
        """Whether the deadline has passed, or somebody asked for the end."""
        return self.stopped() or time.monotonic() > self.deadline

    @property
    def ended(self) -> bool:
        """Whether nothing new may be begun."""
        most = self.settings.most_evaluations
        return self.out_of_time or (most is not None and self.n_evaluations >= most)

    def fit(self, structure: Structure) -> tuple[Normal, Fit]:
        """Fit the consequents of a structure."""
        self.n_evaluations += 1
        normal = normal_equations(structure, self.rows, self.domains)
        settings = self.settings
        return normal, fit_terms(normal, structure, len(self.rows), settings.ridge, settings.prices)

    def run(self, path: Sequence[Step] = ()) -> list[Step]:
        """Grow until splits no longer pay; return every size on the way, one rule first.

        Parameters
        ----------
        path : sequence of Step
            Exact sizes of an earlier growth on these rows, to go on from.
        """
        start = time.monotonic()
        self.path = usable_steps(path, self.settings)
        if self.path:
            self.n_exact, self.n_evaluations = len(self.path), self.path[-1].n_evaluations
            start -= self.path[-1].seconds
            normal = normal_equations(self.path[-1].structure, self.rows, self.domains)
        else:
            structure = Structure.undivided(self.known, self.settings.fuzziness)
            normal, fit = self.fit(structure)
            self._add(structure, fit, start)
        while len(self.path) < self.settings.most_rules and failures(self.path) < self.settings.patience:
            grown = self.split_best(self.path[-1].structure, normal, self.path[-1].fit)
            if grown is None:
                break
            structure, fit = self.tune(*grown, _STEPS[:1])
            normal = normal_equations(structure, self.rows, self.domains)
            self._add(structure, fit, start)
        return self.path

    def _add(self, structure: Structure, fit: Fit, start: float) -> None:
        self.path.append(Step(structure, fit, self.n_evaluations, time.monotonic() - start))
        # A limit, once reached, stays so: where there is none now, there was none on the way.
        if not self.ended:
            self.n_exact = len(self.path)
        if self.on_step is not None:
            self.on_step(self)

    def split_best(self, structure: Structure, normal: Normal, fit: Fit) -> tuple[Structure, Fit] | None:
        """Fit the most promising splits and return the best of them; None if there is none, or nothing may be begun."""
        found: tuple[Structure, Fit] | None = None
        promises = sorted(self.promises(structure, normal, fit), reverse=True)
        for promise in promises[: self.settings.n_tried]:
            if self.ended:
                return found
            split, at = structure.with_split(promise.feature, promise.position, self.settings.fuzziness)
            candidate = split.divided(promise.rule, promise.feature, at)
            fitted = self.admitted(candidate)
            if fitted is not None and (found is None or fitted.criterion < found[1].criterion):
                found = candidate, fitted
        return found

    def admitted(self, candidate: Structure) -> Fit | None:
        """Fit a candidate, unless one of its rules has too few rows."""
        normal, fit = self.fit(candidate)
        enough = (self.rows.weight @ normal.weights).min() >= self.settings.least_rows
        return fit if enough else None

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
                if self.ended:
                    return
                positions = self.candidates(structure, rule, feature, inside)
                if len(positions) == 0:
                    continue
                reach = self.reach(structure, feature, positions)
                judged = every_term if n_inputs <= _MOST_JUDGED_TERMS else np.union1d(in_use, [0, feature + 1])
                gains = growth.score_splits(
                    self.rows.columns,
                    self.rows.rows,
                    judged.astype(np.intc),
                    residual,
                    self.rows.weight,
                    weight,
                    feature,
                    positions - reach,
                    0.5 / reach,
                    total,
                    max(self.settings.ridge, 1e-6),
                    self.settings.least_rows,
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
        gap = LEAST_GAP * (high - low)
        edges = np.concatenate([[low], points, [high]])
        new = between(self.sorted[feature][inside[self.order[feature]]], self.settings.n_candidates)
        new = self.clear_of_values(feature, new)
        new = new[(new > edges[first]) & (new < edges[last + 1])]
        new = new[(np.abs(new[:, None] - edges) > gap).all(axis=1)]
        return np.sort(np.concatenate([own, new])) if len(own) else new

    def clear_of_values(self, feature: int, positions: Floats) -> Floats:
        """Put crisp borders midway between two values; leave fuzzy ones where they are.

        A value on a crisp border would be on one side of it here, and by rounding on the other in the data's own units.
        """
        if self.settings.fuzziness > 0.0:
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
        reach = self.settings.fuzziness * np.minimum(left, right)
        return np.asarray(np.maximum(reach, LEAST_GAP * (high - low)))

    def tune(self, structure: Structure, fit: Fit, steps: tuple[float, ...] = _STEPS) -> tuple[Structure, Fit]:
        """Move borders, one after the other, while that lowers the criterion; in each round by a smaller step."""
        for step in steps:
            for feature in np.flatnonzero(~self.fixed):
                for split in range(len(structure.splits[feature])):
                    for moved in self.moves(structure, int(feature), split, step):
                        if self.ended:
                            return structure, fit
                        fitted = self.admitted(moved)
                        if fitted is not None and fitted.criterion < fit.criterion:
                            structure, fit = moved, fitted
        return structure, fit

    def moves(self, structure: Structure, feature: int, split: int, step: float) -> Iterator[Structure]:
        """Return the structure with a border moved down, and up, where there is room."""
        points, (low, high) = structure.splits[feature], self.domains[feature]
        edges = np.concatenate([[low], points, [high]])
        position, share = float(points[split]), float(structure.fuzziness[feature][split])
        targets = position + step * (edges[[split, split + 2]] - position)
        for target in self.clear_of_values(feature, targets).tolist():
            room = min(target - edges[split], edges[split + 2] - target)
            if target != position and room > LEAST_GAP * (high - low):
                yield structure.moved(feature, split, target, share)


def failures(path: Sequence[Step]) -> int:
    """Return how many of the last splits failed to lower the criterion."""
    best, failed = path[0].fit.criterion, 0
    for step in path[1:]:
        failed = 0 if step.fit.criterion < best else failed + 1
        best = min(best, step.fit.criterion)
    return failed


def usable_steps(path: Sequence[Step], settings: GrowthSettings) -> list[Step]:
    """Return the first of these steps, those that a growth with other limits goes through as well."""
    most = settings.most_evaluations
    usable: list[Step] = []
    for step in path[: settings.most_rules]:
        late = usable and most is not None and step.n_evaluations >= most
        if late or (usable and failures(usable) >= settings.patience):
            break
        usable.append(step)
    return usable


def between(values: Floats, most: int) -> Floats:
    """Return points that part increasing values into groups of about equal size, at most so many.

    Few distinct values are parted in the middle between them; of many, the quantiles are taken.

    Examples
    --------
    >>> import numpy as np
    >>> between(np.array([0.0, 0.0, 1.0, 3.0]), 7).tolist()
    [0.5, 2.0]
    """
    steps = np.flatnonzero(values[1:] > values[:-1])
    if len(steps) <= most:
        return np.asarray((values[steps] + values[steps + 1]) / 2.0)
    ranks = (np.arange(1, most + 1) * len(values)) // (most + 1)
    points = values[ranks]
    inside = (points > values[0]) & (points < values[-1])
    inside[1:] &= points[1:] > points[:-1]
    return np.asarray(points[inside])
