"""Counts, numbers, durations and names, as a person would write them."""

from __future__ import annotations

import difflib
import math
import re
import unicodedata
from collections.abc import Iterable, Sequence

_MAX_NAMES, _MAX_QUOTED = 30, 100
# Units that are words in the plural; singular after 1.
_UNIT_WORDS = ("years", "months", "weeks", "days", "hours", "minutes", "seconds")
# Control characters, direction marks, surrogates, private characters, line and paragraph separators. Persian, Hindi and
# composed emoji need the two joiners.
_UNPRINTABLE_KINDS = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
_JOINERS = "\u200c\u200d"
_SIGN = re.compile(r"(?<![\w-])-(?=\d)")
_COMMA_NUMBER = re.compile(r"\s*[+-]?\d+,(\d+)\s*")
_NUMBER = r"[+-]?\d[\d.,' ]*"
# A number with a sign before or after it, such as $5.50 or 12 %.
_SIGNED_NUMBER = re.compile(rf"\s*(?:[+-]?(?P<before>[$€£¥])\s*{_NUMBER}|{_NUMBER}\s*(?P<after>[%‰$€£¥]))\s*")


def readable_number(value: float, digits: int = 3, *, grouped: bool = True) -> str:
    """Write a number with a few significant digits, and without an exponent where a person would use none.

    Parameters
    ----------
    value : float
        The number.
    digits : int, default=3
        The number of significant digits.
    grouped : bool, default=True
        Whether commas separate thousands; not for years and axis labels.

    Examples
    --------
    >>> [readable_number(value) for value in (0.123456, -1234567.0, 20.0, 1e-9)]
    ['0.123', '-1,230,000', '20', '1e-09']
    >>> readable_number(1976.0, 4, grouped=False)
    '1976'
    """
    text = f"{value:.{digits}g}"
    if "e" in text and 1e-4 <= abs(value) < 1e15:
        text = f"{float(text):f}".rstrip("0").rstrip(".")
    return in_groups(text) if grouped else text


def in_groups(text: str) -> str:
    """Separate the thousands of a written number by commas; a number with an exponent is unchanged.

    Examples
    --------
    >>> in_groups("-1234567.25"), in_groups("12345e+09"), in_groups("999")
    ('-1,234,567.25', '12345e+09', '999')
    """
    whole, point, decimals = text.partition(".")
    return f"{int(whole):,}{point}{decimals}" if whole.removeprefix("-").isdigit() and len(whole) > 3 else text


def number_within(value: float, tolerance: float, *, grouped: bool = True) -> str:
    """Write a number with the fewest digits that keep it within a tolerance, but at least two.

    Examples
    --------
    >>> number_within(1016.2473, 0.5), number_within(1016.2473, 0.01), number_within(0.00123, 1.0)
    ('1,016', '1,016.25', '0.0012')
    """
    if value == 0.0 or not math.isfinite(value) or not tolerance > 0.0:
        return readable_number(value, grouped=grouped)
    # A number that is rounded at its k-th decimal place is off by at most half a unit of that place.
    places = math.ceil(-math.log10(2.0 * tolerance) - 1e-9) if tolerance < 1e300 else -300
    digits = math.floor(math.log10(abs(value))) + 1 + places
    return readable_number(value, min(max(digits, 2), 15), grouped=grouped)


def number_to_place(value: float, tolerance: float, *, grouped: bool = True) -> str:
    """Write a number with the decimal places that a tolerance needs, the same for all numbers of a list.

    Examples
    --------
    >>> [number_to_place(value, 0.02) for value in (9.7496, -0.038, 1012.0, 0.001)]
    ['9.75', '-0.04', '1,012.00', '0']
    """
    if not 1e-12 < tolerance < 1e12 or abs(value) >= 1e15:
        return number_within(value, tolerance, grouped=grouped)
    places = math.ceil(-math.log10(2.0 * tolerance) - 1e-9)
    text = f"{round(value, places):.{max(places, 0)}f}"
    if float(text) == 0.0:
        return "0"
    return in_groups(text) if grouped else text


