"""Operators on arrays of genes: the distance of Gray codes of real genes, and crossovers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fruler._arrays import Floats

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
        Their intervals; a gene with an empty interval does not count.

    Examples
    --------
    >>> import numpy as np
    >>> gray_distance(np.array([0.0, 0.5]), np.array([1.0, 0.5]), 0.0, 1.0)
    1
    """
    # The Gray code of n is n ^ (n >> 1). It is linear over xor: the codes of a and b differ by the code of a ^ b.
    different = _whole(first, low, high) ^ _whole(second, low, high)
    return int(_count_bits(different ^ (different >> np.uint32(1))).sum())


def _whole(genes: Floats, low: Floats | float, high: Floats | float) -> Words:
    span = np.subtract(high, low)
    share = np.subtract(genes, low) / np.where(span > 0.0, span, np.inf)
    return np.asarray(np.maximum(np.minimum(share, 1.0), 0.0) * _LARGEST + 0.5).astype(np.uint32)


def _count_bits(words: Words) -> Words:
    """Return the number of set bits of each word: sums over pairs of bits, then fours, then bytes."""
    one, two, four = np.uint32(1), np.uint32(2), np.uint32(4)
    words = words - ((words >> one) & np.uint32(0x55555555))
    words = (words & np.uint32(0x33333333)) + ((words >> two) & np.uint32(0x33333333))
    words = (words + (words >> four)) & np.uint32(0x0F0F0F0F)
    return (words * np.uint32(0x01010101)) >> np.uint32(24)


Bits = npt.NDArray[np.bool_]


def blx(first: Floats, second: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """BLX: draw both children between the parents, or beyond them by up to half of their distance."""
    least, most = np.minimum(first, second), np.maximum(first, second)
    reach = 0.5 * (most - least)
    low, high = least - reach, most + reach
    return rng.uniform(low, high), rng.uniform(low, high)


def hux(first: Bits, second: Bits, rng: np.random.Generator) -> tuple[Bits, Bits]:
    """Exchange half of the bits that differ (rounded down), chosen at random.

    Examples
    --------
    >>> import numpy as np
    >>> one, other = hux(np.zeros(5, dtype=bool), np.ones(5, dtype=bool), np.random.default_rng(0))
    >>> int(one.sum()), int(other.sum())
    (2, 3)
    """
    different = np.flatnonzero(first != second)
    swapped = rng.permutation(different)[: len(different) // 2]
    one, other = first.copy(), second.copy()
    one[swapped], other[swapped] = second[swapped], first[swapped]
    return one, other


def cut_point(n_genes: int, rng: np.random.Generator) -> int:
    """Draw the cut of a one-point crossover, so that both children get genes of both parents; 0 for a single gene."""
    return 0 if n_genes < 2 else int(rng.integers(1, n_genes))
