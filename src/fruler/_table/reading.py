"""Inputs from tables of any kind: data frames of pandas, polars and Arrow, arrays and nested lists."""

from __future__ import annotations

import contextlib
import datetime
import os
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NoReturn, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.sparse import issparse
from sklearn.utils.validation import validate_data

from fruler._arrays import LARGEST_VALUE, Floats
from fruler._table.sources import NumberSource, Source
from fruler._table.texts import column_texts
from fruler._wording import counted, number_advice, quote_names, suggest

_ENCODING_ADVICE = (
    "encode the column first with sklearn.preprocessing.OneHotEncoder, or with OrdinalEncoder if its categories have "
    "an order, or leave it out"
)


def check_table(estimator: Any, X: Any, *, reset: bool = False, allow_nan: bool = False) -> Floats:
    """Validate inputs without a target, for `transform` and `predict`.

    Parameters
    ----------
    estimator : estimator
        The estimator; its number and names of features are set (`reset`) or compared.
    X : array-like of shape (n_samples, n_features)
        NumPy array, data frame or nested list.
    reset : bool, default=False
        Whether this table defines the features.
    allow_nan : bool, default=False
        Whether values may be missing.

    Returns
    -------
    ndarray of shape (n_samples, n_features)
        Finite float64 values, or NaN where that is allowed; rows are contiguous.
    """
    _refuse_odd_columns(X)
    try:
        checked = validate_data(
            estimator, X, reset=reset, dtype=np.float64, order="C", ensure_all_finite=False, ensure_min_features=1
        )
    except (TypeError, ValueError, OverflowError) as error:
        _raise_with_place(X, error)
    require_finite(checked, column_names(estimator, checked.shape[1]), allow_nan=allow_nan)
    return np.asarray(checked)


def check_training_table(
    estimator: Any, X: Any, y: Any, *, min_rows: int = 2, sample_weight: Any = None, allow_nan: bool = False
) -> tuple[Floats, Floats, Floats | None]:
    """Validate inputs, target and weights for `fit`.

    Parameters
    ----------
    estimator : estimator
        The estimator; its `n_features_in_` and `feature_names_in_` are set.
    X : array-like of shape (n_samples, n_features)
        The inputs.
    y : array-like of shape (n_samples,)
        The target.
    min_rows : int, default=2
        The minimum number of rows.
    sample_weight : array-like of shape (n_samples,), optional
        Weights, none negative and not all zero.
    allow_nan : bool, default=False
        Whether inputs may be missing.

    Returns
    -------
    X, y, sample_weight : ndarray, ndarray, ndarray or None
        Finite float64 values; X may have NaN where that is allowed.
    """
    _refuse_odd_columns(X)
    if y is not None:
        y = _check_target(y)
    try:
        X_checked, y_checked = validate_data(
            estimator,
            X,
            y,
            dtype=np.float64,
            order="C",
            ensure_all_finite=False,
            ensure_min_samples=min_rows,
            y_numeric=True,
        )
    except (TypeError, ValueError, OverflowError) as error:
        _raise_with_place(X, error)
    require_finite(X_checked, column_names(estimator, X_checked.shape[1]), allow_nan=allow_nan)
    weights = None if sample_weight is None else _check_weights(sample_weight, len(y_checked))
    return np.asarray(X_checked), np.asarray(y_checked, dtype=np.float64), weights


