import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]
Grid = tuple[Floats, int, int, bool, int]
Table = tuple[Floats, Floats, Floats, Floats]

def evaluate(
    granularities: npt.NDArray[np.intc],
    displacements: Floats,
    grid: Grid,
    table: Table,
    sample: Table | None,
    max_rules: int,
    limit: float,
    min_rules: int,
) -> Floats: ...
def learn(
    granularities: npt.NDArray[np.intc],
    displacements: Floats,
    grid: Grid,
    table: Table,
    max_rules: int,
) -> tuple[Indices, Indices, Floats, Indices, Indices, float, int]: ...
