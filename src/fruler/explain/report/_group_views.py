"""Errors by group for the template: how far predictions miss in the groups of each column of the given rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pandas as pd

from fruler._arrays import Floats
from fruler._table.texts import column_texts
from fruler._wording import counted, with_minus
from fruler.explain.report._drawings import shown
from fruler.explain.report._reference import Reference, View

# Columns of so many categories, or whole numbers, are grouped by their values; more values of a number by quarters of
# the rows. A group needs so many rows; the smallest ones count as one.
_MAX_VALUES, _MAX_GROUPS, _N_PARTS, _MIN_ROWS = 60, 10, 4, 20
_MAX_COLUMNS = 20
Groups = Iterator[tuple[str, npt.NDArray[np.bool_]]]


def group_views(reference: Reference, table: pd.DataFrame, observed: Floats, predicted: Floats) -> list[View]:
    """Return the errors in the groups of each column, the column with the largest difference first.

    Parameters
    ----------
    reference : Reference
        The model.
    table : DataFrame
        The columns of the rows, also those that the model does not use.
    observed, predicted : ndarray of shape (n_rows,)
        The observed and the predicted targets.
    """
    residuals = observed - predicted
    of_all = float(np.median(np.abs(residuals)))
    found = []
    for name in table:
        groups = [(text, rows) for text, rows in _groups(table[name]) if rows.sum() >= _MIN_ROWS]
        if len(groups) < 2:
            continue
        misses = [float(np.median(np.abs(residuals[rows]))) for _, rows in groups]
        # How surely the groups differ: rows of small groups miss by more or less than others by chance.
        sizes = np.array([rows.sum() for _, rows in groups])
        apart = float(np.abs((np.array(misses) / (of_all or 1.0) - 1.0) * np.sqrt(sizes)).max())
        found.append((apart, str(name), groups, misses))
    found.sort(key=lambda one: -one[0])
    largest = max((miss for _, _, _, misses in found[:_MAX_COLUMNS] for miss in misses), default=0.0) or 1.0

    def written(number: float) -> str:
        return with_minus(shown(number, of_all / 20.0))

    return [
        {
            "name": name,
            "rows": [
                {
                    "name": text,
                    "n": f"{int(rows.sum()):,}",
                    "miss": written(miss),
                    "share": miss / largest,
                    "mean": written(float(residuals[rows].mean())),
                }
                for (text, rows), miss in zip(groups, misses, strict=True)
            ],
        }
        for _, name, groups, misses in found[:_MAX_COLUMNS]
    ]


def _groups(column: pd.Series) -> Groups:
    """Yield the groups of a column with the rows of each: values, quarters of a number, or years."""
    missing = column.isna().to_numpy()
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        yield from _by_value(column.dt.year.astype("Int64").astype(object), in_order=True)
    elif not pd.api.types.is_numeric_dtype(column.dtype) or pd.api.types.is_bool_dtype(column.dtype):
        yield from _by_value(column_texts(column))
        return
    elif column.nunique() <= _MAX_GROUPS:
        yield from _by_value(column.map(lambda value: f"{value:g}", na_action="ignore"), in_order=True)
    else:
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        edges = np.unique(np.nanquantile(values, np.arange(1, _N_PARTS) / _N_PARTS))
        parts = np.searchsorted(edges, values)
        ends = [shown(edge, float(np.ptp(edges)) / 100.0 or abs(edge) / 100.0) for edge in edges.tolist()]
        for part in range(len(edges) + 1):
            text = f"above {ends[-1]}" if part == len(edges) else f"{ends[part - 1]} to {ends[part]}"
            yield (f"up to {ends[0]}" if part == 0 else text), (parts == part) & ~missing
    yield "missing", missing


def _by_value(texts: pd.Series, *, in_order: bool = False) -> Groups:
    """Yield the rows of each value, the most common first, and the rare ones together."""
    counts = texts.value_counts()
    if len(counts) > _MAX_VALUES and counts.iloc[_MAX_GROUPS - 1] < _MIN_ROWS:
        return
    kept = list(counts.index[: _MAX_GROUPS if len(counts) <= _MAX_GROUPS else _MAX_GROUPS - 1])
    kept = sorted(kept, key=float) if in_order else kept
    codes = pd.Categorical(texts, kept).codes
    for code, value in enumerate(kept):
        yield str(value), codes == code
    others = (codes < 0) & texts.notna().to_numpy()
    if others.any():
        yield counted(len(counts) - len(kept), "other value"), others
    if not in_order:
        yield "missing", texts.isna().to_numpy()
