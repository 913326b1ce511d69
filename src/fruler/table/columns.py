"""What the columns of a table are, and the inputs that rules are learned over: each with its source."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from fruler._typing import Floats
from fruler._wording import comma_advice, is_printable
from fruler.table.effects import Effects, level_effects
from fruler.table.sources import LevelSource, NumberSource, Source
from fruler.table.texts import TRUTH_VALUES, column_texts, level_codes

Kind = Literal["number", "category"]

# More categories than this, or one for so few rows, tell rows apart, not kinds of rows.
MAX_LEVELS, MIN_ROWS_A_LEVEL = 100, 3.0
# A column that is mostly numbers was meant to be one of numbers.
_MOSTLY = 0.5
_DATE = re.compile(
    r"(\d{4}-\d{1,2}(-\d{1,2})?|\d{1,4}[./]\d{1,2}[./]\d{2,4})([T ]\d{1,2}:\d{2}.*)?"
    r"|\d{1,2}:\d{2}(:\d{2})?"
)


class UnusableColumn(ValueError):
    """A column that can be no input.

    Parameters
    ----------
    column : str
        Its name.
    reason : str
        Why, in words that follow "the column ... ".
    """

    def __init__(self, column: str, reason: str) -> None:
        super().__init__(f"The column {column!r} {reason}; leave it out, or correct it.")
        self.column, self.reason = column, reason


@dataclass(frozen=True, eq=False)
class Inputs:
    """The inputs of a table.

    Attributes
    ----------
    names : list of str
        Their names.
    sources : list of Source
        Where each comes from.
    values : ndarray of shape (n_rows, n_inputs)
        The inputs of the rows, NaN where there is a gap.
    held_out : ndarray of shape (n_rows, n_inputs)
        The same, but of a category what it adds by other rows: to fit slopes with.
    """

    names: list[str]
    sources: list[Source]
    values: Floats
    held_out: Floats


def column_kind(values: pd.Series, declared: bool = False) -> Kind:
    """Say what a column is.

    Parameters
    ----------
    values : Series
        The column, with its name.
    declared : bool
        Whether the user says that it holds categories.

    Raises
    ------
    UnusableColumn
        If it can't be an input.

    Examples
    --------
    >>> import pandas as pd
    >>> column_kind(pd.Series(["1.5", None, "2"])), column_kind(pd.Series(["red", "blue", "red"]))
    ('number', 'category')
    """
    name, dtype = str(values.name), values.dtype
    if not values.notna().any():
        raise UnusableColumn(name, "has no value in any row")
    if declared or isinstance(dtype, pd.CategoricalDtype) or pd.api.types.is_bool_dtype(dtype):
        return _checked_category(values)
    if pd.api.types.is_datetime64_any_dtype(dtype) or pd.api.types.is_timedelta64_dtype(dtype):
        raise UnusableColumn(name, _dates())
    if pd.api.types.is_complex_dtype(dtype):
        raise UnusableColumn(name, "holds complex numbers")
    if pd.api.types.is_numeric_dtype(dtype):
        return "number"
    present = values.dropna()
    odd = next((value for value in present if not isinstance(value, _PLAIN)), None)
    if odd is not None:
        dated = hasattr(odd, "year") or isinstance(odd, np.datetime64)
        raise UnusableColumn(name, _dates() if dated else f"holds a {type(odd).__name__}")
    return _kind_of_texts(values, present)


_PLAIN = (str, bytes, int, float, np.number, np.bool_)


def _kind_of_texts(values: pd.Series, present: pd.Series) -> Kind:
    name, texts = str(values.name), column_texts(values).dropna()
    if set(texts.str.lower().unique()) <= {text.lower() for text in TRUTH_VALUES}:
        return _checked_category(values)
    numbers = pd.to_numeric(texts, errors="coerce")
    if numbers.notna().all():
        return "number"
    if texts.map(lambda text: _DATE.fullmatch(text) is not None).all():
        raise UnusableColumn(name, _dates())
    with_commas = texts[texts.map(lambda text: comma_advice(text) is not None)]
    if len(with_commas) > _MOSTLY * len(texts):
        # "1,000" may be a thousand, beside "2,5" it is not.
        text = min(with_commas, key=lambda text: len(str(comma_advice(text))))
        raise UnusableColumn(name, f"holds numbers with a comma ({text!r}); {comma_advice(text)}")
    row = values.index.get_loc(texts[numbers.isna()].index[0]) if values.index.is_unique else 0
    shown = f"{texts[numbers.isna()].iloc[0]!r} in row {row} (counted from 0)"
    if numbers.notna().mean() > _MOSTLY:
        raise UnusableColumn(name, f"holds text among numbers ({shown})")
    kinds = {isinstance(value, str | bytes) for value in present}
    if len(kinds) > 1:
        raise UnusableColumn(name, f"mixes numbers and text ({shown})")
    return _checked_category(values)


def _dates() -> str:
    return "holds dates or times, of which numbers such as the month or the days since a start can be made"


def _checked_category(values: pd.Series) -> Kind:
    counts = column_texts(values, TRUTH_VALUES).value_counts()
    name = str(values.name)
    if len(counts) > max(MAX_LEVELS, 2) or (len(counts) > 2 and counts.sum() < MIN_ROWS_A_LEVEL * len(counts)):
        raise UnusableColumn(
            name, f"has {len(counts)} different texts in {counts.sum()} rows, too many to learn from each"
        )
    unprintable = [text for text in counts.index if not is_printable(text)]
    if unprintable:
        # Categories are shown everywhere.
        raise UnusableColumn(name, f"holds text with unprintable characters ({unprintable[0]!r})")
    return "category"


def learn_inputs(
    table: pd.DataFrame,
    y: Floats,
    weight: Floats | None = None,
    *,
    declared: Collection[Any] = (),
    one_hot: bool = False,
) -> Inputs:
    """Find out what the columns of a table are, and make inputs of them.

    A column of numbers is an input. A column of categories is one too: each category has a number, which is what it
    adds to the target, so that a split point parts the categories with the least from those with the most, and a slope
    gives each an offset. With `one_hot` it is an input of 0 and 1 for each category, or one for two categories.

    Parameters
    ----------
    table : DataFrame
        The columns.
    y : ndarray of shape (n_rows,)
        The target.
    weight : ndarray of shape (n_rows,), optional
        How much each row counts.
    declared : collection
        The columns that the user says hold categories, whatever their type.
    one_hot : bool
        Whether each category becomes an input of its own.

    Raises
    ------
    UnusableColumn
        If a column can't be an input.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> table = pd.DataFrame({"size": [1.0, np.nan, 3.0, 4.0] * 3, "colour": ["red", "red", "blue", "blue"] * 3})
    >>> inputs = learn_inputs(table, np.tile([1.0, 1.0, 5.0, 5.0], 3))
    >>> inputs.names, inputs.values[1].round(1).tolist()
    (['size', 'colour'], [nan, -1.9])
    """
    kinds = {name: column_kind(table[name], name in declared) for name in table.columns}
    numbers = {name: NumberSource(str(name)).numbers(table[name]) for name, kind in kinds.items() if kind == "number"}
    levels = {name: _levels(table[name]) for name, kind in kinds.items() if kind == "category"}
    codes = {name: _codes(table[name], own) for name, own in levels.items()}
    effects = _effects(numbers, codes, levels, y, weight) if codes and not one_hot else {}
    names, sources = [], []
    columns: list[Floats] = []
    held_out: list[Floats] = []
    for name in table.columns:
        if name in numbers:
            made: list[tuple[str, Source]] = [(str(name), NumberSource(str(name)))]
        elif not one_hot:
            made = [(str(name), LevelSource(str(name), levels[name], effects[name].levels.tolist()))]
        elif len(levels[name]) == 2:
            made = [(str(name), LevelSource.indicator(str(name), levels[name], levels[name][1]))]
        else:
            made = [(f"{name}={own}", LevelSource.indicator(str(name), levels[name], own)) for own in levels[name]]
        for input, source in made:
            names.append(input)
            sources.append(source)
            if isinstance(source, LevelSource):
                columns.append(np.append(source.values, np.nan)[codes[name]])
            else:
                columns.append(numbers[name])
            held_out.append(effects[name].held_out if name in effects else columns[-1])
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise ValueError(f"Two columns become the input {repeated[0]!r}; rename one of them.")
    return Inputs(names, sources, np.column_stack(columns), np.column_stack(held_out))


def _levels(values: pd.Series) -> tuple[str, ...]:
    """Return the categories of a column: as they are declared, else "no" first and by alphabet."""
    texts = column_texts(values, TRUTH_VALUES)
    present = set(texts.dropna().unique())
    if isinstance(values.dtype, pd.CategoricalDtype):
        declared = column_texts(pd.Series(values.cat.categories))
        found = tuple(text for text in declared if text in present)
    else:
        found = tuple(sorted(present, key=lambda text: (text.lower() not in ("no", "n", "false"), text)))
    if len(found) < 2:
        raise UnusableColumn(str(values.name), f"is always {found[0]!r}")
    return found


def _codes(values: pd.Series, levels: Sequence[str]) -> npt.NDArray[np.intp]:
    return level_codes(column_texts(values, levels), levels)


def _effects(
    numbers: dict[Any, Floats],
    codes: dict[Any, npt.NDArray[np.intp]],
    levels: dict[Any, tuple[str, ...]],
    y: Floats,
    weight: Floats | None,
) -> dict[Any, Effects]:
    filled = [np.where(np.isnan(column), np.nanmean(column), column) for column in numbers.values()]
    X = np.column_stack(filled) if filled else np.empty((len(y), 0))
    sizes = [len(own) for own in levels.values()]
    found = level_effects(list(codes.values()), sizes, X, y, np.ones(len(y)) if weight is None else weight)
    return dict(zip(levels, found, strict=True))
