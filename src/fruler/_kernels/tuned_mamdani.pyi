import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

def evaluate(
    triangles: Floats,
    outputs: Floats,
    selected: npt.NDArray[np.uint8],
    table: tuple[Floats, Floats, Floats, Floats],
    t_norm: int,
    limits: Floats,
) -> Floats: ...
