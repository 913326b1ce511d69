"""FRULER as a learner: instance selection, discretization, and evolution with the Elastic Net."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from fruler._algorithms.fruler.chromosome import Chromosome, SearchSpace, Task, check_chromosomes
from fruler._algorithms.fruler.decoding import build_rule_base
from fruler._algorithms.fruler.discretization import NestedSplits, nested_splits
from fruler._algorithms.fruler.elastic_net import ElasticNetSettings
from fruler._algorithms.fruler.evolution import Evolution
from fruler._algorithms.fruler.fitness import Evaluation, FitnessEvaluator
from fruler._algorithms.fruler.instance_selection import select_instances
from fruler._algorithms.fruler.options import FRULEROptions
from fruler._algorithms.fruler.regularization import choose_regularization
from fruler._algorithms.fruler.state import EvolutionState, Generation
from fruler._algorithms.genetic import Workers, check_limits, fit_front, front_point, pareto_front, run_watched
from fruler._arrays import Floats, Indices
from fruler._kernels import evaluation
from fruler._table.rows import Rows
from fruler.learning._checkpoint import damaged
from fruler.learning._training_table import LocalTable
from fruler.learning.algorithm import Algorithm, Search
from fruler.learning.learned import FrontPoint, Learned

STAGES = ("selection", "discretization", "evolution")
# How far the final fit may miss the optimality conditions, for standardised data, without a warning.
_MAX_MISSED = 1e-4
# The maximum number of times that the first step of the final fit's descent is halved.
_MAX_HALVED = 16
# The share of the time that the search for λ may take.
_SHARE_OF_REGULARIZATION = 1.0 / 3.0


# The result of the kernel: inputs in antecedents, the rules' labels of these, coefficients, metrics of the evaluation.
LearnedRules = tuple[Indices, Indices, Floats, Floats]


class FRULERLearner:
    """Learns rules as in the paper.

    Parameters
    ----------
    search : Search
        Options, rows, and the state to resume from.
    """

    def __init__(self, search: Search[FRULEROptions, LocalTable, EvolutionState]) -> None:
        self.options, self.reading, self.rng = search.options, search.options.choices, search.rng
        self.threads, self.control, self.keeper = (search.pool, search.n_jobs), search.control, search.keeper
        self.table = search.table
        self.state = EvolutionState() if search.state is None else search.state

    def learn(self) -> Learned:
        """Run the three stages and fit the consequents of the best models of every size on all rows."""
        clock = [time.perf_counter()]
        selected = self._select()
        clock.append(time.perf_counter())
        nested, fixed = self._discretize()
        clock.append(time.perf_counter())
        table, options = self.table, self.options
        space = SearchSpace.from_splits(
            nested, table.domains, table.scale, fuzziness=options.fuzziness, t_norm=options.t_norm, fixed=fixed
        )
        task = self._task(space, selected)
        settings, exact = self._regularize(task, selected)
        workers = Workers(*self.threads, self.control.budget())
        evaluator = FitnessEvaluator(task, settings, options.criterion, table.n_rows, workers)
        evaluator.n_asked = self.state.n_tried
        search = self._evolve(space, evaluator)
        best = search.best_known()

        def finish(chromosome: Chromosome, found: Evaluation) -> FrontPoint:
            return self._finish(chromosome, found, task, settings, nested)

        models = best, *simpler_models(evaluator.best_by_rules, best.evaluation.n_rules)
        points = fit_front(models, finish, self.control, evaluator.n_asked)
        clock.append(time.perf_counter())
        history = pd.DataFrame(search.history, columns=Generation._fields)
        history["best_error"] *= table.error_unit
        return Learned(
            points,
            len(points) - 1,
            evaluator.n_asked,
            history,
            selected,
            dict(zip(STAGES, np.diff(clock).tolist(), strict=True)),
            exact and not self.control.over(),
        )

    def _select(self) -> Indices:
        if self.state.selected is not None:
            selected = self.state.selected
            if not len(selected) or selected.min() < 0 or selected.max() >= self.table.n_rows:
                raise damaged("it has selected rows that this table does not have")
            return selected
        rows = self.table.rows
        selected = np.arange(len(rows))
        if self.options.instance_selection and len(rows) > 1:
            inputs = np.ascontiguousarray(rows.rows[:, 1:])
            unit, error = float(self.table.target_scale.spread), self.options.core_error
            selected = select_instances(inputs, rows.y, core_error=error, reading=self.reading, unit=unit).indices
        self._keep(selected=selected)
        self.keeper.end_stage()
        self.control.report("selection", 1, 0)
        return selected

    def _discretize(self) -> tuple[list[NestedSplits], npt.NDArray[np.bool_]]:
        """Find split points; known ones replace those of their input."""
        table, nested = self.table, self.state.nested
        fixed = np.zeros(table.n_inputs, dtype=np.bool_)
        fixed[list(table.known_splits)] = True
        if nested is None:
            columns = table.values, table.target, table.weight
            nested = nested_splits(*columns, splits=self.options.splits, reading=self.reading)
            for j, known in table.known_splits.items():
                nested[j] = NestedSplits(known, np.empty(0))
            self._keep(nested=nested)
            self.keeper.end_stage()
            self.control.report("discretization", 1, 0)
        elif not self._are_of_table(nested):
            raise damaged("it has split points that are impossible for this table")
        return nested, fixed

    def _are_of_table(self, nested: list[NestedSplits]) -> bool:
        """Return whether split points lie in the domains of the table's inputs."""
        if len(nested) != self.table.n_inputs:
            return False
        pairs = zip(nested, self.table.domains, strict=True)
        return all(((low <= one.found) & (one.found <= high)).all() for one, (low, high) in pairs)

    def _keep(self, **finished: Any) -> None:
        self.state = replace(self.state, **finished)
        self.keeper.keep(self.state)

    def _evolve(self, space: SearchSpace, evaluator: FitnessEvaluator) -> Evolution:
        """Run the genetic algorithm; keep and report every generation."""
        snapshot = self.state.snapshot
        search = Evolution(space, evaluator, self.options, self.rng)
        if snapshot is not None:
            # If nothing of the first population can be used, one more evaluation than allowed is made.
            check_limits(
                {
                    "max_evaluations": (search.max_evaluations + 1, snapshot.n_asked),
                    "n_restarts": (self.options.n_restarts, snapshot.n_restarts),
                }
            )
            check_chromosomes(space, (one for one, _ in snapshot.valued))
        error_unit = self.table.error_unit
        run_watched(search, self.control, lambda taken: self._keep(snapshot=taken), snapshot, error_unit=error_unit)
        self.keeper.end_stage()
        return search

    def _task(self, space: SearchSpace, indices: Indices) -> Task:
        """Return the task of the search; rules are made from the rows `indices`."""
        rows, max_rules = self.table.rows, self._max_rules(space, len(indices))
        selected = self.table.take(indices)
        if self.options.fit_rows == "selected":
            return Task(space, selected, selected, rows, max_rules)
        return Task(space, selected, rows, None, max_rules)

    def _max_rules(self, space: SearchSpace, largest: int) -> int:
        if self.reading.max_coefficients is not None:
            largest = max(1, self.reading.max_coefficients // (space.n_inputs + 1))
        return largest if self.options.max_rules is None else min(largest, self.options.max_rules)

    def _regularize(self, task: Task, selected: Indices) -> tuple[ElasticNetSettings, bool]:
        """Choose how consequents are fitted, or resume with the choice; also return whether there was enough time."""
        if self.state.fit is not None and self.state.rng is not None:
            self.rng.bit_generator.state = dict(self.state.rng)
            fit = self.state.fit
            given = self._settings(fit.seed)
            if replace(given, regularization=fit.regularization, rate=fit.rate) != fit:
                raise damaged("its consequents are fitted in another way")
            return fit, True
        settings, n_tried = self._search_regularization(task, selected)
        if not self.control.is_stopped():
            # A choice that was cut short is not kept: a resumed fit might choose differently.
            n_tried *= self.reading.count_lambda_search
            self._keep(fit=settings, rng=self.rng.bit_generator.state, n_tried=n_tried)
            self.keeper.end_stage()
        return settings, not self.control.over(_SHARE_OF_REGULARIZATION)

    def _settings(self, seed: int) -> ElasticNetSettings:
        """Return how consequents are fitted, before λ and the first step are chosen."""
        options = self.options
        return ElasticNetSettings(
            options.regularization if options.regularization is not None else 1.0,
            options.l1_ratio,
            options.shrink_intercepts,
            options.solver,
            seed=seed,
            max_rounds=200 if options.solver == "coordinate_descent" else self.reading.max_epochs,
            reading=self.reading,
        )

    def _search_regularization(self, task: Task, selected: Indices) -> tuple[ElasticNetSettings, int]:
        options, n_rows, rng = self.options, self.table.n_rows, self.rng
        settings = self._settings(seed=int(rng.integers(2**31)))
        if options.regularization is not None and options.solver == "coordinate_descent":
            return settings, 0
        most, rows = self.reading.lambda_rows, selected if options.fit_rows == "selected" else None
        fitted, held_out = trial_rows(n_rows, rows, rng, most)
        if len(held_out) < 2 or len(fitted) < 2:
            fallback = 1e-3 if options.regularization is None else options.regularization
            return replace(settings, regularization=fallback), 0
        trial = replace(task, fitted=self.table.take(fitted), scored=self.table.take(held_out))
        workers = Workers(*self.threads, self.control.budget(_SHARE_OF_REGULARIZATION))
        return choose_regularization(trial, settings, options, rng, workers)

    def _finish(
        self,
        chromosome: Chromosome,
        found: Evaluation,
        task: Task,
        settings: ElasticNetSettings,
        nested: list[NestedSplits],
    ) -> FrontPoint:
        """Fit the consequents on all rows, exactly, and turn the chromosome into a rule base."""
        table = self.table
        exact = replace(settings, tolerance=1e-9, progress=-1.0, max_rounds=max(1_000, settings.max_rounds))
        error = found.error if self.reading.halve_final_rate else np.inf
        learned = fit_on_rows(chromosome, task, exact, error, table.rows)
        missed = float(learned[3][4])
        if settings.solver == "coordinate_descent" and missed > _MAX_MISSED:
            warnings.warn(
                f"The final fit misses the optimality conditions by {missed:.1g}; a regularization larger than "
                f"{settings.regularization:g} would help.",
                ConvergenceWarning,
                stacklevel=4,
            )
        scales = table.scale, table.target_scale
        rule_base = build_rule_base(chromosome, learned, (nested, table.domains), scales, table.names, task.space)
        error = float(learned[3][0]) * table.error_unit
        return front_point(rule_base, table, found.fitness, error, settings.regularization)


def fit_on_rows(
    chromosome: Chromosome, task: Task, settings: ElasticNetSettings, error: float, rows: Rows
) -> LearnedRules:
    """Fit the consequents of a chromosome on some rows; `error` is that of the search's there, infinite if unknown."""
    genes = chromosome.granularities, chromosome.displacements

    def fitted() -> LearnedRules:
        space, examples = task.space.arrays, task.examples.arrays
        return evaluation.learn(*genes, space, examples, rows.arrays, settings.numbers, task.max_rules)

    learned = fitted()
    # A first step that suits the selected rows can be too long for others. On all rows, consequents fitted on all rows
    # should not be worse than those fitted on the selected rows, and never worse than the mean.
    variance = float(np.average(np.square(rows.y), weights=rows.weight))
    for halved in range(_MAX_HALVED if settings.solver == "sgd" and np.isfinite(error) else 0):
        if learned[3][0] <= (min(error, variance) if halved < _MAX_HALVED // 2 else variance):
            break
        settings = replace(settings, rate=settings.rate / 2.0)
        learned = min(learned, fitted(), key=lambda one: np.inf if np.isnan(one[3][0]) else one[3][0])
    return learned


def simpler_models(
    best_by_rules: Mapping[int, tuple[Chromosome, Evaluation]], n_rules: int
) -> list[tuple[Chromosome, Evaluation]]:
    """Return the Pareto front of the models with fewer than `n_rules` rules."""
    return pareto_front({size: found for size, found in best_by_rules.items() if size < n_rules})


def trial_rows(n_rows: int, selected: Indices | None, rng: np.random.Generator, most: int) -> tuple[Indices, Indices]:
    """Return some rows to fit on in the search for λ, and some others to measure the error on.

    Parameters
    ----------
    n_rows : int
        The number of all rows.
    selected : ndarray or None
        The rows that consequents are fitted on; None: all.
    rng : numpy Generator
        The random number generator.
    most : int
        The maximum number of each.
    """
    held_out = np.setdiff1d(np.arange(n_rows), selected) if selected is not None else np.empty(0, dtype=np.intp)
    if selected is None or len(held_out) < 2:
        held_out, selected = np.array_split(rng.permutation(n_rows), [n_rows // 3])
    return _at_most(selected, most, rng), _at_most(held_out, most, rng)


def _at_most(rows: Indices, most: int, rng: np.random.Generator) -> Indices:
    return rows if len(rows) <= most else np.sort(rng.choice(rows, most, replace=False))


FRULER = Algorithm(
    name="fruler",
    title="FRULER",
    options=FRULEROptions,
    learner=FRULERLearner,
    state=EvolutionState,
    limits=("max_evaluations", "n_restarts", "early_stopping"),
)
