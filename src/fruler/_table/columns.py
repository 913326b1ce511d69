"""The kinds of columns in a table, and the columns that cannot be inputs."""

from __future__ import annotations

import datetime
import re
import warnings
from collections.abc import Collection, Iterable
from decimal import Decimal
from typing import Any, Literal

import numpy as np
import pandas as pd

from fruler._table.dates import DateFormat, UnreadDate, look_like_dates
from fruler._table.texts import are_truth_values, category_texts, column_texts
from fruler._wording import counted, is_printable, number_advice, quote_names, quoted

Kind = Literal["number", "category", "date"]

# With fewer rows per category, a column identifies rows rather than kinds of rows.
MIN_ROWS_A_LEVEL = 3.0
# So few categories are kinds of rows, even if nearly all rows have none.
_FEW_LEVELS = 5
# A column that is mostly numbers was meant to hold numbers.
_MOSTLY = 0.5
_TIME = re.compile(r"\d{1,2}:\d{2}(:\d{2})?")
_SHORT_YEAR = re.compile(r"\d{1,2}([./-])\d{1,2}\1\d{2}([T ].*)?")


class UnusableColumn(ValueError):
    """A column that cannot be an input; often the remedy is to leave it out.

    Parameters
    ----------
    column : str
        The name of the column.
    reason : str
        The reason; follows "The column ... " in the message.
    value : str, optional
        The first value that is the reason.
    row : int, optional
        The row of that value, counted from 0.
    remedy : str
        What to do.
    """

    def __init__(
        self,
        column: str,
        reason: str,
        *,
        value: str | None = None,
        row: int | None = None,
        remedy: str = "leave the column out, or correct it",
    ) -> None:
        where = "" if row is None else f" ({quoted(str(value))} in row {row}, counted from 0)"
        super().__init__(f"The column {quoted(column)} {reason}{where}; {remedy}.")
        self.column, self.reason, self.value, self.row, self.remedy = column, reason, value, row, remedy

    def at_row(self, row: int) -> UnusableColumn:
        """Return the same error for another row."""
        return type(self)(self.column, self.reason, value=self.value, row=row, remedy=self.remedy)


class CorrectableColumn(UnusableColumn):
    """A column that can be an input after its values are written in another way."""


def column_kind(values: pd.Series, declared: bool = False) -> Kind:
    """Return the kind of a column.

    Parameters
    ----------
    values : Series
        The column, with its name.
    declared : bool
        Whether the user declared the column as categorical.

    Raises
    ------
    UnusableColumn
        If the column cannot be an input.

    Examples
    --------
    >>> import pandas as pd
    >>> column_kind(pd.Series(["1.5", None, "2"])), column_kind(pd.Series(["red", "blue", "red"]))
    ('number', 'category')
    """
    name, dtype = str(values.name), values.dtype
    if not values.notna().any():
        raise UnusableColumn(name, "has no value in any row", remedy="leave it out, or fill it in")
    if isinstance(dtype, pd.CategoricalDtype) and pd.api.types.is_datetime64_any_dtype(dtype.categories.dtype):
        raise CorrectableColumn(name, "holds dates as categories", remedy="convert them to dates, or to text")
    if isinstance(dtype, pd.CategoricalDtype) or pd.api.types.is_bool_dtype(dtype):
        return _checked_category(values, declared)
    if pd.api.types.is_datetime64_any_dtype(dtype) or isinstance(dtype, pd.PeriodDtype):
        return _checked_date(values, declared)
    if pd.api.types.is_timedelta64_dtype(dtype):
        raise CorrectableColumn(name, "holds durations", remedy=TIME_REMEDY)
    if pd.api.types.is_complex_dtype(dtype):
        raise UnusableColumn(name, "holds complex numbers")
    if pd.api.types.is_numeric_dtype(dtype):
        return _checked_category(values, declared) if declared else "number"
    types = _types(values)
    odd = next((kind for kind in types if not issubclass(kind, _PLAIN)), None)
    if odd is not None:
        if all(issubclass(kind, datetime.date | np.datetime64) for kind in types):
            return _checked_date(values, declared)
        if issubclass(odd, datetime.time | datetime.timedelta | np.timedelta64):
            raise CorrectableColumn(name, "holds times", remedy=TIME_REMEDY)
        raise UnusableColumn(name, f"holds a {odd.__name__}")
    return _checked_category(values, declared) if declared else _kind_of_texts(values, types)


_PLAIN = (str, bytes, int, float, np.number, np.bool_, Decimal)
TIME_REMEDY = "convert them to numbers, such as hours, or leave it out"
ODD_REMEDY = "correct it, or leave it empty if it marks a missing value"


def _types(values: pd.Series) -> list[type]:
    """Return the types of the values that are not missing, in order of appearance."""
    return [str] if isinstance(values.dtype, pd.StringDtype) else list(dict.fromkeys(map(type, values.dropna())))


