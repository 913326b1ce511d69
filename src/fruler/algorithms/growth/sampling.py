"""The rows that rules are grown on, where there are too many for all: drawn so that rare ones are seen."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats, Indices

# So many of the rows that are like each other are drawn, if there are as many, however rare they are.
_SEEN = 100
# The largest share of the rows that may be drawn for being rare.
_MAX_RARE = 0.2


class Drawn(NamedTuple):
    """Rows that were drawn: their numbers, increasing, and how many of all rows each stands for, one on average."""

    numbers: Indices
    weight: Floats


def draw_rows(n_alike: npt.NDArray[np.int64], n_drawn: int, rng: np.random.Generator) -> Drawn:
    """Draw rows, the rare ones more often than others; their weights make up for that.

    Parameters
    ----------
    n_alike : ndarray of shape (n_rows,)
        For each row, how many there are like it.
    n_drawn : int
        How many to draw; fewer than there are.
    rng : Generator
        Where chance comes from.

    Examples
    --------
    Of a million rows 500 are like no other. Of 10,000 that are drawn they would be five; so they are about 100:

    >>> import numpy as np
    >>> n_alike = np.where(np.arange(1_000_000) % 2000 == 0, 500, 999_500)
    >>> drawn = draw_rows(n_alike, 10_000, np.random.default_rng(0))
    >>> rare = drawn.numbers % 2000 == 0
    >>> len(drawn.numbers), bool(80 < rare.sum() < 120)
    (10000, True)

    Each stands for five, the others for about a hundred:

    >>> float(round(drawn.weight[~rare].mean() / drawn.weight[rare].mean(), 1))
    20.2
    """
    common, seen = n_drawn / len(n_alike), float(_SEEN)
    wanted = np.minimum(seen / n_alike, 1.0)
    while (extra := float(np.maximum(wanted - common, 0.0).sum())) > _MAX_RARE * n_drawn:
        seen /= 2.0
        wanted = np.minimum(seen / n_alike, 1.0)
    n_common = np.count_nonzero(wanted <= common)
    if extra > 0.0 and n_common:
        common -= extra / n_common
    chances = np.maximum(wanted, common)
    # Along all rows in random order, one is drawn whenever their chances have added up to one more.
    order = rng.permutation(len(n_alike))
    edges = np.cumsum(chances[order])
    steps = (rng.uniform() + np.arange(n_drawn)) * (edges[-1] / n_drawn)
    numbers = np.sort(order[np.searchsorted(edges, steps, side="right")])
    weight = 1.0 / chances[numbers]
    return Drawn(numbers, weight / weight.mean())
