"""Words for the labels of a partition."""

from __future__ import annotations

_SMALL = {
    1: ("any",),
    2: ("low", "high"),
    3: ("low", "medium", "high"),
    4: ("low", "medium low", "medium high", "high"),
    5: ("very low", "low", "medium", "high", "very high"),
    6: ("very low", "low", "medium low", "medium high", "high", "very high"),
    7: ("very low", "low", "medium low", "medium", "medium high", "high", "very high"),
    8: ("extremely low", "very low", "low", "medium low", "medium high", "high", "very high", "extremely high"),
    9: (
        "extremely low",
        "very low",
        "low",
        "medium low",
        "medium",
        "medium high",
        "high",
        "very high",
        "extremely high",
    ),
}


def label_names(n_labels: int) -> tuple[str, ...]:
    """Name the labels of a partition, from the lowest to the highest.

    Up to nine labels have a word of their own. Beyond that no one could put the words in order, so each label says
    its zone and its place: ``"low (4 of 12)"``.

    Parameters
    ----------
    n_labels : int
        How many labels there are, 1 or more.

    Returns
    -------
    tuple of str
        Distinct names.

    Raises
    ------
    ValueError
        If there is less than one label.

    See Also
    --------
    FuzzyPartition : Labels with these names.

    Examples
    --------
    >>> label_names(3)
    ('low', 'medium', 'high')
    >>> label_names(12)[3]
    'low (4 of 12)'
    """
    if n_labels < 1:
        raise ValueError(f"A partition has at least one label, not {n_labels}.")
    if n_labels in _SMALL:
        return _SMALL[n_labels]
    zones = _SMALL[5]
    return tuple(f"{zones[i * len(zones) // n_labels]} ({i + 1} of {n_labels})" for i in range(n_labels))
