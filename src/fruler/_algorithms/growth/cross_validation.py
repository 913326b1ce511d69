"""The choice of size and ridge by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from fruler._algorithms.growth.growth import MAX_SIZE, Growth, Step
from fruler._algorithms.growth.options import GrowthOptions
from fruler._algorithms.growth.problem import GrowthProblem
from fruler._algorithms.growth.sums import Sums, degrees_of, outputs_of
from fruler._arrays import Floats, Indices
from fruler._table.rows import Rows
from fruler.learning._checkpoint import damaged
from fruler.learning._control import UNLIMITED, Budget
from fruler.learning._folds import N_FOLDS, Split
from fruler.learning.learned import Baselines

# Ridges in rows; see `fruler._algorithms.growth.terms`.
RIDGES = (0.01, 0.1, 1.0, 10.0, 100.0)
# How far the error of a smaller model may be above the smallest error: this many standard errors of the difference
# between the two, but at least the first share of the error, and at most the second.
_STANDARD_ERRORS, _LEAST_TOLERANCE, _LARGEST_TOLERANCE = 1.0, 0.01, 0.03
# With many rows, some of the folds are enough.
_MANY_ROWS, _N_FOLDS_OF_MANY = 4_000, 3
# A choice is clear if the choices without one of the folds differ by at most this share of the error.
_CLEAR = 0.01
# The ridge of a linear regression, in rows: inputs that nearly repeat each other would have huge opposite slopes.
_BASELINE_RIDGE = 1.0

Residuals = npt.NDArray[np.float32]


class Fold(NamedTuple):
    """The results of one fold: its rows are held out, and rules are grown on the others.

    Attributes
    ----------
    errors : ndarray of shape (n_sizes, n_ridges)
        The sums of the loss, such as squared errors, over the held-out rows.
    weight : float
        The total weight of the held-out rows.
    n_evaluations : int
        The number of fitted structures.
    options : GrowthOptions
        The options of the growth on the other rows.
    max_size : int
        The maximum number of divisions of this growth.
    path : tuple of Step
        The exact steps of this growth, to resume from.
    residuals : ndarray of float32, shape (n_sizes, n_ridges, n_rows)
        The residuals of the held-out rows, for prediction intervals.
    """

    errors: Floats
    weight: float
    n_evaluations: int
    options: GrowthOptions
    max_size: int
    path: tuple[Step, ...]
    residuals: Residuals


@dataclass(frozen=True)
class Choice:
    """The result of cross-validation.

    Attributes
    ----------
    errors : ndarray of shape (n_folds, n_sizes, n_ridges)
        The mean squared error of the rows that each fold held out, by size (from undivided) and ridge.
    weights : ndarray of shape (n_folds,)
        The total weight of these rows, as a share of that of all folds.
    ridges : tuple of float
        The ridges that were tried.
    n_evaluations : int
        The number of fitted structures.
    """

    errors: Floats
    weights: Floats
    ridges: tuple[float, ...]
    n_evaluations: int

    @classmethod
    def from_folds(cls, folds: Sequence[Fold], ridges: tuple[float, ...]) -> Self:
        """Sum up one fold or more."""
        n_sizes = max(len(fold.errors) for fold in folds)
        # A growth that ended early stands for all larger sizes, too.
        padded = [
            np.pad(fold.errors, ((0, n_sizes - len(fold.errors)), (0, 0)), mode="edge") / fold.weight for fold in folds
        ]
        weights = np.array([fold.weight for fold in folds])
        return cls(np.array(padded), weights / weights.sum(), ridges, sum(fold.n_evaluations for fold in folds))

    @property
    def mean_errors(self) -> Floats:
        """The mean squared error of held-out rows, by size and ridge."""
        return np.asarray(np.tensordot(self.weights, self.errors, axes=1))

    def best_size(self, sizes: Sequence[int] | None = None) -> int:
        """Return the smallest size with an error close to the smallest error; among `sizes` only, if given."""
        mean = self.mean_errors
        least, ridge = mean.min(axis=1), mean.argmin(axis=1)
        last = len(least) - 1
        among = list(range(len(least))) if sizes is None else sorted(sizes)
        best = min((min(size, last) for size in among), key=lambda at: float(least[at]))
        for size in among:
            # A size that no fold reached is as good as the largest that one did.
            at = min(size, last)
            error = _standard_error(self.errors[:, at, ridge[at]] - self.errors[:, best, ridge[best]])
            tolerance = np.clip(
                _STANDARD_ERRORS * error, _LEAST_TOLERANCE * least[best], _LARGEST_TOLERANCE * least[best]
            )
            if least[at] - least[best] <= tolerance:
                return size
        return best

    @property
    def is_clear(self) -> bool:
        """Whether further folds would hardly matter, because no single fold does.

        Examples
        --------
        The second size is best in both folds, by far in one and by a little in the other:

        >>> import numpy as np
        >>> errors = np.array([[[9.0], [1.0], [1.5]], [[9.0], [1.0], [1.1]]])
        >>> Choice(errors, np.array([0.5, 0.5]), (0.1,), 100).is_clear
        True

        One fold by itself is not enough:

        >>> Choice(errors[:1], np.array([1.0]), (0.1,), 50).is_clear
        False
        """
        n_folds = len(self.errors)
        if n_folds < 2:
            return False
        chosen = self.error_of(self.best_size())
        sizes = {self._without(fold).best_size() for fold in range(n_folds)}
        return all(abs(self.error_of(size) - chosen) <= _CLEAR * chosen for size in sizes)

    def _without(self, fold: int) -> Choice:
        weights = np.delete(self.weights, fold)
        return replace(self, errors=np.delete(self.errors, fold, axis=0), weights=weights / weights.sum())

    def best_ridge(self, size: int) -> float:
        """Return the best ridge for a size."""
        return self.ridges[int(self._of(size).argmin())]

    def place_of(self, size: int) -> tuple[int, int]:
        """Return the indices of a size and of the best ridge for it."""
        return size, int(self._of(size).argmin())

    def error_of(self, size: int) -> float:
        """Return the smallest error of a size."""
        return float(self._of(size).min())

    def _of(self, size: int) -> Floats:
        mean = self.mean_errors
        return np.asarray(mean[min(size, len(mean) - 1)])


def residuals_of(folds: Sequence[Fold], size: int, ridge: int) -> list[Floats]:
    """Return the residuals of each fold for a size and a ridge, given by their indices."""
    # A growth that ended early stands for all larger sizes, too.
    return [fold.residuals[min(size, len(fold.residuals) - 1), ridge].astype(np.float64) for fold in folds]


def _standard_error(differences: Floats) -> float:
    n = len(differences)
    return 0.0 if n < 2 else float(differences.std(ddof=1) / np.sqrt(n))


def draw_folds(n_rows: int, rng: np.random.Generator) -> list[Indices]:
    """Return the rows to hold out, fold by fold; no folds if nothing would be left to grow on."""
    if n_rows < 2:
        return []
    folds = np.array_split(rng.permutation(n_rows), min(N_FOLDS, n_rows))
    return folds[:_N_FOLDS_OF_MANY] if n_rows > _MANY_ROWS else folds


def baselines_of(rows: Rows, folds: Sequence[Split], target: Floats) -> Baselines:
    """Return the errors of simple models on held-out rows.

    Parameters
    ----------
    rows : Rows
        The rows; their inputs are used.
    folds : sequence of Split
        The folds.
    target : ndarray of shape (n_rows,)
        The target in its own units.
    """
    squares, weight = np.zeros(2), 0.0
    for fold in folds:
        others, held_out = fold.others(len(rows)), fold.held_out
        terms, y, own = rows.rows[others], target[others], rows.weight[others]
        mean = np.average(y, weights=own)
        weighted = terms.T * own
        ridge = _BASELINE_RIDGE * (np.arange(terms.shape[1]) > 0)
        line = np.linalg.solve(weighted @ terms + np.diag(ridge), weighted @ (y - mean))
        errors = target[held_out] - mean - np.stack([rows.rows[held_out] @ line, np.zeros(len(held_out))])
        squares += np.square(errors) @ rows.weight[held_out]
        weight += float(rows.weight[held_out].sum())
    return Baselines(*np.sqrt(squares / weight).tolist())


class CrossValidation:
    """Grows without the rows of each fold, and measures every size and ridge on them.

    Parameters
    ----------
    problem : GrowthProblem
        The rows, their domains, known split points and constraints.
    ridges : tuple of float
        The ridges to try for the consequents of every size.
    folds : list of Split
        The folds. All of them are evaluated if they say what to fit to: then a user asked for them.
    budget : Budget
        The time that the cross-validation may take.
    max_size : int
        The maximum number of divisions: that of the growth whose size is to be chosen.
    """

    def __init__(
        self,
        problem: GrowthProblem,
        ridges: tuple[float, ...],
        folds: Sequence[Split],
        budget: Budget = UNLIMITED,
        *,
        max_size: int = MAX_SIZE,
    ) -> None:
        self.problem, self.ridges, self.folds, self.budget, self.max_size = problem, ridges, folds, budget, max_size
        self._needs_all = any(fold.fitted is not None for fold in folds)
        # Once the choice is clear, folds that a pool has begun are abandoned.
        self._is_clear = False

    def run(
        self,
        pool: ThreadPoolExecutor | None = None,
        before: Mapping[int, Fold] | None = None,
        on_fold: Callable[[int, list[Fold]], None] | None = None,
    ) -> Choice | None:
        """Evaluate the folds until the choice is clear.

        Results are read in the order of the folds, so that the choice does not depend on the pool.

        Parameters
        ----------
        pool : ThreadPoolExecutor, optional
            The pool that evaluates the folds.
        before : mapping of int to Fold, optional
            Folds by number from an earlier run on the same rows.
        on_fold : callable, optional
            Called for each finished fold, with its number and the list of all finished folds.

        Returns
        -------
        Choice or None
            None if no fold was finished in time, or no fold could be evaluated.
        """
        known_folds = before or {}
        self._is_clear = False

        def held_out(number: int) -> Fold | None:
            return None if self._is_clear else self.fold(number, known_folds.get(number))

        run: Callable[..., Iterable[Any]] = map if pool is None else pool.map
        found: list[Fold] = []
        choice: Choice | None = None
        for number, fold in enumerate(run(held_out, range(len(self.folds)))):
            if fold is None:
                continue
            found.append(fold)
            choice = Choice.from_folds(found, self.ridges)
            if on_fold is not None:
                on_fold(number, found)
            if choice.is_clear and not self._needs_all:
                self._is_clear = True
                break
        return choice

    def fold(self, number: int, before: Fold | None = None) -> Fold | None:
        """Grow without one fold, and measure every size and ridge on it.

        Returns None if time ran out, or if the rows of one side have no weight. A fold of an earlier run is reused.
        """
        if before is not None and (before.options, before.max_size) == (self.problem.options, self.max_size):
            if before.residuals.shape[1:] != (len(self.ridges), len(self.folds[number].held_out)):
                raise damaged("its folds belong to another cross-validation")
            return before
        if self.budget.over():
            # For wide tables the preparations alone take a while.
            return None
        rows, own = self.problem.rows, self.folds[number]
        fitted_rows, held_out = rows.take(own.others(len(rows))), rows.take(own.held_out)
        if not (fitted_rows.weight.any() and held_out.weight.any()):
            return None
        budget = self.budget.or_when(lambda: self._is_clear)
        growth = Growth(self.problem.of(fitted_rows), budget, max_size=self.max_size)
        path = growth.run() if before is None else growth.run(before.path, before.options.max_rules)
        held_out = held_out.with_inputs(growth.inputs)
        residuals, errors, loss = [], [], growth.loss
        for step in path:
            if growth.out_of_time:
                return None
            raw = self._held_out(growth, step, held_out)
            errors.append([float(held_out.weight @ loss.value(held_out.y, of_ridge)) for of_ridge in raw])
            residuals.append(loss.residuals(held_out.y, raw))
        exact = tuple(growth.path[: growth.n_exact])
        return Fold(
            np.array(errors),
            float(held_out.weight.sum()),
            growth.n_evaluations,
            self.problem.options,
            self.max_size,
            exact,
            np.array(residuals, dtype=np.float32),
        )

    def _held_out(self, growth: Growth, step: Step, held_out: Rows) -> Floats:
        """Return the raw predictions of one structure for held-out rows, by ridge, shape (n_ridges, n_rows)."""
        structure = step.structure
        growth.work_at(structure, step.fit.coefficients)
        fitted = degrees_of(structure, growth.rows)
        normal = Sums.over(growth.rows, fitted).normal(structure, growth.locality)
        degrees = degrees_of(structure, held_out)
        raw = []
        for ridge in self.ridges:
            fit = growth.final_terms(structure, normal, ridge, len(growth.rows), step.fit.kept)
            raw.append(outputs_of(structure, fit.coefficients, held_out, degrees).together)
        return np.array(raw)


class Size(NamedTuple):
    """A model of the path that becomes one of the front: its index in the path, and its step."""

    number: int
    step: Step

    def in_reading_order(self) -> Size:
        """Sort the rules. The terms belong to blocks, which stay as they are."""
        return Size(self.number, self.step._replace(structure=self.step.structure.in_reading_order()))


def sizes_by_rules(path: list[Step], forward: list[Step], choice: Choice | None) -> dict[int, Size]:
    """Return one model for each number of rules.

    Among the models with the same number of rules it is the smallest with an error close to the smallest error; without
    cross-validation, the one with the best criterion. A number of rules that only occurred before pruning is taken from
    `forward`.
    """
    numbers: dict[int, list[int]] = {}
    for number, step in enumerate(path):
        numbers.setdefault(step.structure.n_rules, []).append(number)
    sizes = {
        n_rules: Size(number, path[number])
        for n_rules, among in numbers.items()
        for number in [_best_criterion(path, among) if choice is None else choice.best_size(among)]
    }
    for number, step in enumerate(forward):
        sizes.setdefault(step.structure.n_rules, Size(number, step))
    return dict(sorted(sizes.items()))


def chosen_size(path: list[Step], sizes: dict[int, Size], choice: Choice | None) -> int:
    """Choose a model by cross-validation, or by the criterion if there was no time for that.

    Enters the model into `sizes`, and returns its number of rules.
    """
    everything = list(range(len(path)))
    number = _best_criterion(path, everything) if choice is None else choice.best_size(everything)
    n_rules = path[number].structure.n_rules
    sizes[n_rules] = Size(number, path[number])
    return n_rules


def _best_criterion(path: list[Step], among: list[int]) -> int:
    return min(among, key=lambda number: path[number].fit.criterion)
