"""Marks of missing values in tables whose cells are not only text."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from fruler.data.number_formats import NumberFormat, take_apart

# What pandas takes for missing in CSV files, as far as people write it into cells.
USUAL_MARKS = ("", "?", "#N/A", "N/A", "NA", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>")


def without_marks(frame: pd.DataFrame, marks: Iterable[str]) -> pd.DataFrame:
    """Return a table with NaN in place of every text, and every number, that marks a missing value.

    Examples
    --------
    >>> without_marks(pd.DataFrame({"a": [1, -999], "b": ["x", "none"]}), ["-999", "none"])
         a    b
    0  1.0    x
    1  NaN  NaN
    """
    marks = set(marks)
    numbers = {
        value
        for number in map(take_apart, marks)
        if number is not None and not number.sign and (value := NumberFormat(".", ",").value(number)) is not None
    }

    def is_mark(value: object) -> bool:
        if isinstance(value, str):
            return value.strip() in marks
        return isinstance(value, (int, float)) and not isinstance(value, bool) and value in numbers

    frame = frame.copy(deep=False)
    for name in frame.columns:
        values = frame[name]
        if pd.api.types.is_numeric_dtype(values.dtype) and not pd.api.types.is_bool_dtype(values.dtype):
            marked = values.isin(list(numbers)).to_numpy() if numbers else np.zeros(len(values), dtype=bool)
        elif pd.api.types.is_object_dtype(values.dtype) or isinstance(values.dtype, pd.StringDtype):
            marked = np.array([is_mark(value) for value in values], dtype=bool)
        else:
            continue
        if marked.any():
            # Inferred again: numbers with a mark among them were text to pandas.
            frame[name] = values.astype(object).mask(marked, np.nan).infer_objects()
    return frame
