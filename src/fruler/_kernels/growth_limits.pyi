import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.intc]

def slope_sides(blocks: Floats, signs: Integers, inputs: Integers, places: Floats, reaches: Floats) -> Floats: ...
def any_negative(sides: Floats, coefficients: Floats) -> bool: ...
