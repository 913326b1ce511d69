"""What every estimator checks before it works: scikit-learn's checks, with messages that name column and row."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.utils.validation import validate_data

from fruler.scaling import Floats


def check_table(estimator: Any, X: Any, *, reset: bool = False) -> Floats:
    """Validate inputs alone, as `transform` and `predict` need them.

    Parameters
    ----------
    estimator : estimator
        Whose number and names of features are set (`reset`) or compared.
    X : array-like of shape (n_samples, n_features)
        NumPy array, data frame or nested list.
    reset : bool, default=False
        Whether this table defines the features.

    Returns
    -------
    ndarray of shape (n_samples, n_features)
        Finite float64 values, rows contiguous.
    """
    try:
        checked = validate_data(
            estimator, X, reset=reset, dtype=np.float64, order="C", ensure_all_finite=False, ensure_min_features=1
        )
    except (TypeError, ValueError) as error:
        _raise_with_column(X, error)
    _require_finite(checked, column_names(estimator, checked.shape[1]))
    return np.asarray(checked)


def check_training_table(
    estimator: Any, X: Any, y: Any, *, min_rows: int = 2, sample_weight: Any = None
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

    Returns
    -------
    X, y, sample_weight : ndarray, ndarray, ndarray or None
        Finite float64 values.
    """
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
    except (TypeError, ValueError) as error:
        _raise_with_column(X, error)
    _require_finite(X_checked, column_names(estimator, X_checked.shape[1]))
    weights = None if sample_weight is None else _check_weights(sample_weight, len(y_checked))
    return np.asarray(X_checked), np.asarray(y_checked, dtype=np.float64), weights


def column_names(estimator: Any, n_columns: int) -> list[str]:
    """Return the names of the columns that the estimator was fitted on, `x0`, `x1`, ... where they have none."""
    names = getattr(estimator, "feature_names_in_", None)
    return [f"x{j}" for j in range(n_columns)] if names is None else [str(name) for name in names]


def _require_finite(X: Floats, names: list[str]) -> None:
    bad = ~np.isfinite(X)
    if not bad.any():
        return
    row, column = (int(i) for i in np.argwhere(bad)[0])
    what = "NaN" if np.isnan(X[row, column]) else "infinity"
    others = "" if bad.sum() == 1 else f" (and {bad.sum() - 1} more such values)"
    raise ValueError(
        f"X contains {what} in column {names[column]!r}, row {row} (counted from 0){others}; "
        "fill in or drop what is missing first, e.g. with sklearn.impute.SimpleImputer or DataFrame.dropna."
    )


def _check_target(y: Any) -> Any:
    values = np.asarray(y)
    if values.ndim > 2 or values.size == 0 or values.dtype.kind == "c":
        return y  # scikit-learn's own message says it well
    if values.dtype.kind not in "OUSbiuf":
        raise ValueError(f"y must hold numbers but has the type {values.dtype}; convert it to numbers first.")
    if values.dtype.kind in "OUS":
        numbers = pd.to_numeric(pd.Series(values.ravel()), errors="coerce").to_numpy(dtype=np.float64)
        for missing in np.flatnonzero(np.isnan(numbers)):
            value = values.ravel()[missing]
            if isinstance(value, str | bytes):
                raise ValueError(
                    f"y holds text at row {missing} (counted from 0): {value!r} is not a number; "
                    "correct or remove the row, or choose another target."
                )
        values = numbers.reshape(values.shape)
    bad = ~np.isfinite(values)
    if bad.any():
        row = int(np.flatnonzero(bad.ravel())[0])
        what = "NaN" if np.isnan(values.ravel()[row]) else "infinity"
        raise ValueError(
            f"y contains {what} at row {row} (counted from 0), {bad.sum()} such value(s) in all; "
            "a row without a known target can't be learned from: remove it."
        )
    return values if np.asarray(y).dtype.kind in "OUS" else y


def _check_weights(sample_weight: Any, n_rows: int) -> Floats:
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight has shape {weights.shape} but X has {n_rows} rows: one weight a row is needed."
        )
    bad = ~np.isfinite(weights) | (weights < 0)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(f"sample_weight is {weights[row]} at row {row}; weights must be finite and not negative.")
    if not weights.any():
        raise ValueError("sample_weight is zero for every row; at least one row must count.")
    return weights


def _raise_with_column(X: Any, error: Exception) -> NoReturn:
    """Raise the error again, with the column and the row of the first value that is no number, if that is why."""
    place = _first_text(X)
    if place is None or not any(phrase in str(error) for phrase in ("could not convert", "to float", "dtype")):
        raise error
    name, row, value = place
    raise ValueError(
        f"X holds text in column {name!r}, row {row} (counted from 0): {value!r} is not a number; "
        "encode the column first, e.g. with sklearn.preprocessing.OrdinalEncoder, or leave it out. "
        f"({error})"
    ) from error


def _first_text(X: Any) -> tuple[str, int, Any] | None:
    if hasattr(X, "to_pandas"):
        X = X.to_pandas()
    if not isinstance(X, pd.DataFrame):
        values: npt.NDArray[Any] = np.asarray(X)
        if values.ndim != 2 or values.dtype.kind not in "OUS":
            return None
        X = pd.DataFrame(values, columns=[f"x{j}" for j in range(values.shape[1])])
    for name in X.columns:
        column = X[name]
        if pd.api.types.is_numeric_dtype(column):
            continue
        text = column.notna() & pd.to_numeric(column.astype(object), errors="coerce").isna()
        if text.any():
            row = int(np.flatnonzero(text.to_numpy())[0])
            return str(name), row, column.iloc[row]
    return None
