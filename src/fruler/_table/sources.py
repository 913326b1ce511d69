"""Sources of inputs: the column of the user's table behind each input, and how its values become numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import pandas as pd

from fruler._arrays import LARGEST_VALUE, Floats, FrozenValue
from fruler._table.dates import Ticks
from fruler._table.texts import TRUTH_VALUES, column_texts, distinct_texts, hold_truth
from fruler._wording import either, quote_names

# A value that an input can have, and its number.
Choice = tuple[str, float]

NO_OR_YES: tuple[Choice, ...] = (("no", 0.0), ("yes", 1.0))
_LEVELS_SHOWN = 3


class UnfitValue(ValueError):
    """A value that does not fit its column: the model was fitted on values of another kind.

    Parameters
    ----------
    column : str
        The column of the value.
    row : int
        The row of the value, counted from 0.
    problem : str
        What is wrong and what to do; follows the place in the message.
    """

    def __init__(self, column: str, row: int, problem: str) -> None:
        super().__init__(f"The value in column {column!r}, row {row} (counted from 0), {problem}.")
        self.column, self.row, self.problem = column, row, problem

    def at_row(self, row: int) -> UnfitValue:
        """Return the same error for another row."""
        return UnfitValue(self.column, row, self.problem)


@dataclass(frozen=True)
class Source(FrozenValue, ABC):
    """A column of a table, and how it becomes one input.

    Parameters
    ----------
    column : str
        The name of the column.
    """

    column: str
    # The name of this kind of source in model files.
    kind: ClassVar[str]

    @property
    def tells_gaps(self) -> bool:
        """Whether the input marks missing values of the column, so that it is never missing itself."""
        return False

    @property
    def of_dates(self) -> bool:
        """Whether the column holds dates."""
        return False

    @property
    def tells_hours(self) -> bool:
        """Whether the input depends on the time of day."""
        return False

    def goes_around(self, low: float, high: float) -> bool:
        """Return whether the range from low to high covers a whole cycle, so that no value lies outside."""
        return False

    @property
    def counts(self) -> str:
        """The quantity that the input counts, e.g. "days since 1 Nov"; empty if it is the column's own value."""
        return ""

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The values that the input can take, with their numbers; empty if it can take any number."""
        return ()

    @property
    def step(self) -> float | None:
        """The smallest meaningful difference between two numbers, such as a day for dates; None if unknown."""
        return None

    def written(self, number: float) -> str | None:
        """Return the value of the column that a number stands for; None if it is the number itself."""
        return nearest_choice(self.choices, number) if self.choices else None

    def ticks(self, low: float, high: float) -> Iterator[Ticks]:
        """Yield tick marks for an axis in values of the column, from many to few; nothing if the values are numbers."""
        return iter(())

    def between(self, low: float | None, high: float | None) -> str | None:
        """Describe the values between two numbers in words, where None is an open end; None if numbers are clearer."""
        return either(self.names_between(low, high)) if self.choices else None

    def names_between(self, low: float | None, high: float | None) -> list[str]:
        """Return the choices whose numbers lie between two numbers, in increasing order."""
        least, most = -np.inf if low is None else low, np.inf if high is None else high
        in_order = sorted(self.choices, key=lambda choice: choice[1])
        return [name for name, number in in_order if least < number < most]

    @abstractmethod
    def numbers(self, values: pd.Series) -> Floats:
        """Return the input for values of the column, NaN where a value is missing.

        Raises
        ------
        ValueError
            If the values are of another kind than those of the training table.
        """

    def unknown(self, values: pd.Series) -> list[str]:
        """Return the distinct values that the training table did not have, as text."""
        return []


@dataclass(frozen=True)
class NumberSource(Source):
    """A column of numbers; the input is the number itself.

    Examples
    --------
    >>> import pandas as pd
    >>> NumberSource("size").numbers(pd.Series([1.5, None])).tolist()
    [1.5, nan]
    """

    kind: ClassVar[str] = "number"

    def numbers(self, values: pd.Series) -> Floats:
        """Return the numbers of the column, NaN where a value is missing."""
        # Most columns are of a type that can hold nothing else.
        if not (isinstance(values.dtype, np.dtype) and values.dtype.kind in "iuf"):
            if not values.notna().any():
                return np.full(len(values), np.nan)
            _refuse_dates(self.column, values)
            self._refuse(
                values, (bool, np.bool_), "is a truth value, but the model was fitted on numbers; write 0 or 1"
            )
            self._refuse(values, (complex,), "is a complex number, but the model was fitted on real ones; write those")
        try:
            numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
        except (TypeError, ValueError, OverflowError):
            numbers = self._parsed(values)
        with np.errstate(invalid="ignore"):
            wrong = np.abs(numbers) > LARGEST_VALUE
        if wrong.any():
            row = int(np.argmax(wrong))
            if np.isinf(numbers[row]):
                raise UnfitValue(self.column, row, "is infinity; correct it, or write NaN if the value is missing")
            problem = f"is {numbers[row]:g}, which is too large to be squared; rescale the column"
            raise UnfitValue(self.column, row, problem)
        return np.asarray(numbers)

    def _refuse(self, values: pd.Series, kinds: tuple[type, ...], problem: str) -> None:
        """Refuse values of some types, in a column of their own or among others."""
        few = values if values.dtype == object else values.dropna().head(1)
        for row, value in enumerate(few):
            if isinstance(value, kinds):
                raise UnfitValue(self.column, row if few is values else int(np.argmax(values.notna())), problem)

    def _parsed(self, values: pd.Series) -> Floats:
        """Read numbers that are written as text."""
        texts = column_texts(values)
        read = pd.to_numeric(texts, errors="coerce")
        odd = (read.isna() & texts.notna()).to_numpy()
        if odd.any():
            row = int(np.argmax(odd))
            raise UnfitValue(
                self.column,
                row,
                f"is {texts.iloc[row]!r}, but the model was fitted on numbers; correct it, or leave it empty",
            )
        return np.asarray(read.to_numpy(dtype=np.float64))


@dataclass(frozen=True, init=False)
class LevelSource(Source):
    """A column of categories; each has a number, which is the input.

    Parameters
    ----------
    column : str
        The name of the column.
    levels : sequence of str
        The categories, as text.
    values : sequence of float
        The number of each category.

    Examples
    --------
    >>> import pandas as pd
    >>> origin = LevelSource("origin", ["usa", "japan"], [-1.3, 2.1])
    >>> origin.numbers(pd.Series(["japan", "mars", None])).tolist()
    [2.1, nan, nan]
    >>> origin.unknown(pd.Series(["japan", "mars", None]))
    ['mars']
    """

    kind: ClassVar[str] = "category"

    levels: tuple[str, ...]
    values: tuple[float, ...]

    def __init__(self, column: str, levels: Sequence[str], values: Sequence[float]) -> None:
        names, numbers = tuple(levels), tuple(float(value) for value in values)
        if not names or len(set(names)) < len(names) or len(numbers) != len(names):
            raise ValueError(f"The column {column!r} needs distinct categories, each with a number.")
        if not all(isinstance(name, str) and name for name in names) or not np.isfinite(numbers).all():
            raise ValueError(f"The categories of the column {column!r} must be text, and their numbers finite.")
        self._set(column=column, levels=names, values=numbers)

    @classmethod
    def indicator(cls, column: str, levels: Sequence[str], level: str) -> LevelSource:
        """Return the source of an input that is 1 for one of the categories and 0 for the others."""
        return cls(column, levels, [float(name == level) for name in levels])

    @property
    def indicated(self) -> str | None:
        """The category for which the input is 1, if it is 0 for all others; else None."""
        ones = [level for level, value in zip(self.levels, self.values, strict=True) if value == 1.0]
        return ones[0] if len(ones) == 1 and set(self.values) == {0.0, 1.0} else None

    def numbers(self, values: pd.Series) -> Floats:
        """Return the number of each value's category, NaN where it is missing or unknown."""
        if _is_dates(values) and not values.notna().any():
            return np.full(len(values), np.nan)
        _refuse_dates(self.column, values)
        self._refuse_numbers(values)
        codes, texts = distinct_texts(values, self.levels)
        numbers = dict(self.choices)
        return np.array([*(numbers.get(text, np.nan) for text in texts), np.nan])[codes]

    def _refuse_numbers(self, values: pd.Series) -> None:
        """Refuse numbers or truth values if no category is one, and numbers other than 0 and 1 for truth values."""
        if not pd.api.types.is_numeric_dtype(values.dtype) or _has_numbers(self.levels):
            return
        texts = column_texts(values, self.levels)
        odd = (texts.notna() & ~texts.isin(TRUTH_VALUES if hold_truth(self.levels) else ())).to_numpy()
        if odd.any():
            row = int(np.argmax(odd))
            known, found = quote_names(self.levels[:_LEVELS_SHOWN]), texts.iloc[row]
            problem = f"is {found}, but the model was fitted on categories such as {known}; write their names"
            raise UnfitValue(self.column, row, problem)

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The categories with their numbers."""
        return tuple(zip(self.levels, self.values, strict=True))

    def unknown(self, values: pd.Series) -> list[str]:
        """Return the distinct unknown categories."""
        texts = column_texts(values, self.levels).dropna()
        return list(dict.fromkeys(texts[~texts.isin(self.levels)]))


@lru_cache(maxsize=1_000)
def _has_numbers(levels: tuple[str, ...]) -> bool:
    """Return whether some category is a number."""
    return bool(pd.to_numeric(pd.Series(levels), errors="coerce").notna().any())


@dataclass(frozen=True)
class GapSource(Source):
    """Whether the value of a column is missing: 1 where it is, 0 elsewhere.

    Examples
    --------
    >>> import pandas as pd
    >>> GapSource("size").numbers(pd.Series([1.5, None])).tolist()
    [0.0, 1.0]
    """

    kind: ClassVar[str] = "is missing"

    @property
    def tells_gaps(self) -> bool:
        """True: the input marks missing values."""
        return True

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The values "no" and "yes"."""
        return NO_OR_YES

    def numbers(self, values: pd.Series) -> Floats:
        """Return 1 where a value is missing, and 0 elsewhere."""
        # Blank text is missing too.
        is_text = not (pd.api.types.is_numeric_dtype(values.dtype) or _is_dates(values))
        absent = column_texts(values).isna() if is_text else values.isna()
        return np.asarray(absent, dtype=np.float64)


def nearest_choice(choices: Sequence[Choice], number: float) -> str:
    """Return the value with the nearest number; of equally near values, the first.

    Examples
    --------
    >>> nearest_choice(NO_OR_YES, 0.7)
    'yes'
    """
    return min(choices, key=lambda choice: abs(choice[1] - number))[0]


def _is_dates(values: pd.Series) -> bool:
    return pd.api.types.is_datetime64_any_dtype(values.dtype) or pd.api.types.is_timedelta64_dtype(values.dtype)


def _refuse_dates(column: str, values: pd.Series) -> None:
    if _is_dates(values):
        row = int(np.argmax(values.notna()))
        problem = "is a date or a time, but the model was fitted on other values; write values as in fit"
        raise UnfitValue(column, row, problem)
