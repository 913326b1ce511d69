"""What a column of a table can give to rules, before the target says how: numbers, places in a cycle, categories."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler.table.cycles import cycle_start
from fruler.table.effects import Effects
from fruler.table.sources import LevelSource, Source


@dataclass(frozen=True, eq=False)
class Numbers:
    """Numbers, which need nothing of the target.

    Attributes
    ----------
    source : Source
        Where they come from.
    values : ndarray of shape (n_rows,)
        The numbers, NaN where there is none.
    """

    source: Source
    values: Floats

    @property
    def filled(self) -> Floats:
        """The numbers, with their mean where there is none."""
        return np.where(np.isnan(self.values), np.nanmean(self.values), self.values)


@dataclass(frozen=True, eq=False)
class Places:
    """Places in a cycle, which will be counted from where the target says.

    Attributes
    ----------
    source : callable
        Makes the source, given the place to count from.
    values : ndarray of shape (n_rows,)
        From 0 to the length of the cycle, NaN where there is none.
    period : float
        The length of the cycle.
    n_bins : int
        In how many places it may be cut.
    """

    source: Callable[[float], Source]
    values: Floats
    period: float
    n_bins: int

    def counted(self, y: Floats, weight: Floats) -> Numbers:
        """Return the places counted from where two lines fit a target best."""
        start = cycle_start(self.values, self.period, self.n_bins, y, weight)
        return Numbers(self.source(start), np.mod(self.values - start, self.period))


@dataclass(frozen=True, eq=False)
class Categories:
    """Categories, which will be numbered by what they add to the target.

    Attributes
    ----------
    source : callable
        Makes the source of an input, given the number of each category.
    levels : tuple of str
        Their names.
    codes : ndarray of int, shape (n_rows,)
        The place of each row's category, -1 where there is none.
    """

    source: Callable[[Sequence[float]], LevelSource]
    levels: tuple[str, ...]
    codes: npt.NDArray[np.intp]

    def inputs(self, name: str, effects: Effects | None) -> dict[str, LevelSource]:
        """Return one input of their effects, where these are known, else inputs of 0 and 1."""
        if effects is not None:
            return {name: self.source(effects.levels.tolist())}
        if len(self.levels) <= 2:
            return {name: self.source([0.0, 1.0][: len(self.levels)])}
        return {f"{name}={one}": self.source([float(level == one) for level in self.levels]) for one in self.levels}
