"""What the names of columns must be: there, each once, and fit to be shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from fruler._wording import is_printable, quote_names, quoted


def check_names(names: Sequence[str], place: str) -> None:
    r"""Refuse names that are repeated, or that hold what a terminal would obey instead of show.

    Parameters
    ----------
    names : sequence of str
        The names of all columns.
    place : str
        Where they stand.

    Raises
    ------
    ValueError
        With the names as they can be shown.

    Examples
    --------
    >>> check_names(["size", "price\x1b[2J"], "t.csv, line 1")
    Traceback (most recent call last):
        ...
    ValueError: t.csv, line 1: the column name 'price\x1b[2J' holds an unprintable character; rename the column
    """
    for name in names:
        check_printable(name, place)
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise ValueError(f"{place}: the column names {quote_names(repeated)} occur twice; rename or remove one of each")


def check_printable(name: str, place: str) -> None:
    """Refuse a name that holds what a terminal would obey instead of show."""
    if not is_printable(name):
        raise ValueError(f"{place}: the column name {quoted(name)} holds an unprintable character; rename the column")
