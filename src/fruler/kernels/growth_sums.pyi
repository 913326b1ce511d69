import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.intc]

def ramps(columns: Floats, inputs: Integers, places: Floats, reaches: Floats) -> Floats: ...
def rule_weights(ramps: Floats, first: Integers, lower: Integers, upper: Integers) -> Floats: ...
def pair_sums(rows: Floats, weights: Floats, y: Floats, row_weight: Floats) -> tuple[Floats, Floats]: ...
def new_rule_sums(
    rows: Floats, weights: Floats, new: Floats, y: Floats, row_weight: Floats
) -> tuple[Floats, Floats]: ...
def column_sums(
    rows: Floats, weights: Floats, columns: Floats, y: Floats, row_weight: Floats
) -> tuple[Floats, Floats, Floats]: ...
def block_gram(
    pairs: Floats,
    blocks: Floats,
    own_term: Integers,
    own_place: Floats,
    locality: float,
    total: float,
    q: int,
    n_columns: int,
) -> Floats: ...
