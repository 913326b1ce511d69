import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Table = tuple[Floats, Floats, Floats, Floats, Floats]

def evaluate(
    triangles: Floats,
    selected: npt.NDArray[np.uint8],
    constants: Floats,
    table: Table,
    t_norm: int,
    settings: tuple[bool, float],
    limits: Floats,
) -> Floats: ...
def consequents(
    triangles: Floats, constants: Floats, table: Table, t_norm: int, settings: tuple[bool, float]
) -> Floats: ...
