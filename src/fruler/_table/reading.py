"""Tables of any kind as the inputs of rules: data frames of pandas, polars and Arrow, arrays and nested lists."""

from __future__ import annotations

import contextlib
import datetime
import os
from collections.abc import Collection, Sequence
from typing import Any, Protocol

import numpy as np
import pandas as pd

from fruler._table.sources import NumberSource, Source
from fruler._table.texts import column_texts
from fruler._table.validation import number_table
from fruler._typing import Floats
from fruler._wording import quote_names, suggest

_NOT_NUMBERS = (str, bytes, bool, np.bool_, datetime.date, datetime.time, datetime.timedelta, np.datetime64)


class Input(Protocol):
    """An input: what it is called, and where it comes from."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def source(self) -> Source:
        """Its source."""


def is_plain(one: Input) -> bool:
    """Return whether an input is the number in the column of its own name."""
    return one.source == NumberSource(one.name)


def as_frame(X: Any, names: Sequence[str] | None = None) -> pd.DataFrame:
    """Return a table as a pandas data frame; the columns of an array get names.

    Examples
    --------
    >>> as_frame([[1, "red"], [2, "blue"]])
       x0    x1
    0   1   red
    1   2  blue
    """
    require_rows(X)
    if isinstance(X, pd.DataFrame):
        frame = X
    elif hasattr(X, "to_pandas"):
        try:
            frame = X.to_pandas()
        except ModuleNotFoundError:
            # polars makes frames of pandas with the help of pyarrow, which may not be there.
            frame = pd.DataFrame(X.to_dict(as_series=False))
    else:
        values = np.asarray(X)
        values = values if values.dtype.kind in "biuf" else np.asarray(X, dtype=object)
        if values.ndim != 2:
            raise ValueError(f"X must be a table of rows and columns; got an array of {values.ndim} dimensions.")
        frame = pd.DataFrame(values).infer_objects()
        frame.columns = pd.Index([f"x{j}" for j in range(values.shape[1])] if names is None else list(names))
    # Columns that are numbered are known by their numbers as text: a model file has no other names.
    return (
        frame
        if all(isinstance(name, str) for name in frame.columns)
        else frame.set_axis([str(name) for name in frame.columns], axis=1)
    )


def known_columns(X: Any, names: Collection[str] | None) -> Any:
    """Return a frame without the columns that are not known, if all that are known are there; else as it is.

    Parameters
    ----------
    X : array-like or data frame
        The table; what has no names of columns is left as it is.
    names : collection of str or None
        The columns that are known; None: nothing is known of their names.

    Examples
    --------
    >>> import pandas as pd
    >>> known_columns(pd.DataFrame({"id": ["a"], "size": [1.0]}), ["size"])
       size
    0   1.0
    """
    # An Arrow table calls its names otherwise, and its columns are arrays.
    given = list(getattr(X, "column_names", getattr(X, "columns", ())))
    known = () if names is None else set(names)
    kept = [name for name in given if isinstance(name, str) and name in known]
    if not known or len(kept) == len(given) or not known <= set(kept):
        return X
    if isinstance(X, pd.DataFrame):
        return X.loc[:, [isinstance(name, str) and name in known for name in given]]
    return X.select(kept) if hasattr(X, "select") else X


def require_rows(X: Any) -> None:
    """Refuse what holds no rows yet: a LazyFrame of polars, or the path of a file."""
    if isinstance(X, str | os.PathLike):
        raise ValueError(
            f"X is the path {os.fspath(X)!r}, and no table; read it first: fruler.data.read_table(path, target=...) "
            "gives `data` and `target`."
        )
    if hasattr(X, "collect") and hasattr(X, "collect_schema") and not hasattr(X, "to_pandas"):
        raise TypeError(f"X is a {type(X).__name__}, which holds no rows yet; give X.collect().")


def is_numeric(X: Any) -> bool:
    """Say whether a table holds nothing but numbers, by its types.

    Examples
    --------
    >>> is_numeric([[1.0, None]]), is_numeric([[1.0, "red"]])
    (True, False)
    """
    require_rows(X)
    if hasattr(X, "dtypes") and hasattr(X, "columns"):
        types = X.dtypes
        if isinstance(X, pd.DataFrame):
            return all(pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind) for kind in types)
        return all(getattr(kind, "is_numeric", lambda: False)() for kind in types)
    if hasattr(X, "schema"):
        return is_numeric(X.to_pandas())
    try:
        values = np.asarray(X)
    except ValueError:
        return True
    if values.dtype.kind != "O":
        return values.dtype.kind not in "USMm"
    return not any(isinstance(value, _NOT_NUMBERS) for value in values.ravel())


def input_table(X: Any, inputs: Sequence[Input], unused: Collection[str] = ()) -> Floats:
    """Return the inputs of the rows of a table, NaN where there is a gap.

    Parameters
    ----------
    X : array-like or data frame
        An array of numbers has the inputs themselves. A frame has the columns that they come from, in any order, and
        others besides; so has an array of text and numbers, in the order of the inputs.
    inputs : sequence of Input
        The inputs that are wanted.
    unused : collection of str
        The columns that may be absent from a frame, or hold anything: their inputs are then missing.

    Returns
    -------
    ndarray of shape (n_rows, n_inputs)
        No number is infinite.
    """
    names = [one.name for one in inputs]
    X = as_frame(X) if hasattr(X, "to_pandas") else X
    if not hasattr(X, "columns") and is_numeric(X):
        return number_table(X, names, allow_nan=True)
    if all(map(is_plain, inputs)) and not unused and is_numeric(X):
        return number_table(X, names, allow_nan=True)
    sources = [one.source for one in inputs]
    columns = list(dict.fromkeys(source.column for source in sources))
    frame = as_frame(X, columns if not hasattr(X, "columns") and np.shape(X)[1:] == (len(columns),) else None)
    absent = [name for name in columns if name not in frame.columns and name not in unused]
    if len(absent) == 1:
        raise ValueError(f"X has no column {absent[0]!r}; {suggest(absent[0], map(str, frame.columns))}.")
    if absent:
        raise ValueError(f"X has no columns {quote_names(absent)}; the rules need {quote_names(columns)}.")
    values = np.full((len(frame), len(sources)), np.nan)
    for j, source in enumerate(sources):
        if source.column not in unused:
            values[:, j] = source.numbers(frame[source.column])
        elif source.column in frame.columns:
            with contextlib.suppress(ValueError):
                values[:, j] = source.numbers(frame[source.column])
    return values


def unknown_values(X: Any, inputs: Sequence[Input]) -> list[dict[str, str]]:
    """Return for each row of a table the categories that are not known, by column.

    Examples
    --------
    >>> import pandas as pd
    >>> from fruler.rules import FuzzyPartition, Variable
    >>> from fruler._table.sources import LevelSource
    >>> x = Variable("origin", FuzzyPartition([], (-1.0, 1.0)), source=LevelSource("origin", "ab", [-1.0, 1.0]))
    >>> unknown_values(pd.DataFrame({"origin": ["a", "mars", None]}), [x])
    [{}, {'origin': 'mars'}, {}]
    """
    found: list[dict[str, str]] = [{} for _ in range(len(X))]
    if not hasattr(X, "columns") and is_numeric(X):
        return found
    columns = list(dict.fromkeys(one.source.column for one in inputs))
    frame = as_frame(X, None if hasattr(X, "columns") else columns)
    for one in inputs:
        if one.source.column not in frame.columns:
            continue
        values = frame[one.source.column].reset_index(drop=True)
        unknown = one.source.unknown(values)
        if unknown:
            texts = column_texts(values)
            for row in np.flatnonzero(texts.isin(unknown)):
                found[int(row)][one.source.column] = str(texts.iloc[row])
    return found
