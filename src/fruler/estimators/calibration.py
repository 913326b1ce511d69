"""Rows that are kept from learning, for prediction intervals alone."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import _safe_indexing, check_array, check_consistent_length
from sklearn.utils.validation import _num_samples

from fruler._typing import Floats, Indices


class CalibrationRows(NamedTuple):
    """Rows that were not learned from.

    Attributes
    ----------
    X, y, sample_weight
        As `fit` was given them.
    others : ndarray of int
        The numbers of all other rows.
    """

    X: Any
    y: Floats
    sample_weight: Any
    others: Indices


def split_rows(
    X: Any, y: Any, sample_weight: Any, share: float, random_state: Any
) -> tuple[tuple[Any, Any, Any], CalibrationRows]:
    """Return the rows to learn from (inputs, target and weights), and those that are kept.

    The rows are drawn with the seed, where that is a number; any other source of chance gives others every time, and
    then a search could not resume.

    Raises
    ------
    ValueError
        If there are too few.
    """
    check_consistent_length(X, y, sample_weight)
    n_rows = _num_samples(X)
    n_kept = max(1, round(share * n_rows))
    if n_kept >= n_rows:
        raise ValueError(f"calibration={share:g} of {n_rows} rows leaves none to learn from; give more rows.")
    seed = int(random_state) if isinstance(random_state, int | np.integer) else 0
    drawn = np.random.default_rng([seed, n_rows]).permutation(n_rows)
    kept, others = np.sort(drawn[:n_kept]), np.sort(drawn[n_kept:])
    target = check_array(_safe_indexing(y, kept), ensure_2d=False, input_name="y").reshape(-1)
    weight = None if sample_weight is None else _safe_indexing(sample_weight, kept)
    learned = tuple(None if part is None else _safe_indexing(part, others) for part in (X, y, sample_weight))
    return learned, CalibrationRows(_safe_indexing(X, kept), target, weight, others)  # type: ignore[return-value]
