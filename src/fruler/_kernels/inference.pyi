import numpy as np
import numpy.typing as npt

def fuzzify(
    x: npt.NDArray[np.float64],
    centres: npt.NDArray[np.float64],
    half_widths: npt.NDArray[np.float64],
    lower: npt.NDArray[np.intc],
    upper: npt.NDArray[np.float64],
) -> None: ...
def activate(
    lower: npt.NDArray[np.intc],
    upper: npt.NDArray[np.float64],
    labels: npt.NDArray[np.intc],
    ordered: npt.NDArray[np.uint8],
    t_norm: int,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]: ...
def fire(
    lower: npt.NDArray[np.intc],
    upper: npt.NDArray[np.float64],
    labels: npt.NDArray[np.intc],
    ordered: npt.NDArray[np.uint8],
    t_norm: int,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]: ...
def predict(
    X: npt.NDArray[np.float64],
    lower: npt.NDArray[np.intc],
    upper: npt.NDArray[np.float64],
    labels: npt.NDArray[np.intc],
    ordered: npt.NDArray[np.uint8],
    t_norm: int,
    consequents: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]: ...
