"""The default way to a rule base: grown on some rows, its size chosen by cross-validation, fitted on all."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from fruler._typing import Floats
from fruler.algorithms.growth.cross_validation import N_PARTS, RIDGES, Choice, Part, cross_validate, parts_of
from fruler.algorithms.growth.fitting import Fit, Normal, fit_terms, normal_equations
from fruler.algorithms.growth.growth import Growth, GrowthSettings, Step
from fruler.algorithms.growth.state import GrowthState
from fruler.algorithms.growth.structure import Structure
from fruler.learning.control import RunControl
from fruler.learning.table import FrontPoint, Learned, TrainingData
from fruler.rules.partition import FuzzyPartition
from fruler.rules.rule_base import RuleBase, Variable
from fruler.table.known_splits import MAX_LABELS
from fruler.table.rows import Rows
from fruler.table.scaling import in_data_units

STAGES = ("growth", "validation", "fit")
# The most rows that rules are grown on; consequents are fitted on all.
MOST_GROWN_ROWS = 4_000
# The most rules, unless the user says otherwise: more are no longer read.
_MOST_RULES = 20
# The least width of an input that is split, in floats: enough for the borders that rows in number can tell apart.
_LEAST_FLOATS = 2.0**20
# How much of the time the growth may take, and the growth and its validation together.
_SHARE_OF_GROWTH, _SHARE_OF_VALIDATION = 0.3, 0.85
# The growth and each part of its validation share the evaluations that are allowed; with fewer than this each, rows are
# parted once only, and where these are too few, too, the growth has them all.
_LEAST_SHARE = 20


@dataclass(frozen=True)
class GrowthOptions:
    """The parameters of `FRULERRegressor` that this way heeds; documented there."""

    fuzziness: float
    regularization: float | None
    max_rules: int | None
    max_evaluations: int | None
    early_stopping: int | None


class GrowthLearner:
    """Learns rules by growing them.

    Parameters
    ----------
    options : GrowthOptions
        Parameters.
    data : TrainingData
        The rows to learn from.
    rng : numpy Generator
        The only source of chance.
    pool : ThreadPoolExecutor or None
        Where the parts of the validation are worked on.
    control : RunControl
        Its clock, and who watches it.
    state : GrowthState, optional
        From where to go on: of a growth on the same rows with the same seed.
    """

    def __init__(
        self,
        options: GrowthOptions,
        data: TrainingData,
        rng: np.random.Generator,
        pool: ThreadPoolExecutor | None,
        control: RunControl,
        state: GrowthState | None = None,
    ) -> None:
        self.options, self.data, self.rng = options, data, rng
        self.pool, self.control = pool, control
        self.state = GrowthState() if state is None else state
        scale = data.scale
        self.domains = np.ascontiguousarray((data.domains - scale.centre[:, None]) / scale.spread[:, None])
        self.known = [np.empty(0) for _ in range(data.n_inputs)]
        for j, points in data.known_splits.items():
            self.known[j] = (points - scale.centre[j]) / scale.spread[j]
        # Borders of an input with hardly any floats between its ends would fall together in its own units; like a
        # constant one it is not split.
        narrow = np.ptp(data.domains, axis=1) < _LEAST_FLOATS * np.spacing(np.abs(data.domains).max(axis=1))
        narrow[list(data.known_splits)] = False
        self.domains[narrow, 1] = self.domains[narrow, 0]

    def learn(self) -> Learned:
        """Grow, choose the size, tune the borders, and fit every size on all rows."""
        clock = [time.perf_counter()]
        indices = self._grown_rows()
        rows = self._rows_at(indices)
        parts = self._parts(len(rows))
        settings, ridges = self._settings(len(parts))
        self.control.has_model = len(self.state.path) > 0
        growth = Growth(
            rows,
            self.domains,
            self.known,
            settings,
            self.control.deadline(_SHARE_OF_GROWTH),
            stopped=self.control.is_stopped,
            on_step=self._tell_step,
        )
        path = growth.run(self.state.path)
        exact = not growth.out_of_time
        clock.append(time.perf_counter())
        choice = self._validate(growth, parts, ridges)
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
        error = step.fit.error * self.data.error_unit
        self.control.report("growth", len(growth.path) - 1, step.n_evaluations, step.structure.n_rules, error)

    def _validate(self, growth: Growth, parts: list[npt.NDArray[np.intp]], ridges: tuple[float, ...]) -> Choice | None:
        """Cross-validate, keeping and telling of every part."""
        start, n_known = time.monotonic(), sum(number in self.state.parts for number in range(len(parts)))

        def tell(number: int, found: list[Part]) -> None:
            self.state = replace(self.state, parts={**self.state.parts, number: found[-1]})
            self.control.keep(self.state)
            choice = Choice.from_parts(found, ridges)
            size = choice.best_size()
            n_new = len(found) - n_known
            left = (time.monotonic() - start) / n_new * (len(parts) - len(found)) if n_new > 0 else None
            self.control.report(
                "validation",
                len(found),
                growth.n_evaluations + choice.n_evaluations,
                size,
                choice.error_of(size) * self.data.error_unit,
                left,
            )

        return cross_validate(
            growth.rows,
            self.domains,
            self.known,
            growth.settings,
            ridges,
            parts,
            pool=self.pool,
            deadline=self.control.deadline(_SHARE_OF_VALIDATION),
            stopped=self.control.is_stopped,
            before=self.state.parts,
            on_part=tell,
        )

    def _grown_rows(self) -> npt.NDArray[np.intp]:
        n_rows = self.data.n_rows
        if n_rows <= MOST_GROWN_ROWS:
            return np.arange(n_rows)
        return np.sort(self.rng.choice(n_rows, MOST_GROWN_ROWS, replace=False))

    def _rows_at(self, indices: npt.NDArray[np.intp]) -> Rows:
        return self.data.rows.take(indices)

    def _normal_on_all(self, structures: list[Structure], number: int) -> tuple[Normal, Floats]:
        """Form the normal equations of one of the structures on all rows, and the share that each rule has of them."""
        normal, weight = normal_equations(structures[number], self.data.rows, self.domains), self.data.rows.weight
        return normal, np.asarray(weight @ normal.weights / weight.sum())

    def _parts(self, n_rows: int) -> list[npt.NDArray[np.intp]]:
        """Return the rows to leave out in validation, part by part: as many parts as there are evaluations for."""
        parts = parts_of(n_rows, self.rng)
        most = self.options.max_evaluations
        if most is None or most // (len(parts) + 1) >= _LEAST_SHARE:
            return parts
        return parts[:N_PARTS] if most // (N_PARTS + 1) >= _LEAST_SHARE else []

    def _settings(self, n_parts: int) -> tuple[GrowthSettings, tuple[float, ...]]:
        """Return the settings of a growth, of which there are one and as many as parts, and the ridges to try."""
        options = self.options
        settings = GrowthSettings(
            fuzziness=options.fuzziness, most_rules=min(options.max_rules or _MOST_RULES, MAX_LABELS)
        )
        if options.early_stopping is not None:
            settings = replace(settings, patience=options.early_stopping)
        if options.max_evaluations is not None:
            settings = replace(settings, most_evaluations=options.max_evaluations // (n_parts + 1))
        if options.regularization is None:
            return settings, RIDGES
        return replace(settings, ridge=options.regularization), (options.regularization,)

    def _seconds_of_fit(self, rows: Rows, structure: Structure) -> float:
        """Tell how long the fit on all rows will take, from one on those that rules were grown on."""
        if self.control.limit == np.inf:
            return 0.0
        start = time.monotonic()
        normal = normal_equations(structure, rows, self.domains)
        fit_terms(normal, structure, len(rows), RIDGES[0], GrowthSettings().prices)
        return (time.monotonic() - start) * self.data.n_rows / len(rows)

    def _finish(
        self,
        path: list[Step],
        chosen: int,
        choice: Choice | None,
        growth: Growth,
        n_evaluations: int,
    ) -> list[FrontPoint]:
        """Fit the chosen size on all rows, then the others while there is time."""
        settings, start = growth.settings, time.monotonic()
        structures = [step.structure.without_idle_splits(growth.fixed) for step in path]
        points: list[FrontPoint] = []
        for size in [chosen, *(size for size in range(len(path)) if size != chosen)]:
            if points and self.control.over():
                break
            structure = structures[size]
            normal, support = self._normal_on_all(structures, size)
            ridge = settings.ridge if choice is None else choice.best_ridge(size + 1)
            fit = fit_terms(normal, structure, self.data.n_rows, ridge, settings.prices)
            cv_error = np.nan if choice is None else choice.error_of(size + 1) * self.data.error_unit
            points.append(
                FrontPoint(
                    self._rule_base(structure, fit, support),
                    path[size].fit.criterion,
                    self._error(fit, normal) * self.data.error_unit,
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
        data = self.data
        variables = []
        for j, name in enumerate(data.names):
            points = structure.splits[j] * data.scale.spread[j] + data.scale.centre[j]
            if len(points) and j in data.known_splits:
                points = data.known_splits[j]
            variables.append(Variable(name, FuzzyPartition(points, data.domains[j], structure.fuzziness[j])))
        return RuleBase(
            tuple(variables),
            structure.ranges,
            in_data_units(fit.coefficients, data.scale, data.target_scale),
            support=support,
        )

    def _history(self, path: list[Step]) -> pd.DataFrame:
        columns = ["n_rules", "evaluations", "best_fitness", "best_error", "n_coefficients", "seconds"]
        rows: list[tuple[float, ...]] = [
            (
                step.structure.n_rules,
                step.n_evaluations,
                step.fit.criterion,
                step.fit.error * self.data.error_unit,
                step.fit.n_terms - step.structure.n_rules,
                step.seconds,
            )
            for step in path
        ]
        return pd.DataFrame(rows, columns=columns)


def _chosen_size(path: list[Step], choice: Choice | None) -> int:
    """Return the place in the path of the size to take: by validation, or by the criterion where that had no time."""
    if choice is None:
        return int(np.argmin([step.fit.criterion for step in path]))
    return min(choice.best_size(), len(path)) - 1
