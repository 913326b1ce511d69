"""Training tables turned into numeric inputs, with the sources that encode new rows the same way."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from fruler._arrays import Floats
from fruler._table.encoding import EncodedInputs, learn_inputs
from fruler._table.faults import far_values, warn_of_faults
from fruler._table.gaps import Moments, learn_moments, observed_moments
from fruler._table.reading import (
    as_frame,
    check_training_table,
    column_names,
    is_numeric,
    refuse_repeated_columns,
    require_rows,
)
from fruler._table.rows import kept_marks, row_marks, row_weights
from fruler._table.sources import GapSource, LevelSource, NumberSource, Source
from fruler._wording import quote_names

# Given names and sources of inputs, returns which inputs may fill gaps of which (see `Moments`).
Fillers = Callable[[Sequence[str], Sequence[Source]], npt.NDArray[np.bool_] | None]

# With more inputs than this, gaps are filled with means: regressions on all inputs would be slow, and of little use.
_MAX_REGRESSED = 300
# Missingness becomes an input if its relation to the target exceeds this many standard errors ...
_TELLING = 3.5
# ... and the value is missing, and is present, in at least this many rows.
_MIN_GAPS = 20


@dataclass(frozen=True, eq=False)
class TrainingInputs:
    """A table that is ready for training.

    Attributes
    ----------
    names : list of str
        The inputs.
    sources : list of Source
        The source of each input.
    values : ndarray of shape (n_rows, n_inputs)
        The inputs, with gaps filled.
    terms : ndarray of shape (n_rows, n_inputs) or None
        The inputs that slopes are fitted to, with the numbers of categories from other rows; None if they are `values`.
    target : ndarray of shape (n_rows,)
        The target on the scale that is learned, such as its logarithm.
    observed : ndarray of shape (n_rows,)
        The target as it was given.
    weight : ndarray of shape (n_rows,) or None
        The row weights.
    moments : Moments
        The means and covariances that gaps are filled from.
    limits : dict of int to (float, float)
        The smallest and largest value of inputs in which other values looked like faults.
    marks : ndarray of shape (n_marks,)
        Marks of some rows as they were given, see `kept_marks`.
    """

    names: list[str]
    sources: list[Source]
    values: Floats
    terms: Floats | None
    target: Floats
    observed: Floats
    weight: Floats | None
    moments: Moments
    limits: dict[int, tuple[float, float]]
    marks: Floats

    @property
    def levels(self) -> dict[int, Floats]:
        """The sorted numbers of the categories, by input; without indicators of a single category."""
        return {
            j: np.unique(source.values)
            for j, source in enumerate(self.sources)
            if isinstance(source, LevelSource) and source.indicated is None and len(set(source.values)) > 1
        }


def training_inputs(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    categorical_features: Any = "from_dtype",
    one_hot: bool = False,
    fillers: Fillers = lambda names, sources: None,
    learned_from: Callable[[Floats], Floats] = np.asarray,
    evidence: Callable[[Floats], Floats] = np.asarray,
    mends_faults: bool = False,
) -> TrainingInputs:
    """Check the arguments of `fit` and turn the table into numbers.

    Parameters
    ----------
    estimator : estimator
        The estimator; its `n_features_in_` and `feature_names_in_` are set.
    X : array-like or data frame of shape (n_samples, n_features)
        Numbers and categories; values may be missing.
    y, sample_weight : array-like of shape (n_samples,)
        The target and, optionally, the row weights.
    categorical_features : "from_dtype", None, or array-like
        The categorical columns: by their type, as both "from_dtype" and None mean, or by name, number or a mask.
    one_hot : bool
        Whether each category becomes an input of its own.
    fillers : callable, optional
        Returns which inputs may fill gaps of which. By default, all may.
    learned_from : callable
        Transforms the target to the scale that is learned, such as its logarithm.
    evidence : callable
        Transforms the learned target to what numbers for categories, gaps and faults are judged by.
    mends_faults : bool
        Whether values that look like faults count as missing.
    """
    if is_numeric(X) and not are_declared(categorical_features):
        numbers, observed, weight = check_training_table(estimator, X, y, sample_weight=sample_weight, allow_nan=True)
        names = column_names(estimator, numbers.shape[1])
        some = _counted_rows(weight)
        _require_values(numbers[some], names)
        made = EncodedInputs(names, [NumberSource(name) for name in names], numbers[some], numbers[some])
    else:
        frame = as_frame(X)
        refuse_repeated_columns(frame)
        validate_data(estimator, X if hasattr(X, "columns") else np.asarray(X, dtype=object), skip_check_array=True)
        _, observed, weight = check_training_table(
            BaseEstimator(), np.zeros((len(frame), 1)), y, sample_weight=sample_weight
        )
        declared = declared_columns(categorical_features, list(frame.columns))
        some = _counted_rows(weight)
        own = None if weight is None else weight[some]
        signal = evidence(learned_from(observed)[some])
        made = learn_inputs(frame.iloc[some], signal, own, declared=declared, one_hot=one_hot)
    marks = kept_marks(row_marks(made.values, observed[some]))
    target = learned_from(observed)
    signal = evidence(target[some])
    counted = None if weight is None else row_weights(weight[some])
    limits: dict[int, tuple[float, float]] = {}
    if mends_faults:
        made, faulty = _mended(made, signal, counted)
        limits = {int(j): (np.nanmin(made.values[:, j]), np.nanmax(made.values[:, j])) for j in faulty}
    names, sources, values, terms, moments = _without_gaps(made, signal, counted, fillers)
    if len(values) < len(target):
        values = _on_all_rows(values, some, len(target))
        terms = None if terms is None else _on_all_rows(terms, some, len(target))
    return TrainingInputs(names, sources, values, terms, target, observed, weight, moments, limits, marks)


def _counted_rows(weight: Floats | None) -> npt.NDArray[np.intp] | slice:
    """Return the rows that take part: all but those of weight zero."""
    return slice(None) if weight is None or weight.all() else np.flatnonzero(weight)


def _on_all_rows(part: Floats, some: Any, n_rows: int) -> Floats:
    whole = np.zeros((n_rows, part.shape[1]))
    whole[some] = part
    return whole


def _mended(made: EncodedInputs, target: Floats, weight: Floats | None) -> tuple[EncodedInputs, npt.NDArray[np.intp]]:
    """Return inputs in which numbers that look like faults are missing, and which inputs had any; warn of them."""
    are_numbers = np.array([isinstance(source, NumberSource) for source in made.sources])
    far = far_values(made.values, target, weight)
    warn_of_faults(far.refuted & are_numbers, made.values, made.names)
    faults = far.doubted & are_numbers
    values, held_out = (np.where(faults, np.nan, part) for part in (made.values, made.held_out))
    return replace(made, values=values, held_out=held_out), np.flatnonzero(faults.any(axis=0))


def _without_gaps(
    made: EncodedInputs, target: Floats, weight: Floats | None, fillers: Fillers
) -> tuple[list[str], list[Source], Floats, Floats | None, Moments]:
    """Return the names and sources of inputs, their values and terms with gaps filled, and the moments for that."""
    names, sources, values, held_out = made.names, made.sources, made.values, made.held_out
    has_levels = any(isinstance(source, LevelSource) for source in sources)
    gaps = np.isnan(values)
    moments = _moments(values, weight)
    if gaps.any():
        telling = telling_gaps(gaps, moments.gaps(np.arange(len(names))).filled(values), target, weight)
        # The inputs of one column are missing together.
        telling = list({sources[j].column: j for j in reversed(telling)}.values())[::-1]
        for j in telling:
            names = [*names, f"{sources[j].column} is missing"]
            sources = [*sources, GapSource(sources[j].column)]
        if len(telling):
            values, held_out = (np.column_stack([part, gaps[:, telling]]) for part in (values, held_out))
            moments = _moments(values, weight)
    moments = replace(moments, fillers=fillers(names, sources))
    if gaps.any():
        values = moments.gaps(np.arange(len(names))).filled(values)
        held_out = np.where(np.isnan(held_out), values, held_out)
    return names, sources, values, held_out if has_levels else None, moments


def telling_gaps(gaps: Any, filled: Floats, y: Floats, weight: Floats | None) -> list[int]:
    """Return the inputs whose missingness is related to the target.

    Parameters
    ----------
    gaps : ndarray of bool, shape (n_rows, n_inputs)
        Where values are missing.
    filled : ndarray of shape (n_rows, n_inputs)
        The inputs, with gaps filled.
    y, weight : ndarray of shape (n_rows,)
        The target and the row weights.
    """
    n = len(y)
    counts = gaps.sum(axis=0)
    asked = np.flatnonzero((counts >= _MIN_GAPS) & (counts <= n - _MIN_GAPS))
    if not len(asked):
        return []
    root = np.ones(n) if weight is None else np.sqrt(weight / weight.mean())
    design = np.column_stack([np.ones(n), filled]) * root[:, None]
    both = np.column_stack([y, gaps[:, asked]]) * root[:, None]
    fitted, *_ = np.linalg.lstsq(design, both, rcond=1e-10)
    left = both - design @ fitted
    sizes = np.sqrt(np.square(left).sum(axis=0))
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = left[:, 1:].T @ left[:, 0] / (sizes[1:] * sizes[0])
    return [int(j) for j, r in zip(asked, correlation, strict=True) if abs(r) * np.sqrt(n) > _TELLING]


def declared_columns(categorical_features: Any, columns: Sequence[Any]) -> Collection[Any]:
    """Return the columns that the user declared as categorical.

    Examples
    --------
    >>> sorted(declared_columns(["b"], ["a", "b"])), sorted(declared_columns([True, False], ["a", "b"]))
    (['b'], ['a'])
    """
    if not are_declared(categorical_features):
        return ()
    given = np.asarray(categorical_features)
    if given.ndim != 1:
        raise ValueError("categorical_features must be a one-dimensional list of column names or numbers, or a mask.")
    if given.dtype.kind == "b":
        if len(given) != len(columns):
            raise ValueError(f"categorical_features is a mask of {len(given)} columns, but X has {len(columns)}.")
        return {columns[int(j)] for j in np.flatnonzero(given)}
    if given.dtype.kind in "iu":
        if len(given) and (given.min() < 0 or given.max() >= len(columns)):
            raise ValueError(f"categorical_features names the columns {given.tolist()}, but X has {len(columns)}.")
        return {columns[int(j)] for j in given}
    unknown = [name for name in given.tolist() if name not in columns]
    if unknown:
        raise ValueError(f"categorical_features names {quote_names(unknown)}, which X does not have.")
    return set(given.tolist())


def are_declared(categorical_features: Any) -> bool:
    """Return whether the user declared columns as categorical."""
    return categorical_features is not None and not (
        isinstance(categorical_features, str) and categorical_features == "from_dtype"
    )


def _moments(values: Floats, weight: Floats | None) -> Moments:
    if values.shape[1] <= _MAX_REGRESSED:
        return learn_moments(values, weight)
    means, spread = observed_moments(values, np.ones(len(values)) if weight is None else weight)
    return Moments(means, np.diag(np.square(spread)), shares=np.isnan(values).mean(axis=0))


def _require_values(values: Floats, names: Sequence[str]) -> None:
    empty = np.isnan(values).all(axis=0)
    if empty.any():
        name = names[int(np.argmax(empty))]
        raise ValueError(f"The column {name!r} has no value in any row; leave it out, or fill it in.")


def frame_of(estimator: Any, X: Any, columns: Sequence[str]) -> pd.DataFrame:
    """Return a table to predict as a data frame, after checking its columns against those of `fit`."""
    require_rows(X)
    if isinstance(X, pd.DataFrame) and X.columns.tolist() == list(getattr(estimator, "feature_names_in_", ())):
        # The check below would say nothing, and takes long for a single row.
        return X
    validate_data(
        estimator, X if hasattr(X, "columns") else np.asarray(X, dtype=object), reset=False, skip_check_array=True
    )
    return as_frame(X, None if hasattr(X, "columns") else columns)