def number_table(X: Any, names: Sequence[str], *, allow_nan: bool = False) -> Floats:
    """Validate rows for a rule base that is used without an estimator; columns of a data frame are matched by name.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_inputs), or data frame
        An array has its columns in the order of `names`; a data frame may have them in any order, and others.
    names : sequence of str
        The names of the inputs.
    allow_nan : bool
        Whether values may be missing.

    Returns
    -------
    ndarray of shape (n_samples, n_inputs)
        Finite float64 values, or NaN where that is allowed, columns in the order of `names`.
    """
    columns = [str(name) for name in X.columns] if hasattr(X, "columns") else list(names)
    _refuse_odd_columns(X)
    try:
        # NumPy cannot convert pandas' NA.
        rows = X.to_numpy(dtype=np.float64, na_value=np.nan) if isinstance(X, pd.DataFrame) else X
        values = np.ascontiguousarray(rows, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        _raise_with_place(X, ValueError(f"X must be a table of numbers: {error}"))
    if hasattr(X, "columns") and not all(isinstance(name, int) for name in X.columns):
        missing = [name for name in names if name not in columns]
        if missing:
            raise ValueError(f"X has no column {missing[0]!r}; the rules need {', '.join(map(repr, names))}.")
        values = np.ascontiguousarray(values[:, [columns.index(name) for name in names]])
    if values.ndim != 2 or values.shape[1] != len(names):
        raise ValueError(f"X has shape {values.shape}, but the rules expect rows of {len(names)} inputs.")
    require_finite(values, names, allow_nan=allow_nan)
    return values


def column_names(estimator: Any, n_columns: int) -> list[str]:
    """Return the names of the columns that the estimator was fitted on, or `x0`, `x1`, ... if they have none."""
    names = getattr(estimator, "feature_names_in_", None)
    return [f"x{j}" for j in range(n_columns)] if names is None else [str(name) for name in names]


def require_finite(X: Floats, names: Sequence[str], *, allow_nan: bool = False) -> None:
    """Refuse infinity, values whose square overflows and, unless allowed, NaN; name the first such value."""
    with np.errstate(invalid="ignore"):
        bad = np.abs(X) > LARGEST_VALUE if allow_nan else ~(np.abs(X) <= LARGEST_VALUE)
    if not bad.any():
        return
    row, column = (int(i) for i in np.argwhere(bad)[0])
    value = X[row, column]
    place = f"column {names[column]!r}, row {row} (counted from 0)"
    if np.isfinite(value):
        raise ValueError(f"X contains {value:g} in {place}, which is too large to be squared; rescale the column.")
    others = "" if bad.sum() == 1 else f", and {bad.sum() - 1} more such values"
    if allow_nan:
        raise ValueError(f"X contains infinity in {place}{others}; correct it, or write NaN if the value is missing.")
    raise ValueError(
        f"X contains {'NaN' if np.isnan(value) else 'infinity'} in {place}{others}; "
        "fill in or drop such values first, e.g. with sklearn.impute.SimpleImputer or DataFrame.dropna."
    )


def _check_target(y: Any) -> Any:
    values = np.asarray(y)
    kind = values.dtype.kind
    if values.ndim not in (1, 2) or values.shape[1:] not in ((), (1,)) or kind == "c":
        return y  # scikit-learn's own message is clear
    if kind not in "OUSbiuf":
        raise ValueError(f"y must hold numbers but has the type {values.dtype}; convert it to numbers first.")
    flat = values.ravel()
    if kind in "OUS":
        row = _first_non_number(flat)
        if row is not None:
            raise ValueError(
                f"y holds {_kind_of(flat[row])} at row {row} (counted from 0): {_shown(flat[row])} is not a number; "
                f"{number_advice(str(flat[row])) or 'correct or remove the row, or choose another target'}."
            )
        flat = pd.to_numeric(pd.Series(flat)).to_numpy(dtype=np.float64)
    with np.errstate(invalid="ignore"):
        bad = ~(np.abs(flat.astype(np.float64)) <= LARGEST_VALUE)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        if np.isfinite(flat[row]):
            raise ValueError(f"y contains {flat[row]:g} at row {row}, which is too large to be squared; rescale it.")
        raise ValueError(
            f"y contains {'NaN' if np.isnan(flat[row]) else 'infinity'} at row {row} (counted from 0), "
            f"{counted(int(bad.sum()), 'such value')} in all; rows without a target cannot be used in "
            "training; remove them."
        )
    return flat.reshape(values.shape) if kind in "OUS" else y


def _check_weights(sample_weight: Any, n_rows: int) -> Floats:
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"sample_weight must hold numbers ({error}); give one weight per row.") from None
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.shape != (n_rows,):
        raise ValueError(f"sample_weight has shape {weights.shape}, but X has {n_rows} rows: give one weight per row.")
    refuse_bad_weights(weights)
    if not weights.any():
        raise ValueError("sample_weight is zero for every row; at least one row needs a positive weight.")
    # The unit of weights does not matter, but numbers near the smallest double do not add up.
    return weights if weights.max() >= 1.0 / LARGEST_VALUE else weights / weights.max()


def refuse_bad_weights(weights: Floats) -> None:
    """Refuse weights that are negative, not finite or too large; name the first such weight."""
    bad = ~((weights >= 0.0) & (weights <= LARGEST_VALUE))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(f"sample_weight is {weights[row]} at row {row}; weights must be finite and not negative.")


