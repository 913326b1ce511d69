import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.intc]

def rule_weights(columns: Floats, n_splits: Integers, starts: Floats, slopes: Floats, ranges: Integers) -> Floats: ...
def normal_equations(rows: Floats, weights: Floats, y: Floats, row_weight: Floats) -> tuple[Floats, Floats, float]: ...
def choose_terms(
    gram: Floats,
    moment: Floats,
    square: float,
    q: int,
    ridge: float,
    intercept_ridge: float,
    n_rows: float,
    price: float,
) -> tuple[Floats, float, int]: ...
def score_splits(
    table: tuple[Floats, Floats, Floats, Floats],
    terms: Integers,
    rule_weight: Floats,
    feature: int,
    ramps: tuple[Floats, Floats],
    total: float,
    ridge: float,
    min_weight: float,
) -> Floats: ...
