"""Numbers that are formatted for people: decimal commas, thousands, percent and currency signs, missing-value marks.

The meaning of a column must follow from all of its values together. "1,000" alone is a thousand to some and one to
others; next to "2,5" or "1,234.5" it is clear. If doubt remains, the user is asked; nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from fruler._wording import quote_names, quoted
from fruler.data._file_content import DECIMALS, THOUSANDS, ReadOptions, RowPlaces

PERCENT = "%"

_BLANKS = "\u00a0\u2007\u2009\u202f"
_ALIKE = str.maketrans({**dict.fromkeys(_BLANKS, " "), "\u2019": "'", "\u2212": "-"})
# In amounts of these currencies, the comma separates thousands, and there are never three decimals.
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
# Matches most numbers, in a tenth of the time.
_BARE = re.compile(r"([+-]?)([0-9]+(?:[.,][0-9]+)?)")
_SIGN_OF_CODE = {"USD": "$", "US$": "$", "GBP": "£", "EUR": "€", "JPY": "¥"}
_DOLLAR = re.compile(_DOLLARS)


class WrittenNumber(NamedTuple):
    """The parts of a text that may be a number.

    Attributes
    ----------
    negative : bool
        Whether there is a minus.
    digits : str
        The digits with their separators; blanks and apostrophes of any kind are plain ones.
    sign : str
        The percent or currency sign, empty without one. A currency code is replaced by its sign, if there is one.
    """

    negative: bool
    digits: str
    sign: str

    @property
    def has_dollars(self) -> bool:
        """Whether the currency is one that has commas between thousands."""
        return _DOLLAR.fullmatch(self.sign) is not None


def take_apart(text: str) -> WrittenNumber | None:
    """Return the parts of a text that may be a number, or None if it is not a number in any format.

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
    """A decimal sign, and a thousands separator that numbers may omit.

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
    """Return the possible formats of numbers, given the decimal sign or the thousands separator if known.

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


# A column that is mostly numbers was meant to hold numbers: its other values must be named, not make all of it text.
_MOSTLY = 0.5


@dataclass(frozen=True)
class Doubt:
    """The reason why a column that looks like numbers stays text.

    Attributes
    ----------
    row : int
        The first row with the problem, counted from 0.
    problem : str
        What is wrong and what to do.
    """

    row: int
    problem: str


@dataclass(frozen=True, eq=False)
class UnderstoodNumbers:
    """A table in which written numbers are converted.

    Attributes
    ----------
    frame : DataFrame
        The table.
    notes : tuple of str
        The formats that were recognised rather than given by the user.
    doubts : dict of str to Doubt
        The columns that stay text, though they look like numbers.
    """

    frame: pd.DataFrame
    notes: tuple[str, ...] = ()
    doubts: dict[str, Doubt] = field(default_factory=dict)


