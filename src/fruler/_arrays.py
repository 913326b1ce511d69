"""Array types of the package, read-only arrays, and frozen values that hold such arrays."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]
# Squares and products of values must not overflow.
LARGEST_VALUE = 1e150
# The outputs of every rule for more rows at once would take too much memory.
_ROWS_AT_ONCE = 10_000


def row_blocks(n_rows: int) -> list[slice]:
    """Return the blocks of rows that are evaluated at once."""
    return [slice(start, start + _ROWS_AT_ONCE) for start in range(0, n_rows, _ROWS_AT_ONCE)]


def frozen(values: Any, dtype: Any = None) -> npt.NDArray[Any]:
    """Return a copy of values as a read-only array."""
    array = np.array(values, dtype=dtype, order="C")
    array.flags.writeable = False
    return array


class FrozenValue:
    """Base class of frozen dataclasses with arrays: compared field by field, and copied through the constructor."""

    def _set(self, **values: Any) -> None:
        """Set fields, as only a constructor may."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _field_values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return all(map(_are_same, self._field_values(), other._field_values()))

    def __hash__(self) -> int:
        return hash(tuple(map(_hashable, self._field_values())))

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor: a copy is frozen like its original.
        return type(self), self._field_values()


def _are_same(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_are_same, one, other))
    return np.array_equal(one, other, equal_nan=True) if isinstance(one, float | np.ndarray) else bool(one == other)


def _hashable(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_hashable, value))
    if not isinstance(value, float | np.ndarray):
        return value
    # NaN is the same as NaN, and a negative zero as a positive one.
    numbers = np.asarray(value)
    return (numbers[~np.isnan(numbers)] + 0).tobytes()
