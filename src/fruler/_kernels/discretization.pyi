import numpy as np
import numpy.typing as npt

def split_columns(
    columns: npt.NDArray[np.float64],
    orders: npt.NDArray[np.intp],
    y: npt.NDArray[np.float64],
    weight: npt.NDArray[np.float64],
    min_rows: int,
    free_splits: float,
    error_floor: float,
    printed: bool,
    weighted: bool = ...,
    summed: bool = ...,
) -> list[tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]]: ...