def understand_numbers(
    frame: pd.DataFrame,
    places: RowPlaces,
    options: ReadOptions,
    *,
    semicolons: bool = False,
    texts_of: Callable[[list[str]], pd.DataFrame] | None = None,
) -> UnderstoodNumbers:
    """Convert columns of numbers that are formatted for people.

    Parameters
    ----------
    frame : DataFrame
        The table; columns of plain numbers are numbers already.
    places : RowPlaces
        Where its rows come from.
    options : ReadOptions
        The options of the user for decimals and thousands.
    semicolons : bool
        Whether semicolons separate the values, as they do where the comma marks decimals.
    texts_of : callable, optional
        Returns columns as they are written: "1.000", read as one with three decimals, may be a thousand.

    Raises
    ------
    ValueError
        If a column can be read in two ways; the message names both.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"price": ["$1,200", "$950.50"], "share": ["12,5 %", "7 %"]})
    >>> read = understand_numbers(frame, RowPlaces("t.csv", "line", np.array([2, 3])), ReadOptions())
    >>> read.frame
        price  share
    0  1200.0   12.5
    1   950.5    7.0
    """
    columns = {name: column for name in frame.columns if (column := _take_column_apart(frame[name], options))}
    point_means_thousands = options.decimal == "," or options.thousands == "."
    if texts_of is not None and (point_means_thousands or any("," in column.marks for column in columns.values())):
        floats = [name for name in frame.columns if pd.api.types.is_float_dtype(frame[name].dtype)]
        texts = texts_of(floats) if floats else frame[[]]
        for name in floats:
            column = _take_column_apart(texts[name], options, plain_too=True)
            if column is not None and column.is_whole:
                columns[name] = column
    clear_decimals = {column.decimals[0] for column in columns.values() if column.is_clear}
    contested = [column for column in columns.values() if len(column.decimals) == 2]
    points_contested = any("," not in column.marks for column in contested)
    doubts: dict[str, Doubt] = {}
    read: dict[str, _Column] = {}
    for name, column in columns.items():
        doubt = column.doubt(options)
        if doubt is not None:
            doubts[name] = doubt
            continue
        if len(column.decimals) == 2:
            decimal = _settle(column, clear_decimals, semicolons=semicolons, points_contested=points_contested)
            if decimal is None:
                raise ValueError(f"{places.at(column.row_of_mark(), name)}: {column.two_meanings()}")
            column.decimals = (decimal,)
        read[name] = column
    # Not by assign(), which a column called "self" breaks.
    frame = frame.copy(deep=False)
    for name, column in read.items():
        frame[name] = column.numbers(frame.index)
    return UnderstoodNumbers(frame, tuple(_notes(read.values(), options)), doubts)


