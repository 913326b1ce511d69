"""Antecedents from examples, by the method of Wang and Mendel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from fruler.rules.partitions import Partition


def wang_mendel(partitions: Sequence[Partition], X: Any) -> npt.NDArray[np.intc]:
    """Make a rule for every combination of labels that fits an example best.

    In TSK rules the consequents are fitted later, so examples of one cell never contradict each other and the cells
    alone count. The search of `FRULERRegressor` does the same inside its compiled evaluation.

    Parameters
    ----------
    partitions : sequence of Partition
        The data base: a partition of each input.
    X : array-like of shape (n_samples, n_inputs)
        The examples.

    Returns
    -------
    ndarray of shape (n_rules, n_inputs, 2)
        Antecedents as `RuleBase` takes them, in the order of their labels. Of two labels that fit equally well the
        lower one is taken; an example that has no label (an unknown category) makes no rule.

    Examples
    --------
    >>> from fruler import FuzzyPartition
    >>> halves = FuzzyPartition([0.5], (0.0, 1.0))
    >>> wang_mendel([halves, halves], [[0.1, 0.2], [0.3, 0.1], [0.9, 0.2]])[:, :, 0].tolist()
    [[0, 0], [1, 0]]
    """
    values = np.asarray(X, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] != len(partitions):
        raise ValueError(f"X has shape {values.shape}, but there are partitions of {len(partitions)} inputs.")
    degrees = [partition.degrees(values[:, j]) for j, partition in enumerate(partitions)]
    known = np.all([table.any(axis=1) for table in degrees], axis=0)
    cells = np.column_stack([table.argmax(axis=1) for table in degrees])[known]
    if len(cells) == 0:
        raise ValueError("No example has a label in every input, so there is no rule to be made.")
    return np.repeat(np.unique(cells, axis=0)[:, :, None], 2, axis=2).astype(np.intc)
