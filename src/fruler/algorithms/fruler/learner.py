"""The paper's way to a rule base: instance selection, discretization, and evolution with the Elastic Net."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from fruler._typing import Floats
from fruler.algorithms.fruler.chromosome import Chromosome
from fruler.algorithms.fruler.decoding import build_rule_base
from fruler.algorithms.fruler.fitness import Criterion, Evaluation, Evaluator
from fruler.algorithms.fruler.initialization import initial_population
from fruler.algorithms.fruler.population import Evolution, EvolutionSettings
from fruler.algorithms.fruler.problem import SearchSpace, Task
from fruler.algorithms.fruler.regularization import search_regularization
from fruler.algorithms.fruler.state import EvolutionState, Generation, Snapshot
from fruler.algorithms.fruler.time_left import TimeLeft
from fruler.consequents.elastic_net import ElasticNetSettings, Solver
from fruler.kernels import evaluation
from fruler.learning.control import RunControl
from fruler.learning.table import FrontPoint, Learned, TrainingData
from fruler.rules.rule_base import RuleBase, TNorm
from fruler.stages.discretization import NestedSplits, nested_splits
from fruler.stages.instance_selection import select_instances
from fruler.table.rows import Rows

STAGES = ("selection", "discretization", "evolution")
# The most coefficients of a candidate that are looked at: its Gram matrix has their square.
_MOST_COEFFICIENTS = 3_000
# Data bases on which the regularization is tried, and the most rows it is fitted to and measured on.
_N_TRIED, _MOST_TRIED_ROWS = 10, 2_000
# More rows than this are not put into random order.
_MOST_NUMBERED = 2**24
# By how much the optimality conditions of the final fit may be missed, for standardised data, without a warning.
_MOST_MISSED = 1e-4
# The smallest first step of the final fit's descent.
_LEAST_RATE = 1e-6
# The first threshold of incest prevention, an input. With it a search asks for about 4,000 evaluations an input, as in
# the paper's Table 9; the formula that the paper states would end it after a tenth of them.
_THRESHOLD_AN_INPUT = 24.0

# How much of the time the search for λ may take.
_SHARE_OF_REGULARIZATION = 1.0 / 3.0


# What the kernel learns: inputs in antecedents, the rules' labels there, coefficients, figures of the evaluation.
LearnedRules = tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], Floats, Floats]


@dataclass(frozen=True)
class EvolutionOptions:
    """The parameters of `FRULERRegressor` that this way heeds; documented there."""

    instance_selection: bool
    fit_rows: Literal["all", "selected"]
    fuzziness: float
    t_norm: TNorm
    criterion: Criterion
    solver: Solver
    l1_ratio: float
    regularization: float | None
    max_rules: int | None
    population_size: int
    max_evaluations: int | None
    mutation_probability: float
    n_local_search: int
    n_restarts: int
    early_stopping: int | None


class EvolutionLearner:
    """Learns rules as the paper does.

    Parameters
    ----------
    options : EvolutionOptions
        Parameters.
    data : TrainingData
        The rows to learn from.
    rng : numpy Generator
        The only source of chance.
    pool : ThreadPoolExecutor or None
        Where candidates are evaluated.
    n_jobs : int
        The threads in the pool.
    control : RunControl
        Its clock, and who watches it.
    state : EvolutionState, optional
        From where to go on: of a search on the same rows with the same seed.
    """

    def __init__(
        self,
        options: EvolutionOptions,
        data: TrainingData,
        rng: np.random.Generator,
        pool: ThreadPoolExecutor | None,
        n_jobs: int,
        control: RunControl,
        state: EvolutionState | None = None,
    ) -> None:
        self.options, self.data, self.rng = options, data, rng
        self.pool, self.n_jobs, self.control = pool, n_jobs, control
        self.state = EvolutionState() if state is None else state

    def learn(self) -> Learned:
        """Run the three stages and fit the consequents of the best models of every size on all rows."""
        clock = [time.perf_counter()]
        selected = self._select()
        clock.append(time.perf_counter())
        nested, fixed = self._discretize()
        clock.append(time.perf_counter())
        data, options = self.data, self.options
        space = SearchSpace.from_splits(
            nested, data.domains, data.scale, fuzziness=options.fuzziness, t_norm=options.t_norm, fixed=fixed
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
        history["best_error"] *= data.error_unit
        return Learned(
            tuple(points),
            len(points) - 1,
            evaluator.n_asked,
            history,
            selected,
            dict(zip(STAGES, np.diff(clock).tolist(), strict=True)),
            exact and not self.control.over(),
        )

    def _evaluator(self, task: Task, settings: ElasticNetSettings) -> Evaluator:
        return Evaluator(
            task,
            settings,
            self.options.criterion,
            self.data.n_rows,
            pool=self.pool,
            n_jobs=self.n_jobs,
            deadline=self.control.deadline(),
            stopped=self.control.is_stopped,
        )

    def _rows_at(self, indices: npt.NDArray[np.intp]) -> Rows:
        return self.data.rows.take(indices)

    def _selected_rows(self) -> npt.NDArray[np.intp]:
        rows = self.data.rows
        if not self.options.instance_selection or len(rows) < 2:
            return np.arange(len(rows))
        return select_instances(np.ascontiguousarray(rows.rows[:, 1:]), rows.y).indices

    def _nested_splits(self) -> list[NestedSplits]:
        return nested_splits(self.data.values, self.data.target, self.data.weight)

    def _select(self) -> npt.NDArray[np.intp]:
        if self.state.selected is not None:
            return self.state.selected
        selected = self._selected_rows()
        self._keep(selected=selected)
        self.control.report("selection", 1, 0)
        return selected

    def _discretize(self) -> tuple[list[NestedSplits], npt.NDArray[np.bool_]]:
        """Find split points, and put the known ones in their place."""
        data, nested = self.data, self.state.nested
        fixed = np.zeros(data.n_inputs, dtype=np.bool_)
        fixed[list(data.known_splits)] = True
        if nested is None:
            nested = self._nested_splits()
            for j, known in data.known_splits.items():
                nested[j] = NestedSplits(known, np.empty(0))
            self._keep(nested=nested)
            self.control.report("discretization", 1, 0)
        return nested, fixed

    def _keep(self, **finished: Any) -> None:
        self.state = replace(self.state, **finished)
        self.control.keep(self.state)

    def _evolve(self, space: SearchSpace, evaluator: Evaluator) -> Evolution:
        """Run the genetic algorithm, keeping and telling of every generation."""
        control, settings, snapshot = self.control, self._evolution_settings(space), self.state.snapshot

        def tell(search: Evolution) -> None:
            control.has_model = True
            taken = search.snapshot()
            if taken is not None:
                self._keep(snapshot=taken)
            if control.callbacks:
                row = search.history[-1]
                error = row.best_error * self.data.error_unit
                left = time_left.estimate()
                control.report("evolution", row.generation, row.evaluations, row.n_rules, error, left)

        search = Evolution(space, evaluator, settings, self.rng, tell)
        if snapshot is not None:
            _check_goes_on(snapshot, settings)
            search.restore(snapshot)
            control.has_model = True
        time_left = TimeLeft(search)
        search.run()
        return search

    def _task(self, space: SearchSpace, indices: npt.NDArray[np.intp]) -> Task:
        rows, most = self.data.rows, self._most_rules(space)
        selected = self._rows_at(indices)
        if self.options.fit_rows == "selected":
            return Task(space, selected, selected, rows, most)
        return Task(space, selected, rows, None, most)

    def _most_rules(self, space: SearchSpace) -> int:
        most = max(1, _MOST_COEFFICIENTS // (space.n_inputs + 1))
        return most if self.options.max_rules is None else min(most, self.options.max_rules)

    def _regularize(self, task: Task, selected: npt.NDArray[np.intp]) -> tuple[ElasticNetSettings, bool]:
        """Choose how consequents are fitted, or take what was chosen; tell too whether there was time enough."""
        if self.state.fit is not None and self.state.rng is not None:
            self.rng.bit_generator.state = dict(self.state.rng)
            return self.state.fit, True
        settings = self._search_regularization(task, selected, self.control.deadline(_SHARE_OF_REGULARIZATION))
        self._keep(fit=settings, rng=self.rng.bit_generator.state)
        return settings, not self.control.over(_SHARE_OF_REGULARIZATION)

    def _search_regularization(self, task: Task, selected: npt.NDArray[np.intp], deadline: float) -> ElasticNetSettings:
        options, n_rows, rng = self.options, self.data.n_rows, self.rng
        settings = ElasticNetSettings(
            options.regularization if options.regularization is not None else 1.0,
            options.l1_ratio,
            options.solver,
            seed=int(rng.integers(2**31)),
            most_rounds=200 if options.solver == "coordinate_descent" else 1_000,
        )
        if options.regularization is not None and options.solver == "coordinate_descent":
            return settings
        fitted, held_out = trial_rows(n_rows, selected if options.fit_rows == "selected" else None, rng)
        if len(held_out) < 2 or len(fitted) < 2:
            return replace(settings, regularization=1e-3 if options.regularization is None else options.regularization)
        trial = replace(task, fitted=self._rows_at(fitted), scored=self._rows_at(held_out))
        tried = initial_population(task.space, _N_TRIED, rng)
        given = options.regularization is not None
        return search_regularization(trial, tried, settings, fixed=given, pool=self.pool, deadline=deadline)

    def _evolution_settings(self, space: SearchSpace) -> EvolutionSettings:
        options = self.options
        budget = max(2_000, 400 * space.n_inputs) if options.max_evaluations is None else options.max_evaluations
        return EvolutionSettings(
            options.population_size,
            budget,
            options.mutation_probability,
            options.n_local_search,
            options.n_restarts,
            _THRESHOLD_AN_INPUT * space.n_inputs,
            options.early_stopping,
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
        data = self.data
        exact = replace(settings, tolerance=1e-9, progress=-1.0, most_rounds=max(1_000, settings.most_rounds))
        learned = self._fit_on_all(chromosome, task, exact)
        missed = float(learned[3][4])
        if settings.solver == "coordinate_descent" and missed > _MOST_MISSED:
            warnings.warn(
                f"the final fit misses the optimality conditions by {missed:.1g}; a larger regularization than "
                f"{settings.regularization:g} would help",
                ConvergenceWarning,
                stacklevel=4,
            )
        scales = data.scale, data.target_scale
        rule_base = build_rule_base(chromosome, learned, (nested, data.domains), scales, data.names, task.space)
        support, n_uncovered = self._cover_all(rule_base)
        return FrontPoint(
            replace(rule_base, support=support),
            found.fitness,
            float(learned[3][0]) * data.error_unit,
            np.nan,
            settings.regularization,
            n_uncovered,
        )

    def _fit_on_all(self, chromosome: Chromosome, task: Task, settings: ElasticNetSettings) -> LearnedRules:
        rows, genes = self.data.rows, (chromosome.granularities, chromosome.displacements)
        learned = evaluation.learn(*genes, task.space, task.examples, rows, settings, task.most_rules)
        # A first step that suits the selected rows can run away on rows far from all of them. A fit that is worse than
        # the mean is one of these.
        variance = float(np.average(np.square(rows.y), weights=rows.weight))
        while settings.solver == "sgd" and not learned[3][0] <= variance and settings.rate > _LEAST_RATE:
            settings = replace(settings, rate=settings.rate / 2.0)
            learned = evaluation.learn(*genes, task.space, task.examples, rows, settings, task.most_rules)
        return learned

    def _cover_all(self, rule_base: RuleBase) -> tuple[Floats, int]:
        """Return the share that each rule has of all rows, and the number of rows that fire none."""
        activations, fired = rule_base.activations(self.data.values)
        weight = self.data.rows.weight
        return np.asarray((weight[:, None] * activations).sum(axis=0) / weight.sum()), int((~fired).sum())


def _check_goes_on(snapshot: Snapshot, settings: EvolutionSettings) -> None:
    # A first population of which nothing can be used takes one evaluation more than was allowed.
    limits = {
        "max_evaluations": (settings.max_evaluations + 1, snapshot.n_asked),
        "n_restarts": (settings.n_restarts, snapshot.n_restarts),
    }
    for name, (most, made) in limits.items():
        if made > most:
            raise ValueError(
                f"{name} is too small to go on from a search that has made {made:,} of them; raise it, or start afresh "
                "with warm_start=False."
            )


def simpler_models(
    best_by_rules: Mapping[int, tuple[Chromosome, Evaluation]], n_rules: int
) -> list[tuple[Chromosome, Evaluation]]:
    """Return the best of every number of rules below a given one, each more accurate than those with fewer."""
    front: list[tuple[Chromosome, Evaluation]] = []
    for size in sorted(size for size in best_by_rules if size < n_rules):
        chromosome, found = best_by_rules[size]
        if not front or found.error < front[-1][1].error:
            front.append((chromosome, found))
    return front


def trial_rows(
    n_rows: int, selected: npt.NDArray[np.intp] | None, rng: np.random.Generator
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
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
    if n_rows > _MOST_NUMBERED:
        n_drawn = 3 * _MOST_TRIED_ROWS + (0 if selected is None else len(selected))
        drawn = rng.choice(n_rows, n_drawn, replace=False)
    held_out = np.setdiff1d(drawn, selected) if selected is not None else np.empty(0, dtype=np.intp)
    if selected is None or len(held_out) < 2:
        held_out, selected = np.array_split(rng.permutation(drawn), [len(drawn) // 3])
    return _at_most(selected, _MOST_TRIED_ROWS, rng), _at_most(held_out, _MOST_TRIED_ROWS, rng)


def _at_most(rows: npt.NDArray[np.intp], most: int, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    return rows if len(rows) <= most else np.sort(rng.choice(rows, most, replace=False))