class _Column:
    """A column of numbers as text, with the parts of each text.

    Attributes
    ----------
    name : str
        The name of the column.
    values : ndarray of object
        The values, text among them.
    codes : ndarray of int
        The position of each row's text in `texts` and `written`, -1 where the value is not text.
    texts, written : list
        The distinct texts and their parts, None where a text is not a number in any format.
    decimals : tuple of str
        The possible decimal signs: empty if the column is not in the format that the user gives, "." if it makes no
        difference.
    """

    def __init__(self, values: pd.Series[Any]) -> None:
        self.name = str(values.name)
        self.values = values.to_numpy(dtype=object, na_value=np.nan)
        is_text = np.array([isinstance(value, str) for value in self.values], dtype=bool)
        self.codes = np.full(len(self.values), -1, dtype=np.int64)
        self.codes[is_text], texts = pd.factorize(self.values[is_text])
        self.texts: list[str] = list(texts)
        self.written = [take_apart(text) for text in self.texts]
        digits = "".join(number.digits for number in self._numbers_written())
        self.marks = {mark for mark in ",.' " if mark in digits}
        self._rows_of = np.bincount(self.codes[is_text], minlength=len(self.texts))
        self._n_values = int(pd.notna(self.values).sum())
        self._n_typed = sum(
            isinstance(value, (int, float)) and not isinstance(value, bool) and value == value for value in self.values
        )
        self.readings: dict[str, tuple[NumberFormat, list[float | None]]] = {}
        self.decimals: tuple[str, ...] = ()

    def _numbers_written(self) -> list[WrittenNumber]:
        return [number for number in self.written if number is not None]

    @property
    def is_decorated(self) -> bool:
        """Whether a number of the column has a format that only people read."""
        return any(
            number is not None and not _is_plain(text) for text, number in zip(self.texts, self.written, strict=True)
        )

    @property
    def is_clear(self) -> bool:
        """Whether the numbers of the column show its decimal sign."""
        return len(self.decimals) == 1 and self.uses(self.decimals[0])

    @property
    def is_whole(self) -> bool:
        """Whether every value is a number in one of the possible formats."""
        return any(None not in self.readings[decimal][1] for decimal in self.decimals)

    def read(self, decimal: str | None, thousands: str | None) -> tuple[str, ...]:
        """Try formats; return the decimal signs of those that fit the most values, if they fit more than half."""
        best: dict[str, int] = {}
        self.readings = {}
        for candidate in formats(decimal, thousands):
            if candidate.thousands in " '" and candidate.thousands not in self.marks and thousands is None:
                continue
            values = [None if number is None else candidate.value(number) for number in self.written]
            rows = self._n_read(values)
            if rows > best.get(candidate.decimal, 0):
                best[candidate.decimal] = rows
                self.readings[candidate.decimal] = candidate, values
        most = max(best.values(), default=0)
        if most <= _MOSTLY * self._n_values:
            return ()
        decimals = tuple(sign for sign in best if best[sign] == most)
        if len(decimals) == 2 and self.readings["."][1] == self.readings[","][1]:
            return (".",)
        return decimals

    def _n_read(self, readings: list[float | None]) -> int:
        """Count the rows that are numbers."""
        is_number = np.array([value is not None for value in readings], dtype=bool)
        return self._n_typed + int(self._rows_of[is_number].sum())

    def numbers(self, index: pd.Index[Any]) -> pd.Series[Any]:
        """Return the column with its numbers converted; other values are unchanged."""
        readings = self.readings[self.decimals[0]][1]
        answers = [text if value is None else value for text, value in zip(self.texts, readings, strict=True)]
        values = np.where(self.codes >= 0, np.array([*answers, np.nan], dtype=object)[self.codes], self.values)
        whole = self._n_read(readings) == self._n_values
        return pd.Series(values, index=index, name=self.name, dtype=np.float64 if whole else object)

    def doubt(self, options: ReadOptions) -> Doubt | None:
        """Return the reason why the column must stay text, if there is one."""
        if not self.decimals:
            known = formats(options.decimal, options.thousands)
            misfit = next(
                place
                for place, number in enumerate(self.written)
                if number is not None and all(format.value(number) is None for format in known)
            )
            marks = {"decimal": options.decimal, "thousands": options.thousands}
            given = " and ".join(f"{name}={mark!r}" for name, mark in marks.items() if mark is not None)
            return Doubt(
                self.row_of(misfit),
                f"{quoted(self.texts[misfit])} is not a number with {given}; correct one of the two",
            )
        # The first position of each sign; the last of these is where the signs begin to differ.
        signs = {number.sign: place for place, number in reversed([*enumerate(self.written)]) if number is not None}
        row = self.row_of(max(signs.values()))
        if PERCENT in signs and (len(signs) > 1 or self._n_typed):
            return Doubt(row, 'some values have "%" and some do not; write all the same way')
        currencies = sorted(sign for sign in signs if sign)
        if len(currencies) > 1:
            listed = " and ".join(f'"{sign}"' for sign in currencies[:2])
            return Doubt(row, f"it has amounts in {listed}; convert them to one currency")
        return None

    def row_of(self, place: int) -> int:
        return int(np.argmax(self.codes == place))

    def row_of_mark(self) -> int:
        """Return the first row whose value can be read in two ways."""
        points, commas = self.readings["."][1], self.readings[","][1]
        return self.row_of(next(place for place in range(len(points)) if points[place] != commas[place]))

    def two_meanings(self) -> str:
        """Describe the two meanings of a doubtful value, and how to choose one."""
        place = int(self.codes[self.row_of_mark()])
        mark = "," if "," in self.texts[place] else "."
        meanings = [self.readings[sign][1][place] for sign in (mark, "." if mark == "," else ",")]
        small, large = (f"{value:.15g}" for value in meanings if value is not None)
        sign = "comma" if mark == "," else "point"
        return (
            f"{quoted(self.texts[place])} may be {large} or {small}: the {sign} may separate thousands or mark "
            f"decimals; say which with thousands={mark!r} or decimal={mark!r}"
        )

    def sign(self) -> str:
        return next((number.sign for number in self._numbers_written() if number.sign), "")

    def uses(self, mark: str) -> bool:
        """Return whether a number of the column has a mark."""
        return mark in self.marks and any(
            value is not None and number is not None and mark in number.digits
            for number, value in zip(self.written, self.readings[self.decimals[0]][1], strict=True)
        )


