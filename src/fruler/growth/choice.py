"""How far to grow, and how much to shrink: chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from fruler.growth.fitting import fit_terms, normal_equations, outputs, rule_weights
from fruler.growth.growing import Growth, GrowthSettings
from fruler.rows import Rows
from fruler.scaling import Floats

RIDGES = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
# By how many standard errors of the difference fewer rules may do worse than the best: less than validation can tell,
# and rules are to be read.
_TOLERANCE = 0.25
_N_PARTS = 5
# Few rows leave the choice to chance; they are parted more than once. Of many, some of the parts are enough.
_FEW_ROWS, _N_REPEATS = 1_000, 3
_MANY_ROWS, _N_PARTS_OF_MANY = 2_000, 2


@dataclass(frozen=True, eq=False)
class Choice:
    """What cross-validation found.

    Attributes
    ----------
    errors : ndarray of shape (n_sizes, n_ridges, n_judged)
        The squared errors of rows that were left out, by number of rules (from one) and ridge; means where a row was
        left out more than once.
    weight : ndarray of shape (n_judged,)
        How much each of these rows counts.
    ridges : tuple of float
        The ridges that were tried.
    n_evaluations : int
        The structures that were looked at for it.
    """

    errors: Floats
    weight: Floats
    ridges: tuple[float, ...]
    n_evaluations: int

    def best_size(self) -> int:
        """Return the least number of rules whose error is, but for a tolerance, the least of all."""
        best = int(self.means.min(axis=1).argmin())
        for size in range(best):
            worse = self.errors[size, self.means[size].argmin()] - self.errors[best, self.means[best].argmin()]
            mean = np.average(worse, weights=self.weight)
            deviation = np.sqrt(np.average(np.square(worse - mean), weights=self.weight) / len(worse))
            if mean <= _TOLERANCE * deviation:
                return size + 1
        return best + 1

    def best_ridge(self, n_rules: int) -> float:
        """Return the ridge that is best for a number of rules."""
        return self.ridges[int(self._of(n_rules).argmin())]

    def error_of(self, n_rules: int) -> float:
        """Return the least error of a number of rules."""
        return float(self._of(n_rules).min())

    @cached_property
    def means(self) -> Floats:
        """The mean squared errors by size and ridge."""
        return np.average(self.errors, axis=2, weights=self.weight)

    def _of(self, n_rules: int) -> Floats:
        return np.asarray(self.means[min(n_rules, len(self.means)) - 1])


def parts_of(n_rows: int, rng: np.random.Generator) -> list[npt.NDArray[np.intp]]:
    """Return the sets of rows to leave out, one after the other; none where nothing would be left to grow on."""
    if n_rows < 2:
        return []
    repeats = _N_REPEATS if n_rows < _FEW_ROWS else 1
    parts = [part for _ in range(repeats) for part in np.array_split(rng.permutation(n_rows), min(_N_PARTS, n_rows))]
    return parts[:_N_PARTS_OF_MANY] if n_rows >= _MANY_ROWS else parts


def cross_validate(
    rows: Rows,
    domains: Floats,
    known: list[Floats],
    settings: GrowthSettings,
    ridges: tuple[float, ...],
    parts: list[npt.NDArray[np.intp]],
    pool: ThreadPoolExecutor | None = None,
    deadline: float = np.inf,
) -> Choice | None:
    """Grow without some of the rows, and see how well every size does on them.

    Parameters
    ----------
    rows, domains, known, settings
        As for `Growth`.
    ridges : tuple of float
        The ridges to try for the consequents of every size.
    parts : list of ndarray
        The rows to leave out, one part after the other.
    pool : ThreadPoolExecutor, optional
        Where the parts are worked on.
    deadline : float
        The value of `time.monotonic` after which nothing new is begun.

    Returns
    -------
    Choice or None
        None if not one part was finished in time, or none could be.
    """

    def left_out(part: npt.NDArray[np.intp]) -> tuple[Floats, int] | None:
        return errors_of_part(rows, part, domains, known, settings, ridges, deadline)

    run: Callable[..., Iterable[Any]] = map if pool is None else pool.map
    found = [(part, *result) for part, result in zip(parts, run(left_out, parts), strict=True) if result is not None]
    if not found:
        return None
    n_sizes = max(len(errors) for _, errors, _ in found)
    sums, counts = np.zeros((n_sizes, len(ridges), len(rows))), np.zeros(len(rows))
    for part, errors, _ in found:
        sums[: len(errors), :, part] += errors
        # A growth that ended early stands for all larger sizes, too.
        sums[len(errors) :, :, part] += errors[-1]
        counts[part] += 1.0
    judged = counts > 0.0
    n_evaluations = sum(count for _, _, count in found)
    return Choice(sums[:, :, judged] / counts[judged], rows.weight[judged], ridges, n_evaluations)


def errors_of_part(
    rows: Rows,
    part: npt.NDArray[np.intp],
    domains: Floats,
    known: list[Floats],
    settings: GrowthSettings,
    ridges: tuple[float, ...],
    deadline: float,
) -> tuple[Floats, int] | None:
    """Return the squared errors of a part's rows by size and ridge, and the number of structures looked at.

    None where time ran out, or where the rows of one side have no weight.
    """
    fitted_rows = rows.take(np.setdiff1d(np.arange(len(rows)), part))
    left_out = rows.take(part)
    if not (fitted_rows.weight.any() and left_out.weight.any()):
        return None
    growth = Growth(fitted_rows, domains, known, settings, deadline)
    path = growth.run()
    errors = np.empty((len(path), len(ridges), len(part)))
    for size, step in enumerate(path):
        normal = normal_equations(step.structure, fitted_rows, domains)
        weights = rule_weights(step.structure, left_out, domains)
        for k, ridge in enumerate(ridges):
            fit = fit_terms(normal, step.structure, len(fitted_rows), ridge, settings.prices)
            errors[size, k] = np.square(left_out.y - outputs(fit.coefficients, weights, left_out))
    if growth.out_of_time:
        return None
    return errors, growth.n_evaluations
