"""Values of a checkpoint, taken out of its document and its arrays with everything about them checked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler.learning.algorithm import Arrays

# Standardised rows never lead to larger numbers, and sums of the squares of these do not overflow.
LARGEST = 1e100
# The largest whole number that every float up to it can tell from its neighbours.
LARGEST_COUNT = 2**53


def damaged(reason: str) -> ValueError:
    """Return what is raised when a search cannot be as its checkpoint says."""
    return ValueError(f"the checkpoint is damaged: {reason}; delete its folder, or choose another.")


def checked_count(document: Mapping[str, Any], name: str, least: int = 0) -> int:
    """Return a whole number of a document that is not below the least."""
    return whole_number(document[name], name, least)


def whole_number(value: Any, name: str, least: int = 0) -> int:
    """Return a value that must be a whole number, written with or without a decimal point."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if type(value) is not int or not least <= value < LARGEST_COUNT:
        raise ValueError(f"{name} is {value!r:.40}")
    return value


def checked_number(document: Mapping[str, Any], name: str, *, finite: bool = False) -> float:
    """Return a number of a document; infinity is one, unless it must be finite."""
    value = document[name]
    if type(value) not in (int, float):
        raise ValueError(f"{name} is no number")
    value = float(value)
    if math.isnan(value) or (finite and abs(value) > LARGEST):
        raise ValueError(f"{name} is {value!r}")
    return value


def checked_floats(
    array: npt.NDArray[Any], shape: tuple[int | None, ...], name: str, *, finite: bool = False
) -> Floats:
    """Return an array of numbers, none of them NaN, of a shape; None: any length.

    Parameters
    ----------
    array : ndarray
        What the file holds.
    shape : tuple of int or None
        The length of every dimension.
    name : str
        What messages call it.
    finite : bool, default=False
        Whether infinity, and what is nearly as large, is refused.
    """
    if array.dtype != np.float64 or array.ndim != len(shape) or np.isnan(array).any():
        raise ValueError(f"{name} are no numbers")
    _require_shape(array, shape, name)
    if finite and not (np.abs(array) <= LARGEST).all():
        raise ValueError(f"{name} are not finite")
    return np.ascontiguousarray(array)


def checked_integers(
    array: npt.NDArray[Any], shape: tuple[int | None, ...], name: str, least: int, below: int
) -> npt.NDArray[np.intc]:
    """Return an array of whole numbers of a shape, none of them below the least or at or above a limit."""
    if array.dtype.kind != "i" or array.ndim != len(shape):
        raise ValueError(f"{name} are no whole numbers")
    _require_shape(array, shape, name)
    if ((array < least) | (array >= below)).any():
        raise ValueError(f"{name} are out of their range")
    return np.ascontiguousarray(array, dtype=np.intc)


def checked_rows(array: npt.NDArray[Any] | None) -> npt.NDArray[np.intp] | None:
    """Return increasing numbers of rows, or None."""
    if array is None:
        return None
    # Not by their differences, which can overflow.
    if array.ndim != 1 or array.dtype.kind != "i" or not len(array) or array[0] < 0 or (array[1:] <= array[:-1]).any():
        raise ValueError("rows are no increasing numbers")
    return np.ascontiguousarray(array, dtype=np.intp)


def checked_generator(state: Any) -> dict[str, Any]:
    """Return the state of a generator of random numbers that NumPy takes, and that does not stand still."""
    np.random.default_rng(0).bit_generator.state = state
    # With an even increment the numbers soon repeat, and NumPy may wait for another one without end.
    if int(state["state"]["inc"]) % 2 == 0:
        raise ValueError("a generator of random numbers that repeats itself")
    return dict(state)


def checked_parts(arrays: Arrays, name: str, sizes: Sequence[Any]) -> list[npt.NDArray[Any]]:
    """Cut an array along its first dimension into parts of given lengths, which must make it up."""
    lengths, array = [whole_number(size, "a length") for size in sizes], arrays[name]
    if array.ndim == 0 or sum(lengths) != len(array):
        raise ValueError(f"{name} do not fit their parts")
    return np.split(array, np.cumsum(lengths)[:-1]) if lengths else []


def _require_shape(array: npt.NDArray[Any], shape: tuple[int | None, ...], name: str) -> None:
    if any(length is not None and length != there for length, there in zip(shape, array.shape, strict=True)):
        raise ValueError(f"{name} have the shape {array.shape}")