def _take_column_apart(values: pd.Series[Any], options: ReadOptions, *, plain_too: bool = False) -> _Column | None:
    """Return a column that may hold numbers formatted for people, None for any other."""
    if not (pd.api.types.is_object_dtype(values.dtype) or isinstance(values.dtype, pd.StringDtype)):
        return None
    column = _Column(values)
    if not column.is_decorated and not plain_too:
        return None
    column.decimals = column.read(options.decimal, options.thousands)
    if not column.decimals:
        # Numbers in another format than the user gave: that is worth a message.
        return column if column.read(None, None) and not plain_too else None
    if len(column.decimals) == 2 and any(number is not None and number.has_dollars for number in column.written):
        column.decimals = (".",)
    return column


def _is_plain(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _settle(column: _Column, clear: Iterable[str], *, semicolons: bool, points_contested: bool) -> str | None:
    """Choose the decimal sign of a column that can be read with either, or return None if nothing decides it."""
    if "," not in column.marks:
        # Three decimals after a point are common, and every program reads them so.
        if "," not in clear:
            return "."
        return "," if semicolons and "." not in clear else None
    if semicolons and "." not in clear and ("," in clear or not points_contested):
        return ","
    return None


def _notes(columns: Iterable[_Column], options: ReadOptions) -> Iterable[str]:
    columns = list(columns)
    with_commas = [column.name for column in columns if column.decimals == (",",) and column.uses(",")]
    with_points = [column.name for column in columns if column.decimals == (".",) and column.uses(".")]
    if with_commas and options.decimal is None:
        yield 'decimals with ","' + (f" in {quote_names(with_commas)}" if with_points else "")
    by_mark: dict[str, list[str]] = {}
    for column in columns:
        mark = column.readings[column.decimals[0]][0].thousands
        if column.uses(mark):
            by_mark.setdefault(mark, []).append(column.name)
    if options.thousands is None:
        yield from (f'thousands with "{mark}" in {quote_names(names)}' for mark, names in by_mark.items())
    by_sign: dict[str, list[str]] = {}
    for column in columns:
        by_sign.setdefault(column.sign(), []).append(column.name)
    for sign, names in by_sign.items():
        if sign == PERCENT:
            yield f"percentages in {quote_names(names)} (12.5% is 12.5)"
        elif sign:
            yield f'amounts in "{sign}" in {quote_names(names)}'


# The marks that pandas reads as missing in CSV files and that people write into cells.
USUAL_MARKS = ("", "?", "#N/A", "N/A", "NA", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>")


def without_marks(frame: pd.DataFrame, marks: Iterable[str]) -> pd.DataFrame:
    """Return a table with NaN in place of every text, and every number, that marks a missing value.

    Examples
    --------
    >>> without_marks(pd.DataFrame({"a": [1, -999], "b": ["x", "none"]}), ["-999", "none"])
         a    b
    0  1.0    x
    1  NaN  NaN
    """
    marks = set(marks)
    numbers = {
        value
        for number in map(take_apart, marks)
        if number is not None and not number.sign and (value := NumberFormat(".", ",").value(number)) is not None
    }

    def is_mark(value: object) -> bool:
        if isinstance(value, str):
            return value.strip() in marks
        return isinstance(value, (int, float)) and not isinstance(value, bool) and value in numbers

    frame = frame.copy(deep=False)
    for name in frame.columns:
        values = frame[name]
        if pd.api.types.is_numeric_dtype(values.dtype) and not pd.api.types.is_bool_dtype(values.dtype):
            marked = values.isin(list(numbers)).to_numpy() if numbers else np.zeros(len(values), dtype=bool)
        elif pd.api.types.is_object_dtype(values.dtype) or isinstance(values.dtype, pd.StringDtype):
            marked = np.array([is_mark(value) for value in values], dtype=bool)
        else:
            continue
        if marked.any():
            # Inferred again: numbers with a mark among them were text to pandas.
            frame[name] = values.astype(object).mask(marked, np.nan).infer_objects()
    return frame
