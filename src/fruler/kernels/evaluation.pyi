import numpy as np
import numpy.typing as npt

from fruler.algorithms.fruler.problem import SearchSpace
from fruler.consequents.elastic_net import ElasticNetSettings
from fruler.table.rows import Rows

def evaluate(
    granularities: npt.NDArray[np.intc],
    displacements: npt.NDArray[np.float64],
    space: SearchSpace,
    examples: Rows,
    fitted: Rows,
    scored: Rows | None,
    settings: ElasticNetSettings,
    most_rules: int,
) -> npt.NDArray[np.float64]: ...
def profile(
    granularities: npt.NDArray[np.intc],
    displacements: npt.NDArray[np.float64],
    space: SearchSpace,
    examples: Rows,
    fitted: Rows,
    scored: Rows,
    settings: ElasticNetSettings,
    most_rules: int,
) -> npt.NDArray[np.float64]: ...
def learn(
    granularities: npt.NDArray[np.intc],
    displacements: npt.NDArray[np.float64],
    space: SearchSpace,
    examples: Rows,
    fitted: Rows,
    settings: ElasticNetSettings,
    most_rules: int,
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