def _refuse_odd_columns(X: Any) -> None:
    """Refuse repeated column names, and columns of dates, which NumPy would silently turn into numbers."""
    if hasattr(X, "dtype") and getattr(X.dtype, "kind", "") in ("M", "m"):
        raise ValueError("X holds dates; turn them into numbers first, e.g. days since a start.")
    if not (hasattr(X, "columns") and hasattr(X, "dtypes")):
        return
    refuse_repeated_columns(X)
    names = list(X.columns)
    for name, dtype in zip(names, X.dtypes, strict=True):
        if any(word in str(dtype).lower() for word in ("date", "time", "period", "duration")):
            raise ValueError(
                f"X holds dates in column {name!r} (type {dtype}); "
                "turn them into numbers first, e.g. days since a start, or leave the column out."
            )


def refuse_repeated_columns(X: Any) -> None:
    """Refuse repeated column names."""
    counts = Counter(X.columns)
    for name, count in counts.items() if len(counts) < len(X.columns) else ():
        if count > 1:
            raise ValueError(f"The column {name!r} occurs {count} times in X; give each column its own name.")


def _raise_with_place(X: Any, error: Exception) -> NoReturn:
    """Raise the error again; if the reason is a value that is not a number, name its column and row."""
    place = _first_odd_value(X)
    # For an object that is not a number, scikit-learn's contract demands its own TypeError, whose message is clear.
    if place is None or "argument must be" in str(error):
        raise ValueError(str(error)) if isinstance(error, OverflowError) else error
    name, row, value = place
    advice = number_advice(value) if isinstance(value, str) else None
    raise ValueError(
        f"X holds {_kind_of(value)} in column {name!r}, row {row} (counted from 0): {_shown(value)} is not a number; "
        f"{advice or _ENCODING_ADVICE}."
    ) from error


def _first_odd_value(X: Any) -> tuple[str, int, Any] | None:
    if hasattr(X, "to_pandas"):
        X = X.to_pandas()
    if not isinstance(X, pd.DataFrame):
        try:
            values: npt.NDArray[Any] = np.asarray(X)
        except ValueError:
            return None
        if values.ndim != 2 or values.dtype.kind not in "OUS":
            return None
        X = pd.DataFrame(values, columns=[f"x{j}" for j in range(values.shape[1])])
    for j, name in enumerate(X.columns):
        column = X.iloc[:, j]
        if not pd.api.types.is_numeric_dtype(column):
            row = _first_non_number(column.to_numpy(dtype=object))
            if row is not None:
                return str(name), row, column.iloc[row]
    return None


def _first_non_number(values: npt.NDArray[Any]) -> int | None:
    """Return the place of the first value that is neither a number, a number written as text, nor missing."""
    for row, value in enumerate(values):
        if value is None or value is pd.NA:
            continue
        if not isinstance(value, str | bytes | int | float | np.number | np.bool_):
            return row
        try:
            float(value)
        except (ValueError, OverflowError):
            return row
    return None


def _kind_of(value: Any) -> str:
    if isinstance(value, str | bytes):
        return "text"
    if isinstance(value, int):
        return "an integer too large for a float"
    return "dates" if hasattr(value, "year") or isinstance(value, np.datetime64) else f"a {type(value).__name__}"


def _shown(value: Any) -> str:
    text = repr(str(value) if isinstance(value, str) else value)
    return text if len(text) <= 40 else text[:37] + "..."


_NOT_NUMBERS = (str, bytes, bool, np.bool_, datetime.date, datetime.time, datetime.timedelta, np.datetime64)


class Input(Protocol):
    """An input with its name and its source."""

    @property
    def name(self) -> str:
        """The name of the input."""

    @property
    def source(self) -> Source:
        """The source of the input."""


def is_plain(one: Input) -> bool:
    """Return whether an input is a column of numbers of the same name."""
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
            # polars converts to pandas with pyarrow, which may not be installed.
            frame = pd.DataFrame(X.to_dict(as_series=False))
    else:
        values = np.asarray(X)
        values = values if values.dtype.kind in "biuf" else np.asarray(X, dtype=object)
        if values.ndim != 2:
            raise ValueError(f"X must be a table of rows and columns; got an array of {values.ndim} dimensions.")
        frame = pd.DataFrame(values).infer_objects()
        frame.columns = pd.Index([f"x{j}" for j in range(values.shape[1])] if names is None else list(names))
    # Column numbers become text: a model file has no other names.
    return (
        frame
        if all(isinstance(name, str) for name in frame.columns)
        else frame.set_axis([str(name) for name in frame.columns], axis=1)
    )


