"""The growth as a learner: grown on some rows, its size chosen by cross-validation, fitted on all."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import replace

import numpy as np
import pandas as pd

from fruler._typing import Floats, Indices
from fruler.algorithms.growth.cross_validation import N_FOLDS, RIDGES, Choice, CrossValidation, Fold, draw_folds
from fruler.algorithms.growth.growth import Growth, Step
from fruler.algorithms.growth.normal_equations import normal_equations
from fruler.algorithms.growth.options import GrowthOptions
from fruler.algorithms.growth.state import GrowthState
from fruler.algorithms.growth.structure import Structure
from fruler.consequents.ridge import Fit, Normal, Prices, fit_terms
from fruler.learning.algorithm import Search, SomeTable
from fruler.learning.learned import FrontPoint, Learned
from fruler.learning.training_table import LocalTable, TrainingTable
from fruler.rules.partitions import FuzzyPartition
from fruler.rules.rule_base import RuleBase
from fruler.rules.variables import Variable
from fruler.table.known_splits import MAX_LABELS
from fruler.table.rows import Rows
from fruler.table.scaling import in_data_units

STAGES = ("growth", "cross-validation", "fit")
# The most rows that rules are grown on; consequents are fitted on all.
MAX_GROWN_ROWS = 4_000
# The least width of an input that is split, in floats: enough for the split points that rows in number can tell apart.
_MIN_FLOATS = 2.0**20
# How much of the time the growth may take, and the growth and its cross-validation together.
_SHARE_OF_GROWTH, _SHARE_OF_VALIDATION = 0.3, 0.85
# The growth and each fold share the evaluations that are allowed; with fewer than this each, folds are drawn once only,
# and where these are too few, too, the growth has them all.
_MIN_SHARE = 20


class GrowthLearner(ABC):
    """Learns rules by growing them.

    What it needs of all rows is left to subclasses: one for rows that are here, one for rows with the workers.

    Parameters
    ----------
    search : Search
        Options, rows, and the state to resume from.
    """

    table: TrainingTable

    def __init__(self, search: Search[GrowthOptions, SomeTable, GrowthState]) -> None:
        self.options, self.rng = search.options, search.rng
        self.pool, self.control = search.pool, search.control
        self.table = table = search.table
        self.state = GrowthState() if search.state is None else search.state
        scale = table.scale
        self.domains = np.ascontiguousarray((table.domains - scale.centre[:, None]) / scale.spread[:, None])
        self.known = [np.empty(0) for _ in range(table.n_inputs)]
        for j, points in table.known_splits.items():
            self.known[j] = (points - scale.centre[j]) / scale.spread[j]
        # Split points of an input with hardly any floats between its ends would fall together in its own units; like a
        # constant one it is not split.
        narrow = np.ptp(table.domains, axis=1) < _MIN_FLOATS * np.spacing(np.abs(table.domains).max(axis=1))
        narrow[list(table.known_splits)] = False
        self.domains[narrow, 1] = self.domains[narrow, 0]

    @abstractmethod
    def _normal_on_all(self, structures: list[Structure], number: int) -> tuple[Normal, Floats]:
        """Form the normal equations of one of the structures on all rows, and the share that each rule has of them."""

    def learn(self) -> Learned:
        """Grow, choose the size, tune the split points, and fit every size on all rows."""
        clock = [time.perf_counter()]
        indices = self._grown_rows()
        rows = self.table.take(indices)
        folds = self._folds(len(rows))
        options = self._options_of_one(len(folds))
        self.control.has_model = len(self.state.path) > 0
        growth = Growth(
            rows,
            self.domains,
            self.known,
            options,
            self.control.deadline(_SHARE_OF_GROWTH),
            stopped=self.control.is_stopped,
            on_step=self._tell_step,
        )
        path = growth.run(self.state.path)
        exact = not growth.out_of_time
        clock.append(time.perf_counter())
        choice = self._cross_validate(growth, folds)
        exact = exact and not self.control.over(_SHARE_OF_VALIDATION)
        clock.append(time.perf_counter())
        chosen = _chosen_size(path, choice)
        growth.deadline = self.control.deadline() - self._seconds_of_fit(rows, path[chosen].structure)
        structure, fit = growth.tune(path[chosen].structure, path[chosen].fit)
        path[chosen] = path[chosen]._replace(structure=structure, fit=fit)
        n_evaluations = growth.n_evaluations + (0 if choice is None else choice.n_evaluations)
        exact = exact and not growth.out_of_time
        points = self._finish(path, chosen, choice, growth, n_evaluations)
        clock.append(time.perf_counter())
        n_rules = chosen + 1
        return Learned(
            tuple(points),
            [point.rule_base.n_rules for point in points].index(n_rules),
            n_evaluations,
            self._history(path),
            indices,
            dict(zip(STAGES, np.diff(clock).tolist(), strict=True)),
            exact and not self.control.over(),
        )

    def _tell_step(self, growth: Growth) -> None:
        """Keep and tell of a size that the growth came to."""
        self.control.has_model = True
        step = growth.path[-1]
        if growth.n_exact == len(growth.path):
            self.state = replace(self.state, path=tuple(growth.path))
            self.control.keep(self.state)
        error = step.fit.error * self.table.error_unit
        self.control.report("growth", len(growth.path) - 1, step.n_evaluations, step.structure.n_rules, error)

    def _cross_validate(self, growth: Growth, folds: list[Indices]) -> Choice | None:
        """Cross-validate, keeping and telling of every fold."""
        start, n_known = time.monotonic(), sum(number in self.state.folds for number in range(len(folds)))
        ridges = RIDGES if self.options.regularization is None else (self.options.regularization,)

        def tell(number: int, found: list[Fold]) -> None:
            self.state = replace(self.state, folds={**self.state.folds, number: found[-1]})
            self.control.keep(self.state)
            choice = Choice.from_folds(found, ridges)
            size = choice.best_size()
            n_new = len(found) - n_known
            left = (time.monotonic() - start) / n_new * (len(folds) - len(found)) if n_new > 0 else None
            self.control.report(
                "cross-validation",
                len(found),
                growth.n_evaluations + choice.n_evaluations,
                size,
                choice.error_of(size) * self.table.error_unit,
                left,
            )

        validation = CrossValidation(
            growth.rows,
            self.domains,
            self.known,
            growth.options,
            ridges,
            folds,
            self.control.deadline(_SHARE_OF_VALIDATION),
            self.control.is_stopped,
        )
        return validation.run(self.pool, self.state.folds, tell)

    def _grown_rows(self) -> Indices:
        n_rows = self.table.n_rows
        if n_rows <= MAX_GROWN_ROWS:
            return np.arange(n_rows)
        return np.sort(self.rng.choice(n_rows, MAX_GROWN_ROWS, replace=False))

    def _folds(self, n_rows: int) -> list[Indices]:
        """Return the rows to hold out, fold by fold: as many folds as there are evaluations for."""
        folds = draw_folds(n_rows, self.rng)
        limit = self.options.max_evaluations
        if limit is None or limit // (len(folds) + 1) >= _MIN_SHARE:
            return folds
        return folds[:N_FOLDS] if limit // (N_FOLDS + 1) >= _MIN_SHARE else []

    def _options_of_one(self, n_folds: int) -> GrowthOptions:
        """Return the options of one growth, which shares the evaluations with those of all folds."""
        limit = self.options.max_evaluations
        return replace(
            self.options,
            max_rules=min(self.options.max_rules, MAX_LABELS),
            max_evaluations=None if limit is None else limit // (n_folds + 1),
        )

    def _seconds_of_fit(self, rows: Rows, structure: Structure) -> float:
        """Estimate how long the fit on all rows will take, from one on those that rules were grown on."""
        if self.control.limit == np.inf:
            return 0.0
        start = time.monotonic()
        normal = normal_equations(structure, rows, self.domains)
        fit_terms(normal, structure.size(len(rows)), RIDGES[0], Prices())
        return (time.monotonic() - start) * self.table.n_rows / len(rows)

    def _finish(
        self,
        path: list[Step],
        chosen: int,
        choice: Choice | None,
        growth: Growth,
        n_evaluations: int,
    ) -> list[FrontPoint]:
        """Fit the chosen size on all rows, then the others while there is time."""
        start = time.monotonic()
        structures = [step.structure.without_idle_splits(growth.fixed) for step in path]
        points: list[FrontPoint] = []
        for size in [chosen, *(size for size in range(len(path)) if size != chosen)]:
            if points and self.control.over():
                break
            structure = structures[size]
            normal, support = self._normal_on_all(structures, size)
            ridge = growth.splits.ridge if choice is None else choice.best_ridge(size + 1)
            fit = fit_terms(normal, structure.size(self.table.n_rows), ridge, growth.prices)
            cv_error = np.nan if choice is None else choice.error_of(size + 1) * self.table.error_unit
            points.append(
                FrontPoint(
                    self._rule_base(structure, fit, support),
                    path[size].fit.criterion,
                    self._error(fit, normal) * self.table.error_unit,
                    cv_error,
                    ridge,
                    0,
                )
            )
            left = (time.monotonic() - start) / len(points) * (len(path) - len(points))
            best = points[0]
            self.control.report("fit", len(points), n_evaluations, best.rule_base.n_rules, best.error, left)
        return sorted(points, key=lambda point: point.rule_base.n_rules)

    def _error(self, fit: Fit, normal: Normal) -> float:
        """Return the mean squared error without the ridge's share, from the normal equations."""
        flat = fit.coefficients.ravel()
        return max(float(normal.square - 2.0 * flat @ normal.moment + flat @ normal.gram @ flat), 0.0)

    def _rule_base(self, structure: Structure, fit: Fit, support: Floats) -> RuleBase:
        table = self.table
        variables = []
        for j, name in enumerate(table.names):
            points = structure.splits[j] * table.scale.spread[j] + table.scale.centre[j]
            if len(points) and j in table.known_splits:
                points = table.known_splits[j]
            variables.append(Variable(name, FuzzyPartition(points, table.domains[j], structure.fuzziness[j])))
        return RuleBase(
            tuple(variables),
            structure.ranges,
            in_data_units(fit.coefficients, table.scale, table.target_scale),
            support=support,
        )

    def _history(self, path: list[Step]) -> pd.DataFrame:
        columns = ["n_rules", "evaluations", "best_fitness", "best_error", "n_coefficients", "seconds"]
        rows: list[tuple[float, ...]] = [
            (
                step.structure.n_rules,
                step.n_evaluations,
                step.fit.criterion,
                step.fit.error * self.table.error_unit,
                step.fit.n_terms - step.structure.n_rules,
                step.seconds,
            )
            for step in path
        ]
        return pd.DataFrame(rows, columns=columns)


class LocalGrowthLearner(GrowthLearner):
    """A `GrowthLearner` of a table in memory."""

    table: LocalTable

    def _normal_on_all(self, structures: list[Structure], number: int) -> tuple[Normal, Floats]:
        rows = self.table.rows
        normal, weight = normal_equations(structures[number], rows, self.domains), rows.weight
        return normal, np.asarray(weight @ normal.weights / weight.sum())


def _chosen_size(path: list[Step], choice: Choice | None) -> int:
    """Return the place in the path of the size to take: by validation, or by the criterion where that had no time."""
    if choice is None:
        return int(np.argmin([step.fit.criterion for step in path]))
    return min(choice.best_size(), len(path)) - 1
