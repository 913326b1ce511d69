"""Inputs with a few values, such as categories: their names on an axis, and how many rows have each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler.explain.plots.drawing import SMALL, inches_of, text_inches, wrap
from fruler.rules.variables import Variable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Inches: from one name that stands on end to the next, the longest of these, and from one level name to the next.
_ON_END, _LONGEST, _APART = 0.17, 1.6, 0.05
# Inches of a figure: usually, at most for the sake of level names, and beside the names.
_USUAL, _WIDEST, _BESIDE = 6.4, 9.0, 1.6


def values_of(variable: Variable) -> tuple[list[str], Floats]:
    """Return the names of an input's values and their numbers, the least first; of a nominal input those of its codes.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition
    >>> from fruler.table.sources import LevelSource
    >>> origin = LevelSource("origin", ["usa", "japan"], [2.0, -1.0])
    >>> values_of(Variable("origin", FuzzyPartition([], (-1.0, 2.0)), source=origin))
    (['japan', 'usa'], array([-1.,  2.]))
    """
    if variable.choices:
        pairs = sorted(variable.choices, key=lambda choice: choice[1])
        return [name for name, _ in pairs], np.array([number for _, number in pairs])
    partition = variable.partition
    pairs = [(label, code) for label, group in zip(partition.labels, partition.groups, strict=False) for code in group]
    return [label for label, _ in pairs], np.array([code for _, code in pairs])


def labels_of(variable: Variable, numbers: Floats) -> npt.NDArray[np.intp]:
    """Return the label that fits each number best."""
    return np.asarray(variable.partition.degrees(numbers).argmax(axis=1))


def histogram_edges(variable: Variable) -> Floats | None:
    """Return edges between the values of an input that has only some; None where it has any."""
    if not variable.choices:
        return None
    numbers = np.unique(values_of(variable)[1])
    return np.concatenate([[numbers[0] - 0.5], (numbers[1:] + numbers[:-1]) / 2.0, [numbers[-1] + 0.5]])


def rows_with(numbers: Floats, histogram: tuple[Floats, Floats] | None) -> Floats | None:
    """Return how many rows have each number, by a histogram; None where two of them share a bar.

    Examples
    --------
    >>> edges, counts = np.array([0.0, 1.0, 2.0, 3.0]), np.array([4.0, 2.0, 7.0])
    >>> rows_with(np.array([0.0, 3.0]), (edges, counts)), rows_with(np.array([0.1, 0.2]), (edges, counts))
    (array([4., 7.]), None)
    """
    if histogram is None:
        return None
    edges, counts = histogram
    bars = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, len(counts) - 1)
    return np.where((edges[0] <= numbers) & (numbers <= edges[-1]), counts[bars], 0.0) if _differ(bars) else None


def _differ(bars: npt.NDArray[np.intp]) -> bool:
    return len(np.unique(bars)) == len(bars)


def figure_width(variable: Variable) -> float:
    """Return how wide a figure must be for the names of an input's values, in inches."""
    names = values_of(variable)[0]
    return max(_USUAL, min(_BESIDE + len(names) * _level_room(names), _WIDEST), _BESIDE + len(names) * _ON_END)


def _level_room(names: Sequence[str]) -> float:
    """Return the room for names that are written level: only between words they are broken."""
    return max(text_inches(word) for name in names for word in name.split() or [""]) + _APART


def name_values(ax: Axes, names: Sequence[str]) -> None:
    """Write names below the places 0, 1, ... of the x axis, on end where there is little room; all that fit."""
    room = inches_of(ax)[0] / len(names)
    if room >= _level_room(names):
        ax.set_xticks(range(len(names)), [wrap(name, room - _APART) for name in names], fontsize=SMALL)
        return
    every = int(np.ceil(_ON_END / room))
    shown = range(0, len(names), every)
    texts = [wrap(names[k], _LONGEST, max_lines=1) for k in shown]
    ax.set_xticks(shown, texts, rotation=90, fontsize=SMALL)
