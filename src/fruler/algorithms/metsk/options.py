"""The options of L-METSK and A-METSK."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fruler.algorithms.genetic.sampling import Subset
from fruler.algorithms.grids.grid import Crop
from fruler.algorithms.tuning.variation import Crossover
from fruler.rules.antecedents import TNorm

ConstantConsequent = Literal["nearest_row", "mean"]
CONSTANT_CONSEQUENTS: tuple[ConstantConsequent, ...] = ("nearest_row", "mean")
Estimation = Literal["global", "local"]
ESTIMATIONS: tuple[Estimation, ...] = ("global", "local")
Terms = Literal["used", "all"]
TERMS: tuple[Terms, ...] = ("used", "all")


@dataclass(frozen=True)
class LMETSKOptions:
    """The parameters of `LMETSKRegressor` that decide on the model; documented there."""

    max_rules: int = 100
    max_labels: int = 7
    displacement: float = 0.1
    consequent: ConstantConsequent = "nearest_row"
    crop: Crop = "reject"
    t_norm: TNorm = "minimum"
    population_size: int = 61
    max_evaluations: int | None = 20_000
    mutation_probability: float = 0.2
    subset: Subset = "auto"


@dataclass(frozen=True)
class AMETSKOptions(LMETSKOptions):
    """The parameters of `AMETSKRegressor` that decide on the model; documented there."""

    kappa: float = 10.0
    estimation: Estimation = "global"
    terms: Terms = "used"
    crossover: Crossover = "blx"
