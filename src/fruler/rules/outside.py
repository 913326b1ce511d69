"""Values outside the range of the training data."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler.rules.rule_base import RuleBase


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
    training = rule_base.training
    if training is None:
        return np.zeros(values.shape, dtype=np.bool_)
    ranges = zip(rule_base.variables, training.low, training.high, strict=True)
    # A clock or a calendar goes on at its beginning.
    around = np.array([one.source is not None and one.source.goes_around(low, high) for one, low, high in ranges])
    return np.asarray(((values < training.low) | (values > training.high)) & ~around)
