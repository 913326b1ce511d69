"""FRULER as a learner: instance selection, discretization, and evolution with the Elastic Net."""

from __future__ import annotations

import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from fruler._typing import Floats, Indices
from fruler.algorithms.fruler.chromosome import Chromosome, check_chromosomes
from fruler.algorithms.fruler.decoding import build_rule_base
from fruler.algorithms.fruler.evolution import Evolution
from fruler.algorithms.fruler.fitness import Evaluation, Evaluator
from fruler.algorithms.fruler.options import FRULEROptions
from fruler.algorithms.fruler.problem import SearchSpace, Task
from fruler.algorithms.fruler.regularization import choose_regularization
from fruler.algorithms.fruler.state import EvolutionState, Generation
from fruler.algorithms.genetic.front import pareto_front
from fruler.algorithms.genetic.run import check_limits, run_watched
from fruler.consequents.elastic_net import ElasticNetSettings
from fruler.kernels import evaluation
from fruler.learning.algorithm import Search, SomeTable
from fruler.learning.checkpoint.values import damaged
from fruler.learning.learned import FrontPoint, Learned
from fruler.learning.training_table import LocalTable, TrainingTable
from fruler.rules.rule_base import RuleBase
from fruler.stages.discretization import NestedSplits, nested_splits
from fruler.stages.instance_selection import select_instances
from fruler.table.rows import Rows

STAGES = ("selection", "discretization", "evolution")
# The most coefficients of a candidate that are looked at: its Gram matrix has their square.
_MAX_COEFFICIENTS = 3_000
# The most rows that a regularization is tried on, to fit to and to measure on.
_MAX_TRIED_ROWS = 2_000
# More rows than this are not put into random order.
_MAX_NUMBERED = 2**24
# By how much the optimality conditions of the final fit may be missed, for standardised data, without a warning.
_MAX_MISSED = 1e-4
# How often the first step of the final fit's descent may be halved.
_MAX_HALVED = 16
# How much of the time the search for λ may take.
_SHARE_OF_REGULARIZATION = 1.0 / 3.0


# What the kernel learns: inputs in antecedents, the rules' labels there, coefficients, figures of the evaluation.
LearnedRules = tuple[Indices, Indices, Floats, Floats]


