import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.intc]
Bytes = npt.NDArray[np.uint8]

def slivers(
    values: Floats, distinct: Integers, lows: Floats, highs: Floats, least_width: float, enough: Integers
) -> npt.NDArray[np.bool_]: ...
def largest_reaches(inputs: Integers, places: Floats, domains: Floats) -> Floats: ...
def moved_places(
    inputs: Integers,
    places: Floats,
    steps: Floats,
    table: tuple[Floats, Integers, Floats],
    domains: Floats,
    fixed: Bytes,
    max_step: float,
    min_label_rows: int,
    min_gap: float,
    enough: Integers,
) -> Floats: ...
def tuning_sums(
    table: tuple[Floats, Floats, Floats, Floats],
    rules: tuple[Floats, Floats],
    splits: tuple[Floats, Integers, Floats, Floats],
    curves: tuple[Floats, Integers, Floats, Floats, Floats, Floats],
    conditions: tuple[Integers, Integers, Integers],
    uses: tuple[Integers, Integers, Integers, Floats],
    locality: float,
) -> tuple[Floats, Floats, Floats, Floats]: ...
