"""Whether some rule fires wherever a row lies."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

# Of the search for a place without a rule; beyond them it counts as possible that there is one.
_MAX_PLACES = 50_000

Flags = npt.NDArray[np.bool_]


def covers_every_place(
    ranges: npt.NDArray[np.intc], looks_at: Flags, granularities: npt.NDArray[np.intc], ordered: Flags
) -> bool:
    """Return whether some rule certainly fires for every row; False where the search for a gap takes too long.

    It does if every combination of labels is accepted by a rule: a row has a label with a degree of at least one half
    of every input. A category that is in no group of a nominal input counts as one more label, which only a rule that
    does not look at this input accepts.

    Parameters
    ----------
    ranges : ndarray of shape (n_rules, n_inputs, 2)
        The first and the last label that each rule accepts.
    looks_at : ndarray of shape (n_rules, n_inputs)
        Which rule looks at which input.
    granularities : ndarray of shape (n_inputs,)
        The number of labels of each input.
    ordered : ndarray of shape (n_inputs,)
        Whether the labels of each input have an order.

    Examples
    --------
    Of three labels the rules accept the first and the second:

    >>> looks_at, ordered = np.ones((2, 1), dtype=bool), np.array([True])
    >>> covers_every_place(np.array([[[0, 0]], [[1, 1]]]), looks_at, np.array([3]), ordered)
    False
    """
    first, last = ranges[:, :, 0].copy(), ranges[:, :, 1].copy()
    sizes = granularities.copy()
    for nominal in np.flatnonzero(~ordered):
        last[~looks_at[:, nominal], nominal] += 1
        sizes[nominal] += 1
    places = 0
    open_places: list[tuple[npt.NDArray[np.intp], Flags]] = [
        (np.arange(len(ranges)), np.zeros(len(sizes), dtype=np.bool_))
    ]
    while open_places:
        rules, decided = open_places.pop()
        places += 1
        if len(rules) == 0 or places > _MAX_PLACES:
            return False
        undecided = looks_at[rules] & ~decided
        fewest = int(undecided.sum(axis=1).argmin())
        if not undecided[fewest].any():
            continue
        k = int(undecided[fewest].argmax())
        now_decided = decided.copy()
        now_decided[k] = True
        open_places += [
            (rules[(first[rules, k] <= label) & (label <= last[rules, k])], now_decided) for label in range(sizes[k])
        ]
    return True