def _kind_of_texts(values: pd.Series, types: Collection[type]) -> Kind:
    # Each distinct text once: a column of categories has few.
    codes, distinct = pd.factorize(column_texts(values), use_na_sentinel=True)
    name, texts = str(values.name), pd.Series(np.asarray(distinct, dtype=object), dtype=object)
    if texts.empty:
        raise UnusableColumn(name, "has no value in any row", remedy="leave it out, or fill it in")
    if are_truth_values(texts):
        return _checked_category(values)
    is_number = pd.to_numeric(texts, errors="coerce").notna().to_numpy()
    if is_number.all():
        return "number"
    if all(_TIME.fullmatch(text) for text in texts):
        raise CorrectableColumn(name, "holds times", remedy=TIME_REMEDY)
    if all(_SHORT_YEAR.fullmatch(text) for text in texts):
        raise CorrectableColumn(name, "holds dates with years of two digits", remedy="write them as 2024-12-31")
    rows = np.bincount(codes[codes >= 0], minlength=len(texts))
    is_date = look_like_dates(texts)
    if is_date.all():
        return _checked_date(values)
    if rows[is_date].sum() > _MOSTLY * rows.sum():
        first = int(np.argmin(is_date))
        place: dict[str, Any] = {"value": texts[first], "row": int(np.argmax(codes == first)), "remedy": ODD_REMEDY}
        raise CorrectableColumn(name, "holds text among dates", **place)
    advice = {text: number_advice(text) for text in texts}
    for_people = np.array([advice[text] is not None for text in texts])
    if rows[for_people].sum() > _MOSTLY * rows.sum():
        # "1,000" may be a thousand, but not next to "2,5".
        text = min(texts[for_people], key=lambda text: len(str(advice[text])))
        if text.strip(" +-0123456789") == ",":
            raise CorrectableColumn(name, f"holds numbers with a comma ({quoted(text)})", remedy=str(advice[text]))
        raise UnusableColumn(name, f"holds numbers with a sign ({quoted(text)})", remedy=str(advice[text]))
    first = int(np.argmin(is_number))
    place = {"value": texts[first], "row": int(np.argmax(codes == first)), "remedy": ODD_REMEDY}
    if rows[is_number].sum() > _MOSTLY * rows.sum():
        raise CorrectableColumn(name, "holds text among numbers", **place)
    if not all(issubclass(kind, str | bytes | bool | np.bool_) for kind in types):
        raise CorrectableColumn(name, "mixes numbers and text", **place)
    return _checked_category(values)


def _checked_date(values: pd.Series, declared: bool = False) -> Kind:
    if declared:
        raise CorrectableColumn(str(values.name), "holds dates", remedy="do not declare it as categorical")
    try:
        DateFormat.of(values).seconds(values)
    except UnreadDate as error:
        place: dict[str, Any] = {"value": error.value, "row": error.row, "remedy": error.remedy}
        raise CorrectableColumn(str(values.name), f"holds a date {error.problem}", **place) from None
    return "date"


def _checked_category(values: pd.Series, declared: bool = False) -> Kind:
    texts = category_texts(values).reset_index(drop=True)
    counts = texts.value_counts()
    name, n_levels, n_rows = str(values.name), len(counts), int(counts.sum())
    if n_levels == 0:
        raise UnusableColumn(name, "has no value in any row", remedy="leave it out, or fill it in")
    least = MIN_ROWS_A_LEVEL / 2.0 if declared else MIN_ROWS_A_LEVEL
    # Where a column is mostly missing, that it is may tell something, however rare its few categories are.
    kept = n_levels <= _FEW_LEVELS and n_rows < len(texts) / 2.0
    if n_levels > 2 and n_rows < least * n_levels and not kept:
        raise UnusableColumn(
            name,
            f"has {n_levels:,} categories in {counted(n_rows, 'row')}, too few rows to learn from each",
            remedy="leave it out, or group them",
        )
    unprintable = [text for text in counts.index if not is_printable(text)]
    if unprintable:
        # Categories are shown everywhere.
        row = int(np.argmax(texts.isin(unprintable)))
        raise UnusableColumn(name, "holds text with unprintable characters", value=str(texts[row]), row=row)
    return "category"


def similar_categories(values: pd.Series) -> list[tuple[str, ...]]:
    """Return groups of categories of a column that differ only by case or spaces.

    Examples
    --------
    >>> import pandas as pd
    >>> similar_categories(pd.Series(["Red", "red", "new  town", "new town", "blue"]))
    [('Red', 'red'), ('new  town', 'new town')]
    """
    alike: dict[str, list[str]] = {}
    for text in dict.fromkeys(category_texts(values).dropna()):
        alike.setdefault("".join(text.casefold().split()), []).append(text)
    return [tuple(texts) for texts in alike.values() if len(texts) > 1]


def warn_of_similar(table: pd.DataFrame, names: Iterable[Any]) -> None:
    """Warn of categories that differ only by case or spaces."""
    for name in names:
        for texts in similar_categories(table[name]):
            warnings.warn(
                f"The column {quoted(str(name))} has the categories {quote_names(texts)}, which differ only by case or "
                "spaces; write them alike if they are the same.",
                UserWarning,
                stacklevel=2,
            )
