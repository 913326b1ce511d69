"""The values of a column as text, as a person would write them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

TRUTH_VALUES = ("False", "True")
# How files and databases write truth values, in lower case.
_TRUTH_TEXTS = {"False": ("false", "0", "0.0"), "True": ("true", "1", "1.0")}
# The characters that `str.strip` removes.
WHITE_SPACE = "".join(filter(str.isspace, map(chr, range(0x3001))))


def column_texts(values: pd.Series, categories: Iterable[str] = ()) -> pd.Series:
    """Return the values of a column as a person would write them, NaN where missing.

    A category is recognised whether a file stores it as a whole number or, because of missing values, as a float. Truth
    values are recognised in any letter case, and as 0 and 1.

    Examples
    --------
    >>> import pandas as pd
    >>> column_texts(pd.Series([1.0, None, 2.5])).tolist()
    ['1', nan, '2.5']
    >>> column_texts(pd.Series(["TRUE", "no "]), ["False", "True"]).tolist()
    ['True', 'no']
    """
    codes, texts = distinct_texts(values, categories)
    lookup = np.array([*(text if text else np.nan for text in texts), np.nan], dtype=object)
    return pd.Series(lookup[codes], index=values.index, name=values.name, dtype=object)


def distinct_texts(values: pd.Series, categories: Iterable[str] = ()) -> tuple[npt.NDArray[np.intp], list[str]]:
    """Return the distinct texts of a column, empty for blank values, and the number of each row's text.

    The number is -1 where a value is missing.

    Examples
    --------
    >>> import pandas as pd
    >>> codes, texts = distinct_texts(pd.Series(["b", None, "a ", "b"]))
    >>> codes.tolist(), texts
    ([0, -1, 1, 0], ['b', 'a'])
    """
    # Each distinct value once: a column of categories has few.
    codes, distinct = pd.factorize(_hashable(values), use_na_sentinel=True)
    levels = tuple(categories)
    in_lower_case, names = hold_truth(levels), _names(levels)
    texts = [_written(value) for value in np.asarray(distinct)]
    return codes, [names.get(text.lower() if in_lower_case else text, text) for text in texts]


@lru_cache(maxsize=1_000)
def _names(levels: tuple[str, ...]) -> Mapping[str, str]:
    """Return the category that each known text stands for."""
    # A column that was always true may hold false now.
    known = TRUTH_VALUES if hold_truth(levels) else levels
    return {text: level for level in known for text in spellings(level, known)}


def category_texts(values: pd.Series) -> pd.Series:
    """Return the categories of a training column; a column of truth values alone gets one spelling.

    Examples
    --------
    >>> import pandas as pd
    >>> category_texts(pd.Series(["TRUE", "false"])).tolist(), category_texts(pd.Series(["true", "maybe"])).tolist()
    (['True', 'False'], ['true', 'maybe'])
    """
    texts = column_texts(values)
    return column_texts(values, TRUTH_VALUES) if are_truth_values(texts) else texts


def hold_truth(levels: Collection[str] | None) -> bool:
    """Return whether the categories of a column are truth values."""
    return bool(levels) and len(levels or ()) <= 2 and set(levels or ()) <= set(TRUTH_VALUES)


def spellings(level: str, levels: Collection[str]) -> tuple[str, ...]:
    """Return the texts that stand for a category of a column, without white space; truth values in lower case.

    A whole number may come from a column of real numbers, and the reverse.

    Examples
    --------
    >>> spellings("True", ["False", "True"]), spellings("red", ["red", "blue"]), spellings("10", ["10", "20"])
    (('true', '1', '1.0'), ('red',), ('10', '10.0'))
    """
    if hold_truth(levels):
        return _TRUTH_TEXTS[level]
    try:
        ways = (f"{float(level):.15g}", repr(float(level)))
    except ValueError:
        return (level,)
    return (level, *(text for text in ways if text not in levels)) if level in ways else (level,)


def are_truth_values(texts: pd.Series) -> bool:
    """Return whether all texts that are not missing are "true" or "false", in any letter case."""
    return {str(text).lower() for text in texts.dropna().unique()} <= {name.lower() for name in TRUTH_VALUES}


def _hashable(values: pd.Series) -> pd.Series:
    if values.dtype == bool:
        return values.astype(object)
    if values.dtype == object and any(isinstance(value, list | dict | set | np.ndarray) for value in values):
        return values.map(str, na_action="ignore")
    return values


def _written(value: Any) -> str:
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    elif isinstance(value, np.float32 | np.float16):
        # The digits that a person would write: 1.1 in single precision is 1.10000002384186 in double.
        value = float(str(value))
    return f"{value:.15g}" if isinstance(value, float) else str(value).strip()


def level_codes(texts: pd.Series, levels: Sequence[str]) -> npt.NDArray[np.intp]:
    """Return the position of each text in a list of levels, -1 where it is not one of them.

    Examples
    --------
    >>> import pandas as pd
    >>> level_codes(pd.Series(["b", None, "a"]), ["a", "b"]).tolist()
    [1, -1, 0]
    """
    known: pd.Index[Any] = pd.Index(np.array(levels, dtype=object))
    return np.asarray(known.get_indexer_for(pd.Index(texts.to_numpy(dtype=object))), dtype=np.intp)