def with_minus(text: str) -> str:
    """Write the signs of the numbers in a text as a minus, which is as wide as a plus; for pages and plots.

    Examples
    --------
    >>> with_minus("x = -0.5 (low-lying), 2024-12-31")
    'x = −0.5 (low-lying), 2024-12-31'
    """
    return _SIGN.sub("−", text)


def with_plus(number: str) -> str:
    """Add a plus sign to a written number that is positive.

    Examples
    --------
    >>> with_plus("3.2"), with_plus("-3.2"), with_plus("−3.2"), with_plus("0")
    ('+3.2', '-3.2', '−3.2', '0')
    """
    return number if number.startswith(("-", "−")) or number == "0" else f"+{number}"


def with_unit(text: str, unit: str) -> str:
    """Add the unit, if there is one, after a non-breaking space."""
    return f"{text}\u00a0{unit}" if unit else text


def percent(share: float) -> str:
    """Write a share in percent; a small share is not zero.

    Examples
    --------
    >>> percent(0.237), percent(0.001), percent(0.0)
    ('24%', 'less than 1%', '0%')
    """
    return "less than 1%" if 0.0 < share < 0.005 else f"{share:.0%}"


def counted(number: int, noun: str) -> str:
    """Write a count with its noun.

    Examples
    --------
    >>> counted(1, "rule"), counted(1200, "row")
    ('1 rule', '1,200 rows')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def counted_rules(n_rules: int, n_curves: int) -> str:
    """Write the size of a model.

    Examples
    --------
    >>> counted_rules(4, 0), counted_rules(4, 1), counted_rules(1, 2)
    ('4 rules', '4 rules and 1 curve', '1 rule and 2 curves')
    """
    rules = counted(n_rules, "rule")
    return f"{rules} and {counted(n_curves, 'curve')}" if n_curves else rules


def duration(seconds: float) -> str:
    """Write a duration in seconds, minutes or hours.

    Examples
    --------
    >>> duration(12.3), duration(200), duration(8000)
    ('12 s', '3 min', '2.2 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def name_with_unit(name: str, unit: str) -> str:
    """Write a name with its unit, if it has one.

    Examples
    --------
    >>> name_with_unit("temperature", "°C"), name_with_unit("age", "")
    ('temperature (°C)', 'age')
    """
    return f"{name} ({unit})" if unit else name


def unit_after(number: str, unit: str) -> str:
    """Return the unit as it follows a number: words are singular after 1.

    Examples
    --------
    >>> unit_after("1", "years"), unit_after("1.5", "years"), unit_after("1", "kg")
    ('year', 'years', 'kg')
    """
    return unit[:-1] if number in ("1", "-1") and unit in _UNIT_WORDS else unit


def is_printable(text: str) -> bool:
    r"""Return whether a text can be shown on a terminal without moving, colouring or reordering anything.

    Examples
    --------
    >>> is_printable("size (m²)"), is_printable("size\x1b[31m"), is_printable("two\nlines")
    (True, False, False)
    """
    # Most texts pass the first test, which is fast; blanks other than the space do not, and are harmless.
    return text.isprintable() or not any(map(_is_unprintable, text))


def require_printable(names: Iterable[object], kind: str) -> None:
    r"""Refuse names that are not text, or could not be shown, before they get into a model.

    Examples
    --------
    >>> require_printable(["kg\x1b[2J"], "unit")
    Traceback (most recent call last):
    ValueError: The unit 'kg\x1b[2J' has characters that cannot be printed; write it without them.
    """
    for name in names:
        if not isinstance(name, str):
            raise ValueError(f"The {kind} {quoted(str(name))} is not text; write it as text.")
        if not is_printable(name):
            raise ValueError(f"The {kind} {quoted(name)} has characters that cannot be printed; write it without them.")


def printable(text: str, keep: str = "") -> str:
    r"""Return a text with the characters that a terminal would obey instead of show written as escapes.

    Parameters
    ----------
    text : str
        Any text.
    keep : str
        Characters that stay as they are, such as line ends.

    Examples
    --------
    >>> print(printable("red\x1b[31m\nalert"))
    red\x1b[31m\nalert
    """
    if text.isprintable():
        return text
    return "".join(
        character.encode("unicode_escape").decode()
        if _is_unprintable(character) and character not in keep
        else character
        for character in text
    )


def _is_unprintable(character: str) -> bool:
    return unicodedata.category(character) in _UNPRINTABLE_KINDS and character not in _JOINERS


def number_advice(text: str) -> str | None:
    """Return advice on how to write a number that is formatted for people; None for any other text.

    Examples
    --------
    >>> number_advice("2,5")
    'write decimals with a point'
    >>> number_advice("1,000")
    'write it without the comma if that separates thousands, or with a point if it marks decimals'
    >>> number_advice("$5.50")
    "write it without '$', which fruler.data.read_table does when it reads a file"
    """
    signed = _SIGNED_NUMBER.fullmatch(text)
    if signed is not None:
        sign = signed["before"] or signed["after"]
        return f"write it without {sign!r}, which fruler.data.read_table does when it reads a file"
    match = _COMMA_NUMBER.fullmatch(text)
    if match is None:
        return None
    if len(match[1]) == 3:
        return "write it without the comma if that separates thousands, or with a point if it marks decimals"
    return "write decimals with a point"


def quoted(text: str) -> str:
    """Quote a name or a value for a message; a long one is cut.

    Examples
    --------
    >>> quoted("a b")
    "'a b'"
    >>> len(quoted("9" * 5_000))
    105
    """
    return repr(text) if len(text) <= _MAX_QUOTED else repr(text[:_MAX_QUOTED]) + "..."


def shortened(text: str) -> str:
    """Write a name at the start of a message; a long one is cut.

    Examples
    --------
    >>> shortened("area"), len(shortened("|" * 5_000))
    ('area', 103)
    """
    return text if len(text) <= _MAX_QUOTED else text[:_MAX_QUOTED] + "..."


def quote_names(names: Iterable[str]) -> str:
    """List names for a message; only the first few if there are many.

    Examples
    --------
    >>> quote_names(["a", "b c"])
    "'a', 'b c'"
    """
    listed = [quoted(name) for name in names]
    shown = ", ".join(listed[:_MAX_NAMES])
    return shown if len(listed) <= _MAX_NAMES else f"{shown} and {len(listed) - _MAX_NAMES} more"


def suggest(name: str, known: Iterable[str]) -> str:
    """Suggest known names that are close to an unknown one, and list all known names.

    Examples
    --------
    >>> suggest("prise", ["price", "size"])
    "did you mean 'price'? The names are 'price', 'size'"
    >>> suggest("weight", ["price", "size"])
    "the names are 'price', 'size'"
    """
    known = list(known)
    by_lower_case = {other.lower(): other for other in known}
    close = [by_lower_case[match] for match in difflib.get_close_matches(name.lower(), list(by_lower_case))]
    listing = f"names are {quote_names(known)}"
    return f"did you mean {' or '.join(map(quoted, close))}? The {listing}" if close else f"the {listing}"


def install_advice(extra: str) -> str:
    """Return the command that installs the requirements of an extra, whether or not the package is published.

    Examples
    --------
    >>> install_advice("report")
    'run: pip install "Jinja2>=3.1" (the extra fruler[report])'
    """
    from importlib.metadata import requires  # slow to import, and only needed where something is missing

    mark = f"extra=={extra}"
    entries = (entry.partition(";") for entry in requires("fruler") or ())
    wanted = [f'"{name.strip()}"' for name, _, marker in entries if re.sub(r"""[\s'"]""", "", marker) == mark]
    return f"run: pip install {' '.join(wanted)} (the extra fruler[{extra}])"


def either(names: Sequence[str]) -> str:
    """List alternatives.

    Examples
    --------
    >>> either(["usa", "europe", "japan"])
    'usa, europe or japan'
    """
    return " or ".join([*([", ".join(names[:-1])] if len(names) > 1 else []), *names[-1:]])