def equal_rows(X: Any, y: Any) -> npt.NDArray[np.intp]:
    """Return the number of each row's group of equal rows.

    Examples
    --------
    >>> equal_rows([[1.0, "a"], [2.0, "a"], [1.0, "a"]], [5.0, 5.0, 5.0]).tolist()
    [0, 1, 0]
    """
    frame = as_frame(X)
    columns = [*(frame.iloc[:, j] for j in range(frame.shape[1])), pd.Series(np.ravel(y))]
    texts = (column_texts(column) if column.dtype == object else column for column in columns)
    codes = pd.DataFrame({j: pd.factorize(column)[0] for j, column in enumerate(texts)})
    return np.asarray(codes.groupby(list(codes), sort=False).ngroup(), dtype=np.intp)


def known_columns(X: Any, names: Collection[str] | None) -> Any:
    """Drop the unknown columns of a frame that has all known ones; return any other table unchanged.

    Parameters
    ----------
    X : array-like or data frame
        The table; one without column names is returned unchanged.
    names : collection of str or None
        The known columns; None if their names are unknown.

    Examples
    --------
    >>> import pandas as pd
    >>> known_columns(pd.DataFrame({"id": ["a"], "size": [1.0]}), ["size"])
       size
    0   1.0
    """
    require_rows(X)
    # An Arrow table has its names in `column_names`, and arrays in `columns`.
    given = list(getattr(X, "column_names", getattr(X, "columns", ())))
    known = () if names is None else set(names)
    kept = [name for name in given if isinstance(name, str) and name in known]
    if not known or len(kept) == len(given) or not known <= set(kept):
        return X
    if isinstance(X, pd.DataFrame):
        return X.loc[:, [isinstance(name, str) and name in known for name in given]]
    return X.select(kept) if hasattr(X, "select") else X


def require_rows(X: Any) -> None:
    """Refuse objects that hold no rows yet: a polars LazyFrame, a table in batches, or the path of a file."""
    if hasattr(X, "count_rows") and hasattr(X, "reduce"):
        raise ValueError(
            f"X is a {type(X).__name__}, which is read in batches; FuzzyRuleRegressor.fit(X, target) learns from it, "
            "with the name of the target, and model.predict(batch.to_pandas()) predicts its batches."
        )
    if issparse(X):
        raise TypeError(
            "Sparse data was passed for X; pass X.toarray(), or the columns of categories themselves: text needs no "
            "encoder here."
        )
    if isinstance(X, str | os.PathLike):
        raise ValueError(
            f"X is the path {os.fspath(X)!r}, not a table; read it first: fruler.data.read_table(path, target=...) "
            "returns `data` and `target`."
        )
    if hasattr(X, "collect") and hasattr(X, "collect_schema") and not hasattr(X, "to_pandas"):
        raise TypeError(f"X is a {type(X).__name__}, which holds no rows yet; pass X.collect().")


def is_numeric(X: Any) -> bool:
    """Return whether a table holds only numbers, judging by its types.

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
    """Return the inputs for the rows of a table, NaN where a value is missing.

    Parameters
    ----------
    X : array-like or data frame
        An array of numbers holds the inputs themselves. A data frame holds their source columns, in any order, and may
        have others. An array with text holds the source columns in the order of the inputs.
    inputs : sequence of Input
        The inputs to compute.
    unused : collection of str
        The columns that may be absent from a data frame or hold anything; their inputs are then NaN.

    Returns
    -------
    ndarray of shape (n_rows, n_inputs)
        The inputs; none is infinite.
    """
    X = as_frame(X) if hasattr(X, "to_pandas") else X
    holds_inputs = not hasattr(X, "columns") or (all(map(is_plain, inputs)) and not unused)
    if holds_inputs and is_numeric(X):
        return number_table(X, [one.name for one in inputs], allow_nan=True)
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
    """Return the unknown categories of each row of a table, by column.

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


def units_in(*tables: Any) -> dict[str, str]:
    """Return the units in ``attrs["units"]`` of data frames and series, by column.

    Anything but a mapping from text to text is ignored.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [1.0], "price": [2.0]})
    >>> table.attrs["units"] = {"age": "years", "price": "k€"}
    >>> units_in(table[["age"]], table["price"]), units_in([[1.0]])
    ({'age': 'years', 'price': 'k€'}, {})
    """
    found: dict[str, str] = {}
    for table in tables:
        attributes = getattr(table, "attrs", None)
        units = attributes.get("units") if isinstance(attributes, Mapping) else None
        if isinstance(units, Mapping):
            found |= {name: unit for name, unit in units.items() if isinstance(name, str) and isinstance(unit, str)}
    return found
