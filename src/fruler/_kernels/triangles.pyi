import numpy as np
import numpy.typing as npt

def fire(
    X: npt.NDArray[np.float64],
    points: npt.NDArray[np.float64],
    widths: npt.NDArray[np.float64],
    t_norm: int,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]: ...
def predict_linear(
    X: npt.NDArray[np.float64],
    points: npt.NDArray[np.float64],
    widths: npt.NDArray[np.float64],
    t_norm: int,
    values: npt.NDArray[np.float64],
    coefficients: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]: ...
def predict_labels(
    X: npt.NDArray[np.float64],
    points: npt.NDArray[np.float64],
    widths: npt.NDArray[np.float64],
    t_norm: int,
    said: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]: ...
def centroids(said: npt.NDArray[np.float64], heights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]: ...
