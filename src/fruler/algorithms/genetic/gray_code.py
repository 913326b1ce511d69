"""Real genes as Gray codes: how many bits tell two of them apart."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats

Words = npt.NDArray[np.uint32]
BITS = 30
_LARGEST = 2**BITS - 1


def gray_distance(first: Floats, second: Floats, low: Floats | float, high: Floats | float) -> int:
    """Return the Hamming distance of two rows of genes, each coded in 30 bits over its interval.

    Parameters
    ----------
    first, second : ndarray
        Genes.
    low, high : ndarray or float
        Their intervals; a gene whose interval is empty counts nothing.

    Examples
    --------
    >>> import numpy as np
    >>> gray_distance(np.array([0.0, 0.5]), np.array([1.0, 0.5]), 0.0, 1.0)
    1
    """
    # The code of a number n is n ^ (n >> 1); that of two numbers' difference in bits is the difference of their codes.
    different = _whole(first, low, high) ^ _whole(second, low, high)
    return int(_count_bits(different ^ (different >> np.uint32(1))).sum())


def _whole(genes: Floats, low: Floats | float, high: Floats | float) -> Words:
    span = np.subtract(high, low)
    share = np.subtract(genes, low) / np.where(span > 0.0, span, np.inf)
    return np.asarray(np.maximum(np.minimum(share, 1.0), 0.0) * _LARGEST + 0.5).astype(np.uint32)


def _count_bits(
    words: Words,
) -> Words:
    """Return how many bits of each word are set: sums over pairs of bits, then fours, then bytes."""
    one, two, four = np.uint32(1), np.uint32(2), np.uint32(4)
    words = words - ((words >> one) & np.uint32(0x55555555))
    words = (words & np.uint32(0x33333333)) + ((words >> two) & np.uint32(0x33333333))
    words = (words + (words >> four)) & np.uint32(0x0F0F0F0F)
    return (words * np.uint32(0x01010101)) >> np.uint32(24)
