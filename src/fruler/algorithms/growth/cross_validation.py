"""How far to grow, and how much to shrink: chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler.algorithms.growth.fitting import fit_terms, normal_equations, outputs, rule_weights
from fruler.algorithms.growth.growth import Growth, GrowthSettings, Step
from fruler.learning.control import never
from fruler.table.rows import Rows

RIDGES = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
# By how much the error of fewer rules may be above the least: less than validation can tell, and rules are to be read.
_TOLERANCE = 0.02
N_PARTS = 5
# Few rows leave the choice to chance: below so many rows they are parted so often. Of many, some parts are enough.
_REPEATS = ((1_000, 6), (2_000, 3))
_MANY_ROWS, _N_PARTS_OF_MANY = 2_000, 2


class Part(NamedTuple):
    """What was found by leaving out one part of the rows.

    Attributes
    ----------
    errors : ndarray of shape (n_sizes, n_ridges)
        The sums of squared errors on it.
    weight : float
        The sum of its weights.
    n_evaluations : int
        The structures that were looked at.
    settings : GrowthSettings
        Of the growth on the other rows.
    path : tuple of Step
        The exact steps of that growth, from which it could go on.
    """

    errors: Floats
    weight: float
    n_evaluations: int
    settings: GrowthSettings
    path: tuple[Step, ...]


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

    @classmethod
    def from_parts(cls, parts: Sequence[Part], ridges: tuple[float, ...]) -> Self:
        """Sum up the parts, of which there is at least one."""
        n_sizes = max(len(part.errors) for part in parts)
        # A growth that ended early stands for all larger sizes, too.
        padded = [
            np.vstack([part.errors, np.repeat(part.errors[-1:], n_sizes - len(part.errors), axis=0)]) for part in parts
        ]
        total = sum(part.weight for part in parts)
        return cls(np.sum(padded, axis=0) / total, ridges, sum(part.n_evaluations for part in parts))

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
    repeats = next((repeats for most, repeats in _REPEATS if n_rows < most), 1)
    parts = [part for _ in range(repeats) for part in np.array_split(rng.permutation(n_rows), min(N_PARTS, n_rows))]
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
    *,
    stopped: Callable[[], bool] = never,
    before: Mapping[int, Part] | None = None,
    on_part: Callable[[int, list[Part]], None] | None = None,
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
    stopped : callable, optional
        Tells whether somebody asked for the end; after it nothing new is begun either.
    before : mapping of int to Part, optional
        What is known of some of the parts, by number, from a run on the same rows.
    on_part : callable, optional
        Called for each part that is finished, with its number and all that are finished.

    Returns
    -------
    Choice or None
        None if not one part was finished in time, or none could be.
    """
    known_parts = before or {}

    def left_out(number: int) -> Part | None:
        earlier = known_parts.get(number)
        return errors_of_part(
            rows, parts[number], domains, known, settings, ridges, deadline, stopped=stopped, before=earlier
        )

    run: Callable[..., Iterable[Any]] = map if pool is None else pool.map
    found: list[Part] = []
    for number, part in enumerate(run(left_out, range(len(parts)))):
        if part is not None:
            found.append(part)
            if on_part is not None:
                on_part(number, found)
    return Choice.from_parts(found, ridges) if found else None


def errors_of_part(
    rows: Rows,
    part: npt.NDArray[np.intp],
    domains: Floats,
    known: list[Floats],
    settings: GrowthSettings,
    ridges: tuple[float, ...],
    deadline: float,
    *,
    stopped: Callable[[], bool] = never,
    before: Part | None = None,
) -> Part | None:
    """Grow without a part of the rows, and see how well every size and ridge does on it.

    None where time ran out, or where the rows of one side have no weight. What is known of the part is not done again.
    """
    if before is not None and before.settings == settings:
        return before
    fitted_rows = rows.take(np.setdiff1d(np.arange(len(rows)), part))
    left_out = rows.take(part)
    if not (fitted_rows.weight.any() and left_out.weight.any()):
        return None
    growth = Growth(fitted_rows, domains, known, settings, deadline, stopped=stopped)
    path = growth.run(() if before is None else before.path)
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
    exact = tuple(path[: growth.n_exact])
    return Part(errors, float(left_out.weight.sum()), growth.n_evaluations, settings, exact)
