"""How far to grow, and how much to shrink: chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from fruler._typing import Floats, Indices
from fruler.algorithms.growth.growth import Growth, Step
from fruler.algorithms.growth.normal_equations import normal_equations, outputs, rule_weights
from fruler.algorithms.growth.options import GrowthOptions
from fruler.consequents.ridge import fit_terms
from fruler.learning.control import never
from fruler.table.rows import Rows

RIDGES = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
# By how much the error of fewer rules may be above the least: less than cross-validation can tell, and fewer are read.
_TOLERANCE = 0.02
N_FOLDS = 5
# Few rows leave the choice to chance: below so many rows, folds are drawn so often. Of many rows, some folds do.
_REPEATS = ((1_000, 6), (2_000, 3))
_MANY_ROWS, _N_FOLDS_OF_MANY = 2_000, 2


class Fold(NamedTuple):
    """What was found by holding out some of the rows.

    Attributes
    ----------
    errors : ndarray of shape (n_sizes, n_ridges)
        The sums of squared errors on it.
    weight : float
        The sum of its weights.
    n_evaluations : int
        The structures that were looked at.
    options : GrowthOptions
        Of the growth on the other rows.
    path : tuple of Step
        The exact steps of that growth, from which it could resume.
    """

    errors: Floats
    weight: float
    n_evaluations: int
    options: GrowthOptions
    path: tuple[Step, ...]


@dataclass(frozen=True)
class Choice:
    """What cross-validation found.

    Attributes
    ----------
    errors : ndarray of shape (n_sizes, n_ridges)
        The mean squared error of held-out rows, by number of rules (from one) and ridge.
    ridges : tuple of float
        The ridges that were tried.
    n_evaluations : int
        The structures that were looked at for it.
    """

    errors: Floats
    ridges: tuple[float, ...]
    n_evaluations: int

    @classmethod
    def from_folds(cls, folds: Sequence[Fold], ridges: tuple[float, ...]) -> Self:
        """Sum up the folds, of which there is at least one."""
        n_sizes = max(len(fold.errors) for fold in folds)
        # A growth that ended early stands for all larger sizes, too.
        padded = [
            np.vstack([fold.errors, np.repeat(fold.errors[-1:], n_sizes - len(fold.errors), axis=0)]) for fold in folds
        ]
        total = sum(fold.weight for fold in folds)
        return cls(np.sum(padded, axis=0) / total, ridges, sum(fold.n_evaluations for fold in folds))

    def best_size(self) -> int:
        """Return the least number of rules whose error is, but for a tolerance, the least of all."""
        least = self.errors.min(axis=1)
        return int(np.flatnonzero(least <= least.min() * (1.0 + _TOLERANCE))[0]) + 1

    def best_ridge(self, n_rules: int) -> float:
        """Return the ridge that is best for a number of rules."""
        return self.ridges[int(self._of(n_rules).argmin())]

    def error_of(self, n_rules: int) -> float:
        """Return the least error of a number of rules."""
        return float(self._of(n_rules).min())

    def _of(self, n_rules: int) -> Floats:
        return np.asarray(self.errors[min(n_rules, len(self.errors)) - 1])


def draw_folds(n_rows: int, rng: np.random.Generator) -> list[Indices]:
    """Return the rows to hold out, fold by fold; no folds where nothing would be left to grow on."""
    if n_rows < 2:
        return []
    repeats = next((repeats for limit, repeats in _REPEATS if n_rows < limit), 1)
    folds = [fold for _ in range(repeats) for fold in np.array_split(rng.permutation(n_rows), min(N_FOLDS, n_rows))]
    return folds[:_N_FOLDS_OF_MANY] if n_rows >= _MANY_ROWS else folds


class CrossValidation:
    """Grows without some of the rows, and measures every size and ridge on them.

    Parameters
    ----------
    rows, domains, known, options
        As for `Growth`.
    ridges : tuple of float
        The ridges to try for the consequents of every size.
    folds : list of ndarray
        The rows to hold out, one fold after the other.
    deadline : float
        The value of `time.monotonic` after which nothing new is begun.
    stopped : callable, optional
        Returns whether somebody asked for the end; after it nothing new is begun either.
    """

    def __init__(
        self,
        rows: Rows,
        domains: Floats,
        known: list[Floats],
        options: GrowthOptions,
        ridges: tuple[float, ...],
        folds: list[Indices],
        deadline: float = np.inf,
        stopped: Callable[[], bool] = never,
    ) -> None:
        self.rows, self.domains, self.known, self.options = rows, domains, known, options
        self.ridges, self.folds, self.deadline, self.stopped = ridges, folds, deadline, stopped

    def run(
        self,
        pool: ThreadPoolExecutor | None = None,
        before: Mapping[int, Fold] | None = None,
        on_fold: Callable[[int, list[Fold]], None] | None = None,
    ) -> Choice | None:
        """Go through all folds.

        Parameters
        ----------
        pool : ThreadPoolExecutor, optional
            Where the folds are worked on.
        before : mapping of int to Fold, optional
            What is known of some folds, by number, from a run on the same rows.
        on_fold : callable, optional
            Called for each fold that is finished, with its number and all that are finished.

        Returns
        -------
        Choice or None
            None if not one fold was finished in time, or none could be.
        """
        known_folds = before or {}

        def held_out(number: int) -> Fold | None:
            return self.fold(number, known_folds.get(number))

        run: Callable[..., Iterable[Any]] = map if pool is None else pool.map
        found: list[Fold] = []
        for number, fold in enumerate(run(held_out, range(len(self.folds)))):
            if fold is not None:
                found.append(fold)
                if on_fold is not None:
                    on_fold(number, found)
        return Choice.from_folds(found, self.ridges) if found else None

    def fold(self, number: int, before: Fold | None = None) -> Fold | None:
        """Grow without one fold, and measure every size and ridge on it.

        None where time ran out, or where the rows of one side have no weight. What is known is not done again.
        """
        if before is not None and before.options == self.options:
            return before
        rows, indices = self.rows, self.folds[number]
        fitted_rows = rows.take(np.setdiff1d(np.arange(len(rows)), indices))
        held_out = rows.take(indices)
        if not (fitted_rows.weight.any() and held_out.weight.any()):
            return None
        growth = Growth(fitted_rows, self.domains, self.known, self.options, self.deadline, stopped=self.stopped)
        path = growth.run(() if before is None else before.path)
        errors = np.empty((len(path), len(self.ridges)))
        for size, step in enumerate(path):
            normal = normal_equations(step.structure, fitted_rows, self.domains)
            weights = rule_weights(step.structure, held_out, self.domains)
            for k, ridge in enumerate(self.ridges):
                fit = fit_terms(normal, step.structure.size(len(fitted_rows)), ridge, growth.prices)
                residual = held_out.y - outputs(fit.coefficients, weights, held_out)
                errors[size, k] = held_out.weight @ np.square(residual)
        if growth.out_of_time:
            return None
        exact = tuple(path[: growth.n_exact])
        return Fold(errors, float(held_out.weight.sum()), growth.n_evaluations, self.options, exact)
