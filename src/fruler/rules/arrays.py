"""Arrays that nobody can change."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def frozen(values: Any, dtype: Any = None) -> npt.NDArray[Any]:
    """Return a copy of values as an array that can't be written to."""
    array = np.array(values, dtype=dtype, order="C")
    array.flags.writeable = False
    return array
