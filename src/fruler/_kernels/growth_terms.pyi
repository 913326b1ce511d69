import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.intc]
Indices = npt.NDArray[np.intp]

def fit_terms(
    gram: Floats, moment: Floats, square: float, start: Indices, ridge: Floats, n_rows: float, price: float
) -> tuple[Floats, float, Indices, Floats]: ...
def fit_within(
    gram: Floats, moment: Floats, square: float, terms: Indices, ridge: Floats, sides: Floats
) -> tuple[Floats, float, npt.NDArray[np.bool_], Floats]: ...
def squares_left_out(
    table: tuple[Floats, Floats, Floats],
    block_weights: Floats,
    columns: Floats,
    terms: tuple[Integers, Integers, Floats],
    coefficients: Floats,
    inverse: Floats,
    total: float,
    max_leverage: float,
) -> tuple[float, float]: ...
