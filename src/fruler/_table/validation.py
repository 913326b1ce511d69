"""What every estimator checks before it works: scikit-learn's checks, with messages that name column and row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.utils.validation import validate_data

from fruler._typing import Floats
from fruler._wording import counted, number_advice

# Squares and products of values must be numbers too.
LARGEST_VALUE = 1e150
_ENCODING_ADVICE = (
    "encode the column first with sklearn.preprocessing.OneHotEncoder, or with OrdinalEncoder if its categories have "
    "an order, or leave it out"
)


def check_table(estimator: Any, X: Any, *, reset: bool = False, allow_nan: bool = False) -> Floats:
    """Validate inputs alone, as `transform` and `predict` need them.

    Parameters
    ----------
    estimator : estimator
        Whose number and names of features are set (`reset`) or compared.
    X : array-like of shape (n_samples, n_features)
        NumPy array, data frame or nested list.
    reset : bool, default=False
        Whether this table defines the features.
    allow_nan : bool, default=False
        Whether values may be missing.

    Returns
    -------
    ndarray of shape (n_samples, n_features)
        Finite float64 values, rows contiguous.
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
        Whose `n_features_in_` and `feature_names_in_` are set.
    X : array-like of shape (n_samples, n_features)
        The inputs.
    y : array-like of shape (n_samples,)
        The target.
    min_rows : int, default=2
        The least number of rows that make sense.
    sample_weight : array-like of shape (n_samples,), optional
        Weights, none negative and not all zero.
    allow_nan : bool, default=False
        Whether inputs may be missing.

    Returns
    -------
    X, y, sample_weight : ndarray, ndarray, ndarray or None
        Finite float64 values.
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
    """Validate rows for a rule base that is used without an estimator; the names of a data frame's columns count.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_inputs), or data frame
        An array has its columns in the order of `names`; a frame may have them in any order, and others besides.
    names : sequence of str
        The inputs that are wanted.
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
        # What pandas calls NA is no number to NumPy.
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
    """Return the names of the columns that the estimator was fitted on, `x0`, `x1`, ... where they have none."""
    names = getattr(estimator, "feature_names_in_", None)
    return [f"x{j}" for j in range(n_columns)] if names is None else [str(name) for name in names]


def require_finite(X: Floats, names: Sequence[str], *, allow_nan: bool = False) -> None:
    """Refuse infinity, what overflows when it is squared and, unless it is allowed, NaN; name the first such value."""
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
        "fill in or drop what is missing first, e.g. with sklearn.impute.SimpleImputer or DataFrame.dropna."
    )


def _check_target(y: Any) -> Any:
    values = np.asarray(y)
    kind = values.dtype.kind
    if values.ndim not in (1, 2) or values.shape[1:] not in ((), (1,)) or kind == "c":
        return y  # scikit-learn's own message says it well
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
            f"{counted(int(bad.sum()), 'such value')} in all; a row without a known target can't be learned from: "
            "remove it."
        )
    return flat.reshape(values.shape) if kind in "OUS" else y


def _check_weights(sample_weight: Any, n_rows: int) -> Floats:
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.shape != (n_rows,):
        raise ValueError(f"sample_weight has shape {weights.shape}, but X has {n_rows} rows: give one weight per row.")
    bad = ~((weights >= 0.0) & (weights <= LARGEST_VALUE))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(f"sample_weight is {weights[row]} at row {row}; weights must be finite and not negative.")
    if not weights.any():
        raise ValueError("sample_weight is zero for every row; at least one row must count.")
    return weights


def _refuse_odd_columns(X: Any) -> None:
    """Refuse two columns of one name, and columns of dates, which NumPy would quietly turn into numbers."""
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
    """Refuse two columns of one name."""
    counts = Counter(X.columns)
    for name, count in counts.items() if len(counts) < len(X.columns) else ():
        if count > 1:
            raise ValueError(f"The column {name!r} occurs {count} times in X; give each column its own name.")


def _raise_with_place(X: Any, error: Exception) -> NoReturn:
    """Raise the error again, with the column and the row of the first value that is no number, if that is why."""
    place = _first_odd_value(X)
    # That an object is no number is a TypeError by scikit-learn's contract, and its text says it.
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
        return "an integer beyond all floats"
    return "dates" if hasattr(value, "year") or isinstance(value, np.datetime64) else f"a {type(value).__name__}"


def _shown(value: Any) -> str:
    text = repr(str(value) if isinstance(value, str) else value)
    return text if len(text) <= 40 else text[:37] + "..."
