"""Numbers as a person would write them."""

from __future__ import annotations

import math


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


def number_within(value: float, tolerance: float) -> str:
    """Write a number with as few digits as keep it within a tolerance, but no fewer than two.

    Examples
    --------
    >>> number_within(1016.2473, 0.5), number_within(1016.2473, 0.01), number_within(0.00123, 1.0)
    ('1016', '1016.25', '0.0012')
    """
    if value == 0.0 or not math.isfinite(value) or not tolerance > 0.0:
        return readable_number(value)
    # A number that is rounded at its k-th decimal place is off by half a unit of that place at most.
    places = math.ceil(-math.log10(2.0 * tolerance) - 1e-9) if tolerance < 1e300 else -300
    digits = math.floor(math.log10(abs(value))) + 1 + places
    return readable_number(value, min(max(digits, 2), 15))


def percent(share: float) -> str:
    """Write a share in percent; a small one is not nothing.

    Examples
    --------
    >>> percent(0.237), percent(0.001), percent(0.0)
    ('24%', 'below 1%', '0%')
    """
    return "below 1%" if 0.0 < share < 0.005 else f"{share:.0%}"
