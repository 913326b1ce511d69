"""The options of FRULER."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fruler._algorithms.fruler.discretization import Splits
from fruler._algorithms.fruler.elastic_net import Solver
from fruler._algorithms.fruler.instance_selection import CoreError
from fruler._algorithms.fruler.reading import READINGS, Reading
from fruler._algorithms.genetic import GeneticOptions
from fruler.rules._antecedents import TNorm

Criterion = Literal["error", "bic"]
CRITERIA: tuple[Criterion, ...] = ("error", "bic")
FitRows = Literal["all", "selected"]
FIT_ROWS: tuple[FitRows, ...] = ("all", "selected")


@dataclass(frozen=True)
class FRULEROptions(GeneticOptions):
    """The parameters of `FRULERRegressor` that determine the model; documented there."""

    reading: Reading | str = "calibrated"
    instance_selection: bool = True
    core_error: CoreError = "mse"
    fit_rows: FitRows = "selected"
    splits: Splits = "printed"
    fuzziness: float = 1.0
    t_norm: TNorm = "minimum"
    criterion: Criterion = "error"
    solver: Solver = "sgd"
    l1_ratio: float = 0.05
    shrink_intercepts: bool = True
    regularization: float | None = None
    max_rules: int | None = None
    max_evaluations: int | None = 100_000
    n_local_search: int = 5
    n_restarts: int = 1
    early_stopping: int | None = None

    @property
    def choices(self) -> Reading:
        """The reading of the paper, also if it was given by name."""
        return READINGS[self.reading] if isinstance(self.reading, str) else self.reading
