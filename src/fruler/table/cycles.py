"""Where to cut a cycle, such as the year or the day, so that it can be counted from there."""

from __future__ import annotations

import numpy as np

from fruler._typing import Floats

# A piece of a cycle has at least this share of the rows.
_MIN_SHARE = 0.05
# By how much two lines must fit better from another start than from the first, in mean squared errors of a row for each
# doubling of the rows: what the best of many starts gains where there is no cycle at all.
_WORTH = 4.0
# Starts are equally good whose errors differ by no more than this share of the target's squares.
_ALIKE = 1e-9


def cycle_start(places: Floats, period: float, n_bins: int, y: Floats, weight: Floats) -> float:
    """Return the place from which a cycle is best described by two straight lines, one after the other.

    A step in the target, such as one at the beginning of winter, becomes the start; so does the lowest or the highest
    point of a wave, from which it rises and falls.

    Parameters
    ----------
    places : ndarray of shape (n_rows,)
        Where in the cycle each row lies, from 0 to `period`; NaN where that is not known.
    period : float
        The length of the cycle.
    n_bins : int
        In how many places it may be cut.
    y, weight : ndarray of shape (n_rows,)
        The target, and how much each row counts.

    Examples
    --------
    >>> import numpy as np
    >>> days = np.arange(366.0)
    >>> winter = (days < 51.0) | (days >= 305.0)
    >>> cycle_start(days, 366.0, 366, np.where(winter, 5.0, 1.0), np.ones(366))
    51.0
    """
    there = np.isfinite(places)
    places, y, weight = places[there], y[there], weight[there]
    bins = np.minimum((places * (n_bins / period)).astype(np.intp), n_bins - 1)
    mean = np.average(y, weights=weight)
    sums = [
        np.bincount(bins, weights=term, minlength=n_bins).astype(np.float64) for term in (weight, weight * (y - mean))
    ]
    errors = _errors_by_start(sums[0], sums[1])
    if not np.isfinite(errors).any():
        return 0.0
    total = float(weight @ np.square(y - mean))
    # Both ends of a step do equally well: the earlier is taken, and not the one that rounding prefers.
    best = int(np.argmax(errors <= errors.min() + _ALIKE * total))
    explained = float(np.square(sums[1]) @ (1.0 / np.maximum(sums[0], np.finfo(float).tiny)))
    # What lies within the bins is the same for every start.
    noise = (total - explained + errors[best]) / weight.sum()
    gain = errors[0] - errors[best]
    return best * period / n_bins if gain > _WORTH * np.log2(max(len(y), 2)) * noise else 0.0


def _errors_by_start(weight: Floats, sum_y: Floats) -> Floats:
    """Return the least squared error of two lines over the means of bins, for every bin that the cycle can begin at."""
    n = len(weight)
    # Twice around, so that every stretch of one cycle is in one piece.
    w, wy = np.tile(weight, 2), np.tile(sum_y, 2)
    x = np.arange(2 * n) / n - 1.0
    wyy = np.square(wy) / np.maximum(w, np.finfo(float).tiny)
    before = [np.concatenate([[0.0], np.cumsum(term)]) for term in (w, w * x, wy, w * x * x, wy * x, wyy)]
    start, split = np.arange(n)[:, None], np.arange(1, n)[None, :] + np.arange(n)[:, None]
    left, right = ([sums[end] - sums[begin] for sums in before] for begin, end in ((start, split), (split, start + n)))
    errors = _line_error(*left) + _line_error(*right)
    least = _MIN_SHARE * weight.sum()
    return np.asarray(np.where((left[0] >= least) & (right[0] >= least), errors, np.inf).min(axis=1))


def _line_error(w: Floats, wx: Floats, wy: Floats, wxx: Floats, wxy: Floats, wyy: Floats) -> Floats:
    """Return the squared error of the best line from the sums over its rows."""
    heavy = np.maximum(w, np.finfo(float).tiny)
    spread = np.maximum(wxx - wx * wx / heavy, 0.0)
    both = wxy - wx * wy / heavy
    by_line = np.where(spread > 1e-12 * heavy, np.square(both) / np.maximum(spread, np.finfo(float).tiny), 0.0)
    return np.asarray(np.maximum(wyy - wy * wy / heavy - by_line, 0.0))
