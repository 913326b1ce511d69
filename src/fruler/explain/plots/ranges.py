"""The values that a picture moves an input through, and what is predicted there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fruler._typing import Floats
from fruler.explain.parts import inputs_by_subject
from fruler.explain.plots.choices import histogram_edges, values_of
from fruler.explain.plots.subjects import drawn_range, histogram_of, input_names, input_number, rows_of, rule_base_of
from fruler.rules.curves import Curve
from fruler.rules.partitions import FuzzyPartition
from fruler.rules.rule_base import RuleBase
from fruler.rules.variables import Variable
from fruler.table.rows import spread_evenly
from fruler.table.sources import LevelSource

_GRID = 101
_MAX_ROWS = 500


@dataclass(frozen=True, eq=False)
class Range:
    """The values of an input from end to end; of a column of categories each of them.

    Attributes
    ----------
    variable : Variable
        What is moved. For categories with an input of 0 and 1 each it stands for all of these inputs.
    grid : ndarray of shape (n_points,)
        Its values.
    inputs : tuple of int
        The inputs of the rules that move with it.
    values : ndarray of shape (n_points, n_moved)
        The values of these inputs.
    histogram : (ndarray, ndarray) or None
        Edges and counts of its histogram, where they are known.
    """

    variable: Variable
    grid: Floats
    inputs: tuple[int, ...]
    values: Floats
    histogram: tuple[Floats, Floats] | None

    @property
    def is_line(self) -> bool:
        """Whether there are values between any two."""
        return is_line(self.variable)

    def moved(self, rows: Floats) -> Floats:
        """Return rows with each of the values: those of the first row, then those of the second, and so on."""
        found = np.repeat(rows, len(self.grid), axis=0)
        found[:, self.inputs] = np.tile(self.values, (len(rows), 1))
        return found


def is_line(variable: Variable) -> bool:
    """Return whether an input has numbers, with others between any two; not categories."""
    return variable.partition.ordered and not variable.choices


def range_of(rule_base: RuleBase, feature: int | str, rows: Floats | None) -> Range:
    """Return the range of an input, or of a column of categories by its name.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    feature : int or str
        The input, by its name or its number; or a column of categories by its name.
    rows : ndarray of shape (n_samples, n_inputs), optional
        The rows of the histogram; the training rows by default.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> fuels = [Variable(f"fuel={name}", FuzzyPartition([], (0.0, 1.0))) for name in ("gas", "oil")]
    >>> fuels = [one.of(LevelSource.indicator("fuel", ["gas", "oil", "sun"], one.name[5:])) for one in fuels]
    >>> found = range_of(RuleBase(fuels, [[[0, 0]] * 2], [[1.0, 2.0, 3.0]]), "fuel", None)
    >>> [name for name, _ in found.variable.choices], found.values.tolist()
    (['gas', 'oil', 'sun'], [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    """
    names = input_names(rule_base)
    own = inputs_by_subject(rule_base).get(feature, ()) if isinstance(feature, str) else ()
    if isinstance(feature, str) and own and (len(own) > 1 or feature not in names):
        return _categories(rule_base, feature, own, rows)
    j = input_number(names, feature)
    histogram = histogram_of(rule_base, j, rows)
    grid = _grid(rule_base.antecedents.condition_inputs[j], histogram, rule_base.curve_of(j))
    return Range(rule_base.variables[j], grid, (j,), grid[:, None], histogram)


def ranges_of(rule_base: RuleBase, rows: Floats | None) -> list[Range]:
    """Return the ranges of all that the rules use, the categories of a column as one."""
    groups = inputs_by_subject(rule_base)
    used = [subject for subject, own in groups.items() if rule_base.uses[list(own)].any()]
    return [range_of(rule_base, subject, rows) for subject in used]


def rows_to_move(model: Any, X: Any) -> tuple[Floats, Floats | None]:
    """Return the rows to move, and those of histograms: of a table some, else the typical row and None.

    Raises
    ------
    ValueError
        If there is neither a table nor a typical row.
    """
    rule_base = rule_base_of(model)
    if X is not None:
        rows = rows_of(model, X)
        return rows[spread_evenly(len(rows), _MAX_ROWS)], rows
    if rule_base.training is None:
        raise ValueError(
            "These rules know no training data, and so no typical values of the other inputs; give rows X, or use "
            "rule_base.with_training(X, y)."
        )
    return rule_base.training.typical[None, :], None


def rows_text(n_rows: int) -> str:
    """Say where the inputs are that are not moved."""
    return "other inputs at their typical values" if n_rows == 1 else f"mean over {n_rows} rows"


def predicted_over(rule_base: RuleBase, rows: Floats, along: Range) -> Floats:
    """Return what is predicted of each row at each value of a range, shape (n_rows, n_points)."""
    return rule_base.predict(along.moved(rows)).reshape(len(rows), len(along.grid))


def _categories(rule_base: RuleBase, subject: str, own: Sequence[int], rows: Floats | None) -> Range:
    """Return the range of categories that have an input of 0 and 1 each: numbered from 0."""
    sources = [source for j in own if (source := rule_base.variables[j].levels) is not None]
    levels = sources[0].levels
    codes = np.arange(len(levels), dtype=np.float64)
    values = np.column_stack([_numbers(source, levels) for source in sources])
    source = LevelSource(sources[0].column, levels, codes.tolist())
    variable = Variable(subject, FuzzyPartition([], (0.0, max(codes[-1], 1.0))), source=source)
    counts = _counts(rule_base, own, values, rows)
    edges = histogram_edges(variable)
    histogram = None if counts is None or edges is None else (edges, counts)
    return Range(variable, codes, tuple(own), values, histogram)


def _numbers(source: LevelSource, levels: Sequence[str]) -> list[float]:
    numbers = dict(zip(source.levels, source.values, strict=True))
    return [numbers[level] for level in levels]


def _counts(rule_base: RuleBase, own: Sequence[int], values: Floats, rows: Floats | None) -> Floats | None:
    """Return how many rows have each category; None where neither rows nor the training data tell it."""
    if rows is not None:
        same = (rows[:, None, list(own)] == values).all(axis=2)
        return np.asarray(same.sum(axis=0), dtype=np.float64)
    training = rule_base.training
    if training is None:
        return None
    # The last part of a histogram from 0 to 1 has the rows of the category; what is left is that of the one without.
    ones = np.array([training.histograms[j, -1] if training.high[j] == 1.0 else 0.0 for j in own])
    counts = values @ ones
    alone = np.flatnonzero(~values.any(axis=1))
    if len(alone) > 1:
        return None
    counts[alone] = max(float(training.histograms[own[0]].sum() - ones.sum()), 0.0)
    return np.asarray(counts)


def _grid(variable: Variable, histogram: tuple[Floats, Floats] | None, curve: Curve | None) -> Floats:
    """Return values from end to end, with those at which labels and curve bend; of categories all."""
    partition = variable.partition
    if not is_line(variable):
        return values_of(variable)[1]
    low, high = drawn_range(partition, None if histogram is None else histogram[0])
    splits, halves = np.asarray(partition.split_points), partition.half_widths
    points = partition.triangles.ravel()
    parts = [np.linspace(low, high, _GRID), splits - halves, splits, splits + halves, points[np.isfinite(points)]]
    if curve is not None:
        ends = np.concatenate([curve.bends()[0], curve.partition.split_points])
        # Just below a jump as well, so that it is drawn as one.
        parts += [ends, np.nextafter(ends, -np.inf)]
    grid = np.unique(np.concatenate(parts))
    return np.asarray(grid[(low <= grid) & (grid <= high)])
