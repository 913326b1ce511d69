"""Numbers and names as the page shows them."""

from __future__ import annotations

import math

from fruler._wording import number_to_place, number_within
from fruler.rules.variables import Variable

# How exactly figures of the target and of an input are shown: shares of its spread and of its range.
TARGET_SHARE, INPUT_SHARE = 0.002, 0.002
# How exactly the terms of a rule and what curves add are shown: off by this share of the target's spread at most.
TERM_SHARE = 0.01
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def shown(value: float, tolerance: float) -> str:
    """Write a number as rounded as a tolerance allows, with a real minus and real powers of ten.

    Examples
    --------
    >>> shown(-1016.2473, 0.5), shown(0.0, 0.5), shown(-2.5e-7, 1e-8)
    ('−1,016', '0', '−2.5·10⁻⁷')
    """
    return "0" if abs(value) < tolerance / 1e6 else typeset(number_within(value, tolerance))


def typeset(number: str) -> str:
    """Give a written number a real minus and real powers of ten.

    Examples
    --------
    >>> typeset("-2.5e-07")
    '−2.5·10⁻⁷'
    """
    digits, _, exponent = number.partition("e")
    power = f"·10{str(int(exponent)).translate(_RAISED)}" if exponent else ""
    return digits.replace("-", "−") + power


def fixed(value: float, tolerance: float) -> str:
    """Write a number for a column of numbers, all of which have as many decimal places as a tolerance allows.

    Examples
    --------
    >>> [fixed(value, 0.02) for value in (9.7496, -0.038, 12.0, 0.001)]
    ['9.75', '−0.04', '12.00', '0']
    """
    return "0" if abs(value) < tolerance / 1e6 else typeset(number_to_place(value, tolerance))


def signed(value: float, tolerance: float) -> str:
    """Write a change in a column of them: with its sign, also where it is a plus."""
    text = fixed(value, tolerance)
    return text if text.startswith("−") or text == "0" else f"+{text}"


def value_text(variable: Variable, number: float, tolerance: float) -> str:
    """Write a value of an input: a date or a category by its name, else the number.

    Examples
    --------
    >>> from fruler.rules import FuzzyPartition
    >>> from fruler.table.date_sources import CycleSource
    >>> day = Variable("day of year", FuzzyPartition([], (0.0, 366.0)))
    >>> value_text(day.of(CycleSource("sold", "day of year", 305.0)), 43.0, 0.5), value_text(day, 43.0, 0.5)
    ('14 Dec', '43')
    """
    if variable.written(number) is None and abs(number) < tolerance / 1e6:
        return "0"
    text = variable.number_text(number, tolerance)
    return text if variable.written(number) else typeset(text)


def with_unit(text: str, unit: str) -> str:
    """Add a unit, if there is one, so that no line breaks before it."""
    return f"{text}\u00a0{unit}" if unit else text


def axis_numbers(low: float, high: float, most: int = 5) -> list[tuple[float, str]]:
    """Return round numbers inside a range, and their texts.

    Examples
    --------
    >>> axis_numbers(-3.0, 21.0)
    [(0.0, '0'), (5.0, '5'), (10.0, '10'), (15.0, '15'), (20.0, '20')]
    """
    extent = high - low
    if not extent > 0.0:
        return [(low, shown(low, abs(low) / 1e3))]
    power = 10.0 ** math.floor(math.log10(extent / most))
    step = next(size * power for size in (1.0, 2.0, 5.0, 10.0, 20.0) if extent / (size * power) <= most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [(k * step, shown(k * step, step / 4.0)) for k in range(first, last + 1)]
