"""The options of FS_MOGFS, L-METSK and A-METSK."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fruler._algorithms.genetic import GeneticOptions
from fruler._algorithms.systems.evaluation import Subset
from fruler.rules._antecedents import TNorm

Crop = Literal["reject", "truncate"]
CROPS: tuple[Crop, ...] = ("reject", "truncate")
Crossover = Literal["blx", "pcblx"]
CROSSOVERS: tuple[Crossover, ...] = ("blx", "pcblx")
ConstantConsequent = Literal["nearest_row", "mean"]
CONSTANT_CONSEQUENTS: tuple[ConstantConsequent, ...] = ("nearest_row", "mean")
Estimation = Literal["global", "local"]
ESTIMATIONS: tuple[Estimation, ...] = ("global", "local")
Terms = Literal["used", "all"]
TERMS: tuple[Terms, ...] = ("used", "all")


@dataclass(frozen=True)
class GridOptions(GeneticOptions):
    """The parameters of the first stage, which all three algorithms share."""

    max_rules: int = 100
    max_labels: int = 7
    displacement: float = 0.1
    crop: Crop = "reject"
    t_norm: TNorm = "minimum"
    subset: Subset = "auto"


@dataclass(frozen=True)
class LMETSKOptions(GridOptions):
    """The parameters of `LMETSKRegressor` that determine the model; documented there."""

    consequent: ConstantConsequent = "nearest_row"


@dataclass(frozen=True)
class AMETSKOptions(LMETSKOptions):
    """The parameters of `AMETSKRegressor` that determine the model; documented there."""

    kappa: float = 10.0
    estimation: Estimation = "global"
    terms: Terms = "used"
    crossover: Crossover = "blx"


@dataclass(frozen=True)
class FSMOGFSOptions(GridOptions):
    """The parameters of `FSMOGFSRegressor` that determine the model; documented there."""

    max_rules: int = 50
    crossover: Crossover = "blx"
