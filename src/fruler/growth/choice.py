"""How far to grow, and how much to shrink: chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fruler.growth.fitting import fit_terms, normal_equations, outputs, rule_weights
from fruler.growth.growing import Growth, GrowthSettings
from fruler.rows import Rows
from fruler.scaling import Floats

RIDGES = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
# By how much the error of fewer rules may be above the least: less than validation can tell, and rules are to be read.
_TOLERANCE = 0.02
_N_PARTS = 5
# Few rows leave the choice to chance; they are parted more than once. Of many, some of the parts are enough.
_FEW_ROWS, _N_REPEATS = 1_000, 3
_MANY_ROWS, _N_PARTS_OF_MANY = 2_000, 2


@dataclass(frozen=True)
class Choice:
    """What cross-validation found.

    Attributes
    ----------
    errors : ndarray of shape (n_sizes, n_ridges)
        The mean squared error of rows that were left out, by number of rules (from one) and ridge.
    ridges : tuple of float
        The ridges that were tried.
    n_evaluations : int
        The structures that were looked at for it.
    """

    errors: Floats
    ridges: tuple[float, ...]
    n_evaluations: int

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

    def left_out(part: npt.NDArray[np.intp]) -> tuple[Floats, float, int] | None:
        return errors_of_part(rows, part, domains, known, settings, ridges, deadline)

    run: Callable[..., Iterable[Any]] = map if pool is None else pool.map
    found = [result for result in run(left_out, parts) if result is not None]
    if not found:
        return None
    n_sizes = max(len(errors) for errors, _, _ in found)
    # A growth that ended early stands for all larger sizes, too.
    padded = [np.vstack([errors, np.repeat(errors[-1:], n_sizes - len(errors), axis=0)]) for errors, _, _ in found]
    total = sum(weight for _, weight, _ in found)
    return Choice(np.sum(padded, axis=0) / total, ridges, sum(count for _, _, count in found))


def errors_of_part(
    rows: Rows,
    part: npt.NDArray[np.intp],
    domains: Floats,
    known: list[Floats],
    settings: GrowthSettings,
    ridges: tuple[float, ...],
    deadline: float,
) -> tuple[Floats, float, int] | None:
    """Return the sums of squared errors on a part by size and ridge, its weight, and the structures looked at.

    None where time ran out, or where the rows of one side have no weight.
    """
    fitted_rows = rows.take(np.setdiff1d(np.arange(len(rows)), part))
    left_out = rows.take(part)
    if not (fitted_rows.weight.any() and left_out.weight.any()):
        return None
    growth = Growth(fitted_rows, domains, known, settings, deadline)
    path = growth.run()
    errors = np.empty((len(path), len(ridges)))
    for size, step in enumerate(path):
        normal = normal_equations(step.structure, fitted_rows, domains)
        weights = rule_weights(step.structure, left_out, domains)
        for k, ridge in enumerate(ridges):
            fit = fit_terms(normal, step.structure, len(fitted_rows), ridge, settings.prices)
            residual = left_out.y - outputs(fit.coefficients, weights, left_out)
            errors[size, k] = left_out.weight @ np.square(residual)
    if growth.out_of_time:
        return None
    return errors, float(left_out.weight.sum()), growth.n_evaluations
