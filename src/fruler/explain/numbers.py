"""Numbers as a person would write them."""

from __future__ import annotations


def readable_number(value: float, digits: int = 3) -> str:
    """Write a number with a few digits that matter, and no exponent where a person would write none.

    Examples
    --------
    >>> [readable_number(value) for value in (0.123456, -1234567.0, 20.0, 1e-9)]
    ['0.123', '-1230000', '20', '1e-09']
    """
    text = f"{value:.{digits}g}"
    if "e" in text and 1e-4 <= abs(value) < 1e7:
        text = f"{float(text):f}".rstrip("0").rstrip(".")
    return text
