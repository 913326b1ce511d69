"""The growth itself: one split after the other, each tuned, until splits no longer pay."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from fruler._typing import Floats
from fruler.algorithms.growth.normal_equations import normal_equations
from fruler.algorithms.growth.options import GrowthOptions
from fruler.algorithms.growth.split_search import SplitSearch
from fruler.algorithms.growth.structure import MIN_GAP, Structure
from fruler.consequents.ridge import Fit, Normal, Prices, fit_terms
from fruler.learning.control import never
from fruler.table.rows import Rows

# The shares of the gap to the next border by which a border is moved in the rounds of tuning.
_STEPS = (0.25, 0.15, 0.09, 0.05)


class Step(NamedTuple):
    """One size that the growth went through."""

    structure: Structure
    fit: Fit
    n_evaluations: int
    seconds: float


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
    options : GrowthOptions
        Parameters.
    deadline : float
        The value of `time.monotonic` after which nothing new is begun.
    stopped : callable, optional
        Returns whether somebody asked for the end; after it nothing new is begun either.
    on_step : callable, optional
        Called with the growth after each new size.

    Attributes
    ----------
    path : list of Step
        Every size so far, one rule first.
    splits : SplitSearch
        Where the next rule is split.
    prices : Prices
        What the criterion charges.
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
        options: GrowthOptions,
        deadline: float = np.inf,
        *,
        stopped: Callable[[], bool] = never,
        on_step: Callable[[Growth], None] | None = None,
    ) -> None:
        self.rows, self.domains, self.known = rows, domains, known
        self.options, self.deadline, self.stopped, self.on_step = options, deadline, stopped, on_step
        self.fixed = np.array([len(points) > 0 for points in known])
        self.splits = SplitSearch(rows, domains, self.fixed, options, self.admitted, lambda: self.ended)
        self.prices = Prices()
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
        limit = self.options.max_evaluations
        return self.out_of_time or (limit is not None and self.n_evaluations >= limit)

    def fit(self, structure: Structure) -> tuple[Normal, Fit]:
        """Fit the consequents of a structure."""
        self.n_evaluations += 1
        normal = normal_equations(structure, self.rows, self.domains)
        return normal, fit_terms(normal, structure.size(len(self.rows)), self.splits.ridge, self.prices)

    def run(self, path: Sequence[Step] = ()) -> list[Step]:
        """Grow until splits no longer pay; return every size on the way, one rule first.

        Parameters
        ----------
        path : sequence of Step
            Exact sizes of an earlier growth on these rows, to resume from.
        """
        start = time.monotonic()
        self.path = usable_steps(path, self.options)
        if self.path:
            self.n_exact, self.n_evaluations = len(self.path), self.path[-1].n_evaluations
            start -= self.path[-1].seconds
            normal = normal_equations(self.path[-1].structure, self.rows, self.domains)
        else:
            structure = Structure.undivided(self.known, self.options.fuzziness)
            normal, fit = self.fit(structure)
            self._add(structure, fit, start)
        while len(self.path) < self.options.max_rules and failures(self.path) < self.options.early_stopping:
            grown = self.splits.best(self.path[-1].structure, normal, self.path[-1].fit)
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

    def admitted(self, candidate: Structure) -> Fit | None:
        """Fit a candidate, unless one of its rules has too few rows."""
        normal, fit = self.fit(candidate)
        enough = (self.rows.weight @ normal.weights).min() >= self.splits.min_rows
        return fit if enough else None

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
        for target in self.splits.clear_of_values(feature, targets).tolist():
            room = min(target - edges[split], edges[split + 2] - target)
            if target != position and room > MIN_GAP * (high - low):
                yield structure.moved(feature, split, target, share)


def failures(path: Sequence[Step]) -> int:
    """Return how many of the last splits failed to lower the criterion."""
    best, failed = path[0].fit.criterion, 0
    for step in path[1:]:
        failed = 0 if step.fit.criterion < best else failed + 1
        best = min(best, step.fit.criterion)
    return failed


def usable_steps(path: Sequence[Step], options: GrowthOptions) -> list[Step]:
    """Return the first of these steps, those that a growth with other limits goes through as well."""
    limit = options.max_evaluations
    usable: list[Step] = []
    for step in path[: options.max_rules]:
        late = usable and limit is not None and step.n_evaluations >= limit
        if late or (usable and failures(usable) >= options.early_stopping):
            break
        usable.append(step)
    return usable
