import numpy as np
import numpy.typing as npt

Space = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], float, int]
Table = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]
Settings = tuple[float, float, bool, float, float, float, int, int, float, int]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.intp]

def rules_of(
    granularities: npt.NDArray[np.intc], displacements: Floats, space: Space, examples: Table, max_rules: int
) -> tuple[Integers, Integers, Integers] | None: ...
def n_sums(n_rules: int, n_inputs: int) -> int: ...
def add_sums(
    granularities: npt.NDArray[np.intc],
    displacements: Floats,
    space: Space,
    examples: Table,
    table: Table,
    max_rules: int,
    sums: Floats,
) -> None: ...
def solve_sums(sums: Floats, n_rules: int, n_inputs: int, settings: Settings) -> tuple[Floats, Floats]: ...
def score_sums(
    granularities: npt.NDArray[np.intc],
    displacements: Floats,
    space: Space,
    examples: Table,
    table: Table,
    max_rules: int,
    coefficients: Floats,
) -> tuple[float, int]: ...
