"""The options of FRULER; their defaults are the paper's settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fruler.consequents.elastic_net import Solver
from fruler.rules.antecedents import TNorm
from fruler.stages.discretization import Splits
from fruler.stages.instance_selection import CoreError

Criterion = Literal["error", "bic"]
CRITERIA: tuple[Criterion, ...] = ("error", "bic")
FitRows = Literal["all", "selected"]
FIT_ROWS: tuple[FitRows, ...] = ("all", "selected")


@dataclass(frozen=True)
class FRULEROptions:
    """The parameters of `FRULERRegressor` that decide on the model; documented there."""

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
    population_size: int = 61
    max_evaluations: int | None = 100_000
    mutation_probability: float = 0.2
    n_local_search: int = 5
    n_restarts: int = 1
    early_stopping: int | None = None
