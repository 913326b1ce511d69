"""Which splits and rules of one model are those of another: matched by the rows that they tell apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from fruler._typing import Floats
from fruler.explain.stability.splits import Split

# Two splits are one if at most this share of the rows lies between them,
MAX_BETWEEN = 0.1
# and this share of those at the smaller side of the first: what cuts a few rows off is not what cuts off others.
MAX_OF_SIDE = 0.5
# Two rules are one if they share this much of the rows' weights. With a half, a rule would also come back as the rule
# that is left where its last split is missing, if it is the larger one of the two that this split makes.
MIN_OVERLAP = 2.0 / 3.0
# What rounding may make of a share.
_ROUNDING = 1e-9

Matches = npt.NDArray[np.intp]


def matched_splits(own: Sequence[Split], others: Sequence[Split], weight: Floats) -> Matches:
    """Return for each split of a model the number of the split of another model that it is; -1 where there is none.

    Two splits are one if they are of the same input and the rows between them are few: at most a tenth of all rows, and
    at most half of those at the smaller side of the first. Rows are counted, not units, so that the answer does not
    depend on the scale of an input, a crisp split is treated as a fuzzy one, and a place in a gap between two clusters
    is as good as any other there. Of categories, the rows between are those whose category changes sides. Each split
    is matched only once; the nearest pairs come first.

    Parameters
    ----------
    own, others : sequence of Split
        The splits of both models, over the same rows.
    weight : ndarray of shape (n_rows,)
        How much each row counts.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.arange(100.0)
    >>> first, second = ([Split("x", at, rows >= at, "") for at in places] for places in ([20.0, 60.0], [27.0, 24.0]))
    >>> matched_splits(first, second, np.ones(100)).tolist()
    [1, -1]
    """
    between = np.full((len(own), len(others)), np.inf)
    for i, split in enumerate(own):
        side = share_of(split.above, weight)
        limit = min(MAX_BETWEEN, MAX_OF_SIDE * min(side, 1.0 - side))
        for k, other in enumerate(others):
            if other.subject == split.subject:
                share = rows_between(split, other, weight)
                between[i, k] = share if share <= limit + _ROUNDING else np.inf
    return _nearest_pairs(between)


def rows_between(one: Split, other: Split, weight: Floats) -> float:
    """Return the share of the rows that lie between two splits of one input."""
    share = share_of(one.above != other.above, weight)
    # Groups of categories have no order, so that either may be called the second.
    return share if one.ordered and other.ordered else min(share, 1.0 - share)


def share_of(rows: npt.NDArray[np.bool_], weight: Floats) -> float:
    """Return how much some rows count, as a share of all."""
    return float(weight[rows].sum() / weight.sum())


def rule_overlaps(own: Floats, others: Floats, weight: Floats) -> Floats:
    """Return how far the places of the rules of two models overlap, shape (n_rules, n_other_rules), from 0 to 1.

    The place of a rule is its weight in the prediction of each row. Two of them overlap by the sum of the smaller
    weights over the sum of the larger ones (the Jaccard index of fuzzy sets). What the rules say there does not count,
    nor by which inputs they find their rows.

    Parameters
    ----------
    own, others : ndarray of shape (n_rows, n_rules)
        The weights of the rules of both models in the same rows (`RuleBase.activations`).
    weight : ndarray of shape (n_rows,)
        How much each row counts.

    Examples
    --------
    >>> import numpy as np
    >>> one, other = np.eye(2)[[0, 0, 0, 1]], np.eye(2)[[0, 0, 1, 1]]
    >>> rule_overlaps(one, other, np.ones(4)).round(3).tolist()
    [[0.667, 0.25], [0.0, 0.5]]
    """
    overlaps = np.empty((own.shape[1], others.shape[1]))
    for i, mine in enumerate(own.T):
        shared = weight @ np.minimum(mine[:, None], others)
        both = weight @ np.maximum(mine[:, None], others)
        overlaps[i] = np.divide(shared, both, out=np.zeros(len(both)), where=both > 0.0)
    return overlaps


def matched_rules(overlaps: Floats) -> Matches:
    """Return for each rule of a model the number of the rule of another model that it is; -1 where there is none.

    Two rules are one if they overlap by at least two thirds: so a rule does not come back as one twice as large, where
    the split that makes two of it is missing. Each rule is matched only once; the pairs that overlap most come first.

    Parameters
    ----------
    overlaps : ndarray of shape (n_rules, n_other_rules)
        From `rule_overlaps`.

    Examples
    --------
    >>> import numpy as np
    >>> matched_rules(np.array([[0.9, 0.25], [0.8, 0.7], [0.3, 0.6]])).tolist()
    [0, 1, -1]
    """
    return _nearest_pairs(np.where(overlaps >= MIN_OVERLAP - _ROUNDING, 1.0 - overlaps, np.inf))


def _nearest_pairs(distances: Floats) -> Matches:
    """Return for each row the column that it is paired with, each once, the nearest first; -1 where there is none."""
    matches = np.full(len(distances), -1, dtype=np.intp)
    # Rounded, so that the last bit does not decide on a tie; then the first of each.
    pairs = np.argwhere(np.isfinite(distances))
    order = np.lexsort([pairs[:, 1], pairs[:, 0], distances[tuple(pairs.T)].round(9)])
    taken: set[int] = set()
    for i, k in pairs[order].tolist():
        if matches[i] < 0 and k not in taken:
            matches[i] = k
            taken.add(k)
    return matches
