"""What the columns of a table are, and the inputs that rules are learned over: each with its source."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from fruler._typing import Floats
from fruler._wording import comma_advice, counted, is_printable, quote_names
from fruler.table.effects import Effects, level_effects
from fruler.table.sources import LevelSource, NumberSource, Source
from fruler.table.texts import are_truth_values, category_texts, column_texts, level_codes

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
    value : str, optional
        The first value that is why.
    row : int, optional
        Its row, counted from 0.
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
        where = "" if row is None else f" ({value!r} in row {row}, counted from 0)"
        super().__init__(f"The column {column!r} {reason}{where}; {remedy}.")
        self.column, self.reason, self.value, self.row, self.remedy = column, reason, value, row, remedy

    def at_row(self, row: int) -> UnusableColumn:
        """Return the same of another row."""
        return UnusableColumn(self.column, self.reason, value=self.value, row=row, remedy=self.remedy)


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
        raise UnusableColumn(name, "has no value in any row", remedy="leave it out, or fill it in")
    if isinstance(dtype, pd.CategoricalDtype) or pd.api.types.is_bool_dtype(dtype):
        return _checked_category(values, declared)
    if pd.api.types.is_datetime64_any_dtype(dtype) or pd.api.types.is_timedelta64_dtype(dtype):
        raise UnusableColumn(name, "holds dates or times", remedy=_DATE_REMEDY)
    if pd.api.types.is_complex_dtype(dtype):
        raise UnusableColumn(name, "holds complex numbers")
    if pd.api.types.is_numeric_dtype(dtype):
        return _checked_category(values, declared) if declared else "number"
    types = _types(values)
    odd = next((kind for kind in types if not issubclass(kind, _PLAIN)), None)
    if odd is not None:
        if hasattr(odd, "year") or hasattr(odd, "hour") or issubclass(odd, np.datetime64):
            raise UnusableColumn(name, "holds dates or times", remedy=_DATE_REMEDY)
        raise UnusableColumn(name, f"holds a {odd.__name__}")
    return _checked_category(values, declared) if declared else _kind_of_texts(values, types)


_PLAIN = (str, bytes, int, float, np.number, np.bool_, Decimal)
_DATE_REMEDY = "make numbers of it, such as the month or the days since a start, or leave it out"
_ODD_REMEDY = "correct it, or leave it empty if it marks a missing value"


def _types(values: pd.Series) -> list[type]:
    """Return the types of the values that are there, in the order in which they appear."""
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
    if all(_DATE.fullmatch(text) for text in texts):
        raise UnusableColumn(name, "holds dates or times", remedy=_DATE_REMEDY)
    rows = np.bincount(codes[codes >= 0], minlength=len(texts))
    advice = {text: comma_advice(text) for text in texts}
    has_comma = np.array([advice[text] is not None for text in texts])
    if rows[has_comma].sum() > _MOSTLY * rows.sum():
        # "1,000" may be a thousand, beside "2,5" it is not.
        text = min(texts[has_comma], key=lambda text: len(str(advice[text])))
        raise UnusableColumn(name, f"holds numbers with a comma ({text!r})", remedy=str(advice[text]))
    first = int(np.argmin(is_number))
    place: dict[str, Any] = {"value": texts[first], "row": int(np.argmax(codes == first)), "remedy": _ODD_REMEDY}
    if rows[is_number].sum() > _MOSTLY * rows.sum():
        raise UnusableColumn(name, "holds text among numbers", **place)
    if not all(issubclass(kind, str | bytes | bool | np.bool_) for kind in types):
        raise UnusableColumn(name, "mixes numbers and text", **place)
    return _checked_category(values)


def _checked_category(values: pd.Series, declared: bool = False) -> Kind:
    texts = category_texts(values).reset_index(drop=True)
    counts = texts.value_counts()
    name, n_levels, n_rows = str(values.name), len(counts), int(counts.sum())
    if n_levels == 0:
        raise UnusableColumn(name, "has no value in any row", remedy="leave it out, or fill it in")
    least = MIN_ROWS_A_LEVEL / 2.0 if declared else MIN_ROWS_A_LEVEL
    if n_levels > 2 and n_rows < least * n_levels:
        raise UnusableColumn(
            name,
            f"has {n_levels:,} categories in {counted(n_rows, 'row')}, too few rows to learn from each",
            remedy="leave it out, or group them",
        )
    if n_levels > MAX_LEVELS:
        raise UnusableColumn(
            name, f"has {n_levels:,} categories, more than {MAX_LEVELS}", remedy="leave it out, or group them"
        )
    unprintable = [text for text in counts.index if not is_printable(text)]
    if unprintable:
        # Categories are shown everywhere.
        row = int(np.argmax(texts.isin(unprintable)))
        raise UnusableColumn(name, "holds text with unprintable characters", value=str(texts[row]), row=row)
    return "category"


def similar_categories(values: pd.Series) -> list[tuple[str, ...]]:
    """Return the categories of a column that differ only by case or by spaces, together.

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


