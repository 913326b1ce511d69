import numpy as np
import numpy.typing as npt

def fire(
    triangles: npt.NDArray[np.float64],
    selected: npt.NDArray[np.uint8],
    columns: npt.NDArray[np.float64],
    widths: npt.NDArray[np.float64],
    t_norm: int,
) -> tuple[npt.NDArray[np.float64], int]: ...
