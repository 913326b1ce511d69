"""Crossover operators on arrays of genes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats

Bits = npt.NDArray[np.bool_]


def pcblx(
    first: Floats, second: Floats, low: Floats | float, high: Floats | float, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Parent-centric BLX: each child around one parent, as far as the parents are apart, within the limits."""
    apart = np.abs(first - second)
    return (
        _within(rng.uniform(first - apart, first + apart), low, high),
        _within(rng.uniform(second - apart, second + apart), low, high),
    )


def blx(
    first: Floats,
    second: Floats,
    low: Floats | float,
    high: Floats | float,
    rng: np.random.Generator,
    alpha: float = 0.5,
) -> tuple[Floats, Floats]:
    """BLX: both children anywhere between the parents, or beyond them by `alpha` times their distance."""
    least, most = np.minimum(first, second), np.maximum(first, second)
    reach = alpha * (most - least)
    return (
        _within(rng.uniform(least - reach, most + reach), low, high),
        _within(rng.uniform(least - reach, most + reach), low, high),
    )


def hux(first: Bits, second: Bits, rng: np.random.Generator) -> tuple[Bits, Bits]:
    """Exchange exactly half of the bits that differ (of an odd number the smaller half), chosen at random.

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
    """Draw where one-point crossover cuts, so that both children get genes of both parents; 0 for a single gene."""
    return 0 if n_genes < 2 else int(rng.integers(1, n_genes))


def _within(genes: Floats, low: Floats | float, high: Floats | float) -> Floats:
    # Plain ufuncs: `np.clip` alone would take as long as all the rest.
    return np.asarray(np.maximum(np.minimum(genes, high), low))
