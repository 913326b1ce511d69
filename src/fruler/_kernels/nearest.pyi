import numpy as np
import numpy.typing as npt

def class_neighbours(
    points: npt.NDArray[np.float64],
    columns: npt.NDArray[np.float64],
    classes: npt.NDArray[np.intp],
    n_classes: int,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.intp]]: ...
def neighbours_in_each_class(
    points: npt.NDArray[np.float64],
    columns: npt.NDArray[np.float64],
    classes: npt.NDArray[np.intp],
    n_classes: int,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.intp]]: ...
def extend_selection(
    columns: npt.NDArray[np.float64],
    y: npt.NDArray[np.float64],
    added: npt.NDArray[np.intp],
    nearest: npt.NDArray[np.float64],
    neighbour: npt.NDArray[np.intp],
    error: npt.NDArray[np.float64],
) -> None: ...
def grow_selection(
    columns: npt.NDArray[np.float64],
    y: npt.NDArray[np.float64],
    order: npt.NDArray[np.intp],
    n_selected: int,
    nearest: npt.NDArray[np.float64],
    neighbour: npt.NDArray[np.intp],
    error: npt.NDArray[np.float64],
    against_best: bool,
) -> tuple[int, float]: ...
