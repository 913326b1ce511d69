import numpy as np
import numpy.typing as npt

def elastic_net_gram(
    gram: npt.NDArray[np.float64],
    moment: npt.NDArray[np.float64],
    l1: npt.NDArray[np.float64],
    l2: npt.NDArray[np.float64],
    tolerance: float,
    max_rounds: int,
) -> tuple[npt.NDArray[np.float64], float]: ...
