import numpy as np
import numpy.typing as npt

Space = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], float, int]
Table = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]
Settings = tuple[float, float, bool, float, float, float, int, int, float, int, bool, float, int]

def evaluate(
    granularities: npt.NDArray[np.intc],
    displacements: npt.NDArray[np.float64],
    space: Space,
    examples: Table,
    fitted: Table,
    scored: Table | None,
    settings: Settings,
    max_rules: int,
) -> npt.NDArray[np.float64]: ...
def profile(
    granularities: npt.NDArray[np.intc],
    displacements: npt.NDArray[np.float64],
    space: Space,
    examples: Table,
    fitted: Table,
    scored: Table,
    settings: Settings,
    max_rules: int,
) -> npt.NDArray[np.float64]: ...
def learn(
    granularities: npt.NDArray[np.intc],
    displacements: npt.NDArray[np.float64],
    space: Space,
    examples: Table,
    fitted: Table,
    settings: Settings,
    max_rules: int,
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
