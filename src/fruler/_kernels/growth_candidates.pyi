import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.intc]
Bytes = npt.NDArray[np.uint8]

def split_gains(
    table: tuple[Floats, Floats],
    rule: tuple[Floats, Floats, Floats],
    bins: tuple[Bytes, Floats],
    candidates: tuple[Integers, Floats, Floats, Bytes],
    terms: Integers,
    locality: float,
    total: float,
    ridge: float,
    min_rows: float,
    max_tried: int,
) -> tuple[Floats, Integers]: ...
def curve_gains(
    columns: Floats,
    residual: Floats,
    row_weight: Floats,
    bins: tuple[Bytes, Floats],
    candidates: tuple[Integers, Floats, Floats, Bytes],
    total: float,
    ridge: float,
) -> tuple[Floats, Integers]: ...