class FRULERLearner(ABC):
    """Learns rules as the paper does.

    What it needs of all rows is left to subclasses: one for rows that are here, one for rows with the workers.

    Parameters
    ----------
    search : Search
        Options, rows, and the state to resume from.
    """

    table: TrainingTable

    def __init__(self, search: Search[FRULEROptions, SomeTable, EvolutionState]) -> None:
        self.options, self.rng = search.options, search.rng
        self.pool, self.n_jobs, self.control = search.pool, search.n_jobs, search.control
        self.table = search.table
        self.state = EvolutionState() if search.state is None else search.state

    @abstractmethod
    def _selected_rows(self) -> Indices:
        """Select the rows that rules are made from."""

    @abstractmethod
    def _nested_splits(self) -> list[NestedSplits]:
        """Discretize every input."""

    @abstractmethod
    def _task(self, space: SearchSpace, indices: Indices) -> Task:
        """Return what chromosomes are evaluated on, with rules made from some rows."""

    @abstractmethod
    def _evaluator(self, task: Task, settings: ElasticNetSettings) -> Evaluator:
        """Return what evaluates chromosomes."""

    @abstractmethod
    def _fit_on_all(
        self, chromosome: Chromosome, task: Task, settings: ElasticNetSettings, error: float
    ) -> LearnedRules:
        """Fit the consequents of a chromosome on all rows; `error` is that of those from the search on them."""

    @abstractmethod
    def _cover_all(self, rule_base: RuleBase) -> tuple[Floats, int]:
        """Return the share that each rule has of all rows, and the number of rows that fire none."""

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
        evaluator = self._evaluator(task, settings)
        search = self._evolve(space, evaluator)
        best = search.best_known()
        points: list[FrontPoint] = []
        for chromosome, found in (best, *simpler_models(evaluator.best_by_rules, best.evaluation.n_rules)):
            if points and self.control.over():
                break
            points.append(self._finish(chromosome, found, task, settings, nested))
            n_rules, error = points[0].rule_base.n_rules, points[0].error
            self.control.report("fit", len(points), evaluator.n_asked, n_rules, error)
        points.sort(key=lambda point: point.rule_base.n_rules)
        clock.append(time.perf_counter())
        history = pd.DataFrame(search.history, columns=Generation._fields)
        history["best_error"] *= table.error_unit
        return Learned(
            tuple(points),
            len(points) - 1,
            evaluator.n_asked,
            history,
            selected,
            dict(zip(STAGES, np.diff(clock).tolist(), strict=True)),
            exact and not self.control.over(),
        )

    def _select(self) -> Indices:
        if self.state.selected is not None:
            if self.state.selected[-1] >= self.table.n_rows:
                raise damaged("it has selected rows that are none of this table")
            return self.state.selected
        selected = self._selected_rows()
        self._keep(selected=selected)
        self.control.end_stage()
        self.control.report("selection", 1, 0)
        return selected

    def _discretize(self) -> tuple[list[NestedSplits], npt.NDArray[np.bool_]]:
        """Find split points, and put the known ones in their place."""
        table, nested = self.table, self.state.nested
        fixed = np.zeros(table.n_inputs, dtype=np.bool_)
        fixed[list(table.known_splits)] = True
        if nested is None:
            nested = self._nested_splits()
            for j, known in table.known_splits.items():
                nested[j] = NestedSplits(known, np.empty(0))
            self._keep(nested=nested)
            self.control.end_stage()
            self.control.report("discretization", 1, 0)
        elif not self._are_of_table(nested):
            raise damaged("it has split points that are impossible for this table")
        return nested, fixed

    def _are_of_table(self, nested: list[NestedSplits]) -> bool:
        """Return whether split points lie in the domains of the table's inputs, each once."""
        if len(nested) != self.table.n_inputs:
            return False
        for j, (one, (low, high)) in enumerate(zip(nested, self.table.domains, strict=True)):
            known = self.table.known_splits.get(j)
            if known is not None and not np.array_equal(one.found, known):
                return False
            if len(np.unique(one.found)) < len(one.found) or not ((one.found >= low) & (one.found <= high)).all():
                return False
        return True

    def _keep(self, **finished: Any) -> None:
        self.state = replace(self.state, **finished)
        self.control.keep(self.state)

    def _evolve(self, space: SearchSpace, evaluator: Evaluator) -> Evolution:
        """Run the genetic algorithm, keeping and telling of every generation."""
        snapshot = self.state.snapshot
        search = Evolution(space, evaluator, self.options, self.rng)
        if snapshot is not None:
            # A first population of which nothing can be used takes one evaluation more than was allowed.
            check_limits(
                {
                    "max_evaluations": (search.max_evaluations + 1, snapshot.n_asked),
                    "n_restarts": (self.options.n_restarts, snapshot.n_restarts),
                }
            )
            check_chromosomes(space, snapshot.chromosomes)
        error_unit = self.table.error_unit
        run_watched(search, self.control, lambda taken: self._keep(snapshot=taken), snapshot, error_unit=error_unit)
        return search

    def _max_rules(self, space: SearchSpace) -> int:
        largest = max(1, _MAX_COEFFICIENTS // (space.n_inputs + 1))
        return largest if self.options.max_rules is None else min(largest, self.options.max_rules)

    def _regularize(self, task: Task, selected: Indices) -> tuple[ElasticNetSettings, bool]:
        """Choose how consequents are fitted, or take what was chosen; tell too whether there was time enough."""
        if self.state.fit is not None and self.state.rng is not None:
            self.rng.bit_generator.state = dict(self.state.rng)
            fit = self.state.fit
            given = self._settings(fit.seed)
            if replace(given, regularization=fit.regularization, rate=fit.rate) != fit:
                raise damaged("its consequents are fitted in another way")
            return fit, True
        settings = self._search_regularization(task, selected, self.control.deadline(_SHARE_OF_REGULARIZATION))
        if not self.control.is_stopped():
            # A choice that was cut short would be another one when the fit is resumed.
            self._keep(fit=settings, rng=self.rng.bit_generator.state)
            self.control.end_stage()
        return settings, not self.control.over(_SHARE_OF_REGULARIZATION)

    def _settings(self, seed: int) -> ElasticNetSettings:
        """Return how consequents are fitted, before anything of it is chosen."""
        options = self.options
        return ElasticNetSettings(
            options.regularization if options.regularization is not None else 1.0,
            options.l1_ratio,
            options.shrink_intercepts,
            options.solver,
            seed=seed,
            max_rounds=200 if options.solver == "coordinate_descent" else 1_000,
        )

    def _search_regularization(self, task: Task, selected: Indices, deadline: float) -> ElasticNetSettings:
        options, n_rows, rng = self.options, self.table.n_rows, self.rng
        settings = self._settings(seed=int(rng.integers(2**31)))
        if options.regularization is not None and options.solver == "coordinate_descent":
            return settings
        fitted, held_out = trial_rows(n_rows, selected if options.fit_rows == "selected" else None, rng)
        if len(held_out) < 2 or len(fitted) < 2:
            return replace(settings, regularization=1e-3 if options.regularization is None else options.regularization)
        trial = replace(task, fitted=self.table.take(fitted), scored=self.table.take(held_out))
        return choose_regularization(
            trial,
            settings,
            options,
            rng,
            pool=self.pool,
            n_jobs=self.n_jobs,
            deadline=deadline,
            stopped=self.control.is_stopped,
        )

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
        learned = self._fit_on_all(chromosome, task, exact, found.error)
        missed = float(learned[3][4])
        if settings.solver == "coordinate_descent" and missed > _MAX_MISSED:
            warnings.warn(
                f"the final fit misses the optimality conditions by {missed:.1g}; a larger regularization than "
                f"{settings.regularization:g} would help",
                ConvergenceWarning,
                stacklevel=4,
            )
        scales = table.scale, table.target_scale
        rule_base = build_rule_base(chromosome, learned, (nested, table.domains), scales, table.names, task.space)
        support, n_uncovered = self._cover_all(rule_base)
        return FrontPoint(
            replace(rule_base, support=support),
            found.fitness,
            float(learned[3][0]) * table.error_unit,
            np.nan,
            settings.regularization,
            n_uncovered,
        )


class LocalFRULERLearner(FRULERLearner):
    """A `FRULERLearner` of a table in memory."""

    table: LocalTable

    def _selected_rows(self) -> Indices:
        rows = self.table.rows
        if not self.options.instance_selection or len(rows) < 2:
            return np.arange(len(rows))
        return select_instances(
            np.ascontiguousarray(rows.rows[:, 1:]), rows.y, core_error=self.options.core_error
        ).indices

    def _nested_splits(self) -> list[NestedSplits]:
        table = self.table
        return nested_splits(table.values, table.target, table.weight, splits=self.options.splits)

    def _task(self, space: SearchSpace, indices: Indices) -> Task:
        rows, max_rules = self.table.rows, self._max_rules(space)
        selected = self.table.take(indices)
        if self.options.fit_rows == "selected":
            return Task(space, selected, selected, rows, max_rules)
        return Task(space, selected, rows, None, max_rules)

    def _evaluator(self, task: Task, settings: ElasticNetSettings) -> Evaluator:
        return Evaluator(
            task,
            settings,
            self.options.criterion,
            self.table.n_rows,
            pool=self.pool,
            n_jobs=self.n_jobs,
            deadline=self.control.deadline(),
            stopped=self.control.is_stopped,
        )

    def _fit_on_all(
        self, chromosome: Chromosome, task: Task, settings: ElasticNetSettings, error: float
    ) -> LearnedRules:
        return fit_on_rows(chromosome, task, settings, error, self.table.rows)

    def _cover_all(self, rule_base: RuleBase) -> tuple[Floats, int]:
        return self.table.coverage(rule_base)


def fit_on_rows(
    chromosome: Chromosome, task: Task, settings: ElasticNetSettings, error: float, rows: Rows
) -> LearnedRules:
    """Fit the consequents of a chromosome on rows that are here; `error` is that of those from the search on them."""
    genes = chromosome.granularities, chromosome.displacements

    def fitted() -> LearnedRules:
        space, examples = task.space.arrays, task.examples.arrays
        return evaluation.learn(*genes, space, examples, rows.arrays, settings.numbers, task.max_rules)

    learned = fitted()
    # A first step that suits the selected rows can be too long for others. Consequents that are fitted on all rows
    # should not be worse there than those that were fitted on the selected ones, and never worse than the mean.
    variance = float(np.average(np.square(rows.y), weights=rows.weight))
    for halved in range(_MAX_HALVED if settings.solver == "sgd" else 0):
        if learned[3][0] <= (min(error, variance) if halved < _MAX_HALVED // 2 else variance):
            break
        settings = replace(settings, rate=settings.rate / 2.0)
        learned = min(learned, fitted(), key=lambda one: np.inf if np.isnan(one[3][0]) else one[3][0])
    return learned


def simpler_models(
    best_by_rules: Mapping[int, tuple[Chromosome, Evaluation]], n_rules: int
) -> list[tuple[Chromosome, Evaluation]]:
    """Return the best of every number of rules below a given one, each more accurate than those with fewer."""
    return pareto_front({size: found for size, found in best_by_rules.items() if size < n_rules})


def trial_rows(n_rows: int, selected: Indices | None, rng: np.random.Generator) -> tuple[Indices, Indices]:
    """Return some rows to fit to in the search for λ, and some others to measure the errors on.

    Parameters
    ----------
    n_rows : int
        The number of all rows.
    selected : ndarray or None
        The rows that consequents are fitted to; None: all.
    rng : numpy Generator
        Draws them.
    """
    # Of more rows than these not all are numbered: a list of them would fill the memory.
    drawn = np.arange(n_rows)
    if n_rows > _MAX_NUMBERED:
        n_drawn = 3 * _MAX_TRIED_ROWS + (0 if selected is None else len(selected))
        drawn = rng.choice(n_rows, n_drawn, replace=False)
    held_out = np.setdiff1d(drawn, selected) if selected is not None else np.empty(0, dtype=np.intp)
    if selected is None or len(held_out) < 2:
        held_out, selected = np.array_split(rng.permutation(drawn), [len(drawn) // 3])
    return _at_most(selected, _MAX_TRIED_ROWS, rng), _at_most(held_out, _MAX_TRIED_ROWS, rng)


def _at_most(rows: Indices, most: int, rng: np.random.Generator) -> Indices:
    return rows if len(rows) <= most else np.sort(rng.choice(rows, most, replace=False))
