"""The values of a column as text, as a person would write them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

TRUTH_VALUES = ("False", "True")


def column_texts(values: pd.Series, categories: Iterable[str] = ()) -> pd.Series:
    """Return the values of a column as a person would write them, NaN where there are none.

    A category is known again when a file without missing values makes it a whole number and one with them a decimal,
    and truth values are so in any case of their letters.

    Examples
    --------
    >>> import pandas as pd
    >>> column_texts(pd.Series([1.0, None, 2.5])).tolist()
    ['1', nan, '2.5']
    >>> column_texts(pd.Series(["TRUE", "no "]), ["False", "True"]).tolist()
    ['True', 'no']
    """
    # Each distinct value once: a column of categories has few.
    codes, distinct = pd.factorize(values.astype(object) if values.dtype == bool else values, use_na_sentinel=True)
    truth = {name.lower(): name for name in TRUTH_VALUES} if tuple(categories) == TRUTH_VALUES else {}
    texts = [_written(value) for value in distinct]
    texts = [truth.get(text.lower(), text) for text in texts]
    lookup = np.array([*(text if text else np.nan for text in texts), np.nan], dtype=object)
    return pd.Series(lookup[codes], index=values.index, name=values.name, dtype=object)


def _written(value: Any) -> str:
    return f"{value:.15g}" if isinstance(value, float) else str(value).strip()


def level_codes(texts: pd.Series, levels: Sequence[str]) -> npt.NDArray[np.intp]:
    """Return the number of each text among some levels, -1 where it is none of them.

    Examples
    --------
    >>> import pandas as pd
    >>> level_codes(pd.Series(["b", None, "a"]), ["a", "b"]).tolist()
    [1, -1, 0]
    """
    known: pd.Index[Any] = pd.Index(np.array(levels, dtype=object))
    return np.asarray(known.get_indexer_for(pd.Index(texts.to_numpy(dtype=object))), dtype=np.intp)
