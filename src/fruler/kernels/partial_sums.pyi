import numpy as np
import numpy.typing as npt

from fruler.algorithms.fruler.problem import SearchSpace
from fruler.consequents.elastic_net import ElasticNetSettings
from fruler.table.rows import Rows

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.intp]

def rules_of(
    granularities: npt.NDArray[np.intc], displacements: Floats, space: SearchSpace, examples: Rows, most_rules: int
) -> tuple[Integers, Integers, Integers] | None: ...
def n_sums(n_rules: int, n_inputs: int) -> int: ...
def add_sums(
    granularities: npt.NDArray[np.intc],
    displacements: Floats,
    space: SearchSpace,
    examples: Rows,
    table: Rows,
    most_rules: int,
    sums: Floats,
) -> None: ...
def solve_sums(sums: Floats, n_rules: int, n_inputs: int, settings: ElasticNetSettings) -> tuple[Floats, Floats]: ...
def score_sums(
    granularities: npt.NDArray[np.intc],
    displacements: Floats,
    space: SearchSpace,
    examples: Rows,
    table: Rows,
    most_rules: int,
    coefficients: Floats,
) -> tuple[float, int]: ...
