"""The growth as a learner: rules grown on some rows, their size chosen by cross-validation, and fitted on all."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import numpy.typing as npt
import pandas as pd

from fruler._algorithms.growth.conversion import Conversion, in_units
from fruler._algorithms.growth.cross_validation import (
    RIDGES,
    Choice,
    CrossValidation,
    Fold,
    Size,
    baselines_of,
    chosen_size,
    draw_folds,
    residuals_of,
    sizes_by_rules,
)
from fruler._algorithms.growth.growth import Growth, Step, growth_seconds_left
from fruler._algorithms.growth.options import GrowthOptions
from fruler._algorithms.growth.problem import (
    MAX_INPUTS,
    GrowthProblem,
    Knowledge,
    RowGroups,
    distinct_inputs,
    draw_rows,
    grouped_rows,
    least_label,
    on_grid,
)
from fruler._algorithms.growth.rule_truth import Finished, made_true, rule_truth
from fruler._algorithms.growth.structure import Structure
from fruler._algorithms.growth.sums import Around, Sums, degrees_of, sum_rows
from fruler._algorithms.growth.terms import TermFit
from fruler._arrays import Floats, Indices
from fruler._table.constraints import MAX_LABELS
from fruler._table.rows import Rows
from fruler.learning._folds import Split
from fruler.learning._training_table import LocalTable
from fruler.learning.algorithm import Algorithm, Search
from fruler.learning.learned import Baselines, FrontPoint, Learned
from fruler.rules.intervals import HeldOutErrors, cross_validated_intervals

STAGES = ("growth", "cross-validation", "fit")
# Rules are grown on at most MAX_GROWN_ROWS rows; with many inputs on fewer, but on at least _MIN_GROWN_ROWS.
# Consequents are fitted on all rows.
MAX_GROWN_ROWS, _MIN_GROWN_ROWS, _MAX_GROWN_NUMBERS = 10_000, 4_000, 300_000
# An input is split only if its domain spans this many floats: with fewer, split points and slopes blur.
_MIN_FLOATS = 2.0**10
# The share of the time that the growth may take, and that the growth and its cross-validation may take together.
_SHARE_OF_GROWTH, _SHARE_OF_VALIDATION = 0.3, 0.85
# An error this share above the smallest is close to it.
_CLOSE = 0.02
# The rounds in which a loss chooses the terms of a finished model, and the most until their coefficients stay as they
# are: none changes by more than this.
_N_CHOOSING, _MAX_SETTLING, _STILL = 2, 20, 1e-6
# Models with fewer terms have this share of the terms of the next larger one.
_FEWER_TERMS = 0.7
# The growth and each fold share the allowed evaluations; with fewer than this each, the growth gets all of them.
_MIN_SHARE = 20

# Returns the sums over rows: of their targets, or of the responses around predictions.
Summed = Callable[..., Sums]


@dataclass(frozen=True, eq=False)
class GrowthState:
    """The finished parts of a growth and its cross-validation; no limit cut any of them short.

    Attributes
    ----------
    path : tuple of Step
        The sizes that the growth went through.
    max_rules : int or None
        The maximum number of rules of the growth; None before it began.
    folds : mapping of int to Fold
        The finished folds of the cross-validation, by number.
    """

    path: tuple[Step, ...] = ()
    max_rules: int | None = None
    folds: Mapping[int, Fold] = field(default_factory=dict)

    @property
    def n_evaluations(self) -> int:
        """The number of candidates evaluated so far."""
        return sum(step.n_evaluations for step in self.path[-1:]) + sum(
            fold.n_evaluations for fold in self.folds.values()
        )


class GrowthLearner:
    """Learns rules by growing them.

    Parameters
    ----------
    search : Search
        Options, rows, and the state to resume from.
    """

    # Set with the rows to grow on: the number of folds, and the number of rows that a row of the table stands for.
    n_folds, rows_per_row = 0, 1.0
    # The inputs of the table that the rows to grow on have.
    inputs: Indices

    def __init__(self, search: Search[GrowthOptions, LocalTable, GrowthState]) -> None:
        self.options, self.rng, self.table = search.options, search.rng, search.table
        self.pool, self.control, self.keeper = search.pool, search.control, search.keeper
        self.state = GrowthState() if search.state is None else search.state
        # The folds of the cross-validation that determined the choice, by number.
        self.validated: dict[int, Fold] = {}
        # Models with fewer terms than `max_terms`.
        self._fewer: list[FrontPoint] = []
        # The fit of each finished model to sums over rows, by its number of rules.
        self._fits: dict[int, tuple[Structure, Callable[[Summed], FrontPoint]]] = {}

    def learn(self) -> Learned:
        """Grow, choose the size, tune the split points, and fit every size on all rows."""
        clock = [time.perf_counter()]
        indices, drawn = self._grown_rows()
        self.inputs = self._inputs_to_grow_on(drawn)
        own = None if self.table.folds is None else self.table.folds.take(indices)
        groups = grouped_rows(drawn.with_inputs(self.inputs), MAX_GROWN_ROWS, own)
        rows = groups.rows
        self.rows_per_row = len(rows) / len(drawn)
        folds = self._folds(groups)
        self.n_folds = len(folds)
        options = self._options_of_one(len(folds))
        self.control.has_model = len(self.state.path) > 0
        problem = self._problem(rows, options, least_label(self.table.n_all, len(drawn)))
        growth = Growth(problem, self.control.budget(_SHARE_OF_GROWTH), on_step=self._tell_step)
        path = growth.run(self.state.path, self.state.max_rules)
        exact = not growth.out_of_time
        self.keeper.end_stage()
        clock.append(time.perf_counter())
        choice = self._cross_validate(problem, growth, path, folds)
        self.keeper.end_stage()
        exact = exact and not self.control.over(_SHARE_OF_VALIDATION)
        clock.append(time.perf_counter())
        sizes = sizes_by_rules(path, growth.path, choice)
        chosen = chosen_size(path, sizes, choice)
        seconds_of_fit = self._seconds_of_fit(growth, sizes[chosen].step.structure)
        growth.budget = self.control.budget().without(seconds_of_fit)
        sizes = {n_rules: size.in_reading_order() for n_rules, size in sizes.items()}
        n_validated = 0 if choice is None else choice.n_evaluations
        points = self._finish(sizes, chosen, choice, growth, folds)
        exact = exact and not growth.out_of_time
        if choice is not None:
            chosen = smallest_close(points)
        place = [point.rule_base.n_rules for point in points].index(chosen)
        if self.table.n_all > self.table.n_rows:
            points[place] = self._fitted_to_all(chosen, self.inputs[growth.inputs])
        model = points[place]
        front = sorted([*points, *self._fewer], key=lambda point: (point.rule_base.n_rules, point.rule_base.n_terms))
        clock.append(time.perf_counter())
        return Learned(
            tuple(front),
            front.index(model),
            growth.n_evaluations + n_validated,
            self._history(growth.path),
            indices,
            dict(zip(STAGES, np.diff(clock).tolist(), strict=True)),
            exact and not self.control.over(),
            None if choice is None or growth.loss.reweighted else self._baselines(rows, folds),
        )

    def _baselines(self, rows: Rows, folds: list[Split]) -> Baselines:
        """Return the errors of simple models on held-out rows.

        The error of a model is that of the folds that were needed or, if it is larger, of its structure on all of them.
        Simple models are measured in the same way.
        """
        scale = self.table.target_scale
        target = self.table.output.of(rows.y * scale.spread + scale.centre)
        needed, every = (
            baselines_of(rows, some, target) for some in ([folds[number] for number in self.validated], folds)
        )
        return Baselines(*map(max, needed, every))

    def _inputs_to_grow_on(self, rows: Rows) -> Indices:
        """Return the inputs that say something new, and those for which the user set anything."""
        always = np.zeros(self.table.n_inputs, dtype=np.bool_)
        always[list(self.table.known_splits)] = True
        if Knowledge.from_options(self.options, self.table.names) is not None:
            always[:] = True
        return distinct_inputs(rows, always)

    def _problem(self, rows: Rows, options: GrowthOptions, min_label: float) -> GrowthProblem:
        """Return the growth problem of some rows, with standardised domains and known split points."""
        table, scale = self.table, self.table.scale
        domains = on_grid((table.domains - scale.centre[:, None]) / scale.spread[:, None])
        known = [np.empty(0) for _ in range(table.n_inputs)]
        for j, points in table.known_splits.items():
            known[j] = on_grid((points - scale.centre[j]) / scale.spread[j])
        nominal = np.zeros(table.n_inputs, dtype=np.bool_)
        for j in table.levels:
            known[j] = on_grid((table.level_splits(j) - scale.centre[j]) / scale.spread[j])
            nominal[j] = True
        narrow = self._narrow_inputs()
        domains[narrow, 1] = domains[narrow, 0]
        knowledge, loss = Knowledge.from_options(options, table.names), table.output.loss.scaled(table.target_scale)
        return GrowthProblem(rows, domains, known, options, min_label, nominal, knowledge, loss).over(self.inputs)

    def _narrow_inputs(self) -> npt.NDArray[np.bool_]:
        """Return which inputs are too narrow to be split, and warn about those that are not constant.

        With hardly any floats between the ends of an input, its split points would coincide in the input's own units.
        """
        table = self.table
        widths = np.ptp(table.domains, axis=1)
        narrow = np.asarray(widths < _MIN_FLOATS * np.spacing(np.abs(table.domains).max(axis=1)))
        narrow[list(table.known_splits)] = False
        for j in np.flatnonzero(narrow & (widths > 0.0)).tolist():
            low, high = table.domains[j]
            warnings.warn(
                f"Input {table.names[j]!r} is not split: its values, from {low:.17g} to {high:.17g}, are too close "
                f"together for numbers of this size. Subtract {low:.17g} from it.",
                stacklevel=2,
            )
        return narrow

    def _tell_step(self, growth: Growth) -> None:
        """Keep and report a size that the growth has reached."""
        step = growth.path[-1]
        if growth.n_exact == len(growth.path):
            self.state = replace(self.state, path=tuple(growth.path), max_rules=growth.options.max_rules)
            self.keeper.keep(self.state)
        error = step.fit.error * self.table.error_unit
        left = growth_seconds_left(growth.path, growth.options.early_stopping, self.n_folds)
        self.control.report("growth", len(growth.path) - 1, step.n_evaluations, step.structure.n_rules, error, left)

    def _cross_validate(
        self, problem: GrowthProblem, growth: Growth, path: list[Step], folds: list[Split]
    ) -> Choice | None:
        """Cross-validate; keep and report every fold."""
        start, n_known = time.monotonic(), sum(number in self.state.folds for number in range(len(folds)))
        ridges = RIDGES if self.options.regularization is None else (self.options.regularization,)

        def tell(number: int, found: list[Fold]) -> None:
            self.state = replace(self.state, folds={**self.state.folds, number: found[-1]})
            self.validated[number] = found[-1]
            self.keeper.keep(self.state)
            choice = Choice.from_folds(found, ridges)
            size = min(choice.best_size(), len(path) - 1)
            n_new = len(found) - n_known
            n_left = 0 if choice.is_clear and self.table.folds is None else len(folds) - len(found)
            left = (time.monotonic() - start) / n_new * n_left if n_new > 0 else None
            self.control.report(
                "cross-validation",
                len(found),
                growth.n_evaluations + choice.n_evaluations,
                path[size].structure.n_rules,
                choice.error_of(size) * self.table.error_unit,
                left,
            )

        validation = CrossValidation(
            problem,
            ridges,
            folds,
            self.control.budget(_SHARE_OF_VALIDATION),
            max_size=len(growth.path) - 1,
        )
        return validation.run(self.pool, self.state.folds, tell)

    def _grown_rows(self) -> tuple[Indices, Rows]:
        """Return the indices of the rows to grow on, and these rows."""
        n_rows, n_inputs = self.table.n_rows, min(self.table.n_inputs, MAX_INPUTS)
        most = min(MAX_GROWN_ROWS, max(_MIN_GROWN_ROWS, _MAX_GROWN_NUMBERS // n_inputs))
        if n_rows <= most:
            indices = np.arange(n_rows)
            return indices, self.table.take(indices)
        drawn = draw_rows(self.table.rows_alike(), most, self.rng)
        rows = self.table.take(drawn.numbers)
        return drawn.numbers, replace(rows, weight=rows.weight * drawn.weight)

    def _folds(self, groups: RowGroups) -> list[Split]:
        """Return the folds that the user asked for, or draw some; none if there are too few evaluations for them.

        Rows of a group are held out together, and equal rows are one: otherwise the model would have seen the targets
        of held-out rows.
        """
        if groups.folds is not None:
            folds = groups.folds.splits
        else:
            folds = [Split(groups.rows_of(fold)) for fold in draw_folds(groups.n_groups, self.rng)]
        limit, least = self.options.max_evaluations, _MIN_SHARE * (len(folds) + 1)
        if limit is None or limit >= least:
            return folds
        if groups.folds is not None:
            raise ValueError(f"max_evaluations={limit} is too few for {len(folds)} folds; at least {least} are needed.")
        return []

    def _options_of_one(self, n_folds: int) -> GrowthOptions:
        """Return the options of one growth; it shares the evaluations with the growths of the folds."""
        limit = self.options.max_evaluations
        return replace(
            self.options,
            max_rules=min(self.options.max_rules, MAX_LABELS),
            max_evaluations=None if limit is None else limit // (n_folds + 1),
        )

    def _seconds_of_fit(self, growth: Growth, structure: Structure) -> float:
        """Estimate the seconds of the fit on all rows from a fit on the grown rows."""
        if self.control.limit == np.inf:
            return 0.0
        start = time.monotonic()
        Sums.over(growth.rows, degrees_of(structure, growth.rows))
        return (time.monotonic() - start) * self.table.n_all / len(growth.rows)

    def _finish(
        self,
        sizes: dict[int, Size],
        chosen: int,
        choice: Choice | None,
        growth: Growth,
        folds: list[Split],
    ) -> list[FrontPoint]:
        """Finish the chosen model and fit it on the rows in memory, then the other sizes while there is time."""
        start = time.monotonic()
        order = [chosen, *(n_rules for n_rules in sizes if n_rules != chosen)]
        ridges = [growth.regularization if choice is None else choice.best_ridge(sizes[n].number) for n in order]
        held_out = [] if choice is None else folds
        finished: list[Finished] = []
        for n_rules, ridge in zip(order, ridges, strict=True):
            if finished and growth.out_of_time:
                break
            finished.append(made_true(growth, sizes[n_rules].step, ridge, held_out))
        order = order[: len(finished)]
        n_evaluations = growth.n_evaluations + (0 if choice is None else choice.n_evaluations)
        points: list[FrontPoint] = []
        for place, n_rules in enumerate(order):
            if points and self.control.over():
                break
            structure, number = finished[place].step.structure, sizes[n_rules].number
            fit = partial(self._fitted, finished[place], ridges[place], choice, number, growth, folds)
            self._fits[n_rules] = structure, fit
            points.append(fit(partial(sum_rows, self.table.rows, structure, self.inputs[growth.inputs])))
            self._fewer += self._with_fewer_terms(points[-1], finished[place], fit, growth, held_out)
            left = (time.monotonic() - start) / len(points) * (len(order) - len(points))
            best = points[0]
            self.control.report("fit", len(points), n_evaluations, best.rule_base.n_rules, best.error, left)
        return sorted(points, key=lambda point: point.rule_base.n_rules)

    def _with_fewer_terms(
        self,
        point: FrontPoint,
        finished: Finished,
        fit: partial[FrontPoint],
        growth: Growth,
        folds: list[Split],
    ) -> list[FrontPoint]:
        """Return the same rules with fewer and fewer terms, if the number of terms is limited."""
        found, limit, searched = list[FrontPoint](), point.rule_base.n_terms, growth.locality
        structure, ridge = finished.step.structure, point.regularization
        summed = partial(sum_rows, self.table.rows, structure, self.inputs[growth.inputs])
        while growth.options.max_terms is not None and limit > 0 and not self.control.over():
            growth.max_terms, growth.locality = int(_FEWER_TERMS * limit), finished.locality
            truth = rule_truth(growth, finished.step, ridge, folds) if folds else None
            found.append(partial(fit.func, finished._replace(truth=truth), *fit.args[1:])(summed))
            limit = min(found[-1].rule_base.n_terms, growth.max_terms)
        growth.max_terms, growth.locality = growth.options.max_terms, searched
        return found

    def _fitted_to_all(self, n_rules: int, inputs: Indices) -> FrontPoint:
        """Fit a finished model on all rows, of which those in memory are a sample."""
        structure, fit = self._fits[n_rules]
        rows = self.table.rows
        by_value = Rows.from_arrays(rows.columns.T, rows.y, rows.weight)

        def summed(around: Around | None = None) -> Sums:
            work = partial(sum_rows, structure=structure, inputs=inputs, around=around)
            sums = self.table.total(work, Sums.__add__, "sum_rows", self.pool)
            # Slopes over categories are fitted to effects that rows of the sample did not take part in.
            return sums + (work(rows) - work(by_value))

        return fit(summed)

    def _fitted(
        self,
        finished: Finished,
        ridge: float,
        choice: Choice | None,
        number: int,
        growth: Growth,
        folds: list[Split],
        summed: Summed,
    ) -> FrontPoint:
        """Fit one model to sums over rows, and give it intervals; `number` is that of its size in cross-validation."""
        if choice is None:
            return self._front_point(finished, summed, ridge, None, growth)
        point = self._front_point(finished, summed, ridge, choice.error_of(number), growth)
        if not growth.loss.has_intervals:
            return point
        return self._with_intervals(point, finished, growth, folds, choice.place_of(number))

    def _front_point(
        self, finished: Finished, summed: Summed, ridge: float, validated: float | None, growth: Growth
    ) -> FrontPoint:
        """Fit one model to sums over rows; `validated` is its error in cross-validation, if there was one."""
        structure, unit, loss = finished.step.structure, self.table.error_unit, growth.loss
        sums = summed()
        normal = sums.normal(structure, finished.locality)
        # The ridge is counted in rows, and weights may stand for more rows than the table has.
        n_rows = max(round(sums.weight * self.rows_per_row), 1)
        if loss.reweighted:
            fit = self._settled_terms(finished, summed, sums.weight, ridge / self.rows_per_row, n_rows, growth)
        else:
            fit = growth.final_terms(structure, normal, ridge / self.rows_per_row, n_rows, finished.step.fit.kept)
        conversion = Conversion(self.table, self.inputs[growth.inputs], self.options.fuzziness, growth.knowledge)
        truth, cv_error = finished.truth, np.nan if validated is None else validated
        if truth is not None:
            # The folds of a size may have grown another mix of rules and curves. So this model counts as no better than
            # its own structure on held-out rows.
            cv_error = max(cv_error, float(loss.mean(truth.together)))
            typical = float(loss.typical(cv_error * unit / loss.shown))
            truth = truth.scaled(typical / truth.together) if truth.together > 0.0 else None
        error = _joint_error(fit.coefficients, sums, structure) * unit
        coefficients = fit.coefficients
        if growth.max_terms is not None:
            structure, left = structure.without_idle_bends(coefficients)
            coefficients, normal = coefficients[left], normal.among(left)
        return FrontPoint(
            conversion.rule_base(structure, coefficients, normal, sums.support / sums.weight),
            finished.step.fit.criterion,
            error,
            cv_error * unit,
            ridge,
            0,
            truth,
            finished.locality,
        )

    def _settled_terms(
        self, finished: Finished, summed: Summed, weight: float, ridge: float, n_rows: int, growth: Growth
    ) -> TermFit:
        """Choose the terms of a model, then fit them again to working responses until they stay as they are."""
        (structure, start, *_), locality = finished.step, finished.locality
        growth.work_at(structure, start.coefficients)
        coefficients, kept = start.coefficients, start.kept
        for number in range(_MAX_SETTLING):
            sums = summed(Around(growth.working, coefficients))
            # The ridge counts rows; working weights have another mean.
            own, normal = ridge * sums.weight / weight, sums.normal(structure, locality)
            fit = growth.final_terms(structure, normal, own, n_rows, kept, chosen=number >= _N_CHOOSING)
            moved = float(np.abs(fit.coefficients - coefficients).max())
            coefficients, kept = fit.coefficients, fit.kept
            if number >= _N_CHOOSING and moved < _STILL:
                break
        return fit

    def _with_intervals(
        self, point: FrontPoint, finished: Finished, growth: Growth, folds: list[Split], place: tuple[int, int]
    ) -> FrontPoint:
        """Give a model the prediction intervals from the cross-validation of its size and ridge."""
        held_out = [(growth.observed.take(folds[number].held_out), fold) for number, fold in self.validated.items()]
        errors = residuals_of([fold for _, fold in held_out], *place)
        # Scale the held-out errors to the model's error in cross-validation.
        square = sum(float(rows.weight @ np.square(own)) for (rows, _), own in zip(held_out, errors, strict=True))
        weight = sum(float(rows.weight.sum()) for rows, _ in held_out)
        ratio = 2.0 * point.cv_error * weight / square if square > 0.0 else 0.0
        unit = growth.loss.interval_unit(ratio, self.table.target_scale)
        missed = [
            HeldOutErrors(own * unit, degrees_of(finished.step.structure, rows).weights.T, rows.weight)
            for (rows, _), own in zip(held_out, errors, strict=True)
        ]
        intervals = cross_validated_intervals(missed)
        point = replace(point, rule_base=replace(point.rule_base, intervals=intervals))
        return in_units(point, self.table, self.inputs[growth.inputs], [rows for rows, _ in held_out], missed)

    def _history(self, path: list[Step]) -> pd.DataFrame:
        columns = ["n_rules", "n_curves", "evaluations", "best_fitness", "best_error", "n_coefficients", "seconds"]
        rows: list[tuple[float, ...]] = [
            (
                step.structure.n_rules,
                step.structure.n_curves,
                step.n_evaluations,
                step.fit.criterion,
                step.fit.error * self.table.error_unit,
                step.fit.n_terms - 1,
                step.seconds,
            )
            for step in path
        ]
        return pd.DataFrame(rows, columns=columns)


def smallest_close(points: Sequence[FrontPoint]) -> int:
    """Return the number of rules of the smallest model with an error in cross-validation close to the smallest error.

    A model's own structure may be worse on held-out rows than what the folds grew with as many divisions. That is known
    only when it is finished.
    """
    most = (1.0 + _CLOSE) * min(point.cv_error for point in points)
    return min(point.rule_base.n_rules for point in points if point.cv_error <= most)


def _joint_error(coefficients: Floats, sums: Sums, structure: Structure) -> float:
    """Return the mean squared error of the prediction itself, without ridge and locality."""
    normal = sums.normal(structure, 0.0)
    error = normal.square - 2.0 * coefficients @ normal.moment + coefficients @ normal.gram @ coefficients
    return max(float(error), 0.0)


GROWTH = Algorithm(
    name="growth",
    title="Growth",
    options=GrowthOptions,
    learner=GrowthLearner,
    state=GrowthState,
    limits=("max_evaluations", "max_rules", "early_stopping"),
    one_hot=False,
    weighted_scale=True,
    mends_faults=True,
)
