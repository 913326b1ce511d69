"""Values outside the range of the training data."""

from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler._wording import counted, readable_number
from fruler.rules.rule_base import RuleBase

# Of inputs with values outside the training data, so many are named.
_INPUTS_SHOWN = 5
_ROWS_IN_BLOCK = 64


def outside_training(rule_base: RuleBase, values: Floats) -> npt.NDArray[np.bool_]:
    """Return which values lie outside the range of the training data; nothing does where that is not known.

    Parameters
    ----------
    rule_base : RuleBase
        The rules.
    values : ndarray of shape (n_rows, n_inputs)
        The inputs of rows; what is missing (NaN) does not lie outside.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> rules = RuleBase([Variable("x", FuzzyPartition([], (0.0, 9.0)))], [[[0, 0]]], [[1.0, 2.0]])
    >>> trained = rules.with_training([[2.0], [4.0]], [5.0, 9.0])
    >>> outside_training(trained, np.array([[1.0], [3.0], [np.nan]])).ravel().tolist()
    [True, False, False]
    """
    low, high = rule_base.limits
    return np.asarray((values < low) | (values > high))


def beyond_training(rule_base: RuleBase, values: Floats) -> Floats:
    """Return how far rows lie outside the training data: the sum over inputs that rules use, shape (n_rows,).

    An input counts by its distance from the nearest value of the training data, as a share of their range. One of which
    they have a single value does not count: it has no range.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> rules = RuleBase([Variable("x", FuzzyPartition([], (0.0, 9.0)))], [[[0, 0]]], [[1.0, 2.0]])
    >>> trained = rules.with_training([[2.0], [4.0]], [5.0, 9.0])
    >>> beyond_training(trained, np.array([[1.0], [3.0], [8.0]])).tolist()
    [0.5, 0.0, 2.0]
    """
    beyond = np.zeros(len(values))
    for j, (low, high) in training_ranges(rule_base).items():
        column = values[:, j]
        beyond += np.maximum(np.maximum(low - column, column - high), 0.0) / (high - low)
    return beyond


def training_ranges(rule_base: RuleBase) -> dict[int, tuple[float, float]]:
    """Return the least and the greatest training value of each input that rules use, where these are two.

    Categories have no range.
    """
    low, high = rule_base.limits
    ordered = np.array([variable.partition.ordered for variable in rule_base.variables])
    known = rule_base.uses & ordered & np.isfinite(low) & (low < high)
    return {int(j): (float(low[j]), float(high[j])) for j in np.flatnonzero(known)}


class OutsideTrainingWarning(UserWarning):
    """Some rows lie outside the training data, where rules are not known to hold."""


def warn_of_outside(rule_base: RuleBase, values: Floats, stacklevel: int = 3) -> None:
    """Warn of rows that lie outside the training data, once for all; nothing where none does."""
    if _surely_inside(rule_base, values):
        return
    if said := said_of_outside(rule_base, values):
        what = "Their values are clipped" if rule_base.extrapolation == "clip" else "The rules are extrapolated there"
        warnings.warn(
            f"{said}. {what}; warn_outside=False turns this warning off.", OutsideTrainingWarning, stacklevel=stacklevel
        )


def _surely_inside(rule_base: RuleBase, values: Floats) -> bool:
    """Return whether no value lies outside, seen at a glance: with gaps, or without rows, it is not."""
    low, high = rule_base.limits
    # Short rows are slow to go along, so that several are taken for one.
    n_blocks = len(values) // _ROWS_IN_BLOCK
    rest = values[n_blocks * _ROWS_IN_BLOCK :]
    if n_blocks:
        blocks = values[: n_blocks * _ROWS_IN_BLOCK].reshape(n_blocks, -1)
        ends = [end(blocks, axis=0).reshape(_ROWS_IN_BLOCK, -1) for end in (np.min, np.max)]
        if (ends[0] < low).any() or (ends[1] > high).any() or np.isnan(ends[0]).any():
            return False
    return bool(((rest >= low) & (rest <= high)).all())


def said_of_outside(rule_base: RuleBase, values: Floats) -> str:
    """Say how many rows lie outside the training data, and in which inputs; nothing where none does.

    Only inputs that rules use count.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition, RuleBase, Variable
    >>> rules = RuleBase([Variable("x", FuzzyPartition([], (0.0, 9.0)))], [[[0, 0]]], [[1.0, 2.0]])
    >>> trained = rules.with_training([[2.0], [4.0]], [5.0, 9.0])
    >>> said_of_outside(trained, np.array([[1.0], [3.0]]))
    "1 of 2 rows lies outside the training data: 'x' in 1 row (learned from 2 to 4)"
    """
    outside = outside_training(rule_base, values) & rule_base.uses
    n_outside = int(outside.any(axis=1).sum())
    if not n_outside:
        return ""
    told = []
    for j in np.flatnonzero(outside.any(axis=0)):
        variable = rule_base.variables[j]
        low, high = (variable.written(float(end)) or readable_number(float(end), 6) for end in rule_base.limits[:, j])
        rows = counted(int(outside[:, j].sum()), "row")
        learned = f"{low} to {high} {variable.value_unit}".rstrip()
        told.append(f"{variable.name!r} in {rows} (learned from {learned})")
    verb = "lies" if n_outside == 1 else "lie"
    more = f"; and {counted(len(told) - _INPUTS_SHOWN, 'more input')}" if len(told) > _INPUTS_SHOWN else ""
    listed = "; ".join(told[:_INPUTS_SHOWN]) + more
    return f"{n_outside:,} of {counted(len(values), 'row')} {verb} outside the training data: {listed}"
