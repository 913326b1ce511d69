"""Parquet files."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd

from fruler._wording import install_advice
from fruler.data.column_names import check_names
from fruler.data.sources import Origin, one_line


def read_parquet(raw: bytes, name: str) -> tuple[pd.DataFrame, Origin]:
    """Read a Parquet file; rows are counted from 1.

    Raises
    ------
    ValueError
        If it is damaged or empty.
    ImportError
        If pyarrow is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ImportError(f"{name}: Parquet files need pyarrow; {install_advice('parquet')}") from None
    try:
        frame = pyarrow.parquet.read_table(io.BytesIO(raw)).to_pandas()
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise ValueError(f"{name}: cannot read it as Parquet ({one_line(error)}); make the file again") from None
    frame.columns = [str(column) for column in frame.columns]
    if not len(frame.columns) or not len(frame):
        raise ValueError(f"{name}: the table is empty; it needs columns and rows")
    check_names(list(frame.columns), name)
    frame = frame.reset_index(drop=True)
    for column in frame.columns:
        # pandas' own nullable numbers would bring pd.NA into a table where a missing number is NaN.
        if pd.api.types.is_extension_array_dtype(frame[column].dtype) and pd.api.types.is_numeric_dtype(frame[column]):
            frame[column] = frame[column].to_numpy(dtype=np.float64, na_value=np.nan)
    return frame, Origin(name, "row", np.arange(1, len(frame) + 1))
