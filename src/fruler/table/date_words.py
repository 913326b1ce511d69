"""Days and months in words, whatever the language of the computer."""

from __future__ import annotations

import calendar
import datetime

import numpy as np

# A day of the year has the same number in every year, as if there always was a 29 February.
LEAP_YEAR = 2024
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# Days before each month of a leap year.
MONTH_STARTS = tuple(np.cumsum([0, *(calendar.monthrange(LEAP_YEAR, month)[1] for month in range(1, 12))]).tolist())


def day_text(moment: datetime.date) -> str:
    """Write the day and the month.

    Examples
    --------
    >>> day_text(datetime.date(2019, 11, 1))
    '1 Nov'
    """
    return f"{moment.day} {MONTHS[moment.month - 1]}"


def month_text(moment: datetime.date) -> str:
    """Write the month.

    Examples
    --------
    >>> month_text(datetime.date(2019, 11, 1))
    'Nov'
    """
    return MONTHS[moment.month - 1]