def _warn_of_similar(table: pd.DataFrame, names: Iterable[Any]) -> None:
    for name in names:
        for texts in similar_categories(table[name]):
            warnings.warn(
                f"The column {str(name)!r} has the categories {quote_names(texts)}, which differ only by case or "
                "spaces; write them alike if they are the same.",
                UserWarning,
                stacklevel=2,
            )


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
    (['size', 'colour'], [nan, -1.7])
    """
    kinds = {name: column_kind(table[name], name in declared) for name in table.columns}
    numbers = {name: NumberSource(str(name)).numbers(table[name]) for name, kind in kinds.items() if kind == "number"}
    levels = {name: _levels(table[name]) for name, kind in kinds.items() if kind == "category"}
    _warn_of_similar(table, levels)
    codes = {name: _codes(table[name], own) for name, own in levels.items()}
    effects = _effects(numbers, codes, levels, y, weight) if codes and not one_hot else {}
    sources: dict[str, Source] = {}
    columns: list[Floats] = []
    held_out: list[Floats] = []
    for name in table.columns:
        if name in numbers:
            own: dict[str, Source] = {str(name): NumberSource(str(name))}
            columns.append(numbers[name])
            held_out.append(numbers[name])
        else:
            coded = _level_sources(str(name), levels[name], effects.get(name))
            own = {**coded}
            columns += [np.append(source.values, np.nan)[codes[name]] for source in coded.values()]
            held_out += [effects[name].held_out] if name in effects else columns[-len(coded) :]
        repeated = next((input for input in own if input in sources), None)
        if repeated is not None:
            raise ValueError(f"Two columns become the input {repeated!r}; rename one of them.")
        sources |= own
    return Inputs(list(sources), list(sources.values()), np.column_stack(columns), np.column_stack(held_out))


def _level_sources(column: str, levels: tuple[str, ...], effects: Effects | None) -> dict[str, LevelSource]:
    """Return the inputs of a column of categories: one of their effects, where these are known, else of 0 and 1."""
    if effects is not None:
        return {column: LevelSource(column, levels, effects.levels.tolist())}
    if len(levels) == 1:
        return {column: LevelSource(column, levels, [0.0])}
    if len(levels) == 2:
        return {column: LevelSource.indicator(column, levels, levels[1])}
    return {f"{column}={level}": LevelSource.indicator(column, levels, level) for level in levels}


def _levels(values: pd.Series) -> tuple[str, ...]:
    """Return the categories of a column: as they are declared, else "no" first, numbers by size, and by alphabet.

    One that is the same in every row stays: a part of a table may have lost its rare categories.
    """
    present = set(category_texts(values).dropna().unique())
    if isinstance(values.dtype, pd.CategoricalDtype):
        declared = column_texts(pd.Series(values.cat.categories), present)
        return tuple(dict.fromkeys(text for text in declared if text in present))
    return tuple(sorted(present, key=_order))


def _order(text: str) -> tuple[bool, float, str]:
    number = pd.to_numeric(text, errors="coerce")
    return text.lower() not in ("no", "n", "false"), np.inf if np.isnan(number) else float(number), text


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
