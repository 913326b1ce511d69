"""The options of FS_MOGFS with TUN."""

from __future__ import annotations

from dataclasses import dataclass

from fruler.algorithms.genetic.sampling import Subset
from fruler.algorithms.grids.grid import Crop
from fruler.algorithms.tuning.variation import Crossover
from fruler.rules.antecedents import TNorm


@dataclass(frozen=True)
class FSMOGFSOptions:
    """The parameters of `FSMOGFSRegressor` that decide on the model; documented there."""

    max_rules: int = 50
    max_labels: int = 7
    displacement: float = 0.1
    crop: Crop = "reject"
    t_norm: TNorm = "minimum"
    crossover: Crossover = "blx"
    population_size: int = 61
    max_evaluations: int | None = 20_000
    mutation_probability: float = 0.2
    subset: Subset = "auto"
