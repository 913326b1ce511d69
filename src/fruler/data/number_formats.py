"""How one number is written: its decimal sign, its thousands separator, a percent or a currency sign."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

PERCENT = "%"
DECIMALS = (".", ",")
THOUSANDS = (",", ".", " ", "'")

_BLANKS = "\u00a0\u2007\u2009\u202f"
_ALIKE = str.maketrans({**dict.fromkeys(_BLANKS, " "), "\u2019": "'", "\u2212": "-"})
# Where prices are in these, the comma separates thousands, and they have no three decimals.
_DOLLARS = r"(?:US|A|AU|C|CA|NZ|HK)?\$|£|USD|GBP|AUD|CAD|NZD|HKD"
_OTHER_CURRENCIES = (
    r"[¢¤¥฿\u20a0-\u20c0]|R\$|kr\.?|zł|Kč|Ft|EUR|CHF|JPY|CNY|INR|KRW|BRL|MXN|ARS|CLP|COP|PEN|SEK|NOK|DKK|ISK|PLN|CZK|HUF"
    r"|RON|BGN|TRY|RUB|UAH|ILS|AED|SAR|ZAR|NGN|KES|EGP|SGD|THB|IDR|MYR|PHP|VND|TWD"
)
_CURRENCY = f"{_DOLLARS}|{_OTHER_CURRENCIES}"
_WRITTEN = re.compile(
    rf"(?P<minus>[+-]?) *(?P<before>{_CURRENCY}|%)? *(?P<inner_minus>[+-]?)"
    r"(?P<digits>[0-9.,](?:[0-9.,' ]*[0-9.,])?(?:[eE][+-]?[0-9]+)?)"
    rf" *(?P<after>{_CURRENCY}|%)?"
)
# Most numbers, told at a tenth of the time.
_BARE = re.compile(r"([+-]?)([0-9]+(?:[.,][0-9]+)?)")
_SIGN_OF_CODE = {"USD": "$", "US$": "$", "GBP": "£", "EUR": "€", "JPY": "¥"}
_DOLLAR = re.compile(_DOLLARS)


class WrittenNumber(NamedTuple):
    """A text that may be a number, taken apart.

    Attributes
    ----------
    negative : bool
        Whether there is a minus.
    digits : str
        The digits with their separators; blanks and apostrophes of any kind are plain ones.
    sign : str
        The percent or currency sign, empty without one. Codes that have a sign of their own count as that.
    """

    negative: bool
    digits: str
    sign: str

    @property
    def has_dollars(self) -> bool:
        """Whether its currency is one of those with commas between thousands."""
        return _DOLLAR.fullmatch(self.sign) is not None


def take_apart(text: str) -> WrittenNumber | None:
    """Take a text apart that may be a number, or return None if it is none in any format.

    Examples
    --------
    >>> take_apart("-$1,200")
    WrittenNumber(negative=True, digits='1,200', sign='$')
    >>> take_apart("12.5 %")
    WrittenNumber(negative=False, digits='12.5', sign='%')
    >>> take_apart("12 apples") is None
    True
    """
    bare = _BARE.fullmatch(text)
    if bare is not None:
        return WrittenNumber(bare[1] == "-", bare[2], "")
    match = _WRITTEN.fullmatch(text.strip().translate(_ALIKE))
    if match is None or (match["minus"] and match["inner_minus"]) or (match["before"] and match["after"]):
        return None
    sign = match["before"] or match["after"] or ""
    negative = "-" in (match["minus"], match["inner_minus"])
    return WrittenNumber(negative, match["digits"], _SIGN_OF_CODE.get(sign, sign))


@dataclass(frozen=True)
class NumberFormat:
    """A decimal sign with a thousands separator, which a number may have or not.

    Examples
    --------
    >>> NumberFormat(",", ".").value(take_apart("1.200,50 €"))
    1200.5
    >>> NumberFormat(".", ",").value(take_apart("1,20")) is None
    True
    """

    decimal: str
    thousands: str

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        point, mark = re.escape(self.decimal), re.escape(self.thousands)
        # Nobody writes 0,125 for a number of thousands.
        whole = f"(?:[0-9]+|[1-9][0-9]{{0,2}}(?:{mark}[0-9]{{3}})+)"
        return re.compile(f"(?:{whole}(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?")

    def value(self, number: WrittenNumber) -> float | None:
        """Return the number that was written, or None if it is not in this format."""
        if self._pattern.fullmatch(number.digits) is None:
            return None
        value = float(number.digits.replace(self.thousands, "").replace(self.decimal, "."))
        return -value if number.negative else value


def formats(decimal: str | None = None, thousands: str | None = None) -> list[NumberFormat]:
    """Return the formats that numbers may have, given what is known of them.

    Examples
    --------
    >>> formats(thousands=",")
    [NumberFormat(decimal='.', thousands=',')]
    >>> len(formats())
    6
    """
    return [
        NumberFormat(point, mark)
        for point in DECIMALS
        for mark in THOUSANDS
        if point != mark and decimal in (None, point) and thousands in (None, mark)
    ]
